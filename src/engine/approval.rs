//! Decisions about blocks, and the one gate through which a block becomes a run.
//!
//! This is the only file that grants an [`Approval`]. What the gate asks for is told by [`check`], so that front ends
//! can say why a block is locked in the same words in which it would be refused.

use super::rules::RuleMismatch;
use super::state::{InspectionResult, LiveRun};
use super::transcript::{BlockItem, BlockStanding};
use super::{Effect, Engine, Phase, State, notices};
use crate::domain::{
    Approval, Block, BlockId, BlockKind, CountedTime, Decision, Entry, ExecutorKind, Finding, Grantor,
    Notice, OutputBuffer, Policy, Readiness, Revision, RunRequest, SandboxLevel, Severity, Target, Terms,
    Verdict,
};
use crate::text::line::one_line;
use std::sync::Arc;

/// Why a block can't be approved now. The text is for the status line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    /// It is settled, or not known.
    #[error("Block {0} does not wait for a decision.")]
    NotWaiting(BlockId),
    /// Another one comes first.
    #[error("Block {0} waits behind block {1}.")]
    Queued(BlockId, BlockId),
    /// What was on screen is not the newest revision.
    #[error("Block {0} was changed since. Look at the new text first.")]
    Stale(BlockId),
    /// The review or the terms are not there yet.
    #[error("Block {0} is still being checked.")]
    NotInspected(BlockId),
    #[error("Block {0} is empty: there is nothing to run.")]
    Empty(BlockId),
    /// Its end never arrived.
    #[error("Block {0} is incomplete: its end never arrived. e edits it, then it can be approved.")]
    Incomplete(BlockId),
    /// It names no language.
    #[error("Block {0} names no language. Choose one first.")]
    NeedsLanguage(BlockId),
    /// Its text does not say which file or folder is meant.
    #[error("Block {0} does not say what is meant: {1}. e edits it.")]
    Unclear(BlockId, String),
    /// It can't run on this machine, and why.
    #[error("Block {0} can't run here: {1}")]
    Impossible(BlockId, String),
    /// The session file can't be written: why, and what to do.
    #[error("{0}")]
    Unsaved(String),
    /// It has something that the person's configuration forbids, and what.
    #[error("Block {0} is forbidden: {1}. e edits it.")]
    Forbidden(BlockId, String),
    /// The rule that was chosen would not even cover this block, and why.
    #[error("Block {0} {1}. No rule was made.")]
    NoRule(BlockId, RuleMismatch),
    /// The word was not typed.
    #[error("Type run and press Enter to run it once.")]
    NotTyped,
}

