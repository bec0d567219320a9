//! What well-known Python functions and operators give, where that helps to name a path, a program or a host.

use super::Reader;
use crate::review::ground::{self, SCRATCH};
use crate::review::judge::taint;
use crate::review::rules::{Ground, Mark};
use crate::review::value::{Act, HOLE, Kind, Taint, Value};
use base64::Engine as _;

impl Reader<'_, '_> {
    /// What a call gives.
    pub(super) fn result(&self, act: &Act, called: &Value) -> Value {
        let mark = self.book.mark_of(&act.name).map(taint).unwrap_or_default();
        let mut given = mark;
        if mark != Taint::DOWNLOADED {
            given = given.with(called.taint);
            let arguments = act.arguments.iter().chain(act.named.iter().map(|(_, a)| a));
            given = arguments.fold(given, |t, a| t.with(a.value.all_taint()));
        }
        if let Some(value) = self.special(act) {
            return value.tainted(mark);
        }
        if let Some(path) = file_of(act) {
            let located = ground::locate(path.as_text().map_or("", |(t, _)| t), None, self.scope);
            let secret = located.is(Ground::Secret) || located.is(Ground::Private);
            given = given.with(if secret { Taint::SECRET.with(Taint::FILE) } else { Taint::FILE });
            return Value::name_about(format!("{}()", act.name), path).tainted(given);
        }
        match called.as_name() {
            Some(name) => Value::name(format!("{name}()")).tainted(given),
            None => Value::unknown().tainted(given),
        }
    }

