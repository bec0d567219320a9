//! Tests the recipe tdd with real test runners: pytest, node's, cargo's. Each may be missing on a machine.

use crate::home::{Done, Home};
use std::path::{Path, PathBuf};
use std::process::Command;

const NODE: &str = r#"
recipe = "tdd"
[inputs]
spec = "double(n): twice the number; a TypeError where n is no number"
target = "double.mjs"
runner = "node"
[[reply]]
text = '''
```javascript path=tests/double.test.mjs
import test from "node:test";
import assert from "node:assert/strict";
import { double } from "../double.mjs";

test("a number is doubled", () => assert.equal(double(4), 8));
test("what is no number is refused", () => assert.throws(() => double("4"), TypeError));
```
'''
[[reply]]
text = '''
```javascript path=double.mjs
export function double(n) {
    return n + n;
}
```
'''
[[reply]]
text = '''
```javascript path=double.mjs
export function double(n) {
    if (typeof n !== "number") throw new TypeError("a number is needed");
    return n * 2;
}
```
'''
"#;

const CARGO: &str = r#"
recipe = "tdd"
[inputs]
spec = "double(n): twice the number; None where it does not fit into an i32"
target = "src/lib.rs"
runner = "cargo"
[files]
"Cargo.toml" = """
[package]
name = "double"
version = "0.1.0"
edition = "2021"
"""
"src/lib.rs" = "//! Doubles numbers.\n"
[[reply]]
text = '''
```rust path=tests/double.rs
use double::double;

#[test]
fn a_number_is_doubled() {
    assert_eq!(double(4), Some(8));
}

#[test]
fn what_does_not_fit_is_none() {
    assert_eq!(double(i32::MAX), None);
}
```
'''
[[reply]]
text = '''
```rust path=src/lib.rs
//! Doubles numbers.

/// Twice the number.
pub fn double(n: i32) -> Option<i32> {
    Some(n.wrapping_mul(2))
}
```
'''
[[reply]]
text = '''
```rust path=src/lib.rs
//! Doubles numbers.

/// Twice the number; `None` where it does not fit.
pub fn double(n: i32) -> Option<i32> {
    n.checked_mul(2)
}
```
'''
"#;

/// A story of tdd, with this folder of programs first on `PATH`.
fn tdd(story: &str, programs: &Path, more: &[&str]) -> Done {
    let home = Home::new();
    let mut args = vec!["run", "--demo", story, "--approve", "all", "--sandbox", "off", "--json"];
    args.extend(more);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(programs.to_path_buf()).chain(std::env::split_paths(&path));
    let mut command = home.command(&args);
    crate::home::run_to_end(command.env("PATH", std::env::join_paths(all).unwrap()))
}

/// Checks that the story went red, red, green, and that all of its tests pass.
fn assert_went_its_way(done: &Done, runner: &str) {
    assert_eq!(done.code, Some(0), "{}\n{}", done.out, done.err);
    let judged = done.events("recipe").into_iter().filter(|event| event["what"] == "judged");
    let verdicts: Vec<String> = judged.map(|event| event["verdict"].as_str().unwrap().to_owned()).collect();
    assert_eq!(verdicts, ["red", "red", "green", "green"], "{}", done.out);
    let began = &done.events("recipe")[0];
    assert!(began["facts"]["runners"].as_str().unwrap().split(' ').any(|name| name == runner), "{began}");
}

fn written(folder: &Path, text: &str) -> String {
    let path: PathBuf = folder.join("story.toml");
    std::fs::write(&path, text).unwrap();
    path.to_string_lossy().into_owned()
}

/// The folder of the program that an environment variable names.
fn folder_of(variable: &str) -> PathBuf {
    let program = std::env::var_os(variable).unwrap_or_else(|| panic!("{variable} names no program"));
    PathBuf::from(program).parent().unwrap().to_path_buf()
}

#[test]
#[ignore = "needs a Python with pytest in SAYSO_TEST_PYTEST_PYTHON"]
fn tdd_with_pytest() {
    let done = tdd("tdd", &folder_of("SAYSO_TEST_PYTEST_PYTHON"), &["--input", "runner=pytest"]);
    assert_went_its_way(&done, "pytest");
    let block = &done.events("block").into_iter().find(|block| block["language"] == "bash").unwrap();
    assert!(block["source"].as_str().unwrap().contains("-m pytest"), "{block}");
}

const SEVERAL: &str = r#"
recipe = "tdd"
[inputs]
spec = "shorten titles"
target = "slug.py, lib/words.py"
runner = "pytest"
[[reply]]
text = '''
```python path=tests/test_a.py
from slug import slug

def test_words_are_joined():
    assert slug("A b") == "a-b"
```

```python path=tests/test_b.py
from lib.words import words

def test_words_are_split():
    assert words("A b") == ["a", "b"]
```
'''
[[reply]]
text = '''
```python path=slug.py
from lib.words import words

def slug(title):
    return "-".join(words(title))
```

```python path=lib/words.py
def words(title):
    return title.split()
```
'''
[[reply]]
text = '''
```edit path=lib/words.py
<<<<<<< SEARCH
    return title.split()
=======
    return title.lower().split()
>>>>>>> REPLACE
```
'''
"#;

#[test]
#[ignore = "needs a Python with pytest in SAYSO_TEST_PYTEST_PYTHON"]
fn tdd_with_several_files_and_pytest() {
    let folder = tempfile::tempdir().unwrap();
    let done = tdd(&written(folder.path(), SEVERAL), &folder_of("SAYSO_TEST_PYTEST_PYTHON"), &[]);
    assert_went_its_way(&done, "pytest");
    let lines: Vec<String> = done
        .events("block")
        .into_iter()
        .filter(|block| block["language"] == "bash")
        .map(|block| block["source"].as_str().unwrap().trim_end().to_owned())
        .collect();
    assert!(lines[0].ends_with(" tests/test_a.py tests/test_b.py"), "{lines:?}");
    let judged = done.events("recipe").into_iter().filter(|event| event["what"] == "judged");
    let notes: Vec<String> = judged.map(|event| event["note"].as_str().unwrap().to_owned()).collect();
    assert!(notes[0].contains("missing") && notes[1] == "2 failed" && notes[2] == "2 passed", "{notes:?}");
    // Both test files are hashed around each run.
    let hashed: Vec<Vec<String>> = done
        .events("run")
        .iter()
        .filter_map(|run| run["receipt"]["protected"].as_array().cloned())
        .map(|files| files.iter().map(|file| file["path"].as_str().unwrap().to_owned()).collect())
        .collect();
    assert!(hashed.iter().any(|files| *files == ["tests/test_a.py", "tests/test_b.py"]), "{hashed:?}");
}

#[test]
#[ignore = "needs node 20 or newer"]
fn tdd_with_node() {
    let folder = tempfile::tempdir().unwrap();
    let done = tdd(&written(folder.path(), NODE), Path::new("/usr/bin"), &[]);
    assert_went_its_way(&done, "node");
}

#[test]
#[ignore = "needs cargo, and seconds for building"]
fn tdd_with_cargo() {
    let folder = tempfile::tempdir().unwrap();
    // The real programs: the stand-ins of rustup need their home folder.
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output().unwrap().stdout;
    let programs = Path::new(String::from_utf8(sysroot).unwrap().trim()).join("bin");
    let done = tdd(&written(folder.path(), CARGO), &programs, &[]);
    assert_went_its_way(&done, "cargo");
}
