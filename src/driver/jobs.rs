//! Carries out the jobs that a front end requests, without blocking it. Results arrive as [`super::Notification::Job`].

use super::Driver;
use super::catalogue::{self, Catalogue, ModelSource};
use super::export::{self, ExportKeys};
use super::job::{Job, JobError, JobResult};
use super::sources::Signal;
use super::{comparison, images, open};
use crate::domain::{ModelName, Sha256, UndrawnReason, session_name};
use crate::engine::Event;
use crate::engine::transcript::{BlockItem, OTHER_ENTRY};
use crate::export::{Document, ExportFormat};
use crate::store::search::{self, SearchControl};
use crate::store::{Store, index, manage};
use crate::workspace::held_path::Folder;
use crate::workspace::instructions;
use crate::workspace::{self, AttachedFileError, FileError};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc;

/// The most hits that a search reports.
const MAX_HITS: usize = 30;

/// Images larger than this are not drawn.
const MAX_DRAWN_BYTES: u64 = 4 << 20;
/// Larger images are not saved.
const MAX_SAVED_BYTES: u64 = 64 << 20;

impl Driver {
    /// Starts a job; its result arrives as a [`JobResult`].
    pub(crate) fn start_job(&self, job: Job) {
        let (executor, search) = (self.rooms.executor.clone(), self.rooms.instructions.clone());
        let (blobs, working) = (self.rooms.store.blobs(), self.rooms.working.clone());
        let (catalogue, inbox) = (self.catalogue.clone(), self.rooms.inbox());
        match job {
            Job::Interpreters => {
                self.spawn_job(async move { JobResult::Interpreters(executor.interpreters().await) });
            }
            Job::Sandbox => self.spawn_job(async move {
                JobResult::Sandbox(executor.sandbox().await.map_err(|why| why.to_string()))
            }),
            Job::Servers => {
                self.spawn_job(async move { JobResult::Servers(catalogue::local_servers(&catalogue).await) });
            }
            Job::Models => drop(tokio::spawn(send_offers(catalogue, inbox))),
            Job::TestModel(name) => self.test_model(name),
            Job::StoreKey(provider) => self.write_key(provider),
            Job::Recipes => self.read_recipes(),
            Job::BeginRecipe(name, answers) => self.begin_recipe(&name, answers),
            Job::NewRecipe(name) => self.new_recipe(&name),
            Job::Sessions => {
                let sessions = self.rooms.sessions.clone();
                self.spawn_disk_job(move || Ok(JobResult::Sessions(index::list(&sessions))));
            }
            Job::SearchSessions(text, folder) => self.search_sessions(text, folder, false),
            Job::SearchWithNames(text) => self.search_sessions(text, None, true),
            Job::Preview(path) => self.spawn_disk_job(move || {
                let lines = manage::preview(&path, 12);
                let space = manage::space(&path);
                Ok(JobResult::Preview(path, lines, space))
            }),
            Job::Compare(path) => self.compare_with(path),
            Job::Delete(path) => self.spawn_disk_job(move || match manage::delete(&path) {
                Ok(()) => Ok(JobResult::SessionsChanged),
                Err(error) => Err(error.into()),
            }),
            Job::Rename(path, name) => self.rename_session(path, name),
            Job::SaveImage(image) => self.spawn_disk_job(move || {
                let place = images::session_file(&image.path, &blobs)?;
                let bytes = workspace::read::held(&place, MAX_SAVED_BYTES)?;
                Ok(JobResult::Saved(workspace::write::fresh(&*working?, &image.name, &bytes)?))
            }),
            Job::Export(format, keys) => self.export(format, keys),
            Job::SaveOutput(block) => {
                let store = self.rooms.store.clone();
                self.spawn_disk_job(move || save_output(*block, &store, &*working?));
            }
            Job::FolderFiles => self.list_files(),
            Job::AttachedFiles(text) => self.read_attached(text),
            Job::ChangedInstructions => {
                self.spawn_disk_job(move || {
                    Ok(JobResult::ChangedInstructions(instructions::survey(&search).held))
                });
            }
            Job::TakeInstructions(held) => drop(tokio::task::spawn_blocking(move || {
                for held in &held {
                    instructions::accept(&search, held);
                }
                let looked = instructions::survey(&search);
                for event in super::learn::events(looked.told, &looked.held) {
                    let _ = inbox.blocking_send(Signal::Event(event));
                }
            })),
            Job::Changes(record) => self.list_changes(record),
            Job::ChangeTexts(record, number, path) => self.compare_change(record, number, path),
            // Files that runs made are not trusted, and not decoded in this process.
            Job::Open(image) => {
                let programs = executor.launcher();
                self.spawn_disk_job(move || {
                    Ok(JobResult::Opened(open::open_externally(&image, &blobs, &programs)?))
                });
            }
            Job::Picture(path, (width, height)) => self.spawn_job(async move {
                let read = path.clone();
                let read = move || workspace::read::bounded(&read, MAX_DRAWN_BYTES);
                let pixels = match tokio::task::spawn_blocking(read).await {
                    Ok(Ok(bytes)) => executor.pixels(bytes, width, height).await,
                    Ok(Err(FileError::TooLarge { .. })) => Err(UndrawnReason::TooLarge),
                    _ => Err(UndrawnReason::Unknown),
                };
                JobResult::Picture(path, (width, height), pixels)
            }),
        }
    }

