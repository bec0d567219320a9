//! Tests that the random events reach everything that the properties are about.

use super::event_maker::event;
use super::{policy, settings, throws};
use crate::domain::sentences::running::ASKING_ABOUT_MODEL;
use crate::domain::{Revision, Timestamp};
use crate::engine::dialogue::WatchedEngine;
use crate::engine::{Effect, Engine, Event};

/// What the random events have to reach.
const CORNERS: &str = "\
     Idle, Replying StepId, Deciding BlockId, Running RunId, Asking StepLimit, Asking Repeated, \
     Stuck ReplyFailure, person original, person edited, person-typed original, person-typed edited, \
     flag original, rule original, started by a timer, RuleAdded, RuleRevoked, ok, failed, interrupted, \
     crashed, refused, not_started, answered, stopped, budget, Block write, Block read, Block list, \
     CallRefused, NoTools, Summary, Opinion, Instructions, Compacting StepId, Asking Budget, step_limit, \
     repeated, Reopened, LanguageChosen, Edited, Rejected, Skipped, KernelRestarted, \
     a request awaits the model";

fn corners() -> impl Iterator<Item = &'static str> {
    CORNERS.split(", ")
}

/// The random events reach everything in `CORNERS`: a property that never saw a run would prove nothing.
#[test]
fn the_throws_reach_every_corner() {
    use proptest::strategy::{Strategy as _, ValueTree as _};
    use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let mut seen = std::collections::BTreeMap::<String, u32>::new();
    let is_missed = |seen: &std::collections::BTreeMap<String, u32>, corner: &str| {
        seen.get(corner).is_none_or(|times| *times < 3)
    };
    for _ in 0..5_000 {
        if corners().all(|corner| !is_missed(&seen, corner)) {
            return;
        }
        let (policy, throws) = (policy(), throws()).new_tree(&mut runner).unwrap().current();
        let mut watched = WatchedEngine::new(Engine::new(settings(policy)), Vec::new());
        for throw in throws {
            let event = event(&watched, throw);
            let fired = matches!(event, Event::Timer(_));
            let effects = watched.send(event, Timestamp(1));
            if fired && effects.iter().any(|effect| matches!(effect, Effect::StartRun { .. })) {
                *seen.entry("started by a timer".into()).or_default() += 1;
            }
            let reply = watched.engine.state().live.reply.as_ref();
            if reply.is_some_and(|reply| reply.waits == Some(ASKING_ABOUT_MODEL)) {
                *seen.entry("a request awaits the model".into()).or_default() += 1;
            }
            let phase = format!("{:?}", watched.engine.state().phase);
            let phase = phase.split(|c: char| !c.is_alphanumeric()).take(2).collect::<Vec<_>>().join(" ");
            *seen.entry(phase.trim_end_matches(char::is_numeric).trim().to_owned()).or_default() += 1;
        }
        for (_, entry) in &watched.entries {
            let word = match entry {
                crate::domain::Entry::Approved { by, revision, .. } => {
                    format!("{} {}", by.as_str(), if *revision > Revision(1) { "edited" } else { "original" })
                }
                crate::domain::Entry::Ran { report, .. } => report.outcome.as_str().to_owned(),
                crate::domain::Entry::TurnEnd(end) => end.as_str().to_owned(),
                crate::domain::Entry::Block(block) => format!("Block {}", block.kind.as_str()),
                other => {
                    format!("{other:?}").split(|c: char| !c.is_alphanumeric()).next().unwrap().to_owned()
                }
            };
            *seen.entry(word).or_default() += 1;
        }
    }
    for corner in corners() {
        assert!(!is_missed(&seen, corner), "{corner} is hardly reached: {seen:#?}");
    }
}
