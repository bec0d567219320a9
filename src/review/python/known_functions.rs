//! The results of well-known Python functions and operators, where they help to name a path, a program or a host.

use super::{PythonReader, items, text};
use crate::review::path_class::{self, TEMPORARY_FOLDER, is_secret};
use crate::review::rules::TaintMark;
use crate::review::stdin;
use crate::review::value::taint;
use crate::review::value::{Act, HOLE, Taint, Value, ValueKind};

/// Functions whose result depends on the working folder.
const NAMES_FOLDER: &[&str] = &[
    "os.getcwd",
    "os.path.abspath",
    "os.path.realpath",
    "pathlib.Path.cwd",
    "pathlib.Path().resolve",
    "pathlib.Path().absolute",
];

impl PythonReader<'_, '_> {
    /// The result of a call.
    pub(super) fn result(&mut self, act: &Act, called: &Value) -> Value {
        if let Some(value) = self.enter(act) {
            return value;
        }
        let mark = self.shared.rules.mark_of(&act.name).map(taint).unwrap_or_default();
        let mut given = mark;
        if mark != Taint::DOWNLOADED {
            given = given.with(called.taint);
            let arguments = act.arguments.iter().chain(act.named.iter().map(|(_, a)| a));
            let handed = arguments.fold(Taint::default(), |t, a| t.with(a.value.all_taint()));
            given = given.with(if makes_client(&act.name) { handed.without(Taint::SECRET) } else { handed });
        }
        if starts(act).is_some_and(|program| stdin::downloads(&program)) {
            given = given.with(Taint::DOWNLOADED);
        }
        if self.shared.moves() && NAMES_FOLDER.contains(&act.name.as_str()) {
            // The folder at this time, which is left later.
            let about = act.receiver.as_ref().or(act.arguments.first().map(|first| &first.value));
            let is_absolute =
                about.and_then(Value::as_text).is_some_and(|(path, _)| path.starts_with(['/', '~']));
            if !is_absolute {
                return Value::unknown().tainted(given);
            }
        }
        if let Some(value) = self.special(act) {
            return value.tainted(mark);
        }
        if let Some(path) = file_of(act) {
            let secret = is_secret(path.as_text().map_or("", |(t, _)| t), self.shared.scope);
            given = given.with(if secret { Taint::SECRET.with(Taint::FILE) } else { Taint::FILE });
            return Value::name_about(format!("{}()", act.name), path).tainted(given);
        }
        match called.as_name() {
            Some("sqlite3.connect") if act.arguments.first().is_some_and(|a| a.value.as_text().is_some()) => {
                let path = act.arguments.first().map_or_else(Value::unknown, |a| a.value.clone());
                Value::name_about("sqlite3.connect()", path)
            }
            // The streams of a running program belong to its command.
            Some(name) if starts(act).is_some() => {
                let command = starts(act).unwrap_or_else(Value::unknown);
                Value::name_about(format!("{name}()"), command).tainted(given)
            }
            // Whatever a connection returns speaks to the same database.
            Some(name) if name.starts_with("sqlite3.connect()") => {
                let about = act.receiver.clone().unwrap_or_else(Value::unknown);
                Value::name_about(format!("{name}()"), about).tainted(given)
            }
            Some(name) => Value::name(format!("{name}()")).tainted(given),
            None => Value::unknown().tainted(given),
        }
    }

    fn special(&self, act: &Act) -> Option<Value> {
        let first = act.arguments.first().map(|a| &a.value);
        let second = act.arguments.get(1).map(|a| &a.value);
        Some(match act.name.as_str() {
            // Results that reveal nothing of their argument.
            "len" | "bool" | "isinstance" | "type" | "hash" | "callable" | "hasattr" | "all" | "any" => {
                Value::unknown()
            }
            "compile" => first?.clone(),
            "getattr" | "inspect.getattr_static" => match second.and_then(Value::as_whole_text) {
                Some(name) => {
                    let name = crate::review::lookalike::plain(name).unwrap_or_else(|| name.to_owned());
                    self.member(first?, &name)
                }
                None => Value::unknown(),
            },
            name if name.ends_with(".__getattribute__") || name.ends_with(".__getattr__") => {
                let owner = name.rsplit_once('.').map_or("", |(owner, _)| owner);
                self.member(&Value::name(owner), first?.as_whole_text()?)
            }
            name if [".__dict__.get", "sys.modules.get", "globals().get", "locals().get"]
                .iter()
                .any(|e| name.ends_with(e)) =>
            {
                let table = Value::name(name.trim_end_matches(".get"));
                self.item_of(&table, first?)
            }
            "functools.partial" | "operator.methodcaller" => {
                let rest = act.arguments.iter().skip(1).map(|a| a.value.clone()).collect();
                let options = act.named.iter().map(|(key, a)| (key.clone(), a.value.clone())).collect();
                let parts = vec![
                    first?.clone(),
                    Value::new(ValueKind::List(rest)),
                    Value::new(ValueKind::Map(options)),
                ];
                Value::name_about(format!("{}()", act.name), Value::new(ValueKind::List(parts)))
            }
            "operator.attrgetter" => Value::name_about("operator.attrgetter()", first?.clone()),
            "operator.attrgetter()" => {
                let path = act.receiver.as_ref()?.as_whole_text()?;
                path.split('.').fold(first?.clone(), |value, part| self.member(&value, part))
            }
            "site.getusersitepackages" => Value::text("~/.local/lib/python3/site-packages"),
            "__import__" | "importlib.import_module" | "importlib.__import__" => {
                first.and_then(Value::as_whole_text).map_or_else(Value::unknown, |name| self.named(name))
            }
            "vars" => Value::name_about("vars()", first?.clone()),
            _ => return result_of_paths(act),
        })
    }
}

