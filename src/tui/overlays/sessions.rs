//! The list of sessions: trees of branches with the end of the chosen session, and places found in them; opens,
//! compares, renames and deletes sessions.
//!
//! - `listing`: which sessions are listed
//! - `found`: the places in them that match what was typed
//! - `choice`: what can be chosen
//! - `rows`, `preview`: how it is drawn
//! - `removal`: deleting one

mod choice;
mod found;
mod listing;
mod preview;
mod removal;
mod rows;

use super::comparison::ComparisonView;
use super::{Overlay, OverlayContext, OverlayResponse, not_shown};
use crate::driver::{Job, JobResult, Summary, own_id, words_of_search};
use crate::engine::{Command, State};
use crate::tui::action::Action;
use crate::tui::keymap::Context;
use crate::tui::panes::Panes;
use crate::tui::setup::FoundLocation;
use crate::tui::ui_command::{Exit, UiCommand};
use crate::tui::widgets::field::{Edit, Field};
use crate::tui::widgets::filter::Cursor;
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::sheet::{Sheet, entry};
use crate::tui::widgets::{safe, words};
use choice::Choice;
use found::FoundPlaces;
use listing::SessionListing;
use preview::SessionPreview;
use ratatui::layout::Rect;
use ratatui::text::Line;
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
        let mut filter = Field::single_line();
        filter.set(text);
        let list = Self { filter, ..Self::default() };
        let search = UiCommand::Job(Job::SearchSessions(text.to_owned(), None));
        (list, vec![UiCommand::Job(Job::Sessions), search])
    }

    /// The remark about the search, if the rows don't show the result.
    fn remark(&self) -> Option<String> {
        let typed = self.filter.text();
        self.found.remark(&typed, self.listing.len() == 0 && self.found.hits(&typed).is_empty())
    }

    /// The label of Esc.
    fn esc_label(&self) -> &'static str {
        if self.filter.is_empty() { "back" } else { "clear" }
    }

    /// How many rows can be chosen: sessions, found places, a new session.
    fn count(&self) -> usize {
        self.listing.len() + self.found.hits(&self.filter.text()).len() + 1
    }

    /// What a row chooses.
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

    /// Searches the typed text inside the sessions.
    fn search(&self) -> Vec<OverlayResponse> {
        let text = self.filter.text();
        if text.trim().is_empty() || self.rename.is_some() {
            return Vec::new();
        }
        let here = self.listing.here().cloned();
        vec![OverlayResponse::UiCommand(UiCommand::Job(Job::SearchSessions(text, here)))]
    }

    /// Requests the preview of the chosen session, if it is missing.
    fn preview(&self) -> Vec<OverlayResponse> {
        let Some(chosen) = self.chosen() else { return Vec::new() };
        if self.preview_of(chosen).is_some() {
            return Vec::new();
        }
        vec![OverlayResponse::UiCommand(UiCommand::Job(Job::Preview(chosen.path.clone())))]
    }

    fn start_rename(&mut self) {
        self.rename = self.chosen().map(|chosen| {
            let mut field = Field::single_line();
            field.offer(&chosen.name);
            field
        });
    }

    /// Gives the typed name to the chosen session.
    fn give_name(&self, name: String, state: &State) -> Vec<OverlayResponse> {
        let Some(chosen) = self.chosen().filter(|_| !name.is_empty()) else { return Vec::new() };
        let commands = if is_open_here(chosen, state) {
            vec![UiCommand::Send(Command::Rename(name)), UiCommand::Job(Job::Sessions)]
        } else {
            vec![UiCommand::Job(Job::Rename(chosen.path.clone(), name))]
        };
        commands.into_iter().map(OverlayResponse::UiCommand).collect()
    }

    /// Asks whether to delete the chosen session. `None` if none is chosen.
    fn delete(&self, ctx: OverlayContext<'_>) -> Option<OverlayResponse> {
        let chosen = self.chosen().filter(|_| self.rename.is_none())?;
        Some(removal::question(chosen, is_open_here(chosen, ctx.state), self.preview_of(chosen)))
    }

    /// Compares the chosen session with the open one.
    fn compare(&mut self, state: &State) -> Vec<OverlayResponse> {
        match self.chosen().filter(|_| self.rename.is_none() && self.comparing.is_none()) {
            Some(chosen) if is_open_here(chosen, state) => {
                let why = "This session is open here. Choose another one to compare it with.";
                vec![OverlayResponse::info(why)]
            }
            Some(chosen) => {
                let path = chosen.path.clone();
                self.comparing = Some(path.clone());
                vec![OverlayResponse::UiCommand(UiCommand::Job(Job::Compare(path)))]
            }
            None => Vec::new(),
        }
    }

    /// The label of Enter; `None` for the session that is open already.
    fn enter_label(&self, state: &State) -> Option<&'static str> {
        match self.choice() {
            Choice::Session(chosen) if is_open_here(chosen, state) => None,
            Choice::Session(_) | Choice::Hit(_) => Some("open"),
            Choice::New => Some("begin"),
        }
    }

    /// The keys that do something in the chosen row.
    fn keys_text(&self, ctx: OverlayContext<'_>) -> String {
        let mut hints = Hints::new(ctx.keymap, Context::Picker);
        if let Some(enter) = self.enter_label(ctx.state) {
            hints.key(Action::ListAccept, enter, enter, 0);
        }
        if let Some(chosen) = self.chosen() {
            let is_other = !is_open_here(chosen, ctx.state);
            if is_other {
                hints.key(Action::ListCompare, "compare", "compare", 0);
            }
            hints.key(Action::ListRename, "rename", "rename", 0);
            if is_other {
                hints.key(Action::ListDelete, "delete (asks)", "delete", 0);
            }
        }
        hints.plain("Esc", self.esc_label(), 0);
        let keys: Vec<String> =
            hints.list.iter().map(|hint| format!("{} {}", hint.key, hint.label)).collect();
        keys.join("   ")
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
    fn width(&self) -> u16 {
        74
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(self.rename.as_mut().unwrap_or(&mut self.filter))
    }

    fn list_actions(&self) -> &'static [Action] {
        &[Action::ListScope, Action::ListRename, Action::ListCompare, Action::ListDelete]
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
                self.start_rename();
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
            JobResult::SessionsChanged => {
                Some(vec![OverlayResponse::UiCommand(UiCommand::Job(Job::Sessions))])
            }
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
        let (width, height, draw) = (room.width, room.height, ctx.draw);
        let mut sheet = Sheet::new("Sessions");
        match &self.rename {
            Some(field) => sheet.field("new name: ", field, width, draw),
            None => sheet.field("> ", &self.filter, width, draw),
        };
        let is_here = self.listing.here().is_some();
        let scope = if is_here { "this folder (Tab: all)" } else { "all folders (Tab: this one)" };
        let count = match self.listing.all() {
            Some(all) => {
                let places = match self.found.hits(&self.filter.text()).len() {
                    0 => String::new(),
                    places => format!(", {} found", words::count(places, "place")),
                };
                format!("{} of {}{places}   {scope}", self.listing.len(), all.len())
            }
            None => scope.to_owned(),
        };
        sheet.row(Line::styled(safe::cut(&count, width.into()), draw.dim()));
        sheet.rule(width, draw);
        let preview = usize::from(height >= 18) * 8;
        let rows = usize::from(height).saturating_sub(5 + preview).clamp(1, 12);
        let first = self.cursor.window(rows);
        for at in (first..self.count()).take(rows) {
            let text = rows::row(self, (at, self.at(at)), ctx);
            sheet.row(entry(&text, at == self.cursor.0, width, draw));
        }
        if self.listing.all().is_none() {
            sheet.row(Line::styled("  Looking for sessions.", draw.dim()));
        } else if let Some(remark) = self.remark() {
            sheet.row(Line::styled(safe::cut(&format!("  {remark}"), width.into()), draw.dim()));
        }
        if preview > 0 {
            preview::draw(self, width, preview - 1, draw, &mut sheet);
        }
        sheet.row(Line::styled(self.keys_text(ctx), draw.dim()));
        Some(sheet)
    }
}
