//! A key at the gate: what it is beside those before it, and what becomes of it.

use super::ask::{Admit, Class, Deed, SubjectId, Verb};
use super::held::HeldKey;
use super::refusal::RefusalReason;
use super::typing::{KeyContext, typed};
use super::{Guard, is_down};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};
use std::time::Instant;

impl Guard {
    /// Judges a key by what it would do. `at` is when its bytes were read.
    pub(crate) fn key(&mut self, key: &KeyEvent, class: Class, at: Instant) -> Admit {
        self.settle(at);
        if key.kind == KeyEventKind::Release {
            return Admit::Refused(RefusalReason::Repeat);
        }
        let beside = self.typing.key(key, &self.times, at);
        // Whatever key this is: what was held back did not stay alone.
        let was_held = self.held.take().is_some();
        let went = self.went.take();
        match (class, typed(key)) {
            (Class::Text, _) => {
                self.typing.end();
                self.restart(at);
                Admit::Pass
            }
            (Class::Go { there, token }, _) => {
                self.typing.end();
                self.go(there, token, beside, went, at)
            }
            (_, Some(letter)) => self.letter(letter, class, beside, was_held, at),
            (_, None) => self.command(key.code, class, beside, at),
        }
    }

    /// A letter outside of text fields.
    fn letter(
        &mut self,
        letter: char,
        class: Class,
        beside: KeyContext,
        was_held: bool,
        at: Instant,
    ) -> Admit {
        let alone = self.typing.letter(letter, self.times.hold, was_held, at);
        let meant = was_held || self.typing.is_meant();
        if class == Class::Stop {
            self.restart(at);
            return Admit::Pass;
        }
        // Keys that scroll repeat quickly; they are harmless alone.
        if beside.burst && (class != Class::Scroll || meant) {
            self.typing.drop_letters();
            self.restart(at);
            return Admit::Refused(self.fenced(class).unwrap_or(RefusalReason::Paste));
        }
        if beside.repeat && !matches!(class, Class::Scroll | Class::Other | Class::Opener) {
            self.typing.means();
            self.restart(at);
            return Admit::Refused(self.fenced(class).unwrap_or(RefusalReason::Repeat));
        }
        if !alone && meant {
            return self.word(at);
        }
        match class {
            Class::Scroll => Admit::Pass,
            Class::Stray | Class::Opener if !alone => self.word(at),
            Class::Stray => {
                self.restart(at);
                self.held = Some(HeldKey::brief(Deed::Text, self.times.burst, at));
                Admit::Held
            }
            Class::Decision(_) | Class::Act(..) => {
                self.typing.means();
                self.decision(class, alone, at)
            }
            Class::Mute => {
                self.typing.means();
                self.restart(at);
                Admit::Pass
            }
            Class::Opener | Class::Other | Class::Stop | Class::Text | Class::Go { .. } => {
                self.restart(at);
                Admit::Pass
            }
        }
    }

    /// A key that types nothing.
    fn command(&mut self, code: KeyCode, class: Class, beside: KeyContext, at: Instant) -> Admit {
        let of_text = matches!(code, KeyCode::Enter | KeyCode::Tab | KeyCode::BackTab | KeyCode::Backspace);
        if of_text && beside.burst && beside.behind_letter {
            self.typing.go_on_behind_letter();
            self.restart(at);
            return Admit::Refused(RefusalReason::Paste);
        }
        self.typing.end();
        match class {
            Class::Scroll => Admit::Pass,
            Class::Decision(_) | Class::Act(..) if beside.burst || beside.repeat => {
                self.restart(at);
                let why = if beside.repeat { RefusalReason::Repeat } else { RefusalReason::Paste };
                Admit::Refused(self.fenced(class).unwrap_or(why))
            }
            Class::Decision(_) | Class::Act(..) => self.decision(class, true, at),
            _ => {
                self.restart(at);
                Admit::Pass
            }
        }
    }

