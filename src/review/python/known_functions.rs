//! The results of well-known Python functions and operators, where they help to name a path, a program or a host.

use super::{PythonReader, items, paths, text};
use crate::review::environment;
use crate::review::path_class::{self, is_secret};
use crate::review::stdin;
use crate::review::value::{Act, Taint, Value, ValueKind};

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
        let mark = self.shared.mark_of(&act.name);
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
            let about = act.receiver.as_ref().or(act.value(0));
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
            Some("sqlite3.connect") if act.value(0).is_some_and(|a| a.as_text().is_some()) => {
                let path = act.value(0).cloned().unwrap_or_else(Value::unknown);
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
        let first = act.value(0);
        let second = act.value(1);
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
                let options = act.named_values().collect();
                let parts = vec![first?.clone(), Value::list(rest), Value::map(options)];
                Value::name_about(format!("{}()", act.name), Value::list(parts))
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
            "dict" | "copy.copy" | "copy.deepcopy" if first.is_some_and(environment::is_copy) => {
                Value::name("os.environ.copy()").tainted(first?.taint)
            }
            "os.getenv" | "os.environ.get" | "os.environ.pop" => {
                first?.as_whole_text().map_or_else(Value::unknown, variable)
            }
            _ => {
                return paths::result_of_paths(act)
                    .or_else(|| items::result_of_items(act))
                    .or_else(|| text::result_of_text(act));
            }
        })
    }
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
        "asyncio.create_subprocess_exec" => Some(Value::list(act.values().collect())),
        _ => None,
    }
}

/// The file that a call opens or reads, if it does.
fn file_of(act: &Act) -> Option<Value> {
    match act.name.as_str() {
        "open" | "os.open" | "codecs.open" => act.value(0).cloned(),
        "pathlib.Path().open" | "pathlib.Path().read_text" | "pathlib.Path().read_bytes" => {
            act.receiver.clone()
        }
        _ => None,
    }
}

/// Addition of texts, lists or numbers.
pub(super) fn plus(left: &Value, right: &Value) -> Value {
    match (&left.kind, &right.kind) {
        (ValueKind::Number(a), ValueKind::Number(b)) => Value::number(a.checked_add(*b)),
        (ValueKind::List(a), ValueKind::List(b)) if a.len() + b.len() <= 256 => {
            Value::list(a.iter().chain(b).cloned().collect())
        }
        (ValueKind::Text { .. }, _) | (_, ValueKind::Text { .. }) => {
            Value::join(&[left.clone(), right.clone()], "")
        }
        _ => left.to_unknown().tainted(right.all_taint()),
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
        _ => left.to_unknown().tainted(right.all_taint()),
    }
}

/// A slice of a text; only `[::-1]`, which reverses it, is followed.
pub(super) fn slice(value: &Value, written: &str) -> Value {
    match value.as_whole_text() {
        Some(text) if written.replace(' ', "") == "::-1" => {
            Value::text(text.chars().rev().collect::<String>()).tainted(Taint::DECODED).tainted(value.taint)
        }
        _ => value.to_unknown(),
    }
}

/// An environment variable: the home folder becomes `~`, keys are marked.
pub(super) fn variable(name: &str) -> Value {
    match name {
        "HOME" | "USERPROFILE" => Value::text("~"),
        "TMPDIR" | "TEMP" | "TMP" => Value::text("/tmp"),
        "PWD" => Value::text("."),
        _ if path_class::secret_name(name) => Value::unknown().tainted(Taint::SECRET),
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
