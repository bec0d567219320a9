//! What keeps a block from being approved, what decisions do, and edits.

use super::*;
use crate::engine::StoreEvent;

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
    let failed = Event::Store(StoreEvent::Failed("Session not saved: no space left.".into()));
    let paused = "'Approving is paused. Session not saved: no space left.' | deciding 1";
    assert_eq!(d.send(failed.clone()), paused);
    // The person may have made room: the decision is refused, but saving is tried again.
    assert_eq!(d.type_run(1), "retry store | deciding 1");
    assert_eq!(d.send(failed), paused);
    assert_eq!(d.command(Command::RetryStore), "retry store | deciding 1");
    let recovered = || Event::Store(StoreEvent::Recovered);
    assert_eq!(d.send(recovered()), "'The session is saved again.' | deciding 1");
    assert_eq!(d.send(recovered()), "| deciding 1");
    assert_eq!(d.command(Command::RetryStore), "| deciding 1");
    assert!(d.type_run(1).contains("start r1"));
}

#[test]
fn a_message_tries_again_to_save_the_session() {
    let mut d = Dialogue::new();
    d.send(Event::Store(StoreEvent::Failed("no space left".into())));
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
    d.send(Event::Store(StoreEvent::Failed("another sayso (process 7) had it open.".into())));
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
        d.send(Event::Store(StoreEvent::Saved(entries)));
        d.state().live.saved
    };
    assert_eq!(told(recorded - 1), recorded - 1);
    assert_eq!(told(1), recorded - 1, "an answer that comes late takes nothing back");
    assert_eq!(told(recorded + 9), recorded, "what was not recorded can't be saved");
    d.skip(1);
    assert!(!is_saved(&d), "the decision was recorded since");
    d.send(Event::Store(StoreEvent::Recovered));
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
    d.send(Event::Store(StoreEvent::Failed("full".into())));
    assert_eq!(d.inspected_ok(1), "+review 1.1 | deciding 1");
    d.send(Event::Store(StoreEvent::Recovered))
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
