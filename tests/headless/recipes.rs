//! Tests recipes without a terminal: the shipped ones, by their stories and with real execution; a person's own; early
//! refusals; forms with and without answers in advance.

use crate::home::{Done, Home, assert_has, install};
use crate::model_server::ModelServer;
use serde_json::{Value, json};
use std::path::Path;

/// A recipe of the person's own: the person agrees to a file, then code runs until it succeeds.
const OWN: &str = r#"
name = "steady"
title = "Steady"
when = "There is a list to keep."
prompt = "Steady: {about}"

[[input]]
name = "about"
ask = "What is it about?"
required = true

[[input]]
name = "tries"
ask = "How often?"
kind = "number"
min = 1
max = 9
whole = true
default = "2"

[[step]]
name = "list"
title = "The list"
say = "Write the list of {about}."
check = "written"
blocks = ["write"]

[step.on.written]
then = "next"

[step.on.rounds]
then = "end"
how = "gave_up"

[[step]]
name = "work"
title = "Work"
say = "Work with the list."
check = "run"
blocks = ["code"]
protects = ["list"]
rounds = 2

[step.on.ok]
then = "end"

[step.on.failed]
then = "again"
say = "It failed: {note}"

[step.on.rounds]
then = "end"
how = "limit"
say = "It never went well."

[end]
summary = "Files: {files}"
"#;

const LIST: &str = "```text path=list.txt\none\ntwo\n```\n";
const APPROVED: &[&str] = &["--approve", "all", "--sandbox", "off", "--json"];

fn home() -> Home {
    let home = Home::new();
    home.own("recipes/steady.toml", OWN);
    home
}

/// A story of these replies.
fn story(home: &Home, replies: &[&str]) -> String {
    let told: String = replies.iter().map(|text| format!("[[reply]]\ntext = '''\n{text}'''\n")).collect();
    home.file("story.toml", told).to_string_lossy().into_owned()
}

/// A turn of the person's own recipe, with these replies.
fn steady(home: &Home, replies: &[&str], more: &[&str]) -> Done {
    let path = story(home, replies);
    let work = home.work().to_string_lossy().into_owned();
    let mut args =
        vec!["run", "--demo", &path, "--cwd", &work, "--recipe", "steady", "--input", "about=pears"];
    args.extend(more);
    home.run(&args)
}

/// The latest verdict of each round, in order: `list written`.
fn verdicts(done: &Done) -> Vec<String> {
    let judged = done.events("recipe").into_iter().filter(|event| event["what"] == "judged");
    judged
        .map(|event| format!("{} {}", event["step"].as_str().unwrap(), event["verdict"].as_str().unwrap()))
        .collect()
}

#[test]
fn a_recipe_of_ones_own_goes_its_way_and_its_steps_are_told() {
    let home = home();
    let done = steady(&home, &[LIST, "```python\nprint(open('list.txt').read())\n```\n"], APPROVED).ended(0);
    assert_eq!(verdicts(&done), ["list written", "work ok"]);
    assert_eq!(home.text("list.txt"), "one\ntwo\n");
    let end = done.last();
    assert_eq!((&end["event"], &end["reason"]), (&json!("turn_end"), &json!("answered")));
    assert_eq!((&end["recipe"]["name"], &end["recipe"]["end"]), (&json!("steady"), &json!("done")));
    let log = end["log"].as_array().unwrap();
    assert_eq!(log.len(), 2, "{log:#?}");
    assert_eq!(json!([log[0]["recipe"]["step"], log[0]["judged"]["verdict"]]), json!(["list", "written"]));
    assert_eq!(
        json!([log[0]["blocks"][0]["kind"], log[0]["blocks"][0]["path"]]),
        json!(["write", "list.txt"])
    );
    assert_eq!(
        json!([log[1]["blocks"][0]["runs"][0]["outcome"], log[1]["blocks"][0]["by"]]),
        json!(["ok", "flag"])
    );
}

