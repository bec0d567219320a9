use super::*;
use crate::tui::graphics::GraphicsProtocol;
use crate::tui::paint::cell_tag::CellTag;
use crate::tui::paint::hyperlinks::Hyperlinks;
use proptest::prelude::*;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

const SIZE: (u16, u16) = (20, 6);

fn nonzero(n: u16) -> std::num::NonZero<u16> {
    std::num::NonZero::new(n).unwrap()
}

fn draw(terminal: &mut CellDiff, texts: &[(u16, u16, String, Style)], cursor: Option<(u16, u16)>) -> Vec<u8> {
    terminal.draw(|buf| {
        for (x, y, text, style) in texts {
            if *y < buf.area.height && *x < buf.area.width {
                buf.set_stringn(*x, *y, text, usize::from(buf.area.width - x), *style);
            }
        }
        cursor.map(Position::from)
    });
    terminal.take()
}

#[test]
fn a_frame_without_changes_is_no_bytes() {
    let mut terminal = CellDiff::new(SIZE);
    let texts = [(0, 0, "hello".to_string(), Style::new())];
    assert!(!draw(&mut terminal, &texts, None).is_empty());
    assert_eq!(draw(&mut terminal, &texts, None), b"");
    assert!(!draw(&mut terminal, &texts, Some((3, 0))).is_empty());
    assert_eq!(draw(&mut terminal, &texts, Some((3, 0))), b"");
}

#[test]
fn a_typed_letter_costs_few_bytes() {
    let mut terminal = CellDiff::new(SIZE);
    draw(&mut terminal, &[(0, 0, "ab".into(), Style::new())], Some((2, 0)));
    assert_eq!(draw(&mut terminal, &[(0, 0, "abc".into(), Style::new())], Some((3, 0))), b"c");
}

#[test]
fn the_screen_is_never_cleared_as_a_whole_nor_the_cursor_asked_for() {
    let mut terminal = CellDiff::new(SIZE);
    let texts = [(0, 0, "hello".to_string(), Style::new().fg(Color::Red))];
    let mut bytes = draw(&mut terminal, &texts, None);
    terminal.set_size((10, 3));
    bytes.extend(draw(&mut terminal, &texts, None));
    let text = String::from_utf8(bytes).unwrap();
    for forbidden in ["\x1b[2J", "\x1b[J", "\x1b[6n", "\x1b[H\x1b[0J"] {
        assert!(!text.contains(forbidden), "{text:?}");
    }
}

#[test]
fn large_frames_are_synchronized_where_the_terminal_knows_it() {
    let mut terminal = CellDiff::new((80, 24));
    let large: Vec<_> = (0..24).map(|y| (0, y, "x".repeat(80), Style::new())).collect();
    let first = draw(&mut terminal, &large, None);
    assert!(!first.starts_with(b"\x1b[?2026h"));
    terminal.sync = true;
    let second = draw(&mut terminal, &[], None);
    assert!(second.starts_with(b"\x1b[?2026h") && second.ends_with(b"\x1b[?2026l"));
    let small = draw(&mut terminal, &[(0, 0, "y".into(), Style::new())], None);
    assert!(!small.windows(8).any(|w| w == b"\x1b[?2026h"));
}

#[test]
fn what_is_queued_goes_with_the_frame() {
    let mut terminal = CellDiff::new(SIZE);
    terminal.before(b"<");
    terminal.after(b">");
    let bytes = draw(&mut terminal, &[(0, 0, "x".into(), Style::new())], None);
    assert!(bytes.starts_with(b"<") && bytes.ends_with(b">") && bytes.len() > 4);
    assert_eq!(terminal.take(), b"");
}

fn style() -> impl Strategy<Value = Style> {
    let color = || {
        prop_oneof![
            Just(Color::Reset),
            Just(Color::Red),
            Just(Color::LightBlue),
            any::<u8>().prop_map(Color::Indexed),
            any::<(u8, u8, u8)>().prop_map(|(r, g, b)| Color::Rgb(r, g, b)),
        ]
    };
    let modifier = proptest::sample::subsequence(
        vec![Modifier::BOLD, Modifier::DIM, Modifier::ITALIC, Modifier::UNDERLINED, Modifier::REVERSED],
        0..=5,
    );
    let link = proptest::option::weighted(0.3, 0u8..3);
    (color(), color(), modifier, link).prop_map(|(fg, bg, modifiers, link)| {
        let style = modifiers.into_iter().fold(Style::new().fg(fg).bg(bg), Style::add_modifier);
        link.map_or(style, |number| style.underline_color(Color::Rgb(0, 0, number)))
    })
}

