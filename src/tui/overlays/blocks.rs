//! The list of blocks whose code can be copied, newest first.

use super::{Overlay, OverlayContext, OverlayProperties, OverlayResponse};
use crate::domain::BlockId;
use crate::engine::State;
use crate::tui::panes::Panes;
use crate::tui::ui_command::UiCommand;
use crate::tui::widgets::filtered_list::{FilteredList, ListRoom, Matches};
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::sheet::Sheet;
use crate::tui::widgets::{safe, words};
use ratatui::layout::Rect;

/// How many columns of a block's first line are shown and searched.
const MAX_LINE_COLUMNS: usize = 60;

/// The list; each row has number, language and first line.
#[derive(Debug)]
pub(crate) struct BlockList(FilteredList<BlockId>);

impl BlockList {
    /// Lists the blocks of a session; the cursor is on the one on screen.
    pub(crate) fn of(state: &State, on_screen: Option<BlockId>) -> Self {
        let row = |item: &crate::engine::transcript::BlockItem| {
            let first =
                safe::cut(&safe::one_line(words::first_line(&item.block.current().source)), MAX_LINE_COLUMNS);
            let row = format!("{:<4} {:<10} {first}", item.block.id, safe::one_line(&item.block.label()));
            (item.block.id, row)
        };
        let all = state.transcript.blocks.values().rev().map(row);
        Self(FilteredList::new(all, |block| Some(*block) == on_screen))
    }
}

/// Copies the code of a block, or says why that is not possible.
pub(crate) fn copied(state: &State, block: BlockId) -> OverlayResponse {
    let Some(item) = state.transcript.blocks.get(&block) else {
        return OverlayResponse::warn(format!("There is no block {block}."));
    };
    match &*item.block.current().source {
        "" => OverlayResponse::info(format!("Block {block} is empty: there is nothing to copy.")),
        source => OverlayResponse::UiCommand(UiCommand::Copy(source.to_owned())),
    }
}

impl Overlay for BlockList {
    fn properties(&self) -> OverlayProperties {
        OverlayProperties { width: 76, ..OverlayProperties::default() }
    }

    fn matches(&mut self) -> Option<&mut Matches> {
        Some(&mut self.0.matches)
    }

    fn accept(&mut self, ctx: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        let block = self.0.chosen();
        std::iter::once(OverlayResponse::Close)
            .chain(block.map(|(block, _)| copied(ctx.state, *block)))
            .collect()
    }

    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        hints.plain("type to filter", "", 2).plain("Up/Down", "", 2);
        hints.plain("Enter", "copy", 0).plain("Esc", "back", 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        let (all, shown) = self.0.counts();
        Some(format!("{shown} of {}.", words::count(all, "block")))
    }

    fn sheet(&self, ctx: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        let (title, draw) = ("Copy the code of a block", ctx.draw);
        let room = ListRoom { area: room, others: 4, most: 12 };
        let mut sheet = self.0.sheet(title, room, draw, |_, row| row.to_owned());
        if self.0.counts().1 == 0 {
            sheet.dim("  No block matches.", draw);
        }
        Some(sheet)
    }
}
