//! Shows a single image of a run in the whole pane, and goes from one image to the next.

use super::receipt;
use super::{OutputPane, Subject};
use crate::domain::ImageRef;
use crate::engine::State;
use crate::tui::panes::pictures::Pictures;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::virtual_list::Anchor;
use ratatui::text::Line;

/// The image that is shown alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct SingleImage {
    subject: Subject,
    pub(super) number: usize,
    /// The scroll position before, and how many rows the head had then.
    before: Option<Anchor>,
    head: usize,
}

impl OutputPane {
    /// Shows the image in view alone, or the output again. `false` if there is no image.
    pub(crate) fn toggle_image(&mut self, state: &State) -> bool {
        if self.leave_image() {
            return true;
        }
        let (Some(subject), Some(number)) = (self.shown, self.image_in_view(self.images(state).len())) else {
            return false;
        };
        self.single_image =
            Some(SingleImage { subject, number, before: self.list.anchor, head: self.head.len() });
        true
    }

    /// Shows the output again. `false` if it is shown already.
    pub(crate) fn leave_image(&mut self) -> bool {
        let Some(alone) = self.single_image.take() else { return false };
        // The position counts rows of the head as it was then. Give the head that length until it is laid out, so that
        // the rows after it move only by what was added or removed meanwhile.
        self.list.shift(self.head.len(), alone.head.cast_signed() - self.head.len().cast_signed());
        self.head.resize(alone.head, Line::default());
        self.list.anchor = alone.before;
        true
    }

    /// Whether an image is shown alone.
    pub(crate) fn shows_image(&self) -> bool {
        self.single_image.is_some()
    }

    /// Goes to the next image, or to the one before. `false` if none is shown alone.
    pub(super) fn step_image(&mut self, by: isize) -> bool {
        let Some(alone) = &mut self.single_image else { return false };
        // The number is limited when the image is laid out.
        alone.number = alone.number.saturating_add_signed(by.signum());
        true
    }

    /// The number of the image shown alone; keys since the last frame may have gone beyond the last image.
    fn image_number(&self, images: usize) -> Option<usize> {
        self.single_image.map(|alone| alone.number.min(images.saturating_sub(1)))
    }

    /// The number of the image in view: the one shown alone; else the first whose name is visible; else the one in
    /// whose middle the view is, or the next one below; else the last.
    fn image_in_view(&self, images: usize) -> Option<usize> {
        let last = images.checked_sub(1)?;
        let visible = &self.list.visible;
        let top = visible.first().map_or(0, |top| top.item);
        let end = visible.last().map_or(0, |end| end.item + 1);
        let named = || self.image_rows.iter().position(|rows| (top..end).contains(&rows.start));
        let held = || self.image_rows.iter().position(|rows| top < rows.end);
        Some(self.image_number(images).or_else(named).or_else(held).unwrap_or(last).min(last))
    }

    /// The image in view.
    pub(crate) fn image<'a>(&self, state: &'a State) -> Option<&'a ImageRef> {
        let images = self.images(state);
        images.get(self.image_in_view(images.len())?).copied()
    }

    /// Whether there are images before and after the one shown alone.
    pub(crate) fn image_neighbours(&self, state: &State) -> (bool, bool) {
        let images = self.images(state).len();
        self.image_number(images).map_or((false, false), |number| (number > 0, number + 1 < images))
    }

    /// `image 2 of 3`, if one is shown alone.
    pub(super) fn image_position(&self, state: &State) -> Option<String> {
        let images = self.images(state).len();
        Some(format!("image {} of {images}", self.image_number(images)? + 1))
    }

    /// Whether an image of the run already is a file in the working folder.
    pub(super) fn is_file(&self, state: &State, number: usize) -> bool {
        let report = self.run(state).and_then(|(_, run)| run.ended.as_ref());
        report.is_some_and(|(_, report)| number >= report.images.len())
    }

    /// The images that saving would write: the one shown alone, else all that the run displayed. Images that it wrote
    /// as files are left out.
    pub(crate) fn unsaved<'a>(&self, state: &'a State) -> Vec<&'a ImageRef> {
        let images = self.images(state);
        let alone = self.image_number(images.len());
        let is_meant = |number| alone.is_none_or(|alone| alone == number);
        images
            .into_iter()
            .enumerate()
            .filter(|(number, _)| is_meant(*number) && !self.is_file(state, *number))
            .map(|(_, image)| image)
            .collect()
    }

    /// Lays out the image shown alone. `false` if there is none, or it no longer exists.
    pub(super) fn lay_out_image(
        &mut self,
        state: &State,
        pictures: &mut Pictures,
        draw: DrawContext<'_>,
    ) -> bool {
        let images = self.images(state);
        let last = images.len().checked_sub(1);
        self.single_image =
            self.single_image.filter(|alone| Some(alone.subject) == self.shown && last.is_some());
        let (Some(alone), Some(last)) = (self.single_image.as_mut(), last) else { return false };
        let number = alone.number.min(last);
        alone.number = number;
        let Some(image) = images.get(number) else { return false };
        let (width, height) = (self.area.width, self.area.height.saturating_sub(1));
        let rows = pictures.rows(image, width, height);
        let undrawn = pictures.undrawn(image, (width, height));
        let is_file = self.is_file(state, number);
        self.head.push(receipt::image_row(number + 1, image, undrawn, is_file, width, draw));
        self.head.extend(rows);
        self.list.anchor = Some(Anchor { item: 0, row: 0 });
        true
    }
}
