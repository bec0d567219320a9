//! `sayso sessions undo`: takes back what a run changed, or makes it again. Without `--yes` it only shows what it
//! would do; it records in the session what it did.

use super::{Console, find, seal, unreadable};
use crate::cli::SessionUndoArgs;
use crate::domain::sentences::{saving, undo};
use crate::domain::visible::visible_line;
use crate::domain::{BlockId, Entry, RunId, Sha256, Timestamp, UndoChange, UndoKind, UndoState};
use crate::driver::Clock;
use crate::report::{Failure, FailureClass};
use crate::session::factory::SessionFactory;
use crate::store::Store;
use crate::text::number::{counted, size};
use crate::workspace::undo::{RestoreResult, UndoStore};
use std::collections::BTreeSet;
use std::io;
use std::path::Path;

/// The most files named in the session's record; the others are counted.
const MAX_FILES_NAMED: usize = 50;

/// The most other runs that are listed.
const MAX_OTHER_RUNS: usize = 20;

/// A run with the record of what it changed.
struct RecordedRun {
    run: RunId,
    block: BlockId,
    record: Sha256,
}

pub(super) fn run(
    args: &SessionUndoArgs,
    factory: &SessionFactory,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let summary = find(&factory.loaded.sessions(), &args.session)?;
    let seal = seal(&factory.loaded.paths.state, console)?;
    // Opening the session locks it until all is done, so that no other process runs anything in it meanwhile.
    let (store, loaded) =
        Store::open_with(&summary.path, seal.as_ref()).map_err(|error| unreadable(&error))?;
    if let Some(why) = &loaded.foreign {
        let why = saving::is_foreign(&why.to_string());
        return Err(failure(format!("the session is {why}: nothing that it tells of is taken back")));
    }
    let entries = loaded.entries.iter().rev().map(|(_, entry)| entry);
    let found = find_recorded(entries, args.block.map(BlockId))?;
    let kind = if args.again { UndoKind::Redo } else { UndoKind::Undo };
    // Paths are relative to the session's own folder.
    let config = crate::driver::UndoConfig { working: summary.cwd.clone(), ..factory.undo_config() };
    let mut copies = UndoStore::new(config);
    let all = copies.changes(found.record).map_err(|error| {
        failure(format!("what block {} changed can't be taken back: {error}", found.block))
    })?;
    let files: Vec<String> = args.files.iter().map(|file| as_told(file, &summary.cwd)).collect();
    let wanted = wanted_changes(&all, &files)?;
    let can: Vec<u32> = wanted.iter().filter(|c| c.standing.can(kind)).map(|c| c.number).collect();
    let left: Vec<&UndoChange> = wanted.iter().copied().filter(|c| is_left_alone(c.standing, kind)).collect();
    if !args.yes {
        let others = other_runs(&loaded.entries, &found);
        print_plan(&found, &wanted, &can, kind, console)?;
        if args.block.is_none() {
            print_other_runs(&found, &others, &mut copies, console)?;
        }
        let nothing = Failure::new(FailureClass::Usage, "nothing was changed");
        return Err(if can.is_empty() { nothing } else { nothing.hint("--yes does it.") });
    }
    if can.is_empty() && left.is_empty() {
        print_changes(&wanted, console)?;
        if args.block.is_none() {
            print_other_runs(&found, &other_runs(&loaded.entries, &found), &mut copies, console)?;
        }
        return Err(failure(format!("nothing of it can be {}", verb(kind))));
    }
    // An empty list would mean all changes.
    let done = if can.is_empty() { Ok(Vec::new()) } else { copies.restore(found.record, &can, kind) };
    let done = done.map_err(|error| failure(error.to_string()))?;
    record_undo(&found, &done, kind, store.with_masker(factory.masker()))?;
    print_result(&done, &left, wanted.len(), kind, console)
}

