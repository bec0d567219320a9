//! What of the session is on disk: its entries, and the draft in the composer.

use super::Driver;
use crate::store::StoreError;
use std::path::PathBuf;

impl Driver {
    /// The file of the session.
    pub(crate) fn session_path(&self) -> PathBuf {
        self.rooms.store.path()
    }

    /// Whether the whole session so far is on disk: the store confirms it, and the file exists.
    pub(crate) async fn is_saved(&self) -> bool {
        self.rooms.store.sync().await.is_ok() && self.rooms.store.path().is_file()
    }

    /// Waits until everything recorded so far is on disk, and passes on what was masked in it.
    ///
    /// # Errors
    /// Why it is not on disk; everything is kept in memory.
    pub(crate) async fn saved(&mut self) -> Result<(), StoreError> {
        let saved = self.rooms.store.sync().await;
        for what in self.rooms.store.masked_so_far() {
            self.tell_masked(what);
        }
        saved
    }

    /// Whether this need not be saved while it is typed: it equals the draft that was saved last, or is too long.
    pub(crate) fn keeps_draft(&self, text: &str) -> bool {
        self.draft.keeps(text)
    }

    /// Saves the text in the composer so that it survives this process; an empty text removes the draft. A failure is
    /// only logged, to avoid disturbing the person while typing; closing the session tries again and reports it.
    pub(crate) fn keep_draft(&mut self, text: &str) {
        if let Err(error) = self.draft.keep(text) {
            tracing::warn!(%error, "the draft can't be written");
        }
    }

    /// Adds what is queued to the draft: the prompt in front of what was typed after it, the commands behind both,
    /// because what follows a command would read as a part of it.
    ///
    /// # Errors
    /// When it can't be written and is lost.
    pub(super) fn keep_queued(&mut self) -> Result<(), StoreError> {
        let (prompt, commands) = self.state().live.queued_texts();
        let typed = Some(self.draft.text()).filter(|typed| !typed.trim().is_empty()).map(str::to_owned);
        let texts: Vec<String> = [prompt, typed, commands].into_iter().flatten().collect();
        self.draft.keep(&texts.join("\n\n"))
    }

    /// The draft of an earlier process that ended without warning.
    pub(crate) fn take_draft(&mut self) -> Option<String> {
        self.draft.take_up()
    }
}
