//! Scripted sessions: each path through a session.

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

// The gate.

#[test]
fn approving_waits_for_the_look() {
    let mut d = Dialogue::after_reply(ONE);
    assert_eq!(d.type_run(1), "'Block 1 is still being checked.' | deciding 1");
    assert_eq!(d.accepts(1), "+approved r1 1.1 person-typed, start r1 | running r1");
}

#[test]
fn without_a_sandbox_every_block_takes_the_typed_word() {
    let mut d = Dialogue::after_reply(ONE);
    d.inspected_ok(1);
    assert_eq!(d.approve(1), "'Type run and press Enter to run it once.' | deciding 1");
    d.runs(1, 1, ok());
    d.reply(ONE);
    d.inspected_ok(2);
    assert!(d.state().needs_typed(BlockId(2)));
    assert_eq!(d.approve(2), "'Type run and press Enter to run it once.' | deciding 2");
    assert_eq!(d.type_run(2), "+approved r2 2.1 person-typed, start r2 | running r2");
}

#[test]
fn what_was_not_checked_takes_the_typed_word_and_no_rule() {
    let mut d = Dialogue::after_reply(ONE);
    let unchecked = Review { unchecked: Some("too large".into()), ..Review::default() };
    d.inspected(1, unchecked, Ok(confined()));
    assert!(d.state().needs_typed(BlockId(1)));
    assert_eq!(d.approve(1), "'Type run and press Enter to run it once.' | deciding 1");
    assert!(d.type_run(1).contains("start r1"));
}

#[test]
fn a_high_finding_takes_the_typed_word_every_time() {
    let mut d = Dialogue::after_reply(ONE);
    d.runs(1, 1, ok());
    d.reply(ONE);
    d.inspected_with(2, Severity::High);
    assert_eq!(d.approve(2), "'Type run and press Enter to run it once.' | deciding 2");
    assert_eq!(d.type_run(2), "+approved r2 2.1 person-typed, start r2 | running r2");
}

#[test]
fn a_run_that_never_began_does_not_spare_the_typed_word() {
    let mut d = Dialogue::after_reply(ONE);
    d.accepts(1);
    d.ended(1, Outcome::NotStarted("no memory".into()));
    d.reopen_block(1);
    d.inspected_ok(1);
    assert!(d.state().needs_typed(BlockId(1)));
}

#[test]
fn a_block_that_cannot_run_here_says_why() {
    let mut d = Dialogue::after_reply(ONE);
    d.inspected(1, Review::default(), Err("python3 is not installed: apt install python3".into()));
    let refused = "'Block 1 can't run here: python3 is not installed: apt install python3' | deciding 1";
    assert_eq!(d.type_run(1), refused);
    assert_eq!(d.skip(1), "+skipped 1, 'Block 1 skipped. Nothing ran.', +end stopped | idle");
}

#[test]
fn an_empty_reply_is_told() {
    for text in ["", " \n"] {
        let mut d = Dialogue::after_prompt("x");
        if !text.is_empty() {
            d.delta(text);
        }
        let told =
            "'The model answered with nothing. Ask again in other words, or take another model: /model.'";
        assert_eq!(d.finish(FinishReason::Stop), format!("+reply stop, {told}, +end answered | idle"));
    }
}

#[test]
fn an_unclosed_block_is_edited_before_it_can_be_approved() {
    let mut d = Dialogue::after_prompt("x");
    d.delta("```python\nprint(1");
    let end = d.finish(FinishReason::Length);
    let cut = "'The reply was cut at the model's length limit.'";
    assert_eq!(end, format!("+reply length, +block 1, {cut}, look 1.1, prewarm python | deciding 1"));
    d.inspected_ok(1);
    let refused =
        "'Block 1 is incomplete: its end never arrived. Edit it, then it can be approved.' | deciding 1";
    assert_eq!(d.type_run(1), refused);
    assert_eq!(d.edit(1, "print(1)\n"), "+edited 1.2, look 1.2 | deciding 1");
    assert_eq!(d.accepts(1), "+approved r1 1.2 person-typed, start r1 | running r1");
}

