//! The choice of a rule for "always". Nothing is marked at first; digits and arrows only mark. The confirming key
//! passes the guard before it arrives here, so that keys typed ahead grant nothing; and it grants only a rule of which
//! every word is on screen.

use super::{
    LetterEffect, Overlay, OverlayContext, OverlayProperties, OverlayResponse, nothing_decided, scope_of,
};
use crate::domain::{BlockId, Decision, RuleScope};
use crate::engine::rules::{self, Offer};
use crate::engine::{Command, State};
use crate::text::names::first_names;
use crate::tui::action::Action;
use crate::tui::guard::SubjectId;
use crate::tui::note::Note;
use crate::tui::panes::Panes;
use crate::tui::panes::code::subject_of;
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::layout::Pane;
use crate::tui::widgets::safe;
use crate::tui::widgets::sheet::Sheet;
use ratatui::layout::Rect;
use ratatui::text::Span;
use std::ops::Range;

/// How many blocks are named; the others are counted.
const MAX_BLOCKS_SHOWN: usize = 4;

/// The columns of the box from which on the key bar has room for all keys that mark.
const MIN_HINT_WIDTH: u16 = 52;

/// The box.
#[derive(Debug)]
pub struct Always {
    /// The block as it was on screen.
    subject: SubjectId,
    /// What could be granted, the narrowest first.
    offers: Vec<Offer>,
    /// The index of the marked offer.
    marked: Option<usize>,
    /// The row that the person paged to; without it, the marked offer is in view.
    paged_to: Option<usize>,
}

/// The rows of an offer in the box.
struct OfferRows {
    /// Those that say what is granted.
    rule: Range<usize>,
    /// These and what it would have covered.
    all: Range<usize>,
}

/// Why a letter grants nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum GrantError {
    /// The letter has no meaning here.
    #[error("1 2 3 mark, A confirms, Esc approves nothing.")]
    NoMeaning,
    /// A letter confirmed before a rule was marked.
    #[error("Nothing is marked: 1 2 3 mark, A confirms, Esc approves nothing.")]
    NothingMarked,
    /// The offer with this number can't be granted for the block.
    #[error("{0} can't be granted on this block.")]
    Refused(usize),
    /// Not every row that says what it grants is on screen.
    #[error("Not all of {0} is on screen: {0} shows it, or a larger window.")]
    NotShown(usize),
}

impl Always {
    pub(crate) fn new(subject: SubjectId, offers: Vec<Offer>) -> Self {
        Self { subject, offers, marked: None, paged_to: None }
    }

    /// Handles a letter: a digit marks an offer, `A` confirms it. Returns the scope to grant once it is confirmed, or
    /// why the letter does nothing.
    fn take_letter(
        &mut self,
        letter: char,
        ctx: OverlayContext<'_>,
    ) -> Result<Option<RuleScope>, GrantError> {
        if let Some(at) = letter.to_digit(10).and_then(|digit| (digit as usize).checked_sub(1)) {
            return self.mark(at).map(|()| None);
        }
        if letter != 'A' {
            return Err(GrantError::NoMeaning);
        }
        let Some((at, offer)) = self.marked.and_then(|at| Some((at, self.offers.get(at)?))) else {
            return Err(GrantError::NothingMarked);
        };
        if self.is_shown(at, ctx) { Ok(Some(offer.rule.scope)) } else { Err(GrantError::NotShown(at + 1)) }
    }

    /// Whether every row that says what an offer grants is on screen.
    fn is_shown(&self, at: usize, ctx: OverlayContext<'_>) -> bool {
        let room = ctx.room(self.properties().width);
        let (sheet, offers) = self.lay_out(room.width, ctx.draw);
        let shown = sheet.visible(room.height.into());
        offers.get(at).is_some_and(|rows| shown.start <= rows.rule.start && rows.rule.end <= shown.end)
    }

