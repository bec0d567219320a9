//! Scripted sessions: each path through a session.

mod approving;
mod running;
mod stopping;

use super::*;
use crate::domain::{
    DeadKernel, Decision, ExecutorKind, Language, Limits, Policy, Revision, Rights, RunEvent, Stream, Terms,
    Variable,
};
use crate::engine::state::Question;
use crate::engine::{Inspection, Phase};

const ONE: &str = "First this.\n```python\nprint(1)\n```\nThen more.\n";
const THREE: &str = "```python\na = 1\n```\nand\n```python\nb = 2\n```\nand\n```bash\nls\n```\n";

fn ok() -> Outcome {
    Outcome::Ok
}

/// Settings of somebody who asked for no sandbox.
fn unconfined(policy: Policy) -> Settings {
    Settings { policy, unconfined: true, ..Settings::default() }
}

// One turn.

#[test]
fn a_turn_from_prompt_to_answer() {
    let mut d = Dialogue::new();
    assert_eq!(d.user("plot x"), "+prompt, +named plot-x, ask s1 | replying s1");
    assert_eq!(d.delta(ONE), "prewarm python | replying s1");
    assert_eq!(d.finish(FinishReason::Stop), "+reply stop, +block 1, look 1.1, prewarm python | deciding 1");
    assert_eq!(d.word(1), "WAITING");
    assert_eq!(d.inspected_ok(1), "+review 1.1 | deciding 1");
    assert_eq!(d.type_run(1), "+approved r1 1.1 person-typed, start r1 | running r1");
    assert_eq!(d.word(1), "RUNNING");
    assert_eq!(d.started(1), "| running r1");
    assert_eq!(d.prints("1\n"), "| running r1");
    assert_eq!(d.ended(1, ok()), "+ran r1 ok, 'Block 1 done: exit 0, 0.8 s.', ask s2 | replying s2");
    assert_eq!(d.word(1), "DONE 0");
    assert_eq!(d.reply("It is 1."), "+reply stop, +end answered | idle");
    assert_eq!(d.user("thanks"), "+prompt, ask s3 | replying s3");
}

#[test]
fn the_second_request_holds_the_first_reply_and_its_result() {
    let mut d = Dialogue::after_reply(ONE);
    d.begins(1, 1);
    d.prints("1\n");
    d.ended(1, ok());
    let roles: Vec<_> = d.request().iter().map(|m| m.role).collect();
    use crate::domain::Role::{Assistant, User};
    assert_eq!(roles, [User, Assistant, User]);
    assert_eq!(d.request()[1].text, ONE);
    assert!(d.told().ends_with("Block 1 (python): exit 0, 0.8 s\nOutput:\n```text\n1\n```"), "{}", d.told());
}

#[test]
fn an_answer_without_blocks_ends_the_turn() {
    let mut d = Dialogue::after_prompt("hello");
    assert_eq!(d.reply("Hello.\n```json\n{}\n```\n"), "+reply stop, +end answered | idle");
}

#[test]
fn an_empty_prompt_is_none_and_an_empty_block_is_nothing_to_run() {
    let mut d = Dialogue::new();
    assert_eq!(d.user(" \n"), "| idle");
    d.user("x");
    assert_eq!(d.reply("```python\n\n```\n"), "+reply stop, +end answered | idle");
}

#[test]
fn three_blocks_are_settled_one_after_the_other() {
    let mut d = Dialogue::after_prompt("x");
    assert_eq!(
        d.reply(THREE),
        "+reply stop, +block 1, +block 2, +block 3, look 1.1, look 2.1, look 3.1, prewarm python | deciding 1"
    );
    assert_eq!([d.word(1), d.word(2), d.word(3)], ["WAITING", "QUEUED", "QUEUED"]);
    assert_eq!(d.inspected_ok(2), "+review 2.1 | deciding 1");
    assert_eq!(d.type_run(2), "'Block 2 waits behind block 1.' | deciding 1");
    // The first run changed the kernel: the second block has to be inspected again before it can be approved.
    d.runs(1, 1, ok())
        .is("+ran r1 ok, 'Block 1 done: exit 0, 0.8 s.', prewarm python, look 2.1 | deciding 2");
    assert_eq!(d.approve(2), "'Block 2 is still being checked.' | deciding 2");
    assert_eq!(d.inspected_ok(2), "| deciding 2", "the same review is not recorded twice");
    d.reject(2, "no")
        .is("+rejected 2, 'Block 2 rejected. Nothing ran.', prewarm bash, look 3.1 | deciding 3");
    assert_eq!(d.skip(3), "+skipped 3, 'Block 3 skipped. Nothing ran.', ask s2 | replying s2");
    assert_eq!([d.word(1), d.word(2), d.word(3)], ["DONE 0", "REJECTED", "SKIPPED"]);
}

