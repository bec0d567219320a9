//! The borders between panes that the person moved: where they were put, and which positions are possible.
//!
//! The positions are stored for each state of the block (`LayoutActivity`), as the default shares are. They are saved as
//! lines of text; a file with any line that can't be parsed counts as no borders at all.

use super::{Arrangement, LayoutActivity, SizeClass, part};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Border {
    /// Between the conversation and the panes beside or below it.
    Chat,
    /// Between code and output.
    Code,
}

/// The smallest size of a pane, its border included.
const MIN_ROWS: u16 = 3;
const MIN_COLUMNS: u16 = 24;

/// Where the person put the borders; `None` for one that was not moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Borders {
    /// The width of the conversation beside code and output, in columns.
    columns: Option<u16>,
    /// The height of the conversation above them, in hundredths of the rows between the header and the last two
    /// rows.
    rows: [Option<u16>; LayoutActivity::ALL.len()],
    /// The height of the code, in hundredths of what code and output have together.
    code: [Option<u16>; LayoutActivity::ALL.len()],
}

impl Borders {
    /// The width of the conversation on a screen of this width.
    pub(super) fn chat_columns(&self, width: u16) -> Option<u16> {
        let most = width.saturating_sub(MIN_COLUMNS).max(MIN_COLUMNS);
        self.columns.map(|columns| columns.clamp(MIN_COLUMNS, most))
    }

    /// The height of the conversation: a share of `tall` rows, where `most` are left for it and the panes
    /// below.
    pub(super) fn chat_rows(&self, activity: LayoutActivity, tall: u16, most: u16) -> Option<u16> {
        let hundredths = self.rows.get(activity as usize).copied().flatten()?;
        Some(part(tall, hundredths).min(most.saturating_sub(2 * MIN_ROWS)).max(MIN_ROWS))
    }

    pub(super) fn code_rows(&self, activity: LayoutActivity, height: u16) -> Option<u16> {
        let hundredths = self.code.get(activity as usize).copied().flatten()?;
        Some(part(height, hundredths).min(height.saturating_sub(MIN_ROWS)).max(MIN_ROWS))
    }

    /// Moves a border to this column or row of the screen. Without effect if the border is not on screen.
    #[must_use]
    pub(crate) fn move_to(
        mut self,
        border: Border,
        at: u16,
        activity: LayoutActivity,
        arrangement: &Arrangement,
    ) -> Self {
        match (border, arrangement.class) {
            (Border::Chat, SizeClass::Wide) => {
                self.columns = Some((at + 1).saturating_sub(arrangement.body.x));
            }
            (Border::Chat, _) => {
                let rows = (at + 1).saturating_sub(arrangement.body.y);
                if let Some(kept) = self.rows.get_mut(activity as usize) {
                    *kept = Some(hundredths(rows, arrangement.body.height));
                }
            }
            (Border::Code, _) => {
                if let (Some(code), Some(output)) = (arrangement.code, arrangement.output) {
                    // Both panes include the shared border.
                    let height = output.outer.bottom().saturating_sub(code.outer.y);
                    let rows = (at + 1).saturating_sub(code.outer.y);
                    if let Some(kept) = self.code.get_mut(activity as usize) {
                        *kept = Some(hundredths(rows, height));
                    }
                }
            }
        }
        self
    }

    /// Writes the borders as lines of a file.
    pub(crate) fn to_text(self) -> String {
        let mut text = String::new();
        if let Some(columns) = self.columns {
            text += &format!("chat columns {columns}\n");
        }
        for (name, kept) in [("chat", self.rows), ("code", self.code)] {
            for (activity, hundredths) in LayoutActivity::ALL.iter().zip(kept) {
                if let Some(hundredths) = hundredths {
                    text += &format!("{name} {} {hundredths}\n", activity.name());
                }
            }
        }
        text
    }

    /// Parses the lines of a file; `None` if any line can't be parsed.
    pub(crate) fn of_text(text: &str) -> Option<Self> {
        let mut borders = Self::default();
        for line in text.lines() {
            let mut words = line.split(' ');
            let (name, what, value) = (words.next()?, words.next()?, words.next()?.parse::<u16>().ok()?);
            if words.next().is_some() {
                return None;
            }
            if (name, what) == ("chat", "columns") {
                borders.columns = Some(value);
                continue;
            }
            let at = LayoutActivity::parse(what)? as usize;
            let kept = match name {
                "chat" => borders.rows.get_mut(at)?,
                "code" => borders.code.get_mut(at)?,
                _ => return None,
            };
            *kept = Some(value).filter(|value| *value <= 100);
            (*kept)?;
        }
        Some(borders)
    }
}

