//! The modes to switch on while the program has the terminal, and how to switch all of them off. Pure.

use crate::tui::attention::TerminalSupport;
use crate::tui::graphics;

/// The person's settings for the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ModeOptions {
    /// Capture the mouse (`mouse = true`).
    pub(crate) mouse: bool,
    /// Use the kitty keyboard protocol if the terminal supports it.
    pub(crate) kitty: bool,
    /// Ask for kitty's graphics protocol.
    pub(crate) graphics: bool,
}

impl Default for ModeOptions {
    fn default() -> Self {
        Self { mouse: true, kitty: true, graphics: false }
    }
}

/// The alternate screen, bracketed paste, focus events, no automatic wrap, no cursor until the first frame shows one.
const ENTER: &str = "\x1b[?1049h\x1b[?7l\x1b[?2004h\x1b[?1004h\x1b[?25l";
/// Buttons, drag and wheel, in the encoding without a size limit.
pub(super) const MOUSE_ON: &str = "\x1b[?1002h\x1b[?1006h";
pub(super) const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1002l";
/// Distinguishes keys that share a byte, and repeats from presses; text keys stay as they are.
pub(super) const KITTY_PUSH: &str = "\x1b[>3u";
/// Restores the keyboard mode.
pub(super) const KITTY_POP: &str = "\x1b[<u";
/// Saves the title.
pub(super) const TITLE_PUSH: &str = "\x1b[22;2t";
/// Restores the title.
pub(super) const TITLE_POP: &str = "\x1b[23;2t";

/// The optional modes that were switched on and have to be switched off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SwitchedModes {
    pub(crate) mouse: bool,
    pub(crate) kitty: bool,
    pub(crate) title: bool,
    pub(crate) sync: bool,
    /// The terminal stores pictures that it was sent.
    pub(crate) pictures: bool,
    /// The terminal was sent the state of the session.
    pub(crate) told: Option<TerminalSupport>,
}

pub(super) fn enter(touched: SwitchedModes) -> String {
    let mut text = String::from(ENTER);
    if touched.mouse {
        text.push_str(MOUSE_ON);
    }
    if touched.kitty {
        text.push_str(KITTY_PUSH);
    }
    if touched.title {
        text.push_str(TITLE_PUSH);
    }
    text
}

/// The bytes that restore the terminal.
pub(super) fn leave(touched: SwitchedModes) -> String {
    let mut text = String::new();
    if touched.sync {
        text.push_str("\x1b[?2026l");
    }
    if touched.pictures {
        text.push_str(graphics::FORGET_ALL);
    }
    if let Some(attention) = touched.told {
        text.push_str(&attention.clear());
    }
    if touched.title {
        text.push_str(TITLE_POP);
    }
    if touched.kitty {
        text.push_str(KITTY_POP);
    }
    if touched.mouse {
        text.push_str(MOUSE_OFF);
    }
    text.push_str("\x1b[?1004l\x1b[?2004l\x1b[m\x1b[?7h\x1b[?1049l\x1b[?25h");
    text
}

/// All questions to the terminal at the start, in one write: background, synchronized updates, kitty keyboard
/// and graphics, and last the one that every terminal answers.
pub(super) fn questions(options: &ModeOptions) -> String {
    let kitty = if options.kitty { "\x1b[?u" } else { "" };
    let graphics = if options.graphics { graphics::QUESTION } else { "" };
    format!("\x1b]11;?\x1b\\\x1b[?2026$p{kitty}{graphics}\x1b[c")
}
