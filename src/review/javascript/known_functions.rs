//! The results of well-known functions of JavaScript and node, where they help to name a path, a program or a host.

use super::JavascriptReader;
use crate::review::escapes;
use crate::review::items::{in_any_order, key_of};
use crate::review::path_class::{TEMPORARY_FOLDER, is_secret};
use crate::review::stdin;
use crate::review::value::taint;
use crate::review::value::{Act, Argument, Taint, Value, ValueKind};
use std::collections::HashMap;

/// Longest list that a split gives.
const MAX_ITEMS: usize = 256;

impl JavascriptReader<'_, '_> {
    /// The result of a call.
    pub(super) fn result(&mut self, act: &Act, called: &Value) -> Value {
        if let Some(value) = self.enter(act).or_else(|| self.then(act, called)).or_else(|| self.mapped(act)) {
            return value;
        }
        let mark = self.shared.rules.mark_of(&act.name).map(taint).unwrap_or_default();
        let names_folder = matches!(act.name.as_str(), "process.cwd" | "path.resolve");
        let is_absolute =
            |argument: &Argument| argument.value.as_text().is_some_and(|(t, _)| t.starts_with('/'));
        if names_folder && self.shared.moves() && !act.arguments.iter().any(is_absolute) {
            // The folder at this time, which is left later.
            return Value::unknown().tainted(mark);
        }
        if let Some(value) = self.special(act) {
            return value.tainted(mark);
        }
        let mut given = mark;
        if mark != Taint::DOWNLOADED {
            let handed = act.arguments.iter().fold(Taint::default(), |t, a| t.with(a.value.all_taint()));
            let handed = if self.makes_client(&act.name) { handed.without(Taint::SECRET) } else { handed };
            given = given.with(called.taint).with(handed);
        }
        if starts(act).is_some_and(|program| stdin::downloads(&program)) {
            given = given.with(Taint::DOWNLOADED);
        }
        if matches!(act.name.as_str(), "fs.readFileSync" | "fs.readFile" | "fs.createReadStream") {
            let path = act.arguments.first().and_then(|a| a.value.as_text()).map_or("", |(t, _)| t);
            let secret = is_secret(path, self.shared.scope);
            given = given.with(if secret { Taint::SECRET.with(Taint::FILE) } else { Taint::FILE });
        }
        match called.as_name() {
            // The streams of a running program belong to its command.
            Some(name) if starts(act).is_some() => {
                let command = starts(act).unwrap_or_else(Value::unknown);
                Value::name_about(format!("{name}()"), command).tainted(given)
            }
            // `Function('return process')()`.
            Some("Function") => match act.arguments.as_slice() {
                [one] => Value::name_about("Function()", one.value.clone()).tainted(given),
                _ => Value::name("Function()").tainted(given),
            },
            Some(name) => Value::name(format!("{name}()")).tainted(given),
            None => Value::unknown().tainted(given),
        }
    }

    /// Whether a call makes a client of a service: what the service answers is not the key that the client was made
    /// with.
    fn makes_client(&self, name: &str) -> bool {
        let last = name.trim_end_matches("()").rsplit(['.', '/']).next().unwrap_or_default();
        let holds = [
            "Request",
            "URLSearchParams",
            "FormData",
            "Blob",
            "File",
            "TextEncoder",
            "String",
            "Array",
            "Object",
            "URL",
            "Map",
            "Set",
            "Buffer",
        ];
        let class = last.starts_with(char::is_uppercase) && !holds.contains(&last);
        let makers = [
            "createClient",
            "create",
            "createPool",
            "connect",
            "createConnection",
            "configure",
            "init",
            "login",
            "auth",
            "createServerClient",
            "defineConfig",
            "neon",
            "postgres",
            "drizzle",
        ];
        // `require('stripe')(key)`: calls the module itself.
        class
            || makers.contains(&last)
            || self.shared.reading.imports.iter().any(|(module, _)| module == name)
    }

