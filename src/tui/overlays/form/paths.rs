//! The files that match the text of a field for a path, shown below it. Tab takes one; otherwise the text counts as it
//! is.

use super::{FormBox, OverlayResponse};
use crate::domain::FieldKind;
use crate::driver::Job;

/// How many are shown.
pub(super) const MAX_FILES_SHOWN: usize = 4;

impl FormBox {
    /// What was typed of a path; `None` if the field with the cursor is not for a path, or already contains that of a
    /// file.
    pub(super) fn typed_path(&self) -> Option<String> {
        self.form.fields.get(self.at).filter(|field| field.kind.is_path() && !self.sent)?;
        let super::FieldAnswer::Text(field) = self.replies.get(self.at)? else { return None };
        let text = field.text();
        let path = text.get(self.path_start(&text)..).unwrap_or_default();
        (!self.files.has(path)).then(|| path.to_owned())
    }

    /// The byte at which the typed path begins: after the last comma if the field takes several.
    fn path_start(&self, text: &str) -> usize {
        let takes_several = self.form.fields.get(self.at).is_some_and(|field| field.kind == FieldKind::Files);
        if !takes_several {
            return 0;
        }
        let path = text.rsplit(',').next().unwrap_or_default().trim_start();
        text.len() - path.len()
    }

    /// Requests the files of the folder, if a path is asked for and they are not known.
    pub(super) fn wanted_files(&self) -> Vec<OverlayResponse> {
        let wanted = self.typed_path().is_some() && !self.files.is_listed();
        wanted.then_some(OverlayResponse::job(Job::FolderFiles)).into_iter().collect()
    }

    /// Drops the files, so that they are listed anew when the form is opened again.
    pub(super) fn forget_files(&mut self) {
        self.files = super::FileMatches::default();
        self.chosen_file = None;
    }

    /// Keeps the files that match what is typed.
    pub(super) fn filter_files(&mut self) {
        self.chosen_file = None;
        if let Some(typed) = self.typed_path() {
            self.files.filter(&typed);
        }
    }

    /// How many files are below the field with the cursor.
    pub(super) fn files_below(&self) -> usize {
        self.typed_path().map_or(0, |_| self.files.len())
    }

    /// Whether Tab takes a file: one was chosen, or the typed text matches some.
    pub(super) fn offers_file(&self) -> bool {
        let is_typed = self.typed_path().is_some_and(|typed| !typed.trim().is_empty());
        self.files_below() > 0 && (is_typed || self.chosen_file.is_some())
    }

    /// Moves Up and Down among the files; beyond their ends none is chosen, and it returns `false`.
    pub(super) fn choose_file(&mut self, by: isize) -> bool {
        let next = match self.chosen_file {
            None if by > 0 => Some(0),
            None => None,
            Some(at) => at.checked_add_signed(by.signum()),
        };
        let was_chosen = self.chosen_file.is_some();
        self.chosen_file = next.filter(|at| *at < self.files_below());
        self.chosen_file.is_some() || was_chosen && by < 0
    }

    /// Puts the chosen file, or the best one, into the field.
    pub(super) fn take_file(&mut self) {
        let path = self.files.file(self.chosen_file.unwrap_or_default()).map(|file| file.path.clone());
        if let (Some(path), Some(super::FieldAnswer::Text(field))) = (path, self.replies.get(self.at)) {
            let text = field.text();
            let before = text.get(..self.path_start(&text)).unwrap_or_default();
            self.set_field(self.at, &format!("{before}{path}"));
            self.answer_changed();
        }
    }
}
