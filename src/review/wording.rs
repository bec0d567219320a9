//! Builds the words for a finding's target: its text as far as known, short and safe to show.

use super::folder::folders_of;
use super::path_class;
use super::path_class::{START, join_folder};
use super::rules::EffectKind;
use super::value::{Act, HOLE, Value, ValueKind};
use crate::text::line::one_line;
use std::ops::Range;

const MAX_TARGET_CHARS: usize = 60;

/// The words for a target: its text as far as known, else its spelling in the code.
pub(super) fn spell(
    value: &Value,
    span: Option<&Range<usize>>,
    effect: Option<EffectKind>,
    folder: Option<&str>,
    source: &str,
) -> String {
    match value.as_text().filter(|(text, _)| !text.trim().is_empty()) {
        Some((text, _)) if effect == Some(EffectKind::Hosts) => {
            path_class::host(text).unwrap_or_else(|| short(text))
        }
        Some((text, _))
            if matches!(effect, Some(EffectKind::Deletes | EffectKind::Writes | EffectKind::Reads)) =>
        {
            short(&join_folder(text, folder))
        }
        Some((text, _)) => short(text),
        None if value.is_constant() => short(&constant(value)),
        None => match span.and_then(|span| source.get(span.clone())) {
            Some(text) if !text.trim().is_empty() => format!("{} (known only at run time)", short(text)),
            _ => "(known only at run time)".to_owned(),
        },
    }
}

/// The words for the folder in which an act runs, if that is not where the text starts.
pub(super) fn in_folder(act: &Act) -> String {
    let folders = folders_of(act);
    let spelled = folders.iter().map(|folder| match folder {
        None | Some(START) => "here".to_owned(),
        Some(folder) if folder.contains(HOLE) => "a folder known only at run time".to_owned(),
        Some(folder) => short(folder),
    });
    let spelled: Vec<String> = spelled.collect();
    if spelled == ["here"] { String::new() } else { format!(" in {}", spelled.join(" or ")) }
}

/// The text of a constant that is no text, such as the words of a list.
fn constant(value: &Value) -> String {
    match &value.kind {
        ValueKind::List(items) => items.iter().map(constant).collect::<Vec<_>>().join(" "),
        ValueKind::Number(number) => number.to_string(),
        ValueKind::Bool(truth) => truth.to_string(),
        _ => value.as_text().map(|(text, _)| text.to_owned()).unwrap_or_default(),
    }
}

/// At most `MAX_TARGET_CHARS` characters on one line, with hidden characters replaced.
pub(super) fn short(text: &str) -> String {
    let line = one_line(&path_class::shown(text));
    let mut out: String = line
        .chars()
        .take(MAX_TARGET_CHARS)
        .map(|c| if crate::domain::unicode::hidden(c).is_some() { '\u{fffd}' } else { c })
        .collect();
    if line.chars().nth(MAX_TARGET_CHARS).is_some() {
        out.push(HOLE);
    }
    out
}
