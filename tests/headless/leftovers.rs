//! Tests what a killed sayso leaves behind, and what removes it.

use crate::home::{DEADLINE, Home};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

#[track_caller]
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + DEADLINE;
    while !holds() {
        assert!(Instant::now() < end, "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn temporary(home: &Home) -> PathBuf {
    home.work().with_file_name("tmp")
}

/// The existing private folders.
fn folders(home: &Home) -> Vec<PathBuf> {
    let all = std::fs::read_dir(temporary(home)).unwrap().map(|entry| entry.unwrap().path());
    let is_ours = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("sayso-");
    let mut all: Vec<PathBuf> = all.filter(is_ours).collect();
    all.sort();
    all
}

/// Starts a file with these options; returns the process id that its code prints, once it runs.
fn started(home: &Home, name: &str, text: &str, options: &[&str]) -> (Child, String) {
    home.file(name, text);
    let args = [&["exec", "--sandbox", "off"], options, &[name]].concat();
    let mut command = home.command(&args);
    command.env("TMPDIR", temporary(home)).stdout(Stdio::null());
    let child = command.spawn().unwrap();
    let told = home.work().join(format!("{name}.pid"));
    until("it runs", || std::fs::read_to_string(&told).is_ok_and(|pid| pid.ends_with('\n')));
    let pid = std::fs::read_to_string(&told).unwrap().trim().to_owned();
    (child, pid)
}

fn kill((mut child, pid): (Child, String)) {
    child.kill().unwrap();
    child.wait().unwrap();
    // The killed sayso's processes end by themselves.
    until("its process ends", || !Path::new("/proc").join(&pid).exists());
}

#[test]
fn what_a_killed_sayso_left_goes_at_the_next_start_and_what_a_living_one_uses_stays() {
    let home = Home::new();
    std::fs::create_dir(temporary(&home)).unwrap();
    home.configure(
        "[languages.held]\ncommand = \"sh\"\nextensions = [\"held\"]\narguments = [\"{source}\"]\n",
    );
    let text = |name: &str| format!("echo $$ >{name}.pid\nexec sleep 600\n");
    let living = started(&home, "living.held", &text("living.held"), &["--no-session"]);
    let used = folders(&home);
    assert!(!used.is_empty());
    for next in [["doctor", "--json"], ["exec", "true.sh"]] {
        let killed = started(&home, "killed.held", &text("killed.held"), &["--no-session"]);
        kill(killed);
        assert!(folders(&home).len() > used.len(), "nobody was there to remove it");
        std::fs::remove_file(home.work().join("killed.held.pid")).unwrap();
        home.file("true.sh", "true\n");
        let mut command = home.command(&next);
        command.env("TMPDIR", temporary(&home)).stdout(Stdio::null());
        assert!(command.status().unwrap().success());
        assert_eq!(folders(&home), used, "{next:?}");
    }
    kill(living);
}

#[test]
fn a_run_without_an_end_is_told_as_lost_and_nothing_of_it_as_taken_back() {
    let home = Home::new();
    std::fs::create_dir(temporary(&home)).unwrap();
    let running = started(&home, "long.sh", "echo $$ >long.sh.pid\nexec sleep 600\n", &[]);
    let pid = running.0.id();
    let id = home.session_id();
    home.run(&["sessions", "show", &id]).prints(&[&format!("block 1: runs now, in process {pid}\n")]);
    kill(running);
    home.run(&["sessions", "show", &id]).prints(&["block 1: LOST, its end is not known\n"]);
    for of in [&[][..], &["--block", "1"]] {
        home.run(&[&["sessions", "undo", id.as_str()], of].concat())
            .ended(5)
            .tells(&["The run of block 1 has no end"]);
    }
}

#[test]
#[ignore = "needs SAYSO_TEST_JUPYTER"]
fn kernels_of_a_killed_sayso_end_and_their_sockets_go() {
    let home = Home::new();
    std::fs::create_dir(temporary(&home)).unwrap();
    let python = PathBuf::from(std::env::var_os("SAYSO_TEST_JUPYTER").unwrap()).join("bin/python");
    home.configure(format!("[run]\npython = {python:?}\n"));
    let text =
        "import os, time\nprint(os.getpid(), file=open('a.py.pid', 'w'), flush=True)\ntime.sleep(600)\n";
    let killed = started(&home, "a.py", text, &["--no-session", "--executor", "jupyter"]);
    kill(killed);
    let holds_sockets = |folder: &PathBuf| folder.join("connection.json").exists();
    assert!(folders(&home).iter().any(holds_sockets));
    let mut command = home.command(&["doctor"]);
    assert!(command.env("TMPDIR", temporary(&home)).stdout(Stdio::null()).status().unwrap().success());
    assert_eq!(folders(&home), Vec::<PathBuf>::new());
}
