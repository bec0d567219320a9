//! Tests of commands that run nothing: check, blocks, sessions, config, doctor, completions, man; and of refusals.

use crate::home::{Home, assert_has};
use serde_json::{Value, json};

#[test]
fn check_reviews_without_running() {
    let home = Home::new();
    home.file("bad.py", "import shutil\nshutil.rmtree('out')\nopen('ran', 'w')\n");
    home.file("good.py", "print(1)\n");
    let done = home.run(&["check", "--json", "bad.py", "good.py"]).ended(1);
    let files = &done.json()[0]["files"];
    assert_eq!((&files[0]["path"], &files[0]["language"]), (&json!("bad.py"), &json!("python")));
    let finding = &files[0]["findings"][0];
    assert_eq!((&finding["severity"], &finding["line"]), (&json!("high"), &json!(2)));
    for key in ["rule", "column", "end_line", "end_column", "message"] {
        assert!(finding.get(key).is_some(), "{key}");
    }
    assert_eq!(files[1]["findings"], json!([]));
    assert!(!home.work().join("ran").exists());
    home.run(&["check", "good.py"]).ended(0);
}

#[test]
fn check_finds_hidden_characters_in_any_language() {
    let home = Home::with(&[("x.txt", "a\u{202e}b\n")]);
    let done = home.run(&["check", "x.txt"]).ended(1);
    assert!(done.out.contains("x.txt:1:2: HIGH") && !done.out.contains('\u{202e}'), "{}", done.out);
}

#[test]
fn blocks_are_those_that_the_app_sees() {
    let home = Home::new();
    let text = "Text\n\n```python title=x\nprint(1)\n```\n\n```json\n{}\n```\n1. And\n   ```\n   ls\n   ```\n\n~~~sh\nls";
    home.file("r.md", text);
    let done = home.run(&["blocks", "--json", "r.md"]).ended(0);
    let blocks = done.json()[0]["blocks"].clone();
    let expected = json!([
        { "index": 1, "kind": "code", "path": null, "note": null, "language": "python", "info": "python title=x", "source": "print(1)\n",
          "runnable": true, "start_line": 3, "end_line": 5, "closed": true },
        { "index": 2, "kind": "code", "path": null, "note": null, "language": null, "info": "", "source": "ls\n",
          "runnable": false, "start_line": 11, "end_line": 13, "closed": true },
        { "index": 3, "kind": "code", "path": null, "note": null, "language": "bash", "info": "sh", "source": "ls",
          "runnable": false, "start_line": 15, "end_line": 16, "closed": false },
    ]);
    assert_eq!(blocks, expected);
    let done = home.run_with_input(&["blocks", "--json", "-"], "<execute>\n1\n</execute>");
    assert_eq!(done.json()[0]["blocks"][0]["source"], "1\n");
    let done = home.run_with_input(&["blocks", "--json", "-"], "\u{feff}```sh\nls\n```\n");
    assert_eq!(done.json()[0]["blocks"][0]["source"], "ls\n", "a byte order mark hides no fence");
    assert_eq!(home.run_with_input(&["blocks", "-"], "nothing").out, "no blocks\n");
}

