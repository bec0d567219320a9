//! Reads the runs of a session in their order, each with the bytes approved for it and its result: a replay repeats
//! them and compares the results.
//!
//! It decides nothing: an approval recorded in a session lets nothing run. Repeating a run takes a new decision
//! ([`super::command_line_runs`]) and new terms.

use super::transcript::{BlockItem, RunItem, Transcript};
use crate::domain::{
    BlockId, BlockKind, Entry, ExecutorKind, Grantor, InstallInto, Language, Limits, OnDisk, Outcome,
    PackageList, Receipt, RunId, RunReport, SandboxLevel, Sha256, Terms, Timestamp,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

/// All runs of a session.
#[derive(Debug, Default)]
pub(crate) struct RecordedRuns {
    /// The runs by the periods in which the session was open: each begins with new kernels and shells.
    pub(crate) periods: Vec<RecordedPeriod>,
    /// Blocks whose changes were undone or redone: that is not repeated.
    pub(crate) taken_back: BTreeSet<BlockId>,
    /// Files that a run changed and that existed before.
    pub(crate) changed: BTreeSet<String>,
    /// For each of those, the undo record of the first run that changed it, if there is one: it has the file's content
    /// before that run.
    pub(crate) earlier: BTreeMap<String, Sha256>,
    /// Files that a run created.
    pub(crate) made: BTreeSet<String>,
}

/// The runs of one period in which the session was open.
#[derive(Debug, Default)]
pub(crate) struct RecordedPeriod {
    pub(crate) steps: Vec<RecordedStep>,
}

/// A run, or why it is not repeated.
#[derive(Debug)]
pub(crate) struct RecordedStep {
    pub(crate) run: RunId,
    pub(crate) block: BlockId,
    /// The label of the block.
    pub(crate) what: String,
    /// The first line of its text.
    pub(crate) first_line: String,
    /// Files that it reads, as far as its review knows.
    pub(crate) reads: Vec<String>,
    pub(crate) repeats: Result<Box<RecordedRun>, NotRepeated>,
}

impl RecordedStep {
    /// The executor that ran its code; `None` if it is not repeated or was not code.
    pub(crate) fn ran_on(&self) -> Option<ExecutorKind> {
        let run = self.repeats.as_ref().ok()?;
        Some(run.terms.executor).filter(|executor| executor.runs_code())
    }
}

/// A run that can be repeated.
#[derive(Clone, Debug)]
pub(crate) struct RecordedRun {
    pub(crate) bytes: RecordedBlock,
    /// The terms it ran under.
    pub(crate) terms: Terms,
    /// When it was approved, and when it ended.
    pub(crate) time: (Timestamp, Timestamp),
    pub(crate) report: Box<RunReport>,
}

/// The bytes that were approved for a run, and what they were approved as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedBlock {
    /// Its name in error messages.
    pub(crate) label: String,
    pub(crate) kind: BlockKind,
    pub(crate) language: Language,
    pub(crate) source: Arc<str>,
    /// For an edit: its text as proposed, and what its files were.
    pub(crate) edit: Option<RecordedEdit>,
    pub(crate) limits: Limits,
    /// Whether it ran in an empty kernel.
    pub(crate) new_kernel: bool,
}

/// The edit from which a run's text was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecordedEdit {
    pub(crate) written: Arc<str>,
    /// What each file was before the edit, in their order.
    pub(crate) bases: Vec<OnDisk>,
}

/// Why a run is not repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotRepeated {
    #[error("packages and images are not fetched again")]
    Fetched,
    #[error("it went into the project, where nothing is written")]
    IntoProject,
    #[error("how it ended is not known")]
    Lost,
    #[error("it was stopped by hand")]
    Interrupted,
    /// A key in it was masked when it was saved.
    #[error("its text in the session is not the one that was approved: a key in it is masked")]
    Masked,
    #[error("it had a terminal, and what was typed into it is recorded nowhere")]
    Terminal,
}

impl NotRepeated {
    /// Whether the other runs can be compared just as well without this one.
    pub(crate) fn is_harmless(self) -> bool {
        // What a run did that was LOST or stopped is not known, so what came after it can't be compared.
        self == NotRepeated::Fetched
    }
}

