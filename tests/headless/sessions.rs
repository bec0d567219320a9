//! Tests session files on disk: damage is reported, and printed output is there.

use crate::home::Home;
use crate::model_server::{Answer, Do, ModelServer, delta, finish};
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::Stdio;

const BLOCK: &str = "```python\nprint('one')\n```\n";

fn a_session_with_a_run(home: &Home) -> PathBuf {
    let server = ModelServer::replying(&[BLOCK, "Done."]);
    home.turn(&server, "go", &["--approve", "all", "--sandbox", "off"]).ended(0);
    home.session_file()
}

#[test]
fn one_message_is_listed_as_one() {
    let home = Home::new();
    let server = ModelServer::replying(&["Hello.", "Hello again."]);
    assert_eq!(home.turn(&server, "go", &[]).code, Some(0));
    home.run(&["sessions", "list"]).prints(&[" 2 messages  "]);
    home.file("a.sh", "true\n");
    home.run(&["exec", "--sandbox", "off", "a.sh"]).ended(0);
    home.run(&["sessions", "list"]).prints(&[" 1 message   ", " 2 messages  "]);
}

#[test]
fn what_is_printed_as_json_is_on_the_disk() {
    let home = Home::new();
    let server =
        ModelServer::start(vec![Answer::text(BLOCK), Answer::stream(vec![Do::Write(delta("a")), Do::Hang])]);
    let options = ["--json", "--approve", "all", "--sandbox", "off"];
    let mut command = home.turn_command(&server, "go", &options);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut kinds = Vec::new();
    for line in lines.map_while(Result::ok) {
        let event: serde_json::Value = serde_json::from_str(&line).unwrap();
        let kind = event["event"].as_str().unwrap().to_owned();
        let entry = matches!(kind.as_str(), "prompt" | "reply" | "block" | "review" | "decision" | "run");
        if entry {
            let written = std::fs::read_to_string(home.session_file()).unwrap_or_default();
            let is_written = written.contains(&format!("\"kind\":\"{kind}\""));
            assert!(is_written, "{kind} was printed before it was written");
        }
        let over = kind == "run";
        kinds.push(kind);
        if over {
            break;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(kinds.iter().any(|kind| kind == "run"), "{kinds:?}");
}

#[test]
fn what_can_not_be_written_is_not_printed_as_json() {
    let home = Home::new();
    // No session can be saved where its folder should be.
    home.own("sessions", "");
    let server = ModelServer::replying(&["Hello."]);
    let done = home.turn(&server, "go", &["--json"]).ended(5);
    let mut events = done.json();
    let last = events.pop().unwrap();
    assert_eq!((&last["event"], &last["kind"]), (&"error".into(), &"session".into()), "{last}");
    assert!(events.iter().all(|event| event["event"] == "delta"), "{}", done.out);
}

#[test]
fn doctor_sees_that_no_session_can_be_saved() {
    let home = Home::new();
    let of_sessions = || {
        let done = home.run(&["doctor", "--json"]);
        let all = done.json()[0]["looks"].as_array().unwrap().clone();
        all.into_iter().find(|entry| entry["what"] == "sessions").expect(&done.out)
    };
    let before = of_sessions();
    assert!(!before["found"].as_str().unwrap().contains("can be written"), "{before}");
    let folder = home.sayso().join("sessions");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).unwrap();
    }
    home.own("sessions", "");
    let after = of_sessions();
    assert_eq!(after["good"], false);
    assert!(after["found"].as_str().unwrap().contains("where nothing can be written: "), "{after}");
    assert!(after["means"].as_str().unwrap().contains("exec --no-session"), "{after}");
}

#[test]
fn damage_is_told_in_full_by_check() {
    let home = Home::new();
    let path = a_session_with_a_run(&home);
    let whole = std::fs::read_to_string(&path).unwrap();
    home.run(&["sessions", "check"]).ended(0).prints(&[": whole"]);

    let lines: Vec<&str> = whole.lines().collect();
    let at = |kind: &str| lines.iter().position(|line| line.contains(kind)).unwrap();
    let (block, approval) = (at("\"kind\":\"block\""), at("\"decision\":\"approve\""));
    let mut damaged: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    damaged[approval] = damaged[approval].replace("approve", "appruve");
    damaged[block + 1] = damaged[block + 1].replacen("\"v\":1", "\"v\":2", 1);
    std::fs::write(&path, damaged.join("\n") + "\n").unwrap();
    home.run(&["sessions", "check"])
        .ended(5)
        .prints(&[&format!("Line {} is damaged", approval + 1), "its approval can't be read"]);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), damaged.join("\n") + "\n", "nothing is changed");
}