    fn special(&self, act: &Act) -> Option<Value> {
        let first = act.arguments.first().map(|a| &a.value);
        let receiver = act.receiver.as_ref();
        Some(match act.name.as_str() {
            "require" | "import" | "process.getBuiltinModule" => self.named(first?.as_whole_text()?),
            "module.createRequire" => self.named("require"),
            "util.promisify" | "util.callbackify" | "pify" => first?.clone(),
            "Reflect.get" => self.member(first?, act.arguments.get(1)?.value.as_whole_text()?),
            name if name.rsplit('.').next() == Some("bind") && !name.starts_with('?') => {
                let function = Value::name(name.strip_suffix(".bind")?);
                let set = act.arguments.iter().skip(1).map(|a| a.value.clone());
                let function = match receiver {
                    Some(about) => Value::name_about(function.as_name()?.to_owned(), about.clone()),
                    None => function,
                };
                let parts = std::iter::once(function).chain(set).collect();
                Value::name_about(super::call::BOUND_FUNCTION, Value::new(ValueKind::List(parts)))
            }
            "Function()" => {
                let text = receiver?.as_whole_text()?.trim().trim_end_matches(';');
                match text.strip_prefix("return ")?.trim() {
                    "this" => self.named("globalThis"),
                    name if name.chars().all(|c| c.is_alphanumeric() || "._$".contains(c)) => {
                        self.named(name)
                    }
                    _ => return None,
                }
            }
            "Object.values" => match &first?.kind {
                ValueKind::Map(items) => {
                    Value::new(ValueKind::List(items.iter().map(|(_, v)| v.clone()).collect()))
                }
                _ => return None,
            },
            "Object.entries" => match &first?.kind {
                ValueKind::Map(items) => {
                    let row =
                        |(k, v): &(String, Value)| Value::new(ValueKind::List(vec![key_of(k), v.clone()]));
                    Value::new(ValueKind::List(items.iter().map(row).collect()))
                }
                _ => return None,
            },
            "array.concat" => {
                let ValueKind::List(items) = &receiver?.kind else { return None };
                let mut items = items.clone();
                for argument in &act.arguments {
                    match &argument.value.kind {
                        ValueKind::List(more) => items.extend(more.iter().cloned()),
                        _ => items.push(argument.value.clone()),
                    }
                }
                items.truncate(MAX_ITEMS);
                Value::new(ValueKind::List(items))
            }
            "Object.assign" => {
                let given: Vec<Value> = act.arguments.iter().map(|a| a.value.clone()).collect();
                assigned(&given)
            }
            "string.replace" | "string.replaceAll" => {
                let (from, to) = (first?.as_whole_text()?, act.arguments.get(1)?.value.as_whole_text()?);
                let text = receiver?.as_whole_text()?;
                // `$&` and the like stand for what was found.
                if from.is_empty()
                    || to.contains('$')
                    || text.len().saturating_mul(to.len().max(1)) > 64 * 1024
                {
                    return None;
                }
                let most = if act.name == "string.replace" { 1 } else { usize::MAX };
                Value::text(text.replacen(from, to, most))
            }
            _ => return result_of_texts(act),
        })
    }
}

/// What `Object.assign` makes of its first argument: it gets the members of the others.
pub(super) fn assigned(given: &[Value]) -> Value {
    let taint = given.iter().fold(Taint::default(), |all, value| all.with(value.all_taint()));
    let mut members: HashMap<&str, (usize, &Value)> = HashMap::new();
    for value in given {
        let ValueKind::Map(more) = &value.kind else { return Value::unknown().tainted(taint) };
        for (key, held) in more {
            let place = members.len();
            members.entry(key.as_str()).and_modify(|member| member.1 = held).or_insert((place, held));
        }
        if members.len() > MAX_ITEMS {
            return Value::unknown().tainted(taint);
        }
    }
    let mut members: Vec<(&str, (usize, &Value))> = members.into_iter().collect();
    members.sort_by_key(|(_, (place, _))| *place);
    let members = members.into_iter().map(|(key, (_, held))| (key.to_owned(), held.clone())).collect();
    Value::new(ValueKind::Map(members)).tainted(given.iter().fold(Taint::default(), |t, v| t.with(v.taint)))
}

/// The results of functions on lists, paths and texts.
fn result_of_texts(act: &Act) -> Option<Value> {
    result_of_lists(act).or_else(|| result_of_paths(act)).or_else(|| result_of_strings(act))
}

