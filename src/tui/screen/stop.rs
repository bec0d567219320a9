//! Ctrl-C, Esc and leaving: each takes the first step that fits the state. The signal SIGINT takes the same
//! steps as the key.

use super::{Ctx, Exit, Screen, UiCommand};
use crate::domain::Terms;
use crate::domain::sentences::sending;
use crate::engine::kernels;
use crate::engine::transcript::BlockStatus;
use crate::engine::{Command, Phase};
use crate::tui::action::Action;
use crate::tui::keymap::Context;
use crate::tui::overlays::OverlayResponse;
use crate::tui::overlays::ask::Ask;
use crate::tui::panes::code::Mode;
use crate::tui::widgets::field::Edit;
use crate::tui::widgets::layout::Pane;
use crate::tui::widgets::words;
use std::time::{Duration, Instant};

/// A second Ctrl-C asks to kill only after this long: the first may still be taking effect.
pub(crate) const KILL_DELAY: Duration = Duration::from_millis(500);

/// Two Ctrl-C within this time quit.
pub(crate) const QUIT_TIMEOUT: Duration = Duration::from_secs(2);

/// Remembers earlier Ctrl-C presses.
#[derive(Debug, Default)]
pub(super) struct Escalation {
    interrupted: Option<Instant>,
    quit_armed: Option<Instant>,
}

impl Escalation {
    /// When the note after the first press is no longer true.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.quit_armed.map(|at| at + QUIT_TIMEOUT)
    }

    /// Forgets the first of two Ctrl-C once its time is over; returns whether it did.
    pub(super) fn expire(&mut self, now: Instant) -> bool {
        let over = self.deadline().is_some_and(|at| now >= at);
        if over {
            self.quit_armed = None;
        }
        over
    }
}

impl Screen {
    pub(crate) fn stop(&mut self, ctx: Ctx<'_>) {
        if let Some(run) = &ctx.state.live.run {
            return self.stop_run(run.block, ctx);
        }
        self.escalation.interrupted = None;
        let live = &ctx.state.live;
        let reply = live.reply.is_some()
            || live.awaits_summary
            || matches!(ctx.state.phase, Phase::Replying(_) | Phase::Compacting(_));
        if reply {
            self.inform("Stopped.");
            return self.send(Command::Stop);
        }
        if self.announced(ctx.state).is_some() {
            return self.send(Command::StopCountdown);
        }
        if !self.overlays.is_empty() {
            return self.close_top(ctx);
        }
        if self.panes.code.edits() && self.panes.focus == Pane::Code {
            if let Some(text) = self.copy_or_cut(false) {
                return self.commands.push(UiCommand::Copy(text));
            }
            return self.inform("Editing. Nothing runs from here. Esc keeps the text and returns to review.");
        }
        if !self.panes.composer.is_empty() && self.panes.focus == Pane::Message {
            if let Some(text) = self.copy_or_cut(false) {
                return self.commands.push(UiCommand::Copy(text));
            }
            self.panes.composer.clear();
            return self.inform("Cleared. Ctrl-_ brings it back.");
        }
        self.quit_twice("Ctrl-C", ctx);
    }

    fn stop_run(&mut self, block: crate::domain::BlockId, ctx: Ctx<'_>) {
        let (kill_asked, terms) = (self.top::<Ask>().is_some(), terms(ctx, block));
        match self.escalation.interrupted {
            Some(at) if ctx.at.saturating_duration_since(at) >= KILL_DELAY && !kill_asked => {
                let kernel =
                    terms.and_then(|terms| Some((&terms.language, ctx.state.live.kernel_of(terms)?)));
                let (title, text) = match kernel {
                    Some((language, kernel)) => {
                        let title = format!("Kill kernel {}?", kernels::name(language, kernel));
                        (title, kernels::kill_asked(language, kernel))
                    }
                    None => (format!("Kill block {block}?"), kernels::kill_asked_of_block(block, terms)),
                };
                let ask = Ask::new(title, vec![text], 'w', "wait").about_run(block);
                self.open(ask.or_command('k', "kill", UiCommand::Send(Command::Kill)));
            }
            Some(_) => {}
            None => {
                self.escalation.interrupted = Some(ctx.at);
                self.inform(sending::interrupt(terms));
                self.send(Command::Stop);
            }
        }
    }

