//! Writes a Python script of blocks in any language.

mod future_features;
mod string_literal;

use super::super::document::{BlockPart, Document};
use super::{about, head, packages, restrictions};
use crate::domain::Languages;
use crate::domain::visible::visible_line;
use future_features::{keeps_features, without_features};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use string_literal::{literal, quoted};

/// Runs programs. All its names begin with `_sayso_`, because blocks may use any other name.
const RUN_PROGRAM: &str = include_str!("../../../assets/again.py");
/// Runs a bash block, and takes over the folder and variables it leaves.
const RUN_BASH: &str = include_str!("../../../assets/again-bash.py");

/// Runs a Python block that can't stand in the script as it is.
const RUN_PYTHON: &str = include_str!("../../../assets/again-python.py");
/// The same for a notebook.
const RUN_PYTHON_IN_CELL: &str = include_str!("../../../assets/again-cell.py");

/// Runs a block in another language with its own program.
const RUN_BLOCK: &str = r#"

def _sayso_run(ending, source, command, build=None):
    """Runs the source in its own language, from a file that is gone afterwards."""
    import os
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "block" + ending)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(source)
        places = {"file": path, "source": path, "program": os.path.join(folder, "block"), "folder": _sayso_folder}
        for words in filter(None, [build, command]):
            _sayso_program([word.format(**places) for word in words])
"#;

const WRITE_FILE: &str = r#"

def _sayso_write(path, text):
    """Writes the file, and the folders in which it lies."""
    import pathlib

    path = pathlib.Path(_sayso_folder, path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))
"#;

/// Runs programs in a notebook, where their output belongs to the cell.
const RUN_PROGRAM_IN_CELL: &str = include_str!("../../../assets/again-notebook.py");
const CELL_MAGICS: &str = include_str!("../../../assets/again-magics.py");

const INSTALL_NPM: &str = r#"

def _sayso_npm(*packages):
    """Installs packages of node into the working folder."""
    _sayso_program(["npm", "install", *packages])
"#;

pub(super) fn write(document: &Document, steps: &[&BlockPart]) -> String {
    let mut text = String::from("#!/usr/bin/env python3\n");
    text.push_str(&requirements(steps));
    for line in about(document) {
        let _ = writeln!(text, "# {line}");
    }
    for feature in features(steps) {
        let _ = writeln!(text, "from __future__ import {feature}");
    }
    let any = |is_such: fn(&BlockPart) -> bool| steps.iter().any(|block| is_such(block));
    let (bash, foreign) = (any(is_bash), any(|block| is_foreign(block) && !is_bash(block)));
    let (writes, npm) = (any(|block| !block.writes.is_empty()), any(is_npm));
    let called = called_blocks(steps);
    let shell = shell();
    let parts = [
        (RUN_PROGRAM, bash || foreign || writes || npm),
        (&shell, bash),
        (RUN_BASH, bash),
        (RUN_BLOCK, foreign),
        (WRITE_FILE, writes),
        (INSTALL_NPM, npm),
        (RUN_PYTHON, !called.is_empty()),
    ];
    parts.iter().filter(|(_, needed)| *needed).for_each(|(part, _)| text.push_str(part));
    if parts.iter().any(|(_, needed)| *needed) {
        text.push('\n');
    }
    for block in steps {
        write_step(&mut text, block, called.contains(&block.block));
    }
    text
}

/// The blocks whose source is passed to `_sayso_python` as a string: those that await outside of functions, those that
/// may end the script before its last block, and those that import features other than in their first lines.
fn called_blocks(steps: &[&BlockPart]) -> BTreeSet<u32> {
    let last = steps.last().map(|block| block.block);
    let python = || steps.iter().copied().filter(|block| is_python(block));
    let ending = restrictions::from_first_that_may_end(python()).filter(|block| Some(block.block) != last);
    python()
        .filter(|block| restrictions::awaits_at_top_level(&block.source) || keeps_features(&block.source))
        .chain(ending)
        .map(|block| block.block)
        .collect()
}

/// A line of Python that sets `_sayso_shell` to the shell program of bash blocks.
fn shell() -> String {
    format!("\n\n_sayso_shell = {}\n", quoted(super::bash::SHELL_PROGRAM))
}

/// The setup cell of a notebook with cells of bash, cells that write files, or Python cells that may end by themselves.
pub(in crate::export) fn cell_magics() -> String {
    [RUN_PROGRAM_IN_CELL, &shell(), RUN_BASH, WRITE_FILE, RUN_PYTHON_IN_CELL, CELL_MAGICS].concat()
}

/// A line of Python that writes a file.
pub(in crate::export) fn write_call(path: &str, content: &str) -> String {
    format!("_sayso_write({}, {})", literal(path), quoted(content))
}

/// A call of one of the functions of the setup cell, such as `_sayso_write`, on one line: IPython changes nothing in it.
pub(in crate::export) fn one_line_call(function: &str, name: &str, text: &str) -> String {
    format!("{function}({}, {})", literal(name), literal(text))
}

