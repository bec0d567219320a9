//! Test runners as data: which files each takes, how it is started, and which function reads its output.

use super::runner_output::{Expectation, Problem, RunnerOutput, TestCounts, file_name};
use super::{cargo, go, node, python};
use crate::recipe::view::View;
use crate::text::shell;

pub(super) struct Runner {
    pub(super) name: &'static str,
    /// How its test files are named, for the model and the person.
    pub(super) pattern: &'static str,
    /// What a test looks like, for the model and the person.
    pub(super) style: &'static str,
    /// The language; `usable` offers one runner for each.
    language: &'static str,
    /// Whether a file is a test file for it.
    pub(super) takes: fn(&str) -> bool,
    /// The line that runs these files; there is at least one.
    pub(super) command_for: fn(&[String]) -> String,
    /// The command that runs all tests of the folder; `files` are the known test files.
    pub(super) command_for_all: fn(&[String]) -> String,
    /// Whether a command runs it in a form whose output `read` understands.
    pub(super) reads_output_of: fn(&str) -> bool,
    read: fn(&mut TestCounts, &RunnerOutput, &Expectation<'_>),
    /// Whether its errors say that it is not on this machine.
    is_missing: fn(&str) -> bool,
}

impl Runner {
    /// What an output of it says.
    pub(super) fn counts(&self, printed: &RunnerOutput, expected: &Expectation<'_>) -> TestCounts {
        let mut seen = TestCounts::default();
        if printed.exit == Some(127) || (self.is_missing)(&printed.err) {
            seen.problem(Problem::NoRunner);
        } else {
            (self.read)(&mut seen, printed, expected);
        }
        seen
    }
}

pub(super) const PYTEST: Runner = Runner {
    name: "pytest",
    pattern: "tests/test_NAME.py",
    style: "functions test_…",
    language: "python",
    takes: is_python,
    command_for: |files| format!("{PYTEST_LINE} {}", quoted(files)),
    command_for_all: |_| PYTEST_LINE.into(),
    reads_output_of: |line| line.contains("pytest"),
    read: python::pytest,
    is_missing: |errors| errors.lines().any(|line| line.ends_with("No module named pytest")),
};

/// -B: a file rewritten within a second must not run from old bytecode. --verbosity=-1 equals -q, but does not add up
/// with a -q in the project's own configuration: with two, pytest prints no counts.
const PYTEST_LINE: &str =
    "python3 -B -m pytest --verbosity=-1 -rfE --tb=short --color=no -p no:cacheprovider";

/// All known runners. A command of the project's own is matched against them in this order.
pub(super) const ALL: &[Runner] = &[
    PYTEST,
    Runner {
        name: "unittest",
        pattern: "tests/test_NAME.py",
        style: "methods test_… of a class of unittest.TestCase",
        language: "python",
        takes: is_python,
        command_for: |files| format!("python3 -B -m unittest -v {}", quoted(files)),
        command_for_all: |files| {
            let folder =
                files.first().and_then(|file| file.rsplit_once('/')).map_or(".", |(folder, _)| folder);
            format!("python3 -B -m unittest discover -v -s {}", quoted(&[folder.to_owned()]))
        },
        reads_output_of: |line| line.contains("unittest") && line.contains(" -v"),
        read: python::unittest,
        is_missing: |errors| errors.lines().any(|line| line.ends_with("No module named unittest")),
    },
    Runner {
        name: "node",
        pattern: "tests/NAME.test.mjs",
        style: "calls of test from node:test",
        language: "javascript",
        takes: is_javascript,
        command_for: |files| format!("node --test --test-reporter=tap {}", quoted(files)),
        command_for_all: |_| "node --test --test-reporter=tap".into(),
        reads_output_of: |line| line.contains("node --test") && line.contains("tap"),
        read: node::read,
        is_missing: |errors| errors.contains("bad option: --test"),
    },
    Runner {
        name: "cargo",
        pattern: "tests/NAME.rs",
        style: "functions with #[test]",
        language: "rust",
        takes: is_rust,
        command_for: cargo_line,
        command_for_all: |_| "cargo test --color never".into(),
        reads_output_of: |line| line.contains("cargo test"),
        read: cargo::read,
        is_missing: |_| false,
    },
    Runner {
        name: "go",
        pattern: "NAME_test.go",
        style: "functions Test…(t *testing.T)",
        language: "go",
        takes: |path| has_end(path, &["_test.go"]),
        command_for: go_line,
        command_for_all: |_| "go test -v ./...".into(),
        reads_output_of: |line| line.contains("go test") && line.contains(" -v"),
        read: go::read,
        is_missing: |_| false,
    },
];

/// The runner for these files: the person's choice, else the likeliest on this machine that takes one of them, else any
/// known one that would, else the likeliest on this machine.
pub(super) fn choose(view: &View<'_>, files: &[String]) -> Option<&'static Runner> {
    let here = usable(view);
    if let Some(runner) = named(view.context.input(super::RUNNER)) {
        return Some(runner);
    }
    let takes = |runner: &&&'static Runner| files.iter().any(|file| (runner.takes)(file));
    let found = here.iter().find(takes).copied();
    found.or_else(|| ALL.iter().find(|runner| takes(&runner))).or_else(|| here.first().copied())
}

/// The runners on this machine, the likeliest first, one for each language; all if it is not known which there are.
pub(super) fn usable(view: &View<'_>) -> Vec<&'static Runner> {
    if let Some(runner) = named(view.context.input(super::RUNNER)) {
        return vec![runner];
    }
    let here: Vec<_> = view.context.fact("runners").split_whitespace().filter_map(named).collect();
    let here = if here.is_empty() { ALL.iter().collect() } else { here };
    let mut one_each: Vec<&Runner> = Vec::new();
    for runner in here {
        if !one_each.iter().any(|known| known.language == runner.language) {
            one_each.push(runner);
        }
    }
    one_each
}

pub(super) fn named(name: &str) -> Option<&'static Runner> {
    ALL.iter().find(|runner| runner.name == name)
}

/// The runner that a command starts in a form whose output is understood.
pub(super) fn of_command(command: &str) -> Option<&'static Runner> {
    ALL.iter().find(|runner| (runner.reads_output_of)(command))
}

fn has_end(path: &str, ends: &[&str]) -> bool {
    ends.iter().any(|end| path.ends_with(end))
}

fn is_python(path: &str) -> bool {
    let name = file_name(path);
    name.strip_suffix(".py").is_some_and(|stem| stem.starts_with("test") || stem.ends_with("_test"))
}

/// Whether a Rust file lies below `tests/` or is named `*_test.rs`. Other source files may hold tests, too, but do not
/// count.
fn is_rust(path: &str) -> bool {
    let below = path.split('/').rev().skip(1).any(|folder| folder == "tests");
    has_end(path, &["_test.rs"]) || has_end(path, &[".rs"]) && below
}

fn is_javascript(path: &str) -> bool {
    let name = file_name(path);
    let stem = [".mjs", ".cjs", ".js"].iter().find_map(|end| name.strip_suffix(end));
    stem.is_some_and(|stem| {
        stem.starts_with("test") || [".test", "-test", "_test", ".spec"].iter().any(|end| stem.ends_with(end))
    })
}

/// Runs integration tests by name; if there are other test files, runs everything.
fn cargo_line(files: &[String]) -> String {
    let name = |file: &String| {
        let stem = file.strip_prefix("tests/")?.strip_suffix(".rs")?;
        (!stem.contains('/')).then(|| stem.to_owned())
    };
    match files.iter().map(name).collect::<Option<Vec<_>>>() {
        Some(names) => {
            let tests: Vec<String> =
                names.iter().map(|name| format!("--test {}", quoted(std::slice::from_ref(name)))).collect();
            format!("cargo test --color never {}", tests.join(" "))
        }
        None => "cargo test --color never".into(),
    }
}

fn go_line(files: &[String]) -> String {
    let mut folders: Vec<String> = files
        .iter()
        .map(|file| file.rsplit_once('/').map_or(".".to_owned(), |(folder, _)| format!("./{folder}")))
        .collect();
    folders.sort();
    folders.dedup();
    format!("go test -v {}", quoted(&folders))
}

/// File names as words of bash; one that starts with `-` gets `./`, so that it is not an option.
pub(super) fn quoted(files: &[String]) -> String {
    let word = |file: &String| {
        let file = if file.starts_with('-') { format!("./{file}") } else { file.clone() };
        shell::quoted(&file)
    };
    files.iter().map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn file_names_are_words() {
        assert_eq!(quoted(&texts(&["a b", "-x.py", "it's", "t/é.py"])), r"'a b' ./-x.py 'it'\''s' 't/é.py'");
    }

    #[test]
    fn lines_name_what_they_run() {
        assert_eq!(
            cargo_line(&texts(&["tests/a.rs", "tests/b.rs"])),
            "cargo test --color never --test a --test b"
        );
        assert_eq!(cargo_line(&texts(&["tests/a.rs", "src/lib.rs"])), "cargo test --color never");
        assert_eq!(go_line(&texts(&["a_test.go", "x/b_test.go", "x/c_test.go"])), "go test -v . ./x");
        assert!(is_rust("tests/a.rs") && is_rust("x/tests/b/c.rs") && is_rust("src/a_test.rs"));
        assert!(!is_rust("src/lib.rs") && !is_rust("tests.rs") && !is_rust("tests/a.txt"));
        assert!(is_python("tests/test_a.py") && is_python("a_test.py") && !is_python("slug.py"));
        assert!(is_javascript("a.test.mjs") && is_javascript("test/test.js") && !is_javascript("a.mjs"));
    }
}
