//! Tests replays: same results are reported as same, differences come first, and neither the session nor its folder
//! changes.

use crate::home::{Done, Home, assert_has};
use crate::model_server::ModelServer;
use serde_json::{Value, json};
use std::process::Command;

/// Makes a session of these files.
fn ran(home: &Home, files: &[(&str, &str)]) -> String {
    let mut args = vec!["exec"];
    for (name, text) in files {
        home.file(name, text);
        args.push(name);
    }
    args.extend(["--sandbox", "off", "--json"]);
    let done = home.run(&args);
    let last = done.last();
    last["session"].as_str().expect("a session").to_owned()
}

fn replay(home: &Home, id: &str, options: &[&str]) -> Done {
    let mut args = vec!["sessions", "replay", id, "--sandbox", "off"];
    args.extend(options);
    home.run(&args)
}

/// All files of the working folder and of the sessions, with their bytes.
fn disk(home: &Home) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for folder in [home.work(), home.sayso().join("sessions")] {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let is_session = entry.path().extension().is_some_and(|ending| ending == "jsonl");
            if entry.path().starts_with(home.work()) || is_session {
                let bytes = std::fs::read(entry.path()).unwrap_or_default();
                all.push((entry.path().to_string_lossy().into_owned(), bytes));
            }
        }
    }
    all.sort();
    all
}

fn results(done: &Done) -> Vec<String> {
    let of = |value: Value| format!("{} {}", value["block"], value["result"].as_str().unwrap_or("?"));
    done.json().into_iter().filter(|value| value["event"] == "replayed").map(of).collect()
}

#[test]
fn what_does_the_same_is_the_same_though_times_places_and_orders_differ() {
    let home = Home::new();
    let id = ran(
        &home,
        &[
            (
                "a.py",
                "import os, time\nx = 5\nprint(time.time(), os.getcwd(), {'a', 'b', 'c', 'd', 'e'})\n\
                 open('made.txt', 'w').write('hello\\n')\nx\n",
            ),
            ("b.sh", "cat made.txt; pwd; date +%H:%M:%S\n"),
            ("c.py", "x += 1\nprint(x, object())\n1 / 0\n"),
        ],
    );
    let before = disk(&home);
    replay(&home, &id, &[])
        .ended(0)
        .tells(&["nothing holds runs to it"])
        .prints(&["3 of 3 runs did the same"]);
    assert_eq!(disk(&home), before);
    // Any different byte counts.
    let exact = replay(&home, &id, &["--exact", "--json", "--all"]);
    assert_eq!((exact.code, results(&exact).first().map(String::as_str)), (Some(1), Some("1 different")));
    assert_eq!(disk(&home), before);
}

#[test]
fn the_first_block_that_does_something_else_is_named_and_is_the_last_one() {
    let home = Home::with(&[("given.csv", "1,2\n")]);
    let files =
        [("a.sh", "echo begun\n"), ("b.sh", "cat given.csv; echo done\n"), ("c.sh", "cat given.csv\n")];
    let id = ran(&home, &files);
    let done = replay(&home, &id, &[])
        .ended(1)
        .tells(&["block 2 does something else", "stay behind: given.csv"])
        .prints(&[
            "block 1  bash  same",
            "block 2  bash  different",
            "then: 1,2\n    now:  done",
            "stderr, line 1",
        ]);
    assert!(!done.out.contains("block 3"), "{}", done.out);
    let all = replay(&home, &id, &["--all", "--json"]);
    assert_eq!(results(&all), ["1 same", "2 different", "3 different"]);
    let last = all.last();
    assert_eq!(json!([last["event"], last["result"], last["first"]]), json!(["replay_end", "different", 2]));
    for options in [&["--with", "given.csv"][..], &["--copy"]] {
        assert_eq!(replay(&home, &id, options).code, Some(0), "{options:?}");
    }
    home.file("given.csv", "1,3\n");
    replay(&home, &id, &["--copy"]).ended(1);
    replay(&home, &id, &["--with", "/etc/hostname"]).ended(2).tells(&["/etc/hostname"]);
}

#[test]
fn what_is_left_out_of_a_copy_of_the_folder_is_named() {
    let home = Home::with(&[(".hid", "h\n"), ("plain", "p\n"), ("id_rsa", "k\n")]);
    std::os::unix::fs::symlink("plain", home.work().join("lnk")).unwrap();
    let id = ran(&home, &[("a.sh", "cat lnk .hid 2> /dev/null; echo made > made\n")]);
    let done = replay(&home, &id, &["--copy"]).ended(1).tells(&[
        ".hid (hidden)",
        "lnk (a link)",
        "id_rsa (may hold keys)",
        "stay behind: .hid, lnk (",
    ]);
    assert!(!done.err.contains("made ("), "{}", done.err);
    replay(&home, &id, &["--with", "."]).tells(&["not copied: lnk (a link)\n"]);
}

