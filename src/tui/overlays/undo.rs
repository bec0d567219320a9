//! The changes of a run: each as a diff, and taking back the picked ones after a question that says what will happen.
//! What was taken back can be redone in the same way.

use super::ask::Ask;
use super::pager::Pager;
use super::{LetterEffect, Overlay, OverlayContext, OverlayProperties, OverlayResponse, scope_of};
use crate::domain::sentences::undo as sentences;
use crate::domain::{BlockId, RunId, Sha256, UndoChange, UndoKind, UndoState};
use crate::driver::{Job, JobResult};
use crate::engine::{Command, State};
use crate::text::names::first_names;
use crate::tui::panes::Panes;
use crate::tui::theme::Slot;
use crate::tui::ui_command::{PagerText, UiCommand};
use crate::tui::widgets::filter::Cursor;
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::sheet::{Sheet, entry, scrolled};
use crate::tui::widgets::{safe, words};
use ratatui::layout::Rect;
use std::collections::BTreeSet;
use unicode_width::UnicodeWidthStr as _;

/// The columns of a row besides the path and the present state: marks, size and gaps.
const OTHER_COLUMNS: usize = 17;
/// The fewest and the most columns of the list.
const WIDTHS: (usize, usize) = (76, 160);
/// How many files the question names.
const MAX_FILES_SHOWN: usize = 4;
/// Told until the changes are known.
const LOOKING: &str = "Looking at what changed.";

/// The changes of a run.
#[derive(Debug)]
pub(crate) struct UndoList {
    run: RunId,
    block: BlockId,
    record: Sha256,
    all: Option<Result<Vec<UndoChange>, String>>,
    picked: BTreeSet<u32>,
    cursor: Cursor,
    /// The columns of the longest path.
    path_columns: usize,
    /// The columns of the longest state, with the gap before it.
    state_columns: usize,
}

impl UndoList {
    /// A list of the changes of a run, and the command that requests them.
    pub(crate) fn of(run: RunId, block: BlockId, record: Sha256) -> (Self, UiCommand) {
        let list = Self {
            run,
            block,
            record,
            all: None,
            picked: BTreeSet::new(),
            cursor: Cursor::default(),
            path_columns: 0,
            state_columns: 0,
        };
        (list, UiCommand::Job(Job::Changes(record)))
    }

    fn all(&self) -> &[UndoChange] {
        match &self.all {
            Some(Ok(all)) => all,
            _ => &[],
        }
    }

    /// Measures the columns that the changes need.
    fn measure(&mut self) {
        let paths = self.all().iter().map(|change| safe::one_line(&change.path).width());
        let path_columns = paths.max().unwrap_or(0);
        let states = self.all().iter().map(|change| state_text(change).width());
        let state_columns = states.max().unwrap_or(0);
        (self.path_columns, self.state_columns) = (path_columns, state_columns);
    }

    /// Whether any change can be undone or redone.
    fn has_undoable(&self, way: UndoKind) -> bool {
        self.all().iter().any(|change| change.standing.can(way))
    }

    /// The picked changes that can be undone or redone.
    fn picked_changes(&self, way: UndoKind) -> Vec<&UndoChange> {
        let all = self.all().iter().filter(|change| self.picked.contains(&change.number));
        all.filter(|change| change.standing.can(way)).collect()
    }

    /// How many copies have been dropped.
    fn dropped(&self) -> u64 {
        self.all().iter().filter(|change| change.standing == UndoState::Dropped).count() as u64
    }

    /// Picks all changes that can be undone or redone; if all are picked, none.
    fn pick_all(&mut self) {
        let all: BTreeSet<u32> =
            self.all().iter().filter(|c| c.standing.can_any()).map(|c| c.number).collect();
        self.picked = if self.picked == all { BTreeSet::new() } else { all };
    }

    fn pick(&mut self) -> Vec<OverlayResponse> {
        let Some(change) = self.all().get(self.cursor.0).cloned() else { return Vec::new() };
        if !change.standing.can_any() {
            let (path, why) = (safe::one_line(&change.path), sentences::why_not(change.standing));
            return vec![OverlayResponse::info(format!("{path}: {why}."))];
        }
        if !self.picked.remove(&change.number) {
            self.picked.insert(change.number);
        }
        Vec::new()
    }

