//! Carries out actions on the panes.

use super::{Ctx, Screen, UiCommand};
use crate::domain::ImageRef;
use crate::domain::sentences::{sandbox, saving};
use crate::driver::Job;
use crate::engine::transcript::{BlockItem, RunItem};
use crate::engine::{Command, State, kernels};
use crate::tui::action::Action;
use crate::tui::keymap::Context;
use crate::tui::overlays::ask::Ask;
use crate::tui::overlays::branches::BranchList;
use crate::tui::overlays::commands::CommandList;
use crate::tui::overlays::pager::{Pager, unreadable};
use crate::tui::panes::code::Mode;
use crate::tui::panes::{LowerPane, output};
use crate::tui::ui_command::PagerText;
use crate::tui::widgets::layout::{Pane, SizeClass};
use crate::tui::widgets::safe;

/// The note for a run whose output has not been loaded from the session file.
pub(super) const NOT_READ_MESSAGE: &str = "Its output was not read yet. Try again once Output shows it.";

/// Whether an action can be used without leaving the bare view of one pane.
fn stays_bare(action: Action) -> bool {
    action.is_scroll() || matches!(action, Action::Bare | Action::Copy | Action::Redraw | Action::Suspend)
}

impl Screen {
    /// Carries out an action where the focus is.
    pub(super) fn act(&mut self, action: Action, ctx: Ctx<'_>) {
        if self.bare_pane.is_some() && !stays_bare(action) {
            self.leave_bare();
            // Esc only leaves the bare view.
            if action == Action::Back {
                return;
            }
        }
        if self.act_anywhere(action, ctx) {
            return;
        }
        match self.keymap_context(ctx.state) {
            _ if !self.overlays.is_empty() => {
                self.pass(ctx, |top, ctx, panes| top.action(action, ctx, panes));
            }
            Context::Message => self.message_action(action, ctx),
            Context::Edit => self.edit_action(action, ctx),
            Context::Queue => self.queue_action(action, ctx),
            Context::Problems => self.problem_action(action, ctx),
            _ => self.pane_action(action, ctx),
        }
    }

    /// Carries out the few actions that work even in a window too small to show anything.
    pub(super) fn act_blind(&mut self, action: Action, ctx: Ctx<'_>) {
        match action {
            Action::Stop => self.stop(ctx),
            Action::Suspend => self.commands.push(UiCommand::Suspend),
            Action::Redraw => self.commands.push(UiCommand::Redraw),
            _ => {}
        }
    }

    /// Carries out actions that mean the same everywhere; returns whether it is one.
    fn act_anywhere(&mut self, action: Action, ctx: Ctx<'_>) -> bool {
        if action.is_of_panes() && !self.overlays.is_empty() {
            return false;
        }
        match action {
            Action::Stop | Action::Suspend | Action::Redraw => self.act_blind(action, ctx),
            Action::Back => self.back(ctx),
            Action::ToWaiting => self.go_to_waiting(ctx),
            Action::ForwardKeys => self.forward_keys(ctx.state),
            Action::Help => self.open_help(ctx),
            Action::PaneNext if self.suggestion(ctx.state).is_some() => self.take_suggestion(),
            Action::PaneNext => self.cycle(false, ctx),
            Action::PanePrevious => self.cycle(true, ctx),
            Action::Commands => self.open(CommandList::default()),
            Action::Find => self.open_find("", ctx),
            _ => return false,
        }
        true
    }

