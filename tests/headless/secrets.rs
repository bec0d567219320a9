//! Tests that keys never reach the disk, however they arrive, and that masking is reported.

use crate::home::{Done, Home};
use crate::model_server::ModelServer;
use std::path::Path;

const KEY: &str = "q7-provider-key-0123456789-abcdef";

/// A turn with a provider whose key is known.
fn turn(home: &Home, server: &ModelServer, prompt: &str, options: &[&str]) -> Done {
    // The key in the configuration is for this address.
    home.configure(format!(
        "[providers.openai]\nkind = \"openai\"\nbase_url = \"{}\"\nkey_env = \"TEST_KEY\"\n",
        server.v1()
    ));
    crate::home::run_to_end(home.turn_command(server, prompt, options).env("TEST_KEY", KEY))
}

/// All files below a folder that contain this text.
fn holding(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(holding(&path, text));
        } else if std::fs::read(&path).unwrap().windows(text.len()).any(|w| w == text.as_bytes()) {
            found.push(path.display().to_string());
        }
    }
    found
}

#[test]
fn a_key_in_much_output_stands_in_no_file() {
    let home = Home::new();
    let code = "import sys\nkey = 'q7-provider-key-' + '0123456789-abcdef'\n\
        for n in range(3000):\n    sys.stdout.write('x' * 700 + key[:9])\n    sys.stdout.flush() if n % 50 == 0 else None\n    sys.stdout.write(key[9:] + '\\n')\n";
    let server = ModelServer::replying(&[&format!("```python\n{code}```\n"), "Done."]);
    let done =
        turn(&home, &server, "print much", &["--json", "--approve", "all", "--sandbox", "off"]).ended(0);
    let mut sizes = Vec::new();
    let blobs = home.sayso().join("sessions/blobs");
    for entry in std::fs::read_dir(&blobs).expect("blobs").flatten() {
        sizes.extend(std::fs::read_dir(entry.path()).unwrap().flatten().map(|f| f.metadata().unwrap().len()));
    }
    assert!(sizes.iter().any(|size| *size > 2_000_000), "all of the output is kept: {sizes:?}");
    assert_eq!(holding(&home.sayso().join("sessions"), KEY), Vec::<String>::new());
    assert_eq!(holding(&home.sayso().join("sessions/blobs"), "0123456789-abcdef"), Vec::<String>::new());
    assert!(done.err.contains("was masked") && done.err.contains("output of block 1"), "{}", done.err);
}

#[test]
fn a_key_that_a_run_prints_is_sent_to_no_model() {
    let home = Home::new();
    let code = "print('[' + 'q7-provider-key-' + '0123456789-abcdef' + ']')";
    let server = ModelServer::replying(&[&format!("```python\n{code}\n```\n"), "Done."]);
    turn(&home, &server, &format!("mine is {KEY}"), &["--approve", "all", "--sandbox", "off"]).ended(0);
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    for request in &requests {
        let body = String::from_utf8_lossy(&request.body);
        assert!(!body.contains(KEY), "{body}");
    }
    assert!(requests[1].last_message().contains('['), "{}", requests[1].last_message());
}

#[test]
fn a_prompt_with_a_key_names_no_session_after_it() {
    let home = Home::new();
    let token = format!("ghp_{}", "aB3dE5fG7h".repeat(4));
    let server = ModelServer::replying(&["Fine."]);
    let prompt = format!("{token} {KEY} log in");
    let done = turn(&home, &server, &prompt, &[]).ended(0);
    let listed = home.run(&["sessions", "list", "--json"]);
    for part in ["ab3de5", "aB3dE5", "provider-key-0123"] {
        assert!(!listed.out.to_lowercase().contains(&part.to_lowercase()), "{}", listed.out);
        assert_eq!(holding(&home.sayso().join("sessions"), part), Vec::<String>::new());
    }
    assert!(done.err.contains("GitHub token") && done.err.contains("your prompt"), "{}", done.err);
    assert!(!done.err.contains("aB3d"), "{}", done.err);
}

#[test]
fn a_block_that_holds_a_token_waits_with_a_high_finding() {
    let home = Home::new();
    let token = format!("ghp_{}", "aB3dE5fG7h".repeat(4));
    let reply = format!("```python\ntoken = '{token}'\nprint(len(token))\n```\n");
    let server = ModelServer::replying(&[&reply]);
    let done = turn(&home, &server, "go", &["--json", "--approve", "clean", "--sandbox", "off"]).ended(10);
    let review = &done.events("review")[0];
    let finding = review["findings"].as_array().unwrap().iter().find(|f| f["rule"] == "common.key").unwrap();
    assert_eq!((&finding["severity"], &finding["line"]), (&"high".into(), &1.into()));
    assert_eq!(holding(&home.sayso().join("sessions"), "aB3dE5fG7haB3d"), Vec::<String>::new());
}
