//! Runs ten answers to HumanEval (MIT): as files of one call, and as a block of a turn that the policy approves. `cargo
//! bench --bench humaneval` runs all eighty.

use super::home::Home;
use serde_json::Value;

fn answers() -> Vec<Value> {
    let lines = include_str!("../fixtures/humaneval-10.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text<'a>(answer: &'a Value, member: &str) -> &'a str {
    answer[member].as_str().unwrap()
}

#[test]
fn ten_answers_pass_as_files() {
    let home = Home::new();
    let answers = answers();
    let mut args = vec!["exec".to_owned(), "--json".to_owned()];
    for (n, answer) in answers.iter().enumerate() {
        args.push(home.file(&format!("answer{n}.py"), text(answer, "code")).to_string_lossy().into_owned());
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let told = home.run(&args).json();
    assert_eq!(told.len(), 10);
    for (told, answer) in told.iter().zip(&answers) {
        assert_eq!(told["outcome"], "ok", "{told}");
        assert_eq!(told["stdout"], answer["expected_stdout"]);
    }
}

#[test]
fn an_answer_passes_as_an_approved_block() {
    let home = Home::new();
    let answer = &answers()[3];
    let mut reply = toml::Table::new();
    reply.insert("text".into(), text(answer, "answer").into());
    let mut last = toml::Table::new();
    last.insert("text".into(), "Done.".into());
    let mut story = toml::Table::new();
    story.insert("pace".into(), 0.into());
    story.insert("reply".into(), vec![toml::Value::Table(reply), toml::Value::Table(last)].into());
    let path = home.file("story.toml", story.to_string());
    let path = path.to_string_lossy().into_owned();
    let done =
        home.run(&["run", "--json", "--demo", &path, "--approve", "all", "--sandbox", "off", "solve it"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    let runs = done.events("run");
    assert_eq!(runs.len(), 1, "{}", done.out);
    assert!(done.out.contains(text(answer, "expected_stdout").trim()), "{}", done.out);
}
