//! What keys do, without a terminal: the resulting commands are compared as values.

use super::answering::burst;
use super::scene::{
    CODE, Scene, USAGE, acted, clouds, confined, decide, decided, engine_commands, failure, findings,
    inspection, name_not_found, report, sent_edit, terms,
};
use super::selecting::{click, down, drag, place, up};
use super::{assert_screen, assert_shown, assert_text, drawn};
use sayso::domain::*;
use sayso::engine::state::Question;
use sayso::engine::{Command, Phase, Settings};
use sayso::tui::overlays::ask::Ask;
use sayso::tui::overlays::confirm::Confirm;
use sayso::tui::overlays::language::LanguageList;
use sayso::tui::panes::LowerPane;
use sayso::tui::panes::code::Mode;
use sayso::tui::setup::{Setup, TypedAddress};
use sayso::tui::ui_command::{Choice, Exit, UiCommand};
use sayso::tui::widgets::layout::Pane;

/// A block waits, it has the focus, and the quiet time is over.
pub(super) fn reviewing() -> Scene {
    let mut scene = Scene::waiting();
    scene.review();
    scene
}

/// The same for a small harmless block, all of it seen.
pub(super) fn ready() -> Scene {
    let mut scene = Scene::worked();
    scene.proposed(3, "python", "print(1)");
    scene.see_block();
    scene
}

fn approval(block: u32, typed: bool) -> Command {
    decided(block, Decision::Approve { typed })
}

#[test]
fn a_seen_harmless_block_is_approved_by_one_key() {
    crate::at_every_size(|| {
        let mut scene = ready();
        assert_eq!(decide(&mut scene, "a"), [approval(3, false)]);
        assert_eq!(scene.screen.panes.focus, Pane::Output);
    });
}

#[test]
fn keys_that_other_programs_take_for_yes_decide_nothing() {
    crate::at_every_size(|| {
        let mut scene = ready();
        for name in ["enter", "space", "y", "1", "tab"] {
            assert!(decide(&mut scene, name).is_empty(), "{name}");
            scene.screen.panes.focus = Pane::Code;
            scene.pass(1_000);
        }
        assert_eq!(*scene.state().phase(), Phase::Deciding(BlockId(3)));
    });
}

#[test]
fn what_was_not_seen_can_t_be_approved_but_rejected() {
    crate::at_every_size(|| {
        let mut scene = reviewing();
        assert!(decide(&mut scene, "a").is_empty());
        assert!(scene.note_text().contains("not shown"));
        scene.pass(1_000);
        scene.press(&["r"]);
        scene.pass(50);
        let rejected = decided(3, Decision::Reject("not now".into()));
        assert_eq!(engine_commands(&scene.enter("not now")), [rejected]);
        assert_eq!(scene.screen.panes.focus, Pane::Message);
    });
}

#[test]
fn a_high_finding_takes_the_typed_word_and_nothing_else() {
    crate::at_every_size(|| {
        let mut scene = reviewing();
        scene.see_everything();
        assert!(decide(&mut scene, "a").is_empty());
        assert!(scene.screen.top::<Confirm>().is_some());
        assert!(engine_commands(&scene.press(&["y", "enter"])).is_empty());
        assert!(scene.screen.overlays.is_empty());
        scene.pass(1_000);
        decide(&mut scene, "a");
        let pasted = scene.paste("run");
        assert!(pasted.is_empty());
        assert!(engine_commands(&scene.press(&["enter"])).is_empty(), "a pasted word is no word");
        scene.pass(1_000);
        decide(&mut scene, "a");
        assert_eq!(engine_commands(&scene.enter("run")), [approval(3, true)]);
    });
}

#[test]
fn the_box_for_the_word_closes_when_the_block_becomes_another() {
    let mut scene = reviewing();
    scene.see_everything();
    decide(&mut scene, "a");
    scene.type_text("run");
    let elsewhere = Terms { cwd: "/elsewhere".into(), ..terms("python") };
    scene.inspected_anew(3, inspection(elsewhere, findings()));
    scene.settle();
    assert!(scene.screen.overlays.is_empty());
    assert!(engine_commands(&scene.press(&["enter"])).is_empty());
}

#[test]
fn letters_in_the_message_never_reach_the_block() {
    let mut scene = ready();
    scene.screen.panes.focus = Pane::Message;
    scene.type_text("a r s e");
    scene.pass(3_000);
    assert_eq!(scene.screen.panes.composer.full_text(), "a r s e");
    assert!(matches!(scene.screen.panes.code.mode, Mode::View));
    assert_eq!(scene.screen.panes.focus, Pane::Message, "the focus stays with who types");
}

/// A session after its first turn that asks before each further step.
fn limited() -> Scene {
    let mut scene = Scene::with(Settings { step_limit: 1, ..Settings::default() });
    scene.first_step(USAGE);
    scene.command(Command::EndTurn);
    scene
}

