//! Runs recipes through dialogues with the engine.

mod any;
mod protected;

use crate::domain::{BlockId, Dialect, FileChange, Outcome, RecipeEnd, RunReport, samples};
use crate::engine::answers::check;
use crate::engine::dialogue::{Dialogue, report};
use crate::engine::{Command, Settings};
use crate::recipe::check::dialogues::{
    RecipeDialogue, assert_ends, assert_has, assert_leads, begin, named, recipe,
};
use crate::recipe::tests::printed;
use crate::recipe::{FactRequest, Recipe, Tool, workflows};

fn dialogue() -> Dialogue {
    Dialogue::with(Settings {
        workflows: workflows(),
        step_limit: 100,
        repeat_limit: 100,
        ..Settings::default()
    })
}

/// The newest message to the model contains all of these words.
#[track_caller]
fn hears(d: &Dialogue, words: &[&str]) {
    for word in words {
        assert!(d.told().contains(word), "{word} in {}", d.told());
    }
}

mod explain {
    use super::*;

    #[test]
    fn nothing_runs_and_words_are_enough() {
        let mut d = dialogue();
        let line = begin(&mut d, &recipe("explain"), &[("file", "a.py")], &[("file:file", "print('```')\n")]);
        assert_eq!(
            line,
            "+prompt, +named explain-does-py, +recipe explain, +said explain.1, ask s1 | replying s1"
        );
        hears(&d, &["My question: what it does.", "print('```')\n````"]);
        let line = d.reply("It prints.\n```python\nprint(1)\n```\n");
        assert!(line.contains("+declined 1") && line.contains("+judged explain.1 answered"), "{line}");
        assert!(line.contains("+recipe done") && line.ends_with("+end answered | idle"), "{line}");
    }

    #[test]
    fn what_was_given_is_fenced_and_what_was_not_is_left_out() {
        let mut d = dialogue();
        begin(&mut d, &recipe("explain"), &[("code", "# now do as I say\n")], &[]);
        hears(&d, &["```\n# now do as I say\n```"]);
        assert!(!d.told().contains("```\n```"), "{}", d.told());
        let mut d = dialogue();
        let long = "x\n".repeat(80_000);
        begin(&mut d, &recipe("explain"), &[("file", "a.py")], &[("file:file", &long)]);
        assert!(d.told().contains("(the rest is left out)\n```"), "the fence is closed");
    }

    #[test]
    fn there_has_to_be_something_to_explain() {
        let recipe = recipe("explain");
        let inputs = check(&recipe.card().inputs, &[]).unwrap();
        let misfits = recipe.start(inputs.clone(), Vec::new()).unwrap_err();
        assert_eq!(misfits[0].to_string(), "file: one of file, code is needed");
        let wants = recipe.wants(&named(&[("file", "a.py")]));
        assert_eq!(wants, [FactRequest::File { input: "file".into(), path: "a.py".into() }]);
    }

    #[test]
    fn a_reply_without_words_is_asked_for_again_and_then_it_ends() {
        let mut d = dialogue();
        begin(&mut d, &recipe("explain"), &[("code", "x = 1")], &[]);
        let line = d.reply("```python\nprint(1)\n```\n");
        assert!(line.contains("+judged explain.1 nothing, +said explain.2, ask s2"), "{line}");
        assert!(d.reopen().ends_with("stuck cut"));
        d.command(Command::Retry);
        assert_has(&d.reply("```python\nprint(1)\n```\n"), "+judged explain.2 nothing, +recipe gave_up");
    }
}

fn changed(outcome: Outcome, files: &[&str]) -> RunReport {
    let mut report = report(outcome);
    let change = |path: &&str| FileChange::new(*path, "changed", 9);
    report.receipt.files = files.iter().map(change).collect();
    report
}

/// A call of the tool that writes a file.
fn write(path: &str, content: &str) -> (&'static str, serde_json::Value) {
    ("write_file", serde_json::json!({"path": path, "content": content}))
}

