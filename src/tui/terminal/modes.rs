//! The modes to switch on while the program has the terminal, and how to switch all of them off. Pure.

use crate::tui::attention::TerminalSupport;
use crate::tui::graphics;

/// The person's settings for the terminal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ModeOptions {
    /// Capture the mouse (`mouse = true`).
    pub(crate) mouse: bool,
    /// Ask for kitty's graphics protocol.
    pub(crate) graphics: bool,
}

/// The alternate screen, bracketed paste, focus events, no automatic wrap, no cursor until the first frame shows one.
const ENTER: &str = "\x1b[?1049h\x1b[?7l\x1b[?2004h\x1b[?1004h\x1b[?25l";
/// The reverse of it, with the style reset and the cursor shown.
const LEAVE: &str = "\x1b[?1004l\x1b[?2004l\x1b[m\x1b[?7h\x1b[?1049l\x1b[?25h";
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
    pub(crate) attention: Option<TerminalSupport>,
}

pub(super) fn enter(switched: SwitchedModes) -> String {
    let modes = [(switched.mouse, MOUSE_ON), (switched.kitty, KITTY_PUSH), (switched.title, TITLE_PUSH)];
    ENTER.to_owned() + &those_used(modes)
}

/// The sequences of the modes that were switched on.
fn those_used<const COUNT: usize>(modes: [(bool, &str); COUNT]) -> String {
    modes.into_iter().filter(|(is_used, _)| *is_used).map(|(_, sequence)| sequence).collect()
}

/// The bytes that restore the terminal.
pub(super) fn leave(switched: SwitchedModes) -> String {
    let attention = switched.attention.map(TerminalSupport::clear).unwrap_or_default();
    let first = those_used([(switched.sync, "\x1b[?2026l"), (switched.pictures, graphics::FORGET_ALL)]);
    let rest = [(switched.title, TITLE_POP), (switched.kitty, KITTY_POP), (switched.mouse, MOUSE_OFF)];
    first + &attention + &those_used(rest) + LEAVE
}

/// All questions to the terminal at the start, in one write: background, synchronized updates, kitty keyboard
/// and graphics, and last the one that every terminal answers.
pub(super) fn questions(options: &ModeOptions) -> String {
    let graphics = if options.graphics { graphics::QUESTION } else { "" };
    format!("\x1b]11;?\x1b\\\x1b[?2026$p\x1b[?u{graphics}\x1b[c")
}