#[test]
fn what_a_fence_inside_of_a_fence_tore_is_edited_before_it_can_be_approved() {
    let torn = "```python\ntext = '''\n```bash\nrm -r build\n```\n'''\n\n```bash\nls\n```\n";
    let refused = |block| {
        format!(
            "'Block {block} may be only a part of its text. Edit it, then it can be approved.' | deciding {block}"
        )
    };
    let bash = Terms { language: Language::bash(), ..terms() };
    for policy in [Policy::Ask, Policy::All] {
        let mut d = Dialogue::with_reply(unconfined(policy), torn);
        d.inspected_ok(1).lacks("start");
        assert_eq!(d.type_run(1), refused(1));
        d.skip(1).has("+skipped 1").ends("deciding 2");
        d.inspected(2, Review::default(), Ok(bash.clone())).lacks("start");
        assert_eq!(d.type_run(2), refused(2));
    }
    let mut d = Dialogue::after_reply(torn);
    d.inspected_ok(1);
    let written = d.block(1).current().source.to_string();
    d.edit(1, &written).has("It can be approved once its text was changed.").lacks("+edited");
    assert_eq!(d.type_run(1), refused(1));
    d.edit(1, "text = '```'\n").has("+edited 1.2");
    d.inspected_ok(1);
    // What the model wrote is no more complete because it was changed in between.
    d.edit(1, &written).has("+edited 1.3");
    d.inspected_ok(1);
    assert_eq!(d.type_run(1), refused(1));
    d.edit(1, "text = '```'\n").has("+edited 1.4");
    d.accepts(1).has("start r1");
}

#[test]
fn blocks_of_a_reply_that_broke_off_are_skipped_however_it_broke() {
    let (mut cut, mut closed) = (Dialogue::new(), Dialogue::new());
    for d in [&mut cut, &mut closed] {
        d.user("x");
        d.delta("```python\na\n```\n```python\nb");
    }
    assert!(cut.fail(FailureKind::Cut).contains("+block 1, +skipped 1, +block 2, +skipped 2"));
    let line = closed.finish(FinishReason::Incomplete);
    assert!(line.contains("+block 1, +skipped 1, +block 2, +skipped 2"), "{line}");
    assert!(line.contains("/rerun 1") && line.ends_with("| idle"), "{line}");
    closed.command(Command::Reopen(BlockId(1)));
    assert!(closed.accepts(1).starts_with("+approved r1 1.1"));
}

#[test]
fn a_block_without_a_language_waits_for_one() {
    let mut d = Dialogue::after_prompt("x");
    assert_eq!(d.reply("```\nls\n```\n"), "+reply stop, +block 1, look 1.1 | deciding 1");
    assert_eq!(d.accepts(1), "'Block 1 names no language. Choose one first.' | deciding 1");
    let choose = |language| Command::ChooseLanguage { block: BlockId(1), language };
    d.command(choose(Language("cobol".into()))).is("'No interpreter is configured for cobol.' | deciding 1");
    assert_eq!(d.command(choose(Language::python())), "+language 1.2, prewarm python, look 1.2 | deciding 1");
    assert_eq!(d.command(choose(Language::bash())), "| deciding 1", "it has one now");
    assert_eq!(d.accepts(1), "+approved r1 1.2 person-typed, start r1 | running r1");
}

#[test]
fn terms_for_another_language_do_not_open_the_gate() {
    let mut d = Dialogue::after_reply("```bash\nls\n```\n");
    assert_eq!(d.accepts(1), "'Block 1 is still being checked.' | deciding 1");
}

#[test]
fn changed_limits_ask_for_a_new_look_and_older_looks_do_not_count() {
    let mut d = Dialogue::after_reply(ONE);
    let limits = Limits { wall_ms: 5_000, ..Limits::default() };
    let set = |limits| Command::SetLimits { block: BlockId(1), limits };
    d.command(set(Limits { wall_ms: 0, ..limits }))
        .is("'The time limit has to be longer than 0 s.' | deciding 1");
    assert_eq!(d.command(set(limits)), "look 1.1 | deciding 1");
    // Two orders are unanswered, and either answer may be for the old limits: only one more inspection counts.
    assert_eq!(d.inspected_ok(1), "| deciding 1");
    assert_eq!(d.inspected_ok(1), "look 1.1 | deciding 1");
    assert_eq!(d.type_run(1), "'Block 1 is still being checked.' | deciding 1");
    d.accepts_under(1, Terms { limits, ..terms() });
    assert_eq!(d.state().live.run.as_ref().map(|run| run.wall_ms), Some(5_000));
}