    fn special(&self, act: &Act) -> Option<Value> {
        let first = act.arguments.first().map(|a| &a.value);
        let second = act.arguments.get(1).map(|a| &a.value);
        Some(match act.name.as_str() {
            "getattr" => match second.and_then(Value::as_whole_text) {
                Some(name) => self.member(first?, name),
                None => Value::unknown(),
            },
            "__import__" | "importlib.import_module" | "importlib.__import__" => {
                first.and_then(Value::as_whole_text).map_or_else(Value::unknown, |name| self.named(name))
            }
            "vars" => Value::name_about("vars()", first?.clone()),
            "pathlib.Path" | "pathlib.Path().joinpath" => {
                let start =
                    act.receiver.clone().or_else(|| act.arguments.is_empty().then(|| Value::text(".")));
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
            "list" | "sorted" | "set" | "tuple" | "reversed" | "iter"
                if act.name != "reversed" || text_of(first).is_none() =>
            {
                first?.clone()
            }
            "glob.glob" | "glob.iglob" => {
                let (text, _) = first?.as_text()?;
                Value::part(text)
            }
            "os.walk" => {
                let root = below(first?, &Value::part(HOLE.to_string()));
                Value::new(Kind::List(vec![Value::new(Kind::List(vec![
                    root,
                    Value::unknown(),
                    Value::unknown(),
                ]))]))
            }
            "os.path.join" => join_paths(act.arguments.iter().map(|a| a.value.clone())),
            "os.path.expanduser" | "os.path.abspath" | "os.path.realpath" | "os.path.normpath"
            | "os.fspath" | "str" | "os.path.expandvars" | "os.fsencode" | "shlex.quote" => {
                let (text, whole) = first?.as_text()?;
                Value::new(Kind::Text { text: text.to_owned(), whole }).tainted(first?.taint)
            }
            "os.path.dirname" => Value::text(parent(first?.as_whole_text()?)),
            "os.getenv" | "os.environ.get" | "os.environ.pop" => {
                first?.as_whole_text().map_or_else(Value::unknown, variable)
            }
            "os.getcwd" => Value::text("."),
            "tempfile.gettempdir" => Value::text("/tmp"),
            "tempfile.mkdtemp"
            | "tempfile.TemporaryDirectory"
            | "tempfile.NamedTemporaryFile"
            | "tempfile.mktemp" => Value::part(SCRATCH),
            "tempfile.mkstemp" => Value::new(Kind::List(vec![Value::unknown(), Value::part(SCRATCH)])),
            _ => return self.of_text(act),
        })
    }

    /// Functions and methods that make text of text.
    #[allow(clippy::unused_self)]
    fn of_text(&self, act: &Act) -> Option<Value> {
        let first = act.arguments.first().map(|a| &a.value);
        let receiver = act.receiver.as_ref();
        Some(match act.name.as_str() {
            "chr" => match first?.kind {
                Kind::Number(n) => Value::text(u32::try_from(n).ok().and_then(char::from_u32)?.to_string()),
                _ => return None,
            },
            "reversed" => {
                Value::text(first?.as_whole_text()?.chars().rev().collect::<String>()).tainted(Taint::DECODED)
            }
            "bytes" | "bytearray" => match &first?.kind {
                Kind::List(items) => {
                    let byte = |v: &Value| match v.kind {
                        Kind::Number(n) => u8::try_from(n).ok().map(char::from),
                        _ => None,
                    };
                    Value::text(items.iter().map(byte).collect::<Option<String>>()?).tainted(Taint::DECODED)
                }
                Kind::Text { .. } => first?.clone(),
                _ => return None,
            },
            "bytes.fromhex" | "bytearray.fromhex" | "binascii.unhexlify" => {
                decoded(unhex(first?.as_whole_text()?))
            }
            "base64.b64decode"
            | "base64.standard_b64decode"
            | "base64.decodebytes"
            | "base64.urlsafe_b64decode" => {
                let text: String = first?.as_whole_text()?.chars().filter(|c| !c.is_whitespace()).collect();
                let text = text.replace('-', "+").replace('_', "/");
                let bytes =
                    base64::engine::general_purpose::STANDARD_NO_PAD.decode(text.trim_end_matches('='));
                decoded(bytes.ok())
            }
            "codecs.decode" => {
                let how = act.arguments.get(1).and_then(|a| a.value.as_whole_text()).unwrap_or_default();
                match how.replace(['-', '_'], "").as_str() {
                    "rot13" => Value::text(rot13(first?.as_whole_text()?)).tainted(Taint::DECODED),
                    "hex" => decoded(unhex(first?.as_whole_text()?)),
                    _ => return None,
                }
            }
            "str.join" => match &first?.kind {
                Kind::List(items) => Value::join(items, receiver?.as_whole_text()?),
                Kind::Text { text, whole: true } => {
                    let letters: Vec<Value> = text.chars().map(|c| Value::text(c.to_string())).collect();
                    Value::join(&letters, receiver?.as_whole_text()?).tainted(first?.taint)
                }
                _ => Value::unknown().tainted(first?.all_taint()),
            },
            "str.format" => format(receiver?, act),
            "str.replace" => {
                let from = first?.as_whole_text()?;
                let to = act.arguments.get(1)?.value.as_whole_text()?;
                let text = receiver?.as_whole_text()?;
                if from.is_empty() || text.len().saturating_mul(to.len().max(1)) > 64 * 1024 {
                    return None;
                }
                Value::text(text.replace(from, to)).tainted(receiver?.taint)
            }
            "str.encode" | "str.decode" | "str.rstrip" | "str.lstrip" | "str.strip"
                if act.arguments.is_empty() || !act.name.ends_with("strip") =>
            {
                receiver?.clone()
            }
            "str.lower" => Value::text(receiver?.as_whole_text()?.to_lowercase()),
            "str.upper" => Value::text(receiver?.as_whole_text()?.to_uppercase()),
            "str.split" | "shlex.split" => {
                let text = if act.name == "shlex.split" {
                    first?.as_text()?.0
                } else {
                    receiver?.as_whole_text()?
                };
                let separator =
                    if act.name == "shlex.split" { None } else { first.and_then(Value::as_whole_text) };
                let words: Vec<Value> = match separator {
                    Some(s) if !s.is_empty() => text.split(s).take(256).map(Value::text).collect(),
                    _ => text.split_whitespace().take(256).map(Value::text).collect(),
                };
                Value::new(Kind::List(words))
            }
            "dict.get" => item(receiver?, first?),
            _ => return None,
        })
    }
}

/// The file that a call opens or reads, if it is such a call.
fn file_of(act: &Act) -> Option<Value> {
    match act.name.as_str() {
        "open" | "os.open" | "codecs.open" | "os.popen" if act.name != "os.popen" => {
            act.arguments.first().map(|a| a.value.clone())
        }
        "pathlib.Path().open" | "pathlib.Path().read_text" | "pathlib.Path().read_bytes" => {
            act.receiver.clone()
        }
        _ => None,
    }
}

fn text_of(value: Option<&Value>) -> Option<&str> {
    value.and_then(|v| match &v.kind {
        Kind::Text { text, .. } => Some(text.as_str()),
        _ => None,
    })
}

/// A path object for a path's text.
fn path_of(text: Value) -> Value {
    let text = match &text.kind {
        Kind::Name { about: Some(about), .. } => (**about).clone(),
        _ => text,
    };
    Value::name_about("pathlib.Path()", text)
}

/// Parts of a path object: `.parent`, `.name`; the name of a temporary file.
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
        Some(("", _)) => "/".to_owned(),
        Some((head, _)) => head.to_owned(),
        None if text.contains(HOLE) => HOLE.to_string(),
        None => ".".to_owned(),
    }
}

