use super::paste::MAX_PASTE_BYTES;
use super::*;
use crate::tui::input::csi;
use crate::tui::theme::Rgb;
use crossterm::event::{KeyEventKind, MouseButton, MouseEventKind};
use proptest::prelude::*;

const NONE: KeyModifiers = KeyModifiers::NONE;
const CTRL: KeyModifiers = KeyModifiers::CONTROL;
const ALT: KeyModifiers = KeyModifiers::ALT;
const SHIFT: KeyModifiers = KeyModifiers::SHIFT;

fn parser() -> InputParser {
    InputParser::new(Duration::from_millis(25))
}

/// All events of these bytes, including those of the timeout after them.
fn events(bytes: &[u8]) -> Vec<InputEvent> {
    let mut p = parser();
    p.parse(bytes);
    p.timeout();
    p.take()
}

fn key(code: KeyCode, modifiers: KeyModifiers) -> InputEvent {
    InputEvent::Key(KeyEvent::new(code, modifiers))
}

#[test]
fn keys() {
    let c = KeyCode::Char;
    for (bytes, code, modifiers) in [
        (&b"a"[..], c('a'), NONE),
        (b"A", c('A'), SHIFT),
        ("é".as_bytes(), c('é'), NONE),
        ("漢".as_bytes(), c('漢'), NONE),
        ("😀".as_bytes(), c('😀'), NONE),
        (b"\r", KeyCode::Enter, NONE),
        (b"\n", c('j'), CTRL),
        (b"\t", KeyCode::Tab, NONE),
        (b"\x7f", KeyCode::Backspace, NONE),
        (b"\x08", c('h'), CTRL),
        (b"\x03", c('c'), CTRL),
        (b"\x1a", c('z'), CTRL),
        (b"\x1f", c('_'), CTRL),
        (b"\0", c(' '), CTRL),
        (b"\x1b", KeyCode::Esc, NONE),
        (b"\x1ba", c('a'), ALT),
        ("\x1bé".as_bytes(), c('é'), ALT),
        (b"\x1b\r", KeyCode::Enter, ALT),
        (b"\x1b\x7f", KeyCode::Backspace, ALT),
        (b"\x1b[", c('['), ALT),
        (b"\x1b]", c(']'), ALT),
        (b"\x1b[A", KeyCode::Up, NONE),
        (b"\x1bOA", KeyCode::Up, NONE),
        (b"\x1b[1;5C", KeyCode::Right, CTRL),
        (b"\x1b[1;3A", KeyCode::Up, ALT),
        (b"\x1b[H", KeyCode::Home, NONE),
        (b"\x1b[4~", KeyCode::End, NONE),
        (b"\x1b[3~", KeyCode::Delete, NONE),
        (b"\x1b[5~", KeyCode::PageUp, NONE),
        (b"\x1b[6;2~", KeyCode::PageDown, SHIFT),
        (b"\x1bOP", KeyCode::F(1), NONE),
        (b"\x1b[[B", KeyCode::F(2), NONE),
        (b"\x1b[15~", KeyCode::F(5), NONE),
        (b"\x1b[24~", KeyCode::F(12), NONE),
        (b"\x1b[Z", KeyCode::BackTab, SHIFT),
        (b"\x1b[13;2u", KeyCode::Enter, SHIFT),
        (b"\x1b[27;2;13~", KeyCode::Enter, SHIFT),
        (b"\x1b[97;5u", c('a'), CTRL),
        (b"\x1b[27u", KeyCode::Esc, NONE),
        (b"\x1b[9;2u", KeyCode::BackTab, SHIFT),
    ] {
        assert_eq!(events(bytes), [key(code, modifiers)], "{:?}", String::from_utf8_lossy(bytes));
    }
    assert_eq!(events(b"\x1b\x1b[A"), [key(KeyCode::Esc, NONE), key(KeyCode::Up, NONE)]);
    assert!(matches!(&events(b"\x1b[97;1:3u")[..], [InputEvent::Key(k)] if k.kind == KeyEventKind::Release));
    // Repeats of a key that is held down.
    for bytes in [&b"\x1b[121;5:2u"[..], b"\x1b[1;1:2A", b"\x1b[5;1:2~"] {
        assert!(
            matches!(&events(bytes)[..], [InputEvent::Key(k)] if k.kind == KeyEventKind::Repeat),
            "{bytes:?}"
        );
    }
}