/// The results of methods that take items of a list, or sort them.
fn result_of_lists(act: &Act) -> Option<Value> {
    let receiver = act.receiver.as_ref()?;
    let ValueKind::List(items) = &receiver.kind else { return None };
    let is_text = |item: &Value| matches!(item.kind, ValueKind::Text { whole: true, .. });
    let first = act.arguments.first().map(|a| &a.value);
    Some(match act.name.as_str() {
        "array.slice" => slice(act, items).unwrap_or_else(|| in_any_order(items)).tainted(receiver.taint),
        "array.filter" => {
            let by_truth = first.and_then(Value::as_name) == Some("Boolean");
            let is_true = |item: &Value| is_text(item) && item.as_whole_text() != Some("");
            if by_truth && items.iter().all(is_true) {
                receiver.clone()
            } else {
                in_any_order(items).tainted(receiver.taint)
            }
        }
        "array.sort" if first.is_none() && items.iter().all(is_text) => {
            let mut items = items.clone();
            items.sort_by(|left, right| left.as_whole_text().cmp(&right.as_whole_text()));
            Value::new(ValueKind::List(items)).tainted(receiver.taint)
        }
        "array.sort" => in_any_order(items).tainted(receiver.taint),
        "array.toString" => Value::join(items, ","),
        _ => return None,
    })
}

/// The items of a list from a position up to another one; `None` if these are not known.
fn slice(act: &Act, items: &[Value]) -> Option<Value> {
    // An unknown item may stand for several.
    if items.iter().any(|item| item.kind == ValueKind::Unknown) {
        return None;
    }
    let position = |at: usize, otherwise: usize| match act.arguments.get(at).map(|a| &a.value.kind) {
        None => Some(otherwise),
        Some(ValueKind::Number(n)) => {
            let distance = usize::try_from(n.unsigned_abs()).unwrap_or(usize::MAX);
            let at = if *n < 0 { items.len().saturating_sub(distance) } else { distance };
            Some(at.min(items.len()))
        }
        Some(_) => None,
    };
    let (start, end) = (position(0, 0)?, position(1, items.len())?);
    Some(Value::new(ValueKind::List(items.get(start..end).unwrap_or_default().to_vec())))
}

/// The results of functions on paths and folders.
fn result_of_paths(act: &Act) -> Option<Value> {
    Some(match act.name.as_str() {
        "path.join" | "path.resolve" | "path.posix.join" => {
            act.arguments.iter().map(|a| a.value.clone()).reduce(|left, right| {
                match (left.as_text(), right.as_text()) {
                    (_, Some((text, _))) if text.starts_with('/') && act.name == "path.resolve" => right,
                    (Some(("." | "", true)), Some(_)) => right,
                    _ => Value::join(&[left, right], "/"),
                }
            })?
        }
        "os.homedir" => Value::text("~"),
        "os.tmpdir" => Value::text("/tmp"),
        "process.cwd" => Value::text("."),
        "fs.mkdtempSync" | "fs.mkdtemp" => Value::part(TEMPORARY_FOLDER),
        _ => return None,
    })
}

