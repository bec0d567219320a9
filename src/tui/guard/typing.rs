//! Looks at keys in sequence: which one is a repeat, which belong to a paste, which letters form one word. Pure.
//!
//! A person who types text presses letters in a row; one who decides presses a letter alone. So letters no further
//! apart than the hold belong together, wherever the focus moves meanwhile.

use super::ask::Times;
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::time::{Duration, Instant};

/// How many bytes of a row of letters are kept; the limit matters when a key is held down.
const MAX_LETTERS: usize = 400;

/// The keys that came last.
#[derive(Clone, Debug, Default)]
pub(super) struct Typing {
    last_key: Option<(KeyCode, KeyModifiers, Instant)>,
    /// When the last input of any kind came: a key, a paste, a mouse button, bytes that mean nothing.
    last_input: Option<Instant>,
    /// Whether that came in a burst itself.
    last_burst: bool,
    /// The letters in a row, outside of text fields.
    letters: String,
    letters_at: Option<Instant>,
    /// Whether one of these letters could have acted.
    pub(super) could_act: bool,
    /// Whether the last key was a letter outside of a text field.
    letter: bool,
    /// Whether text came since the last pause: a letter in a text field, a paste, bytes that mean nothing. A pause is
    /// longer than [`Times::burst`].
    text: bool,
}

/// What the earlier keys say about a key.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyContext {
    /// Whether other input came so shortly before that both look pasted.
    pub(crate) burst: bool,
    /// Whether the input before came in that burst, too. The fingers of a person can press two keys almost at once, but
    /// not three.
    pub(crate) long_burst: bool,
    /// Whether the key before was a letter outside of a text field.
    pub(crate) behind_letter: bool,
    /// Whether it is the same key again, at the rate of a keyboard repeat.
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
        self.text &= burst;
        let long_burst = burst && self.last_burst;
        let context = KeyContext { burst, long_burst, behind_letter: self.letter, repeat };
        self.last_burst = burst;
        self.last_key = Some((key.code, key.modifiers, at));
        self.last_input = Some(at);
        self.letter = false;
        context
    }

    /// Takes input that is no key.
    pub(super) fn other(&mut self, at: Instant) {
        self.last_input = Some(at);
        self.last_burst = true;
        self.note_text();
    }

    /// Notes that the last input was text for a field.
    pub(super) fn note_text(&mut self) {
        self.end();
        self.text = true;
    }

    /// Whether the last key came in one burst with text: nobody who typed that text presses a key so soon.
    pub(super) fn is_behind_text(&self) -> bool {
        self.text
    }

    /// Whether any input came within `time` before `at`.
    pub(super) fn had_input_within(&self, time: Duration, at: Instant) -> bool {
        self.last_input.is_some_and(|last| at.saturating_duration_since(last) < time)
    }

    /// Adds a letter typed outside of text fields. Returns whether it is alone, that is, no other letter came within
    /// the hold before it. A letter after a key that is still held back (`goes_on`) belongs to it, however long ago
    /// that was read: a slow connection stretches the gaps.
    pub(super) fn letter(&mut self, letter: char, hold: Duration, goes_on: bool, at: Instant) -> bool {
        let apart = self.letters_at.is_none_or(|last| at.saturating_duration_since(last) > hold);
        let alone = apart && !goes_on;
        if alone {
            self.letters.clear();
            self.could_act = false;
        }
        if self.letters.len() < MAX_LETTERS {
            self.letters.push(letter);
        }
        self.letters_at = Some(at);
        self.letter = true;
        alone
    }

    /// Notes that the last letter could have acted.
    pub(super) fn mark_acting(&mut self) {
        self.could_act = true;
    }

    /// Drops the letters as part of a paste; the letters that follow at once still belong to the paste.
    pub(super) fn drop_letters(&mut self) {
        self.letters.clear();
        self.could_act = true;
    }

    /// Notes a key in the middle of a paste that types no letter.
    pub(super) fn note_key_in_paste(&mut self) {
        self.drop_letters();
        self.letter = true;
    }

    /// Takes the letters of the row.
    pub(super) fn take(&mut self) -> (String, bool) {
        self.letters_at = None;
        (std::mem::take(&mut self.letters), std::mem::take(&mut self.could_act))
    }

    /// Ends the row of letters.
    pub(super) fn end(&mut self) {
        self.take();
        self.letter = false;
    }
}

/// The letter that a key types, if it types one.
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
