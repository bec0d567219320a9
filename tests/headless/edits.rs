//! Tests edits of files without a person: applied together or not at all, refused when outdated, returned with the
//! reason.

use crate::home::{Done, Home, assert_has};
use crate::model_server::ModelServer;
use serde_json::json;
use std::os::unix::fs::{PermissionsExt as _, symlink};

fn turn(home: &Home, server: &ModelServer, more: &[&str]) -> Done {
    home.turn(server, "go", &[&["--json", "--sandbox", "off"], more].concat())
}

fn applied(home: &Home, replies: &[&str]) -> (Done, Vec<String>) {
    let server = ModelServer::replying(&[replies, &["Done."]].concat());
    let done = turn(home, &server, &["--approve", "all"]).ended(0);
    (done, server.requests().iter().map(|request| request.last_message()).collect())
}

fn block(search: &str, replace: &str) -> String {
    format!("<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n")
}

#[test]
fn an_edit_of_two_files_is_one_proposal_and_keeps_what_it_does_not_name() {
    let home = Home::new();
    let at = |name: &str| home.work().join(name);
    std::fs::write(at("a.py"), "\u{feff}import os\r\n\r\nx = 1\r\ny = 2").unwrap();
    std::fs::set_permissions(at("a.py"), std::fs::Permissions::from_mode(0o750)).unwrap();
    std::fs::write(at("real.txt"), "one\ntwo\n").unwrap();
    symlink("real.txt", at("b.txt")).unwrap();
    let reply = format!(
        "Both:\n\n```edit path=a.py\n{}*** Update File: b.txt\n{}*** Update File: new/c.txt\n{}```\n",
        block("x = 1\ny = 2\n", "x = 10\nz = 3\ny = 2\n"),
        block("two\n", "TWO\n"),
        block("", "three\n"),
    );
    let (done, told) = applied(&home, &[&reply]);
    assert_eq!(
        std::fs::read_to_string(at("a.py")).unwrap(),
        "\u{feff}import os\r\n\r\nx = 10\r\nz = 3\r\ny = 2"
    );
    assert_eq!(std::fs::metadata(at("a.py")).unwrap().permissions().mode() & 0o777, 0o750);
    assert_eq!(std::fs::read_to_string(at("real.txt")).unwrap(), "one\nTWO\n");
    assert!(std::fs::symlink_metadata(at("b.txt")).unwrap().is_symlink());
    assert_eq!(std::fs::read_to_string(at("new/c.txt")).unwrap(), "three\n");
    let blocks = done.events("block");
    assert_eq!((blocks.len(), &blocks[0]["kind"]), (1, &json!("edit")), "{}", done.out);
    assert_eq!(blocks[0]["paths"], json!(["a.py", "b.txt", "new/c.txt"]));
    let placed = &done.events("placed")[0];
    assert!(placed["source"].as_str().unwrap().contains("==> b.txt <==\none\nTWO\n"), "{placed}");
    assert_eq!((&placed["revision"], &placed["note"]), (&json!(2), &json!("")));
    let files = done.events("run")[0]["receipt"]["files"].clone();
    let changed: Vec<_> =
        files.as_array().unwrap().iter().map(|file| (&file["path"], &file["change"])).collect();
    let (changed_word, created) = (json!("changed"), json!("created"));
    let (a, b, c) = (json!("a.py"), json!("real.txt"), json!("new/c.txt"));
    assert_eq!(changed, [(&a, &changed_word), (&b, &changed_word), (&c, &created)]);
    assert_has(&told[1], &["changed a.py: 5 lines, ", "; changed at lines 3-4"]);
}

#[test]
fn an_empty_new_file_is_made_and_a_text_that_stands_there_is_not_written_again() {
    let home = Home::with(&[("x", "a\n")]);
    let diff = "```diff\ndiff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\
                diff --git a/p/__init__.py b/p/__init__.py\nnew file mode 100644\nindex 0000000..e69de29\n```\n";
    let (done, told) = applied(&home, &[diff, "```text path=x\nb\n```\n"]);
    assert_eq!(done.events("block")[0]["paths"], json!(["x", "p/__init__.py"]), "{}", done.out);
    assert_eq!(home.text("x"), "b\n");
    assert_eq!(home.text("p/__init__.py"), "");
    assert!(told[1].contains("created p/__init__.py: 0 lines, 0 B"), "{}", told[1]);
    assert!(told[2].contains("unchanged x: 1 line, 2 B"), "{}", told[2]);
    assert_eq!(done.events("run")[1]["receipt"]["files"], json!([]), "{}", done.out);
}

