//! The choice of a rule for "always". Nothing is marked at first; numbers and arrows only mark. The confirming key
//! passes the guard before it comes here, so that keys typed ahead grant nothing.

use crate::domain::{BlockId, Revision, RuleScope};
use crate::engine::rules::Offer;

/// The box.
#[derive(Debug)]
pub struct Always {
    /// The block.
    pub block: BlockId,
    /// The version on screen.
    pub revision: Revision,
    /// The terms that were on screen.
    pub terms: u64,
    /// What could be granted, the narrowest first.
    pub offers: Vec<Offer>,
    /// Which of them is marked.
    pub marked: Option<usize>,
}

impl Always {
    /// A choice that is offered.
    pub fn new(block: BlockId, revision: Revision, terms: u64, offers: Vec<Offer>) -> Self {
        Self { block, revision, terms, offers, marked: None }
    }

    /// A letter: the scope that it grants, if it confirms.
    ///
    /// # Errors
    /// Why it does nothing.
    pub fn letter(&mut self, letter: char) -> Result<Option<RuleScope>, String> {
        if let Some(at) = letter.to_digit(10).and_then(|digit| (digit as usize).checked_sub(1)) {
            return self.mark(at).map(|()| None);
        }
        if letter != 'A' {
            return Err("1 2 3 mark, A confirms, Esc approves nothing.".into());
        }
        let Some(offer) = self.marked.and_then(|at| self.offers.get(at)) else {
            return Err("Nothing is marked: 1 2 3 mark, A confirms, Esc approves nothing.".into());
        };
        Ok(Some(offer.rule.scope))
    }

    /// Marks the offer before or after the marked one.
    pub fn step(&mut self, by: isize) {
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

    fn mark(&mut self, at: usize) -> Result<(), String> {
        match self.offers.get(at) {
            None => Ok(()),
            Some(Offer { refused: Some(_), .. }) => {
                Err(format!("{} can't be granted on this block.", at + 1))
            }
            Some(_) => {
                self.marked = Some(at);
                Ok(())
            }
        }
    }
}
