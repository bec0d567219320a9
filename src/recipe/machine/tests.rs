//! Runs recipes through dialogues with the engine.

mod any;
mod protected;

use crate::domain::{
    BlockId, BlockKind, Dialect, FileChange, ImageRef, Language, OnDisk, Outcome, RecipeEnd, Review,
    RunReport, Target, samples,
};
use crate::engine::answers::check;
use crate::engine::dialogue::{Dialogue, report, terms};
use crate::engine::{Command, Settings};
use crate::recipe::check::dialogues::{RecipeDialogue, begin, named, recipe};
use crate::recipe::recorded_output::printed;
use crate::recipe::{FactRequest, Recipe, Tool, workflows};
use std::path::Path;

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
        let line = d.reply("```python\nprint(1)\n```\n");
        assert!(line.contains("+judged explain.2 nothing, +recipe gave_up"), "{line}");
    }
}

/// A dialogue in which the model calls tools and the person approves everything.
struct ToolDialogue {
    talk: RecipeDialogue,
    block: u32,
    run: u32,
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

impl ToolDialogue {
    fn new(name: &str, inputs: &[(&str, &str)], facts: &[(&str, &str)]) -> Self {
        Self { talk: RecipeDialogue::begin(name, inputs, facts).0, block: 0, run: 0 }
    }

    fn tdd() -> Self {
        Self::new("tdd", &[("spec", "slugify: makes addresses")], &[("runners", "pytest unittest node")])
    }

    fn calls(&mut self, calls: &[(&str, serde_json::Value)]) -> String {
        self.block += u32::try_from(calls.len()).unwrap();
        self.talk.calls(calls)
    }

    fn says(&mut self, text: &str) -> String {
        self.talk.d.reply(text)
    }

    /// The model writes a file, and the person approves.
    fn writes(&mut self, path: &str) -> String {
        let line = self.calls(&[write(path, &format!("# {} {path}\n", self.block))]);
        if !line.ends_with(&format!("deciding {}", self.block)) {
            return line;
        }
        self.ends(changed(Outcome::Ok, &[path]))
    }

    /// The model writes two files in one reply, and the person approves both.
    fn write_both(&mut self, one: &str, other: &str) -> String {
        self.calls(&[write(one, &format!("# {one}\n")), write(other, &format!("# {other}\n"))]);
        self.block -= 1;
        self.ends(changed(Outcome::Ok, &[one]));
        self.block += 1;
        // A block that waited behind another is reviewed again; the first review may be dropped as stale.
        self.look();
        self.look();
        self.ends(changed(Outcome::Ok, &[other]))
    }

    /// The model proposes code, and the person approves.
    fn runs(&mut self, report: RunReport) -> String {
        self.codes();
        self.ends(report)
    }

    fn codes(&mut self) -> String {
        self.calls(&[(
            "run_code",
            serde_json::json!({"language": "python", "code": format!("x = {}", self.block)}),
        )])
    }

    /// Approves the newest block with the typed word and ends its run with this report.
    fn ends(&mut self, report: RunReport) -> String {
        self.run += 1;
        self.look();
        let line = self.talk.d.type_run(self.block);
        assert!(line.contains(&format!("start r{}", self.run)), "{line}");
        self.talk.d.ended_as(self.run, report)
    }

    /// Sends the review of the newest block.
    fn look(&mut self) -> String {
        let block = &self.talk.d.state().transcript.blocks[&BlockId(self.block)].block;
        let terms = match &block.kind {
            BlockKind::Write { path } => {
                samples::of_file("write", Target::at(Path::new("/work").join(path), OnDisk::Nothing))
            }
            _ => match block.current().language.clone() {
                Some(language) if language == Language::python() => terms(),
                language => samples::in_subprocess(language.unwrap_or(Language::bash())),
            },
        };
        self.talk.d.inspected(self.block, Review::default(), Ok(terms))
    }

    /// Approves the recipe's own block and ends its run with this report.
    fn tests(&mut self, report: RunReport) -> String {
        self.block += 1;
        assert!(self.talk.d.state().transcript.blocks[&BlockId(self.block)].block.is_own());
        self.ends(report)
    }

    fn line_of(&self, block: u32) -> String {
        self.talk.d.state().transcript.blocks[&BlockId(block)].block.current().source.to_string()
    }

    fn summary(&self) -> (RecipeEnd, String) {
        self.talk.end()
    }

    /// The person answers a form with this choice.
    fn choose(&mut self, what: &str) -> String {
        self.talk.d.command(Command::Answer(vec![("what".into(), what.into())]))
    }

