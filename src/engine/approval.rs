//! Decisions about blocks, and the one gate through which a block becomes a run.
//!
//! This is the only file that grants an [`Approval`]. Front ends call [`check`], so that they say why a block can't be
//! approved in the same words in which approving it would be refused.

use super::rules::RuleMismatch;
use super::state::LiveRun;
use super::transcript::{BlockItem, BlockStatus};
use super::{Effect, Engine, Inspection, Phase, State, notices};
use crate::domain::{
    Approval, Block, BlockId, BlockKind, Decision, Entry, ExecutorKind, Finding, Grantor, Notice,
    OutputBuffer, Policy, Readiness, Revision, RunRequest, Severity, Target, Terms, Verdict, file_texts,
};
use crate::text::line::one_line;
use std::sync::Arc;

/// Why a block can't be approved now. The text names no key, because keys can be bound anew: the panes add theirs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    /// It is settled already, or unknown.
    #[error("Block {0} does not wait for a decision.")]
    NotWaiting(BlockId),
    /// Another block comes first.
    #[error("Block {0} waits behind block {1}.")]
    Queued(BlockId, BlockId),
    /// The decision was about an older revision.
    #[error("Block {0} was changed since. Look at the new text first.")]
    Stale(BlockId),
    /// Its review or terms have not arrived yet.
    #[error("Block {0} is still being checked.")]
    NotInspected(BlockId),
    #[error("Block {0} is empty: there is nothing to run.")]
    Empty(BlockId),
    /// Its text broke off.
    #[error("Block {0} is incomplete: its end never arrived.")]
    Incomplete(BlockId),
    /// It may have broken off, or belong to a longer text.
    #[error("Block {0} may be only a part of its text.")]
    Torn(BlockId),
    /// It names no language.
    #[error("Block {0} names no language.")]
    NeedsLanguage(BlockId),
    /// Its text does not say which file or folder is meant.
    #[error("Block {0} does not say what is meant: {1}.")]
    Unclear(BlockId, String),
    /// It can't run on this machine, and why.
    #[error("Block {0} can't run here: {1}")]
    Impossible(BlockId, String),
    /// The session file can't be written; the text says why, and what to do.
    #[error("{0}")]
    Unsaved(String),
    /// It does something that the person's configuration forbids; the text says where and what.
    #[error("Block {0} is denied, {1}.")]
    Forbidden(BlockId, String),
    /// The chosen rule would not even cover this block; the reason.
    #[error("Block {0} {1}. No rule was made.")]
    NoRule(BlockId, RuleMismatch),
    /// The person has to type the word first.
    #[error("Type run and press Enter to run it once.")]
    NotTyped,
}

impl Refusal {
    /// The refusal, and what to do about it.
    pub(crate) fn advice(&self) -> String {
        let remedy = match self {
            Refusal::Incomplete(_) | Refusal::Torn(_) => " Edit it, then it can be approved.",
            Refusal::NeedsLanguage(_) => " Choose one first.",
            Refusal::Unclear(..) | Refusal::Forbidden(..) => " Edit it.",
            _ => "",
        };
        format!("{self}{remedy}")
    }

    /// The refusal as a notice.
    pub(super) fn notice(&self) -> Notice {
        Notice::warn(self.advice())
    }
}

/// Whether the person may approve this revision now.
///
/// # Errors
/// Why not.
pub(crate) fn check(state: &State, block: BlockId, revision: Revision, typed: bool) -> Result<(), Refusal> {
    gate(state, block, revision, Grantor::Person { typed })?;
    if state.needs_typed(block) && !typed { Err(Refusal::NotTyped) } else { Ok(()) }
}

