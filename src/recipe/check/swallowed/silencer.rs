//! What takes errors in a text, as its grammar has it: however it is laid out, and also where it is no handler.

/// So many of a text are looked at: each is compared with the lines that were there.
pub(super) const MAX_SILENCERS: usize = 200;

/// Something that takes errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Silencer<'a> {
    pub(super) line: &'a str,
    /// By what it is told from others.
    pub(super) text: &'a str,
    /// Whether it does nothing with an error but go on, or end as if all were well.
    pub(super) is_quiet: bool,
    /// The lines whose errors it takes; `None`: those of the whole program, or too many to be kept.
    pub(super) takes: Option<Vec<&'a str>>,
}
