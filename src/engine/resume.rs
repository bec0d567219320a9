//! Resumes a session: restores from its entries where it stopped. Sends no request and runs nothing by itself.

use super::replying::{FAILED, STOPPED};
use super::transcript::{Item, Settlement, task};
use super::{Engine, LastIds, Phase, Transcript, notices};
use crate::domain::{Departure, Entry, FailureKind, Outcome, ReplyFailure, RunId, StepId, TimerId, TurnEnd};

/// Where a session without open blocks stopped.
#[derive(Debug, PartialEq)]
enum ResumePoint {
    Idle,
    /// In a turn whose end was not recorded.
    Over(TurnEnd),
    /// In a turn whose next reply never arrived.
    Unanswered,
}

impl Engine {
    /// Takes over the folded entries: ids go on, runs without an end are lost, blocks wait again.
    pub(super) fn resume_turn(&mut self) {
        let unfinished: Vec<_> = self
            .state
            .transcript
            .blocks
            .values()
            .filter(|item| item.runs.iter().any(|run| run.ended.is_none() && !run.lost))
            .map(|item| item.block.id)
            .collect();
        let rules = self.state.transcript.rules_in_force().count();
        let is_new_branch = self.state.transcript.is_branch_as_it_began();
        self.record(Entry::Resumed);
        let transcript = &self.state.transcript;
        self.last_ids = highest_ids(transcript);
        let turn = open_turn(transcript);
        self.turn.active = !turn.is_empty();
        let step = settled_since_reply(transcript, turn);
        (self.turn.unreported_results, self.turn.run_was_stopped) =
            (step.unreported_results, step.run_was_stopped);
        for item in turn {
            let Item::Reply(reply) = item else { continue };
            self.state.live.steps = self.state.live.steps.saturating_add(1);
            for item in reply.blocks.iter().filter_map(|id| transcript.blocks.get(id)) {
                self.turn.proposed.count(&item.block);
            }
        }
        let place = resume_point(turn, &step);
        self.resume_files();
        self.reopen_workflow();
        // The message about a new branch comes from whoever made it and should stay on screen; the conversation says
        // anyway that the variables are gone.
        let nothing_lost = unfinished.is_empty() && rules == 0;
        let has_run = self.state.transcript.blocks.values().any(|item| !item.runs.is_empty());
        if has_run && !(is_new_branch && nothing_lost) {
            self.notify(notices::resumed(&unfinished, rules));
        }
        self.wait_again(place);
    }

    fn wait_again(&mut self, place: ResumePoint) {
        let open: Vec<_> = self.state.queue().map(|item| item.block.id).collect();
        self.inspect_ahead(&open);
        if !open.is_empty() {
            return self.advance();
        }
        match place {
            _ if self.turn.workflow.is_some() && !self.turn.run_was_stopped => self.resume_workflow(),
            ResumePoint::Idle => {}
            ResumePoint::Over(end) => self.finish(end),
            ResumePoint::Unanswered => {
                self.state.phase = unanswered(CLOSED_BEFORE_REPLY);
            }
        }
    }
}

/// Why a reply never arrived, if the person left or the program ended.
pub(super) const CLOSED_BEFORE_REPLY: &str = "The session was closed before the reply came.";

/// The phase of a turn whose reply never arrived: the person may ask again.
pub(super) fn unanswered(message: &str) -> Phase {
    Phase::Stuck(ReplyFailure {
        kind: FailureKind::Cut,
        status: None,
        message: message.into(),
        hint: "r asks again".into(),
        departure: Departure::Unknown,
    })
}

/// The highest ids in a transcript.
fn highest_ids(transcript: &Transcript) -> LastIds {
    let replies = transcript.items.iter().filter_map(Item::reply).map(|reply| reply.step);
    let of_blocks = transcript.blocks.values().map(|item| item.block.step);
    let runs = transcript.blocks.values().flat_map(|item| item.runs.iter().map(|run| run.run));
    LastIds {
        step: replies.chain(of_blocks).max().unwrap_or(StepId(0)),
        block: transcript.blocks.keys().next_back().copied().unwrap_or_default(),
        run: runs.max().unwrap_or(RunId(0)),
        timer: TimerId(0),
    }
}

/// The items of the unfinished turn, from its prompt on; empty if there is none.
fn open_turn(transcript: &Transcript) -> &[Item] {
    task(&transcript.items).and_then(|at| transcript.items.get(at..)).unwrap_or_default()
}

/// What was settled after the last reply.
#[derive(Debug, Default)]
struct SettledSinceReply {
    unreported_results: bool,
    run_was_stopped: bool,
}

fn settled_since_reply(transcript: &Transcript, turn: &[Item]) -> SettledSinceReply {
    let behind = transcript.items.len() - turn.len();
    let replied = turn.iter().rposition(|item| matches!(item, Item::Reply(_)));
    let since = replied.map_or(behind + 1, |at| behind + at + 1);
    // Calls that became no block are reported to the model like settled blocks.
    let unreported_results = match replied.and_then(|at| turn.get(at)) {
        Some(Item::Reply(reply)) => !reply.refused.is_empty() && reply.finish.reason.complete(),
        _ => false,
    };
    let mut step = SettledSinceReply { unreported_results, run_was_stopped: false };
    for settled in transcript.settled.iter().filter(|settled| settled.after >= since) {
        step.unreported_results = true;
        let Settlement::Ran(run) = settled.what else { continue };
        let Some((_, run)) = transcript.run(run) else { continue };
        step.run_was_stopped |=
            run.lost || run.ended.as_ref().is_some_and(|(_, report)| is_halting(&report.outcome));
    }
    step
}

fn is_halting(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Interrupted | Outcome::Refused(_) | Outcome::NotStarted(_))
}

fn resume_point(turn: &[Item], step: &SettledSinceReply) -> ResumePoint {
    let reply = turn.iter().rev().find_map(Item::reply);
    let word = reply.and_then(|reply| reply.finish.word.as_deref());
    match reply {
        _ if turn.is_empty() => ResumePoint::Idle,
        None => ResumePoint::Unanswered,
        Some(_) if step.run_was_stopped => ResumePoint::Over(TurnEnd::Stopped),
        Some(_) if step.unreported_results => ResumePoint::Unanswered,
        Some(reply) if !reply.finish.reason.complete() && word == Some(FAILED) => ResumePoint::Unanswered,
        Some(reply) if !reply.finish.reason.complete() && word == Some(STOPPED) => {
            ResumePoint::Over(TurnEnd::Stopped)
        }
        Some(reply) if reply.blocks.is_empty() => ResumePoint::Over(TurnEnd::Answered),
        Some(_) => ResumePoint::Over(TurnEnd::Stopped),
    }
}
