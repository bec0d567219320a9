//! Two sessions side by side, as their files have them.

use crate::engine::comparison::{ComparedSession, Comparison};
use crate::store::index::{self, Summary};
use crate::store::{self, LoadedSession, Seal, StoreError};
use crate::text::number::size;
use std::path::Path;

/// Bytes of two files that are read for it beside a session that is open: both stand in memory meanwhile.
const LARGEST: u64 = 256 << 20;

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct SessionComparison {
    /// What to call the two.
    pub labels: [String; 2],
    /// Where they part, and what is on each side from there.
    pub comparison: Comparison,
    /// What is damaged in their files, a line each.
    pub damage: Vec<String>,
}

/// Compares two sessions.
///
/// # Errors
/// When one can't be read.
pub(crate) fn compare_sessions(
    left: &Summary,
    right: &Summary,
    seal: Option<&Seal>,
) -> Result<SessionComparison, StoreError> {
    let mut damage = Vec::new();
    let mut read = |of: &Summary| -> Result<LoadedSession, StoreError> {
        let loaded = store::read_with(&of.path, seal)?;
        damage.extend(loaded.damage.iter().map(|damage| format!("{}: {damage}", of.label())));
        Ok(loaded)
    };
    let (ours, theirs) = (read(left)?, read(right)?);
    let comparison = Comparison::of(compared(left, &ours), compared(right, &theirs));
    Ok(SessionComparison { labels: [left, right].map(|of| of.label().to_owned()), comparison, damage })
}

fn compared<'a>(of: &'a Summary, loaded: &'a LoadedSession) -> ComparedSession<'a> {
    ComparedSession {
        label: of.label(),
        id: &of.id,
        branch_of: of.branch_of.as_deref(),
        entries: &loaded.entries,
    }
}

/// The same beside a session that is open, its own file first.
///
/// # Errors
/// When they can't be compared, in words.
pub(super) fn compare_files(
    own: &Path,
    other: &Path,
    seal: Option<&Seal>,
) -> Result<SessionComparison, String> {
    let own = index::of(own).ok_or("nothing was said in this session yet")?;
    let other = index::of(other).ok_or("the other session is gone")?;
    let bytes = own.bytes.saturating_add(other.bytes);
    if bytes > LARGEST {
        return Err(format!("they hold {}. sayso sessions compare does it", size(bytes)));
    }
    compare_sessions(&own, &other, seal).map_err(|error| error.to_string())
}
