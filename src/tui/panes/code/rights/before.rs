//! Records which rights were on screen in full, and tells what of a block's rights differs from them.
//!
//! Only rights whose every row was seen are recorded, so that nothing is called "as before" that nobody read.

use crate::domain::{ExecutorKind, KernelRef, ProjectPython, Reach, Rights, SandboxReport, Terms};

/// The rights that were seen last, for each pair of language and executor.
#[derive(Clone, Debug, Default)]
pub(in crate::tui::panes::code) struct SeenRights(Vec<(Terms, Reach)>);

/// Which parts differ from what was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RightsChange {
    pub(super) read: bool,
    pub(super) write: bool,
    pub(super) network: bool,
    pub(super) secrets: bool,
    pub(super) limits: bool,
    pub(super) sandbox: bool,
    pub(super) program: bool,
    pub(super) terminal: bool,
    /// Where the code starts: the folder, the kernel. This is no right and has a fact of its own.
    pub(super) start: bool,
}

impl RightsChange {
    /// Whether any of the rights changed.
    pub(super) fn of_rights(self) -> bool {
        Self { start: false, ..self } != Self::default()
    }
}

/// Whether code runs under these terms. What sayso does by itself, and what fetches packages, is shown in full each
/// time.
fn runs_code(terms: &Terms) -> bool {
    terms.target.is_none()
        && matches!(
            terms.executor,
            ExecutorKind::Kernel | ExecutorKind::Subprocess | ExecutorKind::Container | ExecutorKind::Jupyter
        )
}

impl SeenRights {
    /// Records rights of which every row was on screen long enough.
    pub(in crate::tui::panes::code) fn note(&mut self, terms: &Terms, reach: &Reach) {
        if runs_code(terms) {
            self.0.retain(|(seen, _)| !is_comparable(seen, terms));
            self.0.push((terms.clone(), reach.clone()));
        }
    }

    /// What changed since such rights were seen last; `None` if they never were.
    pub(super) fn change(&self, terms: &Terms, reach: &Reach) -> Option<RightsChange> {
        let (seen, reached) =
            self.0.iter().find(|(seen, _)| runs_code(terms) && is_comparable(seen, terms))?;
        Some(compare((seen, reached), (terms, reach)))
    }
}

fn is_comparable(a: &Terms, b: &Terms) -> bool {
    a.language == b.language && a.executor == b.executor
}

/// Compares everything that is enforced; the structs are destructured, so that no field can be forgotten.
fn compare((then, reached): (&Terms, &Reach), (now, reach): (&Terms, &Reach)) -> RightsChange {
    let Terms {
        language: _,
        executor: _,
        interpreter,
        version,
        kernel,
        cwd,
        rights,
        limits,
        // The facts always tell which blocks ran before and what they changed, even where rights take one line.
        shared: _,
        target: _,
    } = now;
    let Rights { read, write, network, environment, python, terminal, sandbox } = &**rights;
    let Reach { places, read: read_elsewhere, write: write_elsewhere, own_tree, network: reaches, home } =
        reach;
    let may = &then.rights;
    let confinement = compare_sandboxes(&may.sandbox, sandbox);
    let to_read = |reach: &Reach| -> Vec<_> {
        reach.places.iter().map(|p| (p.path.clone(), p.read, p.private)).collect()
    };
    RightsChange {
        read: confinement.read
            || *read != may.read
            || *read_elsewhere != reached.read
            || to_read(reach) != to_read(reached),
        write: confinement.write
            || *write != may.write
            || *write_elsewhere != reached.write
            || *places != reached.places,
        network: confinement.network || *network != may.network || *reaches != reached.network,
        secrets: *environment != may.environment,
        limits: confinement.limits || *limits != then.limits,
        sandbox: confinement.sandbox || *own_tree != reached.own_tree || *home != reached.home,
        program: *interpreter != then.interpreter
            || is_other(version.as_ref(), then.version.as_ref())
            || python.as_ref().map(|python| &python.path) != may.python.as_ref().map(|python| &python.path)
            || is_other(version_of(python.as_ref()), version_of(may.python.as_ref())),
        terminal: *terminal != may.terminal,
        start: *cwd != then.cwd || is_other_kernel(*kernel, then.kernel),
    }
}

/// Compares everything that the sandboxes confine.
fn compare_sandboxes(then: &SandboxReport, now: &SandboxReport) -> RightsChange {
    let SandboxReport {
        level,
        network_blocked,
        writes_confined,
        reads_confined,
        contained,
        memory,
        processes,
        files,
        layers,
        notes,
    } = now;
    RightsChange {
        read: *reads_confined != then.reads_confined,
        write: *writes_confined != then.writes_confined,
        network: *network_blocked != then.network_blocked,
        limits: (*memory, *processes, *files) != (then.memory, then.processes, then.files),
        sandbox: *level != then.level
            || *contained != then.contained
            || *layers != then.layers
            || *notes != then.notes,
        ..RightsChange::default()
    }
}

fn version_of(python: Option<&ProjectPython>) -> Option<&String> {
    python.and_then(|python| python.version.as_ref())
}