#[test]
fn the_configuration_is_shown_checked_and_made() {
    let home = Home::new();
    home.run(&["config", "path"]).prints(&["config.toml"]);
    home.run(&["config", "init"]).ended(0);
    home.run(&["config", "init"]).ended(3).tells(&["is there already"]);
    home.run(&["config", "init", "--force"]).ended(0);
    assert_eq!(home.run(&["config", "check"]).out, "the configuration is right\n");
    // What can't be written leaves the file as it was.
    let file = home.sayso().join("config.toml");
    std::fs::write(&file, "step_limit = 3\n").unwrap();
    let full = "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"";
    let done = crate::home::output(&mut home.shell(full, &home.command(&["config", "init", "--force"])));
    assert_eq!(done.status.code(), Some(3), "{done:?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "step_limit = 3\n");
    // A link stays one; a device is not replaced.
    let real = home.file("mine.toml", "step_limit = 3\n");
    for (led_to, code) in [(real.as_path(), 0), (std::path::Path::new("/dev/null"), 3)] {
        std::fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink(led_to, &file).unwrap();
        assert_eq!(home.run(&["config", "init", "--force"]).code, Some(code), "{led_to:?}");
        assert!(std::fs::symlink_metadata(&file).unwrap().is_symlink(), "{led_to:?}");
    }
    assert!(std::fs::read_to_string(&real).unwrap().contains("step_limit = 12"));
    std::fs::remove_file(&file).unwrap();
    home.run(&["config", "init"]).ended(0);
    home.run(&["config", "check"]).ended(0);
    home.run(&["config", "show"]).prints(&["step_limit = 12"]);
    let schema: Value = serde_json::from_str(&home.run(&["config", "schema"]).out).unwrap();
    assert!(schema["properties"]["step_limit"].is_object());
    home.configure("step_limit = 3\nmodle = \"x\"\n");
    for command in [&["config", "check"][..], &["run", "x"], &["blocks", "-"]] {
        home.run(command).ended(3).tells(&["config.toml:2:1"]);
    }
    // This has to work all the same.
    home.run(&["config", "path"]).ended(0).prints(&["unless the configuration names another"]);
    home.configure("[sessions]\nfolder = \"/nowhere/kept\"\n");
    home.run(&["config", "path"]).ended(0).prints(&["sessions       /nowhere/kept  (not there)\n"]);
}

#[test]
fn a_key_that_stands_where_none_belongs_is_not_shown() {
    let home = Home::new();
    let token = format!("ghp_{}", "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYaB3d");
    let config =
        format!("[providers.openai]\nkey_env = \"{token}\"\nkey_command = [\"echo\", \"{token}\"]\n");
    home.configure(config);
    let checked = home.run(&["config", "check"]).ended(3);
    let told = "config.toml:2: providers.openai.key_env: is no name of an environment variable";
    assert!(checked.err.contains(told) && !checked.err.contains(&token), "{}", checked.err);
    let shown = home.run(&["config", "show"]).out;
    assert!(shown.contains("providers.openai.key_command = ") && !shown.contains(&token), "{shown}");
}

#[test]
fn doctor_tells_what_is_missing() {
    let home = Home::new();
    let done = home.run(&["doctor", "--json"]).ended(0);
    let report = done.json().remove(0);
    let looks = report["looks"].as_array().unwrap();
    let look =
        |what: &str| looks.iter().find(|l| l["what"] == what).unwrap_or_else(|| panic!("{what}: {report}"));
    assert_eq!(look("python")["good"], true);
    // The result depends on the machine, but each layer is listed, and a missing one with how to get it.
    for layer in ["sandbox", "  bwrap", "  landlock", "  seccomp"] {
        let look = look(layer);
        assert!(look["good"] == true || !look["means"].as_str().unwrap().is_empty(), "{look}");
    }
    assert!(look("model")["means"].as_str().unwrap().contains("--model"));
    home.run(&["doctor"]).prints(&["missing model"]);
}

#[test]
fn doctor_on_a_machine_with_nothing_says_what_that_means_and_how_to_get_it() {
    let home = Home::new();
    let nothing = tempfile::tempdir().unwrap();
    let env = [("PATH", nothing.path().as_os_str()), ("DOCKER_HOST", "unix:///nowhere/docker.sock".as_ref())];
    let done = home.run_in(&env, &["doctor", "--json"]).ended(0);
    let report = done.json().remove(0);
    let looks = report["looks"].as_array().unwrap();
    for (what, how) in [
        ("python", "apt install python3"),
        ("bash", "Install bash"),
        ("javascript", "apt install nodejs"),
        ("uv", "pipx install uv"),
        ("pip", "apt install python3-pip"),
        ("npm", "apt install npm"),
        ("  bwrap", "apt install bubblewrap"),
        ("containers", "apt install docker.io"),
        ("jupyter", "pip install ipykernel"),
    ] {
        let look = looks.iter().find(|l| l["what"] == what).unwrap_or_else(|| panic!("{what}: {report}"));
        if what == "jupyter" && look["good"] == true {
            // Kernels are looked for in the system's folders too.
            continue;
        }
        assert!(look["good"] == false && !look["found"].as_str().unwrap().is_empty(), "{look}");
        assert!(look["means"].as_str().unwrap().contains(how), "{look}");
    }
    let engine = looks.iter().find(|l| l["what"] == "containers").unwrap();
    assert!(engine["found"].as_str().unwrap().contains("unix:///nowhere/docker.sock"), "{engine}");
}

#[test]
#[ignore = "needs a container engine in DOCKER_HOST and the image sayso-test:python"]
fn doctor_lists_the_engine_and_its_images() {
    let home = Home::new();
    home.configure(
        "[executors.container.images]\npython = \"sayso-test:python\"\nbash = \"sayso-test:python\"\n\
                  javascript = \"sayso-test:none\"\n",
    );
    let host = std::env::var("DOCKER_HOST").expect("DOCKER_HOST is not set");
    let done = home.run_in(&[("DOCKER_HOST", host)], &["doctor", "--json"]);
    let report = done.json().remove(0);
    let looks = report["looks"].as_array().unwrap();
    let look =
        |what: &str| looks.iter().find(|l| l["what"] == what).unwrap_or_else(|| panic!("{what}: {report}"));
    let engine = look("containers");
    assert!(engine["good"] == true && engine["found"].as_str().unwrap().starts_with("Docker "), "{engine}");
    assert_eq!(look("  image bash, python")["good"], true);
    let missing = look("  image javascript");
    assert!(
        missing["good"] == false && missing["means"].as_str().unwrap().contains("sayso exec --pull"),
        "{missing}"
    );
}

#[test]
fn completions_and_the_manual_are_made() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish"] {
        home.run(&["completions", shell]).ended(0).prints(&["sessions"]);
    }
    let page = home.run(&["man"]).out;
    assert!(page.starts_with(".ie"));
    // There is one page: what it tells of commands stands in it.
    assert_has(
        &page,
        &[".SH \"sayso exec\"\n", ".SH \"sayso sessions undo\"\n", "\\-\\-no\\-session", "Exit codes"],
    );
    assert!(!page.contains("(1)") && page.matches(".ie ").count() == 1, "{page}");
    home.run(&["--help"]).prints(&["Exit codes"]);
    assert!(home.run(&["--version"]).out.starts_with("sayso "));
}

#[test]
fn a_prompt_is_one_argument() {
    let home = Home::new();
    let done = home.run(&["run", "plot", "it"]).ended(2);
    assert_eq!(done.out, "");
    assert!(
        done.err.starts_with("error: a prompt is one argument, but 2 were given\n  hint: "),
        "{}",
        done.err
    );
    home.run(&["--nope"]).ended(2);
    home.run(&["run", ""]).ended(2);
}

#[test]
fn sessions_that_are_not_there() {
    let home = Home::new();
    home.run(&["sessions", "list"]).prints(&["no sessions"]);
    assert_eq!(home.run(&["sessions", "list", "--json"]).json(), [json!({ "sessions": [] })]);
    for command in ["show", "rm"] {
        home.run(&["sessions", command, "nope"]).ended(5).tells(&["error: no session \"nope\""]);
    }
}
