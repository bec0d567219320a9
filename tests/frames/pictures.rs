//! Frames as pictures: the cells with their colours, as SVG. The pictures of the README are in
//! `assets/pictures` and are compared with the frames here; `INSTA_UPDATE=always` writes them again.
//!
//! `SAYSO_PICTURES=FOLDER cargo test --test frames` writes a picture of every scene that has snapshots, 80 to
//! 200 columns wide, in the theme that `SAYSO_PICTURES_THEME` names (`ink`).

use super::frame;
use super::scene::{Scene, confined, findings, image, inspection, report};
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use sayso::domain::{FileChange, Layer};
use sayso::tui::colouring::Colouring;
use sayso::tui::theme::{Depth, Rgb, Theme};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

/// The sizes at which every scene is written if a folder is named.
const SIZES: [(u16, u16); 5] = [(80, 24), (100, 30), (120, 36), (140, 40), (200, 50)];
/// A cell, in hundredths of a pixel so that every number is whole: 8.4 by 18.
const CELL: (usize, usize) = (840, 1800);
/// The margin around the screen, in the same unit.
const MARGIN: usize = 1200;

/// Writes pictures of a scene if a folder for them is named.
pub fn write(name: &str, make: &impl Fn() -> Scene) {
    let Some(folder) = std::env::var_os("SAYSO_PICTURES").map(PathBuf::from) else { return };
    let theme = std::env::var("SAYSO_PICTURES_THEME").unwrap_or_else(|_| "ink".into());
    std::fs::create_dir_all(&folder).expect("a folder for pictures");
    for (width, height) in SIZES {
        let mut scene = super::scene::acted((width, height), make);
        let picture = picture(&mut scene, &theme, width, height);
        std::fs::write(folder.join(format!("{name}_{width}x{height}.svg")), picture).expect("a picture");
    }
}

/// Compares a picture of the README with the frame of a scene.
pub fn kept(name: &str, mut scene: Scene, (width, height): (u16, u16)) {
    let made = picture(&mut scene, "ink", width, height);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("assets/pictures/{name}.svg"));
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(&file, made).expect("a picture");
    } else {
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(kept == made, "{name}: the frame changed; INSTA_UPDATE=always takes it over");
    }
}

#[test]
fn pictures_of_the_readme_are_those_of_the_frames() {
    kept("opening", super::screens::opening(), (100, 28));
    let review = || {
        let mut terms = confined("python");
        let layer = |name: &str| Layer { name: name.into(), active: true, tested: true, why: None };
        terms.rights.sandbox.layers = ["bwrap", "landlock", "seccomp", "limits"].map(layer).to_vec();
        let mut scene = Scene::waiting_with(inspection(terms, findings()));
        scene.review();
        scene
    };
    kept("review", review(), (132, 38));
    kept("narrow", review(), (80, 24));
    kept("table", table(), (132, 34));
}

/// A run has printed a table, and the model comments on it.
fn table() -> Scene {
    let mut scene = Scene::waiting_with(inspection(confined("python"), Vec::new()));
    scene.frame();
    let mut report = report(TABLE, 6_100);
    let change = |path: &str, change: &str, bytes| FileChange::new(path, change, bytes);
    report.receipt.files =
        vec![change("out/charts/revenue.png", "created", 48_000), change("out/top3.csv", "changed", 61)];
    report.pictures = vec![image("out/charts/revenue.png")];
    scene.ran_with(3, report);
    scene.reply(
        "**North** leads with 1.25 M and grows every month; *West* fell in June.\n\n\
         - the chart is in `out/charts/revenue.png`\n- the three best regions are in `out/top3.csv`\n",
    );
    scene.settle();
    scene
}

const TABLE: &str = "region      North     East    South     West
month
2026-04   398,112  288,340  201,775  187,020
2026-05   418,930  301,455  214,310  190,844
2026-06   434,468  313,425  219,087  171,563

North          1,251,510
East             903,220
South            635,172
18240 rows read
2026-04-01 2026-06-30
";

/// A scene in a theme, with highlighted code.
pub fn picture(scene: &mut Scene, theme: &str, width: u16, height: u16) -> String {
    scene.theme = Theme::load(theme, Depth::True, |_| None).expect("a theme").theme;
    frame(scene, width, height);
    // The terminal has answered, and keys count.
    scene.frame();
    scene.pass(1_000);
    colour(scene);
    let (buffer, made) = frame(scene, width, height);
    let text =
        if scene.theme.background().is_light() { Rgb(0x22, 0x22, 0x22) } else { Rgb(0xd4, 0xd4, 0xd4) };
    Picture { text, back: scene.theme.background() }.svg(&buffer, made.cursor.map(|at| (at.x, at.y)))
}

