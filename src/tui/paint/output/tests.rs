use super::*;
use crate::tui::theme::Depth;
use proptest::prelude::*;
use ratatui::style::{Color, Modifier};

fn theme() -> Theme {
    Theme::terminal(Depth::True)
}

fn of(bytes: &[u8]) -> Output {
    let mut output = Output::default();
    output.push(Stream::Stdout, bytes);
    output
}

fn text(output: &Output) -> Vec<String> {
    let theme = theme();
    (0..output.len())
        .map(|i| output.line(i, &theme).spans.iter().map(|s| s.content.as_ref()).collect())
        .collect()
}

fn shown(bytes: &[u8]) -> Vec<String> {
    text(&of(bytes))
}

#[test]
fn lines() {
    assert_eq!(shown(b""), [""; 0]);
    assert_eq!(shown(b"a\nb"), ["a", "b"]);
    assert_eq!(shown(b"a\r\nb\r\n"), ["a", "b"]);
    assert_eq!(shown(b"a\n\n\nb\n"), ["a", "", "", "b"]);
    assert_eq!(shown(b"\n\n"), ["", ""]);
    assert_eq!(shown(b"a\tb\n12345678\tx"), ["a       b", "12345678        x"]);
}

#[test]
fn progress_bars() {
    assert_eq!(shown(b" 10%\r 50%\r100%\n"), ["100%"]);
    assert_eq!(shown(b"long line\rshort"), ["shortline"]);
    assert_eq!(shown(b"long line\r\x1b[Kshort"), ["short"]);
    assert_eq!(shown(b"one\ntwo\n\x1b[1A\x1b[2Kdone\n"), ["one", "done"]);
    assert_eq!(shown(b"a\nb\n\x1b[2Ax\x1b[2By"), ["x", "b", " y"]);
    assert_eq!(shown(b"abc\x1b[2Dx"), ["axc"]);
    assert_eq!(shown(b"ab\x1b[5Gx"), ["ab  x"]);
    assert_eq!(shown(b"abc\x08x"), ["abx"]);
    assert_eq!(shown("漢字\rx".as_bytes()), ["x 字"]);
    assert_eq!(shown(b"1\n2\n3\x1b[2A\r\x1b[J0"), ["0", "", ""]);
    assert_eq!(shown(b"\x1b[?25l10%\x1b[?25h"), ["10%"]);
}

#[test]
fn what_a_terminal_would_obey_is_shown() {
    assert_eq!(shown(b"a\x1b[2Jb"), ["a\\x1b[2Jb"]);
    assert_eq!(shown(b"\x1b]52;c;aGk=\x07x"), ["\\x1b]52;c;aGk=\\x07x"]);
    assert_eq!(shown(b"\x1b]0;title\x1b\\x"), ["\\x1b]0;title\\x1b\\x"]);
    assert_eq!(shown(b"\x1bP1$r\x1b\\"), ["\\x1bP1$r\\x1b\\"]);
    assert_eq!(shown(b"\x1b[?1049hx\x1b[6n"), ["\\x1b[?1049hx\\x1b[6n"]);
    assert_eq!(shown(b"\x1bc\x00\x7f"), ["\\x1bc\\x00\\x7f"]);
    assert_eq!(shown("\u{9b}2J\u{202e}x".as_bytes()), ["<U+009B>2J<U+202E>x"]);
    assert_eq!(shown(b"\x1b]never ended\nnext"), ["\\x1b]never ended", "next"]);
    assert_eq!(shown(b"\x1b(Bplain"), ["plain"]);
}

#[test]
fn bytes_that_are_no_text_are_shown() {
    assert_eq!(
        shown(b"ok \xff\xfe end \xc3"),
        ["ok \\xff\\xfe end "],
        "the last may still become a character"
    );
    assert_eq!(shown(b"\xc3\n\xe6\xbcx"), ["\\xc3", "\\xe6\\xbcx"]);
}

#[test]
fn colours_become_styles() {
    let theme = theme();
    let line = of(b"\x1b[1;31mred\x1b[0m plain \x1b[38;5;208mx\x1b[48;2;1;2;3my\x1b[m").line(0, &theme);
    let styles: Vec<_> = line.spans.iter().map(|s| (s.content.as_ref(), s.style)).collect();
    assert_eq!(styles[0].0, "red");
    assert_eq!(styles[0].1.fg, Some(Color::Red));
    assert!(styles[0].1.add_modifier.contains(Modifier::BOLD));
    assert_eq!(styles[1], (" plain ", theme.style(Slot::UiText)));
    assert_eq!(styles[2].1.fg, Some(Color::Indexed(208)));
    assert_eq!(styles[3].1.bg, Some(Color::Rgb(1, 2, 3)));
    let hidden = of(b"\x1b[30;40;8mx").line(0, &theme);
    assert_eq!(hidden.spans[0].style.bg, None, "nothing is hidden in its own colour");
}

#[test]
fn without_colours_there_are_none() {
    let theme = Theme::terminal(Depth::Mono);
    let line = of(b"\x1b[1;31;44mred").line(0, &theme);
    assert_eq!((line.spans[0].style.fg, line.spans[0].style.bg), (None, None));
    assert!(line.spans[0].style.add_modifier.contains(Modifier::BOLD));
}

#[test]
fn streams_keep_their_order_their_looks_and_their_sequences_apart() {
    let theme = theme();
    let mut output = Output::default();
    output.push(Stream::Stdout, b"out \x1b[3");
    output.push(Stream::Stderr, b"err\n");
    output.push(Stream::Stdout, b"1mred\xc3");
    output.push(Stream::Stderr, b"!");
    output.push(Stream::Stdout, b"\xa9");
    assert_eq!(text(&output), ["out err", "red!é"]);
    let first = output.line(0, &theme);
    assert_eq!(first.spans[1].style, theme.style(Slot::OutputStderr));
    assert_eq!(output.line(1, &theme).spans[0].style.fg, Some(Color::Red));
}

