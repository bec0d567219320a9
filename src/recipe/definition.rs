//! What a recipe is, as data: its inputs, its steps, what ends each, and what is told. How it is read from TOML stands in
//! `read`, what has to hold between its parts in `validate`.
//!
//! ```toml
//! name = "tdd"                  # /recipe tdd
//! title = "Test-driven"
//! when = "…"                    # its line in the list
//! prompt = "Test-driven: {spec}"  # what the person asks with it
//! say = "…"                     # told to the model once, with the first step
//! either = ["file", "code"]     # one of these inputs has to be answered
//!
//! [[input]]
//! name = "spec"
//! ask = "What should it do?"
//! kind = "lines"                # text | lines | choice | file | number
//! required = true               # unless there is a default
//! help = "…"
//! default = "…"
//! choices = ["…"]               # of a choice
//! min = 1                       # of a number, as max and whole
//!
//! [limits]
//! rounds = 5                    # of each step; past them, its `rounds` says how it goes on
//! replies = 8                   # of each round; past them, the check's last verdict counts
//!
//! [[step]]
//! name = "tests"
//! title = "Tests first"
//! only_if = { goal = "speed" }  # answers with which it is taken
//! say = "…"                     # told when it begins; without it, the check begins at once
//! blocks = ["write", "code"]    # what the model may propose: code, write, read, list, call; [] nothing
//! check = "tests"               # how it is judged; further keys belong to the check
//! protects = ["tests"]          # what was written in these steps is not changed without a typed word
//! strict = false                # whether the strict list of what is forbidden holds
//! rounds = 3
//! [step.on.red]                 # by verdict of the check, `rounds`, `protected_changed`; else another round
//! then = "next"                 # next | again | stop | end | the name of a step
//! how = "done"                  # of an end: done | gave_up | limit
//! say = "…"                     # told to the model, at an end to the person
//!
//! [end]
//! summary = "…"
//! ```
//!
//! A text has places: `{spec}` an input, `{file:INPUT}` the text of a file that an input names, `{fact:tests}`,
//! `{write}` how files are written, `{runner}` the test runners, `{verdict}` and `{note}` of the last round, `{round}`,
//! `{rounds}`, `{step}`, `{files}`, `{protected}`; at the end also `{images}` and `{steps}`. Two braces stand for one.

mod read;
mod source;
mod steps;
mod validate;

use super::check::{Check, OptionKind};
use super::text::Text;
use crate::domain::{BlockKind, Field, FieldKind, Form, RecipeEnd};

pub(super) use read::read;

const MAX_BYTES: usize = 64 << 10;
/// Rounds of a step where nothing is said of it.
const DEFAULT_ROUNDS: u32 = 5;
/// Replies of a round where nothing is said of it.
const DEFAULT_REPLIES: u32 = 8;

/// A verdict of the machine itself: a block changed what is protected, and the person wants it back.
pub(super) const PROTECTED_CHANGED: &str = "protected_changed";
/// What stands for a verdict where the rounds of a step are used up.
pub(super) const ROUNDS_USED: &str = "rounds";

#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) when: String,
    /// The prompt of its turn, in the person's words.
    pub(crate) prompt: Text,
    /// Told to the model once, with the first step.
    pub(crate) say: Text,
    pub(crate) inputs: Vec<Field>,
    /// Inputs of which one has to be answered at least; none: that is not asked for.
    pub(crate) either: Vec<String>,
    /// Replies of the model in a round, at most.
    pub(crate) replies: u32,
    pub(crate) steps: Vec<RecipeStep>,
    /// What is shown at the end.
    pub(crate) summary: Text,
}

impl Definition {
    /// The form of its inputs.
    pub(crate) fn form(&self) -> Form {
        Form {
            name: "inputs".into(),
            title: self.title.clone(),
            note: self.when.clone(),
            fields: self.inputs.clone(),
        }
    }

