//! The sessions: what is in them, with the end of the chosen one; opening, renaming and deleting them.

mod rows;

use super::ask::Ask;
use super::{Overlay, OverlayContext, OverlayResponse};
use crate::driver::{
    FilterError, Job, JobResult, PlaceKind, SessionHit, SessionPlace, SessionsFound, Summary,
    search_filter_names, search_has_filters, search_names_folder, words_of_search,
};
use crate::engine::{Command, State};
use crate::tui::action::Action;
use crate::tui::note::Note;
use crate::tui::panes::Panes;
use crate::tui::setup::FoundPlace;
use crate::tui::ui_command::{Exit, UiCommand};
use crate::tui::widgets::field::{Edit, Field};
use crate::tui::widgets::filter::{Cursor, rank};
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::sheet::{Sheet, entry};
use crate::tui::widgets::{safe, words};
use ratatui::layout::Rect;
use ratatui::text::Line;
use std::path::PathBuf;

/// What is said where nothing has what was typed.
const NO_MATCH: &str = "No session matches. Esc clears.";

/// A row that can be chosen.
#[derive(Clone, Copy, Debug)]
enum Choice<'a> {
    Session(&'a Summary),
    Hit(&'a SessionHit),
    New,
}

impl Choice<'_> {
    /// What it is, whatever row it stands on.
    fn key(self) -> ChoiceKey {
        match self {
            Choice::Session(session) => ChoiceKey::Session(session.path.clone()),
            Choice::Hit(hit) => ChoiceKey::Hit(hit.session.path.clone(), hit.place, hit.line.clone()),
            Choice::New => ChoiceKey::New,
        }
    }
}

/// What was chosen, to find it again where rows come and go.
#[derive(PartialEq, Eq)]
enum ChoiceKey {
    Session(PathBuf),
    Hit(PathBuf, SessionPlace, String),
    New,
}

/// The end of a session, and what it takes on the disk.
#[derive(Debug)]
struct SessionPreview {
    path: PathBuf,
    lines: Vec<String>,
    space: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Sessions {
    /// Letters that a session has to hold.
    filter: Field,
    /// All sessions, newest first; `None` while they are being listed.
    all: Option<Vec<Summary>>,
    /// Where sessions hold what was typed, and what that was.
    hits: Option<(String, Result<SessionsFound, FilterError>)>,
    /// Only those of this folder.
    here: Option<PathBuf>,
    cursor: Cursor,
    /// The end of the chosen one, as it was read.
    preview: Option<SessionPreview>,
    /// Another name that is being typed for the chosen one.
    rename: Option<Field>,
}

impl Sessions {
    /// Those of a folder first; they are being listed.
    pub(crate) fn of(here: PathBuf) -> Self {
        Self { here: Some(here), ..Self::default() }
    }

    /// Those of all folders that hold what was typed; what has to be asked for it.
    pub(crate) fn holding(text: &str) -> (Self, Vec<UiCommand>) {
        let mut filter = Field::line();
        filter.set(text);
        let list = Self { filter, ..Self::default() };
        let search = UiCommand::Job(Job::SearchSessions(text.to_owned(), None));
        (list, vec![UiCommand::Job(Job::Sessions), search])
    }

    /// The sessions that the filter leaves, best first.
    fn shown(&self) -> Vec<&Summary> {
        let all: Vec<&Summary> = self
            .all
            .iter()
            .flatten()
            .filter(|s| self.here.as_deref().is_none_or(|here| s.cwd == here))
            .collect();
        let words = words_of_search(&self.filter.text());
        if words.trim().is_empty() && search_has_filters(&self.filter.text()) {
            // What is left by filters alone are places.
            return Vec::new();
        }
        let texts: Vec<String> = all.iter().map(|s| format!("{} {}", s.name, s.first_prompt)).collect();
        rank(words.trim(), &texts).into_iter().filter_map(|i| all.get(i).copied()).collect()
    }

