//! The files of the working folder, while one is named behind an `@` in the message. What is typed goes into the message
//! and filters the list; the list never takes a letter away from the text.

use super::{Overlay, OverlayContext, Then};
use crate::driver::{FolderFiles, JobResult, PathOfFile};
use crate::text::at_words::at_word;
use crate::text::number::size;
use crate::tui::action::Action;
use crate::tui::panes::Panes;
use crate::tui::widgets::field::{Edit, Field};
use crate::tui::widgets::filter::{Cursor, rank};
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::safe;
use crate::tui::widgets::sheet::{Sheet, entry};
use ratatui::layout::Rect;
use ratatui::text::Line;
use std::sync::Arc;
use unicode_width::UnicodeWidthStr as _;

/// Rows that are shown.
const ROWS: u16 = 12;

/// The list.
#[derive(Debug, Default)]
pub(crate) struct FileList {
    /// What was typed behind the `@`; it stands in the message as well.
    filter: Field,
    /// The files, once they were listed.
    all: Option<Arc<FolderFiles>>,
    /// Those that the filter leaves, by their places in `all`, best first.
    shown: Vec<usize>,
    cursor: Cursor,
}

impl FileList {
    fn refresh(&mut self) {
        self.cursor.0 = 0;
        self.shown = match &self.all {
            Some(all) => rank(&self.filter.text(), &all.files),
            None => Vec::new(),
        };
    }

    fn file(&self, at: usize) -> Option<&PathOfFile> {
        self.all.as_ref()?.files.get(*self.shown.get(at)?)
    }
}

impl Overlay for FileList {
    fn width(&self) -> u16 {
        70
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.filter)
    }

    fn list(&mut self) -> Option<(&mut Cursor, usize)> {
        let rows = self.shown.len();
        Some((&mut self.cursor, rows))
    }

    fn action(&mut self, action: Action, around: OverlayContext<'_>, panes: &mut Panes) -> Vec<Then> {
        match action {
            Action::ListScope | Action::PaneNext => self.accept(around, panes),
            other => self.common(other, around, panes),
        }
    }

    /// The file on the cursor goes into the message; where there is none, the message is typed on.
    fn accept(&mut self, _: OverlayContext<'_>, panes: &mut Panes) -> Vec<Then> {
        if let Some(word) = self.file(self.cursor.0).and_then(|file| at_word(&file.path)) {
            let typed = self.filter.text().len() + 1;
            panes.composer.replace_before(typed, &format!("{word} "));
        }
        vec![Then::Close]
    }

    /// What changes the word behind the `@` filters; all else goes to the message, and the list closes.
    fn edit(&mut self, edit: Edit, _: OverlayContext<'_>, panes: &mut Panes) -> Vec<Then> {
        panes.composer.apply(edit.clone());
        match edit {
            Edit::Insert(c) if !c.is_whitespace() => {
                self.filter.apply(edit);
            }
            Edit::Backspace if !self.filter.is_empty() => {
                self.filter.apply(edit);
            }
            _ => return vec![Then::Close],
        }
        self.refresh();
        Vec::new()
    }

    fn paste(&mut self, text: &str, _: OverlayContext<'_>, panes: &mut Panes) -> Vec<Then> {
        panes.composer.paste(text);
        vec![Then::Close]
    }

    fn found(&mut self, found: &JobResult) -> Option<Vec<Then>> {
        let JobResult::FolderFiles(all) = found else { return None };
        self.all = Some(all.clone());
        self.refresh();
        Some(Vec::new())
    }

    fn hints(&self, hints: &mut Hints<'_>) {
        hints.plain("type to filter", "", 2).plain("Up/Down", "", 2);
        hints.plain("Tab", "take", 0).plain("Esc", "close", 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        Some(match &self.all {
            None => "Looking for the files of the working folder.".into(),
            Some(all) if all.is_cut => format!(
                "{} of the first {} files. The folder has more: type the whole path of another.",
                self.shown.len(),
                all.files.len()
            ),
            Some(all) => format!("{} of {} files.", self.shown.len(), all.files.len()),
        })
    }

    fn sheet(&self, around: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        let (width, look) = (room.width, around.look);
        let mut sheet = Sheet::new("Files");
        sheet.field("> @", &self.filter, width, look).rule(width, look);
        let rows = usize::from(room.height.saturating_sub(4).clamp(1, ROWS));
        let first = self.cursor.window(rows);
        for at in first..self.shown.len().min(first + rows) {
            let Some(file) = self.file(at) else { break };
            let bytes = size(file.bytes);
            let for_path = usize::from(width).saturating_sub(bytes.width() + 6).max(8);
            let path = tail(&safe::one_line(&file.path), for_path);
            let gap = " ".repeat(for_path.saturating_sub(path.width()) + 2);
            sheet.row(entry(&format!("{path}{gap}{bytes}"), at == self.cursor.0, width, look));
        }
        if self.all.is_some() && self.shown.is_empty() {
            sheet.row(Line::styled("  No file matches.", look.dim()));
        }
        Some(sheet)
    }
}

/// The end of a path that is too long: the name tells more than the folders.
fn tail(path: &str, room: usize) -> String {
    if path.width() <= room {
        return path.to_owned();
    }
    let mut from = path.char_indices().map(|(at, _)| at).skip(1);
    let end = from.find_map(|at| path.get(at..).filter(|rest| rest.width() < room)).unwrap_or_default();
    format!("…{end}")
}