#[test]
fn the_focus_never_moves_by_itself_to_where_letters_act() {
    let asking = |scene: &mut Scene| {
        scene.reply("```python\nprint(1)\n```\n");
        scene.ran(3, 10, "1\n");
        assert!(matches!(scene.state().phase(), Phase::Asking(Question::StepLimit(1))));
    };
    let stuck = Scene::disk_fails;
    let waits = |scene: &mut Scene| {
        scene.reply("```python\nprint(1)\n```\n");
        scene.inspect(3, Vec::new());
    };
    for (name, change) in [("waits", &waits as &dyn Fn(&mut Scene)), ("asks", &asking), ("problem", &stuck)] {
        for from in [Pane::Message, Pane::Chat, Pane::Output] {
            let mut scene = limited();
            scene.screen.panes.focus = from;
            scene.frame();
            change(&mut scene);
            scene.frame();
            scene.rest(20);
            let acts = scene.screen.panes.focus == Pane::Code
                || (scene.screen.panes.focus == Pane::Output
                    && scene.screen.panes.lower == LowerPane::Problems);
            assert!(!acts && scene.screen.overlays.is_empty(), "{name}: {:?}", scene.screen.panes.focus);
        }
    }
}

#[test]
fn ctrl_y_goes_to_the_block_from_every_pane_and_approves_there() {
    crate::at_every_size(|| {
        for from in [Pane::Message, Pane::Chat, Pane::Output, Pane::Code] {
            let mut scene = ready();
            scene.screen.panes.focus = from;
            scene.screen.panes.composer.set("half a sentence");
            scene.frame();
            scene.pass(2_000);
            assert!(
                engine_commands(&scene.press(&["ctrl-y"])).is_empty(),
                "{from:?}: the first press only moves"
            );
            assert_eq!(scene.screen.panes.focus, Pane::Code);
            let (width, height) = super::scene::size();
            assert_shown(&mut scene, width, height, "look at it, then Ctrl-Y again approves.");
            scene.pass(300);
            assert_eq!(engine_commands(&scene.press(&["ctrl-y"])), [approval(3, false)], "{from:?}");
            assert_eq!(scene.screen.panes.composer.full_text(), "half a sentence");
        }
        // If the word has to be typed, the key only opens the box for it.
        let mut scene = reviewing();
        scene.see_everything();
        scene.press(&["ctrl-y"]);
        let (width, height) = super::scene::size();
        let screen = drawn(&mut scene, width, height);
        // In the narrowest window the end of the sentence is left out.
        let told = if width < 100 {
            "Ctrl-Y again asks for the word"
        } else {
            "again asks for the word that approves."
        };
        assert!(screen.contains(told), "{screen}");
        scene.pass(300);
        assert!(engine_commands(&scene.press(&["ctrl-y"])).is_empty());
        assert!(scene.screen.top::<Confirm>().is_some());
        // The key does not leave a list over the panes, or the editor.
        let mut scene = ready();
        scene.press(&["f2", "ctrl-y"]);
        scene.pass(300);
        assert!(engine_commands(&scene.press(&["ctrl-y"])).is_empty());
        assert!(!scene.screen.overlays.is_empty());
        let mut scene = ready();
        decide(&mut scene, "e");
        for _ in 0..3 {
            assert!(engine_commands(&scene.press(&["ctrl-y"])).is_empty());
            scene.pass(400);
        }
        assert!(scene.screen.panes.code.edits(), "nothing runs from the editor");
    });
}

#[test]
fn whoever_goes_to_a_block_is_told_what_is_not_shown_yet() {
    for (size, told) in [((140, 60), "look at it, then"), ((80, 24), "lines not shown yet: Space.")] {
        let mut scene = acted(size, Scene::waiting);
        // The second time the focus is there already, and it is too early.
        for _ in 0..2 {
            scene.pass(100);
            scene.press(&["ctrl-y"]);
            assert_shown(&mut scene, size.0, size.1, told);
        }
    }
    // A note about one block says nothing about another that came in front of it.
    let mut scene = ready();
    scene.press(&["ctrl-y"]);
    assert!(drawn(&mut scene, 100, 30).contains("Block 3: look at it, then Ctrl-Y again approves."));
    scene.decide(3, Decision::Skip);
    scene.ask("next");
    scene.proposed(4, "python", "print(2)");
    assert!(!drawn(&mut scene, 100, 30).contains("Block 3: look"));
}

/// The key can come before the checks end, and before the disk is full.
#[test]
fn what_ctrl_y_does_next_is_told_as_it_is_when_the_row_is_drawn() {
    let (width, height) = (140, 60);
    for (found, told) in [
        (Vec::new(), "look at it, then Ctrl-Y again approves."),
        (findings(), "look at it, then Ctrl-Y again asks for the word that approves."),
    ] {
        let mut scene = acted((width, height), Scene::at_work);
        scene.pass(5_000);
        scene.reply(&format!("```python\n{CODE}```\n"));
        scene.frame();
        scene.pass(1_000);
        scene.press(&["ctrl-y"]);
        assert_screen(&mut scene, width, height, &["Block 3 is still being checked."], &["Ctrl-Y again"]);
        scene.inspected(3, inspection(confined("python"), found));
        assert_screen(&mut scene, width, height, &[told], &["still being checked"]);
        scene.disk_fails();
        assert_screen(&mut scene, width, height, &["Approving is paused."], &["Ctrl-Y again"]);
    }
}