/// Texts at positions. Wide characters have a row to themselves, and at most one text per frame: no screen can
/// show half a wide character.
fn pieces() -> impl Strategy<Value = Vec<(u16, u16, String, Style)>> {
    let narrow = proptest::collection::vec((0u16..20, 0u16..5, "[a-zé ]{1,8}", style()), 0..6);
    let wide = (0u16..10, Just(5u16), "[漢a]{0,2}漢[aé]漢字[b-d]", style());
    (narrow, proptest::option::of(wide)).prop_map(|(narrow, wide)| narrow.into_iter().chain(wide).collect())
}

/// The bytes with each link as a colour and without styles, so that the colour of a cell shows its link.
fn links_as_colours(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let mut parts = text.split('\x1b');
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let looks = part.strip_prefix('[').and_then(|rest| rest.split_once('m'));
        match looks.filter(|(codes, _)| codes.bytes().all(|b| b.is_ascii_digit() || b == b';')) {
            Some((_, rest)) => shown.push_str(rest),
            None if part.starts_with("]8;;") && part.len() == 4 => shown.push_str("\x1b[39m"),
            None if part.starts_with("]8;id=") => {
                let number: u8 = part[6..].split_once(';').unwrap().0.parse().unwrap();
                shown.push_str(&format!("\x1b[38;5;{}m", number + 1));
            }
            // The end of a link's sequence.
            None if part.starts_with('\\') => shown.push_str(&part[1..]),
            None => shown.push_str(&format!("\x1b{part}")),
        }
    }
    shown.into_bytes()
}

#[test]
fn a_link_covers_its_cells_and_nothing_else() {
    const ADDRESS: &str = "https://a.org/x;y";
    let links = Hyperlinks::enabled();
    let to = |address| Style::new().fg(Color::Red).patch(links.style_for(address));
    let mut terminal = CellDiff::new(SIZE);
    terminal.links = links.clone();
    let text = |style| {
        [
            (0, 0, "a".to_string(), Style::new()),
            (2, 0, "link".into(), style),
            (6, 0, "b".into(), Style::new()),
        ]
    };
    let bytes =
        |terminal: &mut _, style| String::from_utf8(draw(terminal, &text(style), Some((0, 0)))).unwrap();
    let first = bytes(&mut terminal, to(ADDRESS));
    let open = "\x1b]8;id=0;https://a.org/x;y\x1b\\";
    assert!(first.contains(&format!("{open}\x1b[31mlink\x1b]8;;\x1b\\\x1b[mb")), "{first:?}");
    assert_eq!(bytes(&mut terminal, to(ADDRESS)), "", "nothing changed");
    let other = bytes(&mut terminal, to("mailto:me@a.org"));
    assert_eq!(
        other, "\x1b[2C\x1b]8;id=1;mailto:me@a.org\x1b\\\x1b[31mlink\x1b]8;;\x1b\\\x1b[1H",
        "the same text leads elsewhere"
    );
    let none = bytes(&mut terminal, Style::new().fg(Color::Red));
    assert!(!none.contains("]8;id") && none.contains("link"), "{none:?}");
    for hostile in
        ["https://a.org/\x1b\\", "https://a.org/\u{9c}", "file:///etc/passwd", "https://a.org/\u{7}"]
    {
        bytes(&mut terminal, Style::new());
        assert!(!bytes(&mut terminal, to(hostile)).contains("]8;"), "{hostile:?}");
    }
}

fn emulated(color: Color) -> vt100::Color {
    match color {
        Color::Red => vt100::Color::Idx(1),
        Color::LightBlue => vt100::Color::Idx(12),
        Color::Indexed(i) => vt100::Color::Idx(i),
        Color::Rgb(r, g, b) => vt100::Color::Rgb(r, g, b),
        _ => vt100::Color::Default,
    }
}

