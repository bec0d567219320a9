//! Gives path objects in Python, and the results of functions that name files and folders.

use crate::review::path_class::TEMPORARY_FOLDER;
use crate::review::value::{Act, HOLE, Value, ValueKind};

/// The result of a function on paths or folders; `None` for others.
pub(super) fn result_of_paths(act: &Act) -> Option<Value> {
    result_of_path_objects(act).or_else(|| result_of_functions(act))
}

/// The result of `pathlib.Path` and its methods.
fn result_of_path_objects(act: &Act) -> Option<Value> {
    let first = act.value(0);
    Some(match act.name.as_str() {
        "pathlib.Path" | "pathlib.Path().joinpath" => {
            let start = act.receiver.clone().or_else(|| act.arguments.is_empty().then(|| Value::text(".")));
            let parts = start.into_iter().chain(act.values());
            path_of(join_paths(parts))
        }
        "pathlib.Path.home" => path_of(Value::text("~")),
        "pathlib.Path.cwd" => path_of(Value::text(".")),
        "pathlib.Path().expanduser" | "pathlib.Path().resolve" | "pathlib.Path().absolute" => {
            path_of(act.receiver.clone()?)
        }
        "pathlib.Path().with_name" | "pathlib.Path().with_suffix" | "pathlib.Path().with_stem" => {
            let (text, _) = act.receiver.as_ref()?.as_text()?;
            path_of(below(&Value::text(parent(text)), &Value::part(HOLE.to_string())))
        }
        "pathlib.Path().glob" | "pathlib.Path().rglob" | "pathlib.Path().iterdir" => {
            let pattern = match act.name.as_str() {
                "pathlib.Path().iterdir" => Value::text("*"),
                "pathlib.Path().rglob" => Value::join(&[Value::text("**/"), first?.clone()], ""),
                _ => first?.clone(),
            };
            Value::name_about("glob()", below(act.receiver.as_ref()?, &pattern))
        }
        _ => return None,
    })
}

/// The result of a function of `os`, `glob`, `tempfile` or the like on texts of paths.
fn result_of_functions(act: &Act) -> Option<Value> {
    let first = act.value(0);
    Some(match act.name.as_str() {
        "glob.glob" | "glob.iglob" => {
            let (text, _) = first?.as_text()?;
            Value::part(text)
        }
        "os.walk" => {
            let root = below(first?, &Value::part(HOLE.to_string()));
            Value::list(vec![Value::list(vec![root, Value::unknown(), Value::unknown()])])
        }
        "os.path.join" => join_paths(act.values()),
        "os.path.expanduser" | "os.path.abspath" | "os.path.realpath" | "os.path.normpath" | "os.fspath"
        | "str" | "os.path.expandvars" | "os.fsencode" | "shlex.quote" => {
            let (text, whole) = first?.as_text()?;
            Value::of_text(text, whole).tainted(first?.taint)
        }
        "os.path.dirname" => {
            let path = first?.as_whole_text()?;
            Value::text(if path.ends_with('/') {
                path.trim_end_matches('/').to_owned()
            } else {
                parent(path)
            })
        }
        "os.getcwd" => Value::text("."),
        "tempfile.gettempdir" => Value::text("/tmp"),
        "tempfile.mkdtemp"
        | "tempfile.TemporaryDirectory"
        | "tempfile.NamedTemporaryFile"
        | "tempfile.mktemp" => Value::part(TEMPORARY_FOLDER),
        "tempfile.mkstemp" => Value::list(vec![Value::unknown(), Value::part(TEMPORARY_FOLDER)]),
        _ => return None,
    })
}

/// A path object for the text of a path.
fn path_of(text: Value) -> Value {
    let text = match &text.kind {
        ValueKind::Name { about: Some(about), .. } => (**about).clone(),
        _ => text,
    };
    Value::name_about("pathlib.Path()", text)
}

/// `.parent` and `.name` of a path object.
pub(super) fn path_part(value: &Value, name: &str) -> Option<Value> {
    if value.as_name() != Some("pathlib.Path()") {
        return None;
    }
    let (text, _) = value.as_text()?;
    match name {
        "parent" => Some(path_of(Value::text(parent(text)))),
        "name" => Some(Value::part(text.rsplit('/').next().unwrap_or_default())),
        _ => None,
    }
}

fn parent(text: &str) -> String {
    match text.trim_end_matches('/').rsplit_once('/') {
        None if text.starts_with('/') => "/".to_owned(),
        Some(("", _)) => "/".to_owned(),
        Some((head, _)) => head.to_owned(),
        None if text.contains(HOLE) || text.starts_with(TEMPORARY_FOLDER) => HOLE.to_string(),
        None => ".".to_owned(),
    }
}

/// A path joined to another; an absolute one replaces it.
pub(super) fn below(left: &Value, right: &Value) -> Value {
    let object = left.as_name() == Some("pathlib.Path()");
    let plain = |value: &Value| match value.as_text() {
        Some((text, whole)) => Value::of_text(text, whole).tainted(value.taint),
        None => value.to_unknown(),
    };
    let joined = match right.as_text() {
        Some((text, _)) if text.starts_with('/') => plain(right),
        _ => match left.as_text() {
            Some(("" | ".", true)) => plain(right),
            Some((text, _)) => {
                let slash = if text.ends_with('/') { "" } else { "/" };
                Value::join(&[plain(left), plain(right)], slash)
            }
            None => Value::join(&[Value::part(HOLE.to_string()), plain(right)], "/"),
        },
    };
    if object { path_of(joined) } else { joined }
}

fn join_paths(parts: impl Iterator<Item = Value>) -> Value {
    parts.reduce(|left, right| below(&left, &right)).unwrap_or_else(Value::unknown)
}
