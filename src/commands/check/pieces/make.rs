//! Splits Makefiles: each recipe line as the shell would get it, and the commands that run while make reads the file
//! (`$(shell …)`, `!=`).
//!
//! Variables that the file sets to one plain value are replaced by it, and `HOME`, which make takes over from the
//! environment, is the shell's; all others become unknown variables of the shell.

use super::{Columns, LinePosition, Piece, Pieces, number, shebang_language, width};
use std::cell::Cell;
use std::collections::{HashMap, HashSet};

/// The depth to which variables within variables are expanded.
const MAX_DEPTH: u32 = 8;

/// The most bytes of a variable's value or of an expanded line.
const MAX_LINE_BYTES: usize = 16 << 10;

/// The most bytes that are read to expand the variables of one file: values within values multiply.
const MAX_EXPANDED_BYTES: usize = 64 << 20;

/// What reading a value costs at least, so that empty ones count, too.
const MIN_VALUE_BYTES: usize = 64;

/// How the name begins in the shell that stands for a variable of make whose value is not known: no variable of the
/// shell that the review knows is called so.
const UNKNOWN: &str = "${make_";

/// The state of reading one Makefile.
struct MakefileReader {
    variables: HashMap<String, String>,
    /// The variables that are set whatever the conditions of the file say.
    always_set: HashSet<String>,
    /// The variables that some targets set for themselves.
    set_by_targets: HashSet<String>,
    /// The conditions (`ifdef`) that are open, the innermost last.
    conditions: Vec<Condition>,
    /// The bytes that may still be read to expand variables.
    left: Cell<usize>,
    language: String,
    /// Whether one shell gets all lines of a recipe (`.ONESHELL`).
    one_shell: bool,
    found: Pieces,
    /// Whether the last piece may get more lines of its recipe.
    open: bool,
}

/// A condition of a Makefile, as far as it was read.
#[derive(Default)]
struct Condition {
    /// The variables that each branch before this one sets; `None` in the first.
    set_before: Option<HashSet<String>>,
    /// The variables that this branch sets.
    set_here: HashSet<String>,
    /// Whether one of its branches is certainly taken, because it has an `else` without a condition.
    is_complete: bool,
}

impl Condition {
    fn end_branch(&mut self) {
        let here = std::mem::take(&mut self.set_here);
        self.set_before = Some(match self.set_before.take() {
            Some(before) => before.intersection(&here).cloned().collect(),
            None => here,
        });
    }
}

/// Splits a Makefile into pieces.
pub(super) fn pieces(source: &str) -> Pieces {
    let variables =
        [("RM", "rm -f"), ("CC", "cc"), ("SHELL", "/bin/sh"), ("MAKE", "make"), ("HOME", "$${HOME}")];
    let mut reader = MakefileReader {
        variables: variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        always_set: variables.map(|(name, _)| name.to_owned()).into(),
        set_by_targets: HashSet::new(),
        conditions: Vec::new(),
        left: Cell::new(MAX_EXPANDED_BYTES),
        language: "bash".to_owned(),
        one_shell: source.lines().any(|line| line.starts_with(".ONESHELL")),
        found: Pieces { prose: true, ..Pieces::default() },
        open: false,
    };
    let lines: Vec<&str> = source.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    // Recipes see the last value of a variable, even one that is set below them.
    walk(&lines, |reader: &mut MakefileReader, line, _| reader.define(&line.join(" ")), &mut reader);
    reader.forget_unsure();
    walk(&lines, MakefileReader::read_rule, &mut reader);
    reader.found.pieces.retain(|piece| !piece.source.trim().is_empty());
    if reader.left.get() == 0 {
        reader.found.not_pieces.push("its variables expand to too much".to_owned());
    }
    reader.found
}

