//! The clock: the only code that reads the time for the engine.

use crate::domain::Timestamp;
use std::time::{SystemTime, UNIX_EPOCH};

/// Where the time comes from.
#[derive(Clone, Copy, Debug, Default)]
pub enum Clock {
    /// The system's clock.
    #[default]
    System,
    /// A constant, for tests that compare output.
    Fixed(Timestamp),
}

impl Clock {
    /// The current time.
    pub(crate) fn now(self) -> Timestamp {
        match self {
            Clock::System => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
            }
            Clock::Fixed(moment) => moment,
        }
    }
}
