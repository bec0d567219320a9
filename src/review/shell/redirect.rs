//! Handles redirections: files that are read and written, the text that is written if known, and here-documents, which
//! become a command's standard input.

use super::ShellReader;
use crate::review::path_class;
use crate::review::rules::TargetClass;
use crate::review::syntax::{first_child, named_children, text};
use crate::review::value::{Act, Argument, Taint, Value, ValueKind};
use tree_sitter::Node;

impl ShellReader<'_, '_> {
    /// A statement with redirections: here-documents and here-strings become its standard input.
    pub(super) fn redirected(&mut self, node: Node<'_>) {
        let body = node.child_by_field_name("body");
        let string = named_children(node, usize::MAX).into_iter().find(|n| n.kind() == "herestring_redirect");
        if let (Some(body), Some(word)) = (body, string.and_then(first_child)) {
            let value = self.word(word, 0);
            self.feed(body, Argument::new(value, &word.byte_range()));
        }
        let mut cursor = node.walk();
        let redirects: Vec<Node<'_>> = node.children_by_field_name("redirect", &mut cursor).collect();
        for redirect in redirects {
            if redirect.kind() == "file_redirect" {
                if let (Some(body), Some(passed)) = (body, self.from_pipe(redirect)) {
                    self.feed(body, passed);
                }
                continue;
            }
            if redirect.kind() != "heredoc_redirect" {
                continue;
            }
            let document = self.document(redirect);
            if let Some(body) = body {
                self.feed(body, document.clone());
            }
            self.write_down(body, redirect);
            // `cat <<E | bash`: the rest of the pipeline gets the body's output.
            for child in named_children(redirect, 16).into_iter().filter(|n| n.kind() == "pipeline") {
                let printed = body.map_or_else(Value::unknown, |b| self.output(b, 0));
                let known = printed.as_text().is_some();
                let passed =
                    if known { Argument { value: printed, ..document.clone() } } else { document.clone() };
                self.pipe(child, Some(passed), 0);
            }
        }
        self.write_down(body, node);
    }

    /// The input that `< <(command)` and `< file` give.
    fn from_pipe(&mut self, redirect: Node<'_>) -> Option<Argument> {
        let target = redirect.child_by_field_name("destination")?;
        let spelled = text(redirect, self.source);
        if target.kind() == "process_substitution" && spelled.starts_with(['0', '<']) {
            let last = named_children(target, 64).pop()?;
            return Some(Argument::new(self.printed_by_all(target, 0), &last.byte_range()));
        }
        let sign = spelled.trim_start_matches(|c: char| c.is_ascii_digit());
        if !sign.starts_with('<') || sign.starts_with("<&") || sign.starts_with("<>") {
            return None;
        }
        let path = self.gravest_word(target);
        let located = path.as_text().map(|(path, _)| path_class::locate(path, None, self.scope))?;
        if located.is(TargetClass::Null) {
            return None;
        }
        let secret = located.is(TargetClass::Secret) || located.is(TargetClass::Private);
        let mark = if secret { Taint::FILE.with(Taint::SECRET) } else { Taint::FILE };
        Some(Argument::new(Value::unknown().tainted(mark), &target.byte_range()))
    }

    /// Remembers the text that the redirections below a node write: the output of the command before them.
    fn write_down(&mut self, body: Option<Node<'_>>, holder: Node<'_>) {
        let redirects = named_children(holder, 16).into_iter().filter(|n| n.kind() == "file_redirect");
        for redirect in redirects {
            let Some(body) = body else { continue };
            let mut value = self.output(body, 0);
            let plain = |word: &str| text(body, self.source).split_whitespace().next() == Some(word);
            if let (ValueKind::Text { text, .. }, true) = (&mut value.kind, plain("echo")) {
                text.push('\n');
            }
            self.outputs.insert(redirect.id(), Argument::new(value, &body.byte_range()));
        }
    }

    /// The text of a here-document.
    fn document(&mut self, redirect: Node<'_>) -> Argument {
        let Some(body) = named_children(redirect, 32).into_iter().find(|n| n.kind() == "heredoc_body") else {
            return Argument::new(Value::unknown(), &redirect.byte_range());
        };
        // The text is reviewed as written, without values of variables, so that places stay correct.
        Argument::text(text(body, self.source), &body.byte_range())
    }

    pub(super) fn redirect(&mut self, node: Node<'_>) {
        let Some(target) = node.child_by_field_name("destination") else { return };
        if target.kind() == "number" {
            return;
        }
        let operator = (0..node.child_count()).filter_map(|i| node.child(i)).find(|n| !n.is_named());
        let operator = operator.map(|n| text(n, self.source)).unwrap_or_default();
        let name = match operator {
            "<" => "<",
            ">>" | "&>>" => ">>",
            ">&" if text(target, self.source).starts_with('-') => return,
            _ if operator.contains('>') => ">",
            _ => return,
        };
        let value = self.gravest_word(target);
        let text = self.outputs.remove(&node.id()).map(|text| ("text".to_owned(), text));
        let act = Act::new(name, vec![Argument::new(value, &target.byte_range())], self.place(node));
        let (named, folder) = (text.into_iter().collect(), self.folder.clone());
        self.reading.acts.push(Act { named, folder, ..act });
    }
}
