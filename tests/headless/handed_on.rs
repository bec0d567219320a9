//! Sessions as they are handed on: what is written can be used by others' programs, keys stop it, and nothing is changed.

use crate::home::Home;
use std::path::PathBuf;
use std::process::Command;

const KEY: &str = "correct-horse-battery-staple";

/// A session of three files, and its file.
fn ran(home: &Home, python: Option<&str>) -> PathBuf {
    let work = home.work();
    std::fs::write(work.join("a.py"), "x = [1, 2]\nprint('sum', sum(x))\n{'a': x}\n").unwrap();
    std::fs::write(work.join("b.sh"), format!("echo from bash; echo {KEY}; echo '<b>' > made.txt\n"))
        .unwrap();
    std::fs::write(work.join("c.py"), "x.append(3)\nprint(x)\n1 / 0\n").unwrap();
    let mut command = home.command(&["exec", "a.py", "b.sh", "c.py", "--sandbox", "off"]);
    if let Some(python) = python {
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{python}:{path}"));
    }
    let out = command.output().unwrap();
    assert_eq!(out.status.code(), Some(1), "{}", String::from_utf8_lossy(&out.stderr));
    let folder = home.sayso().join("sessions");
    let mut files = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    files.find(|path| path.extension().is_some_and(|ending| ending == "jsonl")).unwrap()
}

fn id(path: &std::path::Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

#[test]
fn a_script_does_again_what_ran_and_the_session_stays_as_it_was() {
    let home = Home::new();
    let session = ran(&home, None);
    let before = std::fs::read(&session).unwrap();
    let id = id(&session);
    let done = home.run(&["sessions", "export", &id, "--output", "again.py"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    std::fs::remove_file(home.work().join("made.txt")).unwrap();
    let again = Command::new("python3").arg("again.py").current_dir(home.work()).output().unwrap();
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    let printed = String::from_utf8_lossy(&again.stdout).into_owned();
    for line in ["sum 3", "from bash"] {
        assert!(printed.contains(line), "{printed}");
    }
    assert!(home.work().join("made.txt").exists());
    for format in ["md", "html", "ipynb", "json"] {
        let done = home.run(&["sessions", "export", &id, "--format", format]);
        assert_eq!(done.code, Some(0), "{}", done.err);
        assert!(done.out.contains("ZeroDivisionError"), "{format}: {}", done.out);
    }
    assert_eq!(std::fs::read(&session).unwrap(), before);
}

#[test]
fn a_file_that_is_there_stays_unless_it_is_said_so() {
    let home = Home::new();
    let id = id(&ran(&home, None));
    let there = home.work().join("there.md");
    std::fs::write(&there, "mine").unwrap();
    let done = home.run(&["sessions", "export", &id, "-o", "there.md"]);
    assert_eq!(done.code, Some(2), "{}", done.out);
    assert!(done.err.contains("--force"), "{}", done.err);
    assert_eq!(std::fs::read_to_string(&there).unwrap(), "mine");
    let done = home.run(&["sessions", "export", &id, "-o", "there.md", "--force"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(std::fs::read_to_string(&there).unwrap().contains("**Block 3**"));
    let done = home.run(&["sessions", "export", &id]);
    assert_eq!(done.code, Some(2), "{}", done.out);
    assert!(done.err.contains("--format"), "{}", done.err);
}

#[test]
fn a_key_that_became_known_since_stops_it_or_is_masked() {
    let home = Home::new();
    let id = id(&ran(&home, None));
    let export = |options: &[&str]| {
        let args: Vec<&str> =
            ["sessions", "export", &id, "--format", "md"].iter().chain(options).copied().collect();
        home.command(&args).env("OPENAI_API_KEY", KEY).output().unwrap()
    };
    let stopped = export(&[]);
    assert_eq!(stopped.status.code(), Some(1));
    assert!(stopped.stdout.is_empty());
    let told = String::from_utf8_lossy(&stopped.stderr).into_owned();
    for words in ["block 2's code", "block 2's output", "--redact"] {
        assert!(told.contains(words), "{told}");
    }
    assert!(!told.contains(KEY), "{told}");
    let masked = String::from_utf8(export(&["--redact"]).stdout).unwrap();
    assert!(
        masked.contains("[redacted]") && masked.contains("from bash") && !masked.contains(KEY),
        "{masked}"
    );
    let kept = String::from_utf8(export(&["--allow-secrets"]).stdout).unwrap();
    assert!(kept.contains(KEY), "{kept}");
}

/// Validates a notebook and runs it; tells in lines where what it gave differs.
const EXECUTE: &str = r"
import copy, sys, nbclient, nbformat
given = nbformat.read(sys.argv[1], 4)
nbformat.validate(given)
ran = copy.deepcopy(given)
nbclient.NotebookClient(ran, timeout=120, allow_errors=True).execute()
def told(cell):
    all = []
    for o in cell.get('outputs', []):
        one = (o.output_type, o.get('name'), o.get('text'), dict(o.get('data', {})).get('text/plain'), o.get('ename'))
        # A stream comes in pieces, as it was flushed.
        if all and o.output_type == 'stream' and all[-1][:2] == one[:2]:
            one = (*one[:2], all.pop()[2] + one[2], *one[3:])
        all.append(one)
    return all
for a, b in zip(given.cells, ran.cells):
    print(a.id, 'same' if told(a) == told(b) else (told(a), told(b)))
";

#[test]
#[ignore = "needs a Python with nbformat, nbclient and ipykernel (SAYSO_TEST_JUPYTER)"]
fn a_notebook_is_valid_and_gives_the_same_when_it_is_executed() {
    let jupyter = std::env::var("SAYSO_TEST_JUPYTER").expect("SAYSO_TEST_JUPYTER");
    let home = Home::new();
    let id = id(&ran(&home, Some(&format!("{jupyter}/bin"))));
    let done = home.run(&["sessions", "export", &id, "-o", "session.ipynb"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    let executed = Command::new(format!("{jupyter}/bin/python"))
        .args(["-c", EXECUTE, "session.ipynb"])
        .env("HOME", home.work())
        .current_dir(home.work())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&executed.stdout).into_owned();
    assert!(executed.status.success(), "{}", String::from_utf8_lossy(&executed.stderr));
    assert_eq!(told, "title same\nmessage-1 same\nblock-1 same\nblock-2 same\nblock-3 same\n");
}
