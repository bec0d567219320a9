use super::{MarkdownStream, MarkdownStyle, lines};
use crate::tui::paint::cell_tag::CellTag;
use crate::tui::paint::hyperlinks::Hyperlinks;
use crate::tui::paint::strokes::Strokes;
use crate::tui::theme::{Depth, Theme};
use proptest::prelude::*;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr as _;

fn theme() -> Theme {
    Theme::terminal(Depth::Ansi16)
}

fn look(theme: &Theme) -> MarkdownStyle<'_> {
    MarkdownStyle { theme, strokes: &Strokes::LIGHT }
}

fn shown(rows: &[Line<'_>]) -> String {
    rows.iter().map(|row| row.spans.iter().map(|s| s.content.as_ref()).collect::<String>() + "\n").collect()
}

fn laid(text: &str, width: u16) -> String {
    shown(&lines(text, width, look(&theme()), &Hyperlinks::default()))
}

#[test]
fn blocks_stand_apart_and_wrap() {
    let text = "# Title\n\nSome *words* that wrap at **this** width.\n\n- one\n- two\n  - deep\n\n1. first\n2. second\n\n> said\n";
    insta::assert_snapshot!(laid(text, 20), @r"
    Title

    Some words that wrap
    at this width.

    - one
    - two
      * deep

    1. first
    2. second

    │ said
    ");
}

#[test]
fn code_is_indented_and_never_cut() {
    insta::assert_snapshot!(laid("```json\n{\"a\": 1234567890}\n```\nafter", 14), @r#"
    json
      {"a": 123456
      7890}

    after
    "#);
}

#[test]
fn rules_and_quotes_are_of_ascii_where_only_that_can_be_drawn() {
    let text = "> said\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
    let theme = theme();
    let style = MarkdownStyle { strokes: &Strokes::ASCII, ..look(&theme) };
    let laid = shown(&lines(text, 20, style, &Hyperlinks::default()));
    assert!(laid.is_ascii() && laid.contains("| said") && laid.contains("---  ---"), "{laid}");
}

#[test]
fn tables_give_way() {
    let text = "| name | what it is |\n|---|---|\n| a | a long text in a cell |\n| bb | x |\n";
    insta::assert_snapshot!(laid(text, 20), @r"
    name  what it is
    ────  ──────────────
    a     a long text in
          a cell
    bb    x
    ");
}

#[test]
fn columns_stand_where_the_table_says() {
    let text = "| name | count | mark |\n|:---|---:|:---:|\n| north | 1024 | x |\n| south and more | 7 | |\n";
    insta::assert_snapshot!(laid(text, 40), @r"
    name            count  mark
    ──────────────  ─────  ────
    north            1024   x
    south and more      7
    ");
    let narrow = laid("| a | n |\n|---|---:|\n| b | one two three |\n", 12);
    assert_eq!(narrow, "a          n\n───  ───────\nb    one two\n       three\n");
}

#[test]
fn links_tell_where_they_lead() {
    let text = "[here](https://example.com/x) and <https://example.com>";
    assert_eq!(laid(text, 80), "here (https://example.com/x) and https://example.com\n");
}

/// The texts that are links, with their addresses.
fn linked(rows: &[Line<'_>], links: &Hyperlinks) -> Vec<(String, String)> {
    let address = |span: &Span<'_>| {
        let number = span.style.underline_color.and_then(CellTag::of)?.link()?;
        Some((span.content.to_string(), links.address(number)?.to_string()))
    };
    rows.iter().flat_map(|row| &row.spans).filter_map(address).collect()
}

#[test]
fn what_is_an_address_leads_there_on_each_of_its_rows() {
    let links = Hyperlinks::enabled();
    let text = "[a *b*](https://a.org/x) <me@a.org>, https://a_long_one.org/b_c_d. `http://c.org`\n\n| t |\n|---|\n| http://d.org |\n\n```\nhttp://code.org\n```\n[bad](javascript:x)";
    let mut seen: Vec<(String, String)> = Vec::new();
    for (shown, address) in linked(&lines(text, 20, look(&theme()), &links), &links) {
        match seen.last_mut().filter(|(_, last)| *last == address) {
            Some((before, _)) => before.push_str(&shown),
            None => seen.push((shown, address)),
        }
    }
    let seen: Vec<_> = seen.iter().map(|(shown, to)| (shown.as_str(), to.as_str())).collect();
    assert_eq!(
        seen,
        [
            ("https://a.org/x", "https://a.org/x"),
            ("me@a.org", "mailto:me@a.org"),
            ("https://a_long_one.org/b_c_d", "https://a_long_one.org/b_c_d"),
            ("http://c.org", "http://c.org"),
            ("http://d.org", "http://d.org"),
        ]
    );
}

#[test]
fn no_address_leads_anywhere_but_to_itself() {
    let links = Hyperlinks::enabled();
    for (text, told) in [
        (
            "[https://bank.org/?next=https://evil.org](https://evil.org)",
            "https://bank.org/?next=https://evil.org (https://evil.org)",
        ),
        (
            "[https://bank.org/x@evil.org](mailto:x@evil.org)",
            "https://bank.org/x@evil.org (mailto:x@evil.org)",
        ),
        (
            "[![a](https://good.org) https://good.org/b](https://evil.org)",
            "a (https://good.org) https://good.org/b (https://evil.org)",
        ),
        ("[https://good.org](https://evil.org)", "https://good.org (https://evil.org)"),
        ("[https://good.org ](https://good.org)", "https://good.org"),
    ] {
        let rows = lines(text, 200, look(&theme()), &links);
        assert_eq!(shown(&rows).trim_end(), told);
        for (shown, address) in linked(&rows, &links) {
            assert_eq!(shown.trim(), address, "{text}");
        }
    }
}

#[test]
fn what_is_hostile_is_shown() {
    let text = "a\u{1b}[2Jb \u{202e}c `\u{9b}31m` ```\u{7}\n\u{1b}]52;c;aGk=\u{7}\n";
    let shown = laid(text, 60);
    assert!(!shown.chars().any(|c| c.is_control() && c != '\n') && !shown.contains('\u{202e}'), "{shown:?}");
}

#[test]
fn empty_texts_have_no_rows() {
    for text in ["", "\n\n", "   "] {
        assert!(lines(text, 40, look(&theme()), &Hyperlinks::default()).is_empty(), "{text:?}");
    }
}

/// Feeds a text in pieces.
fn streamed(text: &str, sizes: &[usize], width: u16) -> String {
    let (theme, mut stream, mut end, mut turn) = (theme(), MarkdownStream::default(), 0, 0);
    while end < text.len() {
        end = (end + sizes[turn % sizes.len()].max(1)).min(text.len());
        turn += 1;
        while !text.is_char_boundary(end) {
            end += 1;
        }
        stream.update((1, 0), &text[..end], width, look(&theme));
    }
    shown(stream.rows())
}

#[test]
fn a_stream_ends_as_the_whole() {
    let text = "# Title\n\nA paragraph\nof two lines.\n\n- one\n- two\n\n  more of two\n\n```text\ncode\n\nmore\n```\n\nThe end.";
    for size in [1, 2, 3, 7, 1000] {
        assert_eq!(streamed(text, &[size], 30), laid(text, 30), "pieces of {size}");
    }
}

#[test]
fn long_blocks_are_settled_piece_by_piece() {
    let fence = format!("```json\n{}```\n\nafter\n", "{\"row\": [1, 2, 3]}\n".repeat(2_000));
    assert_eq!(streamed(&fence, &[97], 40).replace("json\n", ""), laid(&fence, 40).replace("json\n", ""));
    let list = "- an item of some words\n".repeat(2_000);
    assert_eq!(streamed(&list, &[97], 40), laid(&list, 40));
    let words = "word ".repeat(20_000);
    let rows = streamed(&words, &[997], 40);
    assert_eq!(rows.split_whitespace().count(), 20_000, "no word is lost");
}

proptest! {
    #[test]
    fn any_text_fits_its_width(text in "[a-z \\n*`_#>|\\-0-9.\u{1b}\u{202e}日本\\[\\]()<>]{0,200}", width in 8u16..60) {
        for row in lines(&text, width, look(&theme()), &Hyperlinks::default()) {
            let shown: String = row.spans.iter().map(|s| s.content.as_ref()).collect();
            prop_assert!(!shown.contains(['\u{1b}', '\u{202e}', '\n']), "{shown:?}");
            // Deep nesting may take more than a narrow width has; else rows fit.
            prop_assert!(shown.width() <= usize::from(width).max(60), "{shown:?} in {width}");
        }
    }

    #[test]
    fn any_pieces_end_as_the_whole(text in "([a-z]{1,8}[ \\n]|\\n\\n|- |```\\n|> |# ){0,40}", sizes in prop::collection::vec(1usize..20, 1..5)) {
        prop_assert_eq!(streamed(&text, &sizes, 30), laid(&text, 30));
    }
}