#[test]
fn of_many_blocks_the_first_are_looked_at_and_the_others_when_they_wait() {
    let mut d = Dialogue::after_reply(&"```python\nx\n```\n".repeat(40).replace('x', "a = 1"));
    d.command(Command::Continue);
    let looked = |d: &Dialogue| d.state().live.blocks.len();
    assert_eq!((d.state().transcript.blocks.len(), looked(&d)), (40, 16));
    for block in 1..=16 {
        d.skip(block);
    }
    assert_eq!((d.state().phase.clone(), looked(&d)), (Phase::Deciding(BlockId(17)), 17));
    assert!(d.accepts(17).contains("start r1"));
}

// Limits.

/// A session that asks at its limit of two steps.
fn limited() -> Dialogue {
    let settings = Settings { step_limit: 2, repeat_limit: 9, ..Settings::default() };
    let mut d = Dialogue::with_reply(settings, ONE);
    d.runs(1, 1, ok());
    d.reply("```python\nprint(2)\n```\n");
    d.runs(2, 2, ok());
    d
}

#[test]
fn the_step_limit_asks() {
    let mut d = limited();
    assert_eq!(d.state().phase, Phase::Asking(Question::StepLimit(2)));
    assert_eq!(d.state().live.notice.as_ref().unwrap().text, "2 steps taken in this turn. Go on?");
    assert_eq!(d.user("later"), "'Queued. It is sent when this turn ends.' | asking after 2 steps");
    d.command(Command::EditQueued);
    assert_eq!(d.command(Command::Continue), "ask s3 | replying s3");
    assert!(d.told().contains("Block 2 (python): exit 0"));
    assert_eq!(d.reply("Done."), "+reply stop, +end answered | idle");
}

#[test]
fn the_turn_can_end_at_the_step_limit() {
    let mut d = limited();
    assert_eq!(d.command(Command::EndTurn), "+end step_limit | idle");
    assert_eq!(d.command(Command::EndTurn), "| idle");
    assert_eq!(d.command(Command::Continue), "| idle");
}

/// A session in which the same block was proposed three times.
fn repeated() -> Dialogue {
    let mut d = Dialogue::after_reply(ONE);
    d.runs(1, 1, ok());
    d.reply(ONE);
    d.runs(2, 2, ok());
    d.reply(ONE);
    d
}

#[test]
fn the_same_block_three_times_asks() {
    let mut d = repeated();
    assert_eq!(d.state().phase, Phase::Asking(Question::Repeated(BlockId(3), 3)));
    assert_eq!(d.type_run(3), "'Block 3 does not wait for a decision.' | asking: block 3 came 3 times");
    assert_eq!(d.command(Command::Continue), "prewarm python | deciding 3");
    assert!(d.runs(3, 3, ok()).ends_with("| replying s4"));
    assert!(d.reply(ONE).ends_with("| deciding 4"), "counting has started again");
}

#[test]
fn the_turn_can_end_at_a_repeated_block() {
    let mut d = repeated();
    assert_eq!(d.command(Command::EndTurn), "+skipped 3, +end repeated | idle");
}

#[test]
fn a_new_turn_counts_anew() {
    let mut d = Dialogue::after_reply(ONE);
    d.runs(1, 1, ok());
    d.reply(ONE);
    d.skip(2);
    d.user("again");
    assert!(d.reply(ONE).ends_with("| deciding 3"));
}

// Failures of the provider.

#[test]
fn a_failure_keeps_the_prompt_and_can_be_retried() {
    let mut d = Dialogue::after_prompt("x");
    assert_eq!(d.fail(FailureKind::NameNotFound), "'It broke.' | stuck name_not_found");
    assert_eq!(d.stop(), "| stuck name_not_found");
    assert_eq!(d.command(Command::Retry), "ask s2 | replying s2");
    assert_eq!(d.told(), "x");
    assert_eq!(d.state().live.steps, 1, "a repetition is no further step");
}

