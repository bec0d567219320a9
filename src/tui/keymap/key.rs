//! A key with its modifiers: how it is written in files and on screen, and how terminal events convert to it.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::fmt;

/// A key in its normal form, by which keys are compared: a shifted letter instead of Shift with the letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    code: KeyCode,
    modifiers: KeyModifiers,
}

/// The modifiers, as they stand before a key.
const MODIFIER_NAMES: [(&str, KeyModifiers); 4] = [
    ("Ctrl-", KeyModifiers::CONTROL),
    ("Alt-", KeyModifiers::ALT),
    ("Shift-", KeyModifiers::SHIFT),
    ("Super-", KeyModifiers::SUPER),
];

/// Names of keys that are no characters, as written in files and on screen.
const KEY_NAMES: [(&str, &str, KeyCode); 16] = [
    ("enter", "Enter", KeyCode::Enter),
    ("esc", "Esc", KeyCode::Esc),
    ("tab", "Tab", KeyCode::Tab),
    ("backspace", "Backspace", KeyCode::Backspace),
    ("del", "Del", KeyCode::Delete),
    ("insert", "Insert", KeyCode::Insert),
    ("space", "Space", KeyCode::Char(' ')),
    ("up", "Up", KeyCode::Up),
    ("down", "Down", KeyCode::Down),
    ("left", "Left", KeyCode::Left),
    ("right", "Right", KeyCode::Right),
    ("home", "Home", KeyCode::Home),
    ("end", "End", KeyCode::End),
    ("pgup", "PgUp", KeyCode::PageUp),
    ("pgdn", "PgDn", KeyCode::PageDown),
    ("null", "Ctrl-Space", KeyCode::Null),
];

impl Key {
    /// Brings a key into its normal form.
    pub(crate) fn new(code: KeyCode, modifiers: KeyModifiers) -> Self {
        let mut modifiers = modifiers
            & (KeyModifiers::SHIFT | KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SUPER);
        let code = match code {
            KeyCode::BackTab => {
                modifiers.insert(KeyModifiers::SHIFT);
                KeyCode::Tab
            }
            KeyCode::Char(c) if modifiers.contains(KeyModifiers::CONTROL) => {
                KeyCode::Char(c.to_ascii_lowercase())
            }
            KeyCode::Char(c) => {
                let shifted = modifiers.contains(KeyModifiers::SHIFT);
                modifiers.remove(KeyModifiers::SHIFT);
                KeyCode::Char(if shifted { c.to_ascii_uppercase() } else { c })
            }
            other => other,
        };
        Self { code, modifiers }
    }

    /// Parses `a`, `A`, `ctrl-c`, `shift-tab`, `alt-up`, `f1`, `space`, `-`. `None`: there is no such key.
    pub fn parse(text: &str) -> Option<Self> {
        let mut modifiers = KeyModifiers::NONE;
        let mut rest = text;
        // No key is written with Super.
        let written = |text: &str| {
            let begins = |name: &str| text.get(..name.len()).is_some_and(|t| t.eq_ignore_ascii_case(name));
            MODIFIER_NAMES
                .into_iter()
                .find(|(name, modifier)| *modifier != KeyModifiers::SUPER && begins(name))
        };
        while let Some((name, modifier)) = written(rest) {
            modifiers.insert(modifier);
            rest = rest.get(name.len()..)?;
        }
        Self::code(rest).map(|code| Self::new(code, modifiers))
    }

    fn code(text: &str) -> Option<KeyCode> {
        let mut chars = text.chars();
        if let (Some(c), None) = (chars.next(), chars.next()) {
            return (!c.is_control()).then_some(KeyCode::Char(c));
        }
        let lower = text.to_ascii_lowercase();
        if let Some((_, _, code)) = KEY_NAMES.iter().find(|(name, ..)| *name == lower) {
            return Some(*code);
        }
        let number: u8 = lower.strip_prefix('f')?.parse().ok()?;
        (1..=24).contains(&number).then_some(KeyCode::F(number))
    }

    /// Whether the key is too easily pressed by accident, or by a paste, to approve anything.
    pub(crate) fn is_too_easy_to_approve(self) -> bool {
        match self.code {
            KeyCode::Enter => true,
            KeyCode::Char(c) if self.modifiers.is_empty() => {
                c == ' ' || c == 'y' || c == 'Y' || c.is_ascii_digit()
            }
            // Terminals send these for Enter.
            KeyCode::Char('m' | 'j') => self.modifiers.contains(KeyModifiers::CONTROL),
            _ => false,
        }
    }

    /// The character that it types, if it types one.
    pub(crate) fn text(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if self.modifiers.is_empty() => Some(c),
            _ => None,
        }
    }
}

impl From<&KeyEvent> for Key {
    fn from(event: &KeyEvent) -> Self {
        Self::new(event.code, event.modifiers)
    }
}

impl From<Key> for KeyEvent {
    fn from(key: Key) -> Self {
        Self::new(key.code, key.modifiers)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, modifier) in MODIFIER_NAMES {
            if self.modifiers.contains(modifier) {
                f.write_str(name)?;
            }
        }
        if let Some((_, name, _)) = KEY_NAMES.iter().find(|(_, _, code)| *code == self.code) {
            return f.write_str(name);
        }
        match self.code {
            KeyCode::Char(c) if self.modifiers.is_empty() => write!(f, "{c}"),
            KeyCode::Char(c) => write!(f, "{}", c.to_uppercase()),
            KeyCode::F(n) => write!(f, "F{n}"),
            other => write!(f, "{other:?}"),
        }
    }
}