/// The results of functions on paths, folders and lists.
fn result_of_paths(act: &Act) -> Option<Value> {
    let first = act.arguments.first().map(|a| &a.value);
    Some(match act.name.as_str() {
        "pathlib.Path" | "pathlib.Path().joinpath" => {
            let start = act.receiver.clone().or_else(|| act.arguments.is_empty().then(|| Value::text(".")));
            let parts = start.into_iter().chain(act.arguments.iter().map(|a| a.value.clone()));
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
        "list" | "set" | "tuple" | "iter" => first?.clone(),
        "sorted" => items::sorted(first?, act.named.is_empty()),
        "reversed" if text_of(first).is_none() => items::reversed(first?),
        "glob.glob" | "glob.iglob" => {
            let (text, _) = first?.as_text()?;
            Value::part(text)
        }
        "os.walk" => {
            let root = below(first?, &Value::part(HOLE.to_string()));
            Value::new(ValueKind::List(vec![Value::new(ValueKind::List(vec![
                root,
                Value::unknown(),
                Value::unknown(),
            ]))]))
        }
        "os.path.join" => join_paths(act.arguments.iter().map(|a| a.value.clone())),
        "os.path.expanduser" | "os.path.abspath" | "os.path.realpath" | "os.path.normpath" | "os.fspath"
        | "str" | "os.path.expandvars" | "os.fsencode" | "shlex.quote" => {
            let (text, whole) = first?.as_text()?;
            Value::new(ValueKind::Text { text: text.to_owned(), whole }).tainted(first?.taint)
        }
        "os.path.dirname" => {
            let path = first?.as_whole_text()?;
            Value::text(if path.ends_with('/') {
                path.trim_end_matches('/').to_owned()
            } else {
                parent(path)
            })
        }
        "os.getenv" | "os.environ.get" | "os.environ.pop" => {
            first?.as_whole_text().map_or_else(Value::unknown, variable)
        }
        "os.getcwd" => Value::text("."),
        "tempfile.gettempdir" => Value::text("/tmp"),
        "tempfile.mkdtemp"
        | "tempfile.TemporaryDirectory"
        | "tempfile.NamedTemporaryFile"
        | "tempfile.mktemp" => Value::part(TEMPORARY_FOLDER),
        "tempfile.mkstemp" => {
            Value::new(ValueKind::List(vec![Value::unknown(), Value::part(TEMPORARY_FOLDER)]))
        }
        _ => return text::result_of_text(act).or_else(|| items::result_of_items(act)),
    })
}

/// Whether a call makes a client of a service: what the service answers is not the key that the client was made with.
fn makes_client(name: &str) -> bool {
    let last = name.trim_end_matches("()").rsplit('.').next().unwrap_or_default();
    let holds = [
        "BytesIO",
        "StringIO",
        "Request",
        "Path",
        "PurePath",
        "Template",
        "MIMEText",
        "EmailMessage",
        "FormData",
    ];
    let class = last.starts_with(|c: char| c.is_uppercase()) && !holds.contains(&last);
    let makers = [
        "connect",
        "client",
        "resource",
        "create_engine",
        "configure",
        "from_url",
        "from_env",
        "login",
        "create_client",
        "init",
        "init_chat_model",
        "Redis",
        "authenticate",
        "from_connection_string",
        "create_pool",
        "set_api_key",
        "create_async_engine",
        "connect_async",
        "auth",
    ];
    class || makers.contains(&last)
}

/// The command of a call that starts a program.
fn starts(act: &Act) -> Option<Value> {
    let first = || {
        act.arguments
            .first()
            .map(|a| a.value.clone())
            .or_else(|| act.select("args").first().map(|(v, _)| (*v).clone()))
    };
    match act.name.as_str() {
        "subprocess.run"
        | "subprocess.Popen"
        | "subprocess.check_output"
        | "subprocess.getoutput"
        | "os.popen"
        | "asyncio.create_subprocess_shell"
        | "pexpect.spawn"
        | "subprocess.call"
        | "subprocess.getstatusoutput" => first(),
        "asyncio.create_subprocess_exec" => {
            Some(Value::new(ValueKind::List(act.arguments.iter().map(|a| a.value.clone()).collect())))
        }
        _ => None,
    }
}

/// The file that a call opens or reads, if it does.
fn file_of(act: &Act) -> Option<Value> {
    match act.name.as_str() {
        "open" | "os.open" | "codecs.open" => act.arguments.first().map(|a| a.value.clone()),
        "pathlib.Path().open" | "pathlib.Path().read_text" | "pathlib.Path().read_bytes" => {
            act.receiver.clone()
        }
        _ => None,
    }
}

fn text_of(value: Option<&Value>) -> Option<&str> {
    value.and_then(|v| match &v.kind {
        ValueKind::Text { text, .. } => Some(text.as_str()),
        _ => None,
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
        Some((text, whole)) => {
            Value::new(ValueKind::Text { text: text.to_owned(), whole }).tainted(value.taint)
        }
        None => Value::unknown().tainted(value.all_taint()),
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

/// Addition of texts, lists or numbers.
pub(super) fn plus(left: &Value, right: &Value) -> Value {
    match (&left.kind, &right.kind) {
        (ValueKind::Number(a), ValueKind::Number(b)) => Value::number(a.checked_add(*b)),
        (ValueKind::List(a), ValueKind::List(b)) if a.len() + b.len() <= 256 => {
            Value::new(ValueKind::List(a.iter().chain(b).cloned().collect()))
        }
        (ValueKind::Text { .. }, _) | (_, ValueKind::Text { .. }) => {
            Value::join(&[left.clone(), right.clone()], "")
        }
        _ => Value::unknown().tainted(left.all_taint()).tainted(right.all_taint()),
    }
}

/// Multiplication, power or shift of numbers; and repetition of a text.
pub(super) fn product(operator: &str, left: &Value, right: &Value) -> Value {
    match (&left.kind, &right.kind) {
        (ValueKind::Number(a), ValueKind::Number(b)) => match operator {
            "*" => Value::number(a.checked_mul(*b)),
            "**" => Value::number(u32::try_from(*b).ok().and_then(|b| a.checked_pow(b))),
            _ => Value::number(u32::try_from(*b).ok().and_then(|b| a.checked_mul(2_i64.checked_pow(b)?))),
        },
        (ValueKind::Text { text, whole: true }, ValueKind::Number(n))
        | (ValueKind::Number(n), ValueKind::Text { text, whole: true })
            if (0..64).contains(n) && text.len() < 64 =>
        {
            Value::text(text.repeat(usize::try_from(*n).unwrap_or(0)))
                .tainted(left.taint)
                .tainted(right.taint)
        }
        _ => Value::unknown().tainted(left.all_taint()).tainted(right.all_taint()),
    }
}

/// A slice of a text; only `[::-1]`, which reverses it, is followed.
pub(super) fn slice(value: &Value, written: &str) -> Value {
    match value.as_whole_text() {
        Some(text) if written.replace(' ', "") == "::-1" => {
            Value::text(text.chars().rev().collect::<String>()).tainted(Taint::DECODED).tainted(value.taint)
        }
        _ => Value::unknown().tainted(value.all_taint()),
    }
}

/// An environment variable: the home folder becomes `~`, keys are marked.
pub(super) fn variable(name: &str) -> Value {
    match name {
        "HOME" | "USERPROFILE" => Value::text("~"),
        "TMPDIR" | "TEMP" | "TMP" => Value::text("/tmp"),
        "PWD" => Value::text("."),
        _ if path_class::secret_name(name) => Value::unknown().tainted(taint(TaintMark::Secret)),
        _ => Value::unknown(),
    }
}

/// The module whose names `vars(module)` shows.
pub(super) fn vars_of(value: &Value) -> Option<String> {
    match &value.kind {
        ValueKind::Name { path, about: Some(about) } if path == "vars()" => {
            about.as_name().map(str::to_owned)
        }
        _ => None,
    }
}