#[test]
fn the_newest_run_is_shown_though_its_block_is_older() {
    let mut scene = Scene::worked();
    scene.reply("```bash\necho one\n```\n\n```bash\necho two\n```\n");
    scene.decide(3, Decision::Skip);
    scene.inspected(4, inspection(confined("bash"), Vec::new()));
    scene.ran(4, 10, "fourth\n");
    scene.reply("Done.");
    scene.command(Command::Reopen(BlockId(3)));
    scene.inspected_anew(3, inspection(confined("bash"), Vec::new()));
    scene.ran(3, 10, "third at last\n");
    scene.ask("next");
    scene.proposed(5, "bash", "echo more");
    assert_shown(&mut scene, 140, 40, "third at last");
}

#[test]
fn losing_the_focus_of_the_terminal_begins_the_quiet_time_anew() {
    for has in [false, true] {
        let mut scene = ready();
        scene.step(|screen, ctx| screen.set_attended(has, ctx.at));
        scene.pass(50);
        assert!(decide(&mut scene, "a").is_empty(), "50 ms after the focus changed");
        let mut scene = ready();
        scene.key("a");
        scene.pass(200);
        scene.step(|screen, ctx| screen.set_attended(has, ctx.at));
        scene.wait(401);
        scene.pass(10);
        assert!(scene.take_commands().is_empty(), "what was held back is taken back");
    }
}

#[test]
fn the_title_says_that_the_keys_are_open_when_they_are() {
    let mut scene = Scene::waiting();
    scene.go_to(Pane::Code);
    for key in ["j", "v", "v", "tab", "shift-tab"] {
        scene.press(&[key]);
        let deadline = scene.screen.guard.next_deadline().unwrap();
        assert!(deadline > scene.at);
        // A frame drawn in between for another reason does not swallow the news.
        scene.at = deadline.checked_sub(std::time::Duration::from_millis(5)).unwrap();
        drawn(&mut scene, 140, 40);
        scene.at = deadline;
        let mut changed = false;
        scene.step(|screen, ctx| changed = screen.tick(ctx));
        assert!(changed || scene.screen.guard.next_deadline().is_some(), "{key}");
    }
    scene.pass(2_000);
    assert_screen(&mut scene, 140, 40, &[], &["letters locked", "all keys locked"]);
    // The first letter after that counts.
    let mut scene = Scene::worked();
    scene.screen.panes.focus = Pane::Code;
    scene.press(&["j"]);
    scene.proposed(3, "python", "print(1)");
    scene.frame();
    scene.see_everything();
    assert_eq!(decide(&mut scene, "a"), [approval(3, false)]);
}

#[test]
fn the_way_to_the_message_is_told_as_the_keymap_has_it() {
    let mut scene = reviewing();
    assert!(drawn(&mut scene, 140, 40).contains("(i to type; letters here never reach the block)"));
    let own = "bind = [ { context = \"pane\", keys = [\"W\"], action = \"message.focus\" } ]";
    scene.bind_keys(own);
    assert!(drawn(&mut scene, 140, 40).contains("(W to type; letters here never reach the block)"));
}

#[test]
fn without_sandbox_or_checks_a_block_asks_for_the_word_and_offers_no_rule() {
    let mut open = Scene::worked();
    open.reply("```python\nprint(1)\n```\n");
    open.inspect(3, Vec::new());
    open.see_block();
    let mut unchecked = ready();
    let mut found = inspection(confined("python"), Vec::new());
    found.review.unchecked = Some("too large".into());
    unchecked.inspected_anew(3, found);
    unchecked.frame();
    unchecked.see_everything();
    for (scene, told) in
        [(&mut open, "Sandbox is OFF"), (&mut unchecked, "was not checked in full: too large")]
    {
        assert_screen(scene, 140, 40, &[], &["A always"]);
        assert!(decide(scene, "A").is_empty() && scene.screen.overlays.is_empty());
        scene.pass(1_000);
        assert!(decide(scene, "a").is_empty());
        assert!(scene.screen.top::<Confirm>().is_some());
        assert_shown(scene, 140, 40, told);
    }
    assert_eq!(engine_commands(&open.enter("run")), [approval(3, true)]);
}

#[test]
fn an_edit_is_sent_as_it_was_typed_and_an_untouched_one_is_not_sent() {
    let mut scene = reviewing();
    decide(&mut scene, "e");
    assert!(scene.screen.panes.code.edits());
    assert!(engine_commands(&scene.press(&["esc"])).is_empty());
    scene.frame();
    scene.pass(2_000);
    decide(&mut scene, "e");
    scene.press(&["ctrl-e"]);
    scene.type_text(" # mine");
    let edited = CODE.replacen("shutil\n", "shutil # mine\n", 1);
    assert_eq!(sent_edit(&scene.press(&["esc"])), edited);
}

