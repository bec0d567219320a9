//! Inspections of blocks: every revision is reviewed and its terms are found before anyone can approve it.
//!
//! An inspection that was ordered before something changed (the text, the limits, the kernel) must not open the gate:
//! while any order is unanswered, the block counts as not inspected.

use super::inspection::{EditFault, PlacedEdit};
use super::transcript::BlockStatus;
use super::{Effect, Engine, Inspection, Phase, RunOptions, notices};
use crate::domain::{BlockId, BlockKind, Entry, ExecutorKind, Language, Limits, Revision};
use crate::text::line::one_line;
use std::collections::BTreeMap;

/// How many blocks of a reply are inspected ahead; the others are inspected when their turn comes. A reply with
/// thousands of blocks must not start thousands of reviews.
const MAX_BLOCKS_AHEAD: usize = 16;

/// How often an edit is placed again because its files changed.
const MAX_PLACE_SEARCHES: usize = 20;

/// What is known of inspections, besides the state.
#[derive(Debug, Default)]
pub(super) struct Inspections {
    /// Counts changes of what a run would find: a run has ended, a kernel is gone.
    environment_version: u64,
    orders: BTreeMap<BlockId, InspectionState>,
}

#[derive(Debug, Default)]
struct InspectionState {
    /// The revisions of orders without an answer.
    unanswered: Vec<Revision>,
    /// Whether an order was given while another was unanswered: their answers may arrive in any order.
    crossed: bool,
    /// The value of [`Inspections::environment_version`] when the newest order was given.
    environment_version: u64,
    /// Whether the person edited the text and is told the result of the checks.
    edited: bool,
}

impl Engine {
    /// What a run would find may have changed: terms found before have to be found again.
    pub(super) fn mark_environment_changed(&mut self) {
        self.inspections.environment_version += 1;
    }

    /// Orders an inspection of the newest revision; until it is answered the block can't be approved.
    pub(super) fn order_inspection(&mut self, block: BlockId) {
        let terminal = self.has_terminal(block);
        let Some(item) = self.state.transcript.blocks.get(&block) else { return };
        let live = self.state.live.blocks.entry(block).or_default();
        live.inspected = None;
        let options = RunOptions { limits: live.limits, new_kernel: live.new_kernel, terminal };
        let revision = item.block.current().revision;
        let pending = self.inspections.orders.entry(block).or_default();
        pending.crossed = !pending.unanswered.is_empty();
        pending.unanswered.push(revision);
        pending.environment_version = self.inspections.environment_version;
        let block = Box::new(item.block.clone());
        let strict = self.is_strict(&block);
        self.effects.push(Effect::Inspect { block, revision, options, strict });
    }

    /// Orders inspections of the first of these blocks.
    pub(super) fn inspect_ahead(&mut self, blocks: &[BlockId]) {
        for block in blocks.iter().take(MAX_BLOCKS_AHEAD) {
            self.order_inspection(*block);
        }
    }

    /// Orders an inspection of a text that the person has just edited; its result is shown as a notice.
    pub(super) fn inspect_edit(&mut self, block: BlockId) {
        self.order_inspection(block);
        if let Some(pending) = self.inspections.orders.get_mut(&block) {
            pending.edited = true;
        }
    }

    /// Takes an answer. It counts if no other is outstanding; if orders crossed, the block is inspected once more.
    pub(super) fn take_inspection(&mut self, block: BlockId, revision: Revision, mut inspection: Inspection) {
        let Some(pending) = self.inspections.orders.get_mut(&block) else { return };
        let Some(order) = pending.unanswered.iter().position(|ordered| *ordered == revision) else { return };
        pending.unanswered.remove(order);
        let open = self.state.transcript.blocks.get(&block).filter(|item| item.status == BlockStatus::Open);
        let (Some(item), true) = (open, pending.unanswered.is_empty()) else { return };
        if pending.crossed || item.block.current().revision != revision {
            return self.order_inspection(block);
        }
        if let Some(edit) = inspection.edit.take() {
            return self.place_edit(block, revision, edit);
        }
        let edited = std::mem::take(&mut pending.edited);
        let before = self.remarks(block, &mut inspection.review, inspection.before.as_deref());
        inspection.before = before.or(inspection.before);
        let review = inspection.review.clone();
        let Some(item) = self.state.transcript.blocks.get(&block) else { return };
        let known = item.review.as_ref().is_some_and(|(r, known)| *r == revision && **known == review);
        let notice = edited.then(|| notices::edited(&item.block, &review));
        self.state.live.blocks.entry(block).or_default().inspected = Some((revision, inspection));
        self.conditions_found(block);
        if !known {
            self.record(Entry::Review { block, revision, review });
        }
        if let Some(notice) = notice {
            self.notify(notice);
        }
        self.proceed_without_asking();
    }

    /// Handles the result of placing an edit. The new text of its files becomes a revision that is inspected. If the
    /// edit can't be placed, the block is declined and the model told, but only when its turn comes: an edit before it
    /// may still make it fit.
    fn place_edit(&mut self, block: BlockId, revision: Revision, edit: Result<PlacedEdit, EditFault>) {
        let times = self.state.transcript.blocks.get(&block).map_or(0, |item| item.block.placed.len());
        let fault = match edit {
            Ok(PlacedEdit { text: source, bases, note }) if times < MAX_PLACE_SEARCHES => {
                let revision = revision.next();
                self.record(Entry::Placed { block, revision, source, bases, note, whole: true });
                return self.order_inspection(block);
            }
            Ok(_) => EditFault("its files change again and again".into()),
            Err(fault) => fault,
        };
        if self.state.phase != Phase::Deciding(block) {
            self.inspections.orders.remove(&block);
            return;
        }
        let why = one_line(&fault.0);
        self.turn.unreported_results = true;
        let notice = notices::not_placed(block, &why);
        self.record(Entry::Declined { block, revision, why });
        self.settled(block);
        self.notify(notice);
        self.advance();
    }