    fn has_remark(&self, block: u32) -> bool {
        let item = &self.talk.d.state().transcript.blocks[&BlockId(block)];
        item.review
            .as_ref()
            .is_some_and(|(_, review)| review.findings.iter().any(|f| f.rule == "recipe.protected"))
    }
}

mod tdd {
    use super::*;

    #[test]
    fn tests_first_then_the_code_then_all_tests() {
        let mut t = ToolDialogue::tdd();
        let told = t.talk.d.told().to_owned();
        for words in [
            "slugify: makes addresses",
            "We work test-driven",
            "- pytest: functions test_…, in files named tests/test_NAME.py",
            "- node:",
            "```python path=",
        ] {
            assert!(told.contains(words), "{words} in {told}");
        }
        assert!(!told.contains("unittest") && !told.contains("Files for the code"), "{told}");
        let line = t.writes("tests/test_slug.py");
        assert!(line.contains("+block 2") && line.ends_with("deciding 2"), "{line}");
        let line = t.tests(printed("pytest/missing-module"));
        assert!(line.contains("+judged tests.1 red, +said code.1, ask"), "{line}");
        assert!(t.line_of(2).ends_with(" tests/test_slug.py\n"), "{}", t.line_of(2));
        hears(&t.talk.d, &["the module slug is missing", "don't change tests/test_slug.py"]);
        t.writes("slug.py");
        let line = t.tests(printed("pytest/wrong"));
        assert!(line.contains("+judged code.1 red, +said code.2, ask"), "{line}");
        hears(&t.talk.d, &["Not yet: 1 failed, 1 passed", "Round 2 of 5"]);
        let heard =
            |d: &Dialogue| d.request().iter().any(|message| message.text.contains("assert 'A' == 'a'"));
        assert!(heard(&t.talk.d), "the output of the tests is told to the model");
        t.writes("slug.py");
        let line = t.tests(printed("pytest/green"));
        assert!(line.contains("+judged code.2 green, +block 7") && line.ends_with("deciding 7"), "{line}");
        let line = t.tests(printed("pytest/green"));
        assert!(line.contains("+judged all.1 green, +recipe done, +end answered"), "{line}");
        assert!(!t.line_of(7).contains("test_slug"), "{}", t.line_of(7));
        let (end, summary) = t.summary();
        assert_eq!(end, RecipeEnd::Done);
        for words in [
            "All tests pass: 2 passed.",
            "- `tests/test_slug.py`\n- `slug.py`",
            "- Tests first, round 1: red (the module slug is missing)",
        ] {
            assert!(summary.contains(words), "{words} in {summary}");
        }
    }

    #[test]
    fn it_goes_on_where_it_stood_at_every_point() {
        let mut t = ToolDialogue::tdd();
        assert!(t.talk.d.reopen().ends_with("stuck cut"));
        t.talk.d.command(Command::Retry);
        t.writes("tests/test_slug.py");
        assert!(t.talk.d.reopen().ends_with("deciding 2"));
        let line = t.tests(printed("pytest/missing-module"));
        assert!(line.contains("+judged tests.1 red, +said code.1, ask"), "{line}");
        let told = t.talk.d.told().to_owned();
        // The last facts were not written before the crash; after resuming they are worked out again.
        t.talk.d.watched.entries.truncate(t.talk.d.watched.entries.len() - 2);
        let line = t.talk.d.reopen();
        assert!(line.contains("+judged tests.1 red, +said code.1") && line.ends_with("stuck cut"), "{line}");
        t.talk.d.command(Command::Retry);
        assert_eq!(t.talk.d.told().contains("Now write the code"), told.contains("Now write the code"));
    }

    #[test]
    fn tests_that_pass_before_there_is_code_prove_nothing() {
        let mut t = ToolDialogue::tdd();
        for round in 1..=3 {
            t.writes("tests/test_slug.py");
            let line = t.tests(printed("pytest/green"));
            assert!(line.contains(&format!("+judged tests.{round} green")), "{line}");
            if round < 3 {
                hears(&t.talk.d, &["they prove nothing"]);
            }
        }
        let (end, summary) = t.summary();
        assert_eq!(end, RecipeEnd::GaveUp);
        assert!(
            summary.contains("nothing was implemented") && summary.contains("`tests/test_slug.py`"),
            "{summary}"
        );
    }

    #[test]
    fn tests_with_a_syntax_error_are_mended_first() {
        let mut t = ToolDialogue::tdd();
        t.writes("tests/test_slug.py");
        let line = t.tests(printed("pytest/syntax"));
        assert!(line.contains("+judged tests.1 broken, +said tests.2"), "{line}");
        hears(&t.talk.d, &["SyntaxError in test_slug.py, line 8"]);
        t.writes("tests/test_slug.py");
        assert!(t.tests(printed("pytest/missing-module")).contains("+judged tests.2 red, +said code.1"));
    }

