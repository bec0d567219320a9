//! Aliases that the text defines (`alias x='rm -rf'`), and the commands that they stand for.

use super::ShellReader;
use crate::review::rules::InnerLanguage;
use crate::review::value::{Argument, Value};
use std::ops::Range;

impl ShellReader<'_, '_> {
    /// Reads a command whose name is an alias. If the alias is more than plain words, it is read as a script.
    pub(super) fn aliased(
        &mut self,
        meant: &str,
        first: &Argument,
        rest: Vec<Argument>,
        input: Option<Argument>,
        span: &Range<usize>,
        depth: u32,
    ) {
        if meant.contains(['|', '&', ';', '$', '`', '<', '>', '(', '\'', '"', '\\', '\n']) {
            let all = std::iter::once(Value::text(meant)).chain(rest.into_iter().map(|word| word.value));
            let text = Value::join(&all.collect::<Vec<_>>(), " ");
            if let Some((text, _)) = text.as_text() {
                let text = text.to_owned();
                self.runs(InnerLanguage::Bash, text, span.clone());
            }
            return;
        }
        let meant = meant.split_whitespace();
        let words = meant.map(|word| Argument { value: Value::text(word), span: first.span.clone() });
        // An alias is not expanded within its own expansion.
        let aliases = std::mem::take(&mut self.aliases);
        self.command(words.chain(rest).collect(), input, span, depth + 1);
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
