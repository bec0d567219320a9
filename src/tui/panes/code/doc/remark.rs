//! The remarks below a line of code: findings, and where its words came from. Only their text, never their position.

use crate::domain::{Finding, Severity, TextOrigin, Trace};
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::safe;
use ratatui::style::Style;
use ratatui::text::Line;

/// How many characters of a literal are shown below its line; the line above has all of it.
const MAX_LITERAL_CHARACTERS: usize = 60;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RemarkKind {
    Finding(Severity),
    /// A rule of the person's names it: the block can't be approved as it is.
    Forbidden(Severity),
    Trace,
}

/// A remark under a line.
#[derive(Clone, Debug)]
pub(crate) struct Remark {
    kind: RemarkKind,
    /// The line that it is about, from 1.
    pub(crate) line: u32,
    message: String,
}

/// All remarks on a block, sorted by line, findings first.
pub(crate) fn all(findings: &[Finding], traces: &[Trace]) -> Vec<Remark> {
    let mut remarks: Vec<Remark> = findings.iter().map(finding).chain(traces.iter().map(trace)).collect();
    // Findings are sorted by position already: those of one line keep their order.
    remarks.sort_by_key(|remark| remark.line);
    remarks
}

fn finding(finding: &Finding) -> Remark {
    let kind = if finding.forbidden { RemarkKind::Forbidden } else { RemarkKind::Finding };
    let message = safe::one_line(&finding.message);
    Remark { kind: kind(finding.severity), line: finding.place.line, message }
}

fn trace(trace: &Trace) -> Remark {
    let text = safe::cut(&safe::one_line(&trace.text), MAX_LITERAL_CHARACTERS);
    let message = match trace.from {
        TextOrigin::Output(block) => format!("{text}: not in your words, first printed by block {block}"),
        TextOrigin::File(block) => {
            format!("{text}: not in your words, first in the file that block {block} read")
        }
        TextOrigin::Project => format!("{text}: not in your words, first in the project's instructions"),
        TextOrigin::Given => format!("{text}: not in your words, first in a file that you gave"),
        TextOrigin::Person | TextOrigin::Model => text,
    };
    Remark { kind: RemarkKind::Trace, line: trace.place.line, message }
}

impl Remark {
    /// The severity of a finding; the origin of words has none.
    pub(crate) fn severity(&self) -> Option<Severity> {
        match self.kind {
            RemarkKind::Finding(severity) | RemarkKind::Forbidden(severity) => Some(severity),
            RemarkKind::Trace => None,
        }
    }

    /// The word that precedes the message.
    pub(crate) fn word(&self) -> &'static str {
        match self.kind {
            RemarkKind::Forbidden(_) => "DENIED",
            RemarkKind::Finding(Severity::High) => "HIGH",
            RemarkKind::Finding(Severity::Medium) => "MED",
            RemarkKind::Finding(Severity::Info) => "INFO",
            RemarkKind::Trace => "FROM",
        }
    }

    pub(crate) fn style(&self, draw: DrawContext<'_>) -> Style {
        self.severity().map_or(draw.style(Slot::ChatNote), |severity| draw.severity(severity))
    }

    /// The columns of that word and the space after it.
    pub(crate) fn label(&self) -> usize {
        self.word().len().max(4) + 2
    }

    /// The message, wrapped.
    pub(crate) fn rows(&self, width: u16) -> Vec<Line<'static>> {
        let room = usize::from(width).saturating_sub(8 + self.label()).max(10);
        safe::wrap_words(&self.message, room, Style::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{BlockId, TextRange};

    #[test]
    fn where_words_came_from_stands_behind_the_findings_of_its_line() {
        let place = |line| TextRange { line, column: 1, end_line: line, end_column: 2 };
        let found =
            |line| Finding { place: place(line), ..Finding::new("x", Severity::Medium, "sends a file") };
        let from = |line, text: &str| Trace {
            place: place(line),
            text: text.into(),
            from: TextOrigin::Output(BlockId(2)),
        };
        let remarks =
            all(&[found(1), found(3)], &[from(1, "http://x/\u{1b}[2J"), from(2, "y".repeat(99).as_str())]);
        let told: Vec<_> = remarks.iter().map(|remark| (remark.line, remark.word())).collect();
        assert_eq!(told, [(1, "MED"), (1, "FROM"), (2, "FROM"), (3, "MED")]);
        assert!(
            remarks.iter().all(|remark| !remark.message.contains('\u{1b}') && remark.message.len() < 120)
        );
    }
}
