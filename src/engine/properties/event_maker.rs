//! Makes random events about existing blocks and runs, and now and then about others.

mod commands;
mod inspections;
mod replies;

use super::{PRICE, name};
use crate::domain::{
    BlockId, Chunk, DeadKernel, Decision, FailureKind, Finish, Instructions, KernelFate, KernelRef, Language,
    Limits, ModelInfo, OpinionReply, Outcome, ReplyEvent, Revision, RuleScope, RunEvent, RunId, RunReport,
    Stream, TimerId, Usage, samples,
};
use crate::engine::dialogue::{WatchedEngine, failure, report};
use crate::engine::state::Countdown;
use crate::engine::{Command, Event, Phase, StoreEvent};

pub(super) const REPLIES: &[&str] = &[
    "```python\nprint(1)\n```\n",
    "```python\nprint(1)\n```\nand\n```bash\nls\n```\nand\n```python\nprint(2)\n```\n",
    "Just words.",
    "```\nno language\n```\n",
    "```python\nprint('never closed",
    "```python\n   \n```\n",
    "",
    "<tool_call>{\"name\": \"list_files\", \"arguments\": {}}</tool_call>\n",
    "<think>\n```bash\nls\n```\n</think>\nSo.",
];
const SOURCES: &[&str] = &["print(1)\n", "print(3)\n", "", "  \n", "print(1)\r\n"];

/// A random event: its kind, and two numbers that choose its content.
pub(super) type EventNumbers = (u8, u8, u8);

/// Makes the event. How often a kind occurs below sets its probability.
pub(super) fn event(watched: &WatchedEngine, (kind, a, b): EventNumbers) -> Event {
    let aim = EventMaker { watched, a: usize::from(a), b: usize::from(b) };
    if kind >= 80 {
        return aim.fitting();
    }
    match kind % 40 {
        0..=2 => Event::User(Command::Submit(["x", "y", " "][aim.a % 3].into())),
        3..=5 => aim.reply(ReplyEvent::Delta(pick(REPLIES, aim.b).into())),
        6..=9 => aim.reply(ReplyEvent::Finished(Finish { reason: aim.reason(), word: None })),
        10 => aim.reply(aim.other_reply()),
        11 if aim.b.is_multiple_of(3) => aim.reply(ReplyEvent::Failed(failure(FailureKind::NoTools))),
        11 => aim.reply(ReplyEvent::Failed(failure(FailureKind::Cut))),
        12..=17 => aim.inspected(),
        18..=23 => aim.decide(Decision::Approve { typed: !aim.b.is_multiple_of(4) }),
        24 => aim.decide(Decision::Edit(pick(SOURCES, aim.b).into())),
        25 => aim.decide(Decision::Reject("no".into())),
        26 => aim.decide(Decision::Skip),
        27 => aim.run(RunEvent::Started),
        28 => aim.run(RunEvent::Output(Chunk::new(Stream::Stdout, vec![b'x'; 9]))),
        29..=32 => aim.run(RunEvent::Ended(Box::new(aim.report()))),
        33 => Event::User(Command::Reopen(aim.block())),
        34 => Event::User(Command::ChooseLanguage { block: aim.block(), language: aim.language() }),
        35 => {
            if aim.a % 4 == 1 {
                return Event::User(Command::ToggleTerminal(aim.block()));
            }
            if aim.a.is_multiple_of(4) {
                return Event::User(Command::ToggleNewKernel(aim.block()));
            }
            let limits = Limits { wall_ms: aim.b as u64 % 3, ..Limits::default() };
            Event::User(Command::SetLimits { block: aim.block(), limits })
        }
        36 => Event::Store(if aim.a.is_multiple_of(3) {
            StoreEvent::Failed("full".into())
        } else {
            StoreEvent::Recovered
        }),
        37 => match aim.a % 8 {
            0 if aim.b.is_multiple_of(3) => Event::KernelWarning("away".into()),
            0 => Event::KernelDied(DeadKernel::of_python("signal 9")),
            1 => Event::Timer(aim.timer()),
            2 => Event::User(Command::RestartKernel),
            3 => aim.known(),
            4 => Event::Instructions(aim.instructions()),
            5 => Event::AskingAboutModel(name()),
            _ => aim.opinion_arrived(),
        },
        _ => Event::User(aim.command()),
    }
}

