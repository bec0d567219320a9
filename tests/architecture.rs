//! Tests the rules of the architecture: which room may import which, what pure rooms may not mention, where an
//! approval may be granted.
//!
//! The table is the one at the head of `src/lib.rs`. A room that is missing here fails the test, so a new folder
//! needs a row.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // a test that can't go on fails by panicking

#[path = "architecture/names.rs"]
mod names;
#[path = "architecture/rings.rs"]
mod rings;
#[path = "architecture/sentences.rs"]
mod sentences;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The room that every room except `domain` may import: helpers for texts.
const LEAF: &str = "text";

/// Modules for tests that every room may use: how many cases a property test tries, and folders with files.
const TEST_MODULES: [&str; 2] = ["test_cases", "test_folder"];

/// The rooms: name, the rooms that it may import, whether it is pure.
const ROOMS: &[(&str, &[&str], bool)] = &[
    ("domain", &[], true),
    (LEAF, &[], true),
    ("python", &["domain"], true),
    ("edit", &[], true),
    ("review", &["domain"], true),
    ("engine", &["domain", "edit", "python"], true),
    ("config", &["domain"], false),
    ("launch", &[], false),
    ("provider", &["domain", "config"], false),
    ("exec", &["domain", "config", "launch"], false),
    ("store", &["domain"], false),
    ("workspace", &["domain"], false),
    ("recipe", &["domain", "engine", "python"], true),
    ("export", &["domain", "engine"], true),
    ("import", &["domain", "engine"], true),
    (
        "driver",
        &[
            "domain",
            "edit",
            "engine",
            "review",
            "recipe",
            "provider",
            "exec",
            "store",
            "workspace",
            "config",
            "launch",
            "export",
        ],
        false,
    ),
    ("tui", &["domain", "engine", "driver", "config", "launch", "export"], false),
    ("headless", &["domain", "engine", "driver", "config"], false),
    (
        "commands",
        &[
            "domain",
            "engine",
            "review",
            "recipe",
            "provider",
            "exec",
            "store",
            "workspace",
            "config",
            "driver",
            "headless",
            "cli",
            "report",
            "session",
            "export",
            "import",
        ],
        false,
    ),
    ("report", &["domain"], false),
    ("cli", &["domain", "config", "export"], false),
    (
        "session",
        &[
            "domain",
            "engine",
            "review",
            "recipe",
            "provider",
            "exec",
            "store",
            "workspace",
            "config",
            "launch",
            "driver",
            "tui",
            "cli",
            "report",
            "export",
        ],
        false,
    ),
    (
        "app",
        &["domain", "engine", "provider", "store", "driver", "cli", "report", "session", "commands", "tui"],
        false,
    ),
    ("main", &["app", "exec"], false),
    ("lib", &[], false),
    (TEST_MODULES[0], &[], false),
    (TEST_MODULES[1], &[], false),
];

/// Tests of pure rooms that compare what is said of a text with what a real program makes of it.
const WITH_REAL_PROGRAMS: [&str; 1] = ["review/tests/real_bash.rs"];

/// Words that pure rooms may not mention, because they mean I/O, time or the environment.
const IMPURE: &[&str] = &[
    "tokio",
    "reqwest",
    "ratatui",
    "crossterm",
    "std::fs",
    "std::net",
    "std::process",
    "std::env",
    "SystemTime",
    "Instant::now",
];

/// Code that starts a program, or replaces this process by one.
const STARTS: &[&str] = &[
    "Command::new",
    "process::Command as",
    "process::Command::",
    "Command::default",
    ".exec()",
    "execv",
    "execl",
    "fexecve",
    "posix_spawn",
    "fork(",
    "fork::",
    "libc::exec",
    "libc::fork",
    "libc::posix_spawn",
    "libc::system",
    "popen(",
    "syscall(",
    "daemon(",
];

/// Files that may hold such code: the table of programs that sayso starts by itself, and the helper, which is this
/// program and becomes the approved one.
const STARTERS: &[&str] =
    &["launch.rs", "exec/entry.rs", "exec/helper.rs", "exec/supervisor/start.rs", "exec/cgroup.rs"];

/// The only file that may grant an approval, and the file that defines how.
const GRANTED_IN: &[&str] = &["engine/approval.rs", "domain/approval.rs"];