    /// Shows the rows above or below those on screen.
    fn page(&mut self, back: bool, ctx: OverlayContext<'_>) {
        let room = ctx.room(self.properties().width);
        let (sheet, _) = self.lay_out(room.width, ctx.draw);
        let height = usize::from(room.height);
        let shown = sheet.visible(height);
        // The first and the last row of the box tell what is hidden.
        let page = height.saturating_sub(2).max(1);
        let row = if back { shown.start.saturating_sub(1) } else { (shown.end + page).saturating_sub(1) };
        self.paged_to = Some(row.min(sheet.rows.len().saturating_sub(1)));
    }

    /// Marks the next offer that can be granted, or the one before.
    fn walk(&mut self, by: isize) {
        let open: Vec<usize> = (0..self.offers.len())
            .filter(|at| self.offers.get(*at).is_some_and(|o| o.refused.is_none()))
            .collect();
        let here = self.marked.and_then(|marked| open.iter().position(|at| *at == marked));
        let next = match here {
            Some(at) => at.saturating_add_signed(by).min(open.len().saturating_sub(1)),
            None if by < 0 => open.len().saturating_sub(1),
            None => 0,
        };
        (self.marked, self.paged_to) = (open.get(next).copied(), None);
    }

    fn mark(&mut self, at: usize) -> Result<(), GrantError> {
        match self.offers.get(at) {
            None => Ok(()),
            Some(Offer { refused: Some(_), .. }) => Err(GrantError::Refused(at + 1)),
            Some(_) => {
                (self.marked, self.paged_to) = (Some(at), None);
                Ok(())
            }
        }
    }

    /// The box, and which of its rows each offer has.
    fn lay_out(&self, width: u16, draw: DrawContext<'_>) -> (Sheet, Vec<OfferRows>) {
        let mut sheet = Sheet::new("Always approve what?");
        sheet.words("Approve this block, and from now on in this session also:", width, draw.text()).gap();
        let offers: Vec<OfferRows> = self
            .offers
            .iter()
            .enumerate()
            .map(|(at, offer)| self.add_offer(&mut sheet, at, offer, width, draw))
            .collect();
        sheet.gap();
        for text in [
            "Never offered: blocks with a high finding, other sessions, everything.",
            "Covered blocks are still shown first and start after 3 s; s stops them.",
        ] {
            sheet.words(text, width, draw.text());
        }
        let next = match self.marked {
            Some(at) => format!("{} is marked: A confirms.", at + 1),
            None => "Nothing is marked yet: 1 2 3 mark, A confirms.".into(),
        };
        sheet.words(&format!("Remove rules: /rules.   {next}"), width, draw.text());
        let marked = self.marked.and_then(|at| offers.get(at)).map(|rows| rows.all.clone());
        sheet.in_view = self.paged_to.map(|row| row..row + 1).or(marked).or(Some(0..1));
        (sheet, offers)
    }

    /// Adds an offer to the box: what it grants, in full, and what that would have covered.
    fn add_offer(
        &self,
        sheet: &mut Sheet,
        at: usize,
        offer: &Offer,
        width: u16,
        draw: DrawContext<'_>,
    ) -> OfferRows {
        let chosen = self.marked == Some(at);
        let style = match (&offer.refused, chosen) {
            (Some(_), _) => draw.dim(),
            (None, true) => draw.style(Slot::UiSelection),
            (None, false) => draw.text(),
        };
        let mark = if chosen { "> " } else { "  " };
        let first = sheet.rows.len();
        let head = Span::styled(format!("{mark}{}  ", at + 1), style);
        sheet.rows.extend(safe::hanging(head, &rules::describe(&offer.rule), width.into(), style));
        let rule = first..sheet.rows.len();
        let head = Span::raw(" ".repeat(5));
        sheet.rows.extend(safe::hanging(head, &reach(self.subject.block, offer), width.into(), draw.dim()));
        OfferRows { rule, all: first..sheet.rows.len() }
    }
}

