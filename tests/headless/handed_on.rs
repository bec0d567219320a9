//! Tests exported sessions: other programs can use them, keys stop the export, and nothing is changed.

use crate::home::{Home, assert_has};
use crate::model_server::ModelServer;
use serde_json::Value;
use std::os::unix::fs::MetadataExt as _;
use std::process::Command;

const KEY: &str = "correct-horse-battery-staple";

/// A session of three files; returns its id.
fn ran(home: &Home, python: Option<&str>) -> String {
    home.file("a.py", "x = [1, 2]\nprint('sum', sum(x))\n{'a': x}\n");
    home.file("b.sh", format!("echo from bash; echo {KEY}; echo '<b>' > made.txt\n"));
    home.file("c.py", "x.append(3)\nprint(x)\n1 / 0\n");
    let mut command = home.command(&["exec", "a.py", "b.sh", "c.py", "--sandbox", "off"]);
    if let Some(python) = python {
        find_first(&mut command, python);
    }
    let out = command.output().unwrap();
    assert_eq!(out.status.code(), Some(1), "{}", String::from_utf8_lossy(&out.stderr));
    home.session_id()
}

/// Lets a command look for programs in this folder before all others.
fn find_first(command: &mut Command, folder: &str) {
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{folder}:{path}"));
}

#[test]
fn a_script_does_again_what_ran_and_the_session_stays_as_it_was() {
    let home = Home::new();
    let id = ran(&home, None);
    let session = home.session_file();
    let before = std::fs::read(&session).unwrap();
    let done = home.run(&["sessions", "export", &id, "--output", "again.py"]);
    assert!(done.code == Some(0) && !done.err.contains("is a script of"), "{}", done.err);
    let other = home.run(&["sessions", "export", &id, "--output", "again.sh"]);
    let told = "note: again.sh is a script of Python, whatever its name says\n";
    assert!(other.code == Some(0) && other.err.contains(told), "{}", other.err);
    std::fs::remove_file(home.work().join("made.txt")).unwrap();
    let again = Command::new("python3").arg("again.py").current_dir(home.work()).output().unwrap();
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    let printed = String::from_utf8_lossy(&again.stdout).into_owned();
    assert_has(&printed, &["sum 3", "from bash"]);
    assert!(home.work().join("made.txt").exists());
    for format in ["md", "html", "ipynb", "json"] {
        home.run(&["sessions", "export", &id, "--format", format]).ended(0).prints(&["ZeroDivisionError"]);
    }
    assert_eq!(std::fs::read(&session).unwrap(), before);
}

/// `seq` prints lines of six digits; what is kept of them ends and begins within lines.
#[test]
fn where_output_is_missing_no_line_is_joined_from_two() {
    let home = Home::new();
    home.configure("limits.output = 65536\n");
    home.exec("a.sh", "seq 100000 199999\n", &[]);
    let id = home.session_id();
    for args in [&["sessions", "show", &*id][..], &["sessions", "export", &*id, "--format", "md"]] {
        let done = home.run(args);
        let lines: Vec<&str> =
            done.out.lines().map(|line| line.trim_start().trim_start_matches("| ")).collect();
        let is_number = |line: &str| !line.is_empty() && line.chars().all(|c| c.is_ascii_digit());
        let numbers: Vec<&str> = lines.iter().copied().filter(|line| is_number(line)).collect();
        assert!(numbers.len() > 9_000 && numbers.iter().all(|line| line.len() <= 6), "{args:?}");
        let mark = "... 634,464 bytes of output left out here ...";
        assert_eq!(lines.iter().filter(|line| **line == mark).count(), 1, "{args:?}");
    }
}

/// Runs these files in a session, exports it under this name and runs the export; returns what both printed.
fn again(files: &[(&str, &str)], name: &str, program: &str) -> (String, String) {
    let home = Home::new();
    let mut args = vec!["exec"];
    for (file, text) in files {
        home.file(file, text);
        args.push(file);
    }
    args.extend(["--sandbox", "off"]);
    std::fs::create_dir(home.work().join("sub")).unwrap();
    let done = home.run(&args).ended(0);
    home.run(&["sessions", "export", &home.session_id(), "-o", name]).ended(0);
    let again = Command::new(program).arg(name).current_dir(home.work()).output().unwrap();
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    (done.out, String::from_utf8_lossy(&again.stdout).into_owned())
}