#[test]
fn rounds_that_are_used_up_end_it_with_1_and_files_stay() {
    let home = home();
    let fails = "```python\nraise ValueError('no')\n```\n";
    let done = steady(&home, &[LIST, fails, fails, fails], APPROVED).ended(1);
    assert_eq!(verdicts(&done), ["list written", "work failed", "work failed"]);
    assert_eq!((&done.last()["reason"], &done.last()["recipe"]["end"]), (&json!("limit"), &json!("limit")));
    assert!(home.work().join("list.txt").exists());
}

#[test]
fn a_person_reads_rounds_verdicts_and_the_end() {
    let home = home();
    let replies = [LIST, "```python\n1/0\n```\n", "```python\nprint('well')\n```\n"];
    steady(&home, &replies, &["--approve", "all", "--sandbox", "off"])
        .ended(0)
        .tells(&[
            "recipe steady",
            "step: The list, round 1",
            "list, round 1: written (list.txt)",
            "work, round 1: failed (ZeroDivisionError",
            "step: Work, round 2",
            "the recipe is done",
        ])
        .prints(&["Files: ", "list.txt"]);
}

#[test]
fn a_block_that_does_not_fit_is_declined_and_never_asked_about() {
    let home = home();
    let replies = ["```bash\ntouch ran\n```\n", LIST, "```python\nprint('well')\n```\n"];
    let done = steady(&home, &replies, APPROVED).ended(0);
    let declined = &done.events("decision")[0];
    assert_eq!(declined["decision"], "decline", "{declined}");
    assert!(!home.work().join("ran").exists());
}

#[test]
fn a_form_in_the_middle_is_answered_beforehand_or_ends_the_run_with_10() {
    // The file name is in two pieces: otherwise the review would see it and ask for a typed word.
    let changes = "```python\nimport sys\nname = sys.argv[0][:0] + 'list' + '.txt'\nopen(name, 'w').write('three')\n```\n";
    let home = home();
    let done = steady(&home, &[LIST, changes], APPROVED).ended(10);
    let form = &done.events("form")[0];
    assert_eq!(
        json!([form["fields"][0]["name"], form["fields"][0]["kind"]]),
        json!(["what", "choice"]),
        "{form}"
    );
    assert_eq!((&done.last()["kind"], &done.last()["event"]), (&json!("answer_needed"), &json!("error")));
    assert!(
        done.last()["hint"].as_str().unwrap().contains("--input protected.what=VALUE"),
        "{}",
        done.last()
    );
    let home = self::home();
    let answered = [APPROVED, &["--input", "what=keep the change"]].concat();
    let done = steady(&home, &[LIST, changes], &answered).ended(0);
    assert_eq!(home.text("list.txt"), "three");
    let answers = done.events("recipe").into_iter().find(|event| event["what"] == "answered").unwrap();
    assert_eq!(answers["answers"], json!({ "what": "keep the change" }));
}