/// The results of functions on texts, bytes and lists of them.
fn result_of_strings(act: &Act) -> Option<Value> {
    let first = act.arguments.first().map(|a| &a.value);
    let receiver = act.receiver.as_ref();
    Some(match act.name.as_str() {
        "atob" => base64(first?.as_whole_text()?),
        "Buffer.from" => match act.arguments.get(1).and_then(|a| a.value.as_whole_text()) {
            Some("base64") => {
                let text =
                    first?.as_whole_text().map_or_else(|| Value::unknown().tainted(Taint::DECODED), base64);
                Value::name_about("Buffer()", text)
            }
            Some("hex") => Value::name_about("Buffer()", Value::unknown().tainted(Taint::DECODED)),
            _ => Value::name_about("Buffer()", first?.clone()),
        },
        "Buffer().toString" | "string.toString" => receiver?.clone(),
        "string.trim" | "string.trimStart" | "string.trimEnd" => trimmed(&act.name, receiver?)?,
        "string.toLowerCase" => {
            Value::text(receiver?.as_whole_text()?.to_lowercase()).tainted(receiver?.taint)
        }
        "string.toUpperCase" => {
            Value::text(receiver?.as_whole_text()?.to_uppercase()).tainted(receiver?.taint)
        }
        "String.fromCharCode" => {
            let letter = |a: &Argument| match a.value.kind {
                ValueKind::Number(n) => u32::try_from(n).ok().and_then(char::from_u32),
                _ => None,
            };
            Value::text(act.arguments.iter().map(letter).collect::<Option<String>>()?).tainted(Taint::DECODED)
        }
        "array.join" => match &receiver?.kind {
            ValueKind::List(items) => Value::join(items, first.and_then(Value::as_whole_text).unwrap_or(",")),
            _ => return None,
        },
        "array.reverse" => match &receiver?.kind {
            ValueKind::List(items) => Value::new(ValueKind::List(items.iter().rev().cloned().collect())),
            _ => return None,
        },
        "string.split" => {
            let text = receiver?.as_whole_text()?;
            let by = first.and_then(Value::as_whole_text)?;
            let items: Vec<Value> = if by.is_empty() {
                text.chars().take(MAX_ITEMS).map(|c| Value::text(c.to_string())).collect()
            } else {
                text.split(by).take(MAX_ITEMS).map(Value::text).collect()
            };
            Value::new(ValueKind::List(items))
        }
        "string.concat" => {
            let mut parts = vec![receiver?.clone()];
            parts.extend(act.arguments.iter().map(|a| a.value.clone()));
            Value::join(&parts, "")
        }
        // Only matters whether all of it is known, not its text.
        "JSON.stringify" if first?.is_constant() => Value::text("{}").tainted(first?.all_taint()),
        "JSON.stringify" => Value::unknown().tainted(first?.all_taint()),
        "Boolean" => Value::unknown(),
        _ => return None,
    })
}

/// A text without the spaces at its ends.
fn trimmed(method: &str, receiver: &Value) -> Option<Value> {
    let (text, whole) = receiver.as_text()?;
    let text = if method == "string.trimEnd" { text } else { text.trim_start() };
    let text = if method == "string.trimStart" { text } else { text.trim_end() };
    let kind = ValueKind::Text { text: text.to_owned(), whole };
    Some(Value { kind, taint: receiver.taint })
}

/// The command of a call that starts a program.
fn starts(act: &Act) -> Option<Value> {
    let name = act.name.strip_prefix("child_process.").or_else(|| act.name.strip_prefix("Bun."))?;
    let known = ["exec", "execSync", "spawn", "spawnSync", "execFile", "execFileSync", "fork"];
    if !known.contains(&name) {
        return None;
    }
    let takes_line = name.starts_with("exec") && !name.starts_with("execFile");
    let command = if takes_line { act.arguments.first()?.value.clone() } else { stdin::with_rest(act) };
    Some(command)
}

/// Decoded base64, if it is text; always marked as decoded.
fn base64(text: &str) -> Value {
    escapes::base64(text).map_or_else(Value::unknown, Value::text).tainted(Taint::DECODED)
}

#[cfg(test)]
mod tests {
    use crate::domain::Language;
    use crate::review::{Scope, review};

    #[test]
    fn methods_give_the_values_that_javascript_gives() {
        for (expression, path) in [
            ("' a '.trim()", "a"),
            ("' a'.trimStart()", "a"),
            ("'A'.toLowerCase()", "a"),
            ("'a'.toUpperCase()", "A"),
            ("'aba'.replace('a', 'c')", "cba"),
            ("'aba'.replaceAll('a', 'c')", "cbc"),
            ("['b', 'a'].sort()[0]", "a"),
            ("['b', 'a', 'c'].slice(1, 2)[0]", "a"),
            ("['b', 'a'].slice(-1)[0]", "a"),
            ("Object.assign({ p: 'b' }, { p: 'a' }).p", "a"),
        ] {
            let source = format!("const fs = require('fs');\nfs.unlinkSync({expression});\n");
            let effects =
                review(&source, Some(&Language("javascript".to_owned())), &Scope::default()).effects;
            assert_eq!((effects.deletes, effects.unknown), (vec![path.to_owned()], false), "{expression}");
        }
    }
}