/// Whether a version differs. It is no change when a version becomes known while the first block waits or runs, or when
/// it is given with more or fewer digits (`3.11` from the path, `3.11.2` from the program).
fn is_other(now: Option<&String>, then: Option<&String>) -> bool {
    let goes_on = |long: &str, short: &str| {
        long.strip_prefix(short).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    then.is_some_and(|then| now.is_none_or(|now| !goes_on(now, then) && !goes_on(then, now)))
}

/// Whether a block gets another kernel than was shown. It is no change that the first block started one.
fn is_other_kernel(now: Option<KernelRef>, then: Option<KernelRef>) -> bool {
    let Some(then) = then else { return now.is_some_and(|kernel| kernel.keeps_running) };
    now.is_none_or(|now| (now.generation, now.keeps_running) != (then.generation, then.keeps_running))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Language, Reachability, ReachablePath, samples};

    fn terms() -> Terms {
        Terms { version: Some("3.12".into()), kernel: None, ..samples::terms() }
    }

    fn change(of: impl FnOnce(&mut Terms, &mut Reach)) -> Option<RightsChange> {
        let mut seen = SeenRights::default();
        seen.note(&terms(), &Reach::default());
        let (mut now, mut reach) = (terms(), Reach::default());
        of(&mut now, &mut reach);
        seen.change(&now, &reach)
    }

    #[test]
    fn what_was_never_seen_is_not_as_before() {
        assert_eq!(SeenRights::default().change(&terms(), &Reach::default()), None);
        assert_eq!(change(|terms, _| terms.language = Language::bash()), None);
        assert_eq!(change(|terms, _| terms.executor = ExecutorKind::Subprocess), None);
        assert_eq!(change(|_, _| {}), Some(RightsChange::default()));
    }

    #[test]
    fn each_right_that_changed_is_told() {
        type Change = fn(&mut Terms, &mut Reach);
        type Test = fn(RightsChange) -> bool;
        let parts: [(Change, Test); 13] = [
            (|t, _| t.rights.read.push("/a".into()), |c| c.read),
            (|_, r| r.places.push(ReachablePath::closed("/a")), |c| c.read && c.write),
            (|_, r| r.read = Reachability::Yes, |c| c.read),
            (|t, _| t.rights.write.push("/a".into()), |c| c.write),
            (|t, _| t.rights.network = true, |c| c.network),
            (|t, _| t.rights.sandbox.network_blocked = true, |c| c.network),
            (|t, _| t.rights.environment.push("A".into()), |c| c.secrets),
            (|t, _| t.limits.wall_ms += 1, |c| c.limits),
            (|t, _| t.rights.sandbox.notes.push("open".into()), |c| c.sandbox),
            (|t, _| t.rights.sandbox.contained = true, |c| c.sandbox),
            (|t, _| t.interpreter = "/opt/python3".into(), |c| c.program),
            (|t, _| t.version = Some("3.13".into()), |c| c.program),
            (
                |t, _| {
                    t.rights.python = Some(ProjectPython { path: "/v".into(), version: None, wanted: None });
                },
                |c| c.program,
            ),
        ];
        for (number, (make, told)) in parts.into_iter().enumerate() {
            let found = change(make);
            assert!(found.is_some_and(|c| told(c) && c.of_rights()), "{number}: {found:?}");
        }
    }

    #[test]
    fn a_version_that_was_not_known_yet_is_no_change() {
        let (mut then, reach) = (terms(), Reach::default());
        then.version = None;
        then.rights.python = Some(ProjectPython { path: "/v".into(), version: None, wanted: None });
        let mut seen = SeenRights::default();
        seen.note(&then, &reach);
        let mut now = terms();
        now.rights.python =
            Some(ProjectPython { path: "/v".into(), version: Some("3.12".into()), wanted: None });
        assert_eq!(seen.change(&now, &reach), Some(RightsChange::default()));
        seen.note(&now, &reach);
        assert!(seen.change(&then, &reach).is_some_and(|change| change.program));
    }

    #[test]
    fn a_version_in_more_or_fewer_words_is_no_change() {
        let other = |now: &str, then: &str| is_other(Some(&now.to_owned()), Some(&then.to_owned()));
        for (one, same) in [("3.11", "3.11.2"), ("3.13.0rc1", "3.13.0"), ("3.12.4", "3.12.4")] {
            assert!(!other(one, same) && !other(same, one), "{one} {same}");
        }
        for (one, else_) in [("3.1", "3.11"), ("3.11.2", "3.11.20"), ("3.11.2", "3.11.3"), ("3.11", "3.12")] {
            assert!(other(one, else_) && other(else_, one), "{one} {else_}");
        }
    }

    #[test]
    fn where_it_starts_is_no_right() {
        let found = change(|terms, _| terms.cwd = "/work/sub".into());
        assert_eq!(found, Some(RightsChange { start: true, ..RightsChange::default() }));
        let first = KernelRef { generation: 1, variables: 3, keeps_running: false };
        assert_eq!(change(|terms, _| terms.kernel = Some(first)), Some(RightsChange::default()));
        assert!(is_other_kernel(None, Some(first)) && !is_other_kernel(Some(first), Some(first)));
        assert!(is_other_kernel(Some(KernelRef { generation: 2, ..first }), Some(first)));
    }
}
