//! Tables wider than the pane: whole columns after the first one, a fixed header, scrolling by columns with the
//! arrow keys.

use super::pickers::copied;
use super::scene::{Scene, report};
use super::{assert_screen, assert_shown, assert_text, drawn, snapshots};
use sayso::domain::RunReport;

/// A data frame of so many rows with twelve columns, as pandas prints it.
fn table(rows: usize) -> String {
    let mut text = String::from("    ");
    (0..12).for_each(|column| text.push_str(&format!("   column_{column:<2}")));
    for row in 0..rows {
        text.push_str(&format!("\n{row:<4}"));
        (0..12).for_each(|column| text.push_str(&format!("   {:>9}", row * 1_000 + column)));
    }
    text
}

fn ended(value: Option<String>, printed: &str) -> Scene {
    Scene::ended_with(RunReport { value, ..report(printed, 400) })
}

#[test]
fn a_value_of_twelve_columns_is_read_at_every_size() {
    snapshots("07_wide_table", || ended(Some(table(5) + "\n\n[5 rows x 12 columns]"), ""));
}

#[test]
fn the_arrow_keys_show_other_columns_behind_the_first_one() {
    let mut scene = ended(Some(table(5)), "");
    let first = drawn(&mut scene, 80, 24);
    assert!(first.contains("columns 1-5 of 12"), "{first}");
    scene.press(&["right", "right"]);
    assert_screen(&mut scene, 80, 24, &["columns 3-7 of 12", "4     <     4002        4003"], &[]);
    (0..20).for_each(|_| drop(scene.press(&["right"])));
    assert!(drawn(&mut scene, 80, 24).contains("columns 7-12 of 12"));
    (0..20).for_each(|_| drop(scene.press(&["left"])));
    let back = drawn(&mut scene, 80, 24);
    let rows = |screen: &str| screen.lines().take(20).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(rows(&back), rows(&first));
    assert_screen(&mut scene, 200, 50, &["columns 1-11 of 12", "column_10"], &[]);
}

/// Lines of a log can have the same length and their blanks in the same places.
#[test]
fn a_log_is_wrapped_and_none_of_its_lines_stays_above_the_others() {
    let line =
        |n: usize| format!("10:42:{n} INFO {}reachable\n", "the worker waits for the next task ".repeat(5));
    let mut scene = ended(None, &(10..=40).map(line).collect::<String>());
    for (width, height) in [(80, 24), (100, 30), (140, 40)] {
        scene.press(&["G"]);
        assert_screen(&mut scene, width, height, &["reachable", "10:42:40"], &["columns 1-", "10:42:10"]);
    }
}

#[test]
fn the_header_of_a_long_table_stays_above_its_rows() {
    let mut scene = ended(None, &format!("before\n{}\nafter\n", table(100)));
    for (width, height) in [(80, 24), (100, 30), (140, 40)] {
        scene.press(&["G"]);
        assert_screen(&mut scene, width, height, &["column_0", "99000", "after"], &[]);
        scene.press(&["b"]);
        assert_screen(&mut scene, width, height, &["column_0"], &["99000"]);
        scene.press(&["g"]);
        assert_eq!(drawn(&mut scene, width, height).matches("column_0").count(), 1);
    }
}

/// A match in a hidden column scrolls that column into view until the person scrolls back; copying gives what
/// was printed.
#[test]
fn what_is_found_in_a_hidden_column_is_shown() {
    let mut scene = ended(None, &table(40));
    drawn(&mut scene, 80, 24);
    scene.press(&["/"]);
    scene.enter("30011");
    assert_screen(&mut scene, 80, 24, &["  30011"], &["  30001"]);
    scene.press(&["esc"]);
    assert_shown(&mut scene, 80, 24, "columns 1-5 of 12");
    let value = table(5);
    let mut scene = ended(Some(value.clone()), "");
    drawn(&mut scene, 80, 24);
    assert_eq!(copied(&scene.press(&["y"])), value);
}

/// At its right end a table can only scroll to the left; the bare view shows whole lines without added marks.
#[test]
fn the_keys_of_a_table_are_those_that_move_it_and_the_bare_view_holds_all_of_it() {
    for value in [true, false] {
        let of = |value: bool| if value { ended(Some(table(5)), "") } else { ended(None, &table(5)) };
        let mut scene = of(value);
        let first = drawn(&mut scene, 80, 24);
        assert!(first.contains("Right more columns") || first.contains("Right columns"), "{first}");
        (0..20).for_each(|_| drop(scene.press(&["right"])));
        let end = drawn(&mut scene, 80, 24);
        assert!(!end.contains("Right ") && end.contains("Left "), "{end}");
        scene.press(&["m"]);
        let bare = drawn(&mut scene, 80, 24);
        assert!(!bare.contains('<') && !bare.contains('>'), "{bare}");
        assert_text(&bare, &["4000", "4005", "4011", "column_5"], &[]);
        scene.press(&["m"]);
        assert_eq!(drawn(&mut scene, 80, 24), end);
    }
}
