//! Finds out what a recipe has to know about the machine: which programs that run tests are installed. Each check is
//! bounded in time; a program that is not found in time counts as missing.

use super::Site;
use super::runners::Machine;
use crate::domain::{Interpreter, Language};
use crate::exec::{self, Executor};
use crate::recipe::Tool;
use crate::text::number::version_numbers;
use crate::text::shell::quoted;
use std::path::Path;

/// The oldest node with a test runner.
const MIN_NODE_VERSION: u32 = 18;

/// The builtins and keywords of bash that a line may begin with.
const BASH_WORDS: &str = ". : alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo \
enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd \
read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset \
wait if for while until case select function time coproc then do";

/// Inspects the machine on which runs are carried out.
pub(super) async fn probe(executor: &Executor, cwd: &Path) -> Machine {
    if !executor.is_local() {
        return assumed_machine();
    }
    let (python, javascript) = (Language::python(), Language::javascript());
    let (python, node, typescript) =
        tokio::join!(executor.interpreter(&python), executor.interpreter(&javascript), executor.typescript());
    let pytest = python.is_some() && executor.python_has("pytest".to_owned()).await;
    let there = |name: &str| exec::program(name).is_some();
    Machine {
        python: python.map(|(python, name)| name.unwrap_or_else(|| shell_word(&python.path, cwd))),
        pytest,
        node: node.is_some_and(|(node, _)| has_test_runner(&node)) && there("node"),
        typescript,
        npm: there("npm"),
        cargo: there("cargo"),
        go: there("go"),
        make: there("make"),
    }
}

/// Why something that a recipe needs is missing; `None` if it exists, or can't be checked from here.
pub(super) async fn missing(site: &Site, machine: &Machine, tool: &Tool) -> Option<String> {
    let executor = &site.executor;
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
        Tool::TypeScript { said_by } => {
            let way = advice(said_by.as_deref());
            let why = format!(
                "nothing here runs TypeScript (node from 22.6 on, tsx, bun, deno and ts-node do): {way}"
            );
            return machine.typescript.is_none().then_some(why);
        }
        Tool::Line(line) => {
            let name = program_of(line)?;
            return (!bash_finds(site, machine, name).await)
                .then(|| format!("{name} is not on this machine: install it, or say it otherwise"));
        }
        Tool::Unknown { file, said_by } => {
            return Some(format!(
                "how {file} is run is not known by its name: {}",
                advice(said_by.as_deref())
            ));
        }
    };
    (!there).then(|| format!("{name} is not on this machine: install it, or choose another"))
}

/// Advice to a person whose choice can't be run.
fn advice(said_by: Option<&str>) -> String {
    said_by.map_or("choose another".into(), |input| format!("say it by {input}"))
}

/// The program at the start of a line of bash, if it is a plain name and no part of bash.
fn program_of(line: &str) -> Option<&str> {
    let word = line.split_whitespace().next()?;
    let is_plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "._+-".contains(c));
    (is_plain && !BASH_WORDS.split_whitespace().any(|own| own == word)).then_some(word)
}

/// Whether bash in a run finds a program of this name, the project's own programs included.
async fn bash_finds(site: &Site, machine: &Machine, name: &str) -> bool {
    if is_of_python(name) {
        return machine.python.is_some();
    }
    let python = site.executor.interpreter(&Language::python()).await;
    let beside = python.and_then(|(python, _)| Some(python.path.parent()?.join(name)));
    let of_project = [Some(site.cwd.join("node_modules/.bin").join(name)), beside];
    exec::program(name).is_some() || of_project.iter().flatten().any(|file| file.exists())
}

/// Whether runs provide this exact name together with their Python. A name that only begins so is another program.
fn is_of_python(name: &str) -> bool {
    matches!(name, "python" | "python3" | "pip" | "pip3")
}

/// Whether Python lacks a package, as far as is known: by asking Python if it may be run, else by its folders.
pub(super) async fn lacks_package(executor: &Executor, package: &str) -> bool {
    if !executor.is_local() {
        return false;
    }
    if !executor.missing_packages(&format!("import {package}\n"), &[]).await.is_empty() {
        return true;
    }
    !executor.python_may_have(package.to_owned()).await
}

/// A container or a server can't be inspected from here: the usual programs are assumed, and a run reports missing
/// ones.
fn assumed_machine() -> Machine {
    Machine { python: Some("python3".into()), node: true, cargo: true, go: true, ..Machine::default() }
}

/// Whether this program is a node with a test runner.
fn has_test_runner(node: &Interpreter) -> bool {
    let is_node = node.path.file_name().is_some_and(|name| name == "node" || name == "nodejs");
    let major = node.version.as_deref().and_then(|version| version_numbers(version).first().copied());
    is_node && major.is_none_or(|major| major >= MIN_NODE_VERSION)
}

/// A shell word for a program by its path, relative if it is in the working folder.
fn shell_word(python: &Path, cwd: &Path) -> String {
    quoted(&python.strip_prefix(cwd).unwrap_or(python).to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_its_program_where_that_is_plain() {
        for (line, name) in [
            ("deno", Some("deno")),
            (" deno run a.ts", Some("deno")),
            ("cd sub && deno", None),
            ("./run.sh", None),
            ("A=1 deno", None),
            ("$X a", None),
            ("(deno)", None),
            ("", None),
        ] {
            assert_eq!(program_of(line), name, "{line}");
        }
    }

    #[test]
    fn what_only_begins_like_python_is_looked_for_by_its_own_name() {
        assert!(["python", "python3", "pip", "pip3"].into_iter().all(is_of_python));
        assert!(!["pipenv", "pipx", "python2", "pythonx", "py"].into_iter().any(is_of_python));
    }

    #[test]
    fn a_path_stays_one_word() {
        let called = |path: &str| shell_word(Path::new(path), Path::new("/home/ada/work"));
        assert_eq!(called("/opt/bin/python3"), "/opt/bin/python3");
        assert_eq!(called("/home/ada/work/.venv/bin/python"), ".venv/bin/python");
        assert_eq!(called("/a b/it's"), r"'/a b/it'\''s'");
    }
}