#[test]
fn a_cut_reply_stays_visible_and_is_not_a_part_of_the_next_request() {
    let mut d = Dialogue::after_prompt("x");
    d.delta("Well.\n```python\na\n```\nand th");
    assert_eq!(d.fail(FailureKind::Cut), "+reply failed, +block 1, +skipped 1, 'It broke.' | stuck cut");
    d.command(Command::Retry);
    assert_eq!(d.request().len(), 1);
    assert_eq!(d.told(), "x");
}

#[test]
fn a_block_of_a_cut_reply_can_be_put_back_and_then_its_reply_counts() {
    let mut d = Dialogue::after_prompt("x");
    d.delta("```python\na\n```\nand th");
    d.fail(FailureKind::Cut);
    assert_eq!(d.reopen_block(1), "+back 1, look 1.1, prewarm python | deciding 1");
    assert!(d.runs(1, 1, ok()).ends_with("ask s2 | replying s2"));
    assert_eq!(d.request().len(), 3);
    assert!(d.told().contains("Block 1 (python): exit 0"));
}

#[test]
fn a_new_prompt_ends_the_turn_that_is_stuck() {
    let mut d = Dialogue::after_prompt("x");
    d.user("queued");
    d.fail(FailureKind::Server);
    assert_eq!(d.user("y"), "+end failed, +prompt, ask s2 | replying s2");
    assert_eq!(d.told(), "x\n\nqueued\n\ny");
}

#[test]
fn a_stuck_turn_can_be_ended_and_the_queue_goes_on() {
    let mut d = Dialogue::after_prompt("x");
    d.user("queued");
    d.fail(FailureKind::Server);
    assert_eq!(d.command(Command::EndTurn), "+end failed, +prompt, ask s2 | replying s2");
}

#[test]
fn another_model_is_used_from_the_next_request_on() {
    let mut d = Dialogue::after_prompt("x");
    d.fail(FailureKind::Refused);
    let model = crate::domain::ModelName { provider: "ollama".into(), model: "qwen".into() };
    let line = d.command(Command::UseModel(model.clone()));
    let told = "'Replies come from ollama/qwen from here on.'";
    assert_eq!(line, format!("{told}, +model ollama/qwen, switch | stuck key_refused"));
    assert_eq!(d.state().transcript.model.as_ref(), Some(&model));
    // The session's own model is recorded once, whoever chooses it again.
    assert_eq!(d.send(Event::ModelSwitched(model)), "| stuck key_refused");
    d.command(Command::UseModel(d.state().transcript.model.clone().unwrap()))
        .is("'The model of this chat is ollama/qwen already.', switch | stuck key_refused");
    let other = crate::domain::ModelName { provider: "p".into(), model: "m".into() };
    d.send(Event::ModelSwitched(other))
        .is("'Replies come from p/m from here on.', +model p/m, switch | stuck key_refused");
    assert_eq!(d.command(Command::Rename("  plots ".into())), "+named plots | stuck key_refused");
    assert_eq!(d.command(Command::Rename("plots".into())), "| stuck key_refused");
}

// Stale events.

#[test]
fn stale_events_change_nothing() {
    let mut d = Dialogue::after_reply(ONE);
    d.inspected_ok(1);
    let step = StepId(1);
    let finish = Finish { reason: FinishReason::Stop, word: None };
    for event in [
        Event::Reply(step, ReplyEvent::Delta("```python\nevil()\n```\n".into())),
        Event::Reply(step, ReplyEvent::Finished(finish.clone())),
        Event::Reply(StepId(7), ReplyEvent::Failed(failure(FailureKind::Cut))),
        Event::Run(RunId(1), RunEvent::Started),
        Event::Run(RunId(1), RunEvent::Ended(Box::new(report(ok())))),
        Event::Timer(crate::domain::TimerId(1)),
        Event::Inspected(
            BlockId(1),
            Revision(1),
            Box::new(Inspection::new(review(Severity::High), Err("no".into()))),
        ),
        Event::Inspected(BlockId(5), Revision(1), Box::new(Inspection::new(Review::default(), Ok(terms())))),
    ] {
        let before = d.state().clone();
        assert_eq!(d.send(event.clone()), "| deciding 1", "{event:?}");
        assert_eq!(*d.state(), before, "{event:?}");
    }
    d.type_run(1);
    assert_eq!(d.ran(2, RunEvent::Ended(Box::new(report(ok())))), "| running r1");
    d.passes(1, ok());
    assert_eq!(d.ended(1, Outcome::Failed), "| replying s2", "a run ends once");
}

