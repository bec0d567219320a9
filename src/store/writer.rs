//! The one thread that writes a session file. It carries out orders one after another, and nobody else writes to the
//! file.
//!
//! Each entry is one line and one `write`. If writing fails, the entries that are not on disk stay in memory, in
//! their order, until a retry succeeds. A failure is reported once through a watch channel.

mod durability;
mod line;

use super::error::StoreError;
use super::reader::OpenSession;
use super::seal::{Mac, Seal, SealState};
use super::wire::ChainLink;
use super::{Entries, MaskReports, SessionPaths, WriteStatus, disk};
use crate::domain::{Entry, Header, Masker, Timestamp};
use std::collections::VecDeque;
use std::fs::File;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};
use tokio::sync::{oneshot, watch};

/// The channel for the result of an order.
pub(super) type WriteResult = oneshot::Sender<Result<(), StoreError>>;

/// An order to the thread.
pub(super) enum WriteOrder {
    Append(Box<Entry>, Timestamp),
    Masker(Masker),
    Seal(Seal),
    Sync(WriteResult),
    Retry(WriteResult),
    Close(WriteResult),
}

/// The state of the file, and what is still to be written.
pub(super) struct Writer {
    place: Arc<SessionPaths>,
    /// The header of a file that was not created yet.
    header: Option<Header>,
    file: Option<File>,
    queue: VecDeque<(Timestamp, Entry)>,
    link: ChainLink,
    /// The number of prompts and replies. It is stored with each message, so that a list of sessions need not read
    /// the whole file.
    messages: u64,
    /// The highest number of a block, stored with each message for the same reason; and the session's name, if it was
    /// named after its header.
    blocks: u32,
    name: Option<String>,
    masker: Masker,
    /// Reports on what was masked.
    news: MaskReports,
    /// Why nothing is written, if the session was opened for reading only.
    reading: Option<String>,
    /// Whether entries are dropped, because the person wants no session.
    forgets: bool,
    /// The size of the file up to the last synced line, and the lines written after it.
    synced: u64,
    unsynced: Vec<u8>,
    /// Whether the end of the file is wrong. It is then cut off and rewritten before anything else is written.
    dirty_end: bool,
    failure: watch::Sender<WriteStatus>,
    failed: Option<String>,
}

impl Writer {
    /// Reports failures to `failure`, and what was masked to `news`.
    pub(super) fn new(
        place: Arc<SessionPaths>,
        news: MaskReports,
        failure: watch::Sender<WriteStatus>,
    ) -> Self {
        Self {
            place,
            header: None,
            file: None,
            queue: VecDeque::new(),
            link: ChainLink::FIRST,
            messages: 0,
            blocks: 0,
            name: None,
            masker: Masker::default(),
            news,
            reading: None,
            forgets: false,
            synced: 0,
            unsynced: Vec::new(),
            dirty_end: false,
            failure,
            failed: None,
        }
    }

    /// For a new session, whose file is created with the first entry worth keeping.
    pub(super) fn lazy(self, header: Header) -> Self {
        Self { header: Some(header), ..self }
    }

    /// Continues a file that was read; `whole` is the size of its complete lines.
    pub(super) fn resuming(self, file: File, opened: &OpenSession<impl Entries>, whole: u64) -> Self {
        Self {
            file: Some(file),
            link: opened.next.clone(),
            messages: opened.messages,
            blocks: opened.blocks,
            name: opened.name.clone(),
            synced: whole,
            ..self
        }
    }

    /// Keeps everything in memory, because the session was opened for reading only; `why` is the reason.
    pub(super) fn reading(self, why: String) -> Self {
        let mut writer = Self { reading: Some(why), ..self };
        // This reports the reason once, like any other reason why nothing is saved.
        writer.retry().ok();
        writer
    }

    /// Drops all entries, because the person wants no session.
    pub(super) fn forgetting(self) -> Self {
        Self { forgets: true, ..self }
    }

    /// Whether the session was opened for reading only.
    pub(super) fn only_reads(&self) -> bool {
        self.reading.is_some()
    }

