//! Reads the steps of a definition from TOML.

use super::source::{
    LocatedText, MAX_LINE_BYTES, MAX_NAME_BYTES, MAX_TEXT_BYTES, SpannedString, SpannedValue, TablePlace,
    printable,
};
use super::{Destination, PROTECTED_CHANGED, ROUNDS_USED, RecipeStep, StepKind, VerdictAction};
use crate::domain::RecipeEnd;
use crate::recipe::check::{self, Check, OptionKind};
use crate::recipe::text::Text;
use std::ops::Range;
use strum::{VariantArray, VariantNames};

pub(super) const STEP_KEYS: &[&str] =
    &["name", "title", "only_if", "say", "blocks", "check", "protects", "strict", "rounds", "on"];
/// The words that `then` may be, apart from names of steps.
pub(super) const DESTINATION_WORDS: &[&str] = &["next", "again", "stop", "end"];
const END_WORDS: &[(&str, RecipeEnd)] =
    &[("done", RecipeEnd::Done), ("gave_up", RecipeEnd::GaveUp), ("limit", RecipeEnd::Limit)];

/// A step as read, with the places of the names that refer to other parts.
pub(super) struct ReadStep {
    pub(super) step: RecipeStep,
    pub(super) span: Range<usize>,
    pub(super) say: LocatedText,
    pub(super) only_if: Vec<(SpannedString, SpannedString)>,
    pub(super) protects: Vec<SpannedString>,
    pub(super) options: Vec<(String, SpannedString)>,
    pub(super) actions: Vec<ReadAction>,
}

/// What a verdict leads to, as read.
pub(super) struct ReadAction {
    pub(super) verdict: SpannedString,
    pub(super) then: SpannedString,
    pub(super) say: LocatedText,
    pub(super) ends: bool,
}

/// The steps of a definition that could be read.
#[derive(Default)]
pub(super) struct Steps {
    pub(super) read: Vec<ReadStep>,
    /// The names of all steps, including those that could not be read.
    pub(super) names: Vec<String>,
}

impl Steps {
    /// Whether every step could be read.
    pub(super) fn whole(&self) -> bool {
        self.read.len() == self.names.len()
    }
}

/// Reads all steps; `rounds` is the limit of those that set none.
pub(super) fn read(place: &TablePlace<'_>, rounds: u32) -> Steps {
    let places = place.tables("step");
    if place.get("step").is_none() {
        place.source.fault(&(0..0), "there is no step", "add [[step]] with name, title, say and check");
    }
    let mut steps = Steps::default();
    for place in places {
        let name = place.needed("name", MAX_NAME_BYTES);
        if let Some(name) = name.as_ref().filter(|name| steps.names.contains(&name.value)) {
            let what = format!("there are two steps {}", name.value);
            place.source.fault(&name.span, what, "give one of them another name");
        }
        steps.names.push(name.as_ref().map(|name| name.value.clone()).unwrap_or_default());
        steps.read.extend(read_step(&place, name, rounds));
    }
    steps
}

fn read_step(place: &TablePlace<'_>, name: Option<SpannedString>, rounds: u32) -> Option<ReadStep> {
    let title = place.needed("title", MAX_LINE_BYTES);
    let say = place.text_or_blank("say", MAX_TEXT_BYTES);
    let check = read_check(place);
    let known: Vec<&str> = STEP_KEYS
        .iter()
        .copied()
        .chain(check.iter().flat_map(|c| c.spec().options.iter().map(|o| o.name)))
        .collect();
    if check.is_some() {
        place.refuse_unknown(&known);
    }
    let options = check.map(|check| read_options(place, check)).unwrap_or_default();
    let blocks = blocks(place);
    let only_if = only_if(place);
    let protects = place.texts("protects").unwrap_or_default();
    let strict = place.flag("strict").unwrap_or(false);
    let rounds = place.limit("rounds", rounds);
    let (read_actions, actions) = actions(place);
    let (name, title, check) = (name?, title?, check?);
    place.source.name_fits(&name, DESTINATION_WORDS);
    if say.value.is_empty() && !check.spec().needs_no_reply {
        let hint = "add say = \"…\": what the model is told when the step begins";
        place.source.fault(&place.span, format!("step {} needs say", name.value), hint);
    }
    let step = RecipeStep {
        name: name.value,
        title: title.value,
        only_if: only_if.iter().map(|(k, v)| (k.value.clone(), v.value.clone())).collect(),
        say: say.value.clone(),
        blocks,
        check,
        options: options.iter().map(|(k, v)| (k.clone(), v.value.clone())).collect(),
        protects: protects.iter().map(|name| name.value.clone()).collect(),
        strict,
        rounds,
        actions,
    };
    Some(ReadStep { step, span: name.span, say, only_if, protects, options, actions: read_actions })
}

