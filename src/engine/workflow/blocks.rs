//! Asks the recipe in progress about blocks: which it declines, what it finds in them, what it protects from them.

use super::{Workflow, WorkflowContext};
use crate::domain::{Block, BlockId, Entry, Review};
use crate::engine::{Engine, notices};
use crate::text::line::one_line;
use std::sync::Arc;

impl Engine {
    /// The recipe in progress, and what happened since it began.
    pub(super) fn recipe(&self) -> Option<(&dyn Workflow, WorkflowContext<'_>)> {
        Some((self.turn.workflow.as_deref()?, WorkflowContext::of(&self.state)?))
    }

    /// The blocks of a reply that the recipe offers to the person; the others are declined, and the model is told why.
    pub(in crate::engine) fn filter_blocks(&mut self, blocks: Vec<BlockId>) -> Vec<BlockId> {
        let Some((workflow, context)) = self.recipe() else { return blocks };
        let all = blocks.iter().filter_map(|id| context.block(*id));
        let declined = all.filter_map(|item| {
            let why = workflow.declines(&context, &item.block)?;
            Some((item.block.id, item.block.current().revision, one_line(&why)))
        });
        let declined: Vec<_> = declined.collect();
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
        let (workflow, context) = self.recipe()?;
        let item = context.block(block)?;
        review.findings.extend(workflow.remarks(&context, &item.block, review));
        review.findings.extend(on_disk.and_then(|text| workflow.outdated(&context, &item.block, text)));
        if item.block.is_own() { None } else { workflow.before(&context, &item.block) }
    }

    /// The files that the recipe protects.
    pub(in crate::engine) fn protected_files(&self) -> Vec<String> {
        self.recipe().map(|(workflow, context)| workflow.protects(&context)).unwrap_or_default()
    }

    /// Whether the strict list of forbidden things applies to a block.
    pub(in crate::engine) fn is_strict(&self, block: &Block) -> bool {
        self.recipe().is_some_and(|(workflow, context)| workflow.strict(&context, block))
    }
}