#[test]
fn the_row_above_the_editor_shows_where_it_is_cut() {
    acted((60, 16), || {
        let mut scene = reviewing();
        scene.see_everything();
        decide(&mut scene, "e");
        scene.press(&["ctrl-e"]);
        scene.type_text(" # mine");
        let screen = drawn(&mut scene, 60, 16);
        let row = screen.lines().find(|row| row.contains("you changed 1 line")).unwrap_or(&screen);
        assert!(row.contains("the checks run again") && row.contains("..."), "{screen}");
    });
}

#[test]
fn nothing_runs_from_the_editor() {
    crate::at_every_size(|| {
        let mut scene = reviewing();
        scene.see_everything();
        decide(&mut scene, "e");
        let mut all = Vec::new();
        for name in ["a", "enter", "ctrl-j", "r", "s", "tab"] {
            all.extend(decide(&mut scene, name));
        }
        assert!(all.is_empty());
    });
}

#[test]
fn ctrl_c_goes_down_its_ladder() {
    crate::at_every_size(|| {
        // During a run: interrupt, then a question.
        let mut scene = Scene::in_run("x\n", 1_000);
        scene.frame();
        assert_eq!(engine_commands(&scene.press(&["ctrl-c"])), [Command::Stop]);
        assert!(engine_commands(&scene.press(&["ctrl-c"])).is_empty(), "too soon to ask");
        scene.pass(600);
        scene.press(&["ctrl-c"]);
        assert!(scene.screen.top::<Ask>().is_some());
        assert!(engine_commands(&scene.press(&["k"])).is_empty(), "a letter right away answers nothing");
        scene.pass(800);
        assert_eq!(engine_commands(&scene.press(&["k"])), [Command::Kill]);

        // During a reply: stop.
        let mut scene = Scene::worked();
        scene.streaming("Well, ");
        scene.frame();
        assert_eq!(engine_commands(&scene.press(&["ctrl-c"])), [Command::Stop]);

        // With text: it is cleared, and can be brought back. Then twice to quit.
        let mut scene = Scene::worked();
        scene.type_text("precious");
        scene.press(&["ctrl-c"]);
        assert!(scene.screen.panes.composer.is_empty());
        scene.press(&["ctrl-_"]);
        assert_eq!(scene.screen.panes.composer.full_text(), "precious");
        scene.press(&["ctrl-c"]);
        assert!(scene.press(&["ctrl-c"]).is_empty());
        assert_eq!(scene.note_text(), "Ctrl-C again within 2 s quits.");
        scene.pass(2_500);
        assert!(scene.press(&["ctrl-c"]).is_empty(), "that was too late");
        let commands = scene.press(&["ctrl-c"]);
        assert!(matches!(commands.as_slice(), [UiCommand::Leave(Exit::Quit)]));
    });
}

/// Block 3 runs, a message is queued, and the person asked to quit.
fn quitting_during_a_run() -> Scene {
    let mut scene = Scene::in_run("x\n", 1_000);
    scene.ask("later");
    scene.focus(Pane::Message);
    scene.enter("/quit");
    assert!(scene.screen.top::<Ask>().is_some());
    scene
}

#[test]
fn quitting_after_the_run_first_says_that_nothing_more_is_to_be_sent() {
    assert_shown(&mut quitting_during_a_run(), 140, 40, "If you quit, what is queued is kept, not sent.");
    let mut scene = quitting_during_a_run();
    scene.pass(1_500);
    assert_eq!(engine_commands(&scene.press(&["i"])), [Command::Leave, Command::Stop]);
    scene.command(Command::Leave);
    assert_shown(&mut scene, 140, 40, "queued, kept and not sent");
}

#[test]
fn the_question_whether_to_quit_goes_with_the_run_that_it_is_about() {
    let mut scene = quitting_during_a_run();
    scene.ended(report("x\n", 8_000));
    scene.frame();
    assert!(scene.screen.top::<Ask>().is_none());
    let note = scene.note_text();
    assert_eq!(note, "The block has ended, and with it the question about its run.");
}

#[test]
fn during_a_reply_one_ctrl_d_does_not_leave() {
    let leaves = |commands: &[UiCommand]| commands.iter().any(|c| matches!(c, UiCommand::Leave(_)));
    let mut scene = Scene::worked();
    scene.streaming("Well, ");
    scene.frame();
    assert!(!leaves(&scene.press(&["ctrl-d"])));
    assert_eq!(scene.note_text(), "Ctrl-D again within 2 s quits.");
    assert!(leaves(&scene.press(&["ctrl-d"])));
}

#[test]
fn ctrl_c_never_answers_a_block_that_waits() {
    let mut scene = reviewing();
    assert!(engine_commands(&scene.press(&["ctrl-c"])).is_empty());
    assert_eq!(scene.note_text(), "Ctrl-C again within 2 s quits.");
}

