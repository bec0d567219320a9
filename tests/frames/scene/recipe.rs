//! A recipe whose steps a test scripts; what happens with them is up to the engine.

use sayso::domain::*;
use sayso::engine::{
    Settings, Workflow, WorkflowContext, WorkflowError, WorkflowOpener, WorkflowStep, Workflows,
};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// The steps that a recipe returns each time when it is asked what comes next.
#[derive(Clone, Debug)]
pub struct Script(Arc<Mutex<VecDeque<Vec<WorkflowStep>>>>);

impl Script {
    pub fn settings(moves: impl IntoIterator<Item = Vec<WorkflowStep>>) -> Settings {
        let script = Self(Arc::new(Mutex::new(moves.into_iter().collect())));
        Settings { workflows: Workflows(Some(Arc::new(script))), ..Settings::default() }
    }
}

impl WorkflowOpener for Script {
    fn open(&self, _: &RecipeStart) -> Result<Arc<dyn Workflow>, WorkflowError> {
        Ok(Arc::new(self.clone()))
    }
}

impl Workflow for Script {
    fn next(&self, _: &WorkflowContext<'_>) -> Vec<WorkflowStep> {
        self.0.lock().unwrap().pop_front().unwrap_or_default()
    }

    fn declines(&self, _: &WorkflowContext<'_>, block: &Block) -> Option<String> {
        let shell = block.current().language == Some(Language::bash());
        shell.then(|| "only tests are written in this step".into())
    }

    fn remarks(&self, _: &WorkflowContext<'_>, _: &Block, _: &Review) -> Vec<Finding> {
        Vec::new()
    }

    fn before(&self, _: &WorkflowContext<'_>, _: &Block) -> Option<Arc<str>> {
        None
    }

    fn strict(&self, _: &WorkflowContext<'_>, _: &Block) -> bool {
        false
    }
}

const DEFINITION: &str = "name = 'tdd'
[[step]]
name = 'tests'
[[step]]
name = 'code'
[[step]]
name = 'sum'
";

pub fn start() -> RecipeStart {
    RecipeStart {
        name: "tdd".into(),
        definition: Arc::from(DEFINITION),
        inputs: vec![
            ("spec".into(), "a stack with push and pop\nthat tells its size".into()),
            ("runner".into(), "pytest".into()),
        ],
        facts: Vec::new(),
        prompt: "Test-driven: a stack with push and pop".into(),
    }
}

pub fn say(step: &str, title: &str) -> WorkflowStep {
    WorkflowStep::Say { step: step.into(), title: title.into(), round: 1, text: String::new() }
}

pub fn judge(verdict: &str, note: &str) -> WorkflowStep {
    let (step, verdict, note) = ("tests".into(), verdict.into(), note.into());
    WorkflowStep::Judge(RoundOutcome { step, round: 1, verdict, note })
}

/// A block made by sayso that runs the tests.
pub fn run_the_tests() -> WorkflowStep {
    WorkflowStep::Propose {
        kind: BlockKind::Code { language: Some(Language::bash()) },
        language: Language::bash(),
        source: Arc::from("python -m pytest -q\n"),
        note: "run the tests".into(),
    }
}