    #[test]
    fn code_that_never_gets_green_ends_at_the_limit_and_keeps_the_files() {
        let mut t = ToolDialogue::tdd();
        t.writes("tests/test_slug.py");
        t.tests(printed("pytest/missing-module"));
        for round in 1..=5 {
            t.writes("slug.py");
            let line = t.tests(printed("pytest/wrong"));
            assert!(line.contains(&format!("+judged code.{round} red")), "{line}");
        }
        let (end, summary) = t.summary();
        assert_eq!(end, RecipeEnd::Limit);
        assert!(
            summary.contains("Last: 1 failed, 1 passed.") && summary.contains("- `slug.py`"),
            "{summary}"
        );
    }

    #[test]
    fn a_write_of_the_tests_takes_a_typed_word_later_and_not_before() {
        let mut t = ToolDialogue::tdd();
        t.writes("tests/test_slug.py");
        assert!(!t.has_remark(1));
        t.tests(printed("pytest/missing-module"));
        t.calls(&[write("./tests/../tests/test_slug.py", "pass\n")]);
        t.look();
        assert!(t.has_remark(3));
        let line = t.talk.d.approve(3);
        assert!(!line.contains("start"), "{line}");
        // The person types the word for this change, so there is no question afterwards.
        t.block = 3;
        let line = t.ends(changed(Outcome::Ok, &["tests/test_slug.py"]));
        assert!(line.contains("+block 4") && line.ends_with("deciding 4"), "{line}");
    }

    fn with_changed_tests() -> ToolDialogue {
        let mut t = ToolDialogue::tdd();
        t.writes("tests/test_slug.py");
        t.tests(printed("pytest/missing-module"));
        let line = t.runs(changed(Outcome::Ok, &["slug.py", "tests/test_slug.py"]));
        assert!(line.ends_with("asking: form protected"), "{line}");
        assert!(t.talk.d.reopen().ends_with("asking: form protected"));
        t
    }

    #[test]
    fn code_that_changes_the_tests_is_asked_about() {
        let line = with_changed_tests().choose("keep the change");
        assert!(line.contains("+answered protected, +block 4") && line.ends_with("deciding 4"), "{line}");
        let mut t = with_changed_tests();
        assert!(t.choose("nonsense").ends_with("asking: form protected"));
        let line = t.choose("stop");
        assert!(line.contains("+recipe stopped, +end stopped"), "{line}");
        let mut t = with_changed_tests();
        let line = t.choose("go on without it");
        assert!(line.contains("+judged code.1 protected_changed, +said code.2, ask"), "{line}");
        hears(&t.talk.d, &["Put back what was there"]);
        // Restoring the file is a write like others: it takes the word, and then there is no more question.
        let line = t.writes("tests/test_slug.py");
        assert!(t.has_remark(t.block) && line.contains("+block 5"), "{line}");
    }

    #[test]
    fn what_was_not_put_back_is_asked_about_again() {
        let mut t = with_changed_tests();
        t.choose("go on without it");
        // Another file is written; the tests still differ from what was agreed on.
        let line = t.writes("slug.py");
        assert!(line.ends_with("asking: form protected"), "{line}");
        let line = t.choose("go on without it");
        assert!(line.contains("+judged code.2 protected_changed, +said code.3, ask"), "{line}");
        let line = t.says("I did.");
        assert!(line.ends_with("asking: form protected"), "{line}");
        let line = t.choose("keep the change");
        assert!(line.contains("+judged code.3 nothing"), "{line}");
        let line = t.writes("slug.py");
        assert!(line.contains("+block") && !line.contains("asking"), "{line}");
    }

    #[test]
    fn a_word_for_one_file_excuses_no_other() {
        let mut t = ToolDialogue::tdd();
        t.calls(&[write("tests/test_slug.py", "a\n"), write("tests/test_b.py", "b\n")]);
        t.block = 1;
        t.ends(changed(Outcome::Ok, &["tests/test_slug.py"]));
        t.block = 2;
        t.look();
        t.look();
        t.ends(changed(Outcome::Ok, &["tests/test_b.py"]));
        t.tests(printed("pytest/missing-module"));
        t.calls(&[write("tests/test_slug.py", "c\n")]);
        t.block = 4;
        let line = t.ends(changed(Outcome::Ok, &["tests/test_slug.py", "tests/test_b.py"]));
        assert!(t.has_remark(4) && line.ends_with("asking: form protected"), "{line}");
    }

