//! Tests what `sayso exec` records and what it leaves behind: a session like that of every run, or nothing.

use crate::home::{DEADLINE, Home, alive, finish, interrupt, wait_for};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// The only session file of a home, and its entries.
fn session(home: &Home) -> (PathBuf, Vec<Value>) {
    let file = home.session_file();
    let lines = std::fs::read_to_string(&file).unwrap();
    (file, lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// All files below a folder, with their sizes.
fn files(folder: &Path) -> Vec<(PathBuf, u64)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.push((entry.path(), entry.metadata().unwrap().len()));
        }
    }
    found
}

const FLOOD: &str = "import sys\nfor _ in range(48): sys.stdout.write('x' * (1 << 20))\n";

#[test]
fn files_that_run_are_a_session_with_each_decision_before_its_start() {
    let home = Home::new();
    // The program itself reads what is on disk when it starts.
    let look = format!(
        "import glob\nkinds = [l for f in glob.glob({:?}) for l in open(f) if '\"decision\"' in l]\n\
         print(len(kinds), 'named' in kinds[-1])\n",
        home.sayso().join("sessions/*.jsonl").display().to_string()
    );
    home.file("a.py", &look);
    home.file("b.py", &look);
    let done = home.run(&["exec", "--json", "--sandbox", "off", "a.py", "b.py"]);
    let objects = done.json();
    assert_eq!(
        json!([objects[0]["stdout"], objects[1]["stdout"]]),
        json!(["1 True\n", "2 True\n"]),
        "{}",
        done.err
    );
    let (file, entries) = session(&home);
    let kinds: Vec<_> = entries.iter().map(|entry| entry["kind"].as_str().unwrap()).collect();
    let expected = [
        "header", "prompt", "named", "block", "block", "review", "decision", "run", "review", "decision",
        "run", "turn_end",
    ];
    assert_eq!(kinds, expected);
    assert_eq!(objects[0]["session"].as_str(), file.file_stem().and_then(|id| id.to_str()));
    home.run(&["sessions", "show", objects[0]["session"].as_str().unwrap()])
        .prints(&["sayso exec a.py b.py", "approved (named)"]);
}

#[test]
fn the_receipt_tells_what_a_file_changed() {
    let home = Home::with(&[("old.txt", "1")]);
    let text =
        "open('new.txt', 'w').write('123')\nopen('old.txt', 'a').write('2')\nopen('.envrc', 'w').close()\n";
    let (object, done) = home.exec("a.py", text, &[]);
    let told = object["receipt"]["files"].as_array().unwrap().iter().map(|file| {
        (file["path"].as_str().unwrap(), file["change"].as_str().unwrap(), file["bytes"].as_u64().unwrap())
    });
    let told: Vec<_> = told.collect();
    let expected = [(".envrc", "created", 0), ("new.txt", "created", 3), ("old.txt", "changed", 2)];
    assert_eq!(told, expected, "{}", done.err);
    let none = json!({ "folders": 0, "names": [], "changes": 0, "obeyed": false });
    assert_eq!(object["receipt"]["not_looked_at"], none);
    std::fs::remove_file(home.work().join(".envrc")).unwrap();
    home.run(&["exec", "--sandbox", "off", "a.py"])
        .tells(&["a.py created .envrc: what a shell reads when it starts"]);
}

#[test]
fn the_receipt_tells_what_was_not_looked_at_and_a_flood_hides_nothing() {
    let home = Home::with(&[("tests.py", "assert add(1, 2) == 3\n")]);
    std::fs::create_dir_all(home.work().join("node_modules")).unwrap();
    let text = "import os\ns = os.stat('tests.py')\nopen('tests.py', 'w').write('assert True           \\n')\n\
        os.utime('tests.py', ns=(s.st_atime_ns, s.st_mtime_ns))\nopen('node_modules/a.js', 'w').close()\n\
        for n in range(6000): open(f'{n}.txt', 'w').close()\n";
    let (object, done) = home.exec("a.py", text, &[]);
    let receipt = &object["receipt"];
    let files = receipt["files"].as_array().unwrap();
    let changed: Vec<_> = files.iter().filter(|file| file["change"] == "changed").collect();
    assert_eq!((changed.len(), &changed[0]["path"]), (1, &json!("tests.py")), "{receipt} {}", done.err);
    let names = receipt["not_looked_at"]["names"].as_array().unwrap();
    assert!(names.contains(&json!("node_modules")), "{names:?}");
    assert!(receipt["not_looked_at"]["changes"].as_u64().unwrap() > 100, "{receipt}");
}

