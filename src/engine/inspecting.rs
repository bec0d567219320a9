//! Looks at blocks: every revision is reviewed, and its terms are found, before anyone can say yes to it.
//!
//! A look that was ordered before something changed (the text, the limits, the kernel) must not open the gate: while
//! any order is unanswered the block counts as not looked at.

use super::event::{EditFault, PlacedEdit};
use super::transcript::BlockStanding;
use super::{Effect, Engine, Inspection, Phase, notices};
use crate::domain::{BlockId, BlockKind, Entry, ExecutorKind, Language, Limits, Revision};
use crate::text::line::one_line;
use std::collections::BTreeMap;

/// So many blocks of a reply are looked at beforehand; those behind them when they come to wait. A reply that holds
/// thousands must not start thousands of reviews.
const MAX_BLOCKS_AHEAD: usize = 16;

/// So often the places of an edit are found anew, each time because its files changed.
const MAX_PLACE_SEARCHES: usize = 20;

/// What is known of looks beside the state.
#[derive(Debug, Default)]
pub(super) struct Inspections {
    /// Grows when what a run would meet may have changed: a run has ended, a kernel is gone.
    world: u64,
    orders: BTreeMap<BlockId, InspectionState>,
}

#[derive(Debug, Default)]
struct InspectionState {
    /// The revisions of orders without an answer.
    unanswered: Vec<Revision>,
    /// Whether an order was given while another was unanswered: their answers may come in any order.
    crossed: bool,
    /// The world when the newest order was given.
    world: u64,
    /// Whether the person changed the text and waits to hear of its checks.
    edited: bool,
}

impl Engine {
    /// What a run would meet may have changed: terms that were found before have to be found again.
    pub(super) fn world_changed(&mut self) {
        self.looks.world += 1;
    }

    /// Orders a look at the newest revision; until it is answered the block can't be approved.
    pub(super) fn order_inspection(&mut self, block: BlockId) {
        let terminal = self.has_terminal(block);
        let Some(item) = self.state.transcript.blocks.get(&block) else { return };
        let live = self.state.live.blocks.entry(block).or_default();
        live.inspected = None;
        let (limits, fresh) = (live.limits, live.fresh);
        let revision = item.block.current().revision;
        let look = self.looks.orders.entry(block).or_default();
        look.crossed = !look.unanswered.is_empty();
        look.unanswered.push(revision);
        look.world = self.looks.world;
        let block = Box::new(item.block.clone());
        let strict = self.is_strict(&block);
        self.effects.push(Effect::Inspect { block, revision, limits, fresh, terminal, strict });
    }

    /// Orders looks at the first of these blocks.
    pub(super) fn look_ahead(&mut self, blocks: &[BlockId]) {
        for block in blocks.iter().take(MAX_BLOCKS_AHEAD) {
            self.order_inspection(*block);
        }
    }

    /// Orders a look at a text that the person has just changed; the answer is told.
    pub(super) fn look_at_edit(&mut self, block: BlockId) {
        self.order_inspection(block);
        if let Some(look) = self.looks.orders.get_mut(&block) {
            look.edited = true;
        }
    }

    /// An answer. It counts when no other is waited for; where orders crossed, one more look tells how things stand.
    pub(super) fn take_inspection(&mut self, block: BlockId, revision: Revision, inspection: Inspection) {
        let Some(look) = self.looks.orders.get_mut(&block) else { return };
        let Some(order) = look.unanswered.iter().position(|ordered| *ordered == revision) else { return };
        look.unanswered.remove(order);
        let open =
            self.state.transcript.blocks.get(&block).filter(|item| item.standing == BlockStanding::Open);
        let (Some(item), true) = (open, look.unanswered.is_empty()) else { return };
        if look.crossed || item.block.current().revision != revision {
            return self.order_inspection(block);
        }
        if let Some(edit) = inspection.edit {
            return self.place_edit(block, revision, edit);
        }
        let edited = std::mem::take(&mut look.edited);
        let Inspection { mut review, terms, reach, refused, before, lacking, image, venv, undo, .. } =
            inspection;
        let before = self.remarks(block, &mut review, before.as_deref()).or(before);
        let Some(item) = self.state.transcript.blocks.get(&block) else { return };
        let known = item.review.as_ref().is_some_and(|(r, known)| *r == revision && **known == review);
        let notice = edited.then(|| notices::edited(&item.block, &review));
        self.state.live.blocks.entry(block).or_default().inspected = Some(super::state::InspectionResult {
            revision,
            review: review.clone(),
            terms,
            reach,
            refused,
            before,
            lacking,
            image,
            venv,
            undo,
        });
        self.conditions_found(block);
        if !known {
            self.record(Entry::Review { block, revision, review });
        }
        if let Some(notice) = notice {
            self.notify(notice);
        }
        self.offer_lacking();
        self.apply_policy();
        self.apply_memory();
        self.apply_named();
    }

