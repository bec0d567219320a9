//! Tests that sessions are found by what was said and done in them, and no longer once they are removed.

use crate::home::Home;
use crate::model_server::ModelServer;
use serde_json::{Value, json};
use std::path::Path;

/// A home with a session in which a model proposed a block that ran.
fn asked() -> Home {
    let home = Home::new();
    let block = "Let me look.\n\n```python\nprint('wow: ' + 'flutter')\n```\n";
    let server = ModelServer::replying(&[block, "It is the rudder."]);
    let options = ["--approve", "all", "--sandbox", "off"];
    home.turn(&server, "why does the glider shake?", &options).ended(0);
    home
}

fn hits(home: &Home, args: &[&str]) -> Vec<(String, Value, String)> {
    let done = home.run(&[&["sessions", "search", "--json"], args].concat());
    let object = done.json().remove(0);
    let hits = object["hits"].as_array().unwrap().clone();
    assert_eq!(done.code, Some(i32::from(hits.is_empty())), "{}", done.err);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    hits.iter().map(|hit| (text(&hit["place"]), hit["block"].clone(), text(&hit["line"]))).collect()
}

/// Whether a file below a folder contains these bytes.
fn holds(folder: &Path, bytes: &[u8]) -> bool {
    std::fs::read_dir(folder).unwrap().flatten().any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return holds(&path, bytes);
        }
        std::fs::read(path).unwrap().windows(bytes.len()).any(|at| at == bytes)
    })
}

#[test]
fn a_session_is_found_by_prompt_reply_code_and_output() {
    let home = asked();
    let found = |words: &[&str]| hits(&home, words);
    assert_eq!(found(&["glider"]), [("prompt".into(), Value::Null, "why does the glider shake?".into())]);
    assert_eq!(found(&["rudder"]), [("reply".into(), Value::Null, "It is the rudder.".into())]);
    assert_eq!(found(&["wow", "prin"]), [("block".into(), json!(1), "print('wow: ' + 'flutter')".into())]);
    assert_eq!(found(&["wow flutter"])[0], ("output".into(), json!(1), "wow: flutter".into()));
    for none in [
        &["nothing"][..],
        &["glider rudder"],
        &["wow", "--language", "bash"],
        &["wow", "--since", "2999-01-01"],
    ] {
        assert_eq!(found(none), [], "{none:?}");
    }
    let narrow =
        ["wow", "--language", "py", "--outcome", "ok", "--model", "TEST", "--since", "1d", "--folder", "."];
    assert_eq!(found(&narrow).len(), 2);

    let done = home.run(&["sessions", "search", "rudder"]);
    let id = &home.session_id();
    assert!(done.out.contains("  reply              It is the rudder.\n"), "{}", done.out);
    let opened = format!("  sayso resume {id} --at message:3 --find rudder\n");
    assert!(done.out.contains(&opened), "{}", done.out);
    home.run(&["sessions", "search", "wow flutter", "--outcome", "ok"])
        .prints(&[" --at output:1 --find '\"wow flutter\"'   (or --at block:1)\n"]);
    // What the search prints is taken as it stands, also for words that look like options.
    home.run(&["sessions", "search", "--", "-rudder"]).prints(&[" --at message:3 --find -rudder\n"]);
    home.run(&["resume", id, "--at", "message:3", "--find", "-rudder"]).tells(&["needs a terminal"]);
    let wrong = home.run(&["resume", id, "--at", "line:3", "--plain"]);
    assert!(wrong.code != Some(0) && !wrong.err.is_empty(), "{}", wrong.err);
    let none = home.run(&["sessions", "search", "nothing"]);
    assert_eq!((none.code, none.out.as_str(), none.err.as_str()), (Some(1), "", "no session holds that\n"));
    for odd in
        [&["--", "\"*:"][..], &["x", "--since", "soon"], &["x", "--outcome", "well"], &["x", "--limit", "0"]]
    {
        home.run(&[&["sessions", "search"], odd].concat()).ended(2);
    }
}