    #[test]
    fn tests_that_are_turned_off_do_not_pass() {
        let mut t = ToolDialogue::tdd();
        t.writes("tests/test_slug.py");
        t.tests(printed("pytest/missing-module"));
        t.writes("slug.py");
        t.tests(printed("pytest/wrong"));
        t.calls(&[write("conftest.py", "x\n")]);
        t.look();
        let item = &t.talk.d.state().transcript.blocks[&BlockId(t.block)];
        let (_, review) = item.review.as_ref().unwrap();
        assert!(review.findings.iter().any(|finding| finding.rule == "recipe.configures"), "{review:?}");
        t.ends(changed(Outcome::Ok, &["conftest.py"]));
        let line = t.tests(printed("pytest/skipped"));
        assert!(line.contains("+judged code.2 unclear"), "{line}");
    }

    #[test]
    fn only_tests_are_written_first() {
        let mut t = ToolDialogue::tdd();
        let line = t.writes("slug.py");
        assert!(line.contains("+declined 1") && line.contains("ask s2"), "{line}");
        assert!(
            t.talk.d.request().iter().any(|m| m.text.contains("only tests are written in this step")),
            "{:?}",
            t.talk.d.request()
        );
        t.block = 1;
        let line = t.writes("tests/conftest.py");
        assert!(line.contains("+judged tests.1 broken"), "{line}");
        hears(&t.talk.d, &["no file with tests was written: pytest takes tests/test_NAME.py"]);
    }

    #[test]
    fn a_model_that_writes_nothing_is_told_so() {
        let mut t = ToolDialogue::tdd();
        let line = t.says("I would test it.");
        assert!(line.contains("+judged tests.1 nothing, +said tests.2, ask"), "{line}");
        // Looking around once is fine.
        let line = t.runs(report(Outcome::Ok));
        assert!(line.ends_with("replying s3") && !line.contains("judged"), "{line}");
        let line = t.runs(report(Outcome::Ok));
        assert!(line.contains("+judged tests.2 nothing, +said tests.3"), "{line}");
    }

    #[test]
    fn tests_that_the_person_does_not_let_run_can_not_be_judged() {
        for reject in [true, false] {
            let mut t = ToolDialogue::tdd();
            t.writes("tests/test_slug.py");
            t.block += 1;
            t.look();
            let line = if reject { t.talk.d.reject(2, "not now") } else { t.talk.d.skip(2) };
            assert!(line.contains("+recipe gave_up"), "{line}");
            assert!(t.summary().1.contains("nobody can say whether they pass"), "{:?}", t.summary());
        }
    }

    #[test]
    fn what_the_person_skips_ends_it_and_what_is_rejected_is_heard() {
        let mut t = ToolDialogue::tdd();
        t.calls(&[write("tests/test_slug.py", "pass\n")]);
        t.look();
        let line = t.talk.d.reject(1, "use one file");
        assert!(line.ends_with("replying s2"), "{line}");
        t.calls(&[write("tests/test_slug.py", "1\n")]);
        t.look();
        let line = t.talk.d.skip(2);
        assert!(line.contains("+recipe stopped, +end stopped"), "{line}");
    }

    #[test]
    fn an_interrupted_run_ends_it() {
        let mut t = ToolDialogue::tdd();
        t.writes("tests/test_slug.py");
        let line = t.tests(report(Outcome::Interrupted));
        assert!(line.contains("+recipe stopped, +end stopped"), "{line}");
        let mut t = ToolDialogue::tdd();
        t.writes("tests/test_slug.py");
        let line = t.tests(report(Outcome::TimedOut));
        assert!(line.contains("+judged tests.1 unclear"), "{line}");
    }

    #[test]
    fn several_files_are_written_tested_and_held() {
        let target = "slug.py, ./lib/words.py";
        let mut t = ToolDialogue::new(
            "tdd",
            &[("spec", "make addresses"), ("target", target)],
            &[("runners", "pytest")],
        );
        hears(&t.talk.d, &["Files for the code: slug.py, ./lib/words.py"]);
        // No input mentions these names and no test file is named after them: only the targets tell that they are still
        // to be written.
        let line = t.write_both("tests/test_a.py", "tests/test_b.py");
        assert!(line.ends_with("deciding 3"), "{line}");
        assert!(t.line_of(3).ends_with(" tests/test_a.py tests/test_b.py\n"), "{}", t.line_of(3));
        let line = t.tests(printed("pytest/missing-modules"));
        assert!(line.contains("+judged tests.1 red"), "{line}");
        hears(&t.talk.d, &["don't change tests/test_a.py, tests/test_b.py"]);
        // The tests are protected, the code is not.
        assert_eq!(t.talk.d.watched.protected, ["tests/test_a.py", "tests/test_b.py"]);
        for (file, held) in [("tests/test_a.py", true), ("tests/test_b.py", true), ("lib/words.py", false)] {
            t.calls(&[write(file, "x = 1\n")]);
            t.look();
            assert_eq!(t.has_remark(t.block), held, "{file}");
            t.talk.d.reject(t.block, "no");
        }
    }