#[test]
fn a_stale_step_adds_nothing_to_the_next_reply() {
    let mut d = Dialogue::after_prompt("x");
    d.stop();
    d.user("y");
    d.delta("new");
    let late = ReplyEvent::Delta("old".into());
    assert_eq!(d.send(Event::Reply(StepId(1), late)), "| replying s2");
    assert_eq!(d.state().live.reply.as_ref().unwrap().text, "new");
}

#[test]
fn answers_that_crossed_do_not_open_the_gate_in_either_order() {
    for (first, second) in [(1, 2), (2, 1)] {
        let mut d = Dialogue::after_reply(ONE);
        d.edit(1, "print(2)\n");
        assert_eq!(d.answered(1, first), "| deciding 1");
        assert_eq!(d.type_run(1), "'Block 1 is still being checked.' | deciding 1");
        assert_eq!(d.answered(1, second), "look 1.2 | deciding 1");
        assert_eq!(d.type_run(1), "'Block 1 is still being checked.' | deciding 1");
        let told = "+review 1.2, 'Edited by you: 1 line. Checks ran again: no findings.' | deciding 1";
        assert_eq!(d.answered(1, 2), told);
        assert_eq!(d.answered(1, 1), "| deciding 1");
        assert_eq!(d.type_run(1), "+approved r1 1.2 person-typed, start r1 | running r1");
    }
}

// Putting back.

#[test]
fn putting_back_waits_its_turn_and_goes_to_the_front() {
    let mut d = Dialogue::after_reply(THREE);
    d.inspected_ok(1);
    assert_eq!(d.reopen_block(1), "| deciding 1", "it waits already");
    d.skip(1);
    assert_eq!(d.reopen_block(1), "+back 1, look 1.1, prewarm python | deciding 1");
    assert_eq!([d.word(1), d.word(2)], ["WAITING", "QUEUED"]);
    d.accepts(1);
    assert_eq!(d.reopen_block(1), "'Block 1 can be put back when this step is over.' | running r1");
    assert_eq!(d.reopen_block(9), "| running r1");
}

#[test]
fn a_block_that_ran_can_run_again_only_by_a_new_decision() {
    let mut d = Dialogue::after_reply(ONE);
    d.runs(1, 1, Outcome::Failed);
    d.reply("It failed.");
    assert_eq!(d.reopen_block(1), "+back 1, look 1.1, prewarm python | deciding 1");
    assert_eq!(d.approve(1), "'Block 1 is still being checked.' | deciding 1");
    assert_eq!(d.accepts(1), "+approved r2 1.1 person-typed, start r2 | running r2");
}

// Resuming, in every phase.

#[test]
fn resuming_between_turns() {
    let mut d = Dialogue::new();
    assert_eq!(d.reopen(), "| idle", "a session without an entry is a new one");
    d.user("x");
    d.reply("Hello.");
    assert_eq!(d.reopen(), "+resumed | idle");
    assert_eq!(d.user("y"), "+prompt, ask s2 | replying s2");
    assert_eq!(d.told(), "y", "there was nothing to lose");
}

#[test]
fn resuming_in_a_reply() {
    let mut d = Dialogue::after_prompt("x");
    d.delta("Wel");
    assert_eq!(d.reopen(), "+resumed | stuck cut");
    assert_eq!(d.command(Command::Retry), "ask s1 | replying s1");
    assert_eq!(d.told(), "x");
}

#[test]
fn resuming_while_a_block_waits() {
    let mut d = Dialogue::after_reply(THREE);
    d.inspected_ok(1);
    d.inspected_ok(2);
    d.skip(1);
    assert_eq!(d.reopen(), "+resumed, look 2.1, look 3.1, prewarm python | deciding 2");
    assert_eq!(d.type_run(2), "'Block 2 is still being checked.' | deciding 2");
    assert_eq!(d.inspected_ok(2), "| deciding 2", "its review is on record");
    assert_eq!(d.reject(2, ""), "+rejected 2, 'Block 2 rejected. Nothing ran.', prewarm bash | deciding 3");
    assert_eq!(d.skip(3), "+skipped 3, 'Block 3 skipped. Nothing ran.', ask s2 | replying s2");
}