#[test]
fn a_file_on_the_way_to_a_new_one_is_told_in_words() {
    let home = Home::with(&[("a", "x\n")]);
    let (done, told) = applied(&home, &[&format!("```edit path=a/b\n{}```\n", block("", "new\n"))]);
    let why = done.events("decision")[0]["why"].as_str().unwrap().to_owned();
    assert!(why.ends_with("a/b: a part of its path is not a folder"), "{why}");
    assert!(told[1].contains(&why), "{}", told[1]);
    assert_eq!(home.text("a"), "x\n");
}

#[test]
fn a_diff_that_does_more_than_an_edit_can_is_refused_as_a_whole() {
    let home = Home::with(&[("x", "a\n")]);
    let diff = "```diff\ndiff --git a/x b/x\nold mode 100644\nnew mode 100755\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n\
                -a\n+b\n```\n";
    let (done, told) = applied(&home, &[diff]);
    let why =
        "it sets the mode of x: an edit only changes text; leave that out, and do it in a block of code";
    assert_eq!(done.events("decision")[0]["why"], why, "{}", done.out);
    assert!(told[1].contains(why), "{}", told[1]);
    assert_eq!(home.text("x"), "a\n");
}

#[test]
fn what_does_not_fit_goes_back_without_a_word_of_the_file_and_nothing_is_touched() {
    let home = Home::with(&[("a.py", "def area(r):\n    return 3 * r * r\n"), ("b.py", "b = 1\n")]);
    let wrong = format!(
        "```edit path=b.py\n{}a.py\n{}```\n",
        block("b = 1\n", "b = 2\n"),
        block("def area(radius, unit):\n    value = radius ** 2\n    return value\n", "pass\n")
    );
    let right =
        format!("```edit path=a.py\n{}```\n", block("return 3 * r * r\n", "return math.pi * r * r\n"));
    let (done, told) = applied(&home, &[&wrong, &right]);
    let declined = &done.events("decision")[0];
    assert_eq!(declined["decision"], "decline", "{}", done.out);
    assert_eq!(declined["why"], "a.py: the lines that it searches are not in the file; read it first");
    assert!(told[1].contains("Reason: a.py: the lines that it searches are not in the file"), "{}", told[1]);
    assert!(!told[1].contains("3 * r"), "{}", told[1]);
    assert_eq!(home.text("b.py"), "b = 1\n", "all or nothing");
    assert_eq!(home.text("a.py"), "def area(r):\n    return math.pi * r * r\n");
}

#[test]
fn a_second_edit_of_a_file_is_laid_on_what_the_first_left() {
    let home = Home::with(&[("a.py", "x = 1\ny = 1\n")]);
    let reply = format!(
        "```edit path=a.py\n{}```\n\n```edit path=a.py\n{}```\n\n```bash\nprintf 'z = 1\\n' >> a.py\n```\n\n```edit path=a.py\n{}```\n",
        block("x = 1\n", "x = 2\n"),
        block("x = 2\ny = 1\n", "x = 3\ny = 1\n"),
        block("y = 1\n", "y = 2\n"),
    );
    let (done, _) = applied(&home, &[&reply]);
    assert_eq!(done.events("run").len(), 4, "{}", done.out);
    assert_eq!(home.text("a.py"), "x = 3\ny = 2\nz = 1\n");
}

#[test]
fn what_was_found_by_likeness_is_told_as_it_was_applied() {
    let home = Home::new();
    let old = "def area(r):\n    # the area of a circle\n    return 3.14 * r * r\n";
    home.file("a.py", old);
    let search = "def area(r):\n    # area of a circle\n    return 3.14 * r * r\n";
    let reply = format!("```edit path=a.py\n{}```\n", block(search, &search.replace("3.14", "math.pi")));
    let (done, told) = applied(&home, &[&reply]);
    assert_eq!(home.text("a.py"), old.replace("3.14", "math.pi"));
    assert_eq!(done.events("placed")[0]["note"], "hunk 1 was found 93% alike");
    assert!(told[1].contains("-    return 3.14 * r * r\n+    return math.pi * r * r\n"), "{}", told[1]);
}

