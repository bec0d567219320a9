//! What a scripted session does with one block: its inspection, the decisions about it, and its runs.

use super::{Dialogue, report, review, terms};
use crate::domain::{
    BlockId, Chunk, Decision, OnDisk, Outcome, OutputBuffer, Review, Revision, RuleScope, RunEvent, RunId,
    RunReport, Severity, Stream, Terms,
};
use crate::engine::{Command, EditFault, Event, Inspection, PlacedEdit};

impl Dialogue {
    // Inspections.

    pub(crate) fn inspected(&mut self, block: u32, review: Review, terms: Result<Terms, String>) -> String {
        let id = BlockId(block);
        let revision = self.revision(block);
        self.send(Event::Inspected(id, revision, Box::new(Inspection::new(review, terms))))
    }

    /// As `inspected`, for a block that would overwrite a file with the content `before`.
    pub(crate) fn inspected_over(&mut self, block: u32, before: &str, terms: Terms) -> String {
        let inspection =
            Inspection { before: Some(before.into()), ..Inspection::new(Review::default(), Ok(terms)) };
        let revision = self.revision(block);
        self.send(Event::Inspected(BlockId(block), revision, Box::new(inspection)))
    }

    /// Sends the result of placing an edit in its files.
    pub(crate) fn placed(&mut self, block: u32, edit: Result<&str, &str>, bases: &[OnDisk]) -> String {
        let edit = match edit {
            Ok(text) => Ok(PlacedEdit { text: text.into(), bases: bases.to_vec(), note: String::new() }),
            Err(why) => Err(EditFault(why.into())),
        };
        let inspection = Inspection::new(Review::default(), Err("its places are looked for".into()));
        let inspection = Inspection { edit: Some(edit), ..inspection };
        let revision = self.revision(block);
        self.send(Event::Inspected(BlockId(block), revision, Box::new(inspection)))
    }

    /// Answers the inspection of this revision: no findings, and it can run in the kernel.
    pub(crate) fn answered(&mut self, block: u32, revision: u32) -> String {
        let inspection = Inspection::new(Review::default(), Ok(terms()));
        self.send(Event::Inspected(BlockId(block), Revision(revision), Box::new(inspection)))
    }

    /// Answers the inspection: no findings, and it can run in the kernel.
    pub(crate) fn inspected_ok(&mut self, block: u32) -> String {
        self.inspected(block, Review::default(), Ok(terms()))
    }

    pub(crate) fn inspected_with(&mut self, block: u32, severity: Severity) -> String {
        self.inspected(block, review(severity), Ok(terms()))
    }

    /// Whether the running recipe wants the strict list for this block.
    pub(crate) fn is_strict(&self, block: u32) -> bool {
        let item = self.state().transcript.blocks.get(&BlockId(block));
        item.is_some_and(|item| self.watched.engine.is_strict(&item.block))
    }

    // Decisions.

    pub(super) fn revision(&self, block: u32) -> Revision {
        self.state()
            .transcript
            .blocks
            .get(&BlockId(block))
            .map_or(Revision(1), |b| b.block.current().revision)
    }

    pub(crate) fn decide(&mut self, block: u32, decision: Decision) -> String {
        let revision = self.revision(block);
        self.command(Command::Decide { block: BlockId(block), revision, decision })
    }

    pub(crate) fn approve(&mut self, block: u32) -> String {
        self.decide(block, Decision::Approve { typed: false })
    }

    /// Approves with the typed word.
    pub(crate) fn type_run(&mut self, block: u32) -> String {
        self.decide(block, Decision::Approve { typed: true })
    }

    /// Approves, and grants a rule of this scope.
    pub(crate) fn always(&mut self, block: u32, scope: RuleScope) -> String {
        self.decide(block, Decision::Always(scope))
    }

    /// A front end shows or hides the block that waits.
    pub(crate) fn on_screen(&mut self, block: u32, seen: bool) -> String {
        let revision = self.revision(block);
        self.command(Command::OnScreen { block: BlockId(block), revision, seen })
    }

    pub(crate) fn edit(&mut self, block: u32, text: &str) -> String {
        self.decide(block, Decision::Edit(text.into()))
    }

    pub(crate) fn reject(&mut self, block: u32, why: &str) -> String {
        self.decide(block, Decision::Reject(why.into()))
    }

    pub(crate) fn skip(&mut self, block: u32) -> String {
        self.decide(block, Decision::Skip)
    }

    pub(crate) fn reopen_block(&mut self, block: u32) -> String {
        self.command(Command::Reopen(BlockId(block)))
    }

    // Runs.

    pub(crate) fn ran(&mut self, run: u32, event: RunEvent) -> String {
        self.send(Event::Run(RunId(run), event))
    }

    pub(crate) fn started(&mut self, run: u32) -> String {
        self.run = RunId(run);
        self.printed = OutputBuffer::default();
        self.ran(run, RunEvent::Started)
    }

    pub(crate) fn prints(&mut self, text: &str) -> String {
        self.printed.push(Stream::Stdout, text.as_bytes());
        let chunk = Chunk::new(Stream::Stdout, text);
        self.send(Event::Run(self.run, RunEvent::Output(chunk)))
    }

    /// Ends the run with this outcome after 0.8 s; the kernel lives on.
    pub(crate) fn ended(&mut self, run: u32, outcome: Outcome) -> String {
        let output = std::mem::take(&mut self.printed);
        self.ended_as(run, RunReport { output, ..report(outcome) })
    }

    pub(crate) fn ended_as(&mut self, run: u32, report: RunReport) -> String {
        self.ran(run, RunEvent::Ended(Box::new(report)))
    }

    /// Starts a run, which ends with this outcome.
    pub(crate) fn passes(&mut self, run: u32, outcome: Outcome) -> String {
        self.started(run);
        self.ended(run, outcome)
    }

    /// Inspects a block and approves it with the typed word.
    pub(crate) fn accepts(&mut self, block: u32) -> String {
        self.accepts_under(block, terms())
    }

    /// As `accepts`, under these terms.
    pub(crate) fn accepts_under(&mut self, block: u32, terms: Terms) -> String {
        self.inspected(block, Review::default(), Ok(terms));
        self.type_run(block)
    }

    /// As `accepts`, and the run starts.
    pub(crate) fn begins(&mut self, block: u32, run: u32) -> String {
        self.accepts(block);
        self.started(run)
    }

    /// Inspects a block, approves it with the typed word, and runs it to this outcome.
    pub(crate) fn runs(&mut self, block: u32, run: u32, outcome: Outcome) -> String {
        self.begins(block, run);
        self.ended(run, outcome)
    }

    /// As `runs`, but ending with this report.
    pub(crate) fn runs_into(&mut self, block: u32, run: u32, report: RunReport) -> String {
        self.begins(block, run);
        self.ended_as(run, report)
    }
}