#[test]
fn a_new_kernel_asks_for_a_new_look_and_can_be_taken_back() {
    let mut d = Dialogue::after_reply(ONE);
    d.inspected_ok(1);
    d.command(Command::ToggleNewKernel(BlockId(1)))
        .is("'Block 1 would run in a new kernel. K goes back.', look 1.1 in a new kernel | deciding 1");
    assert_eq!(d.type_run(1), "'Block 1 is still being checked.' | deciding 1");
    d.inspected_ok(1);
    d.command(Command::ToggleNewKernel(BlockId(1)))
        .is("'Block 1 would run in the kernel that is there.', look 1.1 | deciding 1");
    assert_eq!(d.command(Command::ToggleNewKernel(BlockId(9))), "| deciding 1");
}

#[test]
fn a_terminal_asks_for_a_new_look_and_is_part_of_what_is_approved() {
    let mut d = Dialogue::after_reply(ONE);
    d.inspected_ok(1);
    assert_eq!(
        d.command(Command::ToggleTerminal(BlockId(1))),
        "'Block 1 would have its own terminal, and no kernel. T goes back.', \
         look 1.1 in a terminal | deciding 1"
    );
    assert_eq!(d.type_run(1), "'Block 1 is still being checked.' | deciding 1");
    let own = |kind| {
        let rights = Rights { terminal: true, ..(*terms().rights).clone() }.into();
        Terms { executor: kind, kernel: None, rights, ..terms() }
    };
    d.accepts_under(1, own(ExecutorKind::Subprocess));
    assert_eq!(d.state().terminal(), None, "nothing reads what would be typed");
    d.started(1);
    assert_eq!(d.state().terminal(), Some((RunId(1), BlockId(1))));
    // A new kernel and a terminal exclude each other: the last choice counts.
    let mut d = Dialogue::after_reply(ONE);
    d.inspected_ok(1);
    d.command(Command::ToggleTerminal(BlockId(1)));
    d.command(Command::ToggleNewKernel(BlockId(1))).has("look 1.1 in a new kernel").lacks("terminal");
    d.command(Command::ToggleTerminal(BlockId(1))).has("look 1.1 in a terminal");
    let mut d = Dialogue::after_reply(ONE);
    d.inspected_ok(1);
    d.command(Command::ToggleTerminal(BlockId(1)));
    d.inspected(1, Review::default(), Ok(own(ExecutorKind::Subprocess)));
    assert_eq!(
        d.command(Command::ToggleTerminal(BlockId(1))),
        "'Block 1 would have no terminal: who reads its input finds the end of it.', look 1.1 | deciding 1"
    );
    let mut d = Dialogue::after_reply(ONE);
    d.inspected(1, Review::default(), Ok(Terms { executor: ExecutorKind::Container, ..terms() }));
    assert_eq!(
        d.command(Command::ToggleTerminal(BlockId(1))),
        "'Block 1 can't have a terminal of its own here: only programs of this machine can, no container and no \
         Jupyter kernel.' | deciding 1"
    );
    assert_eq!(d.command(Command::ToggleTerminal(BlockId(9))), "| deciding 1");
}

#[test]
fn a_language_has_its_terminal_from_the_start_until_the_person_takes_it_away() {
    let settings = Settings { terminals: vec![Language::bash()], ..Settings::default() };
    let mut d = Dialogue::with(settings);
    d.user("ask");
    let line = d.reply("```bash\nread x\n```\nand\n```python\nb = 2\n```\n");
    assert!(line.contains("look 1.1 in a terminal") && line.contains("look 2.1,"), "{line}");
    let rights = Rights { terminal: true, ..(*terms().rights).clone() }.into();
    let own = Terms { executor: ExecutorKind::Subprocess, kernel: None, rights, ..terms() };
    d.inspected(1, Review::default(), Ok(own.clone()));
    assert_eq!(
        d.command(Command::ToggleTerminal(BlockId(1))),
        "'Block 1 would have no terminal: who reads its input finds the end of it.', look 1.1 | deciding 1"
    );
    // Editing the text does not undo the choice.
    d.edit(1, "read y").has("look 1.2 |");
    d.command(Command::ToggleTerminal(BlockId(1))).has("look 1.2 in a terminal");
}

