//! Computes where everything is drawn on a terminal of a given size. Pure arithmetic: sizes in, rectangles out.
//!
//! There are three size classes. The shares of the panes depend on the state of the block and on nothing else,
//! so that the screen doesn't jump while a person reads. An empty pane has no slot: the others get its room,
//! and without code and output the conversation has the whole screen. Neighbouring panes share the border
//! between them.

mod borders;
mod classes;

use crate::tui::enum_names::enum_with_names;
pub(crate) use borders::{Border, Borders};
use ratatui::layout::Rect;

/// On a smaller window only a line that says so is drawn, and decisions are locked.
pub(crate) const MIN_WINDOW_SIZE: (u16, u16) = (50, 12);

/// How much room there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SizeClass {
    /// Conversation on the left, code above output on the right.
    Wide,
    /// All panes stacked.
    Medium,
    /// One pane at a time, tabs in the first row.
    Narrow,
    /// Too small to show any pane.
    TooSmall,
}

impl SizeClass {
    /// The class of a window of so many columns and rows.
    pub(crate) fn of(width: u16, height: u16) -> Self {
        if width < MIN_WINDOW_SIZE.0 || height < MIN_WINDOW_SIZE.1 {
            SizeClass::TooSmall
        } else if width >= 120 && height >= 28 {
            SizeClass::Wide
        } else if width >= 96 && height >= 26 {
            SizeClass::Medium
        } else {
            SizeClass::Narrow
        }
    }
}

/// A pane that can have the focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Pane {
    /// The conversation.
    Chat,
    /// The message box.
    #[default]
    Message,
    /// The proposed code.
    Code,
    /// The output of runs, or the problems or variables that are shown in place of it.
    Output,
}

enum_with_names! {
    /// The state that decides how the panes share the screen.
    #[derive(Default)]
    LayoutActivity, "All states.", "The name in the file of borders.";
    /// Nothing is going on.
    #[default]
    Even = "even",
    /// The model is writing a block.
    Writing = "writing",
    /// A block waits for a decision, or is being edited.
    Waiting = "waiting",
    /// A block runs.
    Running = "running",
    /// A block has ended.
    Done = "done",
    /// No block waits or runs; problems or variables are shown in place of the output.
    Below = "below",
}

impl LayoutActivity {
    /// The code's share of the rows that code and output have together, in hundredths.
    fn code(self) -> u16 {
        match self {
            LayoutActivity::Even => 50,
            LayoutActivity::Writing => 65,
            LayoutActivity::Waiting => 80,
            LayoutActivity::Running => 25,
            LayoutActivity::Done | LayoutActivity::Below => 30,
        }
    }
}

/// How a pane is separated from its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    /// A border around it.
    Box,
    /// A rule above it.
    Rule,
    /// No separation.
    Bare,
}

/// The rectangle of one pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The whole rectangle, with its border.
    pub outer: Rect,
    /// The rectangle of the content.
    pub inner: Rect,
    /// How it is separated from its neighbours.
    pub(crate) edge: Edge,
}

impl Slot {
    fn new(outer: Rect, edge: Edge) -> Self {
        let (left, top, bottom) = match edge {
            Edge::Box => (2, 1, 1),
            Edge::Rule => (1, 1, 0),
            Edge::Bare => (1, 0, 0),
        };
        let inner = Rect {
            x: outer.x.saturating_add(left),
            y: outer.y.saturating_add(top),
            width: outer.width.saturating_sub(2 * left),
            height: outer.height.saturating_sub(top + bottom),
        };
        Self { outer, inner, edge }
    }
}

/// What the layout depends on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LayoutRequest {
    pub(crate) activity: LayoutActivity,
    pub(crate) focus: Pane,
    /// Whether there is a block to show.
    pub(crate) code: bool,
    /// How many rows the block in review needs, if it is shown: the others go to the conversation, or to the
    /// output.
    pub(crate) code_rows: Option<u16>,
    /// Whether there is something to show in the output's slot: output, variables, problems.
    pub(crate) output: bool,
    /// How many rows the output needs beside a block in review, if known.
    pub(crate) output_rows: Option<u16>,
    /// How many rows the message box would like.
    pub(crate) message_rows: u16,
    /// Show this pane alone and without borders, for selecting with the terminal's own mouse.
    pub(crate) bare: Option<Pane>,
    /// Whether the focused pane fills the screen.
    pub(crate) zoomed: bool,
    /// Whether the message box contains a field to type into: then it is always shown.
    pub(crate) field: bool,
    /// Where the person placed the borders.
    pub(crate) borders: Borders,
}

