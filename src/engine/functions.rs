//! The person's own functions. Before the first step of a turn whose kernel lacks them, their files are proposed as
//! blocks and wait for a first approval like every block; the functions that they load are then announced to the model.
//!
//! A later kernel of the same session gets the same bytes under the same terms without asking again: the person
//! approved exactly that. Whatever differs needs a new decision. The kernel itself reports the functions
//! (`assets/kernel.py`).

mod call;
pub(super) mod description;

use super::call_error::CallError;
use super::reply::Proposal;
use super::{Engine, Inspection, Phase};
use crate::domain::{
    Block, BlockId, BlockKind, Dialect, Entry, Function, FunctionFile, Grantor, KernelRef, Language, Origin,
    Outcome, Revision, RunReport, Sha256, StepId, Terms, ToolCall, Version,
};
use description::{describe_functions, is_offered};

/// What is known of the files, besides the state.
#[derive(Debug, Default)]
pub(super) struct FunctionFiles {
    /// The status of each file, in the order of the settings.
    statuses: Vec<FileStatus>,
    /// What the person approved: the bytes' hash, and the terms without the kernel's generation.
    approved: Vec<(Sha256, Terms)>,
    /// Whether the step waits for decisions about files.
    pub(super) preparing: bool,
    /// The system prompt without the functions.
    base: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum FileStatus {
    /// It still has to be loaded into the current or next kernel.
    #[default]
    Wanted,
    /// This block proposes it.
    Proposed(BlockId),
    /// This block loaded it into the kernel.
    Loaded(BlockId),
    /// The person declined it, or it failed; putting its block back brings it back.
    Left(BlockId),
}

impl FileStatus {
    fn block(self) -> Option<BlockId> {
        match self {
            FileStatus::Wanted => None,
            FileStatus::Proposed(block) | FileStatus::Loaded(block) | FileStatus::Left(block) => Some(block),
        }
    }
}

impl Engine {
    /// Proposes the files that the kernel lacks; returns whether the step has to wait for them.
    pub(super) fn propose_function_files(&mut self) -> bool {
        let count = self.settings.functions.len();
        self.files.statuses.resize(count, FileStatus::Wanted);
        let wanted: Vec<usize> =
            (0..count).filter(|at| self.files.statuses.get(*at) == Some(&FileStatus::Wanted)).collect();
        let mut blocks = Vec::new();
        for at in wanted {
            let Some(file) = self.settings.functions.get(at).cloned() else { continue };
            let block = self.propose_file(&file);
            if let Some(status) = self.files.statuses.get_mut(at) {
                *status = FileStatus::Proposed(block);
            }
            blocks.push(block);
        }
        if blocks.is_empty() {
            return false;
        }
        self.files.preparing = true;
        self.inspect_ahead(&blocks);
        self.advance();
        true
    }

    /// The block for a file: one that waits already (since before the session was closed), or a new one.
    fn propose_file(&mut self, file: &FunctionFile) -> BlockId {
        if let Some(block) = self.waiting_block(file) {
            return block;
        }
        let path = file.path.to_string_lossy().into_owned();
        let note = format!("your functions, from {path}");
        self.propose_own(BlockKind::Load { path }, Language::python(), file.source.clone(), note)
    }

    /// The block that proposes this text of the file and waits.
    fn waiting_block(&self, file: &FunctionFile) -> Option<BlockId> {
        let kind = BlockKind::Load { path: file.path.to_string_lossy().into_owned() };
        let mut queue = self.state.queue();
        let waits = queue.find(|item| item.block.kind == kind && item.block.original().source == file.source);
        waits.map(|item| item.block.id)
    }

    /// Proposes a block outside of any reply.
    pub(super) fn propose_own(
        &mut self,
        kind: BlockKind,
        language: Language,
        source: std::sync::Arc<str>,
        note: String,
    ) -> BlockId {
        self.propose_from(Origin::own(note), kind, language, source)
    }

    /// Proposes a block with this origin.
    pub(super) fn propose_from(
        &mut self,
        origin: Origin,
        kind: BlockKind,
        language: impl Into<Option<Language>>,
        source: std::sync::Arc<str>,
    ) -> BlockId {
        let version = Version { revision: Revision(1), source, language: language.into(), whole: true };
        self.propose_block(self.last_ids.step, kind, origin, version)
    }

    /// Records a new block with its first version.
    pub(super) fn propose_block(
        &mut self,
        step: StepId,
        kind: BlockKind,
        origin: Origin,
        first: Version,
    ) -> BlockId {
        self.last_ids.block = self.last_ids.block.next();
        let (id, versions, placed) = (self.last_ids.block, vec![first], Vec::new());
        self.record(Entry::Block(Block { id, step, kind, origin, versions, placed }));
        id
    }