#[test]
fn blocks_of_bash_end_for_themselves_and_hand_on_what_they_did_in_the_session() {
    let files = [
        ("a.sh", "cd sub; export FOO=$'b a\\nr'; export LD_X=1 state=NY item=5; y=1; echo first; exit 0\n"),
        ("b.sh", "basename \"$PWD\"; echo \"$FOO|${y-none}|${LD_X-none}|$state$item\"; export -n FOO\ncat\n"),
        ("c.sh", "echo \"${FOO-gone}\"; exec echo last\n"),
    ];
    let told = "first\nsub\nb a\nr|none|none|NY5\ngone\nlast\n";
    let (then, now) = again(&files, "again.sh", "bash");
    assert!(now == told && told.lines().all(|line| then.contains(line)), "{then}\n{now}");
    // The same among blocks in other languages; those start in the folder of the session.
    let mixed = [
        files[0],
        (
            "d.py",
            "import os\nprint(os.environ.get('FOO'), os.path.basename(os.getcwd()) == 'sub')\nos.chdir('/')\n",
        ),
        files[1],
        files[2],
    ];
    let (then, now) = again(&mixed, "again.py", "python3");
    let told = "first\nNone False\nsub\nb a\nr|none|none|NY5\ngone\nlast\n";
    assert!(now == told && told.lines().all(|line| then.contains(line)), "{then}\n{now}");
}

#[test]
fn blocks_of_python_wait_and_end_for_themselves_as_in_the_session() {
    let files = [
        ("a.py", "async def g():\n    return 3\n\nprint('waited', await g())\n"),
        ("b.py", "import sys\ndef leave():\n    print('one')\n    sys.exit(0)\nleave()\n"),
        ("c.py", "print('two')\nloop = await g()\nexit()\n"),
        ("d.py", "print('last', loop)\nleave()\n"),
    ];
    let (then, now) = again(&files, "again.py", "python3");
    let told = "waited 3\none\ntwo\nlast 3\none\n";
    assert!(now == told && told.lines().all(|line| then.contains(line)), "{then}\n{now}");
    // Code that needs no such call is in the script unchanged.
    let files = [("a.py", "x = 1\n"), ("b.py", "import sys\nprint('code', x)\nsys.exit()\n")];
    let home = Home::with(&files);
    home.run(&["exec", "a.py", "b.py", "--sandbox", "off"]).ended(0);
    let script = home
        .run(&["sessions", "export", &home.session_id(), "--format", "script"])
        .prints(&["\nx = 1\n", "\nsys.exit()\n"]);
    assert!(!script.out.contains("_sayso_python"), "{}", script.out);
}

#[test]
fn a_file_that_is_there_stays_unless_it_is_said_so() {
    let home = Home::new();
    let id = ran(&home, None);
    let there = home.work().join("there.md");
    std::fs::write(&there, "mine").unwrap();
    home.run(&["sessions", "export", &id, "-o", "there.md"]).ended(2).tells(&["--force"]);
    assert_eq!(std::fs::read_to_string(&there).unwrap(), "mine");
    home.run(&["sessions", "export", &id, "-o", "there.md", "--force"]).ended(0);
    assert!(std::fs::read_to_string(&there).unwrap().contains("**Block 3**"));
    home.run(&["sessions", "export", &id]).ended(2).tells(&["--format"]);
    let done = home.run(&["sessions", "export", &id, "-o", "none/there.md"]);
    let told = "error: none/there.md can't be written: no such file or folder\n";
    assert!(done.code == Some(1) && done.err.contains(told), "{}", done.err);
}

