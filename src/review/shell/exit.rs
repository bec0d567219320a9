//! Finds statements behind which nothing runs: they end the shell, the function or the round of a loop.

use super::ShellReader;
use super::change::is_subshell;
use crate::review::syntax::{named_children, text};
use tree_sitter::Node;

/// What one step up the tree costs: the tree finds a parent from its root on, which takes longer deep inside.
const STEP_COST: usize = 8;

/// The deepest nesting of `{ … }` in which a statement is looked for that ends what runs.
const MAX_LEVELS: u32 = 8;

impl<'t> ShellReader<'_, 't> {
    /// The node around another; `None` at the root, and where the work for this text is used up.
    pub(super) fn around(&mut self, node: Node<'t>) -> Option<Node<'t>> {
        if self.frames.pay(STEP_COST) { node.parent() } else { None }
    }

    /// Whether what follows a statement is not reached: it ends the text, the function or the round of a loop.
    pub(super) fn leaves(&mut self, node: Node<'t>) -> bool {
        self.leaves_at(node, MAX_LEVELS)
    }

    fn leaves_at(&mut self, node: Node<'t>, levels: u32) -> bool {
        if levels == 0 || !self.frames.pay(1) {
            return false;
        }
        match node.kind() {
            "command" => {
                let name = node.child_by_field_name("name").map(|name| text(name, self.source));
                let name = name.unwrap_or_default();
                if is_subshell(node, self.source) {
                    return false;
                }
                if self.functions.contains_key(name) {
                    return self.is_exit(name, node);
                }
                // Outside of a function or a loop, these only report an error.
                match name {
                    "exit" => true,
                    "return" => self.is_within(node, &["function_definition"]),
                    "continue" | "break" => {
                        self.is_within(node, &["for_statement", "while_statement", "c_style_for_statement"])
                    }
                    _ => false,
                }
            }
            "compound_statement" => {
                let mut statements = named_children(node, 64).into_iter();
                statements.any(|statement| self.leaves_at(statement, levels - 1))
            }
            "redirected_statement" => {
                node.child_by_field_name("body").is_some_and(|body| self.leaves_at(body, levels - 1))
            }
            _ => false,
        }
    }

    /// Whether a node lies in one of these kinds and runs in the same shell and function as that.
    fn is_within(&mut self, node: Node<'t>, kinds: &[&str]) -> bool {
        let mut at = node;
        while let Some(around) = self.around(at) {
            if kinds.contains(&around.kind()) {
                return true;
            }
            if matches!(around.kind(), "function_definition" | "pipeline") || is_subshell(around, self.source)
            {
                return false;
            }
            at = around;
        }
        false
    }

    /// Whether a call of a function at a node certainly ends the shell.
    fn is_exit(&mut self, name: &str, call: Node<'_>) -> bool {
        let Some(body) = self.functions.get(name).filter(|function| function.is_sure).map(|f| f.body) else {
            return false;
        };
        body.end_byte() <= call.start_byte()
            && !self.functions.contains_key("exit")
            && !self.changes.later(name, body.start_byte())
            && self.frames.pay(body.byte_range().len() / 16)
            && ends_in_exit(body, self.source)
    }
}

/// Whether a body comes to an `exit` that ends the shell that calls the function.
fn ends_in_exit(body: Node<'_>, source: &str) -> bool {
    if body.kind() != "compound_statement" {
        return false;
    }
    for statement in named_children(body, 64) {
        let name = statement.child_by_field_name("name").filter(|_| statement.kind() == "command");
        if name.is_some_and(|name| text(name, source) == "exit") {
            return !is_subshell(statement, source);
        }
        let spelled = text(statement, source);
        if spelled.contains("return") || spelled.contains("eval") {
            return false;
        }
    }
    false
}