    /// A key that acts: it is held back where nothing speaks against it.
    fn decision(&mut self, class: Class, alone: bool, at: Instant) -> Admit {
        let (deed, why) = match class {
            Class::Decision(verb) => (Deed::Decide(verb), self.locked_for(verb, at)),
            Class::Act(deed, place) => (deed, self.locked_at(place, at)),
            _ => return Admit::Pass,
        };
        let why = if alone { why } else { Some(self.fenced(class).unwrap_or(RefusalReason::Word)) };
        self.restart(at);
        match why {
            Some(why) => Admit::Refused(self.with_time_left(why)),
            None => {
                self.held = Some(HeldKey::letter(deed, &self.times, at));
                Admit::Held
            }
        }
    }

    /// The letters in a row are text.
    fn word(&mut self, at: Instant) -> Admit {
        self.restart(at);
        let (text, meant) = self.typing.take();
        Admit::Word { text, meant }
    }

    /// The key that goes to the block that waits. The first press only goes there; the second approves, where nothing
    /// came between and nothing stands beside it.
    fn go(
        &mut self,
        there: bool,
        token: Option<SubjectId>,
        beside: KeyContext,
        went: Option<(SubjectId, Instant)>,
        at: Instant,
    ) -> Admit {
        self.restart(at);
        let Some(token) = token else { return Admit::Pass };
        if beside.repeat {
            return Admit::Refused(RefusalReason::Repeat);
        }
        if beside.burst {
            // A control byte inside of a paste.
            return Admit::Refused(RefusalReason::Paste);
        }
        self.went = Some((token, at));
        if !there {
            return Admit::Pass;
        }
        let again = went.is_some_and(|(to, since)| {
            to == token && at.saturating_duration_since(since) >= self.times.again
        });
        if !again || self.subject != Some(token) {
            return Admit::Refused(RefusalReason::Again);
        }
        if let Some(why) = self.barred(Verb::Approve) {
            return Admit::Refused(why);
        }
        self.went = None;
        self.held =
            Some(HeldKey::brief(Deed::Decide(Verb::Approve), self.times.burst.max(self.times.alone), at));
        Admit::Held
    }

    /// A button of the mouse was pressed. `on_button`: on one of the key bar, which counts when it is released.
    pub(crate) fn pressed(&mut self, on_button: bool, now: Instant) {
        self.settle(now);
        self.went = None;
        self.held = None;
        self.typing.end();
        if !on_button {
            self.restart(now);
        }
    }

    /// A button of the mouse was pressed and released on something that acts. Same gate; it is held back as long as a
    /// paste may follow, and nothing is asked: no text has it.
    pub(crate) fn click(&mut self, class: Class, now: Instant) -> Admit {
        self.settle(now);
        let (deed, why) = match class {
            Class::Decision(verb) => (Deed::Decide(verb), self.locked_for(verb, now)),
            Class::Act(deed, place) => (deed, self.locked_at(place, now)),
            _ => return Admit::Pass,
        };
        let pasted = self.typing.is_beside(self.times.burst, now).then_some(RefusalReason::Paste);
        self.restart(now);
        match why.or(pasted) {
            Some(why) => Admit::Refused(why),
            None => {
                self.held = Some(HeldKey::brief(deed, self.times.burst, now));
                Admit::Held
            }
        }
    }

    /// That the terminal did not have the frame yet, where that is so.
    fn fenced(&self, class: Class) -> Option<RefusalReason> {
        match class {
            Class::Decision(verb) if !is_down(self.fence) => self.barred(verb),
            Class::Act(..) if !is_down(self.place_fence) => Some(RefusalReason::Fresh),
            _ => None,
        }
    }

    /// After a refusal the whole quiet time is left.
    fn with_time_left(&self, why: RefusalReason) -> RefusalReason {
        match why {
            RefusalReason::Appeared { block, left: Some(_) } => {
                RefusalReason::Appeared { block, left: Some(self.times.quiet) }
            }
            RefusalReason::Quiet { .. } => RefusalReason::Quiet { left: self.times.quiet },
            other => other,
        }
    }
}
