//! Functions of the text: a call is followed with what it was given, and told where it stands.

use super::ShellReader;
use crate::review::syntax::{each, text};
use crate::review::value::{Argument, Value};
use crate::review::walk::walk;
use std::collections::HashMap;
use std::ops::Range;
use tree_sitter::Node;

/// Functions inside functions are followed so deep.
const MAX_DEPTH: usize = 6;

/// Bytes of functions that are followed for one text, beside eight times its own.
const FREE_BYTES: usize = 64 << 10;

/// A function of the text.
#[derive(Clone, Copy)]
pub(super) struct ShellFunction<'t> {
    body: Node<'t>,
    /// Whether what it does depends on what it is given.
    takes: bool,
}

/// All functions of a text; of two with one name the last counts.
pub(super) fn all<'t>(root: Node<'t>, source: &str) -> HashMap<String, ShellFunction<'t>> {
    let mut functions = HashMap::new();
    each(root, |node, _| {
        if node.kind() == "function_definition"
            && functions.len() < 1024
            && let (Some(name), Some(body)) =
                (node.child_by_field_name("name"), node.child_by_field_name("body"))
        {
            functions.insert(
                text(name, source).to_owned(),
                ShellFunction { body, takes: takes(text(body, source)) },
            );
        }
        true
    });
    functions
}

/// Whether the text of a body speaks of `$1` and its like.
fn takes(body: &str) -> bool {
    let spelled = ["$@", "$*", "${@", "${*", "${1", "${2", "${3"].iter().any(|p| body.contains(p));
    spelled || body.as_bytes().windows(2).any(|w| matches!(w, [b'$', b'1'..=b'9']))
}

impl<'t> ShellReader<'_, 't> {
    /// A call of a function of this text: its body is read with what it was given.
    pub(super) fn follow(
        &mut self,
        ShellFunction { body, takes }: ShellFunction<'t>,
        given: Vec<Argument>,
        span: &Range<usize>,
    ) {
        if !takes {
            // It does the same each time, and its own text was read.
            return;
        }
        let source = text(body, self.source);
        self.followed += source.len();
        if self.calls.contains(&body.id()) {
            // It calls itself: what it does then was read with what is not known.
            self.reading.unknown = true;
            return;
        }
        if self.calls.len() >= MAX_DEPTH || self.followed > FREE_BYTES + self.source.len().saturating_mul(8) {
            self.reading.cut = true;
            return;
        }
        let values: Vec<Value> = given.into_iter().map(|argument| argument.value).collect();
        let before = (self.positional.replace(values), self.called.replace(span.clone()));
        self.calls.push(body.id());
        walk(self, body, 0);
        self.calls.pop();
        (self.positional, self.called) = before;
    }
}
