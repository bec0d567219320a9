//! Where everything stands on a terminal of a given size. Pure arithmetic: sizes in, rectangles out.
//!
//! There are three size classes. The shares of the panes follow the state of the block and change with nothing else,
//! so that the screen doesn't jump about while a person reads.

use ratatui::layout::Rect;

/// Below this nothing is drawn but a line that says so, and decisions are locked.
pub const SMALLEST: (u16, u16) = (50, 12);

/// How much room there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Conversation on the left, code above output on the right.
    Wide,
    /// All panes stacked.
    Medium,
    /// One pane at a time, tabs in the first row.
    Narrow,
    /// Too small for anything.
    TooSmall,
}

impl Class {
    /// The class of a size, in columns and rows.
    pub fn of(width: u16, height: u16) -> Self {
        if width < SMALLEST.0 || height < SMALLEST.1 {
            Class::TooSmall
        } else if width >= 120 && height >= 28 {
            Class::Wide
        } else if width >= 96 && height >= 26 {
            Class::Medium
        } else {
            Class::Narrow
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
}

/// How a pane is set off from its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
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
    pub edge: Edge,
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
pub struct Wants {
    /// The shares of the panes.
    pub share: Share,
    /// The pane with the focus.
    pub focus: Pane,
    /// Whether the variables stand where the output would.
    pub vars: bool,
    /// Rows that the message would like to have.
    pub message_rows: u16,
    /// One pane alone, without borders, for copying with the terminal's own means.
    pub zoomed: Option<Pane>,
}

/// The arrangement of a whole screen. A pane without a slot is not on screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrangement {
    /// The size class.
    pub class: Class,
    /// All of the screen.
    pub area: Rect,
    /// The first row: the header, or the tabs.
    pub header: Rect,
    /// Everything between the header and the last two rows.
    pub body: Rect,
    /// The conversation.
    pub chat: Option<Slot>,
    /// The message.
    pub message: Option<Slot>,
    /// The code.
    pub code: Option<Slot>,
    /// Output or variables.
    pub output: Option<Slot>,
    /// The row that says what is going on.
    pub status: Rect,
    /// The row of keys.
    pub keys: Rect,
}

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

/// Cuts `rows` off the bottom of `area`.
fn take_bottom(area: &mut Rect, rows: u16) -> Rect {
    let rows = rows.min(area.height);
    area.height -= rows;
    Rect { y: area.y + area.height, height: rows, ..*area }
}

impl Arrangement {
    /// Arranges a screen.
    pub fn of(width: u16, height: u16, wants: Wants) -> Self {
        let area = Rect::new(0, 0, width, height);
        let class = Class::of(width, height);
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
        match (class, wants.zoomed) {
            (Class::TooSmall, _) => {}
            (_, Some(pane)) => made.zoomed(pane),
            (Class::Wide, None) => made.wide(wants),
            (Class::Medium, None) => made.medium(wants),
            (Class::Narrow, None) => made.narrow(wants),
        }
        made
    }

    /// The slot of a pane, where it is on screen.
    pub fn slot(&self, pane: Pane) -> Option<Slot> {
        match pane {
            Pane::Chat => self.chat,
            Pane::Message => self.message,
            Pane::Code => self.code,
            Pane::Output | Pane::Vars => self.output,
        }
    }

    fn zoomed(&mut self, pane: Pane) {
        let slot = Slot { outer: self.body, inner: self.body, edge: Edge::Bare };
        match pane {
            Pane::Chat | Pane::Message => self.chat = Some(slot),
            Pane::Code => self.code = Some(slot),
            Pane::Output | Pane::Vars => self.output = Some(slot),
        }
    }

    fn wide(&mut self, wants: Wants) {
        let left_width = if self.area.width <= 145 { 58 } else { part(self.area.width, 40) };
        let mut left = Rect { width: left_width, ..self.body };
        let mut right =
            Rect { x: self.body.x + left_width, width: self.body.width - left_width, ..self.body };
        let most = (self.body.height / 3).max(3);
        let message = take_bottom(&mut left, (wants.message_rows.max(1) + 2).min(most));
        let code = match wants.share {
            Share::Even => 50,
            Share::Waiting => 80,
            Share::Writing => 65,
            Share::Running => 25,
            Share::Done => 30,
        };
        let code = take_top(&mut right, part(self.body.height, code));
        self.chat = Some(Slot::new(left, Edge::Box));
        self.message = Some(Slot::new(message, Edge::Box));
        self.code = Some(Slot::new(code, Edge::Box));
        self.output = Some(Slot::new(right, Edge::Box));
    }

