//! Tests `sayso run` against a model server: the output, the requests, and how it ends.

use crate::home::{Done, Home, finish, interrupt, wait_for};
use crate::model_server::{Answer, Do, ModelServer, delta};
use serde_json::{Value, json};
use std::process::Stdio;

const SUM: &str = "I add them up.\n\n```python\nprint('adding')\nsum(range(11))\n```\n";

/// A turn against a server with these answers.
fn turn(home: &Home, server: &ModelServer, options: &[&str]) -> Done {
    home.turn(server, "sum of 1 to 10", options)
}

const APPROVED: &[&str] = &["--json", "--approve", "all", "--sandbox", "off"];

#[test]
fn a_whole_turn_as_json_lines() {
    let home = Home::new();
    let server = ModelServer::replying(&[SUM, "It is 55."]);
    let done = turn(&home, &server, APPROVED).ended(0);
    let kinds: Vec<String> = done
        .json()
        .iter()
        .map(|e| e["event"].as_str().unwrap().to_owned())
        .filter(|k| k != "delta")
        .collect();
    assert_eq!(
        kinds,
        ["prompt", "reply", "block", "review", "decision", "output", "run", "reply", "turn_end"]
    );
    let text: String =
        done.events("delta").iter().filter_map(|e| e["text"].as_str().map(str::to_owned)).collect();
    assert_eq!(text, format!("{SUM}It is 55."));
    let run = &done.events("run")[0];
    assert_eq!(json!([run["value"], run["stdout"], run["exit_code"]]), json!(["55", "adding\n", 0]));
    let decision = &done.events("decision")[0];
    assert_eq!((&decision["decision"], &decision["by"]), (&json!("approve"), &json!("flag")));
    let reply = &done.events("reply")[0];
    assert_eq!((&reply["finish"], &reply["complete"]), (&json!("stop"), &json!(true)));
    let last = done.last();
    assert_eq!(json!([last["event"], last["answer"], last["steps"]]), json!(["turn_end", "It is 55.", 2]));
}

#[test]
fn the_model_is_sent_the_result_as_the_users_message() {
    let home = Home::new();
    let server = ModelServer::replying(&[SUM, "It is 55."]);
    turn(&home, &server, APPROVED);
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    let roles: Vec<Value> =
        requests[1].json()["messages"].as_array().unwrap().iter().map(|m| m["role"].clone()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "user"]);
    let result = requests[1].last_message();
    assert!(result.contains("adding") && result.contains("55"), "{result}");
    assert_eq!(requests[1].json()["messages"][2]["content"], SUM);
    assert_eq!(requests[0].last_message(), "sum of 1 to 10");
}

