//! Whether two texts that the same program printed at two times say the same. What is another in each run counts as alike:
//! moments that are those of the runs, durations that are no longer than they were, addresses, random names, the folder in which it ran. All else has to be
//! equal, so that a changed word is always found. Pure.
//!
//! - `token`: what a text consists of - `moment`: whether a time is that of a run - `sets`: sets as Python shows them

mod moment;
mod sets;
mod token;

use std::borrow::Cow;
use token::{TextToken, tokens};

/// What is known of one of the two runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RunFacts {
    /// The folder in which it ran, by all its names.
    pub(crate) folders: Vec<String>,
    /// From when to when it ran, in milliseconds of Unix time.
    pub(crate) time: (i64, i64),
    /// How long processors worked for it, in milliseconds: several at once may do so for longer than it took.
    pub(crate) processor_ms: i64,
}

/// The two runs whose texts are compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BothRuns {
    pub(crate) then: RunFacts,
    pub(crate) now: RunFacts,
    /// Whether the order in which sets stand is chance, as in Python.
    pub(crate) has_sets: bool,
}

/// The first line that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineDifference {
    /// Which line of both texts, from 1.
    pub(crate) line: usize,
    /// How it was; `None`: there was no such line.
    pub(crate) then: Option<String>,
    /// How it is; `None`: there is no such line.
    pub(crate) now: Option<String>,
}

impl BothRuns {
    /// The first line in which two texts differ. Blanks at the end of lines and of the texts are nothing.
    pub(crate) fn first_difference(&self, then: &str, now: &str) -> Option<LineDifference> {
        if then == now {
            return None;
        }
        let (then, now) = (then.trim_end(), now.trim_end());
        let (mut left, mut right) = (then.split('\n'), now.split('\n'));
        for line in 1.. {
            match (left.next(), right.next()) {
                (None, None) => break,
                (Some(then), Some(now)) if self.are_alike(last_shown(then), last_shown(now)) => {}
                (then, now) => {
                    let text = |line: Option<&str>| line.map(|line| last_shown(line).to_owned());
                    return Some(LineDifference { line, then: text(then), now: text(now) });
                }
            }
        }
        None
    }

    /// Whether two texts without line ends are alike.
    fn are_alike(&self, then: &str, now: &str) -> bool {
        if then == now {
            return true;
        }
        if self.are_alike_in_order(then, now) {
            return true;
        }
        if !self.has_sets {
            return false;
        }
        let sorted = |text| sets::sorted(text, &|item| self.without_chance(item));
        match (sorted(then), sorted(now)) {
            (Cow::Borrowed(_), Cow::Borrowed(_)) => false,
            (then, now) => self.are_alike_in_order(&then, &now),
        }
    }

    fn are_alike_in_order(&self, then: &str, now: &str) -> bool {
        let (left, right) = (tokens(then, self), tokens(now, self));
        left.len() == right.len() && left.iter().zip(&right).all(|(then, now)| self.is_same(*then, *now))
    }

    fn is_same(&self, then: TextToken<'_>, now: TextToken<'_>) -> bool {
        then.text == now.text
            || then.kind == now.kind && then.is_chance(&self.then) && now.is_chance(&self.now)
            || token::are_near(then, now)
    }

    /// A text with what is chance in either run taken out, by which items of a set can be put in an order.
    fn without_chance(&self, text: &str) -> String {
        let mut told = String::new();
        for token in tokens(text, self) {
            if token.is_chance(&self.then) || token.is_chance(&self.now) {
                told.push('\0');
            } else {
                told.push_str(token.text);
            }
        }
        told
    }
}

/// A line as a terminal shows it last: what a program wrote over it, without blanks at its end.
fn last_shown(line: &str) -> &str {
    let line = line.trim_end();
    line.rsplit('\r').next().unwrap_or(line)
}

#[cfg(test)]
mod tests;
