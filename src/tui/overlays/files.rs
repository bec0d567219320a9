//! The list of files in the working folder while the person types a path: after an `@` in the message, or in a field of
//! a form. Letters are added to the text and filter the list; the list never takes a letter away from the text.

use super::{Overlay, OverlayContext, OverlayProperties, OverlayResponse};
use crate::driver::{FolderFiles, JobResult, PathOfFile};
use crate::text::at_words::at_word;
use crate::text::number::{counted, grouped, size};
use crate::tui::action::Action;
use crate::tui::panes::Panes;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::field::{Edit, Field};
use crate::tui::widgets::filter::{Cursor, rank};
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::layout::SizeClass;
use crate::tui::widgets::safe;
use crate::tui::widgets::sheet::{Sheet, entry, scrolled};
use ratatui::layout::Rect;
use ratatui::text::Line;
use std::sync::Arc;
use unicode_width::UnicodeWidthStr as _;

/// The most rows that are shown.
const MAX_ROWS: u16 = 12;

/// The files that match what is typed.
#[derive(Debug, Default)]
pub(crate) struct FileMatches {
    /// The files, once they are listed.
    all: Option<Arc<FolderFiles>>,
    /// Indexes into `all` of the files that match, best first.
    shown: Vec<usize>,
}

impl FileMatches {
    /// Takes the list of files; `None` if the result is of another job.
    pub(crate) fn job_done(&mut self, found: &JobResult) -> Option<()> {
        let JobResult::FolderFiles(all) = found else { return None };
        self.all = Some(all.clone());
        Some(())
    }

    pub(crate) fn is_listed(&self) -> bool {
        self.all.is_some()
    }

    /// Whether a file has this path.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.all.as_ref().is_some_and(|all| all.files.iter().any(|file| file.path == path))
    }

    /// Keeps the files that match what was typed.
    pub(crate) fn filter(&mut self, typed: &str) {
        self.shown = self.all.as_ref().map_or_else(Vec::new, |all| rank(typed, &all.files));
    }

    /// How many files match.
    pub(crate) fn len(&self) -> usize {
        self.shown.len()
    }

    /// A matching file, best first.
    pub(crate) fn file(&self, at: usize) -> Option<&PathOfFile> {
        self.all.as_ref()?.files.get(*self.shown.get(at)?)
    }

    /// The row of a matching file.
    pub(crate) fn row(
        &self,
        at: usize,
        chosen: Option<usize>,
        width: u16,
        draw: DrawContext<'_>,
    ) -> Option<Line<'static>> {
        let file = self.file(at)?;
        let bytes = size(file.bytes);
        let for_path = usize::from(width).saturating_sub(bytes.width() + 6).max(8);
        let path = tail(&safe::one_line(&file.path), for_path);
        let gap = " ".repeat(for_path.saturating_sub(path.width()) + 2);
        Some(entry(&format!("{path}{gap}{bytes}"), chosen == Some(at), width, draw))
    }
}

#[derive(Debug, Default)]
pub(crate) struct FileList {
    /// What was typed after the `@`; the message contains it too.
    filter: Field,
    matches: FileMatches,
    cursor: Cursor,
}

impl FileList {
    fn refresh(&mut self) {
        self.cursor.0 = 0;
        self.matches.filter(&self.filter.text());
    }
}

impl Overlay for FileList {
    fn properties(&self) -> OverlayProperties {
        OverlayProperties { width: 70, list_actions: &[Action::ListScope], ..OverlayProperties::default() }
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.filter)
    }

    fn list(&mut self) -> Option<(&mut Cursor, usize)> {
        let rows = self.matches.len();
        Some((&mut self.cursor, rows))
    }

    fn action(&mut self, action: Action, ctx: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        match action {
            Action::ListScope | Action::PaneNext => self.accept(ctx, panes),
            other => self.common(other, ctx, panes),
        }
    }

    /// Puts the file under the cursor into the message; if there is none, only closes the list, and if a message can't
    /// name it, says so.
    fn accept(&mut self, _: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        let Some(file) = self.matches.file(self.cursor.0) else { return vec![OverlayResponse::Close] };
        let Some(word) = at_word(&file.path) else {
            let name = safe::one_line(&file.path);
            let why = "a message can't name it: its name has a quotation mark or a control character.";
            return vec![OverlayResponse::Close, OverlayResponse::warn(format!("{name}: {why}"))];
        };
        let typed = self.filter.text().len() + 1;
        panes.composer.replace_before(typed, &format!("{word} "));
        vec![OverlayResponse::Close]
    }

    /// A change of the word after the `@` filters the list; any other change closes it. Both go to the message.
    fn edit(&mut self, edit: Edit, _: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        panes.composer.apply(edit.clone());
        match edit {
            Edit::Insert(c) if !c.is_whitespace() => {
                self.filter.apply(edit);
            }
            Edit::Backspace if !self.filter.is_empty() => {
                self.filter.apply(edit);
            }
            _ => return vec![OverlayResponse::Close],
        }
        self.refresh();
        Vec::new()
    }

    fn paste(&mut self, text: &str, _: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        panes.composer.paste(text);
        vec![OverlayResponse::Close]
    }

    fn job_done(&mut self, found: &JobResult) -> Option<Vec<OverlayResponse>> {
        self.matches.job_done(found)?;
        self.refresh();
        Some(Vec::new())
    }

    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        hints.plain("type to filter", "", 2).plain("Up/Down", "", 2);
        hints.plain("Tab", "take", 0).plain("Esc", "close", 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        Some(match &self.matches.all {
            None => "Looking for the files of the working folder.".into(),
            Some(all) if all.is_cut => format!(
                "{} of {} listed. Others: type their path.",
                self.matches.len(),
                grouped(u64::try_from(all.files.len()).unwrap_or(u64::MAX))
            ),
            Some(all) => {
                let unread = match all.unread.len() {
                    0 => String::new(),
                    folders => format!(" {} can't be read.", counted(folders, "folder")),
                };
                format!("{} of {} files.{unread}", self.matches.len(), all.files.len())
            }
        })
    }

    fn sheet(&self, ctx: OverlayContext<'_>, panes: &Panes, room: Rect) -> Option<Sheet> {
        let (width, draw) = (room.width, ctx.draw);
        let mut sheet = Sheet::new("Files");
        // A list on the whole screen hides the message that is being typed.
        if ctx.arrangement.class == SizeClass::Narrow {
            let message = safe::one_line(&panes.composer.full_text());
            let shown = tail(&message, usize::from(width).saturating_sub(9));
            sheet.dim(format!("Message: {shown}"), draw);
        }
        sheet.field("> @", &self.filter, width, draw).rule(width, draw);
        let rows = usize::from(room.height.saturating_sub(4).clamp(1, MAX_ROWS));
        let cursor = self.cursor.0;
        sheet.rows.extend(scrolled(self.matches.len(), cursor..cursor + 1, rows, draw, |at| {
            self.matches.row(at, Some(cursor), width, draw)
        }));
        if self.matches.is_listed() && self.matches.len() == 0 {
            sheet.dim("  No file matches.", draw);
        }
        Some(sheet)
    }
}

/// The end of a path that is too long: the name matters more than the folders.
fn tail(path: &str, room: usize) -> String {
    if path.width() <= room {
        return path.to_owned();
    }
    let mut from = path.char_indices().map(|(at, _)| at).skip(1);
    let end = from.find_map(|at| path.get(at..).filter(|rest| rest.width() < room)).unwrap_or_default();
    format!("…{end}")
}
