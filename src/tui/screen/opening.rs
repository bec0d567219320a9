//! Opening layers that need to know where the person is, and keys of single layers.

use super::field::Field;
use super::layer::{Answer, Ask, AskChoice, Help, Layer};
use super::{Ctx, Note, Screen, Wish};
use crate::engine::State;
use crate::tui::keymap::Context;
use crate::tui::view::layout::Pane;

impl Screen {
    /// Opens the help for the place where the person is.
    pub(super) fn open_help(&mut self, state: &State) {
        if matches!(self.layers.last(), Some(Layer::Help(_))) {
            self.layers.pop();
            return;
        }
        let context = self.context(state);
        let place = match (context, self.code.subject()) {
            (Context::Review, Some(block)) => format!("Code pane, block {block} waiting"),
            (Context::Edit, Some(block)) => format!("Code pane, editing block {block}"),
            (Context::Done, _) if self.focus == Pane::Code => "Code pane".into(),
            (Context::Done, _) => "Output pane".into(),
            (Context::Vars, _) => "Variables".into(),
            (Context::Queue, _) => "Blocks that wait".into(),
            (Context::Problems, _) => "Problems".into(),
            (Context::Picker, _) => "List".into(),
            (Context::Form, _) => "Form".into(),
            (Context::Pane, _) => "Chat pane".into(),
            _ => "Message box".into(),
        };
        self.layers.push(Layer::Help(Help { context, place, top: 0 }));
    }

    pub(super) fn welcome_letter(&mut self, letter: char, ctx: Ctx<'_>) -> Vec<Wish> {
        let Some(Layer::Welcome(welcome)) = self.layers.last_mut() else { return Vec::new() };
        match letter {
            'q' => return self.quit(ctx),
            'k' => {
                welcome.field = Some((super::layer::Filling::Key, Field::secret()));
                self.say(Note::info("Paste a key and press Enter. It stays in memory."));
            }
            '?' => self.open_help(ctx.state),
            digit => {
                let at = digit.to_digit(10).and_then(|d| (d as usize).checked_sub(1));
                if let Some(at) = at.filter(|at| *at < welcome.rows().len()) {
                    welcome.cursor.0 = at;
                    return self.layer_accept(ctx);
                }
            }
        }
        Vec::new()
    }

    pub(super) fn start_rename(&mut self) {
        if let Some(Layer::Sessions(list)) = self.layers.last_mut() {
            let name = list.chosen().map(|s| s.name.clone());
            list.rename = name.map(|name| {
                let mut field = Field::line();
                field.set(&name);
                field
            });
        }
    }

    pub(super) fn ask_delete(&mut self) -> bool {
        let Some(Layer::Sessions(list)) = self.layers.last() else { return false };
        let Some(chosen) = list.chosen().filter(|_| list.rename.is_none()) else { return false };
        let name = if chosen.name.is_empty() { chosen.id.clone() } else { chosen.name.clone() };
        let choices = vec![
            AskChoice::new('w', "keep it", Answer::Stay),
            AskChoice::new('d', "delete it; it can't be brought back", Answer::Delete(chosen.path.clone())),
        ];
        let lines = vec![format!("{name}: {} messages, {} blocks.", chosen.messages, chosen.blocks)];
        self.layers.push(Layer::Ask(Ask::new("Delete this session?", lines, choices)));
        true
    }
}
