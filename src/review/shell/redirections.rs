//! Finds what each redirection is for, and the words of commands that stand behind one. The grammar takes a redirection
//! for one of the whole list or pipeline before it, of which bash redirects the last command only, and takes the words
//! of that command behind the file for more files.

use crate::review::syntax::{each, last_child, named_children, text};
use std::collections::HashMap;
use tree_sitter::Node;

/// The redirections of a text, by the id of the command or group that they are for; those of each in their order. A
/// list that is made before the text is read: to ask each node for those around it would take long.
#[derive(Default)]
pub(super) struct Redirections<'t> {
    by_node: HashMap<usize, Vec<Node<'t>>>,
}

impl<'t> Redirections<'t> {
    pub(super) fn of(root: Node<'t>) -> Self {
        let mut all = Self::default();
        each(root, |node, _| {
            if matches!(node.kind(), "redirected_statement" | "function_definition" | "command")
                && let Some(receiver) = receiver(node)
            {
                let own = written_in(node);
                if !own.is_empty() {
                    all.by_node.entry(receiver.id()).or_default().extend(own);
                }
            }
            true
        });
        for redirections in all.by_node.values_mut() {
            redirections.sort_by_key(Node::start_byte);
        }
        all
    }

    /// The redirections of a command or group; the body of a function has those of the function.
    pub(super) fn of_node(&self, node: Node<'_>) -> &[Node<'t>] {
        self.by_node.get(&node.id()).map(Vec::as_slice).unwrap_or_default()
    }

    /// The words of a command that stand behind a redirection.
    pub(super) fn words_behind(&self, command: Node<'_>) -> Vec<Node<'t>> {
        let mut words = Vec::new();
        for redirection in self.of_node(command) {
            let mut cursor = redirection.walk();
            match redirection.kind() {
                "file_redirect" => {
                    let targets = redirection.children_by_field_name("destination", &mut cursor);
                    words.extend(targets.skip(usize::from(!closes(*redirection))));
                }
                "heredoc_redirect" => {
                    words.extend(redirection.children_by_field_name("argument", &mut cursor));
                }
                _ => {}
            }
        }
        words
    }
}

/// The command or group that the redirections of a statement are for.
pub(super) fn receiver(statement: Node<'_>) -> Option<Node<'_>> {
    let mut at = statement;
    loop {
        at = match at.kind() {
            "redirected_statement" | "function_definition" => at.child_by_field_name("body")?,
            "list" | "pipeline" | "negated_command" => last_child(at)?,
            _ => return Some(at),
        };
    }
}

/// The redirections of one node. Behind the beginning of a here-document, more of them may stand.
fn written_in(node: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    for part in named_children(node, usize::MAX).into_iter().filter(is_redirection) {
        found.push(part);
        if part.kind() == "heredoc_redirect" {
            found.extend(named_children(part, usize::MAX).into_iter().filter(is_redirection));
        }
    }
    found
}

fn is_redirection(node: &Node<'_>) -> bool {
    matches!(node.kind(), "file_redirect" | "herestring_redirect" | "heredoc_redirect")
}

/// The sign of a redirection.
pub(super) fn operator(redirection: Node<'_>) -> &str {
    let mut cursor = redirection.walk();
    redirection.children(&mut cursor).find(|part| !part.is_named()).map_or("", |sign| sign.kind())
}

/// Whether a redirection closes its descriptor: it has no target.
pub(super) fn closes(redirection: Node<'_>) -> bool {
    matches!(operator(redirection), "<&-" | ">&-")
}

/// The descriptor that a redirection is for: a number without zeros before it, or a name in braces, which gets one.
pub(super) fn descriptor<'s>(redirection: Node<'_>, source: &'s str) -> &'s str {
    // The grammar takes `0` and a name for a word of the command.
    let given = match redirection.child_by_field_name("descriptor") {
        Some(number) => Some(text(number, source)),
        None => source.get(..redirection.start_byte()).and_then(descriptor_before),
    };
    match given {
        Some(number) => plain_number(number),
        None if operator(redirection).starts_with('<') => "0",
        None => "1",
    }
}

/// A number as the name of a descriptor.
pub(super) fn plain_number(number: &str) -> &str {
    let without_zeros = number.trim_start_matches('0');
    if without_zeros.is_empty() && !number.is_empty() { "0" } else { without_zeros }
}

/// The descriptor at the end of a text.
fn descriptor_before(head: &str) -> Option<&str> {
    // A `)` or a backquote may end a substitution, whose word goes on behind it: `a$(b)3`.
    let is_separator = |sign: char| sign.is_whitespace() || ";&|(<>".contains(sign);
    let word = head.rsplit(is_separator).next().filter(|word| names_descriptor(word))?;
    let before = head.strip_suffix(word)?.trim_end_matches(is_separator);
    // A sign behind a backslash separates nothing.
    (!before.ends_with('\\')).then_some(word)
}

/// Whether a word is the descriptor of the redirection that begins right behind it.
pub(super) fn is_descriptor(word: Node<'_>, source: &str) -> bool {
    let behind = source.get(word.end_byte()..).unwrap_or_default();
    behind.starts_with(['<', '>']) && names_descriptor(text(word, source))
}

/// Whether a word can name a descriptor: `3` or `{name}`.
fn names_descriptor(word: &str) -> bool {
    let is_number = |word: &str| !word.is_empty() && word.chars().all(|sign| sign.is_ascii_digit());
    let is_name = |name: &str| {
        let is_sign = |sign: char| sign == '_' || sign.is_ascii_alphanumeric();
        name.chars().all(is_sign) && name.starts_with(|sign: char| !sign.is_ascii_digit())
    };
    let name = word.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    is_number(word) || name.is_some_and(is_name)
}

#[cfg(test)]
mod tests {
    use super::descriptor_before;

    #[test]
    fn a_number_right_before_a_redirection_is_its_descriptor() {
        for (head, descriptor) in [
            ("sh 0", Some("0")),
            ("sh 12", Some("12")),
            ("3", Some("3")),
            ("a;3", Some("3")),
            ("sh {fd}", Some("{fd}")),
            ("sh ", None),
            ("sh3", None),
            ("sh a3", None),
            ("sh a\\ 3", None),
            ("sh $(a)3", None),
            ("sh `a`3", None),
            ("sh \"3\"", None),
            ("sh {3}", None),
            ("rm {a,b}", None),
            ("rm {}", None),
        ] {
            assert_eq!(descriptor_before(head), descriptor, "{head}");
        }
    }
}
