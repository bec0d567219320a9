//! A question that is answered with letters. Enter and Esc give the safe answer; the other letters pass the guard
//! before they arrive here, so that a key meant for something else answers nothing.

use super::{LetterEffect, Overlay, OverlayContext, OverlayProperties, OverlayResponse, scope_of};
use crate::domain::BlockId;
use crate::engine::State;
use crate::tui::keymap::Context;
use crate::tui::panes::Panes;
use crate::tui::theme::Slot;
use crate::tui::ui_command::UiCommand;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::hints::{Hint, Hints};
use crate::tui::widgets::safe;
use crate::tui::widgets::sheet::Sheet;
use ratatui::layout::Rect;
use ratatui::text::Span;

#[derive(Debug)]
pub(crate) struct AskedAnswer {
    letter: char,
    label: String,
    then: Vec<OverlayResponse>,
}

impl AskedAnswer {
    /// The beginning of its label, up to a colon, semicolon or bracket.
    fn short_label(&self) -> &str {
        self.label.split([':', ';', '(']).next().unwrap_or(&self.label).trim()
    }
}

/// A question.
#[derive(Debug)]
pub struct Ask {
    title: String,
    lines: Vec<String>,
    /// The answers; the first one is safe and changes nothing.
    answers: Vec<AskedAnswer>,
    foot: String,
    /// The block whose run it is about.
    run: Option<BlockId>,
}

impl Ask {
    /// A question with the facts to know, and the letter and label of the safe answer.
    pub fn new(title: impl Into<String>, lines: Vec<String>, letter: char, safe: &str) -> Self {
        let answers = vec![AskedAnswer { letter, label: safe.to_owned(), then: Vec::new() }];
        Self { title: title.into(), lines, answers, foot: String::new(), run: None }
    }

    /// Adds an answer, and the responses to it.
    #[must_use]
    pub fn or(mut self, letter: char, label: impl Into<String>, then: Vec<OverlayResponse>) -> Self {
        self.answers.push(AskedAnswer { letter, label: label.into(), then });
        self
    }

    /// Adds an answer that performs one command.
    #[must_use]
    pub(crate) fn or_command(self, letter: char, label: impl Into<String>, command: UiCommand) -> Self {
        self.or(letter, label, vec![OverlayResponse::UiCommand(command)])
    }

    /// Closes the question when the run of this block is over.
    #[must_use]
    pub(crate) fn about_run(mut self, block: BlockId) -> Self {
        self.run = Some(block);
        self
    }

    /// Adds a last line below the answers.
    #[must_use]
    pub(crate) fn foot(mut self, text: impl Into<String>) -> Self {
        self.foot = text.into();
        self
    }

    fn rows(&self, width: u16, draw: DrawContext<'_>) -> Sheet {
        let mut sheet = Sheet::new(self.title.clone());
        for line in &self.lines {
            sheet.words(line, width, draw.text());
        }
        sheet.gap();
        for (at, answer) in self.answers.iter().enumerate() {
            let mark = if at == 0 { "> " } else { "  " };
            let head = Span::styled(format!("{mark}{}  ", answer.letter), draw.style(Slot::UiKeybarKey));
            sheet.rows.extend(safe::hanging(head, &answer.label, width.into(), draw.text()));
        }
        if !self.foot.is_empty() {
            sheet.gap().words(&self.foot, width, draw.dim());
        }
        sheet
    }
}

impl Overlay for Ask {
    fn properties(&self) -> OverlayProperties {
        OverlayProperties::new(Context::Everywhere, 62)
    }

    fn letter(&mut self, letter: char, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        match self.answers.iter_mut().find(|answer| answer.letter == letter) {
            Some(answer) => {
                std::iter::once(OverlayResponse::Close).chain(std::mem::take(&mut answer.then)).collect()
            }
            None => Vec::new(),
        }
    }

    fn letter_effect(&self, letter: char) -> LetterEffect {
        match self.answers.iter().position(|answer| answer.letter == letter) {
            // The safe answer is never locked.
            Some(0) => LetterEffect::Harmless,
            Some(_) => LetterEffect::Acts,
            None => LetterEffect::Nothing,
        }
    }

    fn scope(&self) -> Option<u64> {
        Some(scope_of(("ask", &self.title, &self.lines)))
    }

    fn hints(&self, ctx: OverlayContext<'_>, hints: &mut Hints<'_>) {
        let room = ctx.room(self.properties().width);
        // The box shows the answers; the key bar repeats them only if the box has no room for all.
        if self.rows(room.width, ctx.draw).rows.len() > room.height.into() {
            for answer in &self.answers {
                let key = format!("{} {}", answer.letter, answer.short_label());
                hints.list.push(Hint { key, label: "", short: "", rank: 0, action: None });
            }
        }
        hints.plain("Esc", "back", 0);
    }

    fn status(&self, ctx: OverlayContext<'_>) -> Option<String> {
        ctx.state.live.run.as_ref().map(|run| format!("Block {} is still running.", run.block))
    }

    fn is_stale(&self, state: &State) -> bool {
        self.run.is_some_and(|block| state.live.run.as_ref().is_none_or(|run| run.block != block))
    }

    fn sheet(&self, ctx: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        Some(self.rows(room.width, ctx.draw))
    }
}
