//! The check `tests`: a block of sayso's own runs tests with a runner that the machine has; the check reads the output.
//! `suite/` says how to start and read each runner.

mod cargo;
mod go;
mod node;
mod python;
mod runner;
mod runner_output;

use super::{Check, CheckOption, CheckResponse, CheckSpec, NOTHING, OptionKind, OwnBlock};
use crate::domain::{Answers, Block, BlockKind, RunReport};
use crate::engine::transcript::BlockItem;
use crate::recipe::view::{OwnRun, View};
use crate::recipe::{FactRequest, Tool};
use runner::{PYTEST, Runner};
use runner_output::{BROKEN, Expectation, GREEN, Problem, RED, RunnerOutput, TestCounts, UNCLEAR, file_name};

/// The input that names a test runner.
const RUNNER: &str = "runner";

/// Files that a project needs besides its tests. They may be written together with tests, and are not protected.
const MANIFESTS: &[&str] =
    &["Cargo.toml", "go.mod", "package.json", "pyproject.toml", "setup.cfg", "conftest.py", "__init__.py"];

#[derive(Debug)]
pub(super) struct Tests;

impl Check for Tests {
    fn spec(&self) -> CheckSpec {
        CheckSpec {
            options: &[
                CheckOption { name: "run", kind: OptionKind::Word(&["written", "all"]) },
                CheckOption { name: "only", kind: OptionKind::Word(&["tests"]) },
                CheckOption { name: "target", kind: OptionKind::Place },
                CheckOption { name: "of", kind: OptionKind::Step },
            ],
            needs_no_reply: true,
            wants_tests: true,
            ..CheckSpec::of("tests", &[GREEN, RED, BROKEN, UNCLEAR, NOTHING])
        }
    }

    fn wants(&self, _: &[(String, String)], inputs: &Answers) -> Vec<FactRequest> {
        let known = runner::named(super::answer(inputs, RUNNER));
        let tool = known.map(|runner| Tool::Runner(runner.name.to_owned()));
        tool.map(|tool| FactRequest::Tool { input: RUNNER.to_owned(), tool }).into_iter().collect()
    }

    fn judge(&self, view: &View<'_>) -> CheckResponse {
        match view.own_run() {
            OwnRun::Ran(item, report) => {
                let command = item.block.current().source.clone();
                let (verdict, note) = judge(view, &command, &RunnerOutput::of(report));
                match weakened_tests(view, &command, report).filter(|_| verdict == GREEN) {
                    Some(why) => CheckResponse::judge(UNCLEAR, format!("{note}, but {why}")),
                    None => CheckResponse::Judge { verdict, note },
                }
            }
            OwnRun::Refused(why) => {
                let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
                CheckResponse::unable(format!(
                    "The tests did not run{why}, so nobody can say whether they pass."
                ))
            }
            OwnRun::None if view.was_prompted && view.written().is_empty() => match view.reply() {
                Some(_) if view.newest().is_empty() || replies_without_files(view) > 1 => {
                    CheckResponse::judge(NOTHING, "no file was written")
                }
                // The model looked something up, or its block was refused and it was told why.
                _ => CheckResponse::Ask,
            },
            OwnRun::None => propose(view),
        }
    }

    fn hint(&self, _: &View<'_>, verdict: &str, note: &str) -> String {
        match verdict {
            GREEN => format!("The tests pass ({note})."),
            RED => format!("Tests fail ({note}). Their output is above."),
            BROKEN => format!("The tests can't run: {note}. Mend it."),
            UNCLEAR => format!("It is not clear what came of the tests: {note}."),
            _ => "No file was written. Write it.".into(),
        }
    }

    fn declines(&self, view: &View<'_>, block: &Block) -> Option<String> {
        // Cargo builds tests only next to a library, so a stub of one is allowed.
        let stub = |path: &String| view.shown_path(path) == "src/lib.rs";
        let is_other = |path: &&String| !(self.can_protect(path) || is_manifest(path) || stub(path));
        let path = block.kind.writes().find(is_other).filter(|_| view.option("only") == "tests")?;
        let patterns: Vec<&str> = runner::usable(view).iter().map(|runner| runner.pattern).collect();
        let patterns = patterns.join(" or ");
        Some(format!(
            "only tests are written in this step, and {path} is none: files with tests are {patterns}"
        ))
    }

