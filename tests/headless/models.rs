//! Tests `sayso models`, and where keys are sent: real servers on loopback record their requests.

use crate::home::{Home, assert_has};
use crate::model_server::ModelServer;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;

fn server(list: &Value) -> ModelServer {
    ModelServer::replying(&["Hello."]).with_models(list)
}

fn listing() -> Value {
    json!({ "data": [
        { "id": "small", "context_length": 8192, "pricing": { "prompt": "0.0000025", "completion": "0.00001" } },
        { "id": "evil\u{1b}]52;c;x\u{7}\u{202e}" },
    ] })
}

fn credentials(home: &Home, text: &str) {
    let path = home.own("credentials.toml", text);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

/// Keeps local servers of the machine out of the tests: their usual addresses lead nowhere.
const NOWHERE: &str = "providers.ollama.base_url = \"http://127.0.0.1:9\"\nproviders.lmstudio.base_url = \"http://127.0.0.1:9\"\n\
    providers.llamacpp.base_url = \"http://127.0.0.1:9\"\nproviders.vllm.base_url = \"http://127.0.0.1:9\"\n";

#[test]
fn what_a_provider_offers_is_listed_with_context_and_price() {
    let home = Home::new();
    let server = server(&listing());
    let url = server.v1();
    home.configure(format!(
            "{NOWHERE}[providers.lab]\nbase_url = \"{url}\"\n[providers.lab.models]\n\"small\" = {{ context = 4096 }}\nmine = {{}}\n"
        ),
    );
    let done = home.run(&["models", "lab", "--json"]).ended(0);
    let lab = &done.json()[0]["providers"][0];
    assert_eq!(
        json!([lab["provider"], lab["kind"], lab["reachable"], lab["local"], lab["key"]]),
        json!(["lab", "openai", true, true, "needless"])
    );
    let model =
        |name: &str| lab["models"].as_array().unwrap().iter().find(|m| m["model"] == name).unwrap().clone();
    assert_eq!(model("small")["context"], 4096, "the configuration counts more than the server");
    assert_eq!(
        json!([model("small")["price"]["input"], model("small")["price"]["output"]]),
        json!([2.5, 10.0])
    );
    assert!(model("mine")["context"].is_null(), "what is only named is offered too");

    let done = home.run(&["models", "lab"]).ended(0).prints(&["lab/small", "ctx 4k", "$2.50/$10"]);
    assert!(!done.out.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{}", done.out);
    assert!(server.requests().is_empty(), "nothing was asked of a model");
}

#[test]
fn those_that_can_t_be_asked_are_told_in_a_line_each() {
    let home = Home::new();
    let server = server(&listing());
    home.configure(format!("{NOWHERE}[providers.lab]\nbase_url = \"{}\"\n", server.url()));
    let done = home.run(&["models"]).ended(0);
    let line = |name: &str| {
        let found = done.out.lines().find(|line| line.starts_with(name));
        found.unwrap_or_else(|| panic!("{name}: {}", done.out)).to_owned()
    };
    assert!(line("anthropic ").contains("no key (ANTHROPIC_API_KEY)"), "{}", done.out);
    assert!(line("gemini ").contains("no key (GEMINI_API_KEY or GOOGLE_API_KEY)"), "{}", done.out);
    assert!(line("ollama ").contains("not reachable") && !done.out.contains("message"), "{}", done.out);
    assert!(line("lab  ").contains("2 models"), "{}", done.out);

    // There is nobody to ask, which the exit code shows.
    home.configure(NOWHERE);
    let done = home.run(&["models", "--json"]).ended(4);
    assert!(done.json()[0]["providers"].as_array().unwrap().len() > 10);
    let done = home.run(&["models", "anthropic"]).ended(4);
    assert!(
        done.err.starts_with("error: anthropic has no key\n  hint: Set ANTHROPIC_API_KEY"),
        "{}",
        done.err
    );
    let done = home.run(&["models", "ollama"]).ended(4);
    assert!(done.err.starts_with("error: ollama lists no models: "), "{}", done.err);
    // A server that refuses was reached.
    let server = ModelServer::start(vec![]);
    home.configure(format!("[providers.lab]\nbase_url = \"{}\"\n", server.url()));
    let done = home.run(&["models", "lab"]).ended(4);
    assert!(done.out.contains("no list: ") && !done.out.contains("not reachable"), "{}", done.out);
    let lab = home.run(&["models", "lab", "--json"]).json()[0]["providers"][0].clone();
    assert!(lab["reachable"] == true && lab["error"].is_string(), "{lab}");
    let done = home.run(&["models", "antropic"]).ended(4);
    assert!(
        done.err.starts_with("error: there is no provider `antropic`; did you mean anthropic?"),
        "{}",
        done.err
    );
}

#[test]
fn a_name_or_an_address_that_leads_nowhere_is_told_before_anything_is_sent() {
    let home = Home::new();
    home.configure(NOWHERE);
    for (args, told) in [
        (
            &["--model", "antropic/claude"][..],
            "error: there is no provider `antropic`; did you mean anthropic/claude?",
        ),
        (&["--model", "ollama"], "error: `ollama` is a provider: which of its models is meant is not said"),
        (
            &["--base-url", "localhost:1"],
            "error: --base-url: is \"localhost:1\", but has to be an address that begins with http:// or https://; write http://localhost:1",
        ),
        (&["--base-url", "http://127.0.0.1:9/v1"], "error: no model is named for http://127.0.0.1:9/v1"),
        (&[], "error: no model is chosen"),
    ] {
        let mut all = vec!["run", "hello"];
        all.extend(args);
        let done = home.run(&all);
        assert!(done.err.starts_with(told), "{args:?}: {}", done.err);
        assert!(done.err.contains("\n  hint: ") && matches!(done.code, Some(3 | 4)), "{}", done.err);
        assert_eq!(done.out, "");
    }
}

#[test]
fn without_a_choice_the_first_key_that_is_found_decides_and_it_is_told() {
    let home = Home::new();
    let server = server(&listing());
    home.configure(NOWHERE);
    let variables = [("OPENAI_API_KEY", "sk-from-environment"), ("OPENAI_BASE_URL", &server.v1())];
    home.run_in(&variables, &["run", "hello"])
        .ended(0)
        .tells(&["note: openai/gpt-6.1-sol answers: its key was found (OPENAI_API_KEY)."]);
    let request = &server.requests()[0];
    assert_eq!(request.header("authorization"), Some("Bearer sk-from-environment"));
    assert_eq!(request.json()["model"], "gpt-6.1-sol");
    // A key that no header can carry is told, and no other model is named in its place.
    let done = home.run_in(&[("OPENAI_API_KEY", "sk-schl\u{fc}ssel")], &["run", "hello"]);
    assert_eq!((done.code, server.requests().len()), (Some(4), 1));
    assert!(done.err.starts_with("error: the key for openai holds"), "{}", done.err);
}

#[test]
fn without_a_choice_and_a_key_a_server_on_this_computer_answers() {
    let home = Home::new();
    let server = server(&json!({ "data": [{ "id": "local-model" }] }));
    let text = NOWHERE.replace("providers.vllm.base_url = \"http://127.0.0.1:9\"\n", "");
    home.configure(format!("{text}providers.vllm.base_url = \"{}/v1\"\n", server.url()));
    let done = home
        .run(&["run", "hello"])
        .ended(0)
        .tells(&["note: vllm/local-model answers: its server was found at"]);
    assert!(!done.err.contains("warning: the key"), "{}", done.err);
    // A key that was found and can't be used is told, although a server answers in its place.
    home.run_in(&[("OPENAI_API_KEY", "sk-schl\u{fc}ssel")], &["run", "hello"])
        .ended(0)
        .tells(&["warning: the key for openai holds", "note: vllm/local-model answers: "]);
    assert_eq!(server.requests()[0].json()["model"], "local-model");
}

#[test]
fn a_stored_key_is_not_sent_to_another_address() {
    let home = Home::new();
    let server = server(&listing());
    let ask = |variables: &[(&str, &str)], configuration: &str| {
        home.configure(configuration);
        let args = ["run", "hello", "--model", "openai/small", "--base-url", &server.v1()];
        let done = home.run_in(variables, &args).ended(0);
        (server.requests().pop().unwrap(), done.err)
    };
    let nobody = |request: &crate::model_server::Received| {
        let text = format!("{:?} {}", request.headers, String::from_utf8_lossy(&request.body));
        assert!(!text.contains("sk-stored") && !text.contains("sk-header"), "{text}");
    };

    credentials(&home, "openai = \"sk-stored-for-openai\"\n");
    let (request, told) = ask(&[], NOWHERE);
    nobody(&request);
    assert_eq!(request.header("authorization"), None);
    assert_has(
        &told,
        &["warning: The key for openai (credentials.toml) is for https://api.openai.com: it is not sent to"],
    );

    let (request, told) =
        ask(&[], "providers.openai.headers = { Authorization = \"Bearer sk-header\", X-Team = \"blue\" }\n");
    nobody(&request);
    assert_eq!(request.header("x-team"), Some("blue"));
    assert!(told.contains("may hold a key are not sent to") && told.contains("Authorization"), "{told}");

    // A key that the same person gives together with the address is sent there.
    let (request, _) = ask(&[("OPENAI_API_KEY", "sk-from-environment")], NOWHERE);
    assert_eq!(request.header("authorization"), Some("Bearer sk-from-environment"));
    // So is a key that was stored for exactly this origin.
    credentials(&home, &format!("[openai]\nkey = \"sk-for-this-place\"\norigin = \"{}\"\n", server.url()));
    let (request, _) = ask(&[], NOWHERE);
    assert_eq!(request.header("authorization"), Some("Bearer sk-for-this-place"));
}

#[test]
fn a_program_writes_the_key_and_it_is_masked_in_the_session() {
    let home = Home::new();
    let server = ModelServer::replying(&["Your key is sk-from-a-program, I think."]);
    let url = server.v1();
    home.configure(format!(
        "[providers.lab]\nbase_url = \"{url}\"\nkey_command = [\"printf\", \"sk-from-a-program\\\\n\"]\n"
    ));
    home.run(&["run", "hello", "--model", "lab/small"]).ended(0);
    assert_eq!(server.requests()[0].header("authorization"), Some("Bearer sk-from-a-program"));
    let sessions = std::fs::read_dir(home.sayso().join("sessions")).unwrap();
    let files: Vec<_> = sessions.flatten().map(|file| file.path()).filter(|path| path.is_file()).collect();
    assert!(!files.is_empty());
    for file in files {
        let text = std::fs::read_to_string(file).unwrap();
        assert!(text.contains("Your key is ") && !text.contains("sk-from-a-program"), "{text}");
    }

    home.configure(format!("[providers.lab]\nbase_url = \"{url}\"\nkey_command = \"echo secret; exit 3\"\n"));
    let done = home
        .run(&["run", "hello", "--model", "lab/small"])
        .ended(4)
        .tells(&["the key_command of lab ended with exit code 3. Nothing was sent."]);
    assert!(!done.err.contains("secret") && server.requests().len() == 1, "{}", done.err);
}

#[test]
#[ignore = "needs dbus-run-session, gnome-keyring and secret-tool"]
fn the_key_is_in_the_systems_keyring() {
    let home = Home::new();
    let server = ModelServer::replying(&["Hello."]);
    home.configure(format!("[providers.lab]\nbase_url = \"{}/v1\"\nkeyring = true\n", server.url()));
    let script = home.file(
        "ask.sh",
        "printf word | gnome-keyring-daemon --unlock --components=secrets >/dev/null\n\
         \"$1\" run hello --model lab/small\necho \"first: $?\"\n\
         printf sk-from-the-keyring | secret-tool store --label=sayso service sayso provider lab\n\
         \"$1\" run hello --model lab/small\necho \"second: $?\"\n",
    );
    let done = std::process::Command::new("dbus-run-session")
        .args(["--", "bash", &script.to_string_lossy(), env!("CARGO_BIN_EXE_sayso")])
        .current_dir(home.work())
        .envs([("HOME", home.work()), ("XDG_RUNTIME_DIR", home.work()), ("SAYSO_HOME", home.sayso())])
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(out.contains("first: 4") && out.contains("second: 0"), "{out}\n{err}");
    assert_has(
        &err,
        &[
            "the keyring of lab ended with exit code 1. Nothing was sent.",
            "secret-tool store --label=sayso service sayso provider lab",
        ],
    );
    assert_eq!(server.requests()[0].header("authorization"), Some("Bearer sk-from-the-keyring"));
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_project_decides_nothing_about_keys_and_addresses() {
    let home = Home::new();
    let (own, evil) = (server(&listing()), server(&listing()));
    home.configure(format!(
        "model = \"lab/small\"\n[providers.lab]\nbase_url = \"{}/v1\"\nkey_env = \"LAB_KEY\"\n",
        own.url()
    ));
    home.file(
        ".sayso.toml",
        format!(
            "base_url = \"{0}\"\n[providers.lab]\nbase_url = \"{0}\"\nkey_command = \"touch ran\"\n",
            evil.url()
        ),
    );
    let done = home.run_in(&[("LAB_KEY", "sk-lab")], &["run", "hello"]).ended(0);
    assert_eq!(done.err.matches("was ignored: a project can't set this.").count(), 3, "{}", done.err);
    assert_eq!((own.requests().len(), evil.requests().len(), evil.questions().len()), (1, 0, 0));
    assert_eq!(own.requests()[0].header("authorization"), Some("Bearer sk-lab"));
    assert!(!home.work().join("ran").exists());
}