proptest! {
    #![proptest_config(crate::test_cases::cases(400))]
    /// After any frames of any sizes, an independent terminal shows exactly the cells of the last frame.
    #[test]
    fn an_independent_terminal_shows_the_frame(
        frames in proptest::collection::vec(
            (
                pieces(),
                proptest::option::of((0u16..20, 0u16..6)),
                proptest::option::weighted(0.2, (4u16..20, 2u16..6)),
            ),
            1..6,
        ),
    ) {
        let mut terminal = CellDiff::new(SIZE);
        let mut emulator = vt100::Parser::new(nonzero(SIZE.1), nonzero(SIZE.0), 0);
        emulator.process("garbage from before ".repeat(6).as_bytes());
        let mut linked = vt100::Parser::new(nonzero(SIZE.1), nonzero(SIZE.0), 0);
        let links = Hyperlinks::enabled();
        for address in ["https://a.org", "http://b.org/;x", "mailto:c@d.org"] {
            links.style_for(address);
        }
        terminal.links = links;
        let mut size = SIZE;
        for (texts, cursor, resize) in frames {
            if let Some(to) = resize {
                size = to;
                emulator.screen_mut().set_size(nonzero(to.1), nonzero(to.0));
                linked.screen_mut().set_size(nonzero(to.1), nonzero(to.0));
                terminal.set_size(to);
            }
            let cursor = cursor.filter(|(x, y)| *x < size.0 && *y < size.1);
            let mut expected = ratatui::buffer::Buffer::empty(Rect::new(0, 0, size.0, size.1));
            for (x, y, text, style) in &texts {
                if *y < size.1 && *x < size.0 {
                    expected.set_stringn(*x, *y, text, usize::from(size.0 - x), *style);
                }
            }
            let bytes = draw(&mut terminal, &texts, cursor);
            emulator.process(&bytes);
            linked.process(&links_as_colours(&bytes));
            let screen = emulator.screen();
            prop_assert_eq!(screen.hide_cursor(), cursor.is_none());
            if let Some((x, y)) = cursor {
                prop_assert_eq!(screen.cursor_position(), (y, x));
            }
            for y in 0..size.1 {
                let mut covered = 0u16;
                for x in 0..size.0 {
                    if covered > 0 { covered -= 1; continue; }
                    let cell = &expected[(x, y)];
                    let shown = screen.cell(y, x).unwrap();
                    let contents = if shown.has_contents() { shown.contents() } else { " " };
                    prop_assert_eq!(contents, cell.symbol(), "at {},{}", x, y);
                    let link = CellTag::of(cell.underline_color)
                        .and_then(CellTag::link)
                        .map_or(vt100::Color::Default, |number| vt100::Color::Idx(number as u8 + 1));
                    prop_assert_eq!(linked.screen().cell(y, x).unwrap().fgcolor(), link, "link at {},{}", x, y);
                    if cell.symbol() != " " || cell.modifier.contains(Modifier::REVERSED) {
                        prop_assert_eq!(shown.fgcolor(), emulated(cell.fg));
                    }
                    prop_assert_eq!(shown.bgcolor(), emulated(cell.bg));
                    if cell.symbol() != " " {
                        // The emulator has only one intensity; the later of the two wins.
                        let dim = cell.modifier.contains(Modifier::DIM);
                        prop_assert_eq!(shown.dim(), dim);
                        prop_assert_eq!(shown.bold(), cell.modifier.contains(Modifier::BOLD) && !dim);
                        prop_assert_eq!(shown.italic(), cell.modifier.contains(Modifier::ITALIC));
                    }
                    prop_assert_eq!(shown.underline(), cell.modifier.contains(Modifier::UNDERLINED));
                    prop_assert_eq!(shown.inverse(), cell.modifier.contains(Modifier::REVERSED));
                    if shown.is_wide() { covered = 1; }
                }
            }
        }
    }
}

#[test]
fn a_row_about_whose_columns_terminals_disagree_is_drawn_whole_when_it_changes() {
    let mut terminal = CellDiff::new(SIZE);
    let mut frame = |text: &str| {
        terminal.draw(|buf| {
            buf.set_stringn(0, 1, text, usize::MAX, Style::new());
            buf.set_stringn(0, 2, "still", usize::MAX, Style::new());
            None
        });
        String::from_utf8(terminal.take()).unwrap()
    };
    frame("flag \u{1f1ef}\u{1f1f5} end");
    assert_eq!(frame("flag \u{1f1ef}\u{1f1f5} end"), "", "nothing changed: nothing is written");
    let gone = frame("flag    end");
    assert!(gone.contains("\x1b[K") && gone.contains("flag"), "{gone:?}");
    assert!(!gone.contains("still"));
    let plain = frame("flag    End");
    assert!(!plain.contains("\x1b[K") && !plain.contains("flag"), "{plain:?}");
}

