//! Follows statements that change the items of lists and maps that names hold.

use super::WalkContext;
use crate::review::items::{
    after_dict_method, after_list_method, has_grown, in_common, may_be_many_lists, values, with_item,
};
use crate::review::value::{Value, ValueKind};

/// The heaviest value that is followed while it changes, in the units of `Value::weight`.
const MAX_WEIGHT: usize = 600;

/// The work of a change up to which it is paid with the value itself.
const SMALL_WORK: usize = 64;

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
            "symmetric_difference_update",
        ];
        // A set has no order: which item its `pop` takes is not known, so that all of them stay.
        let takes_any = method == "pop" && given.is_empty() && self.sets.contains(name);
        if CHANGING.contains(&method) && !takes_any {
            self.change(frame, name, |held, again| after_list_method(held, method, given, again));
        }
    }

    /// Notes that a name holds a set.
    pub(in crate::review) fn note_set(&mut self, name: String) {
        self.sets.insert(name);
    }

    /// `del name[index]` in Python.
    pub(in crate::review) fn delete_item(&mut self, frame: usize, name: &str, index: Option<Value>) {
        let Some(index) = index else {
            let unknown = |held: &Value| held.to_unknown();
            return self.change(frame, name, |held, _| match held.kind {
                ValueKind::List(_) => unknown(held),
                _ => held.clone(),
            });
        };
        let given = [index];
        self.change(frame, name, |held, _| after_list_method(held, "pop", &given, false));
        self.change_dict(frame, name, "pop", (&given, &[]));
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
            self.change(frame, name, |held, _| after_dict_method(held, method, given, named));
        }
    }

    /// `name[index] = value`.
    pub(in crate::review) fn set_item(&mut self, frame: usize, name: &str, index: &Value, value: &Value) {
        self.change(frame, name, |held, _| with_item(held, index, value));
    }

    /// Changes each value that a name may hold. `of` also gets whether the value is a list that grew while a loop that is
    /// being read again was read before.
    fn change(&mut self, frame: usize, name: &str, of: impl Fn(&Value, bool) -> Value) {
        let Some(holder) = self.frames.holder(frame, name) else { return };
        let Some(held) = self.frames.own(holder, name) else { return };
        let key = (holder, name.to_owned());
        let before = self.rounds.iter().rev().find_map(|round| round.held.get(&key));
        let is_again = |one: &Value| before.is_some_and(|before| has_grown(one, before));
        let changed = held.each(|one| of(one, is_again(one)));
        if changed == held {
            return;
        }
        let work = changed.weight().saturating_mul(values(&held).len());
        if work > SMALL_WORK && !self.frames.pay_optional(work) {
            let unknown = held.to_unknown().tainted(changed.all_taint());
            return self.frames.bind(holder, name, unknown, false);
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
        let block = self.blocks.iter().rev().find(|block| !block.is_plain);
        match block.filter(|block| block.branches == branches) {
            Some(block) if branches > 0 || block.may_end_early => {
                let (node, may_end_early) = (block.node, block.may_end_early);
                self.keep_behind(node, frame, name, may_end_early)
            }
            _ => branches == 0,
        }
    }
}
