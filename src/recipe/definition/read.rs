//! Reads the head and the inputs of a definition from TOML. `steps` reads the steps.

use super::source::{
    DefinitionSource, LocatedText, MAX_LINE_BYTES, MAX_NAME_BYTES, MAX_TEXT_BYTES, SpannedString,
    SpannedValue, TablePlace,
};
use super::{DEFAULT_REPLIES, DEFAULT_ROUNDS, Definition, MAX_BYTES, steps, validate};
use crate::domain::{Field, FieldKind};
use crate::engine::answers;
use crate::recipe::text::Text;
use crate::text::position::LocatedError;
use std::path::Path;
use toml::de::DeTable;

pub(super) const HEAD_KEYS: &[&str] =
    &["name", "title", "when", "prompt", "say", "input", "either", "limits", "step", "end"];
pub(super) const INPUT_KEYS: &[&str] =
    &["name", "ask", "kind", "required", "help", "default", "choices", "min", "max", "whole"];
pub(super) const INPUT_KINDS: &[&str] = &["text", "lines", "choice", "file", "files", "number"];

/// Reads a definition.
///
/// # Errors
/// All that is wrong with it.
pub(crate) fn read(text: &str, file: &Path) -> Result<Definition, Vec<LocatedError>> {
    let source = DefinitionSource::new(text, file.to_owned());
    if text.len() > MAX_BYTES {
        let what = format!("it has {} bytes, and a recipe has {MAX_BYTES} at most", text.len());
        source.fault(&(0..0), what, "move what is long to files that the model can read");
        return Err(source.faults());
    }
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        let what = error.message().trim().replace('\n', ", ");
        source.fault(&error.span().unwrap_or(0..0), what, "this is no TOML");
    }
    if !source.is_sound() {
        return Err(source.faults());
    }
    let place = TablePlace { table: table.get_ref(), span: 0..0, source: &source };
    let definition = read_head(&place);
    match definition {
        Some(definition) if source.is_sound() => Ok(definition),
        _ => Err(source.faults()),
    }
}

fn read_head(place: &TablePlace<'_>) -> Option<Definition> {
    place.refuse_unknown(HEAD_KEYS);
    let name = place.needed("name", MAX_NAME_BYTES);
    if let Some(name) = &name {
        place.source.name_fits(name, &[]);
    }
    let title = place.needed("title", MAX_LINE_BYTES);
    let when = place.needed("when", MAX_LINE_BYTES);
    let prompt = place.text_or_blank("prompt", MAX_LINE_BYTES * 4);
    if prompt.value.is_empty() && place.get("prompt").is_none() {
        let hint = "add prompt = \"…\": what the person asks, in a line";
        place.source.fault(&(0..0), "prompt is missing", hint);
    }
    let say = place.text_or_blank("say", MAX_TEXT_BYTES);
    let inputs = read_inputs(place);
    let either = read_either(place, &inputs);
    let (rounds, replies) = read_limits(place);
    let read = steps::read(place, rounds);
    let end = read_end(place);
    let head = validate::HeadTexts { prompt: &prompt, say: &say, summary: &end };
    validate::check(place.source, &head, &inputs, &read);
    Some(Definition {
        name: name?.value,
        title: title?.value,
        when: when?.value,
        prompt: prompt.value,
        say: say.value,
        inputs: inputs.into_iter().map(|input| input.value).collect(),
        either,
        replies,
        steps: read.read.into_iter().map(|step| step.step).collect(),
        summary: end.value,
    })
}

fn read_either(place: &TablePlace<'_>, inputs: &[SpannedValue<Field>]) -> Vec<String> {
    let names = place.texts("either").unwrap_or_default();
    let known: Vec<&str> = inputs.iter().map(|input| input.value.name.as_str()).collect();
    for name in names.iter().filter(|name| !known.contains(&name.value.as_str())) {
        place.source.unknown(name, "input", &known);
    }
    names.into_iter().map(|name| name.value).collect()
}

fn read_limits(place: &TablePlace<'_>) -> (u32, u32) {
    let Some(limits) = place.table("limits") else {
        return (DEFAULT_ROUNDS, DEFAULT_REPLIES);
    };
    limits.refuse_unknown(&["rounds", "replies"]);
    (limits.limit("rounds", DEFAULT_ROUNDS), limits.limit("replies", DEFAULT_REPLIES))
}

