use super::*;
use base64::Engine as _;
use std::collections::HashMap;

fn mode(env: &[(&str, &str)]) -> ImageMode {
    let env: HashMap<&str, &str> = env.iter().copied().collect();
    ImageMode::best(|name| env.get(name).map(ToString::to_string))
}

#[test]
fn the_best_is_what_the_terminal_says_or_its_kind_is_known_for() {
    use GraphicsProtocol::{Iterm2, Kitty, Sixel};
    let kitty = mode(&[("TERM", "xterm-kitty")]);
    assert!(kitty.asks_kitty());
    assert_eq!(kitty.protocol_for(true, true), Some(Kitty));
    assert_eq!(kitty.protocol_for(false, false), None, "it said no");
    let iterm = mode(&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "iTerm.app")]);
    assert!(!iterm.asks_kitty());
    assert_eq!(iterm.protocol_for(false, true), Some(Iterm2));
    let other = mode(&[("TERM", "xterm-256color")]);
    // An unknown terminal may print the question, and one that was started in kitty inherits its variables.
    assert!(!mode(&[("TERM", "xterm-256color"), ("KITTY_WINDOW_ID", "1")]).asks_kitty());
    assert!(!other.asks_kitty());
    assert_eq!(other.protocol_for(false, true), Some(Sixel));
    assert_eq!(other.protocol_for(false, false), None);
    for between in [("TMUX", "/tmp/tmux"), ("STY", "1.a"), ("ZELLIJ", "0"), ("TERM", "tmux-256color")] {
        let mode = mode(&[("KONSOLE_VERSION", "1"), between]);
        assert_eq!((mode, mode.protocol_for(true, true)), (ImageMode::HalfBlocks, None), "{between:?}");
    }
    assert_eq!(ImageMode::By(Sixel).protocol_for(true, false), Some(Sixel), "the person said so");
    assert_eq!(ImageMode::Off.protocol_for(true, true), None);
}

/// A picture in which neighbouring pixels differ.
fn picture(width: u32, height: u32) -> Pixels {
    let rgba = (0..width * height).flat_map(|n| [(n * 7 % 256) as u8, (n / 3) as u8, 200, 255]).collect();
    Pixels::new(width, height, rgba).unwrap()
}

fn encoded(protocol: GraphicsProtocol, picture: &Pixels) -> EncodedPicture {
    EncodedPicture::new(protocol, picture, ((2, 1), (3, 6))).unwrap()
}

fn told(write: impl Fn(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    write(&mut out);
    String::from_utf8(out).unwrap()
}

/// The pixels of a PNG in base64.
fn read(base64: &str) -> (u32, u32, Vec<u8>) {
    let png = base64::engine::general_purpose::STANDARD.decode(base64).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut pixels).unwrap();
    assert_eq!(frame.color_type, png::ColorType::Rgba);
    (frame.width, frame.height, pixels)
}

#[test]
fn kitty_is_sent_the_picture_in_pieces_and_once() {
    let large = picture(90, 80);
    let made = EncodedPicture::new(GraphicsProtocol::Kitty, &large, ((9, 4), (10, 20))).unwrap();
    let number = PictureNumber(CellTag::FIRST_PICTURE + 5);
    let sent = told(|out| made.send(number, out));
    let pieces: Vec<&str> = sent.split_terminator("\x1b\\").collect();
    assert!(pieces.len() > 1);
    let mut body = String::new();
    for (at, piece) in pieces.iter().enumerate() {
        let (head, data) = piece.split_once(';').unwrap();
        let more = u8::from(at + 1 < pieces.len());
        let wanted =
            if at == 0 { format!("a=t,f=100,i={},q=2,m={more}", number.0) } else { format!("m={more}") };
        assert_eq!(head, format!("\x1b_G{wanted}"));
        assert!(data.len() <= 4096);
        body += data;
    }
    assert_eq!(read(&body), (90, 80, large.bytes().to_vec()));
    let placed = |part: &str| format!("\x1b_Ga=p,i={},p=1,x=0,{part},C=1,q=2\x1b\\", number.0);
    assert_eq!(told(|out| made.place(number, &(0..4), out)), placed("y=0,w=90,h=80,c=9,r=4"));
    assert_eq!(told(|out| made.place(number, &(1..3), out)), placed("y=20,w=90,h=40,c=9,r=2"), "cut");
    assert_eq!(told(|out| made.take_away(number, out)), format!("\x1b_Ga=d,d=I,i={},q=2\x1b\\", number.0));
}

