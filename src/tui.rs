//! The terminal front end: reads the state, draws it, turns keys into commands. It decides nothing.
//!
//! A key travels `input` → `run_loop` → `screen` (guard, keymap, action) → `UiCommand` → driver; news travel back the same
//! way and end in one frame. `widgets` are what all is drawn with; `panes` hold what each pane shows; `overlays` stand over
//! them, one file each; `screen` holds both and gives keys their meaning; `view` reads it and draws. All of them are values
//! and functions of values: they are tested without a terminal. `plain` is the same session as lines, without panes.

pub(crate) mod action;
pub mod attention;
pub(crate) mod clipboard;
pub mod colouring;
pub(crate) mod editing;
pub mod fence;
pub(crate) mod frames;
pub(crate) mod graphics;
pub(crate) mod guard;
pub(crate) mod input;
pub mod keymap;
pub(crate) mod note;
mod options;
mod outside;
pub mod overlays;
pub(crate) mod paint;
pub mod panes;
pub(crate) mod pattern;
mod place_text;
mod plain;
mod rebuilding;
mod run_loop;
pub mod screen;
pub mod setup;
pub(crate) mod slash;
pub(crate) mod terminal;
pub mod theme;
pub mod ui_command;
pub mod view;
pub mod widgets;
mod workers;

pub(crate) use graphics::{GraphicsProtocol, ImageMode};
pub use options::{FirstRecipe, Options};
pub use paint::hyperlinks::Hyperlinks;
pub(crate) use plain::Plain;
pub(crate) use run_loop::Tui;
pub use ui_command::{Choice, Exit};

/// Why the terminal front end can't open.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TuiError {
    /// The terminal can't be used.
    #[error(transparent)]
    Terminal(#[from] terminal::TerminalError),
    /// Its input can't be read.
    #[error(transparent)]
    Input(#[from] input::InputError),
    /// It can't be asked in lines.
    #[error(transparent)]
    Plain(#[from] plain::PlainError),
    /// The keymap is not understood.
    #[error(transparent)]
    Keymap(#[from] keymap::KeymapError),
    /// The theme is not understood.
    #[error(transparent)]
    Theme(#[from] theme::ThemeError),
}
