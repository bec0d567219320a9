//! The sessions: what is in them, with the end of the chosen one; opening, renaming and deleting them.

use super::ask::Ask;
use super::{Overlay, OverlayContext, OverlayResponse};
use crate::driver::{
    FilterError, Job, JobResult, SessionHit, SessionsFound, Summary, search_names_folder, words_of_search,
};
use crate::tui::action::Action;
use crate::tui::panes::Panes;
use crate::tui::theme::Slot;
use crate::tui::ui_command::{Exit, UiCommand};
use crate::tui::widgets::field::{Edit, Field};
use crate::tui::widgets::filter::{Cursor, rank};
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::look::DrawStyle;
use crate::tui::widgets::sheet::{Sheet, entry};
use crate::tui::widgets::{safe, words};
use ratatui::layout::Rect;
use ratatui::text::Line;
use std::path::PathBuf;

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
    preview: Option<(PathBuf, Vec<String>)>,
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
        let texts: Vec<String> = all.iter().map(|s| format!("{} {}", s.name, s.first_prompt)).collect();
        rank(words_of_search(&self.filter.text()).trim(), &texts)
            .into_iter()
            .filter_map(|i| all.get(i).copied())
            .collect()
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
            return None;
        }
        match self.found_now() {
            None if nothing => Some("Looking into the sessions.".to_owned()),
            Some(Err(why)) => Some(format!("{why}.")),
            Some(Ok(_)) if words_of_search(&self.filter.text()).trim().is_empty() => {
                Some("A filter needs a word beside it: nothing is filtered yet.".to_owned())
            }
            Some(Ok(SessionsFound { behind: Some(why), .. })) => {
                Some(format!("What is new in the sessions was not looked at: {}", safe::one_line(why)))
            }
            Some(Ok(found)) if found.left_out > 0 => {
                let left = words::count(found.left_out, "old session");
                Some(format!("{left} not searched: the newer ones hold too much."))
            }
            Some(Ok(_)) if nothing => Some("No session matches. Esc clears.".to_owned()),
            Some(Ok(found)) if found.more => Some("There is more: more words tell less.".to_owned()),
            _ => None,
        }
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
        if self.preview.as_ref().is_some_and(|(path, _)| *path == chosen.path) {
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

    /// The question whether the chosen one is deleted.
    fn ask_delete(&self) -> Option<Ask> {
        let chosen = self.chosen().filter(|_| self.rename.is_none())?;
        let name = if chosen.name.is_empty() { &chosen.id } else { &chosen.name };
        let lines = vec![format!("{name}: {} messages, {} blocks.", chosen.messages, chosen.blocks)];
        let delete = UiCommand::Job(Job::Delete(chosen.path.clone()));
        let ask = Ask::new("Delete this session?", lines, 'w', "keep it");
        Some(ask.or_command('d', "delete it; it can't be brought back", delete))
    }
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
                self.here = if self.here.is_some() { None } else { Some(around.setup.cwd.clone()) };
                (self.cursor.0, self.hits) = (0, None);
                self.search().into_iter().chain(self.preview()).collect()
            }
            Action::ListRename => {
                self.start_rename();
                self.preview()
            }
            Action::ListDelete => match self.ask_delete() {
                Some(ask) => vec![OverlayResponse::Open(Box::new(ask))],
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

    fn accept(&mut self, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        if let Some(mut field) = self.rename.take() {
            let name = field.take().trim().to_owned();
            let chosen = self.chosen().filter(|_| !name.is_empty());
            let rename = chosen.map(|chosen| Job::Rename(chosen.path.clone(), name.clone()));
            return rename
                .map(|rename| OverlayResponse::UiCommand(UiCommand::Job(rename)))
                .into_iter()
                .collect();
        }
        let exit = match self.choice() {
            Choice::Session(session) => Exit::OpenSession(session.path.clone(), None),
            Choice::Hit(hit) => Exit::OpenSession(hit.session.path.clone(), Some(hit.place)),
            Choice::New => Exit::NewSession,
        };
        vec![OverlayResponse::Close, OverlayResponse::LeaveFor(exit)]
    }

    fn back(&mut self, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        if self.rename.take().is_some() || !self.filter.is_empty() {
            self.filter.take();
            return Vec::new();
        }
        vec![OverlayResponse::Close]
    }

    fn found(&mut self, found: &JobResult) -> Option<Vec<OverlayResponse>> {
        match found {
            JobResult::Sessions(list) => {
                self.all = Some(list.clone());
                Some(self.preview())
            }
            JobResult::SessionHits(text, hits) => {
                let mut found = hits.clone();
                // A folder that was typed is meant more than the one of the list.
                let here = self.here.as_deref().filter(|_| !search_names_folder(text));
                if let (Ok(found), Some(here)) = (&mut found, here) {
                    found.hits.retain(|hit| hit.session.cwd == here);
                }
                self.hits = Some((text.clone(), found));
                Some(self.preview())
            }
            JobResult::Preview(path, lines) => {
                self.preview = Some((path.clone(), lines.clone()));
                Some(Vec::new())
            }
            JobResult::SessionsChanged => {
                Some(vec![OverlayResponse::UiCommand(UiCommand::Job(Job::Sessions))])
            }
            _ => None,
        }
    }

    fn hints(&self, hints: &mut Hints<'_>) {
        if self.rename.is_some() {
            hints.plain("Enter", "rename", 0).plain("Esc", "back", 0);
            return;
        }
        hints.plain("type to filter", "", 3).plain("Up/Down", "", 2).plain("Enter", "open", 0);
        hints.plain("Tab", "this folder/all", 1).plain("Esc", "back", 0);
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
                Choice::Session(summary) => row(summary, self.here.is_none(), look),
                Choice::Hit(hit) => hit_row(hit),
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
            preview_rows(self, width, preview - 1, look, &mut sheet);
        }
        sheet.row(Line::styled("Enter open   Ctrl-R rename   Del delete (asks)   Esc back", look.dim()));
        Some(sheet)
    }
}

