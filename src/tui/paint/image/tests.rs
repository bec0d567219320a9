use super::*;

const CLEAR: Rgba<u8> = Rgba([255, 0, 0, 0]);

fn png(width: u32, height: u32, pixel: impl Fn(u32, u32) -> Rgba<u8>) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    RgbaImage::from_fn(width, height, pixel).write_to(&mut bytes, ImageFormat::Png).unwrap();
    bytes.into_inner()
}

fn text(line: &Line<'_>) -> String {
    line.spans.iter().map(|span| span.content.as_ref()).collect()
}

#[test]
fn two_pixels_a_cell() {
    let red = Rgba([255, 0, 0, 255]);
    let blue = Rgba([0, 0, 255, 255]);
    let bytes = png(3, 3, |x, y| match (x, y) {
        (2, _) => CLEAR,
        (1, 0) => blue,
        (_, 0 | 2) => red,
        _ => blue,
    });
    let rows = half_blocks(&bytes, 80, 20, Depth::True).unwrap();
    assert_eq!(rows.iter().map(text).collect::<Vec<_>>(), ["▀█ ", "▀▀ "]);
    let first = rows[0].spans[0].style;
    assert_eq!((first.fg, first.bg), (Some(Color::Rgb(255, 0, 0)), Some(Color::Rgb(0, 0, 255))));
    assert_eq!(rows[1].spans[0].style.bg, None);
}

#[test]
fn sides_keep_their_proportion() {
    let bytes = png(400, 200, |x, _| Rgba([(x / 2) as u8, 0, 0, 255]));
    for (width, height) in [(80, 40), (40, 40), (80, 5), (1, 1)] {
        let rows = half_blocks(&bytes, width, height, Depth::True).unwrap();
        let columns = rows[0].width();
        assert!(columns <= width.into() && rows.len() <= height.into());
        if width > 1 {
            assert!(columns.abs_diff(rows.len() * 4) <= 3, "{columns} x {}", rows.len());
        }
    }
    assert!(half_blocks(&bytes, 0, 4, Depth::True).unwrap().is_empty());
}

#[test]
fn transparent_colours_do_not_bleed() {
    let bytes = png(64, 64, |x, _| if x < 32 { CLEAR } else { Rgba([0, 255, 0, 255]) });
    let rows = half_blocks(&bytes, 7, 7, Depth::True).unwrap();
    for span in rows.iter().flat_map(|row| &row.spans) {
        if let Some(Color::Rgb(r, g, _)) = span.style.fg {
            assert!(r < 10 && g > 200, "{span:?}");
        }
    }
    assert!(text(&rows[0]).starts_with("   "));
}

#[test]
fn each_depth_in_its_colours() {
    let bytes = png(8, 8, |x, y| Rgba([(x * 30) as u8, (y * 30) as u8, 99, 255]));
    let styles = |depth| -> Vec<Style> {
        half_blocks(&bytes, 8, 4, depth).unwrap().into_iter().flat_map(|l| l.spans).map(|s| s.style).collect()
    };
    assert!(styles(Depth::Ansi256).iter().all(|s| matches!(s.fg, Some(Color::Indexed(16..)))));
    assert!(
        styles(Depth::Ansi16)
            .iter()
            .all(|s| !matches!(s.fg, None | Some(Color::Indexed(_) | Color::Rgb(..))))
    );
    assert!(styles(Depth::Mono).iter().all(|s| *s == Style::default()));
}

#[test]
fn without_colours_the_ink_is_what_stands_out() {
    let line_on = |ink: u8, paper: u8| {
        png(
            8,
            8,
            move |_, y| if y < 2 { Rgba([ink, ink, ink, 255]) } else { Rgba([paper, paper, paper, 255]) },
        )
    };
    for bytes in [line_on(0, 255), line_on(255, 0)] {
        let rows = half_blocks(&bytes, 8, 4, Depth::Mono).unwrap();
        assert_eq!(text(&rows[0]), "████████");
        assert_eq!(text(&rows[1]), "        ");
    }
}

#[test]
fn hostile_files_are_refused() {
    assert!(half_blocks(b"", 8, 8, Depth::True).unwrap_err().contains("neither"));
    assert!(half_blocks(b"GIF89a....", 8, 8, Depth::True).unwrap_err().contains("neither"));
    assert!(half_blocks(&vec![0; BYTES + 1], 8, 8, Depth::True).unwrap_err().contains("4 MB"));
    let mut broken = png(32, 32, |_, _| CLEAR);
    broken.truncate(60);
    assert!(half_blocks(&broken, 8, 8, Depth::True).unwrap_err().contains("can't be read"));
    // A header that promises more pixels than memory holds.
    let wide = png(SIDE + 1, 1, |_, _| CLEAR);
    assert!(half_blocks(&wide, 8, 8, Depth::True).unwrap_err().contains("4096"));
}

proptest::proptest! {
    #[test]
    fn no_bytes_panic(at in 8usize..120, byte: u8) {
        let mut bytes = png(9, 7, |x, y| Rgba([x as u8, y as u8, 3, 200]));
        if let Some(b) = bytes.get_mut(at) {
            *b = byte;
        }
        let _ = half_blocks(&bytes, 8, 4, Depth::Ansi256);
    }
}
