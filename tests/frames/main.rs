//! Every screen at three sizes, as a person sees it. A visible change changes a snapshot here.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // a test that can't go on fails by panicking

mod answering;
mod any_size;
mod attached;
mod behaviour;
mod comparing;
mod fetching;
mod finding;
mod hunks;
mod images;
mod keys_told;
mod limits;
mod models;
mod paging;
mod pickers;
mod pictures;
mod printed;
mod proposed;
mod rebuilding;
mod recipes;
mod rights;
mod rules;
mod scene;
mod screens;
mod searching;
mod selecting;
mod standing;
mod tables;
mod terminals;
mod typed_command;
mod typing;
mod undo;
mod writing;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use sayso::tui::Canvas;
use sayso::tui::screen::Ctx;
use sayso::tui::view::{self, FrameResult};
use sayso::tui::widgets::draw_context::{DrawContext, Glyphs};
use sayso::tui::widgets::words::Locale;
use scene::Scene;

/// The sizes: wide, medium, narrow. A window that is too small shows the same for every scene (`screens`).
pub const SIZES: [(u16, u16); 3] = [(140, 40), (100, 30), (80, 24)];

/// Draws a scene: returns its cells and the result of drawing.
pub fn frame(scene: &mut Scene, width: u16, height: u16) -> (Buffer, FrameResult) {
    scene.screen.resized((width, height), scene.at);
    scene.settle();
    let links = sayso::tui::Hyperlinks::default();
    let place = Locale { home: Some("/home/ada".into()), ..Locale::default() };
    let keymap = scene.screen.keymap.clone();
    let draw = DrawContext {
        theme: &scene.theme,
        links: &links,
        keymap: &keymap,
        glyphs: Glyphs::LINES,
        place: &place,
        now: scene.now,
        motion: true,
    };
    let ctx = Ctx { state: scene.engine.state(), draw, at: scene.at };
    scene.screen.arrange(ctx);
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let mut made = FrameResult::default();
    terminal
        .draw(|frame| {
            let mut canvas = Canvas::new((width, height));
            made = view::draw(&scene.screen, scene.engine.state(), scene.at, &mut canvas, draw);
            *frame.buffer_mut() = canvas.to_buffer();
        })
        .unwrap();
    scene.screen.hits = made.hits.clone();
    (terminal.backend().buffer().clone(), made)
}

/// Draws a scene and returns the rows of the screen, without spaces at their ends.
pub fn drawn(scene: &mut Scene, width: u16, height: u16) -> String {
    let (buffer, made) = frame(scene, width, height);
    let mut text = String::new();
    for y in 0..height {
        let mut row = String::new();
        let mut skip = 0;
        for x in 0..width {
            let symbol = buffer[(x, y)].symbol();
            if skip > 0 {
                skip -= 1;
                continue;
            }
            row.push_str(symbol);
            skip = unicode_width::UnicodeWidthStr::width(symbol).saturating_sub(1);
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    match made.cursor {
        Some(at) => text + &format!("(cursor {},{})", at.x, at.y),
        None => text + "(no cursor)",
    }
}

/// Runs a scenario in terminals of each size, from its beginning.
pub fn at_every_size(play: impl Fn()) {
    for size in SIZES {
        scene::acted(size, &play);
    }
}

/// Takes snapshots of a scene at all sizes; the scene is played from its beginning at each size.
pub fn snapshots(name: &str, make: impl Fn() -> Scene) {
    pictures::write(name, &make);
    for (width, height) in SIZES {
        let text = drawn(&mut scene::acted((width, height), &make), width, height);
        insta::assert_snapshot!(format!("{name}_{width}x{height}"), text);
    }
}