#[test]
fn without_a_session_nothing_is_written() {
    let home = Home::new();
    home.file("a.py", FLOOD);
    for level in ["off", "workspace"] {
        let done = home.run(&["exec", "--json", "--no-session", "--sandbox", level, "a.py"]);
        if level == "workspace" && done.code == Some(2) {
            // This machine has no sandbox.
            continue;
        }
        let object = &done.json()[0];
        assert_eq!((&object["outcome"], &object["truncated"]), (&json!("ok"), &json!(true)), "{}", done.err);
        assert_eq!((&object["session"], object.get("blob")), (&Value::Null, None));
        let dropped = object["dropped"]["stdout"].as_u64().unwrap();
        assert_eq!(dropped + object["stdout"].as_str().unwrap().len() as u64, 48 << 20);
        // The state of the project's instructions before a run is not part of a session.
        let mut left = files(&home.sayso());
        left.retain(|(path, _)| path.file_stem() != Some("instructions".as_ref()));
        assert_eq!(left, [], "neither a session nor a key for one");
    }
    let done = home.run(&["exec", "--no-session", "--sandbox", "off", "a.py"]);
    let left_out = (48 << 20) - done.out.len();
    let told = format!("{left_out} bytes of the output came faster");
    assert_eq!((done.err.contains(&told), done.code), (left_out > 0, Some(0)), "{}", done.err);
}

#[test]
fn without_a_session_no_file_is_named_that_is_gone() {
    let home = Home::new();
    let png = "import base64\nclass P:\n    def _repr_png_(self): return base64.b64decode('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==')\nP()\n";
    let (object, done) = home.exec("a.py", png, &[]);
    let images = object["images"].as_array().unwrap();
    if images.is_empty() {
        return;
    }
    assert!(Path::new(images[0]["path"].as_str().unwrap()).is_file(), "{}", done.err);
    let (object, _) = home.exec("a.py", png, &["--no-session"]);
    assert_eq!((&object["images"][0]["path"], &object["images"][0]["width"]), (&Value::Null, &json!(1)));
    let written = png.replace("P()\n", "open('a.png', 'wb').write(P()._repr_png_())\n");
    let (object, done) = home.exec("b.py", &written, &[]);
    assert!(Path::new(object["pictures"][0]["path"].as_str().unwrap()).is_file(), "{}", done.err);
    std::fs::remove_file(home.work().join("a.png")).unwrap();
    let (object, _) = home.exec("b.py", &written, &["--no-session"]);
    assert_eq!((&object["pictures"][0]["path"], &object["pictures"][0]["width"]), (&Value::Null, &json!(1)));
    home.run(&["exec", "--no-session", "--sandbox", "off", "a.py"]).tells(&["is not kept: --no-session"]);
}

