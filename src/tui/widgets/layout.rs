//! Where everything stands on a terminal of a given size. Pure arithmetic: sizes in, rectangles out.
//!
//! There are three size classes. The shares of the panes follow the state of the block and change with nothing else,
//! so that the screen doesn't jump about while a person reads. A pane with nothing in it has no slot: its room goes to the
//! others, and where neither code nor output is there, the conversation has the screen. Panes next to each other share
//! the border between them.

mod borders;
mod classes;

pub(crate) use borders::{Border, Borders};
use ratatui::layout::Rect;

/// Below this nothing is drawn but a line that says so, and decisions are locked.
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
    /// Too small for anything.
    TooSmall,
}

impl SizeClass {
    /// The class of a size, in columns and rows.
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

/// One of the places that can have the focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Pane {
    /// The conversation.
    Chat,
    /// The message that is being written.
    #[default]
    Message,
    /// The proposed code.
    Code,
    /// What runs printed.
    Output,
    /// The kernel's variables; they stand where the output stands.
    Vars,
}

/// What the shares of the panes depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Share {
    /// Nothing is going on.
    #[default]
    Even,
    /// A block is being written.
    Writing,
    /// A block waits, or is edited.
    Waiting,
    /// A block runs.
    Running,
    /// A block has ended.
    Done,
    /// No block waits or runs, and what stands below asks for an answer or was asked for: problems, variables.
    Below,
}

impl Share {
    /// The share of the code, in hundredths of what code and output have together.
    fn code(self) -> u16 {
        match self {
            Share::Even => 50,
            Share::Writing => 65,
            Share::Waiting => 80,
            Share::Running => 25,
            Share::Done | Share::Below => 30,
        }
    }
}

/// How a pane is set off from its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    /// A border around it.
    Box,
    /// A rule above it.
    Rule,
    /// Nothing: its content alone.
    Bare,
}

/// The place of one pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// All of it.
    pub outer: Rect,
    /// What is left for its content.
    pub inner: Rect,
    /// How it is set off.
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

/// What the arrangement depends on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LayoutRequest {
    /// The shares of the panes.
    pub(crate) share: Share,
    pub(crate) focus: Pane,
    /// Whether there is a block to show.
    pub(crate) code: bool,
    /// Rows that the block in review needs, where it is shown: what is left goes to the conversation, or to the output.
    pub(crate) code_rows: Option<u16>,
    /// Whether there is something to show where the output stands: output, variables, problems.
    pub(crate) output: bool,
    /// Rows that the output needs beside a block in review, where that is known.
    pub(crate) output_rows: Option<u16>,
    /// Rows that the message would like to have.
    pub(crate) message_rows: u16,
    /// One pane alone, without borders, for copying with the terminal's own means.
    pub(crate) bare: Option<Pane>,
    /// Whether the pane with the focus has the whole screen.
    pub(crate) zoomed: bool,
    /// Whether the message holds a field that is typed into: then it is on screen, whatever else is.
    pub(crate) field: bool,
    /// Where the person put borders.
    pub(crate) borders: Borders,
}

/// The arrangement of a whole screen. A pane without a slot is not on screen.
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
    /// The row that says what is going on.
    pub(crate) status: Rect,
    /// The row of keys.
    pub(crate) keys: Rect,
}

/// Rows of prose that a stacked screen has at least while no block waits or runs.
const MIN_PROSE_ROWS: u16 = 12;

/// The part of `whole` in hundredths, rounded down.
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

/// Cuts `rows` off the top of `area`; the last of them is the first of what is left: a border of both.
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
        let mut made = Self {
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
            (_, Some(pane)) => made.bare(pane),
            (SizeClass::Wide | SizeClass::Medium, None) if wants.zoomed => made.zoomed(wants),
            (SizeClass::Wide, None) => made.wide(wants),
            (SizeClass::Medium, None) => made.medium(wants),
            (SizeClass::Narrow, None) => made.narrow(wants),
        }
        made
    }

    /// The slot of a pane, where it is on screen.
    pub(crate) fn slot(&self, pane: Pane) -> Option<Slot> {
        match pane {
            Pane::Chat => self.chat,
            Pane::Message => self.message,
            Pane::Code => self.code,
            Pane::Output | Pane::Vars => self.output,
        }
    }

    /// The place of an overlay that wants so many columns and rows, its border counted: centred over the panes, or,
    /// where there is one pane only or it wants [`u16::MAX`] columns, all of the screen but the last two rows.
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

    /// The pane at a place on screen.
    pub(crate) fn pane_at(&self, column: u16, row: u16, vars: bool) -> Option<Pane> {
        let at = ratatui::layout::Position { x: column, y: row };
        let lower = if vars { Pane::Vars } else { Pane::Output };
        [
            // A border that two share is that of the one whose title stands in it.
            (Pane::Message, self.message),
            (lower, self.output),
            (Pane::Code, self.code),
            (Pane::Chat, self.chat),
        ]
        .into_iter()
        .find(|(_, slot)| slot.is_some_and(|s| s.outer.contains(at)))
        .map(|(pane, _)| pane)
    }
}

#[cfg(test)]
mod tests;
