//! The list of sessions: trees of branches with the end of the chosen session, and places found in them; opens,
//! compares, renames and deletes sessions.
//!
//! - `listing`: which sessions are listed
//! - `found`: the places in them that match what was typed
//! - `choice`: what can be chosen
//! - `requests`: what is asked for about the chosen session, deleting it too
//! - `sheet`, `preview`: how it is drawn

mod choice;
mod found;
mod listing;
mod preview;
mod requests;
mod sheet;

use super::comparison::ComparisonView;
use super::{Overlay, OverlayContext, OverlayProperties, OverlayResponse, not_shown};
use crate::driver::{Job, JobResult, Summary, own_id, words_of_search};
use crate::engine::State;
use crate::tui::action::Action;
use crate::tui::panes::Panes;
use crate::tui::setup::FoundLocation;
use crate::tui::ui_command::{Exit, UiCommand};
use crate::tui::widgets::field::{Edit, Field};
use crate::tui::widgets::filter::Cursor;
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::sheet::Sheet;
use crate::tui::widgets::words;
use choice::Choice;
use found::FoundPlaces;
use listing::SessionListing;
use preview::SessionPreview;
use ratatui::layout::Rect;
use std::path::PathBuf;

#[derive(Debug, Default)]
pub(crate) struct Sessions {
    /// The text that a session has to contain.
    filter: Field,
    listing: SessionListing,
    found: FoundPlaces,
    cursor: Cursor,
    /// The file of the session to choose once they are listed; `None` chooses the newest.
    marked: Option<PathBuf>,
    /// The end of the chosen session, as it was read.
    preview: Option<SessionPreview>,
    /// The new name being typed for the chosen session.
    rename: Option<Field>,
    /// The session that is being compared with the open one.
    comparing: Option<PathBuf>,
    /// Whether Enter was pressed where no session matches: then the status row says why nothing happened.
    wants_remark: bool,
}

impl Sessions {
    /// The list before the sessions are known, restricted to a folder at first.
    pub(crate) fn of(here: PathBuf) -> Self {
        Self { listing: SessionListing::of(here), ..Self::default() }
    }

    /// The list of all folders before the sessions are known; chooses the session in this file.
    pub(crate) fn marking(file: PathBuf) -> Self {
        Self { marked: Some(file), ..Self::default() }
    }

    /// The list of all folders, filtered by this text, and the jobs that it requires.
    pub(crate) fn with_search(text: &str) -> (Self, Vec<UiCommand>) {
        let list = Self { filter: Field::with(text), ..Self::default() };
        let search = UiCommand::Job(Job::SearchSessions(text.to_owned(), None));
        (list, vec![UiCommand::Job(Job::Sessions), search])
    }

    /// The remark about the search, if the rows don't show the result.
    fn remark(&self) -> Option<String> {
        let typed = self.filter.text();
        self.found.remark(&typed, self.listing.len() == 0 && self.found.hits(&typed).is_empty())
    }

    fn esc_label(&self) -> &'static str {
        if self.filter.is_empty() { "back" } else { "clear" }
    }

    /// How many rows can be chosen: sessions, found places, a new session.
    fn count(&self) -> usize {
        self.listing.len() + self.found.hits(&self.filter.text()).len() + 1
    }

    fn at(&self, row: usize) -> Choice<'_> {
        let behind = row.saturating_sub(self.listing.len());
        let hit = || self.found.hits(&self.filter.text()).get(behind);
        match self.listing.get(row) {
            Some(session) => Choice::Session(session),
            None => hit().map_or(Choice::New, Choice::Hit),
        }
    }

    fn choice(&self) -> Choice<'_> {
        self.at(self.cursor.0)
    }

    /// The chosen session; `None` for the row of a new one.
    fn chosen(&self) -> Option<&Summary> {
        self.choice().session()
    }

    /// The label of Enter; `None` for the session that is open already.
    fn enter_label(&self, state: &State) -> Option<&'static str> {
        match self.choice() {
            Choice::Session(chosen) if is_open_here(chosen, state) => None,
            Choice::Session(_) | Choice::Hit(_) => Some("open"),
            Choice::New => Some("begin"),
        }
    }

    fn preview_of(&self, session: &Summary) -> Option<&SessionPreview> {
        self.preview.as_ref().filter(|preview| preview.path == session.path)
    }

    /// Changes the rows; the same entry stays chosen if it still exists. The row of a new session at the top does not
    /// count as chosen.
    fn keeping_choice(&mut self, change: impl FnOnce(&mut Self)) {
        let was = (self.cursor.0 > 0 || !matches!(self.choice(), Choice::New)).then(|| self.choice().key());
        change(self);
        let rows = self.count();
        let at = was.and_then(|was| (0..rows).find(|row| self.at(*row).key() == was));
        self.cursor.0 = at.unwrap_or(self.cursor.0.min(rows.saturating_sub(1)));
    }

    /// Takes the list of sessions: at first chooses the marked one, else the newest.
    fn set_sessions(&mut self, all: &[Summary]) -> Vec<OverlayResponse> {
        let is_first = self.listing.all().is_none();
        self.keeping_choice(|list| list.listing.keep(all.to_vec(), &list.filter.text()));
        if is_first {
            let is_marked = |row: &usize| {
                self.listing.get(*row).is_some_and(|session| Some(&session.path) == self.marked.as_ref())
            };
            let marked = (0..self.listing.len()).find(is_marked);
            self.cursor.0 = marked.unwrap_or_else(|| self.listing.newest());
        }
        self.preview()
    }
}