#[test]
fn only_a_plain_file_is_replaced() {
    let home = Home::new();
    let id = ran(&home, None);
    let at = |name: &str| home.work().join(name);
    let made = Command::new("mkfifo").arg(at("pipe.md")).status().unwrap();
    assert!(made.success());
    std::fs::create_dir(at("folder.md")).unwrap();
    let mine = home.file("mine.txt", "mine");
    std::os::unix::fs::symlink(&mine, at("link.md")).unwrap();
    std::os::unix::fs::symlink(at("gone"), at("nowhere.md")).unwrap();
    for (name, told) in [
        ("pipe.md", "pipe.md is no file"),
        ("folder.md", "folder.md is no file"),
        ("link.md", "link.md is a link"),
        ("nowhere.md", "nowhere.md is a link"),
    ] {
        let before = std::fs::symlink_metadata(at(name)).unwrap();
        for options in [&["--output"][..], &["--force", "--output"]] {
            let done = home.run(&[&["sessions", "export", &*id][..], options, &[name]].concat()).ended(2);
            assert!(done.err.contains(told) && !done.err.contains("--force"), "{}", done.err);
            let after = std::fs::symlink_metadata(at(name)).unwrap();
            assert_eq!((after.ino(), after.file_type()), (before.ino(), before.file_type()), "{name}");
        }
    }
    assert_eq!(std::fs::read_to_string(&mine).unwrap(), "mine");
    assert!(!at("gone").exists());
}

#[test]
fn a_key_that_became_known_since_stops_it_or_is_masked() {
    let home = Home::new();
    let id = ran(&home, None);
    let export = |options: &[&str]| {
        let args: Vec<&str> =
            ["sessions", "export", &id, "--format", "md"].iter().chain(options).copied().collect();
        home.command(&args).env("OPENAI_API_KEY", KEY).output().unwrap()
    };
    let stopped = export(&[]);
    assert_eq!(stopped.status.code(), Some(1));
    assert!(stopped.stdout.is_empty());
    let told = String::from_utf8_lossy(&stopped.stderr).into_owned();
    assert_has(&told, &["block 2's code", "block 2's output", "--redact"]);
    assert!(!told.contains(KEY), "{told}");
    let masked = String::from_utf8(export(&["--redact"]).stdout).unwrap();
    assert!(
        masked.contains("[redacted]") && masked.contains("from bash") && !masked.contains(KEY),
        "{masked}"
    );
    let kept = String::from_utf8(export(&["--allow-secrets"]).stdout).unwrap();
    assert!(kept.contains(KEY), "{kept}");
}

/// Validates and runs a notebook; prints the cells whose output differs. For pictures only their presence counts.
const EXECUTE: &str = r"
import copy, sys, nbclient, nbformat
given = nbformat.read(sys.argv[1], 4)
nbformat.validate(given)
ran = copy.deepcopy(given)
nbclient.NotebookClient(ran, timeout=120, allow_errors=True).execute()
def told(cell):
    all = []
    for o in cell.get('outputs', []):
        data = dict(o.get('data', {}))
        shown = 'a picture' if 'image/png' in data else data.get('text/plain')
        one = (o.output_type, o.get('name'), o.get('text'), shown, o.get('ename'))
        # A stream comes in pieces, as it was flushed.
        if all and o.output_type == 'stream' and all[-1][:2] == one[:2]:
            one = (*one[:2], all.pop()[2] + one[2], *one[3:])
        all.append(one)
    return all
for a, b in zip(given.cells, ran.cells):
    if a.cell_type == 'code':
        print(a.id, 'same' if told(a) == told(b) else (told(a), told(b)))
";

/// The result for each cell when the only session is exported as a notebook and executed.
fn executed(home: &Home, jupyter: &str) -> String {
    executed_by(home, jupyter, EXECUTE)
}

/// The same with this program.
fn executed_by(home: &Home, jupyter: &str, program: &str) -> String {
    home.run(&["sessions", "export", &home.session_id(), "-o", "session.ipynb"]).ended(0);
    let executed = Command::new(format!("{jupyter}/bin/python"))
        .args(["-c", program, "session.ipynb"])
        .env("HOME", home.work())
        .current_dir(home.work())
        .output()
        .unwrap();
    assert!(executed.status.success(), "{}", String::from_utf8_lossy(&executed.stderr));
    String::from_utf8_lossy(&executed.stdout).into_owned()
}

#[test]
#[ignore = "needs a Python with nbformat, nbclient and ipykernel (SAYSO_TEST_JUPYTER)"]
fn a_notebook_is_valid_and_gives_the_same_when_it_is_executed() {
    let jupyter = std::env::var("SAYSO_TEST_JUPYTER").expect("SAYSO_TEST_JUPYTER");
    let home = Home::new();
    ran(&home, Some(&format!("{jupyter}/bin")));
    assert_eq!(executed(&home, &jupyter), "setup same\nblock-1 same\nblock-2 same\nblock-3 same\n");
}

