//! Models on a real terminal: found, chosen, changed between turns; a server that is slow or disconnects.

use crate::model_server::{Answer, Do, ModelServer, delta};
use crate::terminal::{Setup, Terminal};
use crate::{say, say_then};
use crate::{session, session_with, tab_to};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// A terminal that uses this server as OpenAI's, with the model `one`.
pub(crate) fn asking<'a>(home: &'a Path, server: &ModelServer) -> Setup<'a> {
    Setup::new(home, &["--model", "openai/one", "--base-url", &server.v1()])
}

fn two_models() -> Value {
    json!({ "data": [{ "id": "one", "context_length": 8192 }, { "id": "two", "context_length": 131_072 }] })
}

/// A terminal that uses this server as OpenAI's, with the model `one`, in a new home without any other server.
fn begun(server: &ModelServer) -> (tempfile::TempDir, Terminal) {
    let home = tempfile::tempdir().expect("a home");
    configure(home.path(), "", "");
    let terminal = asking(home.path(), server).start();
    (home, terminal)
}

/// The model that a request named.
fn model(server: &ModelServer, request: usize) -> Value {
    server.wait_for_requests(request + 1)[request].json()["model"].clone()
}

/// Writes a configuration whose only server on this machine is the one at `url`, under this name.
pub(crate) fn configure(home: &Path, name: &str, url: &str) {
    let mut text = String::new();
    for known in ["ollama", "lmstudio", "llamacpp", "vllm"] {
        let url = if known == name { url } else { "http://127.0.0.1:9" };
        text.push_str(&format!("providers.{known}.base_url = \"{url}\"\n"));
    }
    crate::write_config(home, text);
}

#[test]
fn another_model_answers_from_the_next_message_on() {
    let server = ModelServer::replying(&["First answer.", "Second answer."]).with_models(&two_models());
    let (home, terminal) = begun(&server);
    say_then(&terminal, "hello", "First answer.");
    say_then(&terminal, "/model", "ctx 128k");
    assert!(terminal.screen().contains("in use"), "{}", terminal.screen());
    terminal.enter_then("two", "Replies come from openai/two");
    say_then(&terminal, "again", "Second answer.");
    assert_eq!((model(&server, 0), model(&server, 1)), (json!("one"), json!("two")));
    session_with(home.path(), "\"two\"");
}

#[test]
fn the_chat_names_the_model_that_answers_whatever_was_named() {
    let server = ModelServer::replying(&["First answer.", "Second answer."]).with_models(&two_models());
    let (_home, terminal) = begun(&server);
    // With an address for this start, a first part that is no provider belongs to the model's name.
    say_then(&terminal, "/model qwen/three", "Replies come from openai/qwen/three");
    say_then(&terminal, "hello", "First answer.");
    // What can't be used answers nothing: the earlier model goes on, and that is told with the reason.
    say_then(&terminal, "/model scripted/nowhere", "no story");
    let told = terminal.screen();
    let at = |text: &str| told.rfind(text).unwrap_or_else(|| panic!("{text}:\n{told}"));
    assert!(at("from scripted/nowhere") < at("from openai/qwen/three"), "{told}");
    say_then(&terminal, "again", "Second answer.");
    assert_eq!((model(&server, 0), model(&server, 1)), (json!("qwen/three"), json!("qwen/three")));
}

#[test]
fn the_connection_to_a_model_is_tested_without_asking_it() {
    let server = ModelServer::replying(&["Never asked."]).with_models(&two_models());
    let (_home, terminal) = begun(&server);
    say_then(&terminal, "/model", "ctx 128k");
    terminal.type_text("two");
    terminal.send(b"\x14");
    terminal.wait_for("the model is there.");
    assert!(server.requests().is_empty());
    terminal.press("Esc");
    terminal.wait_gone("the model is there.");
}

