//! Everyday programs, as data (`tests/fixtures/everyday*.toml`): each must print, show and fail with what a person
//! expects. Programs of one language share a session, like blocks of a conversation.

use crate::support::*;
use std::fmt::Write as _;

/// How the run differs from what the table expects; empty if it does not.
fn differences(program: &toml::Table, told: &Told) -> String {
    let text = |key: &str| program.get(key).and_then(toml::Value::as_str);
    let number = |key: &str| program.get(key).and_then(toml::Value::as_integer);
    let mut found = String::new();
    let mut differs = |what: &str, wanted: &str, got: &str| {
        let _ = writeln!(found, "  {what}: wanted {wanted:?}\n    got {got:?}");
    };
    let report = &told.report;
    if report.outcome.label().to_lowercase() != text("outcome").unwrap_or("done") {
        differs("outcome", text("outcome").unwrap_or("done"), &format!("{:?}", report.outcome));
    }
    if let Some(exit) = number("exit")
        && report.receipt.exit_code.map(i64::from) != Some(exit)
    {
        differs("exit", &exit.to_string(), &format!("{:?}", report.receipt.exit_code));
    }
    match text("out_has") {
        Some(wanted) if !told.out().contains(wanted) => differs("stdout", wanted, &told.out()),
        None if told.out() != text("out").unwrap_or_default() => {
            differs("stdout", text("out").unwrap_or_default(), &told.out());
        }
        _ => {}
    }
    let wanted = text("err").unwrap_or_default();
    // If no error output is expected, there must be none.
    if !told.err().contains(wanted) || wanted.is_empty() && report.error.is_none() && !told.err().is_empty() {
        differs("stderr", wanted, &told.err());
    }
    let list = |key: &str| program.get(key).and_then(toml::Value::as_array).into_iter().flatten();
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let value = report.value.as_deref().unwrap_or_default();
    let parts: Vec<&str> = list("value_has").filter_map(toml::Value::as_str).collect();
    let as_wanted = match text("value").unwrap_or_default() {
        _ if !parts.is_empty() => parts.iter().all(|part| value.contains(part)),
        wanted if program.contains_key("words") => words(wanted) == words(value),
        wanted => wanted == value,
    };
    if !as_wanted {
        differs("value", text("value").unwrap_or(&parts.join(" … ")), value);
    }
    let error = report.error.as_ref().map(|error| format!("{}: {}", error.kind, error.message));
    let error = error.unwrap_or_default();
    let wanted = text("error").unwrap_or_default();
    let fails_otherwise = wanted.is_empty() && !error.is_empty() && number("exit").is_none();
    if !error.contains(wanted) || fails_otherwise {
        differs("error", wanted, &error);
    }
    for wanted in list("traceback").filter_map(toml::Value::as_str) {
        let traceback = report.error.as_ref().map_or("", |error| &error.traceback);
        if !traceback.contains(wanted) {
            differs("traceback", wanted, traceback);
        }
    }
    let images = i64::try_from(report.images.len()).unwrap_or(i64::MAX);
    if images != number("images").unwrap_or(0) {
        differs("images", &number("images").unwrap_or(0).to_string(), &images.to_string());
    }
    found
}

/// Runs all programs, except those whose interpreter is not on this machine. Fails with a list of all that differ.
async fn run_all(shop: &Shop, language: &str, table: &str) -> usize {
    let table: toml::Table = table.parse().expect("the table can be read");
    let (mut ran, mut told) = (0, String::new());
    for program in table["program"].as_array().expect("programs") {
        let program = program.as_table().expect("a program");
        let text = |key: &str| program.get(key).and_then(toml::Value::as_str);
        if text("needs").is_some_and(|needs| !is_here(needs)) {
            continue;
        }
        ran += 1;
        let done = shop.run(text("language").unwrap_or(language), text("code").expect("its code")).await;
        let differs = differences(program, &done);
        if !differs.is_empty() {
            let _ = writeln!(told, "{}\n{differs}", text("name").unwrap_or("?"));
        }
    }
    assert!(told.is_empty(), "{told}");
    ran
}

fn is_here(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

#[tokio::test]
async fn sixty_programs_do_what_a_person_expects() {
    let shop = Shop::new();
    assert!(run_all(&shop, "python", include_str!("../fixtures/everyday.toml")).await >= 60);
}

#[tokio::test]
#[ignore = "needs node"]
async fn programs_for_node_do_what_a_person_expects() {
    assert!(run_all(&Shop::new(), "javascript", include_str!("../fixtures/everyday-node.toml")).await >= 10);
}

#[tokio::test]
#[ignore = "needs numpy, pandas, polars, matplotlib and scikit-learn: SAYSO_TEST_DATA_PYTHON"]
async fn programs_of_a_data_scientist_do_what_they_expect() {
    let python = std::env::var_os("SAYSO_TEST_DATA_PYTHON").expect("SAYSO_TEST_DATA_PYTHON names a Python");
    let shop = Shop::with(|setup| setup.python = Some(python.into()));
    assert!(run_all(&shop, "python", include_str!("../fixtures/everyday-data.toml")).await >= 15);
}