#[test]
fn a_relative_home_is_refused_with_words() {
    let home = Home::new();
    for args in [&["doctor"][..], &["sessions", "list"], &["run", "x"]] {
        let mut command = home.command(args);
        command.env("HOME", "somewhere").env_remove("SAYSO_HOME");
        crate::home::run_to_end(&mut command).ended(3).tells(&["HOME", "not an absolute path"]);
        assert!(!home.work().join("somewhere").exists());
    }
}

#[test]
fn a_connection_that_is_lost_before_the_reply_begins_is_asked_again() {
    let home = Home::new();
    let server = ModelServer::start(vec![
        Answer::stream(vec![Do::Cut]),
        Answer::stream(vec![]),
        Answer::text("Here."),
    ]);
    home.turn(&server, "go", &[]).ended(0).prints(&["Here."]);
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn blocks_of_a_cut_reply_are_skipped_whichever_way_it_was_cut() {
    let cut = |last: Option<Do>| {
        let home = Home::new();
        let body = [Do::Write(delta(BLOCK))].into_iter().chain(last).collect();
        let server = ModelServer::start(vec![Answer::stream(body)]);
        let done = home.turn(&server, "go", &["--json", "--approve", "all", "--sandbox", "off"]).ended(4);
        (done.events("run").len(), done.events("block").len(), done.events("decision").len())
    };
    assert_eq!(cut(Some(Do::Cut)), (0, 1, 1));
    assert_eq!(cut(None), (0, 1, 1), "closed in good order, without a reason");
}

#[test]
fn what_came_of_a_cut_reply_is_told_as_kept_only_if_something_came() {
    for (pieces, kept) in [(vec![], false), (vec![Do::Write(delta("half"))], true)] {
        let home = Home::new();
        let body = pieces.into_iter().chain([Do::Write(finish("content_filter"))]).collect();
        let server = ModelServer::start(vec![Answer::stream(body)]);
        let done = home.turn(&server, "go", &[]).ended(4);
        assert_eq!(done.err.contains("is kept in the session"), kept, "{}", done.err);
    }
}

#[test]
fn what_another_installation_wrote_is_foreign_until_it_is_adopted() {
    let (home, other) = (Home::new(), Home::new());
    let path = a_session_with_a_run(&home);
    let own = std::fs::read_to_string(&path).unwrap();
    assert!(own.lines().all(|line| line.contains("\"mac\":")), "{own}");
    let id = path.file_stem().unwrap().to_str().unwrap().to_owned();
    let folder = other.sayso().join("sessions");
    std::fs::create_dir_all(&folder).unwrap();
    let copy = folder.join(path.file_name().unwrap());
    std::fs::write(&copy, &own).unwrap();

    let told = |home: &Home| {
        let done = home.run(&["sessions", "show", &id, "--json"]);
        (done.json()[0]["foreign"].clone(), done.err)
    };
    assert!(told(&home).0.is_null());
    assert!(told(&other).0.as_str().is_some_and(|why| why.contains("no key")), "{:?}", told(&other));
    other.run(&["sessions", "check"]).ended(0).prints(&["foreign: "]);

    other.run(&["sessions", "adopt", &id]).ended(2).tells(&["--yes"]).prints(&[" and 1 approval;"]);
    assert_eq!(std::fs::read_to_string(&copy).unwrap(), own, "nothing was changed");
    other.run(&["sessions", "adopt", &id, "--yes"]).ended(0);
    assert!(told(&other).0.is_null());
    assert!(!other.run(&["sessions", "check"]).out.contains("foreign"));
    // A changed text with a valid checksum is not what was adopted.
    let line = own.lines().nth(1).unwrap();
    let (body, _) = line.split_once(",\"crc\":").unwrap();
    let body = body.replacen("go", "do", 1);
    assert_ne!(body, line.split_once(",\"crc\":").unwrap().0);
    let crc = crc32fast::hash(format!("{body}}}").as_bytes());
    let adopted = std::fs::read_to_string(&copy).unwrap();
    std::fs::write(&copy, adopted.replacen(line, &format!("{body},\"crc\":\"{crc:08x}\"}}"), 1)).unwrap();
    assert!(told(&other).0.is_string());
    home.run(&["sessions", "adopt", &id, "--yes"]).prints(&["yours already"]);
}

/// A session with one run that changed, created and deleted files.
fn a_session_with_changes(home: &Home) -> String {
    home.file("a.txt", "mine\n");
    home.file("gone.txt", "mine\n");
    let block = "```bash\necho run > a.txt; rm gone.txt; mkdir -p new; echo run > new/b.txt\n```\n";
    let server = ModelServer::replying(&[block, "Done."]);
    home.turn(&server, "go", &["--approve", "all", "--sandbox", "off"]).ended(0);
    assert_eq!(home.text("a.txt"), "run\n");
    home.session_id()
}

#[test]
fn what_a_run_changed_is_taken_back_and_made_again_from_the_shell() {
    let home = Home::new();
    let id = a_session_with_changes(&home);
    let (work, read) = (home.work(), |path: PathBuf| std::fs::read_to_string(path).ok());
    home.run(&["sessions", "undo", &id]).ended(2).prints(&[
        "changed  a.txt",
        "deleted  gone.txt",
        "created  new/b.txt",
        "3 of 3 changes can be taken back.",
    ]);
    assert_eq!(read(work.join("a.txt")).as_deref(), Some("run\n"), "nothing was changed yet");
    for named in
        ["./new/b.txt".to_owned(), work.canonicalize().unwrap().join("new/b.txt").display().to_string()]
    {
        home.run(&["sessions", "undo", &id, "--file", &named]).prints(&["1 of 1 change can be taken back."]);
    }
    let done = home.run(&["sessions", "undo", &id, "--file", "gone.txt", "--yes"]).ended(0);
    assert_eq!(done.out, "taken back: gone.txt\n");
    // A file that changed since is kept, and reported.
    home.file("a.txt", "newer\n");
    let done = home.run(&["sessions", "undo", &id, "--block", "1", "--yes"]).ended(5);
    let told =
        "taken back: new/b.txt\nnot taken back: a.txt: it changed since the run ended and stays as it is\n";
    assert_eq!(done.tells(&["1 of 3 changes was not taken back"]).out, told);
    assert!(!work.join("new").exists() && read(work.join("a.txt")).as_deref() == Some("newer\n"));
    home.run(&["sessions", "undo", &id]).prints(&["a.txt  4 B  changed since"]);
    home.run(&["sessions", "undo", &id, "--file", "a.txt", "--yes"])
        .ended(5)
        .tells(&["1 of 1 change was not taken back"]);
    home.run(&["sessions", "undo", &id, "--again", "--yes"]).ended(5).prints(&["not made again: a.txt"]);
    assert!(!work.join("gone.txt").exists() && read(work.join("new/b.txt")).as_deref() == Some("run\n"));
    home.run(&["sessions", "show", &id]).prints(&[
        "taken back: gone.txt",
        "taken back: new/b.txt",
        "made again: gone.txt, new/b.txt",
    ]);
    home.run(&["sessions", "undo", &id, "--file", "other", "--yes"]).ended(2);
}

/// Whoever follows the hint gets the file.
#[test]
fn the_hint_of_an_export_without_a_form_names_endings_that_are_known() {
    let home = Home::new();
    let id = a_session_with_changes(&home);
    let done = home.run(&["sessions", "export", &id, "--output", "report.script"]).ended(2);
    let (_, named) = done.err.split_once("ends in ").unwrap();
    let endings: Vec<&str> = named.split([' ', ',', '\n']).filter(|word| word.starts_with('.')).collect();
    assert_eq!(endings.len(), 6, "{}", done.err);
    for ending in endings {
        let file = format!("report{}", ending.strip_suffix('.').unwrap_or(ending));
        home.run(&["sessions", "export", &id, "--output", &file]).ended(0);
        assert!(home.work().join(&file).is_file(), "{file}");
    }
}

/// The command does the same however often it is given; it tells how to go on.
#[test]
fn what_was_taken_back_already_leads_to_the_runs_before_it() {
    let home = Home::new();
    let block = |word: &str| Answer::text(&format!("```bash\necho {word} > a.txt\n```\n"));
    let server = ModelServer::start(vec![block("one"), block("two"), Answer::text("Done.")]);
    home.turn(&server, "go", &["--approve", "all", "--sandbox", "off"]).ended(0);
    let id = home.session_id();
    assert_eq!(home.run(&["sessions", "undo", &id, "--yes"]).ended(0).out, "taken back: a.txt\n");
    home.run(&["sessions", "undo", &id, "--yes"])
        .ended(5)
        .tells(&["nothing of it can be taken back"])
        .prints(&["before it, block 1 (--block 1): 1 change\n"]);
    assert_eq!(home.text("a.txt"), "one\n");
}

/// Each file that is not restored is named with its reason, and counted.
#[test]
fn what_is_not_taken_back_is_told_each_with_its_reason() {
    let files = [(".env", "S=1\n"), ("kept", "1\n"), ("lost", "2\n"), ("newer", "3\n"), ("newest", "4\n")];
    let home = Home::with(&files);
    let made = std::process::Command::new("mkfifo").arg(home.work().join("pipe")).status().unwrap();
    assert!(made.success());
    home.file("run.sh", "for f in .env kept lost newer newest; do echo run >> $f; done; rm pipe\n");
    home.run(&["exec", "run.sh", "--sandbox", "off"]).ended(0);
    for name in ["newer", "newest"] {
        home.file(name, "mine\n");
    }
    // One of the copies is damaged.
    let objects = home.sayso().join("undo/objects");
    let files = std::fs::read_dir(objects)
        .unwrap()
        .flatten()
        .flat_map(|folder| std::fs::read_dir(folder.path()).unwrap());
    let copy =
        files.flatten().find(|copy| std::fs::read(copy.path()).is_ok_and(|bytes| bytes == b"2\n")).unwrap();
    std::fs::write(copy.path(), "no copy").unwrap();

    let id = home.session_id();
    let told = ["5 of 6 changes were not taken back"];
    let done = home.run(&["sessions", "undo", &id, "--yes"]).ended(5).tells(&told);
    let mut lines: Vec<&str> = done.out.lines().collect();
    lines.sort_unstable();
    let (no_copy, since) = (
        "there is no copy of how it was before the run",
        "it changed since the run ended and stays as it is",
    );
    let wanted = [
        format!("not taken back: .env: {no_copy}"),
        "not taken back: lost: how it was is not kept any more: newer copies took its room, or it was removed or damaged".into(),
        format!("not taken back: newer: {since}"),
        format!("not taken back: newest: {since}"),
        format!("not taken back: pipe: {no_copy}"),
        "taken back: kept".into(),
    ];
    assert_eq!(lines, wanted, "{}", done.err);
    assert_eq!((&*home.text("kept"), &*home.text("newest")), ("1\n", "mine\n"));
}

#[test]
fn what_is_sayso_s_own_is_no_change_of_a_run_where_a_link_leads_to_it_too() {
    let home = Home::with(&[("a.txt", "mine\n")]);
    let linked = home.work().parent().unwrap().join("linked");
    std::os::unix::fs::symlink(home.work(), &linked).unwrap();
    let run = |mut command: std::process::Command| {
        let done = command.env("SAYSO_HOME", linked.join("sayso")).output().unwrap();
        assert!(matches!(done.status.code(), Some(0 | 2)), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    };
    let block = "```bash\necho run > a.txt\n```\n";
    let server = ModelServer::replying(&[block, "Done."]);
    let options = ["--approve", "all", "--sandbox", "off"];
    run(home.turn_command(&server, "go", &options));
    let sessions = std::fs::read_dir(home.work().join("sayso/sessions")).unwrap().flatten();
    let session =
        sessions.map(|e| e.path()).find(|path| path.extension().is_some_and(|e| e == "jsonl")).unwrap();
    let told = run(home.command(&["sessions", "undo", &session.file_stem().unwrap().to_string_lossy()]));
    assert!(told.contains("changed  a.txt") && told.contains("1 of 1 change"), "{told}");
}