#[test]
fn an_interrupt_and_a_kill_leave_nothing_either() {
    let home = Home::new();
    let text =
        format!("{FLOOD}sys.stdout.flush()\nopen('pid', 'w').write('1')\nimport time\ntime.sleep(600)\n");
    home.file("a.py", text);
    let start = || {
        std::fs::remove_file(home.work().join("pid")).ok();
        let mut command = home.command(&["exec", "--json", "--no-session", "--sandbox", "off", "a.py"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_for(|| home.work().join("pid").exists().then_some(()), "the program's start");
        child
    };
    let child = start();
    interrupt(&child);
    assert_eq!(finish(child).code, Some(130));
    assert!(!home.sayso().join("sessions").exists(), "{:?}", files(&home.sayso()));
    let mut child = start();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!files(&home.sayso().join("sessions")).is_empty(), "the test kills too early");
    home.file("b.py", "1\n");
    home.run(&["exec", "--no-session", "--sandbox", "off", "b.py"]).ended(0);
    assert_eq!(files(&home.sayso().join("sessions")), []);
}

#[test]
fn a_hangup_leaves_nothing_and_what_a_killed_one_had_goes_even_where_nothing_was_printed() {
    let home = Home::new();
    home.file(
        "a.py",
        "import os, time\nopen('pid', 'w').write('1')\nwhile not os.path.exists('go'): time.sleep(0.2)\n",
    );
    let blobs = home.sayso().join("sessions/blobs");
    let start = |script: &str| {
        std::fs::remove_file(home.work().join("pid")).ok();
        let command = home.command(&["exec", "--no-session", "--sandbox", "off", "a.py"]);
        let mut command = home.shell(script, &command);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_for(|| home.work().join("pid").exists().then_some(()), "the program's start");
        child
    };
    let hang_up = |child: &std::process::Child| {
        let sent = std::process::Command::new("kill").args(["-HUP", &child.id().to_string()]).status();
        assert!(sent.unwrap().success());
    };
    // The tests themselves may have been started with hang-ups ignored, which a shell can't undo.
    let usual = "exec python3 -c 'import os, signal, sys; signal.signal(signal.SIGHUP, signal.SIG_DFL); \
                 os.execv(sys.argv[1], sys.argv[1:])' \"$0\" \"$@\"";
    let child = start(usual);
    assert!(blobs.exists());
    hang_up(&child);
    assert_eq!(finish(child).code, Some(130));
    assert!(!home.sayso().join("sessions").exists());
    let mut child = start(usual);
    child.kill().unwrap();
    child.wait().unwrap();
    let of_packages = |(path, _): &(PathBuf, u64)| path.iter().any(|part| part == "packages");
    assert!(blobs.exists() && files(&blobs).iter().all(of_packages), "{:?}", files(&blobs));
    home.run(&["sessions", "list"]).ended(0);
    assert_eq!(std::fs::read_dir(&blobs).into_iter().flatten().count(), 0);
    // Whoever starts it like this wants it to continue.
    let child = start("trap '' HUP; exec \"$0\" \"$@\"");
    hang_up(&child);
    // Ignored signals are dropped on sending. Otherwise an end by the signal could come after the program's own end.
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    assert_eq!(u64::from_str_radix(ignored.trim(), 16).unwrap() & 1, 1, "{ignored}");
    home.file("go", "");
    assert_eq!(finish(child).code, Some(0));
}

#[test]
fn a_removed_session_leaves_nothing() {
    let home = Home::new();
    let (object, _) = home.exec("a.py", FLOOD, &[]);
    let blob = PathBuf::from(object["blob"].as_str().unwrap());
    assert_eq!(std::fs::metadata(&blob).unwrap().len(), 48 << 20);
    // An older version kept these in separate folders, to which no session referred.
    let old = home.sayso().join("sessions/blobs/exec-018f0000-0000-7000-8000-000000000001");
    std::fs::create_dir(&old).unwrap();
    std::fs::write(old.join("run-1.out"), "much").unwrap();
    home.run(&["sessions", "rm", "--yes", object["session"].as_str().unwrap()]).ended(0);
    assert_eq!(files(&home.sayso().join("sessions")), []);
}

#[test]
fn where_no_session_can_be_written_nothing_runs_unless_none_is_wanted() {
    let home = Home::new();
    home.own("sessions", "in the way");
    home.file("a.py", "open('ran', 'w')\n");
    let done = home.run(&["exec", "--json", "--sandbox", "off", "a.py"]).ended(5).tells(&["--no-session"]);
    assert_eq!(done.out, "");
    assert!(!home.work().join("ran").exists());
    home.run(&["exec", "--json", "--no-session", "--sandbox", "off", "a.py"]).ended(0);
    assert!(home.work().join("ran").exists());
}

#[test]
fn what_does_not_hear_an_interrupt_is_killed_after_a_while() {
    let home = Home::new();
    home.file("a.sh", "trap '' INT TERM\necho $$ > part; mv part pid\nwhile :; do sleep 0.1; done\n");
    let mut command = home.command(&["exec", "--json", "--sandbox", "off", "a.sh"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pid = wait_for(|| std::fs::read_to_string(home.work().join("pid")).ok(), "the program's start");
    let began = std::time::Instant::now();
    interrupt(&child);
    let done = finish(child);
    assert_eq!((done.code, alive(&pid)), (Some(130), false), "{}", done.err);
    assert!(began.elapsed() < DEADLINE / 4);
    let (_, entries) = session(&home);
    assert_eq!(entries.last().unwrap()["kind"], "turn_end", "{entries:?}");
}

#[test]
fn what_is_forbidden_is_told_for_its_file_and_the_next_one_runs() {
    let home = Home::new();
    home.configure("[review]\nforbid = [\"sh.delete-tree\"]\n");
    home.file("a.sh", "echo\nrm -rf ~/\n");
    home.file("b.sh", "echo ran\n");
    home.file("c.sh", "");
    let done = home.run(&["exec", "--json", "--sandbox", "off", "a.sh", "b.sh", "c.sh"]);
    let objects = done.json();
    let outcomes: Vec<_> = objects.iter().map(|object| object["outcome"].as_str().unwrap()).collect();
    assert_eq!((outcomes, done.code), (vec!["refused", "ok", "ok"], Some(1)), "{}", done.err);
    let detail = objects[0]["detail"].as_str().unwrap();
    assert!(detail.starts_with("line 2: ") && detail.contains("deletes"), "{detail}");
    assert_eq!(
        json!([objects[0]["findings"][0]["forbidden"], objects[0]["sandbox"]["level"]]),
        json!([true, "off"])
    );
}
