//! The row of keys that can be pressed now. Words are never cut: what doesn't fit is dropped, but the last hint stays.

mod hints;

use crate::tui::action::Action;
use crate::tui::paint::canvas::Canvas;
use crate::tui::screen::{Ctx, Screen};
use crate::tui::theme::Slot;
use crate::tui::widgets::hints::Hint;
use crate::tui::widgets::hits::ClickTarget;
use crate::tui::widgets::layout::SizeClass;
use hints::hints;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// Draws the row; returns what can be clicked.
pub(crate) fn draw(screen: &Screen, ctx: Ctx<'_>, buf: &mut Canvas) -> Vec<ClickTarget<Action>> {
    let area = screen.arrangement.keys;
    if screen.arrangement.class == SizeClass::TooSmall {
        return Vec::new();
    }
    let room = usize::from(area.width.saturating_sub(1));
    let hints = chosen(&hints(screen, ctx), room);
    let mut spans = vec![Span::raw(" ")];
    let mut buttons = Vec::new();
    let mut x = area.x + 1;
    for (at, (key, label, action)) in hints.into_iter().enumerate() {
        if at > 0 {
            spans.push(Span::raw("  "));
            x += 2;
        }
        let gap = if label.is_empty() { "" } else { " " };
        let width = u16::try_from(key.width() + gap.len() + label.width()).unwrap_or(0);
        if let Some(action) = action {
            buttons.push(ClickTarget { row: area.y, columns: x..x + width, what: action });
        }
        x += width;
        spans.push(Span::styled(key, ctx.draw.style(Slot::UiKeybarKey)));
        spans.push(Span::styled(format!("{gap}{label}"), ctx.draw.style(Slot::UiKeybarText)));
    }
    buf.set_line(area.x, area.y, &Line::from(spans), area.width);
    buttons
}

type HintText = (String, &'static str, Option<Action>);

/// The hints that fit: all with long labels, else with short ones, else without the least important ones.
fn chosen(hints: &[Hint], room: usize) -> Vec<HintText> {
    let width = |list: &[HintText]| {
        list.iter()
            .map(|(k, l, _)| k.width() + usize::from(!l.is_empty()) + l.width() + 2)
            .sum::<usize>()
            .saturating_sub(2)
    };
    let long: Vec<HintText> = hints.iter().map(|h| (h.key.clone(), h.label, h.action)).collect();
    if width(&long) <= room {
        return long;
    }
    let mut list: Vec<HintText> = Vec::new();
    for rank in (0..=3u8).rev() {
        let ranked = hints.iter().filter(|h| h.rank <= rank);
        list = ranked.map(|h| (h.key.clone(), h.short, h.action)).collect();
        if width(&list) <= room {
            return list;
        }
    }
    // Even the most important hints are too many: keep as many as fit from the left, and the last one (help, back).
    while width(&list) > room && list.len() > 1 {
        list.remove(list.len() - 2);
    }
    list
}