/// Names the variables in what the review says as the Makefile does: `$(BUILD)`. What is more than a name is left out.
pub(super) fn as_written(told: &mut String) {
    while let Some(at) = told.find(UNKNOWN) {
        let name = told.get(at + UNKNOWN.len()..).unwrap_or_default();
        let end = name.find('}').unwrap_or(name.len());
        let is_name = end > 0 && !name.starts_with('_');
        let shown = format!("$({}", name.get(..end).filter(|_| is_name).unwrap_or("…"));
        let closing = if end < name.len() { ")" } else { "" };
        let past = at + UNKNOWN.len() + end + closing.len();
        told.replace_range(at..past, &format!("{shown}{closing}"));
    }
}

/// Calls `take` with each line, joined to the lines that a backslash appends, and the number of the first.
fn walk(
    lines: &[&str],
    mut take: impl FnMut(&mut MakefileReader, &[String], u32),
    reader: &mut MakefileReader,
) {
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let first = number(at);
        let mut all = vec![(*line).to_owned()];
        while all.last().is_some_and(|last| last.trim_end().ends_with('\\')) {
            at += 1;
            let Some(next) = lines.get(at) else { break };
            if let Some(last) = all.last_mut() {
                last.truncate(last.trim_end().len() - 1);
            }
            all.push((*next).to_owned());
        }
        take(reader, &all, first);
        at += 1;
    }
}

impl MakefileReader {
    /// Stores the variable that a line defines.
    fn define(&mut self, line: &str) {
        if line.starts_with('\t') {
            return;
        }
        match line.split_whitespace().next() {
            Some("ifdef" | "ifndef" | "ifeq" | "ifneq") => self.conditions.push(Condition::default()),
            Some("else") => {
                if let Some(condition) = self.conditions.last_mut() {
                    condition.end_branch();
                    condition.is_complete |= without_comment(line).trim() == "else";
                }
            }
            Some("endif") => {
                if let Some(mut condition) = self.conditions.pop() {
                    condition.end_branch();
                    let set = condition.set_before.filter(|_| condition.is_complete).unwrap_or_default();
                    for name in set {
                        self.note_set(name);
                    }
                }
            }
            _ => {}
        }
        let line = line.trim().trim_start_matches("export ").trim_start_matches("override ");
        let Some((name, value)) = line.split_once('=') else { return };
        let adds = name.ends_with('+');
        let only_if_unset = name.ends_with('?');
        let is_output = name.ends_with('!');
        let name = name.trim_end_matches([':', '?', '+', '!']).trim();
        // `clean: private D = x`; behind a semicolon stands a command, and behind a number sign a comment.
        if let Some((_, set)) = name.rsplit_once(':').filter(|_| !name.contains([';', '#'])) {
            self.set_by_targets.extend(set.split_whitespace().next_back().map(str::to_owned));
        }
        if name.is_empty() || name.contains(|c: char| c.is_whitespace() || matches!(c, ':' | '$' | '#')) {
            return;
        }
        // `HOME ?= x` leaves the home folder what it is, because the environment has set it. What only a condition
        // sets may be unset.
        if only_if_unset && self.always_set.contains(name) {
            return;
        }
        self.note_set(name.to_owned());
        let value = without_comment(value).trim();
        if name == "SHELL" && !adds {
            self.language = shebang_language(&format!("#!{value}")).unwrap_or_else(|| "bash".to_owned());
        }
        // `D != pwd` sets what the command prints.
        let printed = is_output.then(|| format!("$(shell {value})"));
        let value = printed.as_deref().unwrap_or(value);
        let value = match self.variables.get(name) {
            Some(before) if adds => format!("{before} {value}"),
            // Which of the two holds is not known: a variable that stands for itself has no value.
            Some(before) if (only_if_unset || !self.conditions.is_empty()) && before != value => {
                format!("$({name})")
            }
            _ => value.to_owned(),
        };
        if value.len() <= MAX_LINE_BYTES {
            self.variables.insert(name.to_owned(), value);
        }
    }

    fn note_set(&mut self, name: String) {
        let set = self.conditions.last_mut().map_or(&mut self.always_set, |inner| &mut inner.set_here);
        set.insert(name);
    }

    /// The value of a variable that only a condition sets is not known: it may be empty.
    fn forget_unsure(&mut self) {
        for (name, value) in &mut self.variables {
            if !self.always_set.contains(name) {
                *value = format!("$({name})");
            }
        }
    }

