//! Reads loops again, and gives names their values back behind the nodes in which they mean something else.
//!
//! A loop is read a second time with the values that its end gives to names, because its beginning may use them. What
//! changes once more is then unknown, and the loop is read a last time.

use super::stretch::{LoopRound, NameBehind, RepeatedStretch, ValueAfter, is_covered, is_loop};
use super::{WalkContext, WalkStep};
use crate::review::flow::MAX_CHANGES;
use crate::review::folder;
use crate::review::items::{in_common, may_be_many_lists};
use crate::review::value::Value;
use std::collections::{HashMap, HashSet};
use tree_sitter::Node;

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

    /// Begins a block of statements that run one after the other. What `try` runs may end between any two of them.
    pub(in crate::review) fn begin_block(&mut self, node: Node<'t>) {
        let is_tried =
            self.tried == Some(node.id()) || self.blocks.last().is_some_and(|(_, at)| at.is_none());
        self.blocks.push((node.id(), (!is_tried).then_some(self.step.branches)));
    }

    /// Begins a `try` statement.
    pub(in crate::review) fn begin_try(&mut self, node: Node<'t>) {
        self.tried = node.child_by_field_name("body").map(|body| body.id());
    }

    /// The innermost block.
    pub(in crate::review) fn block(&self) -> Option<usize> {
        self.blocks.last().map(|(block, _)| *block)
    }

    /// Ends what began with a node. If a loop changed the folder, its beginning may run in the changed one. Returns the
    /// position at which it has to be read once more, because a name that it changed may be read before that.
    pub(in crate::review) fn end(&mut self, node: Node<'t>) -> Option<WalkStep> {
        self.blocks.pop_if(|(block, _)| *block == node.id());
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
            return (!held.is_empty()).then_some(LoopRound { node, depth, held, widened: HashSet::new() });
        };
        changed.retain(|name| {
            let now = self.frames.own(name.0, &name.1);
            let is_same = |now: &Value| round.held.get(name).is_some_and(|before| is_covered(now, before));
            now.is_some_and(|now| !is_same(&now)) && !round.widened.contains(name)
        });
        if changed.is_empty() || !round.widened.is_empty() {
            self.reading.unknown |= !changed.is_empty();
            return None;
        }
        for (frame, name) in &changed {
            if let Some(value) = self.frames.own(*frame, name) {
                let anything = Value::any([value.clone(), in_common(&value)]);
                self.frames.put_back(*frame, name, Some(anything));
            }
        }
        round.widened = changed.into_iter().collect();
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
        self.note_behind(node.id(), frame, name, ValueAfter::Exactly(value));
    }

    /// Behind a node, a name may hold again what it holds now, for example because a loop may have no round. Returns
    /// whether that is noted.
    pub(in crate::review) fn keep_behind(&mut self, node: usize, frame: usize, name: &str) -> bool {
        let value = self.frames.own(frame, name);
        value.is_some_and(|value| self.note_behind(node, frame, name, ValueAfter::OrNow(value)))
    }

    /// Notes what a name holds behind a node; what was noted first stays.
    fn note_behind(&mut self, node: usize, frame: usize, name: &str, value: ValueAfter) -> bool {
        let behind = self.restored.entry((node, self.functions.depth())).or_default();
        let is_noted = behind.iter().any(|known| known.frame == frame && known.name == name);
        let has_room = behind.len() < MAX_RESTORED;
        if !is_noted && has_room {
            behind.push(NameBehind { frame, name: name.to_owned(), value });
        }
        is_noted || has_room
    }
}
