//! Reads commands: resolves those that run other commands, and collects each as an act.

use super::ShellReader;
use super::change::ChangeTarget;
use super::command_start::CommandStart;
use super::expand::pattern_fits;
use super::keyword;
use super::own_folder::{entered_by_options, members_of_archive};
use crate::review::programs;
use crate::review::value::{Argument, HOLE, Taint, Value, ValueKind};
use std::ops::Range;

/// The deepest nesting of wrappers that is followed.
const MAX_DEPTH: u32 = 12;

impl ShellReader<'_, '_> {
    /// Reads a command by its words, its name first.
    pub(super) fn command(&mut self, words: Vec<Argument>, start: CommandStart<'_>) {
        let steering =
            keyword::count(words.len(), |at| words.get(at).and_then(|word| word.value.as_whole_text()));
        self.lose_structure(words.get(..steering).unwrap_or_default());
        let mut words = words.into_iter().skip(steering);
        let Some(first) = words.next() else { return };
        let rest: Vec<Argument> = words.collect();
        let known = first.value.as_whole_text().filter(|name| !name.is_empty());
        let span = start.span;
        self.add_uncertain_name(&first, known.is_some(), span);
        if start.depth > MAX_DEPTH {
            self.reading.cut = true;
            return;
        }
        let Some(spelled) = known else {
            return self.with_holes(&first, rest, start);
        };
        if spelled.contains(['?', '*', '[']) && spelled.len() > 1 && spelled != "[[" {
            return self.by_pattern(&first, rest, start);
        }
        if spelled.chars().all(|c| c == HOLE) && names_program(&rest) {
            self.reading.unknown = true;
            return self.command(rest, start.inner());
        }
        let name = spelled.rsplit('/').next().unwrap_or(spelled).trim_end_matches(".exe").to_owned();
        let system = ["/bin/", "/usr/", "/sbin/", "/opt/", "/lib"].iter().any(|top| spelled.starts_with(top));
        if spelled.contains('/') {
            // A file is run by its path.
            let act = self.split("./", vec![first.clone()], None, span);
            self.reading.acts.push(act);
            if !system {
                self.not_known(spelled, span, true);
            }
        }
        if let Some(meant) = self.aliases.get(&name).cloned() {
            return self.aliased(&meant, &first, rest, start);
        }
        if let Some(body) = self.functions.get(spelled).copied() {
            self.follow(body, rest, start);
            return self.forget_target(ChangeTarget::Functions);
        }
        self.by_name(name, system || !spelled.contains('/'), rest, start);
    }

    /// Adds an act for a command whose name is not known, or was decoded or downloaded.
    fn add_uncertain_name(&mut self, first: &Argument, is_known: bool, span: &Range<usize>) {
        // Decoded or downloaded text as the command's name runs like `eval` of it.
        let hidden = first.value.all_taint().meets(Taint::DECODED.with(Taint::DOWNLOADED));
        if hidden || !is_known {
            self.reading.unknown |= !is_known;
            let name = if hidden { "eval" } else { "?" };
            let act = self.split(name, vec![first.clone()], None, span);
            self.reading.acts.push(act);
        }
    }

    /// Reads a command by the name of its program, which is no alias and no function. That of a `common` command is
    /// found by its name alone, or is the system's.
    fn by_name(&mut self, name: String, common: bool, rest: Vec<Argument>, start: CommandStart<'_>) {
        self.start(&name);
        self.indexes_of(&name, &rest, start.span);
        self.reading.unknown |= renames_program(&name, &rest);
        if let Some(rest) = self.module(&name, &rest, start.span) {
            return self.command(rest, start.inner());
        }
        if name.starts_with("ld-linux") || name.starts_with("ld-musl") || name == "ld.so" {
            // The loader runs the program that it is given.
            let from = rest.iter().position(|w| w.value.as_text().is_some_and(|(t, _)| !t.starts_with('-')));
            return self.command(rest.into_iter().skip(from.unwrap_or(0)).collect(), start.inner());
        }
        let rules = self.rules;
        let wrapper = rules.file.wrapper.iter().find(|w| w.names.contains(&name));
        if common && wrapper.is_none() && programs::shipped().get(&name).is_none() {
            self.not_known(&name, start.span, false);
        }
        match wrapper {
            Some(wrapper) => self.through(wrapper, &name, rest, start),
            None => self.plain(name, rest, start),
        }
    }

