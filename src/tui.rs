//! The terminal front end: reads the engine's state, draws it, and turns keys into commands. It decides
//! nothing.
//!
//! A key travels `input` → `run_loop` → `screen` (guard, keymap, action) → `UiCommand` → driver; the driver's
//! events return to `run_loop` and end in one frame. `widgets` are the building blocks of all drawing; `panes`
//! hold the state of each pane; `overlays` are drawn over the panes, one file each; `screen` owns both and
//! gives keys their meaning; `view` reads `screen` and draws it. All of these are values and pure functions,
//! tested without a terminal. `line_mode` shows the same session line by line, without panes.

pub(crate) mod action;
pub mod attention;
pub(crate) mod clipboard;
pub mod colouring;
pub mod cursor_query;
pub(crate) mod editing;
mod enum_names;
pub(crate) mod frames;
pub(crate) mod graphics;
pub(crate) mod guard;
pub(crate) mod input;
mod instruction_changes;
pub mod keymap;
mod line_mode;
pub(crate) mod note;
mod options;
mod outside;
pub mod overlays;
pub(crate) mod paint;
pub mod panes;
pub(crate) mod pattern;
mod place_text;
pub(crate) mod problem_keys;
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
pub(crate) use line_mode::{LineMode, LineModeError};
pub use options::{FirstRecipe, Options};
pub use paint::canvas::Canvas;
pub use paint::hyperlinks::Hyperlinks;
pub(crate) use run_loop::Tui;
pub use ui_command::{Choice, Exit};

/// Why the terminal front end can't open.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TuiError {
    /// The terminal can't be used.
    #[error(transparent)]
    Terminal(#[from] terminal::TerminalError),
    /// The terminal's input can't be read.
    #[error(transparent)]
    Input(#[from] input::InputError),
    /// The line mode can't ask the person on this terminal.
    #[error(transparent)]
    LineMode(#[from] line_mode::LineModeError),
    /// The keymap can't be parsed.
    #[error(transparent)]
    Keymap(#[from] keymap::KeymapError),
    /// The theme can't be parsed.
    #[error(transparent)]
    Theme(#[from] theme::ThemeError),
}