/// The only file of the driver that may call the engine.
const ENGINE_CALLED_IN: &str = "driver.rs";

fn room_of(path: &str) -> &str {
    path.split('/').next().unwrap_or(path).trim_end_matches(".rs")
}

/// The text without comments, so that comments may name what code may not.
fn without_comments(text: &str) -> String {
    text.lines()
        .map(|line| if line.trim_start().starts_with("//") { "" } else { line })
        .collect::<Vec<_>>()
        .join("\n")
}

/// The rooms that `crate::…` paths name: `crate::a::b`, `crate::{a::b, c}`. Paths that begin with `sayso::` don't
/// occur inside the crate.
fn imported(text: &str) -> BTreeSet<String> {
    let mut rooms = BTreeSet::new();
    for (at, _) in text.match_indices("crate::") {
        if text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':') {
            continue;
        }
        let rest = &text[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(group) => {
                let mut depth = 0;
                let mut name = String::new();
                let mut first = true;
                for c in group.chars() {
                    match c {
                        '{' => depth += 1,
                        '}' if depth == 0 => break,
                        '}' => depth -= 1,
                        ',' if depth == 0 => {
                            rooms.insert(std::mem::take(&mut name));
                            first = true;
                        }
                        ':' => first = false,
                        c if depth == 0 && first && (c.is_alphanumeric() || c == '_') => name.push(c),
                        _ => {}
                    }
                }
                rooms.insert(name);
            }
            None => {
                rooms.insert(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
            }
        }
    }
    rooms.remove("");
    rooms
}

/// The violations in one file of `src`; `path` is relative to `src`.
fn faults(path: &str, text: &str) -> Vec<String> {
    let room = room_of(path);
    let Some((_, allowed, pure)) = ROOMS.iter().find(|(name, ..)| *name == room) else {
        return vec![format!("{path}: the room `{room}` is not in the table")];
    };
    let code = without_comments(text);
    let mut faults = Vec::new();
    if room != "lib" {
        for other in imported(&code) {
            let is_room = ROOMS.iter().any(|(name, ..)| *name == other);
            let is_leaf = TEST_MODULES.contains(&other.as_str()) || other == LEAF && room != "domain";
            if is_room && other != room && !is_leaf && !allowed.contains(&other.as_str()) {
                faults.push(format!("{path}: `{room}` may not import `{other}`"));
            }
        }
    }
    if *pure && !WITH_REAL_PROGRAMS.contains(&path) {
        for word in IMPURE.iter().filter(|word| code.contains(**word)) {
            faults.push(format!("{path}: `{room}` is pure and may not mention `{word}`"));
        }
        for group in ["use std::{"] {
            for (at, _) in code.match_indices(group) {
                let names = code[at..].split(';').next().unwrap_or_default();
                for word in ["fs", "net", "process", "env"] {
                    let named = names.split(|c: char| !c.is_alphanumeric() && c != '_').any(|n| n == word);
                    if named {
                        faults.push(format!("{path}: `{room}` is pure and may not mention `std::{word}`"));
                    }
                }
            }
        }
    }
    if code.contains("Approval::grant(") && !GRANTED_IN.contains(&path) {
        faults.push(format!("{path}: an approval is granted in engine/approval.rs only"));
    }
    faults
}

/// The text without code that is compiled for tests only; a module `tests` counts as the end of its file.
fn without_tests(path: &str, text: &str) -> String {
    if path.contains("/tests/") || path.ends_with("tests.rs") {
        return String::new();
    }
    let is_of_tests = |at: &usize| {
        text[..*at]
            .trim_end()
            .lines()
            .last()
            .is_some_and(|line| line.contains("cfg(") && line.contains("test"))
    };
    let mut modules = text
        .match_indices("mod tests {")
        .map(|(at, _)| text[..at].trim_end_matches("pub(super) ").trim_end_matches("pub ").len());
    let end = modules.find(is_of_tests);
    text[..end.unwrap_or(text.len())].to_owned()
}

