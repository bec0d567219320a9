//! Tests of branches on the command line: where they begin, what stays unchanged, and how sessions are compared.

use crate::home::Home;
use crate::model_server::ModelServer;

/// Two turns in one session, with a block each.
fn two_turns(home: &Home) -> String {
    let blocks = ["```python\nprint('one')\n```\n", "```python\nprint('two')\n```\n"];
    let server = ModelServer::replying(&[&blocks[..], &["Done."]].concat());
    home.turn(&server, "count to two", &["--approve", "all", "--sandbox", "off"]).ended(0);
    home.session_id()
}

fn id(path: &std::path::Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

/// Makes a branch of the session and returns its id.
fn fork(home: &Home, of: &str, options: &[&str]) -> String {
    let before = home.session_files();
    let args: Vec<&str> = ["sessions", "fork", of].iter().chain(options).copied().collect();
    let done = home.run(&args).ended(0);
    let made = home.session_files().into_iter().find(|path| !before.contains(path)).expect("a new file");
    assert!(done.out.contains(&format!("Go on: sayso resume {}", id(&made))), "{}", done.out);
    id(&made)
}

fn shown(home: &Home, id: &str) -> serde_json::Value {
    let done = home.run(&["sessions", "show", id, "--json"]).ended(0);
    done.json()[0].clone()
}

fn kinds(shown: &serde_json::Value) -> Vec<String> {
    let entries = shown["entries"].as_array().unwrap();
    entries.iter().map(|entry| entry["event"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_branch_begins_before_a_decision_and_the_session_stays_as_it_is() {
    let home = Home::new();
    let of = two_turns(&home);
    let path = home.session_files().remove(0);
    let whole = std::fs::read(&path).unwrap();

    let before_two = fork(&home, &of, &["--at", "block:2", "--name", "other way"]);
    let made = shown(&home, &before_two);
    assert_eq!(made["session"]["branch_of"], of.as_str());
    assert_eq!(made["session"]["branch_at"], "block 2");
    assert_eq!((&made["session"]["name"], &made["session"]["waiting"]), (&"other way".into(), &1.into()));
    assert!(made["foreign"].is_null() && made["damage"].as_array().unwrap().is_empty(), "{made}");
    let kinds_made = kinds(&made);
    assert_eq!(kinds_made.iter().filter(|kind| *kind == "run").count(), 1, "{kinds_made:?}");
    assert_eq!(kinds(&shown(&home, &of))[..kinds_made.len()], kinds_made[..], "the beginning is the same");
    let all = fork(&home, &of, &[]);
    assert_eq!(kinds(&shown(&home, &all)), kinds(&shown(&home, &of)));

    assert_eq!(std::fs::read(&path).unwrap(), whole, "the session itself was only read");
    let tree =
        home.run(&["sessions", "list", "--tree"]).prints(&[" from block 2 on", " from message 2 on"]).out;
    assert!(tree.contains("├ other way") || tree.contains("└ other way"), "{tree}");
    let (root, below) = (tree.find(&of).expect("it is there"), tree.find("other way").expect("it is there"));
    assert!(root < below, "{tree}");
    // A branch of a branch still knows its origin after that was deleted.
    let second = fork(&home, &before_two, &[]);
    assert_eq!(shown(&home, &second)["session"]["branch_of"], before_two.as_str());
    home.run(&["sessions", "rm", "--yes", &before_two]).ended(0);
    home.run(&["sessions", "list"]).prints(&["a session that is gone"]);
    home.run(&["sessions", "list", "--tree"]).prints(&["a session that is gone", "└ "]);
    let json = home.run(&["sessions", "list", "--json"]).json()[0].clone();
    let at: Vec<&serde_json::Value> =
        json["sessions"].as_array().unwrap().iter().map(|one| &one["branch_at"]).collect();
    assert_eq!(at.iter().filter(|at| ***at == "message 2").count(), 2, "{json}");
    home.run(&["sessions", "check"]).ended(0);
}

#[test]
fn a_place_that_is_not_there_makes_no_branch() {
    let home = Home::new();
    let of = two_turns(&home);
    for (at, told) in [
        ("block:9", "there is no block 9"),
        ("message:2", "there is no message 2: the last one is 1"),
        ("somewhere", "not a place"),
    ] {
        home.run(&["sessions", "fork", &of, "--at", at]).ended(2).tells(&[told]);
    }
    let left: Vec<_> =
        std::fs::read_dir(home.sayso().join("sessions")).unwrap().flatten().map(|e| e.file_name()).collect();
    assert_eq!(home.session_files().len(), 1, "{left:?}");
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("draft")), "{left:?}");
}

#[test]
fn a_branch_before_the_first_message_tells_what_it_is_a_branch_of() {
    let home = Home::new();
    let of = two_turns(&home);
    home.run(&["sessions", "fork", &of, "--at", "message:1", "--name", "anew"])
        .prints(&["anew  begins before the first message of "]);
    let made = home.session_files().into_iter().find(|path| id(path) != of).expect("a file");
    let shown = shown(&home, &id(&made));
    assert_eq!(
        (&shown["session"]["branch_of"], &shown["session"]["messages"]),
        (&of.as_str().into(), &0.into())
    );
    assert!(shown["foreign"].is_null() && shown["damage"].as_array().unwrap().is_empty(), "{shown}");
    home.run(&["sessions", "list", "--tree"]).prints(&["└ anew", "[a branch of ", " from message 1 on"]);
    home.run(&["sessions", "compare", &of, "anew"])
        .prints(&["one is a branch of the other, from before its first message"]);
    home.run(&["sessions", "check"]).ended(0);
}

#[test]
fn what_is_foreign_or_damaged_gets_no_branch() {
    let (home, other) = (Home::new(), Home::new());
    let of = two_turns(&home);
    let path = home.session_files().remove(0);
    let folder = other.sayso().join("sessions");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::copy(&path, folder.join(path.file_name().unwrap())).unwrap();
    other.run(&["sessions", "fork", &of]).ended(5).tells(&["sessions adopt"]);
    assert_eq!(other.session_files().len(), 1);

    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen("print('one')", "print('1ne')", 1)).unwrap();
    home.run(&["sessions", "fork", &of]).ended(5).tells(&["no branch of"]);
    assert_eq!(home.session_files().len(), 1);
}

#[test]
fn two_sessions_are_compared_from_where_they_part() {
    let home = Home::new();
    let of = two_turns(&home);
    let other = fork(&home, &of, &["--at", "block:2"]);
    let done = home.run(&["sessions", "compare", &of, &other]).ended(0).prints(&[
        "the same up to 1 message and 2 blocks",
        "block 2 (python), approved",
        "≠ block 2 (python), waits",
    ]);
    assert!(done.out.contains("| two") && !done.out.contains("| one"), "{}", done.out);
    assert!(!done.out.contains(" ms") && done.out.contains("done, exit 0"), "no times: {}", done.out);
    home.run(&["sessions", "compare", &of, &of]).prints(&["nothing else on either side"]);
}
