//! The screen as a value: where the focus is, what is open, what was typed. Keys and news go in, wishes come out.
//!
//! It draws nothing and does nothing to the world, so that it can be tested without a terminal. Every key passes the
//! guard, whatever has the focus; only the guard says whether a decision counts.

mod act;
pub mod commands;
mod context;
pub mod field;
pub mod filter;
mod find;
mod focus;
mod form;
mod instructions;
mod keys;
pub mod layer;
mod layers;
pub mod limits;
mod message;
mod models;
mod modes;
mod mouse;
mod news;
mod note;
mod opening;
mod rebuild;
mod recipes;
mod review;
mod rules;
mod standing;
mod stop;
mod troubles;
mod wish;

pub use focus::{Lower, has_problem};
pub use note::Note;
pub(in crate::tui) use recipes::has_failed;
pub use wish::{Choice, Exit, Paged, Target, Wish};

use crate::domain::{BlockId, Languages, RecipeCard};
use crate::engine::State;
use crate::tui::composer::Composer;
use crate::tui::guard::{Guard, Times};
use crate::tui::keymap::Keymap;
use crate::tui::view::chat::ChatPane;
use crate::tui::view::code::CodePane;
use crate::tui::view::keybar::Button;
use crate::tui::view::layout::{Arrangement, Pane, Wants};
use crate::tui::view::look::Look;
use crate::tui::view::output::OutputPane;
use crate::tui::view::pictures::Pictures;
use crate::tui::view::recipe::RecipeLine;
use crate::tui::view::vars::VarsPane;
use layer::Layer;
use std::path::PathBuf;
use std::time::Instant;

/// What the screen has to know beforehand.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The name of the program, as written on screen.
    pub app: String,
    /// The working folder.
    pub cwd: PathBuf,
    /// The times of the guard.
    pub times: Times,
    /// Whether the mouse is used.
    pub mouse: bool,
    /// The languages that can be run.
    pub languages: Languages,
    /// Providers in the cloud, with what is known of their keys.
    pub clouds: Vec<layer::Cloud>,
    /// Whether the provider has to be chosen first.
    pub welcome: bool,
    /// Whether the list of sessions is open at the start.
    pub pick_session: bool,
    /// The file that the log is written to.
    pub log: Option<PathBuf>,
    /// Settings of the project that were ignored, each with its place and why.
    pub ignored: Vec<String>,
    /// What is wrong with the session's file, in full.
    pub damage: Vec<String>,
    /// That the session is foreign, and why, where it is.
    pub foreign: Option<String>,
    /// The recipes that can be begun, in the order of their list.
    pub recipes: Vec<RecipeCard>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            app: "sayso".into(),
            cwd: PathBuf::new(),
            times: Times::default(),
            mouse: true,
            languages: Languages::default(),
            clouds: Vec::new(),
            welcome: false,
            pick_session: false,
            log: None,
            ignored: Vec::new(),
            damage: Vec::new(),
            foreign: None,
            recipes: Vec::new(),
        }
    }
}

/// What every step of the screen is given.
#[derive(Clone, Copy)]
pub struct Ctx<'a> {
    /// The session.
    pub state: &'a State,
    /// What views draw with.
    pub look: Look<'a>,
    /// The moment of what is handled.
    pub at: Instant,
}

/// The screen.
pub struct Screen {
    /// What it had to know beforehand.
    pub setup: Setup,
    /// The bindings.
    pub keymap: Keymap,
    /// The pane with the focus.
    pub focus: Pane,
    /// What stands where the output stands.
    pub lower: Lower,
    /// Layers over the panes, the topmost last.
    pub layers: Vec<Layer>,
    /// Forms that were put aside, with what was typed into them.
    drafts: Vec<layer::FormBox>,
    /// Answers that were given before anything was asked: they stand in the forms that come.
    given: crate::domain::Answers,
    /// Where the recipe that goes on stands, and of which moment that is.
    pub(in crate::tui) recipe: RecipeLine,
    /// The message.
    pub composer: Composer,
    /// The conversation.
    pub chat: ChatPane,
    /// The code.
    pub code: CodePane,
    /// The output.
    pub output: OutputPane,
    /// The variables.
    pub vars: VarsPane,
    /// Pictures of the output.
    pub pictures: Pictures,
    /// The gate in front of decisions.
    pub guard: Guard,
    /// What confines runs, once it was asked for and told.
    pub sandbox: Option<Result<crate::domain::SandboxReport, String>>,
    /// Whether the person waits for it.
    sandbox_asked: bool,
    /// Which requests went out, as of the last frame.
    pub departed: crate::domain::Departed,
    /// The message that was not sent and stands in the composer again.
    unsent: Option<String>,
    /// The newest thing that was said.
    pub note: Option<Note>,
    /// Which problem is chosen.
    pub problem: usize,
    /// A pane shown alone, for copying with the terminal's own means.
    pub alone: Option<Pane>,
    /// Where everything stood in the last frame.
    pub arrangement: Arrangement,
    /// The buttons of the key bar in the last frame.
    pub buttons: Vec<Button>,
    size: (u16, u16),
    /// Whether the terminal has the focus.
    attended: bool,
    /// The moment of what was handled last.
    last_step: Instant,
    follow: focus::Following,
    ladder: stop::Ladder,
    pressed: Option<Button>,
    /// The block whose output is shown because words of another came from there.
    source: Option<BlockId>,
    last_hit: Option<usize>,
    last_needle: Option<String>,
    seen_layout: Option<LayoutStamp>,
}

/// What the rows depend on that have to be seen.
type LayoutStamp = (BlockId, crate::domain::Revision, u16, u64, bool);