#[test]
fn answers() {
    for (bytes, event) in [
        (&b"\x1b[24;80R"[..], InputEvent::CursorReport(24, 80)),
        (b"\x1b[1;1R", InputEvent::CursorReport(1, 1)),
        (b"\x1b[?62;22c", InputEvent::Da1 { sixel: false }),
        (b"\x1b[?4;6c", InputEvent::Da1 { sixel: false }),
        (b"\x1b[?62;4;6;9;15;18;21;22c", InputEvent::Da1 { sixel: true }),
        (b"\x1b_Gi=1;OK\x1b\\", InputEvent::KittyGraphics(true)),
        (b"\x1b_Gi=1;ENOTSUP:no\x1b\\", InputEvent::KittyGraphics(false)),
        (b"\x1b[?2026;2$y", InputEvent::Sync2026(true)),
        (b"\x1b[?2026;0$y", InputEvent::Sync2026(false)),
        (b"\x1b[?2026;4$y", InputEvent::Sync2026(false)),
        (b"\x1b[?1u", InputEvent::KittyKeyboard(1)),
        (b"\x1b]11;rgb:1e1e/1e1e/1e1e\x07", InputEvent::Background(Rgb(0x1e, 0x1e, 0x1e))),
        (b"\x1b]11;rgb:ff/80/00\x1b\\", InputEvent::Background(Rgb(255, 128, 0))),
        (b"\x1b]11;rgba:ffff/ffff/ffff/ffff\x1b\\", InputEvent::Background(Rgb(255, 255, 255))),
        (b"\x1b[I", InputEvent::Focus(true)),
        (b"\x1b[O", InputEvent::Focus(false)),
    ] {
        assert_eq!(events(bytes), [event], "{:?}", String::from_utf8_lossy(bytes));
    }
}

/// Requested, unrequested and unknown sequences that terminals may send.
const STRANGE: [&[u8]; 19] = [
    b"\x1b]11;rgb:aaaa/bbbb/cccc\x1b\\",
    b"\x1b]10;rgb:aaaa/bbbb/cccc\x07",
    b"\x1b]4;1;rgb:aa/aa/aa\x07",
    b"\x1b]52;c;YWFhYWE=\x07",
    b"\x1bP1$r0m\x1b\\",
    b"\x1bP>|xterm(388)\x1b\\",
    b"\x1bP!|00000000\x1b\\",
    b"\x1b_Gi=31;OK\x1b\\",
    b"\x1b^private\x1b\\",
    b"\x1bXstring\x1b\\",
    b"\x1b[>1;4402;0c",
    b"\x1b[?64;1;2;6;9;15;18;21;22c",
    b"\x1b[?1;2$y",
    b"\x1b[?997;2n",
    b"\x1b[8;24;80t",
    b"\x1b[6;18;9t",
    b"\x1b[?12;aaaaaayaaaa",
    b"\x1b[M !!",
    b"\x1b]lsome title a\x1b\\",
];

#[test]
fn no_answer_known_or_not_turns_into_keys() {
    for bytes in STRANGE {
        if bytes.starts_with(b"\x1b[?12;a") {
            continue; // This sequence ends at its first letter; the rest was typed.
        }
        for cut in 1..bytes.len() {
            let mut p = parser();
            let (a, b) = bytes.split_at(cut);
            p.parse(a);
            p.parse(b);
            p.timeout();
            let got = p.take();
            assert!(
                !got.iter().any(|e| matches!(e, InputEvent::Key(_) | InputEvent::Paste(_))),
                "{got:?} of {bytes:?}"
            );
        }
    }
}