/// Waits until the code of a scene is highlighted.
fn colour(scene: &mut Scene) {
    let (sender, woken) = mpsc::channel();
    let mut colouring = Colouring::start(move || {
        let _ = sender.send(());
    });
    colouring.request_colours(&scene.screen.panes.code, scene.engine.state(), &scene.theme);
    loop {
        let Some(wanted) = scene.screen.panes.code.wants_colours(scene.engine.state()) else { return };
        let whole = wanted.text.whole();
        let lines: Vec<&str> = whole.lines().collect();
        let last = lines.len().saturating_sub(1);
        let known =
            lines.last().is_none_or(|line| scene.screen.panes.code.colours.for_line(last, line).is_some());
        if known || woken.recv_timeout(Duration::from_secs(10)).is_err() {
            return;
        }
        colouring.apply_results(&mut scene.screen.panes.code, &scene.theme);
    }
}

/// The terminal's own colours.
struct Picture {
    text: Rgb,
    back: Rgb,
}

/// The style that neighbouring cells share.
#[derive(Clone, PartialEq)]
struct Look {
    fore: Rgb,
    back: Rgb,
    modifier: Modifier,
}

impl Picture {
    fn svg(&self, buffer: &Buffer, cursor: Option<(u16, u16)>) -> String {
        let (columns, rows) = (usize::from(buffer.area.width), usize::from(buffer.area.height));
        let (width, height) = (columns * CELL.0 + 2 * MARGIN, rows * CELL.1 + 2 * MARGIN);
        let (mut backs, mut lines, mut texts) = (String::new(), String::new(), String::new());
        for y in 0..buffer.area.height {
            let mut x = 0;
            while x < buffer.area.width {
                let look = self.look(&buffer[(x, y)], cursor == Some((x, y)));
                let mut end = x + 1;
                while end < buffer.area.width
                    && self.look(&buffer[(end, y)], cursor == Some((end, y))) == look
                {
                    end += 1;
                }
                let (left, top) = place(x, y);
                if look.back != self.back {
                    let wide = pixels(usize::from(end - x) * CELL.0);
                    let (left, top, high) = (pixels(left), pixels(top), pixels(CELL.1));
                    let fill = hex(look.back);
                    writeln!(
                        backs,
                        r#"<rect x="{left}" y="{top}" width="{wide}" height="{high}" fill="{fill}"/>"#
                    )
                    .expect("memory");
                }
                let cells: Vec<&Cell> = (x..end).map(|x| &buffer[(x, y)]).collect();
                run(&cells, &look, (x, y), &mut lines, &mut texts);
                x = end;
            }
        }
        let (w, h, back, size) = (pixels(width), pixels(height), hex(self.back), pixels(1400));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\">\n\
             <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{back}\"/>\n{backs}\
             <g fill=\"none\" stroke-width=\"1.2\">\n{lines}</g>\n\
             <g font-family=\"ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace\" \
             font-size=\"{size}\" xml:space=\"preserve\">\n{texts}</g>\n</svg>\n"
        )
    }

    fn look(&self, cell: &Cell, cursor: bool) -> Look {
        let fore = self.colour(cell.fg, self.text);
        let back = self.colour(cell.bg, self.back);
        let turned = cell.modifier.contains(Modifier::REVERSED) != cursor;
        let (mut fore, back) = if turned { (back, fore) } else { (fore, back) };
        if cell.modifier.contains(Modifier::DIM) {
            let half = |a: u8, b: u8| (u16::from(a) * 2 / 3 + u16::from(b) / 3) as u8;
            fore = Rgb(half(fore.0, back.0), half(fore.1, back.1), half(fore.2, back.2));
        }
        let modifier = cell.modifier & (Modifier::BOLD | Modifier::ITALIC | Modifier::UNDERLINED);
        Look { fore, back, modifier }
    }

    /// The sixteen colours, as in a common dark palette.
    fn colour(&self, colour: Color, own: Rgb) -> Rgb {
        let name = |hex: &str| Rgb::parse(hex).expect("a colour");
        match colour {
            Color::Reset => own,
            Color::Rgb(r, g, b) => Rgb(r, g, b),
            Color::Black => name("#000000"),
            Color::Red | Color::LightRed => name("#f07178"),
            Color::Green | Color::LightGreen => name("#8fce7a"),
            Color::Yellow | Color::LightYellow => name("#e5b95c"),
            Color::Blue | Color::LightBlue => name("#7cb7ff"),
            Color::Magenta | Color::LightMagenta => name("#d3a4ff"),
            Color::Cyan | Color::LightCyan => name("#5fd7c7"),
            Color::Gray => name("#c0c0c0"),
            Color::DarkGray => name("#808080"),
            Color::White => name("#ffffff"),
            Color::Indexed(_) => self.text,
        }
    }
}

