//! Runs what the person named on the command line: files (`sayso exec FILE…`), or the runs of a session (`sayso
//! sessions replay`). They become a turn of sayso's own blocks. Naming them is the decision about their bytes, once; no
//! model is asked, and nothing else is offered.

use super::approval::{Refusal, gate};
use super::recorded_runs::RecordedBlock;
use super::{Engine, Phase, notices};
use crate::domain::{BlockId, BlockKind, Entry, ExecutorKind, Grantor, Language, Limits, Revision, Terms};
use crate::text::line::one_line;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A file that was named, as it was when it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFile {
    /// Its path as it was named.
    pub(crate) path: String,
    /// The language of its text.
    pub(crate) language: Language,
    /// Its text: these bytes run.
    pub(crate) source: Arc<str>,
}

/// What is left to do of a turn that was named.
#[derive(Debug, Default)]
pub(super) struct NamedBlocks {
    /// The blocks that still have to be granted, each with the revision that was named.
    waiting: BTreeMap<BlockId, Revision>,
    /// Whether missing images are fetched too: the command line asked for it.
    fetch: bool,
}

impl NamedBlocks {
    /// A block was decided about: running it again takes another decision.
    pub(super) fn settled(&mut self, block: BlockId) {
        self.waiting.remove(&block);
    }
}

impl Engine {
    /// Begins a turn with these files; each becomes a block.
    pub(super) fn run_files(&mut self, files: Vec<NamedFile>, limits: Option<Limits>, fetch: bool) {
        if self.state.phase != Phase::Idle {
            return self.notify(notices::files_not_now());
        }
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        self.open_named(format!("sayso exec {}", paths.join(" ")));
        let mut waiting = BTreeMap::new();
        for NamedFile { path, language, source } in files {
            let kind = BlockKind::Code { language: Some(language.clone()) };
            let block = self.propose_own(kind, language, source, path);
            self.state.live.blocks.entry(block).or_default().limits = limits;
            waiting.insert(block, Revision(1));
        }
        self.turn.named = Some(NamedBlocks { waiting, fetch });
        self.advance();
    }

    /// Begins a turn with these recorded bytes; each becomes a block.
    pub(super) fn run_recorded(&mut self, blocks: Vec<RecordedBlock>) {
        if self.state.phase != Phase::Idle {
            return self.notify(notices::files_not_now());
        }
        self.open_named("sayso sessions replay".into());
        let mut waiting = BTreeMap::new();
        for RecordedBlock { label, kind, language, source, edit, limits, new_kernel } in blocks {
            let written = edit.as_ref().map_or_else(|| source.clone(), |edit| edit.written.clone());
            let block = self.propose_own(kind, language, written, label);
            let mut revision = Revision(1);
            if let Some(edit) = edit {
                // The text was computed from its files as they were; if they differ now, it will be placed again and
                // get another revision.
                revision = revision.next();
                let (bases, note) = (edit.bases, String::new());
                self.record(Entry::Placed { block, revision, source, bases, note, whole: true });
            }
            let live = self.state.live.blocks.entry(block).or_default();
            (live.limits, live.new_kernel) = (Some(limits), new_kernel);
            waiting.insert(block, revision);
        }
        self.turn.named = Some(NamedBlocks { waiting, fetch: false });
        self.advance();
    }

    fn open_named(&mut self, prompt: String) {
        self.open_turn();
        self.prompted(prompt.into());
    }

    /// Whether this block runs because it was named, without asking.
    pub(super) fn is_named(&self, block: BlockId) -> bool {
        self.turn.named.as_ref().is_some_and(|named| named.waiting.contains_key(&block))
    }

    /// The name of a block's text in its messages: the file it came from, if the person named one.
    pub(super) fn name_of(&self, block: BlockId) -> Option<String> {
        let block = &self.state.transcript.blocks.get(&block).filter(|_| self.is_named(block))?.block;
        // Standard input has no name.
        let path = block.origin.note.as_ref().filter(|path| block.kind.is_code() && *path != "-")?;
        // A path that starts with `-` would be taken for an option.
        Some(if path.starts_with('-') { format!("./{path}") } else { path.clone() })
    }

    /// Whether fetching an image that this block lacks may be offered.
    pub(super) fn offers_images(&self, block: BlockId) -> bool {
        !self.is_named(block) || self.turn.named.as_ref().is_some_and(|named| named.fetch)
    }

    /// What has to be fetched for a named block counts as named, too.
    pub(super) fn named_with(&mut self, block: BlockId, needed: BlockId) {
        if let Some(named) = self.turn.named.as_mut().filter(|named| named.waiting.contains_key(&block)) {
            named.waiting.insert(needed, Revision(1));
        }
    }

