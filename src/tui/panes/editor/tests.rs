//! What the editor promises: bytes that were not touched stay as they were.

use super::*;
use proptest::prelude::*;

fn open(text: &str) -> Editor {
    Editor::open(BlockId(3), Revision(1), &Arc::from(text), 0)
}

#[test]
fn an_untouched_text_comes_back_byte_for_byte() {
    for text in [
        "",
        "\n",
        "a",
        "a\n",
        "a\r\nb\r\n",
        "a\r\nb\nc\r\n",
        "\u{feff}a\r\n",
        "a  \n\n\tb\n\n\n",
        "a\rb\n",
        "a\r\r\n",
        "'''\n\n\n'''",
    ] {
        let editor = open(text);
        assert_eq!(editor.text(), text);
        assert!(!editor.is_changed());
    }
}

#[test]
fn an_edit_keeps_the_ends_of_the_other_lines() {
    let mut editor = open("\u{feff}one\r\ntwo\nthree\r\nfour");
    editor.jump(1, 3);
    editor.insert('!');
    assert_eq!(editor.text(), "\u{feff}one\r\ntwo!\nthree\r\nfour");
    editor.motion(Motion::End, false);
    editor.newline();
    editor.insert('x');
    assert_eq!(editor.text(), "\u{feff}one\r\ntwo!\nx\nthree\r\nfour");
    editor.motion(Motion::Bottom, false);
    editor.motion(Motion::End, false);
    editor.newline();
    editor.insert('y');
    assert_eq!(editor.text(), "\u{feff}one\r\ntwo!\nx\nthree\r\nfour\r\ny");
}

#[test]
fn changed_lines_are_counted_and_marked() {
    let mut editor = open("a\nb\nc\n");
    editor.compare();
    assert_eq!(editor.changed_count(), 0);
    editor.jump(1, 1);
    editor.insert('x');
    editor.compare();
    assert_eq!(editor.changed_lines(), [false, true, false, false]);
    assert_eq!(editor.changed_count(), 1);
    editor.undo();
    editor.compare();
    assert_eq!(editor.changed_count(), 0);
    assert!(!editor.is_changed());
    editor.redo();
    assert_eq!(editor.text(), "a\nbx\nc\n");
}

#[test]
fn a_new_line_takes_the_indent_and_lines_move_in_and_out() {
    let mut editor = open("if x:\n    y\n");
    editor.jump(1, 5);
    editor.newline();
    editor.insert('z');
    assert_eq!(editor.text(), "if x:\n    y\n    z\n");
    editor.indent(false);
    assert_eq!(editor.text(), "if x:\n    y\nz\n");
    editor.jump(0, 0);
    editor.motion(Motion::Down, true);
    editor.motion(Motion::Down, true);
    editor.indent(true);
    assert_eq!(editor.text(), "    if x:\n        y\nz\n");
}

#[test]
fn find_is_a_text_and_not_a_pattern() {
    let mut editor = open("a.c\nabc\nA.C\n");
    assert!(editor.find("a.c", false, true));
    assert_eq!(editor.cursor(), (0, 0));
    assert!(editor.find("a.c", false, false));
    assert_eq!(editor.cursor(), (2, 0));
    assert!(!editor.find("(", false, false));
}

proptest! {
    #[test]
    fn any_text_survives(text in "(\u{feff})?[ab\t \r\n\u{202e}]{0,60}") {
        let editor = open(&text);
        prop_assert_eq!(editor.text(), text);
    }

    #[test]
    fn a_character_typed_and_deleted_leaves_no_trace(
        text in "[ab \r\n]{0,40}",
        row in 0usize..20,
        column in 0usize..20,
    ) {
        let mut editor = open(&text);
        editor.jump(row, column);
        editor.insert('x');
        editor.backspace();
        prop_assert_eq!(editor.text(), text);
    }
}
