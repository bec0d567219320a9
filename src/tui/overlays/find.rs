//! The search in conversation, code and output. When it is closed, the panes go back to their positions.

use super::{Overlay, OverlayContext, OverlayProperties, OverlayResponse};
use crate::engine::State;
use crate::tui::action::Action;
use crate::tui::keymap::Context;
use crate::tui::panes::search::{PaneSearch, SEARCHED_PANES};
use crate::tui::panes::{KeptOutput, PanePlaces, Panes};
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::field::Field;
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::layout::Pane;
use crate::tui::widgets::safe;
use crate::tui::widgets::sheet::Sheet;
use ratatui::layout::Rect;

#[derive(Debug)]
pub(crate) struct Find {
    field: Field,
    is_expression: bool,
    /// The positions of the panes before the search.
    before: PanePlaces,
    /// The text about the hits in the status row.
    counts: String,
}

impl Find {
    /// A search for this text; the panes keep their positions for now.
    pub(crate) fn new(text: &str, panes: &mut Panes) -> Self {
        let field = Field::with(text);
        let is_expression = panes.search.as_ref().is_some_and(PaneSearch::is_expression);
        panes.search = Some(PaneSearch::new(panes.focus));
        // The output on screen is searched, so it stays while blocks with other output are shown.
        panes.kept_output = Some(KeptOutput(panes.code.subject()));
        Self { field, is_expression, before: panes.places(), counts: String::new() }
    }

    /// Starts the search anew after the text changed.
    pub(crate) fn look_up(&mut self, ctx: OverlayContext<'_>, panes: &mut Panes) {
        let text = self.field.text();
        let text = if text.trim().is_empty() { "" } else { text.as_str() };
        let search = panes.search.get_or_insert_with(|| PaneSearch::new(panes.focus));
        search.look_for(text, self.is_expression);
        panes.marked = search.pattern().cloned();
        self.go_on(ctx, panes);
    }

    /// Searches the next portion, and scrolls to the first hit that becomes the current one.
    fn go_on(&mut self, ctx: OverlayContext<'_>, panes: &mut Panes) -> bool {
        let had = panes.search.as_ref().is_some_and(|search| search.at().is_some());
        let worked = panes.search_on(ctx.state, ctx.draw);
        if worked && !had {
            show(ctx, panes);
        }
        self.counts = counts_text(ctx.state, panes, ctx.draw);
        worked
    }

    fn step_by(&mut self, back: bool, ctx: OverlayContext<'_>, panes: &mut Panes) {
        if let Some(search) = &mut panes.search {
            search.step(back, |_| true);
        }
        show(ctx, panes);
        self.counts = counts_text(ctx.state, panes, ctx.draw);
    }
}

/// Scrolls to the current hit; if its pane is not visible, shows it instead of the pane with the focus.
fn show(ctx: OverlayContext<'_>, panes: &mut Panes) {
    let Some(hit) = panes.search.as_ref().and_then(|search| search.at()).cloned() else { return };
    panes.show_found(&hit, ctx.state, ctx.draw);
    if ctx.arrangement.slot(hit.pane).is_none() {
        panes.focus = hit.pane;
    }
}

/// Whether the last search has no current hit yet because not all was searched.
pub(crate) fn is_unfinished(state: &State, panes: &Panes) -> bool {
    panes.search.as_ref().is_some_and(|search| search.at().is_none() && !search.is_done(state, panes))
}

/// Goes to the next hit of the last search, or to the one before, among those in visible panes.
pub(crate) fn find_again(
    back: bool,
    panes: &mut Panes,
    shown: impl Fn(Pane) -> bool,
    state: &State,
    draw: DrawContext<'_>,
) {
    let Some(search) = &mut panes.search else { return };
    search.step(back, shown);
    let hit = search.at().cloned();
    panes.marked = search.pattern().cloned();
    if let Some(hit) = hit {
        panes.show_found(&hit, state, draw);
    }
}

/// `4 of 16   Chat 3  Code 2  Output 11`
pub(crate) fn counts_text(state: &State, panes: &Panes, draw: DrawContext<'_>) -> String {
    let Some(search) = &panes.search else { return String::new() };
    if let Some(error) = search.error() {
        return format!("{error}.").replace("..", ".");
    }
    let text = safe::one_line(search.text());
    if text.is_empty() {
        return "Type what to look for.".into();
    }
    let (at, all) = search.position();
    let is_done = search.is_done(state, panes);
    if all == 0 && is_done {
        return format!("No matches for {text}.");
    }
    let counts = SEARCHED_PANES.iter().map(|(pane, name)| {
        let count = search.count(*pane);
        let cut = if search.has_more(*pane) { "first " } else { "" };
        format!("{name} {cut}{}", crate::text::number::grouped(count as u64))
    });
    let counts = counts.collect::<Vec<_>>().join("  ");
    let place = match (at, is_done) {
        (Some(at), _) => format!("{at} of {all}"),
        (None, true) => format!("{all} found"),
        (None, false) => "Searching".into(),
    };
    let only = search.only().and_then(|only| SEARCHED_PANES.iter().find(|(pane, _)| *pane == only));
    let only = only.map_or(String::new(), |(_, name)| format!("   only {name}"));
    let keys = [(Action::OutputPager, "finds in all output")];
    let keys = if panes.output.is_partial() { &keys[..] } else { &[] };
    let more = draw.keymap.hints(Context::Done, ("   ", "", ""), keys);
    format!("{place}   {counts}{only}{more}")
}

impl Overlay for Find {
    fn properties(&self) -> OverlayProperties {
        OverlayProperties { context: Context::Find, ..OverlayProperties::default() }
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.field)
    }

    fn in_message(&self) -> Option<(&'static str, &Field)> {
        Some((if self.is_expression { "regex: " } else { "find: " }, &self.field))
    }

    fn action(&mut self, action: Action, ctx: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        match action {
            Action::FindExpression => {
                self.is_expression = !self.is_expression;
                self.look_up(ctx, panes);
            }
            Action::ListScope => {
                if let Some(search) = &mut panes.search {
                    search.next_scope();
                }
                show(ctx, panes);
                self.counts = counts_text(ctx.state, panes, ctx.draw);
            }
            other => return self.common(other, ctx, panes),
        }
        Vec::new()
    }

    fn step(&mut self, by: isize, ctx: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        self.step_by(by < 0, ctx, panes);
        Vec::new()
    }

    fn accept(&mut self, ctx: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        self.step(1, ctx, panes)
    }

    fn changed(&mut self, ctx: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        self.look_up(ctx, panes);
        Vec::new()
    }

    fn work(&mut self, ctx: OverlayContext<'_>, panes: &mut Panes) -> bool {
        self.go_on(ctx, panes)
    }

    fn close(&mut self, panes: &mut Panes) -> Vec<OverlayResponse> {
        panes.marked = None;
        panes.kept_output = None;
        if self.field.text().trim().is_empty() {
            panes.search = None;
        }
        panes.restore(&self.before);
        vec![OverlayResponse::Close]
    }

    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        hints.word(Action::ListAccept, "next", 0).plain("Up/Down", "match", 1);
        hints.key(Action::ListScope, "only chat, code, output", "only", 2);
        let (long, short) =
            if self.is_expression { ("text", "text") } else { ("regular expression", "regex") };
        hints.key(Action::FindExpression, long, short, 1);
        hints.key(Action::Back, "back to where you were", "back", 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        Some(if self.counts.is_empty() { "Type what to look for.".into() } else { self.counts.clone() })
    }

    fn sheet(&self, _: OverlayContext<'_>, _: &Panes, _: Rect) -> Option<Sheet> {
        None
    }
}