#[test]
fn esc_only_goes_back() {
    crate::at_every_size(|| {
        let mut scene = Scene::in_run("x\n", 1_000);
        scene.screen.panes.focus = Pane::Output;
        scene.frame();
        assert!(scene.press(&["esc", "esc", "esc"]).is_empty());
        assert_eq!(scene.screen.panes.focus, Pane::Message);
    });
}

#[test]
fn a_paste_in_review_decides_nothing_and_says_so() {
    crate::at_every_size(|| {
        let mut scene = ready();
        let commands = scene.paste("aaaa\na\n");
        assert!(commands.is_empty());
        assert_eq!(scene.note_text(), "That looked like a paste. Nothing was decided.");
        assert!(decide(&mut scene, "a").is_empty(), "the quiet time starts over");
    });
}

#[test]
fn a_burst_of_letters_decides_nothing() {
    let mut scene = ready();
    let mut commands = burst(&mut scene, &["a"; 4]);
    scene.pass(50);
    commands.extend(scene.take_commands());
    assert!(engine_commands(&commands).is_empty());
}

#[test]
fn messages_commands_and_paths_are_told_apart() {
    let mut scene = Scene::worked();
    assert_eq!(engine_commands(&scene.enter("hello")), [Command::Submit("hello".into())]);
    scene.type_text("/rename");
    scene.press(&["tab"]);
    assert_eq!(engine_commands(&scene.enter("new name")), [Command::Rename("new name".into())]);
    let commands = scene.enter("quit");
    assert!(matches!(commands.as_slice(), [UiCommand::Leave(Exit::Quit)]));
}

#[test]
fn a_queued_message_comes_back_for_editing() {
    let mut scene = Scene::worked();
    scene.ask("first");
    scene.ask("later");
    assert_eq!(engine_commands(&scene.press(&["alt-up"])), [Command::EditQueued]);
    assert_eq!(scene.screen.panes.composer.full_text(), "later");
}

#[test]
fn a_question_of_the_engine_is_answered_by_letters_in_its_pane() {
    let mut scene = Scene::with(Settings { step_limit: 1, ..Settings::default() });
    scene.first_step(USAGE);
    scene.frame();
    assert_eq!(scene.screen.panes.lower, LowerPane::Problems);
    scene.press(&["tab"]);
    assert!(engine_commands(&scene.press(&["enter"])).is_empty());
    assert!(engine_commands(&scene.press(&["c"])).is_empty(), "right away a letter answers nothing");
    scene.pass(1_000);
    assert_eq!(engine_commands(&scene.press(&["c"])), [Command::Continue]);
    scene.pass(1_000);
    assert_eq!(engine_commands(&scene.press(&["e"])), [Command::EndTurn]);
}

#[test]
fn one_key_goes_back_from_the_last_problem_however_often_down_was_pressed() {
    let mut scene = Scene::worked();
    scene.ask("and now the same for 2025");
    scene.fail(name_not_found());
    scene.disk_fails();
    scene.settle();
    scene.screen.panes.focus = Pane::Output;
    scene.press(&["down", "down", "down"]);
    assert_text(&drawn(&mut scene, 100, 30), &["> disk"], &["> no network"]);
    scene.press(&["up"]);
    assert_text(&drawn(&mut scene, 100, 30), &["> no network"], &["> disk"]);
}

#[test]
fn the_key_that_retries_is_about_the_chosen_problem() {
    let mut scene = Scene::worked();
    scene.ask("and now the same for 2025");
    scene.fail(name_not_found());
    scene.disk_fails();
    scene.settle();
    scene.go_to(Pane::Output);
    for (to, retried) in [("up", Command::Retry), ("down", Command::RetryStore), ("up", Command::Retry)] {
        scene.press(&[to]);
        scene.pass(2_000);
        assert_eq!(engine_commands(&scene.press(&["r"])), [retried]);
    }
    // While a reply comes, only the disk is listed.
    scene.command(Command::Retry);
    scene.go_to(Pane::Output);
    scene.pass(2_000);
    assert_eq!(engine_commands(&scene.press(&["r"])), [Command::RetryStore]);
}

#[test]
fn the_person_is_called_once_when_a_wait_is_not_looked_at() {
    let mut scene = reviewing();
    let mut calls = 0;
    for _ in 0..40 {
        scene.pass(500);
        let commands = scene.step(|screen, ctx| screen.settle(ctx));
        calls += commands.iter().filter(|w| matches!(w, UiCommand::Notify)).count();
    }
    assert_eq!(calls, 1);
}