    /// Carries out orders until it is told to close, or all senders are gone.
    pub(super) fn run(mut self, orders: &Receiver<WriteOrder>) {
        loop {
            let order = match orders.try_recv() {
                Ok(order) => order,
                Err(TryRecvError::Disconnected) => break,
                Err(TryRecvError::Empty) => {
                    // There is nothing else to do: sync now, so that an approval does not have to wait for it.
                    if self.failed.is_none() && !self.unsynced.is_empty() && self.file.is_some() {
                        self.sync().ok();
                    }
                    match orders.recv() {
                        Ok(order) => order,
                        Err(_) => break,
                    }
                }
            };
            match order {
                WriteOrder::Append(entry, at) => self.append(at, *entry),
                WriteOrder::Masker(masker) => self.masker = masker,
                // A file that was read continues the chain that was found in it.
                WriteOrder::Seal(seal) if self.file.is_none() => {
                    seal.sync_key();
                    self.link.sealing.get_or_insert(SealState::begin(seal, Mac::FIRST));
                }
                WriteOrder::Seal(_) => {}
                WriteOrder::Sync(answer) => drop(answer.send(self.sync_unless_failed())),
                WriteOrder::Retry(answer) => drop(answer.send(self.retry())),
                WriteOrder::Close(answer) => {
                    let result = self.retry();
                    // The file is unlocked before the answer is sent: the receiver may open the session at once.
                    self.file = None;
                    drop(answer.send(result));
                    return;
                }
            }
        }
        self.retry().ok();
    }

    fn append(&mut self, at: Timestamp, entry: Entry) {
        if let Entry::Header(header) = entry {
            // The header becomes the first line; after that it can't change.
            if self.header.is_some() {
                self.header = Some(header);
            }
            return;
        }
        self.queue.push_back((at, entry));
        if self.failed.is_none() {
            let result = self.try_write_queue();
            self.note(result).ok();
        }
    }

    fn sync_unless_failed(&mut self) -> Result<(), StoreError> {
        match &self.failed {
            Some(why) => Err(StoreError::NotSaved(why.clone())),
            None => self.sync(),
        }
    }

    fn sync(&mut self) -> Result<(), StoreError> {
        let result = self.try_sync();
        self.note(result)
    }

    fn retry(&mut self) -> Result<(), StoreError> {
        let result = self.mend().and_then(|()| self.try_write_queue()).and_then(|()| self.try_sync());
        self.note(result)
    }

    /// Records whether writing works, and reports a change.
    fn note(&mut self, result: Result<(), StoreError>) -> Result<(), StoreError> {
        match result {
            Ok(()) => {
                if self.failed.take().is_some() {
                    self.failure.send_modify(|failure| failure.text = None);
                }
                Ok(())
            }
            Err(error) => {
                let why = error.brief();
                if self.failed.replace(why.clone()).is_none() {
                    let text = StoreError::NotSaved(why.clone()).to_string();
                    self.failure.send_modify(|failure| {
                        failure.times += 1;
                        failure.text = Some(text);
                    });
                }
                Err(StoreError::NotSaved(why))
            }
        }
    }

    /// Writes the waiting entries; creates the file first if there is none.
    fn try_write_queue(&mut self) -> Result<(), StoreError> {
        if let Some(why) = &self.reading {
            return Err(StoreError::NotSaved(why.clone()));
        }
        if self.forgets {
            self.queue.clear();
            return Ok(());
        }
        if self.file.is_none() {
            // A branch gets a file at once, because its origin is worth keeping.
            let is_branch = self.header.as_ref().is_some_and(|header| header.branch_of.is_some());
            if !is_branch && !self.queue.iter().any(|(_, entry)| makes_the_file(entry)) {
                return Ok(());
            }
            disk::make_folder(&self.place.folder)?;
            self.file = Some(disk::create_new(&self.place.path)?);
        }
        if let Some(header) = self.header.clone() {
            self.write_line(header.created, Entry::Header(header))?;
            self.header = None;
        }
        while let Some((at, entry)) = self.queue.front() {
            let (at, entry) = (*at, entry.clone());
            self.write_line(at, entry)?;
            self.queue.pop_front();
        }
        Ok(())
    }
}

/// Whether an entry is worth creating the file for. A session in which nothing was asked leaves no file.
fn makes_the_file(entry: &Entry) -> bool {
    !matches!(
        entry,
        Entry::Header(_)
            | Entry::Resumed
            | Entry::Accepted { .. }
            | Entry::Renamed(_)
            | Entry::Model(_)
            | Entry::KernelRestarted
            | Entry::Instructions(_)
    )
}