/// Draws cells of one style: lines and blocks as shapes, so that they join; everything else as text stretched
/// to its columns.
fn run(cells: &[&Cell], look: &Look, (x, y): (u16, u16), lines: &mut String, texts: &mut String) {
    let mut text = String::new();
    let mut from = x;
    let mut flush = |text: &mut String, from: u16| {
        let words = text.trim_end();
        if !words.is_empty() {
            let skipped = words.len() - words.trim_start().len();
            let words = words.trim_start();
            let columns = unicode_width::UnicodeWidthStr::width(words);
            let (left, top) = place(from + skipped as u16, y);
            let (left, base, wide) = (pixels(left), pixels(top + 1330), pixels(columns * CELL.0));
            let mut style = String::new();
            for (modifier, attribute) in [
                (Modifier::BOLD, r#" font-weight="bold""#),
                (Modifier::ITALIC, r#" font-style="italic""#),
                (Modifier::UNDERLINED, r#" text-decoration="underline""#),
            ] {
                if look.modifier.contains(modifier) {
                    style += attribute;
                }
            }
            let fill = hex(look.fore);
            let words = escaped(words);
            writeln!(
                texts,
                r#"<text x="{left}" y="{base}" textLength="{wide}" fill="{fill}"{style}>{words}</text>"#
            )
            .expect("memory");
        }
        text.clear();
    };
    let mut skip = 0;
    for (at, cell) in (x..).zip(cells) {
        if skip > 0 {
            skip -= 1;
            continue;
        }
        let symbol = cell.symbol();
        if let Some(drawn) = shape(symbol, (at, y), look.fore) {
            flush(&mut text, from);
            lines.push_str(&drawn);
            from = at + 1;
        } else {
            text.push_str(symbol);
            skip = unicode_width::UnicodeWidthStr::width(symbol).saturating_sub(1);
        }
    }
    flush(&mut text, from);
}

/// A line or block character as a shape; `None` for all others.
fn shape(symbol: &str, (x, y): (u16, u16), colour: Rgb) -> Option<String> {
    let (left, top) = place(x, y);
    let colour = hex(colour);
    let block = |from: usize, high: usize| {
        let (left, top, wide, high) = (pixels(left), pixels(top + from), pixels(CELL.0), pixels(high));
        Some(format!(
            "<rect x=\"{left}\" y=\"{top}\" width=\"{wide}\" height=\"{high}\" fill=\"{colour}\"/>\n"
        ))
    };
    match symbol {
        "▀" => return block(0, CELL.1 / 2),
        "▄" => return block(CELL.1 / 2, CELL.1 / 2),
        "█" => return block(0, CELL.1),
        _ => {}
    }
    // Left, right, up, down: no line, a light or a heavy one.
    let arms = match symbol {
        "─" => [1, 1, 0, 0],
        "│" => [0, 0, 1, 1],
        "┌" => [0, 1, 0, 1],
        "┐" => [1, 0, 0, 1],
        "└" => [0, 1, 1, 0],
        "┘" => [1, 0, 1, 0],
        "├" => [0, 1, 1, 1],
        "┤" => [1, 0, 1, 1],
        "┬" => [1, 1, 0, 1],
        "┴" => [1, 1, 1, 0],
        "┼" => [1, 1, 1, 1],
        "━" => [2, 2, 0, 0],
        "┃" => [0, 0, 2, 2],
        "┏" => [0, 2, 0, 2],
        "┓" => [2, 0, 0, 2],
        "┗" => [0, 2, 2, 0],
        "┛" => [2, 0, 2, 0],
        "┢" => [0, 2, 1, 2],
        "┡" => [0, 2, 2, 1],
        "┩" => [2, 0, 2, 1],
        "┪" => [2, 0, 1, 2],
        "╃" => [2, 1, 2, 1],
        "╄" => [1, 2, 2, 1],
        "╅" => [2, 1, 1, 2],
        "╆" => [1, 2, 1, 2],
        "┣" => [0, 2, 2, 2],
        "┫" => [2, 0, 2, 2],
        "┲" => [1, 2, 0, 2],
        "┱" => [2, 1, 0, 2],
        "┺" => [1, 2, 2, 0],
        "┹" => [2, 1, 2, 0],
        "┞" => [0, 1, 2, 1],
        "┟" => [0, 1, 1, 2],
        "┦" => [1, 0, 2, 1],
        "┧" => [1, 0, 1, 2],
        _ => return None,
    };
    let (middle, centre) = (left + CELL.0 / 2, top + CELL.1 / 2);
    let ends = [(left, centre), (left + CELL.0, centre), (middle, top), (middle, top + CELL.1)];
    let mut made = String::new();
    for (arm, (x, y)) in arms.into_iter().zip(ends).filter(|(arm, _)| *arm > 0) {
        let (mx, my, x, y) = (pixels(middle), pixels(centre), pixels(x), pixels(y));
        let heavy = if arm == 2 { r#" stroke-width="2.4""# } else { "" };
        writeln!(made, r#"<path d="M{mx} {my}L{x} {y}" stroke="{colour}"{heavy}/>"#).expect("memory");
    }
    Some(made)
}

fn place(x: u16, y: u16) -> (usize, usize) {
    (MARGIN + usize::from(x) * CELL.0, MARGIN + usize::from(y) * CELL.1)
}

/// Formats hundredths of a pixel as pixels.
fn pixels(hundredths: usize) -> String {
    let text = format!("{}.{:02}", hundredths / 100, hundredths % 100);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn hex(Rgb(r, g, b): Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
