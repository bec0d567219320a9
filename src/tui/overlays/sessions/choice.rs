//! What can be chosen in the list: a session, a place that was found in one, a new one.

use crate::driver::{SessionHit, SessionPlace, Summary};
use std::path::PathBuf;

/// A row that can be chosen.
#[derive(Clone, Copy, Debug)]
pub(super) enum Choice<'a> {
    Session(&'a Summary),
    Hit(&'a SessionHit),
    New,
}

impl<'a> Choice<'a> {
    /// The session; `None`: it is the row for a new one.
    pub(super) fn session(self) -> Option<&'a Summary> {
        match self {
            Choice::Session(session) => Some(session),
            Choice::Hit(hit) => Some(&hit.session),
            Choice::New => None,
        }
    }

    /// What it is, whatever row it stands on.
    pub(super) fn key(self) -> ChoiceKey {
        match self {
            Choice::Session(session) => ChoiceKey::Session(session.path.clone()),
            Choice::Hit(hit) => ChoiceKey::Hit(hit.session.path.clone(), hit.place, hit.line.clone()),
            Choice::New => ChoiceKey::New,
        }
    }
}

/// What was chosen, to find it again where rows come and go.
#[derive(PartialEq, Eq)]
pub(super) enum ChoiceKey {
    Session(PathBuf),
    Hit(PathBuf, SessionPlace, String),
    New,
}
