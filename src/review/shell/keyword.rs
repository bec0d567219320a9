//! Keywords that the grammar takes for the names of commands. It knows them only at the beginning of a command: after
//! `!`, `time` and `coproc` it takes them for words of the command, and in broken code it loses what they belong to.

use super::ShellReader;
use crate::review::value::Argument;

/// How many of the words before a command are keywords: of so many, by their text.
pub(super) fn count<'w>(words: usize, word: impl Fn(usize) -> Option<&'w str>) -> usize {
    const OPENING_WORDS: &[&str] = &["{", "if", "while", "until", "!"];
    const INNER_WORDS: &[&str] = &["then", "do", "else", "elif", "}", "fi", "done", "esac"];
    const NAMING_WORDS: &[&str] = &["for", "select", "case"];
    let word = |at: usize| word(at).unwrap_or_default();
    let mut at = 0;
    loop {
        at += match word(at) {
            first if OPENING_WORDS.contains(&first) || INNER_WORDS.contains(&first) => 1,
            first if NAMING_WORDS.contains(&first) => words - at,
            "function" => 2.min(words - at),
            // `coproc NAME` has a name before anything but a simple command.
            "coproc" if OPENING_WORDS.contains(&word(at + 2)) || NAMING_WORDS.contains(&word(at + 2)) => 2,
            "coproc" => 1,
            _ => return at,
        }
    }
}

/// Whether a word declares variables or unsets them. Behind `!` and `time`, the grammar takes this for a command.
pub(super) fn is_declaration(word: &str) -> bool {
    matches!(word, "export" | "readonly" | "declare" | "typeset" | "local" | "unset")
}

/// The name that a loop sets whose keyword is among these words.
pub(super) fn looped<'w>(keywords: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    keywords.into_iter().skip_while(|word| !matches!(*word, "for" | "select")).nth(1)
}

impl ShellReader<'_, '_> {
    /// The tree does not show which of the commands behind such keywords run, nor how often: no value is known from
    /// here on, and all is known only if none of the text changes anything.
    pub(super) fn lose_structure(&mut self, keywords: &[Argument]) {
        let mut words = keywords.iter().map(|word| word.value.as_whole_text().unwrap_or_default());
        if words.all(|word| word == "!") {
            return;
        }
        // The name of a function may stand for a known program from here on.
        let is_function = keywords.iter().any(|word| word.value.as_whole_text() == Some("function"));
        self.reading.unknown |= is_function || self.changes.any_besides_loops();
        let names = self.frames.names(0);
        if self.frames.pay(names.len()) {
            self.forget_all(&names);
        }
    }
}