#[test]
fn what_can_not_begin_is_told_with_what_is_asked_for() {
    let home = home();
    let refused = |args: &[&str], told: &[&str]| {
        let path = story(&home, &[LIST]);
        let mut all = vec!["run", "--demo", &path];
        all.extend(args);
        let done = home.run(&all).ended(2);
        assert!(!done.err.contains("?."), "{}", done.err);
        assert_has(&done.err, told);
    };
    refused(&["--recipe", "stedy"], &["there is no recipe \"stedy\"", "Did you mean steady?"]);
    refused(&["--recipe", "nothing-like-it"], &["explain", "steady"]);
    refused(&["--recipe", "steady"], &["about: an answer is needed", "about=… (a line): What is it about?"]);
    refused(&["--recipe", "steady", "--input", "about=a", "--input", "tries=12"], &["tries: at most 9"]);
    refused(&["--recipe", "explain", "--input", "fil=a"], &["asks for nothing named \"fil\"", "\"file\""]);
    refused(&["--recipe", "steady", "--input", "what"], &["KEY=VALUE"]);
    refused(
        &["--recipe", "steady", "--input", "about=@missing.txt"],
        &["--input about", "missing.txt", "@@"],
    );
    let large = format!("about=@{}", home.file("large.txt", "a".repeat((256 << 10) + 1)).display());
    refused(
        &["--recipe", "steady", "--input", &large],
        &["--input about", "large.txt can't be read: it is larger than 256 KiB"],
    );
    refused(&["--recipe", "explain", "--input", "file=missing.py"], &["file", "asks for"]);
    std::fs::write(home.work().with_file_name("id_demo"), "swordfish").unwrap();
    std::os::unix::fs::symlink("../id_demo", home.work().join("setup.py")).unwrap();
    let work = home.work().to_string_lossy().into_owned();
    refused(
        &["--cwd", &work, "--recipe", "explain", "--input", "file=setup.py"],
        &["setup.py leads out of the working folder, to /"],
    );
    refused(&["--input", "what=a", "hello"], &["--recipe NAME"]);
}

#[test]
fn an_answer_is_read_from_a_file_and_a_prompt_answers_the_first_question() {
    let home = home();
    let file = home.file("what.txt", "apples and pears");
    let path = story(&home, &[LIST, "```python\n1\n```\n"]);
    let input = format!("about=@{}", file.display());
    for args in [vec!["--input", &input], vec!["apples and pears"]] {
        let mut all = vec!["run", "--demo", &path, "--recipe", "steady"];
        all.extend(APPROVED);
        all.extend(args);
        let done = home.run(&all).ended(0);
        assert_eq!(done.events("prompt")[0]["text"], "Steady: apples and pears");
        assert_eq!(done.events("recipe")[0]["inputs"], json!({ "about": "apples and pears", "tries": "2" }));
    }
}

#[test]
fn recipes_are_listed_and_faults_of_ones_own_are_told_with_their_place() {
    let home = home();
    home.own("recipes/broken.toml", OWN.replace("name = \"steady\"", "name = \"broken\"\nmood = 1"));
    home.own("recipes/explain.toml", OWN.replace("\"steady\"", "\"explain\""));
    let done = home.run(&["recipes", "--json"]).ended(0);
    let list = &done.json()[0]["recipes"];
    let of = |name: &str| {
        list.as_array().unwrap().iter().filter(|r| r["name"] == name).cloned().collect::<Vec<_>>()
    };
    assert_eq!((of("explain").len(), of("steady").len(), of("broken").len()), (1, 1, 0));
    assert_eq!(of("explain")[0]["file"], Value::Null, "one's own takes no name from those that ship");
    assert_eq!(of("steady")[0]["inputs"][1]["max"], 9);
    assert_has(
        &done.err,
        &["broken.toml:3:1", "mood", "explain.toml:2:1: a recipe named explain ships with sayso"],
    );
    home.run(&["config", "check"]).tells(&["broken.toml:3:1"]).prints(&["2 warnings"]);
    home.run(&["recipes"]).prints(&["--input about=… (a line): What is it about?"]);
}

#[test]
fn explain_runs_nothing() {
    let done = played("explain", APPROVED).done.ended(0);
    assert_eq!(verdicts(&done), ["explain answered"]);
    assert!(done.events("run").is_empty() && done.events("block").is_empty());
}

#[test]
fn a_review_shows_the_change_and_changes_nothing() {
    let done = played("review", APPROVED).done.ended(0);
    assert_eq!(verdicts(&done), ["look shown", "review answered"]);
    assert_eq!((done.events("run").len(), done.events("block").len()), (1, 1));
    assert_eq!(done.events("run")[0]["receipt"]["files"], serde_json::json!([]), "{}", done.out);
}

#[test]
fn a_port_is_done_once_both_print_the_same() {
    let done = played("port", APPROVED).done.ended(0);
    assert_eq!(verdicts(&done), ["examples green", "port red", "port green"]);
}