impl Screen {
    /// A screen of this size.
    pub fn new(setup: Setup, keymap: Keymap, size: (u16, u16), now: Instant) -> Self {
        let layers = if setup.welcome {
            vec![Layer::Welcome(layer::Welcome::new(setup.clouds.clone()))]
        } else {
            Vec::new()
        };
        Self {
            guard: Guard::new(setup.times, size, now),
            setup,
            keymap,
            focus: Pane::Message,
            lower: Lower::Output,
            layers,
            drafts: Vec::new(),
            given: Vec::new(),
            recipe: RecipeLine::default(),
            composer: Composer::default(),
            chat: ChatPane::default(),
            code: CodePane::default(),
            output: OutputPane::default(),
            vars: VarsPane::default(),
            pictures: Pictures::default(),
            sandbox: None,
            sandbox_asked: false,
            departed: crate::domain::Departed::default(),
            unsent: None,
            note: None,
            problem: 0,
            alone: None,
            arrangement: Arrangement::of(size.0, size.1, Wants::default()),
            buttons: Vec::new(),
            size,
            attended: true,
            last_step: now,
            follow: focus::Following::default(),
            ladder: stop::Ladder::default(),
            pressed: None,
            source: None,
            last_hit: None,
            last_needle: None,
            seen_layout: None,
        }
    }

    /// The size of the terminal, columns and rows.
    pub fn size(&self) -> (u16, u16) {
        self.size
    }

    /// The terminal has another size.
    pub fn resized(&mut self, size: (u16, u16), now: Instant) {
        if self.size != size {
            self.size = size;
            self.guard.resized(size, now);
        }
    }

    /// The terminal got the focus or lost it.
    pub fn attended(&mut self, has_focus: bool, now: Instant) {
        self.attended = has_focus;
        // What is pressed while another window comes or goes is not meant for this one.
        self.guard.focused(now);
    }

    /// Whether the terminal has the focus, as far as it tells.
    pub fn is_attended(&self) -> bool {
        self.attended
    }

    /// Says something in the status line.
    pub fn say(&mut self, note: Note) {
        // The latest moment that was told stands for now: a note is never older than the last key.
        self.note = Some(Note { at: Some(self.last_step), ..note });
    }

    /// What may change by itself and is seen: focus, what stands below, layers, the block on screen.
    pub fn stance(&self) -> (Pane, Lower, usize, Option<BlockId>) {
        (self.focus, self.lower, self.layers.len(), self.code.subject())
    }

    /// The pane that Tab and clicks call `Output`: whatever stands there.
    pub fn shows_vars(&self) -> bool {
        self.lower == Lower::Vars
    }

    /// Lays everything out for the next frame. Draw after this, and nothing in between.
    pub fn arrange(&mut self, ctx: Ctx<'_>) {
        let wants = Wants {
            share: focus::share(self, ctx.state),
            focus: self.focus,
            vars: self.shows_vars(),
            message_rows: self.message_rows(),
            alone: self.alone,
        };
        self.recipe.update(ctx.state);
        self.arrangement = Arrangement::of(self.size.0, self.size.1, wants);
        let made = self.arrangement;
        if let Some(slot) = made.chat {
            self.chat.arrange(ctx.state, slot.inner, ctx.look);
        }
        self.code.arrange(ctx.state, made.code.map(|s| s.inner).unwrap_or_default(), ctx.look);
        if let Some(slot) = made.output {
            match self.lower {
                Lower::Output => {
                    let chosen = self.source.or(self.code.subject());
                    self.output.arrange(ctx.state, chosen, slot.inner, &mut self.pictures, ctx.look);
                }
                Lower::Vars => self.vars.arrange(ctx.state, slot.inner),
                Lower::Problems => {}
            }
        }
        self.tell_guard(ctx);
    }

    /// Tells the guard what the next frame shows.
    fn tell_guard(&mut self, ctx: Ctx<'_>) {
        self.guard.stands_at(self.place(ctx.state), ctx.at);
        let on_screen = self.arrangement.code.is_some();
        let waiting = ctx.state.waiting().filter(|item| self.code.subject() == Some(item.block.id));
        let Some(item) = waiting.filter(|_| !self.code.edits()) else {
            self.guard.gone();
            self.seen_layout = None;
            return;
        };
        let first_seen = on_screen && self.layers.is_empty();
        let token = context::token_of(ctx.state, item);
        // A block counts as on screen from the first frame that shows it; where it is hidden later, nothing is lost.
        if !first_seen && self.guard.subject() != Some(token) {
            self.guard.gone();
            self.seen_layout = None;
            return;
        }
        if self.guard.subject() != Some(token) {
            self.seen_layout = None;
        }
        self.guard.appeared(token, ctx.at);
        self.guard.checking(ctx.state.inspected(item.block.id).is_none());
        if on_screen {
            let stamp = self.code.layout_stamp();
            if stamp != self.seen_layout {
                let known_block = self.seen_layout.is_some();
                self.seen_layout = stamp;
                let again = self.guard.layout(self.code.to_see());
                if known_block && again > 0 {
                    let lines = crate::tui::view::words::count(again, "line");
                    self.say(Note::of_wait(format!("Width changed: {lines} to look at again.")));
                }
            }
        }
        let shown = if first_seen { self.code.on_screen() } else { Vec::new() };
        self.guard.rows_on_screen(&shown, ctx.at);
    }

    fn message_rows(&self) -> u16 {
        let width = self.arrangement.message.map_or(60, |s| s.inner.width).saturating_sub(2).max(10);
        let rows: usize = self
            .composer
            .field()
            .rows()
            .iter()
            .take(20)
            .map(|line| crate::tui::view::safe::code_rows(line, width.into()))
            .sum();
        u16::try_from(rows).unwrap_or(u16::MAX).clamp(1, 10)
    }
}
