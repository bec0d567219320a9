//! Taking back what a run changed, in lines: the list of its changes, then a whole word that takes them back or makes them
//! again. The command itself decides nothing.

use super::ask::Ask;
use super::page::PlainPage;
use super::session::{AwaitedJob, NOTHING, Session};
use crate::domain::sentences::undo as sentences;
use crate::domain::{BlockId, RunId, Sha256, UndoChange, UndoStanding, UndoWay};
use crate::driver::Job;
use crate::engine::{Command, Phase};
use crate::text::number::size;
use crate::tui::overlays::undo::what_happens;
use crate::tui::widgets::words;
use std::io;

/// Changes that are listed.
const LISTED: usize = 40;

/// A run with the record of what it changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RecordedRun {
    run: RunId,
    block: BlockId,
    record: Sha256,
}

/// The changes of a run as they were listed: an answer holds for them alone.
#[derive(Debug)]
pub(super) struct ListedChanges {
    of: RecordedRun,
    all: Vec<UndoChange>,
}

impl Session<'_> {
    /// `/undo`, with the number of a block or without: looks at what its last run changed, or the last that changed
    /// something.
    pub(super) fn undo(&mut self, argument: &str) -> io::Result<()> {
        let block = match argument.parse().map(BlockId) {
            Ok(block) => Some(block),
            Err(_) if argument.is_empty() => None,
            Err(_) => {
                self.plain.page.line("/undo, or /undo BLOCK with its number")?;
                return self.ask_again();
            }
        };
        let found = self.driver.state().transcript.last_recorded(block);
        let Some((item, run, record)) = found else {
            self.plain.page.line(&sentences::nothing_recorded(block))?;
            return self.ask_again();
        };
        self.wanted_changes = Some(RecordedRun { run: run.run, block: item.block.id, record });
        self.start(AwaitedJob::Changes, Job::Changes(record));
        self.ask_again()
    }

    /// The changes are there: they are listed, with the question what becomes of them.
    pub(super) fn changes(
        &mut self,
        record: Sha256,
        found: &Result<Vec<UndoChange>, String>,
    ) -> io::Result<()> {
        let Some(of) = self.wanted_changes.take().filter(|of| of.record == record) else {
            return self.put_again();
        };
        let all = match found {
            Ok(all) => all.clone(),
            Err(why) => {
                let block = of.block;
                self.plain.page.line(&format!("Nothing of block {block} can be taken back: {why}."))?;
                return self.put_again();
            }
        };
        let listed = ListedChanges { of, all };
        let is_free = matches!(self.driver.state().phase, Phase::Idle | Phase::Deciding(_));
        if is_free && listed.can(UndoWay::Back).chain(listed.can(UndoWay::Again)).next().is_some() {
            return self.put(Ask::Changes(Box::new(listed)));
        }
        listed.tell(&mut self.plain.page)?;
        if !is_free {
            self.plain
                .page
                .line("They are taken back between turns, or while a block waits: ask again then.")?;
        }
        self.put_again()
    }

    /// A line for the question what becomes of them.
    pub(super) fn about_changes(&mut self, listed: &ListedChanges, text: &str) -> io::Result<()> {
        let Some((way, changes)) = listed.meant(text) else {
            self.keep(text);
            return self.plain.page.line(NOTHING);
        };
        self.send(Command::Undo { run: listed.of.run, changes, way });
        Ok(())
    }
}

impl ListedChanges {
    /// Those that can be taken this way.
    fn can(&self, way: UndoWay) -> impl Iterator<Item = &UndoChange> {
        self.all.iter().filter(move |change| change.standing.way() == Some(way))
    }

    /// What a line means: `back` or `again`, with the numbers of the list or all that can be. `None`: nothing of the kind.
    fn meant(&self, text: &str) -> Option<(UndoWay, Vec<u32>)> {
        let mut said = text.split_whitespace();
        let way = match said.next()? {
            "back" => UndoWay::Back,
            "again" => UndoWay::Again,
            _ => return None,
        };
        let numbers: Option<Vec<usize>> = said.map(|number| number.parse().ok()).collect();
        let numbers = numbers?;
        if numbers.is_empty() {
            let all: Vec<u32> = self.can(way).map(|change| change.number).collect();
            return (!all.is_empty()).then_some((way, all));
        }
        let can = |number: usize| {
            let change = self.all.get(number.checked_sub(1)?)?;
            (change.standing.way() == Some(way)).then_some(change.number)
        };
        Some((way, numbers.into_iter().map(can).collect::<Option<Vec<u32>>>()?))
    }

    fn tell(&self, page: &mut PlainPage) -> io::Result<()> {
        page.line(&format!("Block {} changed:", self.of.block))?;
        for (number, change) in (1..).zip(self.all.iter().take(LISTED)) {
            let standing = change.standing.words();
            let standing = if standing.is_empty() { String::new() } else { format!(", {standing}") };
            let (what, path, bytes) = (change.change, &change.path, size(change.bytes));
            page.line(&format!("  {number}  {what} {path}, {bytes}{standing}"))?;
        }
        if self.all.len() > LISTED {
            page.line(&format!("  and {} more", words::count(self.all.len() - LISTED, "change")))?;
        }
        match self.all.iter().filter(|change| change.standing == UndoStanding::Dropped).count() {
            0 => Ok(()),
            dropped => page.line(&sentences::dropped(dropped as u64)),
        }
    }

    /// Lists them, and says what each word does.
    pub(super) fn ask(&self, page: &mut PlainPage) -> io::Result<()> {
        self.tell(page)?;
        for (way, word) in [(UndoWay::Back, "back"), (UndoWay::Again, "again")] {
            let can: Vec<&UndoChange> = self.can(way).collect();
            for line in what_happens(&can, way) {
                page.line(&format!("  {word}: {line}"))?;
            }
        }
        page.line(sentences::UNDONE_THE_SAME_WAY)?;
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
            of: RecordedRun { run: RunId(1), block: BlockId(1), record: Sha256::of(b"x") },
            all: vec![
                change(7, UndoStanding::Done),
                change(8, UndoStanding::TakenBack),
                change(9, UndoStanding::ChangedSince),
                change(10, UndoStanding::Done),
            ],
        };
        for (text, meant) in [
            ("back", Some((UndoWay::Back, vec![7, 10]))),
            (" back  4 ", Some((UndoWay::Back, vec![10]))),
            ("again", Some((UndoWay::Again, vec![8]))),
            ("again 2", Some((UndoWay::Again, vec![8]))),
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
