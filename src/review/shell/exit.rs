//! Finds statements behind which nothing runs: they end the shell, the function or the round of a loop.

use super::ShellReader;
use super::alias::command_words;
use super::change::subshell::is_subshell;
use crate::review::syntax::{each, last_child, named_children, text};
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
        self.leaves_at(node, MAX_LEVELS) && self.runs_surely(node)
    }

    /// Whether no redirection around a statement keeps bash from running it. The grammar takes those of the last command
    /// of a list for those of the list.
    fn runs_surely(&mut self, node: Node<'t>) -> bool {
        let mut at = node;
        while let Some(around) = self.around(at) {
            let last = last_child(around);
            match around.kind() {
                "redirected_statement" if redirects_surely(around, self.source) => {}
                "redirected_statement" => return false,
                "list" if last.is_some_and(|last| last.id() == at.id()) => {}
                _ => return true,
            }
            at = around;
        }
        true
    }

    fn leaves_at(&mut self, node: Node<'t>, levels: u32) -> bool {
        if levels == 0 || !self.frames.pay(1) {
            return false;
        }
        match node.kind() {
            "command" => {
                let name = node.child_by_field_name("name").map(|name| text(name, self.source));
                let name = name.unwrap_or_default();
                if is_subshell(node, self.source) || self.changes.renamed.has(name) {
                    return false;
                }
                if self.functions.contains_key(name) {
                    return self.is_exit(name, node);
                }
                // Outside of a function or a loop, these only report an error.
                match name {
                    _ if !takes_status(node, self.source) => false,
                    "exit" => true,
                    // It ends a subshell in the function too.
                    "return" => self.is_within(node, &["function_definition"], true),
                    "continue" | "break" => self.is_within(
                        node,
                        &["for_statement", "while_statement", "c_style_for_statement"],
                        false,
                    ),
                    _ => false,
                }
            }
            "compound_statement" => {
                let mut statements = named_children(node, 64).into_iter();
                statements.any(|statement| self.leaves_at(statement, levels - 1))
            }
            "redirected_statement" if redirects_surely(node, self.source) => {
                node.child_by_field_name("body").is_some_and(|body| self.leaves_at(body, levels - 1))
            }
            _ => false,
        }
    }

    /// Whether a node lies in one of these kinds and, unless it crosses subshells, runs in the same shell and function.
    fn is_within(&mut self, node: Node<'t>, kinds: &[&str], crosses: bool) -> bool {
        let mut at = node;
        while let Some(around) = self.around(at) {
            if kinds.contains(&around.kind()) {
                return true;
            }
            let stops = matches!(around.kind(), "function_definition" | "pipeline");
            if !crosses && (stops || is_subshell(around, self.source)) {
                return false;
            }
            at = around;
        }
        false
    }

    /// Whether a call of a function at a node certainly ends the shell.
    fn is_exit(&mut self, name: &str, call: Node<'t>) -> bool {
        let Some(body) = self.functions.get(name).filter(|function| function.is_sure).map(|f| f.body) else {
            return false;
        };
        let function = self.around(body);
        let around = function.and_then(|function| self.around(function));
        body.end_byte() <= call.start_byte()
            && around.is_some_and(|around| !is_subshell(around, self.source))
            && !self.functions.contains_key("exit")
            && !self.changes.renamed.has("exit")
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
            return takes_status(statement, source) && !is_subshell(statement, source);
        }
        if may_return(statement, source) {
            return false;
        }
    }
    false
}

/// Whether a statement may end the function in which it stands: by a command that does, or one that is not known.
fn may_return(statement: Node<'_>, source: &str) -> bool {
    let mut returns = false;
    let complete = each(statement, |node, _| {
        let words = if node.kind() == "command" { command_words(node, source) } else { Vec::new() };
        returns |= words.first().is_some_and(|name| {
            matches!(*name, "return" | "eval" | "." | "source") || name.contains(['$', '`'])
        });
        !returns
    });
    returns || !complete
}

/// Whether a command has at most one operand, a number or a variable, and nothing that may fail before it runs.
fn takes_status(command: Node<'_>, source: &str) -> bool {
    let parts = named_children(command, 4);
    let Some((name, operands)) = parts.split_first() else { return false };
    let is_status = |word: &str| {
        let word = word.trim_matches('"');
        let inner = word.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
        match inner.or_else(|| word.strip_prefix('$')) {
            Some("?") => true,
            Some(name) => !name.is_empty() && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()),
            None => !word.is_empty() && word.chars().all(|c| c.is_ascii_digit()),
        }
    };
    name.kind() == "command_name"
        && match operands {
            [] => true,
            [operand] => is_status(text(*operand, source)),
            _ => false,
        }
}

/// Whether the redirections of a statement cannot fail: bash does not run it then.
fn redirects_surely(statement: Node<'_>, source: &str) -> bool {
    let body = statement.child_by_field_name("body").map(|body| body.id());
    let redirects = named_children(statement, 64).into_iter().filter(|part| Some(part.id()) != body);
    redirects.map(|redirect| text(redirect, source).trim_start_matches(|c: char| c.is_ascii_digit())).all(
        |spelled| {
            let to = spelled.trim_start_matches(['>', '<', '&']).trim();
            to == "/dev/null" || spelled.contains(">&") && matches!(to, "1" | "2" | "-")
        },
    )
}
