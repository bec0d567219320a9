//! Keys, time and results of jobs: what reaches the screen of a scene, and what it asks for then.

use super::Scene;
use sayso::domain::{BlockId, Decision, Revision};
use sayso::driver::{JobResult, Notification};
use sayso::engine::Command;
use sayso::tui::keymap::{Key, Keymap};
use sayso::tui::screen::{Ctx, Screen};
use sayso::tui::ui_command::UiCommand;
use sayso::tui::widgets::draw_context::{DrawContext, Glyphs};
use sayso::tui::widgets::layout::Pane;
use sayso::tui::widgets::words::Locale;
use std::sync::Arc;
use std::time::Duration;

impl Scene {
    /// Reads a keymap file of the person.
    pub fn bind_keys(&mut self, own: &str) {
        self.screen.keymap = Arc::new(Keymap::load(Some(("keymap.toml", own))).expect("a valid keymap"));
    }

    /// Lets time pass.
    pub fn pass(&mut self, ms: u64) {
        self.at += Duration::from_millis(ms);
        self.now = self.now.plus(ms);
        let commands = self.step(Screen::tick);
        self.commands.extend(commands);
    }

    pub fn settle(&mut self) {
        self.step(Screen::settle);
    }

    /// Arranges the screen as a frame does, so that keys find what is shown.
    pub fn frame(&mut self) {
        self.settle();
        self.step(Screen::arrange);
        for query in self.screen.guard.queries(self.at) {
            self.screen.guard.cursor_reported(query.place(), self.at);
        }
    }

    /// Lets time pass, and draws a frame.
    pub fn wait(&mut self, ms: u64) {
        self.pass(ms);
        self.frame();
    }

    /// Lets half a second pass so many times, with a frame after each.
    pub fn rest(&mut self, times: usize) {
        for _ in 0..times {
            self.wait(500);
        }
    }

    /// Draws a frame, and moves the focus to a pane.
    pub fn focus(&mut self, pane: Pane) {
        self.frame();
        self.screen.panes.focus = pane;
    }

    /// Draws a frame, moves the focus to a pane, and draws again.
    pub fn go_to(&mut self, pane: Pane) {
        self.focus(pane);
        self.frame();
    }

    /// Goes to the block that waits, and lets the quiet time pass.
    pub fn review(&mut self) {
        self.go_to(Pane::Code);
        self.pass(2_000);
    }

    /// Goes to the block that waits, and pages through it until all of it was seen.
    pub fn see_block(&mut self) {
        self.go_to(Pane::Code);
        self.see_everything();
    }

    /// Takes the commands that resulted from passing time.
    pub fn take_commands(&mut self) -> Vec<UiCommand> {
        std::mem::take(&mut self.commands)
    }

    /// A key, read now; no time passes.
    pub fn key(&mut self, name: &str) -> Vec<UiCommand> {
        let event = Key::parse(name).expect(name).into();
        self.step(|screen, ctx| screen.key(&event, ctx))
    }

    /// A paste, marked as one.
    pub fn paste(&mut self, text: &str) -> Vec<UiCommand> {
        self.step(|screen, ctx| screen.paste(text, ctx))
    }

    /// A job of the driver has ended with this result.
    pub fn job_ended(&mut self, result: JobResult) -> Vec<UiCommand> {
        self.step(|screen, ctx| screen.notified(Notification::Job(result), ctx))
    }

    /// The note in the status row; empty if there is none.
    pub fn note_text(&self) -> &str {
        self.screen.note.as_ref().map_or("", |note| &note.text)
    }

    /// Waits until a held-back action counts: the hold time passes, and the terminal answers at once.
    fn hold_out(&mut self) {
        if self.screen.guard.held_action().is_some() {
            self.wait(401);
            self.pass(1);
        }
    }

    /// Presses keys by their names: `a`, `ctrl-c`, `enter`. Each comes a tenth of a second after the one
    /// before; held-back actions are waited for.
    pub fn press(&mut self, keys: &[&str]) -> Vec<UiCommand> {
        let mut commands = Vec::new();
        for name in keys {
            self.pass(100);
            commands.extend(self.key(name));
            self.hold_out();
            commands.extend(self.take_commands());
            self.frame();
        }
        commands
    }

