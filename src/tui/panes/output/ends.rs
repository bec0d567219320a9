//! Lays out the rows before and after the output: how the run ended, its result, its images.

use super::receipt::RunRows;
use super::{EndedStamp, OutputPane, Subject, first_error, receipt, tables};
use crate::domain::RunReport;
use crate::engine::State;
use crate::engine::transcript::{BlockItem, BlockStatus, RunItem};
use crate::tui::panes::pictures::Pictures;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::safe;
use ratatui::text::Line;

impl OutputPane {
    /// Lays out the rows before and after the output.
    pub(super) fn lay_out_around(&mut self, state: &State, pictures: &mut Pictures, draw: DrawContext<'_>) {
        self.lay_out_ends(state, pictures, draw);
        if self.whole {
            let (width, tables) = (self.area.width.into(), std::mem::take(&mut self.head_tables));
            let wrapped = |(at, line): (usize, Line<'static>)| match tables::table_at(&tables, at) {
                Some(_) => safe::wrapped(&line, width),
                None => vec![line],
            };
            self.head = std::mem::take(&mut self.head).into_iter().enumerate().flat_map(wrapped).collect();
        }
    }

    fn lay_out_ends(&mut self, state: &State, pictures: &mut Pictures, draw: DrawContext<'_>) {
        self.head.clear();
        self.head_tables.clear();
        self.tail.clear();
        if self.lay_out_image(state, pictures, draw) {
            return;
        }
        let width = self.area.width;
        match self.shown {
            None | Some(Subject::Nothing) => self.tail.push(Line::styled("No output yet.", draw.dim())),
            Some(Subject::NotRun(block)) => {
                let item = state.transcript.blocks.get(&block);
                let is_told = state.is_told(block);
                self.tail =
                    item.map(|item| receipt::not_run_rows(item, is_told, width, draw)).unwrap_or_default();
            }
            Some(Subject::Run(..)) => self.lay_out_run(state, pictures, draw),
        }
    }

    /// Lays out the rows around the output of the run on screen.
    fn lay_out_run(&mut self, state: &State, pictures: &mut Pictures, draw: DrawContext<'_>) {
        let Some((item, run)) = self.run(state) else { return };
        let width = self.area.width;
        let rows = match &run.ended {
            Some((_, report)) => self.ended_rows(item, run, report, draw),
            None if run.lost => RunRows { head: receipt::lost_rows(item, width, draw), ..RunRows::default() },
            None => RunRows::default(),
        };
        (self.head, self.head_tables, self.tail) = (rows.head, rows.tables, rows.tail);
        self.head.extend(receipt::changes::undo_rows(run, width, draw));
        self.add_images(state, pictures, draw);
        let Some((_, report)) = &run.ended else { return };
        self.head.extend(receipt::undrawn_rows(report, width, draw));
        let is_silent = self.output_loaded
            && self.output.is_empty()
            && self.tail.is_empty()
            && self.image_rows.is_empty();
        // Nothing was printed, and none of it was lost.
        if is_silent && !receipt::has_result(report) && report.receipt.connection_losses == 0 {
            self.tail.push(Line::styled("It printed nothing.", draw.dim()));
        }
    }

    /// The rows about a run that has ended, laid out anew only if something changed that they depend on.
    fn ended_rows(
        &mut self,
        item: &BlockItem,
        run: &RunItem,
        report: &RunReport,
        draw: DrawContext<'_>,
    ) -> RunRows {
        let width = self.area.width;
        let stamp = EndedStamp {
            run: run.run,
            width,
            theme: self.theme.clone(),
            away: run.unloaded_output().map(|(_, away)| away),
            output_loaded: self.output_loaded,
            waits: item.status == BlockStatus::Open,
        };
        if let Some((of, rows)) = &self.ended
            && *of == stamp
        {
            return rows.clone();
        }
        let first_error = first_error::of_run(item, report).filter(|_| self.output_loaded);
        let rows = receipt::end_rows(item, run, report, first_error.as_deref(), width, draw);
        self.ended = Some((stamp, rows.clone()));
        rows
    }

    /// Adds the images of the run to the rows before the output.
    fn add_images(&mut self, state: &State, pictures: &mut Pictures, draw: DrawContext<'_>) {
        let width = self.area.width;
        let size = (width.min(80), (self.area.height * 2 / 3).clamp(4, 30));
        self.image_rows.clear();
        for (at, image) in self.images(state).into_iter().enumerate() {
            let first = self.head.len();
            let is_file = self.is_file(state, at);
            let rows = pictures.rows(image, size.0, size.1);
            let undrawn = pictures.undrawn(image, size);
            self.head.push(receipt::image_row(at + 1, image, undrawn, is_file, width, draw));
            self.head.extend(rows);
            self.image_rows.push(first..self.head.len());
        }
    }
}
