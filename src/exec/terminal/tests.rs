use super::*;
use crate::domain::{MouseReports, Pen, PenColor, PenMark};
use proptest::prelude::*;
use std::num::NonZeroU16;

const ROWS: u16 = 6;
const COLUMNS: u16 = 20;

fn terminal() -> Emulator {
    let mut terminal = Emulator::new();
    terminal.resize(ROWS, COLUMNS);
    terminal
}

fn painted(bytes: impl AsRef<[u8]>) -> Emulator {
    let mut terminal = terminal();
    terminal.take_in(bytes.as_ref());
    terminal
}

fn rows(terminal: &Emulator) -> Vec<String> {
    let text = |row: &crate::domain::ScreenRow| {
        let text: String = row.iter().filter(|c| c.width > 0).map(|c| c.character).collect();
        text.trim_end().to_owned()
    };
    terminal.screen().rows.iter().map(text).collect()
}

fn kept(bytes: impl AsRef<[u8]>) -> String {
    let mut terminal = terminal();
    let mut kept = terminal.take_in(bytes.as_ref());
    kept.extend(terminal.end());
    String::from_utf8(kept).unwrap()
}

#[test]
fn lines_are_kept_as_they_were_printed() {
    let printed = "one\r\n\x1b[31mtwo\x1b[0m\r 50%\r100%\r\n\x1b[2J\x1b[Hthree";
    assert_eq!(kept(printed), printed);
}

#[test]
fn of_a_program_that_paints_its_screen_the_last_one_is_kept() {
    let screen = "\x1b[?1049h\x1b[2;3Hfirst\x1b[2J\x1b[Hlast one\r\n\x1b[4;2Hbelow\x1b[?1049l";
    assert_eq!(
        kept(format!("before\r\n{screen}after\r\n")),
        "before\r\n\x1b[?1049h--- a full-screen program ran; its last screen: ---\r\nlast one\r\n\r\n\r\n below\r\n\
         --- end of that screen ---\r\nafter\r\n"
    );
    // A line that has not ended is kept as it is.
    assert!(
        kept("$ \x1b[?1049hx\x1b[?1049l").starts_with("$ \x1b[?1049h\r\n--- a full-screen program ran; ")
    );
    assert!(kept("\x1b[?1049h\x1b[2J\x1b[?1049l").ends_with("--- a full-screen program ran ---\r\n"));
    // The run ended while the program was shown; then the terminal was reset.
    assert!(kept("\x1b[?1049hgone").ends_with("screen: ---\r\ngone\r\n--- end of that screen ---\r\n"));
    assert!(kept("\x1b[?47hgone\x1bcon").ends_with("gone\r\n--- end of that screen ---\r\non"));
}

#[test]
fn the_first_screen_is_there_again_after_the_second() {
    let mut terminal = painted("one\r\ntwo\x1b[?1049h\x1b[Hsecond\x1b[?25l");
    assert_eq!(rows(&terminal), ["second", "", "", "", "", ""]);
    let screen = terminal.screen();
    assert!(screen.is_alternate && screen.cursor.is_none());
    terminal.take_in(b"\x1b[?25h\x1b[?1049l");
    assert_eq!(rows(&terminal), ["one", "two", "", "", "", ""]);
    assert_eq!(terminal.screen().cursor, Some((1, 3)));
}

#[test]
fn what_is_kept_of_many_screens_is_bounded() {
    let mut terminal = terminal();
    let once = format!("\x1b[?1049h{}\x1b[?1049l", "x".repeat(200)).repeat(500);
    let mut total = 0;
    for _ in 0..20 {
        total += terminal.take_in(once.as_bytes()).len();
    }
    assert!(total < 200 << 10, "{total}");
    terminal.resize(500, 1000);
    let mut wide = Emulator::new();
    wide.resize(500, 1000);
    let flood = format!("\x1b[?1049h{}\x1b[?1049l", "y".repeat(400_000));
    assert!(wide.take_in(flood.as_bytes()).len() < MAX_LAST_SCREEN_BYTES + 200);
}