#[test]
fn while_the_session_cannot_be_saved_nothing_runs() {
    let mut d = Dialogue::after_reply(ONE);
    d.inspected_ok(1);
    let failed = Event::Store(super::super::StoreEvent::Failed("Session not saved: no space left.".into()));
    let paused = "'Approving is paused. Session not saved: no space left.' | deciding 1";
    assert_eq!(d.send(failed.clone()), paused);
    // The person may have made room: the decision is refused, but saving is tried again.
    assert_eq!(d.type_run(1), "retry store | deciding 1");
    assert_eq!(d.send(failed), paused);
    assert_eq!(d.command(Command::RetryStore), "retry store | deciding 1");
    let recovered = || Event::Store(super::super::StoreEvent::Recovered);
    assert_eq!(d.send(recovered()), "'The session is saved again.' | deciding 1");
    assert_eq!(d.send(recovered()), "| deciding 1");
    assert_eq!(d.command(Command::RetryStore), "| deciding 1");
    assert!(d.type_run(1).contains("start r1"));
}

#[test]
fn a_message_tries_again_to_save_the_session() {
    let mut d = Dialogue::new();
    d.send(Event::Store(super::super::StoreEvent::Failed("no space left".into())));
    assert!(d.user("hello").contains("retry store"));
    d.reads_only();
    assert!(!d.user("more").contains("retry store"));
    d = Dialogue::new();
    assert!(!d.user("hello").contains("retry store"));
}

#[test]
fn a_session_that_is_only_read_is_not_saved_by_trying_again() {
    let mut d = Dialogue::after_reply(ONE);
    d.inspected_ok(1);
    d.reads_only();
    d.send(Event::Store(super::super::StoreEvent::Failed("another sayso (process 7) had it open.".into())));
    let told = "'Approving is paused. Quit and resume the session to go on. Session not saved: another sayso (process 7) \
                had it open.' | deciding 1";
    assert_eq!(d.command(Command::RetryStore), told);
    assert_eq!(d.type_run(1), told);
}

#[test]
fn what_is_saved_is_what_the_disk_was_asked_about() {
    let mut d = Dialogue::after_reply(ONE);
    let is_saved = |d: &Dialogue| d.state().live.saved == d.state().live.recorded;
    assert!(!is_saved(&d), "nobody has told yet");
    let recorded = d.state().live.recorded;
    assert!(recorded > 2, "a prompt, a reply, a block");
    let mut told = |entries| {
        d.send(Event::Store(super::super::StoreEvent::Saved(entries)));
        d.state().live.saved
    };
    assert_eq!(told(recorded - 1), recorded - 1);
    assert_eq!(told(1), recorded - 1, "an answer that comes late takes nothing back");
    assert_eq!(told(recorded + 9), recorded, "what was not recorded can't be saved");
    d.skip(1);
    assert!(!is_saved(&d), "the decision was recorded since");
    d.send(Event::Store(super::super::StoreEvent::Recovered));
    assert!(is_saved(&d), "then everything is on disk");
}

#[test]
fn a_decision_about_an_older_revision_is_refused() {
    let mut d = Dialogue::after_reply(ONE);
    d.inspected_ok(1);
    d.edit(1, "print(2)\n");
    d.inspected_ok(1);
    for decision in [Decision::Approve { typed: true }, Decision::Skip, Decision::Edit("x".into())] {
        let stale = Command::Decide { block: BlockId(1), revision: Revision(1), decision };
        assert_eq!(d.command(stale), "'Block 1 was changed since. Look at the new text first.' | deciding 1");
    }
}

#[test]
fn a_settled_block_and_an_unknown_one_take_no_decision() {
    let mut d = Dialogue::after_reply(ONE);
    d.skip(1);
    assert_eq!(d.type_run(1), "'Block 1 does not wait for a decision.' | idle");
    assert_eq!(d.reject(9, ""), "'Block 9 does not wait for a decision.' | idle");
}

#[test]
fn policy_clean_runs_what_has_no_grave_finding_and_asks_for_the_rest() {
    let mut d = Dialogue::with_reply(unconfined(Policy::Clean), THREE);
    d.inspected_with(1, Severity::Info).is("+review 1.1, +approved r1 1.1 flag, start r1 | running r1");
    d.passes(1, ok());
    assert_eq!(d.inspected_ok(2), "| deciding 2", "the first look was still unanswered");
    assert_eq!(d.inspected_ok(2), "look 2.1 | deciding 2", "which of the two answers is newer is not known");
    assert_eq!(d.inspected_with(2, Severity::Medium), "+review 2.1 | deciding 2");
    assert_eq!(d.skip(2), "+skipped 2, 'Block 2 skipped. Nothing ran.', prewarm bash, look 3.1 | deciding 3");
}