/// What every run of a session was allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AllowedThen {
    pub(crate) network: bool,
    /// The strictest sandbox level; `None`: no run was confined.
    pub(crate) level: Option<SandboxLevel>,
    /// Folders that all confined runs could read; `None`: no run was confined.
    pub(crate) read: Option<BTreeSet<PathBuf>>,
    /// Environment variables that every run got.
    pub(crate) environment: BTreeSet<String>,
}

impl RecordedRuns {
    /// The runs in these entries. `installs`: whether installations of packages are repeated too.
    pub(crate) fn of(entries: &[(Timestamp, Entry)], installs: bool) -> Self {
        let transcript = Transcript::fold(entries.iter().cloned());
        let mut all = Self { periods: vec![RecordedPeriod::default()], ..Self::default() };
        let mut kernels = KernelsBefore::default();
        for (_, entry) in entries {
            match entry {
                Entry::Resumed => {
                    all.periods.push(RecordedPeriod::default());
                    kernels = KernelsBefore::default();
                }
                Entry::KernelRestarted => kernels.restart(),
                Entry::Undone { block, .. } => {
                    all.taken_back.insert(*block);
                }
                Entry::Approved { run, .. } => {
                    let Some((item, run)) = transcript.run(*run) else { continue };
                    let new_kernel = kernels.is_another_for(&run.terms);
                    let step = step(item, run, new_kernel, installs);
                    if let Some(period) = all.periods.last_mut() {
                        period.steps.extend(step);
                    }
                }
                Entry::Ran { report, .. } => all.note_files(&report.receipt),
                _ => {}
            }
        }
        all.periods.retain(|period| !period.steps.is_empty());
        all
    }

    /// Notes the files in a receipt: at its first mention a file was either created by the run or existed before.
    fn note_files(&mut self, receipt: &Receipt) {
        let record = receipt.undo.as_ref().and_then(|note| note.record);
        for file in &receipt.files {
            if self.made.contains(&file.path) {
                continue;
            }
            match file.change.as_str() {
                "created" if !self.changed.contains(&file.path) => self.made.insert(file.path.clone()),
                _ => {
                    let is_first = self.changed.insert(file.path.clone());
                    self.earlier
                        .extend(record.filter(|_| is_first).map(|record| (file.path.clone(), record)));
                    is_first
                }
            };
        }
    }

    /// What every run of code was allowed.
    pub(crate) fn allowed(&self) -> AllowedThen {
        let mut all = AllowedThen::default();
        let runs = self.periods.iter().flat_map(RecordedPeriod::runs);
        let programs = runs.filter(|run| run.terms.executor.runs_code());
        for (at, rights) in programs.map(|run| &run.terms.rights).enumerate() {
            let environment = rights.environment.iter().cloned().collect();
            all.environment = if at == 0 { environment } else { &all.environment & &environment };
            let level = rights.sandbox.level;
            // A run without a sandbox had access to the network, too.
            all.network = (at == 0 || all.network) && (rights.network || level == SandboxLevel::Off);
            if level == SandboxLevel::Off {
                continue;
            }
            all.level = match all.level {
                Some(SandboxLevel::ReadOnly) => Some(SandboxLevel::ReadOnly),
                _ => Some(level),
            };
            let read = rights.read.iter().chain(&rights.write).cloned().collect();
            all.read = Some(all.read.map_or_else(|| BTreeSet::clone(&read), |all| &all & &read));
        }
        all
    }

    /// Whether one of the runs to be repeated installs packages.
    pub(crate) fn installs(&self) -> bool {
        let mut runs = self.periods.iter().flat_map(RecordedPeriod::runs);
        runs.any(|run| matches!(run.bytes.kind, BlockKind::Install { .. }))
    }

    pub(crate) fn steps(&self) -> impl Iterator<Item = &RecordedStep> {
        self.periods.iter().flat_map(|period| &period.steps)
    }
}