#[test]
fn a_wait_is_counted_down_and_ctrl_c_ends_it_with_the_message_kept() {
    crate::at_every_size(|| {
        let server = ModelServer::start(vec![
            Answer::error(429, "slow down").header("retry-after", "50"),
            Answer::text("Now."),
        ]);
        let (_home, terminal) = begun(&server);
        say(&terminal, "hello there");
        // Each displayed second lasts one second: a busy machine may miss any of them.
        let left = |screen: &str| -> Option<u64> {
            let (_, told) = screen.split_once("Rate limit. Next try in ")?;
            told.split_once(" s (1 of")?.0.parse().ok()
        };
        terminal.wait_true(|screen| left(screen).is_some());
        let first = left(&terminal.screen()).expect("what is left of the wait");
        assert!((1..=51).contains(&first), "{first}");
        terminal.wait_for("Ctrl-C stops waiting.");
        terminal.wait_true(|screen| left(screen).is_some_and(|left| left < first));
        terminal.press("Ctrl-C");
        terminal.wait_true(|screen| !screen.contains("Next try in") && screen.contains("hello there"));
        assert_eq!(server.requests().len(), 1, "it was not sent again");
        // The same message is sent again when the person says so.
        tab_to(&terminal, |screen| screen.contains("[Problems]") || screen.contains("━ Problems ━"));
        terminal.press_until("r", "Now.");
    });
}

#[test]
fn a_stream_that_breaks_off_keeps_what_came_and_offers_to_go_on() {
    let cut = Answer::stream(vec![
        Do::Write(delta("The first half of the answer, ")),
        Do::Write(delta("and then")),
        Do::Cut,
    ]);
    let server = ModelServer::start(vec![cut, Answer::text("The second half.")]);
    let (home, terminal) = begun(&server);
    say_then(&terminal, "hello", "The first half of the answer, and then");
    terminal.wait_for("r go on");
    tab_to(&terminal, |screen| screen.contains("[Problems]"));
    terminal.press_until("r", "The second half.");
    assert!(terminal.screen().contains("The first half of the answer"), "{}", terminal.screen());
    session_with(home.path(), "The first half of the answer, and then");
}

#[test]
fn a_server_on_this_computer_is_found_after_the_first_frame_and_proposed() {
    let home = tempfile::tempdir().expect("a home");
    let server = ModelServer::replying(&["Hello from here."])
        .with_models(&json!({ "data": [{ "id": "local-model" }] }));
    configure(home.path(), "vllm", &server.v1());
    let terminal = Setup::new(home.path(), &[]).start();
    terminal.wait_for_each(&["Where should answers come from?", "found, 1 model"]);
    assert!(terminal.screen().contains("> 2  vLLM"), "{}", terminal.screen());
    terminal.press("Enter");
    say_then(&terminal, "hello", "Hello from here.");
    assert_eq!(model(&server, 0), json!("local-model"));
}

#[test]
fn a_key_that_is_pasted_goes_to_its_provider_and_into_no_file_until_it_is_stored() {
    let home = tempfile::tempdir().expect("a home");
    let answers = ["You said sk-pasted-by-hand to me.", "Hello again."];
    let server = ModelServer::replying(&answers).with_models(&two_models());
    configure(home.path(), "", "");
    let terminal = Setup::new(home.path(), &[]).env("OPENAI_BASE_URL", &server.v1()).start();
    terminal.wait_for("Where should answers come from?");
    terminal.press_then("3", "key for OpenAI: ");
    terminal.paste("sk-pasted-by-hand");
    terminal.wait_for("***");
    // An Enter directly behind a paste would be a part of it.
    terminal.pause(Duration::from_millis(90));
    terminal.press("Enter");
    // The key is tested with a request, and the provider's models are listed.
    terminal.wait_for_each(&["openai answers after", "ctx 128k"]);
    terminal.enter("two");
    say_then(&terminal, "hello", "to me.");
    assert_eq!(model(&server, 0), json!("two"));
    assert_eq!(server.wait_for_requests(1)[0].header("authorization"), Some("Bearer sk-pasted-by-hand"));
    let stored = home.path().join("sayso/credentials.toml");
    assert!(!stored.exists());
    say_then(&terminal, "/key store", "The key of openai is in");
    terminal.wait_for("which only you can read.");
    let text = std::fs::read_to_string(&stored).expect("a file of keys");
    assert_eq!(
        text,
        format!("\"openai\" = {{ key = \"sk-pasted-by-hand\", origin = \"{}\" }}\n", server.url())
    );
    let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&stored).expect("its mode"));
    assert_eq!(mode & 0o777, 0o600);
    terminal.enter("/quit");
    let mut terminal = terminal;
    terminal.wait_exit();
    let written = session(home.path());
    assert!(written.contains("to me.") && !written.contains("sk-pasted-by-hand"), "{written}");
    // The next start finds it, and does not ask for a provider.
    let terminal = Setup::new(home.path(), &[]).env("OPENAI_BASE_URL", &server.v1()).start();
    terminal.wait_for("answers: its key was found (credentials.toml).");
    say_then(&terminal, "hello", "Hello again.");
    assert_eq!(server.wait_for_requests(2)[1].header("authorization"), Some("Bearer sk-pasted-by-hand"));
}

