//! Carries out the jobs that a front end asks for. They never hold it up; what they find is told as
//! [`super::Told::Found`].

use super::Driver;
use super::catalogue::{self, Catalogue, Source};
use super::job::{Errand, Found};
use super::sources::Signal;
use super::{images, open};
use crate::engine::Event;
use crate::engine::transcript::BlockItem;
use crate::store::{index, manage};
use crate::workspace;
use crate::workspace::instructions;
use crate::workspace::place::Folder;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use std::path::Path;
use tokio::sync::mpsc;

/// Images larger than this are not drawn.
const LARGEST_IMAGE: u64 = 4 << 20;

impl Driver {
    /// Starts a job; what comes of it is told as [`Found`].
    pub fn errand(&self, errand: Errand) {
        let (executor, search) = (self.rooms.executor.clone(), self.rooms.instructions.clone());
        let (blobs, working) = (self.rooms.store.blobs(), self.rooms.working.clone());
        let (catalogue, inbox) = (self.catalogue.clone(), self.rooms.inbox());
        match errand {
            Errand::Interpreters => self.later(async move { Found::Interpreters(executor.found().await) }),
            Errand::Sandbox => self.later(async move { Found::Sandbox(executor.sandbox().await) }),
            Errand::Servers => {
                self.later(async move { Found::Servers(catalogue::servers(&catalogue).await) });
            }
            Errand::Models => drop(tokio::spawn(offers(catalogue, inbox))),
            Errand::TestModel(name) => {
                let connect = self.rooms.connect.clone();
                self.later(async move {
                    let wanted = name.clone();
                    let tested = match tokio::task::spawn_blocking(move || connect(&wanted)).await {
                        Ok(Ok(provider)) => catalogue::test(&provider).await,
                        Ok(Err(why)) => Err(why.to_string()),
                        Err(error) => Err(error.to_string()),
                    };
                    Found::Tested(name, tested)
                });
            }
            Errand::BeginRecipe(name, answers) => self.begin_recipe(&name, answers),
            Errand::NewRecipe(name) => self.new_recipe(&name),
            Errand::Sessions => {
                let sessions = self.rooms.sessions.clone();
                self.on_disk(move || Ok(Found::Sessions(index::list(&sessions))));
            }
            Errand::Preview(path) => self.on_disk(move || {
                let lines = manage::preview(&path, 12);
                Ok(Found::Preview(path, lines))
            }),
            Errand::Delete(path) => self.on_disk(move || match manage::delete(&path) {
                Ok(()) => Ok(Found::SessionsChanged),
                Err(error) => Err(error.to_string()),
            }),
            Errand::Rename(path, name) => {
                let (now, masker) = (self.now(), self.rooms.scope.masker.clone());
                let seal = self.rooms.store.seal().cloned();
                self.later(async move {
                    match manage::rename(&path, &name, (&masker, seal.as_ref()), now).await {
                        Ok(()) => Found::SessionsChanged,
                        Err(error) => Found::Failed(error.to_string()),
                    }
                });
            }
            Errand::SaveImage(image) => self.on_disk(move || {
                let place = images::of_session(&image.path, &blobs)?;
                let bytes = workspace::read::held(&place, LARGEST_IMAGE * 16).map_err(|e| e.to_string())?;
                let written = workspace::write::fresh(&*working?, &image.name, &bytes);
                written.map(Found::Saved).map_err(|e| e.to_string())
            }),
            Errand::SaveOutput(block) => self.on_disk(move || save_output(&block, &blobs, &*working?)),
            Errand::ChangedInstructions => {
                self.on_disk(move || Ok(Found::ChangedInstructions(instructions::look(&search).held)));
            }
            Errand::TakeInstructions(held) => drop(tokio::task::spawn_blocking(move || {
                for held in &held {
                    instructions::accept(&search, held);
                }
                let told = instructions::look(&search).told;
                let _ = inbox.blocking_send(Signal::Event(Event::Instructions(told)));
            })),
            // What runs made is not believed, and not opened in this process.
            Errand::Open(image) => {
                let programs = executor.launcher();
                self.on_disk(move || open::external(&image, &blobs, &programs).map(Found::Opened));
            }
            Errand::Picture(path, (width, height)) => self.later(async move {
                let read = path.clone();
                let read = move || workspace::read::bounded(&read, LARGEST_IMAGE).ok();
                let pixels = match tokio::task::spawn_blocking(read).await {
                    // A cell shows two pixels, one above the other.
                    Ok(Some(bytes)) => executor.pixels(bytes, width.into(), 2 * u32::from(height)).await.ok(),
                    _ => None,
                };
                Found::Picture(path, (width, height), pixels)
            }),
        }
    }

    fn later(&self, work: impl Future<Output = Found> + Send + 'static) {
        let inbox = self.rooms.inbox();
        tokio::spawn(async move { inbox.send(Signal::Errand(work.await)).await });
    }

    /// For jobs that read or write files: each may take its time.
    fn on_disk(&self, work: impl FnOnce() -> Result<Found, String> + Send + 'static) {
        let inbox = self.rooms.inbox();
        tokio::task::spawn_blocking(move || {
            let found = work().unwrap_or_else(Found::Failed);
            let _ = inbox.blocking_send(Signal::Errand(found));
        });
    }
}

/// Tells what each provider offers as it answers.
async fn offers(catalogue: Catalogue, inbox: mpsc::Sender<Signal>) {
    // Who can be asked, with which key, is read from disk.
    let Ok(sources) = tokio::task::spawn_blocking(move || catalogue()).await else { return };
    let all = Found::Offers(sources.iter().map(Source::offer).collect());
    if inbox.send(Signal::Errand(all)).await.is_err() {
        return;
    }
    let mut asked: FuturesUnordered<_> = sources.into_iter().map(Source::ask).collect();
    while let Some(offer) = asked.next().await {
        if inbox.send(Signal::Errand(Found::Offer(offer))).await.is_err() {
            return;
        }
    }
}

/// Writes all output of a block's last run: the blob where more was printed than is kept.
fn save_output(block: &BlockItem, blobs: &Path, working: &Folder) -> Result<Found, String> {
    let report = block.runs.last().and_then(|r| r.ended.as_ref()).map(|(_, report)| report);
    let report = report.ok_or_else(|| "No output yet.".to_string())?;
    let name = format!("block-{}-output.txt", block.block.id);
    let saved = match &report.blob {
        Some(blob) => workspace::write::copy_fresh(working, &name, &images::of_session(blob, blobs)?),
        None => {
            let bytes: Vec<u8> = report.output.pieces().flat_map(|p| p.bytes.iter().copied()).collect();
            workspace::write::fresh(working, &name, &bytes)
        }
    };
    saved.map(Found::Saved).map_err(|e| e.to_string())
}