/// A screen with a picture of 4x2 cells; its cells contain text as well.
fn with_picture(protocol: GraphicsProtocol) -> (CellDiff, PictureNumber) {
    let graphics = Graphics::default();
    graphics.set_protocol(Some(protocol));
    let picture = crate::domain::Pixels::new(2, 2, vec![255; 16]).unwrap();
    let number = graphics.keep(&picture, ((4, 2), (10, 20))).unwrap();
    let mut terminal = CellDiff::new(SIZE);
    terminal.graphics = graphics;
    (terminal, number)
}

fn frame(
    terminal: &mut CellDiff,
    number: PictureNumber,
    at: (u16, u16),
    more: &[(u16, u16, &str)],
) -> String {
    let own = (0..2).map(|row| (at.0, at.1 + row, "xxxx".to_string(), number.row(row)));
    let more = more.iter().map(|(x, y, text)| (*x, *y, text.to_string(), Style::reset()));
    String::from_utf8(draw(terminal, &own.chain(more).collect::<Vec<_>>(), None)).unwrap()
}

#[test]
fn a_picture_is_sent_once_placed_where_it_stands_and_taken_away() {
    let (mut terminal, number) = with_picture(GraphicsProtocol::Kitty);
    let first = frame(&mut terminal, number, (3, 1), &[]);
    assert_eq!((first.matches("a=t,").count(), first.matches("a=p,").count()), (1, 1), "{first:?}");
    let place = first.find("\x1b_Ga=p").unwrap();
    assert!(first[..place].ends_with("\x1b[2;4H") && first.find("xxxx").unwrap() < place, "{first:?}");
    assert_eq!(frame(&mut terminal, number, (3, 1), &[]), "");
    assert!(!frame(&mut terminal, number, (3, 1), &[(10, 1, "a")]).contains("\x1b_G"), "it stays as it is");
    let moved = frame(&mut terminal, number, (3, 2), &[]);
    assert_eq!((moved.matches("a=t,").count(), moved.matches("a=p,").count()), (0, 1), "{moved:?}");
    assert!(!moved.contains("a=d"), "{moved:?}");
    let cut = frame(&mut terminal, number, (3, 2), &[(3, 3, "rows")]);
    assert_eq!((cut.matches("a=t,").count(), cut.matches("h=20,c=4,r=1,").count()), (0, 1), "{cut:?}");
    assert!(!cut.contains("a=d") && cut.contains("rows"), "{cut:?}");
    let covered = frame(&mut terminal, number, (3, 2), &[(4, 2, "menu")]);
    assert!(covered.contains("\x1b_Ga=d,d=I") && covered.contains("menu"), "{covered:?}");
    let again = frame(&mut terminal, number, (3, 2), &[]);
    assert_eq!((again.matches("a=t,").count(), again.matches("a=p,").count()), (1, 1), "{again:?}");
    terminal.forget();
    let again = frame(&mut terminal, number, (3, 2), &[]);
    assert_eq!((again.matches("a=t,").count(), again.matches("a=p,").count()), (1, 1), "{again:?}");
}

#[test]
fn what_was_under_a_picture_is_written_anew_and_a_picture_that_was_written_over_is_drawn_again() {
    let (mut terminal, number) = with_picture(GraphicsProtocol::Iterm2);
    let drawn = |bytes: &str| bytes.matches("\x1b]1337;File=").count();
    assert_eq!(drawn(&frame(&mut terminal, number, (3, 1), &[])), 1);
    assert_eq!(drawn(&frame(&mut terminal, number, (3, 1), &[(12, 1, "a")])), 0);
    // Such a character makes its row be erased, with the picture in it.
    assert_eq!(drawn(&frame(&mut terminal, number, (3, 1), &[(12, 1, "\u{1f600}")])), 1);
    // The cells are blank before and after, but the picture was over them.
    let (mut terminal, number) = with_picture(GraphicsProtocol::Iterm2);
    let blank = |terminal: &mut CellDiff, style: &dyn Fn(u16) -> Style| {
        let rows = (0..2).map(|row| (3, 1 + row, "    ".to_string(), style(row)));
        String::from_utf8(draw(terminal, &rows.collect::<Vec<_>>(), None)).unwrap()
    };
    assert_eq!(drawn(&blank(&mut terminal, &|row| number.row(row))), 1);
    let gone = blank(&mut terminal, &|_| Style::new());
    assert_eq!((drawn(&gone), gone.matches("    ").count()), (0, 2), "{gone:?}");
}
