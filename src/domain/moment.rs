//! A point in time as a value. Only the driver asks the clock; everybody else is told.

/// Milliseconds since the Unix epoch, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Moment(pub i64);

impl Moment {
    /// Milliseconds from `earlier` to this moment; 0 where the clock went back.
    #[must_use]
    pub fn since(self, earlier: Moment) -> u64 {
        u64::try_from(self.0 - earlier.0).unwrap_or(0)
    }

    /// This moment, `ms` milliseconds later.
    #[must_use]
    pub fn plus(self, ms: u64) -> Moment {
        Moment(self.0.saturating_add(i64::try_from(ms).unwrap_or(i64::MAX)))
    }
}
