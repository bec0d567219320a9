//! Which files below some folders are remembered, and which are not and why: found from names and sizes alone. What is told
//! before a decision and what is copied before the run are made from the same plan.

use super::index::FileKey;
use super::opener::Node;
use super::walk::WalkResult;
use crate::domain::UndoCover;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Names that are told of what is left out.
const MAX_NAMES_SHOWN: usize = 12;

/// How much is remembered. Of bytes in all a single run's folders get the half, so that what earlier runs changed stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UndoLimits {
    /// Bytes of all copies together; 0: nothing is remembered.
    pub(crate) total: u64,
    /// Bytes of a file.
    pub(crate) file: u64,
    /// Files, folders and links of the folders that a run may write.
    pub(crate) files: usize,
}

impl Default for UndoLimits {
    fn default() -> Self {
        Self { total: 1 << 30, file: 16 << 20, files: 50_000 }
    }
}

impl UndoLimits {
    /// Bytes that one remembering may keep.
    pub(super) fn at_once(&self) -> u64 {
        self.total / 2
    }
}

#[derive(Debug)]
pub(super) struct CopyPlan {
    pub(super) walked: WalkResult,
    /// Files of which no copy is made.
    pub(super) unkept: BTreeSet<PathBuf>,
    pub(super) cover: UndoCover,
}

impl CopyPlan {
    /// Plans for what was found; `named` tells a path as the person knows it.
    pub(super) fn of(
        walked: WalkResult,
        limits: &UndoLimits,
        is_secret: &mut dyn FnMut(&Path) -> bool,
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
            } else {
                wanted.push((key.size, path));
            }
        }
        // Where there is no room for all, as few as possible are left out.
        wanted.sort_unstable();
        let mut bytes: u64 = wanted.iter().map(|(size, _)| size).sum();
        while let Some((size, path)) = wanted.pop().filter(|_| bytes > limits.at_once()) {
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
