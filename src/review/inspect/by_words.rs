//! Reviews by its words a text that could not be parsed, or not followed to its end: each call or command by itself,
//! without values of variables.

use super::{Inspector, MAX_DEPTH, is_sign_in_prose};
use crate::domain::Severity;
use crate::review::diagnostic::Diagnostic;
use crate::review::grammar::Grammar;
use crate::review::{unread, words};
use std::ops::Range;

mod pieces;

/// The most commands of a shell that are examined one by one in a block.
pub(super) const MAX_COMMANDS: usize = 4000;

/// The most bytes of one command that are examined.
const MAX_COMMAND_BYTES: usize = 4096;

impl Inspector<'_> {
    /// Reports stretches that could not be parsed, and what their words show. Findings in `known` are not repeated.
    pub(super) fn words_of(
        &mut self,
        stretches: Vec<Range<usize>>,
        source: &str,
        form: (Grammar, &str),
        known: &[Diagnostic],
        depth: u32,
    ) -> Vec<Diagnostic> {
        if stretches.is_empty() {
            return Vec::new();
        }
        let (mut found, mut unread) = (Vec::new(), Vec::new());
        for stretch in stretches {
            let text = source.get(stretch.clone()).unwrap_or_default();
            let words = self.words(text, form, depth);
            let words: Vec<_> =
                words.into_iter().map(|diagnostic| shift(diagnostic, stretch.start)).collect();
            let unseen = words
                .iter()
                .filter(|diagnostic| unread::is_unseen(diagnostic))
                .map(|diagnostic| diagnostic.span.clone());
            unread.extend(unread::split_around(stretch, unseen, source));
            found.extend(words);
        }
        let mut diagnostics = drop_known(found, known);
        diagnostics.extend(unread);
        diagnostics
    }

    /// What the words of a text show, if it could not be followed to its end. Findings in `known` are not repeated.
    pub(super) fn by_words(
        &mut self,
        source: &str,
        grammar: Grammar,
        language: &str,
        known: &[Diagnostic],
    ) -> Vec<Diagnostic> {
        drop_known(self.words(source, (grammar, language), 0), known)
    }

    fn words(&mut self, text: &str, (grammar, language): (Grammar, &str), depth: u32) -> Vec<Diagnostic> {
        // Code nested in what is found here is read, but no deeper.
        let depth = depth.max(MAX_DEPTH - 1);
        // The caller already reports that the text was not fully followed.
        let cut = self.cut;
        let diagnostics = match grammar {
            Grammar::Sql | Grammar::Other => {
                let (reading, _) = words::read(text, grammar, language, self.scope.rules.of(grammar));
                self.settle(reading, text, grammar, depth)
            }
            Grammar::Bash => self.by_commands(text, depth),
            Grammar::Python | Grammar::Javascript => [grammar, Grammar::Other]
                .into_iter()
                .flat_map(|by| {
                    let rules = self.scope.rules.of(by);
                    let (reading, _) = words::read(text, Grammar::Other, grammar.as_str(), rules);
                    self.settle(reading, text, by, depth)
                })
                .collect(),
        };
        self.cut = cut;
        diagnostics
    }

    /// Reads each line of a shell script by itself; if a line can't be parsed, each of its commands.
    fn by_commands(&mut self, text: &str, depth: u32) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let span = at..at + line.trim_end().len();
            at += line.len();
            if matches!(line.trim().chars().next(), None | Some('#')) {
                continue;
            }
            if self.commands == 0 {
                diagnostics.push(unread::unseen_diagnostic(span.start..text.len()));
                break;
            }
            if span.len() <= MAX_COMMAND_BYTES && self.command(text, &span, depth, true, &mut diagnostics) {
                self.commands = self.commands.saturating_sub(1);
            } else {
                for piece in pieces::pieces(text, span) {
                    if self.commands == 0 {
                        diagnostics.push(unread::unseen_diagnostic(piece.start..text.len()));
                        return diagnostics;
                    }
                    self.commands -= 1;
                    self.command(text, &piece, depth, false, &mut diagnostics);
                }
            }
        }
        diagnostics
    }

    /// Reads one command; returns `false` if it `has_to_be` parsed as a whole but can't.
    fn command(
        &mut self,
        text: &str,
        span: &Range<usize>,
        depth: u32,
        has_to_be: bool,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> bool {
        let whole = text.get(span.clone()).unwrap_or_default();
        let command = whole.get(..whole.floor_char_boundary(MAX_COMMAND_BYTES)).unwrap_or_default();
        let read = self.read(command, Grammar::Bash, "bash", Vec::new());
        if has_to_be && read.as_ref().is_none_or(|read| !read.unread.is_empty()) {
            return false;
        }
        let Some(read) = read else {
            diagnostics.push(unread::unseen_diagnostic(span.clone()));
            return true;
        };
        let mut found = self.settle(read.reading, command, Grammar::Bash, depth);
        found.extend(read.diagnostics);
        found.retain(|diagnostic| !is_sign_in_prose(diagnostic));
        diagnostics.extend(found.into_iter().map(|diagnostic| shift(diagnostic, span.start)));
        if command.len() < whole.len() {
            diagnostics.push(unread::unseen_diagnostic(span.start + command.len()..span.end));
        }
        true
    }
}

fn shift(diagnostic: Diagnostic, by: usize) -> Diagnostic {
    Diagnostic { span: diagnostic.span.start + by..diagnostic.span.end + by, ..diagnostic }
}

/// Drops diagnostics on places for which `known` has more than an Info. Diagnostics on unexamined text stay.
fn drop_known(mut diagnostics: Vec<Diagnostic>, known: &[Diagnostic]) -> Vec<Diagnostic> {
    let grave = known.iter().filter(|diagnostic| diagnostic.severity > Severity::Info);
    let mut reached: Vec<(usize, usize)> =
        grave.map(|diagnostic| (diagnostic.span.start, diagnostic.span.end)).collect();
    reached.sort_unstable();
    let mut furthest = 0;
    for (_, end) in &mut reached {
        furthest = furthest.max(*end);
        *end = furthest;
    }
    diagnostics.retain(|new| {
        let before = reached.partition_point(|(start, _)| *start < new.span.end);
        let reaches = before.checked_sub(1).and_then(|last| reached.get(last));
        unread::is_unseen(new) || reaches.is_none_or(|(_, end)| *end <= new.span.start)
    });
    diagnostics
}
