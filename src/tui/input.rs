//! Input: delivers what comes from the terminal and from signals as events in one bounded channel.
//!
//! One thread reads the terminal. One parser handles keys, pastes, the mouse and all answers of the terminal,
//! so that a late answer never turns into keys. Nothing here knows what a key means. A full channel holds the
//! reader back; no key is ever dropped.

pub(crate) mod csi;
pub(crate) mod parser;
mod paste_detection;
mod thread;

pub(crate) use thread::{Input, InputError};

use super::theme::Rgb;
use crossterm::event::{KeyEvent, MouseEvent};
use std::time::Instant;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum InputEvent {
    Key(KeyEvent),
    /// A paste, line ends as line feeds.
    Paste(String),
    Mouse(MouseEvent),
    /// The window now has this size: columns, rows.
    Resize(u16, u16),
    /// The terminal got the focus (`true`) or lost it.
    Focus(bool),
    /// Bytes without meaning: an incomplete character or sequence, or an unknown key.
    Noise,
    /// The cursor's row and column, counted from 1: the answer to a cursor query.
    CursorReport(u16, u16),
    /// The background colour of the terminal.
    Background(Rgb),
    /// The answer that every terminal gives: questions sent before it that have no answer yet will get none.
    Da1 {
        /// Whether the terminal draws sixels.
        sixel: bool,
    },
    /// Whether the terminal supports kitty's graphics protocol.
    KittyGraphics(bool),
    /// Whether the terminal supports synchronized updates (mode 2026).
    Sync2026(bool),
    /// The flags of the kitty keyboard protocol: the terminal supports it.
    KittyKeyboard(u8),
    /// The terminal is gone.
    Hangup,
    Signal(Signal),
}

/// Signals that a front end handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// SIGINT from outside: the same as Ctrl-C.
    Interrupt,
    /// SIGTERM: save and quit.
    Terminate,
    /// SIGQUIT: like SIGTERM, unless another program has the terminal.
    Quit,
    /// SIGHUP: save and quit; the terminal may be gone.
    Hangup,
    /// SIGTSTP from outside: the same as Ctrl-Z.
    Suspend,
    /// SIGCONT: other programs may have written on the screen.
    Continued,
}

/// An event with the time at which its bytes were read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TimedEvent {
    pub(crate) event: InputEvent,
    pub(crate) at: Instant,
    /// The bytes of the event, as far as they are kept; empty for events that don't come from the terminal's
    /// bytes.
    pub(crate) bytes: Vec<u8>,
}
