//! The list of sessions to compare this one with: those in its tree of branches, else all others.

use super::comparison::ComparisonView;
use super::{Overlay, OverlayContext, OverlayProperties, OverlayResponse};
use crate::domain::Timestamp;
use crate::driver::{ComparableSession, Job, JobResult, Summary, TreeSigns, comparable, own_id};
use crate::engine::State;
use crate::tui::panes::Panes;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::filtered_list::{FilteredList, ListRoom, Matches};
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::sheet::Sheet;
use crate::tui::widgets::{safe, words};
use ratatui::layout::Rect;
use std::path::PathBuf;

/// Columns of a name, including the lines of the tree before it.
const NAME_COLUMNS: usize = 30;

#[derive(Debug)]
pub(crate) struct CompareList {
    /// The id of the open session, and its file once it is known.
    own: (String, Option<PathBuf>),
    /// For drawing rows: the signs of tree lines, and the current time.
    signs: TreeSigns,
    now: Timestamp,
    list: FilteredList<PathBuf>,
    /// Whether all sessions are listed because this one belongs to no tree; `None` while they are being listed.
    is_alone: Option<bool>,
    /// The session that is being compared.
    comparing: Option<PathBuf>,
}

impl CompareList {
    /// The list before the sessions are known; `typed` is already in its field.
    pub(crate) fn with(typed: &str, state: &State, draw: DrawContext<'_>) -> Self {
        let mut list = FilteredList::new([], |_| true);
        list.matches.filter.set(typed);
        let own = (own_id(state).to_owned(), None);
        Self { own, signs: draw.glyphs.tree, now: draw.now, list, is_alone: None, comparing: None }
    }

    /// Takes the list of sessions; chooses the one written last, except the open one.
    fn set_sessions(&mut self, all: &[Summary]) {
        let (listed, is_alone) = comparable(all, &self.own.0, self.signs);
        let others = listed.iter().filter(|one| one.session.id != self.own.0);
        let newest = others.max_by_key(|one| one.session.modified).map(|one| one.session.path.clone());
        let rows = listed.iter().map(|one| (one.session.path.clone(), self.row(one, is_alone)));
        let rows: Vec<(PathBuf, String)> = rows.collect();
        self.own.1 = all.iter().find(|one| one.id == self.own.0).map(|one| one.path.clone());
        let is_typed = !self.list.matches.filter.text().is_empty();
        self.list.replace(rows, |path| !is_typed && Some(path) == newest.as_ref());
        self.is_alone = Some(is_alone);
    }

    /// `└ sales-q3-2        12 min     9 msgs  at block 3`
    fn row(&self, one: &ComparableSession, is_alone: bool) -> String {
        let session = &one.session;
        let name = safe::cut(&format!("{}{}", one.lead, safe::one_line(session.label())), NAME_COLUMNS);
        let messages = words::count(usize::try_from(session.messages).unwrap_or(usize::MAX), "msg");
        let place = match session.branch_at {
            _ if session.id == self.own.0 => "this one".to_owned(),
            Some(at) if !is_alone => format!("at {at}"),
            _ => String::new(),
        };
        let ago = words::ago(self.now, session.modified);
        format!("{name:<NAME_COLUMNS$}  {ago:<7} {messages:>9}  {place}").trim_end().to_owned()
    }
}

impl Overlay for CompareList {
    fn properties(&self) -> OverlayProperties {
        OverlayProperties { width: 72, ..OverlayProperties::default() }
    }

    fn matches(&mut self) -> Option<&mut Matches> {
        Some(&mut self.list.matches)
    }

    fn accept(&mut self, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        let chosen = self.list.chosen().filter(|_| self.comparing.is_none());
        let Some(path) = chosen.map(|(path, _)| path.clone()) else { return Vec::new() };
        if self.own.1.as_ref() == Some(&path) {
            return vec![OverlayResponse::info("That is this session. Choose another one.")];
        }
        self.comparing = Some(path.clone());
        vec![OverlayResponse::job(Job::Compare(path))]
    }

    fn job_done(&mut self, found: &JobResult) -> Option<Vec<OverlayResponse>> {
        match found {
            JobResult::Sessions(all) => {
                self.set_sessions(all);
                Some(Vec::new())
            }
            JobResult::Compared(path, compared) => {
                self.comparing.take_if(|comparing| comparing == path)?;
                Some(vec![ComparisonView::response(compared)])
            }
            _ => None,
        }
    }

    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        hints.plain("type to filter", "", 2).plain("Up/Down", "", 2);
        hints.plain("Enter", "compare", 0).plain("Esc", "back", 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        Some(match (self.is_alone, self.comparing.is_some()) {
            (None, _) => "Looking for sessions.".into(),
            (_, true) => "Comparing.".into(),
            (Some(_), false) => "Nothing is changed by comparing.".into(),
        })
    }

    fn sheet(&self, ctx: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        let (width, draw) = (room.width, ctx.draw);
        let title = "Compare this session with";
        let room = ListRoom { area: room, others: 5, most: 12 };
        let mut sheet = self.list.sheet(title, room, draw, |_, row| row.to_owned());
        let text = match (self.is_alone, self.list.counts()) {
            (None, _) => "  Looking for sessions.",
            (_, (0, _)) => "  There is no other session.",
            (_, (_, 0)) => "  Nothing matches.",
            (Some(true), _) => "  It has no branches: these are the other sessions.",
            _ => "  Its branches, what it is a branch of, and the branches of that.",
        };
        sheet.dim(safe::cut(text, width.into()), draw);
        Some(sheet)
    }
}