/// The result of a story.
struct Played {
    done: Done,
    home: Home,
}

impl Played {
    /// Asserts its exit code.
    #[track_caller]
    fn ended(self, code: i32) -> Self {
        Self { done: self.done.ended(code), ..self }
    }

    /// A file in the folder of the story.
    fn file(&self, name: &str) -> Option<String> {
        let demos = std::fs::read_dir(self.home.sayso().join("demo")).unwrap();
        let folder = demos.flatten().next().expect("the demo's folder").path();
        std::fs::read_to_string(folder.join(name)).ok()
    }

    /// How the recipe ended, and its summary.
    fn end(&self) -> (String, String) {
        let recipe = &self.done.last()["recipe"];
        let text = |key: &str| recipe[key].as_str().unwrap_or_default().to_owned();
        (text("end"), text("summary"))
    }
}

/// Plays a shipped story in a folder of its own, with these options.
fn played(name: &str, options: &[&str]) -> Played {
    let home = Home::new();
    Played { done: home.run(&[&["run", "--demo", name], options].concat()), home }
}

#[test]
fn tests_come_first_then_code_until_they_pass() {
    let tdd = played("tdd", APPROVED).ended(0);
    assert_eq!(verdicts(&tdd.done), ["tests red", "code red", "code green", "all green"]);
    let (end, summary) = tdd.end();
    assert_eq!(end, "done");
    assert_has(&summary, &["slug.py", "tests/test_slug.py", "5 passed"]);
    assert!(tdd.file("slug.py").unwrap().contains("ValueError"));
    let own: Vec<Value> = tdd.done.events("block").into_iter().filter(|b| b["language"] == "bash").collect();
    assert_eq!(own.len(), 4, "each run of the tests is a block that waits");
    let log = tdd.done.last()["log"].clone();
    let rounds: Vec<&str> =
        log.as_array().unwrap().iter().filter_map(|s| s["recipe"]["step"].as_str()).collect();
    assert_eq!(rounds, ["tests", "code", "code"]);
    assert_eq!(log[2]["judged"]["verdict"], "green");
}

#[test]
fn tests_that_pass_before_there_is_code_are_written_again() {
    let tdd = played("tdd-early", APPROVED).ended(0);
    assert_eq!(verdicts(&tdd.done), ["tests green", "tests red", "code green", "all green"]);
}

#[test]
fn a_syntax_error_in_the_tests_is_no_reason_to_write_code() {
    let tdd = played("tdd-syntax", APPROVED).ended(0);
    assert_eq!(verdicts(&tdd.done), ["tests broken", "tests red", "code green", "all green"]);
}

#[test]
fn code_that_never_passes_ends_at_the_limit_and_the_files_stay() {
    let tdd = played("tdd-stuck", APPROVED).ended(1);
    assert_eq!(
        verdicts(&tdd.done),
        ["tests red", "code red", "code red", "code red", "code red", "code red"]
    );
    let (end, summary) = tdd.end();
    assert_eq!(end, "limit");
    assert!(summary.contains("do not all pass yet") && summary.contains("2 failed"), "{summary}");
    assert!(tdd.file("slug.py").unwrap().contains("Try 5") && tdd.file("tests/test_slug.py").is_some());
}

#[test]
fn a_model_that_changes_the_tests_is_stopped_and_asked_about() {
    let tdd = played("tdd-cheats", &["--approve", "clean", "--sandbox", "off", "--json"]).ended(10);
    let review = tdd.done.events("review").pop().unwrap();
    assert_eq!(
        json!([review["findings"][0]["rule"], review["findings"][0]["severity"]]),
        json!(["recipe.protected", "high"])
    );
    assert!(tdd.file("tests/test_slug.py").unwrap().contains("test_accents"), "they are as they were");
}