#[test]
fn the_wheel_scrolls_and_a_click_focuses_and_a_button_takes_the_same_gate() {
    let mut scene = reviewing();
    drawn(&mut scene, 140, 40);
    click(&mut scene, (5, 5));
    assert_eq!(scene.screen.panes.focus, Pane::Chat);
    scene.screen.panes.focus = Pane::Code;
    scene.frame();
    scene.pass(1_000);
    drawn(&mut scene, 140, 40);
    let approve = scene.screen.hits.buttons.first().unwrap().clone();
    let approve = (approve.columns.start, approve.row);
    assert!(engine_commands(&click(&mut scene, approve)).is_empty());
    assert!(scene.note_text().contains("not shown"));
    scene.see_everything();
    drawn(&mut scene, 140, 40);
    click(&mut scene, approve);
    scene.pass(40);
    assert!(scene.screen.top::<Confirm>().is_some());
}

#[test]
fn a_click_on_a_tab_shows_what_its_digit_shows() {
    let mut scene = Scene::worked();
    let screen = drawn(&mut scene, 80, 24);
    for (tab, pane, lower) in [
        ("2 Code", Pane::Code, LowerPane::Output),
        ("4 Vars", Pane::Output, LowerPane::Vars),
        ("3 Output", Pane::Output, LowerPane::Output),
        ("1 Chat", Pane::Chat, LowerPane::Output),
    ] {
        click(&mut scene, place(&screen, tab));
        assert_eq!((scene.screen.panes.focus, scene.screen.panes.lower), (pane, lower), "{tab}");
    }
}

#[test]
fn a_block_without_a_language_is_asked_about() {
    let mut scene = Scene::worked();
    scene.reply("```\nls\n```\n");
    scene.inspect(3, Vec::new());
    scene.see_block();
    assert!(decide(&mut scene, "a").is_empty());
    assert!(scene.screen.top::<LanguageList>().is_some());
    let chosen = Command::ChooseLanguage { block: BlockId(3), language: Language::bash() };
    assert_eq!(engine_commands(&scene.press(&["2"])), [chosen]);
}

#[test]
fn a_finding_is_scrolled_to() {
    let mut scene = Scene::worked();
    let code: String = (0..200).map(|n| format!("line_{n}\n")).collect();
    let mut late = findings();
    late.truncate(1);
    late[0].place.line = 150;
    scene.reply(&format!("```python\n{code}```\n"));
    scene.inspect(3, late);
    scene.go_to(Pane::Code);
    scene.press(&["f"]);
    assert_screen(&mut scene, 100, 30, &["line_149", "HIGH"], &[]);
}

/// The first start, with some providers to choose from.
pub(super) fn welcome() -> Scene {
    let mut scene = Scene::set_up(Setup { welcome: true, clouds: clouds(), ..Setup::default() });
    scene.frame();
    scene
}

#[test]
fn the_marked_provider_is_in_view_in_a_small_window() {
    let mut scene = welcome();
    assert_screen(&mut scene, 60, 14, &["> 1  Demo", "rows below"], &[]);
    scene.press(&["down", "down", "down", "down", "down"]);
    assert_shown(&mut scene, 60, 14, "> 6  Other");
}

#[test]
fn a_pasted_key_stays_out_of_sight_and_leaves_as_a_secret() {
    let mut scene = welcome();
    scene.press(&["3"]);
    scene.paste("sk-very-secret");
    assert_screen(&mut scene, 100, 30, &[], &["secret"]);
    let commands = scene.press(&["enter"]);
    let shown = format!("{commands:?}");
    assert!(shown.contains("UseProvider") && !shown.contains("sk-very"), "{shown}");
}

/// The choice of a provider that is the only command.
#[track_caller]
pub(super) fn chosen(commands: &[UiCommand]) -> &Choice {
    match commands {
        [UiCommand::Leave(Exit::UseProvider(choice))] => choice,
        _ => panic!("{commands:?}"),
    }
}

#[test]
fn a_pasted_key_is_for_the_provider_that_its_field_names_alone() {
    // A choice that needs no key takes none.
    let mut scene = welcome();
    scene.press(&["k"]);
    assert_screen(&mut scene, 100, 30, &[], &["paste a key", "key for"]);
    // A key from the environment may be replaced for that provider.
    scene.press(&["down", "down", "down", "k"]);
    scene.paste("sk-very-secret");
    assert_shown(&mut scene, 100, 30, "key for Anthropic: ***");
    let commands = scene.press(&["enter"]);
    let Choice::Cloud { provider, key: Some(_) } = chosen(&commands) else { panic!("{commands:?}") };
    assert_eq!(provider, "anthropic");
    // A key that was typed and not sent is not kept.
    let mut scene = welcome();
    scene.press(&["3"]);
    scene.paste("sk-very-secret");
    scene.press(&["esc"]);
    assert_shown(&mut scene, 100, 30, "OPENAI_API_KEY                not set");
    let commands = scene.press(&["4"]);
    assert!(matches!(chosen(&commands), Choice::Cloud { key: None, .. }), "{commands:?}");
    // For the person's own server: first the key, then its address.
    let mut scene = welcome();
    scene.press(&["down", "down", "down", "down", "down", "k"]);
    scene.paste("sk-very-secret");
    scene.press(&["enter"]);
    scene.paste("https://llm.example.com/v1");
    let commands = scene.press(&["enter"]);
    assert!(matches!(chosen(&commands), Choice::Address { key: Some(_), .. }), "{commands:?}");
}

