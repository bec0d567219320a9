//! Chooses the files of the session's folder that the runs of a replay get, as they are now or as they were before the
//! session.

use crate::cli::SessionReplayArgs;
use crate::engine::recorded_runs::RecordedRuns;
use crate::report::{Failure, FailureClass};
use crate::review;
use crate::session::factory::SessionFactory;
use crate::store::index::Summary;
use crate::workspace::copy::{ChosenFiles, CopyError, WhyNotCopied};
use crate::workspace::held_path::Folder;
use crate::workspace::undo::{UndoConfig, UndoStore};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The largest file whose content from before the session is restored.
const MAX_EARLIER_BYTES: u64 = 64 << 20;

/// The files to copy, and the folder in which the session worked.
pub(super) fn chosen_files(
    args: &SessionReplayArgs,
    summary: &Summary,
    recorded: &RecordedRuns,
    factory: &SessionFactory,
) -> Result<Option<(ChosenFiles, Folder)>, Failure> {
    if !args.copy && args.with.is_empty() {
        return Ok(None);
    }
    let usage = |error: &dyn std::fmt::Display| Failure::new(FailureClass::Usage, error.to_string());
    let folder = Folder::find(&summary.cwd).map_err(|error| usage(&error))?;
    let is_hidden = |path: &str| path.split('/').any(|part| part.starts_with('.'));
    let mut files = ChosenFiles::default();
    if args.copy {
        let scope = factory.scope();
        let why_not = |path: &str| {
            let whole = folder.path().join(path);
            match () {
                () if recorded.made.contains(path) => Some(WhyNotCopied::Made),
                () if review::is_secret(&whole.to_string_lossy(), &scope) => Some(WhyNotCopied::Secret),
                () if is_hidden(path) => Some(WhyNotCopied::Hidden),
                () => None,
            }
        };
        files.add_all(&folder, Path::new(""), &why_not).map_err(|error| usage(&error))?;
    }
    let mut wants: BTreeSet<&str> = BTreeSet::new();
    for wanted in &args.with {
        let below: PathBuf = wanted.strip_prefix(folder.path()).unwrap_or(wanted).components().collect();
        let changed = recorded.earlier.keys().find(|path| Path::new(path) == below);
        match files.add(&folder, wanted) {
            // A run deleted the file; its earlier content may still be stored.
            Err(CopyError::Missing(..)) if changed.is_some() => {}
            added => added.map_err(|error| usage(&error))?,
        }
        wants.extend(changed.map(String::as_str));
    }
    let config = UndoConfig { working: summary.cwd.clone(), ..factory.undo_config() };
    let mut copies = UndoStore::new(config);
    for (path, record) in &recorded.earlier {
        let is_wanted = wants.contains(path.as_str());
        if !is_wanted && !files.has(path) && (!args.copy || is_hidden(path)) {
            continue;
        }
        match copies.before(*record, &folder.path().join(path), MAX_EARLIER_BYTES) {
            Some((content, mode)) => files.add_earlier(path, content, mode).map_err(|error| usage(&error))?,
            None if is_wanted && !files.has(path) => {
                return Err(usage(&CopyError::Missing(path.into(), folder.path().to_owned())));
            }
            None => {}
        }
    }
    Ok(Some((files, folder)))
}
