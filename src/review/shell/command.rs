//! Commands: what runs other commands is seen through, and each is told as an act.

use super::Reader;
use super::options::plain_key;
use crate::review::judge::Nested;
use crate::review::rules::{Inner, Wrapper};
use crate::review::value::{Argument, HOLE, Kind, Taint, Value};
use std::ops::Range;

/// Wrappers inside wrappers are followed so deep.
const DEEPEST: u32 = 12;

impl Reader<'_> {
    /// Tells a command: its words (name first), what it reads, where it stands.
    pub(super) fn command(
        &mut self,
        words: Vec<Argument>,
        input: Option<Argument>,
        span: &Range<usize>,
        depth: u32,
    ) {
        let mut words = words.into_iter();
        let Some(first) = words.next() else { return };
        let rest: Vec<Argument> = words.collect();
        // Text that was decoded or downloaded and stands where a command does runs like `eval` of it.
        let hidden = first.value.all_taint().meets(Taint::DECODED.with(Taint::DOWNLOADED));
        let known = first.value.as_whole_text().filter(|name| !name.is_empty());
        if hidden || known.is_none() {
            self.reading.unknown |= known.is_none();
            let name = if hidden { "eval" } else { "?" };
            let act = self.parted(name, vec![first.clone()], None, span);
            self.reading.acts.push(act);
        }
        let Some(spelled) = known else { return };
        if spelled.contains('/') {
            // A file is run by its path.
            let act = self.parted("./", vec![first.clone()], None, span);
            self.reading.acts.push(act);
        }
        let name = spelled.rsplit('/').next().unwrap_or(spelled).trim_end_matches(".exe").to_owned();
        if depth > DEEPEST {
            self.reading.cut = true;
            return;
        }
        if let Some(meant) = self.aliases.get(&name).cloned() {
            return self.aliased(&meant, &first, rest, input, span, depth);
        }
        self.start(&name);
        if let Some(rest) = module_command(&name, &rest) {
            return self.command(rest, input, span, depth + 1);
        }
        let book = self.book;
        let wrapper = book.file.wrapper.iter().find(|w| w.names.contains(&name));
        match wrapper {
            Some(wrapper) => self.through(wrapper, &name, rest, input, span, depth),
            None => self.plain(name, rest, input, span, depth),
        }
    }

    /// Notes a program that is started; what the shell does by itself is none.
    fn start(&mut self, name: &str) {
        const OWN: &[&str] = &[
            "echo", "printf", "cd", "export", "set", "unset", "test", "[", "true", "false", ":", "source",
            ".", "exit", "return", "read", "local", "shift", "trap", "wait", "eval", "exec", "alias", "type",
            "command", "builtin", "pwd", "let", "declare", "break", "continue", "umask", "ulimit", "hash",
            "getopts", "time",
        ];
        let programs = &mut self.reading.programs;
        if !OWN.contains(&name) && programs.len() < 256 && !programs.iter().any(|p| p == name) {
            programs.push(name.to_owned());
        }
    }

    /// A command that runs what follows it.
    fn through(
        &mut self,
        wrapper: &Wrapper,
        name: &str,
        words: Vec<Argument>,
        input: Option<Argument>,
        span: &Range<usize>,
        depth: u32,
    ) {
        let mut at = 0;
        let mut skip = wrapper.skip;
        while let Some(word) = words.get(at) {
            let Some((text, _)) = word.value.as_text() else {
                if skip == 0 {
                    break;
                }
                skip -= 1;
                at += 1;
                continue;
            };
            if name == "env" && matches!(text, "-S" | "--split-string") {
                let Some(word) = words.get(at + 1) else { break };
                if let Some((text, _)) = word.value.as_text() {
                    let (text, span) = (text.to_owned(), word.span.clone());
                    self.reading.nested.push(Nested::Text { language: Inner::Bash, text, span });
                }
                at += 2;
            } else if text == "--" {
                at += 1;
                break;
            } else if text.starts_with('-') && text.len() > 1 {
                let takes = wrapper.values.iter().any(|v| v == text);
                at += if takes { 2 } else { 1 };
            } else if is_assignment(text) && !wrapper.text {
                self.set_by_word(word, span);
                at += 1;
            } else if skip > 0 {
                skip -= 1;
                at += 1;
            } else {
                break;
            }
        }
        let (own, rest) = words.split_at(at.min(words.len()));
        // What a shell gets as text is an operand too: rules look at where it came from.
        let own = if wrapper.text { &words } else { own };
        let mut act = self.parted(name, own.to_vec(), input.clone(), span);
        if rest.is_empty() {
            // `sudo` alone, `env` that prints: no command follows.
            name.clone_into(&mut act.name);
            act.named.push((
                "alone".to_owned(),
                Argument { value: Value::new(Kind::Bool(true)), span: span.clone() },
            ));
        }
        self.reading.acts.push(act);
        if rest.is_empty() {
            return;
        }
        let mut rest = rest.to_vec();
        if wrapper.text {
            let parts: Vec<Value> = rest.iter().map(|a| a.value.clone()).collect();
            let whole = rest.first().map_or(span.start, |a| a.span.start)
                ..rest.last().map_or(span.end, |a| a.span.end);
            let text = Value::join(&parts, " ");
            let text = if name == "eval" { self.put_in(&text) } else { text };
            match text.as_text() {
                Some((text, _)) => {
                    let text = text.to_owned();
                    self.reading.nested.push(Nested::Text { language: Inner::Bash, text, span: whole });
                }
                None => self.reading.unknown = true,
            }
            return;
        }
        if wrapper.stdin {
            let more = input.as_ref().map_or_else(|| Value::part(HOLE.to_string()), |a| listed(&a.value));
            let replaced = rest.iter().any(|a| a.value.as_text().is_some_and(|(t, _)| t.contains("{}")));
            for word in &mut rest {
                fill(word, &more);
            }
            if !replaced {
                rest.push(Argument { value: more, span: span.clone() });
            }
        }
        self.command(rest, input, span, depth + 1);
    }

    /// `NAME=value` among words (`env`, `export`): told where programs obey the variable.
    fn set_by_word(&mut self, word: &Argument, span: &Range<usize>) {
        let Some((name, held)) = word.value.as_text().and_then(|(text, _)| text.split_once('=')) else {
            return;
        };
        let (name, value) = (name.to_owned(), Value::text(held).tainted(word.value.taint));
        self.set(&name, Argument { value, span: word.span.clone() }, span.clone());
    }

    /// Text that this shell will read again later, the variables that are known by now put in.
    fn put_in(&mut self, value: &Value) -> Value {
        let Some((text, _)) = value.as_text() else { return value.clone() };
        let mut parts = text.split('$');
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts.take(64) {
            let inner = part.strip_prefix('{').unwrap_or(part);
            let end = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inner.len());
            let (name, rest) = inner.split_at(end);
            let held = self.frames.lookup(0, name);
            match held.as_ref().and_then(Value::as_text).filter(|(held, _)| !held.contains(HOLE)) {
                Some((held, _)) => {
                    out.push_str(held);
                    out.push_str(if inner.len() < part.len() {
                        rest.strip_prefix('}').unwrap_or(rest)
                    } else {
                        rest
                    });
                }
                None => out.extend(["$", part]),
            }
        }
        Value::text(out).tainted(value.taint)
    }

    /// A command that runs no other one, as far as its name tells.
    fn plain(
        &mut self,
        name: String,
        words: Vec<Argument>,
        input: Option<Argument>,
        span: &Range<usize>,
        depth: u32,
    ) {
        match name.as_str() {
            "find" => self.find(&words, span, depth),
            "alias" => self.alias(&words),
            "unalias" => self.aliases.clear(),
            _ => {}
        }
        let mut act = self.parted(&name, words, input, span);
        if let ("trap", Some(first)) = (act.name.as_str(), act.arguments.first_mut()) {
            first.value = self.put_in(&first.value);
        }
        if matches!(act.name.as_str(), "cd" | "pushd") {
            let went = act.arguments.first().map_or_else(|| Value::text("~"), |a| a.value.clone());
            self.folder = Some(match (went.as_text(), self.folder.as_ref().and_then(Value::as_text)) {
                (Some((to, whole)), Some((from, known))) if !to.starts_with(['/', '~']) => {
                    let text = format!("{}/{to}", from.trim_end_matches('/'));
                    Value::new(Kind::Text { text, whole: whole && known })
                }
                (Some(_), _) => went,
                (None, _) => Value::part(HOLE.to_string()),
            });
        }
        self.reading.acts.push(act);
    }

    /// The commands that `find` runs, on what lies below its starting points.
    fn find(&mut self, words: &[Argument], span: &Range<usize>, depth: u32) {
        let flag = |a: &Argument| a.value.as_text().is_some_and(|(t, _)| t.starts_with(['-', '(', '!']));
        let start =
            words.first().filter(|a| !flag(a)).and_then(|a| a.value.as_text()).map_or(".", |(t, _)| t);
        let below = Value::part(format!("{}/{HOLE}", start.trim_end_matches('/')));
        let mut rest = words;
        while let Some(at) = rest
            .iter()
            .position(|a| matches!(a.value.as_whole_text(), Some("-exec" | "-execdir" | "-ok" | "-okdir")))
        {
            let tail = rest.get(at + 1..).unwrap_or_default();
            let end = tail
                .iter()
                .position(|a| matches!(a.value.as_whole_text(), Some(";" | "+")))
                .unwrap_or(tail.len());
            let mut inner = tail.get(..end).unwrap_or_default().to_vec();
            for word in &mut inner {
                fill(word, &below);
            }
            self.command(inner, None, span, depth + 1);
            rest = tail.get(end..).unwrap_or_default();
        }
    }
}