/// The packages and Python version of the script, as PEP 723 declares them; empty if none are known.
fn requirements(steps: &[&BlockPart]) -> String {
    let python = steps.iter().filter(|block| is_python(block));
    let version = python.filter_map(|block| block.run.as_ref()?.version.as_deref()).next_back();
    // If a package was installed more than once, the last install counts.
    let mut needed: Vec<String> = Vec::new();
    let installs = |block: &&&BlockPart| block.kind == "install" && is_python_list(block);
    let name =
        |package: &str| package.split(['=', '<', '>', '!', '~', '[', ' ']).next().map(str::to_lowercase);
    for package in steps.iter().filter(installs).flat_map(|block| packages(block)) {
        needed.retain(|known| name(known) != name(&package));
        needed.push(package);
    }
    let minor = version.and_then(|version| {
        let mut parts = version.split('.');
        Some(format!("{}.{}", parts.next()?, parts.next()?))
    });
    let is_plain = |version: &String| version.chars().all(|c| c.is_ascii_digit() || c == '.');
    let minor = minor.filter(is_plain);
    let known: Vec<String> =
        needed.iter().filter_map(|package| name(package)).map(|name| normalized_name(&name)).collect();
    let mut others = super::imports::packages(steps);
    others.retain(|package| !known.contains(&normalized_name(package)));
    let others = Vec::from_iter(others).join(", ");
    if needed.is_empty() && (minor.is_none() || !others.is_empty()) {
        // A PEP 723 header without these packages would make `uv` build an environment that lacks them.
        let python = minor.map(|minor| format!("# It ran on Python {minor}.\n")).unwrap_or_default();
        return python + &environment_note(&others);
    }
    let mut text = String::from("# /// script\n");
    if let Some(minor) = minor {
        let _ = writeln!(text, "# requires-python = \">={minor}\"");
    }
    if !needed.is_empty() {
        text.push_str("# dependencies = [\n");
        for package in needed {
            let _ = writeln!(text, "#   {},", literal(&package));
        }
        text.push_str("# ]\n");
    }
    text.push_str("# ///\n");
    text + &environment_note(&others)
}

/// A comment line on the packages whose versions are not known.
fn environment_note(packages: &str) -> String {
    match packages {
        "" => String::new(),
        packages => format!(
            "# Not pinned, for no block installed it; its environment had it: {}.\n",
            visible_line(packages)
        ),
    }
}

/// A package name in the form that all its spellings share.
fn normalized_name(name: &str) -> String {
    name.to_lowercase().replace(['_', '.'], "-")
}

fn write_step(text: &mut String, block: &BlockPart, is_called: bool) {
    if block.kind == "install" && is_python_list(block) {
        return;
    }
    let _ = write!(text, "\n# {}\n", head(block));
    if !block.writes.is_empty() {
        for (path, content) in &block.writes {
            let _ = writeln!(text, "{}", write_call(path, content));
        }
    } else if is_python(block) {
        let source = block.source.trim_end_matches('\n');
        if is_called {
            let _ = writeln!(text, "_sayso_python(\"block_{}\", {})", block.block, quoted(source));
        } else {
            let _ = writeln!(text, "{}", without_features(source).1);
        }
    } else if block.kind == "install" {
        let packages: Vec<String> = packages(block).iter().map(|package| literal(package)).collect();
        let _ = writeln!(text, "_sayso_npm({})", packages.join(", "));
    } else {
        write_foreign(text, block);
    }
}

/// Adds a block that its own program runs.
fn write_foreign(text: &mut String, block: &BlockPart) {
    let language = block.code_language().unwrap_or("bash");
    let known = Languages::default();
    let Some(entry) = known.find(language) else {
        let _ = writeln!(text, "raise SystemExit({})", literal(&format!("{language} is not known")));
        return;
    };
    let words = |words: &[String]| -> String {
        format!("[{}]", words.iter().map(|word| literal(word)).collect::<Vec<_>>().join(", "))
    };
    let ending = entry.extensions.first().map(|extension| format!(".{extension}")).unwrap_or_default();
    let mut build = String::new();
    let mut command = Vec::from([entry.command.clone()]);
    if !entry.compile.is_empty() {
        let whole: Vec<String> = command.iter().chain(&entry.compile).cloned().collect();
        build = format!(", {}", words(&whole));
        command = vec!["{program}".to_owned()];
    } else if entry.arguments.is_empty() {
        command.push("{file}".to_owned());
    }
    command.extend(entry.arguments.iter().cloned());
    let source = quoted(&block.source);
    if is_bash(block) {
        let _ = writeln!(text, "_sayso_bash({source})");
        return;
    }
    let _ = writeln!(text, "_sayso_run({}, {source}, {}{build})", literal(&ending), words(&command));
}

fn is_python(block: &BlockPart) -> bool {
    block.code_language() == Some("python")
}

/// Whether bash runs the block, starting from the folder and variables that the last bash block left.
fn is_bash(block: &BlockPart) -> bool {
    block.writes.is_empty() && block.code_language() == Some("bash")
}

fn is_npm(block: &BlockPart) -> bool {
    block.kind == "install" && !is_python_list(block)
}

fn is_python_list(block: &BlockPart) -> bool {
    block.language.as_deref().is_none_or(|language| language == "python")
}

/// Whether a program other than the script's own Python runs the block.
fn is_foreign(block: &BlockPart) -> bool {
    block.writes.is_empty() && !is_python(block) && block.kind != "install"
}

/// The features that the blocks turn on with `from __future__`; Python accepts these lines only at the top of a file.
fn features(steps: &[&BlockPart]) -> Vec<String> {
    let mut features: Vec<String> = Vec::new();
    for name in
        steps.iter().filter(|block| is_python(block)).flat_map(|block| without_features(&block.source).0)
    {
        if !features.contains(&name) {
            features.push(name);
        }
    }
    features
}
