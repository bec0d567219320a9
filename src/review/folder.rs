//! The folder in which code runs, as far as it is known: one, one of several where a change of it may have failed, or
//! an unknown one.

use super::Scope;
use super::path_class::{MAX_PATH_BYTES, START, is_absolute, join_folder, resolved};
use super::value::{Act, HOLE, Value, ValueKind};

/// The most folders that are told apart; with more, any folder is possible.
const MAX_FOLDERS: usize = 8;

/// The folder in which the text starts.
pub(super) fn start() -> Value {
    Value::text(START)
}

/// A folder that is known only at run time.
pub(super) fn unknown() -> Value {
    Value::part(HOLE.to_string())
}

/// The folder after a change to `to`, which starts at `from` if it is relative.
pub(super) fn entered(from: Option<&Value>, to: &Value) -> Value {
    let enter = |from: Option<&Value>, to: &Value| match (to.as_text(), from.and_then(Value::as_text)) {
        (Some((text, _)), from) if text.len() + from.map_or(0, |(from, _)| from.len()) > MAX_PATH_BYTES => {
            unknown()
        }
        (Some((text, whole)), Some((from, known))) if from != START && !is_absolute(text) => {
            Value::of_text(join_folder(text, Some(from)), whole && known)
        }
        (Some(_), _) => to.clone(),
        (None, _) => unknown(),
    };
    match from {
        Some(from) => from.each_pair(to, |from, to| enter(Some(from), to)),
        None => to.each(|to| enter(None, to)),
    }
}

/// One of these folders; `None` is the one in which the text starts. The first is the one that the text means.
pub(super) fn either(meant: Option<Value>, other: Option<Value>, scope: &Scope) -> Value {
    let mut all: Vec<Value> = Vec::new();
    let mut places: Vec<Option<String>> = Vec::new();
    let place = |folder: &Value| folder.as_whole_text().and_then(|path| resolved(path, scope));
    for folder in [meant, other].into_iter().flat_map(|folder| folder.unwrap_or_else(start).alternatives()) {
        let here = place(&folder);
        if here.is_some() && places.contains(&here) {
            continue;
        }
        if all.len() == MAX_FOLDERS {
            all.push(unknown());
            break;
        }
        all.push(folder);
        places.push(here);
    }
    Value::any(all)
}

/// Whether a folder may be another one than that in which the text starts, which `None` is.
pub(super) fn may_be_elsewhere(folder: Option<&Value>, scope: &Scope) -> bool {
    let start = resolved(START, scope);
    let is_start = |folder: Value| folder.as_whole_text().and_then(|path| resolved(path, scope)) == start;
    folder.is_some_and(|folder| !folder.alternatives().into_iter().all(is_start))
}

/// The folders in which an act may run, the one that the text means first; `None` is where the text starts.
pub(super) fn folders_of(act: &Act) -> Vec<Option<&str>> {
    let all = match &act.folder {
        Some(Value { kind: ValueKind::Any(all), .. }) => all.as_slice(),
        folder => folder.as_slice(),
    };
    let known: Vec<_> = all.iter().filter_map(Value::as_text).map(|(text, _)| Some(text)).collect();
    if known.is_empty() { vec![None] } else { known }
}

/// The folder in which the text means an act to run.
pub(super) fn folder_of(act: &Act) -> Option<&str> {
    folders_of(act).first().copied().flatten()
}