#[test]
fn an_answer_of_any_length_is_read_to_its_end() {
    let mut bytes = b"\x1bP".to_vec();
    bytes.extend(std::iter::repeat_n(b'a', 100_000));
    bytes.extend(b"\x1b\\x");
    assert_eq!(events(&bytes), [key(KeyCode::Char('x'), NONE)]);
    let mut bytes = b"\x1b[".to_vec();
    bytes.extend(std::iter::repeat_n(b'1', 100_000));
    bytes.extend(b"Rx");
    assert_eq!(events(&bytes), [InputEvent::Noise, key(KeyCode::Char('x'), NONE)]);
}

#[test]
fn bytes_that_mean_nothing_are_told_and_answers_are_not() {
    for bytes in
        [&b"\xff"[..], b"\xc3(", b"\xc3\x1b[24;80R", b"\x80", b"\x1b[1;2X", b"\x1bP\x1b[24;80R", b"\x1bOz"]
    {
        assert!(events(bytes).contains(&InputEvent::Noise), "{bytes:?}");
    }
    for bytes in STRANGE {
        if !bytes.starts_with(b"\x1b[?12;a") && !bytes.ends_with(b" a\x1b\\") {
            assert!(!events(bytes).contains(&InputEvent::Noise), "{bytes:?}");
        }
    }
    // A character interrupted by an answer was typed before it.
    assert_eq!(events(b"\xc3\x1b[24;80R"), [InputEvent::Noise, InputEvent::CursorReport(24, 80)]);
}

#[test]
fn an_answer_that_is_never_finished_is_dropped_and_keys_go_on() {
    let mut p = parser();
    p.parse(b"\x1b]11;rgb:aaaa/bb");
    assert_eq!(p.patience(), Some(STRING_TIMEOUT));
    p.timeout();
    p.parse(b"x");
    assert_eq!(p.take(), [key(KeyCode::Char('x'), NONE)]);
}

#[test]
fn esc_waits_only_as_long_as_it_was_told() {
    let mut p = parser();
    assert_eq!(p.patience(), None, "idle, nothing is awaited");
    p.parse(b"\x1b");
    assert_eq!(p.patience(), Some(Duration::from_millis(25)));
    assert_eq!(p.take(), []);
    p.timeout();
    assert_eq!(p.take(), [key(KeyCode::Esc, NONE)]);
    assert_eq!(p.patience(), None);
}

#[test]
fn pastes() {
    let paste = |text: &str| InputEvent::Paste(text.into());
    assert_eq!(events(b"\x1b[200~a\r\nb\rc\x1b[201~d"), [paste("a\nb\nc"), key(KeyCode::Char('d'), NONE)]);
    assert_eq!(events(b"\x1b[200~\x1b[201~"), [paste("")]);
    assert_eq!(events(b"\x1b[200~a\x1b[31mb\x03\x1b[201~"), [paste("a\x1b[31mb\x03")]);
    assert_eq!(events(b"\x1b[200~never ended"), [paste("never ended")]);
    assert_eq!(events(b"\x1b[200~\xff\x1b[201~"), [paste("\u{fffd}")]);
}

#[test]
fn a_paste_of_any_size_is_bounded_and_found_to_its_end() {
    let mut p = parser();
    p.parse(b"\x1b[200~");
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..12 {
        p.parse(&chunk);
        assert!(p.buffer.len() <= MAX_PASTE_BYTES + 16);
    }
    p.parse(b"\x1b[20");
    p.parse(b"1~y");
    let got = p.take();
    assert!(
        matches!(&got[..], [InputEvent::Paste(text), InputEvent::Key(_)] if text.len() == MAX_PASTE_BYTES),
        "{}",
        got.len()
    );
}

