//! The limits of a block: by the form and by the command.

use super::behaviour::reviewing;
use super::scene::Scene;
use super::{assert_screen, snapshots_after};
use sayso::domain::*;
use sayso::engine::Command;
use sayso::tui::overlays::limits::LimitsForm;
use sayso::tui::ui_command::UiCommand;
use sayso::tui::widgets::layout::Pane;

fn open() -> Scene {
    let mut scene = reviewing();
    press(&mut scene, &["t"]);
    assert!(scene.screen.top::<LimitsForm>().is_some());
    scene
}

/// Presses keys one by one.
fn press(scene: &mut Scene, keys: &[&str]) -> Vec<UiCommand> {
    let mut commands = Vec::new();
    for key in keys {
        commands = scene.press(&[*key]);
        scene.wait(100);
    }
    commands
}

fn write(scene: &mut Scene, text: &str) {
    scene.press(&["ctrl-e", "ctrl-u"]);
    scene.type_text(text);
    scene.wait(100);
}

fn sent(commands: &[UiCommand]) -> Option<Limits> {
    match commands {
        [UiCommand::Send(Command::SetLimits { block: BlockId(3), limits })] => Some(*limits),
        _ => None,
    }
}

#[test]
fn limits_form() {
    snapshots_after("04f_limits", open, |scene| {
        press(scene, &["down"]);
        write(scene, "3 GiB");
    });
}

#[test]
fn limits_form_with_what_is_wrong() {
    snapshots_after("04f_limits_wrong", open, |scene| {
        press(scene, &["down"]);
        write(scene, "3 X");
        press(scene, &["down", "down"]);
        write(scene, "5 GiB");
        press(scene, &["enter"]);
    });
}

#[test]
fn what_was_typed_is_sent_by_enter_and_nothing_by_esc() {
    let mut scene = open();
    press(&mut scene, &["down"]);
    write(&mut scene, "512M");
    press(&mut scene, &["down"]);
    write(&mut scene, "64");
    press(&mut scene, &["up", "up"]);
    write(&mut scene, "2 min");
    let limits = sent(&press(&mut scene, &["enter"])).unwrap();
    let wanted = Limits { wall_ms: 120_000, memory_bytes: 512 << 20, processes: 64, ..Limits::default() };
    assert_eq!(limits, wanted);
    assert!(scene.screen.overlays.is_empty());
    let mut scene = open();
    write(&mut scene, "7");
    assert!(press(&mut scene, &["esc"]).is_empty());
    assert!(scene.screen.overlays.is_empty());
    let mut scene = open();
    assert!(press(&mut scene, &["enter"]).is_empty(), "nothing was changed");
}

#[test]
fn a_wrong_value_sends_nothing_and_loses_nothing() {
    let mut scene = open();
    write(&mut scene, "30");
    press(&mut scene, &["down"]);
    write(&mut scene, "lots");
    press(&mut scene, &["down"]);
    assert!(press(&mut scene, &["enter"]).is_empty());
    let Some(form) = scene.screen.top::<LimitsForm>() else { panic!("it closed") };
    assert_eq!((form.at, form.rows[0].field.text().as_str()), (1, "30"));
    assert_eq!(form.rows[1].field.text(), "lots");
    assert_screen(&mut scene, 100, 30, &["lots", "a size from 1 MiB to 1 TiB"], &[]);
    write(&mut scene, "1G");
    let limits = sent(&press(&mut scene, &["enter"])).unwrap();
    assert_eq!((limits.wall_ms, limits.memory_bytes), (30_000, 1 << 30));
}

#[test]
fn the_form_closes_when_the_block_waits_no_more() {
    let mut scene = open();
    scene.decide(3, Decision::Reject(String::new()));
    scene.frame();
    assert!(scene.screen.overlays.is_empty());
}

fn command(scene: &mut Scene, text: &str) -> Vec<UiCommand> {
    scene.screen.overlays.clear();
    scene.screen.panes.focus = Pane::Message;
    scene.screen.panes.composer.set(text);
    scene.wait(2_000);
    press(scene, &["enter"])
}

#[test]
fn the_same_by_words() {
    let mut scene = reviewing();
    let limits = sent(&command(&mut scene, "/limits memory 2G processes 64 time 30")).unwrap();
    let wanted = Limits { wall_ms: 30_000, processes: 64, ..Limits::default() };
    assert_eq!(limits, wanted);
    assert_eq!(sent(&command(&mut scene, "/limits 45")).unwrap().wall_ms, 45_000);
    // An unreadable value stays in the form; an unknown limit goes back into the message box.
    assert!(command(&mut scene, "/limits memory 2X output 64K").is_empty());
    let Some(form) = scene.screen.top::<LimitsForm>() else { panic!("no form") };
    assert_eq!((form.rows[1].field.text(), form.rows[5].field.text()), ("2X".into(), "64K".into()));
    assert!(form.rows[1].wrong.is_some());
    assert!(command(&mut scene, "/limits colour 3").is_empty());
    assert!(scene.screen.overlays.is_empty());
    assert_eq!(scene.screen.panes.composer.full_text(), "/limits colour 3");
}
