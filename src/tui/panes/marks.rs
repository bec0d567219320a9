//! Marks cells in the panes of a frame: search hits, the current hit, the mouse selection. They are drawn over what the
//! panes drew.

use super::{LowerPane, Panes};
use crate::engine::State;
use crate::tui::paint::canvas::Canvas;
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::layout::{Arrangement, Pane};
use crate::tui::widgets::passage::screen_text::ScreenText;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

/// The marked cells of one frame.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    matches: Vec<(Rect, bool)>,
    selected: Vec<Rect>,
}

/// The style of the current search hit; differs from that of all others, in every theme and without colours.
pub(crate) fn current(draw: DrawContext<'_>) -> Style {
    let style = draw.style(Slot::UiMatch);
    if style.add_modifier.contains(Modifier::REVERSED) {
        style.add_modifier(Modifier::UNDERLINED | Modifier::BOLD)
    } else {
        style.add_modifier(Modifier::REVERSED)
    }
}

impl Panes {
    /// The text of a pane on screen, and its area.
    pub(crate) fn screen_text(
        &mut self,
        pane: Pane,
        state: &State,
        draw: DrawContext<'_>,
    ) -> (ScreenText, Rect) {
        match pane {
            Pane::Chat => (self.chat.screen_text(state, draw), self.chat.area()),
            Pane::Code => (self.code.screen_text(state), self.code.area()),
            Pane::Output if self.lower == LowerPane::Output => {
                (self.output.screen_text(), self.output.area())
            }
            Pane::Message | Pane::Output => (ScreenText::default(), Rect::default()),
        }
    }

    /// Determines which cells of the next frame are marked. Costs nothing if there is no search and no selection.
    pub(crate) fn mark(&mut self, arrangement: &Arrangement, state: &State, draw: DrawContext<'_>) {
        self.marks = Marks::default();
        if self.marked.is_none() && self.selection.is_none() {
            return;
        }
        for pane in [Pane::Chat, Pane::Code, Pane::Output] {
            if arrangement.slot(pane).is_none() {
                continue;
            }
            let (text, area) = self.screen_text(pane, state, draw);
            if let Some(pattern) = &self.marked {
                let at = self.search.as_ref().and_then(|search| search.at());
                let at = at.filter(|hit| hit.pane == pane).map(|hit| &hit.text);
                self.marks.matches.extend(text.matches(area, pattern, at));
            }
            if let Some((from, to)) = self.selection.as_ref().and_then(|selection| selection.of(pane)) {
                self.marks.selected.extend(text.selected(area, from, to));
            }
        }
    }

    pub(crate) fn draw_marks(&self, buf: &mut Canvas, draw: DrawContext<'_>) {
        for (cells, is_current) in &self.marks.matches {
            let style = if *is_current { current(draw) } else { draw.style(Slot::UiMatch) };
            buf.set_style(cells.intersection(buf.area), style);
        }
        for cells in &self.marks.selected {
            buf.set_style(cells.intersection(buf.area), draw.style(Slot::UiSelection));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::theme::{Depth, Theme};
    use crate::tui::widgets::draw_context::with_draw_context;

    #[test]
    fn the_current_match_is_told_apart_in_every_theme_and_without_colour() {
        for name in ["terminal", "ink", "paper", "contrast", "blue-orange", "mono"] {
            for depth in [Depth::True, Depth::Ansi256, Depth::Ansi16, Depth::Mono] {
                let theme = Theme::load(name, depth, |_| None).unwrap().theme;
                with_draw_context(&theme, |draw| {
                    let (other, text) = (draw.style(Slot::UiMatch), draw.text());
                    assert_ne!(other.add_modifier, current(draw).add_modifier, "{name} {depth:?}");
                    assert_ne!(text.patch(other), text, "{name} {depth:?}");
                });
            }
        }
    }
}
