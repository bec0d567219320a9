//! Property tests: whatever the order of events, even a nonsensical one, the engine's invariants hold.
//!
//! [`WatchedEngine`] checks after every event that no run starts without a recorded decision about exactly those bytes
//! and terms by somebody who was asked, that every run ends once, that the transcript equals its folded entries, and
//! that the phase fits the state. The tests here feed it random events, most of them close to what could really come.

mod corners;
mod event_maker;

use super::cost::Prices;
use super::dialogue::WatchedEngine;
use super::replying::follow_all;
use super::{Engine, OpinionSettings, Settings};
use crate::domain::{Dialect, ModelName, Policy, Price, Severity, Timestamp};
use event_maker::{EventNumbers, REPLIES, event};
use proptest::prelude::*;

/// Cases of each property.
const CASES: u32 = 10_000;
/// The most events of a case.
const EVENTS: usize = 80;

const PRICE: Price = Price { input: 3_000, output: 9_000, cached: 0, cache_written: 0, long: None };

fn name() -> ModelName {
    ModelName { provider: "p".into(), model: "m".into() }
}

fn settings(policy: Policy) -> Settings {
    Settings {
        dialect: Some(Dialect::Tools),
        policy,
        unconfined: true,
        step_limit: 2,
        repeat_limit: 2,
        session_budget: Some(100_000),
        prices: Prices { own: [(name().to_string(), PRICE)].into(), ..Prices::default() },
        use_instructions: true,
        opinion: OpinionSettings { from: Some(Severity::Medium), model: None },
        ..Settings::default()
    }
}

fn policy() -> impl Strategy<Value = Policy> {
    prop_oneof![3 => Just(Policy::Ask), 1 => Just(Policy::Clean), 1 => Just(Policy::All)]
}

fn throws() -> impl Strategy<Value = Vec<EventNumbers>> {
    prop::collection::vec(any::<EventNumbers>(), 0..EVENTS)
}

proptest! {
    #![proptest_config(crate::test_cases::cases(CASES))]

    /// In no order of events does a run start without its recorded decision, or another check of [`WatchedEngine`]
    /// fail.
    #[test]
    fn any_order_of_events(policy in policy(), throws in throws()) {
        let mut watched = WatchedEngine::new(Engine::new(settings(policy)), Vec::new());
        for (now, throw) in throws.into_iter().enumerate() {
            let event = event(&watched, throw);
            watched.send(event, Timestamp(now as i64 * 100));
        }
        watched.replay();
    }

    /// The program dies at any moment, and the last entries may not be saved; the resumed session keeps the same
    /// invariants.
    #[test]
    fn any_order_of_events_with_resumes(
        policy in policy(),
        lives in prop::collection::vec((throws(), 0usize..6), 1..4),
    ) {
        let mut watched = WatchedEngine::new(Engine::new(settings(policy)), Vec::new());
        let mut now = 0;
        for (throws, torn) in lives {
            for throw in throws.into_iter().take(EVENTS / 2) {
                now += 100;
                let event = event(&watched, throw);
                watched.send(event, Timestamp(now));
            }
            let mut entries = std::mem::take(&mut watched.entries);
            entries.truncate(entries.len() - torn.min(entries.len()));
            watched = WatchedEngine::resume(settings(policy), entries, Timestamp(now)).0;
        }
        watched.replay();
    }

    /// A session file with damaged lines in the middle opens, and the session keeps the same invariants.
    #[test]
    fn a_damaged_session_opens(throws in throws(), holes in prop::collection::vec(any::<u16>(), 0..6), more in throws()) {
        let mut watched = WatchedEngine::new(Engine::new(settings(Policy::Ask)), Vec::new());
        for (now, throw) in throws.into_iter().enumerate() {
            let event = event(&watched, throw);
            watched.send(event, Timestamp(now as i64));
        }
        let mut entries = std::mem::take(&mut watched.entries);
        for hole in holes {
            if !entries.is_empty() {
                entries.remove(usize::from(hole) % entries.len());
            }
        }
        let (mut watched, _) = WatchedEngine::resume(settings(Policy::Ask), entries, Timestamp(1_000));
        for throw in more {
            let event = event(&watched, throw);
            watched.send(event, Timestamp(2_000));
        }
        watched.replay();
    }

    /// The live copy of a streaming reply equals the parser's segments, whatever the pieces.
    #[test]
    fn the_live_copy_follows_the_parser(
        parts in prop::collection::vec((0usize..9, 1usize..9), 0..12),
        tail in "[`\\n a-z~<>/-]{0,60}",
    ) {
        let mut text: String = parts.iter().map(|(at, _)| REPLIES[*at]).collect();
        text.push_str(&tail);
        let size = parts.first().map_or(3, |(_, size)| *size);
        let chars: Vec<char> = text.chars().collect();
        let pieces: Vec<String> = chars.chunks(size).map(|piece| piece.iter().collect()).collect();
        follow_all(&Settings::default(), &pieces);
    }
}