fn begun(name: &str, inputs: &[(&str, &str)], facts: &[(&str, &str)]) -> RecipeDialogue {
    RecipeDialogue::begin(name, inputs, facts).0
}

fn tdd() -> RecipeDialogue {
    begun("tdd", &[("spec", "slugify: makes addresses")], &[("runners", "pytest unittest node")])
}

impl RecipeDialogue {
    /// How many blocks there are.
    fn blocks(&self) -> usize {
        self.d.state().transcript.blocks.len()
    }

    /// The model writes a file with a text of its own, and the person approves if it is offered.
    fn wrote(&mut self, path: &str) -> String {
        let line = self.writes(path, &format!("# {} {path}\n", self.blocks()));
        if line.contains("| deciding") { self.ends(changed(Outcome::Ok, &[path])) } else { line }
    }

    /// The model writes two files in one reply, and the person approves both.
    fn wrote_both(&mut self, one: &str, other: &str) -> String {
        self.calls(&[write(one, &format!("# {one}\n")), write(other, &format!("# {other}\n"))]);
        self.ends(changed(Outcome::Ok, &[one]));
        self.ends(changed(Outcome::Ok, &[other]))
    }

    /// The model proposes code of its own.
    fn codes(&mut self) -> String {
        self.code(&format!("x = {}", self.blocks()))
    }

    /// The same, and the person approves.
    fn ran(&mut self, report: RunReport) -> String {
        self.codes();
        self.ends(report)
    }

    /// Approves the recipe's own block and ends its run with this report.
    fn tests(&mut self, report: RunReport) -> String {
        let block = self.look();
        assert!(self.d.block(block).is_own());
        self.ends(report)
    }

    fn line_of(&self, block: u32) -> String {
        self.d.block(block).current().source.to_string()
    }

    /// The person answers a form with this choice.
    fn choose(&mut self, what: &str) -> String {
        self.answer(&[("what", what)])
    }

    fn has_remark(&self, block: u32, rule: &str) -> bool {
        let review = &self.d.state().transcript.blocks[&BlockId(block)].review;
        review.as_ref().is_some_and(|(_, review)| review.findings.iter().any(|f| f.rule == rule))
    }

    fn is_protected(&self, block: u32) -> bool {
        self.has_remark(block, "recipe.protected")
    }
}

mod tdd {
    use super::*;

    #[test]
    fn tests_first_then_the_code_then_all_tests() {
        let mut t = tdd();
        hears(
            &t.d,
            &[
                "slugify: makes addresses",
                "We work test-driven",
                "- pytest: functions test_…, in files named tests/test_NAME.py",
                "- node:",
                "```python path=",
            ],
        );
        let told = t.d.told();
        assert!(!told.contains("unittest") && !told.contains("Files for the code"), "{told}");
        assert_leads(&t.wrote("tests/test_slug.py"), "+block 2", "deciding 2");
        assert_has(&t.tests(printed("pytest/missing-module")), "+judged tests.1 red, +said code.1, ask");
        assert!(t.line_of(2).ends_with(" tests/test_slug.py\n"), "{}", t.line_of(2));
        hears(&t.d, &["the module slug is missing", "don't change tests/test_slug.py"]);
        t.wrote("slug.py");
        assert_has(&t.tests(printed("pytest/wrong")), "+judged code.1 red, +said code.2, ask");
        hears(&t.d, &["Not yet: 1 failed, 1 passed", "Round 2 of 5"]);
        let heard =
            |d: &Dialogue| d.request().iter().any(|message| message.text.contains("assert 'A' == 'a'"));
        assert!(heard(&t.d), "the output of the tests is told to the model");
        t.wrote("slug.py");
        assert_leads(&t.tests(printed("pytest/green")), "+judged code.2 green, +block 7", "deciding 7");
        assert_has(&t.tests(printed("pytest/green")), "+judged all.1 green, +recipe done, +end answered");
        assert!(!t.line_of(7).contains("test_slug"), "{}", t.line_of(7));
        assert_eq!(t.end().0, RecipeEnd::Done);
        t.sums_up(&[
            "All tests pass: 2 passed.",
            "- `tests/test_slug.py`\n- `slug.py`",
            "- Tests first, round 1: red (the module slug is missing)",
        ]);
    }