/// The layout of a whole screen. A pane without a slot is not on screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrangement {
    pub(crate) class: SizeClass,
    /// All of the screen.
    pub(crate) area: Rect,
    /// The first row: the header, or the tabs.
    pub(crate) header: Rect,
    /// Everything between the header and the last two rows.
    pub(crate) body: Rect,
    /// The conversation.
    pub chat: Option<Slot>,
    pub(crate) message: Option<Slot>,
    /// The code.
    pub code: Option<Slot>,
    /// Output or variables.
    pub output: Option<Slot>,
    /// The status row.
    pub(crate) status: Rect,
    /// The row of key hints.
    pub(crate) keys: Rect,
}

/// How many rows the conversation has at least on a stacked screen while no block waits or runs.
const MIN_PROSE_ROWS: u16 = 12;

/// So many hundredths of `whole`, rounded down.
fn part(whole: u16, hundredths: u16) -> u16 {
    u16::try_from(u32::from(whole) * u32::from(hundredths) / 100).unwrap_or(whole)
}

/// Cuts `rows` off the top of `area`.
fn take_top(area: &mut Rect, rows: u16) -> Rect {
    let rows = rows.min(area.height);
    let top = Rect { height: rows, ..*area };
    area.y += rows;
    area.height -= rows;
    top
}

/// Cuts `rows` off the top of `area`. The last of them stays the first row of `area`: the shared border.
fn take_top_sharing(area: &mut Rect, rows: u16) -> Rect {
    let top = take_top(area, rows);
    if top.height > 0 {
        area.y -= 1;
        area.height += 1;
    }
    top
}

/// Cuts `rows` off the bottom of `area`.
fn take_bottom(area: &mut Rect, rows: u16) -> Rect {
    let rows = rows.min(area.height);
    area.height -= rows;
    Rect { y: area.y + area.height, height: rows, ..*area }
}

impl Arrangement {
    pub(crate) fn of(width: u16, height: u16, wants: LayoutRequest) -> Self {
        let area = Rect::new(0, 0, width, height);
        let class = SizeClass::of(width, height);
        let mut body = area;
        let keys = take_bottom(&mut body, 1);
        let status = take_bottom(&mut body, 1);
        let header = take_top(&mut body, 1);
        let mut arrangement = Self {
            class,
            area,
            header,
            body,
            chat: None,
            message: None,
            code: None,
            output: None,
            status,
            keys,
        };
        match (class, wants.bare) {
            (SizeClass::TooSmall, _) => {}
            (_, Some(pane)) => arrangement.bare(pane),
            (SizeClass::Wide | SizeClass::Medium, None) if wants.zoomed => arrangement.zoomed(wants),
            (SizeClass::Wide, None) => arrangement.wide(wants),
            (SizeClass::Medium, None) => arrangement.medium(wants),
            (SizeClass::Narrow, None) => arrangement.narrow(wants),
        }
        arrangement
    }

    /// The slot of a pane, if it is on screen.
    pub(crate) fn slot(&self, pane: Pane) -> Option<Slot> {
        match pane {
            Pane::Chat => self.chat,
            Pane::Message => self.message,
            Pane::Code => self.code,
            Pane::Output => self.output,
        }
    }

    /// The slot of an overlay of the wanted size, border included. It is centred over the panes; where only one
    /// pane fits, or for a width of [`u16::MAX`], it is the whole screen but the last two rows.
    pub(crate) fn overlay(&self, width: u16, height: u16) -> Slot {
        let whole = Rect { height: self.area.height.saturating_sub(2), ..self.area };
        if width == u16::MAX || matches!(self.class, SizeClass::Narrow | SizeClass::TooSmall) {
            return Slot::new(whole, Edge::Box);
        }
        let width = width.min(self.body.width.saturating_sub(2));
        let height = height.min(self.body.height);
        let outer = Rect {
            x: self.body.x + (self.body.width - width) / 2,
            y: self.body.y + (self.body.height - height) / 2,
            width,
            height,
        };
        Slot::new(outer, Edge::Box)
    }

    /// The pane at a position on screen.
    pub(crate) fn pane_at(&self, column: u16, row: u16) -> Option<Pane> {
        let at = ratatui::layout::Position { x: column, y: row };
        // A shared border belongs to the pane whose title is drawn in it: this order finds that one first.
        let panes = [Pane::Message, Pane::Output, Pane::Code, Pane::Chat];
        panes.into_iter().find(|pane| self.slot(*pane).is_some_and(|slot| slot.outer.contains(at)))
    }
}

#[cfg(test)]
mod tests;