    /// Asks whether to do it.
    fn ask(&self, way: UndoKind) -> Vec<OverlayResponse> {
        let picked = self.picked_changes(way);
        if picked.is_empty() {
            return vec![OverlayResponse::info(match way {
                _ if self.all.is_none() => LOOKING,
                UndoKind::Undo if !self.has_undoable(way) => {
                    "Nothing of this can be taken back now. /undo BLOCK lists what another block changed."
                }
                UndoKind::Undo => "Nothing is picked that can be taken back. Space picks.",
                UndoKind::Redo => "Nothing is picked that was taken back. Space picks.",
            })];
        }
        let count = words::count(picked.len(), "change");
        let (title, letter, label) = match way {
            UndoKind::Undo => (format!("Take back {count} of block {}?", self.block), 't', "take back"),
            UndoKind::Redo => (format!("Make {count} of block {} again?", self.block), 'm', "make again"),
        };
        let mut lines = what_happens(&picked, way);
        let is_whole =
            |change: &&UndoChange| matches!(change.standing, UndoState::Done | UndoState::TakenBack);
        if picked.iter().all(is_whole) {
            lines.push(sentences::UNDONE_THE_SAME_WAY.into());
        }
        let changes = picked.iter().map(|change| change.number).collect();
        let undo = OverlayResponse::send(Command::Undo { run: self.run, changes, kind: way });
        let ask = Ask::new(title, lines, 'w', "leave all as it is").or(
            letter,
            label,
            vec![undo, OverlayResponse::Close],
        );
        vec![OverlayResponse::Open(Box::new(ask))]
    }
}

/// The present state of a change, with the gap before it; empty if there is nothing to say.
fn state_text(change: &UndoChange) -> String {
    match change.standing.words() {
        "" => String::new(),
        words => format!("  {words}"),
    }
}

/// What undoing or redoing the picked changes would do, in words.
pub(in crate::tui) fn what_happens(picked: &[&UndoChange], way: UndoKind) -> Vec<String> {
    let of = |change: &str| {
        let names: Vec<String> =
            picked.iter().filter(|c| c.change == change).map(|c| safe::one_line(&c.path)).collect();
        (!names.is_empty()).then(|| first_names(&names, MAX_FILES_SHOWN))
    };
    let effects = sentences::does(way);
    effects.into_iter().filter_map(|(change, does)| Some(format!("{does} {}.", of(change)?))).collect()
}

impl Overlay for UndoList {
    fn properties(&self) -> OverlayProperties {
        let (least, most) = WIDTHS;
        let columns = OTHER_COLUMNS + self.path_columns + self.state_columns;
        let width = u16::try_from(columns.clamp(least, most)).unwrap_or(u16::MAX);
        OverlayProperties { width, ..OverlayProperties::default() }
    }

    fn list(&mut self) -> Option<(&mut Cursor, usize)> {
        let rows = self.all().len();
        Some((&mut self.cursor, rows))
    }

    fn accept(&mut self, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        let Some(change) = self.all().get(self.cursor.0) else { return Vec::new() };
        let job = Job::ChangeTexts(self.record, change.number, change.path.clone());
        vec![OverlayResponse::job(job)]
    }

    fn job_done(&mut self, found: &JobResult) -> Option<Vec<OverlayResponse>> {
        match found {
            JobResult::Changes(record, all) if *record == self.record => {
                let is_first = self.all.is_none();
                self.all = Some(all.clone());
                self.measure();
                if is_first {
                    let done = |change: &&UndoChange| change.standing == UndoState::Done;
                    self.picked = self.all().iter().filter(done).map(|change| change.number).collect();
                }
                Some(Vec::new())
            }
            JobResult::ChangeTexts(path, text) => {
                let text = PagerText::Text(text.clone());
                Some(match Pager::open(safe::one_line(path), text) {
                    Ok(pager) => vec![OverlayResponse::Open(Box::new(pager))],
                    Err(error) => {
                        let why = crate::text::system_error::words(&error);
                        vec![OverlayResponse::warn(format!("It can't be shown: {why}."))]
                    }
                })
            }
            _ => None,
        }
    }