#[test]
fn of_many_lines_the_first_and_last_are_kept() {
    let mut output = Output::default();
    for i in 0..30_000 {
        output.push(Stream::Stdout, format!("line {i}\n").as_bytes());
    }
    let lines = text(&output);
    assert_eq!(lines.len(), HEAD + 1 + TAIL);
    assert_eq!((lines[0].as_str(), lines[HEAD - 1].as_str()), ("line 0", "line 1999"));
    assert_eq!(lines[HEAD], "20,000 lines not shown here: x shows all output");
    assert_eq!((lines[HEAD + 1].as_str(), lines[HEAD + TAIL].as_str()), ("line 22000", "line 29999"));
    assert_eq!(output.dropped(), 20_000);
}

#[test]
fn a_flood_without_line_feeds_is_bounded() {
    let mut output = Output::default();
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..32 {
        output.push(Stream::Stdout, &chunk);
        output.push(Stream::Stderr, b"\x1b]");
    }
    let bytes: usize = output.head.iter().chain(&output.tail).map(|r| r.text().len()).sum();
    assert!(bytes <= HEAD_BYTES + TAIL_BYTES + 2 * LINE_BYTES, "{bytes}");
    assert!(output.head.iter().chain(&output.tail).all(|r| r.text().len() <= LINE_BYTES));
}

#[test]
fn what_changed_is_told() {
    let mut output = of(b"a\nb\nc\n");
    assert_eq!(output.take_changed(), Some(0));
    assert_eq!(output.take_changed(), None);
    output.push(Stream::Stdout, b"d");
    assert_eq!(output.take_changed(), Some(3));
    output.push(Stream::Stdout, b"\x1b[2Ax");
    assert_eq!(output.take_changed(), Some(1));
}

#[test]
fn what_was_not_kept_is_told_where_it_is_missing() {
    let mut captured = Captured::new(40);
    for i in 0..20 {
        captured.push(Stream::Stdout, format!("line {i:02}\n").as_bytes());
    }
    let lines = text(&Output::of(&captured));
    assert!(lines[0].starts_with("line 00"), "{lines:?}");
    assert_eq!(lines.iter().filter(|l| l.ends_with("bytes not kept here")).count(), 1, "{lines:?}");
    assert_eq!(lines.last().unwrap(), "line 19");
}

/// What programs print, and what they should not.
fn printed() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        4 => "[a-z ]{0,6}".prop_map(String::into_bytes),
        4 => proptest::sample::select(vec![
            "\n", "\r", "\r\n", "\t", "\x1b[31m", "\x1b[m", "\x1b[K", "\x1b[2K", "\x1b[1K", "\x1b[A", "\x1b[3B", "\x1b[2J", "\x1b[J",
            "\x1b[10C", "\x1b[2D", "\x1b[7G", "\x1b]0;t\x07", "\x1b", "\x1b[", "漢", "é", "\u{202e}", "\x08", "\x07", "\0", "\x1b[F", "\x1b[E",
        ]).prop_map(|s| s.as_bytes().to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..4),
    ];
    proptest::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn any_cut_gives_the_same_and_all_of_it_is_safe(bytes in printed(), cuts in proptest::collection::vec(0usize..200, 0..6)) {
        let whole = shown(&bytes);
        let mut output = Output::default();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|c| c.min(bytes.len())).collect();
        cuts.sort_unstable();
        let mut from = 0;
        for cut in cuts.into_iter().chain([bytes.len()]) {
            output.push(Stream::Stdout, &bytes[from..cut]);
            from = cut;
        }
        prop_assert_eq!(text(&output), whole.clone());
        for c in whole.iter().flat_map(|l| l.chars()) {
            prop_assert!(!c.is_control(), "{:?}", whole);
            let joiner = char::from_u32(0x200d);
            prop_assert!(crate::domain::unicode::hidden(c).is_none() || Some(c) == joiner);
        }
    }

    #[test]
    fn columns_are_kept(bytes in printed()) {
        let output = of(&bytes);
        for row in output.head.iter().chain(&output.tail) {
            let end = row.inks().last().map_or(0, |(end, _)| *end as usize);
            prop_assert_eq!(end, row.text().len());
        }
    }
}

/// Measures; run by hand: cargo test --release --lib tui:: -- --ignored --nocapture --test-threads 1
#[test]
#[ignore = "a measurement"]
fn speed_of_a_flood() {
    let flood = "a line of ordinary output, with \x1b[32mcolour\x1b[0m in it\n".repeat(200_000);
    let bar = (0..20_000).fold(String::new(), |bar, i| {
        bar + &format!("\r{i:>5} |{:<40}| \x1b[36m{i}/20000\x1b[0m", "#".repeat(i / 500))
    });
    for (name, text) in [("lines", &flood), ("progress bar", &bar)] {
        let start = std::time::Instant::now();
        let mut output = Output::default();
        for chunk in text.as_bytes().chunks(8192) {
            output.push(Stream::Stdout, chunk);
        }
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{name}: {:.1} MB in {:.3} s, {:.0} MB/s",
            text.len() as f64 / 1e6,
            seconds,
            text.len() as f64 / 1e6 / seconds
        );
    }
    let output = of(flood.as_bytes());
    let theme = theme();
    let start = std::time::Instant::now();
    for i in 0..1000 {
        std::hint::black_box(output.line(i, &theme));
    }
    println!("a line to draw: {:?}", start.elapsed() / 1000);
}