#[test]
fn policy_all_runs_everything_that_can_run() {
    let mut d = Dialogue::with_reply(unconfined(Policy::All), ONE);
    d.inspected_with(1, Severity::High).is("+review 1.1, +approved r1 1.1 flag, start r1 | running r1");
    d.passes(1, ok());
    d.reply(ONE);
    assert_eq!(d.inspected(2, Review::default(), Err("gone".into())), "+review 2.1 | deciding 2");
}

#[test]
fn policy_waits_for_the_session_file() {
    let mut d = Dialogue::with_reply(unconfined(Policy::All), ONE);
    d.send(Event::Store(super::super::StoreEvent::Failed("full".into())));
    assert_eq!(d.inspected_ok(1), "+review 1.1 | deciding 1");
    d.send(Event::Store(super::super::StoreEvent::Recovered))
        .is("'The session is saved again.', +approved r1 1.1 flag, start r1 | running r1");
}

// Edits.

#[test]
fn an_edit_is_looked_at_and_asked_about_again_and_the_model_is_told_the_change() {
    let mut d = Dialogue::after_reply("```python\nprint(1)\nprint(2)\n```\n");
    d.inspected_ok(1);
    assert_eq!(d.edit(1, "print(1)\nprint(3)\n"), "+edited 1.2, look 1.2 | deciding 1");
    assert_eq!(d.word(1), "EDITED");
    assert_eq!(d.type_run(1), "'Block 1 is still being checked.' | deciding 1");
    let told = "+review 1.2, 'Edited by you: 1 line. Checks ran again: 1 medium.' | deciding 1";
    assert_eq!(d.inspected_with(1, Severity::Medium), told);
    assert_eq!(d.edit(1, "print(1)\nprint(3)\n"), "'Block 1 is unchanged.' | deciding 1");
    assert_eq!(d.type_run(1), "+approved r1 1.2 person-typed, start r1 | running r1");
    assert_eq!(&**d.watched.started.as_ref().unwrap().source(), "print(1)\nprint(3)\n");
    d.passes(1, ok());
    assert!(d.told().contains("-print(2)\n+print(3)\n"), "{}", d.told());
}

#[test]
fn back_to_the_models_text_is_a_revision_too() {
    let mut d = Dialogue::after_reply(ONE);
    d.inspected_ok(1);
    d.edit(1, "print(2)\n");
    d.inspected_ok(1);
    assert_eq!(d.edit(1, "print(1)\n"), "+edited 1.3, look 1.3 | deciding 1");
    let back = "'Back to the model's text. Checks ran again: no findings.'";
    assert_eq!(d.inspected_ok(1), format!("+review 1.3, {back} | deciding 1"));
    assert_eq!(d.word(1), "WAITING");
}

#[test]
fn a_rejection_tells_the_model_why() {
    let mut d = Dialogue::after_reply(ONE);
    d.reject(1, " keep the old charts ")
        .is("+rejected 1, 'Block 1 rejected. Nothing ran.', ask s2 | replying s2");
    d.told().has("Block 1 (python): rejected by the person, it was not run.\nReason: keep the old charts");
}

#[test]
fn all_skipped_ends_the_turn_without_asking() {
    let mut d = Dialogue::after_reply(THREE);
    d.skip(1);
    d.command(Command::SkipAll)
        .is("+skipped 2, +skipped 3, '2 blocks skipped. Nothing ran.', +end stopped | idle");
    assert_eq!(d.command(Command::SkipAll), "| idle");
}

#[test]
fn skipping_all_while_one_runs_lets_it_run() {
    let mut d = Dialogue::after_reply(THREE);
    d.accepts(1);
    d.command(Command::SkipAll).is("+skipped 2, +skipped 3, '2 blocks skipped. Nothing ran.' | running r1");
    assert_eq!(d.ended(1, ok()), "+ran r1 ok, 'Block 1 done: exit 0, 0.8 s.', ask s2 | replying s2");
}

// Runs and how they end.