/// A folder with Python and shells of this machine, and nothing else.
fn few_programs() -> tempfile::TempDir {
    let programs = tempfile::tempdir().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    for name in ["python3", "bash", "sh"] {
        let there = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file());
        std::os::unix::fs::symlink(there.unwrap(), programs.path().join(name)).unwrap();
    }
    programs
}

/// Begins a recipe that would ask this server, where only these programs are found.
fn asked(home: &Home, server: &ModelServer, recipe: &str, inputs: &[&str], programs: &Path) -> Done {
    let given: Vec<&str> = inputs.iter().flat_map(|input| ["--input", *input]).collect();
    let fixed = ["run", "--recipe", recipe, "--model", "openai/test", "--base-url", &server.v1()];
    let args = [&fixed[..], &given, &["--approve", "all", "--sandbox", "off"]].concat();
    home.run_in(&[("PATH", programs)], &args)
}

#[test]
fn what_a_recipe_can_not_do_without_is_told_before_a_model_is_asked() {
    let programs = few_programs();
    let venv = programs.path().join("venv");
    let made =
        std::process::Command::new("python3").args(["-m", "venv", "--without-pip"]).arg(&venv).status();
    assert!(made.unwrap().success());
    for (recipe, inputs, why) in [
        ("tdd", &["spec=shorten titles", "runner=go"][..], "runner: go is not on this machine"),
        ("port", &["file=a.py", "target=a.go"], "target: go is not on this machine"),
        (
            "port",
            &["file=a.py", "target=a.rs"],
            "target: how a.rs is run is not known by its name: say it by run",
        ),
        ("port", &["file=a.py", "target=a.ts"], "target: nothing here runs TypeScript"),
        ("port", &["file=a.py", "target=a.ts", "run=deno run new.ts"], "run: deno is not on this machine"),
        ("debug", &["file=a.ts"], "file: nothing here runs TypeScript"),
        ("plot", &["what=rain", "file=a.csv"], "matplotlib is not installed"),
    ] {
        let home = Home::new();
        home.file("a.py", "print(1)\n");
        home.file("a.ts", "console.log(1);\n");
        home.file("a.csv", "a,b\n1,2\n");
        home.configure(format!("[run]\npython = {:?}\n", venv.join("bin/python")));
        let server = ModelServer::start(Vec::new());
        let done = asked(&home, &server, recipe, inputs, programs.path());
        assert_ne!(done.code, Some(0), "{}\n{}", done.out, done.err);
        assert_eq!(done.err.matches(why).count(), 1, "{}\n{}", done.out, done.err);
        assert_eq!(server.requests().len(), 0);
    }
}

