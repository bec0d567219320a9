//! Searches a text in the block being edited, and replaces it.

use super::{Overlay, OverlayContext, OverlayProperties, OverlayResponse};
use crate::tui::action::Action;
use crate::tui::editing::Pos;
use crate::tui::editing::search::Needle;
use crate::tui::keymap::Context;
use crate::tui::panes::Panes;
use crate::tui::panes::editor::Editor;
use crate::tui::theme::Slot;
use crate::tui::widgets::field::{Edit, Field};
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::safe;
use crate::tui::widgets::sheet::Sheet;
use crate::tui::widgets::words;
use ratatui::layout::Rect;

#[derive(Debug)]
pub(crate) struct FindInEditor {
    needle: Field,
    by: Field,
    /// Whether the field for the replacement receives letters.
    replaces: bool,
    is_pattern: bool,
    /// The number of the selected match, and how many there are.
    at: (usize, usize),
    /// Why the text is not a valid pattern.
    wrong: Option<String>,
    /// The cursor's position before the search.
    before: Pos,
    replaced: bool,
}

impl FindInEditor {
    /// Opens the search with the text of the last one, or with what is selected on one line.
    pub(crate) fn new(editor: &Editor, replaces: bool) -> Self {
        let last = editor.needle();
        let selected = editor.field.selected().filter(|text| !text.contains('\n'));
        let is_pattern = selected.is_none() && last.is_some_and(|last| last.is_pattern);
        let needle =
            Field::offering(selected.as_deref().or(last.map(|last| last.text.as_str())).unwrap_or_default());
        let before = editor.field.selection().map_or(editor.field.cursor(), |(from, _)| from);
        let replaces = replaces && !needle.is_empty();
        let by = Field::single_line();
        Self { needle, by, replaces, is_pattern, at: (0, 0), wrong: None, before, replaced: false }
    }

    /// Searches the typed text from where the cursor was.
    fn find_typed(&mut self, panes: &mut Panes) {
        let Some(editor) = panes.code.editor() else { return };
        match Needle::new(&self.needle.text(), self.is_pattern) {
            Ok(needle) => {
                self.wrong = None;
                editor.look_for(needle);
                editor.field.content.put_cursor(self.before);
                self.step_to(false, true, panes);
            }
            Err(why) => {
                self.wrong = Some(why.to_string());
                self.at = (0, 0);
            }
        }
    }

    /// Makes the typed text the one that is searched. Returns whether it was already; an invalid pattern never is.
    fn update_needle(&mut self, panes: &mut Panes) -> bool {
        let Some(editor) = panes.code.editor() else { return false };
        let text = self.needle.text();
        let same = |needle: &Needle| needle.text == text && needle.is_pattern == self.is_pattern;
        if self.at != (0, 0) && editor.needle().is_some_and(same) {
            return true;
        }
        self.find_typed(panes);
        false
    }

    fn step_to(&mut self, back: bool, here: bool, panes: &mut Panes) {
        let Some(editor) = panes.code.editor() else { return };
        editor.field.content.find(back, here);
        let start = editor.field.selection().map_or(editor.field.cursor(), |(from, _)| from);
        self.at = editor.needle().map_or((0, 0), |needle| needle.count(editor.field.lines(), start));
    }

    /// Replaces the selected match and goes to the next one.
    fn replace(&mut self, panes: &mut Panes) {
        let by = self.by.text();
        let Some(editor) = panes.code.editor() else { return };
        self.replaced |= editor.field.content.replace_match(&by);
        self.before = editor.field.cursor();
        self.step_to(false, true, panes);
    }

    fn replace_all(&mut self, panes: &mut Panes) -> Vec<OverlayResponse> {
        self.update_needle(panes);
        let by = self.by.text();
        let Some(editor) = panes.code.editor().filter(|_| self.wrong.is_none()) else { return Vec::new() };
        let count = editor.field.content.replace_matches(&by);
        self.replaced |= count > 0;
        self.before = editor.field.cursor();
        self.at = editor.needle().map_or((0, 0), |needle| needle.count(editor.field.lines(), self.before));
        let done = format!("{} replaced. Ctrl-_ in the text takes it back.", words::count(count, "match"));
        vec![OverlayResponse::info(done)]
    }