/// A path below another; an absolute one replaces it.
pub(super) fn below(left: &Value, right: &Value) -> Value {
    let object = left.as_name() == Some("pathlib.Path()");
    let plain = |value: &Value| match value.as_text() {
        Some((text, whole)) => Value::new(Kind::Text { text: text.to_owned(), whole }).tainted(value.taint),
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

/// Addition: of texts, lists and numbers.
pub(super) fn plus(left: &Value, right: &Value) -> Value {
    match (&left.kind, &right.kind) {
        (Kind::Number(a), Kind::Number(b)) => Value::new(Kind::Number(a.wrapping_add(*b))),
        (Kind::List(a), Kind::List(b)) if a.len() + b.len() <= 256 => {
            Value::new(Kind::List(a.iter().chain(b).cloned().collect()))
        }
        (Kind::Text { .. }, _) | (_, Kind::Text { .. }) => Value::join(&[left.clone(), right.clone()], ""),
        _ => Value::unknown().tainted(left.all_taint()).tainted(right.all_taint()),
    }
}

/// `'…%s…' % values`.
pub(super) fn percent(left: &Value, right: &Value) -> Value {
    let Some(text) = left.as_whole_text() else {
        return Value::unknown().tainted(right.all_taint());
    };
    let values = match &right.kind {
        Kind::List(items) => items.clone(),
        _ => vec![right.clone()],
    };
    let mut values = values.into_iter();
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((head, tail)) = rest.split_once('%') {
        parts.push(Value::text(head));
        let mut chars = tail.chars();
        match chars.next() {
            Some('s' | 'd') => parts.push(values.next().unwrap_or_else(Value::unknown)),
            Some('%') => parts.push(Value::text("%")),
            _ => {
                parts.push(Value::unknown());
                chars = tail.trim_start_matches(|c: char| !c.is_ascii_alphabetic()).chars();
                chars.next();
                values.next();
            }
        }
        rest = chars.as_str();
    }
    parts.push(Value::text(rest));
    Value::join(&parts, "")
}

/// `'…{}…'.format(values)`.
fn format(receiver: &Value, act: &Act) -> Value {
    let Some(text) = receiver.as_whole_text() else { return Value::unknown() };
    let mut parts = Vec::new();
    let mut next = 0;
    let mut rest = text;
    while let Some((head, tail)) = rest.split_once('{') {
        parts.push(Value::text(head));
        let Some((field, after)) = tail.split_once('}') else { break };
        let found = if field.is_empty() {
            next += 1;
            act.select(&(next - 1).to_string())
        } else {
            act.select(field)
        };
        parts.push(found.first().map_or_else(Value::unknown, |(v, _)| (*v).clone()));
        rest = after;
    }
    parts.push(Value::text(rest));
    Value::join(&parts, "")
}

/// A slice of a text: only the one that turns it round is followed.
pub(super) fn slice(value: &Value, written: &str) -> Value {
    match value.as_whole_text() {
        Some(text) if written.replace(' ', "") == "::-1" => {
            Value::text(text.chars().rev().collect::<String>()).tainted(Taint::DECODED).tainted(value.taint)
        }
        _ => Value::unknown().tainted(value.all_taint()),
    }
}

/// An item of a list or dictionary.
pub(super) fn item(value: &Value, index: &Value) -> Value {
    let found = match (&value.kind, &index.kind) {
        (Kind::List(items), Kind::Number(n)) => {
            let at =
                if *n < 0 { items.len().checked_add_signed(*n as isize) } else { usize::try_from(*n).ok() };
            at.and_then(|at| items.get(at))
        }
        (Kind::Map(items), Kind::Text { text, whole: true }) => {
            items.iter().find(|(key, _)| key == text).map(|(_, v)| v)
        }
        _ => None,
    };
    found.cloned().unwrap_or_else(|| Value::unknown().tainted(value.all_taint()))
}

/// A variable of the environment: the home folder is known by its sign, keys are marked.
pub(super) fn variable(name: &str) -> Value {
    match name {
        "HOME" | "USERPROFILE" => Value::text("~"),
        "TMPDIR" | "TEMP" | "TMP" => Value::text("/tmp"),
        "PWD" => Value::text("."),
        _ if ground::secret_name(name) => Value::unknown().tainted(taint(Mark::Secret)),
        _ => Value::unknown(),
    }
}

/// The module whose names `vars(module)` shows.
pub(super) fn vars_of(value: &Value) -> Option<String> {
    match &value.kind {
        Kind::Name { path, about: Some(about) } if path == "vars()" => about.as_name().map(str::to_owned),
        _ => None,
    }
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16).map(|d| d as u8))
        .collect::<Option<_>>()?;
    Some(digits.chunks(2).map(|pair| pair.iter().fold(0, |v, d| v << 4 | d)).collect())
}

/// Decoded bytes: text where they are text; the mark stays in any case.
fn decoded(bytes: Option<Vec<u8>>) -> Value {
    let text = bytes.and_then(|b| String::from_utf8(b).ok());
    text.map_or_else(Value::unknown, Value::text).tainted(Taint::DECODED)
}

fn rot13(text: &str) -> String {
    let turn = |c: char, base: u8| char::from(base + (c as u8 - base + 13) % 26);
    text.chars()
        .map(|c| match c {
            'a'..='z' => turn(c, b'a'),
            'A'..='Z' => turn(c, b'A'),
            _ => c,
        })
        .collect()
}
