use super::*;

const CLEAR: [u8; 4] = [255, 0, 0, 0];

fn picture(width: u32, height: u32, pixel: impl Fn(u32, u32) -> [u8; 4]) -> Pixels {
    let all = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    Pixels::new(width, height, all.flat_map(|(x, y)| pixel(x, y)).collect()).unwrap()
}

#[test]
fn two_pixels_a_cell() {
    let red = [255, 0, 0, 255];
    let blue = [0, 0, 255, 255];
    let bytes = picture(3, 3, |x, y| match (x, y) {
        (2, _) => CLEAR,
        (1, 0) => blue,
        (_, 0 | 2) => red,
        _ => blue,
    });
    let rows = half_blocks(&bytes, Depth::True);
    assert_eq!(rows.iter().map(ToString::to_string).collect::<Vec<_>>(), ["▀█ ", "▀▀ "]);
    let first = rows[0].spans[0].style;
    assert_eq!((first.fg, first.bg), (Some(Color::Rgb(255, 0, 0)), Some(Color::Rgb(0, 0, 255))));
    assert_eq!(rows[1].spans[0].style.bg, None);
}

#[test]
fn each_depth_in_its_colours() {
    let bytes = picture(8, 8, |x, y| [(x * 30) as u8, (y * 30) as u8, 99, 255]);
    let styles = |depth| -> Vec<Style> {
        half_blocks(&bytes, depth).into_iter().flat_map(|l| l.spans).map(|s| s.style).collect()
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
        picture(8, 8, move |_, y| if y < 2 { [ink, ink, ink, 255] } else { [paper, paper, paper, 255] })
    };
    for bytes in [line_on(0, 255), line_on(255, 0)] {
        let rows = half_blocks(&bytes, Depth::Mono);
        assert_eq!(rows[0].to_string(), "████████");
        assert_eq!(rows[1].to_string(), "        ");
    }
}