#[test]
fn filters_need_no_word_and_names_are_found() {
    let home = asked();
    let found = |words: &[&str]| hits(&home, words);
    let block = ("block".to_owned(), json!(1), "print('wow: ' + 'flutter')".to_owned());
    assert_eq!(found(&["--outcome", "ok", "--since", "7d"]), [block]);
    assert_eq!(found(&["--outcome", "failed", "--since", "7d"]), []);
    assert_eq!(found(&["--since", "7d"])[0].0, "prompt");
    assert_eq!(home.run(&["sessions", "search"]).code, Some(2), "neither words nor filters");
    let id = &home.session_id();
    home.run(&["sessions", "rename", id, &"x".repeat(5_000)])
        .ended(2)
        .tells(&["a name has 100 characters at the most, and this one has 5000"]);
    home.run(&["sessions", "rename", id, "quarterly zebra"]).ended(0);
    assert_eq!(found(&["zebra"]), [("name".to_owned(), Value::Null, "quarterly zebra".to_owned())]);
    let told = home.run(&["sessions", "search", "zebra"]).out;
    assert!(told.contains(&format!("  sayso resume {id}\n")), "a name is no place: {told}");
    // What a branch shares with its origin is shown once.
    home.run(&["sessions", "fork", id]).ended(0);
    let told = home
        .run(&["sessions", "search", "rudder"])
        .prints(&["It is the rudder.   (and in 1 other session of the same beginning)"])
        .out;
    assert_eq!(told.matches("It is the rudder.").count(), 1, "{told}");
}

#[test]
fn what_acts_on_a_terminal_is_escaped_in_a_hit() {
    let home = Home::new();
    home.exec("a.py", "print('needle \\x1b[2J\\u202eoo')", &[]);
    let done = home.run(&["sessions", "search", "needle", "--outcome", "ok"]).ended(0);
    // Sequences are removed from output and escaped in code.
    for told in ["needle <U+202E>oo", "print('needle \\x1b[2J"] {
        assert!(done.out.contains(told) && !done.out.contains('\u{1b}'), "{told}: {}", done.out);
    }
}

#[test]
fn what_is_kept_for_it_is_private_hidden_from_runs_and_forgotten() {
    let home = asked();
    assert_eq!(hits(&home, &["glider"]).len(), 1);
    let sessions = home.sayso().join("sessions");
    let index = sessions.join("index/search.db");
    assert!(holds(&sessions.join("index"), b"why does the glider shake?"));
    // A run can't access it, if a sandbox is available.
    let peek = format!("import os\nprint('there', os.path.exists({sessions:?}))\nopen({index:?}).read()");
    home.file("peek.py", peek);
    let done = home.run(&["exec", "--json", "peek.py"]);
    let object = done.json().remove(0);
    if object["sandbox"]["level"] == "workspace" {
        // It is not there, or, where Landlock alone confines the run, it can't be opened.
        let layers = object["sandbox"]["layers"].as_array().unwrap();
        let is_apart = layers.iter().any(|layer| layer["name"] == "bwrap" && layer["active"] == true);
        let error = if is_apart { "FileNotFoundError" } else { "PermissionError" };
        assert_eq!(object["error"]["type"], error, "{object}");
    }
    let listed = home.run(&["sessions", "list", "--json"]).json().remove(0);
    for session in listed["sessions"].as_array().unwrap() {
        home.run(&["sessions", "rm", "--yes", session["id"].as_str().unwrap()]).ended(0).prints(&[" freed"]);
    }
    assert!(!holds(&sessions, b"glider") && !holds(&sessions, b"rudder"));
    assert_eq!(hits(&home, &["glider"]), []);
}

#[test]
fn what_was_freed_of_a_session_is_told_although_a_part_of_it_stays() {
    let home = asked();
    let file = home.session_files().remove(0);
    // A folder in the place of its draft can't be removed.
    std::fs::create_dir(file.with_extension("draft")).unwrap();
    let bytes = std::fs::metadata(&file).unwrap().len();
    let id = file.file_stem().unwrap().to_str().unwrap();
    let removed = home.run(&["sessions", "rm", "--yes", id]);
    assert!(removed.code != Some(0) && !file.exists(), "{}", removed.err);
    assert!(bytes > 0 && removed.out.contains(" freed") && !removed.out.starts_with("0 "), "{}", removed.out);
    let gone = home.run(&["sessions", "rm", "--yes", id]);
    assert!(gone.code != Some(0) && gone.out.is_empty(), "{}", gone.out);
}