    /// Adds the commands of a line.
    fn read_rule(&mut self, lines: &[String], first: u32) {
        let Some(line) = lines.first() else { return };
        if line.starts_with('\t') {
            return self.recipe(lines, first);
        }
        let whole = lines.join(" ");
        self.run_while_read(&whole, line, first);
        if whole.trim().is_empty() || whole.trim_start().starts_with('#') {
            return;
        }
        self.open = false;
        // `target: ; command`
        let rule = whole.split_once(';').filter(|(head, _)| head.contains(':') && !head.contains('='));
        if let Some((_, command)) = rule {
            self.piece(&[command.to_owned()], first, width(line));
        }
    }

    fn recipe(&mut self, lines: &[String], first: u32) {
        let more = self.open && self.one_shell;
        let lines: Vec<String> =
            lines.iter().map(|line| line.strip_prefix('\t').unwrap_or(line).to_owned()).collect();
        let wide = lines.iter().map(|line| width(line)).max().unwrap_or(0) + 1;
        let last = if more { self.found.pieces.pop() } else { None };
        self.piece(&lines, first, wide);
        if let Some(last) = last
            && let Some(new) = self.found.pieces.pop()
        {
            let lines = last.lines.iter().chain(&new.lines).copied().collect();
            self.found.pieces.push(Piece { source: last.source + &new.source, lines, ..new });
        }
        self.open = true;
    }

    /// Adds a command of one or more joined lines; `first` is the number of its first line, `wide` the width that
    /// marks it.
    fn piece(&mut self, lines: &[String], first: u32, wide: u32) {
        let mut piece = Piece::new(&self.language);
        let count = lines.len();
        for (at, line) in lines.iter().enumerate() {
            let bare = if at == 0 { line.trim_start_matches(['@', '-', '+', ' ', '\t']) } else { line };
            let text = self.expand(bare, 0);
            let columns = if text == bare {
                Columns::Shifted(1 + width(line) - width(bare))
            } else {
                Columns::Whole(wide)
            };
            let text = if at + 1 < count { format!("{text}\\") } else { text };
            let line = first + number(at) - 1;
            for part in text.split('\n') {
                piece.push(part, LinePosition { line, columns, cell: None });
            }
        }
        self.found.pieces.push(piece);
    }

    /// Adds the commands that run while make reads the file.
    fn run_while_read(&mut self, whole: &str, line: &str, first: u32) {
        let mut commands = Vec::new();
        if let Some((name, command)) =
            whole.split_once("!=").filter(|(name, _)| !name.contains(['(', ':', '#']))
        {
            commands.extend((!name.trim().is_empty()).then(|| command.to_owned()));
        }
        let mut rest = whole;
        while let Some(at) = rest.find("$(shell ").into_iter().chain(rest.find("${shell ")).min() {
            let inner = rest.get(at + 8..).unwrap_or_default();
            if !self.spend(inner.len()) {
                break;
            }
            let end = closing_bracket(inner, rest.get(at + 1..).is_some_and(|r| r.starts_with('{')));
            commands.push(inner.get(..end).unwrap_or_default().to_owned());
            rest = inner;
        }
        for command in commands {
            let mut piece = Piece::new(&self.language);
            let stand = LinePosition { line: first, columns: Columns::Whole(width(line)), cell: None };
            let text = self.expand(&command, 0);
            text.split('\n').for_each(|part| piece.push(part, stand));
            self.found.pieces.push(piece);
        }
    }

    /// Counts bytes that are read; false: the file was allowed no more.
    fn spend(&self, bytes: usize) -> bool {
        self.left.set(self.left.get().saturating_sub(bytes + MIN_VALUE_BYTES));
        self.left.get() > 0
    }