    /// Presses a key alone: long after the one before, and without another after it.
    pub fn press_alone(&mut self, name: &str) -> Vec<UiCommand> {
        self.pass(1_000);
        let mut commands = self.press(&[name]);
        self.pass(1_000);
        commands.extend(self.take_commands());
        self.frame();
        commands
    }

    /// The scene after these keys.
    pub fn pressed(mut self, keys: &[&str]) -> Self {
        self.press(keys);
        self
    }

    /// Types a text and presses Enter.
    pub fn enter(&mut self, text: &str) -> Vec<UiCommand> {
        self.type_text(text);
        self.press(&["enter"])
    }

    /// Types a text into the message box and presses Enter.
    pub fn enter_message(&mut self, text: &str) -> Vec<UiCommand> {
        self.screen.panes.focus = Pane::Message;
        self.enter(text)
    }

    pub fn type_text(&mut self, text: &str) {
        for c in text.chars() {
            self.press(&[&key_name(c)]);
        }
    }

    /// Calls a method of the screen with the present state of the engine; returns what the screen asked for.
    pub fn step<T>(&mut self, step: impl FnOnce(&mut Screen, Ctx<'_>) -> T) -> Vec<UiCommand> {
        self.with_glyphs(Glyphs::LINES, step);
        self.screen.take_commands()
    }

    /// Calls a function with the screen, the present state of the engine, and these characters for frames and marks.
    pub fn with_glyphs<T>(&mut self, glyphs: Glyphs, act: impl FnOnce(&mut Screen, Ctx<'_>) -> T) -> T {
        let links = sayso::tui::Hyperlinks::default();
        let locale = Locale { home: Some("/home/ada".into()), ..Locale::default() };
        let keymap = self.screen.keymap.clone();
        let draw = DrawContext {
            theme: &self.theme,
            links: &links,
            keymap: &keymap,
            glyphs,
            locale: &locale,
            now: self.now,
            motion: true,
        };
        act(&mut self.screen, Ctx { state: self.engine.state(), draw, at: self.at })
    }

    /// Pages through the block until every row was shown long enough, and lets the quiet time pass.
    pub fn see_everything(&mut self) {
        for _ in 0..60 {
            self.wait(400);
            if self.screen.guard.rows().is_all_seen() {
                break;
            }
            self.press(&["space"]);
        }
        assert!(self.screen.guard.rows().is_all_seen(), "not everything can be shown");
        self.pass(1_000);
    }
}

/// The engine commands among the UI commands.
pub fn engine_commands(commands: &[UiCommand]) -> Vec<Command> {
    let sent = commands.iter().filter_map(|wish| match wish {
        UiCommand::Send(command) => Some(command.clone()),
        _ => None,
    });
    sent.collect()
}

/// The command of the engine that is the only command.
#[track_caller]
pub fn sent(commands: &[UiCommand]) -> &Command {
    match commands {
        [UiCommand::Send(command)] => command,
        _ => panic!("{commands:?}"),
    }
}

/// The text of an edit that is the only command.
#[track_caller]
pub fn sent_edit(commands: &[UiCommand]) -> &str {
    match sent(commands) {
        Command::Decide { decision: Decision::Edit(text), .. } => text,
        other => panic!("{other:?}"),
    }
}

/// A decision about the first text of a block.
pub fn decided(block: u32, decision: Decision) -> Command {
    Command::Decide { block: BlockId(block), revision: Revision(1), decision }
}

/// Presses a key and lets the time pass in which it might turn out to be a paste.
pub fn decide(scene: &mut Scene, name: &str) -> Vec<Command> {
    let mut commands = scene.press(&[name]);
    scene.pass(50);
    commands.extend(scene.take_commands());
    scene.frame();
    engine_commands(&commands)
}

/// The name of the key that types a character.
pub fn key_name(c: char) -> String {
    if c == ' ' { "space".to_owned() } else { c.to_string() }
}
