use super::*;
use crate::domain::unicode::hidden;
use crate::text::escapes::without_escapes;
use crate::tui::theme::Depth;
use proptest::prelude::*;
use ratatui::style::{Color, Modifier};

impl Output {
    /// A line as text, without colours.
    fn text(&self, at: usize) -> String {
        match self.kept.line_view(at) {
            Some(LineView::Row(row)) => crate::domain::visible::visible(row.text()),
            Some(LineView::LeftOut) => self.words(),
            None => String::new(),
        }
    }
}

fn theme() -> Theme {
    Theme::terminal(Depth::True)
}

fn printed(bytes: impl AsRef<[u8]>) -> Output {
    let mut output = Output::default();
    output.push(Stream::Stdout, bytes.as_ref());
    output
}

fn texts(output: &Output) -> Vec<String> {
    (0..output.len()).map(|at| output.text(at)).collect()
}

fn lines(bytes: impl AsRef<[u8]>) -> Vec<String> {
    texts(&printed(bytes))
}

fn drawn(output: &Output) -> Vec<Line<'static>> {
    (0..output.len()).map(|at| output.line(at, &theme())).collect()
}

fn joined(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect::<Vec<_>>().concat()
}

fn plain_text(line: &Line<'_>) -> String {
    line.spans.iter().map(|span| span.content.as_ref()).collect()
}

#[test]
fn lines_are_lines() {
    assert_eq!(lines("a\nb\r\n\nc"), ["a", "b", "", "c"]);
    assert_eq!(lines(""), Vec::<String>::new());
    assert_eq!(lines("\n"), [""]);
    assert_eq!(lines("a\tb"), ["a\tb"]);
    assert_eq!(plain_text(&printed("a\tb").line(0, &theme())), "a       b");
}

#[test]
fn a_progress_bar_stays_one_line() {
    assert_eq!(lines("  0%|   |\r 50%|█  |\r100%|███|\ndone\n"), ["100%|███|", "done"]);
    assert_eq!(lines("abc\rx"), ["xbc"]);
    assert_eq!(lines("abc\r\x1b[Kx"), ["x"]);
    assert_eq!(lines("abc\x1b[2K\rx"), ["x"]);
    assert_eq!(lines("abcd\x1b[2D\x1b[1Kx"), ["  xd"]);
    assert_eq!(lines("abc\x08\x08x"), ["axc"]);
    assert_eq!(lines("abc\x1b[2Gx\x1b[6Gy"), ["axc  y"]);
}

#[test]
fn rows_above_are_written_again() {
    assert_eq!(lines("a\nb\n\x1b[2A\x1b[2Kx\n\x1b[2Ky\nz"), ["x", "y", "z"]);
    assert_eq!(lines("a\nb\nc\x1b[1F\x1b[Jz\nd"), ["a", "z", "d"]);
    assert_eq!(lines("one\ntwo\x1b[Ax"), ["onex", "two"]);
    let many = "x\n".repeat(100);
    let out = lines(format!("{many}\x1b[1000Ay"));
    assert_eq!(out.iter().position(|l| l == "y"), Some(100 - 64));
}

#[test]
fn wide_characters_are_taken_whole() {
    assert_eq!(lines("漢字\rab"), ["ab字"]);
    assert_eq!(lines("漢字\ra"), ["a 字"]);
    assert_eq!(lines("漢字\x1b[2Gx"), [" x字"]);
    assert_eq!(lines("abc\r漢"), ["漢c"]);
    assert_eq!(lines("e\u{301}f\rx"), ["xf"]);
}

#[test]
fn each_stream_writes_its_own_lines() {
    let mut output = Output::default();
    output.push(Stream::Stdout, b"begun ");
    output.push(Stream::Stderr, b"\r10%");
    output.push(Stream::Stdout, b"and ended\nnext\n");
    output.push(Stream::Stderr, b"\r20%\n");
    assert_eq!(texts(&output), ["begun and ended", "20%", "next"]);
    let line = output.line(1, &theme());
    assert_eq!(line.spans[0].style, theme().style(Slot::OutputStderr));
    assert_eq!(output.line(0, &theme()).spans[0].style, Style::default());
}

#[test]
fn colours_by_depth() {
    let output =
        printed("\x1b[31mr\x1b[38;5;208mo\x1b[38;2;1;2;3mt\x1b[48:2::9:8:7;1mb\x1b[0mp\x1b[38;5;1;4mu\x1b[m");
    let at = |depth| {
        output.line(0, &Theme::terminal(depth)).spans.into_iter().map(|s| s.style).collect::<Vec<_>>()
    };
    let full = at(Depth::True);
    assert_eq!(full[0].fg, Some(Color::Red));
    assert_eq!(full[1].fg, Some(Color::Indexed(208)));
    assert_eq!(full[2].fg, Some(Color::Rgb(1, 2, 3)));
    assert_eq!(full[3].bg, Some(Color::Rgb(9, 8, 7)));
    assert!(full[3].add_modifier.contains(Modifier::BOLD));
    assert_eq!(full[4], Style::default());
    assert_eq!((full[5].fg, full[5].add_modifier), (Some(Color::Red), Modifier::UNDERLINED));
    assert!(matches!(at(Depth::Ansi256)[2].fg, Some(Color::Indexed(_))));
    assert_eq!(at(Depth::Ansi16)[2].fg, Some(Color::Black));
    assert!(at(Depth::Mono).iter().all(|style| style.fg.is_none() && style.bg.is_none()));
}

