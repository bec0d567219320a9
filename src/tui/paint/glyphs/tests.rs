use super::*;
use crate::domain::unicode::{hidden, joins};
use crate::tui::paint::wrap;
use proptest::prelude::*;

fn shown(text: &str, strictness: Strictness) -> String {
    of(text, strictness, TAB).map(|g| g.text.into_owned()).collect()
}

#[test]
fn what_a_terminal_would_obey_is_shown() {
    assert_eq!(shown("a\x1b[2Jb", Strictness::Text), "a\\x1b[2Jb");
    assert_eq!(shown("\x07\x7f\r\n", Strictness::Text), "\\x07\\x7f\\x0d\\x0a");
    assert_eq!(shown("\u{9b}31m", Strictness::Text), "<U+009B>31m");
}

#[test]
fn what_would_hide_or_reorder_is_shown() {
    for strictness in [Strictness::Text, Strictness::Code] {
        assert_eq!(shown("x\u{202e}y", strictness), "x<U+202E>y");
        assert_eq!(shown("a\u{200b}b\u{feff}", strictness), "a<U+200B>b<U+FEFF>");
        assert_eq!(shown("a\u{e0041}", strictness), "a<U+E0041>");
        assert_eq!(shown("a\u{fe0f}b", strictness), "a<U+FE0F>b");
        assert_eq!(shown("\u{2028}", strictness), "<U+2028>");
    }
}

#[test]
fn ordinary_joiners_are_drawn_in_text_and_shown_in_code() {
    assert_eq!(shown("👩\u{200d}💻", Strictness::Text), "👩\u{200d}💻");
    assert_eq!(shown("👩\u{200d}💻", Strictness::Code), "👩<U+200D>💻");
    assert_eq!(shown("می\u{200c}خواهم", Strictness::Text), "می\u{200c}خواهم");
    assert_eq!(shown("❤\u{fe0f}", Strictness::Code), "❤\u{fe0f}");
    assert_eq!(shown("a\u{a0}b", Strictness::Text), "a b");
    assert_eq!(shown("a\u{a0}b", Strictness::Code), "a<U+00A0>b");
}

#[test]
fn columns_are_counted_as_they_are_drawn() {
    // A terminal draws half-width voiced kana as two characters.
    for (text, columns) in
        [("\u{ff76}\u{ff9e}", 2), ("\u{ff8a}\u{ff9f}x", 3), ("\u{ff9e}", 1), ("日本", 4), ("e\u{301}", 1)]
    {
        let mut buffer = ratatui::buffer::Buffer::empty(ratatui::layout::Rect::new(0, 0, 9, 1));
        let (drawn, _) = buffer.set_stringn(0, 0, text, 9, Style::new());
        let counted: usize = of(text, Strictness::Text, TAB).map(|glyph| glyph.width).sum();
        assert_eq!((usize::from(drawn), counted), (columns, columns), "{text}");
    }
}

#[test]
fn tabs_go_to_their_stops() {
    assert_eq!(shown("\tx", Strictness::Code), "    x");
    assert_eq!(shown("ab\tx", Strictness::Code), "ab  x");
    assert_eq!(shown("漢a\tx", Strictness::Code), "漢a x");
}

#[test]
fn marks_beyond_reason_are_shown() {
    let zalgo = format!("e{}", "\u{301}".repeat(40));
    let text = shown(&zalgo, Strictness::Text);
    assert!(text.starts_with("e\u{301}"));
    assert_eq!(text.matches("<U+0301>").count(), 40 - MAX_MARKS);
    assert_eq!(shown("\u{301}x", Strictness::Text), "<U+0301>x");
}

#[test]
fn marked_text_has_its_own_look() {
    let mark = Style::new().fg(ratatui::style::Color::Red);
    let rows = wrap::rows("a\u{202e}b", &[], wrap::WrapOptions::code(80, mark));
    let spans: Vec<(&str, Style)> =
        rows[0].line.spans.iter().map(|s| (s.content.as_ref(), s.style)).collect();
    assert_eq!(spans, [("a", Style::new()), ("<U+202E>", mark), ("b", Style::new())]);
}

/// Text with everything that could go wrong.
fn hostile() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[a-z \t]{0,4}".prop_map(String::from),
        2 => any::<char>().prop_map(String::from),
        3 => proptest::sample::select(vec![
            "\x1b[2J", "\x1b]52;c;aGk=\x07", "\u{9b}", "\r", "\n", "\u{202e}", "\u{200d}", "\u{200b}", "\u{fe0f}",
            "\u{301}", "👩", "👨\u{200d}👩\u{200d}👧", "漢", "ﾞ", "ｶﾞ", "\u{e0067}", "🇩🇪", "\u{1160}", "각", "นี้",
            "क्षि", "\u{a0}", "\u{3000}", "\u{ad}", "\u{feff}", "\0", "\u{600}", "\u{fe0e}", "1\u{fe0f}\u{20e3}",
            " \u{1039}", "\u{16fe4}",
        ])
        .prop_map(String::from),
    ];
    proptest::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

fn assert_safe(text: &str) -> Result<(), TestCaseError> {
    let chars: Vec<char> = text.chars().collect();
    for (i, c) in chars.iter().enumerate() {
        let before = i.checked_sub(1).and_then(|i| chars.get(i)).copied();
        let after = chars.get(i + 1).copied();
        prop_assert!(!c.is_control(), "{c:?} in {text:?}");
        prop_assert!(hidden(*c).is_none() || joins(before, *c, after), "U+{:04X} in {text:?}", u32::from(*c));
    }
    Ok(())
}

proptest! {
    #![proptest_config(crate::test_cases::cases(3000))]

    #[test]
    fn nothing_dangerous_comes_out(text in hostile()) {
        for strictness in [Strictness::Text, Strictness::Code] {
            assert_safe(&shown(&text, strictness))?;
        }
        assert_safe(&clean(&text))?;
    }

    #[test]
    fn twice_is_once(text in hostile()) {
        for strictness in [Strictness::Text, Strictness::Code] {
            let once = shown(&text, strictness);
            prop_assert_eq!(&shown(&once, strictness), &once);
        }
    }

    #[test]
    fn every_byte_is_accounted_for(text in hostile()) {
        for strictness in [Strictness::Text, Strictness::Code] {
            let mut at = 0;
            for glyph in of(&text, strictness, TAB) {
                prop_assert_eq!(glyph.start, at);
                prop_assert!(glyph.end > glyph.start && glyph.width > 0);
                at = glyph.end;
            }
            prop_assert_eq!(at, text.len());
        }
    }

    #[test]
    fn any_bytes_at_all(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        assert_safe(&clean(&String::from_utf8_lossy(&bytes)))?;
    }

    /// The terminal library counts the same columns for our output as we do.
    #[test]
    fn widths_agree_with_the_buffer(text in hostile()) {
        use ratatui::buffer::Buffer;
        use ratatui::layout::Rect;
        for strictness in [Strictness::Text, Strictness::Code] {
            let line = shown(&text, strictness);
            let columns: usize = of(&text, strictness, TAB).map(|g| g.width).sum();
            let mut buffer = Buffer::empty(Rect::new(0, 0, 2000, 1));
            let (end, _) = buffer.set_stringn(0, 0, &line, 2000, Style::new());
            prop_assert_eq!(usize::from(end), columns, "{:?}", line);
        }
    }
}