    /// Carries out actions of panes that scroll.
    pub(super) fn pane_action(&mut self, action: Action, ctx: Ctx<'_>) {
        match action {
            Action::ScrollDown => self.scroll(self.panes.focus, 1, ctx),
            Action::ScrollUp => self.scroll(self.panes.focus, -1, ctx),
            Action::ScrollPageDown => self.page(1, ctx),
            Action::ScrollPageUp => self.page(-1, ctx),
            Action::ScrollTop => self.panes.to_top(ctx.state, ctx.draw),
            Action::ScrollEnd => self.panes.to_end(),
            Action::SearchStart => self.open_find("", ctx),
            Action::SearchNext => self.find_again(false, ctx),
            Action::SearchPrevious => self.find_again(true, ctx),
            Action::MessageFocus => self.panes.focus = Pane::Message,
            Action::Copy => self.copy(ctx),
            Action::Bare => self.toggle_bare(),
            Action::ChatLess | Action::ChatMore | Action::CodeLess | Action::CodeMore => {
                self.move_border(action, ctx.state);
            }
            Action::Zoom => self.toggle_zoom(),
            Action::BlockOpen => match self.panes.chat.marked_block() {
                Some(block) => self.open_block(block),
                None => self.inform("No block is on screen."),
            },
            Action::BlockNext => self.other_block(false, ctx.state),
            Action::BlockPrevious => self.other_block(true, ctx.state),
            Action::Queue => {
                self.panes.code.mode = Mode::Queue(0);
                self.panes.focus = Pane::Code;
            }
            Action::Vars => {
                self.panes.lower =
                    if self.panes.lower == LowerPane::Vars { LowerPane::Output } else { LowerPane::Vars };
                self.panes.focus = Pane::Output;
            }
            Action::VarsSort => self.panes.vars.sort(),
            Action::VarsInspect => self.panes.vars.toggle(),
            Action::TableLeft | Action::TableRight if !self.panes.output_has_keys() => {}
            Action::TableLeft => self.panes.output.scroll_columns(-1),
            Action::TableRight => self.panes.output.scroll_columns(1),
            Action::OutputImage => self.show_image(ctx.state),
            Action::OutputOpen | Action::OutputWrite | Action::OutputPager => self.output_action(action, ctx),
            Action::ReopenBlock => self.put_back(ctx),
            Action::BlockBranch if self.panes.focus == Pane::Chat => {
                self.open(BranchList::of(ctx.state, self.panes.chat.marked_block()));
            }
            Action::BlockBranch => self.branch_at_block(ctx),
            Action::Debug => self.debug_failure(ctx),
            Action::TakeBack => self.take_back(ctx),
            Action::KernelNew => self.ask_restart(ctx),
            other => self.review_action(other, ctx),
        }
    }

    pub(super) fn scroll(&mut self, pane: Pane, rows: isize, ctx: Ctx<'_>) {
        self.panes.scroll(pane, rows, ctx.state, ctx.draw);
    }

    pub(super) fn page(&mut self, pages: isize, ctx: Ctx<'_>) {
        let waits = self.guard.subject().is_some() && self.arrangement.code.is_some();
        match self.panes.focus {
            // In Message these keys scroll the waiting block if it is on screen, else the conversation.
            Pane::Message if waits && pages > 0 => self.panes.code.next_unseen(self.guard.rows()),
            Pane::Message if waits => self.panes.code.scroll(pages * self.panes.code.page()),
            Pane::Chat | Pane::Message => self.panes.chat.page(ctx.state, pages, ctx.draw),
            Pane::Code
                if pages > 0
                    && self.guard.subject().is_some()
                    && matches!(self.panes.code.mode, Mode::View) =>
            {
                self.panes.code.next_unseen(self.guard.rows());
            }
            Pane::Code => self.panes.code.scroll(pages * self.panes.code.page()),
            Pane::Output => match self.panes.lower {
                LowerPane::Vars => self.panes.vars.page(pages),
                LowerPane::Output => self.panes.output.page(pages, ctx.draw),
                LowerPane::Problems => {}
            },
        }
    }

    /// Copies the text of the focused pane unchanged.
    pub(super) fn copy(&mut self, ctx: Ctx<'_>) {
        let text = self.panes.text(ctx.state);
        match text.filter(|t| !t.is_empty()) {
            Some(text) => self.commands.push(UiCommand::Copy(text)),
            None => self.inform("There is nothing to copy here."),
        }
    }

    /// Lets the focused pane fill the screen, until the focus moves.
    fn toggle_zoom(&mut self) {
        if self.arrangement.class == SizeClass::Narrow {
            self.inform("This window shows one pane at a time: it has the whole screen.");
        } else {
            self.zoomed = if self.zoomed.is_some() { None } else { Some(self.panes.focus) };
        }
    }

    fn toggle_bare(&mut self) {
        if self.bare_pane.is_some() {
            return self.leave_bare();
        }
        self.bare_pane = Some(self.panes.focus);
        self.inform("Select with the terminal's own mouse. m or Esc goes back.");
        self.commands.extend([UiCommand::Mouse(false), UiCommand::Redraw]);
    }

    /// Shows all panes again and captures the mouse again.
    pub(super) fn leave_bare(&mut self) {
        self.bare_pane = None;
        self.commands.extend([UiCommand::Mouse(self.setup.mouse), UiCommand::Redraw]);
    }

    pub(super) fn output_action(&mut self, action: Action, ctx: Ctx<'_>) {
        let Some((item, run)) = self.panes.output.run(ctx.state) else {
            return self.inform("No output yet.");
        };
        match action {
            Action::OutputOpen => self.open_image(run, ctx.state),
            Action::OutputWrite => self.write_output(item, ctx.state),
            _ => self.page_output(item, run, ctx.state),
        }
    }