    fn can_protect(&self, path: &str) -> bool {
        !is_manifest(path) && (runner::ALL.iter().any(|runner| (runner.takes)(path)) || in_tests(path))
    }
}

/// The number of replies in this round whose code ran without writing a file: looking around once is fine.
fn replies_without_files(view: &View<'_>) -> usize {
    let ran = |item: &&BlockItem| matches!(item.block.kind, BlockKind::Code { .. }) && !item.runs.is_empty();
    view.replies().filter(|reply| view.blocks_of(reply).any(|item| ran(&item))).count()
}

fn is_manifest(path: &str) -> bool {
    MANIFESTS.contains(&file_name(path))
}

/// Whether a file lies in a folder of tests; it may be a helper.
fn in_tests(path: &str) -> bool {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    folder.split('/').any(|part| matches!(part, "tests" | "test" | "__tests__" | "testdata"))
}

/// The runner, and the test files for it that the model wrote: in the step that `of` names, or in any.
fn choose_runner(view: &View<'_>) -> (Option<&'static Runner>, Vec<String>) {
    let written = match view.option("of") {
        "" => view.all_written(),
        step => view.written_in(step),
    };
    let runner = runner::choose(view, &written);
    let files = match runner {
        Some(runner) => written.into_iter().filter(|path| (runner.takes)(path)).collect(),
        None => Vec::new(),
    };
    (runner, files)
}

fn propose(view: &View<'_>) -> CheckResponse {
    let all = view.option("run") == "all";
    let (runner, files) = choose_runner(view);
    if let Some(note) = runner.filter(|_| !all).and_then(|runner| passed_over_note(view, runner)) {
        return CheckResponse::judge(BROKEN, note);
    }
    let own = view.context.fact("tests").trim();
    let (line, note) = match runner {
        _ if all && !own.is_empty() && !own.contains('\n') => {
            (own.to_owned(), "run all tests of the project")
        }
        Some(runner) if all => ((runner.command_for_all)(&files), "run all tests"),
        Some(runner) if !files.is_empty() => ((runner.command_for)(&files), "run the tests"),
        Some(runner) => {
            let note = format!("no file with tests was written: {} takes {}", runner.name, runner.pattern);
            return CheckResponse::judge(BROKEN, note);
        }
        None => {
            let note = "no file with tests was written that a test runner here takes";
            return CheckResponse::judge(BROKEN, note);
        }
    };
    let line = with_python(line, view.context.fact("python"));
    CheckResponse::Propose(vec![OwnBlock::bash(&line, note)])
}

/// A note if the model wrote tests that this runner would silently ignore.
fn passed_over_note(view: &View<'_>, runner: &Runner) -> Option<String> {
    let written = if view.option("only") == "tests" { view.written() } else { Vec::new() };
    let mut others = written.iter().filter(|path| !(runner.takes)(path) && is_test(path));
    let other = others.next()?;
    Some(format!(
        "{other} is no file of {}: all tests are for one runner, here {}",
        runner.name, runner.pattern
    ))
}

/// Whether a runner takes the file by its name alone, not by its folder.
fn is_test(path: &str) -> bool {
    runner::ALL.iter().any(|runner| (runner.takes)(file_name(path)))
}

/// The line with the session's Python in place of `python3`, where that differs.
fn with_python(line: String, python: &str) -> String {
    match line.strip_prefix("python3 ") {
        Some(rest) if !python.is_empty() => format!("{python} {rest}"),
        _ => line,
    }
}

