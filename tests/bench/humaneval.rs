//! Runs 80 answers of HumanEval through the whole program: `cargo bench --bench humaneval`. With `SAYSO_HUMANEVAL`
//! naming the data set's own file (`data/HumanEval.jsonl` of openai/human-eval, unpacked), all of its 164 tasks.
//!
//! It does so twice: as files with `sayso exec --json`, and as blocks of turns that a policy approves. Every answer
//! has to print its PASS line; the bench prints the time of a file and the median time of a turn. Then it prints how
//! many tokens a model gets before the person's first word, by its level and its dialect.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // a test that can't go on fails by panicking

#[path = "../support/model_server.rs"]
mod model_server;

use model_server::{Answer, ModelServer};
use sayso::domain::Masker;
use sayso::domain::{Entry, Header, Limits, ModelName, Outcome, Policy, SessionId, Stream, Timestamp};
use sayso::driver::{Clock, Driver, DriverParts, FunctionFiles, Notification, RecipeBook};
use sayso::engine::{Command, Engine, Settings};
use sayso::exec::{Executor, Setup};
use sayso::provider::{Provider, ProviderSetup, script::Script};
use sayso::review::Scope;
use sayso::store::Store;
use sayso::workspace::instructions::InstructionSearch;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Instant;

const ANSWERS: &str = include_str!("humaneval/answers.jsonl");

fn main() {
    let all = |lines: &str| lines.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    let answers: Vec<Value> = match std::env::var_os("SAYSO_HUMANEVAL") {
        Some(file) => {
            let tasks: Vec<Value> = all(&std::fs::read_to_string(file).expect("the data set"));
            tasks.iter().map(answered).collect()
        }
        None => all(ANSWERS),
    };
    let home = tempfile::tempdir().expect("a home");
    let (passed, time) = files(home.path(), &answers);
    println!("exec FILE…: {passed} of {} pass, {time:.2} ms a file", answers.len());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let (turned, median) = runtime.block_on(turns(home.path(), &answers));
    println!(
        "turns: {turned} of {} pass, median {median:.2} ms from the prompt to the end of the turn",
        answers.len()
    );
    prompts(home.path());
    assert!(passed == answers.len() && turned == answers.len(), "an answer did not pass");
}

/// A task of the data set with the answer that the data set contains.
fn answered(task: &Value) -> Value {
    let code = format!(
        "{}{}\n{}\ncheck({})\nprint('PASS {}')\n",
        text(task, "prompt"),
        text(task, "canonical_solution"),
        text(task, "test"),
        text(task, "entry_point"),
        text(task, "task_id"),
    );
    serde_json::json!({
        "answer": format!("Here is the solution:\n\n```python\n{code}```\n"),
        "expected_stdout": format!("PASS {}\n", text(task, "task_id")),
        "code": code,
    })
}

/// Prints how much each kind of model gets before the person's first word, counted as the program does without a
/// tokenizer: four ASCII characters per token.
fn prompts(home: &Path) {
    println!("tokens before the first word of the person (about; four letters each)");
    for (level, model) in [("small", "lab/coder-7b"), ("large", "lab/coder-70b")] {
        for dialect in ["fences", "execute-tags", "tools"] {
            let server = ModelServer::start(vec![Answer::text("Yes.")]);
            let folder = home.join(format!("{level}-{dialect}"));
            std::fs::create_dir_all(&folder).expect("a folder");
            let config = format!(
                "dialect = \"{dialect}\"\n[providers.lab]\nkind = \"openai\"\nbase_url = \"{}/v1\"\n",
                server.url()
            );
            std::fs::write(folder.join("config.toml"), config).expect("a configuration");
            std::process::Command::new(env!("CARGO_BIN_EXE_sayso"))
                .args(["run", "--json", "--model", model, "hello"])
                .env("SAYSO_HOME", &folder)
                .current_dir(&folder)
                .output()
                .expect("the program runs");
            let request = server.wait_for_requests(1)[0].json();
            let system: Vec<&str> = request["messages"]
                .as_array()
                .expect("messages")
                .iter()
                .filter(|message| message["role"] == "system")
                .map(|message| message["content"].as_str().expect("text"))
                .collect();
            let (rest, conditions) =
                (system.concat(), system.iter().find_map(|s| s.split_once("# Conditions now")));
            let tools = request.get("tools").map_or(0, |tools| tools.to_string().len().div_ceil(4));
            let conditions = conditions.map_or(0, |(_, told)| told.len().div_ceil(4));
            let all = rest.len().div_ceil(4);
            println!(
                "{level:6} {dialect:12} prompt {:5}  conditions {conditions:4}  tools {tools:5}",
                all - conditions
            );
        }
    }
}

