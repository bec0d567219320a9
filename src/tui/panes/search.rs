//! Searches a text in the conversation, in the code of all blocks, and in the output on screen.
//!
//! Hits are byte ranges of lines, in the order of the conversation, then of the output. The search works in portions,
//! so that keys are handled in between however long the session is.

use super::Panes;
use super::chat::{ChatPane, is_away, is_wanted};
use crate::domain::RunId;
use crate::engine::State;
use crate::engine::transcript::Item;
use crate::tui::pattern::{Pattern, PatternError};
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::layout::Pane;
use crate::tui::widgets::passage::{FoundText, WrappedLine};
use std::collections::HashMap;
use std::rc::Rc;

/// How many hits of each pane are stored; with more, a longer search text is needed.
const MAX_HITS: usize = 2_000;

/// How many bytes are searched at once. A byte of the conversation costs more, because it has to be laid out.
const PORTION_BYTES: usize = 1 << 20;
const LAYOUT_COST: usize = 32;

/// How many bytes of messages are loaded into memory at once for the search.
const MAX_LOADED_BYTES: usize = 4 << 20;

/// How many bytes of laid out messages are kept for the next search text.
const MAX_KEPT_BYTES: usize = 4 << 20;

/// The panes that are searched, in the order in which their counts are shown.
pub(crate) const SEARCHED_PANES: [(Pane, &str); 3] =
    [(Pane::Chat, "Chat"), (Pane::Code, "Code"), (Pane::Output, "Output")];

/// A hit; in the code the item is the block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PaneHit {
    pub(crate) pane: Pane,
    pub(crate) text: FoundText,
}

/// Hits in the order of what was searched.
#[derive(Debug, Default)]
struct Hits {
    list: Vec<PaneHit>,
    /// The panes with more hits than are stored.
    cut: Vec<Pane>,
}

impl Hits {
    fn find_in_lines(&mut self, pattern: &Pattern, pane: Pane, item: usize, lines: &[WrappedLine]) {
        for (line, passage) in lines.iter().enumerate() {
            self.find_in_text(pattern, pane, (item, line), passage.text());
        }
    }

    fn find_in_text(&mut self, pattern: &Pattern, pane: Pane, (item, line): (usize, usize), text: &str) {
        if self.cut.contains(&pane) {
            return;
        }
        for bytes in pattern.find_in(text) {
            // The hits of the conversation and of its code share one list.
            let is_full = |list: &[PaneHit]| list.iter().filter(|hit| hit.pane == pane).count() >= MAX_HITS;
            if self.list.len() >= MAX_HITS && is_full(&self.list) {
                return self.cut.push(pane);
            }
            self.list.push(PaneHit { pane, text: FoundText { item, line, bytes } });
        }
    }
}

/// The lines of a message, and what they depend on: what it says, and the width.
type StampedLines = ((u64, u16), Rc<[WrappedLine]>);

/// The lines of messages that were searched. They are kept while the search text changes with each letter, because
/// laying out a message takes far longer than searching it.
#[derive(Debug, Default)]
struct SearchedLines {
    kept: HashMap<usize, StampedLines>,
    bytes: usize,
}

impl SearchedLines {
    /// The lines of an item of the conversation, and what searching them costs.
    fn of(
        &mut self,
        item: usize,
        state: &State,
        chat: &ChatPane,
        draw: DrawContext<'_>,
    ) -> (Rc<[WrappedLine]>, usize) {
        let bytes = |lines: &[WrappedLine]| lines.iter().map(|line| line.text().len() + 1).sum::<usize>();
        let stamp = chat.stamp_of_lines(state, item, draw);
        if let Some((_, lines)) = self.kept.get(&item).filter(|(known, _)| *known == stamp) {
            return (lines.clone(), bytes(lines));
        }
        // What the message was before takes no room any more.
        let before = self.kept.remove(&item).map_or(0, |(_, lines)| bytes(&lines));
        let lines: Rc<[WrappedLine]> = chat.lines_of(state, item, draw).into();
        let bytes = bytes(&lines);
        self.bytes = self.bytes.saturating_sub(before);
        if self.bytes + bytes <= MAX_KEPT_BYTES {
            self.bytes += bytes;
            self.kept.insert(item, (stamp, lines.clone()));
        }
        (lines, bytes * LAYOUT_COST)
    }
}

