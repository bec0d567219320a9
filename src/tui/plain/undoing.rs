//! Taking back what a run changed, in lines: its changes are listed, then a whole word takes them back or makes them again.
//! The command itself decides nothing.

use super::ask::Ask;
use super::changes::{ListedChanges, UndoTarget};
use super::session::{AwaitedJob, NOTHING, Session};
use crate::domain::sentences::undo as sentences;
use crate::domain::{BlockId, Sha256, UndoChange, UndoWay};
use crate::driver::Job;
use crate::engine::{Command, Phase};
use std::io;

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
        self.wanted_changes = Some(UndoTarget { run: run.run, block: item.block.id, record });
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
