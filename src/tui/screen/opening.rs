//! What the screen shows when a session opens: the prompt suggested in an empty message box, and the place at
//! which it was opened.

use super::{Ctx, Screen};
use crate::domain::sentences::saving;
use crate::domain::{Level, Notice};
use crate::driver::{LocationKind, SearchWords};
use crate::engine::State;
use crate::engine::transcript::Item;
use crate::tui::note::Note;
use crate::tui::panes::output::PendingTarget;
use crate::tui::panes::search::PaneSearch;
use crate::tui::panes::{LowerPane, chat};
use crate::tui::place_text::{PlaceSearch, PlaceText};
use crate::tui::setup::FoundLocation;
use crate::tui::widgets::layout::Pane;
use crate::tui::widgets::safe;
use std::time::Duration;

/// Notices within this time after the opening are combined with the note about the missing place.
const OPENING_TIMEOUT: Duration = Duration::from_secs(3);

impl Screen {
    /// Scrolls to a place of the session: its message, its block if it has one, and the line with the searched
    /// words. Marks the words, and makes them the search in the panes.
    pub fn show_place(&mut self, found: &FoundLocation, ctx: Ctx<'_>) {
        let (place, words) = (found.place, SearchWords::read(&found.words));
        let items = &ctx.state.transcript.items;
        let at = match place.block {
            Some(block) => items.iter().position(|item| item.holds(block)),
            None => {
                let messages = (0..).zip(items).filter(|(_, item)| is_message(item));
                let before = usize::try_from(place.message).unwrap_or(usize::MAX).saturating_sub(1);
                messages.map(|(at, _)| at).nth(before)
            }
        };
        if let Some(at) = at {
            self.panes.chat.seek(ctx.state, at, words.clone(), ctx.draw);
        }
        self.opened_at = Some(found.clone());
        self.tell_missing(ctx.state);
        let mut pane = Pane::Chat;
        if let Some(block) = place.block {
            let item = ctx.state.transcript.blocks.get(&block);
            let mut lines = item.iter().flat_map(|item| item.block.current().source.lines());
            let line = lines.position(|line| words.first_in(line).is_some());
            self.panes.code.show_in(block, line.unwrap_or(0));
            pane = Pane::Code;
            if place.kind == LocationKind::Output {
                self.panes.lower = LowerPane::Output;
                self.panes.output.seek(block, PendingTarget::Words(words.clone()));
                pane = Pane::Output;
            }
        }
        if words.is_empty() {
            return;
        }
        let mut search = PaneSearch::new(pane);
        search.look_for(&words.expression(), true);
        self.panes.marked = search.pattern().cloned();
        self.panes.search = Some(search);
        // While a block waits, letters in Code decide: only the person moves the focus there.
        let decides = pane == Pane::Code && ctx.state.waiting().is_some();
        match place.block.filter(|_| decides) {
            _ if self.arrangement.slot(pane).is_some() => {}
            Some(block) => {
                self.inform(format!("Found in the code of block {block}: Tab to Code."));
            }
            None => self.panes.focus = pane,
        }
    }

    /// Once it is known, says what is missing of the place at which the session was opened.
    pub(super) fn tell_missing(&mut self, state: &State) {
        let Some(found) = &self.opened_at else { return };
        let missing = match PlaceSearch::of(PlaceText::at(state, found.place).as_ref(), found) {
            PlaceSearch::Away => return,
            PlaceSearch::Found => None,
            PlaceSearch::Missing(why) => Some(safe::one_line(&why)),
        };
        self.opened_at = None;
        // The note that the session is foreign must not disappear.
        let foreign = self.setup.foreign.is_some().then(|| format!("{} ", saving::FOREIGN));
        if let Some(missing) = missing {
            self.missing = foreign.unwrap_or_default() + &missing;
            self.warn(self.missing.clone());
        }
    }

    /// Shows a notice of the driver. An informational notice during the opening is added after the note about
    /// the missing place.
    pub(super) fn show_notice(&mut self, notice: Notice) {
        let is_of_opening = |note: &Note| {
            let since = note.at.map(|at| self.last_step.saturating_duration_since(at));
            note.text.starts_with(&self.missing) && since.is_some_and(|since| since < OPENING_TIMEOUT)
        };
        let is_kept = !self.missing.is_empty() && self.note.as_ref().is_some_and(is_of_opening);
        match notice.level {
            Level::Info if is_kept => self.warn(format!("{} {}", self.missing, notice.text)),
            _ => self.show_note(notice.into()),
        }
    }

    /// The prompt suggested in the empty message box, if there is one.
    pub(in crate::tui) fn suggestion(&self, state: &State) -> Option<&str> {
        let free = self.panes.composer.is_empty() && !self.setup.welcome && chat::is_open(state);
        let prompts = &self.setup.opening.prompts;
        prompts.get(self.suggested).filter(|_| free && self.panes.focus == Pane::Message).map(String::as_str)
    }

    /// Suggests another prompt, so many further.
    pub(super) fn suggest(&mut self, by: isize) {
        let last = self.setup.opening.prompts.len().saturating_sub(1);
        self.suggested = self.suggested.saturating_add_signed(by).min(last);
    }

    /// Puts the suggested prompt into the message box if that is empty, and moves the focus there.
    pub(super) fn take_suggestion(&mut self) {
        let Some(prompt) = self.setup.opening.prompts.get(self.suggested).cloned() else { return };
        if self.panes.composer.is_empty() {
            self.panes.composer.set(&prompt);
        }
        self.panes.focus = Pane::Message;
    }
}

fn is_message(item: &Item) -> bool {
    matches!(item, Item::Prompt { .. } | Item::Reply(_))
}
