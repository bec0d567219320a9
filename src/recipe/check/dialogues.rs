//! Runs the recipes with checks of their own through dialogues with the engine, including cases that must fail.

mod debug;
mod function;
mod look;
mod port;
mod refactor;

use crate::domain::{
    Answers, BlockId, BlockKind, Dialect, ExecutorKind, FinishReason, Form, Language, OnDisk, Outcome,
    OutputBuffer, Receipt, RecipeEnd, RecipeFact, ReplyEvent, Review, RunError, RunReport, Severity, Stream,
    Target, Terms, ToolCall, samples,
};
use crate::engine::answers;
use crate::engine::dialogue::{Dialogue, report, terms};
use crate::engine::state::Question;
use crate::engine::transcript::BlockStatus;
use crate::engine::{Command, Event, Phase, Settings};
use crate::recipe::{Recipe, shipped, workflows};

/// A dialogue with a recipe under way.
pub(in crate::recipe) struct RecipeDialogue {
    pub(in crate::recipe) d: Dialogue,
    runs: u32,
    calls: u32,
}

pub(in crate::recipe) fn named(given: &[(&str, &str)]) -> Answers {
    given.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

pub(in crate::recipe) fn recipe(name: &str) -> Recipe {
    shipped().into_iter().find(|recipe| recipe.card().name == name).unwrap()
}

/// Begins a recipe in a dialogue; returns the line that the engine's answer prints.
pub(in crate::recipe) fn begin(
    d: &mut Dialogue,
    recipe: &Recipe,
    inputs: &[(&str, &str)],
    facts: &[(&str, &str)],
) -> String {
    let inputs = answers::check(&recipe.card().inputs, &named(inputs)).unwrap();
    let start = recipe.start(inputs, named(facts)).unwrap();
    d.send(Event::RecipeReady(Box::new(start)))
}

/// A line of the engine's answer contains these words.
#[track_caller]
pub(in crate::recipe) fn assert_has(line: &str, words: &str) {
    assert!(line.contains(words), "{line}");
}

/// A line of the engine's answer ends with this phase.
#[track_caller]
pub(in crate::recipe) fn assert_ends(line: &str, phase: &str) {
    assert!(line.ends_with(phase), "{line}");
}

/// A line of the engine's answer contains these words and ends with this phase.
#[track_caller]
pub(in crate::recipe) fn assert_leads(line: &str, words: &str, phase: &str) {
    assert!(line.contains(words) && line.ends_with(phase), "{line}");
}

impl RecipeDialogue {
    /// Begins a recipe with a model that calls tools; returns the line that the engine's answer prints.
    pub(in crate::recipe) fn begin(
        name: &str,
        inputs: &[(&str, &str)],
        facts: &[(&str, &str)],
    ) -> (Self, String) {
        let dialect = Some(Dialect::Tools);
        let settings = Settings {
            workflows: workflows(),
            dialect,
            step_limit: 100,
            repeat_limit: 100,
            ..Settings::default()
        };
        let mut d = Dialogue::with(settings);
        let line = begin(&mut d, &recipe(name), inputs, facts);
        (Self::with(d), line)
    }

    pub(in crate::recipe) fn with(d: Dialogue) -> Self {
        Self { d, runs: 0, calls: 0 }
    }

    /// The model calls tools.
    pub(in crate::recipe) fn calls(&mut self, calls: &[(&str, serde_json::Value)]) -> String {
        for (name, arguments) in calls {
            self.calls += 1;
            let id = format!("c{}", self.calls);
            let call =
                ToolCall { id, name: (*name).into(), arguments: arguments.to_string(), signature: None };
            self.d.replied(ReplyEvent::ToolCall(call));
        }
        self.d.finish(FinishReason::ToolCalls)
    }

    /// The model proposes code in Python.
    pub(in crate::recipe) fn code(&mut self, code: &str) -> String {
        self.calls(&[("run_code", serde_json::json!({ "language": "python", "code": code }))])
    }

    /// The model writes a file.
    pub(in crate::recipe) fn writes(&mut self, path: &str, content: &str) -> String {
        self.calls(&[("write_file", serde_json::json!({ "path": path, "content": content }))])
    }

    fn waits(&self) -> (BlockId, BlockKind, String, Option<Language>) {
        let item = self.d.state().queue().next().expect("a block waits");
        let version = item.block.current();
        (item.block.id, item.block.kind.clone(), version.source.to_string(), version.language.clone())
    }

    /// Sends the review of the waiting block.
    pub(in crate::recipe) fn look(&mut self) -> u32 {
        let (block, kind, _, language) = self.waits();
        let language = language.unwrap_or_else(Language::python);
        let terms = match &kind {
            BlockKind::Write { path } => file_terms(path),
            BlockKind::Install { .. } => Terms { executor: ExecutorKind::Installer, kernel: None, ..terms() },
            _ if language == Language::python() => terms(),
            _ => samples::in_subprocess(language),
        };
        // A block that waited behind another is reviewed again, so a review may be dropped as stale; three tries
        // suffice.
        for _ in 0..3 {
            self.d.inspected(block.0, Review::default(), Ok(terms.clone()));
        }
        block.0
    }

    /// Approves the waiting block and ends its run with this report.
    pub(in crate::recipe) fn ends(&mut self, report: RunReport) -> String {
        let block = self.look();
        let line = self.d.type_run(block);
        self.runs += 1;
        assert!(line.ends_with(&format!("running r{}", self.runs)), "{line}");
        self.d.started(self.runs);
        self.d.ended_as(self.runs, report)
    }

    fn ok(&mut self) -> String {
        self.ends(report(Outcome::Ok))
    }

    /// The model writes a file, and the person approves.
    fn saves(&mut self, path: &str, content: &str) -> String {
        self.writes(path, content);
        self.ok()
    }

    pub(in crate::recipe) fn answer(&mut self, given: &[(&str, &str)]) -> String {
        self.d.command(Command::Answer(named(given)))
    }

    /// The form that the person is shown.
    fn form(&self) -> Form {
        match &self.d.state().phase {
            Phase::Asking(Question::Form(form)) => form.as_ref().clone(),
            other => panic!("{other:?}"),
        }
    }

    /// The messages of the newest request to the model.
    fn told(&self) -> String {
        self.d.request().iter().map(|message| message.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// The newest request to the model contains all of these words.
    #[track_caller]
    fn hears(&self, words: &[&str]) {
        let told = self.told();
        for word in words {
            assert!(told.contains(word), "{word} in {told}");
        }
    }

    /// Why the newest block was declined.
    fn declined(&self) -> String {
        let newest = self.d.state().transcript.blocks.values().next_back().unwrap();
        match &newest.status {
            BlockStatus::Declined(why) => why.clone(),
            other => panic!("{other:?}"),
        }
    }

    /// How it ended, with the summary that the person sees then.
    pub(in crate::recipe) fn end(&self) -> (RecipeEnd, String) {
        let mut items = self.d.state().transcript.items.iter().rev();
        let end = items.find_map(|item| match item.fact()? {
            RecipeFact::Ended { end, summary } => Some((*end, summary.clone())),
            _ => None,
        });
        end.unwrap()
    }

    fn summary(&self) -> String {
        self.end().1
    }

    /// The summary contains all of these words.
    #[track_caller]
    pub(in crate::recipe) fn sums_up(&self, words: &[&str]) {
        let summary = self.summary();
        for word in words {
            assert!(summary.contains(word), "{word} in {summary}");
        }
    }

    /// The severity of the gravest finding about a block.
    fn gravest(&self, block: BlockId) -> Option<Severity> {
        self.d.state().inspected(block).and_then(|seen| seen.review.gravest())
    }
}

fn file_terms(path: &str) -> Terms {
    samples::of_file("write", Target::at(format!("/work/{path}"), OnDisk::Nothing))
}

/// The report of a run that printed this.
fn printed(outcome: Outcome, stdout: &str, stderr: &str) -> RunReport {
    let mut output = OutputBuffer::default();
    output.push(Stream::Stdout, stdout.as_bytes());
    output.push(Stream::Stderr, stderr.as_bytes());
    let exit_code = Some(i32::from(outcome != Outcome::Ok));
    RunReport { output, error: None, receipt: Receipt { exit_code, ..Receipt::default() }, ..report(outcome) }
}

/// The report of a run in the kernel that raised this exception.
fn raised(kind: &str, message: &str) -> RunReport {
    let traceback = format!("{kind}: {message}\n");
    let error = RunError { kind: kind.into(), message: message.into(), traceback };
    RunReport { error: Some(error), ..report(Outcome::Failed) }
}