    fn medium(&mut self, wants: Wants) {
        let mut rest = self.body;
        let tall = rest.height;
        let writes = wants.focus == Pane::Message || wants.message_rows > 1;
        let (message_rows, edge) = if wants.share == Share::Waiting && !writes {
            (1, Edge::Bare)
        } else {
            ((wants.message_rows.max(1) + 2).min((tall / 3).max(3)), Edge::Box)
        };
        let message = take_bottom(&mut rest, message_rows);
        let looks_at_output = matches!(wants.focus, Pane::Output | Pane::Vars);
        let chat = match wants.share {
            Share::Waiting => (tall / 7).max(4),
            _ => (tall / 4).max(7),
        };
        let chat = take_top(&mut rest, chat);
        let code = match wants.share {
            Share::Even => (tall / 4).max(6),
            // The output gives way to the code, unless it is what the person looks at.
            Share::Writing | Share::Waiting if looks_at_output => rest.height / 2,
            Share::Writing | Share::Waiting => rest.height,
            Share::Running | Share::Done if wants.focus == Pane::Code => rest.height / 2,
            Share::Running | Share::Done => (tall / 9).max(3),
        };
        let code = take_top(&mut rest, code);
        self.chat = Some(Slot::new(chat, Edge::Box));
        self.message = Some(Slot::new(message, edge));
        self.code = Some(Slot::new(code, Edge::Box));
        self.output = (rest.height > 2).then(|| Slot::new(rest, Edge::Box));
    }

    fn narrow(&mut self, wants: Wants) {
        let mut rest = self.body;
        match wants.focus {
            Pane::Chat | Pane::Message => {
                let most = (rest.height / 2).max(2);
                let message = take_bottom(&mut rest, (wants.message_rows.max(1) + 1).min(most));
                self.message = Some(Slot::new(message, Edge::Rule));
                self.chat = Some(Slot::new(rest, Edge::Rule));
            }
            Pane::Code => self.code = Some(Slot::new(rest, Edge::Rule)),
            Pane::Output | Pane::Vars => self.output = Some(Slot::new(rest, Edge::Rule)),
        }
    }

    /// The place of an overlay that wants so many columns and rows, its border counted: centred over the panes, or,
    /// where there is one pane only, all of the screen but the last two rows.
    pub fn overlay(&self, width: u16, height: u16) -> Slot {
        let whole = Rect { height: self.area.height.saturating_sub(2), ..self.area };
        if matches!(self.class, Class::Narrow | Class::TooSmall) {
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
    pub fn pane_at(&self, column: u16, row: u16, vars: bool) -> Option<Pane> {
        let at = ratatui::layout::Position { x: column, y: row };
        let lower = if vars { Pane::Vars } else { Pane::Output };
        [
            (Pane::Chat, self.chat),
            (Pane::Message, self.message),
            (Pane::Code, self.code),
            (lower, self.output),
        ]
        .into_iter()
        .find(|(_, slot)| slot.is_some_and(|s| s.outer.contains(at)))
        .map(|(pane, _)| pane)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(slot: Option<Slot>) -> u16 {
        slot.map_or(0, |s| s.outer.height)
    }

    #[test]
    fn the_classes_begin_where_they_should() {
        assert_eq!(Class::of(120, 28), Class::Wide);
        assert_eq!(Class::of(119, 40), Class::Medium);
        assert_eq!(Class::of(140, 27), Class::Medium);
        assert_eq!(Class::of(95, 40), Class::Narrow);
        assert_eq!(Class::of(50, 12), Class::Narrow);
        assert_eq!(Class::of(49, 12), Class::TooSmall);
        assert_eq!(Class::of(50, 11), Class::TooSmall);
    }

    #[test]
    fn shares_follow_the_block() {
        for (share, code, output) in
            [(Share::Even, 18, 19), (Share::Waiting, 29, 8), (Share::Running, 9, 28), (Share::Done, 11, 26)]
        {
            let made = Arrangement::of(140, 40, Wants { share, ..Wants::default() });
            assert_eq!((rows(made.code), rows(made.output)), (code, output), "{share:?}");
        }
        let waiting = Wants { share: Share::Waiting, focus: Pane::Code, ..Wants::default() };
        let made = Arrangement::of(100, 30, waiting);
        assert_eq!((rows(made.chat), rows(made.code), rows(made.message)), (4, 22, 1));
        assert_eq!(made.output, None);
        let made = Arrangement::of(100, 30, Wants::default());
        assert_eq!((rows(made.chat), rows(made.code), rows(made.output), rows(made.message)), (7, 6, 11, 3));
    }

    #[test]
    fn nothing_overlaps_and_nothing_is_outside_at_any_size() {
        let shares = [Share::Even, Share::Writing, Share::Waiting, Share::Running, Share::Done];
        let panes = [Pane::Chat, Pane::Message, Pane::Code, Pane::Output, Pane::Vars];
        for width in 1..210 {
            for height in 1..70 {
                for share in shares {
                    for focus in panes {
                        let wants = Wants { share, focus, message_rows: 9, ..Wants::default() };
                        let made = Arrangement::of(width, height, wants);
                        let slots: Vec<Rect> = [made.chat, made.message, made.code, made.output]
                            .into_iter()
                            .flatten()
                            .map(|s| s.outer)
                            .chain([made.header, made.status, made.keys])
                            .collect();
                        for (i, a) in slots.iter().enumerate() {
                            assert!(made.area.union(*a) == made.area, "{width}x{height} {share:?}");
                            for b in slots.iter().skip(i + 1) {
                                assert!(!a.intersects(*b) || a.is_empty() || b.is_empty());
                            }
                        }
                    }
                }
            }
        }
    }
}