/// The verdict and note of a run of tests.
fn judge(view: &View<'_>, command: &str, printed: &RunnerOutput) -> (&'static str, String) {
    let runner = runner::of_command(command);
    let own = printed.ended && command.trim() == view.context.fact("tests").trim();
    let files = choose_runner(view).1;
    let target = view.option("target");
    let target = if target.is_empty() { "" } else { view.context.input(target) };
    let said = view.context.start.inputs.iter().map(|(_, text)| text.as_str()).collect();
    let expected = Expectation { target, files: &files, said };
    match runner {
        Some(runner) => {
            runner_output::verdict(runner.name, runner.style, &runner.counts(printed, &expected), printed)
        }
        // For a command of the project's own, with output of unknown form, only the exit status counts.
        None if own && printed.exit == Some(0) => (GREEN, "exit 0".into()),
        None if own => (RED, format!("exit {}", printed.exit.unwrap_or(-1))),
        None => runner_output::verdict(PYTEST.name, PYTEST.style, &TestCounts::default(), printed),
    }
}

/// Why passing tests prove less than the protected tests that failed before: some are gone, or skipped now.
fn weakened_tests(view: &View<'_>, command: &str, report: &RunReport) -> Option<String> {
    let runner = runner::of_command(command)?;
    let seen = |report: &RunReport| runner.counts(&RunnerOutput::of(report), &Expectation::default());
    let steps = view.protects.iter().map(String::as_str);
    let runs = steps.chain([view.step]).flat_map(|step| view.runs_in(step));
    let red = runs.filter(|(item, run)| {
        let line = item.block.version(run.revision).map_or("", |version| &version.source);
        item.block.is_own() && (runner.reads_output_of)(line)
    });
    let mut reports = red.filter_map(|(_, run)| run.ended.as_ref()).map(|(_, report)| seen(report));
    let before = reports.rfind(|seen| seen.counted && seen.failed > 0 && seen.errors == 0);
    let (before, now) = (before.filter(|_| !view.protects.is_empty())?, seen(report));
    if now.all() < before.all() {
        Some(format!("there were {} tests before, and there are {} now", before.all(), now.all()))
    } else if now.skipped + now.expected > before.skipped + before.expected {
        Some("tests are skipped or expected to fail that were not before".into())
    } else {
        None
    }
}

/// What a run of tests tells in addition to its exit status, whatever command started it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TestReading {
    /// There were no tests, or all were skipped.
    Empty,
    /// The runner is not on this machine.
    Missing(String),
}

/// Whether the command ran any test; `None` if the exit status says all there is to say.
pub(super) fn reading(line: &str, report: &RunReport) -> Option<TestReading> {
    let printed = RunnerOutput::of(report);
    // Without `-v`, unittest still prints the same counts.
    let plain = || runner::named("unittest").filter(|_| line.contains("unittest"));
    let known = runner::of_command(line).or_else(plain);
    let seen =
        known.map_or_else(TestCounts::default, |runner| runner.counts(&printed, &Expectation::default()));
    if seen.problems.contains(&Problem::NoRunner) || matches!(printed.exit, Some(126 | 127)) {
        let name = known.map_or("what the line starts", |runner| runner.name);
        return Some(TestReading::Missing(format!("{name} can't be started on this machine")));
    }
    let bad = seen.failed > 0 || seen.errors > 0;
    let no_tests = seen.problems.contains(&Problem::NoTests)
        || printed.exit == Some(5) && known.is_some_and(|runner| runner.name == "pytest")
        || printed.err.lines().any(|line| line.starts_with("Ran 0 tests in "))
        || line.contains("go test") && printed.exit == Some(0) && go::has_no_files(&printed);
    (!bad && (no_tests || seen.counted && seen.passed == 0)).then_some(TestReading::Empty)
}

/// For the texts of a recipe: the runners on this machine, and which files each takes.
pub(crate) fn describe_runners(view: &View<'_>) -> String {
    let lines: Vec<String> = runner::usable(view)
        .iter()
        .map(|Runner { name, pattern, style, .. }| {
            format!("- {name}: {style}, in files named {pattern}, NAME being the module under test")
        })
        .collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests;
