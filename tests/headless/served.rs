//! Tests each recipe against a model server: the replies of its story come over the network, its files are in the
//! working folder, its answers on the command line. Checks what the model was told.

use crate::home::{Done, Home};
use crate::model_server::{Answer, ModelServer};

/// Plays a recipe with the replies of a shipped story.
fn served(name: &str) -> (Done, Vec<String>) {
    let path = format!("{}/assets/demo/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let story: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
    let text = |value: &toml::Value| value.as_str().unwrap().to_owned();
    let home = Home::new();
    for (file, content) in story.get("files").and_then(toml::Value::as_table).into_iter().flatten() {
        home.file(file, text(content));
    }
    if name == "plot" {
        open_environment(&home.work());
    }
    let replies = story["reply"].as_array().unwrap();
    let server =
        ModelServer::start(replies.iter().map(|reply| Answer::text(&text(&reply["text"]))).collect());
    let fixed = "run --model openai/test --approve all --sandbox off --json --base-url";
    let mut args: Vec<String> = fixed.split(' ').map(str::to_owned).collect();
    args.push(server.v1());
    args.extend(["--recipe".to_owned(), text(&story["recipe"])]);
    for (key, value) in story["inputs"].as_table().unwrap() {
        args.extend(["--input".to_owned(), format!("{key}={}", text(value))]);
    }
    let done = home.run(&args.iter().map(String::as_str).collect::<Vec<_>>());
    let told = server.requests().iter().map(|request| request.last_message()).collect();
    (done, told)
}

/// A virtual environment that also sees the system's packages: whether matplotlib exists is not known in advance, and
/// the story draws without it.
fn open_environment(folder: &std::path::Path) {
    let args = ["-m", "venv", "--without-pip", "--system-site-packages", ".venv"];
    let made = std::process::Command::new("python3").args(args).current_dir(folder).status();
    assert!(made.is_ok_and(|status| status.success()), "an environment");
}

fn assert_told(name: &str, rounds: &[&[&str]]) {
    let (done, told) = served(name);
    assert_eq!(done.code, Some(0), "{name}: {}\n{}", done.out, done.err);
    assert_eq!(told.len(), rounds.len(), "{name}: {told:#?}");
    for (message, words) in told.iter().zip(rounds) {
        for word in *words {
            assert!(message.contains(word), "{name}: {word} in {message}");
        }
    }
}

#[test]
fn each_recipe_tells_the_model_what_comes_next() {
    assert_told("function", &[&["Exactly one function", "working days"]]);
    assert_told("function-two", &[&["Exactly one function"], &["working_days is a second function"]]);
    assert_told("debug", &[&["KeyError: 'start'", "totals[row[\"page\"]]"], &["Say what was wrong"]]);
    assert_told("refactor", &[&["The goal: readability", "def cheapest"]]);
    assert_told("refactor-hunk", &[&["The goal: readability"], &["hunk 3 of 3"]]);
    assert_told("explain", &[&["rm -rf cache", "may I run it in my home folder?"]]);
    assert_told(
        "plot",
        &[
            &["The revenue of each month", "6 numbers from 2.9 to 5"],
            &["look at it: is every label readable"],
        ],
    );
    assert_told("review", &[&["def allowed(user", "Is it safe to deploy", "What could break"]]);
    assert_told(
        "port",
        &[
            &["def slug(text)", "prints one line for each"],
            &["Now port slug.py to slug.sh"],
            &["They do not print the same", "> '42 is it'"],
        ],
    );
    assert_told(
        "data",
        &[&["Which region sold most", "5 numbers from 400 to 1450", "1 empty"], &["answer the question now"]],
    );
}

#[test]
fn tdd_tells_what_the_tests_printed() {
    assert_told(
        "tdd",
        &[
            &["Only tests", "slug.py", "path="],
            &["The tests fail as they should", "No module named 'slug'", "tests/test_slug.py"],
            &["Not yet: 2 failed", "creme-brulee"],
        ],
    );
}
