//! Lays out what the next frame shows of a run: takes its output when another run is shown, finds the tables in it, and
//! scrolls to a text that was sought.

use super::{OutputPane, Subject, subject, tables};
use crate::domain::BlockId;
use crate::engine::State;
use crate::engine::transcript::LoadState;
use crate::tui::panes::pictures::Pictures;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::passage::FoundText;
use crate::tui::widgets::virtual_list::VirtualList;
use ratatui::layout::Rect;

impl OutputPane {
    /// Lays out what the next frame shows.
    pub(crate) fn arrange(
        &mut self,
        state: &State,
        chosen: Option<BlockId>,
        area: Rect,
        pictures: &mut Pictures,
        draw: DrawContext<'_>,
    ) {
        self.change_subject(subject(state, chosen), state);
        if self.run(state).is_some_and(|(_, run)| run.ended.is_some()) {
            self.finish_output(area.width);
        }
        if self.area.width != area.width || self.theme != draw.theme.name() {
            self.wrapped.clear();
            draw.theme.name().clone_into(&mut self.theme);
        }
        self.area = area;
        let before = self.head.len();
        pictures.begin_frame();
        self.lay_out_around(state, pictures, draw);
        self.list.shift(before, self.head.len().cast_signed() - before.cast_signed());
        let height = area.height.into();
        self.show_result(state, draw);
        self.arrange_rows(height, draw);
        self.reach_target(state, height, draw);
    }

    /// Shows this subject; lays it out anew if it is another one, or if its output has been loaded.
    fn change_subject(&mut self, subject: Subject, state: &State) {
        let was = self.shown.replace(subject);
        let output_loaded = self.run(state).is_none_or(|(_, run)| run.unloaded_output().is_none());
        // When the output has been loaded, everything about the run is laid out anew.
        let was_here = std::mem::replace(&mut self.output_loaded, output_loaded);
        let has_come = output_loaded && !was_here;
        if was != Some(subject) || has_come {
            self.list = VirtualList::default();
            self.wrapped.clear();
            self.head.clear();
            self.result_shown = false;
            self.skipped = 0;
            self.tables_for = None;
            self.tables.clear();
            self.output = self.load(state);
        }
    }

    /// Ends the last line of an ended run, and finds the tables in its output if they are not known for this width.
    fn finish_output(&mut self, width: u16) {
        let changed = self.output.finish();
        self.forget_wrapped(changed);
        let wanted = Some((width, self.whole));
        if self.tables_for != wanted {
            let count = if self.whole { 0 } else { self.output.len() };
            self.tables = tables::find(count, width.into(), |line| self.output.printed(line));
            self.tables_for = wanted;
        }
    }

    /// Scrolls to the text that is sought, once the output is loaded.
    fn reach_target(&mut self, state: &State, height: usize, draw: DrawContext<'_>) {
        // While the output is still being loaded, the search for `seek` waits; for another output it is dropped.
        let shown = self
            .run(state)
            .map(|(item, run)| (item.block.id, run.unloaded_output().map(|(_, away)| away.load)));
        let comes = shown.filter(|(_, load)| *load != Some(LoadState::Lost)).map(|(block, _)| block);
        self.seek.take_if(|(block, _)| comes != Some(*block));
        if let Some((_, text)) = self.seek.take_if(|_| self.output_loaded) {
            let found = (0..self.output.len())
                .find_map(|line| Some((line, text.first_in(&self.output.printed(line))?)));
            if let Some((line, bytes)) = found {
                self.show(&FoundText { item: self.item(line + 1), line: 0, bytes }, draw);
                self.arrange_rows(height, draw);
            }
        }
    }

    /// Lays the rows out. If a table continues above the top row, its header is shown there.
    fn arrange_rows(&mut self, height: usize, draw: DrawContext<'_>) {
        self.header = self.with(draw, |list, printed| {
            list.arrange(printed, height);
            let top = list.visible.first().copied();
            let header = top.map(|top| printed.header_above(top)).unwrap_or_default();
            if header.is_empty() || header.len() * 2 > height {
                return Vec::new();
            }
            list.arrange(printed, height - header.len());
            // At the end of the list, a smaller height moves the top row: show the header only if it still fits the
            // table.
            let top = list.visible.first().copied();
            if top.map(|top| printed.header_above(top)).unwrap_or_default() == header {
                return header;
            }
            list.arrange(printed, height);
            Vec::new()
        });
    }
}
