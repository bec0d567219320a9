//! A point in time as a plain value. Only the driver reads the clock; all others receive the time as an argument.

use serde::{Deserialize, Serialize};

/// Milliseconds since the Unix epoch, UTC. In files it is a time of RFC 3339 with milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Milliseconds from `earlier` to this moment; 0 if the clock was set back.
    #[must_use]
    pub(crate) fn since(self, earlier: Timestamp) -> u64 {
        u64::try_from(self.0 - earlier.0).unwrap_or(0)
    }

    /// This moment, `ms` milliseconds later.
    #[must_use]
    pub fn plus(self, ms: u64) -> Timestamp {
        Timestamp(self.0.saturating_add(i64::try_from(ms).unwrap_or(i64::MAX)))
    }
}

/// Moments beyond the supported years are written as the nearest supported moment.
impl From<Timestamp> for String {
    fn from(at: Timestamp) -> String {
        let far = if at.0 < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
        format!("{:.3}", jiff::Timestamp::from_millisecond(at.0).unwrap_or(far))
    }
}

impl TryFrom<String> for Timestamp {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let time: jiff::Timestamp = text.parse().map_err(|_| "not a time of RFC 3339")?;
        Ok(Timestamp(time.as_millisecond()))
    }
}
