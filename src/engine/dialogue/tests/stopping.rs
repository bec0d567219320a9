//! What stopping does in each phase, and messages that are queued.

use super::*;

#[test]
fn stopping_a_reply_keeps_its_text_and_shelves_its_blocks() {
    let mut d = Dialogue::after_prompt("x");
    d.delta("```python\na = 1\n```\nmore ```");
    let line = d.stop();
    assert_eq!(
        line,
        "cancel s1, +reply stopped, +block 1, +skipped 1, 'Stopped. What came of the reply is kept.', +end stopped | idle"
    );
    assert_eq!(d.reply("late"), "| idle", "what still comes is dropped");
    assert_eq!(d.reopen_block(1), "+back 1, look 1.1, prewarm python | deciding 1");
    d.begins(1, 1);
    let end = d.ended(1, ok());
    assert_eq!(end, "+ran r1 ok, 'Block 1 done: exit 0, 0.8 s.' | idle", "the model is not asked by itself");
    d.user("go on");
    assert!(d.told().contains("Block 1 (python): exit 0") && d.told().ends_with("go on"));
}

#[test]
fn stopping_before_anything_came_leaves_only_the_prompt() {
    let mut d = Dialogue::after_prompt("x");
    assert_eq!(d.stop(), "cancel s1, 'Stopped. Nothing had come of the reply.', +end stopped | idle");
}

/// The provider waits 18 s before it asks again.
fn waits_for_repetition(d: &mut Dialogue) {
    let failure = failure(FailureKind::RateLimit);
    d.replied(ReplyEvent::Retrying { attempt: 1, of: 5, wait_ms: 18_000, failure });
}

#[test]
fn stopping_a_wait_for_a_repetition_leaves_the_failure_and_the_prompt() {
    let mut d = Dialogue::after_prompt("x");
    waits_for_repetition(&mut d);
    let retry = d.state().live.reply.as_ref().and_then(|r| r.retry.clone()).unwrap();
    assert_eq!((retry.attempt, retry.of, retry.due), (1, 5, Timestamp(18_200)));
    assert_eq!(d.stop(), "cancel s1, 'It broke.' | stuck rate_limit");
    assert_eq!(d.command(Command::Retry), "ask s2 | replying s2");
}

#[test]
fn a_wait_for_a_repetition_can_be_cut_short() {
    let mut d = Dialogue::after_prompt("x");
    assert_eq!(d.command(Command::Retry), "| replying s1", "nothing is waited for");
    waits_for_repetition(&mut d);
    assert_eq!(d.command(Command::Retry), "cancel s1, ask s2 | replying s2");
}

#[test]
fn what_an_interrupt_leaves_running_is_named() {
    let mut d = Dialogue::after_reply(ONE);
    let bash = Terms { interpreter: "/usr/bin/bash".into(), kernel: None, ..terms() };
    d.accepts_under(1, bash);
    d.started(1);
    let sent =
        "interrupt r1, 'Interrupting. Still running: Ctrl-C again tells how to kill bash.' | running r1";
    assert_eq!(d.stop(), sent);
}

#[test]
fn stopping_a_run_interrupts_it_and_the_turn_ends_when_it_has_ended() {
    let mut d = Dialogue::after_reply(ONE);
    d.begins(1, 1);
    let sent = "interrupt r1, 'Interrupting. Still running: Ctrl-C again tells how to kill the kernel.' | running r1";
    assert_eq!(d.stop(), sent);
    assert_eq!(d.stop(), "| running r1", "too soon to insist");
    d.wait(500);
    assert_eq!(d.stop(), "'Kill block 1? k kill  Enter wait' | running r1");
    assert_eq!(d.command(Command::Kill), "kill r1 | running r1");
    d.ended(1, Outcome::Interrupted)
        .is("+ran r1 interrupted, 'Block 1 interrupted after 0.8 s.', +end stopped | idle");
    d.user("go on");
    assert!(d.told().contains("interrupted by the person after 0.8 s"));
}

