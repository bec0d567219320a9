//! Handles answers about the waiting block: what each word does, for exactly the block that was printed.

use super::ask::{AnswerKind, Ask, OpenQuestion, PrintedBlock};
use super::block;
use super::session::{NOTHING_DECIDED, Session, draw_context};
use super::words::{self, Answer};
use crate::domain::{Decision, Language, RuleScope};
use crate::engine::{Command, rules};
use crate::tui::outside;
use std::io;
use std::time::Instant;

impl Session<'_> {
    pub(super) fn about_block(
        &mut self,
        shown: PrintedBlock,
        about: AnswerKind,
        text: &str,
    ) -> io::Result<()> {
        if PrintedBlock::of(self.driver.state()).as_ref() != Some(&shown) {
            self.mode.page.line(&format!("The block has changed. {NOTHING_DECIDED}"))?;
            return Ok(());
        }
        let again = |session: &mut Self, why: &str| {
            session.mode.page.line(why)?;
            session.reask(shown.clone())
        };
        let (block, revision) = (shown.block, shown.revision);
        let decide = |decision| Command::Decide { block, revision, decision };
        match about {
            AnswerKind::TypedWord if text == "run" => {
                self.send(decide(Decision::Approve { typed: true }));
                Ok(())
            }
            AnswerKind::TypedWord => again(self, &format!("That was not the word. {NOTHING_DECIDED}")),
            AnswerKind::Reason => {
                self.send(decide(Decision::Reject(text.to_owned())));
                Ok(())
            }
            AnswerKind::Rule(offers) => match words::answer(text) {
                Answer::Always(Some(number)) => match scope(&offers, number) {
                    Some(scope) => {
                        self.send(decide(Decision::Always(scope)));
                        Ok(())
                    }
                    None => again(self, &format!("That rule can't be granted here. {NOTHING_DECIDED}")),
                },
                _ => again(self, NOTHING_DECIDED),
            },
            AnswerKind::Decision => self.decide(shown, text),
        }
    }

    fn decide(&mut self, shown: PrintedBlock, text: &str) -> io::Result<()> {
        let (block, revision) = (shown.block, shown.revision);
        let decide = |decision| Command::Decide { block, revision, decision };
        match words::answer(text) {
            Answer::Approve if self.driver.state().needs_typed(block) => {
                self.put(Ask::Block(Box::new(shown), AnswerKind::TypedWord))
            }
            Answer::Approve => {
                self.send(decide(Decision::Approve { typed: false }));
                Ok(())
            }
            Answer::Always(_) => {
                let offers = rules::offers(self.driver.state(), block);
                if offers.is_empty() || self.driver.state().needs_typed(block) {
                    self.mode.page.line("No rule can be granted on this block.")?;
                    return self.reask(shown);
                }
                self.put(Ask::Block(Box::new(shown), AnswerKind::Rule(offers)))
            }
            Answer::Reject(Some(why)) => {
                self.send(decide(Decision::Reject(why)));
                Ok(())
            }
            Answer::Reject(None) => self.put(Ask::Block(Box::new(shown), AnswerKind::Reason)),
            Answer::Skip => {
                self.send(decide(Decision::Skip));
                Ok(())
            }
            Answer::Edit => self.edit(shown),
            Answer::Opinion => {
                self.driver.send(Command::RequestOpinion(block));
                self.reask(shown)
            }
            Answer::Language(name) => {
                self.send(Command::ChooseLanguage { block, language: Language(name) });
                Ok(())
            }
            Answer::Diff | Answer::Show => {
                self.compare_or_show(words::answer(text) == Answer::Diff)?;
                self.reask(shown)
            }
            Answer::Unknown => {
                self.keep_sentence(text);
                self.mode.page.line(&format!("That is none of the words. {NOTHING_DECIDED}"))?;
                self.reask(shown)
            }
        }
    }

    fn compare_or_show(&mut self, compare: bool) -> io::Result<()> {
        let Some((item, inspected)) = block::waiting(self.driver.state()) else { return Ok(()) };
        let draw = draw_context(&self.theme, self.options, self.driver.now());
        let page = &mut self.mode.page;
        if compare {
            block::diff(item, inspected, page)
        } else {
            block::show(item, inspected, true, page, draw)
        }
    }

    /// Asks for a word again, without printing the block.
    pub(super) fn reask(&mut self, shown: PrintedBlock) -> io::Result<()> {
        if let Some((item, inspected)) = block::waiting(self.driver.state()) {
            self.mode.page.ask(&block::question(item, inspected, self.driver.state()))?;
        }
        self.asked =
            OpenQuestion { ask: Ask::Block(Box::new(shown), AnswerKind::Decision), since: Instant::now() };
        Ok(())
    }

    fn edit(&mut self, shown: PrintedBlock) -> io::Result<()> {
        let Some(item) = self.driver.state().waiting() else { return Ok(()) };
        let current = item.block.current();
        let entry = current.language.as_ref().and_then(|l| self.options.setup.languages.find(l.as_str()));
        let extension = entry.and_then(|e| e.extensions.first().cloned()).unwrap_or_else(|| "txt".into());
        let source = current.source.clone();
        let options = self.options;
        let edit = || outside::edit(&options.editor, &source, &extension, &options.launcher);
        match self.mode.signals.while_outside(edit) {
            Ok(text) if *text == *source => {
                self.mode.page.line("Nothing was changed.")?;
                self.reask(shown)
            }
            Ok(text) => {
                let (block, revision) = (shown.block, shown.revision);
                self.send(Command::Decide { block, revision, decision: Decision::Edit(text) });
                Ok(())
            }
            Err(why) => {
                self.mode.page.line(&why.to_string())?;
                self.reask(shown)
            }
        }
    }
}

/// The scope of the offer with this number, if it can be granted.
fn scope(offers: &[rules::Offer], number: usize) -> Option<RuleScope> {
    let offer = offers.get(number.checked_sub(1)?)?;
    offer.refused.is_none().then_some(offer.rule.scope)
}