#[test]
fn a_file_of_typescript_is_seen_to_work_by_the_projects_own_tool() {
    let programs = few_programs();
    let home = Home::with(&[("a.ts", "const a: number = 1;\n")]);
    let tool = home.work().join("node_modules/.bin/tsx");
    std::fs::create_dir_all(tool.parent().unwrap()).unwrap();
    install(&home.file("text", "#!/bin/sh\necho \"tsx runs $1\"\n"), &tool);
    let server = ModelServer::start(Vec::new());
    let done = asked(&home, &server, "debug", &["file=a.ts"], programs.path());
    let all = format!("{}\n{}", done.out, done.err);
    assert!(all.contains("tsx runs a.ts") && all.contains("The failure was not seen"), "{all}");
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn a_chart_is_shown_and_a_table_is_answered_in_words() {
    let plot = played("plot", APPROVED).ended(0);
    assert!(plot.end().1.contains("revenue.png"), "{:?}", plot.end());
    assert_eq!(verdicts(&plot.done), ["look shown", "plot ok", "see answered"]);
    let data = played("data", APPROVED).ended(0);
    assert_eq!(verdicts(&data.done), ["look shown", "table ok", "answer answered"]);
    assert!(data.done.last()["answer"].as_str().unwrap().contains("55.2 %"));
}

/// The value of the last block of this kind that ran.
fn value_of(played: &Played, kind: &str) -> Value {
    let blocks = played.done.events("block");
    let block = blocks.iter().rev().find(|block| block["kind"] == kind).expect("a block")["block"].clone();
    let runs = played.done.events("run");
    runs.iter().rev().find(|run| run["block"] == block).map_or(Value::Null, |run| run["value"].clone())
}

#[test]
fn words_become_a_function_that_is_called_with_arguments_and_kept() {
    let made = played("function", &[APPROVED, &["--input", "save=yes"]].concat()).ended(0);
    assert_eq!(verdicts(&made.done), ["define defined", "call called", "save saved"]);
    assert_eq!(value_of(&made, "call"), json!("9"));
    assert!(!made.done.err.contains("answered no question"), "{}", made.done.err);
    let kept = std::fs::read_to_string(made.home.sayso().join("functions.py")).unwrap();
    assert!(kept.contains("def working_days(first: str, last: str, holidays: int = 0) -> int:"), "{kept}");
    // A later session announces the function, if the person approved the file.
    let path = story(&made.home, &["```python\nworking_days('2026-05-04', '2026-05-05')\n```\n", "Two.\n"]);
    let mut args = vec!["run", "how many?", "--demo", &path];
    args.extend(APPROVED);
    let later = made.home.run(&args).ended(0);
    assert_eq!(later.events("block")[0]["kind"], "load");
    assert_eq!(later.events("run").pop().unwrap()["value"], "2");
}

#[test]
fn a_function_goes_into_the_file_that_is_named_and_all_else_of_it_stays() {
    let home = Home::new();
    let before =
        "#!/usr/bin/env python3\n# Mine.\nLIMIT = 3\n\n\ndef other():\n\treturn LIMIT   \n\n\n\n# the end";
    home.file("lib.py", before);
    let path = story(
        &home,
        &[
            "```python\nimport math\n\n\ndef area(r: float) -> float:\n    \"Of a circle.\"\n    return math.pi * r * r\n```\n",
        ],
    );
    let work = home.work().to_string_lossy().into_owned();
    let mut args = vec!["run", "--demo", &path, "--cwd", &work, "--recipe", "function"];
    for input in ["words=the area of a circle", "file=lib.py", "r=2", "save=yes"] {
        args.extend(["--input", input]);
    }
    args.extend(APPROVED);
    let done = home.run(&args).ended(0);
    assert_eq!(verdicts(&done), ["define defined", "call called", "save saved"]);
    let after = home.text("lib.py");
    let (head, tail) = before.split_once("LIMIT").unwrap();
    assert!(after.starts_with(head) && after.contains(&format!("LIMIT{tail}\n")), "{after}");
    assert!(
        after.ends_with(
            "\n\n\ndef area(r: float) -> float:\n    \"Of a circle.\"\n    return math.pi * r * r\n"
        ),
        "{after}"
    );
    assert!(!home.sayso().join("functions.py").exists());
    // A file elsewhere is refused before anything is asked.
    let at = args.iter().position(|arg| *arg == "file=lib.py").unwrap();
    args[at] = "file=../elsewhere.py";
    home.run(&args).ended(2).tells(&["neither in the working folder nor beside your files of functions"]);
}

#[test]
fn what_is_not_one_function_is_declined_and_the_model_told_why() {
    for (name, why) in [
        ("function-two", "working_days is a second function"),
        ("function-print", "`print(working_days"),
        ("function-bare", "the argument last has no annotation"),
    ] {
        let made = played(name, APPROVED).ended(0);
        assert_eq!(
            verdicts(&made.done),
            ["define wrong", "define defined", "call called", "save not_saved"],
            "{name}"
        );
        let declined = made.done.events("decision").into_iter().find(|d| d["decision"] == "decline").unwrap();
        assert!(declined["why"].as_str().unwrap().contains(why), "{name}: {declined}");
        assert!(!made.home.sayso().join("functions.py").exists());
    }
}

#[test]
fn a_default_that_is_an_expression_is_left_to_python() {
    let made = played("function-default", APPROVED).ended(0);
    let call = made.done.events("block").into_iter().find(|block| block["kind"] == "call").unwrap();
    assert_eq!(call["source"], "area(radius=2)");
    assert!(value_of(&made, "call").as_str().unwrap().starts_with("12.566"), "{}", value_of(&made, "call"));
}

/// Left out, an answer has its default: of a misspelled name nobody would notice it.
#[test]
fn an_answer_that_no_question_asked_for_is_told_at_the_end() {
    let made =
        played("function", &[APPROVED, &["--input", "save=no", "--input", "fiel=lib.py"]].concat()).ended(0);
    let notes: Vec<&str> = made.done.err.lines().filter(|line| line.contains("no question")).collect();
    assert_eq!(notes, ["note: --input fiel answered no question of the recipe"]);
}

#[test]
fn an_answer_of_the_wrong_type_is_told_with_its_field() {
    let made = played("function", &[APPROVED, &["--input", "holidays=abc"]].concat()).ended(10);
    let form = &made.done.events("form")[0];
    assert_eq!(form["form"], "arguments");
    assert_eq!(form["misfits"][0]["field"], "holidays");
    assert!(form["misfits"][0]["why"].as_str().unwrap().contains("\"abc\" is no int"), "{form}");
    assert!(made.done.events("run").len() == 1, "it was defined, and never called");
}

#[test]
fn a_failure_is_seen_first_and_the_same_run_ends_well() {
    let mended = played("debug", APPROVED).ended(0);
    assert_eq!(verdicts(&mended.done), ["reproduce reproduced", "mend ok", "explain answered"]);
    assert!(mended.file("report.py").unwrap().contains(".get("));
    let runs = mended.done.events("run");
    assert!(runs[0]["stderr"].as_str().unwrap().contains("KeyError: 'start'"), "{}", runs[0]);
    assert!(runs.last().unwrap()["stdout"].as_str().unwrap().contains("start    20"), "{runs:?}");
}

#[test]
fn what_does_not_fail_is_not_mended() {
    let works = played("debug-works", APPROVED).ended(1);
    assert_eq!(verdicts(&works.done), ["reproduce works"]);
    let (end, summary) = works.end();
    assert_eq!(end, "gave_up");
    assert!(summary.contains("The failure was not seen"), "{summary}");
    assert!(works.done.events("reply").is_empty(), "the model was not asked");
}

#[test]
fn a_change_stands_between_two_runs_of_the_tests() {
    let changed = played("refactor", APPROVED).ended(0);
    assert_eq!(verdicts(&changed.done), ["net green", "change green"]);
    assert!(changed.file("shop.py").unwrap().contains("dict.fromkeys"));
}

#[test]
fn the_hunk_that_breaks_a_test_is_named() {
    let changed = played("refactor-hunk", APPROVED).ended(0);
    assert_eq!(verdicts(&changed.done), ["net green", "change red", "change green"]);
    let judged = changed.done.events("recipe").into_iter().find(|event| event["verdict"] == "red").unwrap();
    assert!(judged["note"].as_str().unwrap().contains("hunk 3 of 3"), "{judged}");
    assert!(changed.file("shop.py").unwrap().contains("dict.fromkeys"));
}

#[test]
fn speed_is_measured_before_and_after() {
    // On a busy machine the measured difference may vanish, and the recipe reports none: then it is played again.
    let same = "after same".to_owned();
    let mut tries = (0..3).map(|_| played("refactor-speed", APPROVED));
    let faster =
        tries.find(|story| !verdicts(&story.done).contains(&same)).expect("a try that was not held up");
    assert_eq!(faster.done.code, Some(0), "{}\n{}", faster.done.out, faster.done.err);
    assert_eq!(verdicts(&faster.done), ["net green", "workload measured", "change green", "after faster"]);
    let summary = faster.end().1;
    assert_has(&summary, &["before ", "after ", "times as fast"]);
}
