//! Makes what inspections of blocks find: a review, and terms or the reason why there are none.

use super::EventMaker;
use crate::domain::{ExecutorKind, KernelRef, OnDisk, Review, Severity, Target, Terms};
use crate::engine::dialogue::{confined, review, terms};
use crate::engine::{Event, Inspection};

impl EventMaker<'_> {
    pub(super) fn inspected(&self) -> Event {
        let block = self.block();
        let item = self.watched.engine.state().transcript.blocks.get(&block);
        let language = item.and_then(|item| item.block.current().language.clone());
        let generation = self.b as u32 / 5 % 2;
        let file = item.filter(|item| !item.block.kind.is_code());
        let target =
            file.map(|_| Target { folders: self.b as u32 % 2, ..Target::at("/work/a.txt", OnDisk::Nothing) });
        let found = Terms {
            executor: if target.is_some() { ExecutorKind::Files } else { ExecutorKind::Kernel },
            target,
            language: language.unwrap_or_else(|| self.language()),
            kernel: Some(KernelRef { generation, variables: 0, keeps_running: false }),
            ..if file.is_none() && !(self.b / 10).is_multiple_of(4) { self.confined() } else { terms() }
        };
        // While a rule is in force, let it cover most blocks.
        let rule = self.watched.engine.state().transcript.rules_in_force().next_back();
        if let (Some(rule), None, false) = (rule, file, self.a.is_multiple_of(4)) {
            let found = Terms { language: found.language, ..rule.terms.clone() };
            let inspection = Inspection::new(Review::default(), Ok(found));
            return Event::Inspected(block, self.revision(block), Box::new(inspection));
        }
        let review = match self.b % 5 {
            0 => review(Severity::High),
            1 => review(Severity::Medium),
            _ => Review::default(),
        };
        let terms = if self.b.is_multiple_of(11) { Err("not installed".into()) } else { Ok(found) };
        Event::Inspected(block, self.revision(block), Box::new(Inspection::new(review, terms)))
    }

    /// Confined terms, now and then with other rights.
    fn confined(&self) -> Terms {
        let mut terms = confined();
        match self.b / 40 {
            0 => terms.rights.write.clear(),
            1 => terms.rights.network = true,
            _ => {}
        }
        terms
    }
}