    fn rename_session(&self, path: PathBuf, name: String) {
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
    fn compare_with(&self, other: PathBuf) {
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
    fn search_sessions(&self, text: String, folder: Option<PathBuf>, with_names: bool) {
        let (sessions, masker) = (self.rooms.sessions.clone(), self.rooms.scope.masker.clone());
        let (searches, inbox) = (&self.searches, self.rooms.inbox());
        let own = searches.ask();
        let read = self.read_search.clone();
        tokio::task::spawn_blocking(move || {
            let goes_on = || own.is_newest();
            let waiting = SearchControl { goes_on: &goes_on, on_progress: &|_, _| {} };
            let told = match read(&text) {
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
                let _ = inbox.blocking_send(Signal::Job(told));
            }
        });
    }

    fn list_changes(&self, record: Sha256) {
        let undo = self.rooms.undo.clone();
        self.spawn_disk_job(move || {
            let found = undo.with(|store| store.changes(record))?;
            Ok(JobResult::Changes(record, found.map_err(|error| error.to_string())))
        });
    }

    fn compare_change(&self, record: Sha256, number: u32, path: String) {
        let undo = self.rooms.undo.clone();
        self.spawn_disk_job(move || {
            let texts = undo.with(|store| store.texts(record, number))??;
            let told = super::undo::diff_text(&path, &texts);
            Ok(JobResult::ChangeTexts(path, told))
        });
    }

    fn test_model(&self, name: ModelName) {
        let connect = self.rooms.connect.clone();
        self.spawn_job(async move {
            let wanted = name.clone();
            let tested = match tokio::task::spawn_blocking(move || connect(&wanted)).await {
                Ok(Ok(provider)) => catalogue::test_model(&provider).await.map_err(|why| why.to_string()),
                Ok(Err(why)) => Err(why.to_string()),
                Err(error) => Err(error.to_string()),
            };
            JobResult::Tested(name, tested)
        });
    }

    fn write_key(&self, provider: String) {
        let store = self.store_key.clone();
        self.spawn_disk_job(move || {
            let file = store(&provider)?;
            Ok(JobResult::KeyStored(provider, file))
        });
    }

    fn export(&self, format: ExportFormat, keys: ExportKeys) {
        // A snapshot: what is added meanwhile is not exported.
        let mut transcript = self.state().transcript.clone();
        let store = self.rooms.store.clone();
        let (masker, blobs) = (self.rooms.scope.masker.clone(), self.rooms.store.blobs());
        let working = self.rooms.working.clone();
        self.spawn_disk_job(move || {
            let mut read = store.rereader();
            for (body, entry) in transcript.all_paged_out() {
                let whole = read(entry).map_err(|why| format!("Not written: {why}."))?;
                transcript.page_in(body, whole).ok_or(format!("Not written: {OTHER_ENTRY}."))?;
            }
            let document = Document::of(&transcript);
            let stem = document.file_stem();
            let written = export::write(document, format, &blobs, (keys, &masker));
            let (text, ending) =
                written.map_err(|why| format!("Not written: {why}. /export {format} redact masks keys."))?;
            let name = format!("{stem}.{ending}");
            Ok(JobResult::Saved(workspace::write::fresh_private(&*working?, &name, text.as_bytes())?))
        });
    }

    fn list_files(&self) {
        let working = self.rooms.working.clone();
        self.spawn_disk_job(move || {
            Ok(JobResult::FolderFiles(Arc::new(workspace::paths::list(&*working?)?)))
        });
    }

    fn read_attached(&self, text: String) {
        let (working, masker) = (self.rooms.working.clone(), self.rooms.scope.masker.clone());
        self.spawn_disk_job(move || {
            let files = match working {
                Ok(working) => workspace::attached_files::read(&working, &text, &masker),
                Err(error) => Err(vec![AttachedFileError::NoFolder(error)]),
            };
            // The text is returned in any case: it is the person's message.
            Ok(JobResult::AttachedFiles(text, files))
        });
    }

    pub(super) fn spawn_job(&self, work: impl Future<Output = JobResult> + Send + 'static) {
        let inbox = self.rooms.inbox();
        tokio::spawn(async move { inbox.send(Signal::Job(work.await)).await });
    }

    /// Runs a job that reads or writes files, and may be slow, on a worker.
    fn spawn_disk_job(&self, work: impl FnOnce() -> Result<JobResult, JobError> + Send + 'static) {
        let inbox = self.rooms.inbox();
        tokio::task::spawn_blocking(move || {
            let found = work().unwrap_or_else(|why| JobResult::Failed(why.to_string()));
            let _ = inbox.blocking_send(Signal::Job(found));
        });
    }
}

/// Sends each provider's offer as soon as it answers.
async fn send_offers(catalogue: Catalogue, inbox: mpsc::Sender<Signal>) {
    // Reading which providers can be asked takes disk access.
    let Ok(sources) = tokio::task::spawn_blocking(move || catalogue()).await else { return };
    let all = JobResult::Offers(sources.iter().map(ModelSource::offer).collect());
    if inbox.send(Signal::Job(all)).await.is_err() {
        return;
    }
    let mut asked: FuturesUnordered<_> = sources.into_iter().map(ModelSource::ask).collect();
    while let Some(offer) = asked.next().await {
        if inbox.send(Signal::Job(JobResult::Offer(offer))).await.is_err() {
            return;
        }
    }
}

/// Writes the whole output of a block's last run, from the blob if more was printed than is kept.
fn save_output(mut block: BlockItem, store: &Store, working: &Folder) -> Result<JobResult, JobError> {
    let name = format!("block-{}-output.txt", block.block.id);
    let run = block.runs.last_mut().filter(|run| run.ended.is_some()).ok_or("No output yet.")?;
    if let Some((entry, _)) = run.unloaded_output() {
        let whole = store.read_again(entry).map_err(|why| format!("Not written: {why}."))?;
        run.page_in(whole).ok_or(format!("Not written: {OTHER_ENTRY}."))?;
    }
    let (_, report) = run.ended.as_ref().ok_or("No output yet.")?;
    let saved = match &report.blob {
        Some(blob) => {
            workspace::write::copy_fresh(working, &name, &images::session_file(blob, &store.blobs())?)
        }
        None => workspace::write::fresh(working, &name, &report.output.in_order()),
    };
    Ok(JobResult::Saved(saved?))
}