/// The code in a file that starts a program although the file is not in the table.
fn starts(path: &str, text: &str) -> Vec<String> {
    let code = without_comments(&without_tests(path, text));
    let code = code.replace("tokio::process::Command::from(", "");
    // The review contains such words as data; as a pure room it can't use processes anyway.
    let is_for_tests = path.strip_suffix(".rs").is_some_and(|module| TEST_MODULES.contains(&module));
    if STARTERS.contains(&path) || path.starts_with("review/") || is_for_tests {
        return Vec::new();
    }
    let found = STARTS.iter().filter(|word| code.contains(**word));
    found
        .map(|word| format!("{path}: `{word}` starts what is not in the table (src/launch/table.rs)"))
        .collect()
}

/// The places in a file of the driver that call the engine outside its one loop (in which no effect is performed
/// meanwhile), or that make up a command of the person.
fn engine_calls(path: &str, text: &str) -> Vec<String> {
    let code = without_comments(&without_tests(path, text));
    let words = [(".handle(", 1), ("Event::User(", 1), ("engine: Engine", 2)];
    let more = |(word, most): &(&str, usize)| {
        code.matches(word).count() > if path == ENGINE_CALLED_IN { *most } else { 0 }
    };
    let found = words.into_iter().filter(more);
    found
        .map(|(word, _)| {
            format!("{path}: `{word}`: the engine is told things in {ENGINE_CALLED_IN} only, once")
        })
        .collect()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("src is readable") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// The files of this folder of the project that hold Rust: their paths below it, and their texts.
fn source_files(folder: &str) -> Vec<(String, String)> {
    let base = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths = Vec::new();
    sources(&base, &mut paths);
    let read = |file: &PathBuf| {
        let path = file.strip_prefix(&base).expect("below the folder").to_string_lossy().replace('\\', "/");
        (path, std::fs::read_to_string(file).expect("a source file"))
    };
    paths.iter().map(read).collect()
}

#[test]
fn rooms_import_only_what_they_may() {
    let files = source_files("src");
    assert!(files.len() > 10, "there are more files than {}", files.len());
    let all: Vec<String> = files.iter().flat_map(|(path, text)| faults(path, text)).collect();
    assert!(all.is_empty(), "\n{}", all.join("\n"));
}

/// The tests in a file that need a component.
fn of_components(text: &str) -> Vec<String> {
    let marked = text.split("#[ignore = \"needs ").skip(1);
    let name = |rest: &str| rest.split_once("fn ")?.1.split_once('(').map(|(name, _)| name.to_owned());
    marked.filter_map(name).collect()
}

#[test]
fn each_test_that_needs_a_component_is_named_in_ci() {
    let base = Path::new(env!("CARGO_MANIFEST_DIR"));
    let ci = std::fs::read_to_string(base.join(".ci/run")).expect("what CI runs");
    let named: BTreeSet<&str> = ci.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    // CI runs the whole suite of the sandbox; this file only mentions such tests.
    let is_left_out = |path: &str| ["exec/sandbox.rs", "architecture.rs"].contains(&path);
    let files = ["src", "tests"].into_iter().flat_map(source_files);
    let all: Vec<String> =
        files.filter(|(path, _)| !is_left_out(path)).flat_map(|(_, text)| of_components(&text)).collect();
    assert!(all.len() > 80, "there are more such tests than {}", all.len());
    let left: Vec<_> = all.iter().filter(|name| !named.contains(name.as_str())).collect();
    assert!(left.is_empty(), "nobody runs {left:?}");
    assert_eq!(of_components("#[test]\n#[ignore = \"needs x\"]\nfn a_b() {}"), ["a_b"]);
}

#[test]
fn the_table_of_rooms_has_an_order() {
    let mut above: Vec<&str> = Vec::new();
    let mut left: Vec<_> = ROOMS.iter().collect();
    while !left.is_empty() {
        let stands =
            |room: &&&(&str, &[&'static str], bool)| room.1.iter().all(|other| above.contains(other));
        let ready: Vec<&str> = left.iter().filter(|room| stands(room)).map(|room| room.0).collect();
        assert!(!ready.is_empty(), "these rooms may import each other in a ring: {left:?}");
        left.retain(|room| !ready.contains(&room.0));
        above.extend(ready);
    }
}

#[test]
fn nothing_is_started_that_is_not_in_the_table() {
    let mut all = Vec::new();
    let mut starters = BTreeSet::new();
    for (path, text) in source_files("src") {
        all.extend(starts(&path, &text));
        if STARTERS.contains(&path.as_str()) && STARTS.iter().any(|word| text.contains(word)) {
            starters.insert(path);
        }
    }
    assert!(all.is_empty(), "\n{}", all.join("\n"));
    assert!(starters.contains("launch.rs"), "the table starts nothing any more");
}

#[test]
fn the_driver_tells_the_engine_one_thing_after_the_other() {
    let files = source_files("src");
    let files = files.iter().filter(|(path, _)| path.starts_with("driver/"));
    let all: Vec<String> = files.flat_map(|(path, text)| engine_calls(path, text)).collect();
    assert!(all.is_empty(), "\n{}", all.join("\n"));
    let planted = [
        ("driver/perform.rs", "let effects = self.engine.handle(event, now);"),
        ("driver/recipes.rs", "Signal::Event(Event::User(Command::Stop))"),
        ("driver/rooms.rs", "struct IoRooms { engine: Engine }"),
        ("driver.rs", "a.handle(one); a.handle(other)"),
    ];
    for (path, text) in planted {
        assert!(!engine_calls(path, text).is_empty(), "{path}: {text}");
    }
}

#[test]
fn a_planted_start_is_found() {
    let planted = [
        ("driver/open.rs", "let c = Command::new(\"xdg-open\");"),
        ("tui/outside.rs", "use std::process::Command as Run;"),
        ("exec/container/tunnel.rs", "tokio::process::Command::new(\"ssh\")"),
        ("app.rs", "nix::unistd::execvp(&name, &args)"),
        ("app.rs", "command.exec()"),
        ("exec/plan.rs", "match nix::unistd::fork() {}"),
        ("store.rs", "let x = 1;\n#[cfg(test)]\nmod tests;\nfn f() { Command::new(\"git\"); }"),
    ];
    for (path, text) in planted {
        assert!(!starts(path, text).is_empty(), "{path}: {text}");
    }
    let fine = [
        ("driver/open.rs", "programs.command(Start::XdgOpen)"),
        (
            "driver/open.rs",
            "// Command::new starts\nlet c = 1;\n#[cfg(test)]\nmod tests { Command::new(\"sh\"); }",
        ),
        ("exec/container/tunnel.rs", "tokio::process::Command::from(programs.command(Start::Ssh)?)"),
    ];
    for (path, text) in fine {
        assert_eq!(starts(path, text), Vec::<String>::new(), "{path}: {text}");
    }
}

#[test]
fn a_planted_import_is_found() {
    let planted = [
        ("engine/turn.rs", "use crate::driver::Driver;", "may not import `driver`"),
        ("domain/block.rs", "use crate::{engine::State, domain::Block};", "may not import `engine`"),
        ("provider/http.rs", "fn f() { crate::exec::run() }", "may not import `exec`"),
        ("tui/screen.rs", "pub(crate) use crate::store::Store;", "may not import `store`"),
        ("review.rs", "use std::fs;", "may not mention `std::fs`"),
        (
            "engine.rs",
            "use std::{collections::BTreeMap, process::Command};",
            "may not mention `std::process`",
        ),
        ("engine/turn.rs", "let now = std::time::SystemTime::now();", "may not mention `SystemTime`"),
        ("driver/perform.rs", "let a = Approval::grant(run);", "granted in engine/approval.rs only"),
        ("domain/block.rs", "use crate::text::shell;", "may not import `text`"),
        ("text/shell.rs", "use crate::domain::Block;", "may not import `domain`"),
        ("attic.rs", "", "not in the table"),
    ];
    for (path, text, expected) in planted {
        let found = faults(path, text);
        assert!(found.iter().any(|f| f.contains(expected)), "{path}: {text}: {found:?}");
    }
}

#[test]
fn what_is_allowed_is_not_blamed() {
    let fine = [
        ("engine/turn.rs", "use crate::domain::{Block, Entry};\n// the driver (tokio) does the rest\n"),
        ("driver.rs", "use crate::exec::Executor;\nuse tokio::sync::mpsc;"),
        ("engine/approval.rs", "Approval::grant(run)"),
        ("recipe/command.rs", "use crate::text::shell;"),
        ("exec/plan.rs", "use crate::{domain::Block, config::Config};"),
    ];
    for (path, text) in fine {
        assert_eq!(faults(path, text), Vec::<String>::new(), "{path}");
    }
}
