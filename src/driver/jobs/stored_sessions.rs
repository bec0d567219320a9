//! Carries out the jobs about stored sessions: lists, searches, previews, compares, renames and deletes them.

use crate::domain::session_name;
use crate::driver::job::JobResult;
use crate::driver::sources::Signal;
use crate::driver::{Driver, comparison};
use crate::store::search::{self, SearchControl};
use crate::store::{index, manage};
use std::path::PathBuf;
use std::sync::Arc;

/// The most hits that a search reports.
const MAX_HITS: usize = 30;

impl Driver {
    pub(super) fn list_sessions(&self) {
        let sessions = self.rooms.sessions.clone();
        self.spawn_disk_job(move || Ok(JobResult::Sessions(index::list(&sessions))));
    }

    pub(super) fn preview_session(&self, path: PathBuf) {
        self.spawn_disk_job(move || {
            let lines = manage::preview(&path, 12);
            let space = manage::space(&path);
            Ok(JobResult::Preview(path, lines, space))
        });
    }

    pub(super) fn delete_session(&self, path: PathBuf) {
        self.spawn_disk_job(move || {
            manage::delete(&path)?;
            Ok(JobResult::SessionsChanged)
        });
    }

    pub(super) fn rename_session(&self, path: PathBuf, name: String) {
        let (now, masker) = (self.now(), self.rooms.scope.masker.clone());
        let seal = self.rooms.store.seal().cloned();
        self.spawn_job(async move {
            let name = match session_name(&name) {
                Ok(name) => name,
                Err(why) => return JobResult::Failed(format!("Not renamed: {why}.")),
            };
            match manage::rename(&path, name, (&masker, seal.as_ref()), now).await {
                Ok(()) => JobResult::SessionsChanged,
                Err(error) => JobResult::Failed(error.to_string()),
            }
        });
    }

    /// A newer request cancels this one, which then sends no result.
    pub(super) fn compare_with(&self, other: PathBuf) {
        let (store, queue, inbox) = (self.rooms.store.clone(), self.comparisons.clone(), self.rooms.inbox());
        let own = queue.join();
        tokio::spawn(async move {
            let file = other.clone();
            // The file includes the latest messages and results.
            let compared = match store.sync().await {
                Err(error) => own.is_newest().then(|| Err(error.into())),
                Ok(()) => {
                    let compare = move || comparison::compare_files(&store.path(), &file, store.seal());
                    queue.compare(&own, compare).await
                }
            };
            if let Some(compared) = compared {
                let compared = compared.map(Arc::new).map_err(|why| format!("Not compared: {why}."));
                let _ = inbox.send(Signal::Job(JobResult::Compared(other, compared))).await;
            }
        });
    }

    /// A newer request cancels this one, which then sends no result.
    pub(super) fn search_sessions(&self, text: String, folder: Option<PathBuf>, with_names: bool) {
        let (sessions, masker) = (self.rooms.sessions.clone(), self.rooms.scope.masker.clone());
        let (searches, inbox) = (&self.searches, self.rooms.inbox());
        let own = searches.ask();
        let read = self.read_search.clone();
        tokio::task::spawn_blocking(move || {
            let goes_on = || own.is_newest();
            let waiting = SearchControl { goes_on: &goes_on, on_progress: &|_, _| {} };
            let result = match read(&text) {
                Err(why) => JobResult::SessionHits(text, Err(why)),
                Ok(mut wanted) => {
                    wanted.limit = MAX_HITS;
                    // The list of sessions searches the names itself, without reading files for each letter.
                    wanted.without_names = !with_names;
                    // A filter that is still being typed filters nothing.
                    let nothing = wanted.is_empty();
                    // A folder in the typed text overrides the folder of the list.
                    wanted.folder = wanted.folder.or(folder);
                    let found = if nothing {
                        Ok(search::SearchResults::default())
                    } else {
                        search::search(&sessions, &wanted, &masker, &waiting)
                    };
                    found.map_or_else(
                        |why| JobResult::Failed(why.to_string()),
                        |found| JobResult::SessionHits(text, Ok(found)),
                    )
                }
            };
            if goes_on() {
                let _ = inbox.blocking_send(Signal::Job(result));
            }
        });
    }
}