fn pick<'a>(from: &[&'a str], at: usize) -> &'a str {
    from[at % from.len()]
}

/// Makes events about existing blocks and runs, and now and then about others.
struct EventMaker<'a> {
    watched: &'a WatchedEngine,
    a: usize,
    b: usize,
}

impl EventMaker<'_> {
    fn phase(&self) -> &Phase {
        &self.watched.engine.state().phase
    }

    /// An event that makes sense now: without these, most sessions would end before anything has run.
    fn fitting(&self) -> Event {
        if self.awaits_model() && !self.b.is_multiple_of(4) {
            return self.known();
        }
        match self.phase() {
            Phase::Idle if self.b.is_multiple_of(3) => Event::User(Command::Reopen(self.block())),
            Phase::Idle if self.b % 5 == 1 => Event::User(self.files()),
            Phase::Idle => Event::User(Command::Submit("x".into())),
            Phase::Replying(_) => {
                let reply = self.watched.engine.state().live.reply.as_ref();
                let calls = reply.map_or(0, |reply| reply.calls.len());
                if calls < 3 && self.b % 4 == 3 {
                    self.reply(self.call())
                } else if reply.is_some_and(|reply| reply.text.is_empty()) && !self.b.is_multiple_of(5) {
                    self.reply(ReplyEvent::Delta(pick(&REPLIES[..5], self.b).into()))
                } else {
                    self.reply(ReplyEvent::Finished(Finish { reason: self.reason(), word: None }))
                }
            }
            Phase::Deciding(_) if self.announced().is_some() && !self.b.is_multiple_of(3) => {
                self.announced().unwrap_or(Event::Timer(TimerId(1)))
            }
            Phase::Deciding(block) => match self.watched.engine.state().inspected(*block) {
                None => self.inspected(),
                Some(_) => match self.b % 8 {
                    0 => self.decide(Decision::Edit(pick(SOURCES, self.a / 8).into())),
                    1 => Event::User(Command::ChooseLanguage { block: *block, language: Language::python() }),
                    2 => self.decide(Decision::Approve { typed: false }),
                    3 => self.decide(Decision::Skip),
                    4 => self.decide(Decision::Always(RuleScope::ALL[self.a / 3 % 3])),
                    _ => self.decide(Decision::Approve { typed: true }),
                },
            },
            Phase::Running(_) if self.b.is_multiple_of(3) => self.run(RunEvent::Started),
            Phase::Running(_) => self.run(RunEvent::Ended(Box::new(self.report()))),
            Phase::Asking(_) if self.b.is_multiple_of(2) => Event::User(Command::EndTurn),
            Phase::Asking(_) => Event::User(Command::Continue),
            Phase::Stuck(_) if self.b.is_multiple_of(3) => Event::User(Command::Compact),
            Phase::Stuck(_) => Event::User(Command::Retry),
            Phase::Compacting(_) => {
                let summary = self.watched.engine.state().live.summary.as_ref();
                if summary.is_some_and(|summary| summary.text.is_empty()) && !self.b.is_multiple_of(5) {
                    self.reply(ReplyEvent::Delta("They wanted x.".into()))
                } else {
                    self.reply(ReplyEvent::Finished(Finish { reason: self.reason(), word: None }))
                }
            }
        }
    }

    /// Whether a request or a summary waits for what is known of the model.
    fn awaits_model(&self) -> bool {
        let live = &self.watched.engine.state().live;
        live.awaits_summary || live.reply.as_ref().is_some_and(|reply| reply.waits.is_some())
    }

    /// An event that makes sense while a rule covers the block that waits.
    fn announced(&self) -> Option<Event> {
        let matched = self.watched.engine.state().live.matched.as_ref()?;
        let (block, revision) = (matched.block, matched.revision);
        if self.b % 3 == 1 {
            return Some(Event::User(Command::RevokeRule(matched.rule)));
        }
        Some(match matched.countdown {
            Countdown::NotShown => Event::User(Command::OnScreen { block, revision, seen: true }),
            Countdown::Since(_, timer) => Event::Timer(timer),
        })
    }

    /// The id of the timer that was set last, or one before it.
    fn timer(&self) -> TimerId {
        let matched = self.watched.engine.state().live.matched.as_ref();
        let set = matched.and_then(|matched| match matched.countdown {
            Countdown::Since(_, timer) => Some(timer.0),
            Countdown::NotShown => None,
        });
        TimerId(set.unwrap_or(1).saturating_sub(self.b as u32 % 2))
    }

    fn block(&self) -> BlockId {
        match self.phase() {
            Phase::Deciding(block) if !self.a.is_multiple_of(4) => *block,
            _ => {
                let last = self.watched.engine.state().transcript.blocks.keys().next_back();
                BlockId(self.a as u32 % (last.map_or(0, |b| b.0) + 2))
            }
        }
    }

    fn revision(&self, block: BlockId) -> Revision {
        let current = self.watched.engine.state().transcript.blocks.get(&block);
        let current = current.map_or(Revision(1), |item| item.block.current().revision);
        if self.a % 8 == 1 { Revision(current.0.saturating_sub(1)) } else { current }
    }

    fn language(&self) -> Language {
        Language(["python", "bash", "cobol"][self.b % 3].into())
    }

    fn decide(&self, decision: Decision) -> Event {
        let block = self.block();
        Event::User(Command::Decide { block, revision: self.revision(block), decision })
    }

    fn run(&self, event: RunEvent) -> Event {
        let going = self.watched.engine.state().live.run.as_ref().map_or(RunId(1), |run| run.run);
        Event::Run(if self.a.is_multiple_of(8) { RunId(going.0.saturating_sub(1)) } else { going }, event)
    }

    fn report(&self) -> RunReport {
        let outcome = match self.b % 8 {
            0 => Outcome::Failed,
            1 => Outcome::Interrupted,
            2 if self.a % 4 == 2 => Outcome::NotStarted("full".into()),
            2 => Outcome::Refused("changed".into()),
            3 => Outcome::Crashed("signal 11".into()),
            _ => Outcome::Ok,
        };
        let kernel = match self.b % 3 {
            0 => KernelFate::None,
            1 => KernelFate::Lost(KernelRef::default()),
            _ => KernelFate::Kept(KernelRef { generation: 1, variables: 3, keeps_running: false }),
        };
        RunReport { kernel, ..report(outcome) }
    }

    /// An event about a model: the one in use, or another.
    fn known(&self) -> Event {
        let model = self.watched.engine.state().transcript.model.clone();
        let model = model.filter(|_| !self.b.is_multiple_of(4)).unwrap_or_else(name);
        let context = [None, Some(0), Some(40), Some(400), Some(100_000)][self.b % 5];
        let info = ModelInfo { context, price: Some(PRICE), ..ModelInfo::named(model) };
        Event::ModelInfo(Box::new(info))
    }

    fn instructions(&self) -> Vec<Instructions> {
        let text = ["use tabs", "be brief"][self.b % 2];
        let file = samples::instructions("/p/AGENTS.md", text, self.b.is_multiple_of(3));
        [Vec::new(), vec![file]][usize::from(self.b > 60)].clone()
    }

    fn opinion_arrived(&self) -> Event {
        let block = self.block();
        let text = match self.b % 3 {
            0 => Err("too late".into()),
            1 => Ok("no JSON".into()),
            _ => Ok("{\"risk\":\"low\",\"reason\":\"r\",\"lines\":[1]}".into()),
        };
        let usage = Usage { input: Some(9), output: Some(9), ..Usage::default() };
        Event::OpinionArrived(
            block,
            self.revision(block),
            Box::new(OpinionReply {
                model: name(),
                text,
                usage,
                remarks: vec!["another model answers".into()],
            }),
        )
    }
}