#[test]
fn hiding_colours_are_not_obeyed() {
    let output = printed("\x1b[30;40mhidden\x1b[0;8mtoo");
    let line = output.line(0, &theme());
    assert_eq!(plain_text(&line), "hiddentoo");
    assert!(line.spans.iter().all(|span| span.style == Style::default()));
}

#[test]
fn colours_follow_what_is_written_over() {
    let output = printed("\x1b[31mabcdef\x1b[0m\r\x1b[2Cxy");
    let spans = output.line(0, &theme()).spans;
    let parts: Vec<(&str, Option<Color>)> = spans.iter().map(|s| (s.content.as_ref(), s.style.fg)).collect();
    assert_eq!(parts, [("ab", Some(Color::Red)), ("xy", None), ("ef", Some(Color::Red))]);
}

#[test]
fn what_only_terminals_obey_is_taken_out() {
    let link = "\x1b]8;;http://x\x1b\\text\x1b]8;;\x07 \x1b]0;title\x07\x1b[?25l\x1b[2J\x1b(B\x1b7\x07.";
    assert_eq!(lines(link), ["text ."]);
    assert_eq!(lines("a\x1b]0;never ends\nb"), ["a", "b"]);
    assert_eq!(lines("a\x1b[31\nb\x1bPq#1~\x1b[1mc"), ["a", "bc"]);
}

#[test]
fn bytes_that_are_no_text_are_shown() {
    assert_eq!(lines(b"a\xff\xe2\x82b\x00\x1b[m"), [r"a\xff\xe2\x82b\x00"]);
    let mut output = printed(b"x\xe2\x82");
    assert_eq!(texts(&output), ["x"]);
    let changed = output.finish();
    assert_eq!((texts(&output), changed.from), (vec![r"x\xe2\x82".to_owned()], 0));
}

#[test]
fn a_long_line_goes_on_in_rows() {
    let output = printed("é".repeat(50_000));
    assert_eq!(output.len(), 2);
    assert_eq!(output.text(0).len() + output.text(1).len(), 100_000);
    assert!(plain_text(&output.line(0, &theme())).ends_with("(goes on)"));
    assert!(!plain_text(&output.line(1, &theme())).ends_with("(goes on)"));
    // A long row can't be overwritten: what comes next begins a new row.
    assert_eq!(lines(format!("{}\rnew", "x".repeat(5_000)))[1], "new");
}

#[test]
fn the_middle_is_left_out_and_told() {
    let all: String = joined(20_000, |n| format!("line {n}\n"));
    let output = printed(&all);
    assert_eq!(output.len(), 2_000 + 1 + 8_000);
    assert_eq!((output.kept.gone, output.printed_lines()), (10_000, Some(20_000)));
    assert_eq!(output.text(1_999), "line 1999");
    assert_eq!(plain_text(&output.line(2_000, &theme())), "... 10,000 lines left out ...");
    assert_eq!(output.line(2_000, &theme()).style, theme().style(Slot::OutputTruncated));
    assert_eq!(output.text(2_001), "line 12000");
    assert_eq!(output.text(10_000), "line 19999");
    assert_eq!(output.line(10_001, &theme()), Line::default());
}

#[test]
fn what_was_not_kept_is_told_where_it_is_missing() {
    let mut captured = OutputBuffer::new(40);
    captured.push(Stream::Stdout, b"0123456789abc");
    captured.push(Stream::Stderr, b"error\n");
    captured.push(Stream::Stdout, &[b'x'; 2_000]);
    captured.push(Stream::Stdout, b"\nlast\n");
    let output = Output::of(&captured);
    let texts = texts(&output);
    assert_eq!(texts[0], "0123456789");
    assert_eq!(texts[1], "error");
    assert_eq!(texts[2], "... 1,979 bytes of output left out here ...");
    assert_eq!(texts.last().unwrap(), "last");
    assert_eq!(output.line(2, &theme()).spans[0].style, theme().style(Slot::OutputTruncated));
}

#[test]
fn where_a_part_is_missing_no_number_of_lines_is_told() {
    let mut output = printed("a\nb\n");
    assert_eq!(output.printed_lines(), Some(2));
    output.note_gap(Stream::Stdout, 7);
    output.push(Stream::Stdout, b"c\n");
    assert_eq!(output.printed_lines(), None);
    assert_eq!(texts(&output), ["a", "b", "... 7 bytes of output left out here ...", "c"]);

    let told = "... lines left out, nobody counted how many ...";
    let mut output = printed("x\n".repeat(20_000));
    output.note_gap(Stream::Stdout, 7);
    assert_eq!((output.text(2_000).as_str(), &*output.printed(2_000)), (told, told));
    assert_eq!(plain_text(&output.line(2_000, &theme())), told);
    let mut captured = OutputBuffer::new(1 << 20);
    captured.push(Stream::Stdout, "x\n".repeat(1 << 20).as_bytes());
    assert_eq!(Output::of(&captured).text(2_000), told);
}

