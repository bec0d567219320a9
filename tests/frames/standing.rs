//! What the screen says about the sandbox, about what left this computer and about an unsent message, compared
//! with the values that enforce and record it.

use super::fetching::installing;
use super::scene::{
    Scene, clouds, confined, engine_commands, failure, findings, inspection, name_not_found, report, sent,
    terms,
};
use super::{assert_text, drawn};
use sayso::domain::*;
use sayso::driver::{Job, JobResult};
use sayso::engine::{Command, Event, Settings, StoreEvent};
use sayso::tui::setup::Setup;
use sayso::tui::ui_command::UiCommand;
use sayso::tui::widgets::layout::Pane;

fn text(scene: &mut Scene) -> String {
    // Sentences are compared as one line, however they are wrapped.
    let rows = drawn(scene, 140, 40);
    rows.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn sandbox(level: SandboxLevel, network_blocked: bool) -> SandboxReport {
    SandboxReport {
        level,
        network_blocked,
        writes_confined: true,
        reads_confined: true,
        contained: true,
        ..SandboxReport::default()
    }
}

fn asks_for_sandbox(commands: &[UiCommand]) -> bool {
    commands.iter().any(|wish| matches!(wish, UiCommand::Job(Job::Sandbox)))
}

#[test]
fn the_command_tells_what_the_tests_found() {
    for (answer, says) in [
        (Ok(sandbox(SandboxLevel::Workspace, true)), "Sandbox is ON: workspace, network off"),
        (Ok(sandbox(SandboxLevel::ReadOnly, false)), "Sandbox is ON: read-only, network open"),
        (Ok(SandboxReport::default()), "Sandbox is OFF: blocks can do anything your account can."),
        (Err("bwrap is not there".to_owned()), "nothing runs here: bwrap is not there"),
    ] {
        let mut scene = Scene::worked();
        let commands = scene.enter_message("/sandbox");
        assert!(asks_for_sandbox(&commands));
        assert_text(&text(&mut scene), &["being tested"], &["is OFF"]);
        scene.job_ended(JobResult::Sandbox(answer));
        let after = text(&mut scene);
        assert!(after.contains(says), "{says}:\n{after}");
    }
}

#[test]
fn the_welcome_tells_what_the_tests_found() {
    for (answer, says, not) in [
        (Ok(sandbox(SandboxLevel::Workspace, true)), "Sandbox is ON: workspace, network off", "OFF:"),
        (Ok(SandboxReport::default()), "Sandbox is OFF", "is ON"),
    ] {
        let mut scene = Scene::set_up(Setup { welcome: true, clouds: clouds(), ..Setup::default() });
        assert_text(&text(&mut scene), &["being tested"], &["OFF:"]);
        scene.job_ended(JobResult::Sandbox(answer));
        assert_text(&text(&mut scene), &[says], &[not]);
    }
}

#[test]
fn what_left_is_what_was_counted() {
    let mut scene = Scene::worked();
    let commands = scene.enter_message("/provider");
    assert!(asks_for_sandbox(&commands));
    assert_text(&text(&mut scene), &["sayso has sent nothing to another computer;"], &["No provider yet"]);
    scene.screen.sent_requests.count("api.example.com", false);
    scene.screen.sent_requests.count("api.example.com", false);
    assert_text(&text(&mut scene), &["2 requests have left for api.example.com."], &["sent nothing"]);
}

fn stuck(departure: Departure) -> Scene {
    let mut scene = Scene::worked();
    scene.ask("and now the same for 2025");
    scene.fail(failure(
        FailureKind::Unreachable,
        "Cannot reach api.example.com: connection refused.",
        departure,
    ));
    scene.settle();
    scene
}

#[test]
fn a_message_that_was_not_sent_is_in_the_composer() {
    let mut scene = stuck(Departure::Never);
    assert_eq!(scene.screen.panes.composer.full_text(), "and now the same for 2025");
    assert_text(&text(&mut scene), &["!! not sent:", "Your message is kept."], &[]);
    // Sent again unchanged, it is asked again instead of being sent twice.
    scene.screen.panes.focus = Pane::Message;
    assert_eq!(*sent(&scene.press(&["enter"])), Command::Retry);
    assert!(scene.screen.panes.composer.is_empty());
    // Changed, it is another message.
    let mut scene = stuck(Departure::Never);
    let changed = Command::Submit("and now the same for 2025 please".into());
    assert_eq!(*sent(&scene.enter_message(" please")), changed);
    // Retried by the key of the problem, it disappears from the message box.
    let mut scene = stuck(Departure::Never);
    scene.command(Command::Retry);
    scene.settle();
    assert!(scene.screen.panes.composer.is_empty());
}

#[test]
fn a_message_that_went_out_is_not_called_unsent() {
    let mut scene = stuck(Departure::Sent);
    assert!(scene.screen.panes.composer.is_empty());
    let shown = text(&mut scene);
    assert!(shown.contains("!! sent, not answered:") && !shown.contains("not sent:"), "{shown}");
    assert!(shown.contains("Your message stands in the chat.") && !shown.contains("is kept"), "{shown}");
    // Text that the person types meanwhile is not overwritten.
    let mut scene = Scene::worked();
    scene.screen.panes.focus = Pane::Message;
    scene.type_text("another thought");
    scene.ask("and now");
    scene.fail(name_not_found());
    scene.settle();
    assert_eq!(scene.screen.panes.composer.full_text(), "another thought");
    assert!(!text(&mut scene).contains("is kept"));
}

#[test]
fn an_installation_is_not_called_allowed_beforehand() {
    let mut terms = confined("python");
    terms.rights.network = true;
    assert_eq!(sentences::network::of_terms(&terms), "OPEN, as you allowed");
    let mut scene = installing(true);
    assert_text(&text(&mut scene), &["OPEN for this alone, once you approve it"], &["as you allowed"]);
}

#[test]
fn a_variable_that_holds_a_key_is_named() {
    let mut terms = terms("python");
    terms.rights.environment = vec!["PATH".into(), "OPENAI_API_KEY".into()];
    let mut scene = Scene::waiting_with(inspection(terms, findings()));
    assert_text(&text(&mut scene), &["PASSED: OPENAI_API_KEY"], &["none passed"]);
}

#[test]
fn a_session_that_is_not_saved_is_not_called_saved() {
    // The session file is created with the first message.
    assert!(!text(&mut Scene::new()).contains("session saved"));
    let mut scene = Scene::worked();
    assert!(text(&mut scene).contains("session saved"));
    // The last record is still on its way to the disk.
    scene.send_unsaved(Event::User(Command::Rename("sales-q4".into())));
    assert!(!text(&mut scene).contains("session saved"));
    scene.saved();
    assert!(text(&mut scene).contains("session saved"));
    scene.disk_fails();
    scene.screen.note = None;
    assert_text(&text(&mut scene), &[], &["session saved"]);
}

/// The pane of problems is hidden where there is room for one pane only.
#[test]
fn a_wait_says_that_the_session_is_not_saved() {
    for pane in [Pane::Message, Pane::Code] {
        let mut scene = Scene::waiting_with(inspection(confined("python"), Vec::new()));
        scene.disk_fails();
        scene.screen.note = None;
        scene.screen.panes.focus = pane;
        let shown = drawn(&mut scene, 80, 24);
        let row =
            shown.lines().find(|row| row.contains("Approving is paused. Session not saved: no space left."));
        assert!(row.is_some_and(|row| row.contains("Block 3 waits")), "{pane:?}: {shown}");
    }
}

/// No pane shows the problem with its key while a block waits: the decision itself tries to save again.
#[test]
fn approving_while_the_session_is_not_saved_tries_to_save_it_again() {
    for reads_only in [false, true] {
        let mut scene = Scene::with(Settings { reads_only, ..Settings::default() });
        scene.ask("hello");
        scene.proposed(1, "python", "print(1)");
        scene.see_block();
        scene.disk_fails();
        scene.frame();
        for key in ["a", "A"] {
            // Decisions count only some time after the last key.
            scene.wait(2_000);
            let commands = engine_commands(&scene.press(&[key]));
            assert_eq!(commands.contains(&Command::RetryStore), !reads_only, "{key}: {commands:?}");
            let decides = |command: &Command| matches!(command, Command::Decide { .. });
            assert!(!commands.iter().any(decides), "{key}: {commands:?}");
            assert!(drawn(&mut scene, 100, 30).contains("Approving is paused."), "{key}");
        }
    }
}

/// What to do is not lost in a narrow row.
#[test]
fn a_wait_in_a_session_that_is_only_read_says_what_to_do() {
    let mut scene = Scene::with(Settings { reads_only: true, ..Settings::default() });
    scene.ask("hello");
    scene.proposed(1, "python", "print(1)");
    let why = "another sayso (process 1234567) had it open.";
    scene.send(Event::Store(StoreEvent::Failed(why.into())));
    scene.screen.note = None;
    scene.screen.panes.focus = Pane::Code;
    let shown = drawn(&mut scene, 80, 24);
    let told = "Block 1 waits.  Approving is paused. Quit and resume the session to go on.";
    assert!(shown.contains(told), "{shown}");
}

/// An answer that has no room behind the wait takes its place; what is left out of it is marked.
#[test]
fn answers_are_seen_while_a_block_waits() {
    for (width, height) in [(80, 24), (50, 12)] {
        for line in ["/instructions", "/limits foo", "/cost", "/export pdf"] {
            let mut scene = Scene::waiting_with(inspection(confined("python"), Vec::new()));
            scene.frame();
            scene.enter_message(line);
            let answer = scene.screen.note.as_ref().map(|note| note.text.clone()).expect("an answer");
            let begin = answer.split(' ').take(3).collect::<Vec<_>>().join(" ");
            let shown = drawn(&mut scene, width, height);
            let row = shown.lines().find(|row| row.contains(&begin)).unwrap_or_default();
            assert!(row.contains(&answer) || row.ends_with("..."), "{line}: {answer}\n{shown}");
        }
    }
}

/// Trying again is offered only where it can help.
#[test]
fn a_session_that_is_only_read_is_to_be_opened_again_and_not_saved_again() {
    for reads_only in [false, true] {
        let mut scene = Scene::with(Settings { reads_only, ..Settings::default() });
        scene.ask("hello");
        scene.reply("Hello.");
        scene.frame();
        scene.disk_fails();
        scene.screen.note = None;
        scene.focus(Pane::Output);
        let shown = text(&mut scene);
        assert!(shown.contains("Session not saved: no space left."), "{shown}");
        assert_eq!(shown.contains("retry"), !reads_only, "{shown}");
        for part in ["reading only", "Quit and resume the session to go on."] {
            assert_eq!(shown.contains(part), reads_only, "{part}: {shown}");
        }
    }
}

#[test]
fn an_image_that_was_only_written_is_named() {
    let mut scene = Scene::worked();
    scene.reply("```python\nplot()\n```\n");
    let mut run = report("", 10);
    run.receipt.files = vec![FileChange::new("picture.png", "created", 9)];
    scene.ran_with(3, run);
    scene.settle();
    scene.screen.panes.focus = Pane::Output;
    scene.frame();
    scene.pass(1_000);
    scene.press(&["o"]);
    assert_text(&text(&mut scene), &["It wrote picture.png"], &["made no image"]);
}