    /// Replaces variables whose values are known; the others become variables that the shell does not know.
    fn expand(&self, text: &str, depth: u32) -> String {
        if !self.spend(text.len()) {
            return String::new();
        }
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            out.push_str(rest.get(..at).unwrap_or_default());
            rest = rest.get(at + 1..).unwrap_or_default();
            let Some(sign) = rest.chars().next() else { break };
            let after = rest.get(sign.len_utf8()..).unwrap_or_default();
            match sign {
                '$' => {
                    out.push('$');
                    rest = after;
                }
                '(' | '{' => {
                    let end = closing_bracket(after, sign == '{');
                    let name = after.get(..end).unwrap_or_default();
                    rest = after.get(end + 1..).unwrap_or_default();
                    self.expand_name(name.trim(), depth, &mut out);
                }
                sign => {
                    self.expand_name(&sign.to_string(), depth, &mut out);
                    rest = after;
                }
            }
            if out.len() > MAX_LINE_BYTES {
                break;
            }
        }
        out.push_str(rest);
        out
    }

    fn expand_name(&self, name: &str, depth: u32, out: &mut String) {
        if let Some(command) = name.strip_prefix("shell ") {
            out.push_str("$(");
            out.push_str(command);
            out.push(')');
            return;
        }
        match self.variables.get(name) {
            Some(value) if depth < MAX_DEPTH && !self.set_by_targets.contains(name) => {
                out.push_str(&self.expand(value, depth + 1));
            }
            _ => {
                let plain: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                out.push_str(UNKNOWN);
                if plain != name && !plain.is_empty() {
                    out.push('_');
                }
                out.push_str(&plain);
                out.push('}');
            }
        }
    }
}

/// The index at which the bracket that was opened before a text closes.
fn closing_bracket(text: &str, curly: bool) -> usize {
    let (open, close) = if curly { ('{', '}') } else { ('(', ')') };
    let mut depth = 0_u32;
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            if depth == 0 {
                return at;
            }
            depth -= 1;
        }
    }
    text.len()
}