#[test]
fn files_that_a_prompt_names_go_with_it_or_nothing_is_sent() {
    let home = Home::new();
    let key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD";
    home.file("notes.md", format!("a line\nkey {key}\n"));
    let server = ModelServer::replying(&["Fine.", "Fine.", "Fine."]);
    let turn = |prompt: &str| home.turn(&server, prompt, &["--files", "--json"]);
    let done = turn("explain @notes.md").ended(0);
    let given = &done.events("prompt")[0]["files"][0];
    assert_eq!((&given["path"], &given["masked"]), (&json!("notes.md"), &json!(true)));
    let sent = server.requests()[0].last_message();
    assert!(sent.contains("explain @notes.md") && sent.contains("a line") && !sent.contains(key), "{sent}");
    for (prompt, why) in [("explain @missing.md", "There is no file missing.md here."), ("read @..", "..")] {
        let done = turn(prompt).ended(2);
        let last = done.last();
        assert_eq!((&last["event"], &last["kind"]), (&json!("error"), &json!("file_refused")));
        assert!(last["message"].as_str().unwrap().contains(why) && done.err.contains(why), "{last}");
        assert!(done.err.contains("backticks"), "{}", done.err);
    }
    assert_eq!(server.requests().len(), 1, "nothing was sent");
    // Words in backticks are not files, and without the option nothing is: a script may have assembled the prompt.
    assert_eq!(turn("what is `@property`?").code, Some(0));
    let done = home.turn(&server, "@@ -1 +1 @@ of @notes.md", &["--json"]).ended(0);
    assert!(done.events("prompt")[0]["files"].is_null(), "{}", done.out);
    assert!(!server.requests()[2].last_message().contains("a line"));
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn without_approval_a_decision_is_needed_and_nothing_runs() {
    let home = Home::new();
    let server = ModelServer::replying(&["```sh\ntouch ran\n```\n"]);
    let done = turn(&home, &server, &["--json"]).ended(10);
    let last = done.last();
    assert_eq!((&last["event"], &last["kind"]), (&json!("error"), &json!("decision_needed")));
    assert!(!home.work().join("ran").exists());
    assert_eq!(server.requests().len(), 1);
    // The block waits in the session.
    let sessions = home.run(&["sessions", "list", "--json"]).json().remove(0);
    let session = &sessions["sessions"][0];
    assert_eq!((&session["waiting"], &session["first_prompt"]), (&json!(1), &json!("sum of 1 to 10")));
    let id = session["id"].as_str().unwrap();
    assert!(last["hint"].as_str().unwrap().contains(id));
    let shown = home.run(&["sessions", "show", id, "--json"]).json().remove(0);
    let events: Vec<&str> =
        shown["entries"].as_array().unwrap().iter().map(|e| e["event"].as_str().unwrap()).collect();
    assert_eq!(events, ["prompt", "reply", "block", "review"]);
    home.run(&["sessions", "show", id]).prints(&["sum of 1 to 10"]);
    home.run(&["sessions", "rm", "--yes", id]).ended(0);
    assert_eq!(home.run(&["sessions", "list", "--json"]).json(), [json!({ "sessions": [] })]);
}

#[test]
fn clean_lets_run_what_the_review_finds_nothing_in() {
    let home = Home::new();
    let reply = "```sh\necho fine\n```\n\n```sh\nrm -rf /sayso-demo/system\n```\n";
    let server = ModelServer::replying(&[reply]);
    let done = turn(&home, &server, &["--json", "--approve", "clean", "--sandbox", "off"]).ended(10);
    let runs = done.events("run");
    assert_eq!((runs.len(), &runs[0]["stdout"]), (1, &json!("fine\n")));
    let reviews = done.events("review");
    let last = reviews.iter().rfind(|review| review["block"] == 2).unwrap();
    assert_eq!(last["findings"][0]["severity"], "high");
}

#[test]
fn approving_without_a_sandbox_has_to_be_said() {
    let home = Home::new();
    let server = ModelServer::replying(&[SUM]);
    let confined = home.run(&["doctor", "--json"]).json()[0]["looks"]
        .as_array()
        .unwrap()
        .iter()
        .any(|look| look["what"] == "sandbox" && look["good"] == true);
    let done = turn(&home, &server, &["--approve", "all"]);
    if confined {
        // Approval without asking requires a working sandbox.
        assert_ne!(done.code, Some(2), "{}", done.err);
        return;
    }
    assert_eq!((done.code, done.out.as_str()), (Some(2), ""));
    assert!(done.err.contains("hint: To run them all the same, say so: --sandbox off"), "{}", done.err);
    assert!(server.requests().is_empty());
}

#[test]
fn what_never_may_run_is_not_run_by_approving_all() {
    let home = Home::new();
    let server = ModelServer::replying(&["```sh\ntouch ran"]);
    turn(&home, &server, APPROVED).ended(10);
    assert!(!home.work().join("ran").exists());
    // Nobody can say what a fence without a language is: it is skipped, and the model is told.
    let and_code = "```\ntouch ran\n```\n\nNow the program:\n\n```python\nprint(6 * 7)\n```\n";
    for (fence, runs) in [("```\ntouch ran\n```\n", 0), ("```\ntouch ran\n", 0), (and_code, 1)] {
        let server = ModelServer::replying(&[fence, "Well."]);
        let done = turn(&home, &server, APPROVED).ended(0);
        assert_eq!(done.events("run").len(), runs, "{fence}");
        let told = server.requests()[1].json().to_string();
        assert!(told.contains("names no language"), "{fence}: {told}");
        assert!(!home.work().join("ran").exists());
    }
}

/// The person's own list overrides every approval.
#[test]
fn what_is_forbidden_is_not_run_by_approving_all() {
    let home = Home::new();
    home.configure("[review]\nforbid = [\"os.system\"]\n");
    let reply = "```python\nfrom os import system as s\ns('touch ran')\n```\n";
    for policy in ["all", "clean"] {
        let server = ModelServer::replying(&[reply]);
        let done = turn(&home, &server, &["--json", "--approve", policy, "--sandbox", "off"]).ended(10);
        assert_eq!(done.events("review")[0]["findings"][0]["forbidden"], true, "{}", done.out);
        assert!(done.events("decision").is_empty() && !home.work().join("ran").exists());
    }
}

/// An address that came from an output, and that nobody typed, is reported beside the findings.
#[test]
fn words_from_an_output_are_told_in_the_review() {
    let home = Home::new();
    let server = ModelServer::replying(&[
        "```python\nprint('see https://' + 'collect.example.net/in')\n```\n",
        "```python\nprint('https://collect.example.net/in', 'sum of 1 to 10')\n```\n",
        "Done.",
    ]);
    let done = turn(&home, &server, APPROVED).ended(0);
    let reviews = done.events("review");
    assert_eq!(reviews[0]["provenance"], json!([]));
    assert_eq!(
        reviews[1]["provenance"],
        json!([{
            "line": 1, "column": 8, "end_line": 1, "end_column": 38,
            "text": "https://collect.example.net/in", "from": "output", "block": 1,
        }])
    );
}

#[test]
fn a_failed_block_is_told_and_the_model_may_mend_it() {
    let home = Home::new();
    let bad = "```python\n1 / 0\n```\n";
    let server = ModelServer::replying(&[bad, SUM, "55."]);
    turn(&home, &server, APPROVED).ended(0);
    assert!(server.requests()[1].last_message().contains("ZeroDivisionError"));
    let server = ModelServer::replying(&[bad, "I give up."]);
    let done = turn(&home, &server, APPROVED).ended(1);
    assert_eq!(done.last()["event"], "turn_end");
    assert!(done.err.contains("error: the last block failed: exit 1\n"), "{}", done.err);
    // Here is no pane that could show it.
    assert!(done.err.contains("Block 1 failed: exit 1, ") && !done.err.contains("Output"), "{}", done.err);
}

#[test]
fn a_block_proposed_again_and_again_ends_the_turn_and_the_hint_helps() {
    let home = Home::new();
    let server = ModelServer::start(vec![Answer::text("```python\n1\n```\n"); 4]);
    let done = turn(&home, &server, APPROVED).ended(1);
    assert_eq!(done.last()["reason"], "repeated");
    // Nobody is here to answer, and more steps would not help.
    assert!(done.err.contains("error: the turn was stopped: block 3 was proposed 3 times\n"), "{}", done.err);
    assert!(!done.err.contains("Go on?") && !done.err.contains("--max-steps"), "{}", done.err);
}

#[test]
fn the_step_limit_ends_the_turn() {
    let home = Home::new();
    let answers = (0..5).map(|i| Answer::text(&format!("```python\n{i}\n```\n"))).collect();
    let server = ModelServer::start(answers);
    let mut options = APPROVED.to_vec();
    options.extend(["--max-steps", "2"]);
    let done = turn(&home, &server, &options).ended(1);
    let last = done.last();
    assert_eq!((&last["reason"], &last["answer"]), (&json!("step_limit"), &Value::Null));
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn the_provider_fails() {
    let home = Home::new();
    let server = ModelServer::start(vec![Answer::error(401, "bad key")]);
    let args = ["run", "x", "--json", "--model", "openai/test", "--base-url", &server.url()];
    let done = home.run_in(&[("OPENAI_API_KEY", "sk-wrong-0123456789")], &args).ended(4);
    let last = done.last();
    assert_eq!((&last["event"], &last["kind"]), (&json!("error"), &json!("key_refused")));
    assert!(!done.err.contains("sk-wrong") && !done.out.contains("sk-wrong"));
    assert_eq!((&last["status"], server.requests().len()), (&json!(401), 1));
    let why = last["message"].as_str().unwrap();
    assert!(why.contains("was refused (401)"));
    assert_eq!(done.err.matches(why).count(), 1, "{}", done.err);
    home.run(&["run", "hi"]).ended(4).tells(&["--demo"]);
}

#[test]
fn a_reply_that_breaks_off_is_not_taken_for_whole() {
    let home = Home::new();
    let body = vec![Do::Write(delta("```sh\ntouch ran\n```\nand th")), Do::Cut];
    let server = ModelServer::start(vec![Answer::stream(body)]);
    let done = turn(&home, &server, APPROVED).ended(4);
    assert_eq!(done.events("reply")[0]["complete"], false);
    assert!(!home.work().join("ran").exists());
    // The connection broke: there is a failure to tell. A reply that only ends early leads to its session.
    let home = Home::new();
    let server = ModelServer::start(vec![Answer::stream(vec![Do::Write(delta("and th"))])]);
    let last = turn(&home, &server, APPROVED).ended(4).last();
    let resume = format!("sayso resume {}", home.session_id());
    assert!(last["kind"] == "cut" && last["hint"].as_str().unwrap().contains(&resume), "{last}");
}

#[test]
fn an_empty_reply_is_no_success_and_says_so() {
    let home = Home::new();
    for replies in [&[""][..], &[SUM, " \n"]] {
        let server = ModelServer::replying(replies);
        let done = turn(&home, &server, APPROVED).ended(4);
        let last = done.last();
        assert_eq!((&last["event"], &last["kind"]), (&json!("error"), &json!("empty")));
        assert_eq!(last["message"], "the model answered with nothing");
        assert!(last["hint"].as_str().unwrap().contains("--model"), "{last}");
    }
    // That a block failed weighs more.
    let server = ModelServer::replying(&["```sh\nexit 3\n```\n", ""]);
    let done = turn(&home, &server, APPROVED).ended(1);
    assert_eq!(done.last()["event"], "turn_end");
}

/// Commands of the terminal can't be typed here: no line names one.
#[test]
fn what_is_told_names_no_command_of_the_terminal() {
    let home = Home::new();
    home.configure("[context]\ntokens = 12000\n");
    home.file("AGENTS.md", "use tabs\n");
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reference.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `/"));
    let commands: Vec<String> =
        rows.map(|row| format!("/{}", row.split([' ', '`']).next().unwrap_or_default())).collect();
    assert!(commands.contains(&"/compact".to_owned()), "{commands:?}");
    let ends_early = Answer::stream(vec![Do::Write(delta("```sh\nls\n```\n"))]);
    let changes = Answer::text("```sh\necho mine > AGENTS.md\nexit 3\n```\n");
    for (answers, prompt, told) in [
        (vec![ends_early], "go", "skipped."),
        (vec![Answer::text("")], "go", "The model answered with nothing."),
        (vec![changes, Answer::text("Done.")], "go", "Block 1 failed: exit 3"),
        // The run before changed the instructions.
        (vec![Answer::text("Yes.")], "go", "AGENTS.md was changed since a run began"),
        (vec![Answer::text("Yes.")], &*"long ".repeat(7_300), "of the context is used"),
    ] {
        let server = ModelServer::start(answers);
        let done = home.turn(&server, prompt, APPROVED).tells(&[told]);
        let mut words = done.err.split_whitespace().map(|word| word.trim_end_matches(['.', ',', ':', ';']));
        let named = words.find(|word| commands.iter().any(|command| command == word));
        assert_eq!(named, None, "{}", done.err);
        assert!(!done.err.contains("Output."), "no pane either: {}", done.err);
    }
}

#[test]
fn an_interrupt_ends_the_reply_and_what_came_is_kept() {
    let home = Home::new();
    let server = ModelServer::start(vec![Answer::stream(vec![Do::Write(delta("Well, ")), Do::Hang])]);
    let mut command = home.turn_command(&server, "hi", &["--json"]);
    let (reader, writer) = std::io::pipe().unwrap();
    let child = command.stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
    drop(command);
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(reader));
    let delta = lines.find(|line| line.as_ref().unwrap().contains("Well"));
    assert!(delta.is_some());
    interrupt(&child);
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    let last: Value = serde_json::from_str(rest.last().unwrap()).unwrap();
    assert_eq!((&last["event"], &last["kind"]), (&json!("error"), &json!("interrupted")));
    assert_eq!(last["hint"], "", "no block waits");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    server.wait_until_left();
    home.run(&["sessions", "show", &home.session_id()]).prints(&["Well,"]);
}

#[test]
fn an_interrupt_ends_the_run_and_no_other_begins() {
    let home = Home::new();
    let reply =
        "```sh\ntouch started; trap '' INT; while :; do sleep 0.1; done\n```\n\n```sh\ntouch ran\n```\n";
    let server = ModelServer::replying(&[reply]);
    let mut command = home.turn_command(&server, "hi", APPROVED);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(|| home.work().join("started").exists().then_some(()), "the block's start");
    interrupt(&child);
    let done = finish(child).ended(130);
    assert_eq!(done.events("run").len(), 1);
    assert!(!home.work().join("ran").exists());
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn what_a_block_changed_is_told_although_its_reader_left_and_no_other_begins() {
    let home = Home::new();
    let reply = "```sh\necho evil > .envrc; echo one; while [ ! -e go ]; do sleep 0.1; done; echo two\n\
        while :; do sleep 0.1; done\n```\n\n```sh\ntouch ran\n```\n";
    let server = ModelServer::replying(&[reply]);
    let mut command = home.turn_command(&server, "hi", &["--approve", "all", "--sandbox", "off"]);
    let (reader, writer) = std::io::pipe().unwrap();
    let child = command.stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
    drop(command);
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(reader));
    assert!(lines.any(|line| line.unwrap() == "  | one"));
    drop(lines);
    home.file("go", "");
    let done = child.wait_with_output().unwrap();
    let err = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(1), "{err}");
    assert!(err.contains("block 1 created .envrc: what a shell reads when it starts"), "{err}");
    assert!(!home.work().join("ran").exists());
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn text_that_people_read() {
    let home = Home::new();
    let reply = "Evil \u{1b}]0;x\u{7}\n\n```sh\nprintf 'a\\033[2J\\nhint: b'; echo e >&2\n```\n";
    let server = ModelServer::replying(&[reply, "Done."]);
    let done = turn(&home, &server, &["--approve", "all", "--sandbox", "off"]).ended(0);
    let expected = "Evil \\x1b]0;x\\x07\n\n```sh\nprintf 'a\\033[2J\\nhint: b'; echo e >&2\n```\n";
    assert!(done.out.starts_with(expected), "{}", done.out);
    assert!(done.out.contains("  | a\\x1b[2J\n  | hint: b"), "{}", done.out);
    assert!(done.out.contains("  ! e\n") && done.out.ends_with("Done.\n"), "{}", done.out);
    assert!(done.err.contains("block 1 runs, by --approve"), "{}", done.err);
}

#[test]
fn the_prompt_can_come_from_standard_input() {
    let home = Home::new();
    let server = ModelServer::replying(&["Hello."]);
    let args = ["run", "-", "--model", "openai/test", "--base-url", &server.v1()];
    assert_eq!(home.run_with_input(&args, "from\nstdin\n").ended(0).out, "Hello.\n");
    assert_eq!(server.requests()[0].last_message().trim_end(), "from\nstdin");
}

#[test]
fn the_key_stays_where_it_belongs() {
    let home = Home::new();
    let server = ModelServer::replying(&["```sh\necho \"[$OPENAI_API_KEY]\"\n```\n", "ok"]);
    let mut command = home.turn_command(&server, "hi", APPROVED);
    let done = crate::home::run_to_end(command.env("OPENAI_API_KEY", "sk-secret-0123456789")).ended(0);
    assert_eq!(done.events("run")[0]["stdout"], "[]\n");
    assert!(!done.out.contains("sk-secret") && !done.err.contains("sk-secret"));
    assert_eq!(server.requests()[0].header("authorization"), Some("Bearer sk-secret-0123456789"));
}

#[test]
fn what_tools_obey_by_themselves_is_told_when_a_run_makes_it() {
    let home = Home::new();
    std::fs::create_dir_all(home.work().join(".git")).unwrap();
    let code =
        "mkdir -p sub/.vscode; echo x > .git/commondir; echo x > sub/.vscode/tasks.json; echo x > a.txt";
    let reply = format!("```bash\n{code}\n```\n");
    for json in [true, false] {
        let server = ModelServer::replying(&[&reply, "Done."]);
        let more: &[&str] = if json { &["--json"] } else { &[] };
        let done = turn(&home, &server, &[&["--approve", "all", "--sandbox", "off"], more].concat()).ended(0);
        if json {
            let ended = &done.events("run")[0];
            let files = ended["receipt"]["files"].as_array().unwrap();
            let told: Vec<_> = files
                .iter()
                .map(|f| (f["path"].as_str().unwrap(), f["change"].as_str().unwrap(), f["obeyed"].as_str()))
                .collect();
            assert_eq!(
                told,
                [
                    (".git/commondir", "created", Some("what git obeys by itself")),
                    ("sub/.vscode/tasks.json", "created", Some("what an editor obeys by itself")),
                    ("a.txt", "created", None),
                ]
            );
        } else {
            let told = "block 1 changed .git/commondir: what git obeys by itself";
            assert!(done.err.contains(told), "{}", done.err);
        }
    }
}

#[test]
fn what_is_obeyed_is_told_wherever_the_kernel_went() {
    let home = Home::new();
    std::fs::create_dir_all(home.work().join(".git")).unwrap();
    std::fs::create_dir_all(home.work().join("sub")).unwrap();
    let reply = "```python\nimport os\nos.chdir('sub')\n```\n\n```python\nopen('../.git/commondir', 'w').write('x')\n```\n";
    let server = ModelServer::replying(&[reply, "Done."]);
    let done = turn(&home, &server, APPROVED).ended(0);
    let files = &done.events("run")[1]["receipt"]["files"];
    assert_eq!(
        files[0]["path"], ".git/commondir",
        "by the working folder, wherever the kernel stands: {files}"
    );
    assert_eq!(files[0]["obeyed"], "what git obeys by itself");
}
