//! Finds out how the tests of a folder are run, from manifests, test files and the Makefile. Reads only names and
//! short texts, within limits, and starts nothing.

use super::read;
use std::collections::VecDeque;
use std::fs;
use std::path::Path;

const MAX_DEPTH: usize = 5;
const MAX_ENTRIES: usize = 4_000;
/// The most bytes that are read of a manifest, or of a source file that may hold tests.
const MAX_FILE_BYTES: u64 = 256 << 10;
/// The most Rust source files that are searched for tests.
const MAX_SOURCES: usize = 64;
/// Folders with files of other people, or with generated files.
const SKIPPED_FOLDERS: [&str; 9] =
    ["node_modules", "target", "venv", "env", "__pycache__", "dist", "build", "vendor", "site-packages"];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProjectMarkers {
    /// There is a `Cargo.toml` here or above.
    pub(crate) cargo: bool,
    /// A Rust file has tests.
    pub(crate) cargo_tests: bool,
    /// There is a `go.mod` here or above.
    pub(crate) go: bool,
    /// There is a Go test file.
    pub(crate) go_tests: bool,
    /// There is a `package.json`.
    pub(crate) package: bool,
    /// Its `test` script, unless that is only npm's placeholder.
    pub(crate) package_tests: Option<String>,
    /// There is a JavaScript or TypeScript file.
    pub(crate) javascript: bool,
    /// There is a test file that node finds by itself.
    pub(crate) javascript_tests: bool,
    /// There is a Python manifest, or a settings file of a Python test runner.
    pub(crate) python_project: bool,
    /// There is a Python file.
    pub(crate) python: bool,
    /// The folder of the first Python test file, relative to this one; `.` is this one.
    pub(crate) python_tests: Option<String>,
    /// The Makefile has a target `test`.
    pub(crate) make_tests: bool,
}

pub(crate) fn find(cwd: &Path) -> ProjectMarkers {
    let there = |name: &str| cwd.join(name).is_file();
    let text = |name: &str| read::bounded(&cwd.join(name), MAX_FILE_BYTES).unwrap_or_default();
    let package = text("package.json");
    let mut marks = ProjectMarkers {
        cargo: exists_above(cwd, "Cargo.toml"),
        go: exists_above(cwd, "go.mod"),
        package: there("package.json"),
        package_tests: test_script(&package),
        python_project: ["pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini", "conftest.py"]
            .iter()
            .any(|name| there(name)),
        make_tests: has_target(&String::from_utf8_lossy(&text("Makefile"))),
        ..ProjectMarkers::default()
    };
    walk(cwd, &mut marks);
    marks
}

/// Whether the file exists in the folder or in one above it, up to the project's root.
fn exists_above(cwd: &Path, name: &str) -> bool {
    for folder in cwd.ancestors().take(16) {
        if folder.join(name).is_file() {
            return true;
        }
        if folder.join(".git").exists() {
            return false;
        }
    }
    false
}

/// The test script in the text of a `package.json`, unless it only says that there are none.
fn test_script(text: &[u8]) -> Option<String> {
    let package: serde_json::Value = serde_json::from_slice(text).unwrap_or_default();
    let script = package.pointer("/scripts/test").and_then(serde_json::Value::as_str).unwrap_or_default();
    let script = script.trim();
    (!script.is_empty() && !script.contains("no test specified")).then(|| script.to_owned())
}

fn has_target(makefile: &str) -> bool {
    let is_test = |line: &str| {
        line.strip_prefix("test")
            .map(str::trim_start)
            .is_some_and(|rest| rest.starts_with(':') && !rest.starts_with(":="))
    };
    makefile.lines().any(is_test)
}

