use super::*;
use crate::tui::theme::{Depth, Slot};
use proptest::prelude::*;
use ratatui::style::Modifier;

fn theme() -> Theme {
    Theme::terminal(Depth::True)
}

fn text_of(lines: &[Line<'static>]) -> Vec<String> {
    lines.iter().map(|l| l.spans.iter().map(|s| s.content.as_ref()).collect::<String>().trim_end().to_string()).collect()
}

fn shown(text: &str, width: u16) -> Vec<String> {
    text_of(&lines(text, width, &theme()))
}

/// The lines of a text that came in pieces.
fn streamed(text: &str, cuts: &[usize], width: u16) -> Vec<String> {
    let theme = theme();
    let mut stream = Stream::default();
    for cut in cuts {
        stream.update((1, 0), &text[..*cut], width, &theme);
    }
    stream.update((1, 0), text, width, &theme);
    text_of(stream.rows())
}

#[test]
fn blocks() {
    assert_eq!(
        shown("# Title\n\nOne *two* **three**\nfour.\n\n---\n\n> quoted text\n> > deeper\n", 20),
        ["# Title", "", "One two three four.", "", "────────────────────", "", "│ quoted text", "│", "│ │ deeper"]
    );
}

#[test]
fn lists() {
    assert_eq!(
        shown("Before:\n\n1. one\n2. two two two\n   - inner\n10. ten\n\nAfter", 10),
        ["Before:", "", "1. one", "2. two two", "   two", "   - inner", "3. ten", "", "After"]
    );
    assert_eq!(shown("- a\n\n- b\n\n  more\n- [x] c\n", 20), ["- a", "- b", "", "  more", "- [x] c"]);
    assert_eq!(shown("- \n- x", 20), ["-", "- x"]);
    assert_eq!(shown("- ```\n  code\n  ```\n", 20), ["-   code"]);
}

#[test]
fn code_is_shown_as_it_is() {
    assert_eq!(shown("```json\n{\n  \"a\": 1\n}\n```\nafter", 20), ["  {", "    \"a\": 1", "  }", "", "after"]);
    assert_eq!(shown("```\nabcdefgh\n\n```\n", 6), ["  abcd", "  efgh", ""]);
    assert_eq!(shown("a `b  c` d", 20), ["a b  c d"]);
}

#[test]
fn links_tell_where_they_lead() {
    assert_eq!(shown("[here](https://evil.example) and <https://a.b>", 60), ["here (https://evil.example) and https://a.b"]);
    assert_eq!(shown("![plot](out/a.png)", 60), ["image plot (out/a.png)"]);
}

#[test]
fn html_and_escapes_are_text() {
    assert_eq!(shown("<b>bold</b> x", 40), ["<b>bold</b> x"]);
    assert_eq!(shown("<div>\n hi\n</div>\n", 40), ["<div>", " hi", "</div>"]);
    assert_eq!(shown("a\u{1b}[31mred\u{202e}x", 40), ["a\\x1b[31mred<U+202E>x"]);
}

#[test]
fn tables_fit() {
    let table = "| name | value |\n|---|--:|\n| a | 1 |\n| long name here | 22 |\n";
    assert_eq!(
        shown(table, 40),
        ["name           │ value", "───────────────┼──────", "a              │     1", "long name here │    22"]
    );
    let narrow = shown(table, 16);
    assert_eq!(narrow, ["name     │ value", "─────────┼──────", "a        │     1", "long     │    22", "name     │", "here     │"]);
    let tiny = shown(table, 6);
    assert!(tiny.iter().all(|l| l.chars().count() <= 6), "{tiny:?}");
    assert!(tiny.concat().contains("22"));
}

#[test]
fn styles() {
    let theme = theme();
    let lines = lines("**b** _i_ ~~s~~", 40, &theme);
    let style = |i: usize| lines[0].spans[i].style;
    assert!(style(0).add_modifier.contains(Modifier::BOLD));
    assert!(style(2).add_modifier.contains(Modifier::ITALIC));
    assert!(style(4).add_modifier.contains(Modifier::CROSSED_OUT));
    let heading = super::lines("## T", 40, &theme);
    assert_eq!(heading[0].spans[0].style, theme.style(Slot::UiTitle));
}

#[test]
fn hostile_nesting_keeps_its_width() {
    let deep = format!("{}x", "> ".repeat(500));
    assert!(lines(&deep, 40, &theme()).iter().all(|l| l.width() <= 40));
    let deep = (0..200).map(|i| format!("{}- x\n", "  ".repeat(i))).collect::<String>();
    assert!(lines(&deep, 40, &theme()).iter().all(|l| l.width() <= 40));
}

#[test]
fn what_is_settled_is_not_laid_out_again() {
    let theme = theme();
    let mut stream = Stream::default();
    let mut text = String::new();
    for i in 0..300 {
        text.push_str(&format!("Paragraph {i} with some words.\n\n- item\n- item two\n\n"));
    }
    stream.update((1, 0), &text, 60, &theme);
    assert!(text.len() - stream.open_at < 40, "open: {:?}", &text[stream.open_at..]);
    text.push_str("```json\n");
    for _ in 0..2000 {
        text.push_str("{\"a\": 1}\n");
        stream.update((1, 0), &text, 60, &theme);
        assert!(text.len() - stream.open_at < 20);
    }
}

#[test]
fn streaming_ends_where_the_whole_does() {
    let text = "# T\n\nText here\n\n```json\n{}\n```\n\n1. a\n2. b\n   - c\n3. d\n\nlast [x](y)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
    let cuts: Vec<usize> = (0..text.len()).collect();
    assert_eq!(streamed(text, &cuts, 30), shown(text, 30));
}

#[test]
fn another_text_width_or_theme_starts_over() {
    let theme = theme();
    let mut stream = Stream::default();
    stream.update((1, 0), "one\n\ntwo three", 40, &theme);
    stream.update((1, 0), "one\n\ntwo three", 4, &theme);
    assert_eq!(text_of(stream.rows()), ["one", "", "two", "thre", "e"]);
    stream.update((2, 0), "other", 40, &theme);
    assert_eq!(text_of(stream.rows()), ["other"]);
    stream.update((2, 0), "oth", 40, &theme);
    assert_eq!(text_of(stream.rows()), ["oth"]);
}

/// Markdown as models write it, mixed with what they should not.
fn markdown() -> impl Strategy<Value = String> {
    let part = proptest::sample::select(vec![
        "Some words here", "\n", "\n\n", "- item\n", "1. one\n", "2. two\n", "   deeper\n", "# Head\n", "```json\n", "```\n",
        "~~~\n", "> quote\n", "| a | b |\n|---|---|\n| 1 | 2 |\n", "*em*", "**", "`code`", "[l](u)", "---\n", "<b>", "    indented\n",
        "漢字", "\u{202e}", "\t", "  ", "- ```\n  x\n  ```\n", "* star\n", "\\", "&amp;", "===\n", "1) par\n", "\r\n",
    ]);
    proptest::collection::vec(part, 0..30).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn lines_fit_and_are_safe(text in markdown(), width in 6u16..60) {
        for line in lines(&text, width, &theme()) {
            prop_assert!(line.width() <= usize::from(width), "{line:?}");
            for c in line.spans.iter().flat_map(|s| s.content.chars()) {
                prop_assert!(!c.is_control() && crate::domain::unicode::hidden(c).is_none());
            }
        }
    }

    #[test]
    fn the_way_it_is_cut_does_not_matter(text in markdown(), cuts in proptest::collection::vec(0usize..400, 0..8)) {
        let mut cuts: Vec<usize> = cuts.into_iter().map(|c| c.min(text.len())).filter(|c| text.is_char_boundary(*c)).collect();
        cuts.sort_unstable();
        let whole = streamed(&text, &[], 30);
        prop_assert_eq!(streamed(&text, &cuts, 30), whole);
    }
}
