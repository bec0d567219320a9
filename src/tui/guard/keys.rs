//! Judges each key by what it would do and by the keys before it.

use super::Guard;
use super::ask::{GuardedAction, KeyClass, KeyOutcome, SubjectId, Verb};
use super::held_key::HeldKey;
use super::refusal::RefusalReason;
use super::typing::{KeyContext, typed};
use crate::tui::cursor_query::QueryState;
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};
use std::time::Instant;

impl Guard {
    /// Judges a key. `at` is when its bytes were read.
    pub(crate) fn key(&mut self, key: &KeyEvent, class: KeyClass, at: Instant) -> KeyOutcome {
        self.settle(at);
        if key.kind == KeyEventKind::Release {
            return KeyOutcome::Refused(RefusalReason::Repeat);
        }
        let context = self.typing.key(key, &self.times, at);
        // Whatever key this is: the held key did not stay alone.
        let was_held = self.held.take().is_some();
        let visited = self.visited.take();
        match (class, typed(key)) {
            (KeyClass::Text | KeyClass::TypedWord, _) => {
                self.typing.note_text();
                self.restart(at);
                if class == KeyClass::TypedWord && context.long_burst {
                    return KeyOutcome::Refused(RefusalReason::Paste);
                }
                KeyOutcome::Pass
            }
            (KeyClass::Go { there, subject }, _) => {
                self.typing.end();
                self.go(there, subject, context, visited, at)
            }
            (_, Some(letter)) => self.letter(letter, class, context, was_held, at),
            (_, None) => self.command(key.code, class, context, at),
        }
    }

    /// A letter outside of text fields.
    fn letter(
        &mut self,
        letter: char,
        class: KeyClass,
        context: KeyContext,
        was_held: bool,
        at: Instant,
    ) -> KeyOutcome {
        let alone = self.typing.letter(letter, self.times.hold, was_held, at);
        let could_act = was_held || self.typing.could_act;
        if class == KeyClass::Stop {
            self.restart(at);
            return KeyOutcome::Pass;
        }
        // Scroll keys repeat quickly; alone they are harmless.
        if context.burst && (class != KeyClass::Scroll || could_act) {
            self.typing.drop_letters();
            self.restart(at);
            return KeyOutcome::Refused(self.unconfirmed_refusal(class).unwrap_or(RefusalReason::Paste));
        }
        if context.repeat && !matches!(class, KeyClass::Scroll | KeyClass::Other | KeyClass::Opener) {
            self.typing.mark_acting();
            self.restart(at);
            return KeyOutcome::Refused(self.unconfirmed_refusal(class).unwrap_or(RefusalReason::Repeat));
        }
        if !alone && could_act {
            return self.word(at);
        }
        match class {
            KeyClass::Scroll => KeyOutcome::Pass,
            KeyClass::Stray | KeyClass::Opener if !alone => self.word(at),
            KeyClass::Stray => {
                self.restart(at);
                self.held = Some(HeldKey::without_query(GuardedAction::Text, self.times.burst, at));
                KeyOutcome::Held
            }
            KeyClass::Decision(_) | KeyClass::Act(..) => {
                self.typing.mark_acting();
                self.decision(class, alone, at)
            }
            KeyClass::Mute => {
                self.typing.mark_acting();
                self.restart(at);
                KeyOutcome::Pass
            }
            KeyClass::Accept { approves } => self.accept(approves, context, at),
            KeyClass::Opener
            | KeyClass::Other
            | KeyClass::Stop
            | KeyClass::Text
            | KeyClass::TypedWord
            | KeyClass::Go { .. } => {
                self.restart(at);
                KeyOutcome::Pass
            }
        }
    }

    /// A key that types nothing.
    fn command(&mut self, code: KeyCode, class: KeyClass, context: KeyContext, at: Instant) -> KeyOutcome {
        let of_text = matches!(code, KeyCode::Enter | KeyCode::Tab | KeyCode::BackTab | KeyCode::Backspace);
        if of_text && context.burst && context.behind_letter {
            self.typing.note_key_in_paste();
            self.restart(at);
            return KeyOutcome::Refused(RefusalReason::Paste);
        }
        self.typing.end();
        match class {
            KeyClass::Scroll => KeyOutcome::Pass,
            KeyClass::Decision(_) | KeyClass::Act(..) if context.burst || context.repeat => {
                self.restart(at);
                let why = if context.repeat { RefusalReason::Repeat } else { RefusalReason::Paste };
                KeyOutcome::Refused(self.unconfirmed_refusal(class).unwrap_or(why))
            }
            KeyClass::Decision(_) | KeyClass::Act(..) => self.decision(class, true, at),
            KeyClass::Accept { approves } => self.accept(approves, context, at),
            _ => {
                self.restart(at);
                KeyOutcome::Pass
            }
        }
    }

