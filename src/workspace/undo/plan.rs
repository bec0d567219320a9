//! Decides which files below some folders are copied, and which are not and why, from names, sizes and whether they
//! can be read. What is shown before a decision and what is copied before the run come from the same plan.

use super::index::FileKey;
use super::opener::Node;
use super::walk::WalkResult;
use crate::domain::UndoCover;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The most names that are shown of what is left out.
const MAX_NAMES_SHOWN: usize = 12;

/// How much is copied. One run gets at most half of the total, so that copies for earlier runs stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UndoLimits {
    /// The bytes of all copies together; 0 switches undo off.
    pub(crate) total: u64,
    /// The bytes of one file.
    pub(crate) file: u64,
    /// The files, folders and links in the folders that a run may write.
    pub(crate) files: usize,
}

impl Default for UndoLimits {
    fn default() -> Self {
        Self { total: 1 << 30, file: 16 << 20, files: 50_000 }
    }
}

impl UndoLimits {
    /// The bytes that one snapshot may use.
    pub(super) fn snapshot_limit(&self) -> u64 {
        self.total / 2
    }
}

#[derive(Debug)]
pub(super) struct CopyPlan {
    pub(super) walked: WalkResult,
    /// Files that are not copied.
    pub(super) unkept: BTreeSet<PathBuf>,
    pub(super) cover: UndoCover,
}

impl CopyPlan {
    /// Plans for the files that were found; `named` returns a path as the person knows it.
    pub(super) fn of(
        walked: WalkResult,
        limits: &UndoLimits,
        is_secret: &mut dyn FnMut(&Path) -> bool,
        is_readable: &mut dyn FnMut(&Path, &FileKey) -> bool,
        named: impl Fn(&Path) -> String,
    ) -> Self {
        let (mut unkept, mut cover, mut wanted) = (BTreeSet::new(), UndoCover::default(), Vec::new());
        let mut secrets = Vec::new();
        for (path, node) in &walked.nodes {
            let Node::File(key, _) = node else { continue };
            if is_secret(path) {
                secrets.push(path);
                unkept.insert(path.clone());
            } else if key.size > limits.file {
                cover.large += 1;
                unkept.insert(path.clone());
            } else if !is_readable(path, key) {
                cover.unreadable += 1;
                unkept.insert(path.clone());
            } else {
                wanted.push((key.size, path));
            }
        }
        // If there is no room for all, the largest are left out, so that as few as possible are.
        wanted.sort_unstable();
        let mut bytes: u64 = wanted.iter().map(|(size, _)| size).sum();
        while let Some((size, path)) = wanted.pop().filter(|_| bytes > limits.snapshot_limit()) {
            bytes -= size;
            cover.large += 1;
            unkept.insert(path.clone());
        }
        cover.secret = count(secrets.len());
        cover.folders = count(walked.left_out.len());
        let names = secrets.into_iter().chain(&walked.left_out);
        cover.names = names.take(MAX_NAMES_SHOWN).map(|path| named(path)).collect();
        Self { walked, unkept, cover }
    }

    /// The files that are copied.
    pub(super) fn kept(&self) -> impl Iterator<Item = (&PathBuf, &FileKey)> {
        self.walked.nodes.iter().filter_map(|(path, node)| match node {
            Node::File(key, _) if !self.unkept.contains(path) => Some((path, key)),
            _ => None,
        })
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
