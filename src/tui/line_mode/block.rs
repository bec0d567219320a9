//! Prints a waiting block: its rights, all of its code, the findings, and the words that decide.

use super::page::{LinePage, TEXT_LEAD};
use crate::domain::file_texts::{self, FilePart};
use crate::domain::sentences::sandbox;
use crate::domain::{BlockKind, Readiness, Severity, Terms, Version};
use crate::engine::transcript::BlockItem;
use crate::engine::{Inspection, State, changes, rules};
use crate::tui::panes::code::rights_lines;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::words;
use std::io;

/// Prints everything that the decision is about.
pub(super) fn show(
    item: &BlockItem,
    inspected: &Inspection,
    full: bool,
    page: &mut LinePage,
    draw: DrawContext<'_>,
) -> io::Result<()> {
    let source = &item.block.current().source;
    let label = item.block.label();
    let edited = if item.block.is_edited() { ", edited by you" } else { "" };
    let lines = words::count(source.lines().count(), "line");
    page.line(&format!("Block {} {label}, {lines}{edited}, waiting:", item.block.id))?;
    if let Some(note) = &item.block.how_read() {
        let label = if item.block.is_own() && !item.block.origin.typed { "For" } else { "Origin" };
        page.line(&format!("  {label}: {note}"))?;
    }
    for (name, text) in rights_lines(inspected, full, draw) {
        page.line(&format!("  {name}: {text}"))?;
    }
    let width = source.lines().count().max(1).to_string().len();
    let files = item.block.files();
    for (number, line) in (1u32..).zip(source.lines()) {
        let at = number as usize - 1;
        let in_file = file_texts::part_of(&files, at).and_then(|part| part.number(at));
        let shown = in_file.map(|number| number.to_string()).unwrap_or_default();
        page.code(&format!("  {shown:>width$}  "), line)?;
        findings(&files, inspected, page, |line| line == number)?;
    }
    // Findings that belong to no printed line, so that none is left out.
    let last = source.lines().count();
    findings(&files, inspected, page, |line| line == 0 || line as usize > last)?;
    if let Some(before) = &inspected.before {
        let texts = compared(&item.block.kind, ("in the file now", before), ("after the block", source));
        page.lines_behind(TEXT_LEAD, &texts)?;
    }
    Ok(())
}

/// Prints the findings for these lines.
fn findings(
    files: &[FilePart],
    inspected: &Inspection,
    page: &mut LinePage,
    of: impl Fn(u32) -> bool,
) -> io::Result<()> {
    for finding in inspected.review.findings.iter().filter(|finding| of(finding.place.line)) {
        let severity = finding.severity.as_str().to_uppercase();
        page.line(&format!(
            "  {}: {severity}: {}",
            file_texts::place(files, finding.place.line),
            finding.message
        ))?;
    }
    Ok(())
}

/// The words that can be typed for it now; words that would be refused are not offered.
pub(super) fn question(item: &BlockItem, inspected: &Inspection, state: &State) -> String {
    if item.block.readiness() == Readiness::NeedsLanguage {
        return "Type language NAME, edit, reject or skip:".into();
    }
    if inspected.terms.is_err() || item.block.readiness() != Readiness::Ready {
        return "It can't run as it is. Type edit, reject or skip:".into();
    }
    let takes_rule = !rules::offers(state, item.block.id).is_empty() && !state.needs_typed(item.block.id);
    let more = [(differs(item, inspected), "diff"), (takes_rule, "always")];
    let more = more.into_iter().filter(|(can, _)| *can).map(|(_, word)| word);
    let words: Vec<&str> = ["approve", "edit", "reject", "skip"].into_iter().chain(more).collect();
    let (last, first) = words.split_last().unwrap_or((&"skip", &[]));
    format!("Type {} or {last}:", first.join(", "))
}

/// Why approving needs an extra word.
pub(super) fn why_typed(item: &BlockItem, inspected: &Inspection, page: &mut LinePage) -> io::Result<()> {
    let (block, files) = (item.block.id, item.block.files());
    for finding in inspected.review.findings.iter().filter(|f| f.severity == Severity::High) {
        page.line(&format!(
            "Block {block}, {}: HIGH: {}",
            file_texts::place(&files, finding.place.line),
            finding.message
        ))?;
    }
    if let Some(why) = &inspected.review.unchecked {
        page.line(&format!("Block {block} was not checked in full: {why}"))?;
    }
    if inspected.terms.as_ref().is_ok_and(Terms::is_unconfined) {
        page.line(&format!("Sandbox: {}", sandbox::off_labelled("this block")))?;
    }
    Ok(())
}

/// The version that ran last, if it is not the present one.
fn ran_before(item: &BlockItem) -> Option<&Version> {
    let ran = item.runs.last().and_then(|run| item.block.version(run.revision));
    ran.filter(|ran| ran.source != item.block.current().source)
}

/// Whether there is another version to compare with.
fn differs(item: &BlockItem, inspected: &Inspection) -> bool {
    item.block.is_edited() || inspected.before.is_some() || ran_before(item).is_some()
}

/// Prints the differences to what the model wrote, and to what ran last.
pub(super) fn diff(item: &BlockItem, inspected: &Inspection, page: &mut LinePage) -> io::Result<()> {
    let now = &item.block.current().source;
    let mut older: Vec<(&str, &str, &str)> = Vec::new();
    if item.block.is_edited() {
        older.push(("what the model wrote", &item.block.original().source, "yours"));
    }
    if let Some(ran) = ran_before(item) {
        older.push(("what ran last", &ran.source, "now"));
    }
    if let Some(before) = &inspected.before {
        older.push(("in the file now", before, "after the block"));
    }
    if older.is_empty() {
        return page.line("Nothing differs: this is what the model wrote, and it has not run.");
    }
    for (old_name, old, new_name) in older {
        let texts = compared(&item.block.kind, (old_name, old), (new_name, now));
        page.lines_behind(TEXT_LEAD, &texts)?;
    }
    Ok(())
}

/// The difference between two texts, in lines.
fn compared(kind: &BlockKind, (old_name, old): (&str, &str), (new_name, new): (&str, &str)) -> String {
    match changes::diff(kind, old, new, (old_name, new_name)) {
        Some(text) if text.is_empty() => "nothing changes".into(),
        Some(text) => text,
        None => {
            let lines = |text: &str| words::count(text.lines().count(), "line");
            let (old, new) = (lines(old), lines(new));
            format!("Too much differs to be compared: {old} {old_name}, {new} {new_name}.")
        }
    }
}

/// The waiting block and its inspection, if it can be decided about.
pub(super) fn waiting(state: &State) -> Option<(&BlockItem, &Inspection)> {
    let item = state.waiting()?;
    Some((item, state.inspected(item.block.id)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_are_too_long_are_told_and_not_compared() {
        let names = ("what ran last", "now");
        let told = |old: &str, new: &str| compared(&BlockKind::Read, (names.0, old), (names.1, new));
        assert_eq!(told("a\n", "a\n"), "nothing changes");
        assert!(told("a\n", "b\n").ends_with("-a\n+b\n"), "{}", told("a\n", "b\n"));
        let long: String = (0..=changes::MAX_LINES).map(|number| format!("{number}\n")).collect();
        let sentence = "Too much differs to be compared: 5,001 lines what ran last, 1 line now.";
        assert_eq!(told(&long, "y\n"), sentence);
    }
}
