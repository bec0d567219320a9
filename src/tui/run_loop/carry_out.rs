//! Carries out what the screen asked for: commands to the driver, other programs, the terminal itself.

use super::session::Session;
use crate::tui::attention::ProgramStatus;
use crate::tui::frames::Urgency;
use crate::tui::note::Note;
use crate::tui::theme::{self, Theme};
use crate::tui::ui_command::{EditTarget, Exit, UiCommand};
use crate::tui::{clipboard, outside};
use std::time::Instant;

impl Session<'_> {
    /// Carries out what the screen asked for.
    pub(super) fn carry_out(&mut self) {
        for command in self.screen.take_commands() {
            self.carry_out_one(command);
        }
    }

    pub(super) fn carry_out_one(&mut self, command: UiCommand) {
        match command {
            UiCommand::Send(command) => self.driver.send(command),
            UiCommand::Control(run, control) => self.driver.control_run(run, control),
            UiCommand::Job(job) => self.driver.start_job(job),
            UiCommand::Copy(text) => {
                let methods = clipboard::copy_methods(self.options.clipboard_env);
                self.workers.copy(text, methods, self.options.launcher.clone());
            }
            UiCommand::Editor(target, text) => self.edit_outside(target, &text),
            UiCommand::Pager(what) => {
                let options = self.options;
                let shown = self.outside(|| outside::page(&options.pager, &what, &options.launcher));
                if let Err(why) = shown {
                    self.screen.show_note(Note::warn(why.to_string()));
                }
            }
            UiCommand::Redraw => self.tui.terminal.redraw(),
            UiCommand::Suspend => self.suspend(),
            UiCommand::Theme(name) => self.use_theme(&name),
            UiCommand::Mouse(on) => self.tui.terminal.set_mouse(on),
            UiCommand::Notify => self.notify_person(),
            UiCommand::Leave(exit) => self.exit = Some(exit),
        }
    }

    fn suspend(&mut self) {
        if self.tui.terminal.suspend(&self.tui.input).is_err() {
            // The terminal was closed meanwhile.
            self.exit = Some(Exit::Hangup);
        } else if self.tui.terminal.is_held {
            self.back_from_outside();
        }
    }

    fn use_theme(&mut self, name: &str) {
        match Theme::load(name, self.options.depth, |name| self.options.user_theme(name)) {
            Ok(loaded) => {
                self.tui.theme = loaded.theme;
                self.tui.theme_open = false;
                if let Some(warning) = theme::warnings_line(&loaded.warnings) {
                    self.screen.show_note(Note::warn(warning));
                }
            }
            Err(error) => self.screen.show_note(Note::warn(error.to_string())),
        }
    }

    /// Calls the person, where they want to be called.
    fn notify_person(&mut self) {
        let Some(support) = self.options.attention else { return };
        let call = support.notification(ProgramStatus::of(self.driver.state()));
        self.tui.terminal.queue(call.as_bytes());
        if self.tui.terminal.flush().is_err() {
            // The terminal is gone: the session ends as at any other time.
            self.exit = Some(Exit::Hangup);
        }
    }

    fn edit_outside(&mut self, target: EditTarget, text: &str) {
        let extension = match target {
            EditTarget::Message | EditTarget::Form => "md".to_owned(),
            EditTarget::Block | EditTarget::EditMode => {
                let waiting = self.driver.state().waiting();
                self.options.extension(waiting.and_then(|item| item.block.current().language.as_ref()))
            }
        };
        let options = self.options;
        match self.outside(|| outside::edit(&options.editor, text, &extension, &options.launcher)) {
            Ok(text) => {
                self.with(Instant::now(), |screen, ctx| screen.from_editor(target, text, ctx));
                self.carry_out();
            }
            Err(why) => self.screen.show_note(Note::warn(why.to_string())),
        }
    }

    /// Does something while another program has the terminal. If the terminal was closed meanwhile, the session ends as
    /// at any other time; an editor with its own window may have returned a text all the same.
    fn outside<T>(&mut self, act: impl FnOnce() -> T) -> T {
        let (result, taken) = self.tui.terminal.outside(&self.tui.input, act);
        if taken.is_ok() {
            self.back_from_outside();
        } else {
            self.exit = Some(Exit::Hangup);
        }
        result
    }

    /// Takes over after another program had the terminal: its size may have changed, and nothing typed
    /// meanwhile may decide.
    fn back_from_outside(&mut self) {
        let now = Instant::now();
        self.returned = Some(now);
        self.screen.resized(self.tui.terminal.size(), now);
        self.screen.guard.focused(now);
        self.title.clear();
        self.attention.forget();
        self.frames.changed(Urgency::Now, now);
    }
}