/// A search and its hits so far.
#[derive(Debug, Default)]
pub(crate) struct PaneSearch {
    text: String,
    is_expression: bool,
    pattern: Option<Result<Pattern, PatternError>>,
    /// The hits in the conversation and its code, and how many items were searched.
    chat_hits: Hits,
    items: usize,
    /// The lines of the items that were searched.
    lines: SearchedLines,
    /// The hits in the output, how many of its parts were searched, and the output's stamp at that time.
    output: Hits,
    output_parts: usize,
    output_was: Option<(Option<RunId>, usize, u64)>,
    /// The current hit.
    at: Option<PaneHit>,
    /// The pane whose hits come first, and the only pane to search, if the person chose one.
    first: Pane,
    only: Option<Pane>,
}

impl PaneSearch {
    /// A search that starts in this pane, with no text yet.
    pub(crate) fn new(first: Pane) -> Self {
        Self { first, ..Self::default() }
    }

    /// Starts to search this text.
    pub(crate) fn look_for(&mut self, text: &str, is_expression: bool) {
        let pattern = if is_expression { Pattern::expression(text) } else { Pattern::text(text) };
        *self = Self {
            text: text.to_owned(),
            is_expression,
            pattern: (!text.is_empty()).then_some(pattern),
            only: self.only,
            lines: std::mem::take(&mut self.lines),
            ..Self::new(self.first)
        };
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_expression(&self) -> bool {
        self.is_expression
    }

    /// The pattern, if it is valid.
    pub(crate) fn pattern(&self) -> Option<&Pattern> {
        self.pattern.as_ref()?.as_ref().ok()
    }

    /// Why the pattern is invalid.
    pub(crate) fn error(&self) -> Option<&PatternError> {
        self.pattern.as_ref()?.as_ref().err()
    }

    pub(crate) fn at(&self) -> Option<&PaneHit> {
        self.at.as_ref()
    }

    /// Searches the next portion. Returns whether there was one.
    pub(crate) fn work(&mut self, state: &State, panes: &Panes, draw: DrawContext<'_>) -> bool {
        let Some(pattern) = self.pattern().cloned() else { return false };
        let mut left = PORTION_BYTES;
        let worked = self.work_through_chat(&pattern, state, panes, &mut left, draw);
        let worked = (left > 0 && self.work_through_output(&pattern, panes, &mut left)) || worked;
        if worked && self.at.is_none() && self.is_done(state, panes) {
            self.at = self.newest();
        }
        worked
    }

    /// Whether everything was searched.
    pub(crate) fn is_done(&self, state: &State, panes: &Panes) -> bool {
        self.pattern().is_none()
            || self.items >= state.transcript.items.len()
                && self.output_was == Some(panes.output.stamp())
                && self.output_parts >= panes.output.parts()
    }

    fn work_through_chat(
        &mut self,
        pattern: &Pattern,
        state: &State,
        panes: &Panes,
        left: &mut usize,
        draw: DrawContext<'_>,
    ) -> bool {
        let before = self.items;
        while self.items < state.transcript.items.len() && *left > 0 {
            if is_away(state, self.items) {
                break;
            }
            let (lines, cost) = self.lines.of(self.items, state, &panes.chat, draw);
            *left = left.saturating_sub(cost);
            self.chat_hits.find_in_lines(pattern, Pane::Chat, self.items, &lines);
            let blocks = state.transcript.items.get(self.items).map_or(&[][..], Item::blocks);
            for block in blocks {
                let Some(item) = state.transcript.blocks.get(block) else { continue };
                let source = &item.block.current().source;
                *left = left.saturating_sub(source.len());
                for (line, text) in source.lines().enumerate() {
                    self.chat_hits.find_in_text(pattern, Pane::Code, (block.0 as usize, line), text);
                }
            }
            self.items += 1;
        }
        self.items > before
    }

    /// The items to load into memory before the search can continue: enough that it seldom waits, few enough to stay
    /// loaded.
    pub(crate) fn wanted(&self, state: &State) -> Vec<usize> {
        if self.pattern().is_none() || !is_wanted(state, self.items) {
            return Vec::new();
        }
        let mut bytes = 0;
        let near = (self.items..state.transcript.items.len()).take_while(|item| {
            let before = bytes;
            bytes += state.transcript.bytes_of(*item);
            before < MAX_LOADED_BYTES
        });
        near.collect()
    }

    fn work_through_output(&mut self, pattern: &Pattern, panes: &Panes, left: &mut usize) -> bool {
        let stamp = panes.output.stamp();
        if self.output_was != Some(stamp) {
            self.output_was = Some(stamp);
            self.output = Hits::default();
            self.output_parts = 0;
        }
        let before = self.output_parts;
        while self.output_parts < panes.output.parts() && *left > 0 {
            let item = panes.output.item(self.output_parts);
            match panes.output.printed(self.output_parts) {
                Some(text) => {
                    *left = left.saturating_sub(text.len() + 1);
                    self.output.find_in_text(pattern, Pane::Output, (item, 0), &text);
                }
                None => {
                    let lines = panes.output.lines_of(item);
                    self.output.find_in_lines(pattern, Pane::Output, item, &lines);
                }
            }
            self.output_parts += 1;
        }
        self.output_parts > before
    }

    fn hits(&self) -> impl DoubleEndedIterator<Item = &PaneHit> {
        let only = self.only;
        let all = self.chat_hits.list.iter().chain(&self.output.list);
        all.filter(move |hit| only.is_none_or(|pane| pane == hit.pane))
    }

    /// The newest hit in the pane where the search started, else the newest of all.
    fn newest(&self) -> Option<PaneHit> {
        self.hits().rfind(|hit| hit.pane == self.first).or_else(|| self.hits().next_back()).cloned()
    }

    /// How many hits a pane has; at most [`MAX_HITS`].
    pub(crate) fn count(&self, pane: Pane) -> usize {
        self.chat_hits.list.iter().chain(&self.output.list).filter(|hit| hit.pane == pane).count()
    }

    /// Whether a pane has more hits than are stored.
    pub(crate) fn has_more(&self, pane: Pane) -> bool {
        self.chat_hits.cut.contains(&pane) || self.output.cut.contains(&pane)
    }

    /// The number of the current hit, from 1, and how many there are.
    pub(crate) fn position(&self) -> (Option<usize>, usize) {
        let at = self.hits().position(|hit| Some(hit) == self.at.as_ref()).map(|at| at + 1);
        (at, self.hits().count())
    }

    /// Goes to the next hit, or to the one before; `shown` tells which panes count.
    pub(crate) fn step(&mut self, back: bool, shown: impl Fn(Pane) -> bool) {
        let all: Vec<&PaneHit> = self.hits().filter(|hit| shown(hit.pane)).collect();
        let Some(last) = all.len().checked_sub(1) else { return };
        let at = all.iter().position(|hit| Some(*hit) == self.at.as_ref());
        let next = match (at, back) {
            (Some(0), true) | (None, false) => last,
            (Some(at), true) => at - 1,
            (Some(at), false) if at < last => at + 1,
            (Some(_), false) | (None, true) => 0,
        };
        self.at = all.get(next).map(|hit| (*hit).clone());
    }

    /// Restricts the search to the next pane with hits, and after the last one to none. Returns that pane.
    pub(crate) fn next_scope(&mut self) -> Option<Pane> {
        let from = self.only.map_or(0, |only| {
            SEARCHED_PANES.iter().position(|(pane, _)| *pane == only).map_or(0, |at| at + 1)
        });
        let next = SEARCHED_PANES.iter().skip(from).map(|(pane, _)| *pane);
        self.only = next.into_iter().find(|pane| self.count(*pane) > 0);
        if self.at.as_ref().is_none_or(|at| self.only.is_some_and(|only| only != at.pane)) {
            self.at = self.newest();
        }
        self.only
    }

    /// The only pane that is searched.
    pub(crate) fn only(&self) -> Option<Pane> {
        self.only
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::dialogue::Dialogue;
    use crate::tui::theme::{Depth, Theme};
    use crate::tui::widgets::draw_context::with_draw_context;

    #[test]
    fn a_message_is_laid_out_once_for_all_letters_that_are_typed() {
        let mut d = Dialogue::new();
        d.user(&"a needle\n".repeat(2_000));
        let panes = Panes::default();
        with_draw_context(&Theme::terminal(Depth::Mono), |draw| {
            let mut search = PaneSearch::new(Pane::Chat);
            search.look_for("n", false);
            while search.work(d.state(), &panes, draw) {}
            assert!(search.count(Pane::Chat) > 0);
            let (first, cost) = search.lines.of(0, d.state(), &panes.chat, draw);
            search.look_for("ne", false);
            while search.work(d.state(), &panes, draw) {}
            let (again, _) = search.lines.of(0, d.state(), &panes.chat, draw);
            assert!(Rc::ptr_eq(&first, &again) && cost < PORTION_BYTES, "{cost}");
            // What was laid out for another width makes room for what it is now.
            let room = (search.lines.bytes, search.lines.kept.len());
            search.lines.kept.get_mut(&0).unwrap().0.1 += 1;
            assert_eq!(search.lines.of(0, d.state(), &panes.chat, draw).1, cost * LAYOUT_COST);
            assert_eq!((search.lines.bytes, search.lines.kept.len()), room);
            // More than is kept is laid out again.
            let mut full = SearchedLines { bytes: MAX_KEPT_BYTES, ..SearchedLines::default() };
            assert_eq!(full.of(0, d.state(), &panes.chat, draw).1, cost * LAYOUT_COST);
            assert!(full.kept.is_empty());
        });
    }
}