    /// Runs a file again without asking, if the person approved the same bytes under the same terms before.
    pub(super) fn apply_earlier_approval(&mut self) {
        let Phase::Deciding(block) = self.state.phase else { return };
        let Some(item) = self.state.transcript.blocks.get(&block) else { return };
        if self.state.live.foreign || !matches!(item.block.kind, BlockKind::Load { .. }) {
            return;
        }
        let Some(Inspection { terms: Ok(terms), .. }) = self.state.inspected(block) else {
            return;
        };
        let current = item.block.current();
        let (revision, hash) = (current.revision, Sha256::of(current.source.as_bytes()));
        let known = self
            .files
            .approved
            .iter()
            .any(|(h, then)| *h == hash && without_kernel_state(terms).same_as(then));
        // A block that takes the typed word takes it every time.
        if known && !self.state.needs_typed(block) {
            self.grant_if_ready(block, revision, Grantor::Before);
        }
    }

    /// The block that a call of one of the functions proposes; `None` if the call names none of them.
    pub(super) fn call_of_function(
        &self,
        called: &ToolCall,
        complete: bool,
    ) -> Option<Result<Proposal, CallError>> {
        let name = called.name.trim();
        let name = name.strip_prefix("functions.").unwrap_or(name);
        let function = self.state.live.functions.iter().find(|function| function.name == name)?;
        if !is_offered(&function.name) {
            return None;
        }
        Some(call::source(function, &called.arguments).map(|source| Proposal {
            dialect: Dialect::Tools,
            special_kind: Some(BlockKind::Call { function: function.name.clone() }),
            language: Some(Language::python()),
            source,
            closed: complete,
            ..Proposal::default()
        }))
    }

    /// A block was granted: remembers an approved file until the program ends.
    pub(super) fn remember_file(&mut self, block: BlockId, hash: Sha256, terms: &Terms) {
        let item = self.state.transcript.blocks.get(&block);
        if item.is_some_and(|item| matches!(item.block.kind, BlockKind::Load { .. })) {
            let terms = without_kernel_state(terms);
            self.files.approved.retain(|(known, _)| *known != hash);
            self.files.approved.push((hash, terms));
        }
    }

    /// The block of a file was rejected or skipped.
    pub(super) fn file_left(&mut self, block: BlockId) {
        self.set_file_status(block, FileStatus::Left(block));
    }

    /// A run has ended: if it was that of a file, stores whether the file is loaded.
    pub(super) fn file_ran(&mut self, block: BlockId, report: &RunReport) {
        let loaded = report.outcome == Outcome::Ok;
        self.set_file_status(block, if loaded { FileStatus::Loaded(block) } else { FileStatus::Left(block) });
    }

    fn set_file_status(&mut self, block: BlockId, status: FileStatus) {
        if let Some(known) = self.files.statuses.iter_mut().find(|file| file.block() == Some(block)) {
            *known = status;
        }
    }

    /// The kernel reported functions: the model is told of them from the next request on.
    pub(super) fn functions_reported(&mut self, functions: Vec<Function>) {
        for function in functions {
            self.state.live.functions.retain(|known| known.name != function.name);
            self.state.live.functions.push(function);
        }
        self.announce();
    }

    /// The kernel is gone, and the loaded functions with it.
    pub(super) fn forget_functions(&mut self) {
        self.state.live.functions.clear();
        for file in &mut self.files.statuses {
            if let FileStatus::Loaded(_) = file {
                *file = FileStatus::Wanted;
            }
        }
        self.announce();
    }

    /// After a resume: files whose blocks wait keep those blocks, unless the text of the file is another one now.
    pub(super) fn resume_files(&mut self) {
        self.files.preparing =
            self.state.queue().any(|item| matches!(item.block.kind, BlockKind::Load { .. }));
        let files = self.settings.functions.iter();
        self.files.statuses = files
            .map(|file| self.waiting_block(file).map_or(FileStatus::Wanted, FileStatus::Proposed))
            .collect();
    }

    fn announce(&mut self) {
        let base = self.files.base.get_or_insert_with(|| self.settings.system_prompt.clone());
        self.settings.system_prompt = match describe_functions(&self.state.live.functions) {
            text if text.is_empty() => base.clone(),
            text => format!("{}\n\n{text}", base.trim_end()),
        };
    }
}

/// The terms without what differs from one kernel to the next.
fn without_kernel_state(terms: &Terms) -> Terms {
    Terms { kernel: terms.kernel.map(|_| KernelRef::default()), shared: None, ..terms.clone() }
}

#[cfg(test)]
mod tests;