#[test]
fn every_outcome_has_its_words() {
    let cases = [
        (Outcome::Failed, "'Block 1 failed: exit 1, 0.8 s. The error is in Output.', ask s2", "FAILED 1"),
        (Outcome::TimedOut, "'Stopped at the 60 s limit.', ask s2", "TIMEOUT"),
        (Outcome::Limit("memory".into()), "'Stopped at a limit: memory.', ask s2", "LIMIT"),
        (Outcome::Interrupted, "'Block 1 interrupted after 0.8 s.', +end stopped", "INTERRUPTED"),
        (Outcome::Crashed("signal 11".into()), "'Block 1 died: signal 11.', ask s2", "DIED"),
        (
            Outcome::Refused("the kernel is another one".into()),
            "'Block 1 was refused: the kernel is another one. Nothing ran. It waits again.', +back 1",
            "WAITING",
        ),
        (
            Outcome::NotStarted("no space left".into()),
            "'Block 1 did not start: no space left. Nothing ran. It can be put back for review.', +end stopped",
            "NOT STARTED",
        ),
    ];
    for (outcome, told, word) in cases {
        let mut d = Dialogue::after_reply(ONE);
        d.accepts(1);
        let line = d.ended(1, outcome.clone());
        assert!(line.contains(told), "{outcome:?}: {line}");
        assert_eq!(d.word(1), word);
    }
}

#[test]
fn a_kernel_that_dies_in_a_run_is_told_to_both() {
    let mut d = Dialogue::after_reply(ONE);
    d.begins(1, 1);
    let kernel = KernelFate::Lost(KernelRef { generation: 1, variables: 14, keeps_running: false });
    let line =
        d.ended_as(1, RunReport { kernel, ..report(Outcome::Crashed("killed, memory 2.0 of 2 GiB".into())) });
    let told = "'Kernel k1 died, 14 variables lost, nothing was rerun: killed, memory 2.0 of 2 GiB.'";
    assert_eq!(line, format!("+ran r1 crashed, {told}, ask s2 | replying s2"));
    assert!(d.state().live.kernels.is_empty());
    assert!(d.told().contains("Block 1 (python): died after 0.8 s: killed, memory 2.0 of 2 GiB"));
    assert!(d.told().contains("The Python kernel ended with it"), "{}", d.told());
}

#[test]
fn a_kernel_that_dies_while_a_block_waits_has_it_looked_at_again() {
    let mut d = Dialogue::after_reply(ONE);
    d.runs(1, 1, ok());
    d.reply(ONE);
    d.inspected_ok(2);
    d.send(Event::KernelDied(DeadKernel::of_python("signal 9")))
        .is("'Kernel k1 died, 14 variables lost, nothing was rerun: signal 9.', look 2.1 | deciding 2");
    assert_eq!(d.approve(2), "'Block 2 is still being checked.' | deciding 2");
    d.accepts_under(2, in_kernel(2));
    d.passes(2, ok());
    d.told().has("The Python kernel had ended before: this block met an empty one.");
}

#[test]
fn a_server_that_does_not_answer_while_nothing_runs_is_told_and_its_kernel_is_gone_only_when_it_stays_away() {
    let mut d = Dialogue::after_reply(ONE);
    d.runs(1, 1, ok());
    d.reply("Done.");
    d.send(Event::KernelWarning("The server does not answer.".into()))
        .is("'The server does not answer.' | idle");
    assert_eq!(d.send(Event::KernelBack("It answers again.".into())), "'It answers again.' | idle");
    d.send(Event::KernelWarning("The server does not answer.".into()));
    d.send(Event::KernelDied(DeadKernel::of_python("the connection was lost")))
        .is("'Kernel k1 died, 14 variables lost, nothing was rerun: the connection was lost.' | idle");
    assert_eq!(d.state().variables().count(), 0);
}

/// Two kernels of a Jupyter executor: Python with 14 variables, and R, which ran last.
fn python_and_r() -> Dialogue {
    let mut d = Dialogue::after_reply("```python\na = 1\n```\n");
    d.begins(1, 1);
    let known = Variable {
        name: "a".into(),
        kind: "int".into(),
        size: String::new(),
        value: "1".into(),
        change: None,
    };
    d.ran(1, RunEvent::Variables(vec![known]));
    d.ended(1, ok());
    d.reply("```r\nb <- 1\n```\n");
    let kernel = KernelRef { generation: 3, variables: 0, keeps_running: true };
    d.inspected(
        2,
        Review::default(),
        Ok(Terms { language: Language("r".into()), kernel: Some(kernel), ..terms() }),
    );
    d.type_run(2);
    d.started(2);
    d.ended_as(2, RunReport { kernel: KernelFate::Kept(kernel), ..report(ok()) });
    d.reply("Done.");
    d
}