#[test]
fn a_key_in_the_environment_is_enough_and_it_is_told_who_answers() {
    let home = tempfile::tempdir().expect("a home");
    let server = ModelServer::replying(&["Hello."]);
    configure(home.path(), "", "");
    let terminal = Setup::new(home.path(), &[])
        .env("OPENAI_BASE_URL", &server.v1())
        .env("OPENAI_API_KEY", "sk-from-environment")
        .start();
    terminal.wait_for("openai/gpt-6.1-sol answers: its key was found (OPENAI_API_KEY).");
    say_then(&terminal, "hello", "Hello.");
    assert_eq!(server.wait_for_requests(1)[0].header("authorization"), Some("Bearer sk-from-environment"));
}

/// A server whose address is typed becomes a provider like those of the configuration.
#[test]
fn a_server_whose_address_is_typed_is_listed_with_all_that_it_has() {
    let home = tempfile::tempdir().expect("a home");
    let server = ModelServer::replying(&["Hello from there."]).with_models(&two_models());
    configure(home.path(), "", "");
    let terminal = Setup::new(home.path(), &[]).start();
    terminal.wait_for("Where should answers come from?");
    terminal.press_then("6", "address:");
    // An address without a server stays in its field.
    terminal.enter("http://127.0.0.1:9/v1");
    terminal.wait_for_each(&["Cannot reach", "address: http://127.0.0.1:9/v1"]);
    terminal.send(b"\x15");
    terminal.wait_gone("http://127.0.0.1:9/v1");
    terminal.enter(&server.v1());
    terminal.wait_for_each(&["ctx 128k", "the model is there."]);
    let screen = terminal.screen();
    let row = |model: &str| screen.lines().find(|row| row.contains("other") && row.contains(model));
    for model in [" one ", " two "] {
        assert!(row(model).is_some_and(|row| row.contains("local")), "{screen}");
    }
    assert!(!screen.contains("no provider"), "{screen}");
    terminal.enter("two");
    terminal.wait_for_each(&["Replies come from other/two", "ctx"]);
    say_then(&terminal, "hello", "Hello from there.");
    assert_eq!(model(&server, 0), json!("two"));
}

/// The first screen names the address that is used once it is chosen; another computer is not contacted before.
#[test]
fn the_first_screen_names_the_server_that_is_asked() {
    for (host, address, stands) in [
        ("127.0.0.1:1", "http://127.0.0.1:1", "not found"),
        ("192.0.2.2:11499", "http://192.0.2.2:11499", "not asked"),
    ] {
        let home = tempfile::tempdir().expect("a home");
        configure(home.path(), "", "");
        let terminal = Setup::new(home.path(), &[]).env("OLLAMA_HOST", host).start();
        let row = |row: &str| {
            row.contains("Ollama")
                && row.split_whitespace().any(|word| word == address)
                && row.contains(stands)
        };
        terminal.wait_true(|screen| screen.lines().any(row));
    }
}
