//! The pager: shows a text of any length on the whole screen, reading only the visible part of its file. Everything in
//! it is shown as plain text, and links are not followed.

mod paint;
mod scroll;
mod search;
mod source;

use super::{
    LetterEffect, Overlay, OverlayContext, OverlayProperties, OverlayResponse, WHOLE_SCREEN, scope_of,
};
use crate::text::system_error::words;
use crate::tui::action::Action;
use crate::tui::keymap::Context;
use crate::tui::panes::Panes;
use crate::tui::pattern::Pattern;
use crate::tui::ui_command::{PagerText, UiCommand};
use crate::tui::widgets::field::{Edit, Field};
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::safe;
use crate::tui::widgets::sheet::Sheet;
use ratatui::layout::Rect;
use source::{FileLine, FileStatus, PagerSource};
use std::io;
use std::ops::Range;

/// How many columns a sideways key scrolls.
const SIDEWAYS_COLUMNS: usize = 8;

/// A text on the whole screen.
#[derive(Debug)]
pub(crate) struct Pager {
    title: String,
    source: PagerSource,
    /// The same text, for the person's own pager program.
    what: PagerText,
    /// A number for the title with the text.
    scope: u64,
    /// The lines from the top of the screen on, and which row of the first one is at the top.
    lines: Vec<FileLine>,
    row: usize,
    wraps: bool,
    /// Columns scrolled out at the left, if lines are not wrapped.
    left: usize,
    /// Digits typed so far.
    number: String,
    /// The field for the search text.
    field: Option<Field>,
    is_expression: bool,
    pattern: Option<Pattern>,
    looking: Option<SearchProgress>,
    /// The current match: the start of its line, and the byte range in that line's text.
    at: Option<(u64, Range<usize>)>,
    message: Option<String>,
}

/// The progress of a search.
#[derive(Clone, Copy, Debug)]
struct SearchProgress {
    back: bool,
    /// Where the next portion begins; for a backward search, where it ends.
    from: u64,
    /// Whether it has continued at the other end.
    turned: bool,
}

impl Pager {
    /// Opens a text.
    ///
    /// # Errors
    /// An error of the system about the file.
    pub(crate) fn open(title: String, what: PagerText) -> io::Result<Self> {
        let source = match &what {
            PagerText::File(path) => PagerSource::open(path)?,
            PagerText::Text(text) => PagerSource::of(text.clone().into_bytes()),
        };
        let mut pager = Self {
            scope: scope_of(("pager", &title, &what)),
            title,
            source,
            what,
            lines: Vec::new(),
            row: 0,
            wraps: true,
            left: 0,
            number: String::new(),
            field: None,
            is_expression: false,
            pattern: None,
            looking: None,
            at: None,
            message: None,
        };
        pager.go_to(0, 0)?;
        Ok(pager)
    }

    fn width(&self, room: Rect) -> Option<usize> {
        self.wraps.then_some(usize::from(room.width).max(2))
    }

    /// The rows of the screen for text.
    fn height(&self, room: Rect) -> usize {
        usize::from(room.height).saturating_sub(usize::from(self.field.is_some())).max(1)
    }

    /// Does something that reads the file; an error is shown.
    fn perform(&mut self, ctx: OverlayContext<'_>, act: impl FnOnce(&mut Self, Rect) -> io::Result<()>) {
        self.message = None;
        self.number.clear();
        let room = ctx.room(WHOLE_SCREEN);
        if let Err(error) = act(self, room) {
            self.looking = None;
            self.message = Some(unreadable(&error));
        }
    }
}

/// The sentence that says why a file can't be shown.
pub(crate) fn unreadable(error: &io::Error) -> String {
    format!("The file can't be read: {}.", words(error))
}

impl Overlay for Pager {
    fn properties(&self) -> OverlayProperties {
        let context = if self.field.is_some() { Context::Find } else { Context::Pager };
        OverlayProperties { context, width: WHOLE_SCREEN, is_only_read: true, list_actions: &[] }
    }

    fn field(&mut self) -> Option<&mut Field> {
        self.field.as_mut()
    }

    fn scope(&self) -> Option<u64> {
        Some(self.scope)
    }

    fn letter_effect(&self, letter: char) -> LetterEffect {
        match letter {
            'q' | '%' | '0'..='9' => LetterEffect::Harmless,
            // The person's own pager is another program.
            'E' => LetterEffect::Acts,
            _ => LetterEffect::Nothing,
        }
    }

    fn letter(&mut self, letter: char, ctx: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        if self.field.is_some() {
            return self.edit(Edit::Insert(letter), ctx, panes);
        }
        match letter {
            'q' => return vec![OverlayResponse::Close],
            'E' => return vec![OverlayResponse::UiCommand(UiCommand::Pager(self.what.clone()))],
            '%' => {
                let percent = self.number.parse().unwrap_or(100);
                self.perform(ctx, |pager, room| pager.to_percent(percent, room));
            }
            '0'..='9' if self.number.len() < 3 => self.number.push(letter),
            _ => {}
        }
        Vec::new()
    }