/// Checks everything except the typed word; returns the terms under which the block would run.
pub(super) fn gate(
    state: &State,
    block: BlockId,
    revision: Revision,
    by: Grantor,
) -> Result<&Terms, Refusal> {
    let item = block_to_decide(state, block, revision)?;
    if item.block.is_unplaced() {
        // Its places are not found yet, or looking for them broke off.
        let why = state.inspected(block).and_then(|found| found.terms.as_ref().err());
        return Err(why.map_or(Refusal::NotInspected(block), |why| Refusal::Impossible(block, one_line(why))));
    }
    match item.block.readiness() {
        Readiness::Ready => {}
        // The person named an empty file like every other: it runs.
        Readiness::Empty if by == Grantor::CommandLine => {}
        Readiness::NeedsLanguage => return Err(Refusal::NeedsLanguage(block)),
        Readiness::Incomplete if item.block.origin.torn => return Err(Refusal::Torn(block)),
        Readiness::Incomplete => return Err(Refusal::Incomplete(block)),
        Readiness::Empty => return Err(Refusal::Empty(block)),
        Readiness::Unclear => {
            let why = item.block.unclear(item.block.current()).map(|why| one_line(&why.to_string()));
            return Err(Refusal::Unclear(block, why.unwrap_or_default()));
        }
    }
    let Some(Inspection { review, terms, .. }) = state.inspected(block) else {
        return Err(Refusal::NotInspected(block));
    };
    if let Some(finding) = review.findings.iter().find(|finding| finding.forbidden) {
        let place = file_texts::place(&item.block.files(), finding.place.line);
        return Err(Refusal::Forbidden(block, one_line(&format!("{place}: {}", finding.message))));
    }
    let terms = terms.as_ref().map_err(|why| Refusal::Impossible(block, one_line(why)))?;
    if !is_for_block(&item.block, terms) {
        return Err(Refusal::NotInspected(block));
    }
    match state.unsaved() {
        Some(why) => Err(Refusal::Unsaved(why)),
        None => Ok(terms),
    }
}

/// Whether the terms fit this kind of block: they are for its language, or for the file that it names.
fn is_for_block(block: &Block, terms: &Terms) -> bool {
    let speaks = block.current().language.as_ref() == Some(&terms.language);
    let runs_code = terms.executor.runs_code();
    match block.kind {
        BlockKind::Code { .. } | BlockKind::Call { .. } => speaks && runs_code && terms.target.is_none(),
        BlockKind::Load { .. } => speaks && runs_code && terms.target.is_some(),
        BlockKind::Install { .. } => speaks && terms.executor == ExecutorKind::Installer,
        BlockKind::Pull { .. } => speaks && terms.executor == ExecutorKind::Engine,
        BlockKind::Write { .. } | BlockKind::Edit { .. } | BlockKind::Read | BlockKind::List => {
            terms.target.is_some() && terms.executor == ExecutorKind::Files
        }
    }
}

/// The block, if it waits for a decision about this revision.
fn block_to_decide(state: &State, block: BlockId, revision: Revision) -> Result<&BlockItem, Refusal> {
    let open = state.transcript.blocks.get(&block).filter(|item| item.status == BlockStatus::Open);
    let Some(item) = open else { return Err(Refusal::NotWaiting(block)) };
    match state.phase {
        Phase::Deciding(first) if first == block => {}
        Phase::Deciding(first) => return Err(Refusal::Queued(block, first)),
        _ => return Err(Refusal::NotWaiting(block)),
    }
    if item.block.current().revision == revision { Ok(item) } else { Err(Refusal::Stale(block)) }
}

impl Engine {
    /// Says why an approval of the person is refused. If saving fails, the person may have made room meanwhile: saving
    /// is tried again, its result is told, and the block waits for another decision.
    pub(super) fn refuse(&mut self, refusal: &Refusal) {
        match refusal {
            Refusal::Unsaved(_) => self.retry_store(),
            _ => self.notify(refusal.notice()),
        }
    }

    /// Handles a decision of the person. It is refused unless it is about the block and revision that wait.
    pub(super) fn decide(&mut self, block: BlockId, revision: Revision, decision: Decision) {
        if let Err(refusal) = block_to_decide(&self.state, block, revision) {
            return self.notify(refusal.notice());
        }
        match decision {
            Decision::Approve { typed } => match check(&self.state, block, revision, typed) {
                Ok(()) => self.grant(block, revision, Grantor::Person { typed }),
                Err(refusal) => self.refuse(&refusal),
            },
            Decision::Always(scope) => self.grant_rule(block, revision, scope),
            Decision::Edit(source) => self.edit(block, revision, source),
            Decision::Reject(reason) => {
                self.turn.unreported_results = true;
                self.record(Entry::Rejected { block, revision, reason: reason.trim().to_owned() });
                self.set_aside(block, notices::rejected(block));
            }
            Decision::Skip => {
                self.record(Entry::Skipped { block, revision });
                self.set_aside(block, notices::skipped(block));
            }
        }
    }

    /// The person decided that a block does not run: the next one follows.
    fn set_aside(&mut self, block: BlockId, notice: Notice) {
        self.settled(block);
        self.file_left(block);
        self.notify(notice);
        if !self.rebuild_skipped(block) {
            self.advance();
        }
    }