    /// The places that hold what stands in the filter now.
    fn hits(&self) -> &[SessionHit] {
        self.found_now().and_then(|found| found.as_ref().ok()).map_or(&[], |found| &found.hits)
    }

    fn found_now(&self) -> Option<&Result<SessionsFound, FilterError>> {
        self.hits.as_ref().filter(|(text, _)| *text == self.filter.text()).map(|(_, found)| found)
    }

    /// What is to be said of the search, where the rows do not tell it.
    fn remark(&self, nothing: bool) -> Option<String> {
        if self.filter.is_empty() {
            return Some(format!("Type words, or filters: {}", search_filter_names()));
        }
        match self.found_now() {
            None if nothing => Some("Looking into the sessions.".to_owned()),
            Some(Err(why)) => Some(format!("{why}.")),
            Some(Ok(SessionsFound { behind: Some(why), .. })) => {
                Some(format!("What is new in the sessions was not looked at: {}", safe::one_line(why)))
            }
            Some(Ok(found)) if found.left_out > 0 => {
                let left = words::count(found.left_out, "old session");
                Some(format!("{left} not searched: the newer ones hold too much."))
            }
            Some(Ok(_)) if nothing => Some(NO_MATCH.to_owned()),
            Some(Ok(found)) if found.more => Some("There is more: more words tell less.".to_owned()),
            _ => None,
        }
    }

    /// What Esc does now.
    fn esc(&self) -> &'static str {
        if self.filter.is_empty() { "back" } else { "clear" }
    }

    /// What can be chosen, from above: sessions, places in sessions, a new one.
    fn choices(&self) -> Vec<Choice<'_>> {
        let sessions = self.shown().into_iter().map(Choice::Session);
        sessions.chain(self.hits().iter().map(Choice::Hit)).chain([Choice::New]).collect()
    }

    fn choice(&self) -> Choice<'_> {
        self.choices().get(self.cursor.0).copied().unwrap_or(Choice::New)
    }

    /// The chosen session; `None`: the row for a new one.
    fn chosen(&self) -> Option<&Summary> {
        match self.choice() {
            Choice::Session(session) => Some(session),
            Choice::Hit(hit) => Some(&hit.session),
            Choice::New => None,
        }
    }

    /// Looks for what was typed in the sessions themselves.
    fn search(&self) -> Vec<OverlayResponse> {
        let text = self.filter.text();
        if text.trim().is_empty() || self.rename.is_some() {
            return Vec::new();
        }
        vec![OverlayResponse::UiCommand(UiCommand::Job(Job::SearchSessions(text, self.here.clone())))]
    }

    /// Asks for the preview of the chosen one, where it is not there.
    fn preview(&self) -> Vec<OverlayResponse> {
        let Some(chosen) = self.chosen() else { return Vec::new() };
        if self.preview_of(chosen).is_some() {
            return Vec::new();
        }
        vec![OverlayResponse::UiCommand(UiCommand::Job(Job::Preview(chosen.path.clone())))]
    }

    fn start_rename(&mut self) {
        self.rename = self.chosen().map(|chosen| {
            let mut field = Field::line();
            field.offer(&chosen.name);
            field
        });
    }

    /// Deletes the chosen one, after a question; of one that is open it says why not. `None`: none is chosen.
    fn delete(&self, around: OverlayContext<'_>) -> Option<OverlayResponse> {
        let chosen = self.chosen().filter(|_| self.rename.is_none())?;
        let name = safe::one_line(chosen.label());
        if is_open_here(chosen, around.state) {
            let why = "This session is open here. Begin another one, and delete it from there.";
            return Some(OverlayResponse::Say(Note::info(why)));
        }
        if let Some(process) = chosen.locked {
            let why = format!("{name} is open in another sayso (process {process}). Close it there first.");
            return Some(OverlayResponse::Say(Note::info(why)));
        }
        let messages = words::count(usize::try_from(chosen.messages).unwrap_or(usize::MAX), "message");
        let blocks = words::count(chosen.blocks as usize, "block");
        let frees = match self.preview_of(chosen) {
            Some(preview) => format!("This frees {}.", words::size(preview.space)),
            None => format!("This frees {} or more.", words::size(chosen.bytes)),
        };
        let lines = vec![format!("{name}: {messages}, {blocks}."), frees];
        let delete = UiCommand::Job(Job::Delete(chosen.path.clone()));
        let ask = Ask::new("Delete this session?", lines, 'w', "keep it");
        let ask = ask.or_command('d', "delete it; it can't be brought back", delete);
        Some(OverlayResponse::Open(Box::new(ask)))
    }

    /// The session that a branch left, where it is still there.
    fn origin(&self, id: &str) -> Option<&Summary> {
        self.all.iter().flatten().find(|one| one.id == id)
    }

    fn preview_of(&self, session: &Summary) -> Option<&SessionPreview> {
        self.preview.as_ref().filter(|preview| preview.path == session.path)
    }

    /// Changes the rows; what is chosen stays chosen while it is among them. The row for a new session at the top is
    /// nobody's choice.
    fn staying(&mut self, change: impl FnOnce(&mut Self)) {
        let was = (self.cursor.0 > 0 || !matches!(self.choice(), Choice::New)).then(|| self.choice().key());
        change(self);
        let choices = self.choices();
        let at = was.and_then(|was| choices.iter().position(|choice| choice.key() == was));
        self.cursor.0 = at.unwrap_or(self.cursor.0.min(choices.len().saturating_sub(1)));
    }
}

