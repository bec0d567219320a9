//! Searches in the pager, one portion of the file at a time.

use super::source::{FileLine, SearchOutcome};
use super::{Pager, SearchProgress, paint};
use crate::tui::overlays::{OverlayContext, OverlayResponse};
use crate::tui::paint::output::column_of;
use crate::tui::pattern::Pattern;
use crate::tui::widgets::field::Field;
use ratatui::layout::Rect;
use std::io;
use std::ops::Range;

impl Pager {
    /// Starts a search from the current match, or from the top of the screen.
    pub(super) fn start_search(&mut self, back: bool, room: Rect) -> io::Result<()> {
        let Some(pattern) = self.pattern.clone() else {
            self.message = Some("/ looks for a text.".into());
            return Ok(());
        };
        if let Some((start, bytes)) = self.at.clone()
            && let Some(line) = self.source.lines(start, 1)?.pop()
        {
            let mut places = pattern.find_in(&line.text);
            let next = if back {
                places.take_while(|place| place.start < bytes.start).last()
            } else {
                places.find(|place| place.start > bytes.start)
            };
            if let Some(next) = next {
                return self.show(&line, next, room);
            }
            let from = if back { line.start } else { line.next };
            self.looking = Some(SearchProgress { back, from, turned: false });
        } else {
            self.looking = Some(SearchProgress { back, from: self.top(), turned: false });
        }
        self.search_on(room).map(drop)
    }

    /// Searches the next portion. Returns whether there was one.
    pub(super) fn search_on(&mut self, room: Rect) -> io::Result<bool> {
        let (Some(looking), Some(pattern)) = (self.looking.take(), self.pattern.clone()) else {
            return Ok(false);
        };
        let portion = if looking.back {
            self.source.find_back(&pattern, looking.from)?
        } else {
            self.source.find(&pattern, looking.from)?
        };
        match portion {
            SearchOutcome::Found(line) => {
                let mut places = pattern.find_in(&line.text);
                let place = if looking.back { places.last() } else { places.next() };
                self.message = looking.turned.then(|| {
                    let (from, end) = if looking.back { ("top", "end") } else { ("end", "top") };
                    format!("Past the {from}: on from the {end}.")
                });
                if let Some(place) = place {
                    self.show(&line, place, room)?;
                }
            }
            SearchOutcome::Next(from) => self.looking = Some(SearchProgress { from, ..looking }),
            SearchOutcome::None if looking.turned => self.message = Some("No matches.".into()),
            SearchOutcome::None => {
                let from = if looking.back { self.source.len() } else { 0 };
                self.looking = Some(SearchProgress { from, turned: true, ..looking });
            }
        }
        Ok(true)
    }

    /// Scrolls to a match if it is not visible.
    fn show(&mut self, line: &FileLine, place: Range<usize>, room: Rect) -> io::Result<()> {
        let (width, height) = (self.width(room), self.height(room));
        let row = paint::row_of(&line.text, width, place.start);
        let column = column_of(&line.text, place.start);
        self.at = Some((line.start, place));
        if width.is_none() && !(self.left..self.left + usize::from(room.width)).contains(&column) {
            self.left = column.saturating_sub(usize::from(room.width) / 2);
        }
        let on_screen = self.places(width, height).into_iter().any(|(number, at)| {
            at == row && self.lines.get(number).is_some_and(|shown| shown.start == line.start)
        });
        if !on_screen {
            self.go_to(line.start, height)?;
            self.row = row;
            self.scroll(-2, room)?;
            self.fill(room)?;
        }
        Ok(())
    }

    pub(super) fn search_typed(&mut self, ctx: OverlayContext<'_>) -> Vec<OverlayResponse> {
        let text = self.field.take().map(|field| field.text()).unwrap_or_default();
        if text.is_empty() {
            return Vec::new();
        }
        let pattern = if self.is_expression { Pattern::expression(&text) } else { Pattern::text(&text) };
        match pattern {
            Ok(pattern) => {
                self.pattern = Some(pattern);
                self.at = None;
                self.perform(ctx, |pager, room| pager.start_search(false, room));
                Vec::new()
            }
            Err(error) => {
                self.field = Some(Field::with(&text));
                vec![OverlayResponse::info(format!("{error}.").replace("..", "."))]
            }
        }
    }
}