    /// Asks whether to open the image on screen outside, or says why it is not opened.
    fn open_image(&mut self, run: &RunItem, state: &State) {
        let Some(image) = self.panes.output.image(state) else {
            let report = run.ended.as_ref().map(|(_, report)| report);
            let wrote =
                report.and_then(|report| report.receipt.files.iter().find(|file| is_image(&file.path)));
            return self.inform(match wrote {
                Some(file) => format!(
                    "This run showed no image. It wrote {}: open that by its name.",
                    safe::one_line(&file.path)
                ),
                None => "This run made no image. x shows all output.".to_owned(),
            });
        };
        if image.mime != output::SVG {
            return self.ask_open(image.clone());
        }
        let is_saved = self.panes.output.unsaved(state).contains(&image);
        let next = if is_saved { "w saves it.".to_owned() } else { written_by_the_run(image) };
        self.inform(format!("An SVG may hold a script: it is not opened from here. {next}"));
    }

    /// Saves the images on screen that the run did not write itself; without any, the text of the output.
    fn write_output(&mut self, item: &BlockItem, state: &State) {
        let unsaved = self.panes.output.unsaved(state);
        let shown = self.panes.output.image(state).filter(|_| self.panes.output.shows_image());
        match shown {
            _ if !unsaved.is_empty() => {
                let save = |image: &ImageRef| UiCommand::Job(Job::SaveImage(image.clone()));
                self.commands.extend(unsaved.into_iter().map(save));
            }
            Some(image) => self.inform(written_by_the_run(image)),
            None => self.start(Job::SaveOutput(Box::new(item.clone()))),
        }
    }

    /// Shows all output in the pager, or what is kept of it.
    fn page_output(&mut self, item: &BlockItem, run: &RunItem, state: &State) {
        let report = run.ended.as_ref().map(|(_, report)| report);
        let is_whole = report.is_some_and(|report| report.has_all_output(&run.terms.limits));
        let title = saving::output_title(item.block.id.0, is_whole);
        let blob = report.and_then(|report| report.blob.clone());
        let what = match blob {
            Some(path) => PagerText::File(path),
            None if run.unloaded_output().is_some() => {
                return self.inform(NOT_READ_MESSAGE);
            }
            None => PagerText::Text(self.panes.output.text(state).unwrap_or_default()),
        };
        self.open_pager(title, what);
    }

    pub(super) fn open_pager(&mut self, title: String, what: PagerText) {
        match Pager::open(title, what) {
            Ok(pager) => self.open(pager),
            Err(error) => self.warn(unreadable(&error)),
        }
    }

    /// Shows an image of the run alone in Output, or the output again.
    fn show_image(&mut self, state: &State) {
        if self.panes.lower != LowerPane::Output {
            return;
        }
        if self.panes.output.toggle_image(state) {
            self.panes.focus = Pane::Output;
        } else {
            self.inform("This run made no image.");
        }
    }

    /// Asks whether to open an image outside: a desktop program opens it, and nothing confines that program.
    fn ask_open(&mut self, image: ImageRef) {
        let lines = vec![format!("{} was made by a run.", image.name), sandbox::OPENED_OUTSIDE.to_owned()];
        let ask = Ask::new("Open outside?", lines, 'w', "leave it closed");
        self.open(ask.or_command('o', "open it", UiCommand::Job(Job::Open(image))));
    }

    /// Asks whether to end the kernel.
    pub(super) fn ask_restart(&mut self, ctx: Ctx<'_>) {
        let running = &ctx.state.live.kernels;
        if running.is_empty() {
            return self.inform("No kernel runs. The next block starts one.");
        }
        let text = format!("Kernel {} ends.", kernels::names(running));
        let ask = Ask::new("New kernel?", vec![text], 'w', "keep it");
        let restart = UiCommand::Send(Command::RestartKernel);
        let lost = kernels::lost(running, (", ", ""));
        self.open(ask.or_command('n', format!("new kernel{lost}"), restart));
    }
}

/// Says where the run wrote a picture, which is not saved again. Does not check that the file still exists.
fn written_by_the_run(image: &ImageRef) -> String {
    format!("The run wrote it into the folder as {}.", safe::one_line(&image.name))
}

/// Whether the name of a file is that of a picture.
fn is_image(path: &str) -> bool {
    let end = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    ["png", "jpg", "jpeg", "gif", "svg", "webp", "bmp", "tif", "tiff"].contains(&end.as_str())
}
