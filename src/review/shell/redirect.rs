//! Handles redirections: files that are read and written, the text that is written if known, and what they give a
//! command to read.

use super::ShellReader;
use super::redirections::{self, receiver};
use super::stream::in_place_of;
use super::text_code::is_raw;
use crate::review::path_class;
use crate::review::rules::TargetClass;
use crate::review::syntax::{each, last_child, named_children, text};
use crate::review::value::{Act, Argument, Taint, Value, ValueKind};
use std::collections::HashMap;
use tree_sitter::Node;

impl ShellReader<'_, '_> {
    /// A statement with redirections: remembers what they write, and passes on what is piped behind the beginning of a
    /// here-document.
    pub(super) fn redirected(&mut self, node: Node<'_>) {
        let body = node.child_by_field_name("body");
        let documents = named_children(node, usize::MAX).into_iter();
        for document in documents.filter(|redirection| redirection.kind() == "heredoc_redirect") {
            self.write_down(body, document);
            // `cat <<E | bash`: the rest of the pipeline gets the body's output.
            for rest in named_children(document, 16).into_iter().filter(|n| n.kind() == "pipeline") {
                let printed = body.map_or_else(Value::unknown, |body| self.output(body, 0));
                let read = receiver(node).and_then(|receiver| self.input_of(receiver, None, 0));
                let read = read.unwrap_or_else(|| self.document(document));
                let value = match printed.as_text() {
                    Some(_) => printed,
                    // What is known of the input may be known of what is printed, too.
                    None => read.value.tainted(printed.all_taint()),
                };
                self.pipe(rest, Some(Argument { value, ..read }), 0);
            }
        }
        self.write_down(body, node);
    }

    /// Passes the input that the redirections of a group, a branch or a loop give it on to the commands in it.
    pub(super) fn take_input(&mut self, node: Node<'_>, depth: u32) {
        if node.kind() != "command"
            && let Some(input) = self.input_of(node, None, depth)
        {
            self.feed_instead(node, input);
        }
    }

    /// The standard input of a command or group: what its redirections give it in place of `before`. Of several, the
    /// last one counts.
    pub(super) fn input_of(
        &mut self,
        node: Node<'_>,
        before: Option<Argument>,
        depth: u32,
    ) -> Option<Argument> {
        let source = self.source;
        // What each descriptor reads.
        let mut given: HashMap<&str, Argument> = before.into_iter().map(|before| ("0", before)).collect();
        for redirection in self.redirections.of_node(node).to_vec() {
            let found = match redirection.kind() {
                "heredoc_redirect" => Some(self.document(redirection)),
                "herestring_redirect" => last_child(redirection)
                    .map(|word| Argument::new(self.word(word, depth), &redirection.byte_range())),
                _ => self.from_file(redirection, &given, depth),
            };
            let descriptor = redirections::descriptor(redirection, source);
            if let Some(found) = found {
                let found = in_place_of(found, given.get(descriptor));
                given.insert(descriptor, found);
            }
        }
        given.remove("0")
    }

    /// What `< file`, `< <(command)` and `<&3` give; `None` if that is not known to be another input than before.
    fn from_file(
        &mut self,
        redirection: Node<'_>,
        given: &HashMap<&str, Argument>,
        depth: u32,
    ) -> Option<Argument> {
        let source = self.source;
        let copied = |other: &str| {
            let other = redirections::plain_number(other);
            let unknown = || Argument::new(Value::unknown(), &redirection.byte_range());
            let is_same = other == redirections::descriptor(redirection, source);
            (!is_same).then(|| given.get(other).cloned().unwrap_or_else(unknown))
        };
        let sign = redirections::operator(redirection);
        let target = redirection.child_by_field_name("destination").filter(|_| sign.starts_with('<'));
        let target = target.filter(|_| !redirections::closes(redirection))?;
        if sign == "<&" {
            return copied(text(target, source));
        }
        if target.kind() == "process_substitution" {
            let last = last_child(target)?;
            return Some(Argument::new(self.printed_by_all(target, depth), &last.byte_range()));
        }
        let path = self.gravest_word(target);
        let path = path.as_text().map(|(path, _)| path);
        if let Some(other) = path.and_then(|path| path.strip_prefix("/dev/fd/")) {
            return copied(other);
        }
        let located = path.map(|path| path_class::locate(path, None, self.scope));
        let is = |class: TargetClass| located.as_ref().is_some_and(|located| located.is(class));
        if is(TargetClass::Null) {
            return None;
        }
        let secret = is(TargetClass::Secret) || is(TargetClass::Private);
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

    /// Whether bash leaves the here-documents in a node as they are written.
    pub(super) fn keeps_documents(&mut self, node: Node<'_>) -> bool {
        let source = self.source;
        let mut keeps = self.frames.pay(node.byte_range().len() / 64);
        let is_complete = each(node, |inner, _| {
            keeps &= match inner.kind() {
                "heredoc_redirect" => redirections::operator(inner) != "<<-",
                "heredoc_body" => is_raw(inner, source) || !text(inner, source).contains(['$', '`', '\\']),
                _ => true,
            };
            keeps
        });
        keeps && is_complete
    }

    pub(super) fn redirect(&mut self, node: Node<'_>) {
        let Some(target) = node.child_by_field_name("destination") else { return };
        if target.kind() == "number" {
            return;
        }
        let operator = redirections::operator(node);
        let name = match operator {
            "<&-" | ">&-" => return,
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
