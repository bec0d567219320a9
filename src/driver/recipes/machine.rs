//! What a recipe has to know of the machine: which programs that run tests are there. Each look is bounded in time;
//! what is not known in time counts as not there.

use super::runners::Machine;
use crate::domain::{Interpreter, Language};
use crate::exec::{self, Executor};
use crate::recipe::Tool;
use crate::text::number::version_numbers;
use crate::text::shell::quoted;
use std::path::Path;

/// The oldest node with a test runner.
const NODE: u32 = 18;

/// Looks at the machine on which runs are carried out.
pub(super) async fn look(executor: &Executor, cwd: &Path) -> Machine {
    if !executor.is_local() {
        return elsewhere();
    }
    let (python, javascript) = (Language::python(), Language::javascript());
    let (python, node) = tokio::join!(executor.interpreter(&python), executor.interpreter(&javascript));
    let pytest = python.is_some() && executor.python_has("pytest".to_owned()).await;
    let there = |name: &str| exec::program(name).is_some();
    Machine {
        python: python.map(|(python, name)| name.unwrap_or_else(|| word(&python.path, cwd))),
        pytest,
        node: node.is_some_and(|(node, _)| tests(&node)) && there("node"),
        npm: there("npm"),
        cargo: there("cargo"),
        go: there("go"),
        make: there("make"),
    }
}

/// Why what a recipe can't do without is not there; `None`: it is, or that can't be looked at from here.
pub(super) async fn missing(executor: &Executor, machine: &Machine, tool: &Tool) -> Option<String> {
    if !executor.is_local() {
        return None;
    }
    let (name, there) = match tool {
        Tool::Runner(name) => (name, machine.runs(name)),
        Tool::Program(name) => {
            let there = match name.as_str() {
                "python3" => machine.python.is_some(),
                "node" => executor.interpreter(&Language::javascript()).await.is_some(),
                name => exec::program(name).is_some(),
            };
            (name, there)
        }
        Tool::TypeScript => {
            let node = executor.interpreter(&Language::javascript()).await;
            let Some((node, _)) = node else {
                return Some("node is not on this machine: install it, or choose another".into());
            };
            let version = node.version.filter(|version| !reads_typescript(version));
            return version.map(|version| {
                format!("node {version} does not read TypeScript (22.18 does): say how the examples are run")
            });
        }
        Tool::Unknown { file, said_by } => {
            let way = said_by.as_ref().map_or("choose another".into(), |input| format!("say it by {input}"));
            return Some(format!("how {file} is run is not known by its name: {way}"));
        }
    };
    (!there).then(|| format!("{name} is not on this machine: install it, or choose another"))
}

/// Whether a node of this version reads TypeScript without being told to.
fn reads_typescript(version: &str) -> bool {
    match version_numbers(version)[..] {
        [22, minor, ..] => minor >= 18,
        [23, minor, ..] => minor >= 6,
        [major, ..] => major > 23,
        [] => false,
    }
}

/// Whether Python lacks a package, as far as that is known: by itself, where it may be asked, else by its folders.
pub(super) async fn lacks(executor: &Executor, package: &str) -> bool {
    if !executor.is_local() {
        return false;
    }
    if !executor.lacking(&format!("import {package}\n"), &[]).await.is_empty() {
        return true;
    }
    !executor.python_may_have(package.to_owned()).await
}

/// What is in a container or behind a server can't be looked at from here: the usual things are taken for granted, and a
/// run tells when they are missing.
fn elsewhere() -> Machine {
    Machine { python: Some("python3".into()), node: true, cargo: true, go: true, ..Machine::default() }
}

/// Whether this program is a node that runs tests.
fn tests(node: &Interpreter) -> bool {
    let is_node = node.path.file_name().is_some_and(|name| name == "node" || name == "nodejs");
    let major = node.version.as_deref().and_then(|version| version_numbers(version).first().copied());
    is_node && major.is_none_or(|major| major >= NODE)
}

/// How a program without a name is called in a shell: by its path, from the working folder where it lies in it.
fn word(python: &Path, cwd: &Path) -> String {
    quoted(&python.strip_prefix(cwd).unwrap_or(python).to_string_lossy())
}

#[cfg(test)]
mod words {
    use super::*;

    #[test]
    fn which_node_reads_typescript() {
        for (version, reads) in
            [("20.19.1", false), ("22.17.9", false), ("22.18.0", true), ("23.5.0", false), ("24.0", true)]
        {
            assert_eq!(reads_typescript(version), reads, "{version}");
        }
    }

    #[test]
    fn a_path_stays_one_word() {
        let called = |path: &str| word(Path::new(path), Path::new("/home/ada/work"));
        assert_eq!(called("/opt/bin/python3"), "/opt/bin/python3");
        assert_eq!(called("/home/ada/work/.venv/bin/python"), ".venv/bin/python");
        assert_eq!(called("/a b/it's"), r"'/a b/it'\''s'");
    }
}