    fn edit(&mut self, block: BlockId, revision: Revision, source: String) {
        let current = self.state.transcript.blocks.get(&block).map(|item| item.block.current());
        if let Some(version) = current.filter(|version| *version.source == *source) {
            let notice = notices::unchanged(block, version.whole);
            return self.notify(notice);
        }
        self.record(Entry::Edited {
            block,
            revision: revision.next(),
            source: Arc::from(source),
            whole: true,
        });
        self.inspect_edit(block);
    }

    /// Skips every block that is not settled; a run goes on.
    pub(super) fn skip_all(&mut self) {
        if !matches!(self.state.phase, Phase::Deciding(_) | Phase::Running(_)) {
            return;
        }
        let count = self.skip_open();
        if count > 0 {
            self.notify(notices::all_skipped(count));
            self.advance();
        }
    }

    /// Records every unsettled block as skipped; returns how many.
    pub(super) fn skip_open(&mut self) -> usize {
        self.drop_rebuild();
        let open: Vec<_> = self.state.queue().map(|i| (i.block.id, i.block.current().revision)).collect();
        for (block, revision) in &open {
            self.record(Entry::Skipped { block: *block, revision: *revision });
            self.settled(*block);
            self.file_left(*block);
        }
        open.len()
    }

    /// Runs the block that waits if the policy allows that without asking. The gate still applies. Two things always
    /// wait for the person: a link that leads the file's path outside of the folder, and a sandbox that confines
    /// nothing although the person did not ask for that.
    pub(super) fn apply_policy(&mut self) {
        let Phase::Deciding(block) = self.state.phase else { return };
        let policy = self.settings.policy;
        let Some(inspected) = self.state.inspected(block) else { return };
        if self.state.live.foreign
            || policy == Policy::Ask
            || policy.judge(&inspected.review) != Verdict::Allow
        {
            return;
        }
        let Ok(terms) = &inspected.terms else { return };
        // For code, a path that leads outside is only a finding.
        let is_grave_link = |f: &Finding| f.rule == "file.link" && f.severity > Severity::Info;
        let leads_outside = inspected.review.findings.iter().any(is_grave_link)
            || terms.target.as_ref().is_some_and(Target::led_outside);
        if terms.is_unconfined() && !self.settings.unconfined || leads_outside {
            return;
        }
        if let Some(item) = self.state.transcript.blocks.get(&block) {
            self.grant_if_ready(block, item.block.current().revision, Grantor::Flag);
        }
    }

    /// Grants a block for which the person decided before (by flag, rule, memory or name); if the gate refuses, the
    /// block waits.
    pub(super) fn grant_if_ready(&mut self, block: BlockId, revision: Revision, by: Grantor) {
        if gate(&self.state, block, revision, by).is_ok() {
            self.grant(block, revision, by);
        }
    }

    /// Makes the run. The decision is recorded first; the driver syncs it to disk before it starts the run.
    pub(super) fn grant(&mut self, block: BlockId, revision: Revision, by: Grantor) {
        let Ok(terms) = gate(&self.state, block, revision, by).cloned() else { return };
        let Some(version) = self.state.transcript.blocks.get(&block).map(|item| item.block.current()) else {
            return;
        };
        let source = version.source.clone();
        let run = self.last_ids.run.next();
        let approval = Approval::grant(run, (block, revision), &source, terms.clone(), by, self.now);
        let sha256 = approval.sha256();
        let Ok(request) = RunRequest::new(approval, source) else { return };
        let request = request.named(self.name_of(block).filter(|_| by == Grantor::CommandLine));
        self.last_ids.run = run;
        self.remember_file(block, sha256, &terms);
        self.rebuild_started(block);
        self.turn.unreported_results = true;
        self.state.phase = Phase::Running(run);
        self.state.live.run = Some(LiveRun {
            run,
            block,
            since: self.now,
            output: OutputBuffer::new(terms.limits.output_kept_bytes),
            wall_ms: terms.limits.wall_ms,
            counted_from: (self.now, 0),
            ..LiveRun::default()
        });
        self.record(Entry::Approved { run, block, revision, sha256, terms, by });
        let protected = self.protected_files();
        // `StartRun` comes first: it takes what the driver holds for the block, and `Settled` is the order to release
        // that (the driver ignores it for an approved block).
        self.effects.push(Effect::StartRun { request: Box::new(request), protected });
        self.settled(block);
    }

    pub(super) fn settled(&mut self, block: BlockId) {
        if let Some(named) = &mut self.turn.named {
            named.settled(block);
        }
        self.effects.push(Effect::Settled(block));
    }
}