#[test]
fn other_bytes_of_the_same_length_are_found_and_times_in_texts_are_no_difference() {
    let home = Home::with(&[("in.txt", "aaab")]);
    let id =
        ran(&home, &[("a.py", "text = open('in.txt').read()[::-1]\n_ = open('out.txt', 'w').write(text)\n")]);
    for options in [&["--with", "in.txt"][..], &["--with", "in.txt", "--exact"]] {
        home.file("in.txt", "aaab");
        let done = replay(&home, &id, options);
        let is_exact = options.contains(&"--exact");
        assert_eq!(done.code, Some(0), "{}{}", done.out, done.err);
        home.file("in.txt", "baaa");
        let done = replay(&home, &id, options).ended(1);
        assert!(done.out.contains("out.txt: written, 4 bytes, sha256") || is_exact, "{}", done.out);
    }
    let timed = Home::new();
    let log = "import os, time\n_ = open('log.txt', 'w').write(f'{time.time()} in {os.getcwd()}: done\\n')\n";
    let id = ran(&timed, &[("a.py", log)]);
    replay(&timed, &id, &[]).ended(0);
    replay(&timed, &id, &["--exact"]).ended(1);
}

#[test]
fn a_duration_that_is_longer_than_the_run_is_data() {
    let home = Home::with(&[("data.txt", "mean 120 ms, slowest 180.0 seconds\n")]);
    let id = ran(&home, &[("a.py", "print(open('data.txt').read())\n")]);
    replay(&home, &id, &["--with", "data.txt"]).ended(0);
    home.file("data.txt", "mean 120 ms, slowest 1350.0 seconds\n");
    replay(&home, &id, &["--with", "data.txt"]).ended(1);
}

#[test]
fn a_file_that_the_session_changed_or_deleted_is_had_as_it_was_before() {
    let home = Home::with(&[("a.txt", "one\n"), ("b.txt", "bee\n")]);
    let files = [
        ("a.sh", "cat a.txt b.txt; sed -i s/one/two/ a.txt\n"),
        ("b.sh", "cat a.txt; rm b.txt; sed -i s/two/three/ a.txt\n"),
    ];
    let id = ran(&home, &files);
    replay(&home, &id, &[]).ended(1).tells(&["stay behind: a.txt, b.txt (--with, --copy)"]);
    for options in [&["--with", "a.txt", "--with", "b.txt"][..], &["--copy"]] {
        replay(&home, &id, options)
            .ended(0)
            .tells(&["as it was before the session changed it: a.txt and 1 more"]);
    }
    assert!(!home.work().join("b.txt").exists());
    assert_eq!(home.text("a.txt"), "three\n");
    // If no copies are left, the current file is used, and this is reported.
    std::fs::remove_dir_all(home.sayso().join("undo")).unwrap();
    replay(&home, &id, &["--with", "a.txt"])
        .ended(1)
        .tells(&["after a run of the session changed it: a.txt"]);
    replay(&home, &id, &["--with", "b.txt"]).ended(2).tells(&["b.txt"]);
}

#[test]
fn an_edit_of_a_file_of_the_project_can_be_repeated_afterwards() {
    let home = Home::with(&[("p.txt", "x = 1\n")]);
    let edit = "```edit path=p.txt\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n```\n";
    let server = ModelServer::replying(&[edit, "Done."]);
    home.turn(&server, "go", &["--json", "--sandbox", "off", "--approve", "all"]).ended(0);
    let id = &*home.session_id();
    replay(&home, id, &[]).ended(2).tells(&["stay behind: p.txt (--with, --copy)"]);
    replay(&home, id, &["--with", "p.txt"])
        .ended(0)
        .tells(&["as it was before the session changed it: p.txt"]);
}

#[test]
fn it_is_a_report_for_ci_that_others_can_read() {
    let home = Home::with(&[("given", "1")]);
    let id = ran(&home, &[("a<&\"\u{1b}.sh", "printf '\\033[2J<b>&\"]]>'\n"), ("b.sh", "cat given\n")]);
    let report = home.work().join("report.xml");
    replay(&home, &id, &["--junit", &report.to_string_lossy()]).ended(1);
    let read = "import sys, xml.etree.ElementTree as E\n\
                s = E.parse(sys.argv[1]).getroot()[0]\n\
                print(s.get('tests'), s.get('failures'), s.get('errors'), [c[0].tag if len(c) else 'ok' for c in s])";
    let python = Command::new("python3").args(["-c", read]).arg(&report).output().unwrap();
    let told = String::from_utf8_lossy(&python.stdout).into_owned();
    assert_eq!(told.trim(), "2 1 0 ['ok', 'failure']", "{}", String::from_utf8_lossy(&python.stderr));
}