#[test]
fn kitty_is_sent_the_pixels_of_the_cells() {
    let sent = |made: &EncodedPicture| {
        let sent = told(|out| made.send(PictureNumber(1), out));
        read(&sent.split("\x1b\\").filter_map(|piece| Some(piece.split_once(';')?.1)).collect::<String>())
    };
    let small = picture(9, 8);
    let (width, height, bytes) = sent(&encoded(GraphicsProtocol::Kitty, &small));
    assert_eq!((width, height), (6, 6));
    assert_eq!(bytes, small.resized(6, 6).bytes());
    // A picture that would be too large to send, or to scale, is sent unscaled.
    let large = noise(800);
    for (cells, cell) in [((125, 63), (10, 20)), ((900, 900), (20, 40))] {
        let made = EncodedPicture::new(GraphicsProtocol::Kitty, &large, (cells, cell)).unwrap();
        let placed = told(|out| made.place(PictureNumber(1), &(0..cells.1), out));
        assert!(placed.contains("y=0,w=800,h=800,") && made.len() <= MAX_PICTURE_BYTES.0, "{placed}");
    }
}

#[test]
fn iterm2_is_sent_a_file_with_its_cells() {
    let small = picture(3, 2);
    let made = encoded(GraphicsProtocol::Iterm2, &small);
    let sent = told(|out| made.place(PictureNumber(1), &(0..1), out));
    let (head, body) = sent.strip_suffix('\x07').unwrap().split_once(':').unwrap();
    assert_eq!(head, "\x1b]1337;File=inline=1;width=2;height=1;preserveAspectRatio=0;doNotMoveCursor=1");
    assert_eq!(read(body), (3, 2, small.bytes().to_vec()));
    assert_eq!(told(|out| made.take_away(PictureNumber(1), out)), "");
}

/// Decodes sixels: the colour number of each pixel, and the size.
fn drawn(sixels: &str) -> (HashMap<(u32, u32), u32>, (u32, u32)) {
    let body = sixels.strip_prefix("\x1bP0;1;0q").unwrap().strip_suffix("\x1b\\").unwrap();
    let (mut pixels, mut sides) = (HashMap::new(), (0, 0));
    let (mut x, mut y, mut colour, mut rest) = (0, 0, 0, body);
    let number = |text: &str| text.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(text.len());
    while let Some(sign) = rest.chars().next() {
        rest = &rest[1..];
        let (given, behind) = rest.split_at(number(rest));
        let mut values = given.split(';').filter_map(|n| n.parse::<u32>().ok());
        match sign {
            '"' => {
                sides = (values.nth(2).unwrap(), values.next().unwrap());
                rest = behind;
            }
            '#' => {
                colour = values.next().unwrap();
                rest = behind;
            }
            '$' => x = 0,
            '-' => (x, y) = (0, y + 6),
            '!' | '?'..='~' => {
                let (count, sign) = if sign == '!' {
                    let sign = behind.chars().next().unwrap();
                    rest = &behind[1..];
                    (values.next().unwrap(), sign)
                } else {
                    (1, sign)
                };
                for _ in 0..count {
                    let bits = sign as u32 - '?' as u32;
                    for row in (0..6).filter(|row| bits >> row & 1 == 1) {
                        assert_eq!(pixels.insert((x, y + row), colour), None, "a pixel has one colour");
                    }
                    x += 1;
                }
            }
            _ => panic!("{sign:?} in sixels"),
        }
    }
    (pixels, sides)
}

#[test]
fn sixels_draw_each_pixel_in_the_nearest_colour() {
    // Red, green, nothing; blue, white, black; a row apart in the next band.
    let (red, green, blue) = ([255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]);
    let (white, black, none) = ([255; 4], [0, 0, 0, 255], [9, 9, 9, 0]);
    let row = |pixels: [[u8; 4]; 3]| pixels.concat();
    let mut rgba = row([red, green, none]);
    rgba.extend(row([blue, white, black]));
    rgba.extend((2..8).flat_map(|_| row([white; 3])));
    let made = sixel::encode(&Pixels::new(3, 8, rgba).unwrap());
    let (pixels, sides) = drawn(&String::from_utf8(made).unwrap());
    assert_eq!(sides, (3, 8));
    let all = [(0, 0, 180), (1, 0, 30), (0, 1, 5), (1, 1, 215), (2, 1, 0), (2, 7, 215)];
    for (x, y, colour) in all {
        assert_eq!(pixels.get(&(x, y)), Some(&colour), "{x} {y}");
    }
    assert_eq!(pixels.get(&(2, 0)), None, "what is transparent is left out");
    assert_eq!(pixels.len(), 3 * 8 - 1);
    // Sixels are scaled to the size of their cells.
    let made = encoded(GraphicsProtocol::Sixel, &picture(40, 40));
    assert_eq!(drawn(&told(|out| made.place(PictureNumber(1), &(0..1), out))).1, (6, 6));
}

/// A frame with the cells of a picture of 4 by 3 cells at this position; its first rows may be above the frame.
fn with_cells(frame: &Buffer, number: PictureNumber, (x, y): (u16, i32)) -> Buffer {
    let mut frame = frame.clone();
    for row in 0..3 {
        if let Ok(y) = u16::try_from(y + i32::from(row)) {
            frame.set_style(Rect::new(x, y, 4, 1), number.row(row));
        }
    }
    frame
}

