//! Tests of the engine against a simple model: every change can be undone and redone, the cursor is never
//! inside a cluster, and untouched bytes stay the same.

use super::search::Needle;
use super::syntax::Syntax;
use super::*;
use crate::domain::Language;
use crate::tui::paint::wrap::{self, WrapOptions};
use proptest::prelude::*;
use ratatui::style::Style;

fn typed(text: &mut Text, what: &str) {
    what.chars().for_each(|c| {
        text.apply(Edit::Insert(c));
    });
}

fn python(source: &str) -> Text {
    let mut text = Text::of(source);
    text.written_in(Syntax::of(Language::python().as_str()));
    text
}

#[test]
fn undo_goes_by_words() {
    let mut text = Text::of("");
    typed(&mut text, "one two  three");
    for left in ["one two  ", "one ", ""] {
        assert!(text.apply(Edit::Undo));
        assert_eq!(text.text(), left);
    }
    assert!(!text.apply(Edit::Undo));
    for right in ["one ", "one two  ", "one two  three"] {
        assert!(text.apply(Edit::Redo));
        assert_eq!(text.text(), right);
    }
    assert!(!text.apply(Edit::Redo));
    for _ in 0..7 {
        text.apply(Edit::Backspace);
    }
    assert_eq!(text.text(), "one two");
    text.apply(Edit::Undo);
    assert_eq!(text.text(), "one two  ", "a word that was deleted comes back at once");
    text.apply(Edit::Undo);
    assert_eq!(text.text(), "one two  three");
    text.apply(Edit::Move(Motion::Left, false));
    typed(&mut text, "x");
    text.apply(Edit::Move(Motion::Left, false));
    typed(&mut text, "y");
    text.apply(Edit::Undo);
    assert_eq!(text.text(), "one two  threxe", "a move ends the step");
}

#[test]
fn clusters_are_one_letter() {
    for cluster in ["👩‍👩‍👧‍👦", "e\u{301}", "🇩🇪", "각", "ก็", "\u{200d}", "\u{fe0f}"]
    {
        let mut text = Text::of(&format!("a{cluster}b"));
        text.apply(Edit::Move(Motion::End, false));
        text.apply(Edit::Move(Motion::Left, false));
        text.apply(Edit::Backspace);
        assert!(text.text() == "ab" || text.text() == "b", "{cluster:?}: {:?}", text.text());
    }
    // A combining mark joins the letter typed before it; the cursor is after both.
    let mut text = Text::of("\u{301}x");
    typed(&mut text, "e");
    assert_eq!(text.cursor(), Pos::new(0, 3));
}

#[test]
fn what_is_selected_is_replaced_and_a_step_ends_the_selection_on_its_side() {
    let mut text = Text::of("one two");
    text.apply(Edit::Move(Motion::WordRight, true));
    assert_eq!(text.selected().as_deref(), Some("one "));
    text.apply(Edit::Move(Motion::Left, false));
    assert_eq!(text.cursor(), Pos::new(0, 0));
    text.apply(Edit::Mark);
    text.apply(Edit::Move(Motion::WordRight, false));
    text.apply(Edit::Cut);
    assert_eq!(text.text(), "two");
    text.apply(Edit::Move(Motion::End, false));
    text.apply(Edit::Yank);
    assert_eq!(text.text(), "twoone ");
    text.apply(Edit::SelectAll);
    typed(&mut text, "x");
    assert_eq!(text.text(), "x");
    text.apply(Edit::Undo);
    assert_eq!(text.text(), "twoone ");
}