    #[test]
    fn tests_of_two_runners_are_sent_back() {
        let mut t = ToolDialogue::new("tdd", &[("spec", "make addresses")], &[("runners", "pytest node")]);
        let line = t.write_both("tests/test_a.py", "tests/b.test.mjs");
        assert!(line.contains("+judged tests.1 broken"), "{line}");
        hears(&t.talk.d, &["tests/b.test.mjs is no file of pytest"]);
    }

    #[test]
    fn the_projects_own_tests_come_last() {
        let facts = [("runners", "pytest"), ("tests", "make test")];
        let mut t = ToolDialogue::new("tdd", &[("spec", "slugify"), ("target", "src/slug.py")], &facts);
        hears(&t.talk.d, &["Files for the code: src/slug.py"]);
        t.writes("tests/test_slug.py");
        t.tests(printed("pytest/missing-module"));
        t.writes("src/slug.py");
        t.tests(printed("pytest/green"));
        assert_eq!(t.line_of(5), "make test\n");
        let line = t.tests(report(Outcome::Failed));
        assert!(line.contains("+judged all.1 red, +said code.2, ask"), "{line}");
        t.writes("src/slug.py");
        t.tests(printed("pytest/green"));
        let line = t.tests(report(Outcome::Ok));
        assert!(line.contains("+judged all.2 green, +recipe done"), "{line}");
    }
}

mod plot_and_data {
    use super::*;

    fn image() -> RunReport {
        let image = ImageRef {
            path: "/blobs/1.png".into(),
            name: "figure-1.png".into(),
            mime: "image/png".into(),
            width: 1,
            height: 1,
            bytes: 1,
        };
        RunReport { images: vec![image], ..report(Outcome::Ok) }
    }

    #[test]
    fn a_chart_ends_it_and_its_path_is_told() {
        let mut t = ToolDialogue::new("plot", &[("what", "rain by month"), ("units", "mm")], &[]);
        hears(&t.talk.d, &["Units: mm\nCells that are empty or can't be read: leave them out"]);
        // The model does not get the text of the file: a block shows its columns.
        assert_eq!(recipe("plot").wants(&named(&[])), [FactRequest::Package("matplotlib".into())]);
        let line = t.runs(report(Outcome::Ok));
        assert!(line.contains("+judged plot.1 nothing_shown, +said plot.2"), "{line}");
        let line = t.runs(report(Outcome::Failed));
        assert!(line.contains("+judged plot.2 failed, +said plot.3"), "{line}");
        hears(&t.talk.d, &["The block failed (ValueError: no)"]);
        let line = t.runs(image());
        assert!(line.contains("+judged plot.3 ok, +said see.1"), "{line}");
        hears(&t.talk.d, &["The chart was drawn: figure-1.png."]);
        let line = t.says("It rains most in May.");
        assert!(line.contains("+judged see.1 answered, +recipe done"), "{line}");
        assert_eq!(t.summary().1, "Images:\n- `/blobs/1.png`");
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
        let mut t = ToolDialogue::new("plot", &[("what", "rain")], &[]);
        for _ in 0..4 {
            t.runs(report(Outcome::TimedOut));
        }
        let line = t.runs(report(Outcome::Ok));
        assert!(line.contains("+recipe limit"), "{line}");
        assert_eq!(t.summary().1, "There is no chart. Last: no image.");
    }

    #[test]
    fn a_table_is_told_in_words() {
        let mut t = ToolDialogue::new("data", &[("what", "rain by month")], &[]);
        let line = t.says("I can't.");
        assert!(line.contains("+judged table.1 nothing"), "{line}");
        let mut table = report(Outcome::Ok);
        table.value = Some("month  rain\nMay    3.2\n".into());
        let line = t.runs(table);
        assert!(line.contains("+judged table.2 ok, +said answer.1, ask"), "{line}");
        let line = t.says("It rained most in May.");
        assert!(line.contains("+judged answer.1 answered, +recipe done"), "{line}");
    }
}
