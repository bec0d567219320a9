//! Handles answers about the waiting block: what each word does, for exactly the block that was printed.

use super::ask::{AnswerKind, Ask, OpenQuestion, PrintedBlock};
use super::block;
use super::session::{NOTHING_DECIDED, Session};
use super::words::{self, Answer};
use crate::domain::{Decision, Language, RuleScope};
use crate::engine::approval::{Refusal, check};
use crate::engine::{Command, rules};
use crate::tui::outside;
use std::io;

impl Session<'_> {
    pub(super) fn about_block(
        &mut self,
        shown: PrintedBlock,
        about: AnswerKind,
        text: &str,
    ) -> io::Result<()> {
        if PrintedBlock::of(self.driver.state()).as_ref() != Some(&shown) {
            return self.mode.page.line(&format!("The block has changed. {NOTHING_DECIDED}"));
        }
        let decision = match about {
            AnswerKind::TypedWord if text == "run" => Ok(Decision::Approve { typed: true }),
            AnswerKind::TypedWord => Err(format!("That was not the word. {NOTHING_DECIDED}")),
            AnswerKind::Reason => Ok(Decision::Reject(text.to_owned())),
            AnswerKind::Rule(offers) => match words::answer(text) {
                Answer::Always(Some(number)) => scope(&offers, number)
                    .map(Decision::Always)
                    .ok_or_else(|| format!("That rule can't be granted here. {NOTHING_DECIDED}")),
                _ => Err(NOTHING_DECIDED.to_owned()),
            },
            AnswerKind::Decision => return self.decide(shown, text),
        };
        match decision {
            Ok(decision) => {
                self.send(shown.decide(decision));
                Ok(())
            }
            Err(why) => {
                self.mode.page.line(&why)?;
                self.reask(shown)
            }
        }
    }

    fn decide(&mut self, shown: PrintedBlock, text: &str) -> io::Result<()> {
        let block = shown.block;
        let answer = words::answer(text);
        if let (Answer::Approve | Answer::Always(_), Some(why)) = (&answer, self.obstacle(&shown)) {
            self.mode.page.line(&format!("{why} {NOTHING_DECIDED}"))?;
            return self.reask(shown);
        }
        let command = match answer {
            Answer::Approve if self.driver.state().needs_typed(block) => {
                return self.put(Ask::Block(Box::new(shown), AnswerKind::TypedWord));
            }
            Answer::Approve => shown.decide(Decision::Approve { typed: false }),
            Answer::Always(_) => {
                let offers = rules::offers(self.driver.state(), block);
                if offers.is_empty() || self.driver.state().needs_typed(block) {
                    self.mode.page.line("No rule can be granted on this block.")?;
                    return self.reask(shown);
                }
                return self.put(Ask::Block(Box::new(shown), AnswerKind::Rule(offers)));
            }
            Answer::Reject(Some(why)) => shown.decide(Decision::Reject(why)),
            Answer::Reject(None) => return self.put(Ask::Block(Box::new(shown), AnswerKind::Reason)),
            Answer::Skip => shown.decide(Decision::Skip),
            Answer::Edit => return self.edit(shown),
            Answer::Opinion => {
                self.driver.send(Command::RequestOpinion(block));
                return self.reask(shown);
            }
            Answer::Language(name) => Command::ChooseLanguage { block, language: Language(name) },
            answer @ (Answer::Diff | Answer::Show) => {
                self.compare_or_show(answer == Answer::Diff)?;
                return self.reask(shown);
            }
            Answer::Unknown => {
                self.keep_sentence(text);
                self.mode.page.line(&format!("That is none of the words. {NOTHING_DECIDED}"))?;
                return self.reask(shown);
            }
        };
        self.send(command);
        Ok(())
    }

    /// Why the block can't be approved whatever is typed. If only saving fails, the engine says so and tries it again.
    fn obstacle(&self, shown: &PrintedBlock) -> Option<String> {
        let refusal = check(self.driver.state(), shown.block, shown.revision, true).err()?;
        (!matches!(refusal, Refusal::Unsaved(_))).then(|| refusal.advice())
    }

    fn compare_or_show(&mut self, compare: bool) -> io::Result<()> {
        let Some((item, inspected)) = block::waiting(self.driver.state()) else { return Ok(()) };
        let draw = self.draw();
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
        self.asked = OpenQuestion::of(Ask::Block(Box::new(shown), AnswerKind::Decision));
        Ok(())
    }

    fn edit(&mut self, shown: PrintedBlock) -> io::Result<()> {
        let Some(item) = self.driver.state().waiting() else { return Ok(()) };
        let current = item.block.current();
        let extension = self.options.extension(current.language.as_ref());
        let source = current.source.clone();
        let options = self.options;
        let edit = || outside::edit(&options.editor, &source, &extension, &options.launcher);
        match self.mode.signals.while_outside(edit) {
            Ok(text) if *text == *source => {
                self.mode.page.line("Nothing was changed.")?;
                self.reask(shown)
            }
            Ok(text) => {
                self.send(shown.decide(Decision::Edit(text)));
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