/// Whether it is the session that this program has open.
fn is_open_here(session: &Summary, state: &State) -> bool {
    own_id(state) == session.id
}

impl Overlay for Sessions {
    fn properties(&self) -> OverlayProperties {
        let list_actions = &[Action::ListScope, Action::ListRename, Action::ListCompare, Action::ListDelete];
        OverlayProperties { width: 74, list_actions, ..OverlayProperties::default() }
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(self.rename.as_mut().unwrap_or(&mut self.filter))
    }

    fn action(&mut self, action: Action, ctx: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        match action {
            Action::ListScope | Action::PaneNext => {
                self.keeping_choice(|list| {
                    let here = list.listing.here().is_none().then(|| ctx.setup.cwd.clone());
                    list.listing.show_folder(here, &list.filter.text());
                    list.found.forget();
                });
                self.search().into_iter().chain(self.preview()).collect()
            }
            Action::ListRename => {
                self.rename = self.chosen().map(|chosen| Field::offering(&chosen.name));
                self.preview()
            }
            Action::ListCompare => self.compare(ctx.state),
            Action::ListDelete => match self.delete(ctx) {
                Some(response) => vec![response],
                None => self.edit(Edit::Delete, ctx, panes),
            },
            other => self.common(other, ctx, panes),
        }
    }

    fn step(&mut self, by: isize, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        self.wants_remark = false;
        self.cursor.step(by, self.count());
        self.preview()
    }

    fn changed(&mut self, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        self.wants_remark = false;
        if self.rename.is_none() {
            let typed = self.filter.text();
            self.listing.arrange(&typed);
            self.cursor.0 = if typed.is_empty() { self.listing.newest() } else { 0 };
        }
        self.search().into_iter().chain(self.preview()).collect()
    }

    fn accept(&mut self, ctx: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        if let Some(mut field) = self.rename.take() {
            return self.give_name(field.take().trim().to_owned(), ctx.state);
        }
        let exit = match self.choice() {
            Choice::Session(session) => Exit::OpenSession(session.path.clone(), None),
            Choice::Hit(hit) => {
                let words = words_of_search(&self.filter.text());
                Exit::OpenSession(hit.session.path.clone(), Some(FoundLocation { place: hit.place, words }))
            }
            // A choice before the sessions are listed means none of the rows to come.
            Choice::New if self.listing.all().is_none() => return Vec::new(),
            // A person who typed words looks for a session; the remaining row of a new one was not chosen on purpose.
            Choice::New if !self.filter.is_empty() && self.cursor.0 == 0 => {
                self.wants_remark = true;
                return Vec::new();
            }
            Choice::New => Exit::NewSession,
        };
        vec![OverlayResponse::Close, OverlayResponse::LeaveFor(exit)]
    }

    fn back(&mut self, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        if self.rename.take().is_some() {
            return Vec::new();
        }
        self.wants_remark = false;
        if !self.filter.is_empty() {
            self.keeping_choice(|list| {
                list.filter.take();
                list.listing.arrange("");
            });
            return self.preview();
        }
        vec![OverlayResponse::Close]
    }

    fn job_done(&mut self, found: &JobResult) -> Option<Vec<OverlayResponse>> {
        match found {
            JobResult::Sessions(all) => Some(self.set_sessions(all)),
            JobResult::SessionHits(text, hits) => {
                self.keeping_choice(|list| list.found.keep(text, hits.clone(), list.listing.here()));
                Some(self.preview())
            }
            JobResult::Compared(path, compared) => {
                self.comparing.take_if(|comparing| comparing == path)?;
                let is_typing = self.rename.is_some() && compared.is_ok();
                Some(vec![if is_typing { not_shown() } else { ComparisonView::response(compared) }])
            }
            JobResult::Preview(path, lines, space) => {
                let (path, lines, space) = (path.clone(), lines.clone(), *space);
                self.preview = Some(SessionPreview { path, lines, space });
                Some(Vec::new())
            }
            JobResult::SessionsChanged => Some(vec![OverlayResponse::job(Job::Sessions)]),
            _ => None,
        }
    }

    fn hints(&self, ctx: OverlayContext<'_>, hints: &mut Hints<'_>) {
        if self.rename.is_some() {
            hints.plain("Enter", "rename", 0).plain("Esc", "back", 0);
            return;
        }
        hints.plain("type to filter", "", 3).plain("Up/Down", "", 2);
        if let Some(enter) = self.enter_label(ctx.state) {
            hints.plain("Enter", enter, 0);
        }
        hints.plain("Tab", "this folder/all", 1).plain("Esc", self.esc_label(), 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        // What is true now: the search that Enter did not wait for may be over.
        if let Some(remark) = self.remark().filter(|_| self.wants_remark) {
            return Some(remark);
        }
        Some(match self.listing.all() {
            None => "Looking for sessions.".into(),
            Some(_) if self.comparing.is_some() => "Comparing.".into(),
            Some(all) => {
                let bytes: u64 = all.iter().map(|s| s.bytes).sum();
                format!("{}, {}.", words::count(all.len(), "session"), words::size(bytes))
            }
        })
    }

    fn sheet(&self, ctx: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        Some(sheet::sheet(self, ctx, room))
    }
}
