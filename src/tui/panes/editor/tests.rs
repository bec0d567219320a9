//! What the editor guarantees: untouched bytes stay as they were.

use super::*;
use proptest::prelude::*;

fn open(text: &str) -> Editor {
    Editor::open(BlockId(3), Revision(1), &Arc::from(text), 0).written_in(Some(&Language::python()))
}

fn insert(editor: &mut Editor, text: &str) {
    text.chars().for_each(|c| editor.apply(Edit::Insert(c)));
}

#[test]
fn an_edit_keeps_the_ends_of_the_other_lines() {
    let mut editor = open("\u{feff}one\r\ntwo\nthree\r\nfour");
    editor.jump(Pos::new(1, 3));
    insert(&mut editor, "!");
    assert_eq!(editor.text(), "\u{feff}one\r\ntwo!\nthree\r\nfour");
    editor.motion(Motion::End, false);
    editor.apply(Edit::Newline);
    insert(&mut editor, "x");
    assert_eq!(editor.text(), "\u{feff}one\r\ntwo!\nx\nthree\r\nfour");
    editor.motion(Motion::Bottom, false);
    editor.apply(Edit::Newline);
    insert(&mut editor, "y");
    assert_eq!(editor.text(), "\u{feff}one\r\ntwo!\nx\nthree\r\nfour\r\ny");
}

#[test]
fn changed_lines_are_counted_and_marked() {
    let mut editor = open("a\nb\nc\n");
    editor.compare();
    assert_eq!(editor.changed_count(), 0);
    editor.jump(Pos::new(1, 1));
    insert(&mut editor, "x");
    editor.compare();
    assert_eq!(editor.changed_lines(), [false, true, false, false]);
    assert_eq!(editor.changed_count(), 1);
    editor.apply(Edit::Undo);
    editor.compare();
    assert_eq!(editor.changed_count(), 0);
    assert!(!editor.is_changed());
    editor.apply(Edit::Redo);
    assert_eq!(editor.text(), "a\nbx\nc\n");
}

#[test]
fn a_new_line_takes_the_indent_and_lines_move_in_and_out() {
    let mut editor = open("if x:\n    y\n");
    editor.jump(Pos::new(1, 5));
    editor.apply(Edit::Newline);
    insert(&mut editor, "z");
    assert_eq!(editor.text(), "if x:\n    y\n    z\n");
    editor.indent(false);
    assert_eq!(editor.text(), "if x:\n    y\nz\n");
    editor.jump(Pos::new(0, 0));
    editor.motion(Motion::Down, true);
    editor.motion(Motion::Down, true);
    editor.indent(true);
    assert_eq!(editor.text(), "    if x:\n        y\nz\n");
    editor.apply(Edit::Undo);
    assert_eq!(editor.text(), "if x:\n    y\nz\n", "one step");
}

/// Line ends and the byte order mark belong to the text: they can be the only change.
#[test]
fn an_editor_outside_brings_its_own_ends_and_mark() {
    for (before, now) in [
        ("a\nb\n", "a\r\nc\r\n"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("a\nb", "a\r\nb"),
        ("\u{feff}a\n", "a\n"),
        ("a\n", "\u{feff}a\n"),
        ("", "\u{feff}"),
        ("\u{feff}", ""),
    ] {
        let mut editor = open(before);
        editor.replace(now);
        assert_eq!(editor.text(), now);
        assert!(editor.is_changed(), "{before:?} {now:?}");
        editor.apply(Edit::Undo);
        assert_eq!(editor.text(), before);
        assert!(!editor.is_changed());
        editor.apply(Edit::Redo);
        assert_eq!(editor.text(), now);
    }
}

#[test]
fn a_large_text_tells_what_changed_at_both_ends() {
    let text = "line\n".repeat(50_000);
    let mut editor = open(&text);
    insert(&mut editor, "x");
    editor.motion(Motion::Bottom, false);
    insert(&mut editor, "y");
    editor.compare();
    let marked: Vec<usize> =
        editor.changed_lines().iter().enumerate().filter(|(_, m)| **m).map(|(i, _)| i).collect();
    assert_eq!(marked, [0, 50_000]);
}

proptest! {
    #[test]
    fn an_untouched_text_comes_back_byte_for_byte(text in "(\u{feff})?[ab'\t \r\n\u{202e}]{0,60}") {
        let editor = open(&text);
        prop_assert!(!editor.is_changed());
        prop_assert_eq!(editor.text(), text);
    }

    #[test]
    fn a_character_typed_and_deleted_leaves_no_trace(
        text in "[ab \r\n]{0,40}",
        row in 0usize..20,
        column in 0usize..20,
    ) {
        let mut editor = open(&text);
        editor.jump(Pos::new(row, column));
        insert(&mut editor, "x");
        editor.apply(Edit::Backspace);
        prop_assert_eq!(editor.text(), text);
    }

    #[test]
    fn marks_say_which_lines_are_others(
        before in proptest::collection::vec("[abc]", 1..12),
        now in proptest::collection::vec("[abc]", 1..12),
    ) {
        let marks = changed_lines::lines(&before, &now, (before.len(), before.len()).min((0, 0)));
        prop_assert_eq!(marks.len(), now.len());
        if before == now {
            prop_assert!(marks.iter().all(|mark| !mark));
        } else if marks.iter().all(|mark| !mark) {
            prop_assert!(now.len() < before.len(), "only taken away");
        }
    }
}
