//! `sayso sessions rm` and `prune`: removes sessions. Before removing anything it shows what it would remove, and
//! asks.

use super::super::Console;
use super::{ask, find, search, time, unreadable};
use crate::cli::SessionPruneArgs;
use crate::domain::visible::visible_line;
use crate::domain::{Masker, moment};
use crate::driver::Clock;
use crate::engine::session_name::name_for;
use crate::report::Failure;
use crate::session::factory::SessionFactory;
use crate::store::index::{self, Summary};
use crate::store::manage;
use crate::text::number::{counted, size};
use std::path::Path;

/// The most sessions that are listed.
const MAX_SESSIONS_SHOWN: usize = 20;

/// Removes the named sessions.
pub(super) fn remove_named(
    folder: &Path,
    sessions: &[String],
    yes: bool,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let mut meant: Vec<Summary> = Vec::new();
    for wanted in sessions {
        let found = find(folder, wanted)?;
        if meant.iter().all(|one| one.path != found.path) {
            meant.push(found);
        }
    }
    remove(&meant, yes, console)
}

/// Removes the sessions that were last written before a time.
pub(super) fn remove_older(
    args: &SessionPruneArgs,
    factory: &SessionFactory,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let zone = crate::session::local_zone();
    let before = moment::read(&args.older, Clock::System.now(), &zone);
    let before = before.ok_or_else(|| search::time_failure(&args.older))?;
    let masker = factory.masker();
    let old = index::list(&factory.loaded.sessions()).into_iter().filter(|session| session.modified < before);
    let (mut meant, mut named, mut stay) = (Vec::new(), 0, 0);
    for session in old {
        if args.keep_named && has_own_name(&session, &masker) {
            named += 1;
            continue;
        }
        let why = match (&session.damage, &session.locked) {
            (Some(_), _) => "is damaged",
            (None, Some(_)) => "is open in another sayso",
            (None, None) => {
                meant.push(session);
                continue;
            }
        };
        stay += 1;
        writeln!(console.err, "note: {} {why} and stays", visible_line(session.label()))?;
    }
    if named > 0 {
        stay += named;
        writeln!(console.err, "note: --keep-named passes over {}", counted(named, "session"))?;
    }
    match (meant.is_empty(), stay) {
        (true, 0) => Ok(writeln!(console.out, "no session is that old")?),
        (true, _) => Ok(writeln!(console.out, "no session was removed")?),
        (false, _) => remove(&meant, args.yes, console),
    }
}

fn remove(sessions: &[Summary], yes: bool, console: &mut Console<'_>) -> Result<(), Failure> {
    let spaces: Vec<u64> = sessions.iter().map(|session| manage::space(&session.path)).collect();
    let what = format!("{} ({})", counted(sessions.len(), "session"), size(spaces.iter().sum()));
    if !yes {
        for session in sessions.iter().take(MAX_SESSIONS_SHOWN) {
            writeln!(console.err, "{}  {}", time(session.modified), visible_line(session.label()))?;
        }
        if sessions.len() > MAX_SESSIONS_SHOWN {
            writeln!(console.err, "and {} more", sessions.len() - MAX_SESSIONS_SHOWN)?;
        }
        let told = ("nothing was removed", what.as_str(), "--yes removes without a question.");
        ask::confirm(&format!("Remove {what} for good?"), told, console)?;
    }
    let paths: Vec<&Path> = sessions.iter().map(|session| session.path.as_path()).collect();
    let mut freed = 0;
    let mut each = sessions.iter().zip(spaces);
    let mut told = Ok(());
    let done = manage::delete_all(&paths, |_, removed| {
        let Some((session, space)) = each.next() else { return };
        freed += space.saturating_sub(manage::space(&session.path));
        if removed.is_ok() && told.is_ok() {
            told = writeln!(console.out, "removed {}", visible_line(session.label()));
        }
    });
    told?;
    let stay: Vec<_> = done.into_iter().filter_map(Result::err).collect();
    if freed > 0 {
        writeln!(console.out, "{} freed", size(freed))?;
    }
    let Some(first) = stay.first() else { return Ok(()) };
    for error in stay.iter().skip(1) {
        writeln!(console.err, "error: {}", visible_line(&error.to_string()))?;
    }
    Err(unreadable(first))
}

/// Whether a person named the session: its name comes neither from the first prompt nor from the file that it began
/// with (then the name is the first line of the first prompt).
fn has_own_name(session: &Summary, masker: &Masker) -> bool {
    let first_line = session.first_prompt.lines().next().unwrap_or_default();
    let is_of_file = session.name == first_line && session.first_prompt.contains('\n');
    !session.name.is_empty()
        && !is_of_file
        && session.name != name_for(&masker.mask(session.first_prompt.clone()))
}
