//! What is switched on while the program has the terminal, and how everything is switched off again. Pure.

use crate::tui::attention::Attention;
use crate::tui::graphics;

/// What the person wants of the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ModeOptions {
    /// Take the mouse (`mouse = true`).
    pub(crate) mouse: bool,
    /// Use the kitty keyboard protocol where the terminal knows it.
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
/// Buttons, drag and wheel, in the form without limits.
pub(super) const MOUSE_ON: &str = "\x1b[?1002h\x1b[?1006h";
pub(super) const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1002l";
/// Tell keys apart that share a byte, and a key that is held down from one that is pressed again: text stays as it is.
pub(super) const KITTY_PUSH: &str = "\x1b[>3u";
/// Back to the keys as they were.
pub(super) const KITTY_POP: &str = "\x1b[<u";
/// Keep the title for later.
pub(super) const TITLE_PUSH: &str = "\x1b[22;2t";
/// The title as it was.
pub(super) const TITLE_POP: &str = "\x1b[23;2t";

/// What has been switched on beyond what always is; what has to be switched off again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SwitchedModes {
    pub(crate) mouse: bool,
    pub(crate) kitty: bool,
    pub(crate) title: bool,
    pub(crate) sync: bool,
    /// The terminal was sent pictures that it keeps.
    pub(crate) pictures: bool,
    /// The terminal was told what goes on.
    pub(crate) told: Option<Attention>,
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

/// Gives the terminal back as it was.
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

/// Everything that is asked of the terminal at the start, in one write: background, synchronized updates, kitty
/// keyboard and graphics, and last what every terminal answers.
pub(super) fn questions(options: &ModeOptions) -> String {
    let kitty = if options.kitty { "\x1b[?u" } else { "" };
    let graphics = if options.graphics { graphics::QUESTION } else { "" };
    format!("\x1b]11;?\x1b\\\x1b[?2026$p{kitty}{graphics}\x1b[c")
}
