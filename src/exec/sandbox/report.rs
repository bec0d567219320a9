//! Turns the result of the self-test into the report of the sandbox. Pure.

use super::layers::ActiveLayers;
use super::policy::{CoveredSockets, SandboxPolicy};
use super::selftest::{SelfTestResult, process_namespace};
use crate::domain::sentences::sandbox as sentences;
use crate::domain::{Enforcement, Layer, Limits, SandboxLevel, SandboxReport};

#[derive(Clone, Debug, Default)]
pub(super) struct LayerSurvey {
    missing: Vec<(&'static str, String)>,
    notes: Vec<String>,
}

/// The helper sets the limits of each process, right before it becomes the program.
const FILE_LIMITS: Enforcement =
    if cfg!(target_os = "linux") { Enforcement::Enforced } else { Enforcement::None };

/// What is enforced without any layer.
pub(super) fn without() -> SandboxReport {
    SandboxReport {
        memory: Enforcement::Watched,
        processes: Enforcement::Watched,
        files: FILE_LIMITS,
        ..SandboxReport::default()
    }
}

const LAYERS: [&str; 3] = ["bwrap", "landlock", "seccomp"];

impl LayerSurvey {
    pub(super) fn new(notes: Vec<String>) -> Self {
        Self { missing: Vec::new(), notes }
    }

    /// Notes a layer that is not available.
    pub(super) fn missing(&mut self, layer: &'static str, why: String) {
        self.missing.push((layer, why));
    }

    /// Drops the layer that could not be entered, according to the error.
    pub(super) fn drop_layer(&mut self, using: &mut ActiveLayers, why: String) {
        if why.contains("landlock:") && using.landlock {
            using.landlock = false;
            self.missing("landlock", why);
        } else if why.contains("seccomp:") && using.seccomp {
            using.seccomp = false;
            self.missing("seccomp", why);
        } else if using.bwrap.take().is_some() {
            self.missing("bwrap", why);
        } else {
            using.landlock = false;
            self.missing("landlock", why);
        }
    }

    /// The report if nothing can be enforced.
    pub(super) fn nothing_enforced(mut self) -> SandboxReport {
        // Inserted first, because `layer` uses the last reason: one that is already known wins.
        self.missing.insert(0, ("seccomp", sentences::SECCOMP_ALONE.into()));
        let layers = LAYERS.iter().map(|name| self.layer(name, false, None)).collect();
        SandboxReport { level: SandboxLevel::Off, layers, notes: self.notes, ..without() }
    }

    /// The report for these layers, from what the test saw.
    pub(super) fn report(
        mut self,
        using: &ActiveLayers,
        policy: &SandboxPolicy,
        seen: &SelfTestResult,
        limits: &Limits,
    ) -> SandboxReport {
        let apart = !seen.processes.is_empty() && seen.processes != process_namespace();
        let (writes, reads) = (!seen.wrote, !seen.read);
        let network = !policy.network && !seen.connected;
        let alone = using.bwrap.is_none();
        self.notes.extend(note_on_sockets(using, policy).map(String::from));
        let mut layers = Vec::new();
        if let Some(bwrap) = &using.bwrap {
            let broken = broken_facts(&[
                (seen.wrote, "a file outside was written"),
                (seen.read, "a file outside was read"),
                (seen.signalled, "a process outside was signalled"),
                (!apart, "its processes are not apart"),
            ]);
            layers.push(self.layer("bwrap", true, broken));
            if !bwrap.no_nesting && !using.seccomp {
                self.notes.push("this bubblewrap can't forbid namespaces inside of its own".into());
            }
        } else {
            layers.push(self.layer("bwrap", false, None));
        }
        let leaks = (alone && (seen.wrote || seen.read)) || seen.littered;
        let landlock = broken_facts(&[(leaks, "what it closes was open")]);
        layers.push(self.layer("landlock", using.landlock, landlock));
        let seccomp = broken_facts(&[(!seen.filtered, crate::domain::sentences::sandbox::CALL_WENT_THROUGH)]);
        layers.push(self.layer("seccomp", using.seccomp, seccomp));
        let limited = limits.open_files == 0 || seen.open_files <= u64::from(limits.open_files);
        layers.push(self.layer(
            "limits",
            true,
            broken_facts(&[(!limited, "the limit on open files was not set")]),
        ));
        if alone {
            self.notes_without_bwrap(using, seen);
        }
        let root = rustix::process::geteuid().is_root();
        if root && limits.processes > 0 {
            self.notes.push(OF_ROOT.into());
        }
        SandboxReport {
            // If files outside can be read or written, there is no sandbox, whatever layers are in use.
            level: if writes && reads { policy.level } else { SandboxLevel::Off },
            network_blocked: network,
            writes_confined: writes,
            reads_confined: reads,
            contained: apart && !seen.signalled,
            memory: Enforcement::Watched,
            // Without a namespace, the person's other processes would count too.
            processes: if alone || root { Enforcement::Watched } else { Enforcement::Enforced },
            files: FILE_LIMITS,
            layers,
            notes: self.notes,
        }
    }