    /// A new run has begun: earlier interrupts no longer count.
    pub(super) fn forget_interrupt(&mut self) {
        self.escalation.interrupted = None;
    }

    /// Quits at the second press; after the first it names the key, since another one may stop a reply instead.
    fn quit_twice(&mut self, key: &str, ctx: Ctx<'_>) {
        let armed = self.escalation.quit_armed.take();
        if armed.is_some_and(|at| ctx.at.saturating_duration_since(at) < QUIT_TIMEOUT) {
            return self.commands.push(UiCommand::Leave(Exit::Quit));
        }
        self.escalation.quit_armed = Some(ctx.at);
        self.inform(format!("{key} again within 2 s quits."));
    }

    /// Ctrl-D: deletes a character in a message. If nothing is typed, it quits: with a question while a block
    /// runs, else after a second press.
    pub(super) fn end_of_input(&mut self, ctx: Ctx<'_>) {
        if !self.panes.composer.is_empty() {
            self.panes.composer.apply(Edit::Delete);
            return;
        }
        if ctx.state.live.run.is_some() {
            return self.quit(ctx);
        }
        let key = self.keymap.hint(Context::Message, Action::Quit);
        self.quit_twice(&key, ctx);
    }

    /// `/quit`: quits at once if nothing runs, else asks first.
    pub(super) fn quit(&mut self, ctx: Ctx<'_>) {
        let Some(run) = &ctx.state.live.run else {
            return self.commands.push(UiCommand::Leave(Exit::Quit));
        };
        let block = run.block;
        let mut lines = vec![format!("Block {block} is still running.")];
        let waiting = ctx.state.transcript.blocks.values().filter(|b| b.status == BlockStatus::Open).count();
        if waiting > 0 {
            let more = words::count(waiting, "more block");
            let (verb, they) = if waiting == 1 { ("waits", "it") } else { ("wait", "they") };
            lines.push(format!("{more} {verb}; {they} will wait in the session file."));
        }
        if ctx.state.live.peek_queued().is_some() {
            lines.push(sending::QUEUED_ON_QUITTING.into());
        }
        let running = &ctx.state.live.kernels;
        let kernel = if running.is_empty() {
            format!("quit now: kills block {block}")
        } else {
            let (names, lost) = (kernels::names(running), kernels::lost(running, (" (", ")")));
            format!("quit now: kills block {block} and kernel {names}{lost}")
        };
        let interrupt = vec![
            OverlayResponse::QuitAfterRun,
            OverlayResponse::info("Interrupting, then leaving."),
            OverlayResponse::send(Command::Leave),
            OverlayResponse::send(Command::Stop),
        ];
        let foot = format!("Enter = stay.  Reopen later: sayso resume {}", ctx.state.transcript.name);
        let ask = Ask::new("Quit?", lines, 'w', "stay and wait")
            .about_run(block)
            .or('i', format!("interrupt block {block}, save, quit"), interrupt)
            .or_command('d', kernel, UiCommand::Leave(Exit::Quit))
            .foot(foot);
        self.open(ask);
    }

    /// Esc: one step back. It never stops, decides, quits or deletes.
    pub(super) fn back(&mut self, ctx: Ctx<'_>) {
        if !self.overlays.is_empty() {
            return self.pass(ctx, |top, ctx, panes| top.back(ctx, panes));
        }
        self.panes.marked = None;
        if self.leave_source() || self.panes.output_has_keys() && self.panes.output.leave_image() {
            return;
        }
        match self.panes.code.mode {
            Mode::Edit(_) if self.panes.focus == Pane::Code => self.leave_editor(ctx),
            Mode::Diff(_) | Mode::Queue(_) if self.panes.focus == Pane::Code => {
                self.panes.code.mode = Mode::View;
            }
            _ => self.panes.focus = Pane::Message,
        }
    }
}

/// The terms of the last run of a block.
fn terms(ctx: Ctx<'_>, block: crate::domain::BlockId) -> Option<&Terms> {
    ctx.state.transcript.blocks.get(&block).and_then(|item| item.runs.last()).map(|run| &*run.terms)
}
