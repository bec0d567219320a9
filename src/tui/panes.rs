//! The panes: what each of them shows, how far it is scrolled, and its rows. A pane knows neither the other panes nor
//! the screen around it.

pub(crate) mod chat;
pub mod code;
pub(crate) mod composer;
pub(crate) mod editor;
mod hunks;
mod marks;
pub(crate) mod output;
pub(crate) mod pictures;
pub(crate) mod recipe;
pub(crate) mod search;
pub(crate) mod selection;
pub(crate) mod vars;

use crate::domain::BlockId;
use crate::engine::State;
use crate::engine::transcript::Body;
use crate::tui::pattern::Pattern;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::layout::Pane;
use crate::tui::widgets::virtual_list::Anchor;
use chat::ChatPane;
use code::{CodePane, CodePlace};
use composer::Composer;
use marks::Marks;
pub(crate) use marks::current as current_match;
use output::{OutputPane, OutputPlace};
use pictures::Pictures;
use search::{PaneHit, PaneSearch};
use selection::Selection;
use vars::VarsPane;

/// What the lower pane shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum LowerPane {
    /// What a run printed.
    #[default]
    Output,
    /// The kernel's variables.
    Vars,
    /// What went wrong, and what can be done about it.
    Problems,
}

/// All panes, and which one has the focus.
#[derive(Debug, Default)]
pub struct Panes {
    /// The pane with the focus.
    pub focus: Pane,
    /// What the lower pane shows.
    pub lower: LowerPane,
    /// The message box.
    pub composer: Composer,
    pub(crate) chat: ChatPane,
    /// The code pane.
    pub code: CodePane,
    /// The output pane.
    pub output: OutputPane,
    pub(crate) vars: VarsPane,
    /// Pictures of the output.
    pub pictures: Pictures,
    /// The last search.
    pub(crate) search: Option<PaneSearch>,
    /// The pattern that is marked wherever it occurs on screen.
    pub(crate) marked: Option<Pattern>,
    /// The text that the mouse selected.
    pub(crate) selection: Option<Selection>,
    /// The output that stays on screen while the person views other blocks.
    pub(crate) kept_output: Option<KeptOutput>,
    marks: Marks,
}

/// The output that stays on screen: that of a block, or, for `None`, that of the newest run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptOutput(pub(crate) Option<BlockId>);

/// The scroll positions of the panes, the lower pane's content and the focus.
#[derive(Debug)]
pub(crate) struct PanePlaces {
    chat: Option<Anchor>,
    output: OutputPlace,
    code: CodePlace,
    lower: LowerPane,
    focus: Pane,
}

impl Panes {
    /// Returns all positions, for [`Panes::restore`].
    pub(crate) fn places(&self) -> PanePlaces {
        PanePlaces {
            chat: self.chat.place(),
            output: self.output.place(),
            code: self.code.place(),
            lower: self.lower,
            focus: self.focus,
        }
    }

    /// Restores positions that [`Panes::places`] returned.
    pub(crate) fn restore(&mut self, places: &PanePlaces) {
        self.chat.restore(places.chat);
        self.output.restore(&places.output);
        self.code.restore(&places.code);
        self.lower = places.lower;
        self.focus = places.focus;
    }

    /// Whether keys act on the output.
    pub(crate) fn output_has_keys(&self) -> bool {
        self.focus == Pane::Output && self.lower == LowerPane::Output
    }

    /// Whether a pattern is marked wherever it occurs.
    pub fn has_marked_pattern(&self) -> bool {
        self.marked.is_some()
    }

    /// Searches the next portion. Returns whether there was one.
    pub(crate) fn search_on(&mut self, state: &State, draw: DrawContext<'_>) -> bool {
        let Some(mut search) = self.search.take() else { return false };
        let worked = search.work(state, self, draw);
        self.search = Some(search);
        worked
    }

    /// Returns the messages and outputs in view or being searched, if a part of them has to be loaded into memory; else
    /// nothing.
    pub(crate) fn wanted(&self, state: &State) -> Vec<Body> {
        let looked_at = self.chat.wanted_items(state);
        let searched = self.search.as_ref().map_or_else(Vec::new, |search| search.wanted(state));
        let lacks = !searched.is_empty()
            || looked_at.clone().any(|item| chat::is_wanted(state, item))
            || self.output.is_wanted(state);
        if !lacks {
            return Vec::new();
        }
        let output = self.output.run(state).map(|(_, run)| Body::Output(run.run));
        looked_at.chain(searched).map(Body::Message).chain(output).collect()
    }

    /// Scrolls a search hit into view.
    pub(crate) fn show_found(&mut self, hit: &PaneHit, state: &State, draw: DrawContext<'_>) {
        match hit.pane {
            Pane::Chat | Pane::Message => self.chat.show(state, &hit.text, draw),
            Pane::Code => {
                let block = u32::try_from(hit.text.item).unwrap_or(u32::MAX);
                self.code.show_in(BlockId(block), hit.text.line);
            }
            Pane::Output => {
                if self.lower == LowerPane::Vars {
                    self.lower = LowerPane::Output;
                }
                self.output.show(&hit.text, draw);
            }
        }
    }

    pub(crate) fn scroll(&mut self, pane: Pane, rows: isize, state: &State, draw: DrawContext<'_>) {
        match (pane, self.lower) {
            (Pane::Chat | Pane::Message, _) => self.chat.scroll(state, rows, draw),
            (Pane::Code, _) => self.code.scroll(rows),
            (Pane::Output, LowerPane::Vars) => self.vars.scroll(rows),
            (Pane::Output, LowerPane::Output) => self.output.scroll(rows, draw),
            (Pane::Output, LowerPane::Problems) => {}
        }
    }

    /// Scrolls the pane with the focus to its first row.
    pub(crate) fn to_top(&mut self, state: &State, draw: DrawContext<'_>) {
        match self.focus {
            Pane::Chat | Pane::Message => self.chat.to_top(state, draw),
            Pane::Code => self.code.to_top(),
            Pane::Output if self.lower == LowerPane::Vars => self.vars.scroll(isize::MIN),
            Pane::Output => self.output.to_top(draw),
        }
    }

    /// Scrolls the pane with the focus to its end, which it follows from then on.
    pub(crate) fn to_end(&mut self) {
        match self.focus {
            Pane::Chat | Pane::Message => self.chat.follow(),
            Pane::Code => self.code.to_end(),
            Pane::Output if self.lower == LowerPane::Vars => self.vars.scroll(isize::MAX),
            Pane::Output => self.output.follow(),
        }
    }

    /// The text that copying takes from the pane with the focus.
    pub(crate) fn text(&self, state: &State) -> Option<String> {
        match self.focus {
            Pane::Chat | Pane::Message => self.chat.text(state),
            Pane::Code => self.code.text(),
            Pane::Output if self.lower == LowerPane::Vars => self.vars.name(state),
            Pane::Output => self.output.text(state),
        }
    }
}
