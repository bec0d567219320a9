//! Ids. Each kind has its own type, so that a step can't be mistaken for a run.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Defines an id that counts from 1 and is displayed as its number.
macro_rules! number_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
        )]
        pub struct $name(pub u32);

        impl $name {
            /// The next id.
            #[must_use]
            pub fn next(self) -> Self {
                Self(self.0.saturating_add(1))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

number_id! {
    /// One request to the model and what follows from it; counted through the whole session.
    StepId
}
number_id! {
    /// A block, as the person sees it: `block 3`; counted through the whole session.
    BlockId
}
number_id! {
    /// A version of a block: 1 is what the model wrote, and each edit makes the next.
    Revision
}
number_id! {
    /// One execution of an approved block; counted through the whole session.
    RunId
}
number_id! {
    /// An "always" of the person; counted through the whole session.
    RuleId
}
number_id! {
    /// A timer that the engine set; the engine drops the event of an outdated one.
    TimerId
}

/// The id of a session: a UUID version 7 as text, so that file names sort by creation time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SessionId(pub String);

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