/// A row that can be chosen.
#[derive(Clone, Copy, Debug)]
enum Choice<'a> {
    Session(&'a Summary),
    Hit(&'a SessionHit),
    New,
}

/// `sales-q3           block 3             df = pd.read_csv("sales.csv")`
fn hit_row(hit: &SessionHit) -> String {
    let name = safe::cut(&safe::one_line(hit.session.label()), 18);
    safe::one_line(&format!("{name:<18} {:<19} {}", hit.place.to_string(), safe::one_line(&hit.line)))
}

/// `12 min  sales-q3       9 msgs   3 blocks   1 waiting`
fn row(summary: &Summary, with_folder: bool, look: DrawStyle<'_>) -> String {
    let name = if summary.name.is_empty() { &summary.id } else { &summary.name };
    let state = if summary.waiting > 0 {
        format!("{} waiting", summary.waiting)
    } else if summary.failed {
        "failed".into()
    } else if summary.unended {
        "LOST".into()
    } else {
        String::new()
    };
    let folder = if with_folder { format!("  {}", look.place.path(&summary.cwd)) } else { String::new() };
    safe::one_line(&format!(
        "{:<7} {:<18} {:>3} msgs  {:>3} blocks  {state:<10}{folder}",
        words::ago(look.now, summary.modified),
        safe::cut(&safe::one_line(name), 18),
        summary.messages,
        summary.blocks,
    ))
}

fn preview_rows(list: &Sessions, width: u16, rows: usize, look: DrawStyle<'_>, sheet: &mut Sheet) {
    let Some(chosen) = list.chosen() else {
        sheet.gap();
        return;
    };
    let name = if chosen.name.is_empty() { &chosen.id } else { &chosen.name };
    let head = format!("{0}{0} preview: {1} ", look.glyphs.horizontal, safe::one_line(name));
    let rule = look.glyphs.horizontal.repeat(usize::from(width).saturating_sub(head.chars().count()));
    sheet.row(Line::styled(format!("{head}{rule}"), look.style(Slot::UiBorder)));
    let mut lines: Vec<Line<'static>> = Vec::new();
    if let Choice::Hit(hit) = list.choice() {
        lines.push(Line::styled(format!("{}:", hit.place), look.dim()));
        let line: Vec<char> = safe::one_line(&hit.line).chars().collect();
        let parts = line.chunks(usize::from(width).max(1)).take(rows.saturating_sub(1));
        lines.extend(
            parts.map(|part| Line::styled(safe::cut(&String::from_iter(part), width.into()), look.text())),
        );
        for line in lines {
            sheet.row(line);
        }
        return;
    }
    match list.preview.as_ref().filter(|(path, _)| *path == chosen.path) {
        Some((_, preview)) => {
            for line in preview {
                lines.push(Line::styled(safe::cut(&safe::one_line(line), width.into()), look.text()));
            }
        }
        None => {
            for (who, text) in [("you    ", &chosen.first_prompt), ("model  ", &chosen.last_reply)] {
                if !text.trim().is_empty() {
                    let text = format!("{who}{}", safe::one_line(words::first_line(text)));
                    lines.push(Line::styled(safe::cut(&text, width.into()), look.text()));
                }
            }
        }
    }
    if let Some(id) = &chosen.branch_of {
        let of = list.all.iter().flatten().find(|one| one.id == *id);
        let text = match of {
            Some(of) => format!("A branch of {}.", safe::one_line(of.label())),
            None => "A branch of a session that is gone.".to_owned(),
        };
        lines.push(Line::styled(safe::cut(&text, width.into()), look.dim()));
    }
    if chosen.waiting > 0 {
        let text = match chosen.waiting {
            1 => "A block was not decided: it will wait for you again.".to_owned(),
            many => format!("{many} blocks were not decided: they will wait for you again."),
        };
        lines.push(Line::styled(text, look.style(Slot::BlockPending)));
    }
    lines.push(Line::styled(format!("{}.", crate::domain::sentences::saving::not_kept(0)), look.dim()));
    let skip = lines.len().saturating_sub(rows);
    for line in lines.into_iter().skip(skip) {
        sheet.row(line);
    }
}