impl RecordedPeriod {
    /// The runs to be repeated.
    pub(crate) fn runs(&self) -> impl Iterator<Item = &RecordedRun> {
        self.steps.iter().filter_map(|step| step.repeats.as_deref().ok())
    }
}

/// The newest kernel of each language: its generation, or `None` if the person restarted it.
#[derive(Debug, Default)]
struct KernelsBefore(BTreeMap<Language, Option<u32>>);

impl KernelsBefore {
    /// The person restarted all kernels.
    fn restart(&mut self) {
        self.0.values_mut().for_each(|generation| *generation = None);
    }

    /// Notes the kernel of a run with these terms; returns whether the run before it in this language had another
    /// kernel.
    fn is_another_for(&mut self, terms: &Terms) -> bool {
        let Some(kernel) = terms.kernel else { return false };
        let before = self.0.insert(terms.language.clone(), Some(kernel.generation));
        before.is_some_and(|before| before != Some(kernel.generation))
    }
}

/// A run of a block; `None` if its code never ran.
fn step(item: &BlockItem, run: &RunItem, new_kernel: bool, installs: bool) -> Option<RecordedStep> {
    let (ended, report) = run.ended.as_ref().map(|(at, report)| (*at, report.clone())).unzip();
    if let Some(report) = &report
        && matches!(report.outcome, Outcome::Refused(_) | Outcome::NotStarted(_))
    {
        return None;
    }
    let version = item.block.version(run.revision)?;
    let of_project = || {
        let list = PackageList::parse(run.terms.language.as_str(), &version.source);
        list.is_ok_and(|list| list.into != InstallInto::Session)
    };
    let repeats = match (&item.block.kind, ended.zip(report)) {
        (BlockKind::Pull { .. }, _) => Err(NotRepeated::Fetched),
        (BlockKind::Install { .. }, _) if !installs => Err(NotRepeated::Fetched),
        (BlockKind::Install { .. }, _) if of_project() => Err(NotRepeated::IntoProject),
        (_, None) => Err(NotRepeated::Lost),
        (_, Some((_, report))) if report.outcome == Outcome::Interrupted => Err(NotRepeated::Interrupted),
        _ if Sha256::of(version.source.as_bytes()) != run.sha256 => Err(NotRepeated::Masked),
        _ if run.terms.rights.terminal => Err(NotRepeated::Terminal),
        (kind, Some((ended, report))) => Ok(Box::new(RecordedRun {
            bytes: RecordedBlock {
                label: label(item, run),
                kind: kind.clone(),
                language: version.language.clone().unwrap_or_else(|| run.terms.language.clone()),
                source: version.source.clone(),
                edit: edit(item, run),
                limits: run.terms.limits,
                new_kernel,
            },
            terms: (*run.terms).clone(),
            time: (run.approved_at, ended),
            report,
        })),
    };
    let first_line = version.source.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    Some(RecordedStep {
        run: run.run,
        block: item.block.id,
        what: item.block.label(),
        first_line: first_line.trim().to_owned(),
        reads: reads(item, run),
        repeats,
    })
}

/// The files that a run needs: those that its text reads, and the files of an edit.
fn reads(item: &BlockItem, run: &RunItem) -> Vec<String> {
    let review = item.review.as_ref().filter(|(of, _)| *of == run.revision);
    let mut reads = review.map(|(_, review)| review.effects.reads.clone()).unwrap_or_default();
    if let (BlockKind::Edit { paths }, Some(edit)) = (&item.block.kind, edit(item, run)) {
        let there = paths.iter().zip(&edit.bases).filter(|(_, base)| **base != OnDisk::Nothing);
        reads.extend(there.map(|(path, _)| path.clone()));
    }
    reads
}

/// The name of a run's text in error messages.
fn label(item: &BlockItem, run: &RunItem) -> String {
    let of_file = || item.block.origin.note.clone().filter(|path| path != "-");
    let named = run.by == Grantor::CommandLine && item.block.is_own() && item.block.kind.is_code();
    named.then(of_file).flatten().unwrap_or_else(|| format!("block {}", item.block.id))
}