#[test]
fn lines_are_indented_as_the_language_is() {
    for (language, before, typing, after) in [
        ("python", "if x:", "\ny", "if x:\n    y"),
        ("python", "if x:\n    y", "\nelse:", "if x:\n    y\nelse:"),
        (
            "python",
            "if x:\n    if y:\n        z",
            "\nelif a[1:2]:",
            "if x:\n    if y:\n        z\n    elif a[1:2]:",
        ),
        ("python", "f(", "\na", "f(\n    a"),
        ("javascript", "if (x) {", "\ny\n}", "if (x) {\n    y\n}"),
        ("javascript", "a {\n  b", "\n}", "a {\n  b\n}"),
        ("bash", "if true; then", "\nls\nfi\nx", "if true; then\n    ls\nfi\nx"),
        ("bash", "for a in b; do", "\nfind .", "for a in b; do\n    find ."),
        ("text", "so (", "\nx", "so (\nx"),
        ("go", "func f() {", "\nx", "func f() {\n\tx"),
    ] {
        let mut text = Text::of(before);
        text.written_in(Syntax::of(language));
        text.apply(Edit::Move(Motion::Bottom, false));
        typed(&mut text, typing);
        assert_eq!(text.text(), after, "{language}");
        while text.apply(Edit::Undo) {}
        assert_eq!(text.text(), before, "{language}");
    }
    let mut text = python("f()");
    text.apply(Edit::Move(Motion::End, false));
    text.apply(Edit::Move(Motion::Left, false));
    text.apply(Edit::Newline);
    assert_eq!((text.text().as_str(), text.cursor()), ("f(\n    \n)", Pos::new(1, 4)));
}

#[test]
fn comments_go_out_and_in() {
    let mut text = python("if x:\n    y\n\n    z\n");
    text.apply(Edit::SelectAll);
    assert!(text.toggle_comment());
    assert_eq!(text.text(), "# if x:\n#     y\n\n#     z\n");
    assert!(text.toggle_comment());
    assert_eq!(text.text(), "if x:\n    y\n\n    z\n");
    text.apply(Edit::Undo);
    text.apply(Edit::Undo);
    assert_eq!(text.text(), "if x:\n    y\n\n    z\n");
    assert!(!Text::of("x").toggle_comment(), "no such comments");
}

#[test]
fn found_and_replaced() {
    let mut text = Text::of("a.c\nabc\nA.C a.c\n");
    text.set_needle(Needle::new("a.c", false).ok());
    let needle = text.needle().unwrap().clone();
    assert_eq!(needle.count(text.lines(), Pos::new(2, 4)), (3, 3));
    assert!(text.find(false, true));
    assert_eq!(text.selection(), Some((Pos::new(0, 0), Pos::new(0, 3))));
    assert!(text.replace_match("$0"));
    assert!(text.find(false, true));
    assert_eq!(text.selected().as_deref(), Some("A.C"));
    assert!(text.find(true, false), "around the start");
    assert_eq!(text.selected().as_deref(), Some("a.c"));
    assert_eq!(text.replace_matches("x"), 2);
    assert_eq!(text.text(), "$0\nabc\nx x\n");
    text.apply(Edit::Undo);
    assert_eq!(text.text(), "$0\nabc\nA.C a.c\n", "all of them at once");
    text.set_needle(Needle::new(r"(\w)\.(\w)", true).ok());
    assert_eq!(text.replace_matches("$2-$1"), 2);
    assert_eq!(text.text(), "$0\nabc\nC-A c-a\n");
    let wrong = Needle::new("(", true).unwrap_err().to_string();
    assert_eq!(wrong, "Broken expression at column 1: unclosed group");
    assert!(
        Needle::new("Abc", false).unwrap().next(text.lines(), Pos::default(), false).is_none(),
        "capitals count"
    );
    assert!(Needle::new("x*", true).unwrap().in_line("aaa").next().is_none(), "no letters are no match");
}

/// A comment loses none of its text, whichever white space precedes the mark.
#[test]
fn a_comment_behind_any_blanks_loses_nothing() {
    for line in ["\u{a0}# note", "\u{c}# x", "\u{2003}# x", "\u{3000}#x"] {
        let mut text = python(line);
        assert!(text.toggle_comment());
        assert_eq!(text.text(), format!("# {line}"));
        assert!(text.toggle_comment());
        assert_eq!(text.text(), line);
        while text.apply(Edit::Undo) {}
        assert_eq!(text.text(), line);
    }
}

