//! Opens a file as a session (`sayso --from FILE`): its text becomes the person's message, its blocks wait in their
//! order. Opening it decides nothing and asks no model: the results are sent with the next prompt.

use super::{Engine, Phase, notices};
use crate::domain::{BlockKind, Entry, Language, Origin, TurnEnd};
use std::sync::Arc;

/// A file split into text and blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenedFile {
    /// The file's name, which the session gets too.
    pub(crate) name: String,
    /// Its text without the blocks, with a mark where each of them was.
    pub(crate) text: String,
    /// Its blocks, in their order.
    pub(crate) blocks: Vec<OpenedBlock>,
}

/// A block of an opened file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenedBlock {
    pub(crate) kind: BlockKind,
    /// The language of its text; `None`: it is not code.
    pub(crate) language: Option<Language>,
    pub(crate) source: Arc<str>,
    /// Where it was in the file, on one line: `cell 3 of report.ipynb`.
    pub(crate) place: String,
}

impl Engine {
    /// Begins a session with the file.
    pub(super) fn open_file(&mut self, file: OpenedFile) {
        if self.state.phase != Phase::Idle {
            return self.notify(notices::files_not_now());
        }
        let name = self.name_of_file(&file.name);
        self.prompted_as(file.text.into(), name);
        // No model is asked: this turn ends at once.
        self.record(Entry::TurnEnd(TurnEnd::Answered));
        let mut blocks = Vec::new();
        for OpenedBlock { kind, language, source, place } in file.blocks {
            let origin = Origin { typed: true, ..Origin::own(place) };
            blocks.push(self.propose_from(origin, kind, language, source));
        }
        self.inspect_ahead(&blocks);
        self.advance();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Outcome, Review};
    use crate::engine::Command;
    use crate::engine::dialogue::{Dialogue, TextChecks as _, confined};

    fn file() -> OpenedFile {
        let block = |n: usize, text: &str| OpenedBlock {
            kind: BlockKind::Code { language: Some(Language::python()) },
            language: Some(Language::python()),
            source: text.into(),
            place: format!("cell {n} of a.ipynb"),
        };
        OpenedFile {
            name: "a.ipynb".into(),
            text: "a.ipynb: sums (block 1)".into(),
            blocks: vec![block(1, "1 + 1"), block(2, "2 + 2")],
        }
    }

    #[test]
    fn its_blocks_wait_one_by_one_and_no_model_is_asked() {
        let mut d = Dialogue::new();
        let line = d.command(Command::OpenFile(file()));
        assert!(line.contains("+prompt") && line.contains("+end answered, +block 1, +block 2"), "{line}");
        assert!(line.ends_with("| deciding 1") && !line.contains("ask"), "{line}");
        assert!(!d.inspected(1, Review::default(), Ok(confined())).contains("start"));
        d.approve(1).has("start r1");
        d.started(1);
        d.prints("2\n");
        d.ended(1, Outcome::Ok).ends("deciding 2");
        // Opening a second file while blocks wait is refused.
        assert!(!d.command(Command::OpenFile(file())).contains("+block"));
        d.inspected_ok(2);
        d.skip(2).ends("| idle").lacks("ask");
        d.user("go on");
        let told = d.told();
        told.has("The person brought this (cell 1 of a.ipynb), it is none of yours:\n```python\n1 + 1\n```");
        assert!(told.contains("sums (block 1)") && !told.contains("2 + 2"), "{told}");
    }

    #[test]
    fn what_waits_waits_again_after_a_resume() {
        let mut d = Dialogue::new();
        d.command(Command::OpenFile(file()));
        d.reopen().has("look 1.1").ends("| deciding 1");
        d.skip(1);
        assert!(d.skip(2).ends_with("| idle"));
    }
}
