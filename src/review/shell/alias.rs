//! Aliases that the text defines (`alias x='rm -rf'`), and the commands that they stand for.

use super::ShellReader;
use super::command_start::CommandStart;
use super::redirections::Redirections;
use crate::review::grammar::Grammar;
use crate::review::syntax::{each, named_children, text};
use crate::review::value::{Argument, Value};
use std::collections::HashSet;
use tree_sitter::Node;

impl ShellReader<'_, '_> {
    /// Reads a command whose name is an alias. If the alias is more than plain words, it is read as a script.
    pub(super) fn aliased(
        &mut self,
        meant: &str,
        first: &Argument,
        rest: Vec<Argument>,
        start: CommandStart<'_>,
    ) {
        if meant.contains(['|', '&', ';', '$', '`', '<', '>', '(', '\'', '"', '\\', '\n']) {
            let all = std::iter::once(Value::text(meant)).chain(rest.into_iter().map(|word| word.value));
            let text = Value::join(&all.collect::<Vec<_>>(), " ");
            if let Some((text, _)) = text.as_text() {
                let text = text.to_owned();
                self.runs(Grammar::Bash, text, start.span.clone());
            }
            return;
        }
        let meant = meant.split_whitespace();
        let words = meant.map(|word| Argument::text(word, &first.span));
        // An alias is not expanded within its own expansion.
        let aliases = std::mem::take(&mut self.aliases);
        self.command(words.chain(rest).collect(), start.inner());
        self.aliases = aliases;
    }

    /// Remembers `alias name=command`.
    pub(super) fn alias(&mut self, words: &[Argument]) {
        const MAX_ALIASES: usize = 64;
        for (name, meant) in words.iter().filter_map(|word| word.value.as_whole_text()?.split_once('=')) {
            if self.aliases.len() < MAX_ALIASES && !name.is_empty() && !meant.trim().is_empty() {
                self.aliases.insert(name.to_owned(), meant.to_owned());
            }
        }
    }
}

/// The words of a command, without quotes around them and without what only says how it is run.
pub(super) fn command_words<'s>(command: Node<'_>, source: &'s str) -> Vec<&'s str> {
    let parts = named_children(command, 64);
    let words = parts.iter().filter(|part| !matches!(part.kind(), "variable_assignment" | "file_redirect"));
    words
        .map(|word| text(*word, source).trim_matches(['"', '\'', '\\']))
        .skip_while(|word| matches!(*word, "command" | "builtin" | "time" | "--" | "-p"))
        .collect()
}

/// The commands that the text gives another meaning.
#[derive(Default)]
pub(super) struct RenamedCommands {
    names: HashSet<String>,
    /// Whether any command may have another meaning or run in another shell: behind `enable`, an unknown alias, `coproc`.
    any: bool,
}

impl RenamedCommands {
    pub(super) fn of(root: Node<'_>, source: &str, redirections: &Redirections<'_>) -> Self {
        let mut renamed = Self::default();
        each(root, |node, _| {
            if node.kind() == "command" {
                let behind = redirections.words_behind(node).into_iter().map(|word| text(word, source));
                let words: Vec<&str> = command_words(node, source).into_iter().chain(behind).collect();
                renamed.note(&words);
            }
            true
        });
        renamed
    }

    fn note(&mut self, words: &[&str]) {
        match words.split_first() {
            Some((&("enable" | "coproc"), _)) => self.any = true,
            Some((&"alias", aliases)) => {
                for alias in aliases {
                    let name = alias.split('=').next().unwrap_or_default();
                    self.any |= name.contains(['$', '`', '"', '\'', '\\', '{']);
                    self.names.insert(name.to_owned());
                }
            }
            _ => {}
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.any || self.names.contains(name)
    }
}
