//! The places of this session at which it can be left for a branch: each message by its first words, each block, its end.

use super::{Overlay, OverlayContext, OverlayResponse};
use crate::domain::{BlockId, BranchPoint};
use crate::engine::State;
use crate::engine::transcript::Item;
use crate::tui::panes::Panes;
use crate::tui::ui_command::Exit;
use crate::tui::widgets::field::Field;
use crate::tui::widgets::filter::{Cursor, rank};
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::sheet::{Sheet, entry};
use crate::tui::widgets::{safe, words};
use ratatui::layout::Rect;
use ratatui::text::Line;

/// Columns of a row that show first words.
const SHOWN: usize = 56;

/// The list, in the order of the conversation.
#[derive(Debug)]
pub(crate) struct BranchList {
    filter: Field,
    places: Vec<BranchPoint>,
    rows: Vec<String>,
    shown: Vec<usize>,
    cursor: Cursor,
}

impl BranchList {
    /// The places of a session; this block is chosen, where there is one, else the end.
    pub(crate) fn of(state: &State, block: Option<BlockId>) -> Self {
        let row = |place: String, text: &str| {
            format!("{place:<12} {}", safe::cut(&safe::one_line(words::first_line(text)), SHOWN))
        };
        let (mut all, mut prompts) = (Vec::new(), 0);
        for item in &state.transcript.items {
            let blocks = match item {
                Item::Prompt { text, .. } => {
                    prompts += 1;
                    all.push((BranchPoint::Prompt(prompts), row(format!("message {prompts}"), text)));
                    continue;
                }
                Item::Reply(reply) => reply.blocks.as_slice(),
                Item::Own { block, .. } => std::slice::from_ref(block),
                _ => continue,
            };
            for item in blocks.iter().filter_map(|id| state.transcript.blocks.get(id)) {
                let id = item.block.id;
                all.push((BranchPoint::Block(id), row(format!("block {id}"), &item.block.current().source)));
            }
        }
        all.push((BranchPoint::End, row("here".into(), "with all that was said and done")));
        let (places, rows): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        let chosen = block.map_or(BranchPoint::End, BranchPoint::Block);
        let at = places.iter().position(|place| *place == chosen).unwrap_or(places.len().saturating_sub(1));
        let shown = (0..places.len()).collect();
        Self { filter: Field::line(), places, rows, shown, cursor: Cursor(at) }
    }

    fn chosen(&self) -> Option<BranchPoint> {
        self.shown.get(self.cursor.0).and_then(|at| self.places.get(*at)).copied()
    }
}

impl Overlay for BranchList {
    fn width(&self) -> u16 {
        76
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.filter)
    }

    fn list(&mut self) -> Option<(&mut Cursor, usize)> {
        Some((&mut self.cursor, self.shown.len()))
    }

    fn changed(&mut self, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        self.cursor.0 = 0;
        self.shown = rank(&self.filter.text(), &self.rows);
        Vec::new()
    }

    fn accept(&mut self, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        let Some(place) = self.chosen() else { return Vec::new() };
        vec![OverlayResponse::Close, OverlayResponse::LeaveFor(Exit::Branch(place))]
    }

    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        hints.plain("type to filter", "", 2).plain("Up/Down", "", 2);
        hints.plain("Enter", "branch", 0).plain("Esc", "back", 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        Some("This session stays as it is; files are not taken back.".into())
    }

    fn sheet(&self, around: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        let (width, look) = (room.width, around.look);
        let mut sheet = Sheet::new("Go on in a branch");
        sheet.field("> ", &self.filter, width, look).rule(width, look);
        let rows = usize::from(room.height.saturating_sub(5).clamp(1, 12));
        let first = self.cursor.window(rows);
        for (at, row) in self.shown.iter().enumerate().skip(first).take(rows) {
            let text = self.rows.get(*row).map(String::as_str).unwrap_or_default();
            sheet.row(entry(text, at == self.cursor.0, width, look));
        }
        let told = match self.chosen() {
            Some(BranchPoint::Prompt(_)) => "  Before this message, which stands in Message then.",
            Some(BranchPoint::Block(_)) => "  Before this block, which waits again.",
            Some(_) => "  Behind all that is there.",
            None => "  Nothing matches.",
        };
        sheet.row(Line::styled(told, look.dim()));
        Some(sheet)
    }
}