/// A position inside the bytes of a character counts as its start: no text is lost.
#[test]
fn a_place_within_a_character_loses_no_text() {
    let mut buffer = buffer::Buffer::of("\u{a0}one\nt\u{a0}wo");
    let nothing = buffer::Fragment::default();
    assert!(buffer.replace(Pos::new(0, 0), Pos::new(0, 1), &nothing).is_empty());
    assert_eq!(buffer.replace(Pos::new(0, 1), Pos::new(1, 2), &nothing).text(), "\u{a0}one\nt");
    assert_eq!(buffer.text(), "\u{a0}wo");
    assert!(buffer.replace(Pos::new(0, 4), Pos::new(0, 2), &nothing).is_empty());
    assert_eq!(buffer.text(), "\u{a0}wo");
}

/// A match can begin and end inside a cluster: exactly the match is replaced.
#[test]
fn a_match_within_a_cluster_is_replaced_alone() {
    for (before, needle, by, after) in [
        ("cafe\u{301} e", ("e", false), "a", "cafa\u{301} a"),
        ("cafe\u{301}", (r"\p{M}", true), "", "cafe"),
        ("x\u{301}\u{302}", (r"\p{M}", true), "", "x"),
        ("\u{1f1e9}\u{1f1ea}", ("\u{1f1ea}", false), "!", "\u{1f1e9}!"),
    ] {
        let mut text = Text::of(before);
        text.set_needle(Needle::new(needle.0, needle.1).ok());
        assert!(text.replace_matches(by) > 0);
        assert_eq!(text.text(), after, "all of {needle:?}");
        text.apply(Edit::Undo);
        assert_eq!(text.text(), before);
        // One by one: each match can be selected, is the one counted, and is replaced.
        text.put_cursor(Pos::default());
        let mut left = text.needle().unwrap().count(text.lines(), Pos::default()).1;
        while text.find(false, true) {
            let from = text.selection().unwrap().0;
            assert_ne!(text.needle().unwrap().count(text.lines(), from).0, 0, "{needle:?}");
            assert!(text.replace_match(by), "{needle:?} in {:?}", text.text());
            left -= 1;
            assert_eq!(text.needle().unwrap().count(text.lines(), from).1, left);
        }
        assert_eq!(text.text(), after, "each of {needle:?}");
    }
}

/// Replacing all matches costs one change of a line, not one change for each match.
#[test]
fn all_of_a_long_line_is_replaced_as_one_change() {
    let mut text = Text::of(&"1234567,".repeat(100_000));
    text.set_needle(Needle::new(",", false).ok());
    assert_eq!(text.replace_matches(";;"), 100_000);
    assert_eq!(text.text(), "1234567;;".repeat(100_000));
    text.apply(Edit::Undo);
    assert_eq!(text.text(), "1234567,".repeat(100_000));
}

/// Flags are pairs of letters that look alike, so their boundaries depend on the first of them all: walking
/// over many must not start there each time.
#[test]
fn words_of_flags_are_walked_through_once() {
    let (flags, words) = ("\u{1f1e9}\u{1f1ea}".repeat(100_000), "x ");
    let mut text = Text::of(&format!("{words}{flags}"));
    let (from, end) = (Pos::new(0, 2), Pos::new(0, 2 + flags.len()));
    assert_eq!(text.word_at(Pos::new(0, 2 + flags.len() / 2)), (from, end));
    text.put_cursor(from);
    text.apply(Edit::Move(Motion::WordRight, false));
    assert_eq!(text.cursor(), end);
    text.apply(Edit::Move(Motion::WordLeft, false));
    assert_eq!(text.cursor(), from);
    let mut machine = vim::Vim::new(vim::Mode::Normal);
    for stroke in "viwyeb".chars() {
        machine.stroke(stroke, &mut text);
    }
    assert_eq!(text.yanked().text, flags);
    assert_eq!(text.cursor(), from);
}