fn edit(item: &BlockItem, run: &RunItem) -> Option<RecordedEdit> {
    let placed = item.block.placed.iter().rfind(|placed| placed.revision <= run.revision)?;
    let written = item.block.versions.first()?.source.clone();
    Some(RecordedEdit { written, bases: placed.bases.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::samples::{self, in_kernel};
    use crate::domain::{Block, Origin, Revision, Rights, SandboxReport};
    use crate::engine::dialogue::{confined, report, terms};

    /// A session as its file has it.
    #[derive(Default)]
    struct RecordedSession {
        entries: Vec<(Timestamp, Entry)>,
        run: u32,
    }

    impl RecordedSession {
        fn add(&mut self, entry: Entry) -> &mut Self {
            self.entries.push((Timestamp(self.entries.len() as i64), entry));
            self
        }

        fn block(&mut self, id: u32, source: &str) -> &mut Self {
            self.block_of(id, BlockKind::Code { language: Some(Language::python()) }, source)
        }

        fn block_of(&mut self, id: u32, kind: BlockKind, source: &str) -> &mut Self {
            let block = samples::block(id, kind, source);
            self.add(Entry::Block(Block { origin: Origin::own("tests/a.py"), ..block }))
        }

        fn approved(&mut self, block: u32, source: &str, terms: Terms, by: Grantor) -> &mut Self {
            self.run += 1;
            self.add(samples::approved(self.run, (block, 1), source, terms, by))
        }

        fn ran(&mut self, block: u32, outcome: Outcome) -> &mut Self {
            self.add(samples::ran(self.run, block, report(outcome)))
        }

        /// Adds a block with this text that the person approved and that ran.
        fn runs(&mut self, block: u32, source: &str, terms: Terms) -> &mut Self {
            self.approved(block, source, terms, Grantor::Person { typed: false }).ran(block, Outcome::Ok)
        }

        fn runs_told(&self) -> Vec<String> {
            let step = |step: &RecordedStep| match &step.repeats {
                Ok(run) => format!(
                    "{} {}{}",
                    step.run.0,
                    run.bytes.label,
                    if run.bytes.new_kernel { " fresh" } else { "" }
                ),
                Err(why) => format!("{} {why:?}", step.run.0),
            };
            let runs = RecordedRuns::of(&self.entries, false);
            runs.periods.iter().map(|one| one.steps.iter().map(step).collect::<Vec<_>>().join(", ")).collect()
        }
    }

    #[test]
    fn runs_are_told_by_periods_and_kernels() {
        let mut told = RecordedSession::default();
        told.block(1, "x = 1").block(2, "x").runs(1, "x = 1", in_kernel(1)).runs(2, "x", in_kernel(1));
        told.add(Entry::KernelRestarted).runs(2, "x", in_kernel(2)).runs(1, "x = 1", in_kernel(2));
        told.add(Entry::Resumed).add(Entry::Resumed).runs(1, "x = 1", in_kernel(1)).runs(
            2,
            "x",
            in_kernel(3),
        );
        assert_eq!(
            told.runs_told(),
            ["1 block 1, 2 block 2, 3 block 2 fresh, 4 block 1", "5 block 1, 6 block 2 fresh"]
        );
    }

    #[test]
    fn what_has_no_end_of_its_own_or_other_bytes_is_not_repeated() {
        let mut told = RecordedSession::default();
        let by = Grantor::Person { typed: false };
        told.block(1, "a").approved(1, "a", terms(), by).ran(1, Outcome::Interrupted);
        told.approved(1, "a", terms(), by).ran(1, Outcome::Refused("changed".into()));
        let in_terminal = Terms { rights: Rights { terminal: true, ..Rights::default() }.into(), ..terms() };
        told.runs(1, "a", in_terminal).runs(1, "print('a key')", terms());
        told.block_of(2, BlockKind::Install { wanted_by: None }, "six").runs(2, "six", terms());
        told.approved(1, "a", terms(), by);
        assert_eq!(told.runs_told(), ["1 Interrupted, 3 Terminal, 4 Masked, 5 Fetched, 6 Lost"]);
        let installs = RecordedRuns::of(&told.entries, true);
        assert_eq!(installs.steps().filter(|step| step.repeats.is_ok()).count(), 1);
        told.block_of(3, BlockKind::Install { wanted_by: None }, "into: .venv\nsix");
        told.runs(3, "into: .venv\nsix", terms());
        let installs = RecordedRuns::of(&told.entries, true);
        assert_eq!(installs.steps().last().unwrap().repeats.as_ref().unwrap_err(), &NotRepeated::IntoProject);
        assert!(NotRepeated::Fetched.is_harmless());
        assert!(
            ![NotRepeated::Masked, NotRepeated::Lost, NotRepeated::Interrupted]
                .into_iter()
                .any(NotRepeated::is_harmless)
        );
    }

    #[test]
    fn an_approval_that_no_line_tells_of_is_made_up_by_nobody() {
        let mut told = RecordedSession::default();
        told.block(1, "a").ran(1, Outcome::Ok);
        assert_eq!(told.runs_told(), Vec::<String>::new());
    }

    #[test]
    fn what_was_named_is_called_by_its_name() {
        let mut told = RecordedSession::default();
        told.block(1, "a").approved(1, "a", terms(), Grantor::CommandLine).ran(1, Outcome::Ok);
        assert_eq!(told.runs_told(), ["1 tests/a.py"]);
    }

    #[test]
    fn an_edit_is_told_with_what_it_was_made_from() {
        let mut told = RecordedSession::default();
        let bases = vec![OnDisk::File(Some(Sha256::of(b"x = 1\n")))];
        told.block_of(1, BlockKind::Edit { paths: vec!["a.py".into()] }, "the edit");
        let placed = |told: &mut RecordedSession, revision, bases: &[OnDisk]| {
            told.add(Entry::Placed {
                block: BlockId(1),
                revision: Revision(revision),
                source: "x = 2\n".into(),
                bases: bases.to_vec(),
                note: String::new(),
                whole: true,
            });
        };
        placed(&mut told, 2, &[OnDisk::Nothing]);
        placed(&mut told, 3, &bases);
        told.add(samples::approved(1, (1, 3), "x = 2\n", terms(), samples::BY_PERSON));
        placed(&mut told, 4, &[OnDisk::Folder]);
        told.run = 1;
        told.ran(1, Outcome::Ok);
        let runs = RecordedRuns::of(&told.entries, false);
        let bytes = &runs.periods[0].runs().next().unwrap().bytes;
        assert_eq!(
            (&*bytes.source, bytes.edit.as_ref().unwrap()),
            ("x = 2\n", &RecordedEdit { written: "the edit".into(), bases })
        );
    }

    #[test]
    fn a_session_is_allowed_what_all_of_its_runs_were() {
        let rights = |network, read: &[&str], level| Rights {
            network,
            read: read.iter().map(PathBuf::from).collect(),
            environment: vec!["PATH".into(), read[0].into()],
            sandbox: SandboxReport { level, ..SandboxReport::default() },
            ..(*confined().rights).clone()
        };
        let with =
            |network, read: &[&str], level| Terms { rights: rights(network, read, level).into(), ..terms() };
        let mut told = RecordedSession::default();
        told.block(1, "a").runs(1, "a", with(true, &["/a", "/b"], SandboxLevel::Workspace));
        let allowed = |told: &RecordedSession| RecordedRuns::of(&told.entries, false).allowed();
        assert_eq!((allowed(&told).network, allowed(&told).level), (true, Some(SandboxLevel::Workspace)));
        told.runs(1, "a", with(false, &["/b"], SandboxLevel::ReadOnly));
        told.add(Entry::Resumed).runs(1, "a", with(true, &["/c"], SandboxLevel::Off));
        assert!(!allowed(&RecordedSession::default()).network, "nothing ran");
        let all = allowed(&told);
        assert_eq!((all.network, all.level), (false, Some(SandboxLevel::ReadOnly)));
        assert_eq!(all.read, Some(["/b", "/work"].map(PathBuf::from).into()));
        assert_eq!(all.environment, ["PATH".to_owned()].into());
    }
}
