//! The command `/limits`: sets the limits of the waiting block.

use super::{Ctx, Note, Screen};
use crate::engine::State;
use crate::tui::overlays::limits::LimitsForm;
use crate::tui::overlays::limits::limit::pairs;

impl Screen {
    /// Opens the form for the waiting block.
    pub(super) fn open_limits(&mut self, state: &State) {
        match LimitsForm::open(state) {
            Ok(form) => self.open(form),
            Err(note) => self.show_note(note),
        }
    }

    /// `/limits`: without an argument opens the form; a number is the time in seconds; otherwise the argument
    /// is a list of names and values. A value that can't be taken stays in the form, or goes back into the
    /// message box.
    pub(super) fn limits_command(&mut self, argument: &str, ctx: Ctx<'_>) {
        let mut form = match LimitsForm::open(ctx.state) {
            Ok(form) => form,
            Err(note) => return self.show_note(note),
        };
        let pairs = match pairs(argument) {
            Ok(pairs) => pairs,
            Err(why) => {
                self.panes.composer.set(&format!("/limits {argument}"));
                return self.show_note(Note::warn(why.to_string()));
            }
        };
        for (limit, value) in &pairs {
            form.set(*limit, value);
        }
        match form.apply().filter(|_| !pairs.is_empty()) {
            Some(then) => self.carry_out(vec![then], ctx),
            None => self.open(form),
        }
    }
}
