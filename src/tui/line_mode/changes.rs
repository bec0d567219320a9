//! The changes of a run, listed line by line, and the answers about them.

use super::page::LinePage;
use crate::domain::sentences::undo as sentences;
use crate::domain::{BlockId, RunId, Sha256, UndoChange, UndoKind, UndoState};
use crate::text::number::size;
use crate::tui::overlays::undo::what_happens;
use crate::tui::widgets::words;
use std::io;

/// The most changes listed: more than a person reads.
const MAX_CHANGES_SHOWN: usize = 200;

/// A run with the record of its changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UndoTarget {
    pub(super) run: RunId,
    pub(super) block: BlockId,
    pub(super) record: Sha256,
}

/// The changes of a run as they were listed: an answer only holds for exactly these.
#[derive(Debug)]
pub(super) struct ListedChanges {
    pub(super) of: UndoTarget,
    pub(super) all: Vec<UndoChange>,
}

impl ListedChanges {
    /// The changes that can be undone (or redone) in this direction.
    pub(super) fn undoable(&self, way: UndoKind) -> impl Iterator<Item = &UndoChange> {
        self.all.iter().filter(move |change| change.standing.can(way))
    }

    /// Why there is no question about them: nothing can be done, or there are more than the list shows; the
    /// shell command handles those.
    pub(super) fn why_not(&self) -> Option<String> {
        if self.all.len() > MAX_CHANGES_SHOWN {
            return Some(
                "More than are listed here: sayso sessions undo tells all, and takes them back with --yes."
                    .into(),
            );
        }
        let can = self.undoable(UndoKind::Undo).chain(self.undoable(UndoKind::Redo)).next();
        can.is_none().then(|| "Nothing of it can be taken back, or made again.".into())
    }

    /// Parses an answer: `back` or `again`, with numbers from the list, or none for all. `None`: it is no such
    /// answer.
    pub(super) fn meant(&self, text: &str) -> Option<(UndoKind, Vec<u32>)> {
        let mut said = text.split_whitespace();
        let way = match said.next()? {
            "back" => UndoKind::Undo,
            "again" => UndoKind::Redo,
            _ => return None,
        };
        let numbers: Option<Vec<usize>> = said.map(|number| number.parse().ok()).collect();
        let numbers = numbers?;
        if numbers.is_empty() {
            let all: Vec<u32> = self.undoable(way).map(|change| change.number).collect();
            return (!all.is_empty()).then_some((way, all));
        }
        let can = |number: usize| {
            let change = self.all.get(number.checked_sub(1)?)?;
            (change.standing.can(way)).then_some(change.number)
        };
        Some((way, numbers.into_iter().map(can).collect::<Option<Vec<u32>>>()?))
    }

    pub(super) fn print(&self, page: &mut LinePage) -> io::Result<()> {
        page.line(&format!("Block {} changed:", self.of.block))?;
        for (number, change) in (1..).zip(self.all.iter().take(MAX_CHANGES_SHOWN)) {
            let standing = change.standing.words();
            let standing = if standing.is_empty() { String::new() } else { format!(", {standing}") };
            let (what, path, bytes) = (change.change, &change.path, size(change.bytes));
            page.line(&format!("  {number}  {what} {path}, {bytes}{standing}"))?;
        }
        if self.all.len() > MAX_CHANGES_SHOWN {
            page.line(&format!("  and {} more", words::count(self.all.len() - MAX_CHANGES_SHOWN, "change")))?;
        }
        match self.all.iter().filter(|change| change.standing == UndoState::Dropped).count() {
            0 => Ok(()),
            dropped => page.line(&sentences::dropped(dropped as u64)),
        }
    }

    /// Lists them, and explains each word.
    pub(super) fn ask(&self, page: &mut LinePage) -> io::Result<()> {
        self.print(page)?;
        for (way, word) in [(UndoKind::Undo, "back"), (UndoKind::Redo, "again")] {
            let can: Vec<&UndoChange> = self.undoable(way).collect();
            for line in what_happens(&can, way) {
                page.line(&format!("  {word}: {line}"))?;
            }
        }
        let is_torn = |change: &UndoChange| {
            matches!(change.standing, UndoState::DeletedSince { .. } | UndoState::Unfinished { .. })
        };
        if !self.all.iter().any(is_torn) {
            page.line(sentences::UNDONE_THE_SAME_WAY)?;
        }
        page.ask("Type back or again, with numbers for some of them (back 1 3). Anything else leaves all as it is:")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_word_means_all_that_can_be_and_numbers_mean_those_of_the_list() {
        let change = |number: u32, standing| UndoChange {
            number,
            path: format!("{number}.txt"),
            change: "changed",
            bytes: 1,
            standing,
        };
        let listed = ListedChanges {
            of: UndoTarget { run: RunId(1), block: BlockId(1), record: Sha256::of(b"x") },
            all: vec![
                change(7, UndoState::Done),
                change(8, UndoState::TakenBack),
                change(9, UndoState::ChangedSince),
                change(10, UndoState::Done),
            ],
        };
        for (text, meant) in [
            ("back", Some((UndoKind::Undo, vec![7, 10]))),
            (" back  4 ", Some((UndoKind::Undo, vec![10]))),
            ("again", Some((UndoKind::Redo, vec![8]))),
            ("again 2", Some((UndoKind::Redo, vec![8]))),
            ("back 2", None),
            ("back 3", None),
            ("back 0", None),
            ("back 5", None),
            ("back it up", None),
            ("Back", None),
            ("go back", None),
            ("", None),
        ] {
            assert_eq!(listed.meant(text), meant, "{text:?}");
        }
    }
}
