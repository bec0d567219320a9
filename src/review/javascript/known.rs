//! What well-known functions of JavaScript and node give, where that helps to name a path, a program or a host.

use super::Reader;
use crate::review::ground::{self, SCRATCH};
use crate::review::judge::taint;
use crate::review::rules::Ground;
use crate::review::value::{Act, Argument, Kind, Taint, Value};
use base64::Engine as _;

/// Longest list that a split gives.
const LONGEST: usize = 256;

impl Reader<'_, '_> {
    /// What a call gives.
    pub(super) fn result(&self, act: &Act, called: &Value) -> Value {
        let mark = self.shared.book.mark_of(&act.name).map(taint).unwrap_or_default();
        if let Some(value) = self.special(act) {
            return value.tainted(mark);
        }
        let mut given = mark;
        if mark != Taint::DOWNLOADED {
            given = act.arguments.iter().fold(given.with(called.taint), |t, a| t.with(a.value.all_taint()));
        }
        if matches!(act.name.as_str(), "fs.readFileSync" | "fs.readFile" | "fs.createReadStream") {
            let path = act.arguments.first().and_then(|a| a.value.as_text()).map_or("", |(t, _)| t);
            let located = ground::locate(path, None, self.shared.scope);
            let secret = located.is(Ground::Secret) || located.is(Ground::Private);
            given = given.with(if secret { Taint::SECRET.with(Taint::FILE) } else { Taint::FILE });
        }
        match called.as_name() {
            Some(name) => Value::name(format!("{name}()")).tainted(given),
            None => Value::unknown().tainted(given),
        }
    }

    fn special(&self, act: &Act) -> Option<Value> {
        let first = act.arguments.first().map(|a| &a.value);
        let receiver = act.receiver.as_ref();
        Some(match act.name.as_str() {
            "require" | "import" | "process.mainModule.require" => self.named(first?.as_whole_text()?),
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
            "fs.mkdtempSync" | "fs.mkdtemp" => Value::part(SCRATCH),
            "atob" => base64(first?.as_whole_text()?),
            "Buffer.from" => match act.arguments.get(1).and_then(|a| a.value.as_whole_text()) {
                Some("base64") => {
                    let text = first?
                        .as_whole_text()
                        .map_or_else(|| Value::unknown().tainted(Taint::DECODED), base64);
                    Value::name_about("Buffer()", text)
                }
                Some("hex") => Value::name_about("Buffer()", Value::unknown().tainted(Taint::DECODED)),
                _ => Value::name_about("Buffer()", first?.clone()),
            },
            "Buffer().toString" | "string.toString" | "string.trim" | "string.toLowerCase" => {
                receiver?.clone()
            }
            "String.fromCharCode" => {
                let letter = |a: &Argument| match a.value.kind {
                    Kind::Number(n) => u32::try_from(n).ok().and_then(char::from_u32),
                    _ => None,
                };
                Value::text(act.arguments.iter().map(letter).collect::<Option<String>>()?)
                    .tainted(Taint::DECODED)
            }
            "array.join" => match &receiver?.kind {
                Kind::List(items) => Value::join(items, first.and_then(Value::as_whole_text).unwrap_or(",")),
                _ => return None,
            },
            "array.reverse" => match &receiver?.kind {
                Kind::List(items) => Value::new(Kind::List(items.iter().rev().cloned().collect())),
                _ => return None,
            },
            "string.split" => {
                let text = receiver?.as_whole_text()?;
                let by = first.and_then(Value::as_whole_text)?;
                let items: Vec<Value> = if by.is_empty() {
                    text.chars().take(LONGEST).map(|c| Value::text(c.to_string())).collect()
                } else {
                    text.split(by).take(LONGEST).map(Value::text).collect()
                };
                Value::new(Kind::List(items))
            }
            "string.concat" => {
                let mut parts = vec![receiver?.clone()];
                parts.extend(act.arguments.iter().map(|a| a.value.clone()));
                Value::join(&parts, "")
            }
            // Its text is not needed; whether all of it is known is.
            "JSON.stringify" if first?.is_constant() => Value::text("{}").tainted(first?.all_taint()),
            "JSON.stringify" => Value::unknown().tainted(first?.all_taint()),
            "Boolean" => Value::unknown(),
            _ => return None,
        })
    }
}

/// Decoded base64: the text where it is text; marked in any case.
fn base64(text: &str) -> Value {
    let clean: String = text.chars().filter(|c| !c.is_whitespace() && *c != '=').collect();
    let bytes = base64::engine::general_purpose::STANDARD_NO_PAD.decode(clean).ok();
    let text = bytes.and_then(|b| String::from_utf8(b).ok());
    text.map_or_else(Value::unknown, Value::text).tainted(Taint::DECODED)
}
