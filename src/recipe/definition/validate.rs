//! Checks that the parts of a definition fit together: names refer to something that exists, and every step can be
//! reached and left.

use super::source::{DefinitionSource, LocatedText, SpannedString, SpannedValue, closest_word, printable};
use super::steps::{DESTINATION_WORDS, ReadStep, Steps, verdicts};
use super::{Destination, ROUNDS_USED};
use crate::domain::{Field, FieldKind};
use crate::recipe::check::OptionKind;
use std::collections::BTreeSet;

/// The facts that a text may use.
pub(super) const FACT_NAMES: &[&str] = &["runners", "tests"];
/// The names that a text may use besides inputs and facts.
pub(super) const PROMPT_NAMES: &[&str] =
    &["write", "runner", "verdict", "note", "round", "rounds", "files", "protected", "step"];
pub(super) const END_NAMES: &[&str] =
    &["runner", "verdict", "note", "round", "rounds", "files", "images", "steps", "step"];

/// The texts that belong to no step.
pub(super) struct HeadTexts<'a> {
    pub(super) prompt: &'a LocatedText,
    pub(super) say: &'a LocatedText,
    pub(super) summary: &'a LocatedText,
}

/// Checks the steps, and the texts that belong to none.
pub(super) fn check(
    source: &DefinitionSource<'_>,
    told: &HeadTexts<'_>,
    inputs: &[SpannedValue<Field>],
    steps: &Steps,
) {
    let names = Names::of(source, inputs);
    names.text(told.prompt, &[]);
    names.text(told.say, PROMPT_NAMES);
    names.text(told.summary, END_NAMES);
    let known: Vec<&str> = steps.names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
    for step in &steps.read {
        names.text(&step.say, PROMPT_NAMES);
        names.conditions(step);
        names.options(step, &known);
        for name in &step.protects {
            if !known.contains(&name.value.as_str()) {
                source.unknown(name, "step", &known);
            }
        }
        actions(&names, step, &known);
    }
    // If a step could not be read, it is not known where it leads.
    if steps.whole() {
        check_reachable(source, &steps.read);
    }
}

/// The names that may stand in a text as places.
struct Names<'a> {
    source: &'a DefinitionSource<'a>,
    inputs: &'a [SpannedValue<Field>],
    values: Vec<String>,
}

impl<'a> Names<'a> {
    fn of(source: &'a DefinitionSource<'a>, inputs: &'a [SpannedValue<Field>]) -> Self {
        let mut values: Vec<String> = FACT_NAMES.iter().map(|fact| format!("fact:{fact}")).collect();
        for SpannedValue { value: field, .. } in inputs {
            values.push(field.name.clone());
            values.push(format!("data:{}", field.name));
            if field.kind == FieldKind::File {
                values.push(format!("file:{}", field.name));
            }
        }
        Self { source, inputs, values }
    }

    /// The input with this name; reports it if there is none.
    fn input(&self, name: &SpannedString) -> Option<&'a Field> {
        let found = self.inputs.iter().map(|input| &input.value).find(|input| input.name == name.value);
        if found.is_none() {
            let known: Vec<&str> = self.inputs.iter().map(|input| input.value.name.as_str()).collect();
            self.source.unknown(name, "input", &known);
        }
        found
    }

    fn text(&self, told: &LocatedText, more: &[&str]) {
        let known: Vec<&str> = self.values.iter().map(String::as_str).chain(more.iter().copied()).collect();
        for name in told.value.names().filter(|name| !known.contains(name)) {
            let hint = closest_word(name, &known);
            let hint = format!("{hint}; for braces as they are, write {{{{{name}}}}}");
            self.source.fault(&told.span, format!("{{{name}}} stands for nothing here"), hint);
        }
    }

    fn conditions(&self, step: &ReadStep) {
        for (name, value) in &step.only_if {
            if let Some(input) = self.input(name)
                && let FieldKind::Choice(choices) = &input.kind
                && !choices.contains(&value.value)
            {
                let choices: Vec<&str> = choices.iter().map(String::as_str).collect();
                self.source.unknown(value, "choice", &choices);
            }
        }
    }

    fn options(&self, step: &ReadStep, steps: &[&str]) {
        for (name, value) in &step.options {
            let kind =
                step.step.check.spec().options.iter().find(|option| option.name == name).map(|o| o.kind);
            match kind {
                Some(OptionKind::Input | OptionKind::Place) => {
                    self.input(value);
                }
                Some(OptionKind::Step) if !steps.contains(&value.value.as_str()) => {
                    self.source.unknown(value, "step", steps);
                }
                _ => {}
            }
        }
    }
}

/// Checks what each verdict of a step leads to: the check knows the verdict, the destination exists, and one verdict
/// leads on.
fn actions(names: &Names<'_>, step: &ReadStep, steps: &[&str]) {
    let known = verdicts(&step.step);
    let targets: Vec<&str> = DESTINATION_WORDS.iter().copied().chain(steps.iter().copied()).collect();
    for action in &step.actions {
        let verdict = &action.verdict;
        if !known.contains(&verdict.value.as_str()) {
            let what =
                format!("the check {} never says {}", step.step.check.spec().name, printable(&verdict.value));
            names.source.fault(&verdict.span, what, closest_word(&verdict.value, &known));
        }
        if !targets.contains(&action.then.value.as_str()) {
            names.source.unknown(&action.then, "step", &targets);
        }
        names.text(&action.say, if action.ends { END_NAMES } else { PROMPT_NAMES });
    }
    let leads = |(verdict, action): &(String, super::VerdictAction)| match &action.then {
        Destination::Next | Destination::End => verdict != ROUNDS_USED,
        Destination::Step(name) => *name != step.step.name && verdict != ROUNDS_USED,
        Destination::Again | Destination::Stop => false,
    };
    if !step.step.actions.iter().any(leads) {
        let good = step.step.check.spec().verdicts.first().copied().unwrap_or_default();
        let what = format!("nothing leads on from step {}", step.step.name);
        names.source.fault(&step.span, what, format!("add [step.on.{good}] with then = \"next\""));
    }
}

/// Checks that every step can be reached from the first.
fn check_reachable(source: &DefinitionSource<'_>, steps: &[ReadStep]) {
    let mut found = BTreeSet::new();
    let mut open = possible_entries(steps, 0);
    while let Some(at) = open.pop() {
        let Some(step) = steps.get(at).filter(|_| found.insert(at)) else { continue };
        for (_, action) in &step.step.actions {
            match &action.then {
                Destination::Next => open.extend(possible_entries(steps, at + 1)),
                Destination::Step(name) => {
                    let target = steps.iter().position(|step| step.step.name == *name);
                    open.extend(target.map(|at| possible_entries(steps, at)).unwrap_or_default());
                }
                Destination::Again | Destination::End | Destination::Stop => {}
            }
        }
    }
    for (at, step) in steps.iter().enumerate() {
        if !found.contains(&at) {
            let what = format!("step {} can't be reached", step.step.name);
            source.fault(
                &step.span,
                what,
                format!("write then = \"{}\" in a step before it, or take it out", step.step.name),
            );
        }
    }
}

/// The steps that may be taken on the way to step `from`: a step with `only_if` may be skipped, so the ones after it
/// count, too.
fn possible_entries(steps: &[ReadStep], from: usize) -> Vec<usize> {
    let mut all = Vec::new();
    for (at, step) in steps.iter().enumerate().skip(from) {
        all.push(at);
        if step.step.only_if.is_empty() {
            break;
        }
    }
    all
}