/// Examines the files, those of upper folders first.
fn walk(cwd: &Path, marks: &mut ProjectMarkers) {
    let mut folders = VecDeque::from([(cwd.to_path_buf(), 0)]);
    let (mut left, mut sources) = (MAX_ENTRIES, MAX_SOURCES);
    while let Some((folder, depth)) = folders.pop_front() {
        let below = folder.strip_prefix(cwd).unwrap_or(Path::new("")).to_string_lossy().into_owned();
        let in_tests = folder.file_name().is_some_and(|name| name == "test" || name == "__tests__");
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Some(rest) = left.checked_sub(1) else { return };
            left = rest;
            let (name, Ok(kind)) = (entry.file_name(), entry.file_type()) else { continue };
            let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else { continue };
            // Links are not followed: they may lead anywhere, to anything.
            if kind.is_dir() && depth + 1 < MAX_DEPTH && !SKIPPED_FOLDERS.contains(&name) {
                folders.push_back((entry.path(), depth + 1));
            } else if kind.is_file() {
                note_file(name, &below, in_tests, marks);
                if Path::new(name).extension().is_some_and(|kind| kind == "rs")
                    && !marks.cargo_tests
                    && sources > 0
                {
                    sources -= 1;
                    let text = read::bounded(&entry.path(), MAX_FILE_BYTES).unwrap_or_default();
                    marks.cargo_tests = text.windows(5).any(|word| word == b"test]");
                }
            }
        }
    }
}

/// Records what a file's name says about tests.
fn note_file(name: &str, folder: &str, in_tests: bool, marks: &mut ProjectMarkers) {
    let Some((stem, extension)) = name.rsplit_once('.') else { return };
    match extension {
        "py" => {
            marks.python = true;
            if stem.starts_with("test_") || stem.ends_with("_test") {
                let folder = if folder.is_empty() { "." } else { folder };
                marks.python_tests.get_or_insert_with(|| folder.to_owned());
            }
        }
        "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" => {
            marks.javascript = true;
            let named = [".test", "-test", "_test"].iter().any(|end| stem.ends_with(end));
            let plain = !extension.ends_with("ts");
            marks.javascript_tests |=
                plain && (named || in_tests || stem.starts_with("test-") || stem == "test");
        }
        "go" => marks.go_tests |= stem.ends_with("_test"),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::TestFolder;

    fn of(files: &[(&str, &str)]) -> ProjectMarkers {
        let folder = TestFolder::with(files);
        // The project's root: files above it don't matter.
        fs::create_dir(folder.at(".git")).unwrap();
        find(&folder.base)
    }

    #[test]
    fn manifests_and_test_files_are_seen() {
        assert_eq!(of(&[]), ProjectMarkers::default());
        let python = of(&[("pyproject.toml", ""), ("src/a/b.py", ""), ("tests/test_b.py", "")]);
        assert!(python.python_project && python.python && python.python_tests.as_deref() == Some("tests"));
        let cargo = of(&[("Cargo.toml", ""), ("src/lib.rs", "#[test]\nfn a() {}\n")]);
        assert!(cargo.cargo && cargo.cargo_tests && !cargo.python);
        assert!(!of(&[("Cargo.toml", ""), ("src/lib.rs", "fn a() {}\n")]).cargo_tests);
        let go = of(&[("go.mod", ""), ("a/a_test.go", "")]);
        assert!(go.go && go.go_tests);
        let node = of(&[("package.json", "{\"scripts\":{\"test\":\"node --test\"}}"), ("test/a.mjs", "")]);
        assert!(node.package && node.package_tests.is_some() && node.javascript_tests);
    }

    #[test]
    fn what_only_looks_like_tests_is_none() {
        let none = "{\"scripts\":{\"test\":\"echo \\\"Error: no test specified\\\" && exit 1\"}}";
        assert_eq!(of(&[("package.json", none)]).package_tests, None);
        assert_eq!(of(&[("package.json", "{\"scripts\":[")]).package_tests, None);
        assert!(!of(&[("node_modules/a/a.test.js", ""), (".venv/test_a.py", "")]).javascript);
        assert!(of(&[("Makefile", "all: x\ntest: x\n\techo\n")]).make_tests);
        assert!(!of(&[("Makefile", "test := 1\ntests: x\n")]).make_tests);
    }

    #[test]
    fn a_manifest_above_counts_up_to_the_root() {
        let folder = TestFolder::with(&[("a/Cargo.toml", "")]);
        fs::create_dir_all(folder.at("a/b/.git")).unwrap();
        fs::create_dir(folder.at("a/b/c")).unwrap();
        assert!(!find(&folder.at("a/b/c")).cargo);
        folder.file("a/b/Cargo.toml", "");
        assert!(find(&folder.at("a/b/c")).cargo);
    }
}