fn read_end(place: &TablePlace<'_>) -> LocatedText {
    match place.table("end") {
        Some(end) => {
            end.refuse_unknown(&["summary"]);
            end.needed("summary", MAX_TEXT_BYTES);
            end.text_or_blank("summary", MAX_TEXT_BYTES)
        }
        None => {
            if place.get("end").is_none() {
                let hint = "add [end] with summary = \"…\": what is shown at the end";
                place.source.fault(&(0..0), "[end] is missing", hint);
            }
            LocatedText { value: Text::default(), span: 0..0 }
        }
    }
}

fn read_inputs(place: &TablePlace<'_>) -> Vec<SpannedValue<Field>> {
    let mut inputs: Vec<SpannedValue<Field>> = Vec::new();
    for place in place.tables("input") {
        let Some(input) = read_input(&place) else { continue };
        if inputs.iter().any(|known| known.value.name == input.value.name) {
            let what = format!("there are two inputs {}", input.value.name);
            place.source.fault(&input.span, what, "give one of them another name");
        }
        inputs.push(input);
    }
    inputs
}

fn read_input(place: &TablePlace<'_>) -> Option<SpannedValue<Field>> {
    place.refuse_unknown(INPUT_KEYS);
    let name = place.needed("name", MAX_NAME_BYTES);
    let ask = place.needed("ask", MAX_LINE_BYTES);
    let help = place.text("help", MAX_LINE_BYTES);
    let default = place.text("default", MAX_TEXT_BYTES);
    let required = place.flag("required").unwrap_or(default.is_none());
    let kind = read_kind(place)?;
    let name = name?;
    place.source.name_fits(&name, &[]);
    let field = Field {
        name: name.value,
        label: ask?.value,
        help: help.map(|help| help.value).unwrap_or_default(),
        kind,
        required,
        default: default.as_ref().map(|default| default.value.clone()),
    };
    if let (Some(default), Err(why)) = (default, answers::check_field(&field, "")) {
        place.source.fault(&default.span, format!("the default does not fit: {why}"), "");
    }
    Some(SpannedValue { value: field, span: name.span })
}

fn read_kind(place: &TablePlace<'_>) -> Option<FieldKind> {
    let word = match place.get("kind") {
        Some(_) => place.word("kind", INPUT_KINDS)?.value,
        None => "text".to_owned(),
    };
    let min = place.whole("min", (i64::MIN, i64::MAX));
    let max = place.whole("max", (i64::MIN, i64::MAX));
    let whole = place.flag("whole");
    let choices = place.texts("choices");
    for (key, belongs) in [("min", "number"), ("max", "number"), ("whole", "number"), ("choices", "choice")] {
        if let Some(value) = place.get(key).filter(|_| word != belongs) {
            let what = format!("{key} says nothing about an input of kind {word}");
            place.source.fault(&value.span(), what, format!("take it out, or write kind = \"{belongs}\""));
        }
    }
    if let (Some(min), Some(max)) = (&min, &max)
        && min.value > max.value
    {
        place.source.fault(&max.span, format!("max is less than min, {}", min.value), "");
    }
    Some(match word.as_str() {
        "lines" => FieldKind::Text { lines: true },
        "file" => FieldKind::File,
        "files" => FieldKind::Files,
        "number" => FieldKind::Number {
            min: min.map(|min| min.value),
            max: max.map(|max| max.value),
            whole: whole.unwrap_or(false),
        },
        "choice" => FieldKind::Choice(read_choices(place, choices)),
        _ => FieldKind::Text { lines: false },
    })
}

fn read_choices(place: &TablePlace<'_>, choices: Option<Vec<SpannedString>>) -> Vec<String> {
    let mut known: Vec<String> = Vec::new();
    for choice in choices.unwrap_or_default() {
        if known.iter().any(|one| one.eq_ignore_ascii_case(&choice.value)) {
            place.source.fault(&choice.span, "this choice is there twice", "take one of them out");
        }
        known.push(choice.value);
    }
    if known.is_empty() {
        place.source.fault(
            &place.span,
            "an input of kind choice needs choices",
            "add choices = [\"…\", \"…\"]",
        );
    }
    known
}
