//! The limits of the block that waits, by words: `/limits`.

use super::{Ctx, Note, Screen, UiCommand};
use crate::engine::State;
use crate::tui::overlays::limits::LimitsForm;
use crate::tui::overlays::limits::limit::pairs;

impl Screen {
    /// Opens the form for the block that waits.
    pub(super) fn open_limits(&mut self, state: &State) {
        match LimitsForm::open(state) {
            Ok(form) => self.open(form),
            Err(note) => self.show_note(note),
        }
    }

    /// `/limits`: nothing opens the form, a number is the time in seconds, else names and values in turn. What can't be
    /// taken stands in the form, or in the message again.
    pub(super) fn limits_command(&mut self, argument: &str, ctx: Ctx<'_>) -> Vec<UiCommand> {
        let mut form = match LimitsForm::open(ctx.state) {
            Ok(form) => form,
            Err(note) => {
                self.show_note(note);
                return Vec::new();
            }
        };
        let pairs = match pairs(argument) {
            Ok(pairs) => pairs,
            Err(why) => {
                self.panes.composer.set(&format!("/limits {argument}"));
                self.show_note(Note::warn(why.to_string()));
                return Vec::new();
            }
        };
        for (limit, value) in &pairs {
            form.set(*limit, value);
        }
        match form.apply().filter(|_| !pairs.is_empty()) {
            Some(then) => self.carry_out(vec![then], ctx),
            None => {
                self.open(form);
                Vec::new()
            }
        }
    }
}
