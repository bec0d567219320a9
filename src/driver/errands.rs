//! Small jobs that a front door asks for beside the session: lists, files, probes. They never block it; what they
//! find is told as [`super::Told::Found`].

use super::Driver;
use super::catalogue::{self, Catalogue, Offer, Source};
use super::sources::Signal;
use super::{images, open};
use crate::domain::{Answers, ImageRef, Interpreter, Misfit, ModelName, Pixels, SandboxReport};
use crate::engine::Event;
use crate::engine::transcript::BlockItem;
use crate::store::index::{self, Summary};
use crate::store::manage;
use crate::workspace;
use crate::workspace::instructions::{self, HeldFile};
use crate::workspace::place::Folder;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::mpsc;

/// A job.
#[derive(Clone, Debug)]
pub enum Errand {
    /// List the sessions.
    Sessions,
    /// Read the end of a session for a preview, at most so many messages.
    Preview(PathBuf),
    /// Give a session another name.
    Rename(PathBuf, String),
    /// Delete a session and its blobs.
    Delete(PathBuf),
    /// Which interpreters are on this machine.
    Interpreters,
    /// What confines runs, by its tests.
    Sandbox,
    /// Which model servers answer on this machine.
    Servers,
    /// Which models each provider offers; told provider by provider.
    Models,
    /// Whether a model's provider answers.
    TestModel(ModelName),
    /// Save an image into the working folder.
    SaveImage(ImageRef),
    /// Save a block's output into the working folder.
    SaveOutput(Box<BlockItem>),
    /// Which files of instructions changed since a run began.
    ChangedInstructions,
    /// Tell the model these texts of files of instructions, which the person has seen.
    TakeInstructions(Vec<HeldFile>),
    /// Open an image of a run with the program that the desktop has for it. The person was asked.
    Open(ImageRef),
    /// Decode an image file for drawing into so many columns and rows, in a confined process.
    Picture(PathBuf, (u16, u16)),
    /// Begin the recipe of this name with these answers to its inputs.
    BeginRecipe(String, Answers),
    /// Write the definition of a new recipe with this name, made from what was asked in this session.
    NewRecipe(String),
}

/// What came of a job.
#[derive(Clone, Debug)]
pub enum Found {
    /// The sessions, newest first.
    Sessions(Vec<Summary>),
    /// The end of a session as plain lines.
    Preview(PathBuf, Vec<String>),
    /// The list of sessions has changed.
    SessionsChanged,
    /// The interpreters on this machine.
    Interpreters(Vec<Interpreter>),
    /// What confines runs, or why none can start.
    Sandbox(Result<SandboxReport, String>),
    /// Model servers that answered on this machine.
    Servers(Vec<Offer>),
    /// What the providers offer, before they are asked.
    Offers(Vec<Offer>),
    /// What one provider offers, now that it was asked.
    Offer(Offer),
    /// Whether a model's provider answers, in words.
    Tested(ModelName, Result<String, String>),
    /// The recipe was not begun: these answers do not fit. The field is empty where none is at fault.
    RecipeRefused {
        /// Its name.
        name: String,
        /// What does not fit.
        misfits: Vec<Misfit>,
    },
    /// The definition of a new recipe was written.
    NewRecipe(PathBuf),
    /// A program was asked to open the file.
    Opened(PathBuf),
    /// A file was written.
    Saved(PathBuf),
    /// The files of instructions that changed since a run began.
    ChangedInstructions(Vec<HeldFile>),
    /// A picture for so many columns and rows; `None`: it can't be drawn.
    Picture(PathBuf, (u16, u16), Option<Pixels>),
    /// The job failed, and why.
    Failed(String),
}

/// Images larger than this are not drawn.
const LARGEST_IMAGE: u64 = 4 << 20;