    /// `2 of 5`, or why there is no match.
    fn match_count(&self) -> String {
        match (&self.wrong, self.at) {
            (Some(why), _) => safe::one_line(why),
            (None, _) if self.needle.is_empty() => String::new(),
            (None, (_, 0)) => "No matches.".into(),
            (None, (0, all)) => words::count(all, "match"),
            (None, (which, all)) => format!("Match {which} of {all}."),
        }
    }
}

impl Overlay for FindInEditor {
    fn properties(&self) -> OverlayProperties {
        OverlayProperties { context: Context::Replace, ..OverlayProperties::default() }
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(if self.replaces { &mut self.by } else { &mut self.needle })
    }

    fn to_field(&mut self, number: usize) -> Option<&mut Field> {
        self.replaces = number == 1;
        self.field()
    }

    fn action(&mut self, action: Action, ctx: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        match action {
            Action::FormNext | Action::FormPrevious => self.replaces = !self.replaces,
            Action::TextFindNext | Action::TextFindPrevious => {
                if self.update_needle(panes) {
                    self.step_to(action == Action::TextFindPrevious, false, panes);
                }
            }
            Action::ReplaceAll => return self.replace_all(panes),
            Action::ReplacePattern => {
                self.is_pattern = !self.is_pattern;
                self.find_typed(panes);
            }
            other => return self.common(other, ctx, panes),
        }
        Vec::new()
    }

    fn edit(&mut self, edit: Edit, _: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        if self.replaces {
            self.by.apply(edit);
        } else if self.needle.apply(edit) {
            self.find_typed(panes);
        }
        Vec::new()
    }

    fn changed(&mut self, _: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        if !self.replaces {
            self.find_typed(panes);
        }
        Vec::new()
    }

    fn accept(&mut self, _: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        // A text from the last search or from the selection was not searched yet: its match has to be visible before it
        // is replaced.
        let is_seen = self.update_needle(panes);
        if self.replaces {
            if is_seen {
                self.replace(panes);
            }
            return Vec::new();
        }
        if let Some(editor) = panes.code.editor() {
            editor.keep_match();
        }
        let mut then = vec![OverlayResponse::Close];
        if self.wrong.is_some() || (self.at.1 == 0 && !self.needle.is_empty()) {
            let why = self.wrong.clone().unwrap_or_else(|| format!("No matches for {}.", self.needle.text()));
            then.push(OverlayResponse::info(safe::one_line(&why)));
        }
        then
    }

    fn back(&mut self, _: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        if let Some(editor) = panes.code.editor() {
            editor.jump(if self.replaced { editor.field.cursor() } else { self.before });
        }
        vec![OverlayResponse::Close]
    }

    fn is_stale(&self, state: &crate::engine::State) -> bool {
        state.waiting().is_none()
    }

    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        let enter = if self.replaces { "replace, next" } else { "take it" };
        hints.plain("Enter", enter, 0).key(Action::FormNext, "other field", "field", 1);
        hints.word(Action::TextFindNext, "next", 2).word(Action::ReplaceAll, "all", 1);
        hints.word(Action::ReplacePattern, "pattern", 3).plain("Esc", "back", 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        Some(format!("Find in this block. {}", self.match_count()).trim_end().to_owned())
    }

    fn sheet(&self, ctx: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        let (width, draw) = (room.width, ctx.draw);
        let mut sheet = Sheet::new("Find");
        let kind = if self.is_pattern { "pattern > " } else { "find > " };
        let (first, second) = (format!("{kind:>12}"), format!("{:>12}", "replace > "));
        sheet.field(&first, &self.needle, width, draw);
        let cursor = sheet.cursor;
        sheet.field(&second, &self.by, width, draw);
        if !self.replaces {
            sheet.cursor = cursor;
        }
        let style = if self.wrong.is_some() { draw.style(Slot::StatusError) } else { draw.dim() };
        sheet.words(&format!("{:12}{}", "", self.match_count()), width, style);
        Some(sheet)
    }
}
