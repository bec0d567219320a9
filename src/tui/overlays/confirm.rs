//! The box for the typed word: why it is required, then the field. The word has to be typed, not pasted: the guard
//! refuses three letters that come at once, and an Enter that comes with one.

use super::{Overlay, OverlayContext, OverlayProperties, OverlayResponse, nothing_decided};
use crate::domain::sentences::sandbox;
use crate::domain::{Decision, Finding, Severity, Terms, file_texts};
use crate::engine::{Command, State};
use crate::tui::guard::SubjectId;
use crate::tui::keymap::Context;
use crate::tui::panes::Panes;
use crate::tui::panes::code::subject_of;
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::field::{Edit, Field};
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::layout::Pane;
use crate::tui::widgets::sheet::Sheet;
use crate::tui::widgets::{safe, words};
use ratatui::layout::Rect;
use ratatui::text::Span;

/// How many findings are listed; the others are counted.
const MAX_FINDINGS_SHOWN: usize = 4;

/// How many rows of code are shown for each; the block was on screen as a whole before.
const MAX_CODE_ROWS: usize = 2;

/// How much of a pasted text stays in the field; it is not the word, whatever follows.
const MAX_PASTED_CHARS: usize = 100;

/// The box for the typed word.
#[derive(Debug)]
pub struct Confirm {
    /// The block as it was on screen.
    pub(crate) subject: SubjectId,
    pub(crate) field: Field,
    /// Whether a part of the text came as a paste: then it is not the word, until the person has deleted or replaced
    /// all of it.
    pub(crate) pasted: bool,
}

impl Confirm {
    /// Puts an empty field in its place, in which nothing was pasted and nothing can be taken back.
    fn renew_field(&mut self) {
        (self.field, self.pasted) = (Field::single_line(), false);
    }

    /// Lists the first findings with their lines of code, and how many more there are.
    fn list_findings(&self, findings: &[&Finding], ctx: OverlayContext<'_>, width: u16, sheet: &mut Sheet) {
        let (item, draw) = (ctx.state.transcript.blocks.get(&self.subject.block), ctx.draw);
        let files = item.map(|item| item.block.files()).unwrap_or_default();
        for finding in findings.iter().take(MAX_FINDINGS_SHOWN) {
            let line = finding.place.line as usize;
            let place = safe::one_line(&file_texts::place(&files, finding.place.line));
            let code = item
                .and_then(|i| i.block.current().source.lines().nth(line.saturating_sub(1)))
                .unwrap_or_default();
            let head = Span::styled(format!("  {place:<9} "), draw.dim());
            let size = (width.into(), MAX_CODE_ROWS);
            sheet.rows.extend(safe::hanging_start(head, code.trim(), size, draw.text()));
            let message = safe::one_line(&finding.message);
            let sign = Span::styled("HIGH", draw.severity(Severity::High));
            let head = vec![Span::raw(" ".repeat(6)), sign, Span::raw("  ")];
            sheet.rows.extend(safe::hanging(head, &message, width.into(), draw.text()));
        }
        if findings.len() > MAX_FINDINGS_SHOWN {
            sheet.words(&format!("  and {} more", findings.len() - MAX_FINDINGS_SHOWN), width, draw.dim());
        }
    }
}

/// The responses to an approval.
pub(crate) fn approved(subject: SubjectId, typed: bool, draw: DrawContext<'_>) -> Vec<OverlayResponse> {
    let SubjectId { block, revision, .. } = subject;
    let said = format!("Approved once at {}.", draw.locale.second(draw.now));
    let decided = Command::Decide { block, revision, decision: Decision::Approve { typed } };
    vec![OverlayResponse::info(said), OverlayResponse::Focus(Pane::Output), OverlayResponse::send(decided)]
}

