use super::*;
use proptest::prelude::*;
use ratatui::style::Color;

fn code(text: &str, width: usize) -> Vec<String> {
    rows(text, &[], WrapOptions::code(width, Style::new())).iter().map(|row| row.line.to_string()).collect()
}

fn prose(text: &str, width: usize) -> Vec<String> {
    rows(text, &[], WrapOptions::prose(width, Style::new())).iter().map(|row| row.line.to_string()).collect()
}

#[test]
fn code_breaks_anywhere_and_loses_nothing() {
    assert_eq!(code("abcdefgh", 3), ["abc", "def", "gh"]);
    assert_eq!(code("", 3), [""]);
    assert_eq!(code("漢字漢", 3), ["漢", "字", "漢"], "a wide character never straddles the edge");
    assert_eq!(code("ab\u{202e}", 4), ["ab", "<U+2", "02E>"]);
    assert_eq!(code("\tx", 2), ["  ", "  ", "x"]);
}

#[test]
fn prose_breaks_between_words() {
    assert_eq!(prose("the quick brown fox", 10), ["the quick ", "brown fox"]);
    assert_eq!(prose("the quickest", 5), ["the ", "quick", "est"]);
    assert_eq!(prose("word  and    spaces", 6), ["word  ", "and   ", "spaces"]);
    assert_eq!(prose("  indented", 6), ["  inde", "nted"]);
    assert_eq!(prose("漢字 漢字", 4), ["漢字", "漢字"]);
    assert_eq!(prose("abcd    ", 4), ["abcd"]);
}

#[test]
fn styles_follow_the_bytes() {
    let red = Style::new().fg(Color::Red);
    let blue = Style::new().fg(Color::Blue);
    for text in ["aabbcc", "ääbb漢"] {
        let half = text.char_indices().nth(2).unwrap().0;
        let rows = rows(text, &[(half, red), (text.len(), blue)], WrapOptions::code(3, Style::new()));
        let first: Vec<Style> = rows[0].line.spans.iter().map(|s| s.style).collect();
        assert_eq!(first, [red, blue], "{text}");
        assert!(rows[1].line.spans.iter().all(|s| s.style == blue));
    }
}

#[test]
fn rows_tell_their_bytes() {
    let rows = rows("ab漢cd", &[], WrapOptions::code(3, Style::new()));
    assert_eq!(rows.iter().map(|r| r.range.clone()).collect::<Vec<_>>(), [0..2, 2..6, 6..7]);
}

proptest! {
    #![proptest_config(crate::test_cases::cases(2000))]
    #[test]
    fn rows_fit_cover_everything_and_are_counted(
        text in "([a-z]{0,9}[ \t]{0,3}|漢|é|👩\u{200d}💻|\u{202e}|\u{1b}){0,12}",
        width in 2usize..20,
        words in any::<bool>(),
    ) {
        let options = WrapOptions { break_at_words: words, ..WrapOptions::code(width, Style::new()) };
        let styles = [(text.len() / 2, Style::new().fg(Color::Red))];
        let rows = rows(&text, &styles, options);
        prop_assert!(!rows.is_empty());
        prop_assert_eq!(rows.len(), count(&text, options));
        let mut at = 0;
        for row in &rows {
            prop_assert!(row.line.width() <= width, "{:?} is wider than {}", row.line, width);
            prop_assert!(row.range.start <= at && row.range.end >= row.range.start);
            prop_assert!(row.range.start == at || at == row.range.end || row.range.start < at);
            at = at.max(row.range.end);
        }
        prop_assert_eq!(at, text.len(), "every byte is on a row");
        let mut drawn: String = rows.iter().map(|row| row.line.to_string()).collect();
        let mut whole: String = glyphs::of(&text, options.strictness, options.tab).map(|g| g.text.into_owned()).collect();
        if words {
            // Spaces at the end of a row are not drawn.
            (drawn, whole) = (drawn.replace(' ', ""), whole.replace(' ', ""));
        }
        prop_assert_eq!(drawn, whole);
    }

    #[test]
    fn the_short_way_for_ascii_gives_the_same(text in "[ -~]{0,60}", width in 2usize..20, a in 0usize..60, b in 0usize..60) {
        let styles = [(a.min(b), Style::new().fg(Color::Red)), (a.max(b), Style::new().fg(Color::Blue))];
        let short = ascii_rows(&text, &styles, width);
        let mut long = Vec::new();
        let mut builder = Builder::default();
        for (i, c) in text.char_indices() {
            if i > 0 && i % width == 0 { long.push(builder.split(false)); }
            let style = styles.iter().find(|(end, _)| i < *end).map_or(styles[1].1, |(_, s)| *s);
            builder.push(&c.to_string(), 1, style, false, (i, i + 1));
        }
        long.push(builder.split(false));
        let cells = |rows: &[WrappedRow]| -> Vec<Vec<(String, Style)>> {
            rows.iter().map(|r| r.line.spans.iter().map(|s| (s.content.to_string(), s.style)).collect()).collect()
        };
        if !text.is_empty() { prop_assert_eq!(cells(&short), cells(&long)); }
    }
}