impl Overlay for Always {
    fn properties(&self) -> OverlayProperties {
        OverlayProperties { width: 72, ..OverlayProperties::default() }
    }

    fn step(&mut self, by: isize, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        self.walk(by);
        Vec::new()
    }

    fn action(&mut self, action: Action, ctx: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        match action {
            Action::ScrollPageUp => self.page(true, ctx),
            Action::ScrollPageDown => self.page(false, ctx),
            _ => return self.common(action, ctx, panes),
        }
        Vec::new()
    }

    /// Enter grants nothing, because it is pressed by habit.
    fn accept(&mut self, ctx: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        self.letter('\n', ctx, panes)
    }

    fn letter(&mut self, letter: char, ctx: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        let scope = match self.take_letter(letter, ctx) {
            Ok(None) => return Vec::new(),
            Ok(Some(scope)) => scope,
            Err(why) => {
                let about_size = matches!(why, GrantError::NotShown(_));
                let note = Note { about_size, ..Note::about_waiting_block(why.to_string()) };
                return vec![OverlayResponse::ShowNote(note)];
            }
        };
        let number = ctx.state.transcript.rules.len() + 1;
        let said = format!(
            "Rule {number} approved it at {}. /rules lists and removes rules.",
            ctx.draw.locale.second(ctx.draw.now)
        );
        let SubjectId { block, revision, .. } = self.subject;
        let decided = Command::Decide { block, revision, decision: Decision::Always(scope) };
        vec![
            OverlayResponse::Close,
            OverlayResponse::info(said),
            OverlayResponse::Focus(Pane::Output),
            OverlayResponse::send(decided),
        ]
    }

    fn letter_effect(&self, letter: char) -> LetterEffect {
        match letter {
            'A' => LetterEffect::Acts,
            letter if letter.is_ascii_digit() => LetterEffect::Harmless,
            _ => LetterEffect::Nothing,
        }
    }

    fn approves(&self) -> bool {
        true
    }

    fn scope(&self) -> Option<u64> {
        Some(scope_of(("always", self.subject.block, self.subject.revision, self.subject.terms)))
    }

    fn back(&mut self, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        nothing_decided()
    }

    fn is_stale(&self, state: &State) -> bool {
        state.waiting().map(|item| subject_of(state, item)) != Some(self.subject)
    }

    fn hints(&self, ctx: OverlayContext<'_>, hints: &mut Hints<'_>) {
        let room = ctx.room(self.properties().width);
        let marks = if room.width < MIN_HINT_WIDTH { "1 2 3" } else { "1 2 3 or Up/Down" };
        hints.plain(marks, "mark", 0).plain("A", "confirm and approve", 0).plain("Esc", "back", 0);
        if self.lay_out(room.width, ctx.draw).0.rows.len() > room.height.into() {
            hints.word(Action::ScrollPageDown, "more", 1);
        }
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        Some("A rule also approves this block. Esc approves nothing.".into())
    }

    fn sheet(&self, ctx: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        Some(self.lay_out(room.width, ctx.draw).0)
    }
}

/// What a rule would have covered so far, and a near miss; or why it can't be granted.
fn reach(block: BlockId, offer: &Offer) -> String {
    if let Some(miss) = &offer.refused {
        return format!("not here: block {block} {}", safe::one_line(&miss.to_string()));
    }
    let covered = match offer.covered.as_slice() {
        [] => "no earlier block".to_owned(),
        [one] => format!("block {one}"),
        many => {
            let names: Vec<String> = many.iter().rev().map(ToString::to_string).collect();
            format!("blocks {}", first_names(&names, MAX_BLOCKS_SHOWN))
        }
    };
    match &offer.missed {
        Some((other, miss)) => {
            format!("so far: {covered}; not block {other}: it {}", safe::one_line(&miss.to_string()))
        }
        None => format!("so far: {covered}"),
    }
}
