//! Makes the rows about what a run changed, where changes would not have been found, and what was taken back.

use crate::domain::sentences::links;
use crate::domain::{RunReport, Severity, VariableChanges};
use crate::engine::transcript::RunItem;
use crate::tui::action::Action;
use crate::tui::keymap::Context;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::{safe, words};
use ratatui::text::{Line, Span};
use std::path::Path;

/// `changed  + out/revenue.png  48 KB   - out/a.png`
pub(super) fn change_rows(report: &RunReport, width: u16, draw: DrawContext<'_>) -> Vec<Line<'static>> {
    let variables = report.receipt.variables.map(variable_text).unwrap_or_default();
    if report.receipt.files.is_empty() && variables.is_empty() {
        return Vec::new();
    }
    let mut texts: Vec<String> = report
        .receipt
        .files
        .iter()
        .map(|file| {
            let (name, size) = (safe::one_line(&file.path), words::size(file.bytes));
            let links = links::of_change(file.other_names, file.change == "created");
            match file.change.as_str() {
                "created" => format!("+ {name}  {size}{links}"),
                "deleted" => format!("- {name}"),
                _ => format!("~ {name}  {size}{links}"),
            }
        })
        .collect();
    let more = report.receipt.not_looked_at.changes;
    texts.extend((more > 0).then(|| format!("and {more} more")));
    texts.extend((!variables.is_empty()).then_some(variables));
    let mut lines =
        safe::hanging_parts(Span::styled("changed  ", draw.dim()), &texts, width.into(), draw.text());
    for file in &report.receipt.files {
        let (name, mark, severity) = match (file.obeyed(), file.run_by_tools()) {
            (Some(name), _) => (name, "!!", Severity::High),
            (None, Some(name)) => (name, "! ", Severity::Medium),
            (None, None) => continue,
        };
        let text = format!("{} {}: {}", file.change, safe::one_line(&file.path), name.what);
        let mark = vec![Span::styled(mark, draw.severity(severity)), Span::raw(" ".repeat(7))];
        lines.extend(safe::hanging(mark, &text, width.into(), draw.text()));
    }
    lines
}

/// `taken back  .envrc`, or the key that takes changes back.
pub(crate) fn undo_rows(run: &RunItem, width: u16, draw: DrawContext<'_>) -> Vec<Line<'static>> {
    let take_back =
        |before, does| draw.keymap.hints(Context::Done, (before, "", ""), &[(Action::TakeBack, does)]);
    let mut rows = Vec::new();
    if !run.taken_back.is_empty() || run.more_taken_back > 0 {
        let mut names: Vec<String> =
            run.taken_back.iter().map(|path| draw.locale.path(Path::new(path))).collect();
        let is_named = !names.is_empty();
        names.extend((run.more_taken_back > 0).then(|| {
            if is_named {
                format!("and {} more", run.more_taken_back)
            } else {
                words::count(run.more_taken_back as usize, "file")
            }
        }));
        let label = Span::styled("taken back  ", draw.dim());
        rows.extend(safe::hanging_parts(label, &names, width.into(), draw.text()));
    }
    let of_record = run.undo().filter(|undo| undo.record.is_some() || !undo.cover.is_some());
    if let Some(undo) = of_record {
        let key = undo.record.as_ref().map_or_else(String::new, |_| take_back("   ", "shows each change"));
        let label = Span::styled("undo  ", draw.dim());
        let text = format!("{}{key}", safe::one_line(&undo.cover.words()));
        rows.extend(safe::hanging(label, &text, width.into(), draw.dim()));
    }
    if run.can_be_taken_back() && run.undo().is_none_or(|undo| undo.record.is_none()) {
        rows.extend(safe::wrap_words(
            &take_back("", "takes back what is marked with !!"),
            width.into(),
            draw.dim(),
        ));
    }
    rows
}

/// `not looked at  2 folders (node_modules, target)`: where changes would not have been found.
pub(super) fn not_looked_at_rows(
    report: &RunReport,
    width: u16,
    draw: DrawContext<'_>,
) -> Vec<Line<'static>> {
    let lines = report.receipt.not_looked_at.lines();
    if lines.is_empty() {
        return Vec::new();
    }
    let head = Span::styled("not looked at  ", draw.dim());
    safe::hanging_parts(head, &lines, width.into(), draw.dim())
}

/// `variables +3 ~1 -1  (Vars)`; empty where nothing changed.
fn variable_text(changes: VariableChanges) -> String {
    let VariableChanges { added, changed, deleted } = changes;
    let counts = [('+', added), ('~', changed), ('-', deleted)];
    let counts: Vec<String> =
        counts.into_iter().filter(|(_, n)| *n > 0).map(|(mark, n)| format!("{mark}{n}")).collect();
    if counts.is_empty() { String::new() } else { format!("variables {}  (Vars)", counts.join(" ")) }
}