#[test]
fn what_can_not_be_edited_is_refused_in_words() {
    let home = Home::new();
    home.file("a.bin", b"\x00\x01x = 1\n");
    std::fs::create_dir(home.work().join("d")).unwrap();
    home.file("x.py", "x = 1\n");
    symlink("x.py", home.work().join("y.py")).unwrap();
    home.file("large.txt", "x = 1\n".repeat(1_000_000));
    for (path, why) in [
        ("a.bin", "is no text that can be edited"),
        ("large.txt", "large.txt has 6 MB, at most 4.1 MB can be edited here: change it by a program"),
        ("d", "is a folder"),
        ("none.py", "the file is not there"),
    ] {
        let reply = format!("```edit path={path}\n{}```\n", block("x = 1\n", "x = 2\n"));
        let (done, _) = applied(&home, &[&reply]);
        let declined = done.events("decision");
        assert!(declined[0]["why"].as_str().unwrap().contains(why), "{path}: {}", done.out);
    }
    let twice = format!("```edit path=x.py\n{0}y.py\n{0}```\n", block("x = 1\n", "x = 2\n"));
    let (done, _) = applied(&home, &[&twice]);
    assert_eq!(done.events("decision")[0]["why"], "x.py and y.py are one file", "{}", done.out);
    assert_eq!(home.text("x.py"), "x = 1\n");
}

#[test]
fn an_edit_that_names_no_file_has_no_path() {
    let home = Home::new();
    let (done, _) = applied(&home, &[&format!("```edit\n{}```\n", block("a\n", "b\n"))]);
    let proposed = &done.events("block")[0];
    assert_eq!((&proposed["path"], &proposed["paths"]), (&json!(null), &json!([])), "{}", done.out);
    let log = &done.last()["log"];
    assert_eq!(log[0]["blocks"][0]["path"], json!(null), "{log}");
    assert_eq!(done.events("decision")[0]["why"], "it names no file");
}

#[test]
fn of_a_file_that_nobody_let_it_read_the_model_is_told_nothing() {
    let home = Home::new();
    std::fs::write(home.work().parent().unwrap().join("victim"), "alpha = 1\nbeta = 2\n").unwrap();
    home.file(".env", "ALPHA_TOKEN=alpha\n");
    symlink("../victim", home.work().join("link")).unwrap();
    symlink("/etc/ssl", home.work().join("broken")).unwrap();
    // The model learns neither the content, nor whether a guess is right, nor whether the file exists.
    for path in ["../victim", "link", ".env", "../nothing", "/dev/null", "~/.ssh", "broken"] {
        for guess in ["gamma = 3\n", "alpha = 1\n", "ALPHA_TOKEN=alpha\n"] {
            let reply = format!("```edit path={path}\n{}```\n", block(guess, "x\n"));
            let (done, _) = applied(&home, &[&reply]);
            let declined = &done.events("decision")[0];
            let why = format!(
                "{path}: places are looked for only in the working folder, in files without secrets: read this one, \
                 and write it whole"
            );
            assert_eq!(declined["why"], why, "{guess}: {}", done.out);
        }
    }
}

#[test]
fn an_edit_far_down_is_judged_by_its_new_lines_alone() {
    let home = Home::new();
    let old: String = (1..=300).map(|n| format!("x{n} = {n}\n")).collect();
    // A hidden character that is already in the file, far below other lines, is not reported for an edit beside it.
    let old = old.replace("x100 = 100\n", "x100 = 'a\u{200b}b'\n") + &"\n".repeat(60) + "y = 1\n";
    let findings = |replace: &str, search: &str| {
        home.file("a.py", &old);
        let reply = format!("```edit path=a.py\n{}```\n", block(search, replace));
        let server = ModelServer::replying(&[&reply, "Done."]);
        let done = turn(&home, &server, &["--approve", "clean"]);
        let review = done.events("review").last().unwrap()["findings"].clone();
        let messages = review.as_array().unwrap().iter().map(|found| {
            let line = found["line"].as_u64().unwrap_or_else(|| panic!("{found}"));
            (line, found["message"].as_str().unwrap().to_owned())
        });
        (done.events("run").len(), messages.collect::<Vec<_>>())
    };
    assert_eq!(findings("x200 = 0\n", "x200 = 200\n"), (1, vec![]));
    let tall = format!("x200 = 200\n{}z = 1\n", "\n".repeat(60));
    assert_eq!(findings(&tall, "x200 = 200\n"), (0, vec![(261, "code below 60 blank lines".to_owned())]));
    let hides = "hidden character: U+200B zero-width space".to_owned();
    assert_eq!(findings("x200 = 'a\u{200b}c'\n", "x200 = 200\n"), (0, vec![(200, hides)]));
}