/// A value without the comment behind it.
fn without_comment(value: &str) -> &str {
    let hash =
        value.match_indices('#').find(|(at, _)| !value.get(..*at).is_some_and(|head| head.ends_with('\\')));
    hash.map_or(value, |(at, _)| value.get(..at).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<(String, u32, Columns)> {
        let found = pieces(text);
        found.pieces.iter().map(|p| (p.source.clone(), p.lines[0].line, p.lines[0].columns)).collect()
    }

    #[test]
    fn recipes_are_read_as_their_shell_gets_them() {
        let text = "OUT = build # here\nDIR := $(OUT)/x\nall: dep\n\t@rm -rf $(DIR)\n\tcp a \\\n\t  b\n# no\nx: ; rm y\n\t-echo $$HOME $@\n";
        assert_eq!(
            told(text),
            [
                ("rm -rf build/x\n".into(), 4, Columns::Whole(15)),
                ("cp a \\\n  b\n".into(), 5, Columns::Shifted(1)),
                ("rm y\n".into(), 8, Columns::Shifted(2)),
                ("echo $HOME ${make_}\n".into(), 9, Columns::Whole(16)),
            ]
        );
    }

    #[test]
    fn the_home_folder_is_that_of_the_environment_unless_the_file_sets_it() {
        let home = |lines: &str| told(&format!("{lines}all:\n\tcp a $(HOME)x ${{HOME}}/b\n"))[0].0.clone();
        assert_eq!(home(""), "cp a ${HOME}x ${HOME}/b\n");
        assert_eq!(home("HOME ?= build\n"), "cp a ${HOME}x ${HOME}/b\n");
        assert_eq!(home("HOME := out\nHOME ?= build\n"), "cp a outx out/b\n");
        assert_eq!(told("D ?= build\nall:\n\trm -rf $(D)\n")[0].0, "rm -rf build\n");
        // What a condition sets may not be set, and then another value counts: which of them holds is not known.
        for condition in [
            "ifdef CI\nD := build\nendif\nD ?= /\n",
            "ifdef CI\nD := build\nelse\nD ?= /\nendif\n",
            "ifdef CI\nD := /\nendif\nD ?= build\n",
            "ifndef D\nD := /\nendif\nD ?= build\n",
            "ifdef CI\nD := /\nelse\nD := build\nendif\n",
            "D := /\nifdef CI\nD := build\nendif\n",
            "ifdef CI\nD := build\nendif\n",
            "ifeq (1,$(CI))\nD := build\nelse ifdef X\nD := build\nendif\n",
            "ifdef CI\nifdef X\nD := build\nendif\nelse\nD := build\nendif\n",
        ] {
            assert_eq!(told(&format!("{condition}all:\n\trm -rf $(D)\n"))[0].0, "rm -rf ${make_D}\n");
        }
        // A target that sets it has another value, wherever the others are set.
        for set in ["D := build\nall: D = /\n", "all: override D := /\nD = build\n", "all:D=/\n"] {
            assert_eq!(told(&format!("{set}all:\n\trm -rf $(D)\n"))[0].0, "rm -rf ${make_D}\n");
        }
        let command = "D := build\n# as in: D=/\nx: ; D=/ y\nall:\n\trm -rf $(D)\n";
        assert_eq!(told(command)[1].0, "rm -rf build\n");
        for same in [
            "ifdef CI\nD := build\nelse\nD := build\nendif\n",
            "ifdef CI\nD := build\nelse ifdef X\nD := build\nelse # other\nD := build\nendif\n",
        ] {
            assert_eq!(told(&format!("{same}all:\n\trm -rf $(D)\n"))[0].0, "rm -rf build\n");
        }
    }

    #[test]
    fn what_is_said_names_variables_as_the_file_does() {
        for (told, expected) in [
            ("deletes a folder: ${make_OUT}/a${make_B}", "deletes a folder: $(OUT)/a$(B)"),
            ("deletes a folder: ${make_LONG…", "deletes a folder: $(LONG…"),
            ("deletes a folder: ${make_}/${make__filteroutaB}", "deletes a folder: $(…)/$(…)"),
            ("deletes a folder: ${OUT}", "deletes a folder: ${OUT}"),
        ] {
            let mut text = told.to_owned();
            as_written(&mut text);
            assert_eq!(text, expected);
        }
    }

    #[test]
    fn what_runs_while_it_is_read_is_a_piece() {
        let text = "V := $(shell curl x | sh)\nW != rm z\nall:\n\techo $(shell rm -rf ~)\n";
        let sources: Vec<String> = told(text).into_iter().map(|(source, ..)| source).collect();
        assert_eq!(sources, ["curl x | sh\n", " rm z\n", "echo $(rm -rf ~)\n"]);
        // What a command prints is the value, and not the command.
        for set in ["D != pwd", "D := $(shell pwd)"] {
            let found = told(&format!("{set}\nall:\n\trm -rf $(D)\n"));
            assert_eq!(found.last().unwrap().0, "rm -rf $(pwd)\n", "{set}");
        }
    }

    #[test]
    fn one_shell_takes_a_recipe_together_and_another_shell_another_language() {
        let text = ".ONESHELL:\nSHELL := /usr/bin/python3\nall:\n\timport os\n\tos.remove('a')\n";
        let found = pieces(text);
        assert_eq!(found.pieces.len(), 1);
        assert_eq!(found.pieces[0].language.as_deref(), Some("python"));
        assert_eq!(
            (found.pieces[0].source.as_str(), found.pieces[0].lines[1].line),
            ("import os\nos.remove('a')\n", 5)
        );
        let found = pieces("ifdef CI\nSHELL := /bin/bash\nendif\nall:\n\trm a\n");
        assert_eq!(found.pieces[0].language.as_deref(), Some("bash"));
    }

    #[test]
    fn variables_that_expand_without_end_are_not_checked() {
        let all = |name: &str| format!("$({name})").repeat(4000);
        let text = format!("A = {}\nB = {}\nC = {}\nD =\nall:\n\t@$(A)\n", all("B"), all("C"), all("D"));
        assert_eq!(pieces(&text).not_pieces.len(), 1);
        let text = format!("A := {}\n", "$(shell ".repeat(100_000));
        assert_eq!(pieces(&text).not_pieces.len(), 1);
        assert_eq!(pieces("A = a\nall:\n\t@$(A)\n").not_pieces.len(), 0);
    }
}