/// Whether a change was requested but can't be made, so that it stays as it is.
fn is_left_alone(standing: UndoState, kind: UndoKind) -> bool {
    let is_there = match kind {
        UndoKind::Undo => matches!(standing, UndoState::TakenBack | UndoState::TakenBackForGood),
        // Changes that can't be taken back are still in place.
        UndoKind::Redo => {
            matches!(standing, UndoState::Done | UndoState::NoCopy | UndoState::Dropped)
        }
    };
    !is_there && !standing.can(kind)
}

fn failure(why: String) -> Failure {
    Failure::new(FailureClass::Session, why)
}

/// The run that an entry records, if it changed something.
fn recorded(entry: &Entry) -> Option<RecordedRun> {
    let Entry::Ran { run, block, report } = entry else { return None };
    let record = report.receipt.undo.as_ref()?.record?;
    Some(RecordedRun { run: *run, block: *block, record })
}

/// The last run, of a block or of the whole session, that changed something. `entries`: the newest first.
fn find_recorded<'e>(
    entries: impl Iterator<Item = &'e Entry>,
    block: Option<BlockId>,
) -> Result<RecordedRun, Failure> {
    let mut ended = BTreeSet::new();
    for entry in entries {
        match entry {
            Entry::Ran { run, .. } => drop(ended.insert(*run)),
            Entry::Approved { run, block: of, .. }
                if block.is_none_or(|block| block == *of) && !ended.contains(run) =>
            {
                let failed = failure(undo::no_end(*of));
                return Err(if block.is_some() { failed } else { failed.hint(OTHER_BLOCK_HINT) });
            }
            _ => {}
        }
        if let Some(run) = recorded(entry).filter(|run| block.is_none_or(|block| block == run.block)) {
            return Ok(run);
        }
    }
    Err(failure(match block {
        Some(block) => format!("no run of block {block} changed anything that can be taken back"),
        None => "no run of it changed anything that can be taken back".into(),
    }))
}

const OTHER_BLOCK_HINT: &str = "--block N takes back what block N changed.";

/// A path as the list of changes has it: below the session's folder, without that folder or `./` before it. The folder
/// itself is `.` there.
fn as_told(file: &str, folder: &Path) -> String {
    let named = Path::new(file);
    let below = named.strip_prefix(folder).or_else(|_| named.strip_prefix(".")).unwrap_or(named);
    if below.as_os_str().is_empty() { ".".to_owned() } else { below.to_string_lossy().into_owned() }
}

/// The changes of the named files, or all of them.
fn wanted_changes<'c>(all: &'c [UndoChange], files: &[String]) -> Result<Vec<&'c UndoChange>, Failure> {
    let is_of = |change: &UndoChange, file: &str| {
        // The path of a folder ends with a slash, which need not be typed.
        change.path.trim_end_matches('/') == file.trim_end_matches('/')
    };
    if let Some(other) = files.iter().find(|file| !all.iter().any(|change| is_of(change, file))) {
        let why = format!("the run did not change {}", visible_line(other));
        return Err(Failure::new(FailureClass::Usage, why).hint("Without --file all its changes are told."));
    }
    let is_wanted = |change: &UndoChange| files.iter().any(|file| is_of(change, file));
    Ok(all.iter().filter(|change| files.is_empty() || is_wanted(change)).collect())
}

