//! Finds orders inside texts that programs obey: what a sed or awk script, a line for an editor or a database client,
//! or a git or ssh setting starts, writes or runs.
//!
//! It only finds them; `judge` judges what they do. Each reader takes linear time.

mod awk;
mod lines;
mod sed;
mod settings;

pub(super) use lines::lines;

use super::grammar::Grammar;
use super::programs::StartedAs;
use std::ops::Range;

/// What an order does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OrderEffect {
    /// A shell or program is started with this text. `open`: in a place where a reader expects it, such as an awk pipe.
    Starts { text: String, open: bool },
    /// Code in a language runs.
    Runs(Grammar, String),
    /// A file runs whose code is not known.
    File(String),
    /// A file is written.
    Writes(String),
    /// A file is read.
    Reads(String),
    /// A host is contacted.
    Connects(String),
    /// A program is started that is known only at run time.
    Unknown,
}

impl OrderEffect {
    fn starts(text: impl Into<String>, open: bool) -> Self {
        Self::Starts { text: text.into(), open }
    }
}

/// An order and its place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) what: OrderEffect,
    pub(super) at: Range<usize>,
}

/// The orders in a text of kind `code`; a text in a language of its own is one order.
pub(super) fn orders(code: StartedAs, text: &str) -> Vec<Order> {
    let whole = |what: OrderEffect| vec![Order { what, at: 0..text.len() }];
    match code {
        StartedAs::Shell | StartedAs::Words => whole(OrderEffect::starts(text, false)),
        StartedAs::File => whole(OrderEffect::File(text.to_owned())),
        StartedAs::Python => whole(OrderEffect::Runs(Grammar::Python, text.to_owned())),
        StartedAs::Javascript => whole(OrderEffect::Runs(Grammar::Javascript, text.to_owned())),
        // The reader of SQL itself finds the client's own commands.
        StartedAs::Sql => whole(OrderEffect::Runs(Grammar::Sql, text.to_owned())),
        StartedAs::Tcl => lines::tcl(text),
        StartedAs::Other => whole(OrderEffect::Runs(Grammar::Other, text.to_owned())),
        StartedAs::Sed => sed::orders(text),
        StartedAs::Awk => awk::orders(text),
        StartedAs::Editor => lines(text),
        StartedAs::Make => settings::make(text),
        StartedAs::Ssh => settings::ssh(text),
        StartedAs::Git => settings::git(text),
        StartedAs::Checkpoint => settings::checkpoint(text),
        StartedAs::Setting => settings::other(text),
        StartedAs::Prompt if text.contains(['`', '$']) => {
            whole(OrderEffect::starts(format!("echo \"{}\"", text.replace('"', "")), true))
        }
        StartedAs::Prompt => Vec::new(),
    }
}

/// The string in quotes at the start of `text`, and its length including the quotes.
fn quoted(text: &str) -> Option<(String, usize)> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let mut out = String::new();
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => {
                if !matches!(c, '"' | '\'' | '\\') {
                    out.push('\\');
                }
                out.push(c);
                escaped = false;
            }
            '\\' => escaped = true,
            _ if c == quote => return Some((out, at + 1)),
            _ => out.push(c),
        }
    }
    None
}
