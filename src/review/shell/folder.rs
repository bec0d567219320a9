//! Follows `cd`, `pushd` and `popd`. Where one of them may fail, bash goes on in the folder it was in: then both
//! folders count, but for what runs only after a success.

use super::ShellReader;
use super::branch::{OpenScope, ScopeEnd, other_branch};
use super::change::{ERREXIT, OLD_FOLDER, PUSHED_FOLDERS, is_or};
use crate::review::folder::{self, either, entered};
use crate::review::syntax::{last_child, named_children, pair, text};
use crate::review::value::{Act, Argument, HOLE, Value, ValueKind};
use tree_sitter::Node;

/// Builtins that change what later commands mean.
const CHANGING_BUILTINS: &[&str] = &[
    "cd",
    "pushd",
    "popd",
    "eval",
    ".",
    "source",
    "read",
    "mapfile",
    "readarray",
    "getopts",
    "let",
    "printf",
    "set",
    "shift",
    "unset",
    "export",
    "declare",
    "typeset",
    "local",
    "readonly",
    "alias",
    "exit",
    "return",
    "exec",
];

impl<'t> ShellReader<'_, 't> {
    /// Follows a command that changes the folder, as if it succeeded.
    pub(super) fn change_folder(&mut self, act: &Act) {
        let operands: Vec<Value> = act.values().collect();
        let before = self.folder.clone().unwrap_or_else(folder::start);
        match (act.name.as_str(), operands.as_slice()) {
            ("cd", []) => {
                let home = self.home().unwrap_or_else(|| Value::text("~"));
                self.enter(&home);
            }
            ("cd", [to]) if to.as_whole_text() == Some("-") => {
                self.folder = Some(self.frames.lookup(0, OLD_FOLDER).unwrap_or_else(folder::unknown));
            }
            // Folders elsewhere are searched for the name.
            ("cd" | "pushd", [_])
                if self.frames.lookup(0, "CDPATH").is_some_and(|path| path.as_whole_text() != Some("")) =>
            {
                self.folder = Some(folder::unknown());
            }
            ("cd", [to]) => self.enter(&to.clone()),
            ("pushd", [to]) if !to.as_text().is_some_and(|(to, _)| to.starts_with(['+', '-'])) => {
                let mut pushed = self.pushed();
                if let Some(pushed) = &mut pushed {
                    pushed.push(before.clone());
                }
                self.enter(&to.clone());
                return self.keep(before, pushed);
            }
            ("popd", []) if act.named.is_empty() => {
                let mut pushed = self.pushed();
                let back = match &mut pushed {
                    // Nothing was pushed: it fails.
                    Some(pushed) if pushed.is_empty() => Some(before.clone()),
                    Some(pushed) => pushed.pop(),
                    None => None,
                };
                // Where `pushd` failed, this takes the folder below.
                let below = pushed.as_ref().and_then(|pushed| pushed.last().cloned());
                let back = back.unwrap_or_else(folder::unknown);
                let below = below.or_else(|| Some(back.clone()));
                self.folder = Some(either(Some(back), below, self.scope));
                return self.keep(before, pushed);
            }
            ("popd", _) if self.pushed().is_some_and(|pushed| pushed.is_empty()) => {}
            _ => self.folder = Some(folder::unknown()),
        }
        let pushed = self.pushed().filter(Vec::is_empty);
        self.keep(before, pushed);
    }

    fn enter(&mut self, to: &Value) {
        // An empty name stands for the folder itself.
        if to.as_whole_text() != Some("") {
            self.folder = Some(entered(self.folder.as_ref(), to));
        }
    }

    /// The folders that `popd` goes back to, the last first to be taken; `None` if they are not known.
    fn pushed(&mut self) -> Option<Vec<Value>> {
        match self.frames.lookup(0, PUSHED_FOLDERS).map(|pushed| pushed.kind) {
            None => Some(Vec::new()),
            Some(ValueKind::List(pushed)) => Some(pushed),
            Some(_) => None,
        }
    }

    /// Remembers what `cd -` and `popd` go back to.
    fn keep(&mut self, before: Value, pushed: Option<Vec<Value>>) {
        let older = self.frames.lookup(0, OLD_FOLDER).unwrap_or_else(folder::unknown);
        let old = either(Some(before), Some(older), self.scope);
        self.frames.bind(0, OLD_FOLDER, old, false);
        let pushed = pushed.map_or_else(Value::unknown, Value::list);
        self.frames.bind(0, PUSHED_FOLDERS, pushed, false);
    }

    /// Looks at what a command at this node did to the folder, which was `before`: it may have failed.
    pub(super) fn folder_behind(&mut self, node: Node<'t>, name: Option<&str>, before: Option<Value>) {
        let spelled =
            node.child_by_field_name("name").map(|name| text(name, self.source)).unwrap_or_default();
        if let Some(name) = name.filter(|name| CHANGING_BUILTINS.contains(name))
            && spelled.trim_matches(['"', '\'', '\\']) != name
        {
            // What stands before it was read without knowing of it.
            self.reading.unknown = true;
        }
        if self.folder != before && self.sets_search_path(node) {
            self.folder = Some(folder::unknown());
        }
        // `popd` goes back where `pushd` came from, or both failed.
        if self.folder == before
            || name == Some("popd")
            || self.always_works(node)
            || self.stops_on_failure(node)
        {
            return;
        }
        let Some(until) = self.succeeds_until(node) else { return };
        if until <= node.end_byte() {
            self.folder = Some(either(self.folder.take(), before, self.scope));
            return;
        }
        let at = self.open.iter().position(|open| open.end < until).unwrap_or(self.open.len());
        self.open.insert(at, OpenScope { end: until, then: ScopeEnd::OrFolder(before) });
    }

    /// Whether folders elsewhere are searched for the operand of this command: `CDPATH=.. cd x`.
    fn sets_search_path(&self, node: Node<'_>) -> bool {
        named_children(node, 64).into_iter().filter(|n| n.kind() == "variable_assignment").any(|assignment| {
            let (name, value) = pair(assignment, "name", "value");
            let is_empty = value.is_none_or(|value| matches!(text(value, self.source), "" | "''" | "\"\""));
            !is_empty && name.is_some_and(|name| text(name, self.source) == "CDPATH")
        })
    }

    /// Whether a command changes to a folder that is there in any case: the root, or one above.
    fn always_works(&self, node: Node<'t>) -> bool {
        let words = text(node, self.source).strip_prefix("cd ").unwrap_or_default().trim();
        !words.is_empty() && (words.split('/').all(|part| part == "..") || words == "/")
    }

    /// Where it ends to be certain that a command succeeded; `None` if all that follows needs its success.
    fn succeeds_until(&mut self, node: Node<'t>) -> Option<usize> {
        // The lists in which something follows only after a success: they all have the same end, so that a long chain is
        // climbed once.
        let mut passed = Vec::new();
        let until = self.success_end(node, &mut passed);
        self.changes.success_ends.extend(passed.into_iter().map(|list| (list, until)));
        until
    }

    fn success_end(&mut self, node: Node<'t>, passed: &mut Vec<usize>) -> Option<usize> {
        let (mut at, mut until) = (node, node.end_byte());
        while let Some(around) = self.around(at) {
            match around.kind() {
                "redirected_statement" => {}
                "list" => {
                    let last = last_child(around)?;
                    let is_last = last.id() == at.id();
                    match (is_or(around), is_last) {
                        (false, true) => {}
                        (false, false) => {
                            if let Some(known) = self.changes.success_ends.get(&around.id()) {
                                return *known;
                            }
                            passed.push(around.id());
                            until = last.end_byte();
                        }
                        (true, false) if self.leaves(last) => return None,
                        _ => return Some(until),
                    }
                }
                "if_statement" if is_condition(at, around) => {
                    let end = other_branch(around).map_or(around.end_byte(), |other| other.start_byte());
                    return Some(end);
                }
                _ => return Some(until),
            }
            at = around;
        }
        Some(until)
    }

    /// Whether `set -e` certainly ends the text if the command at a node fails.
    fn stops_on_failure(&mut self, node: Node<'t>) -> bool {
        let is_on = self.frames.lookup(0, ERREXIT).is_some_and(|set| set.as_whole_text() == Some("on"));
        if !is_on || !self.calls.is_empty() {
            return false;
        }
        let mut at = node;
        while let Some(around) = self.around(at) {
            let last = last_child(around);
            let is_tested = match around.kind() {
                "list" => last.is_none_or(|last| last.id() != at.id()),
                // There, the option does not hold.
                "negated_command"
                | "function_definition"
                | "command_substitution"
                | "process_substitution" => true,
                _ => is_condition(at, around),
            };
            if is_tested {
                return false;
            }
            at = around;
        }
        !self.frames.is_exhausted()
    }

    /// `set -e`, `set +e`, `set -o errexit`.
    pub(super) fn set_errexit(&mut self, words: &[Argument]) {
        let mut names_option = None;
        for word in words {
            let Some(option) = word.value.as_whole_text() else { return self.forget(ERREXIT) };
            let named: Option<bool> = names_option.take();
            let on = match named {
                Some(on) if option == "errexit" => Some(on),
                Some(_) => None,
                None if option == "--" || !option.starts_with(['-', '+']) => return,
                None => {
                    let on = option.starts_with('-');
                    names_option = option.ends_with('o').then_some(on);
                    option.contains('e').then_some(on)
                }
            };
            if let Some(on) = on {
                self.frames.bind(0, ERREXIT, Value::text(if on { "on" } else { "off" }), false);
            }
        }
    }

    /// `trap`: what runs at a signal, or before each command, may switch `-e` at any time.
    pub(super) fn note_trap(&mut self, words: &[Argument]) {
        let Some((code, signals)) = words.split_first() else { return };
        let is_at_end =
            |signal: &Argument| matches!(signal.value.as_whole_text(), Some("EXIT" | "exit" | "0"));
        if signals.iter().all(is_at_end) {
            return;
        }
        let code = code.value.as_text().map(|(text, _)| text);
        if code.is_none_or(may_switch)
            || self.changes.in_functions.contains(ERREXIT)
            || self.changes.everything_in_functions
        {
            self.frames.share(ERREXIT);
        }
    }
}

/// Whether code, read without quotes, may switch an option of the shell: by a command that does, or by one whose name
/// is not written plainly. Words in a message are none.
fn may_switch(code: &str) -> bool {
    const SWITCHING: &[&str] = &["set", "shopt", "eval", "source", "."];
    const BEFORE_COMMANDS: &[&str] =
        &["if", "then", "elif", "else", "while", "until", "do", "!", "time", "command", "builtin"];
    code.contains(HOLE)
        || code.split([';', '&', '|', '\n', '{', '(']).any(|command| {
            let name = command.split_whitespace().find(|word| !BEFORE_COMMANDS.contains(word));
            name.is_some_and(|name| SWITCHING.contains(&name) || name.contains(['"', '\'', '\\', '$', '`']))
        })
}

/// Whether a node is a condition of the statement around it.
fn is_condition(node: Node<'_>, around: Node<'_>) -> bool {
    let mut cursor = around.walk();
    around.children_by_field_name("condition", &mut cursor).any(|condition| condition.id() == node.id())
}