/// Whether it is the session that this program works on.
fn is_open_here(session: &Summary, state: &State) -> bool {
    state.transcript.header.as_ref().is_some_and(|header| header.id.0 == session.id)
}

impl Overlay for Sessions {
    fn width(&self) -> u16 {
        74
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(self.rename.as_mut().unwrap_or(&mut self.filter))
    }

    fn action(
        &mut self,
        action: Action,
        around: OverlayContext<'_>,
        panes: &mut Panes,
    ) -> Vec<OverlayResponse> {
        match action {
            Action::ListScope | Action::PaneNext => {
                self.staying(|list| {
                    list.here = if list.here.is_some() { None } else { Some(around.setup.cwd.clone()) };
                    list.hits = None;
                });
                self.search().into_iter().chain(self.preview()).collect()
            }
            Action::ListRename => {
                self.start_rename();
                self.preview()
            }
            Action::ListDelete => match self.delete(around) {
                Some(response) => vec![response],
                None => self.edit(Edit::Delete, around, panes),
            },
            other => self.common(other, around, panes),
        }
    }

    fn step(&mut self, by: isize, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        self.cursor.step(by, self.choices().len());
        self.preview()
    }

    fn changed(&mut self, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        if self.rename.is_none() {
            self.cursor.0 = 0;
        }
        self.search().into_iter().chain(self.preview()).collect()
    }

    fn accept(&mut self, around: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        if let Some(mut field) = self.rename.take() {
            let name = field.take().trim().to_owned();
            let Some(chosen) = self.chosen().filter(|_| !name.is_empty()) else { return Vec::new() };
            let commands = if is_open_here(chosen, around.state) {
                vec![UiCommand::Send(Command::Rename(name)), UiCommand::Job(Job::Sessions)]
            } else {
                vec![UiCommand::Job(Job::Rename(chosen.path.clone(), name))]
            };
            return commands.into_iter().map(OverlayResponse::UiCommand).collect();
        }
        let exit = match self.choice() {
            Choice::Session(session) => Exit::OpenSession(session.path.clone(), None),
            Choice::Hit(hit) => {
                let words = words_of_search(&self.filter.text());
                Exit::OpenSession(hit.session.path.clone(), Some(FoundPlace { place: hit.place, words }))
            }
            // Who typed words looks for a session; the row that is left when none has them was not chosen.
            Choice::New if !self.filter.is_empty() && self.cursor.0 == 0 => {
                return vec![OverlayResponse::Say(Note::info(NO_MATCH))];
            }
            Choice::New => Exit::NewSession,
        };
        vec![OverlayResponse::Close, OverlayResponse::LeaveFor(exit)]
    }

