//! What takes errors in a text, as its grammar has it: however it is laid out, and also where it is no handler.

use super::tree::{Grammar, Source};
use super::{bash, javascript, python};

/// So many of a text are looked at: each is compared with the lines that were there.
const MOST: usize = 200;

/// Something that takes errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Silencer<'a> {
    /// Its own line.
    pub(super) line: &'a str,
    /// By what it is told from others.
    pub(super) text: &'a str,
    /// Whether it does nothing with an error but go on, or end as if all were well.
    pub(super) is_quiet: bool,
    /// The lines whose errors it takes; `None`: those of the whole program.
    pub(super) takes: Option<Vec<&'a str>>,
}

/// Those of a text that are not in the old one.
pub(super) fn new<'a>(old: &Source<'_>, new: &Source<'a>) -> Vec<Silencer<'a>> {
    let mut known = all(old);
    let mut is_new = |silencer: &Silencer<'_>| {
        let at = known.iter().position(|other| other.text == silencer.text);
        at.map(|at| known.remove(at)).is_none()
    };
    all(new).into_iter().filter(|silencer| is_new(silencer)).collect()
}

fn all<'a>(source: &Source<'a>) -> Vec<Silencer<'a>> {
    match source.grammar {
        Grammar::Python => python::silencers(source, MOST),
        Grammar::Javascript => javascript::silencers(source, MOST),
        Grammar::Bash => bash::silencers(source, MOST),
    }
}
