//! Searching conversation, code and output; the panes go back to where they stood when the search is closed.

use super::{Overlay, OverlayContext, Then};
use crate::domain::BlockId;
use crate::engine::State;
use crate::engine::transcript::{Item, ReplyItem};
use crate::tui::panes::Panes;
use crate::tui::widgets::field::Field;
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::look::Look;
use crate::tui::widgets::safe;
use crate::tui::widgets::sheet::Sheet;
use crate::tui::widgets::virtual_list::Anchor;
use ratatui::layout::Rect;

/// So many places are looked up; who needs more needs another word.
const MOST: usize = 2_000;

/// A place where a text was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hit {
    /// An item of the conversation.
    Chat(usize),
    /// A line of a block's code, from 0.
    Code(BlockId, usize),
    /// A line of the output on screen.
    Output(usize),
}

#[derive(Debug)]
pub(crate) struct Find {
    field: Field,
    hits: Vec<Hit>,
    /// Which of them is shown.
    at: usize,
    /// Where the panes stood before: conversation, output, and the block on screen.
    before: (Option<Anchor>, Option<Anchor>, Option<BlockId>),
}

impl Find {
    /// A search for this text, in panes that stand as they do now.
    pub(crate) fn new(text: &str, panes: &Panes) -> Self {
        let mut field = Field::line();
        field.set(text);
        let before = (panes.chat.place(), panes.output.place(), panes.code.subject());
        Self { field, hits: Vec::new(), at: 0, before }
    }

    /// What is looked for has changed: the places are looked up again, the newest first.
    pub(crate) fn look_up(&mut self, state: &State, look: Look<'_>, panes: &mut Panes) {
        self.hits = hits(&self.field.text(), state, look, panes);
        self.at = self.hits.len().saturating_sub(1);
        self.show(state, look, panes);
    }

    /// The same text once more, from the place where the last search ended: shows it, and returns its number. None: it is
    /// nowhere.
    pub(crate) fn again(
        needle: &str,
        last: Option<usize>,
        back: bool,
        state: &State,
        look: Look<'_>,
        panes: &mut Panes,
    ) -> Option<usize> {
        let mut find = Self::new(needle, panes);
        find.hits = hits(needle, state, look, panes);
        let most = find.hits.len().checked_sub(1)?;
        find.at = last.map_or(if back { 0 } else { most }, |at| at.min(most));
        find.step_by(back);
        find.show(state, look, panes);
        Some(find.at)
    }

    fn step_by(&mut self, back: bool) {
        let count = self.hits.len();
        if count > 0 {
            self.at = (self.at + if back { count - 1 } else { 1 }) % count;
        }
    }

    /// Puts the chosen place on screen.
    fn show(&self, state: &State, look: Look<'_>, panes: &mut Panes) {
        let needle = self.field.text();
        panes.chat.needle = Some(needle.clone());
        panes.output.needle = Some(needle.clone());
        match self.hits.get(self.at).copied() {
            Some(Hit::Chat(item)) => panes.chat.show(state, item, &needle, look),
            Some(Hit::Code(block, line)) if !panes.code.edits() => {
                panes.code.show(block);
                panes.code.show_line(line);
            }
            Some(Hit::Output(line)) => panes.output.show_line(line, look),
            Some(Hit::Code(..)) | None => {}
        }
    }
}

/// All places, in the order of the conversation, then the output on screen.
fn hits(needle: &str, state: &State, look: Look<'_>, panes: &Panes) -> Vec<Hit> {
    if needle.trim().is_empty() {
        return Vec::new();
    }
    let lower = needle.to_lowercase();
    let holds = |text: &str| text.to_lowercase().contains(&lower);
    let mut hits = Vec::new();
    for (at, item) in state.transcript.items.iter().enumerate() {
        match item {
            Item::Prompt { text, .. } if holds(text) => hits.push(Hit::Chat(at)),
            Item::Reply(reply) => {
                if holds(&prose(state, reply)) {
                    hits.push(Hit::Chat(at));
                }
                for id in &reply.blocks {
                    code_hits(state, *id, &lower, &mut hits);
                }
            }
            _ => {}
        }
        if hits.len() >= MOST {
            break;
        }
    }
    hits.extend(panes.output.matches(needle, look).into_iter().map(Hit::Output));
    hits.truncate(MOST);
    hits
}

impl Overlay for Find {
    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.field)
    }

    fn in_message(&self) -> Option<(&'static str, &Field)> {
        Some(("find: ", &self.field))
    }

    fn step(&mut self, by: isize, around: OverlayContext<'_>, panes: &mut Panes) -> Vec<Then> {
        self.step_by(by < 0);
        self.show(around.state, around.look, panes);
        Vec::new()
    }

    fn accept(&mut self, around: OverlayContext<'_>, panes: &mut Panes) -> Vec<Then> {
        self.step(1, around, panes)
    }

    fn changed(&mut self, around: OverlayContext<'_>, panes: &mut Panes) -> Vec<Then> {
        self.look_up(around.state, around.look, panes);
        Vec::new()
    }

    fn back(&mut self, _: OverlayContext<'_>, panes: &mut Panes) -> Vec<Then> {
        panes.chat.needle = None;
        panes.output.needle = None;
        panes.searched =
            Some(self.field.text()).filter(|n| !n.trim().is_empty()).map(|text| (text, Some(self.at)));
        let (chat, output, block) = self.before;
        panes.chat.restore(chat);
        panes.output.restore(output);
        if let Some(block) = block.filter(|_| !panes.code.edits()) {
            panes.code.show(block);
        }
        vec![Then::Close]
    }

    fn hints(&self, hints: &mut Hints<'_>) {
        hints.plain("Enter", "next", 0).plain("Up/Down", "match", 1).plain("Esc", "close", 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        let needle = safe::one_line(&self.field.text());
        Some(match (needle.is_empty(), self.hits.len()) {
            (true, _) => "Type what to look for.".into(),
            (false, 0) => format!("No matches for {needle}."),
            (false, n) => {
                format!("Match {} of {n} for '{needle}'.  Scroll position comes back on Esc.", self.at + 1)
            }
        })
    }

    fn sheet(&self, _: OverlayContext<'_>, _: &Panes, _: Rect) -> Option<Sheet> {
        None
    }
}

/// The text of a reply without its blocks.
fn prose(state: &State, reply: &ReplyItem) -> String {
    let mut text = String::new();
    let mut from = 0;
    for item in reply.blocks.iter().filter_map(|id| state.transcript.blocks.get(id)) {
        let range = &item.block.origin.range;
        text.push_str(reply.text.get(from..range.start.max(from)).unwrap_or_default());
        from = range.end.max(from);
    }
    text + reply.text.get(from..).unwrap_or_default()
}

fn code_hits(state: &State, id: BlockId, lower: &str, hits: &mut Vec<Hit>) {
    let Some(item) = state.transcript.blocks.get(&id) else { return };
    for (line, text) in item.block.current().source.lines().enumerate() {
        if text.to_lowercase().contains(lower) {
            hits.push(Hit::Code(id, line));
        }
    }
}
