//! The list of places at which this session can be branched: each message, each block, its end.

use super::{Overlay, OverlayContext, OverlayProperties, OverlayResponse};
use crate::domain::{BlockId, BranchPoint};
use crate::engine::State;
use crate::engine::transcript::Item;
use crate::tui::panes::Panes;
use crate::tui::ui_command::Exit;
use crate::tui::widgets::filtered_list::{FilteredList, ListRoom, Matches};
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::sheet::Sheet;
use crate::tui::widgets::{safe, words};
use ratatui::layout::Rect;

/// Columns of a row for the first words of a text.
const MAX_LINE_COLUMNS: usize = 56;

/// The list, in the order of the conversation.
#[derive(Debug)]
pub(crate) struct BranchList(FilteredList<BranchPoint>);

impl BranchList {
    /// Lists the places of a session; chooses this block if there is one, else the end.
    pub(crate) fn of(state: &State, block: Option<BlockId>) -> Self {
        let row = |place: String, text: &str, rest: &str| {
            let first = safe::one_line(words::first_line(text)) + rest;
            format!("{place:<12} {}", safe::cut(&first, MAX_LINE_COLUMNS))
        };
        let (mut all, mut prompts) = (Vec::new(), 0);
        for (at, item) in state.transcript.items.iter().enumerate() {
            let blocks = match item {
                Item::Prompt { text, .. } => {
                    prompts += 1;
                    // The rest of the message is only in the session file.
                    let rest = state.transcript.message_away(at).map_or("", |_| " …");
                    all.push((BranchPoint::Prompt(prompts), row(format!("message {prompts}"), text, rest)));
                    continue;
                }
                Item::Reply(reply) => reply.blocks.as_slice(),
                Item::Own { block, .. } => std::slice::from_ref(block),
                _ => continue,
            };
            for item in blocks.iter().filter_map(|id| state.transcript.blocks.get(id)) {
                let id = item.block.id;
                all.push((
                    BranchPoint::Block(id),
                    row(format!("block {id}"), &item.block.current().source, ""),
                ));
            }
        }
        all.push((BranchPoint::End, row("here".into(), "with all that was said and done", "")));
        let chosen =
            block.map(BranchPoint::Block).filter(|block| all.iter().any(|(place, _)| place == block));
        let chosen = chosen.unwrap_or(BranchPoint::End);
        Self(FilteredList::new(all, |place| *place == chosen))
    }
}

impl Overlay for BranchList {
    fn properties(&self) -> OverlayProperties {
        OverlayProperties { width: 76, ..OverlayProperties::default() }
    }

    fn matches(&mut self) -> Option<&mut Matches> {
        Some(&mut self.0.matches)
    }

    fn accept(&mut self, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        let Some((place, _)) = self.0.chosen() else { return Vec::new() };
        vec![OverlayResponse::Close, OverlayResponse::LeaveFor(Exit::Branch(*place))]
    }

    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        hints.plain("type to filter", "", 2).plain("Up/Down", "", 2);
        hints.plain("Enter", "branch", 0).plain("Esc", "back", 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        Some("This session stays as it is; files are not taken back.".into())
    }

    fn sheet(&self, ctx: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        let draw = ctx.draw;
        let room = ListRoom { area: room, others: 5, most: 12 };
        let mut sheet = self.0.sheet("Go on in a branch", room, draw, |_, row| row.to_owned());
        let text = match self.0.chosen().map(|(place, _)| place) {
            Some(BranchPoint::Prompt(_)) => "  Before this message, which stands in Message then.",
            Some(BranchPoint::Block(_)) => "  Before this block, which waits again.",
            Some(_) => "  Behind all that is there.",
            None => "  Nothing matches.",
        };
        sheet.dim(text, draw);
        Some(sheet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Entry, Timestamp};
    use crate::engine::transcript::PagedTranscript;

    #[test]
    fn the_first_words_of_a_message_that_is_known_in_part_go_on() {
        let (letters, long) = ("\u{1d400}".repeat(4_000), "y".repeat(6 << 20));
        let mut paged = PagedTranscript::default();
        paged.extend([&*letters, &*long, "last"].map(|text| (Timestamp(0), Entry::Prompt(text.into()))));
        let state = State { transcript: paged.into(), ..State::default() };
        assert!(state.transcript.message_away(0).is_some());
        let rows = format!("{:?}", BranchList::of(&state, None));
        assert!(rows.contains("\u{1d400} …") && rows.contains("message 3    last\""), "{rows}");
    }
}
