//! The message box: typing, sending, and older messages.

use super::{Ctx, Screen, UiCommand};
use crate::domain::sentences::sending;
use crate::driver::Job;
use crate::engine::Command;
use crate::text::at_words::begins_word;
use crate::tui::action::Action;
use crate::tui::overlays::commands::CommandList;
use crate::tui::overlays::files::FileList;
use crate::tui::overlays::old_messages::OldMessages;
use crate::tui::overlays::welcome::Welcome;
use crate::tui::slash::{self, SlashLine};
use crate::tui::ui_command::EditTarget;
use crate::tui::widgets::field::Edit;
use crate::tui::widgets::layout::Pane;

impl Screen {
    /// Types a letter where letters are text.
    pub(super) fn letter(&mut self, letter: char, ctx: Ctx<'_>) {
        if !self.overlays.is_empty() {
            return self.pass(ctx, |top, ctx, panes| top.letter(letter, ctx, panes));
        }
        if self.panes.code.edits() && self.panes.focus == Pane::Code {
            if let Some(editor) = self.panes.code.editor() {
                editor.apply(Edit::Insert(letter));
            }
            return;
        }
        if letter == '/' && self.panes.composer.is_empty() {
            return self.open(CommandList::default());
        }
        let begins = letter == '@' && begins_word(self.panes.composer.field.before_cursor());
        self.panes.composer.apply(Edit::Insert(letter));
        if begins {
            self.open(FileList::default());
            self.start(Job::FolderFiles);
        }
    }

    /// Carries out actions of the message box.
    pub(super) fn message_action(&mut self, action: Action, ctx: Ctx<'_>) {
        match action {
            Action::MessageSend if self.panes.composer.continues() => self.panes.composer.continue_line(),
            Action::MessageSend if self.panes.composer.open_chip() => {}
            Action::MessageSend => self.submit(ctx),
            Action::TextUp
                if self.suggestion(ctx.state).is_some() && self.panes.composer.history().is_empty() =>
            {
                self.suggest(-1);
            }
            Action::TextDown if self.suggestion(ctx.state).is_some() => self.suggest(1),
            Action::TextUp => self.panes.composer.up(),
            Action::TextDown => self.panes.composer.down(),
            Action::TextEditor => {
                let text = self.panes.composer.full_text();
                self.commands.push(UiCommand::Editor(EditTarget::Message, text));
            }
            Action::TextCopy | Action::TextCut => {
                let text = self.copy_or_cut(action == Action::TextCut);
                self.commands.extend(text.map(UiCommand::Copy));
            }
            Action::MessageHistory => self.open_old_messages(),
            Action::MessageEditQueued => self.take_queued(ctx),
            Action::Quit => self.end_of_input(ctx),
            Action::ScrollPageDown => self.page(1, ctx),
            Action::ScrollPageUp => self.page(-1, ctx),
            other => {
                if let Some(edit) = Edit::of(other) {
                    self.panes.composer.apply(edit);
                }
            }
        }
    }

    fn submit(&mut self, ctx: Ctx<'_>) {
        let text = self.panes.composer.full_text();
        if text.trim().is_empty() {
            return;
        }
        match slash::parse(&text) {
            SlashLine::Prompt => {
                if let Some(command) = slash::typed_command(&text) {
                    return self.typed_command(command);
                }
                if self.setup.welcome {
                    self.open(Welcome::new(&self.setup));
                    let place = sending::place_of_message(true);
                    return self.inform(format!("{} {place}", sending::NO_PROVIDER));
                }
                // The message is already in the conversation: ask again instead of sending it twice.
                if self.is_unsent(ctx) {
                    self.panes.composer.send();
                    self.panes.chat.follow();
                    return self.send(Command::Retry);
                }
                self.read_files_or_send(text);
            }
            SlashLine::Unknown(name) => {
                self.warn(format!("There is no command /{name}. F2 lists all of them."));
            }
            SlashLine::Command(slash, argument) => {
                let argument = argument.to_owned();
                self.panes.composer.send();
                self.run_command(slash, &argument, ctx);
            }
        }
    }

    /// Makes a block of the person's own shell command, or queues it until the turn ends.
    fn typed_command(&mut self, command: &str) {
        if command.is_empty() {
            return self.warn("A command follows the !, as in !ls.");
        }
        self.panes.composer.send();
        self.panes.chat.follow();
        self.send(Command::TypedCommand(command.to_owned()));
    }

    pub(super) fn take_queued(&mut self, ctx: Ctx<'_>) {
        let Some(queued) = ctx.state.live.peek_queued() else {
            return self.inform("No message is queued.");
        };
        let draft = self.panes.composer.full_text();
        let is_command = |text: &str| slash::typed_command(text).is_some();
        let text = if draft.trim().is_empty() {
            queued
        } else if is_command(&queued) || is_command(&draft) {
            // Put together, they would become one command.
            return self.warn("Send or clear the message first: a command stands by itself.");
        } else {
            format!("{queued}\n\n{draft}")
        };
        self.panes.composer.set(&text);
        self.panes.focus = Pane::Message;
        self.send(Command::EditQueued);
    }

    fn open_old_messages(&mut self) {
        let all: Vec<String> = self.panes.composer.history().iter().rev().cloned().collect();
        if all.is_empty() {
            return self.inform("No older message yet.");
        }
        self.open(OldMessages::of(all));
    }
}
