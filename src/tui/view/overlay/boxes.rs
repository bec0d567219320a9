//! Boxes that ask for one thing: the typed word, a reason, a letter, a name.

use super::Sheet;
use crate::domain::sentences::sandbox;
use crate::domain::{SandboxLevel, Severity};
use crate::engine::State;
use crate::tui::screen::field::Field;
use crate::tui::screen::layer::{Ask, Confirm, Reject};
use crate::tui::theme::Slot;
use crate::tui::view::look::Look;
use crate::tui::view::{safe, words};
use ratatui::text::{Line, Span};

/// Findings that are listed; the others are counted.
const LISTED: usize = 4;

/// The typed word: what makes it necessary, then the field.
pub(super) fn confirm(state: &State, confirm: &Confirm, width: u16, look: Look<'_>) -> Sheet {
    let inspected = state.inspected(confirm.block);
    let high: Vec<_> = inspected
        .iter()
        .flat_map(|i| i.review.findings.iter())
        .filter(|f| f.severity == Severity::High)
        .collect();
    let unchecked = inspected.and_then(|i| i.review.unchecked.as_deref());
    let off = inspected
        .and_then(|i| i.terms.as_ref().ok())
        .is_some_and(|t| t.executor.starts_programs() && t.rights.sandbox.level == SandboxLevel::Off);
    let title = match (high.is_empty(), unchecked) {
        (false, _) => "Confirm a high finding",
        (true, Some(_)) => "Confirm what was not checked",
        (true, None) if off => "Confirm: nothing confines it",
        (true, None) => "Confirm",
    };
    let mut sheet = Sheet::new(title);
    let block = confirm.block;
    let item = state.transcript.blocks.get(&block);
    if let Some(note) = item.filter(|item| item.block.is_own()).and_then(|i| i.block.origin.note.as_deref()) {
        sheet
            .words(&format!("Block {block} is sayso's own: {}", safe::one_line(note)), width, look.text())
            .gap();
    }
    if !high.is_empty() {
        sheet.words(
            &format!("Block {block} has {}:", words::count(high.len(), "HIGH finding")),
            width,
            look.text(),
        );
        sheet.gap();
        for finding in high.iter().take(LISTED) {
            let line = finding.place.line as usize;
            let code = item
                .and_then(|i| i.block.current().source.lines().nth(line.saturating_sub(1)))
                .unwrap_or_default();
            let head = Span::styled(format!("  line {line:<4} "), look.dim());
            for row in safe::hanging(head, code.trim(), width.into(), look.text()) {
                sheet.row(row);
            }
            let message = safe::one_line(&finding.message);
            for row in safe::hanging(
                Span::raw(" ".repeat(12)),
                &message,
                width.into(),
                look.severity(Severity::High),
            ) {
                sheet.row(row);
            }
        }
        if high.len() > LISTED {
            sheet.words(&format!("  and {} more", high.len() - LISTED), width, look.dim());
        }
        sheet.gap();
    }
    if let Some(why) = unchecked {
        let text = format!("Block {block} was not checked in full: {}", safe::one_line(why));
        sheet.words(&text, width, look.severity(Severity::High)).gap();
    }
    if off {
        let text = sandbox::off(&format!("block {block}"));
        sheet.words(&text, width, look.style(Slot::SandboxOff)).gap();
    }
    sheet.words("Type  run  and press Enter to run it once.  Anything else goes back.", width, look.text());
    sheet.gap().field("> ", &confirm.field, width, look);
    sheet
}

/// The reason of a rejection.
pub(super) fn reject(reject: &Reject, width: u16, look: Look<'_>) -> Sheet {
    let block = reject.block;
    let mut sheet = Sheet::new(format!("Reject block {block}"));
    let text = format!("Block {block} will not run. Tell the model why (may be empty):");
    sheet.words(&text, width, look.text()).gap().field("> ", &reject.field, width, look);
    sheet.gap().words("Enter reject and send   Esc back to the block, nothing decided", width, look.dim());
    sheet
}

/// A question with letters.
pub(super) fn ask(ask: &Ask, width: u16, look: Look<'_>) -> Sheet {
    let mut sheet = Sheet::new(ask.title.clone());
    for line in &ask.lines {
        sheet.words(line, width, look.text());
    }
    sheet.gap();
    for (at, choice) in ask.choices.iter().enumerate() {
        let mark = if at == 0 { "> " } else { "  " };
        let head = Span::styled(format!("{mark}{}  ", choice.letter), look.style(Slot::UiKeybarKey));
        for row in safe::hanging(head, &choice.label, width.into(), look.text()) {
            sheet.row(row);
        }
    }
    if !ask.foot.is_empty() {
        sheet.gap().words(&ask.foot, width, look.dim());
    }
    sheet
}

/// A text and a field.
pub(super) fn one_field(title: &str, text: &str, field: &Field, width: u16, look: Look<'_>) -> Sheet {
    let mut sheet = Sheet::new(title);
    sheet.words(text, width, look.text()).gap().field("> ", field, width, look);
    sheet.gap().row(Line::styled("Enter take it   Esc back", look.dim()));
    sheet
}