    #[test]
    fn it_goes_on_where_it_stood_at_every_point() {
        let mut t = tdd();
        assert!(t.d.reopen().ends_with("stuck cut"));
        t.d.command(Command::Retry);
        t.wrote("tests/test_slug.py");
        assert!(t.d.reopen().ends_with("deciding 2"));
        assert_has(&t.tests(printed("pytest/missing-module")), "+judged tests.1 red, +said code.1, ask");
        let told = t.d.told().to_owned();
        // The last facts were not written before the crash; after resuming they are worked out again.
        t.d.watched.entries.truncate(t.d.watched.entries.len() - 2);
        assert_leads(&t.d.reopen(), "+judged tests.1 red, +said code.1", "stuck cut");
        t.d.command(Command::Retry);
        assert_eq!(t.d.told().contains("Now write the code"), told.contains("Now write the code"));
    }

    #[test]
    fn tests_that_pass_before_there_is_code_prove_nothing() {
        let mut t = tdd();
        for round in 1..=3 {
            t.wrote("tests/test_slug.py");
            assert_has(&t.tests(printed("pytest/green")), &format!("+judged tests.{round} green"));
            if round < 3 {
                hears(&t.d, &["they prove nothing"]);
            }
        }
        assert_eq!(t.end().0, RecipeEnd::GaveUp);
        t.sums_up(&["nothing was implemented", "`tests/test_slug.py`"]);
    }

    #[test]
    fn tests_with_a_syntax_error_are_mended_first() {
        let mut t = tdd();
        t.wrote("tests/test_slug.py");
        assert_has(&t.tests(printed("pytest/syntax")), "+judged tests.1 broken, +said tests.2");
        hears(&t.d, &["SyntaxError in test_slug.py, line 8"]);
        t.wrote("tests/test_slug.py");
        assert!(t.tests(printed("pytest/missing-module")).contains("+judged tests.2 red, +said code.1"));
    }

    #[test]
    fn code_that_never_gets_green_ends_at_the_limit_and_keeps_the_files() {
        let mut t = tdd();
        t.wrote("tests/test_slug.py");
        t.tests(printed("pytest/missing-module"));
        for round in 1..=5 {
            t.wrote("slug.py");
            assert_has(&t.tests(printed("pytest/wrong")), &format!("+judged code.{round} red"));
        }
        assert_eq!(t.end().0, RecipeEnd::Limit);
        t.sums_up(&["Last: 1 failed, 1 passed.", "- `slug.py`"]);
    }

    #[test]
    fn a_write_of_the_tests_takes_a_typed_word_later_and_not_before() {
        let mut t = tdd();
        t.wrote("tests/test_slug.py");
        assert!(!t.is_protected(1));
        t.tests(printed("pytest/missing-module"));
        t.calls(&[write("./tests/../tests/test_slug.py", "pass\n")]);
        t.look();
        assert!(t.is_protected(3));
        let line = t.d.approve(3);
        assert!(!line.contains("start"), "{line}");
        // The person types the word for this change, so there is no question afterwards.
        assert_leads(&t.ends(changed(Outcome::Ok, &["tests/test_slug.py"])), "+block 4", "deciding 4");
    }

    fn with_changed_tests() -> RecipeDialogue {
        let mut t = tdd();
        t.wrote("tests/test_slug.py");
        t.tests(printed("pytest/missing-module"));
        let line = t.ran(changed(Outcome::Ok, &["slug.py", "tests/test_slug.py"]));
        assert!(line.ends_with("asking: form protected"), "{line}");
        assert!(t.d.reopen().ends_with("asking: form protected"));
        t
    }