fn print_changes(changes: &[&UndoChange], console: &mut Console<'_>) -> io::Result<()> {
    for change in changes {
        let (path, standing) = (visible_line(&change.path), change.standing.words());
        let line = format!("  {:<8} {path}  {}  {standing}", change.change, size(change.bytes));
        writeln!(console.out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// Prints what would be done.
fn print_plan(
    found: &RecordedRun,
    changes: &[&UndoChange],
    can: &[u32],
    kind: UndoKind,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    writeln!(console.out, "block {} changed:", found.block)?;
    print_changes(changes, console)?;
    let (can, all) = (can.len(), counted(changes.len(), "change"));
    writeln!(console.out, "{can} of {all} can be {}.", verb(kind))?;
    let dropped = changes.iter().filter(|change| change.standing == UndoState::Dropped).count() as u64;
    if dropped > 0 {
        writeln!(console.out, "{}", undo::dropped(dropped))?;
    }
    Ok(())
}

/// The other runs that changed something, the latest first.
fn other_runs(entries: &[(Timestamp, Entry)], found: &RecordedRun) -> Vec<RecordedRun> {
    let records = entries.iter().rev().filter_map(|(_, entry)| recorded(entry));
    records.filter(|other| other.run != found.run).take(MAX_OTHER_RUNS).collect()
}

/// Prints for each other run whether its changes can still be taken back.
fn print_other_runs(
    found: &RecordedRun,
    others: &[RecordedRun],
    store: &mut UndoStore,
    console: &mut Console<'_>,
) -> io::Result<()> {
    let mut blocks = BTreeSet::from([found.block]);
    for other in others {
        let told = match store.changes(other.record) {
            Ok(all) => {
                let dropped = all.iter().filter(|change| change.standing == UndoState::Dropped).count();
                let changes = counted(all.len(), "change");
                match dropped {
                    0 => changes,
                    dropped => format!("{changes}. {}", undo::dropped(dropped as u64)),
                }
            }
            Err(error) => visible_line(&error.to_string()),
        };
        // `--block` names the last run of a block.
        let how =
            if blocks.insert(other.block) { format!(" (--block {})", other.block) } else { String::new() };
        writeln!(console.out, "before it, block {}{how}: {told}", other.block)?;
    }
    Ok(())
}

fn verb(kind: UndoKind) -> &'static str {
    match kind {
        UndoKind::Undo => "taken back",
        UndoKind::Redo => "made again",
    }
}

/// Records in the session what was done, so that the model learns of it too.
fn record_undo(
    found: &RecordedRun,
    done: &[RestoreResult],
    kind: UndoKind,
    store: Store,
) -> Result<(), Failure> {
    let files: Vec<String> =
        done.iter().filter(|file| file.result.is_ok()).map(|file| file.path.clone()).collect();
    if files.is_empty() {
        return Ok(());
    }
    let more = u32::try_from(files.len().saturating_sub(MAX_FILES_NAMED)).unwrap_or(u32::MAX);
    let files = files.into_iter().take(MAX_FILES_NAMED).collect();
    store
        .append(Entry::Undone { run: found.run, block: found.block, files, more, kind }, Clock::System.now());
    super::super::block_on(store.close())?.map_err(|error| unreadable(&error))
}

fn print_result(
    done: &[RestoreResult],
    left: &[&UndoChange],
    all: usize,
    kind: UndoKind,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let mut refused = left.len();
    for file in done {
        let path = visible_line(&file.path);
        match &file.result {
            Ok(()) => writeln!(console.out, "{}: {path}", verb(kind))?,
            Err(why) => {
                refused += 1;
                writeln!(console.out, "not {}: {path}: {}", verb(kind), visible_line(&why.to_string()))?;
            }
        }
    }
    for change in left {
        let (path, why) = (visible_line(&change.path), undo::why_it_stays(change.standing, kind));
        writeln!(console.out, "not {}: {path}: {why}", verb(kind))?;
    }
    let (all, were) = (counted(all, "change"), if refused == 1 { "was" } else { "were" });
    match refused {
        0 => Ok(()),
        n => Err(failure(format!("{n} of {all} {were} not {}", verb(kind)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_path_is_spelled_as_the_list_has_it_also_that_of_the_folder_itself() {
        let told = |file: &str| as_told(file, Path::new("/home/ann/work"));
        for (file, spelled) in [
            ("a/b.txt", "a/b.txt"),
            ("./a/b.txt", "a/b.txt"),
            ("././.envrc", ".envrc"),
            ("/home/ann/work/a", "a"),
            ("/home/ann/other", "/home/ann/other"),
            ("../other", "../other"),
            (".", "."),
            ("./", "."),
            ("/home/ann/work/", "."),
        ] {
            assert_eq!(told(file), spelled, "{file}");
        }
    }
}