    /// The block, the first that is not settled, waits for a decision from now on. It is inspected again if its last
    /// inspection is out of date.
    pub(super) fn wait_for_decision(&mut self, block: BlockId) {
        self.state.phase = Phase::Deciding(block);
        let Some(item) = self.state.transcript.blocks.get(&block) else { return };
        if let Some(language) = item.block.current().language.clone().filter(|_| item.block.kind.is_code()) {
            self.effects.push(Effect::Prewarm(language));
        }
        let Inspections { environment_version, orders } = &self.inspections;
        if orders.get(&block).is_none_or(|pending| pending.environment_version != *environment_version) {
            self.order_inspection(block);
        }
        self.proceed_without_asking();
    }

    /// Offers what the block that waits lacks, and runs it if the person decided about it before: by a flag, earlier in
    /// the session, or by naming it.
    fn proceed_without_asking(&mut self) {
        self.offer_lacking();
        self.apply_policy();
        self.apply_earlier_approval();
        self.apply_named();
    }

    /// Inspects the block that waits again, since its terms may have changed.
    pub(super) fn inspect_again(&mut self) {
        if let Phase::Deciding(block) = self.state.phase {
            self.order_inspection(block);
        }
    }

    /// The person chooses the language of a block that names none.
    pub(super) fn choose_language(&mut self, block: BlockId, language: Language) {
        let Some(item) = self.open_block(block) else { return };
        let version = item.block.current();
        if version.language.is_some() || !item.block.kind.is_code() {
            return;
        }
        if !self.settings.languages.0.iter().any(|entry| entry.name == language) {
            return self.notify(notices::unknown_language(&language));
        }
        let revision = version.revision.next();
        self.record(Entry::LanguageChosen { block, revision, language: language.clone() });
        if self.state.phase == Phase::Deciding(block) {
            self.effects.push(Effect::Prewarm(language));
        }
        self.order_inspection(block);
    }

    /// The person changes the limits of a block.
    pub(super) fn set_limits(&mut self, block: BlockId, limits: Limits) {
        if self.open_block(block).is_none() {
            return;
        }
        if limits.wall_ms == 0 {
            return self.notify(notices::no_time());
        }
        self.state.live.blocks.entry(block).or_default().limits = Some(limits);
        self.order_inspection(block);
    }

    /// The person switches on or off that the block runs in a new kernel.
    pub(super) fn toggle_new_kernel(&mut self, block: BlockId) {
        if !self.open_block(block).is_some_and(|item| matches!(item.block.kind, BlockKind::Code { .. })) {
            return;
        }
        let live = self.state.live.blocks.entry(block).or_default();
        live.new_kernel = !live.new_kernel;
        // A block with a terminal runs outside of the kernel.
        if live.new_kernel {
            live.terminal = Some(false);
        }
        let new_kernel = live.new_kernel;
        let language = self.open_block(block).and_then(|item| item.block.current().language.clone());
        let kernel = language
            .and_then(|language| self.state.live.kernels.get_key_value(&language))
            .map(|(language, kernel)| (language.clone(), *kernel));
        let notice = notices::new_kernel_toggled(block, new_kernel, kernel);
        self.notify(notice);
        self.order_inspection(block);
    }

    /// The person switches on or off that the block gets a terminal of its own. If its executor is known to have none,
    /// the person is told so and nothing changes.
    pub(super) fn toggle_terminal(&mut self, block: BlockId) {
        if !self.open_block(block).is_some_and(|item| matches!(item.block.kind, BlockKind::Code { .. })) {
            return;
        }
        let terminal = !self.has_terminal(block);
        let live = self.state.live.blocks.entry(block).or_default();
        let known = live.inspected.as_ref().and_then(|(_, found)| found.terms.as_ref().ok());
        let elsewhere = known
            .is_some_and(|terms| !matches!(terms.executor, ExecutorKind::Kernel | ExecutorKind::Subprocess));
        if elsewhere && terminal {
            return self.notify(notices::no_terminal(block));
        }
        let leaves_kernel = known.is_some_and(|terms| terms.executor == ExecutorKind::Kernel);
        live.terminal = Some(terminal);
        live.new_kernel &= !terminal;
        let notice = notices::terminal(block, terminal, leaves_kernel);
        self.notify(notice);
        self.order_inspection(block);
    }

    /// Whether the block would get a terminal of its own: as the person chose, else by its language.
    fn has_terminal(&self, block: BlockId) -> bool {
        let chosen = self.state.live.blocks.get(&block).and_then(|live| live.terminal);
        let item = self.state.transcript.blocks.get(&block);
        let code = item.filter(|item| matches!(item.block.kind, BlockKind::Code { .. }));
        let language = code.and_then(|item| item.block.current().language.as_ref());
        chosen.unwrap_or_else(|| language.is_some_and(|language| self.settings.terminals.contains(language)))
    }

    fn open_block(&self, block: BlockId) -> Option<&super::transcript::BlockItem> {
        self.state.transcript.blocks.get(&block).filter(|item| item.status == BlockStatus::Open)
    }
}
