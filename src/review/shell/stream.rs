//! Passes standard input: from stage to stage of a pipeline, and to the commands in a group.

use super::ShellReader;
use super::branch::is_branch_or_loop;
use crate::review::syntax::{each, named_children, text};
use crate::review::value::{Argument, Taint, Value};
use std::collections::hash_map::Entry;
use tree_sitter::Node;

/// How many stages of a pipeline, and commands of a group, get all that is known of their input. It may be long, so of
/// what the others get, only the marks are known.
const MAX_FED: usize = 256;

/// An input in place of another one. Where its text is not known, the marks of both count: `/dev/stdin` is the other one
/// again.
pub(super) fn in_place_of(input: Argument, before: Option<&Argument>) -> Argument {
    let before = before.filter(|_| input.value.as_whole_text().is_none());
    let marks = before.map(|before| before.value.all_taint()).unwrap_or_default();
    Argument { value: input.value.tainted(marks), ..input }
}

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

    /// Sets the standard input of a command, or of all commands in a group, a branch or a loop, unless they have one.
    pub(super) fn feed(&mut self, node: Node<'_>, argument: Argument) {
        self.pass_on(node, argument, false);
    }

    /// The same in place of the input that they have.
    pub(super) fn feed_instead(&mut self, node: Node<'_>, argument: Argument) {
        self.pass_on(node, argument, true);
    }

    /// Makes what a command prints the input of the commands in `>(…)` among its words and redirections.
    pub(super) fn feed_output_pipes(&mut self, node: Node<'_>) {
        let (source, mut pipes) = (self.source, Vec::new());
        for part in
            named_children(node, usize::MAX).into_iter().chain(self.redirections.of_node(node).to_vec())
        {
            each(part, |inner, _| {
                let is_pipe = inner.kind() == "process_substitution";
                pipes.extend((is_pipe && text(inner, source).starts_with('>')).then_some(inner));
                !is_pipe && !matches!(inner.kind(), "command_substitution" | "heredoc_redirect")
            });
        }
        if pipes.is_empty() {
            return;
        }
        // What of it is printed to which of them is not known.
        let printed = self.output(node, 0).to_unknown();
        for pipe in pipes {
            self.feed_output_pipe(pipe, Some(&printed));
        }
    }

    /// Gives the commands in `>(…)` an input, unless they have one.
    pub(super) fn feed_output_pipe(&mut self, node: Node<'_>, printed: Option<&Value>) {
        if node.kind() == "process_substitution" && text(node, self.source).starts_with('>') {
            let printed = printed.cloned().unwrap_or_else(Value::unknown);
            for part in named_children(node, usize::MAX) {
                self.feed(part, Argument::new(printed.clone(), &node.byte_range()));
            }
        }
    }

    /// These may be nested as deep as a text has room for.
    fn pass_on(&mut self, node: Node<'_>, argument: Argument, replaces: bool) {
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
                    match self.inputs.entry(node.id()) {
                        Entry::Vacant(place) => _ = place.insert(input.clone()),
                        Entry::Occupied(mut place) if replaces => {
                            let input = in_place_of(input.clone(), Some(place.get()));
                            place.insert(input);
                        }
                        Entry::Occupied(_) => {}
                    }
                    fed += 1;
                }
                "redirected_statement" | "negated_command" | "pipeline" => {
                    let shared = self.shared.contains(&node.id());
                    // Behind the beginning of a here-document, a list may go on.
                    let documents = named_children(node, usize::MAX).into_iter();
                    let documents = documents.filter(|part| part.kind() == "heredoc_redirect");
                    open.extend(documents.filter_map(|document| document.child_by_field_name("right")));
                    if let Some(body) = node.child_by_field_name("body").or_else(|| node.named_child(0)) {
                        self.shared.extend(shared.then(|| body.id()));
                        open.push(body);
                    }
                }
                // Each command in it may read it, so all get it.
                kind if matches!(kind, "subshell" | "compound_statement" | "list")
                    || is_branch_or_loop(kind) =>
                {
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
}