#[test]
fn of_two_kernels_the_one_that_died_is_told_and_the_other_stays_as_it_is() {
    let died = |language: Language| Event::KernelDied(DeadKernel { language, cause: "signal 9".into() });
    let left = |d: &Dialogue| {
        let kernels: Vec<_> = d.state().live.kernels.keys().map(Language::as_str).collect();
        (kernels.join(" "), d.state().variables().count())
    };
    let mut d = python_and_r();
    assert!(!d.told().contains("had ended before"), "{}", d.told());
    assert_eq!(left(&d), ("python r".into(), 1));
    let line = d.send(died(Language("r".into())));
    assert_eq!(
        line, "'Kernel k3 of r died, nothing was rerun: signal 9.' | idle",
        "none is known, so none is told"
    );
    assert_eq!(left(&d), ("python".into(), 1));

    let mut d = python_and_r();
    d.send(died(Language::python()))
        .is("'Kernel k1 died, 14 variables lost, nothing was rerun: signal 9.' | idle");
    assert_eq!(left(&d), ("r".into(), 0));
    let line = d.send(died(Language::bash()));
    assert_eq!(line, "'The kernel of bash died, nothing was rerun: signal 9.' | idle", "it ran nothing yet");
    assert_eq!(left(&d), ("r".into(), 0));
}

#[test]
fn a_new_kernel_is_told_of_all_that_there_are_and_of_the_one_that_a_block_is_for() {
    let mut d = python_and_r();
    d.user("more");
    d.reply("```python\nc = 1\n```\n");
    d.inspected_ok(3);
    let line = d.command(Command::ToggleNewKernel(BlockId(3)));
    assert!(line.contains("would run in a new kernel: k1 ends then, 14 variables lost."), "{line}");
    let line = d.command(Command::RestartKernel);
    let ended =
        "Kernel k1 of python, k3 of r ended: 14 variables of python and all of r lost. Nothing was rerun.";
    assert!(line.contains(ended), "{line}");
    assert!(d.state().live.kernels.is_empty() && d.state().variables().count() == 0);
    d.skip(3);
    d.user("again");
    let told = format!("{:?}", d.request());
    assert!(told.contains("[The person restarted the kernels of python and r: variables"), "{told}");
}

#[test]
fn restarting_the_kernel_is_recorded_and_refused_while_something_runs() {
    let mut d = Dialogue::after_reply(ONE);
    d.inspected_ok(1);
    d.command(Command::RestartKernel)
        .is("'The next block starts a new kernel.', +restarted, restart, look 1.1 | deciding 1");
    d.accepts(1);
    let refused = "'A block runs: Ctrl-C interrupts it, then the kernel can be restarted.' | running r1";
    assert_eq!(d.command(Command::RestartKernel), refused);
    d.passes(1, ok());
    d.reply("Done.");
    let ended = "'Kernel k1 ended: 14 variables lost. Nothing was rerun.', +restarted, restart | idle";
    assert_eq!(d.command(Command::RestartKernel), ended);
    d.user("and now");
    assert!(d.told().starts_with("[The person restarted the Python kernel"), "{}", d.told());
    assert!(d.told().ends_with("and now"));
}

#[test]
fn what_a_run_tells_is_shown_while_it_lasts() {
    let mut d = Dialogue::after_reply(ONE);
    d.begins(1, 1);
    d.prints("one\n");
    d.ran(1, RunEvent::Usage { rss_bytes: 9, cpu_ms: 7 });
    let run = d.state().live.run.clone().unwrap();
    assert_eq!((run.started, run.rss_bytes, run.cpu_ms), (true, 9, 7));
    assert_eq!(run.output.bytes(Stream::Stdout), b"one\n");
}

#[test]
fn what_came_too_fast_is_missing_in_what_is_shown_of_a_run() {
    let mut d = Dialogue::after_reply(ONE);
    d.begins(1, 1);
    d.prints("1\n4554");
    let chunk = crate::domain::Chunk { stream: Stream::Stdout, bytes: b"3\n".to_vec(), skipped: 7 };
    d.ran(1, RunEvent::Output(chunk));
    let output = d.state().live.run.clone().unwrap().output;
    assert_eq!(output.in_order(), b"1\n4554\n... 7 bytes of output left out here ...\n3\n");
}

// Stopping.

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
