//! The clock of the house: the only place that asks what time it is for the engine.

use crate::domain::Timestamp;
use std::time::{SystemTime, UNIX_EPOCH};

/// Where the time comes from.
#[derive(Clone, Copy, Debug, Default)]
pub enum Clock {
    /// The system's clock.
    #[default]
    System,
    /// Always the same moment, for tests whose output is compared.
    Fixed(Timestamp),
}

impl Clock {
    /// The moment that it shows.
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