    fn action(&mut self, action: Action, ctx: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        match action {
            Action::FindExpression => self.is_expression = !self.is_expression,
            Action::ListAccept if self.field.is_some() => return self.search_typed(ctx),
            Action::ListUp | Action::ListDown if self.field.is_some() => {}
            Action::ScrollUp => return self.step(-1, ctx, panes),
            Action::ScrollDown => return self.step(1, ctx, panes),
            Action::ScrollPageUp | Action::ScrollPageDown => {
                let down = action == Action::ScrollPageDown;
                self.perform(ctx, |pager, room| {
                    let page = isize::try_from(pager.height(room)).unwrap_or(1).saturating_sub(1).max(1);
                    pager.scroll(if down { page } else { -page }, room)
                });
            }
            Action::ScrollTop => self.perform(ctx, |pager, room| pager.go_to(0, pager.height(room))),
            Action::ScrollEnd => self.perform(ctx, Self::to_end),
            Action::SearchStart | Action::Find => self.field = Some(Field::single_line()),
            Action::SearchNext => self.perform(ctx, |pager, room| pager.start_search(false, room)),
            Action::SearchPrevious => self.perform(ctx, |pager, room| pager.start_search(true, room)),
            Action::PagerWrap => (self.wraps, self.left, self.row) = (!self.wraps, 0, 0),
            Action::PagerLeft | Action::PagerRight if self.wraps => {
                self.message = Some("Lines are wrapped: nothing is beside the screen.".into());
            }
            Action::PagerLeft => self.left = self.left.saturating_sub(SIDEWAYS_COLUMNS),
            Action::PagerRight => self.left = self.left.saturating_add(SIDEWAYS_COLUMNS),
            other => {
                if let Some(edit) = Edit::of(other) {
                    return self.edit(edit, ctx, panes);
                }
            }
        }
        Vec::new()
    }

    fn step(&mut self, by: isize, ctx: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        self.perform(ctx, |pager, room| pager.scroll(by, room));
        Vec::new()
    }

    fn work(&mut self, ctx: OverlayContext<'_>, _: &mut Panes) -> bool {
        if self.looking.is_none() {
            return false;
        }
        let room = ctx.room(WHOLE_SCREEN);
        self.search_on(room).unwrap_or_else(|error| {
            self.message = Some(unreadable(&error));
            true
        })
    }

    fn back(&mut self, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        if self.field.take().is_some() || self.looking.take().is_some() {
            return Vec::new();
        }
        vec![OverlayResponse::Close]
    }

    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        if self.field.is_some() {
            let (long, short) =
                if self.is_expression { ("text", "text") } else { ("regular expression", "regex") };
            hints.word(Action::ListAccept, "find", 0).key(Action::FindExpression, long, short, 1);
            hints.word(Action::Back, "back", 0);
            return;
        }
        hints.word(Action::ScrollPageDown, "page", 0).word(Action::ScrollPageUp, "back", 2);
        hints.word(Action::ScrollTop, "top", 1).word(Action::ScrollEnd, "end", 1);
        hints.plain("50%", "there", 3).word(Action::SearchStart, "find", 0);
        if self.pattern.is_some() {
            hints.word(Action::SearchNext, "next", 2);
            hints.key(Action::SearchPrevious, "previous", "prev", 3);
        }
        let wrap = if self.wraps { "long lines sideways" } else { "wrap" };
        hints.key(Action::PagerWrap, wrap, if self.wraps { "sideways" } else { "wrap" }, 2);
        hints.plain("E", "$PAGER", 3).word(Action::Back, "close", 0);
    }

    fn status(&self, ctx: OverlayContext<'_>) -> Option<String> {
        let room = ctx.room(WHOLE_SCREEN);
        let places = self.places(self.width(room), self.height(room));
        let last = places.last().and_then(|(line, _)| self.lines.get(*line)).map(|line| line.next);
        let mut status = self.place_text(last);
        let fate = match self.source.status() {
            FileStatus::There => None,
            FileStatus::Removed => Some("The file was removed: this is what was opened."),
            FileStatus::Shorter => Some("The file became shorter: its end is gone."),
        };
        let looking = self.looking.map(|looking| {
            let len = u128::from(self.source.len().max(1));
            format!("Searching at {}%  Esc stops", u128::from(looking.from) * 100 / len)
        });
        let number = (!self.number.is_empty()).then(|| format!("{}  % goes there", self.number));
        for part in [fate.map(str::to_owned), looking, self.message.clone(), number].into_iter().flatten() {
            status += &format!("   {part}");
        }
        Some(status)
    }

    fn sheet(&self, ctx: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        let draw = ctx.draw;
        let mut sheet = Sheet::new(self.title.clone());
        let (width, height) = (self.width(room), self.height(room));
        let mut painted: Option<(usize, Vec<ratatui::text::Line<'static>>)> = None;
        for (number, row) in self.places(width, height) {
            if painted.as_ref().is_none_or(|(at, _)| *at != number) {
                let Some(line) = self.lines.get(number) else { continue };
                let at = self.at.as_ref().filter(|(start, _)| *start == line.start).map(|(_, place)| place);
                let marked = (self.pattern.as_ref(), at);
                let rows = match width {
                    Some(width) => paint::rows(line, width, marked, draw),
                    None => vec![paint::sideways(line, self.left, room.width.into(), marked, draw)],
                };
                painted = Some((number, rows));
            }
            let rows = painted.as_ref().map(|(_, rows)| rows.as_slice()).unwrap_or_default();
            sheet.row(rows.get(row).cloned().unwrap_or_default());
        }
        if self.source.len() == 0 {
            sheet.dim("Nothing was printed.", draw);
        }
        while sheet.rows.len() < height {
            sheet.gap();
        }
        if let Some(field) = &self.field {
            let head = if self.is_expression { "regex: " } else { "find: " };
            sheet.field(head, field, room.width, draw);
        }
        sheet.title = safe::one_line(&sheet.title);
        Some(sheet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_text_under_the_same_title_is_another_place() {
        let scope = |text: &str| {
            let opened = Pager::open("Output of block 1".into(), PagerText::Text(text.into()));
            opened.expect("a text can be read").scope()
        };
        assert_eq!(scope("one\n"), scope("one\n"));
        assert_ne!(scope("one\n"), scope("two\n"));
    }
}
