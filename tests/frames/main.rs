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

use ratatui::buffer::Buffer;
use sayso::tui::Canvas;
use sayso::tui::view::{self, FrameResult};
use sayso::tui::widgets::draw_context::Glyphs;
use scene::Scene;

/// The sizes: wide, medium, narrow. A window that is too small shows the same for every scene (`screens`).
pub const SIZES: [(u16, u16); 3] = [(140, 40), (100, 30), (80, 24)];

/// Draws a scene: returns its cells and the result of drawing.
pub fn frame(scene: &mut Scene, width: u16, height: u16) -> (Buffer, FrameResult) {
    scene.screen.resized((width, height), scene.at);
    scene.settle();
    let drawn = painted(scene, (width, height), Glyphs::LINES);
    scene.screen.hits = drawn.1.hits.clone();
    drawn
}

/// Draws a scene of this size with these characters.
pub fn painted(scene: &mut Scene, size: (u16, u16), glyphs: Glyphs) -> (Buffer, FrameResult) {
    scene.with_glyphs(glyphs, |screen, ctx| {
        screen.arrange(ctx);
        let mut canvas = Canvas::new(size);
        let made = view::draw(screen, ctx, &mut canvas);
        (canvas.to_buffer(), made)
    })
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

/// Draws a scene, and checks that this text is on the screen.
#[track_caller]
pub fn assert_shown(scene: &mut Scene, width: u16, height: u16, text: &str) {
    assert_screen(scene, width, height, &[text], &[]);
}

/// Draws a scene, and checks that the first texts are on the screen and the others are not.
#[track_caller]
pub fn assert_screen(scene: &mut Scene, width: u16, height: u16, shown: &[&str], absent: &[&str]) {
    assert_text(&drawn(scene, width, height), shown, absent);
}

/// Checks that the first texts are in this one and the others are not.
#[track_caller]
pub fn assert_text(screen: &str, shown: &[&str], absent: &[&str]) {
    let missing: Vec<_> = shown.iter().filter(|text| !screen.contains(**text)).collect();
    let there: Vec<_> = absent.iter().filter(|text| screen.contains(**text)).collect();
    assert!(missing.is_empty() && there.is_empty(), "not shown: {missing:?}, but shown: {there:?}\n{screen}");
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

/// Takes snapshots of what a scene shows after these steps, at all sizes.
pub fn snapshots_after<T>(name: &str, begin: impl Fn() -> Scene, act: impl Fn(&mut Scene) -> T) {
    snapshots(name, || {
        let mut scene = begin();
        act(&mut scene);
        scene
    });
}
