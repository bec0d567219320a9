//! Takes a snapshot of some folders before a run, with copies of their files, and finds the differences afterwards.

use super::index::{FileKey, Index};
use super::objects::{Objects, UnfinishedObject, hash};
use super::opener::{Node, Opener};
use super::plan::CopyPlan;
use super::record::{FileState, PathChange, Record};
use super::walk::{UndoScope, WalkResult, is_gone};
use crate::domain::{Sha256, UndoCover};
use crate::workspace::shared_maps::MappedFiles;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// How long a snapshot may take, while the run waits for it.
const SNAPSHOT_TIMEOUT: Duration = Duration::from_secs(20);
/// Larger files that a run left are not read: only that they changed is known.
const MAX_INSPECTED_BYTES: u64 = 256 << 20;

/// The estimated bytes of a change in a record, without its path.
const CHANGE_BYTES: u64 = 350;
/// The least and the most bytes that are reserved for a record.
const MIN_RECORD_ROOM: u64 = 64 << 10;
const MAX_RECORD_ROOM: u64 = 16 << 20;

#[derive(Debug)]
pub(crate) struct UndoSnapshot {
    pub(super) scope: UndoScope,
    at: SystemTime,
    nodes: BTreeMap<PathBuf, (Option<FileKey>, FileState)>,
    /// The files that processes of runs had mapped.
    mapped: MappedFiles,
    /// What the copies cover.
    pub(crate) cover: UndoCover,
    /// Disk space reserved for the record of the differences, because the run may fill the disk.
    room: Mutex<Option<UnfinishedObject>>,
}

/// The hash of a file's content, and its size.
type ContentId = (Sha256, u64);

/// The state of a node; a file's content must be given, or it counts as not copied.
pub(super) fn state(node: Option<&Node>, content: Option<ContentId>) -> FileState {
    match (node, content) {
        (None, _) => FileState::Nothing,
        (Some(Node::Folder(access)), _) => FileState::Folder { access: *access },
        (Some(Node::Link(to)), _) => FileState::Link { to: to.clone() },
        (Some(Node::File(_, access)), Some((sha256, bytes))) => {
            FileState::File { sha256, bytes, access: *access }
        }
        (Some(Node::File(key, _)), None) => FileState::Unkept { bytes: key.size },
        (Some(Node::Other), _) => FileState::Unkept { bytes: 0 },
    }
}

/// The present state of a path. A content that the index knows is not read again; nothing is copied.
pub(super) fn state_of(
    path: &Path,
    node: Option<&Node>,
    opener: &mut Opener,
    index: &mut Index,
) -> FileState {
    let Some(Node::File(key, _)) = node else { return state(node, None) };
    let content = index.get(key).map(|sha256| (sha256, key.size)).or_else(|| {
        let at = SystemTime::now();
        let mut file = opener.open(path).ok()?;
        let key = FileKey::of(&file).ok()?;
        let (sha256, bytes) = hash(&mut file, MAX_INSPECTED_BYTES, |_| Ok(())).ok()?;
        index.note(key, sha256, at);
        Some((sha256, bytes))
    });
    state(node, content)
}

impl UndoSnapshot {
    /// Copies the planned files, unless their contents are stored already.
    ///
    /// # Errors
    /// When the copies can't be written, or it takes too long: then there is no snapshot.
    pub(super) fn take(
        scope: UndoScope,
        plan: CopyPlan,
        objects: &Objects,
        index: &mut Index,
        file_limit: u64,
    ) -> io::Result<Self> {
        let (began, at, mut opener) = (Instant::now(), SystemTime::now(), Opener::default());
        let mapped = index.look_at_mappings(&MappedFiles::default());
        let (mut contents, mut unreadable) = (BTreeMap::new(), 0);
        for (path, key) in plan.kept() {
            if began.elapsed() > SNAPSHOT_TIMEOUT {
                return Err(io::Error::other(format!(
                    "copying took longer than {} s",
                    SNAPSHOT_TIMEOUT.as_secs()
                )));
            }
            let known = index.get(key).filter(|sha256| objects.has_and_touch(*sha256, key.size));
            let content = match known {
                Some(sha256) => Ok((sha256, key.size)),
                None => copy(path, &mut opener, objects, index, file_limit),
            };
            match content {
                Ok(content) => drop(contents.insert(path.clone(), content)),
                // The file was removed or became larger meanwhile, or can't be read.
                Err(CopyError::Source) => unreadable += 1,
                Err(CopyError::Store(error)) => return Err(error),
            }
        }
        let nodes: BTreeMap<_, _> = plan
            .walked
            .nodes
            .iter()
            .map(|(path, node)| {
                let key = if let Node::File(key, _) = node { Some(*key) } else { None };
                (path.clone(), (key, state(Some(node), contents.get(path).copied())))
            })
            .collect();
        let cover = UndoCover { unreadable: plan.cover.unreadable + unreadable, ..plan.cover };
        let of_record = nodes.keys().map(|path| path.as_os_str().len() as u64 + CHANGE_BYTES).sum::<u64>();
        let room = Mutex::new(objects.reserve((of_record + MIN_RECORD_ROOM).min(MAX_RECORD_ROOM)));
        Ok(Self { scope, at, nodes, mapped, cover, room })
    }

