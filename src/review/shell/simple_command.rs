//! Reads simple commands: their words, and once for each value of a variable that decides what they run.

use super::command_start::CommandStart;
use super::{ShellReader, joint, module, redirections};
use crate::review::syntax::{named_children, text};
use crate::review::value::{Argument, Value};
use std::ops::Range;
use tree_sitter::Node;

impl<'t> ShellReader<'_, 't> {
    /// A simple command; read once for each value of a variable that decides what it runs.
    pub(super) fn simple(&mut self, node: Node<'t>) {
        self.assign_before(node);
        self.feed_output_pipes(node);
        let fed = self.inputs.remove(&node.id());
        let input = self.input_of(node, fed, 0);
        let sets_ifs = named_children(node, 64).iter().any(|child| {
            child.kind() == "variable_assignment" && text(*child, self.source).starts_with("IFS")
        });
        self.odd_input = sets_ifs || self.own_inputs(node) > 1 || self.shared.contains(&node.id());
        match self.alternatives(node) {
            Some((name, values)) if self.chosen.is_none() && self.frames.pay(values.len()) => {
                for value in values {
                    self.chosen = Some((name.clone(), value));
                    self.with_words(node, input.clone());
                }
                self.chosen = None;
            }
            _ => self.with_words(node, input),
        }
    }

    /// How many redirections of a command are for its standard input.
    fn own_inputs(&self, node: Node<'_>) -> usize {
        let own = self.redirections.of_node(node).iter();
        own.filter(|redirection| redirections::descriptor(**redirection, self.source) == "0").count()
    }

    fn with_words(&mut self, node: Node<'t>, input: Option<Argument>) {
        let mut words = self.words(node, 0);
        let before = self.reading.acts.len();
        let span = self.place(node);
        if self.called.is_some() {
            for word in &mut words {
                word.span = span.clone();
            }
        }
        let name = words.first().and_then(|word| word.value.as_whole_text()).map(str::to_owned);
        if name.as_deref() == Some("exec") && words.len() == 1 && input.is_some() {
            // The commands behind it read that.
            self.reading.unknown |= self.own_inputs(node) > 0;
        }
        let folder = self.folder.clone();
        self.command(words, CommandStart::at(&span, input));
        if self.activation.as_ref().is_some_and(|(_, acts)| *acts >= before) && !module::runs_always(node) {
            self.activation = None;
        }
        self.folder_behind(node, name.as_deref(), folder);
        self.show(node, before, &span);
    }

    /// Marks the acts of a command as `shown` if their output is visible, that is, not passed to another command.
    pub(super) fn show(&mut self, node: Node<'_>, before: usize, span: &Range<usize>) {
        let holder = node.parent().map_or("", |parent| parent.kind());
        if matches!(holder, "pipeline" | "redirected_statement" | "command_substitution") {
            return;
        }
        let set = Argument::given(span);
        for act in self.reading.acts.iter_mut().skip(before).filter(|act| act.span == *span) {
            act.named.push(("shown".to_owned(), set.clone()));
        }
    }

    /// The words of a command, its name first; a word that expands to several is split.
    pub(super) fn words(&mut self, node: Node<'_>, depth: u32) -> Vec<Argument> {
        const MAX_WORDS: usize = 1 << 14;
        let mut words: Vec<Argument> = Vec::new();
        let mut children = named_children(node, MAX_WORDS + 1);
        children.extend(self.redirections.words_behind(node));
        children.sort_by_key(Node::start_byte);
        for child in children.iter().take(MAX_WORDS) {
            let child = match child.kind() {
                "command_name" => child.named_child(0).unwrap_or(*child),
                "variable_assignment" | "file_redirect" | "herestring_redirect" | "heredoc_redirect" => {
                    continue;
                }
                _ if redirections::is_descriptor(*child, self.source) => continue,
                _ => *child,
            };
            let values = self.fields(child, depth);
            if let ([value], Some(last)) = (values.as_slice(), words.last_mut())
                && joint::continues(self.source, last, child.start_byte())
            {
                last.value = Value::join(&[last.value.clone(), value.clone()], "");
                last.span.end = child.end_byte();
                continue;
            }
            words.extend(values.into_iter().map(|value| Argument::new(value, &child.byte_range())));
        }
        if children.len() > MAX_WORDS || words.len() > MAX_WORDS {
            self.reading.cut = true;
            words.truncate(MAX_WORDS);
        }
        words
    }
}