/// Converts rows to hundredths of all rows: the smallest number that converts back to the same rows.
fn hundredths(rows: u16, of: u16) -> u16 {
    let all = u32::from(of.max(1));
    u16::try_from((u32::from(rows) * 100).div_ceil(all)).unwrap_or(100).min(100)
}

impl Arrangement {
    /// The column or row of a border.
    pub(crate) fn border(&self, border: Border) -> Option<u16> {
        let chat = self.chat?.outer;
        match (border, self.class) {
            (Border::Code, _) => self.output.filter(|_| self.code.is_some()).map(|slot| slot.outer.y),
            (Border::Chat, SizeClass::Wide) => (chat.right() < self.body.right()).then(|| chat.right() - 1),
            (Border::Chat, _) => self.code.or(self.output).map(|slot| slot.outer.y),
        }
    }

    /// The border at a position on screen.
    pub(crate) fn border_at(&self, column: u16, row: u16) -> Option<Border> {
        let is_at = |border: Border, at: u16, near: u16| {
            self.border(border).is_some_and(|there| at.abs_diff(there) <= near)
        };
        if !self.body.contains(ratatui::layout::Position { x: column, y: row }) {
            return None;
        }
        // The columns beside the border hold no text: they count as the border.
        let (at, near) = if self.class == SizeClass::Wide { (column, 1) } else { (row, 0) };
        if is_at(Border::Chat, at, near) {
            return Some(Border::Chat);
        }
        let in_column = self.output.is_some_and(|s| (s.outer.x..s.outer.right()).contains(&column));
        (in_column && is_at(Border::Code, row, 0)).then_some(Border::Code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::widgets::layout::{LayoutRequest, Pane};
    use proptest::prelude::*;

    fn arranged(width: u16, height: u16, activity: LayoutActivity, borders: Borders) -> Arrangement {
        let wants = LayoutRequest {
            activity,
            focus: Pane::Message,
            code: true,
            output: true,
            borders,
            ..LayoutRequest::default()
        };
        Arrangement::of(width, height, wants)
    }

    #[test]
    fn a_border_stands_where_it_was_put_and_for_that_state_alone() {
        for (width, height) in [(140, 40), (120, 28), (100, 30)] {
            for border in [Border::Chat, Border::Code] {
                let before = arranged(width, height, LayoutActivity::Done, Borders::default());
                let at = before.border(border).expect("both panes are there") + 1;
                let moved = Borders::default().move_to(border, at, LayoutActivity::Done, &before);
                let after = arranged(width, height, LayoutActivity::Done, moved);
                assert_eq!(after.border(border), Some(at), "{width}x{height} {border:?}");
                if border == Border::Code {
                    let other = arranged(width, height, LayoutActivity::Running, moved);
                    assert_eq!(other, arranged(width, height, LayoutActivity::Running, Borders::default()));
                }
            }
        }
    }

    #[test]
    fn a_file_that_is_broken_is_no_border() {
        for text in [
            "chat",
            "chat columns",
            "chat columns x",
            "code done 101",
            "code new 3",
            "a done 3",
            "code done 3 4",
        ] {
            assert_eq!(Borders::of_text(text), None, "{text}");
        }
        assert_eq!(Borders::of_text(""), Some(Borders::default()));
    }

    proptest! {
        #[test]
        fn whatever_was_put_is_kept_and_leaves_every_pane_its_rows(
            width in 96u16..250, height in 26u16..90, activity in 0usize..6, columns in 0u16..400, rows in 0u16..200,
        ) {
            let activity = LayoutActivity::ALL[activity];
            let made = arranged(width, height, activity, Borders::default());
            let borders = Borders::default()
                .move_to(Border::Chat, if made.class == SizeClass::Wide { columns } else { rows }, activity, &made)
                .move_to(Border::Code, rows, activity, &made);
            prop_assert_eq!(Borders::of_text(&borders.to_text()), Some(borders));
            let made = arranged(width, height, activity, borders);
            for slot in [made.chat, made.code] {
                let slot = slot.expect("it is there");
                prop_assert!(slot.outer.height >= MIN_ROWS && slot.outer.width >= MIN_COLUMNS);
            }
            // The two panes share the border, but nothing inside it.
            let message = made.message.expect("it is there").outer;
            prop_assert!(!message.intersects(made.code.expect("it is there").inner));
        }
    }
}