#[test]
fn mouse() {
    let kinds: Vec<_> =
        events(b"\x1b[<0;3;4M\x1b[<32;5;6M\x1b[<0;5;6m\x1b[<64;1;1M\x1b[<65;1;1M\x1b[<35;1;1M")
            .into_iter()
            .map(|e| match e {
                InputEvent::Mouse(m) => (m.kind, m.column, m.row),
                other => panic!("{other:?}"),
            })
            .collect();
    assert_eq!(
        kinds,
        [
            (MouseEventKind::Down(MouseButton::Left), 2, 3),
            (MouseEventKind::Drag(MouseButton::Left), 4, 5),
            (MouseEventKind::Up(MouseButton::Left), 4, 5),
            (MouseEventKind::ScrollUp, 0, 0),
            (MouseEventKind::ScrollDown, 0, 0),
            (MouseEventKind::Moved, 0, 0),
        ]
    );
}

#[test]
fn colours_of_any_width() {
    for (text, rgb) in [
        ("11;rgb:f/8/0", Some(Rgb(255, 136, 0))),
        ("11;rgb:fff/000/800", Some(Rgb(255, 0, 128))),
        ("11;rgb:zz/00/00", None),
        ("11;rgb:00/00", None),
        ("11;rgb:é/00/00", None),
        ("12;rgb:00/00/00", None),
        ("11;rgb://", None),
    ] {
        assert_eq!(csi::background(text.as_bytes()), rgb, "{text}");
    }
}

/// A mix of bytes that look like terminal sequences and bytes that do not.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        3 => proptest::sample::select(STRANGE.to_vec()).prop_map(<[u8]>::to_vec),
        2 => Just(b"\x1b[200~pas\xc3\xa9te\r\n\x1b[201~".to_vec()),
        3 => "[a-zA-Z0-9éü漢 ]{1,3}".prop_map(String::into_bytes),
        2 => proptest::collection::vec(any::<u8>(), 1..6),
        2 => proptest::sample::select(vec!["\x1b[A", "\x1bOP", "\x1b[1;5C", "\x1b[24;80R", "\x1b", "\x1b["]).prop_map(|s| s.as_bytes().to_vec()),
    ];
    proptest::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(crate::test_cases::cases(2000))]
    #[test]
    fn any_cut_gives_the_same(bytes in stream(), cuts in proptest::collection::vec(0usize..200, 0..6)) {
        let whole = events(&bytes);
        let mut p = parser();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|c| c.min(bytes.len())).collect();
        cuts.sort_unstable();
        let mut from = 0;
        for cut in cuts {
            p.parse(&bytes[from..cut]);
            from = cut;
        }
        p.parse(&bytes[from..]);
        p.timeout();
        prop_assert_eq!(p.take(), whole);
    }

    #[test]
    fn after_a_time_out_it_starts_clean(bytes in stream()) {
        let mut p = parser();
        p.parse(&bytes);
        p.timeout();
        p.take();
        prop_assert_eq!(p.patience(), None);
        p.parse(b"q");
        prop_assert_eq!(p.take(), vec![key(KeyCode::Char('q'), NONE)]);
    }
}

#[test]
fn an_event_has_the_bytes_that_it_was_read_from() {
    let mut p = InputParser::new(Duration::from_millis(25));
    // The terminal's answer in between is no event, and its bytes are assigned to none.
    p.parse(b"a\x1b[1;5A\x1b]11;rgb:0/0/0\x1b\\\x1b[?2026;2$y\xc3\xa9\x1b\x1b[B\x1b[9999xq\x1b");
    p.timeout();
    let got: Vec<Vec<u8>> = p
        .take_with_bytes()
        .filter(|(event, _)| matches!(event, InputEvent::Key(_) | InputEvent::Noise))
        .map(|(_, bytes)| bytes)
        .collect();
    let expected: [&[u8]; 7] =
        [b"a", b"\x1b[1;5A", "\u{e9}".as_bytes(), b"\x1b", b"\x1b[B", b"\x1b[9999x", b"q"];
    assert_eq!(got[..7], expected.map(<[u8]>::to_vec));
    assert_eq!(got[7..], [b"\x1b".to_vec()]);
}
