//! The person's own commands: `!` in the message proposes a block, and decides nothing.

use super::scene::{Scene, confined, inspection, sent};
use super::{assert_screen, drawn, snapshots_after};
use sayso::engine::Command;
use sayso::tui::widgets::layout::Pane;

/// The command waits in the code pane.
fn waiting() -> Scene {
    let mut scene = Scene::worked();
    let command = sent(&scene.enter("!git status --short")).clone();
    assert_eq!(command, Command::TypedCommand("git status --short".into()));
    scene.command(command);
    scene.inspected(3, inspection(confined("bash"), Vec::new()));
    scene
}

#[test]
fn typed_command() {
    snapshots_after("18_typed_command", waiting, |scene| scene.review());
}

#[test]
fn the_focus_stays_and_the_message_is_remembered() {
    let mut scene = waiting();
    scene.frame();
    assert_eq!(scene.screen.panes.focus, Pane::Message);
    assert!(scene.screen.panes.composer.is_empty());
    scene.press(&["up"]);
    assert_eq!(scene.screen.panes.composer.full_text(), "!git status --short");
}

#[test]
fn in_a_turn_it_is_queued_and_comes_back_to_be_changed() {
    let mut scene = Scene::waiting();
    let command = sent(&scene.enter_message("!ls -la")).clone();
    scene.command(command);
    assert_screen(&mut scene, 140, 40, &["you  queued, waits for your decision when", "!ls -la"], &[]);
    assert!(scene.screen.panes.composer.is_empty());
    assert_eq!(*sent(&scene.press(&["alt-up"])), Command::EditQueued);
    assert_eq!(scene.screen.panes.composer.full_text(), "!ls -la");
    scene.command(Command::EditQueued);
    assert!(!drawn(&mut scene, 140, 40).contains("queued, waits"));
}

#[test]
fn without_a_command_it_stays_in_the_box() {
    let mut scene = Scene::worked();
    assert!(scene.enter("! ").is_empty());
    assert!(drawn(&mut scene, 140, 40).contains("A command follows the !"));
}
