//! The results of well-known functions of JavaScript and node, where they help to name a path, a program or a host.

use super::{JavascriptReader, items, text};
use crate::review::path_class::{TEMPORARY_FOLDER, is_secret};
use crate::review::stdin;
use crate::review::value::{Act, Argument, Taint, Value};

impl JavascriptReader<'_, '_> {
    /// The result of a call.
    pub(super) fn result(&mut self, act: &Act, called: &Value) -> Value {
        if let Some(value) = self.enter(act).or_else(|| self.then(act, called)).or_else(|| self.mapped(act)) {
            return value;
        }
        let mark = self.shared.mark_of(&act.name);
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
            let path = act.value(0).and_then(Value::as_text).map_or("", |(t, _)| t);
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
        let first = act.value(0);
        let receiver = act.receiver.as_ref();
        Some(match act.name.as_str() {
            "require" | "import" | "process.getBuiltinModule" => self.named(first?.as_whole_text()?),
            "module.createRequire" => self.named("require"),
            "util.promisify" | "util.callbackify" | "pify" => first?.clone(),
            "Reflect.get" => self.member(first?, act.value(1)?.as_whole_text()?),
            name if name.rsplit('.').next() == Some("bind") && !name.starts_with('?') => {
                let function = Value::name(name.strip_suffix(".bind")?);
                let set = act.arguments.iter().skip(1).map(|a| a.value.clone());
                let function = match receiver {
                    Some(about) => Value::name_about(function.as_name()?.to_owned(), about.clone()),
                    None => function,
                };
                let parts = std::iter::once(function).chain(set).collect();
                Value::name_about(super::call::BOUND_FUNCTION, Value::list(parts))
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
            _ => {
                return items::result_of_lists(act)
                    .or_else(|| items::result_of_objects(act))
                    .or_else(|| result_of_paths(act))
                    .or_else(|| text::result_of_text(act));
            }
        })
    }
}

/// The results of functions on paths and folders.
fn result_of_paths(act: &Act) -> Option<Value> {
    Some(match act.name.as_str() {
        "path.join" | "path.resolve" | "path.posix.join" => {
            act.values().reduce(|left, right| match (left.as_text(), right.as_text()) {
                (_, Some((text, _))) if text.starts_with('/') && act.name == "path.resolve" => right,
                (Some(("." | "", true)), Some(_)) => right,
                _ => Value::join(&[left, right], "/"),
            })?
        }
        "os.homedir" => Value::text("~"),
        "os.tmpdir" => Value::text("/tmp"),
        "process.cwd" => Value::text("."),
        "fs.mkdtempSync" | "fs.mkdtemp" => Value::part(TEMPORARY_FOLDER),
        _ => return None,
    })
}

/// The command of a call that starts a program.
fn starts(act: &Act) -> Option<Value> {
    let name = act.name.strip_prefix("child_process.").or_else(|| act.name.strip_prefix("Bun."))?;
    let known = ["exec", "execSync", "spawn", "spawnSync", "execFile", "execFileSync", "fork"];
    if !known.contains(&name) {
        return None;
    }
    let takes_line = name.starts_with("exec") && !name.starts_with("execFile");
    let command = if takes_line { act.value(0)?.clone() } else { stdin::with_rest(act) };
    Some(command)
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