impl Refusal {
    /// The same for the person.
    pub(super) fn notice(&self) -> Notice {
        Notice::warn(self.to_string())
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

/// Everything that the gate asks for but the typed word, and the terms under which the block would run.
pub(super) fn gate(
    state: &State,
    block: BlockId,
    revision: Revision,
    by: Grantor,
) -> Result<&Terms, Refusal> {
    let item = block_to_decide(state, block, revision)?;
    if item.block.is_unplaced() {
        return Err(Refusal::NotInspected(block));
    }
    match item.block.readiness() {
        Readiness::Ready => {}
        // A file with nothing in it was named like every other.
        Readiness::Empty if by == Grantor::Named => {}
        Readiness::NeedsLanguage => return Err(Refusal::NeedsLanguage(block)),
        Readiness::Incomplete => return Err(Refusal::Incomplete(block)),
        Readiness::Empty => return Err(Refusal::Empty(block)),
        Readiness::Unclear => {
            let why = item.block.unclear(item.block.current()).map(|why| one_line(&why.to_string()));
            return Err(Refusal::Unclear(block, why.unwrap_or_default()));
        }
    }
    let Some(InspectionResult { review, terms, .. }) = state.inspected(block) else {
        return Err(Refusal::NotInspected(block));
    };
    if let Some(finding) = review.findings.iter().find(|finding| finding.forbidden) {
        return Err(Refusal::Forbidden(block, one_line(&finding.message)));
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

/// Whether terms are those of this kind of block: of its language, or of the file that it names.
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

/// The block, if a decision about this revision of it is waited for.
fn block_to_decide(state: &State, block: BlockId, revision: Revision) -> Result<&BlockItem, Refusal> {
    let open = state.transcript.blocks.get(&block).filter(|item| item.standing == BlockStanding::Open);
    let Some(item) = open else { return Err(Refusal::NotWaiting(block)) };
    match state.phase {
        Phase::Deciding(first) if first == block => {}
        Phase::Deciding(first) => return Err(Refusal::Queued(block, first)),
        _ => return Err(Refusal::NotWaiting(block)),
    }
    if item.block.current().revision == revision { Ok(item) } else { Err(Refusal::Stale(block)) }
}

impl Engine {
    /// A decision of the person. It is refused when it speaks of anything but the block and revision that wait.
    pub(super) fn decide(&mut self, block: BlockId, revision: Revision, decision: Decision) {
        if let Err(refusal) = block_to_decide(&self.state, block, revision) {
            return self.notify(refusal.notice());
        }
        match decision {
            Decision::Approve { typed } => match check(&self.state, block, revision, typed) {
                Ok(()) => self.grant(block, revision, Grantor::Person { typed }),
                Err(refusal) => self.notify(refusal.notice()),
            },
            Decision::Always(scope) => self.grant_rule(block, revision, scope),
            Decision::Edit(source) => self.edit(block, revision, source),
            Decision::Reject(reason) => {
                self.turn.news = true;
                self.record(Entry::Rejected { block, revision, reason: reason.trim().to_owned() });
                self.settled(block);
                self.file_left(block);
                self.notify(notices::rejected(block));
                if !self.plan_left(block) {
                    self.advance();
                }
            }
            Decision::Skip => {
                self.record(Entry::Skipped { block, revision });
                self.settled(block);
                self.file_left(block);
                self.notify(notices::skipped(block));
                if !self.plan_left(block) {
                    self.advance();
                }
            }
        }
    }

    fn edit(&mut self, block: BlockId, revision: Revision, source: String) {
        let current = self.state.transcript.blocks.get(&block).map(|item| item.block.current());
        if current.is_some_and(|version| *version.source == *source) {
            return self.notify(notices::unchanged(block));
        }
        self.record(Entry::Edited {
            block,
            revision: revision.next(),
            source: Arc::from(source),
            whole: true,
        });
        self.look_at_edit(block);
    }

    /// Skips every block that is not settled; one that runs goes on.
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

    /// Records that every block which is not settled is skipped; returns how many those were.
    pub(super) fn skip_open(&mut self) -> usize {
        self.drop_plan();
        let open: Vec<_> = self.state.queue().map(|i| (i.block.id, i.block.current().revision)).collect();
        for (block, revision) in &open {
            self.record(Entry::Skipped { block: *block, revision: *revision });
            self.settled(*block);
            self.file_left(*block);
        }
        open.len()
    }

    /// Lets the block that waits run where policy allows that without asking. Whatever else keeps it from running
    /// keeps it waiting, and so do two things that only who sees them can mean: a link that leads its name outside, and a
    /// sandbox that was there at the start and holds nothing now.
    pub(super) fn apply_policy(&mut self) {
        let (policy, Phase::Deciding(block)) = (self.settings.policy, &self.state.phase) else { return };
        let block = *block;
        let Some(inspected) = self.state.inspected(block) else { return };
        if self.state.live.foreign
            || policy == Policy::Ask
            || policy.judge(&inspected.review) != Verdict::Allow
        {
            return;
        }
        let Ok(terms) = &inspected.terms else { return };
        let open = terms.executor.starts_programs() && terms.rights.sandbox.level == SandboxLevel::Off;
        // Of code, what leads outside is a remark that deserves a look.
        let led = |f: &Finding| f.rule == "file.link" && f.severity > Severity::Info;
        let led = inspected.review.findings.iter().any(led)
            || terms.target.as_ref().is_some_and(Target::led_outside);
        if open && !self.settings.unconfined || led {
            return;
        }
        let revision = inspected.revision;
        self.grant_if_ready(block, revision, Grantor::Flag);
    }

    /// Grants in somebody's name who said yes before; whatever keeps the block from running keeps it waiting.
    pub(super) fn grant_if_ready(&mut self, block: BlockId, revision: Revision, by: Grantor) {
        if gate(&self.state, block, revision, by).is_ok() {
            self.grant(block, revision, by);
        }
    }

    /// Makes the run. The decision is recorded first; the order that follows syncs it before anything starts.
    pub(super) fn grant(&mut self, block: BlockId, revision: Revision, by: Grantor) {
        let Ok(terms) = gate(&self.state, block, revision, by).cloned() else { return };
        let Some(version) = self.state.transcript.blocks.get(&block).map(|item| item.block.current()) else {
            return;
        };
        let source = version.source.clone();
        let run = self.counted.run.next();
        let approval = Approval::grant(run, (block, revision), &source, terms.clone(), by, self.now);
        let sha256 = approval.sha256();
        let Ok(request) = RunRequest::new(approval, source) else { return };
        let request = request.named(self.name_of(block).filter(|_| by == Grantor::Named));
        self.counted.run = run;
        self.remember_file(block, sha256, &terms);
        self.plan_runs(block);
        self.turn.news = true;
        self.state.phase = Phase::Running(run);
        self.state.live.run = Some(LiveRun {
            run,
            block,
            since: self.now,
            started: false,
            output: OutputBuffer::new(terms.limits.kept_bytes),
            screen: None,
            asks: false,
            images: Vec::new(),
            interrupted: None,
            killed: false,
            rss_bytes: 0,
            cpu_ms: 0,
            wall_ms: terms.limits.wall_ms,
            counted: CountedTime::Passing,
            counted_from: (self.now, 0),
        });
        self.record(Entry::Approved { run, block, revision, sha256, terms, by });
        let protected = self.protected_files();
        // The start takes what is held for the block; what is settled lets go of it.
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