#[test]
fn nothing_runs_of_a_session_that_is_foreign_or_was_changed_or_without_a_sandbox() {
    let home = Home::new();
    let id = ran(&home, &[("a.sh", "echo hello; touch ../ran.txt\n")]);
    let mark = home.work().join("../ran.txt");
    assert!(mark.exists());
    std::fs::remove_file(&mark).unwrap();
    // A sandbox that the configuration switches off was not switched off for this command.
    home.file("../sayso/config.toml", "[sandbox]\nlevel = \"off\"\n");
    home.run(&["sessions", "replay", &id]).ended(1).tells(&["nothing was run"]);
    let path = home.sayso().join("sessions").join(format!("{id}.jsonl"));
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("echo hello", "echo mellow")).unwrap();
    let done = replay(&home, &id, &[]).ended(5).tells(&["foreign", "sessions adopt"]);
    assert!(!mark.exists() && done.out.is_empty());
}

#[test]
fn what_has_no_end_in_the_session_is_not_the_same() {
    let home = Home::with(&[("a.sh", "head -c 300000 /dev/zero | tr '\\0' y\n")]);
    let sayso = home.command(&["exec", "--json", "--sandbox", "off", "a.sh"]);
    // The output is larger than any file may be, so the end of the run is not written.
    let mut shell = home.shell("ulimit -f 64; exec \"$0\" \"$@\"", &sayso);
    let done = crate::home::run_to_end(&mut shell);
    let id = done.json()[0]["session"].as_str().expect(&done.err).to_owned();
    let done = replay(&home, &id, &["--json"]);
    assert_eq!((done.code, results(&done)), (Some(2), vec!["1 impossible".to_owned()]), "{}", done.err);
    assert_eq!(done.events("replay_end")[0]["result"], "impossible");
}

#[test]
fn a_session_that_is_not_there_is_told() {
    replay(&Home::new(), "no-such-session", &[]).ended(5).tells(&["sessions list"]);
}

/// Checks that blocks that ran in another executor give the same there again, and that differences are named: the
/// replay has a kernel of its own and a fresh folder.
fn it_is_repeated_where_it_ran(
    (executor, place): (&str, &str),
    confined: bool,
    environment: &[(&str, &str)],
    config: &str,
) {
    let home = Home::new();
    home.configure(config);
    home.file("one.py", "import time\nbegan = time.time()\nx = [1, 2]\nx");
    home.file("two.py", "open('made.txt', 'w').write(str(sum(x)))\nprint(x, began > 0)");
    home.file("three.py", "import os\nlen(os.listdir('.'))");
    let run = |args: &[&str]| {
        let mut command = home.command(args);
        command.envs(environment.iter().copied());
        crate::home::run_to_end(&mut command)
    };
    let sandbox: &[&str] = if confined { &[] } else { &["--sandbox", "off"] };
    let files = ["exec", "one.py", "two.py", "three.py", "--executor", executor, "--json"];
    let done = run(&[&files[..], sandbox].concat()).ended(0);
    let id = done.last()["session"].as_str().unwrap().to_owned();
    let before = disk(&home);
    // With another executor configured, the replay says where the block ran.
    run(&[&["sessions", "replay", &id][..], sandbox].concat())
        .ended(2)
        .tells(&[&format!("block 1 ran {place}")]);
    let again = ["--executor", executor, "sessions", "replay", &id, "--all"];
    let done = run(&[&again[..], sandbox].concat());
    let told = format!("{}{}", done.out, done.err);
    // The third block counts the files in its folder, which is a different one.
    assert_eq!(done.code, Some(1), "{told}");
    assert_has(
        &told,
        &["block 1  python  same", "block 2  python  same", "block 3  python  different", "value"],
    );
    assert_eq!(disk(&home), before, "neither the session nor its folder changed");
}

#[test]
#[ignore = "needs a container engine in DOCKER_HOST and the image sayso-test:python"]
fn what_ran_in_a_container_is_repeated_there() {
    let host = std::env::var("DOCKER_HOST").expect("DOCKER_HOST is not set");
    let executor = ("container:sayso-test:python", "in a container");
    it_is_repeated_where_it_ran(executor, true, &[("DOCKER_HOST", &host)], "");
}

#[test]
#[ignore = "needs ipykernel: SAYSO_TEST_JUPYTER"]
fn what_ran_in_a_jupyter_kernel_is_repeated_there() {
    let venv = std::env::var("SAYSO_TEST_JUPYTER").expect("SAYSO_TEST_JUPYTER names a virtual environment");
    let config = format!("[run]\npython = \"{venv}/bin/python\"\n");
    it_is_repeated_where_it_ran(("jupyter", "in a Jupyter kernel"), false, &[], &config);
}