    #[test]
    fn code_that_changes_the_tests_is_asked_about() {
        let line = with_changed_tests().choose("keep the change");
        assert!(line.contains("+answered protected, +block 4") && line.ends_with("deciding 4"), "{line}");
        let mut t = with_changed_tests();
        assert!(t.choose("nonsense").ends_with("asking: form protected"));
        assert_has(&t.choose("stop"), "+recipe stopped, +end stopped");
        let mut t = with_changed_tests();
        assert_has(&t.choose("go on without it"), "+judged code.1 protected_changed, +said code.2, ask");
        hears(&t.d, &["Put back what was there"]);
        // Restoring the file is a write like others: it takes the word, and then there is no more question.
        let line = t.wrote("tests/test_slug.py");
        assert!(t.is_protected(4) && line.contains("+block 5"), "{line}");
    }

    #[test]
    fn what_was_not_put_back_is_asked_about_again() {
        let mut t = with_changed_tests();
        t.choose("go on without it");
        // Another file is written; the tests still differ from what was agreed on.
        assert_ends(&t.wrote("slug.py"), "asking: form protected");
        assert_has(&t.choose("go on without it"), "+judged code.2 protected_changed, +said code.3, ask");
        assert_ends(&t.d.reply("I did."), "asking: form protected");
        assert_has(&t.choose("keep the change"), "+judged code.3 nothing");
        let line = t.wrote("slug.py");
        assert!(line.contains("+block") && !line.contains("asking"), "{line}");
    }

    #[test]
    fn a_word_for_one_file_excuses_no_other() {
        let mut t = tdd();
        t.calls(&[write("tests/test_slug.py", "a\n"), write("tests/test_b.py", "b\n")]);
        t.ends(changed(Outcome::Ok, &["tests/test_slug.py"]));
        t.ends(changed(Outcome::Ok, &["tests/test_b.py"]));
        t.tests(printed("pytest/missing-module"));
        t.calls(&[write("tests/test_slug.py", "c\n")]);
        let line = t.ends(changed(Outcome::Ok, &["tests/test_slug.py", "tests/test_b.py"]));
        assert!(t.is_protected(4) && line.ends_with("asking: form protected"), "{line}");
    }

    #[test]
    fn tests_that_are_turned_off_do_not_pass() {
        let mut t = tdd();
        t.wrote("tests/test_slug.py");
        t.tests(printed("pytest/missing-module"));
        t.wrote("slug.py");
        t.tests(printed("pytest/wrong"));
        t.calls(&[write("conftest.py", "x\n")]);
        let conftest = t.look();
        assert!(t.has_remark(conftest, "recipe.configures"));
        t.ends(changed(Outcome::Ok, &["conftest.py"]));
        assert_has(&t.tests(printed("pytest/skipped")), "+judged code.2 unclear");
    }

    #[test]
    fn only_tests_are_written_first() {
        let mut t = tdd();
        let line = t.wrote("slug.py");
        assert!(line.contains("+declined 1") && line.contains("ask s2"), "{line}");
        assert!(
            t.d.request().iter().any(|m| m.text.contains("only tests are written in this step")),
            "{:?}",
            t.d.request()
        );
        assert_has(&t.wrote("tests/conftest.py"), "+judged tests.1 broken");
        hears(&t.d, &["no file with tests was written: pytest takes tests/test_NAME.py"]);
    }

    #[test]
    fn a_model_that_writes_nothing_is_told_so() {
        let mut t = tdd();
        assert_has(&t.d.reply("I would test it."), "+judged tests.1 nothing, +said tests.2, ask");
        // Looking around once is fine.
        let line = t.ran(report(Outcome::Ok));
        assert!(line.ends_with("replying s3") && !line.contains("judged"), "{line}");
        assert_has(&t.ran(report(Outcome::Ok)), "+judged tests.2 nothing, +said tests.3");
    }

    #[test]
    fn tests_that_the_person_does_not_let_run_can_not_be_judged() {
        for reject in [true, false] {
            let mut t = tdd();
            t.wrote("tests/test_slug.py");
            t.look();
            let line = if reject { t.d.reject(2, "not now") } else { t.d.skip(2) };
            assert_has(&line, "+recipe gave_up");
            t.sums_up(&["nobody can say whether they pass"]);
        }
    }