#[test]
fn capitals_of_escapes_are_no_capitals() {
    let needle = Needle::new(r"error\W", true).unwrap();
    assert_eq!(needle.in_line("Error: error!").count(), 2);
    assert_eq!(Needle::new(r"Error\W", true).unwrap().in_line("Error: error!").count(), 1);
}

#[test]
fn brackets_belong_together() {
    let lines: Vec<String> = ["f(a[1], {", "  x: (y)", "})"].map(str::to_owned).to_vec();
    for (from, to) in
        [((0, 1), (2, 1)), ((2, 1), (0, 1)), ((0, 3), (0, 5)), ((0, 0), (2, 1)), ((2, 0), (0, 8))]
    {
        let found = search::bracket(&lines, Pos::new(from.0, from.1), 100);
        assert_eq!(found, Some(Pos::new(to.0, to.1)), "{from:?}");
    }
    assert_eq!(search::bracket(&lines, Pos::new(0, 1), 1), None, "not so far");
    assert_eq!(search::bracket(&["(".to_owned()], Pos::default(), 100), None);
}

fn motion() -> impl Strategy<Value = Motion> {
    prop_oneof![
        Just(Motion::Left),
        Just(Motion::Right),
        Just(Motion::Up),
        Just(Motion::Down),
        Just(Motion::WordLeft),
        Just(Motion::WordRight),
        Just(Motion::Home),
        Just(Motion::End),
        Just(Motion::Top),
        Just(Motion::Bottom),
        Just(Motion::PageDown(3)),
        Just(Motion::Bracket),
    ]
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        4 => "[ab :(){}\u{301}\u{200d}👩🇩🇪각א\t]".prop_map(|s| Edit::Insert(s.chars().next().unwrap_or('x'))),
        1 => "[ab\n\r👧\u{301}]{0,6}".prop_map(Edit::Paste),
        1 => Just(Edit::Newline),
        1 => Just(Edit::Backspace),
        1 => Just(Edit::Delete),
        1 => Just(Edit::DeleteWord),
        1 => Just(Edit::KillToEnd),
        1 => Just(Edit::KillToStart),
        1 => Just(Edit::Yank),
        1 => Just(Edit::Cut),
        1 => Just(Edit::Copy),
        1 => Just(Edit::Mark),
        1 => Just(Edit::SelectAll),
        4 => (motion(), any::<bool>()).prop_map(|(motion, select)| Edit::Move(motion, select)),
    ]
}

fn sound(text: &Text) -> Result<(), TestCaseError> {
    let ends = text.selection().map_or_else(Vec::new, |(from, to)| vec![from, to]);
    for at in ends.into_iter().chain([text.cursor()]) {
        prop_assert!(at.line < text.lines().len());
        prop_assert!(cluster::is_boundary(text.line(at.line), at.byte), "{at:?} in {:?}", text.line(at.line));
    }
    Ok(())
}

#[test]
fn up_and_down_keep_to_the_column_of_their_rows() {
    let mut text = Text::of("0123456789abcde\nshort\n0123456789abcdefghij");
    text.lay_out(WrapOptions::code(10, Style::new()));
    let places = |text: &mut Text, motion: Motion, times: usize| {
        let step = |_| {
            text.apply(Edit::Move(motion, false));
            (text.cursor().line, text.cursor().byte)
        };
        (0..times).map(step).collect::<Vec<_>>()
    };
    text.put_cursor(Pos::new(0, 7));
    let down = [(0, 15), (1, 5), (2, 7), (2, 17), (2, 17)];
    assert_eq!(places(&mut text, Motion::Down, 5), down);
    assert_eq!(places(&mut text, Motion::Up, 5), [(2, 7), (1, 5), (0, 15), (0, 7), (0, 7)]);
    // After a full row the cursor is on a row of its own.
    text.put_cursor(Pos::new(2, 20));
    assert_eq!(places(&mut text, Motion::Up, 2), [(2, 10), (2, 0)]);
    // Home and End go by lines, not rows, and so do vim's line moves.
    assert_eq!(places(&mut text, Motion::End, 1), [(2, 20)]);
    text.go(-1, false);
    assert_eq!(text.cursor(), Pos::new(1, 5));
    text.go(-1, false);
    assert_eq!(text.cursor(), Pos::new(0, 15), "the column of the line is kept");
}

