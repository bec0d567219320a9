//! Searching conversation, code and output; the panes go back to where they stood when the search is closed.

use super::field::Field;
use super::layer::{Find, Hit, Layer};
use super::{Ctx, Note, Screen};
use crate::domain::BlockId;
use crate::engine::State;
use crate::engine::transcript::Item;

/// So many places are looked up; who needs more needs another word.
const MOST: usize = 2_000;

impl Screen {
    /// Opens the search.
    pub(super) fn open_find(&mut self, text: &str) {
        let mut field = Field::line();
        field.set(text);
        let before = (self.chat.place(), self.output.place(), self.code.subject());
        self.layers.push(Layer::Find(Find { field, hits: Vec::new(), at: 0, before }));
    }

    /// What is looked for has changed: the places are looked up again, the newest first.
    pub(super) fn find_changed(&mut self, ctx: Ctx<'_>) {
        let Some(Layer::Find(find)) = self.layers.last() else { return };
        let needle = find.field.text();
        let hits = if needle.trim().is_empty() { Vec::new() } else { self.hits(&needle, ctx) };
        let at = hits.len().saturating_sub(1);
        if let Some(Layer::Find(find)) = self.layers.last_mut() {
            find.hits = hits;
            find.at = at;
        }
        self.show_hit(ctx);
    }

    /// All places, in the order of the conversation, then the output on screen.
    fn hits(&self, needle: &str, ctx: Ctx<'_>) -> Vec<Hit> {
        let lower = needle.to_lowercase();
        let holds = |text: &str| text.to_lowercase().contains(&lower);
        let mut hits = Vec::new();
        for (at, item) in ctx.state.transcript.items.iter().enumerate() {
            match item {
                Item::Prompt { text, .. } if holds(text) => hits.push(Hit::Chat(at)),
                Item::Reply(reply) => {
                    if holds(&prose(ctx.state, reply)) {
                        hits.push(Hit::Chat(at));
                    }
                    for id in &reply.blocks {
                        code_hits(ctx.state, *id, &lower, &mut hits);
                    }
                }
                _ => {}
            }
            if hits.len() >= MOST {
                break;
            }
        }
        hits.extend(self.output.matches(needle, ctx.look).into_iter().map(Hit::Output));
        hits.truncate(MOST);
        hits
    }

    /// The next place, or the one before.
    pub(super) fn find_step(&mut self, back: bool, ctx: Ctx<'_>) {
        if let Some(Layer::Find(find)) = self.layers.last_mut() {
            let count = find.hits.len();
            if count > 0 {
                find.at = (find.at + if back { count - 1 } else { 1 }) % count;
            }
        }
        self.show_hit(ctx);
    }

    /// Puts the chosen place on screen.
    fn show_hit(&mut self, ctx: Ctx<'_>) {
        let Some(Layer::Find(find)) = self.layers.last() else { return };
        let (needle, hit) = (find.field.text(), find.hits.get(find.at).copied());
        self.chat.needle = Some(needle.clone());
        self.output.needle = Some(needle.clone());
        match hit {
            Some(Hit::Chat(item)) => self.chat.show(ctx.state, item, &needle, ctx.look),
            Some(Hit::Code(block, line)) => {
                if !self.code.edits() {
                    self.code.show(block);
                    self.code.show_line(line);
                }
            }
            Some(Hit::Output(line)) => self.output.show_line(line, ctx.look),
            None => {}
        }
    }

    /// Ends the search: the panes go back to where they stood.
    pub(super) fn close_find(&mut self, find: Find) {
        self.chat.needle = None;
        self.output.needle = None;
        self.last_needle = Some(find.field.text()).filter(|n| !n.trim().is_empty());
        self.last_hit = self.last_needle.as_ref().map(|_| find.at);
        let (chat, output, block) = find.before;
        self.chat.restore(chat);
        self.output.restore(output);
        if let Some(block) = block.filter(|_| !self.code.edits()) {
            self.code.show(block);
        }
    }

    /// `n` and `N` in a pane: the last search once more.
    pub(super) fn find_again(&mut self, back: bool, ctx: Ctx<'_>) {
        let Some(needle) = self.last_needle.clone() else {
            self.say(Note::info("/ looks for a text."));
            return;
        };
        let hits = self.hits(&needle, ctx);
        if hits.is_empty() {
            self.say(Note::info(format!("No matches for {needle}.")));
            return;
        }
        let before = self.last_hit.map_or(if back { 0 } else { hits.len() - 1 }, |at| at.min(hits.len() - 1));
        let at = (before + if back { hits.len() - 1 } else { 1 }) % hits.len();
        self.last_hit = Some(at);
        let mut field = Field::line();
        field.set(&needle);
        let places = (self.chat.place(), self.output.place(), self.code.subject());
        self.layers.push(Layer::Find(Find { field, hits, at, before: places }));
        self.show_hit(ctx);
        self.layers.pop();
        self.say(Note::info(format!("Match {} for '{needle}'.", at + 1)));
    }
}

/// The text of a reply without its blocks.
fn prose(state: &State, reply: &crate::engine::transcript::ReplyItem) -> String {
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
