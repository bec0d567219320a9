//! Input: what comes from the terminal and from signals, as events in one bounded channel.
//!
//! One thread reads the terminal; one parser knows keys, pastes, mouse and every kind of answer, so that an answer that
//! comes late never turns into keys. Nothing here knows what a key means. The channel holds back the reader when it is
//! full; no key is ever dropped.

pub(crate) mod csi;
pub(crate) mod parser;
mod pasted;
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
    /// The window has this size now: columns, rows.
    Resize(u16, u16),
    /// The terminal got (`true`) or lost the focus.
    Focus(bool),
    /// Bytes that mean nothing: a character or a sequence that was broken off, a key that is not known.
    Noise,
    /// The cursor is at this row and column, counted from 1: the answer to the fence.
    CursorReport(u16, u16),
    /// The background of the terminal.
    Background(Rgb),
    /// The terminal changed to a light (`true`) or dark scheme.
    Scheme {
        /// Whether it is light.
        light: bool,
    },
    /// The answer that every terminal gives; what was asked before it and has no answer yet will get none.
    Da1 {
        /// Whether it draws sixels.
        sixel: bool,
    },
    /// Whether the terminal knows kitty's graphics protocol.
    KittyGraphics(bool),
    /// Whether updates can be synchronized (mode 2026).
    Sync2026(bool),
    /// The flags of the kitty keyboard protocol: the terminal knows it.
    KittyKeyboard(u8),
    /// The terminal is gone.
    Hangup,
    Signal(Signal),
}

/// Signals that mean something to a front end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// SIGINT from outside: the same as Ctrl-C.
    Interrupt,
    /// SIGTERM: save and go.
    Terminate,
    /// SIGQUIT: the same, where no other program has the terminal.
    Quit,
    /// SIGHUP: save and go; the terminal may be gone.
    Hangup,
    /// SIGTSTP from outside: the same as Ctrl-Z.
    Suspend,
    /// SIGCONT: somebody may have written over the screen.
    Continued,
}

/// An event with the moment at which its bytes were read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TimedEvent {
    pub(crate) event: InputEvent,
    /// When its bytes were read.
    pub(crate) at: Instant,
    /// The bytes that it was read from, as far as they are kept; none of what comes from elsewhere.
    pub(crate) bytes: Vec<u8>,
}