/// Runs all answers as files of one call.
fn files(home: &Path, answers: &[Value]) -> (usize, f64) {
    let paths: Vec<PathBuf> = answers
        .iter()
        .enumerate()
        .map(|(n, answer)| {
            let path = home.join(format!("answer-{n}.py"));
            std::fs::write(&path, text(answer, "code")).expect("written");
            path
        })
        .collect();
    let began = Instant::now();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_sayso"))
        .args(["exec", "--json"])
        .args(&paths)
        .env("SAYSO_HOME", home.join("sayso"))
        .current_dir(home)
        .output()
        .expect("the program runs");
    let time = began.elapsed().as_secs_f64() * 1e3 / answers.len() as f64;
    let lines = String::from_utf8(output.stdout).expect("text");
    let passed = lines.lines().zip(answers).filter(|(line, answer)| {
        let told: Value = serde_json::from_str(line).expect("an object a line");
        told["outcome"] == "ok" && told["stdout"] == answer["expected_stdout"]
    });
    (passed.count(), time)
}

/// Runs each answer as the reply of a turn whose blocks a policy approves.
async fn turns(home: &Path, answers: &[Value]) -> (usize, f64) {
    let (mut passed, mut times) = (0, Vec::new());
    for (n, answer) in answers.iter().enumerate() {
        let began = Instant::now();
        passed += usize::from(Box::pin(turn(&home.join(format!("turn-{n}")), answer)).await);
        times.push(began.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    (passed, times[times.len() / 2])
}

async fn turn(home: &Path, answer: &Value) -> bool {
    std::fs::create_dir_all(home).expect("a folder");
    let name = ModelName { provider: "scripted".into(), model: "humaneval".into() };
    let mut table = toml::Table::new();
    table.insert("pace".into(), 0.into());
    let reply = |text: &str| {
        let mut reply = toml::Table::new();
        reply.insert("text".into(), text.into());
        toml::Value::Table(reply)
    };
    table.insert("reply".into(), vec![reply(text(answer, "answer")), reply("Done.")].into());
    let story = Script::parse(&table.to_string(), "humaneval").expect("a story");
    let settings = Settings { policy: Policy::All, unconfined: true, ..Settings::default() };
    let header = Header {
        id: SessionId("00000000-0000-7000-8000-000000000001".into()),
        name: String::new(),
        created: Timestamp(0),
        cwd: home.to_path_buf(),
        model: Some(name.clone()),
        program: "bench".into(),
        branch_of: None,
    };
    let store = Store::create(&home.join("sessions"), header.clone());
    let mut engine = Engine::new(settings.clone());
    let effects = engine.start(header, Timestamp(0));
    let executor = Executor::new(Setup {
        helper: sayso::exec::HelperFile::at(env!("CARGO_BIN_EXE_sayso").as_ref()).unwrap(),
        cwd: home.to_path_buf(),
        blobs: store.blobs(),
        languages: settings.languages,
        environment: Vec::new(),
        python: None,
        limits: Limits::default(),
        sandbox: sayso::exec::SandboxRequest::default(),
        without: sayso::exec::DisabledLayers::default(),
        worked: Vec::new(),
        home: None,
        own: Vec::new(),
        masker: Masker::default(),
    });
    let mut driver = Driver::new(DriverParts {
        engine,
        effects,
        store,
        executor,
        provider: Provider::new(ProviderSetup::Scripted { name, story }).ok(),
        catalogue: std::sync::Arc::new(Vec::new),
        store_key: std::sync::Arc::new(|_| Err("no keys here".into())),
        connect: std::sync::Arc::new(|_| Err(sayso::provider::ConnectError::new("no other", ""))),
        scope: Scope { cwd: home.to_path_buf(), home: None, ..Scope::default() },
        recipes: RecipeBook::open(home.join("recipes")).0,
        functions: FunctionFiles::default(),
        sessions: home.join("sessions"),
        read_search: std::sync::Arc::new(|_| Ok(sayso::driver::SessionSearch::default())),
        instructions: InstructionSearch::default(),
        model_overrides: std::sync::Arc::new(|told| told),
        undo: None,
        clock: Clock::System,
    });
    driver.send(Command::Submit("solve it".into()));
    let mut passed = false;
    loop {
        for told in driver.next().await.notifications {
            let Notification::Recorded(entry) = told else { continue };
            match *entry {
                Entry::Ran { report, .. } => {
                    let printed = String::from_utf8_lossy(&report.output.bytes(Stream::Stdout)).into_owned();
                    passed = report.outcome == Outcome::Ok && printed == text(answer, "expected_stdout");
                }
                Entry::TurnEnd(_) => {
                    driver.close().await.ok();
                    return passed;
                }
                _ => {}
            }
        }
    }
}

fn text<'a>(answer: &'a Value, member: &str) -> &'a str {
    answer[member].as_str().expect("a text")
}