    /// Grants the block that waits if it was named and has not changed since. If it can't run, it is declined with the
    /// reason and the next one follows.
    pub(super) fn apply_named(&mut self) {
        let Phase::Deciding(block) = self.state.phase else { return };
        let Some(item) = self.state.transcript.blocks.get(&block) else { return };
        let Some(inspected) = self.state.inspected(block) else { return };
        let waiting = self.turn.named.as_ref().map(|named| &named.waiting);
        let Some(named) = waiting.and_then(|waiting| waiting.get(&block)).copied() else { return };
        let revision = item.block.current().revision;
        // An edit may have been placed in its files again because they changed.
        if revision != named && item.block.placed.len() < 2 {
            return;
        }
        let forbidden = inspected.review.findings.iter().find(|finding| finding.forbidden);
        let why = match gate(&self.state, block, revision, Grantor::CommandLine) {
            Ok(_) if revision != named => FILES_CHANGED_MESSAGE.into(),
            Ok(terms) if terms.executor == ExecutorKind::Files && leads_outside(terms) => {
                OUTSIDE_MESSAGE.into()
            }
            Ok(_) => return self.grant(block, revision, Grantor::CommandLine),
            // It is granted when writing works again, or when it is inspected.
            Err(Refusal::Unsaved(_) | Refusal::NotInspected(_)) => return,
            Err(Refusal::Impossible(_, why)) => why,
            Err(refusal) => refusal.advice(),
        };
        let why = forbidden.map_or(why, |f| format!("line {}: {}", f.place.line, one_line(&f.message)));
        self.record(Entry::Declined { block, revision, why });
        self.settled(block);
        self.advance();
    }
}

/// Why an edit is not repeated if its files are not those that it was approved for.
const FILES_CHANGED_MESSAGE: &str =
    "its files are not what they were when it was approved: it would write another text";
/// Why naming a block does not let it read or write files outside of the folder.
const OUTSIDE_MESSAGE: &str = "it is about a file outside of the working folder";

