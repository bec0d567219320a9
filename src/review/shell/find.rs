//! Reads the commands that `find` and `fd` run on the files they find.

use super::ShellReader;
use super::command_start::CommandStart;
use super::wrapper::fill;
use crate::review::folder::entered;
use crate::review::value::{Argument, HOLE, Value};
use std::ops::Range;

impl ShellReader<'_, '_> {
    /// Reads the commands that `find` and `fd` run on what lies below their starting points; returns the remaining
    /// words.
    pub(super) fn find(
        &mut self,
        name: &str,
        words: Vec<Argument>,
        span: &Range<usize>,
        depth: u32,
    ) -> Vec<Argument> {
        let starts: &[&str] = if name.starts_with("fd") {
            &["-x", "-X", "--exec", "--exec-batch"]
        } else {
            &["-exec", "-execdir", "-ok", "-okdir"]
        };
        let texts: Vec<&str> = words.iter().map(|a| a.value.as_whole_text().unwrap_or_default()).collect();
        let Some(first) = texts.iter().position(|text| starts.contains(text)) else {
            let is_sign = |word: &Argument| matches!(word.value.as_whole_text(), Some("!" | "(" | ")" | ","));
            return words.into_iter().filter(|word| !is_sign(word)).collect();
        };
        // A fixed `-name`, such as `__pycache__`, says what all found files are.
        let called = texts.iter().position(|text| *text == "-name").and_then(|at| texts.get(at + 1)).copied();
        let called = called.filter(|text| !text.contains(['*', '?', '['])).unwrap_or_default();
        let start = starting_point(name, words.get(..first).unwrap_or_default());
        let holder = format!("{}/{HOLE}", start.trim_end_matches('/'));
        let found = if called.is_empty() { HOLE.to_string() } else { called.to_owned() };
        let below =
            Value::part(if called.is_empty() { holder.clone() } else { format!("{holder}/{called}") });
        let mut rest = words.as_slice();
        let mut left = Vec::new();
        while let Some(at) =
            rest.iter().position(|a| a.value.as_whole_text().is_some_and(|text| starts.contains(&text)))
        {
            left.extend(rest.get(..at).unwrap_or_default().iter().cloned());
            let tail = rest.get(at + 1..).unwrap_or_default();
            // In the folder that holds what was found.
            let there =
                rest.get(at).and_then(|a| a.value.as_whole_text()).is_some_and(|t| t.ends_with("dir"));
            let end = tail
                .iter()
                .position(|a| matches!(a.value.as_whole_text(), Some(";" | "+")))
                .unwrap_or(tail.len());
            let mut inner = tail.get(..end).unwrap_or_default().to_vec();
            let named = inner.iter().any(|word| word.value.as_text().is_some_and(|(t, _)| t.contains("{}")));
            for word in &mut inner {
                fill(word, &if there { Value::part(format!("./{found}")) } else { below.clone() });
            }
            if !named && name.starts_with("fd") {
                inner.push(Argument::new(below.clone(), span));
            }
            let outer = self.folder.clone();
            if there {
                self.folder = Some(entered(outer.as_ref(), &Value::part(holder.clone())));
            }
            self.command(inner, CommandStart { input: None, span, depth: depth + 1 });
            self.folder = outer;
            rest = tail.get(end + 1..).unwrap_or_default();
        }
        left.extend(rest.iter().cloned());
        left
    }
}

/// The folder at which the search starts, by the words before the command that is run.
fn starting_point<'w>(name: &str, words: &'w [Argument]) -> &'w str {
    let operand = if name.starts_with("fd") {
        // The pattern comes before the folder.
        let path = |a: &&Argument| a.value.as_text().is_some_and(|(t, _)| t.starts_with(['/', '~', '.']));
        words.iter().rev().find(path)
    } else {
        let flag = |a: &Argument| a.value.as_text().is_some_and(|(t, _)| t.starts_with(['-', '(', '!']));
        words.first().filter(|a| !flag(a))
    };
    operand.and_then(|a| a.value.as_text()).map_or(".", |(t, _)| t)
}