#[test]
fn floods_cost_little_and_hold_nothing() {
    let floods: [Vec<u8>; 6] = [
        b"\x1b]0;never ends".iter().copied().chain(std::iter::repeat_n(b'x', 4 << 20)).collect(),
        b"x\x1b[65535b".repeat(100_000),
        b"\x1b[65535L\x1b[65535S\x1b[65535@".repeat(30_000),
        b"\x1b[6n\x1b[c".repeat(200_000),
        format!("a{}", "\u{301}".repeat(1 << 20)).into_bytes(),
        b"\x1bPq".iter().copied().chain(std::iter::repeat_n(b'#', 4 << 20)).collect(),
    ];
    for flood in floods {
        let mut terminal = terminal();
        terminal.take_in(&flood);
        assert!(terminal.answers().len() <= 1 << 10);
        let marks: usize = terminal
            .screen()
            .rows
            .iter()
            .flat_map(|row| row.iter())
            .map(|cell| cell.marks.as_ref().map_or(0, |marks| marks.len()))
            .sum();
        assert!(marks < 64, "{marks}");
    }
}

#[test]
fn what_a_program_asks_is_answered_in_words_that_are_not_its_own() {
    let asked = |bytes: &str| String::from_utf8(painted(bytes).answers()).unwrap();
    assert_eq!(asked("\x1b[3;5H\x1b[6n"), "\x1b[3;5R");
    assert_eq!(asked("\x1b[5n"), "\x1b[0n");
    assert_eq!(asked("\x1b[c\x1b[>c"), "\x1b[?62;22c\x1b[>0;0;0c");
    // Titles, the clipboard, colours, settings, answers to calls: nothing that could send text back.
    for silent in [
        "\x1b]2;rm -rf ~\x07\x1b[21t",
        "\x1b]52;c;?\x07",
        "\x1b]52;c;cm0=\x07\x1b]52;c;?\x07",
        "\x1b]10;?\x07\x1b]4;1;?\x07",
        "\x1bP$qm\x1b\\",
        "\x1bP+q544e\x1b\\",
        "\x1b[>q\x1b[?2026$p",
        "\x1b[18t\x1b[14t",
        "\x05",
        "\x1b[?6n\x1b[?1;2;3c",
        "\x1b]8;;http://x\x07y\x1b]8;;\x07\x1b]9;hello\x07\x1b]777;notify;a;b\x07",
    ] {
        assert_eq!(asked(silent), "", "{silent:?}");
    }
}

#[test]
fn colours_lines_and_wide_characters() {
    let terminal = painted("\x1b[1;38;5;208mo\x1b[0;44m\x1b[K\x1b[2;1H\x1b(0lqk\x1b(B漢e\u{301}");
    let screen = terminal.screen();
    let first = &screen.rows[0][0];
    assert_eq!((first.pen.fg, first.pen.has(PenMark::Bold)), (PenColor::Indexed(208), true));
    assert_eq!(screen.rows[0][5].pen, {
        let mut pen = Pen::default();
        pen.bg = PenColor::Indexed(4);
        pen
    });
    assert_eq!(rows(&terminal)[1], "┌─┐漢e");
    assert_eq!(screen.rows[1].iter().take(6).map(|c| c.width).collect::<Vec<_>>(), [1, 1, 1, 2, 0, 1]);
    assert_eq!(screen.rows[1][5].marks.as_deref(), Some("\u{301}"));
    assert_eq!(screen.cursor, Some((1, 6)));
}

#[test]
fn modes_are_told() {
    let screen = painted("\x1b[?1h\x1b[?2004h").screen();
    assert!(screen.application_cursor && screen.bracketed_paste);
    let screen = painted("\x1b[?1;2004h\x1b[?1;2004l\x1b[?1h\x1bc").screen();
    assert!(!screen.application_cursor && !screen.bracketed_paste);
}

#[test]
fn another_size_keeps_what_is_above_the_cursor() {
    let mut terminal = painted("1\r\n2\r\n3\r\n4\r\n5\r\n6");
    terminal.resize(3, 4);
    assert_eq!(rows(&terminal), ["4", "5", "6"]);
    assert_eq!(terminal.screen().cursor, Some((2, 1)));
    terminal.resize(5, 30);
    assert_eq!(rows(&terminal), ["4", "5", "6", "", ""]);
    let mut terminal = painted("漢漢漢");
    terminal.resize(2, 3);
    assert_eq!(rows(&terminal), ["漢", ""]);
    terminal.resize(0, 0);
    terminal.take_in("漢x\x1b[5;5Hy\u{301}\x1b[2P\x1b[2@\t".as_bytes());
    assert_eq!(terminal.screen().rows.len(), 1);
}