    #[test]
    fn what_the_person_skips_ends_it_and_what_is_rejected_is_heard() {
        let mut t = tdd();
        t.calls(&[write("tests/test_slug.py", "pass\n")]);
        t.look();
        assert_ends(&t.d.reject(1, "use one file"), "replying s2");
        t.calls(&[write("tests/test_slug.py", "1\n")]);
        t.look();
        assert_has(&t.d.skip(2), "+recipe stopped, +end stopped");
    }

    #[test]
    fn an_interrupted_run_ends_it() {
        let mut t = tdd();
        t.wrote("tests/test_slug.py");
        assert_has(&t.tests(report(Outcome::Interrupted)), "+recipe stopped, +end stopped");
        let mut t = tdd();
        t.wrote("tests/test_slug.py");
        assert_has(&t.tests(report(Outcome::TimedOut)), "+judged tests.1 unclear");
    }

    #[test]
    fn several_files_are_written_tested_and_held() {
        let target = "slug.py, ./lib/words.py";
        let mut t = begun("tdd", &[("spec", "make addresses"), ("target", target)], &[("runners", "pytest")]);
        hears(&t.d, &["Files for the code: slug.py, ./lib/words.py"]);
        // No input mentions these names and no test file is named after them: only the targets tell that they are still
        // to be written.
        assert_ends(&t.wrote_both("tests/test_a.py", "tests/test_b.py"), "deciding 3");
        assert!(t.line_of(3).ends_with(" tests/test_a.py tests/test_b.py\n"), "{}", t.line_of(3));
        assert_has(&t.tests(printed("pytest/missing-modules")), "+judged tests.1 red");
        hears(&t.d, &["don't change tests/test_a.py, tests/test_b.py"]);
        // The tests are protected, the code is not.
        assert_eq!(t.d.watched.protected, ["tests/test_a.py", "tests/test_b.py"]);
        for (file, held) in [("tests/test_a.py", true), ("tests/test_b.py", true), ("lib/words.py", false)] {
            t.calls(&[write(file, "x = 1\n")]);
            let block = t.look();
            assert_eq!(t.is_protected(block), held, "{file}");
            t.d.reject(block, "no");
        }
    }

    #[test]
    fn tests_of_two_runners_are_sent_back() {
        let mut t = begun("tdd", &[("spec", "make addresses")], &[("runners", "pytest node")]);
        assert_has(&t.wrote_both("tests/test_a.py", "tests/b.test.mjs"), "+judged tests.1 broken");
        hears(&t.d, &["tests/b.test.mjs is no file of pytest"]);
    }

    #[test]
    fn the_projects_own_tests_come_last() {
        let facts = [("runners", "pytest"), ("tests", "make test")];
        let mut t = begun("tdd", &[("spec", "slugify"), ("target", "src/slug.py")], &facts);
        hears(&t.d, &["Files for the code: src/slug.py"]);
        t.wrote("tests/test_slug.py");
        t.tests(printed("pytest/missing-module"));
        t.wrote("src/slug.py");
        t.tests(printed("pytest/green"));
        assert_eq!(t.line_of(5), "make test\n");
        assert_has(&t.tests(report(Outcome::Failed)), "+judged all.1 red, +said code.2, ask");
        t.wrote("src/slug.py");
        t.tests(printed("pytest/green"));
        assert_has(&t.tests(report(Outcome::Ok)), "+judged all.2 green, +recipe done");
    }
}

mod plot_and_data {
    use super::*;

    fn image() -> RunReport {
        RunReport { images: vec![samples::image("/blobs/1.png")], ..report(Outcome::Ok) }
    }

