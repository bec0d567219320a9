//! A construct that catches errors, found by the grammar: in any layout, and also where it is no handler.

/// The most of a text that are examined: each is compared with all old lines.
pub(super) const MAX_SILENCERS: usize = 200;

/// A construct that catches errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Silencer<'a> {
    pub(super) line: &'a str,
    /// The text by which it is compared with others.
    pub(super) text: &'a str,
    /// Whether it only goes on after an error, or ends the program with success.
    pub(super) is_quiet: bool,
    /// The lines whose errors it catches; `None`: those of the whole program, or too many to keep.
    pub(super) takes: Option<Vec<&'a str>>,
}
