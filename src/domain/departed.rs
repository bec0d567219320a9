//! Which requests of sayso's own went out, as counted where they are sent.

use std::collections::BTreeMap;

/// Requests by the host that they went to. A request counts once its connection stood, whether it was answered or not.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Departed {
    /// To other computers.
    pub far: BTreeMap<String, u64>,
    /// To this computer.
    pub near: BTreeMap<String, u64>,
}

impl Departed {
    /// Counts one more.
    pub fn count(&mut self, host: &str, is_near: bool) {
        let hosts = if is_near { &mut self.near } else { &mut self.far };
        *hosts.entry(host.to_owned()).or_default() += 1;
    }

    /// These and others together.
    #[must_use]
    pub fn and(mut self, others: Departed) -> Departed {
        for (mine, others) in [(&mut self.far, others.far), (&mut self.near, others.near)] {
            for (host, requests) in others {
                *mine.entry(host).or_default() += requests;
            }
        }
        self
    }
}

/// Whether a request went out before it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Departure {
    /// That is not known.
    #[default]
    Unknown,
    /// Nothing of it did.
    Never,
    /// It did, or some of it.
    Left,
}

impl Departure {
    /// The word in session files.
    pub fn as_str(self) -> Option<&'static str> {
        match self {
            Departure::Unknown => None,
            Departure::Never => Some("never"),
            Departure::Left => Some("left"),
        }
    }

    /// Reads what [`Departure::as_str`] gave.
    pub fn parse(word: Option<&str>) -> Self {
        match word {
            Some("never") => Departure::Never,
            Some("left") => Departure::Left,
            _ => Departure::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for departure in [Departure::Unknown, Departure::Never, Departure::Left] {
            assert_eq!(Departure::parse(departure.as_str()), departure);
        }
        assert_eq!(Departure::parse(Some("else")), Departure::Unknown);
    }
}
