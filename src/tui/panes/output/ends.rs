//! Lays out the rows before and after the output: how the run ended, its result, its images.

use super::receipt::RunRows;
use super::{OutputPane, Subject, first_error, receipt, tables};
use crate::engine::State;
use crate::engine::transcript::BlockStatus;
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
            Some(Subject::Run(..)) => {
                let Some((item, run)) = self.run(state) else { return };
                let images = self.images(state);
                let away = run.unloaded_output().map(|(_, away)| away);
                let waits = item.status == BlockStatus::Open;
                let told = match &run.ended {
                    Some((_, report)) => {
                        let made_for = (run.run, width, self.theme.clone(), away, self.output_loaded, waits);
                        let rows = match self.ended.take() {
                            Some((of, rows)) if of == made_for => rows,
                            _ => {
                                let first = first_error::of_run(item, report).filter(|_| self.output_loaded);
                                let told = (&**report, &run.terms.language, away, waits);
                                receipt::end_rows(told, first.as_deref(), width, draw)
                            }
                        };
                        self.ended = Some((made_for, rows.clone()));
                        rows
                    }
                    None if run.lost => {
                        RunRows { head: receipt::lost_rows(item, width, draw), ..RunRows::default() }
                    }
                    None => RunRows::default(),
                };
                self.tail = told.tail;
                self.head = told.head;
                self.head_tables = told.tables;
                self.head.extend(receipt::changes::undo_rows(run, width, draw));
                self.image_rows.clear();
                for (number, image) in images.iter().enumerate() {
                    let first = self.head.len();
                    let is_file = self.is_file(state, number);
                    let size = (width.min(80), (self.area.height * 2 / 3).clamp(4, 30));
                    let rows = pictures.rows(image, size.0, size.1);
                    let undrawn = pictures.undrawn(image, size);
                    self.head.push(receipt::image_row(number + 1, image, undrawn, is_file, width, draw));
                    self.head.extend(rows);
                    self.image_rows.push(first..self.head.len());
                }
                let report = run.ended.as_ref().map(|(_, report)| report);
                self.head
                    .extend(report.into_iter().flat_map(|report| receipt::undrawn_rows(report, width, draw)));
                let is_silent =
                    self.output_loaded && self.output.is_empty() && self.tail.is_empty() && images.is_empty();
                // Nothing was printed, and none of it was lost.
                let is_known = report.is_some_and(|report| {
                    !receipt::has_result(report) && report.receipt.connection_losses == 0
                });
                if is_silent && is_known {
                    self.tail.push(Line::styled("It printed nothing.", draw.dim()));
                }
            }
        }
    }
}