/// A key is sent only to the address for which it was pasted: if that is corrected, the screen asks for it
/// again.
#[test]
fn an_address_that_is_corrected_says_that_its_key_is_gone() {
    let corrects = |with_key: bool| {
        let address = Some(TypedAddress { text: "https://lm.example.com/v1".into(), with_key });
        let mut scene = Scene::set_up(Setup { welcome: true, clouds: clouds(), address, ..Setup::default() });
        scene.frame();
        scene
    };
    let gone = "The key that you pasted is for this server alone.";
    let mut scene = corrects(true);
    assert_screen(&mut scene, 100, 30, &["address: https://lm.example.com/v1", gone], &[]);
    // The hint leads to pasting a key again; then the hint is gone.
    scene.press(&["esc", "k"]);
    scene.paste("sk-very-secret");
    scene.press(&["enter"]);
    scene.paste("https://llm.example.com/v1");
    assert_screen(&mut scene, 100, 30, &[], &[gone]);
    let commands = scene.press(&["enter"]);
    assert!(matches!(chosen(&commands), Choice::Address { key: Some(_), .. }), "{commands:?}");
    assert_screen(&mut corrects(false), 100, 30, &["address: https://lm.example.com/v1"], &[gone]);
}

#[test]
fn what_says_that_keys_are_ignored_goes_when_they_are_not() {
    let mut scene = Scene::waiting();
    scene.go_to(Pane::Code);
    scene.wait(350);
    scene.key("a");
    assert_shown(&mut scene, 100, 30, "Keys typed now are ignored. 0.7 s left.");
    scene.pass(701);
    assert_screen(&mut scene, 100, 30, &["Block 3 waits."], &["ignored"]);
}

/// A failure shows the same keys in its panel and in the row of keys, and from the message box the way there is
/// shown.
#[test]
fn what_can_be_done_is_told_once_and_from_the_message_too() {
    for (kind, keys) in [
        (FailureKind::RateLimit, ["r retry", "m model", "e end here"]),
        (FailureKind::Refused, ["u new key", "m model", "r retry"]),
        (FailureKind::Overflow, ["c shorten", "m model", "N new chat"]),
        (FailureKind::SessionUnreadable, ["r retry", "N new chat", "e end here"]),
    ] {
        let mut scene = Scene::worked();
        scene.ask("and now the same for 2025");
        let failure =
            failure(kind, "The provider said no, and a good deal more about why it did.", Departure::Sent);
        scene.fail(failure);
        scene.settle();
        let text = drawn(&mut scene, 80, 24);
        assert!(text.contains("Tab what to do") || text.contains("Tab what can be done"), "{text}");
        scene.press(&["tab"]);
        let text = drawn(&mut scene, 80, 24);
        for key in keys {
            assert_eq!(text.matches(key).count(), 2, "{key}: {text}");
        }
    }
}

#[test]
fn a_title_names_a_key_that_works_where_the_keys_are() {
    let mut scene = Scene::worked();
    scene.ask("and now?");
    scene.streaming(&"A line of words.\n\n".repeat(60));
    scene.frame();
    drawn(&mut scene, 100, 30);
    scene.press(&["pgup"]);
    scene.streaming(&"Another line.\n\n".repeat(5));
    assert_eq!(scene.screen.panes.focus, Pane::Message);
    assert_shown(&mut scene, 100, 30, "new lines  PgDn");
    scene.screen.panes.focus = Pane::Chat;
    assert_shown(&mut scene, 100, 30, "new lines  G");
}

/// The conversation gets the rows that a block does not need.
#[test]
fn a_short_block_leaves_its_rows_to_the_conversation() {
    let mut scene = Scene::at_work();
    scene.reply("Now the folder, and what is in it.\n\n```bash\nls out\n```\n");
    scene.inspect(3, Vec::new());
    scene.focus(Pane::Code);
    let text = drawn(&mut scene, 100, 30);
    let at = |words: &str| text.lines().position(|row| row.contains(words)).expect(words);
    assert!(at(" Chat ") + 12 < at("Block 3 bash"), "{text}");
    assert!(text.contains("1 │ ls out"), "{text}");
    let code: Vec<&str> =
        text.lines().skip(at("Block 3 bash")).take_while(|row| !row.contains('└')).collect();
    assert!(code.iter().all(|row| row.chars().any(|c| !" │┃".contains(c))), "no row of it is empty:\n{text}");
    // A block that needs the room gets it.
    let text = drawn(&mut Scene::waiting(), 100, 30);
    let at = |words: &str| text.lines().position(|row| row.contains(words)).expect(words);
    assert!(at("Block 3 python") - at(" Chat ") < 6, "{text}");
}

