//! Asks the recipe in progress about blocks: which it declines, what it finds in them, what it protects from them.

use super::WorkflowContext;
use crate::domain::{Block, BlockId, Entry, Review};
use crate::engine::{Engine, notices};
use crate::text::line::one_line;
use std::sync::Arc;

impl Engine {
    /// The blocks of a reply that the recipe offers to the person; the others are declined, and the model is told why.
    pub(in crate::engine) fn filter_blocks(&mut self, blocks: Vec<BlockId>) -> Vec<BlockId> {
        let Some(way) = self.turn.workflow.clone() else { return blocks };
        let mut declined = Vec::new();
        if let Some(context) = WorkflowContext::of(&self.state) {
            let all = blocks.iter().filter_map(|id| context.block(*id));
            declined.extend(all.filter_map(|item| {
                let why = way.declines(&context, &item.block)?;
                Some((item.block.id, item.block.current().revision, one_line(&why)))
            }));
        }
        for (block, revision, why) in &declined {
            self.turn.unreported_results = true;
            self.record(Entry::Declined { block: *block, revision: *revision, why: why.clone() });
            self.settled(*block);
            self.notify(notices::declined(*block, why));
        }
        blocks.into_iter().filter(|block| !declined.iter().any(|(known, ..)| known == block)).collect()
    }

    /// Adds the recipe's findings to the review of an inspected block; returns the text to compare the block with.
    pub(in crate::engine) fn remarks(
        &self,
        block: BlockId,
        review: &mut Review,
        on_disk: Option<&str>,
    ) -> Option<Arc<str>> {
        let (way, context) = (self.turn.workflow.as_ref()?, WorkflowContext::of(&self.state)?);
        let item = context.block(block)?;
        review.findings.extend(way.remarks(&context, &item.block, review));
        review.findings.extend(on_disk.and_then(|text| way.outdated(&context, &item.block, text)));
        if item.block.is_own() { None } else { way.before(&context, &item.block) }
    }

    /// The files that the recipe protects.
    pub(in crate::engine) fn protected_files(&self) -> Vec<String> {
        match (&self.turn.workflow, WorkflowContext::of(&self.state)) {
            (Some(way), Some(context)) => way.protects(&context),
            _ => Vec::new(),
        }
    }

    /// Whether the strict list of forbidden things applies to a block.
    pub(in crate::engine) fn is_strict(&self, block: &Block) -> bool {
        match (&self.turn.workflow, WorkflowContext::of(&self.state)) {
            (Some(way), Some(context)) => way.strict(&context, block),
            _ => false,
        }
    }
}