#[test]
fn resuming_in_a_run_finds_it_lost_and_does_not_run_it_again() {
    let mut d = Dialogue::after_reply(ONE);
    d.begins(1, 1);
    let lost = "'Block 1 ran when the session was closed: LOST. Nothing was rerun. Variables are not kept.'";
    assert_eq!(d.reopen(), format!("+resumed, {lost}, +end stopped | idle"));
    assert_eq!(d.word(1), "LOST");
    assert_eq!(d.ended(1, ok()), "| idle");
    d.user("and now");
    assert!(d.told().contains("Block 1 (python): lost. sayso was closed while it ran"), "{}", d.told());
    assert!(d.told().contains("[The session was opened again"), "{}", d.told());
    assert!(d.told().ends_with("and now"));
    assert_eq!(d.reopen_block(1), "'Block 1 can be put back when this step is over.' | replying s2");
    d.reply("Well.");
    d.reopen_block(1);
    assert!(d.accepts(1).starts_with("+approved r2 1.1"));
}

#[test]
fn of_a_branch_only_what_it_lost_is_told_where_its_origin_was() {
    let mut d = Dialogue::after_reply(ONE);
    d.runs(1, 1, ok());
    assert_eq!(d.branch(), "+resumed | stuck cut", "the note of its origin stays");
    // After that it is a session like any other.
    assert_eq!(d.reopen(), "+resumed, 'Variables are not kept: the kernel is new.' | stuck cut");
    let mut d = Dialogue::after_reply(ONE);
    d.begins(1, 1);
    assert!(d.branch().contains("LOST"), "what is lost is told");
}

#[test]
fn resuming_in_a_run_with_others_behind_it() {
    let mut d = Dialogue::after_reply(THREE);
    d.accepts(1);
    d.reopen().ends("look 2.1, look 3.1, prewarm python | deciding 2");
    assert_eq!([d.word(1), d.word(2)], ["LOST", "WAITING"]);
    d.skip(2);
    assert!(d.skip(3).ends_with("+end stopped | idle"));
}

#[test]
fn resuming_while_the_model_had_to_be_asked() {
    let mut d = Dialogue::after_reply(ONE);
    d.runs(1, 1, ok());
    d.reopen().is("+resumed, 'Variables are not kept: the kernel is new.' | stuck cut");
    d.command(Command::Retry);
    d.told().has("Block 1 (python): exit 0").has("[The session was opened again");
}

#[test]
fn resuming_when_stuck_and_when_asked() {
    let mut d = Dialogue::after_prompt("x");
    d.delta("We");
    d.fail(FailureKind::Cut);
    assert_eq!(d.reopen(), "+resumed | stuck cut");
    let mut d = limited();
    assert!(d.reopen().ends_with("| stuck cut"));
    let mut d = repeated();
    assert!(d.reopen().ends_with("| deciding 3"));
}

#[test]
fn resuming_counts_repeated_blocks_and_steps_of_the_turn() {
    let mut d = Dialogue::after_reply(ONE);
    d.runs(1, 1, ok());
    d.reopen();
    d.command(Command::Retry);
    d.reply(ONE);
    d.runs(2, 2, ok());
    d.reply(ONE);
    assert_eq!(d.state().phase, Phase::Asking(Question::Repeated(BlockId(3), 3)));
    assert_eq!(d.state().live.steps, 2);
}

#[test]
fn resuming_a_turn_whose_end_was_not_written() {
    let mut d = Dialogue::after_reply("Done.");
    d.watched.entries.pop();
    assert_eq!(d.reopen(), "+resumed, +end answered | idle");
    let mut d = Dialogue::after_reply(ONE);
    d.skip(1);
    d.watched.entries.pop();
    assert_eq!(d.reopen(), "+resumed, +end stopped | idle");
}

#[test]
fn resuming_after_a_block_was_put_back_between_turns() {
    let mut d = Dialogue::after_reply(ONE);
    d.skip(1);
    d.reopen_block(1);
    assert_eq!(d.reopen(), "+resumed, look 1.1, prewarm python | deciding 1");
    assert_eq!(d.skip(1), "+skipped 1, 'Block 1 skipped. Nothing ran.' | idle");
}

#[test]
fn what_is_not_as_it_was_shown_is_asked_about_again_and_once_a_person_decided() {
    let mut d = Dialogue::after_reply("```python\nx = 1\n```\n");
    d.begins(1, 1);
    d.ended(1, Outcome::Refused("b leads elsewhere".into())).has("+back 1").ends("deciding 1").lacks("ask ");
    d.inspected_ok(1).lacks("start");
    d.type_run(1);
    assert!(d.passes(2, Outcome::Ok).contains("ask "));
}
