//! Passes standard input: from stage to stage of a pipeline, and from here-strings and redirections to commands.

use super::ShellReader;
use crate::review::syntax::named_children;
use crate::review::value::{Argument, Taint, Value};
use tree_sitter::Node;

/// How many stages of a pipeline, and commands of a group, get all that is known of their input. It may be long, so of
/// what the others get, only the marks are known.
const MAX_FED: usize = 256;

impl ShellReader<'_, '_> {
    /// Gives each stage of a pipeline the output of the one before it; returns the output of the last one.
    pub(super) fn pipe(&mut self, node: Node<'_>, input: Option<Argument>, depth: u32) -> Value {
        let mut flowing = input;
        for (at, stage) in named_children(node, usize::MAX).into_iter().enumerate() {
            let mut before = Taint::default();
            if let Some(mut argument) = flowing.take() {
                before = argument.value.all_taint();
                if at >= MAX_FED {
                    argument.value = argument.value.to_unknown();
                }
                self.feed(stage, argument);
            }
            let value = self.output(stage, depth);
            let value = if value.as_text().is_none() { value.tainted(before) } else { value };
            flowing = Some(Argument::new(value, &stage.byte_range()));
        }
        flowing.map_or_else(Value::unknown, |a| a.value)
    }

    /// Sets the standard input of a command, or of all commands in a group, a branch or a loop. These may be nested as
    /// deep as a text has room for.
    pub(super) fn feed(&mut self, node: Node<'_>, argument: Argument) {
        let marks = Argument::new(argument.value.to_unknown(), &argument.span);
        let (mut open, mut fed) = (vec![node], 0);
        while let Some(node) = open.pop() {
            // What is nested is gone through again for each input around it.
            if !self.frames.pay(1) {
                return;
            }
            match node.kind() {
                "command" => {
                    let input = if fed < MAX_FED { &argument } else { &marks };
                    self.inputs.entry(node.id()).or_insert_with(|| input.clone());
                    fed += 1;
                }
                "redirected_statement" | "negated_command" | "pipeline" => {
                    let shared = self.shared.contains(&node.id());
                    if let Some(body) = node.child_by_field_name("body").or_else(|| node.named_child(0)) {
                        self.shared.extend(shared.then(|| body.id()));
                        open.push(body);
                    }
                }
                // Each command in it may read it, so all get it.
                "subshell"
                | "compound_statement"
                | "list"
                | "if_statement"
                | "elif_clause"
                | "else_clause"
                | "while_statement"
                | "for_statement"
                | "c_style_for_statement"
                | "do_group"
                | "case_statement"
                | "case_item" => {
                    let children = named_children(node, usize::MAX);
                    if children.len() > 1 || self.shared.contains(&node.id()) {
                        self.shared.extend(children.iter().map(Node::id));
                    }
                    open.extend(children.into_iter().rev());
                }
                _ => {}
            }
        }
    }

    /// The last here-string of a command.
    pub(super) fn here_string(&mut self, node: Node<'_>) -> Option<Argument> {
        let children = named_children(node, usize::MAX);
        let redirect = children.into_iter().rfind(|child| child.kind() == "herestring_redirect")?;
        let value = self.word(redirect.named_child(0)?, 0);
        Some(Argument::new(value, &redirect.byte_range()))
    }
}
