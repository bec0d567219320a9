//! Moves through a form: between its fields, lines and choices.

use super::{FieldAnswer, FormBox};
use crate::domain::FieldKind;
use crate::tui::widgets::field::{Edit, Motion};

impl FormBox {
    /// Called when the answer under the cursor changed: errors about it are removed.
    pub(super) fn answer_changed(&mut self) {
        self.filter_files();
        let name = self.form.fields.get(self.at).map(|field| field.name.clone()).unwrap_or_default();
        self.misfits.retain(|misfit| misfit.field != name && !misfit.field.is_empty());
    }

    /// Moves to the next field or the one before; stops at both ends.
    pub(super) fn walk(&mut self, by: isize) {
        self.at = self.at.saturating_add_signed(by).min(self.form.fields.len().saturating_sub(1));
        self.filter_files();
    }

    /// Moves a line up or down in the field or the files below it, beyond its ends to the next field.
    pub(crate) fn move_line(&mut self, by: isize) {
        if self.choose_file(by) {
            return;
        }
        if let Some(FieldAnswer::Text(field)) = self.replies.get_mut(self.at) {
            let (line, last) = (field.cursor().line, field.lines().len().saturating_sub(1));
            if (by < 0 && line > 0) || (by > 0 && line < last) {
                let motion = if by < 0 { Motion::Up } else { Motion::Down };
                for _ in 0..by.unsigned_abs() {
                    field.apply(Edit::Move(motion, false));
                }
                return;
            }
        }
        self.walk(by.signum());
    }

    /// Chooses the next choice or the one before.
    pub(crate) fn choose(&mut self, by: isize) {
        let count = self.choices().len();
        if let (Some(FieldAnswer::Choice(chosen)), 1..) = (self.replies.get_mut(self.at), count) {
            let next = match *chosen {
                Some(at) => at.saturating_add_signed(by).min(count - 1),
                None if by < 0 => count - 1,
                None => 0,
            };
            *chosen = Some(next);
        }
        self.answer_changed();
    }

    /// Chooses the next choice that begins with this letter.
    pub(crate) fn choose_letter(&mut self, letter: char) {
        let choices = self.choices().to_vec();
        let Some(FieldAnswer::Choice(chosen)) = self.replies.get_mut(self.at) else { return };
        let begins = |choice: &String| {
            choice.chars().next().is_some_and(|first| first.to_lowercase().eq(letter.to_lowercase()))
        };
        let from = chosen.map_or(0, |at| at + 1);
        let order = (from..choices.len()).chain(0..from.min(choices.len()));
        if let Some(at) = order.into_iter().find(|at| choices.get(*at).is_some_and(begins)) {
            *chosen = Some(at);
        }
        self.answer_changed();
    }

    pub(super) fn choices(&self) -> &[String] {
        match self.form.fields.get(self.at).map(|field| &field.kind) {
            Some(FieldKind::Choice(choices)) => choices,
            _ => &[],
        }
    }
}
