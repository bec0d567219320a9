//! Orders inside texts that programs obey: what a script of sed or awk, a line of an editor or a database's client, or a
//! setting of git or ssh starts, writes and runs.
//!
//! Finds orders only; judging what they do is not done here. Each reader is linear in its text.

mod awk;
mod lines;
mod sed;
mod settings;

pub(super) use lines::lines;

use super::programs::Code;
use super::rules::InnerPattern;
use std::ops::Range;

/// What an order does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OrderEffect {
    /// A shell or a program is given this text. `open`: where one looks for it, as the pipes of awk.
    Starts { text: String, open: bool },
    /// Code of a language.
    Runs(InnerPattern, String),
    /// A file with code that is not here.
    File(String),
    /// A file is written.
    Writes(String),
    /// A file is read.
    Reads(String),
    /// A host is asked.
    Connects(String),
    /// A program is started, and which one is only known when it runs.
    Unknown,
}

/// One order and where it stands in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OrderLanguage {
    pub(super) what: OrderEffect,
    pub(super) at: Range<usize>,
}

/// The orders in a text that is read as `code` says; what is a language of its own is one order.
pub(super) fn orders(code: Code, text: &str) -> Vec<OrderLanguage> {
    let whole = |what: OrderEffect| vec![OrderLanguage { what, at: 0..text.len() }];
    match code {
        Code::Shell | Code::Words => whole(OrderEffect::Starts { text: text.to_owned(), open: false }),
        Code::File => whole(OrderEffect::File(text.to_owned())),
        Code::Python => whole(OrderEffect::Runs(InnerPattern::Python, text.to_owned())),
        Code::Javascript => whole(OrderEffect::Runs(InnerPattern::Javascript, text.to_owned())),
        // Its reader looks at the lines of the client itself.
        Code::Sql => whole(OrderEffect::Runs(InnerPattern::Sql, text.to_owned())),
        Code::Tcl => lines::tcl(text),
        Code::Other => whole(OrderEffect::Runs(InnerPattern::Other, text.to_owned())),
        Code::Sed => sed::orders(text),
        Code::Awk => awk::orders(text),
        Code::Editor => lines(text),
        Code::Make => settings::make(text),
        Code::Ssh => settings::ssh(text),
        Code::Git => settings::git(text),
        Code::Checkpoint => settings::checkpoint(text),
        Code::Setting => settings::other(text),
        Code::Prompt if text.contains(['`', '$']) => {
            whole(OrderEffect::Starts { text: format!("echo \"{}\"", text.replace('"', "")), open: true })
        }
        Code::Prompt => Vec::new(),
    }
}

/// The text of a string in quotes at the start of `text`, and how long it is with them.
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