#[test]
fn after_an_interrupt_the_other_blocks_still_wait_and_then_the_turn_ends() {
    let mut d = Dialogue::after_reply(THREE);
    d.begins(1, 1);
    d.stop();
    assert!(d.ended(1, Outcome::Interrupted).ends_with("| deciding 2"));
    d.skip(2);
    assert_eq!(d.reject(3, ""), "+rejected 3, 'Block 3 rejected. Nothing ran.', +end stopped | idle");
}

#[test]
fn a_block_that_ended_well_in_spite_of_the_interrupt_goes_on() {
    let mut d = Dialogue::after_reply(ONE);
    d.accepts(1);
    d.stop();
    assert!(d.ended(1, ok()).ends_with("| replying s2"));
}

#[test]
fn stopping_answers_no_block_and_no_question() {
    let mut d = Dialogue::after_reply(ONE);
    assert_eq!(d.stop(), "| deciding 1");
    d.skip(1);
    assert_eq!(d.stop(), "| idle");
    assert_eq!(d.command(Command::Kill), "| idle");
    let mut d = limited();
    assert_eq!(d.stop(), "| asking after 2 steps");
}

// The queue.

#[test]
fn a_prompt_in_a_turn_is_queued_and_sent_when_it_ends() {
    let mut d = Dialogue::after_prompt("x");
    assert_eq!(d.user("and y"), "'Queued. It is sent when this turn ends.' | replying s1");
    d.user("and z");
    assert_eq!(d.state().live.queued.as_ref().map(|prompt| prompt.text.as_str()), Some("and y\n\nand z"));
    assert_eq!(d.reply("Done."), "+reply stop, +end answered, +prompt, ask s2 | replying s2");
    assert_eq!(d.told(), "and y\n\nand z");
    assert_eq!(d.state().live.queued, None);
}

#[test]
fn a_queued_prompt_can_be_taken_back() {
    let mut d = Dialogue::after_reply(ONE);
    d.user("and y");
    assert_eq!(d.command(Command::EditQueued), "| deciding 1");
    assert_eq!(d.skip(1), "+skipped 1, 'Block 1 skipped. Nothing ran.', +end stopped | idle");
}

#[test]
fn once_the_person_leaves_nothing_is_asked_and_what_is_queued_stays_queued() {
    for outcome in [Outcome::Interrupted, ok()] {
        let mut d = Dialogue::after_reply(ONE);
        d.begins(1, 1);
        d.user("and y");
        d.command(Command::TypedCommand("ls".into()));
        assert_eq!(d.command(Command::Leave), "| running r1");
        d.user("and z").has("Not sent: you are leaving.");
        d.stop();
        d.ended(1, outcome).has("+ran r1").lacks("ask ").lacks("+prompt");
        assert_eq!(
            d.state().live.queued_texts(),
            (Some("and y\n\nand z".to_owned()), Some("!ls".to_owned()))
        );
        d.reopen();
        assert!(d.user("hello").contains("ask "), "the next process asks");
    }
}

#[test]
fn what_came_of_a_reply_is_recorded_when_the_person_leaves() {
    let mut d = Dialogue::after_prompt("x");
    d.delta("Once upon a time");
    d.user("and y");
    d.command(Command::Leave).has("+reply stopped").ends("+end stopped | idle");
    assert_eq!(d.state().live.queued_texts(), (Some("and y".to_owned()), None));
    // A reply of which nothing came can be asked for again.
    let mut d = Dialogue::after_prompt("x");
    assert_eq!(d.command(Command::Leave), "| replying s1");
    d.reopen();
    assert!(matches!(d.state().phase, Phase::Stuck(_)));
    assert!(d.command(Command::Retry).contains("ask "));
}

#[test]
fn a_prompt_while_a_block_is_put_back_is_sent_behind_it() {
    let mut d = Dialogue::after_reply(ONE);
    d.skip(1);
    d.reopen_block(1);
    d.user("next");
    assert_eq!(d.skip(1), "+skipped 1, 'Block 1 skipped. Nothing ran.', +prompt, ask s2 | replying s2");
}