    /// The places of an edit were looked for. What was found is a text of its own, to be looked at; what was not found is no
    /// block that waits: the model hears of it, once its turn has come. An edit before it may still make the place.
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
            self.looks.orders.remove(&block);
            return;
        }
        let why = one_line(&fault.0);
        self.turn.news = true;
        let notice = notices::not_placed(block, &why);
        self.record(Entry::Declined { block, revision, why });
        self.settled(block);
        self.notify(notice);
        self.advance();
    }

    /// The first block that is not settled waits now. It is looked at again when its last look is out of date.
    pub(super) fn wait_for_decision(&mut self, block: BlockId) {
        self.state.phase = Phase::Deciding(block);
        let Some(item) = self.state.transcript.blocks.get(&block) else { return };
        if let Some(language) = item.block.current().language.clone().filter(|_| item.block.kind.is_code()) {
            self.effects.push(Effect::Prewarm(language));
        }
        if self.looks.orders.get(&block).is_none_or(|look| look.world != self.looks.world) {
            self.order_inspection(block);
        }
        self.offer_lacking();
        self.apply_policy();
        self.apply_memory();
        self.apply_named();
    }

    /// Looks again at the block that waits, if its terms may have changed.
    pub(super) fn look_again(&mut self) {
        if let Phase::Deciding(block) = self.state.phase {
            self.order_inspection(block);
        }
    }

    /// The person tells the language of a block that names none.
    pub(super) fn choose_language(&mut self, block: BlockId, language: Language) {
        let Some(item) = self.open_block(block) else { return };
        let version = item.block.current();
        if version.language.is_some() || !item.block.kind.is_code() {
            return;
        }
        if !self.settings.languages.0.iter().any(|entry| entry.name == language) {
            self.notify(notices::unknown_language(&language));
            return;
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
            self.notify(notices::no_time());
            return;
        }
        self.state.live.blocks.entry(block).or_default().limits = Some(limits);
        self.order_inspection(block);
    }

    /// The person wants the block to run in a new kernel, or not any more.
    pub(super) fn set_fresh(&mut self, block: BlockId) {
        if !self.open_block(block).is_some_and(|item| matches!(item.block.kind, BlockKind::Code { .. })) {
            return;
        }
        let live = self.state.live.blocks.entry(block).or_default();
        live.fresh = !live.fresh;
        // One that has a terminal runs outside of the kernel.
        if live.fresh {
            live.terminal = Some(false);
        }
        let fresh = live.fresh;
        let language = self.open_block(block).and_then(|item| item.block.current().language.clone());
        let kernel = language
            .and_then(|language| self.state.live.kernels.get_key_value(&language))
            .map(|(language, kernel)| (language.clone(), *kernel));
        let notice = notices::fresh(block, fresh, kernel);
        self.notify(notice);
        self.order_inspection(block);
    }

    /// The person wants the block to have a terminal of its own, or not any more. What is known not to give one is told in
    /// words, and nothing changes.
    pub(super) fn set_terminal(&mut self, block: BlockId) {
        if !self.open_block(block).is_some_and(|item| matches!(item.block.kind, BlockKind::Code { .. })) {
            return;
        }
        let terminal = !self.has_terminal(block);
        let live = self.state.live.blocks.entry(block).or_default();
        let known = live.inspected.as_ref().and_then(|found| found.terms.as_ref().ok());
        let elsewhere = known
            .is_some_and(|terms| !matches!(terms.executor, ExecutorKind::Kernel | ExecutorKind::Subprocess));
        if elsewhere && terminal {
            self.notify(notices::no_terminal(block));
            return;
        }
        let leaves_kernel = known.is_some_and(|terms| terms.executor == ExecutorKind::Kernel);
        live.terminal = Some(terminal);
        live.fresh &= !terminal;
        let notice = notices::terminal(block, terminal, leaves_kernel);
        self.notify(notice);
        self.order_inspection(block);
    }

    /// Whether the block would have a terminal of its own: by what the person said of it, else by its language.
    fn has_terminal(&self, block: BlockId) -> bool {
        let wish = self.state.live.blocks.get(&block).and_then(|live| live.terminal);
        let item = self.state.transcript.blocks.get(&block);
        let code = item.filter(|item| matches!(item.block.kind, BlockKind::Code { .. }));
        let language = code.and_then(|item| item.block.current().language.as_ref());
        wish.unwrap_or_else(|| language.is_some_and(|language| self.settings.terminals.contains(language)))
    }

    fn open_block(&self, block: BlockId) -> Option<&super::transcript::BlockItem> {
        self.state.transcript.blocks.get(&block).filter(|item| item.standing == BlockStanding::Open)
    }
}