#[test]
fn tabs_stop_where_a_program_sets_them() {
    let at = |bytes: &str| painted(bytes).screen().cursor.unwrap().1;
    assert_eq!((at("\t"), at("\t\t"), at("abcdefgh\t"), at("\t\t\t")), (8, 16, 16, 19));
    assert_eq!((at("\x1b[2I"), at("\x1b[20G\x1b[Z"), at("\x1b[17G\x1b[2Z"), at("\x1b[99Z")), (16, 16, 0, 0));
    let own = "\x1b[3g\x1b[4G\x1bH\x1b[11G\x1bH\r";
    let expected = (3, 10, 19);
    assert_eq!((at(&format!("{own}\t")), at(&format!("{own}\t\t")), at(&format!("{own}\x1b[3I"))), expected);
    assert_eq!(at(&format!("{own}\x1b[4G\x1b[g\r\t")), 10);
    // Tab stops belong to the terminal: the alternate screen has the same, and a reset restores the initial ones.
    assert_eq!((at(&format!("{own}\x1b[?1049h\t")), at(&format!("{own}\x1bc\t"))), (3, 8));
}

#[test]
fn rows_are_counted_from_the_first_that_scrolls_where_a_program_says_so() {
    let shown = |bytes: &str| rows(&painted(bytes));
    assert_eq!(shown("\x1b[3;5r\x1b[?6hx\x1b[2;2Hy\x1b[99;1Hz\x1b[1dw"), ["", "", "xw", " y", "z", ""]);
    assert_eq!(shown("\x1b[3;5r\x1b[?6h\x1b[?6lx\x1b[6;1Hy"), ["x", "", "", "", "", "y"]);
    // Restoring the cursor also restores how rows are counted.
    let expected = ["", "", "y", "x", "", ""];
    assert_eq!(shown("\x1b[3;5r\x1b[?6h\x1b[2H\x1b7\x1b[?6l\x1b[H\x1b8x\x1b[1;1Hy"), expected);
    assert_eq!(shown("\x1b[3;5r\x1b[?6h\x1b[!p\x1b[1;1Hx"), ["x", "", "", "", "", ""]);
    assert_eq!(painted("\x1b[3;5r\x1b[?6h\x1b[2;4H\x1b[6n").answers(), b"\x1b[2;4R");
}

#[test]
fn what_of_the_mouse_is_wanted_is_told() {
    let wanted = |bytes: &str| {
        let screen = painted(bytes).screen();
        (screen.mouse, screen.mouse_in_numbers)
    };
    assert_eq!(wanted(""), (MouseReports::None, false));
    assert_eq!(wanted("\x1b[?9h"), (MouseReports::Presses, false));
    assert_eq!(wanted("\x1b[?1000;1006h"), (MouseReports::Buttons, true));
    assert_eq!(wanted("\x1b[?1002h\x1b[?1006h\x1b[?1006l"), (MouseReports::Drags, false));
    assert_eq!(wanted("\x1b[?1003h\x1b[?1003l"), (MouseReports::None, false));
    assert_eq!(wanted("\x1b[?1003;1006h\x1bc"), (MouseReports::None, false));
}

fn plain() -> impl Strategy<Value = Vec<u8>> {
    "[a-z ]{1,12}|\\r\\n|\\r|\\n|\\x08".prop_map(String::into_bytes)
}

fn moves() -> impl Strategy<Value = Vec<u8>> {
    let number = || prop_oneof![Just(String::new()), (0u16..25).prop_map(|n| n.to_string())];
    (number(), number(), prop::sample::select(b"ABCDGHJKLMPSTXdm@EF".to_vec()))
        .prop_map(|(a, b, end)| format!("\x1b[{a};{b}{}", char::from(end)).into_bytes())
}