#[test]
fn a_picture_is_drawn_where_it_is_in_view() {
    use GraphicsProtocol::{Iterm2, Kitty, Sixel};
    for protocol in [Kitty, Iterm2, Sixel] {
        let graphics = Graphics::default();
        let cells = ((4, 3), (10, 20));
        assert_eq!(graphics.keep(&picture(40, 60), cells), None, "half blocks");
        graphics.set_protocol(Some(protocol));
        let number = graphics.keep(&picture(40, 60), cells).unwrap();
        let other = graphics.keep(&picture(40, 60), cells).unwrap();
        let blank = Buffer::empty(Rect::new(0, 0, 20, 7));
        let placed = |frame: &Buffer| {
            let placed = graphics.placed(frame);
            placed.into_iter().map(|placed| (placed.number, placed.area, placed.rows)).collect::<Vec<_>>()
        };
        let whole = (number, Rect::new(3, 2, 4, 3), 0..3);
        let frame = with_cells(&blank, number, (3, 2));
        assert_eq!(placed(&frame), std::slice::from_ref(&whole));
        // A picture beside it has its own numbers; a second copy of the same picture shows half blocks.
        let both = with_cells(&frame, other, (7, 2));
        assert_eq!(placed(&both), [whole.clone(), (other, Rect::new(7, 2, 4, 3), 0..3)]);
        let mut twice = with_cells(&Buffer::empty(Rect::new(0, 0, 20, 9)), number, (3, 2));
        twice = with_cells(&twice, number, (3, 5));
        assert_eq!(placed(&twice), [whole]);
        let mut covered = frame.clone();
        covered[(5, 3)].reset();
        assert_eq!(placed(&covered), [], "something lies over it");
        assert_eq!(placed(&with_cells(&blank, number, (3, 4))), [], "the last row scrolls");
        let mut link = blank.clone();
        link.set_style(Rect::new(3, 2, 4, 3), Style::new().underline_color(Color::Rgb(0, 0, 7)));
        assert_eq!(placed(&link), []);
        // Invisible rows are cropped, if the protocol can.
        let cut = |area: Rect, rows: Range<u16>| {
            if protocol == Kitty { vec![(number, area, rows)] } else { Vec::new() }
        };
        assert_eq!(placed(&with_cells(&blank, number, (3, -1))), cut(Rect::new(3, 0, 4, 2), 1..3));
        let mut above = frame.clone();
        above.set_style(Rect::new(0, 4, 20, 1), Style::reset());
        assert_eq!(placed(&above), cut(Rect::new(3, 2, 4, 2), 0..2));
        let mut parted = frame.clone();
        parted.set_style(Rect::new(0, 3, 20, 1), Style::reset());
        assert_eq!(placed(&parted), [], "a row lies over its middle");
    }
}

/// A picture of noise, which compresses badly.
fn noise(side: u32) -> Pixels {
    let mut dice = 1u32;
    let mut roll = || {
        dice = dice.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (dice >> 24) as u8
    };
    let rgba = (0..side * side).flat_map(|_| [roll(), roll(), roll(), 255]).collect();
    Pixels::new(side, side, rgba).unwrap()
}

#[test]
fn what_is_kept_and_sent_is_bounded() {
    let cells = ((80, 40), (10, 20));
    let graphics = Graphics::default();
    graphics.set_protocol(Some(GraphicsProtocol::Kitty));
    let large = noise(800);
    let first = graphics.keep(&large, cells).unwrap();
    let shown = |number: PictureNumber| {
        let mut frame = Buffer::empty(Rect::new(0, 0, 90, 50));
        (0..40).for_each(|row| frame.set_style(Rect::new(0, row, 80, 1), number.row(row)));
        !graphics.placed(&frame).is_empty()
    };
    assert!(shown(first));
    let others: Vec<PictureNumber> = (0..6).filter_map(|_| graphics.keep(&large, cells)).collect();
    assert!(!shown(first) && others.last().is_some_and(|last| shown(*last)), "the oldest are let go");
    let kept = |graphics: &Graphics| graphics.lock().pictures.values().map(|p| p.len()).sum::<usize>();
    assert!(kept(&graphics) <= MAX_KEPT_BYTES);
    assert_eq!(graphics.keep(&noise(1024), ((103, 52), (10, 20))), None, "it is sent in no more than 4 MiB");
    // Pictures that are sent again and again have a smaller limit.
    graphics.set_protocol(Some(GraphicsProtocol::Iterm2));
    assert_eq!((kept(&graphics), graphics.keep(&large, cells)), (0, None));
    assert!(graphics.keep(&noise(300), cells).is_some());
}