proptest! {
    #[test]
    fn down_leads_over_all_rows_and_up_back(
        before in "[ab\t \n👩漢\u{200d}\u{301}]{0,60}",
        width in 10usize..16,
    ) {
        let mut text = python(&before);
        let rows = WrapOptions::code(width, Style::new());
        text.lay_out(rows);
        let laid = |line: &String| wrap::rows(line, &[], rows);
        let all: usize = text.lines().iter().map(|line| laid(line).len()).sum();
        let last = laid(&text.lines()[text.last_line()]).pop().unwrap().range.start;
        for motion in [Motion::Down, Motion::Up] {
            let mut steps = 0;
            loop {
                let at = text.cursor();
                text.apply(Edit::Move(motion, false));
                sound(&text)?;
                if text.cursor() == at {
                    break;
                }
                steps += 1;
            }
            prop_assert!(steps < all, "{steps} of {all}");
            let at = text.cursor();
            if motion == Motion::Down {
                prop_assert!(at.line == text.last_line() && at.byte >= last, "{at:?}");
            } else {
                let first = laid(&text.lines()[0]).swap_remove(0).range;
                prop_assert!(at.line == 0 && (at.byte < first.end || at.byte == 0), "{at:?}");
            }
        }
    }

    #[test]
    fn all_of_it_can_be_taken_back_and_made_again(
        before in "(\u{feff})?[ab\t \r\n👩\u{200d}\u{301}]{0,40}",
        edits in proptest::collection::vec(edit(), 0..60),
    ) {
        let mut text = python(&before);
        for edit in edits {
            text.apply(edit);
            sound(&text)?;
        }
        let after = text.text();
        while text.apply(Edit::Undo) {
            sound(&text)?;
        }
        prop_assert_eq!(text.text(), before);
        while text.apply(Edit::Redo) {
            sound(&text)?;
        }
        prop_assert_eq!(text.text(), after);
    }

    #[test]
    fn what_is_typed_and_deleted_is_as_in_a_string(
        steps in proptest::collection::vec(prop_oneof![3 => "[a-c \n]".prop_map(Some), 1 => Just(None)], 0..80),
    ) {
        // The model is a plain string without indents.
        let (mut text, mut model) = (Text::of(""), String::new());
        for step in steps {
            match step {
                Some(letter) => {
                    if letter == "\n" {
                        let at = text.cursor();
                        text.replace(at, at, "\n");
                    } else {
                        typed(&mut text, &letter);
                    }
                    model.push_str(&letter);
                }
                None => {
                    text.apply(Edit::Backspace);
                    model.pop();
                }
            }
            prop_assert_eq!(text.text(), model.clone());
        }
    }

    #[test]
    fn any_strokes_of_vim_leave_a_sound_text(
        before in "[ab(){}\"\n 👩\u{301}.]{0,60}",
        strokes in "[a-zA-Z0-9$^%;,.<>\"'(){}\u{1b}\r\u{8}\u{4}\u{15}\u{12}~*#+|=-]{0,80}",
    ) {
        let mut text = python(&before);
        let mut machine = vim::Vim::new(vim::Mode::Normal);
        for stroke in strokes.chars() {
            if machine.stroke(stroke, &mut text) == vim::StrokeResult::Pass && machine.mode == vim::Mode::Insert {
                text.apply(Edit::Insert(stroke));
            }
            sound(&text)?;
            prop_assume!(text.text().len() < 100_000);
        }
        machine.set_mode(vim::Mode::Normal, &mut text);
        while text.apply(Edit::Undo) {}
        prop_assert_eq!(text.text(), before);
    }
}
