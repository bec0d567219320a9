//! Tests turns with tools: parallel calls, what is written and read, what the model gets back, models without tools.

use crate::home::{Done, Home};
use crate::model_server::{Answer, Do, ModelServer, event, finish};
use serde_json::{Value, json};

/// A reply that calls these tools, each call in two pieces.
fn calls(calls: &[(&str, &str, &str)]) -> Answer {
    let mut body = Vec::new();
    for (index, (id, name, arguments)) in calls.iter().enumerate() {
        let (head, tail) = arguments.split_at(arguments.len() / 2);
        let first = json!({ "index": index, "id": id, "type": "function", "function": { "name": name, "arguments": head } });
        let second = json!({ "index": index, "function": { "arguments": tail } });
        for piece in [first, second] {
            let data = json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [piece] } }] });
            body.push(Do::Write(event(&data)));
        }
    }
    body.push(Do::Write(finish("tool_calls")));
    body.push(Do::Write(b"data: [DONE]\n\n".to_vec()));
    Answer::stream(body)
}

fn turn(home: &Home, server: &ModelServer) -> Done {
    home.configure("dialect = \"tools\"\n");
    home.turn(server, "go", &["--json", "--approve", "all", "--sandbox", "off"])
}

#[test]
fn tools_in_parallel_each_with_its_answer() {
    let home = Home::with(&[("a.txt", "one\ntwo\n")]);
    let server = ModelServer::start(vec![
        calls(&[
            ("c1", "run_code", r#"{"language":"bash","code":"echo hello"}"#),
            ("c2", "read_file", r#"{"path":"a.txt"}"#),
            ("c3", "write_file", r#"{"path":"out/b.txt","content":"three\n"}"#),
            ("c4", "list_files", r#"{"path":"."}"#),
            ("c5", "run_code", r#"{"code":"#),
            ("c6", "rm", "{}"),
        ]),
        Answer::text("Done."),
    ]);
    let done = turn(&home, &server).ended(0);
    let blocks = done.events("block");
    let told: Vec<(&str, Option<&str>)> =
        blocks.iter().map(|b| (b["kind"].as_str().unwrap(), b["path"].as_str())).collect();
    let expected =
        [("code", None), ("read", Some("a.txt")), ("write", Some("out/b.txt")), ("list", Some("."))];
    assert_eq!(told, expected);
    assert_eq!(done.events("call_refused").len(), 2);
    assert_eq!(home.text("out/b.txt"), "three\n");
    let receipt = &done.events("run")[2]["receipt"]["files"][0];
    assert_eq!((&receipt["path"], &receipt["change"]), (&json!("out/b.txt"), &json!("created")));

    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    let offered: Vec<Value> = requests[0].json()["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t["function"]["name"].clone())
        .collect();
    assert_eq!(offered, ["run_code", "read_file", "edit_file", "write_file", "list_files"]);
    let second = requests[1].json();
    let messages = second["messages"].as_array().unwrap();
    let roles: Vec<&str> = messages.iter().map(|m| m["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "tool", "tool", "tool", "tool", "tool"]);
    let answers: Vec<(&str, &str)> = messages[3..]
        .iter()
        .map(|m| (m["tool_call_id"].as_str().unwrap(), m["content"].as_str().unwrap()))
        .collect();
    let ids: Vec<&str> = answers.iter().map(|(id, _)| *id).collect();
    assert_eq!(ids, ["c1", "c2", "c3", "c4", "c5", "c6"]);
    assert!(answers[0].1.contains("hello"), "{answers:?}");
    assert!(answers[1].1.contains("a.txt: lines 1-2 of 2, 8 B\none\ntwo\n"), "{answers:?}");
    assert!(answers[2].1.contains("created out/b.txt: 1 line, 6 B"), "{answers:?}");
    assert!(answers[3].1.contains("a.txt  8 B"), "{answers:?}");
    assert!(answers[4].1.starts_with("not run: its arguments are no JSON"), "{answers:?}");
    assert!(answers[5].1.starts_with("not run: there is no tool \"rm\""), "{answers:?}");
}

#[test]
fn each_call_that_came_to_no_block_is_told_once() {
    let home = Home::new();
    home.configure("dialect = \"tools\"\n");
    let server =
        ModelServer::start(vec![calls(&[("c1", "rm", "{}"), ("c2", "cp", "{}")]), Answer::text("Done.")]);
    let done = home.turn(&server, "go", &["--sandbox", "off"]).ended(0);
    for name in ["rm", "cp"] {
        let why = format!("there is no tool \"{name}\"");
        assert_eq!((done.out.matches(&why).count(), done.err.matches(&why).count()), (0, 1), "{}", done.err);
    }
}

#[test]
fn a_server_that_takes_no_tools_is_asked_again_without() {
    let home = Home::new();
    let server = ModelServer::start(vec![
        Answer::error(400, "registry.ollama.ai/library/gemma:2b does not support tools"),
        Answer::text("```bash\necho hello\n```\n"),
        Answer::text("Done."),
    ]);
    let done = turn(&home, &server).ended(0);
    assert_eq!(done.events("no_tools").len(), 1);
    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    assert!(requests[0].json()["tools"].is_array());
    assert!(requests[1].json()["tools"].is_null() && requests[2].json()["tools"].is_null());
    let system = |at: usize| requests[at].json()["messages"][0]["content"].as_str().unwrap().to_owned();
    assert!(system(0).contains("call a tool") && system(1).contains("```python"), "each is told its dialect");
}

#[test]
fn what_is_forbidden_of_files_is_not_done_by_approving_all() {
    let home = Home::new();
    home.configure("dialect = \"tools\"\nreview.forbid = [\"file.outside\"]\n");
    let server =
        ModelServer::start(vec![calls(&[("c1", "write_file", r#"{"path":"../ran","content":"x"}"#)])]);
    let done = home.turn(&server, "go", &["--json", "--approve", "all", "--sandbox", "off"]).ended(10);
    let review = &done.events("review")[0];
    assert_eq!(review["findings"][0]["rule"], "file.outside", "{}", done.out);
    assert_eq!(review["findings"][0]["forbidden"], true, "{}", done.out);
    assert_eq!(review["refused"], json!([]), "what a sandbox would refuse is told beside the findings");
    assert!(done.events("decision").is_empty() && !home.work().join("../ran").exists());
}

/// Another program keeps swapping a folder and a link that leads outside, while a turn writes into it a hundred times.
/// What was approved inside is written inside, or not at all. What leads outside when shown waits for the person.
#[test]
fn a_program_that_swaps_a_folder_for_a_link_leads_no_write_away() {
    let home = Home::new();
    let (sub, link, out) = (home.work().join("sub"), home.work().join("link"), home.work().join("../out"));
    std::fs::create_dir(&sub).unwrap();
    std::fs::create_dir(&out).unwrap();
    std::os::unix::fs::symlink(&out, &link).unwrap();
    let over = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let told = over.clone();
    let swapping = std::thread::spawn(move || {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        while !told.load(std::sync::atomic::Ordering::Relaxed) {
            renameat_with(CWD, &sub, CWD, &link, RenameFlags::EXCHANGE).unwrap();
            std::thread::yield_now();
        }
    });
    let arguments: Vec<(String, String)> = (0..20)
        .map(|n| (format!("c{n}"), format!(r#"{{"path":"sub/{n}/autostart","content":"x"}}"#)))
        .collect();
    let wanted: Vec<(&str, &str, &str)> =
        arguments.iter().map(|(id, text)| (id.as_str(), "write_file", text.as_str())).collect();
    for _ in 0..5 {
        let server = ModelServer::start(vec![calls(&wanted), Answer::text("Done.")]);
        let done = turn(&home, &server);
        assert!(!done.events("block").is_empty(), "{}\n{}", done.out, done.err);
        let led: Vec<_> = std::fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(led.is_empty(), "{led:?} came outside\n{}", done.out);
    }
    over.store(true, std::sync::atomic::Ordering::Relaxed);
    swapping.join().unwrap();
}

#[test]
fn a_file_that_a_run_changed_after_it_was_shown_is_looked_at_again() {
    let home = Home::with(&[("a.txt", "old\n")]);
    let server = ModelServer::start(vec![
        calls(&[
            ("c1", "run_code", r#"{"language":"bash","code":"echo mine > a.txt"}"#),
            ("c2", "write_file", r#"{"path":"a.txt","content":"new\n"}"#),
        ]),
        Answer::text("Done."),
    ]);
    let done = turn(&home, &server).ended(0);
    assert_eq!(home.text("a.txt"), "new\n");
    let decided = done.events("decision");
    assert_eq!(decided.len(), 2);
}