impl Driver {
    /// Starts a job; what comes of it is told as [`Found`].
    pub fn errand(&self, errand: Errand) {
        let inbox = self.rooms.inbox();
        match errand {
            Errand::Interpreters => {
                let executor = self.rooms.executor.clone();
                tokio::spawn(async move {
                    let found = Found::Interpreters(executor.found().await);
                    let _ = inbox.send(Signal::Errand(found)).await;
                });
            }
            Errand::Sandbox => {
                let executor = self.rooms.executor.clone();
                tokio::spawn(async move {
                    let found = Found::Sandbox(executor.sandbox().await);
                    let _ = inbox.send(Signal::Errand(found)).await;
                });
            }
            Errand::Servers => {
                let catalogue = self.catalogue.clone();
                tokio::spawn(async move {
                    let found = Found::Servers(catalogue::servers(&catalogue).await);
                    let _ = inbox.send(Signal::Errand(found)).await;
                });
            }
            Errand::Models => {
                tokio::spawn(offers(self.catalogue.clone(), inbox));
            }
            Errand::TestModel(name) => {
                let connect = self.rooms.connect.clone();
                tokio::spawn(async move {
                    let made = tokio::task::spawn_blocking({
                        let name = name.clone();
                        move || connect(&name)
                    });
                    let tested = match made.await {
                        Ok(Ok(provider)) => catalogue::test(&provider).await,
                        Ok(Err(why)) => Err(why),
                        Err(error) => Err(error.to_string()),
                    };
                    let _ = inbox.send(Signal::Errand(Found::Tested(name, tested))).await;
                });
            }
            Errand::ChangedInstructions
            | Errand::TakeInstructions(_)
            | Errand::Open(_)
            | Errand::Picture(..) => self.about_what_runs_made(errand),
            Errand::BeginRecipe(name, answers) => self.begin_recipe(&name, answers),
            Errand::NewRecipe(name) => self.new_recipe(&name),
            Errand::Rename(path, name) => {
                let (now, masker) = (self.now(), self.rooms.scope.masker.clone());
                let seal = self.rooms.store.seal().cloned();
                tokio::spawn(async move {
                    let found = match manage::rename(&path, &name, (&masker, seal.as_ref()), now).await {
                        Ok(()) => Found::SessionsChanged,
                        Err(error) => Found::Failed(error.to_string()),
                    };
                    let _ = inbox.send(Signal::Errand(found)).await;
                });
            }
            other => {
                let (sessions, working) = (self.rooms.sessions.clone(), self.rooms.working.clone());
                let blobs = self.rooms.store.blobs();
                tokio::task::spawn_blocking(move || {
                    let found = on_disk(other, &sessions, &blobs, working).unwrap_or_else(Found::Failed);
                    let _ = inbox.blocking_send(Signal::Errand(found));
                });
            }
        }
    }

    /// Jobs about what runs made: none of it is believed, and none of it is opened in this process.
    fn about_what_runs_made(&self, errand: Errand) {
        let inbox = self.rooms.inbox();
        match errand {
            Errand::ChangedInstructions => {
                let search = self.rooms.instructions.clone();
                tokio::task::spawn_blocking(move || {
                    let held = instructions::look(&search).held;
                    let _ = inbox.blocking_send(Signal::Errand(Found::ChangedInstructions(held)));
                });
            }
            Errand::TakeInstructions(held) => {
                let search = self.rooms.instructions.clone();
                tokio::task::spawn_blocking(move || {
                    for held in &held {
                        instructions::accept(&search, held);
                    }
                    let told = instructions::look(&search).told;
                    let _ = inbox.blocking_send(Signal::Event(Event::Instructions(told)));
                });
            }
            Errand::Open(image) => {
                let (blobs, programs) = (self.rooms.store.blobs(), self.rooms.executor.launcher());
                tokio::task::spawn_blocking(move || {
                    let opened = open::external(&image, &blobs, &programs);
                    let found = opened.map_or_else(Found::Failed, Found::Opened);
                    let _ = inbox.blocking_send(Signal::Errand(found));
                });
            }
            Errand::Picture(path, (width, height)) => {
                let executor = self.rooms.executor.clone();
                tokio::spawn(async move {
                    let read = path.clone();
                    let read = move || workspace::read::bounded(&read, LARGEST_IMAGE).ok();
                    let pixels = match tokio::task::spawn_blocking(read).await {
                        // A cell shows two pixels, one above the other.
                        Ok(Some(bytes)) => {
                            executor.pixels(bytes, width.into(), 2 * u32::from(height)).await.ok()
                        }
                        _ => None,
                    };
                    let _ = inbox.send(Signal::Errand(Found::Picture(path, (width, height), pixels))).await;
                });
            }
            _ => {}
        }
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

/// The jobs that read or write files; each may take its time.
fn on_disk(
    errand: Errand,
    sessions: &Path,
    blobs: &Path,
    working: Result<Arc<Folder>, String>,
) -> Result<Found, String> {
    match errand {
        Errand::Sessions => Ok(Found::Sessions(index::list(sessions))),
        Errand::Preview(path) => Ok(Found::Preview(path.clone(), manage::preview(&path, 12))),
        Errand::Delete(path) => {
            manage::delete(&path).map_err(|e| e.to_string())?;
            Ok(Found::SessionsChanged)
        }
        Errand::SaveImage(image) => {
            let place = images::of_session(&image.path, blobs)?;
            let bytes = workspace::read::held(&place, LARGEST_IMAGE * 16).map_err(|e| e.to_string())?;
            let written = workspace::write::fresh(&*working?, &image.name, &bytes);
            written.map(Found::Saved).map_err(|e| e.to_string())
        }
        Errand::SaveOutput(block) => save_output(&block, blobs, &*working?),
        Errand::Interpreters
        | Errand::Sandbox
        | Errand::ChangedInstructions
        | Errand::TakeInstructions(_)
        | Errand::Open(_)
        | Errand::Picture(..)
        | Errand::Servers
        | Errand::Models
        | Errand::BeginRecipe(..)
        | Errand::NewRecipe(_)
        | Errand::TestModel(_)
        | Errand::Rename(..) => Err("this job is not done on the disk".into()),
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