fn read_check(place: &TablePlace<'_>) -> Option<&'static dyn Check> {
    let name = place.needed("check", MAX_NAME_BYTES)?;
    let found = check::find(&name.value);
    if found.is_none() {
        place.source.unknown(&name, "check", &check::names());
    }
    found
}

fn read_options(place: &TablePlace<'_>, check: &'static dyn Check) -> Vec<(String, SpannedString)> {
    let mut read = Vec::new();
    for option in check.spec().options {
        let value = match option.kind {
            OptionKind::Word(words) => place.word(option.name, words),
            _ => place.text(option.name, MAX_LINE_BYTES),
        };
        read.extend(value.map(|value| (option.name.to_owned(), value)));
    }
    read
}

/// The kinds of blocks that the model may propose; all if the step does not say.
fn blocks(place: &TablePlace<'_>) -> Vec<StepKind> {
    let Some(words) = place.texts("blocks") else {
        return <StepKind as VariantArray>::VARIANTS.to_vec();
    };
    let mut kinds = Vec::new();
    for word in words {
        match word.value.parse() {
            Ok(kind) => kinds.push(kind),
            Err(_) => place.source.unknown(&word, "kind of block", <StepKind as VariantNames>::VARIANTS),
        }
    }
    kinds
}

fn only_if(place: &TablePlace<'_>) -> Vec<(SpannedString, SpannedString)> {
    let Some(table) = place.table("only_if") else { return Vec::new() };
    let mut read = Vec::new();
    for (key, _) in table.table {
        let name = SpannedValue { value: key.get_ref().to_string(), span: key.span() };
        if let Some(value) = table.text(key.get_ref(), MAX_LINE_BYTES) {
            read.push((name, value));
        }
    }
    read
}

fn actions(place: &TablePlace<'_>) -> (Vec<ReadAction>, Vec<(String, VerdictAction)>) {
    let Some(table) = place.table("on") else { return (Vec::new(), Vec::new()) };
    let (mut read, mut actions) = (Vec::new(), Vec::new());
    for (key, value) in table.table {
        let verdict = SpannedValue { value: key.get_ref().to_string(), span: key.span() };
        let Some(inner) = value.get_ref().as_table() else {
            let hint = format!("write [step.on.{}] with then = \"…\"", printable(&verdict.value));
            place.source.fault(&value.span(), "what a verdict leads to has to be a table", hint);
            continue;
        };
        let place = TablePlace { table: inner, span: value.span(), source: place.source };
        place.refuse_unknown(&["then", "how", "say"]);
        let Some(then) = place.needed("then", MAX_NAME_BYTES) else { continue };
        let say = place.text_or_blank("say", MAX_TEXT_BYTES);
        let action = action(&place, &then, &verdict, say.value.clone());
        let ends = matches!(action.then, Destination::End | Destination::Stop);
        actions.push((verdict.value.clone(), action));
        read.push(ReadAction { verdict, then, say, ends });
    }
    (read, actions)
}

fn action(place: &TablePlace<'_>, then: &SpannedString, verdict: &SpannedString, say: Text) -> VerdictAction {
    let words: Vec<&str> = END_WORDS.iter().map(|(word, _)| *word).collect();
    let how = place.word("how", &words);
    if let (Some(how), false) = (place.get("how"), then.value == "end") {
        place.source.fault(&how.span(), "how says something about an end only", "write then = \"end\"");
    }
    let usual = if verdict.value == ROUNDS_USED { RecipeEnd::Limit } else { RecipeEnd::Done };
    let given =
        how.and_then(|how| END_WORDS.iter().find(|(word, _)| *word == how.value).map(|(_, end)| *end));
    let then = match then.value.as_str() {
        "next" => Destination::Next,
        "again" => Destination::Again,
        "end" => Destination::End,
        "stop" => Destination::Stop,
        step => Destination::Step(step.to_owned()),
    };
    if verdict.value == ROUNDS_USED && then == Destination::Again {
        place.source.fault(
            &verdict.span,
            "the rounds are used up: there is no other",
            "write then = \"end\", or another step",
        );
    }
    let how = if then == Destination::Stop { RecipeEnd::Stopped } else { given.unwrap_or(usual) };
    VerdictAction { then, how, say }
}

/// The verdicts that a step can reach.
pub(super) fn verdicts(step: &RecipeStep) -> Vec<&'static str> {
    let mut all = step.check.spec().verdicts.to_vec();
    all.push(ROUNDS_USED);
    if !step.protects.is_empty() {
        all.push(PROTECTED_CHANGED);
    }
    all
}