    fn notes_without_bwrap(&mut self, using: &ActiveLayers, seen: &SelfTestResult) {
        let mut note = |text: &str| self.notes.push(text.into());
        note(
            "without bwrap: a process that leaves its group is looked for and ended; one that is missed lives on",
        );
        note("without bwrap: protected names such as .git/hooks can be changed in the working folder");
        note(sentences::SHARED_MEMORY);
        note(sentences::TIMES_OPEN);
        if seen.signalled {
            note("without bwrap: your other processes can be signalled");
        }
        if !using.seccomp {
            note(crate::domain::sentences::network::TCP_ONLY);
            note(sentences::CALLS_OPEN);
        }
    }

    fn layer(&self, name: &str, active: bool, broken: Option<String>) -> Layer {
        let missing = self.missing.iter().rev().find(|(layer, _)| *layer == name).map(|(_, why)| why.clone());
        let tested = active && broken.is_none();
        Layer { name: name.into(), active, tested, why: if active { broken } else { missing } }
    }
}

/// Which Unix sockets in the folders of runs can be reached although there is a separate file system. Without it,
/// seccomp refuses all of them, or another note says that nothing does.
fn note_on_sockets(using: &ActiveLayers, policy: &SandboxPolicy) -> Option<&'static str> {
    using.bwrap.as_ref()?;
    let are_allowed = using.syscall_rules(policy).is_none_or(|calls| calls.unix);
    match (policy.sockets, are_allowed) {
        (CoveredSockets::None, true) => Some(sentences::OPEN_SOCKETS),
        (CoveredSockets::None, false) => Some(sentences::NO_SOCKETS),
        (CoveredSockets::All, true) => Some(sentences::LATER_SOCKETS),
        (CoveredSockets::First, true) => Some(sentences::MORE_SOCKETS),
        (CoveredSockets::All | CoveredSockets::First, false) => None,
    }
}

