//! Follows statements that change the items of lists and maps that names hold.

use super::WalkContext;
use crate::review::items::{after_dict_method, after_list_method, in_common, may_be_many_lists, with_item};
use crate::review::value::Value;

/// The heaviest value that is followed while it changes, in the units of `Value::weight`.
const MAX_WEIGHT: usize = 400;

impl WalkContext<'_, '_> {
    /// A method of a list that a name holds may change it.
    pub(in crate::review) fn change_list(&mut self, frame: usize, name: &str, method: &str, given: &[Value]) {
        const CHANGING: &[&str] = &[
            "append",
            "add",
            "push",
            "extend",
            "update",
            "insert",
            "remove",
            "discard",
            "pop",
            "popleft",
            "clear",
            "sort",
            "reverse",
            "rotate",
            "appendleft",
            "extendleft",
            "unshift",
            "shift",
            "splice",
            "fill",
            "copyWithin",
        ];
        if CHANGING.contains(&method) {
            let again = !self.rounds.is_empty();
            self.change(frame, name, |held| after_list_method(held, method, given, again));
        }
    }

    /// A method of a Python dictionary that a name holds may change it.
    pub(in crate::review) fn change_dict(
        &mut self,
        frame: usize,
        name: &str,
        method: &str,
        (given, named): (&[Value], &[(String, Value)]),
    ) {
        if matches!(method, "update" | "setdefault" | "pop" | "popitem" | "clear") {
            self.change(frame, name, |held| after_dict_method(held, method, given, named));
        }
    }

    /// `name[index] = value`.
    pub(in crate::review) fn set_item(&mut self, frame: usize, name: &str, index: &Value, value: &Value) {
        self.change(frame, name, |held| with_item(held, index, value));
    }

    /// Changes each value that a name may hold.
    fn change(&mut self, frame: usize, name: &str, of: impl Fn(&Value) -> Value) {
        let Some(holder) = self.frames.holder(frame, name) else { return };
        let Some(held) = self.frames.own(holder, name) else { return };
        let changed = held.each(of);
        if changed == held {
            return;
        }
        let is_certain = holder == frame && self.is_certain(frame, name);
        let changed = if is_certain { changed } else { Value::any([held, changed]) };
        let is_too_much = may_be_many_lists(&changed) || changed.weight() > MAX_WEIGHT;
        let changed = if is_too_much { in_common(&changed) } else { changed };
        self.frames.bind(holder, name, changed, false);
    }

    /// Whether a change of what a name holds surely happens before what is read next. In a block that may not run, it
    /// does up to the end of the block; behind that, the name may hold what it holds now.
    fn is_certain(&mut self, frame: usize, name: &str) -> bool {
        let branches = self.step.branches;
        let block =
            self.blocks.last().filter(|(_, around)| *around == Some(branches)).map(|(block, _)| *block);
        branches == 0 || block.is_some_and(|block| self.keep_behind(block, frame, name))
    }
}