    fn back(&mut self, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        if self.rename.take().is_some() {
            return Vec::new();
        }
        if !self.filter.is_empty() {
            self.staying(|list| drop(list.filter.take()));
            return self.preview();
        }
        vec![OverlayResponse::Close]
    }

    fn found(&mut self, found: &JobResult) -> Option<Vec<OverlayResponse>> {
        match found {
            JobResult::Sessions(list) => {
                let is_first = self.all.is_none();
                self.staying(|sessions| sessions.all = Some(list.clone()));
                if is_first {
                    self.cursor.0 = 0;
                }
                Some(self.preview())
            }
            JobResult::SessionHits(text, hits) => {
                let mut found = hits.clone();
                // A folder that was typed is meant more than the one of the list.
                let here = self.here.as_deref().filter(|_| !search_names_folder(text));
                if let Ok(found) = &mut found {
                    // Names are found in the list itself.
                    found.hits.retain(|hit| {
                        hit.place.kind != PlaceKind::Name && here.is_none_or(|here| hit.session.cwd == here)
                    });
                }
                self.staying(|sessions| sessions.hits = Some((text.clone(), found)));
                Some(self.preview())
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

    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        if self.rename.is_some() {
            hints.plain("Enter", "rename", 0).plain("Esc", "back", 0);
            return;
        }
        hints.plain("type to filter", "", 3).plain("Up/Down", "", 2).plain("Enter", "open", 0);
        hints.plain("Tab", "this folder/all", 1).plain("Esc", self.esc(), 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        Some(match &self.all {
            None => "Looking for sessions.".into(),
            Some(all) => {
                let bytes: u64 = all.iter().map(|s| s.bytes).sum();
                format!("{}, {}.", words::count(all.len(), "session"), words::size(bytes))
            }
        })
    }

    fn sheet(&self, around: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        let (width, height, look) = (room.width, room.height, around.look);
        let mut sheet = Sheet::new("Sessions");
        let shown = self.shown();
        let all = self.all.as_ref().map_or(0, Vec::len);
        match &self.rename {
            Some(field) => sheet.field("new name: ", field, width, look),
            None => sheet.field("> ", &self.filter, width, look),
        };
        let scope =
            if self.here.is_some() { "this folder (Tab: all)" } else { "all folders (Tab: this one)" };
        let count = match self.all {
            Some(_) => format!("{} of {all}   {scope}", shown.len()),
            None => scope.to_owned(),
        };
        sheet.row(Line::styled(safe::cut(&count, width.into()), look.dim()));
        sheet.rule(width, look);
        let preview = usize::from(height >= 18) * 8;
        let rows = usize::from(height).saturating_sub(5 + preview).clamp(1, 12);
        let choices = self.choices();
        let first = self.cursor.window(rows);
        for (at, choice) in choices.iter().enumerate().skip(first).take(rows) {
            let text = match choice {
                Choice::Session(summary) => rows::session(self, summary, around),
                Choice::Hit(hit) => rows::hit(hit, look),
                Choice::New => "+ new session".to_owned(),
            };
            sheet.row(entry(&text, at == self.cursor.0, width, look));
        }
        if self.all.is_none() {
            sheet.row(Line::styled("  Looking for sessions.", look.dim()));
        } else if let Some(remark) = self.remark(shown.is_empty() && self.hits().is_empty()) {
            let remark = safe::one_line(&format!("  {remark}"));
            sheet.row(Line::styled(safe::cut(&remark, width.into()), look.dim()));
        }
        if preview > 0 {
            rows::preview(self, width, preview - 1, look, &mut sheet);
        }
        let keys = format!("Enter open   Ctrl-R rename   Del delete (asks)   Esc {}", self.esc());
        sheet.row(Line::styled(keys, look.dim()));
        Some(sheet)
    }
}
