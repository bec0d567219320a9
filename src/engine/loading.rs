//! Messages and outputs that only the file has: they are loaded when a front end looks at them, when something is compared
//! with them or when a request tells them, and let go again when others are.

use super::effect::Effect;
use super::event::LoadedBody;
use super::transcript::{Body, LoadState};
use super::{Engine, Phase};
use crate::domain::{Notice, StepId};
use std::collections::{BTreeSet, VecDeque};

/// Bytes of texts that were looked at last and stay in memory.
const LOOKED_AT: usize = 16 << 20;

/// What goes on as soon as all that it tells is in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AwaitedRequest {
    /// The request of this step.
    Answer(StepId),
    /// The one for a summary.
    Summary,
}

impl Engine {
    /// The person looks at these: what of them only the file has is loaded.
    pub(super) fn load(&mut self, bodies: &[Body]) {
        self.loads.wanted = bodies.iter().copied().collect();
        self.ask_for(bodies);
    }

    /// Loads what of these only the file has.
    pub(super) fn ask_for(&mut self, bodies: &[Body]) {
        let mut asked = Vec::new();
        for &body in bodies {
            if let Some((entry, LoadState::Away)) = self.away(body) {
                self.note_load(body, LoadState::Loading);
                asked.push((body, entry));
            }
        }
        if !asked.is_empty() {
            self.effects.push(Effect::Load(asked));
        }
    }

    /// Loads messages that only the file has, for a request. `false`: none of them has to be waited for.
    pub(super) fn gather(&mut self, items: &[usize], request: AwaitedRequest) -> bool {
        let comes = |item: &usize| {
            let away = self.state.transcript.message_away(*item);
            away.is_some_and(|(_, out)| out.load != LoadState::Lost).then_some(Body::Message(*item))
        };
        let bodies: Vec<Body> = items.iter().filter_map(comes).collect();
        if bodies.is_empty() {
            return false;
        }
        self.ask_for(&bodies);
        self.loads.awaited = Some((request, bodies.into_iter().collect()));
        true
    }

    /// Goes on with a request once all that it tells is there, or can't be read. One that is not wanted any more is dropped.
    fn go_on_with_request(&mut self) {
        let Some((request, bodies)) = self.loads.awaited.take() else { return };
        if bodies.iter().any(|body| self.away(*body).is_some_and(|(_, load)| load != LoadState::Lost)) {
            self.loads.awaited = Some((request, bodies));
            return;
        }
        match request {
            AwaitedRequest::Answer(step) if self.state.phase == Phase::Replying(step) => self.ask_model(),
            AwaitedRequest::Answer(_) => {}
            AwaitedRequest::Summary => self.compact(),
        }
    }

    /// What was asked for has come, or can't be read.
    pub(super) fn loaded(&mut self, bodies: Vec<LoadedBody>) {
        let mut lost = None;
        for LoadedBody { body, result } in bodies {
            let taken = result.and_then(|entry| {
                let taken = self.state.transcript.page_in(body, entry);
                taken.ok_or_else(|| "another entry stands in its place".to_owned())
            });
            match taken {
                Ok(bytes) => {
                    self.loads.looked_at.push_back((body, bytes));
                    self.loads.bytes += bytes;
                }
                Err(why) => {
                    self.note_load(body, LoadState::Lost);
                    lost = Some((body, why));
                }
            }
        }
        match lost {
            Some((Body::Message(_), why)) => {
                self.notify(Notice::warn(format!("A message further up can't be read again: {why}.")));
            }
            Some((Body::Output(_), why)) => {
                self.notify(Notice::warn(format!("An earlier output can't be read again: {why}.")));
            }
            None => {}
        }
        self.go_on_with_request();
        self.let_go();
    }

    /// Lets go of what was looked at longest ago, where it is too much.
    fn let_go(&mut self) {
        while self.loads.bytes > LOOKED_AT {
            // What is looked at now stays, however much it is: it would be loaded again at once.
            let Loads { looked_at, wanted, awaited, .. } = &mut self.loads;
            let is_awaited = |body: &Body| awaited.as_ref().is_some_and(|(_, bodies)| bodies.contains(body));
            let is_needed =
                |body: &Body| wanted.contains(body) || is_awaited(body) || self.plan.compares(*body);
            let oldest = looked_at.iter().position(|(body, _)| !is_needed(body));
            let Some((body, bytes)) = oldest.and_then(|at| looked_at.remove(at)) else { return };
            self.loads.bytes = self.loads.bytes.saturating_sub(bytes);
            match body {
                Body::Message(item) => self.state.transcript.page_out(item),
                Body::Output(run) => {
                    if let Some(run) = self.state.transcript.run_mut(run) {
                        run.let_go();
                    }
                }
            }
        }
    }

