//! What goes on by itself, since when and how long it may: said in the same words by every front end. Waiting for the
//! person is none of it.

use super::State;
use crate::domain::Timestamp;
use crate::domain::sentences::running;
use crate::text::number::{duration, limit};

/// Something that goes on by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoingOn {
    /// `Installing numpy, pandas`.
    pub what: String,
    /// When it began.
    pub since: Timestamp,
    /// How long it may take, in milliseconds, where it has a limit.
    pub wall_ms: Option<u64>,
}

impl GoingOn {
    /// `4.2 s of 60 s`: how long it takes by now.
    #[must_use]
    pub fn time(&self, now: Timestamp) -> String {
        let time = duration(now.since(self.since));
        self.wall_ms.map_or(time.clone(), |wall| format!("{time} of {}", limit(wall)))
    }
}

impl State {
    /// What goes on; `None` while the person is waited for, or nobody is.
    pub fn going_on(&self) -> Option<GoingOn> {
        if let Some(run) = &self.live.run {
            let item = self.transcript.blocks.get(&run.block)?;
            let what = running::what(&item.block);
            return Some(GoingOn { what, since: run.since, wall_ms: Some(run.wall_ms) });
        }
        if let Some(summary) = &self.live.summary {
            return Some(GoingOn { what: running::SUMMING_UP.into(), since: summary.since, wall_ms: None });
        }
        let reply = self.live.reply.as_ref()?;
        Some(GoingOn { what: running::ANSWERING.into(), since: reply.since, wall_ms: None })
    }
}