#[test]
fn changes_are_told() {
    let mut output = printed("a\nb\n");
    assert_eq!(output.push(Stream::Stdout, b"c"), LineChange { from: 2, dropped: 0 });
    assert_eq!(output.push(Stream::Stdout, b"d\ne"), LineChange { from: 2, dropped: 0 });
    assert_eq!(output.push(Stream::Stdout, b"\x1b[2A\rx"), LineChange { from: 1, dropped: 0 });
    assert_eq!(output.push(Stream::Stdout, b""), LineChange { from: 4, dropped: 0 });
    let mut output = printed("x\n".repeat(10_000));
    assert_eq!(output.push(Stream::Stdout, b"y\nz\n"), LineChange { from: 2_000, dropped: 1 });
    assert_eq!(output.text(10_000), "z");
    assert_eq!(output.push(Stream::Stdout, b"z"), LineChange { from: 2_000, dropped: 1 });
    assert_eq!(output.push(Stream::Stdout, b"z"), LineChange { from: 10_000, dropped: 0 });
}

/// Memory stays bounded for every kind of flood: long lines, many colours, rows overwritten again and again.
#[test]
fn floods_are_bounded() {
    let floods: [Vec<u8>; 6] = [
        vec![b'x'; 1 << 20],
        "\x1b[1mx\x1b[31my".repeat(1 << 16).into_bytes(),
        "\x1b[500Gx\n".repeat(1 << 17).into_bytes(),
        format!("{}\r\u{301}", "é".repeat(500)).repeat(1 << 10).into_bytes(),
        format!("{}{}", "é".repeat(2_000), "\rx".repeat(50_000)).into_bytes(),
        format!("x\r{}", "\u{301}".repeat(1 << 18)).into_bytes(),
    ];
    for flood in floods {
        let mut output = Output::default();
        for _ in 0..8 {
            output.push(Stream::Stdout, &flood);
        }
        assert!(output.kept.cost() < 16 << 20, "{}", output.kept.cost());
        assert!(output.len() <= 10_001);
    }
}

/// Bytes with terminal sequences and all kinds of text.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..6),
        "[a-z漢é\u{301}\u{200d}👩 \t]{0,8}".prop_map(String::into_bytes),
        prop::sample::select(vec![
            "\r",
            "\n",
            "\x08",
            "\x1b[K",
            "\x1b[1K",
            "\x1b[2K",
            "\x1b[A",
            "\x1b[2B",
            "\x1b[J",
            "\x1b[3C",
            "\x1b[2D",
            "\x1b[5G",
            "\x1b[31m",
            "\x1b[1;48;5;9m",
            "\x1b[m",
            "\x1b]0;t\x07",
            "\x1b]8;;u\x1b\\",
            "\x1b[F",
            "\u{202e}",
            "\u{9b}",
            "\x1b[",
        ])
        .prop_map(|s| s.as_bytes().to_vec()),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(crate::test_cases::cases(1_500))]

    /// The search over sessions sees the same words as the screen.
    #[test]
    fn what_is_searched_is_what_is_shown(text in "[\x1b\x07\n\\[\\]\\\\;(m3a é]{0,40}") {
        prop_assert_eq!(lines(&*without_escapes(&text)), lines(&text));
    }

    #[test]
    fn any_split_gives_the_same_lines(bytes in bytes(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8)) {
        let mut whole = printed(&bytes);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.sort_unstable();
        cuts.push(bytes.len());
        let (mut split, mut single, mut from) = (Output::default(), Output::default(), 0);
        for cut in cuts {
            split.push(Stream::Stdout, &bytes[from..cut]);
            from = cut;
        }
        for byte in &bytes {
            single.push(Stream::Stdout, &[*byte]);
        }
        for other in [&mut split, &mut single] {
            other.finish();
        }
        whole.finish();
        prop_assert_eq!(drawn(&whole), drawn(&split));
        prop_assert_eq!(drawn(&whole), drawn(&single));
    }

    #[test]
    fn nothing_forbidden_comes_out(bytes in bytes()) {
        let output = printed(&bytes);
        for (at, line) in drawn(&output).iter().enumerate() {
            let text = plain_text(line);
            prop_assert_eq!(text.as_str(), &*glyphs::clean(&text), "drawn text is safe");
            prop_assert!(!output.text(at).chars().any(|c| c != '\t' && hidden(c) == Some(crate::domain::unicode::HiddenReason::Control)));
        }
    }

    /// The lines before the first changed one are as they were.
    #[test]
    fn lines_before_a_change_stay(first in bytes(), second in bytes()) {
        let mut output = printed(&first);
        let before = drawn(&output);
        let changed = output.push(Stream::Stdout, &second);
        let after = drawn(&output);
        let same = changed.from.min(before.len());
        prop_assert!(after.len() >= same);
        prop_assert_eq!(&before[..same], &after[..same]);
    }
}