    /// Which entry of the file has it, and whether it comes; `None`: it is in memory.
    fn away(&self, body: Body) -> Option<(u64, LoadState)> {
        match body {
            Body::Message(item) => {
                let (entry, out) = self.state.transcript.message_away(item)?;
                Some((entry, out.load))
            }
            Body::Output(run) => {
                let (entry, away) = self.state.transcript.run(run)?.1.away()?;
                Some((entry, away.load))
            }
        }
    }

    fn note_load(&mut self, body: Body, load: LoadState) {
        match body {
            Body::Message(item) => self.state.transcript.note_load(item, load),
            Body::Output(run) => {
                if let Some(run) = self.state.transcript.run_mut(run) {
                    run.note_load(load);
                }
            }
        }
    }
}

/// What was looked at, and what is now.
#[derive(Debug, Default)]
pub(super) struct Loads {
    /// What a front end looks at now.
    wanted: BTreeSet<Body>,
    /// What came, each with its bytes, the oldest first; and the bytes of all.
    looked_at: VecDeque<(Body, usize)>,
    bytes: usize,
    /// The request that waits for texts, and for which.
    awaited: Option<(AwaitedRequest, BTreeSet<Body>)>,
}

impl Loads {
    /// No request waits any more.
    pub(super) fn stop_waiting(&mut self) {
        self.awaited = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Entry, Finish, FinishReason, Header, SessionId, StepId, Timestamp, TurnEnd, Usage};
    use crate::engine::transcript::{Item, PagedTranscript, Transcript};
    use crate::engine::{Command, Event, Settings};

    const EACH: usize = 1 << 20;

    /// A session of so many replies of a megabyte each, and one short one.
    fn entries(replies: u32) -> Vec<(Timestamp, Entry)> {
        let header = Header {
            id: SessionId("s".into()),
            name: String::new(),
            created: Timestamp(0),
            cwd: "/w".into(),
            model: None,
            program: String::new(),
            branch_of: None,
        };
        let reply = |n: u32, text: String| Entry::Reply {
            step: StepId(n),
            text,
            reasoning: format!("thought {n}"),
            tool_calls: vec![],
            kept: vec![],
            finish: Finish { reason: FinishReason::Stop, word: None },
            usage: Usage::default(),
        };
        let mut entries =
            vec![Entry::Header(header), Entry::Prompt("first".into()), reply(1, "short".into())];
        for n in 0..replies {
            entries.push(Entry::Prompt("go on".into()));
            entries.push(reply(n + 2, format!("{n} {}", "x".repeat(EACH))));
            entries.push(Entry::TurnEnd(TurnEnd::Answered));
        }
        entries.into_iter().map(|entry| (Timestamp(1), entry)).collect()
    }

    fn resumed(entries: &[(Timestamp, Entry)]) -> Engine {
        let mut paged = PagedTranscript::default();
        paged.extend(entries.to_vec());
        Engine::resume(Settings::default(), paged.into(), Timestamp(2)).0
    }

    /// The items that are in the file alone, and the bytes of texts in memory.
    fn standing(engine: &Engine) -> (Vec<usize>, usize) {
        let items = engine.state().transcript.items.iter().enumerate();
        let replies = items.filter_map(|(at, item)| match item {
            Item::Reply(reply) => Some((at, reply)),
            _ => None,
        });
        let away = replies.clone().filter(|(_, reply)| reply.paged_out.is_some()).map(|(at, _)| at).collect();
        (away, replies.map(|(_, reply)| reply.text().len()).sum())
    }

    /// Looks at these items; what was asked of the file, answered from these entries.
    fn look(engine: &mut Engine, items: &[usize], entries: &[(Timestamp, Entry)]) -> usize {
        let effects = engine.handle(
            Event::User(Command::Load(items.iter().map(|item| Body::Message(*item)).collect())),
            Timestamp(3),
        );
        let asked: Vec<_> = effects
            .into_iter()
            .filter_map(|effect| if let Effect::Load(asked) = effect { Some(asked) } else { None })
            .flatten()
            .collect();
        let answer = |&(body, entry): &(Body, u64)| {
            let result = entries.get(entry as usize).map(|(_, entry)| entry.clone()).ok_or("gone".into());
            LoadedBody { body, result }
        };
        engine.handle(Event::Loaded(asked.iter().map(answer).collect()), Timestamp(4));
        asked.len()
    }

    #[test]
    fn the_newest_stay_and_the_others_come_when_they_are_looked_at() {
        let entries = entries(60);
        let mut engine = resumed(&entries);
        let (away, bytes) = standing(&engine);
        assert!(away.len() > 50 && bytes < 7 << 20, "{} {bytes}", away.len());
        assert!(away.contains(&1), "a short one too");
        let whole = Transcript::fold(entries.clone());
        for chunk in away.chunks(4) {
            assert_eq!(look(&mut engine, chunk, &entries), chunk.len());
            for at in chunk {
                let (Some(Item::Reply(now)), Some(Item::Reply(then))) =
                    (engine.state().transcript.items.get(*at), whole.items.get(*at))
                else {
                    panic!("replies");
                };
                assert_eq!(now.body, then.body);
            }
            let (_, bytes) = standing(&engine);
            assert!(bytes < 25 << 20, "what was looked at before is let go: {bytes}");
        }
        assert_eq!(look(&mut engine, &away[away.len() - 1..], &entries), 0, "it is there");
    }

