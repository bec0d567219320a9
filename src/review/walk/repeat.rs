//! Reads loops again, and gives names their values back behind the nodes in which they mean something else.
//!
//! A loop is read a second time with the values that its end gives to names, because its beginning may use them. What
//! changes once more may then be anything, and the loop is read again, until nothing else changes.

use super::stretch::{LoopRound, NameBehind, OpenBlock, RepeatedStretch, ValueAfter};
use super::stretch::{is_covered, is_loop, may_leave_loop};
use super::{WalkContext, WalkStep};
use crate::review::flow::MAX_CHANGES;
use crate::review::folder;
use crate::review::items::{in_common, may_be_many_lists};
use crate::review::value::Value;
use std::collections::{HashMap, HashSet};
use tree_sitter::Node;

/// The most rounds in which names of a loop may turn out to hold anything. One hands it on to the next in each:
/// `a, b = b, a + b` takes two.
const MAX_WIDENINGS: usize = 4;

/// The most names that get their values back behind one node.
const MAX_RESTORED: usize = 1024;

impl<'t> WalkContext<'_, 't> {
    /// Begins a stretch that may run several times, or at another time than where it stands.
    pub(in crate::review) fn begin_repeated(&mut self, node: Node<'t>, frame: usize) {
        if self.repeated.is_empty() {
            self.frames.forget_changes();
        }
        let (acts, folder) = (self.reading.acts.len(), self.folder.clone());
        let (changes, frames) = (self.frames.changes(), self.frames.count());
        let (node, branches) = (node.id(), self.step.branches);
        self.repeated.push(RepeatedStretch { node, frame, branches, acts, folder, changes, frames });
    }

    /// Begins the body of a function that is read where no call of it is followed: it may run in any of the folders.
    pub(in crate::review) fn begin_body(&mut self, node: Node<'t>, frame: usize) {
        if frame > 0 {
            self.begin_repeated(node, frame);
            self.folder = self.folder.as_ref().map(|_| folder::unknown());
        }
    }

    /// Begins a block of statements that run one after the other. What `try` runs may end between any two of them, and
    /// so may the body of a `with` that swallows errors.
    pub(in crate::review) fn begin_block(&mut self, node: Node<'t>) {
        let parent = node.parent();
        let is_with = parent.is_some_and(|parent| parent.kind() == "with_statement");
        let head =
            parent.filter(|_| is_with).and_then(|with| self.source.get(with.start_byte()..node.start_byte()));
        let is_swallowing = head.is_some_and(|head| head.contains("suppress") || head.contains("raises"));
        let is_plain = !is_swallowing
            && parent.is_some_and(|parent| {
                is_with
                    || matches!(parent.kind(), "statement_block" | "program")
                        && node.kind() == "statement_block"
            });
        let is_tried = is_swallowing
            || self.tried == Some(node.id())
            || self.blocks.last().is_some_and(|block| block.is_tried);
        let may_end_early = is_tried
            || !is_plain
                && (!self.frames.pay_optional(node.byte_range().len() / 16)
                    || may_leave_loop(node, self.source));
        let (node, branches) = (node.id(), self.step.branches);
        self.blocks.push(OpenBlock { node, branches, is_plain, is_tried, may_end_early });
    }

    /// Begins a `try` statement.
    pub(in crate::review) fn begin_try(&mut self, node: Node<'t>) {
        self.tried = node.child_by_field_name("body").map(|body| body.id());
    }

    /// The innermost block.
    pub(in crate::review) fn block(&self) -> Option<usize> {
        self.blocks.last().map(|block| block.node)
    }

    /// Ends what began with a node. If a loop changed the folder, its beginning may run in the changed one. Returns the
    /// position at which it has to be read once more, because a name that it changed may be read before that.
    pub(in crate::review) fn end(&mut self, node: Node<'t>) -> Option<WalkStep> {
        self.blocks.pop_if(|block| block.node == node.id());
        let stretch = self.repeated.pop_if(|stretch| stretch.node == node.id());
        let changed = stretch.as_ref().filter(|_| is_loop(node));
        let changed = changed.map(|stretch| self.frames.changed_since(stretch.changes, stretch.frames));
        self.restore(node);
        let stretch = stretch?;
        if self.folder != stretch.folder {
            self.folder = Some(folder::unknown());
            for act in self.reading.acts.iter_mut().skip(stretch.acts) {
                act.folder = Some(folder::unknown());
            }
        }
        let round = self.next_round(node, changed?)?;
        if !self.frames.pay_optional(node.byte_range().len() / 2) {
            self.reading.unknown = true;
            return None;
        }
        self.rounds.push(round);
        Some(WalkStep { frame: stretch.frame, branches: stretch.branches, top: true })
    }

    /// The round in which a loop has to be read after it changed these names.
    fn next_round(&mut self, node: Node<'t>, mut changed: Vec<(usize, String)>) -> Option<LoopRound> {
        let (node, depth) = (node.id(), self.functions.depth());
        self.reading.unknown |= self.frames.changes() == MAX_CHANGES;
        if let Some(around) = self.rounds.last().filter(|round| round.depth == depth)
            && around.node != node
        {
            // The loop around it reads it again.
            return None;
        }
        let Some(mut round) = self.rounds.pop_if(|round| round.depth == depth) else {
            let held = |name: (usize, String)| {
                let value = self.frames.own(name.0, &name.1)?;
                Some((name, value))
            };
            let held: HashMap<_, _> = changed.into_iter().filter_map(held).collect();
            let widened = HashSet::new();
            return (!held.is_empty()).then_some(LoopRound { node, depth, held, widened, widenings: 0 });
        };
        changed.retain(|name| {
            let now = self.frames.own(name.0, &name.1);
            let is_same = |now: &Value| round.held.get(name).is_some_and(|before| is_covered(now, before));
            now.is_some_and(|now| !is_same(&now)) && !round.widened.contains(name)
        });
        if changed.is_empty() || round.widenings == MAX_WIDENINGS {
            self.reading.unknown |= !changed.is_empty();
            return None;
        }
        for (frame, name) in &changed {
            if let Some(value) = self.frames.own(*frame, name) {
                let anything = Value::any([value.clone(), in_common(&value)]);
                self.frames.put_back(*frame, name, Some(anything));
            }
        }
        round.widened.extend(changed);
        round.widenings += 1;
        Some(round)
    }

    /// Gives names their values back behind a node.
    fn restore(&mut self, node: Node<'t>) {
        let behind = self.restored.remove(&(node.id(), self.functions.depth())).unwrap_or_default();
        for NameBehind { frame, name, value } in behind.into_iter().rev() {
            match value {
                ValueAfter::Exactly(value) => self.frames.put_back(frame, &name, value),
                ValueAfter::OrNow(value) => {
                    self.frames.bind(frame, &name, value, true);
                    let many = self.frames.own(frame, &name).filter(may_be_many_lists);
                    if let Some(value) = many {
                        self.frames.put_back(frame, &name, Some(in_common(&value)));
                    }
                }
            }
        }
    }

    /// Gives a name its value back behind a node in which it means something else.
    pub(in crate::review) fn restore_behind(&mut self, node: Node<'t>, frame: usize, name: &str) {
        let value = self.frames.own(frame, name);
        self.note_behind(node.id(), frame, name, ValueAfter::Exactly(value), false);
    }

    /// Behind a node, a name may hold again what it holds now, for example because a loop may have no round. `also`: what
    /// was noted before counts too, because the node may end at any time. Returns whether that is noted.
    pub(in crate::review) fn keep_behind(
        &mut self,
        node: usize,
        frame: usize,
        name: &str,
        also: bool,
    ) -> bool {
        let value = self.frames.own(frame, name);
        value.is_some_and(|value| self.note_behind(node, frame, name, ValueAfter::OrNow(value), also))
    }

    /// Notes what a name holds behind a node; what was noted first stays, with this if `also`.
    fn note_behind(&mut self, node: usize, frame: usize, name: &str, value: ValueAfter, also: bool) -> bool {
        let behind = self.restored.entry((node, self.functions.depth())).or_default();
        let has_room = behind.len() < MAX_RESTORED;
        match behind.iter_mut().find(|known| known.frame == frame && known.name == name) {
            Some(NameBehind { value: ValueAfter::OrNow(known), .. }) if also => {
                if let ValueAfter::OrNow(value) = value {
                    let all = Value::any([known.clone(), value]);
                    *known = if may_be_many_lists(&all) { in_common(&all) } else { all };
                }
                true
            }
            Some(_) => true,
            None if has_room => {
                behind.push(NameBehind { frame, name: name.to_owned(), value });
                true
            }
            None => {
                self.reading.unknown = true;
                false
            }
        }
    }
}