    /// Reads a command whose name is partly unknown: `r$@m` is `rm` if the unknown part is empty.
    fn with_holes(&mut self, first: &Argument, rest: Vec<Argument>, start: CommandStart<'_>) {
        let bare = first.value.as_text().map(|(text, _)| text.replace(HOLE, "")).unwrap_or_default();
        if bare.is_empty() && names_program(&rest) {
            return self.command(rest, start.inner());
        }
        let name = bare.rsplit('/').next().unwrap_or_default();
        if name.len() < 2 || programs::shipped().get(name).is_none() {
            return;
        }
        let name = Argument::text(bare.clone(), &first.span);
        self.command([vec![name], rest].concat(), start.inner());
    }

    /// Reads a command named by a file name pattern: reported as a pattern, and read as the first common program that
    /// it matches.
    fn by_pattern(&mut self, first: &Argument, rest: Vec<Argument>, start: CommandStart<'_>) {
        const COMMON_PROGRAMS: &[&str] = &[
            "rm", "sh", "bash", "dd", "nc", "curl", "wget", "cat", "python3", "python", "perl", "chmod",
            "chown", "mv", "cp", "shred", "mkfs", "tee", "find", "ssh", "node", "base64", "sudo", "tar",
            "ls", "env",
        ];
        let act = self.split("@pattern", vec![first.clone()], None, start.span);
        self.reading.acts.push(act);
        let pattern = first.value.as_whole_text().unwrap_or_default();
        let pattern: Vec<char> = pattern.rsplit('/').next().unwrap_or_default().chars().take(24).collect();
        // A pattern with many stars would be compared in very many ways.
        let has_few_stars = pattern.iter().filter(|c| **c == '*').count() < 4;
        let fits = |name: &&&str| pattern_fits(&pattern, &name.chars().collect::<Vec<_>>());
        let Some(name) = COMMON_PROGRAMS.iter().filter(|_| has_few_stars).find(fits) else {
            self.reading.unknown = true;
            return;
        };
        let name = Argument::text(*name, &first.span);
        self.command([vec![name], rest].concat(), start.inner());
    }

    /// Adds a program to those started, unless it is a builtin of the shell.
    fn start(&mut self, name: &str) {
        const BUILTINS: &[&str] = &[
            "echo", "printf", "cd", "export", "set", "unset", "test", "[", "true", "false", ":", "source",
            ".", "exit", "return", "read", "local", "shift", "trap", "wait", "eval", "exec", "alias", "type",
            "command", "builtin", "pwd", "let", "declare", "break", "continue", "umask", "ulimit", "hash",
            "getopts", "time",
        ];
        let programs = &mut self.reading.programs;
        if !BUILTINS.contains(&name) && programs.len() < 256 && !programs.iter().any(|p| p == name) {
            programs.push(name.to_owned());
        }
    }