    #[test]
    fn what_is_on_screen_stays_however_long_it_is() {
        let entries = entries(60);
        let mut engine = resumed(&entries);
        let (away, _) = standing(&engine);
        assert_eq!(look(&mut engine, &away, &entries), away.len());
        assert!(standing(&engine).0.is_empty());
        assert_eq!(look(&mut engine, &away, &entries), 0);
    }

    #[test]
    fn what_is_asked_for_is_asked_once_and_what_can_not_be_read_is_told_once() {
        let entries = entries(30);
        let mut engine = resumed(&entries);
        let at = standing(&engine).0[0];
        let load = |engine: &mut Engine| {
            engine.handle(Event::User(Command::Load(vec![Body::Message(at)])), Timestamp(3))
        };
        let asks = |effects: &[Effect]| effects.iter().any(|effect| matches!(effect, Effect::Load(_)));
        assert!(asks(&load(&mut engine)));
        assert!(!asks(&load(&mut engine)), "it is on its way");
        // Another entry than the one that was there is not taken for it.
        let other = entries[5].1.clone();
        let told = engine.handle(
            Event::Loaded(vec![LoadedBody { body: Body::Message(at), result: Ok(other) }]),
            Timestamp(4),
        );
        assert!(matches!(&told[..], [Effect::Notify(_)]), "{told:?}");
        assert_eq!(standing(&engine).0[0], at);
        assert!(!asks(&load(&mut engine)), "it can't be read");
    }

    /// What is asked of the file when something is said, in a context of so many tokens.
    fn submitted(entries: &[(Timestamp, Entry)], tokens: u64) -> (Engine, Vec<(Body, u64)>) {
        let settings = Settings { context_tokens: Some(tokens), ..Settings::default() };
        let mut paged = PagedTranscript::default();
        paged.extend(entries.to_vec());
        let mut engine = Engine::resume(settings, paged.into(), Timestamp(2)).0;
        let effects = engine.handle(Event::User(Command::Submit("and now".into())), Timestamp(3));
        assert!(!asks(&effects), "{effects:?}");
        let asked = effects.into_iter().filter_map(|effect| match effect {
            Effect::Load(asked) => Some(asked),
            _ => None,
        });
        (engine, asked.flatten().collect())
    }

    fn asks(effects: &[Effect]) -> bool {
        effects.iter().any(|effect| matches!(effect, Effect::Ask(_)))
    }

    fn loaded(
        engine: &mut Engine,
        asked: &[(Body, u64)],
        read: impl Fn(u64) -> Result<Entry, String>,
    ) -> Vec<Effect> {
        let bodies = asked.iter().map(|(body, entry)| LoadedBody { body: *body, result: read(*entry) });
        engine.handle(Event::Loaded(bodies.collect()), Timestamp(4))
    }

    const ANY: u64 = u64::MAX / 4;

    #[test]
    fn a_request_waits_for_what_it_tells_and_goes_out_once() {
        let entries = entries(30);
        let read = |entry: u64| Ok(entries[entry as usize].1.clone());
        let (mut engine, asked) = submitted(&entries, ANY);
        assert!(asked.len() > 20 && matches!(engine.state().phase(), Phase::Replying(_)));
        let (first, rest) = asked.split_at(7);
        assert!(!asks(&loaded(&mut engine, first, read)), "a part of it is no request");
        assert!(asks(&loaded(&mut engine, rest, read)));
        assert!(!asks(&loaded(&mut engine, rest, read)));
    }

    #[test]
    fn a_request_that_waits_can_be_stopped() {
        let entries = entries(30);
        let (mut engine, asked) = submitted(&entries, ANY);
        engine.handle(Event::User(Command::Stop), Timestamp(4));
        assert_eq!(*engine.state().phase(), Phase::Idle);
        assert!(!asks(&loaded(&mut engine, &asked, |entry| Ok(entries[entry as usize].1.clone()))));
    }

    #[test]
    fn a_conversation_that_is_too_long_or_can_not_be_read_is_not_sent_in_part() {
        let entries = entries(60);
        let (engine, asked) = submitted(&entries, 200_000);
        assert!(asked.is_empty(), "nothing is read for it");
        let Phase::Stuck(failure) = engine.state().phase() else { panic!("it is stuck") };
        assert!(failure.message.contains("of 200,000 tokens"), "{}", failure.message);
        let (mut engine, asked) = submitted(&entries, ANY);
        assert!(!asks(&loaded(&mut engine, &asked, |_| Err("gone".into()))));
        let Phase::Stuck(failure) = engine.state().phase() else { panic!("it is stuck") };
        assert!(failure.message.contains("can't be read again"), "{}", failure.message);
    }
}
