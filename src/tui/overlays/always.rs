//! The choice of a rule for "always". Nothing is marked at first; digits and arrows only mark. The confirming key
//! passes the guard before it arrives here, so that keys typed ahead grant nothing.

use super::{LetterEffect, Overlay, OverlayContext, OverlayResponse, nothing_decided, number_of};
use crate::domain::{BlockId, Decision, RuleScope};
use crate::engine::rules::{self, Offer};
use crate::engine::{Command, State};
use crate::text::names::first_names;
use crate::tui::guard::SubjectId;
use crate::tui::panes::Panes;
use crate::tui::panes::code::subject_of;
use crate::tui::theme::Slot;
use crate::tui::ui_command::UiCommand;
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::layout::Pane;
use crate::tui::widgets::safe;
use crate::tui::widgets::sheet::Sheet;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// How many blocks are named; the others are counted.
const MAX_BLOCKS_SHOWN: usize = 4;

/// The box.
#[derive(Debug)]
pub struct Always {
    /// The block as it was on screen.
    token: SubjectId,
    /// What could be granted, the narrowest first.
    offers: Vec<Offer>,
    /// The index of the marked offer.
    marked: Option<usize>,
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
}

impl Always {
    pub(crate) fn new(token: SubjectId, offers: Vec<Offer>) -> Self {
        Self { token, offers, marked: None }
    }

    /// Handles a letter: the scope to grant, if it confirms; else why it does nothing.
    fn chosen(&mut self, letter: char) -> Result<Option<RuleScope>, GrantError> {
        if let Some(at) = letter.to_digit(10).and_then(|digit| (digit as usize).checked_sub(1)) {
            return self.mark(at).map(|()| None);
        }
        if letter != 'A' {
            return Err(GrantError::NoMeaning);
        }
        let Some(offer) = self.marked.and_then(|at| self.offers.get(at)) else {
            return Err(GrantError::NothingMarked);
        };
        Ok(Some(offer.rule.scope))
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
        self.marked = open.get(next).copied();
    }

    fn mark(&mut self, at: usize) -> Result<(), GrantError> {
        match self.offers.get(at) {
            None => Ok(()),
            Some(Offer { refused: Some(_), .. }) => Err(GrantError::Refused(at + 1)),
            Some(_) => {
                self.marked = Some(at);
                Ok(())
            }
        }
    }
}

impl Overlay for Always {
    fn width(&self) -> u16 {
        72
    }

    fn step(&mut self, by: isize, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        self.walk(by);
        Vec::new()
    }

    /// Enter grants nothing, because it is pressed by habit.
    fn accept(&mut self, ctx: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        self.letter('\n', ctx, panes)
    }

    fn letter(&mut self, letter: char, ctx: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        let scope = match self.chosen(letter) {
            Ok(None) => return Vec::new(),
            Ok(Some(scope)) => scope,
            Err(why) => return vec![OverlayResponse::about_waiting_block(why.to_string())],
        };
        let number = ctx.state.transcript.rules.len() + 1;
        let said = format!(
            "Rule {number} approved it at {}. /rules lists and removes rules.",
            ctx.draw.place.second(ctx.draw.now)
        );
        let SubjectId { block, revision, .. } = self.token;
        let decided = Command::Decide { block, revision, decision: Decision::Always(scope) };
        vec![
            OverlayResponse::Close,
            OverlayResponse::info(said),
            OverlayResponse::Focus(Pane::Output),
            OverlayResponse::UiCommand(UiCommand::Send(decided)),
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
        Some(number_of((2, self.token.block, self.token.revision, self.token.terms)))
    }

    fn back(&mut self, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        nothing_decided()
    }

    fn is_stale(&self, state: &State) -> bool {
        state.waiting().map(|item| subject_of(state, item)) != Some(self.token)
    }

    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        hints
            .plain("1 2 3 or Up/Down", "mark", 1)
            .plain("A", "confirm and approve", 0)
            .plain("Esc", "back", 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        Some("A rule also approves this block. Esc approves nothing.".into())
    }

    fn sheet(&self, ctx: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        let (width, draw) = (room.width, ctx.draw);
        let mut sheet = Sheet::new("Always approve what?");
        sheet.words("Approve this block, and from now on in this session also:", width, draw.text()).gap();
        for (at, offer) in self.offers.iter().enumerate() {
            let chosen = self.marked == Some(at);
            let style = match (&offer.refused, chosen) {
                (Some(_), _) => draw.dim(),
                (None, true) => draw.style(Slot::UiSelection),
                (None, false) => draw.text(),
            };
            let mark = if chosen { "> " } else { "  " };
            let text = format!("{mark}{}  {}", at + 1, rules::describe(&offer.rule));
            sheet.row(Line::styled(safe::cut(&text, width.into()), style));
            let head = Span::raw(" ".repeat(5));
            for row in safe::hanging(head, &reach(self.token.block, offer), width.into(), draw.dim()) {
                sheet.row(row);
            }
        }
        sheet.gap();
        sheet.words(
            "Never offered: blocks with a high finding, other sessions, everything.",
            width,
            draw.text(),
        );
        sheet.words(
            "Such blocks are still shown first and start after 3 s; s stops them.",
            width,
            draw.text(),
        );
        let next = match self.marked {
            Some(at) => format!("{} is marked: A confirms.", at + 1),
            None => "Nothing is marked yet: 1 2 3 mark, A confirms.".into(),
        };
        sheet.words(&format!("Remove rules: /rules.   {next}"), width, draw.text());
        Some(sheet)
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
