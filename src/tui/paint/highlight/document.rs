//! One text on the worker: what was read of it, and the states from which reading can go on.

use super::Classes;
use super::scopes::Scopes;
use crate::tui::theme::Syntax;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use syntect::parsing::{ParseState, ScopeStack, SyntaxReference, SyntaxSet};

/// Longer lines stay plain (they are data, not code), bytes.
const LONGEST_LINE: usize = 2_000;
/// A state is kept every so many lines.
const CHECKPOINT: usize = 32;

/// The state of the grammar between two lines.
#[derive(Clone, Debug)]
struct State {
    parse: ParseState,
    stack: ScopeStack,
}

/// A text that is being read.
#[derive(Debug)]
pub struct Document {
    start: State,
    /// The state behind the last whole line.
    state: State,
    /// Hashes of the whole lines, in order.
    hashes: Vec<u64>,
    /// States behind line `(i + 1) * CHECKPOINT - 1`.
    checkpoints: Vec<State>,
    /// What comes behind the last line feed.
    tail: String,
}

/// What reading needs besides the text.
pub struct Reader<'a> {
    /// The grammars.
    pub syntaxes: &'a SyntaxSet,
    /// The classes of their scopes.
    pub scopes: &'a mut Scopes,
}

impl Document {
    /// An empty text in this language.
    pub fn new(syntax: &SyntaxReference) -> Self {
        let start = State { parse: ParseState::new(syntax), stack: ScopeStack::new() };
        Self { state: start.clone(), start, hashes: Vec::new(), checkpoints: Vec::new(), tail: String::new() }
    }

    /// Takes the whole text; what has not changed at its start is not read again. Returns the number of the first
    /// line that was read, and the lines.
    pub fn set(&mut self, text: &str, reader: &mut Reader<'_>) -> (usize, Vec<Classes>) {
        let mut whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        let same =
            self.hashes.iter().take_while(|h| whole.next().is_some_and(|line| hash(line) == **h)).count();
        if same < self.hashes.len() {
            let kept = same / CHECKPOINT;
            self.checkpoints.truncate(kept);
            self.hashes.truncate(kept * CHECKPOINT);
            self.state = self.checkpoints.last().unwrap_or(&self.start).clone();
        }
        self.tail.clear();
        let read: usize = text.split_inclusive('\n').take(self.hashes.len()).map(str::len).sum();
        self.grow(text.get(read..).unwrap_or_default(), reader)
    }

    /// Takes what comes next.
    pub fn grow(&mut self, text: &str, reader: &mut Reader<'_>) -> (usize, Vec<Classes>) {
        let first = self.hashes.len();
        let mut lines = Vec::new();
        self.tail.push_str(text);
        let tail = std::mem::take(&mut self.tail);
        let mut rest = tail.as_str();
        while let Some(at) = rest.find('\n') {
            let (line, behind) = rest.split_at(at + 1);
            lines.push(read_line(line, &mut self.state, reader));
            self.hashes.push(hash(line));
            if self.hashes.len().is_multiple_of(CHECKPOINT) {
                self.checkpoints.push(self.state.clone());
            }
            rest = behind;
        }
        if !rest.is_empty() {
            // The line may go on: it is read with a state of its own.
            lines.push(read_line(rest, &mut self.state.clone(), reader));
            self.tail.push_str(rest);
        }
        (first, lines)
    }
}

fn hash(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
}

/// Reads one line (with its line feed, as the grammars want it).
fn read_line(line: &str, state: &mut State, reader: &mut Reader<'_>) -> Classes {
    let text = line.strip_suffix('\n').unwrap_or(line);
    let text = text.strip_suffix('\r').unwrap_or(text);
    let mut classes = Classes { text: text.to_string(), runs: Vec::new() };
    if line.len() > LONGEST_LINE {
        return classes;
    }
    let Ok(ops) = state.parse.parse_line(line, reader.syntaxes) else { return classes };
    let mut from = 0;
    for (at, op) in &ops {
        if *at > from {
            push(&mut classes.runs, (*at).min(text.len()), reader.scopes.class(&state.stack));
            from = *at;
        }
        // A grammar that pops what it never pushed is wrong; colours may be too.
        let _ = state.stack.apply(op);
    }
    if text.len() > from {
        push(&mut classes.runs, text.len(), reader.scopes.class(&state.stack));
    }
    classes
}

fn push(runs: &mut Vec<(usize, Syntax)>, end: usize, class: Syntax) {
    match runs.last_mut() {
        Some((last, same)) if *same == class => *last = end.max(*last),
        Some((last, _)) if *last >= end => {}
        _ => runs.push((end, class)),
    }
}
