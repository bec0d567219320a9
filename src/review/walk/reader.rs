//! What the readers of Python and JavaScript do alike with nodes that both languages have: bodies, calls, results of
//! functions.

use super::{WalkContext, Walker, walk, walk_from};
use crate::review::syntax::{first_child, text};
use crate::review::value::{Act, Value, ValueKind};
use tree_sitter::Node;

/// A reader that folds expressions into values, and collects calls as acts.
pub(in crate::review) trait FoldingReader<'a, 't>: Walker<'t> + Sized {
    /// The state that all such readers have.
    fn shared(&mut self) -> &mut WalkContext<'a, 't>;

    /// What is known of an expression's value.
    fn fold(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value;

    /// Collects the acts of a call, one for each of its variants, and what they imply.
    fn push_acts(&mut self, acts: Vec<Act>);

    /// Reads the text, and then the bodies that were queued meanwhile.
    fn read_bodies(&mut self) {
        let mut next = 0;
        while let Some((node, frame)) = self.shared().body(&mut next) {
            self.shared().begin_body(node, frame);
            walk(self, node, frame);
        }
    }

    /// Ends what began with a node, and reads it once more where its beginning may use what its end changed.
    fn end(&mut self, node: Node<'t>) {
        if let Some(step) = self.shared().end(node) {
            walk_from(self, node, step);
        }
    }

    /// Collects a call as an act, in each of its variants, after the calls nested in it.
    fn call(&mut self, node: Node<'t>, frame: usize) {
        if self.shared().collected.remove(&node.id()) {
            return;
        }
        if !self.shared().calls.contains_key(&node.id()) {
            self.fold(node, frame, 0);
        }
        for id in self.shared().uncollected_in(&node.byte_range()) {
            if let Some((_, acts)) = self.shared().calls.remove(&id) {
                self.shared().collected.insert(id);
                self.push_acts(acts);
            }
        }
        if let Some((_, acts)) = self.shared().calls.remove(&node.id()) {
            self.push_acts(acts);
        }
    }

    /// The value that a `return` statement gives back.
    fn returned(&mut self, node: Node<'t>, frame: usize) -> Value {
        match first_child(node) {
            Some(value) => self.fold(value, frame, 0),
            None => Value::new(ValueKind::Nothing),
        }
    }

    /// `yield value`: the function being read yields the value.
    fn note_yield(&mut self, node: Node<'t>, frame: usize) {
        if let Some(value) = first_child(node) {
            let value = self.fold(value, frame, 0);
            self.shared().functions.note_yield(value);
        }
    }

    /// The value of an operator before its only operand; only `-` before a number is followed.
    fn unary(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        let operand = node.child_by_field_name("argument").map(|operand| self.fold(operand, frame, depth));
        match operand.map(|value| value.kind) {
            Some(ValueKind::Number(number)) if text(node, self.shared().source).starts_with('-') => {
                Value::number(number.checked_neg())
            }
            _ => Value::unknown(),
        }
    }
}
