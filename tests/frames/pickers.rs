//! `/copy` and `/theme`: without an argument they let the person choose.

use super::scene::{CODE, Scene};
use super::{SIZES, assert_screen, drawn, snapshots_after};
use sayso::tui::setup::Setup;
use sayso::tui::theme::OwnThemes;
use sayso::tui::ui_command::UiCommand;

fn theme(commands: &[UiCommand]) -> &str {
    let [UiCommand::Theme(name)] = commands else { panic!("{commands:?}") };
    name
}

/// The copied text, if that is the only command.
#[track_caller]
pub(super) fn copied(commands: &[UiCommand]) -> &str {
    let [UiCommand::Copy(text)] = commands else { panic!("{commands:?}") };
    text
}

#[test]
fn theme_list() {
    snapshots_after("19_themes", Scene::worked, |scene| scene.enter("/theme"));
}

#[test]
fn a_theme_is_seen_at_once_taken_by_enter_and_given_back_by_esc() {
    let mut scene = Scene::worked();
    let in_use = scene.theme.name().to_owned();
    assert!(scene.enter("/theme").is_empty());
    scene.press(&["down", "down", "down", "down", "down", "down"]);
    assert!(scene.press(&["down"]).is_empty(), "at the end nothing changes");
    assert_ne!(theme(&scene.press(&["up"])), in_use);
    assert!(scene.press(&["enter"]).is_empty(), "it is in use already");
    assert!(scene.screen.overlays.is_empty());
    for way_out in ["esc", "ctrl-c"] {
        scene.enter("/theme");
        scene.press(&["down"]);
        assert_eq!(theme(&scene.press(&[way_out])), in_use);
        assert!(scene.screen.overlays.is_empty());
    }
}

#[test]
fn the_list_of_themes_holds_the_persons_own() {
    let own = OwnThemes::new(|| vec![("ink".into(), Ok(String::new())), ("mine".into(), Ok(String::new()))]);
    let mut scene = Scene::set_up(Setup { themes: own, ..Setup::default() });
    scene.enter("/theme");
    let text = drawn(&mut scene, 80, 24);
    // A built-in theme of the same name is listed only once.
    assert_eq!((text.matches("  mine").count(), text.matches("  ink").count()), (1, 1), "{text}");
}

#[test]
fn the_chosen_theme_is_seen_however_many_there_are() {
    let own = OwnThemes::new(|| (0..40).map(|at| (format!("mine{at}"), Ok(String::new()))).collect());
    let mut scene = Scene::set_up(Setup { themes: own, ..Setup::default() });
    scene.enter("/theme");
    (0..40).for_each(|_| drop(scene.press(&["down"])));
    assert_screen(&mut scene, 80, 24, &["> mine", "rows above", "rows below"], &[]);
}

#[test]
fn a_command_is_cut_only_where_its_row_has_no_room() {
    for (typed, whole) in
        [("/search", "/search WORDS language:NAME since:30d"), ("/instr", "/instructions ON|OFF|CHANGES")]
    {
        let mut scene = Scene::worked();
        scene.type_text(typed);
        let text = drawn(&mut scene, 100, 30);
        assert!(text.contains(whole), "{whole}\n{text}");
    }
}

#[test]
fn a_command_shows_the_key_that_does_the_same() {
    let mut scene = Scene::worked();
    scene.type_text("/undo");
    let text = drawn(&mut scene, 100, 30);
    assert!(text.lines().any(|row| row.contains("/undo BLOCK") && row.contains("(u)")), "{text}");
}

/// The row under the cursor is always among those on screen.
#[test]
fn a_list_tells_how_many_rows_it_hides() {
    let mut scene = Scene::worked();
    scene.type_text("/");
    for (downs, above, below) in [(0, false, true), (20, true, true), (100, true, false)] {
        (0..downs).for_each(|_| drop(scene.press(&["down"])));
        for (width, height) in SIZES {
            let text = drawn(&mut scene, width, height);
            assert_eq!((text.contains("rows above"), text.contains("rows below")), (above, below), "{text}");
            let chosen = text.lines().filter(|row| row.contains("┃ > /") && !row.contains("┃ > / "));
            assert_eq!(chosen.count(), 1, "{text}");
        }
    }
}

#[test]
fn block_list() {
    snapshots_after("20_copy", Scene::waiting, |scene| {
        scene.enter_message("/copy");
    });
}

#[test]
fn a_block_is_copied_by_its_number_or_chosen() {
    let mut scene = Scene::worked();
    assert_eq!(copied(&scene.enter("/copy 1")), "ls -la\n");
    assert!(scene.enter("/copy 9").is_empty());
    assert!(drawn(&mut scene, 100, 30).contains("There is no block 9."));
    assert!(scene.enter("/copy x").is_empty());
    assert!(drawn(&mut scene, 100, 30).contains("/copy NUMBER"));
    assert!(scene.enter("/copy").is_empty());
    assert_eq!(copied(&scene.enter("bash")), "ls -la\n");
    // Without blocks there is nothing to choose.
    let mut scene = Scene::new();
    assert!(scene.enter("/copy").is_empty());
    assert!(scene.screen.overlays.is_empty());
    let mut scene = Scene::waiting();
    assert_eq!(copied(&scene.enter_message("/copy 3")), CODE);
}
