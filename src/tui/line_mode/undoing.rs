//! Undoes the changes of a run in line mode: lists the changes, then a whole word undoes or redoes them. The
//! command itself decides nothing.

use super::ask::{AnswerKind, Ask, leaves_time};
use super::changes::{ListedChanges, UndoTarget};
use super::session::{NOTHING_DECIDED, Session};
use crate::domain::{BlockId, UndoChange};
use crate::driver::Job;
use crate::engine::Command;
use std::io;

impl Session<'_> {
    /// `/undo`, with or without the number of a block: looks up the changes of its last run, or of the last run
    /// that changed anything.
    pub(super) fn undo(&mut self, argument: &str) -> io::Result<()> {
        let block = match argument.parse().map(BlockId) {
            Ok(block) => Some(block),
            Err(_) if argument.is_empty() => None,
            Err(_) => {
                self.mode.page.line("/undo, or /undo BLOCK with its number")?;
                return self.ask_again();
            }
        };
        let found = self.driver.state().transcript.last_recorded(block);
        let Some((item, run, record)) = found else {
            let why = self.driver.state().why_not_recorded(block);
            self.mode.page.line(&why)?;
            return self.ask_again();
        };
        self.wanted_changes = Some(UndoTarget { run: run.run, block: item.block.id, record });
        self.start_job(Job::Changes(record));
        self.ask_again()
    }

    /// Handles the changes that were looked up: lists them and asks what to do.
    pub(super) fn changes(
        &mut self,
        of: UndoTarget,
        found: &Result<Vec<UndoChange>, String>,
    ) -> io::Result<()> {
        let all = match found {
            Ok(all) => all.clone(),
            Err(why) => {
                let block = of.block;
                self.mode.page.line(&format!("Nothing of block {block} can be taken back: {why}."))?;
                return self.put_again();
            }
        };
        let listed = ListedChanges { of, all };
        let refused = self.driver.state().undo_refused().map(|why| why.text);
        let why_not = refused.or_else(|| listed.why_not()).or_else(|| self.is_busy());
        if why_not.is_none() {
            return self.put(Ask::Changes(Box::new(listed)));
        }
        listed.print(&mut self.mode.page)?;
        why_not.map_or(Ok(()), |why| self.mode.page.line(&why))?;
        self.put_again()
    }

    /// Why a question that the person asked for can't replace the present question: what is being typed for that one,
    /// perhaps a key, would become the answer to this one.
    pub(super) fn is_busy(&self) -> Option<String> {
        let can_wait = match self.asked.ask {
            Ask::Nothing
            | Ask::Message
            | Ask::Changes(_)
            | Ask::Instructions(_)
            | Ask::Block(_, AnswerKind::Decision) => true,
            Ask::Block(..) | Ask::GoOn(_) | Ask::Stuck(_) | Ask::Form(_) | Ask::Provider(_) => false,
        };
        let is_free = can_wait && leaves_time(&self.driver.state().phase);
        (!is_free).then(|| "Ask again between turns, or while a block waits, to decide about them.".into())
    }

    /// Handles the answer about the changes.
    pub(super) fn about_changes(&mut self, listed: &ListedChanges, text: &str) -> io::Result<()> {
        let Some((way, changes)) = listed.meant(text) else {
            self.keep_sentence(text);
            return self.mode.page.line(NOTHING_DECIDED);
        };
        self.send(Command::Undo { run: listed.of.run, changes, kind: way });
        Ok(())
    }
}