fn leads_outside(terms: &Terms) -> bool {
    terms.target.as_ref().is_some_and(|target| target.all().any(|target| target.outside))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Decision, OnDisk, Outcome, Review, RunId, Severity, Sha256, Target, samples};
    use crate::engine::dialogue::{Dialogue, TextChecks as _, review, terms};
    use crate::engine::{Command, Event, RecordedEdit, StoreEvent};

    fn named(texts: &[&str]) -> Command {
        let file = |(n, text): (usize, &&str)| NamedFile {
            path: format!("{n}.py"),
            language: Language::python(),
            source: Arc::from(*text),
        };
        let files = texts.iter().enumerate().map(file).collect();
        Command::RunFiles { files, limits: None, fetch: false }
    }

    #[test]
    fn files_run_in_their_order_by_being_named_and_no_model_is_asked() {
        let mut d = Dialogue::new();
        let line = d.command(named(&["print(1)\n", ""]));
        assert_eq!(
            line,
            "+prompt, +named sayso-exec-0-py-1, +block 1, +block 2, prewarm python, look 1.1 | deciding 1"
        );
        d.inspected(1, review(Severity::High), Ok(terms()))
            .is("+review 1.1, +approved r1 1.1 named, start r1 | running r1");
        d.passes(1, Outcome::Failed).has("+ran r1 failed").ends("look 2.1 | deciding 2");
        // An empty file runs like every other.
        d.inspected_ok(2).has("+approved r2 2.1 named, start r2");
        d.passes(2, Outcome::Ok).has("+end answered").ends("| idle");
    }

    #[test]
    fn what_is_forbidden_or_impossible_is_settled_and_the_next_file_comes() {
        let mut d = Dialogue::new();
        d.command(named(&["a\n", "b\n"]));
        let mut forbidden = review(Severity::High);
        forbidden.findings[0].forbidden = true;
        d.inspected(1, forbidden, Ok(terms())).has("+declined 1").ends("deciding 2");
        let line = d.inspected(2, Review::default(), Err("node is not installed".into()));
        assert!(line.contains("+declined 2, +end answered") && line.ends_with("| idle"), "{line}");
        let told = d.entries().iter().filter_map(|(_, entry)| match entry {
            Entry::Declined { why, .. } => Some(why.clone()),
            _ => None,
        });
        let told: Vec<_> = told.collect();
        assert_eq!(told, ["line 0: does much", "node is not installed"]);
    }

    #[test]
    fn a_name_is_good_for_one_run_of_the_bytes_that_were_read() {
        let mut d = Dialogue::new();
        d.command(named(&["a\n", "b\n"]));
        d.inspected_ok(1);
        d.passes(1, Outcome::Ok);
        // The person edits the second block while it is inspected, and puts the first back.
        let edit = Decision::Edit("c\n".into());
        d.command(Command::Decide { block: BlockId(2), revision: Revision(1), decision: edit });
        d.command(Command::Reopen(BlockId(1)));
        let line =
            [d.inspected_ok(1), d.skip(1), d.answered(2, 1), d.answered(2, 2), d.inspected_ok(2)].concat();
        assert!(!line.contains("+approved") && !line.contains("start"), "{line}");
    }

    #[test]
    fn an_interrupt_skips_what_follows() {
        let mut d = Dialogue::new();
        d.command(named(&["a\n", "b\n"]));
        d.inspected_ok(1);
        d.started(1);
        assert!(d.stop().contains("interrupt r1"));
        assert!(d.command(Command::SkipAll).contains("+skipped 2"));
        d.ended(1, Outcome::Interrupted).has("+end stopped").ends("| idle");
    }

    #[test]
    fn nothing_runs_while_the_session_is_not_on_disk_and_nothing_between_turns_is_passed_over() {
        let mut d = Dialogue::new();
        d.command(named(&["a\n"]));
        d.send(Event::Store(StoreEvent::Failed("no space".into())));
        assert!(!d.inspected_ok(1).contains("start"));
        d.send(Event::Store(StoreEvent::Recovered)).has("+approved r1 1.1 named, start r1");
        assert!(!d.command(named(&["b\n"])).contains("+block"));
        assert_eq!(d.state().live.run.as_ref().map(|run| run.run), Some(RunId(1)));
    }

    fn recorded(label: &str, kind: BlockKind, source: &str) -> RecordedBlock {
        RecordedBlock {
            label: label.into(),
            language: Language(if kind.is_code() { "python" } else { kind.as_str() }.into()),
            kind,
            source: source.into(),
            edit: None,
            limits: Limits { wall_ms: 7_000, ..Limits::default() },
            new_kernel: false,
        }
    }

    fn code() -> BlockKind {
        BlockKind::Code { language: Some(Language::python()) }
    }

    fn of_files(path: &str, outside: bool) -> Terms {
        samples::of_file("write", Target { outside, ..Target::at(path, OnDisk::Nothing) })
    }

    #[test]
    fn what_ran_before_runs_once_more_as_it_was_called_then_and_within_its_limits() {
        let mut d = Dialogue::new();
        let new_kernel = RecordedBlock { new_kernel: true, ..recorded("block 7", code(), "x\n") };
        let line = d.command(Command::RunRecorded(vec![recorded("block 4", code(), "x = 1\n"), new_kernel]));
        assert!(line.ends_with("look 1.1 | deciding 1"), "{line}");
        assert_eq!(d.state().live.blocks[&BlockId(1)].limits.map(|limits| limits.wall_ms), Some(7_000));
        d.inspected(1, review(Severity::High), Ok(terms()))
            .is("+review 1.1, +approved r1 1.1 named, start r1 | running r1");
        assert_eq!(d.watched.started.as_ref().unwrap().label(), "block 4");
        d.passes(1, Outcome::Failed).has("look 2.1 in a new kernel");
        assert!(d.inspected_ok(2).contains("start r2"));
        assert_eq!(d.watched.started.as_ref().unwrap().label(), "block 7");
        // Running it again takes another decision.
        assert!(d.passes(2, Outcome::Ok).ends_with("| idle"));
        d.reopen_block(1);
        assert!(!d.inspected_ok(1).contains("start"));
    }

    #[test]
    fn sayso_itself_writes_nothing_outside_of_the_folder_for_it() {
        let mut d = Dialogue::new();
        let write = |path: &str| recorded("block 1", BlockKind::Write { path: path.into() }, "text\n");
        d.command(Command::RunRecorded(vec![write("/home/ada/.bashrc"), write("out.txt")]));
        let line = d.inspected(1, Review::default(), Ok(of_files("/home/ada/.bashrc", true)));
        assert!(line.contains("+declined 1") && !line.contains("start"), "{line}");
        assert!(d.inspected(2, Review::default(), Ok(of_files("/work/out.txt", false))).contains("start r1"));
    }

    #[test]
    fn an_edit_is_repeated_on_the_files_that_it_was_approved_for_and_on_no_others() {
        let file = |text: &str| OnDisk::File(Some(Sha256::of(text.as_bytes())));
        let written = "<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n";
        let edit = RecordedBlock {
            edit: Some(RecordedEdit { written: written.into(), bases: vec![file("x = 1\n")] }),
            ..recorded("block 3", BlockKind::Edit { paths: vec!["a.py".into()] }, "x = 2\n")
        };
        let over = |text: &str| samples::of_file("edit", Target::at("/work/a.py", file(text)));
        let mut d = Dialogue::new();
        d.command(Command::RunRecorded(vec![edit.clone()])).has("+placed 1.2").has("look 1.2");
        assert!(d.inspected_over(1, "x = 1\n", over("x = 1\n")).contains("+approved r1 1.2 named, start r1"));

        let mut d = Dialogue::new();
        d.command(Command::RunRecorded(vec![edit.clone()]));
        d.placed(1, Ok("y = 0\nx = 2\n"), &[file("y = 0\nx = 1\n")]);
        d.inspected_over(1, "y = 0\nx = 1\n", over("y = 0\nx = 1\n")).has("+declined 1").ends("| idle");

        let mut d = Dialogue::new();
        d.command(Command::RunRecorded(vec![edit]));
        d.placed(1, Err("its lines are not there"), &[]).has("+declined 1").ends("| idle");
    }
}
