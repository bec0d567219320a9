//! Decides whether two outputs of the same program mean the same. Some things differ in each run and count as alike:
//! times within the runs, durations not longer than the runs, addresses, random names, the folders in which they ran.
//! Everything else has to be equal, so a changed word is always found. Pure.
//!
//! - `token`: the parts of a line
//! - `moment`: whether a time is that of a run
//! - `sets`: sets as Python prints them

mod moment;
mod sets;
mod token;

use std::borrow::Cow;
use token::{TextToken, tokens};

/// Facts about one of the two runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RunFacts {
    /// The folder in which it ran, under all its names.
    pub(crate) folders: Vec<String>,
    /// Its start and end, in milliseconds of Unix time.
    pub(crate) time: (i64, i64),
    /// The processor time that it used, in milliseconds. With several processors this can exceed its duration.
    pub(crate) processor_ms: i64,
}

/// The two runs whose texts are compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BothRuns {
    pub(crate) then: RunFacts,
    pub(crate) now: RunFacts,
    /// Whether the order of items in printed sets is random, as in Python.
    pub(crate) has_sets: bool,
}

/// The first line that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineDifference {
    /// The number of the line in both texts, from 1.
    pub(crate) line: usize,
    /// The old line; `None` if the old text has fewer lines.
    pub(crate) then: Option<String>,
    /// The new line; `None` if the new text has fewer lines.
    pub(crate) now: Option<String>,
}

/// The first lines that are not alike, of which one may be missing.
pub(crate) fn first_unlike_lines(
    (then, now): (&str, &str),
    alike: impl Fn(&str, &str) -> bool,
) -> Option<LineDifference> {
    if then == now {
        return None;
    }
    let (mut left, mut right) = (then.split('\n'), now.split('\n'));
    for line in 1.. {
        match (left.next(), right.next()) {
            (None, None) => break,
            (Some(then), Some(now)) if alike(then, now) => {}
            (then, now) => {
                let text = |line: Option<&str>| line.map(str::to_owned);
                return Some(LineDifference { line, then: text(then), now: text(now) });
            }
        }
    }
    None
}

impl BothRuns {
    /// The first line in which two texts differ. White space at the end of lines and texts is ignored.
    pub(crate) fn first_difference(&self, then: &str, now: &str) -> Option<LineDifference> {
        let alike = |then: &str, now: &str| self.are_alike(last_shown(then), last_shown(now));
        let mut found = first_unlike_lines((then.trim_end(), now.trim_end()), alike)?;
        for line in [&mut found.then, &mut found.now].into_iter().flatten() {
            *line = last_shown(line).to_owned();
        }
        Some(found)
    }

    /// Whether two single lines are alike.
    fn are_alike(&self, then: &str, now: &str) -> bool {
        if then == now || self.are_alike_in_order(then, now) {
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
            || then.kind == now.kind && then.is_run_specific(&self.then) && now.is_run_specific(&self.now)
            || token::are_near(then, now)
    }

    /// Replaces everything random in a text, so that the result can serve to sort the items of a set.
    fn without_chance(&self, text: &str) -> String {
        let mut told = String::new();
        for token in tokens(text, self) {
            if token.is_run_specific(&self.then) || token.is_run_specific(&self.now) {
                told.push('\0');
            } else {
                told.push_str(token.text);
            }
        }
        told
    }
}

/// A line as a terminal shows it in the end: the last overwriting text, without trailing white space.
fn last_shown(line: &str) -> &str {
    let line = line.trim_end();
    line.rsplit('\r').next().unwrap_or(line)
}

#[cfg(test)]
mod tests;
