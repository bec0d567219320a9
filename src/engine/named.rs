//! Files that the person named on the command line (`sayso exec FILE…`): a turn of blocks of sayso's own. Naming a file is
//! the decision about its bytes, once; no model is asked, and nothing else is offered.

use super::approval::{Refusal, gate};
use super::{Engine, Phase, notices};
use crate::domain::{BlockId, BlockKind, Entry, Grantor, Language, Limits, Revision};
use crate::text::line::one_line;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A file that was named, as it was read then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFile {
    /// Its path, as it was named.
    pub path: String,
    /// The language of its text.
    pub language: Language,
    /// Its text: these bytes run.
    pub source: Arc<str>,
}

/// What is left of a turn of named files.
#[derive(Debug, Default)]
pub(super) struct NamedFiles {
    /// The blocks that are still to be granted.
    waiting: BTreeSet<BlockId>,
    /// Whether an image that a block lacks is fetched: that was asked for as well.
    fetch: bool,
}

impl NamedFiles {
    /// It is decided about a block: what follows for it takes a decision of its own.
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
        let prompt = format!("sayso exec {}", paths.join(" "));
        self.open_turn();
        self.prompted(prompt.into());
        let mut waiting = BTreeSet::new();
        for NamedFile { path, language, source } in files {
            let kind = BlockKind::Code { language: Some(language.clone()) };
            let block = self.propose_own(kind, language, source, path);
            self.state.live.blocks.entry(block).or_default().limits = limits;
            waiting.insert(block);
        }
        self.turn.named = Some(NamedFiles { waiting, fetch });
        self.advance();
    }

    /// Whether this block runs because it was named, and nobody is asked about it.
    pub(super) fn is_named(&self, block: BlockId) -> bool {
        self.turn.named.as_ref().is_some_and(|named| named.waiting.contains(&block))
    }

    /// What messages of a block call its text: the file that it came from, where the person named one.
    pub(super) fn name_of(&self, block: BlockId) -> Option<String> {
        let block = &self.state.transcript.blocks.get(&block).filter(|_| self.is_named(block))?.block;
        // Standard input has no name.
        let path = block.origin.note.as_ref().filter(|path| block.kind.is_code() && *path != "-")?;
        // What begins so would be taken for an option.
        Some(if path.starts_with('-') { format!("./{path}") } else { path.clone() })
    }

    /// Whether an image for want of which this block can't run may be offered.
    pub(super) fn offers_images(&self, block: BlockId) -> bool {
        !self.is_named(block) || self.turn.named.as_ref().is_some_and(|named| named.fetch)
    }

    /// What is fetched for a block that was named was asked for with it.
    pub(super) fn named_with(&mut self, block: BlockId, needed: BlockId) {
        if let Some(named) = self.turn.named.as_mut().filter(|named| named.waiting.contains(&block)) {
            named.waiting.insert(needed);
        }
    }

    /// Grants the block that waits where it was named and is as it was then; one that can't run is settled with the
    /// reason, and the next one comes.
    pub(super) fn apply_named(&mut self) {
        let Phase::Deciding(block) = self.state.phase else { return };
        let Some(inspected) = self.state.inspected(block).filter(|_| self.is_named(block)) else { return };
        let revision = inspected.revision;
        if revision != Revision(1) {
            return;
        }
        let forbidden = inspected.review.findings.iter().find(|finding| finding.forbidden);
        let why = match gate(&self.state, block, revision, Grantor::Named) {
            Ok(_) => return self.grant(block, revision, Grantor::Named),
            // Once writing works again it is granted.
            Err(Refusal::Unsaved(_) | Refusal::NotInspected(_)) => return,
            Err(Refusal::Impossible(_, why)) => why,
            Err(refusal) => refusal.to_string(),
        };
        let why = forbidden.map_or(why, |f| format!("line {}: {}", f.place.line, one_line(&f.message)));
        self.record(Entry::Declined { block, revision, why });
        self.settled(block);
        self.advance();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Decision, Outcome, Review, RunId, Severity};
    use crate::engine::dialogue::{Dialogue, review, terms};
    use crate::engine::{Command, Event, StoreEvent};

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
        let line = d.inspected(1, review(Severity::High), Ok(terms()));
        assert_eq!(line, "+review 1.1, +approved r1 1.1 named, start r1 | running r1");
        d.started(1);
        let line = d.ended(1, Outcome::Failed);
        assert!(line.contains("+ran r1 failed") && line.ends_with("look 2.1 | deciding 2"), "{line}");
        // An empty file is run like every other.
        let line = d.inspected_ok(2);
        assert!(line.contains("+approved r2 2.1 named, start r2"), "{line}");
        d.started(2);
        let line = d.ended(2, Outcome::Ok);
        assert!(line.contains("+end answered") && line.ends_with("| idle"), "{line}");
    }

    #[test]
    fn what_is_forbidden_or_impossible_is_settled_and_the_next_file_comes() {
        let mut d = Dialogue::new();
        d.command(named(&["a\n", "b\n"]));
        let mut forbidden = review(Severity::High);
        forbidden.findings[0].forbidden = true;
        let line = d.inspected(1, forbidden, Ok(terms()));
        assert!(line.contains("+declined 1") && line.ends_with("deciding 2"), "{line}");
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
        d.started(1);
        d.ended(1, Outcome::Ok);
        // The person edits the second while it is looked at, and puts the first back.
        let edit = Decision::Edit("c\n".into());
        d.command(Command::Decide { block: BlockId(2), revision: Revision(1), decision: edit });
        d.command(Command::PutBack(BlockId(1)));
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
        let line = d.ended(1, Outcome::Interrupted);
        assert!(line.contains("+end stopped") && line.ends_with("| idle"), "{line}");
    }

    #[test]
    fn nothing_runs_while_the_session_is_not_on_disk_and_nothing_between_turns_is_passed_over() {
        let mut d = Dialogue::new();
        d.command(named(&["a\n"]));
        d.send(Event::Store(StoreEvent::Failed("no space".into())));
        assert!(!d.inspected_ok(1).contains("start"));
        let line = d.send(Event::Store(StoreEvent::Recovered));
        assert!(line.contains("+approved r1 1.1 named, start r1"), "{line}");
        assert!(!d.command(named(&["b\n"])).contains("+block"));
        assert_eq!(d.state().live.run.as_ref().map(|run| run.run), Some(RunId(1)));
    }
}