    #[test]
    fn a_chart_ends_it_and_its_path_is_told() {
        let mut t = begun("plot", &[("what", "rain by month"), ("units", "mm")], &[]);
        hears(&t.d, &["Units: mm\nCells that are empty or can't be read: leave them out"]);
        // The model does not get the text of the file: a block shows its columns.
        assert_eq!(recipe("plot").wants(&named(&[])), [FactRequest::Package("matplotlib".into())]);
        assert_has(&t.ran(report(Outcome::Ok)), "+judged plot.1 nothing_shown, +said plot.2");
        assert_has(&t.ran(report(Outcome::Failed)), "+judged plot.2 failed, +said plot.3");
        hears(&t.d, &["The block failed (ValueError: no)"]);
        assert_has(&t.ran(image()), "+judged plot.3 ok, +said see.1");
        hears(&t.d, &["The chart was drawn: figure-1.png."]);
        assert_has(&t.d.reply("It rains most in May."), "+judged see.1 answered, +recipe done");
        assert_eq!(t.end().1, "Images:\n- `/blobs/1.png`");
    }

    #[test]
    fn what_it_can_not_do_without_is_known_before_it_begins() {
        let tools = |name: &str, given: &[(&str, &str)]| {
            let tool = |want: FactRequest| match want {
                FactRequest::Tool { input, tool } => Some((input, tool)),
                _ => None,
            };
            recipe(name).wants(&named(given)).into_iter().filter_map(tool).collect::<Vec<_>>()
        };
        let program = |input: &str, name: &str| (input.to_owned(), Tool::Program(name.to_owned()));
        let files = [("file", "slug.py"), ("target", "slug.go")];
        assert_eq!(tools("port", &files), [program("file", "python3"), program("target", "go")]);
        let told = [files[0], files[1], ("run", "./go.sh")];
        let line = ("run".to_owned(), Tool::Line("./go.sh".into()));
        assert_eq!(tools("port", &told), [program("file", "python3"), line]);
        let unknown = |input: &str, file: &str, said_by: Option<&str>| {
            let said_by = said_by.map(str::to_owned);
            (input.to_owned(), Tool::Unknown { file: file.to_owned(), said_by })
        };
        let files = [("file", "slug.c"), ("target", "slug.rs")];
        let wanted = [unknown("file", "slug.c", None), unknown("target", "slug.rs", Some("run"))];
        assert_eq!(tools("port", &files), wanted);
        let typescript = |input: &str, said_by: &str| {
            (input.to_owned(), Tool::TypeScript { said_by: Some(said_by.to_owned()) })
        };
        let wanted = [program("file", "python3"), typescript("target", "run")];
        assert_eq!(tools("port", &[("file", "a.py"), ("target", "a.ts")]), wanted);
        let runner = [("spec", "x"), ("runner", "go")];
        // Three steps want it, but it is asked for once.
        assert_eq!(tools("tdd", &runner), [("runner".to_owned(), Tool::Runner("go".into()))]);
        assert_eq!(tools("debug", &[("file", "a.mts")]), [typescript("file", "command")]);
        assert_eq!(tools("debug", &[("file", "a.ts"), ("command", "npm start")]), []);
        assert_eq!(tools("debug", &[("file", "Makefile")]), []);
        assert_eq!(tools("tdd", &[("spec", "x"), ("runner", "any")]), []);
    }

    #[test]
    fn no_chart_ends_at_the_limit() {
        let mut t = begun("plot", &[("what", "rain")], &[]);
        for _ in 0..4 {
            t.ran(report(Outcome::TimedOut));
        }
        assert_has(&t.ran(report(Outcome::Ok)), "+recipe limit");
        assert_eq!(t.end().1, "There is no chart. Last: no image.");
    }

    #[test]
    fn a_table_is_told_in_words() {
        let mut t = begun("data", &[("what", "rain by month")], &[]);
        assert_has(&t.d.reply("I can't."), "+judged table.1 nothing");
        let mut table = report(Outcome::Ok);
        table.value = Some("month  rain\nMay    3.2\n".into());
        assert_has(&t.ran(table), "+judged table.2 ok, +said answer.1, ask");
        assert_has(&t.d.reply("It rained most in May."), "+judged answer.1 answered, +recipe done");
    }
}
