//! Two sessions side by side, on the whole screen: from where they differ, what was asked, run and printed in each. In
//! a narrow window, differences are shown below each other.

use super::{Overlay, OverlayContext, OverlayProperties, OverlayResponse, WHOLE_SCREEN, scope_of};
use crate::driver::SessionComparison;
use crate::export::columns::{self, ComparedLine, LineStanding};
use crate::tui::action::Action;
use crate::tui::keymap::Context;
use crate::tui::panes::Panes;
use crate::tui::theme::Slot;
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::sheet::Sheet;
use crate::tui::widgets::{safe, words};
use ratatui::layout::Rect;
use ratatui::text::Line;
use std::cell::RefCell;
use std::sync::Arc;

/// How many lines are laid out: nobody scrolls through more, and keys wait for the layout.
const MAX_LINES: usize = 20_000;

/// The comparison, and the scroll position.
#[derive(Debug)]
pub(crate) struct ComparisonView {
    compared: Arc<SessionComparison>,
    /// The lines, for the width that they were laid out for last.
    lines: RefCell<(u16, Vec<ComparedLine>)>,
    top: usize,
}

impl ComparisonView {
    fn of(compared: Arc<SessionComparison>) -> Self {
        Self { compared, lines: RefCell::default(), top: 0 }
    }

    /// Responds to a result that a list requested: opens it, or shows why it failed.
    pub(super) fn response(compared: &Result<Arc<SessionComparison>, String>) -> OverlayResponse {
        match compared {
            Ok(compared) => OverlayResponse::Open(Box::new(Self::of(compared.clone()))),
            Err(why) => OverlayResponse::warn(why.clone()),
        }
    }

    /// Calls a function with the lines laid out for a width.
    fn with_lines<T>(
        &self,
        ctx: OverlayContext<'_>,
        width: u16,
        act: impl FnOnce(&[ComparedLine]) -> T,
    ) -> T {
        let mut laid_out = self.lines.borrow_mut();
        if laid_out.0 != width {
            let damage = self
                .compared
                .damage
                .iter()
                .map(|damage| ComparedLine { text: safe::one_line(damage), standing: LineStanding::Alone });
            let (rows, signs) = (self.compared.comparison.rows(), ctx.draw.glyphs.columns);
            let (lines, left) = columns::first_lines(rows, (width.into(), MAX_LINES), signs, safe::one_line);
            let more =
                (left > 0).then(|| ComparedLine { text: more_lines(left), standing: LineStanding::Alone });
            *laid_out = (width, damage.chain(lines).chain(more).collect());
        }
        act(&laid_out.1)
    }

    fn height(room: Rect) -> usize {
        usize::from(room.height).max(1)
    }

    fn scroll(&mut self, by: isize, ctx: OverlayContext<'_>) {
        let room = ctx.room(WHOLE_SCREEN);
        let most = self.with_lines(ctx, room.width, <[ComparedLine]>::len).saturating_sub(Self::height(room));
        self.top = self.top.min(most).saturating_add_signed(by).min(most);
    }

    /// Scrolls to the next difference below the top, or to the one before.
    fn to_difference(&mut self, back: bool, ctx: OverlayContext<'_>) {
        let room = ctx.room(WHOLE_SCREEN);
        let top = self.top;
        let found = self.with_lines(ctx, room.width, |lines| {
            let differs = |at: usize| {
                lines
                    .get(at)
                    .is_some_and(|line| matches!(line.standing, LineStanding::Differs | LineStanding::Mark))
            };
            let begins = |at: &usize| differs(*at) && (*at == 0 || !differs(*at - 1));
            if back { (0..top).rev().find(begins) } else { (top + 1..lines.len()).find(begins) }
        });
        let by = found.map_or(0, |at| at.cast_signed() - top.cast_signed());
        self.scroll(by, ctx);
    }
}

/// The text for lines of a comparison that are not shown.
pub(in crate::tui) fn more_lines(left: usize) -> String {
    format!("{} more: sayso sessions compare in a shell shows them.", words::count(left, "line"))
}

impl Overlay for ComparisonView {
    fn properties(&self) -> OverlayProperties {
        OverlayProperties { is_only_read: true, ..OverlayProperties::new(Context::Pager, WHOLE_SCREEN) }
    }

    fn scope(&self) -> Option<u64> {
        Some(scope_of(("comparison", &self.compared.labels)))
    }

    fn action(&mut self, action: Action, ctx: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        let room = ctx.room(WHOLE_SCREEN);
        let page = isize::try_from(Self::height(room)).unwrap_or(1).saturating_sub(1).max(1);
        match action {
            Action::ScrollPageUp => self.scroll(-page, ctx),
            Action::ScrollPageDown => self.scroll(page, ctx),
            Action::ScrollTop => self.scroll(isize::MIN, ctx),
            Action::ScrollEnd => self.scroll(isize::MAX, ctx),
            Action::SearchNext => self.to_difference(false, ctx),
            Action::SearchPrevious => self.to_difference(true, ctx),
            other => return self.common(other, ctx, panes),
        }
        Vec::new()
    }

    fn step(&mut self, by: isize, ctx: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        self.scroll(by, ctx);
        Vec::new()
    }

    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        hints.plain("Up/Down", "", 3).plain("Space", "page", 2).plain("n N", "difference", 1);
        hints.plain("Esc", "close", 0);
    }

    fn status(&self, ctx: OverlayContext<'_>) -> Option<String> {
        let room = ctx.room(WHOLE_SCREEN);
        let all = self.with_lines(ctx, room.width, <[ComparedLine]>::len);
        let differ = self.compared.comparison.count_different_rows();
        let last = (self.top + Self::height(room)).min(all);
        let verb = if differ == 1 { "differs" } else { "differ" };
        Some(format!("Line {last} of {all}. {} {verb}.", words::count(differ, "line")))
    }

    fn sheet(&self, ctx: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        let (width, draw) = (room.width, ctx.draw);
        let [left, right] = self.compared.labels.each_ref().map(|label| safe::one_line(label));
        let mut sheet = Sheet::new(safe::cut(&format!("{left} and {right}"), width.into()));
        let height = Self::height(room);
        self.with_lines(ctx, width, |lines| {
            let top = self.top.min(lines.len().saturating_sub(height));
            for line in lines.iter().skip(top).take(height) {
                let style = match line.standing {
                    LineStanding::Alone | LineStanding::Mark => draw.dim(),
                    LineStanding::Same => draw.text(),
                    LineStanding::Differs => draw.style(Slot::BlockPending),
                };
                sheet.row(Line::styled(safe::cut(&safe::one_line(&line.text), width.into()), style));
            }
        });
        Some(sheet)
    }
}