    /// Puts the known variables into a text that the shell will evaluate: now, or later if `at` is a place in the text.
    pub(super) fn put_in(&mut self, value: &Value, at: Option<usize>) -> Value {
        let Some((text, _)) = value.as_text() else { return value.clone() };
        let mut parts = text.split('$');
        let mut out = parts.next().unwrap_or_default().to_owned();
        for (index, part) in parts.enumerate() {
            let inner = part.strip_prefix('{').unwrap_or(part);
            let end = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inner.len());
            let (name, rest) = inner.split_at(end);
            let rest = if inner.len() < part.len() { rest.strip_prefix('}') } else { Some(rest) };
            let stays = index < 64 && !is_literal(&out) && at.is_none_or(|at| !self.changes.later(name, at));
            let held = if stays { self.frames.lookup(0, name) } else { None };
            let held = held.as_ref().and_then(Value::as_text).filter(|(held, _)| !held.contains(HOLE));
            match (held, rest) {
                (Some((held, _)), Some(rest)) => out.extend([held, rest]),
                _ => out.extend(["$", part]),
            }
        }
        Value::text(out).tainted(value.taint)
    }

    /// Reads a command that runs no other one.
    fn plain(&mut self, name: String, mut words: Vec<Argument>, start: CommandStart<'_>) {
        let CommandStart { input, span, depth } = start;
        let input = input.or_else(|| piped(&name, &words));
        match name.as_str() {
            "find" | "gfind" | "fd" | "fdfind" => words = self.find(&name, words, span, depth),
            "alias" => self.alias(&words),
            "unalias" => self.aliases.clear(),
            _ => self.bound_by(&name, &words, input.as_ref()),
        }
        if keyword::is_declaration(&name) {
            for word in &words {
                self.set_by_word(word, span);
            }
        }
        if matches!(name.as_str(), "tar" | "bsdtar" | "gtar") {
            members_of_archive(&mut words);
        }
        let own = entered_by_options(&name, &words, self.folder.as_ref(), self.scope);
        let outer = own.map(|own| self.folder.replace(own));
        let (mut act, known) = self.split_by_table(&name, words, input.clone(), span);
        if let ("trap", Some(first)) = (act.name.as_str(), act.arguments.first_mut()) {
            first.value = self.put_in(&first.value, Some(span.start));
            self.note_trap(&act.arguments);
        }
        if matches!(act.name.as_str(), "cd" | "pushd" | "popd") {
            self.change_folder(&act);
        }
        self.reading.acts.push(act.clone());
        self.by_table(&act, &known, input.as_ref(), depth);
        if let Some(outer) = outer {
            self.folder = outer;
        }
    }
}

/// Whether a `$` behind this text stands for itself: behind a backslash, or in single quotes.
fn is_literal(before: &str) -> bool {
    let (mut single, mut double, mut escaped) = (false, false, false);
    for sign in before.chars() {
        match sign {
            _ if escaped => escaped = false,
            '\\' => escaped = !single,
            '\'' if !double => single = !single,
            '"' if !single => double = !double,
            _ => {}
        }
    }
    single || escaped
}

/// Whether the first word names a known program, as in `$SUDO rm`: the unknown word before it is then empty or a
/// wrapper.
fn names_program(words: &[Argument]) -> bool {
    let name = words.first().and_then(|word| word.value.as_whole_text());
    name.is_some_and(|name| programs::shipped().get(name).is_some())
}

/// The standard input of an interpreter that gets another command's output as a file: `bash <(…)`.
fn piped(name: &str, words: &[Argument]) -> Option<Argument> {
    let reads = matches!(
        name,
        "bash"
            | "sh"
            | "zsh"
            | "dash"
            | "ksh"
            | "source"
            | "."
            | "python"
            | "python3"
            | "node"
            | "perl"
            | "ruby"
            | "php"
    );
    let pipe = words.iter().take(4).find(|word| word.value.is_pipe()).filter(|_| reads)?;
    match &pipe.value.kind {
        ValueKind::Name { about: Some(held), .. } => Some(Argument::new((**held).clone(), &pipe.span)),
        _ => None,
    }
}

/// Whether a builtin lets a name stand for another program: `hash -p FILE name`, `enable -f FILE name`.
fn renames_program(name: &str, words: &[Argument]) -> bool {
    let names_file = |word: &Argument| {
        word.value.as_text().is_none_or(|(text, _)| text.starts_with('-') && text.contains(['p', 'f']))
    };
    matches!(name, "hash" | "enable") && words.iter().any(names_file)
}
