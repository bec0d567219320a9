//! Keys one after the other: what is a repeat, what is a paste, which letters belong to one word. Pure.
//!
//! A person who types text presses letters in a row; one who decides presses a letter alone. So letters that are not
//! further apart than the hold belong together, wherever the focus is while they come.

use super::ask::Times;
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::time::{Duration, Instant};

/// Letters of one run that are kept; a key that is held down types no book.
const MAX_LETTERS: usize = 400;

/// The keys that came last.
#[derive(Clone, Debug, Default)]
pub(super) struct Typing {
    last_key: Option<(KeyCode, KeyModifiers, Instant)>,
    /// When anything at all came from the person: a key, a paste, a button, bytes that mean nothing.
    last_input: Option<Instant>,
    /// The letters in a row, outside of text fields.
    run: String,
    run_at: Option<Instant>,
    /// Whether one of them could have acted.
    meant: bool,
    /// Whether the last key was a letter outside of a text field.
    letter: bool,
}

/// What a key is, seen beside those before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyContext {
    /// Whether anything came within the time of a paste before it.
    pub(crate) burst: bool,
    /// Whether that was a letter outside of a text field.
    pub(crate) behind_letter: bool,
    /// Whether it is the same key again, as the keyboard repeats it.
    pub(crate) repeat: bool,
}

impl Typing {
    pub(super) fn key(&mut self, key: &KeyEvent, times: &Times, at: Instant) -> KeyContext {
        let within = |last: Instant, time: Duration| at.saturating_duration_since(last) < time;
        let burst = self.last_input.is_some_and(|last| within(last, times.burst));
        let repeat = key.kind == KeyEventKind::Repeat
            || self.last_key.is_some_and(|(code, modifiers, last)| {
                code == key.code && modifiers == key.modifiers && within(last, times.repeat)
            });
        let beside = KeyContext { burst, behind_letter: self.letter, repeat };
        self.last_key = Some((key.code, key.modifiers, at));
        self.last_input = Some(at);
        self.letter = false;
        beside
    }

    /// Something came that is no key.
    pub(super) fn other(&mut self, at: Instant) {
        self.last_input = Some(at);
        self.end();
    }

    /// Whether anything came within so long before.
    pub(super) fn is_beside(&self, time: Duration, at: Instant) -> bool {
        self.last_input.is_some_and(|last| at.saturating_duration_since(last) < time)
    }

    /// A letter outside of text fields: whether it stands alone, without another within the hold before it. A key that
    /// is still held back (`goes_on`) belongs to it however long ago it was read: a slow line stretches gaps.
    pub(super) fn letter(&mut self, letter: char, hold: Duration, goes_on: bool, at: Instant) -> bool {
        let apart = self.run_at.is_none_or(|last| at.saturating_duration_since(last) > hold);
        let alone = apart && !goes_on;
        if alone {
            self.run.clear();
            self.meant = false;
        }
        if self.run.len() < MAX_LETTERS {
            self.run.push(letter);
        }
        self.run_at = Some(at);
        self.letter = true;
        alone
    }

    /// The letter that came last could have acted.
    pub(super) fn means(&mut self) {
        self.meant = true;
    }

    /// Whether a letter of the row could have acted.
    pub(super) fn is_meant(&self) -> bool {
        self.meant
    }

    /// The letters are part of a paste: they are dropped, but what follows at once is none of a new row.
    pub(super) fn drop_letters(&mut self) {
        self.run.clear();
        self.meant = true;
    }

    /// A key that types nothing came in the middle of a paste.
    pub(super) fn go_on_behind_letter(&mut self) {
        self.drop_letters();
        self.letter = true;
    }

    /// Takes the letters of the row.
    pub(super) fn take(&mut self) -> (String, bool) {
        self.run_at = None;
        (std::mem::take(&mut self.run), std::mem::take(&mut self.meant))
    }

    /// The row is over.
    pub(super) fn end(&mut self) {
        self.take();
        self.letter = false;
    }
}

/// The letter that a key types, where it types one.
pub(super) fn typed(key: &KeyEvent) -> Option<char> {
    let bound = KeyModifiers::CONTROL
        | KeyModifiers::ALT
        | KeyModifiers::SUPER
        | KeyModifiers::META
        | KeyModifiers::HYPER;
    match key.code {
        KeyCode::Char(c) if !key.modifiers.intersects(bound) => {
            let shifted = key.modifiers.contains(KeyModifiers::SHIFT) && c.is_lowercase();
            Some(if shifted { c.to_uppercase().next().unwrap_or(c) } else { c })
        }
        _ => None,
    }
}
