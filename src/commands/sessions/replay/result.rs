//! Formats the result of repeating a run, as text and as JSON.

use crate::domain::visible::visible_line;
use crate::domain::{BlockId, RunId};
use crate::engine::recorded_runs::RecordedStep;
use crate::engine::run_comparison::Difference;
use crate::report::FailureClass;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::io::{self, Write};

/// The most characters shown of a line that differs.
const MAX_CHARS_SHOWN: usize = 400;

/// The result of repeating a run.
#[derive(Debug)]
pub(super) enum RunResult {
    Same,
    Differs(Vec<Difference>),
    /// The run could not be repeated here, and later runs may depend on it; the reason.
    Impossible(String),
    /// The run was not repeated, and no later run misses it; the reason.
    LeftOut(String),
}

#[derive(Debug)]
pub(super) struct ReportedRun {
    pub(crate) run: RunId,
    pub(crate) block: BlockId,
    pub(crate) what: String,
    pub(crate) first_line: String,
    /// How long the run took in microseconds; 0 if it did not run.
    pub(crate) wall_us: u64,
    pub(crate) result: RunResult,
    /// What could not be compared in full.
    pub(crate) gaps: Vec<String>,
}

impl ReportedRun {
    pub(super) fn of(step: &RecordedStep, result: RunResult) -> Self {
        let (what, first_line) = (step.what.clone(), step.first_line.clone());
        Self { run: step.run, block: step.block, what, first_line, wall_us: 0, result, gaps: Vec::new() }
    }

    pub(super) fn class(&self) -> FailureClass {
        match self.result {
            RunResult::Impossible(_) | RunResult::LeftOut(_) => FailureClass::Usage,
            _ => FailureClass::Work,
        }
    }

    fn word(&self) -> &'static str {
        match self.result {
            RunResult::Same => "same",
            RunResult::Differs(_) => "different",
            RunResult::Impossible(_) => "impossible",
            RunResult::LeftOut(_) => "left_out",
        }
    }

    fn reason(&self) -> Option<&str> {
        match &self.result {
            RunResult::Impossible(why) | RunResult::LeftOut(why) => Some(why),
            RunResult::Same | RunResult::Differs(_) => None,
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let differences: &[Difference] = match &self.result {
            RunResult::Differs(differences) => differences,
            _ => &[],
        };
        let one = |of: &Difference| json!({ "part": of.part.as_str(), "line": of.line, "then": of.then, "now": of.now });
        json!({
            "event": "replayed",
            "run": self.run.0,
            "block": self.block.0,
            "what": self.what,
            "result": self.word(),
            "why": self.reason(),
            "differences": differences.iter().map(one).collect::<Value>(),
            "notes": self.gaps,
            "wall_ms": self.wall_us / 1000,
        })
    }

    pub(super) fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let head = format!("block {}  {}", self.block, visible_line(&self.what));
        match &self.result {
            RunResult::Same => writeln!(out, "{head}  same")?,
            RunResult::Differs(differences) => {
                writeln!(out, "{head}  different: {}", visible_line(&self.first_line))?;
                for difference in differences {
                    writeln!(out, "  {}", difference.describe_place())?;
                    writeln!(out, "    then: {}", display_line(difference.then.as_deref()))?;
                    writeln!(out, "    now:  {}", display_line(difference.now.as_deref()))?;
                }
            }
            RunResult::Impossible(why) => writeln!(out, "{head}  can't be repeated: {}", visible_line(why))?,
            RunResult::LeftOut(why) => writeln!(out, "{head}  not repeated: {}", visible_line(why))?,
        }
        self.gaps.iter().try_for_each(|gap| writeln!(out, "  note: {gap}"))
    }
}

/// A line as it is shown; a missing or empty one is described.
fn display_line(text: Option<&str>) -> Cow<'static, str> {
    let text = match text {
        None => return "(nothing)".into(),
        Some("") => return "(an empty line)".into(),
        Some(text) => text,
    };
    let mut chars = text.chars();
    let mut line: String = chars.by_ref().take(MAX_CHARS_SHOWN).collect();
    if chars.next().is_some() {
        line.push('…');
    }
    visible_line(&line).into()
}
