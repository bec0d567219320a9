//! Carries out the jobs that a front end requests, without blocking it; those about stored sessions are in
//! `stored_sessions`. Results arrive as [`super::Notification::Job`].

mod stored_sessions;

use super::Driver;
use super::catalogue::{self, Catalogue, CatalogueAnswer, ModelSource};
use super::export::{self, ExportKeys};
use super::job::{Job, JobError, JobResult};
use super::sources::Signal;
use super::{images, open};
use crate::domain::{AttachedFile, ImageRef, ModelName, Sha256, UndrawnReason};
use crate::engine::transcript::{BlockItem, OTHER_ENTRY};
use crate::export::{Document, ExportFormat};
use crate::store::Store;
use crate::workspace::held_path::Folder;
use crate::workspace::instructions::{self, HeldFile};
use crate::workspace::{self, AttachedFileError, FileError};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::JoinError;

/// Images larger than this are not drawn.
const MAX_DRAWN_BYTES: u64 = 4 << 20;
/// Larger images are not saved.
const MAX_SAVED_BYTES: u64 = 64 << 20;

/// The files that a message names, or why they can't be attached.
type FilesResult = Result<Vec<AttachedFile>, Vec<AttachedFileError>>;

impl Driver {
    /// Starts a job; its result arrives as a [`JobResult`].
    pub(crate) fn start_job(&self, job: Job) {
        let (executor, catalogue) = (self.rooms.executor.clone(), self.catalogue.clone());
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
            Job::Models => drop(tokio::spawn(send_offers(catalogue, self.rooms.inbox()))),
            Job::TestModel(name) => self.test_model(name),
            Job::StoreKey(provider) => self.write_key(provider),
            Job::Recipes => self.read_recipes(),
            Job::BeginRecipe(name, answers) => self.begin_recipe(&name, answers),
            Job::NewRecipe(name) => self.new_recipe(&name),
            Job::Sessions => self.list_sessions(),
            Job::SearchSessions(text, folder) => self.search_sessions(text, folder, false),
            Job::SearchWithNames(text) => self.search_sessions(text, None, true),
            Job::Preview(path) => self.preview_session(path),
            Job::Compare(path) => self.compare_with(path),
            Job::Delete(path) => self.delete_session(path),
            Job::Rename(path, name) => self.rename_session(path, name),
            Job::SaveImage(image) => self.save_image(image),
            Job::Export(format, keys) => self.export(format, keys),
            Job::SaveOutput(block) => {
                let (store, working) = (self.rooms.store.clone(), self.rooms.working.clone());
                self.spawn_disk_job(move || save_output(*block, &store, &*working?));
            }
            Job::FolderFiles => self.list_files(),
            Job::AttachedFiles(text) => self.read_attached(text),
            Job::ChangedInstructions => self.list_changed_instructions(),
            Job::TakeInstructions(held) => self.accept_instructions(held),
            Job::Changes(record) => self.list_changes(record),
            Job::ChangeTexts(record, number, path) => self.compare_change(record, number, path),
            Job::Open(image) => self.open_image(image),
            Job::Picture(path, size) => self.draw_picture(path, size),
        }
    }

    fn save_image(&self, image: ImageRef) {
        let (blobs, working) = (self.rooms.store.blobs(), self.rooms.working.clone());
        self.spawn_disk_job(move || {
            let place = images::session_file(&image.path, &blobs)?;
            let bytes = workspace::read::held(&place, MAX_SAVED_BYTES)?;
            Ok(JobResult::Saved(workspace::write::fresh(&*working?, &image.name, &bytes)?))
        });
    }

    fn open_image(&self, image: ImageRef) {
        // Files that runs made are not trusted, and not decoded in this process.
        let (programs, blobs) = (self.rooms.executor.launcher(), self.rooms.store.blobs());
        self.spawn_disk_job(move || Ok(JobResult::Opened(open::open_externally(&image, &blobs, &programs)?)));
    }

    fn draw_picture(&self, path: PathBuf, (width, height): (u32, u32)) {
        let executor = self.rooms.executor.clone();
        self.spawn_job(async move {
            let read = path.clone();
            let read = move || workspace::read::bounded(&read, MAX_DRAWN_BYTES);
            let pixels = match tokio::task::spawn_blocking(read).await {
                Ok(Ok(bytes)) => executor.pixels(bytes, width, height).await,
                Ok(Err(FileError::TooLarge { .. })) => Err(UndrawnReason::TooLarge),
                _ => Err(UndrawnReason::Unknown),
            };
            JobResult::Picture(path, (width, height), pixels)
        });
    }

    fn list_changed_instructions(&self) {
        let search = self.rooms.instructions.clone();
        self.spawn_disk_job(move || Ok(JobResult::ChangedInstructions(instructions::survey(&search).held)));
    }

    fn accept_instructions(&self, held: Vec<HeldFile>) {
        let (search, inbox) = (self.rooms.instructions.clone(), self.rooms.inbox());
        tokio::task::spawn_blocking(move || {
            for held in &held {
                instructions::accept(&search, held);
            }
            super::learn::tell(instructions::survey(&search), &inbox);
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
            let diff = super::undo::diff_text(&path, &texts);
            Ok(JobResult::ChangeTexts(path, diff))
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
            let written = export::write(document, format, &blobs, keys, &masker);
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
        let named = text.clone();
        let work = tokio::task::spawn_blocking(move || match working {
            Ok(working) => workspace::attached_files::read(&working, &named, &masker),
            Err(error) => Err(vec![AttachedFileError::NoFolder(error)]),
        });
        // The text is returned in any case: it is the person's message.
        self.spawn_job(async move { JobResult::AttachedFiles(text, attached(work.await)) });
    }

    pub(super) fn spawn_job(&self, work: impl Future<Output = JobResult> + Send + 'static) {
        let (inbox, work) = (self.rooms.inbox(), tokio::spawn(work));
        tokio::spawn(async move { inbox.send(Signal::Job(finished(work.await))).await });
    }

    /// Runs a job that reads or writes files, and may be slow, on a worker.
    pub(super) fn spawn_disk_job(&self, work: impl FnOnce() -> Result<JobResult, JobError> + Send + 'static) {
        let work = move || work().unwrap_or_else(|why| JobResult::Failed(why.to_string()));
        let (inbox, work) = (self.rooms.inbox(), tokio::task::spawn_blocking(work));
        tokio::spawn(async move { inbox.send(Signal::Job(finished(work.await))).await });
    }
}

/// The result of a job. If the job panics, what waits for it is told so.
fn finished(work: Result<JobResult, JoinError>) -> JobResult {
    work.unwrap_or_else(|error| {
        tracing::error!(%error, "a job broke off");
        JobResult::Failed("It broke off inside sayso; the log tells more.".into())
    })
}

/// What came of reading the files of a message. If that panics, the message must not wait for them for ever.
fn attached(read: Result<FilesResult, JoinError>) -> FilesResult {
    read.unwrap_or_else(|error| {
        tracing::error!(%error, "reading the files of a message broke off");
        Err(vec![AttachedFileError::BrokeOff])
    })
}

/// Sends all offers, then that of each provider that is asked as soon as it answers.
async fn send_offers(catalogue: Catalogue, inbox: mpsc::Sender<Signal>) {
    // Reading which providers can be asked takes disk access.
    let Ok(mut sources) = tokio::task::spawn_blocking(move || catalogue()).await else { return };
    let all = JobResult::Offers(sources.iter().map(ModelSource::offer).collect());
    if inbox.send(Signal::Job(all)).await.is_err() {
        return;
    }
    sources.retain(|source| source.offer().answer == CatalogueAnswer::Asking);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::allowing_panics;

    #[test]
    fn a_job_that_panics_has_a_result() {
        let job = || -> JobResult { panic!("a fault in a job") };
        let work = allowing_panics(async { tokio::task::spawn_blocking(job).await });
        assert!(matches!(finished(work), JobResult::Failed(why) if why.contains("broke off")));
    }

    #[test]
    fn a_message_comes_back_although_reading_its_files_panics() {
        let read = || -> FilesResult { panic!("a fault in a look") };
        let work = allowing_panics(async { tokio::task::spawn_blocking(read).await });
        assert_eq!(attached(work), Err(vec![AttachedFileError::BrokeOff]));
    }
}