    /// Frees the space that was reserved for the record.
    pub(super) fn make_room(&self) {
        self.room.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// The contents that the snapshot needs.
    pub(super) fn needed(&self) -> HashSet<Sha256> {
        let contents = self.nodes.values().filter_map(|(_, state)| match state {
            FileState::File { sha256, .. } => Some(*sha256),
            _ => None,
        });
        contents.collect()
    }

    /// The differences from the snapshot, and the folders of it that can't be looked into any more. If the second walk
    /// met too many names (`now` is `None`), only the paths of the snapshot are checked.
    pub(super) fn changes(&self, now: Option<WalkResult>, index: &mut Index) -> (Record, BTreeSet<PathBuf>) {
        let mut opener = Opener::default();
        index.look_at_mappings(&self.mapped);
        let now = now.unwrap_or_else(|| {
            let stands = |path: &PathBuf| Some((path.clone(), opener.node(path)?));
            WalkResult { nodes: self.nodes.keys().filter_map(stands).collect(), left_out: Vec::new() }
        });
        let paths: BTreeSet<&PathBuf> = self.nodes.keys().chain(now.nodes.keys()).collect();
        let (mut changes, mut closed) = (Vec::new(), BTreeSet::new());
        for path in paths {
            let (known, node) = (self.nodes.get(path), now.nodes.get(path));
            let before = known.map_or(FileState::Nothing, |(_, state)| state.clone());
            let key = known.and_then(|(key, _)| *key);
            if let (Some(then), Some(Node::File(now, _))) = (key, node)
                && then == *now
                && (then.is_settled(self.at) && !index.is_mapped(now)
                    || matches!(before, FileState::Unkept { .. }))
            {
                continue;
            }
            // A path that can't be listed any more does not count as deleted.
            let left_out = || now.left_out.iter().find(|folder| path.starts_with(folder));
            if node.is_none()
                && let Some(folder) = left_out()
                && !is_gone(path)
            {
                if self.nodes.contains_key(folder) {
                    closed.insert(folder.clone());
                }
                continue;
            }
            let after = state_of(path, node, &mut opener, index);
            // Of the folders of the run themselves, only the rights are taken back: none of them is made or removed.
            if self.scope.is_root(path) && !(before.is_folder() && after.is_folder()) {
                continue;
            }
            let is_unkept = matches!((&before, node), (FileState::Unkept { .. }, Some(Node::File(..))));
            if before != after || is_unkept {
                changes.push(PathChange { path: path.clone(), before, after });
            }
        }
        (Record { changes }, closed)
    }
}

enum CopyError {
    Source,
    Store(io::Error),
}

fn copy(
    path: &Path,
    opener: &mut Opener,
    objects: &Objects,
    index: &mut Index,
    most: u64,
) -> Result<ContentId, CopyError> {
    let at = SystemTime::now();
    let file = opener.open(path).map_err(|_| CopyError::Source)?;
    let key = || FileKey::of(&file).map_err(|_| CopyError::Source);
    let before = key()?;
    let (sha256, bytes) = objects.put_file(&file, most).map_err(|error| match error.kind() {
        // With an error code of the system, the error is about writing the copy, not about the size of the source.
        io::ErrorKind::FileTooLarge if error.raw_os_error().is_none() => CopyError::Source,
        _ => CopyError::Store(error),
    })?;
    if key()? == before {
        index.note(before, sha256, at);
    }
    Ok((sha256, bytes))
}