impl Overlay for Confirm {
    fn properties(&self) -> OverlayProperties {
        OverlayProperties::new(Context::Text, 72)
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.field)
    }

    fn approves(&self) -> bool {
        true
    }

    fn accept(&mut self, ctx: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        let why = if self.pasted {
            "The word has to be typed letter by letter. Nothing was decided."
        } else if self.field.text() != "run" {
            "That was not the word. Nothing was decided."
        } else if self.is_stale(ctx.state) {
            "The block has changed. Look at it again: nothing was decided."
        } else {
            let then = approved(self.subject, true, ctx.draw);
            return std::iter::once(OverlayResponse::Close).chain(then).collect();
        };
        vec![OverlayResponse::Close, OverlayResponse::about_waiting_block(why)]
    }

    /// Once all is deleted, by itself or by a letter typed over it, the word can be typed; nothing brings back what
    /// stood there.
    fn edit(&mut self, edit: Edit, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        let replaces_all = matches!(edit, Edit::Insert(_))
            && self.field.selected().is_some_and(|selected| selected == self.field.text());
        if replaces_all {
            self.renew_field();
        }
        self.field.apply(edit);
        if self.field.is_empty() {
            self.renew_field();
        }
        Vec::new()
    }

    /// A paste stays: without its beginning, the end of a text could be the word.
    fn paste(&mut self, text: &str, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        // All of a long text would hide why the word is required.
        if self.field.lines().iter().map(String::len).sum::<usize>() < MAX_PASTED_CHARS {
            self.field.apply(Edit::Paste(text.chars().take(MAX_PASTED_CHARS).collect()));
        }
        self.pasted = !self.field.is_empty();
        vec![OverlayResponse::about_waiting_block("That looked like a paste. Nothing was decided.")]
    }

    fn back(&mut self, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        nothing_decided()
    }

    fn is_stale(&self, state: &State) -> bool {
        state.waiting().map(|item| subject_of(state, item)) != Some(self.subject)
    }

    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        hints.plain("Type run and Enter", "", 0).plain("Esc", "go back", 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        Some("Waiting for the word run.".into())
    }

    fn sheet(&self, ctx: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        let (state, width, draw) = (ctx.state, room.width, ctx.draw);
        let inspected = state.inspected(self.subject.block);
        let high: Vec<_> = inspected
            .iter()
            .flat_map(|i| i.review.findings.iter())
            .filter(|f| f.severity == Severity::High)
            .collect();
        let unchecked = inspected.and_then(|i| i.review.unchecked.as_deref());
        let off = inspected.and_then(|i| i.terms.as_ref().ok()).is_some_and(Terms::is_unconfined);
        let title = match (high.is_empty(), unchecked) {
            (false, _) => "Confirm a high finding",
            (true, Some(_)) => "Confirm what was not checked",
            (true, None) if off => sandbox::CONFIRM_UNCONFINED,
            (true, None) => "Confirm",
        };
        let mut sheet = Sheet::new(title);
        let block = self.subject.block;
        let item = state.transcript.blocks.get(&block);
        if let Some(note) =
            item.filter(|item| item.block.is_own()).and_then(|i| i.block.origin.note.as_deref())
        {
            let whose = if item.is_some_and(|item| item.block.origin.typed) {
                format!("Block {block} is {}.", safe::one_line(note))
            } else {
                format!("Block {block} is sayso's own: {}", safe::one_line(note))
            };
            sheet.words(&whose, width, draw.text()).gap();
        }
        if !high.is_empty() {
            let text = format!("Block {block} has {}:", words::count(high.len(), "HIGH finding"));
            sheet.words(&text, width, draw.text()).gap();
            self.list_findings(&high, ctx, width, &mut sheet);
            sheet.gap();
        }
        if let Some(why) = unchecked {
            let text = format!("Block {block} was not checked in full: {}", safe::one_line(why));
            sheet.words(&text, width, draw.style(Slot::StatusError)).gap();
        }
        if off {
            let text = sandbox::off(&format!("block {block}"));
            sheet.words(&text, width, draw.style(Slot::SandboxOff)).gap();
        }
        sheet.words(
            "Type  run  and press Enter to run it once.  Anything else goes back.",
            width,
            draw.text(),
        );
        sheet.gap().field("> ", &self.field, width, draw);
        Some(sheet)
    }
}