#[test]
fn lists_that_are_empty_offer_nothing() {
    for (command, keys) in [("/queue", ["show block", "skip all"]), ("/rules", ["x remove", "Up/Down"])] {
        let mut scene = Scene::worked();
        scene.focus(Pane::Message);
        scene.enter(command);
        let text = drawn(&mut scene, 100, 30);
        assert!(keys.iter().all(|key| !text.contains(key)), "{text}");
    }
}

#[test]
fn enter_or_a_click_on_the_line_of_a_block_opens_it() {
    let mut scene = Scene::worked();
    scene.frame();
    scene.press(&["shift-tab", "shift-tab"]);
    scene.screen.panes.focus = Pane::Chat;
    let screen = drawn(&mut scene, 140, 40);
    assert!(screen.contains("> block 2"), "the last block on screen is marked:\n{screen}");
    assert!(screen.contains("Enter show block"), "{screen}");
    scene.press(&["enter"]);
    assert_eq!((scene.screen.panes.focus, scene.screen.panes.code.subject()), (Pane::Code, Some(BlockId(2))));

    let mut scene = Scene::worked();
    let screen = drawn(&mut scene, 140, 40);
    assert!(!screen.contains("> block"), "nothing is marked where Enter does not open it:\n{screen}");
    let row = screen.lines().position(|row| row.contains("block 1 ")).expect("block 1 is on screen");
    click(&mut scene, (10, 3));
    assert_eq!((scene.screen.panes.focus, scene.screen.panes.code.subject()), (Pane::Chat, None));
    click(&mut scene, (10, u16::try_from(row).unwrap()));
    assert_eq!((scene.screen.panes.focus, scene.screen.panes.code.subject()), (Pane::Code, Some(BlockId(1))));
    // From there the conversation marks the block that the code pane shows.
    scene.screen.panes.focus = Pane::Chat;
    assert_shown(&mut scene, 140, 40, "> block 1");
    scene.press(&["]"]);
    assert_shown(&mut scene, 140, 40, "> block 2");
}

#[test]
fn z_gives_a_pane_the_whole_screen_and_takes_it_back() {
    for (width, height) in [(140, 40), (100, 30)] {
        let mut scene = Scene::waiting();
        scene.focus(Pane::Code);
        let before = drawn(&mut scene, width, height);
        assert!(before.contains(" Chat "));
        scene.press(&["z"]);
        let whole = drawn(&mut scene, width, height);
        assert!(whole.contains("[Block 3 python") && !whole.contains(" Chat "), "{whole}");
        assert!(whole.contains("ax.set_title"), "more of the code is seen:\n{whole}");
        scene.press(&["z"]);
        assert_eq!(drawn(&mut scene, width, height).lines().nth(1), before.lines().nth(1));
        // Another pane is shown as soon as it has the focus.
        scene.press(&["z", "tab"]);
        assert_screen(&mut scene, width, height, &[" Chat ", "Block 3"], &[]);
    }
}

#[test]
fn borders_are_moved_by_keys_and_by_the_mouse() {
    for (width, height) in [(140, 40), (100, 30)] {
        let mut scene = Scene::waiting();
        scene.screen.resized((width, height), scene.at);
        scene.frame();
        scene.ran(3, 100, "");
        scene.go_to(Pane::Chat);
        let stands = |scene: &Scene| {
            let made = scene.screen.arrangement;
            (made.chat.unwrap().outer, made.code.unwrap().outer, made.output.unwrap().outer)
        };
        let (chat, code, _) = stands(&scene);
        scene.press(&[">", "+", "+"]);
        let (wider, higher, _) = stands(&scene);
        assert!(wider.area() > chat.area(), "{chat} {wider}");
        assert_eq!(higher.height, code.height + 2, "{code} {higher}");
        scene.press(&["<", "-", "-"]);
        assert_eq!((stands(&scene).0, stands(&scene).1), (chat, code));
        // The mouse drags the border between code and output down by two rows.
        let (.., output) = stands(&scene);
        let at = (output.x + 20, output.y);
        down(&mut scene, at);
        let to = (at.0, at.1 + 2);
        drag(&mut scene, to);
        up(&mut scene, to);
        scene.frame();
        assert_eq!(stands(&scene).2.y, output.y + 2);
        drag(&mut scene, at);
        scene.frame();
        assert_eq!(stands(&scene).2.y, output.y + 2, "a border that is not held stays");
    }
}

/// The key to the block approves even while the quiet time locks letters: only letters are shown as locked.
#[test]
fn what_is_told_as_locked_is_locked() {
    for size in super::SIZES {
        let mut scene = acted(size, Scene::worked);
        scene.proposed(3, "python", "print(1)");
        scene.screen.panes.focus = Pane::Code;
        scene.frame();
        scene.see_everything();
        scene.press(&["ctrl-y"]);
        scene.pass(450);
        assert_screen(&mut scene, size.0, size.1, &["letters locked 0.3 s"], &["all keys"]);
        assert_eq!(engine_commands(&scene.press(&["ctrl-y"])), [approval(3, false)], "{size:?}");
    }
}