/// What programs send to a terminal, mixed with bytes up to this one that mean nothing.
fn said(most: u8) -> impl Strategy<Value = Vec<u8>> {
    let odd = prop_oneof![
        prop::collection::vec(0..=most, 0..8),
        "[漢é\u{301}\u{200d}👩\u{fe0f}\u{202e}]{1,6}".prop_map(String::into_bytes),
        prop::sample::select(vec![
            "\x1b7",
            "\x1b8",
            "\x1bM",
            "\x1b[?1049h",
            "\x1b[?1049l",
            "\x1b[2;4r",
            "\x1b[r",
            "\t",
            "\x1bH",
            "\x1b[g",
            "\x1b[3g",
            "\x1b[?6h",
            "\x1b[?6l",
            "\x1b[4h",
            "\x1b[4l",
            "\x1b[?7l",
            "\x1b[?7h",
            "\x1b(0",
            "\x1b(B",
            "\x0e",
            "\x0f",
            "\x1bc",
            "\x1b[!p",
            "\x1b[?47h",
            "\x1b[?1047l",
            "\x1b[9b",
            "\x1b[Z",
            "\x1b[2I",
            "\x1b]0;t\x07",
            "\x1b[6n",
            "\x1b[",
        ])
        .prop_map(|s| s.as_bytes().to_vec()),
    ];
    prop::collection::vec(prop_oneof![plain(), moves(), odd], 0..60).prop_map(|pieces| pieces.concat())
}

/// The rows that another emulator shows.
fn elsewhere(bytes: &[u8], columns: u16) -> Vec<String> {
    let size = |n| NonZeroU16::new(n).unwrap();
    let mut theirs = vt100::Parser::new(size(ROWS), size(columns), 0);
    theirs.process(bytes);
    theirs.screen().rows(0, columns).map(|row| row.trim_end().to_owned()).collect()
}

proptest! {
    #![proptest_config(crate::test_cases::cases(1_000))]

    /// Whatever arrives, in whatever sizes, it holds one screen, and wide characters have both halves.
    #[test]
    fn any_bytes_give_a_screen(bytes in said(255), sizes in prop::collection::vec((0u16..9, 0u16..30), 1..4)) {
        let mut terminal = terminal();
        for (part, (rows, columns)) in bytes.chunks(bytes.len() / sizes.len() + 1).zip(&sizes) {
            terminal.resize(*rows, *columns);
            terminal.take_in(part);
            let screen = terminal.screen();
            prop_assert_eq!(screen.rows.len(), usize::from((*rows).max(1)));
            for row in &screen.rows {
                prop_assert_eq!(row.len(), usize::from((*columns).max(1)));
                for (at, cell) in row.iter().enumerate() {
                    let next = row.get(at + 1).map_or(1, |next| next.width);
                    prop_assert!((cell.width == 2) == (next == 0), "{:?}", row);
                }
            }
            if let Some((row, column)) = screen.cursor {
                prop_assert!(row < (*rows).max(1) && column < (*columns).max(1));
            }
        }
    }

    /// The same text in any pieces gives the same screen and the same lines. (`vte` treats bytes that are not text
    /// differently by their pieces.)
    #[test]
    fn any_split_gives_the_same(bytes in said(127), at in any::<prop::sample::Index>()) {
        let (first, second) = bytes.split_at(at.index(bytes.len() + 1));
        let (mut whole, mut split) = (terminal(), terminal());
        let all = whole.take_in(&bytes);
        let parts = [split.take_in(first), split.take_in(second)].concat();
        prop_assert_eq!(all, parts);
        prop_assert_eq!(whole.screen(), split.screen());
    }

    /// Another emulator wraps in the same way. (From behind the last column, it moves back and down; xterm moves from
    /// the last column.)
    #[test]
    fn text_is_wrapped_as_elsewhere(
        pieces in prop::collection::vec("[a-z ]{1,12}|\r\n|\r", 0..40)
    ) {
        let bytes = pieces.concat().into_bytes();
        prop_assert_eq!(rows(&painted(&bytes)), elsewhere(&bytes, COLUMNS));
    }

    /// Another emulator shows the same if nothing is in the last column: erasing from there on differs.
    #[test]
    fn what_is_moved_and_erased_looks_as_elsewhere(
        pieces in prop::collection::vec(prop_oneof![plain(), moves()], 0..20),
    ) {
        let (bytes, columns) = (pieces.concat(), 1000);
        let mut ours = terminal();
        ours.resize(ROWS, columns);
        ours.take_in(&bytes);
        prop_assert_eq!(rows(&ours), elsewhere(&bytes, columns), "{:?}", String::from_utf8_lossy(&bytes));
    }
}