/// `python -m pip …` is `pip …`: the words of the module's own command.
fn module_command(name: &str, words: &[Argument]) -> Option<Vec<Argument>> {
    let python =
        name == "py" || name.strip_prefix("python").is_some_and(|v| v.chars().all(|c| !c.is_alphabetic()));
    let at = words.iter().position(|word| word.value.as_whole_text() == Some("-m")).filter(|_| python)?;
    let rest = words.get(at + 1..)?;
    let known = matches!(rest.first()?.value.as_whole_text(), Some("pip" | "pipx" | "conda"));
    known.then(|| rest.to_vec())
}

/// Puts what a command is run on in the place of `{}`.
fn fill(word: &mut Argument, with: &Value) {
    let Some((text, _)) = word.value.as_text() else { return };
    if !text.contains("{}") {
        return;
    }
    let (put, _) = with.as_text().unwrap_or(("…", false));
    word.value = Value::part(text.replace("{}", put)).tainted(with.taint);
}

/// One of what is listed on standard input.
fn listed(value: &Value) -> Value {
    match value.as_text() {
        Some((text, true)) if text.split_whitespace().count() == 1 => Value::text(text.trim()),
        Some((text, false)) => Value::part(text),
        _ => Value::part(HOLE.to_string()).tainted(value.all_taint()),
    }
}

/// Whether a word sets a variable: `NAME=value`.
fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(key, _)| plain_key(key))
}