/// The failed checks in words; `None` if there is none.
fn broken_facts(facts: &[(bool, &str)]) -> Option<String> {
    let words: Vec<&str> = facts.iter().filter(|(is, _)| *is).map(|(_, words)| *words).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// Noted because the system does not enforce the limit on processes for root.
const OF_ROOT: &str = "for root the number of processes is watched, not enforced";

impl SandboxReport {
    /// Adds the layer of the control group. If there is one, it enforces the limits on memory and processes. Code that
    /// can write outside could also write to the files of the group and leave it; then the limits count as watched
    /// only.
    pub(super) fn add_group_layer(&mut self, layer: Layer) {
        if layer.active && self.writes_confined && self.level != SandboxLevel::Off {
            (self.memory, self.processes) = (Enforcement::Enforced, Enforcement::Enforced);
            self.notes.retain(|note| note != OF_ROOT);
        }
        self.layers.push(layer);
    }

    /// Why nothing is enforced, in one line.
    pub(crate) fn why_off(&self) -> String {
        let whys =
            self.layers.iter().filter_map(|layer| Some(format!("{}: {}", layer.name, layer.why.as_ref()?)));
        whys.collect::<Vec<_>>().join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::super::policy::tests::sample;
    use super::super::reach::tests::layered;
    use super::*;

    fn closed() -> SelfTestResult {
        SelfTestResult {
            wrote: false,
            read: false,
            connected: false,
            signalled: false,
            signalled_own: false,
            littered: false,
            filtered: true,
            processes: "pid:[1]".into(),
            open_files: 1024,
        }
    }

    fn told(using: &ActiveLayers, seen: &SelfTestResult) -> SandboxReport {
        let policy = sample(SandboxLevel::Workspace);
        LayerSurvey::new(Vec::new()).report(using, &policy, seen, &Limits::default())
    }

    #[test]
    fn all_layers_hold() {
        let report = told(&layered(), &closed());
        assert_eq!(report.level, SandboxLevel::Workspace);
        assert!(report.network_blocked && report.contained);
        assert!(report.writes_confined && report.reads_confined);
        assert!(report.layers.iter().all(|layer| layer.active && layer.tested), "{report:#?}");
        assert_eq!(report.holding(), "bwrap+landlock+seccomp+limits");
    }

    #[test]
    fn what_was_seen_open_is_never_called_closed() {
        type Open = fn(&mut SelfTestResult);
        type Check = fn(&SandboxReport) -> bool;
        let cases: [(Open, Check); 6] = [
            (|seen| seen.wrote = true, |r| !r.writes_confined && r.level == SandboxLevel::Off),
            (|seen| seen.read = true, |r| !r.reads_confined && r.level == SandboxLevel::Off),
            (|seen| seen.connected = true, |r| !r.network_blocked),
            (|seen| seen.signalled = true, |r| !r.contained),
            (|seen| seen.processes = process_namespace(), |r| !r.contained),
            (|seen| seen.filtered = false, |r| r.layers.iter().any(|l| l.name == "seccomp" && !l.tested)),
        ];
        for (open, check) in cases {
            let mut seen = closed();
            open(&mut seen);
            let report = told(&layered(), &seen);
            assert!(check(&report), "{seen:?}\n{report:#?}");
            assert!(report.layers.iter().any(|layer| !layer.tested) || seen.connected, "{report:#?}");
        }
    }

    #[test]
    fn without_the_outer_layer_it_says_what_is_open() {
        let alone = ActiveLayers { bwrap: None, ..layered() };
        let seen = SelfTestResult { processes: process_namespace(), ..closed() };
        let report = told(&alone, &seen);
        assert_eq!((report.level, report.contained), (SandboxLevel::Workspace, false));
        assert!(report.notes.iter().any(|note| note.contains("lives on")), "{:?}", report.notes);
        // Multiprocessing of Python needs it, so it stays open, and then it is told.
        let rules = sample(SandboxLevel::Workspace).file_rules_alone();
        let told = report.notes.iter().any(|note| note.contains("/dev/shm"));
        assert_eq!(told, rules.write.contains(&"/dev/shm".into()));
        assert!(!super::tests::told(&layered(), &seen).notes.iter().any(|note| note.contains("/dev/shm")));
    }

    #[test]
    fn what_is_said_about_unix_sockets_is_what_the_layers_do() {
        let said = |using: &ActiveLayers, sockets: CoveredSockets| -> Vec<String> {
            let policy = SandboxPolicy { sockets, ..sample(SandboxLevel::Workspace) };
            let report = LayerSurvey::new(Vec::new()).report(using, &policy, &closed(), &Limits::default());
            report.notes.into_iter().filter(|note| note.contains("Unix socket")).collect()
        };
        let unfiltered = ActiveLayers { seccomp: false, ..layered() };
        let cases = [
            (CoveredSockets::All, sentences::LATER_SOCKETS, sentences::LATER_SOCKETS),
            (CoveredSockets::First, sentences::MORE_SOCKETS, sentences::MORE_SOCKETS),
            (CoveredSockets::None, sentences::NO_SOCKETS, sentences::OPEN_SOCKETS),
        ];
        for (sockets, filtered, open) in cases {
            assert_eq!(said(&layered(), sockets), [filtered]);
            assert_eq!(said(&unfiltered, sockets), [open]);
            let alone = ActiveLayers { bwrap: None, ..layered() };
            assert!(said(&alone, sockets).is_empty(), "all are refused");
            let alone = ActiveLayers { seccomp: false, ..alone };
            assert_eq!(said(&alone, sockets), [sentences::CALLS_OPEN]);
        }
    }

    #[test]
    fn a_control_group_holds_only_what_can_not_reach_its_files() {
        let group = || Layer { name: "cgroup".into(), active: true, tested: false, why: None };
        let held = |mut report: SandboxReport, layer: Layer| {
            report.add_group_layer(layer);
            (report.memory, report.processes)
        };
        assert_eq!(
            held(told(&layered(), &closed()), group()),
            (Enforcement::Enforced, Enforcement::Enforced)
        );
        assert_eq!(held(without(), group()), (Enforcement::Watched, Enforcement::Watched));
        let open = told(&layered(), &SelfTestResult { wrote: true, ..closed() });
        assert_eq!(held(open, group()).0, Enforcement::Watched);
        let expected = Enforcement::Watched;
        assert_eq!(held(told(&layered(), &closed()), Layer { active: false, ..group() }).0, expected);
    }
}