#[test]
fn words_are_taken_out_of_a_session_and_out_of_all_that_is_kept_for_it() {
    let home = asked();
    assert_eq!(hits(&home, &["glider"]).len(), 1);
    let sessions = home.sayso().join("sessions");
    let id = home.session_id();
    let redact = |input: &str, more: &[&str]| {
        home.run_with_input(&[&["sessions", "redact", &id, "--words-from", "-"], more].concat(), input)
    };
    // Nothing happens before the person was asked.
    let done = redact("Glider\nflutter\n", &[]).ended(10);
    for place in ["your prompt", "block 1", "the output of block 1", "the name of the session"] {
        let told = format!("a word that you named in {place}\n");
        assert!(done.err.contains(&told), "{place}: {}", done.err);
    }
    assert!(holds(&sessions, b"glider"));
    assert_eq!(redact("ab\n", &["--yes"]).code, Some(2), "it stands everywhere");
    assert!(redact("helicopter\n", &["--yes"]).out.contains("holds nothing of the kind"));

    let done = redact("Glider\nflutter\n", &["--yes"]).ended(0).prints(&[": masked in "]);
    assert!(!holds(&sessions, b"glider") && !holds(&sessions, b"flutter"), "{}", done.out);
    assert_eq!(hits(&home, &["glider"]), []);
    assert_eq!(hits(&home, &["rudder"]).len(), 1, "the rest is found as before");
    let checked = home.run(&["sessions", "check", &id]);
    assert!(checked.out.contains("masked") && !checked.out.contains("foreign"), "{}", checked.out);
    // Opening or exporting it warns once, not line by line.
    for command in [&["show", &*id][..], &["export", &*id, "--format", "md"], &["check", &*id]] {
        let done = home.run(&[&["sessions"], command].concat());
        let told =
            done.out.matches("a secret is masked").count() + done.err.matches("a secret is masked").count();
        assert_eq!(told, 1, "{command:?}: {}{}", done.out, done.err);
    }
    home.run(&["sessions", "show", &id]).ended(0).prints(&["It is the rudder."]);
}

#[test]
fn nothing_is_removed_that_nobody_was_asked_about() {
    let home = asked();
    let id = || home.run(&["sessions", "list", "--json"]).json().remove(0)["sessions"][0]["id"].clone();
    let first = id().as_str().unwrap().to_owned();
    for command in [&["rm", &first][..], &["prune", "--older", "0h"]] {
        home.run_with_input(&[&["sessions"], command].concat(), "y\n")
            .ended(10)
            .tells(&["nothing was removed", "--yes"]);
    }
    assert_eq!(id(), first.as_str());

    let named = home.run(&["sessions", "rename", &first, " glider one "]);
    assert_eq!(
        (named.code, named.out.as_str()),
        (Some(0), "why-does-glider-shake is called glider one now\n")
    );
    let pruned = home.run(&["sessions", "prune", "--older", "0h", "--keep-named", "--yes"]).ended(0);
    assert_eq!(pruned.out, "no session was removed\n");
    assert_eq!(pruned.err, "note: --keep-named passes over 1 session\n");
    assert_eq!(home.run(&["sessions", "prune", "--older", "1d", "--yes"]).out, "no session is that old\n");
    home.run(&["sessions", "prune", "--older", "soon", "--yes"]).ended(2);
    let pruned = home.run(&["sessions", "prune", "--older", "0h", "--yes"]);
    assert!(pruned.code == Some(0) && pruned.out.starts_with("removed glider one\n"), "{}", pruned.out);
    assert_eq!(id(), Value::Null);
    // The automatic name of the session does not contain it either.
    let home = asked();
    let pruned = home.run(&["sessions", "prune", "--older", "0h", "--keep-named", "--yes"]);
    assert!(pruned.out.starts_with("removed why-does-glider-shake\n"), "{}", pruned.out);
}