    fn letter(&mut self, letter: char, ctx: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        if let ('t' | 'm', Some(why)) = (letter, ctx.state.undo_refused()) {
            return vec![OverlayResponse::info(why.text)];
        }
        match letter {
            ' ' => self.pick(),
            'a' => {
                self.pick_all();
                Vec::new()
            }
            't' => self.ask(UndoKind::Undo),
            'm' => self.ask(UndoKind::Redo),
            'q' => vec![OverlayResponse::Close],
            _ => Vec::new(),
        }
    }

    fn letter_effect(&self, letter: char) -> LetterEffect {
        match letter {
            // `t` and `m` open a question first.
            ' ' | 'a' | 'q' => LetterEffect::Harmless,
            't' | 'm' => LetterEffect::Acts,
            _ => LetterEffect::Nothing,
        }
    }

    fn scope(&self) -> Option<u64> {
        Some(scope_of(("undo", self.run.0)))
    }

    fn is_stale(&self, state: &State) -> bool {
        state.live.run.is_some()
    }

    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        hints
            .plain("Up/Down", "", 3)
            .plain("Enter", "diff", 0)
            .plain("Space", "pick", 1)
            .plain("a", "all", 2);
        if self.has_undoable(UndoKind::Redo) {
            hints.plain("m", "make again", 1);
        }
        if self.has_undoable(UndoKind::Undo) {
            hints.plain("t", "take back", 0);
        }
        hints.plain("Esc", "close", 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        Some(match &self.all {
            None => LOOKING.into(),
            Some(Err(_)) => "It can't be told.".into(),
            Some(Ok(all)) => {
                let picked =
                    format!("{} of {} picked.", self.picked.len(), words::count(all.len(), "change"));
                match self.dropped() {
                    0 => picked,
                    dropped => format!("{picked} {}", sentences::dropped(dropped)),
                }
            }
        })
    }

    fn sheet(&self, ctx: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        let (width, draw) = (room.width, ctx.draw);
        let mut sheet = Sheet::new(format!("What block {} changed", self.block));
        if let Some(Err(why)) = &self.all {
            sheet.words(&safe::one_line(why), width, draw.text());
            return Some(sheet);
        }
        if self.all.is_none() {
            sheet.dim("Looking.", draw);
        }
        let rows = usize::from(room.height.saturating_sub(if self.dropped() > 0 { 6 } else { 4 })).max(1);
        let cursor = self.cursor.0;
        sheet.rows.extend(scrolled(self.all().len(), cursor..cursor + 1, rows, draw, |at| {
            let change = self.all().get(at)?;
            let pick = match (change.standing.can_any(), self.picked.contains(&change.number)) {
                (false, _) => "   ",
                (_, true) => "[x]",
                (_, false) => "[ ]",
            };
            let mark = match change.change {
                "created" => '+',
                "deleted" => '-',
                _ => '~',
            };
            let room = usize::from(width).saturating_sub(OTHER_COLUMNS + self.state_columns);
            // The name matters more than the folders.
            let path = safe::cut_start(&safe::one_line(&change.path), room);
            let pad = " ".repeat(room.saturating_sub(path.width()));
            let (size, state) = (words::size(change.bytes), state_text(change));
            let text = format!("{pick} {mark} {path}{pad}  {size:>7}{state}");
            Some(entry(text.trim_end(), at == cursor, width, draw))
        }));
        match self.dropped() {
            0 => sheet.gap(),
            dropped => sheet.words(&sentences::dropped(dropped), width, draw.style(Slot::BlockPending)),
        };
        let ways = [(UndoKind::Undo, "   t take back"), (UndoKind::Redo, "   m make again")];
        let ways: String =
            ways.into_iter().filter(|(way, _)| self.has_undoable(*way)).map(|(_, key)| key).collect();
        sheet.dim(format!("Space pick   a all or none   Enter diff{ways}"), draw);
        Some(sheet)
    }
}
