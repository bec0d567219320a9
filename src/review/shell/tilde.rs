//! Works out what `~` stands for at the beginning of a word.

use super::ShellReader;
use super::change::FOLDER;
use super::quoting::unescaped;
use super::variable::uncertain;
use crate::review::value::Value;
use tree_sitter::Node;

impl ShellReader<'_, '_> {
    /// The home folder, if the text itself sets it.
    pub(super) fn home(&mut self) -> Option<Value> {
        if !self.changes.sets("HOME") {
            return None;
        }
        // Before the first assignment, it is the home of the person.
        let held = self.frames.lookup(0, "HOME")?;
        Some(if held.as_whole_text().is_some() { held } else { uncertain(Value::text("~")) })
    }

    /// The value of a word that begins with `~`, or with one that a backslash protects; `None` if it is as written.
    pub(super) fn tilde_word(&mut self, node: Node<'_>, spelled: &str) -> Option<Value> {
        if !begins_word(self.source, node.start_byte()) {
            return None;
        }
        if spelled.starts_with("\\~") {
            return Some(protected(&unescaped(spelled)));
        }
        let prefix = spelled.split('/').next().unwrap_or_default();
        let rest = Value::text(unescaped(spelled.get(prefix.len()..).unwrap_or_default()));
        let folder = match prefix.strip_prefix('~')? {
            "" => self.home()?,
            "+" if !self.changes.any(FOLDER) => Value::text("."),
            former if former.starts_with(|c: char| matches!(c, '+' | '-') || c.is_ascii_digit()) => {
                Value::unknown()
            }
            _ => return None,
        };
        Some(Value::join(&[folder, rest], ""))
    }
}

/// A name that begins with a protected `~`, which is no home folder. It is not spelled as bash has it, so it counts as
/// unknown.
pub(super) fn protected(name: &str) -> Value {
    uncertain(Value::text(format!("./{name}")))
}

/// Whether a word begins at a place, so that `~` is expanded there.
fn begins_word(source: &str, at: usize) -> bool {
    let before = source.get(..at).and_then(|head| head.chars().next_back());
    before.is_none_or(|sign| sign.is_whitespace() || "=;&|<>(`".contains(sign))
}