    /// The inputs that name files.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Field> {
        self.inputs.iter().filter(|field| field.kind == FieldKind::File)
    }

    /// Whether the text of the file that this input names is needed: a text has a place for it, or a check is told of it.
    pub(crate) fn reads(&self, input: &str) -> bool {
        let place = format!("file:{input}");
        let texts = self.steps.iter().flat_map(|step| {
            let of_turns = step.on.iter().map(|(_, turn)| &turn.say);
            of_turns.chain([&step.say])
        });
        let told = |step: &RecipeStep| {
            let mut options =
                step.check.facts().options.iter().filter(|option| option.kind == OptionKind::Input);
            options.any(|option| step.option(option.name) == input)
        };
        let mut texts = texts.chain([&self.say, &self.prompt, &self.summary]);
        texts.any(|text| text.names().any(|name| name == place)) || self.steps.iter().any(told)
    }

    /// The place of the step with this name.
    pub(crate) fn step(&self, name: &str) -> Option<usize> {
        self.steps.iter().position(|step| step.name == name)
    }
}

/// A step: what the model is told, what it may propose, and how it is found out what came of it.
#[derive(Clone, Debug)]
pub(crate) struct RecipeStep {
    pub(crate) name: String,
    pub(crate) title: String,
    /// The answers with which it is taken; none: always.
    pub(crate) only_if: Vec<(String, String)>,
    /// Told when it begins; blank: the model is not asked, its check begins at once.
    pub(crate) say: Text,
    /// What the model may propose.
    pub(crate) blocks: Vec<StepKind>,
    pub(crate) check: &'static dyn Check,
    /// What else its check is told: see [`Check::options`].
    pub(crate) options: Vec<(String, String)>,
    /// The steps whose files may not be changed in this one without a typed word.
    pub(crate) protects: Vec<String>,
    /// Whether the strict list of what is forbidden holds for the model's code.
    pub(crate) strict: bool,
    /// So often it is begun at most.
    pub(crate) rounds: u32,
    pub(crate) on: Vec<(String, TurnLimit)>,
}

impl RecipeStep {
    /// A step that asks nothing and lets nothing in.
    pub(crate) fn none() -> Self {
        Self {
            name: String::new(),
            title: String::new(),
            only_if: Vec::new(),
            say: Text::default(),
            blocks: Vec::new(),
            check: super::check::NO_CHECK,
            options: Vec::new(),
            protects: Vec::new(),
            strict: true,
            rounds: 1,
            on: Vec::new(),
        }
    }

    /// What a verdict leads to.
    pub(crate) fn turn(&self, verdict: &str) -> Option<&TurnLimit> {
        self.on.iter().find(|(known, _)| known == verdict).map(|(_, turn)| turn)
    }

    /// The value of an option of its check; empty where there is none.
    pub(crate) fn option(&self, name: &str) -> &str {
        self.options.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }
}

/// What a verdict leads to.
#[derive(Clone, Debug)]
pub(crate) struct TurnLimit {
    pub(crate) then: Destination,
    /// How it ends, where it ends.
    pub(crate) how: RecipeEnd,
    /// Told to the model, or to the person where it ends.
    pub(crate) say: Text,
}

/// Where a verdict leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    /// To the next step that is taken; behind the last one the recipe is done.
    Next,
    /// To another round of the same step.
    Again,
    Step(String),
    End,
    /// To the end, as if the person had stopped it.
    Stop,
}

/// Kinds of blocks that a step lets in.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
    strum::VariantNames,
)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum StepKind {
    Code,
    Write,
    Read,
    List,
    Call,
}

impl StepKind {
    pub(crate) fn as_str(self) -> &'static str {
        self.into()
    }

    /// The kind of a block; `None` for what only sayso itself proposes.
    pub(crate) fn of(kind: &BlockKind) -> Option<Self> {
        // Changing places of files is writing them.
        let word = if kind.writes().next().is_some() { "write" } else { kind.as_str() };
        word.parse().ok()
    }
}

#[cfg(test)]
mod tests;
