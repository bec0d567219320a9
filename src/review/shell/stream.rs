//! Passes standard input: from stage to stage of a pipeline, and from here-strings and redirections to commands.

use super::ShellReader;
use crate::review::syntax::named_children;
use crate::review::value::{Argument, Taint, Value};
use tree_sitter::Node;

impl ShellReader<'_, '_> {
    /// Gives each stage of a pipeline the output of the one before it; returns the output of the last one.
    pub(super) fn pipe(&mut self, node: Node<'_>, input: Option<Argument>, depth: u32) -> Value {
        let mut flowing = input;
        for stage in named_children(node, 256) {
            let mut before = Taint::default();
            if let Some(argument) = flowing.take() {
                before = argument.value.all_taint();
                self.feed(stage, argument);
            }
            let value = self.output(stage, depth);
            let value = if value.as_text().is_none() { value.tainted(before) } else { value };
            flowing = Some(Argument::new(value, &stage.byte_range()));
        }
        flowing.map_or_else(Value::unknown, |a| a.value)
    }

    /// Sets the standard input of a command, or of all commands in a group. Groups may be nested as deep as a text has
    /// room for.
    pub(super) fn feed(&mut self, node: Node<'_>, argument: Argument) {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            match node.kind() {
                "command" => {
                    self.inputs.entry(node.id()).or_insert_with(|| argument.clone());
                }
                "redirected_statement" | "negated_command" | "pipeline" => {
                    let shared = self.shared.contains(&node.id());
                    if let Some(body) = node.child_by_field_name("body").or_else(|| node.named_child(0)) {
                        self.shared.extend(shared.then(|| body.id()));
                        open.push(body);
                    }
                }
                // Each command of a group may read it, so all get it.
                "subshell" | "compound_statement" | "list" => {
                    let children = named_children(node, 16);
                    if children.len() > 1 || self.shared.contains(&node.id()) {
                        self.shared.extend(children.iter().map(Node::id));
                    }
                    open.extend(children);
                }
                _ => {}
            }
        }
    }

    pub(super) fn here_string(&mut self, node: Node<'_>) -> Option<Argument> {
        let redirect = node.child_by_field_name("redirect").filter(|n| n.kind() == "herestring_redirect")?;
        let value = self.word(redirect.named_child(0)?, 0);
        Some(Argument::new(value, &redirect.byte_range()))
    }
}
