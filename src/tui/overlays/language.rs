//! The list of languages for a block that names none.

use super::{LetterEffect, Overlay, OverlayContext, OverlayResponse};
use crate::domain::{BlockId, Language};
use crate::engine::{Command, State};
use crate::tui::panes::Panes;
use crate::tui::widgets::filter::Cursor;
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::safe;
use crate::tui::widgets::sheet::{Sheet, entry};
use ratatui::layout::Rect;
use ratatui::text::Line;

/// The list.
#[derive(Debug)]
pub struct LanguageList {
    block: BlockId,
    languages: Vec<Language>,
    cursor: Cursor,
}

impl LanguageList {
    /// The languages that could run this block.
    pub(crate) fn new(block: BlockId, languages: Vec<Language>) -> Self {
        Self { block, languages, cursor: Cursor::default() }
    }
}

impl Overlay for LanguageList {
    fn list(&mut self) -> Option<(&mut Cursor, usize)> {
        let rows = self.languages.len();
        Some((&mut self.cursor, rows))
    }

    fn accept(&mut self, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        let chosen = self.languages.get(self.cursor.0).cloned();
        let choose = chosen.map(|language| Command::ChooseLanguage { block: self.block, language });
        std::iter::once(OverlayResponse::Close).chain(choose.map(OverlayResponse::send)).collect()
    }

    fn letter(&mut self, letter: char, ctx: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        let at = letter.to_digit(10).and_then(|d| (d as usize).checked_sub(1));
        let Some(at) = at.filter(|at| *at < self.languages.len()) else { return Vec::new() };
        self.cursor.0 = at;
        self.accept(ctx, panes)
    }

    fn letter_effect(&self, letter: char) -> LetterEffect {
        if letter.is_ascii_digit() { LetterEffect::Harmless } else { LetterEffect::Nothing }
    }

    fn is_stale(&self, state: &State) -> bool {
        state.waiting().map(|item| item.block.id) != Some(self.block)
    }

    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        hints.plain("Up/Down", "", 1).plain("Enter", "choose", 0).plain("Esc", "back", 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        Some(format!("Block {} names no language. Nothing is guessed.", self.block))
    }

    fn sheet(&self, ctx: OverlayContext<'_>, _: &Panes, _: Rect) -> Option<Sheet> {
        let (block, draw) = (self.block, ctx.draw);
        let mut sheet = Sheet::new(format!("Language of block {block}"));
        sheet
            .row(Line::styled("It names none, and none is guessed. In which language is it?", draw.text()))
            .gap();
        let chosen = sheet.rows.len() + self.cursor.0;
        sheet.in_view = Some(chosen..chosen + 1);
        for (at, language) in self.languages.iter().enumerate() {
            let text = format!("{}  {}", at + 1, safe::one_line(language.as_str()));
            sheet.row(entry(&text, at == self.cursor.0, 50, draw));
        }
        sheet.gap().dim("Enter choose   Esc back, nothing decided", draw);
        Some(sheet)
    }
}