    /// A key that acts: it is held back unless there is a reason to refuse it.
    fn decision(&mut self, class: KeyClass, alone: bool, at: Instant) -> KeyOutcome {
        let Some((action, why)) = self.guarded(class, at) else { return KeyOutcome::Pass };
        let why =
            if alone { why } else { Some(self.unconfirmed_refusal(class).unwrap_or(RefusalReason::Word)) };
        self.restart(at);
        match why {
            Some(why) => KeyOutcome::Refused(self.with_time_left(why)),
            None => {
                self.held = Some(HeldKey::letter(action, &self.times, at));
                KeyOutcome::Held
            }
        }
    }

    /// A key that takes what an overlay holds. A paste that ends in a line end types the text and takes it at once.
    fn accept(&mut self, approves: bool, context: KeyContext, at: Instant) -> KeyOutcome {
        self.restart(at);
        if self.typing.is_behind_text() || (approves && context.burst) {
            return KeyOutcome::Refused(RefusalReason::Paste);
        }
        self.overlay_refusal(approves).map_or(KeyOutcome::Pass, KeyOutcome::Refused)
    }

    /// Takes the letters in a row as text.
    fn word(&mut self, at: Instant) -> KeyOutcome {
        self.restart(at);
        let (text, could_act) = self.typing.take();
        KeyOutcome::Word { text, could_act }
    }

    /// The key that goes to the waiting block. The first press only goes there; the second approves, if no other key
    /// came between them and none came right before.
    fn go(
        &mut self,
        there: bool,
        subject: Option<SubjectId>,
        context: KeyContext,
        visited: Option<(SubjectId, Instant)>,
        at: Instant,
    ) -> KeyOutcome {
        self.restart(at);
        let Some(subject) = subject else { return KeyOutcome::Pass };
        if context.repeat {
            return KeyOutcome::Refused(RefusalReason::Repeat);
        }
        if context.burst {
            // A control byte inside a paste.
            return KeyOutcome::Refused(RefusalReason::Paste);
        }
        self.visited = Some((subject, at));
        if !there {
            return KeyOutcome::Pass;
        }
        let again = visited.is_some_and(|(to, since)| {
            to == subject && at.saturating_duration_since(since) >= self.times.go_again
        });
        if !again || self.subject != Some(subject) {
            return KeyOutcome::Refused(RefusalReason::Again);
        }
        if let Some(why) = self.standing_refusal(Verb::Approve) {
            return KeyOutcome::Refused(why);
        }
        self.visited = None;
        self.held = Some(HeldKey::without_query(
            GuardedAction::Decide(Verb::Approve),
            self.times.burst.max(self.times.go_hold),
            at,
        ));
        KeyOutcome::Held
    }

    /// Takes the press of a mouse button. `on_button`: on a button of the key bar, which acts when the mouse is
    /// released.
    pub(crate) fn pressed(&mut self, on_button: bool, now: Instant) {
        self.settle(now);
        self.visited = None;
        self.held = None;
        self.typing.end();
        if !on_button {
            self.restart(now);
        }
    }

    /// Takes a click (press and release) on something that acts. The same conditions hold as for keys; it is held back
    /// only as long as the rest of a paste could follow, and the terminal is not queried: no text contains a click.
    pub(crate) fn click(&mut self, class: KeyClass, now: Instant) -> KeyOutcome {
        self.settle(now);
        let Some((action, why)) = self.guarded(class, now) else {
            let approves = class == KeyClass::Accept { approves: true };
            return self.overlay_refusal(approves).map_or(KeyOutcome::Pass, KeyOutcome::Refused);
        };
        let pasted = self.typing.had_input_within(self.times.burst, now).then_some(RefusalReason::Paste);
        self.restart(now);
        match why.or(pasted) {
            Some(why) => KeyOutcome::Refused(why),
            None => {
                self.held = Some(HeldKey::without_query(action, self.times.burst, now));
                KeyOutcome::Held
            }
        }
    }

    /// What a key or click of this class would do if it is held back first, and why it would be refused now.
    fn guarded(&self, class: KeyClass, now: Instant) -> Option<(GuardedAction, Option<RefusalReason>)> {
        match class {
            KeyClass::Decision(verb) => Some((GuardedAction::Decide(verb), self.decision_refusal(verb, now))),
            KeyClass::Act(action, scope) => {
                let approves = matches!(action, GuardedAction::Approval(_));
                let refusal = self.letter_refusal(scope, now).or_else(|| self.overlay_refusal(approves));
                Some((action, refusal))
            }
            _ => None,
        }
    }

    /// Why an overlay that approves the block may not do it now: what locks the key that opened it locks its answer.
    fn overlay_refusal(&self, approves: bool) -> Option<RefusalReason> {
        self.standing_refusal(Verb::Approve).filter(|_| approves)
    }

    /// The refusal if the terminal has not drawn the frame yet.
    fn unconfirmed_refusal(&self, class: KeyClass) -> Option<RefusalReason> {
        match class {
            KeyClass::Decision(verb) if self.block_query != QueryState::Confirmed => {
                self.standing_refusal(verb)
            }
            KeyClass::Act(..) if self.scope_query != QueryState::Confirmed => {
                Some(RefusalReason::NotYetShown)
            }
            _ => None,
        }
    }

    /// Puts the whole quiet time into a refusal: the refused key restarted it.
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