#[test]
#[ignore = "needs a Python with nbformat, nbclient and ipykernel (SAYSO_TEST_JUPYTER)"]
fn a_notebook_goes_on_behind_a_block_that_ended_itself() {
    let jupyter = std::env::var("SAYSO_TEST_JUPYTER").expect("SAYSO_TEST_JUPYTER");
    let home = Home::new();
    home.file("a.py", "import sys\nprint('one')\nsys.exit(0)\n");
    home.file("b.py", "x = 1\nquit()\n");
    home.file("c.py", "print('two')\n{'x': x}\n");
    home.file("d.py", "import asyncio\nawait asyncio.sleep(0)\nexit()\n");
    home.file("e.py", "print('last')\n");
    let mut command = home.command(&["exec", "a.py", "b.py", "c.py", "d.py", "e.py", "--sandbox", "off"]);
    find_first(&mut command, &format!("{jupyter}/bin"));
    let out = command.output().unwrap();
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    let stopping = EXECUTE.replace(", allow_errors=True", "");
    let told = executed_by(&home, &jupyter, &stopping);
    let (same, other): (Vec<&str>, Vec<&str>) = told.lines().partition(|line| line.ends_with(" same"));
    assert_eq!(same, ["setup same", "block-1 same", "block-2 same", "block-3 same", "block-5 same"]);
    // A block that awaits can't become a cell with a magic: its exit shows as an error, but stops no other cell.
    assert!(matches!(&*other, [one] if one.contains("SystemExit")), "{told}");
}

/// Files with unusual names and line ends, an edit, shells that pass on their state, and pictures.
const REPLY: &str = r#"
```text path="notes dir/my file {x}.md"
a

b


```

```text path=deep/er/x.txt
x = 1
```

```edit path=deep/er/x.txt
<<<<<<< SEARCH
x = 1
=======
x = 2
>>>>>>> REPLACE
```

```bash
cd deep/er; export FOO=bar; cat x.txt; exit 0
```

```bash
basename "$PWD"; echo "$FOO"; cat '../../notes dir/my file {x}.md' | od -An -c; echo late >&2
```

```python
import os, base64
picture = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
_ = open("made.png", "wb").write(picture)
os.environ.get("FOO"), os.path.exists("deep/er/x.txt")
```
"#;

/// Makes such a session, with this Python if one is given.
fn with_all(home: &Home, python: Option<&str>) {
    let server = ModelServer::replying(&[REPLY, "Done."]);
    let options = ["--sandbox", "off", "--approve", "all"];
    let mut command = home.turn_command(&server, "go", &options);
    if let Some(python) = python {
        find_first(&mut command, python);
    }
    let out = command.output().unwrap();
    let told = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(0), "{told}");
}

#[test]
#[ignore = "needs a Python with nbformat, nbclient and ipykernel (SAYSO_TEST_JUPYTER)"]
fn files_edits_shells_and_pictures_are_the_same_when_a_notebook_is_executed() {
    let jupyter = std::env::var("SAYSO_TEST_JUPYTER").expect("SAYSO_TEST_JUPYTER");
    let home = Home::new();
    with_all(&home, Some(&format!("{jupyter}/bin")));
    let names = ["notes dir/my file {x}.md", "deep/er/x.txt", "made.png"];
    let files = || names.map(|name| std::fs::read(home.work().join(name)).unwrap());
    let then = files();
    assert_eq!((&*then[0], &*then[1]), (&b"a\n\nb\n\n\n"[..], &b"x = 2\n"[..]));
    for name in ["notes dir", "deep"] {
        std::fs::remove_dir_all(home.work().join(name)).unwrap();
    }
    let told = executed(&home, &jupyter);
    let cells: String = (1..=6).map(|number| format!("block-{number} same\n")).collect();
    assert_eq!(told, format!("setup same\n{cells}"));
    assert_eq!(files(), then);
    let notebook: Value =
        serde_json::from_slice(&std::fs::read(home.work().join("session.ipynb")).unwrap()).unwrap();
    let pictures = notebook["cells"].as_array().unwrap().iter().find(|cell| cell["id"] == "block-6-pictures");
    assert!(pictures.unwrap()["attachments"]["picture-1"]["image/png"].is_string(), "{pictures:?}");
}
