//! What can be chosen in the list: a session, a place found in one, a new session.

use crate::driver::{SessionHit, SessionLocation, Summary};
use std::path::PathBuf;

/// A row that can be chosen.
#[derive(Clone, Copy, Debug)]
pub(super) enum Choice<'a> {
    Session(&'a Summary),
    Hit(&'a SessionHit),
    New,
}

impl<'a> Choice<'a> {
    /// The session; `None` for the row of a new one.
    pub(super) fn session(self) -> Option<&'a Summary> {
        match self {
            Choice::Session(session) => Some(session),
            Choice::Hit(hit) => Some(&hit.session),
            Choice::New => None,
        }
    }

    /// An identity that does not depend on the row.
    pub(super) fn key(self) -> (Option<PathBuf>, Option<(SessionLocation, String)>) {
        let place = match self {
            Choice::Hit(hit) => Some((hit.place, hit.line.clone())),
            Choice::Session(_) | Choice::New => None,
        };
        (self.session().map(|session| session.path.clone()), place)
    }
}
