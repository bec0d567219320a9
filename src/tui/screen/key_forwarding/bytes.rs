//! Encodes keys and pastes as the bytes that xterm sends. Pure.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The bytes of a key; empty for keys that have none. `application`: the program has switched on application
/// cursor keys.
pub(super) fn bytes(event: &KeyEvent, application: bool) -> Vec<u8> {
    let held = |modifier| event.modifiers.contains(modifier);
    let (shift, alt, control) =
        (held(KeyModifiers::SHIFT), held(KeyModifiers::ALT), held(KeyModifiers::CONTROL));
    let modifiers = 1 + u8::from(shift) + 2 * u8::from(alt) + 4 * u8::from(control);
    // Two kinds of sequence: with a final letter, or with a number and a tilde.
    let lettered = |letter: char, has_own: bool| match modifiers {
        1 if has_own => format!("\x1bO{letter}"),
        1 => format!("\x1b[{letter}"),
        held => format!("\x1b[1;{held}{letter}"),
    };
    let numbered = |number: u8| match modifiers {
        1 => format!("\x1b[{number}~"),
        held => format!("\x1b[{number};{held}~"),
    };
    let sequence = match event.code {
        KeyCode::Up => lettered('A', application),
        KeyCode::Down => lettered('B', application),
        KeyCode::Right => lettered('C', application),
        KeyCode::Left => lettered('D', application),
        KeyCode::Home => lettered('H', application),
        KeyCode::End => lettered('F', application),
        KeyCode::F(n @ 1..=4) => lettered(char::from(b'O' + n), true),
        KeyCode::F(n @ 5) => numbered(n + 10),
        KeyCode::F(n @ 6..=10) => numbered(n + 11),
        KeyCode::F(n @ 11..=12) => numbered(n + 12),
        KeyCode::Insert => numbered(2),
        KeyCode::Delete => numbered(3),
        KeyCode::PageUp => numbered(5),
        KeyCode::PageDown => numbered(6),
        KeyCode::BackTab => "\x1b[Z".into(),
        code => return character(code, (shift, alt, control)),
    };
    sequence.into_bytes()
}

/// Encodes a character key; Alt puts an escape in front.
fn character(code: KeyCode, (shift, alt, control): (bool, bool, bool)) -> Vec<u8> {
    let mut bytes = if alt { vec![0x1b] } else { Vec::new() };
    match code {
        KeyCode::Char(c) if control => match controlled(c) {
            Some(byte) => bytes.push(byte),
            None => return Vec::new(),
        },
        KeyCode::Char(c) => {
            let c = if shift { crate::tui::screen::keys::upper(c) } else { c };
            bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        KeyCode::Enter => bytes.push(b'\r'),
        KeyCode::Tab => bytes.push(b'\t'),
        KeyCode::Backspace => bytes.push(if control { 0x08 } else { 0x7f }),
        KeyCode::Esc => bytes.push(0x1b),
        _ => return Vec::new(),
    }
    bytes
}

/// The control character that Ctrl makes of a key.
fn controlled(c: char) -> Option<u8> {
    Some(match c {
        'a'..='z' | 'A'..='Z' | '[' | '\\' | ']' | '^' | '_' | '@' => {
            u8::try_from(c.to_ascii_uppercase()).ok()? & 0x1f
        }
        ' ' | '2' => 0,
        '3'..='7' => u8::try_from(c).ok()? - b'3' + 0x1b,
        '/' => 0x1f,
        '8' | '?' => 0x7f,
        _ => return None,
    })
}

/// Encodes a paste: its text without control keys, between markers if the program wants them.
pub(super) fn pasted(text: &str, bracketed: bool) -> Vec<u8> {
    let text = text.chars().filter_map(|c| match c {
        '\n' => Some('\r'),
        '\t' => Some('\t'),
        c => (!c.is_control()).then_some(c),
    });
    let text: String = text.collect();
    if bracketed && !text.is_empty() {
        format!("\x1b[200~{text}\x1b[201~").into_bytes()
    } else {
        text.into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: KeyModifiers = KeyModifiers::NONE;

    fn key(code: KeyCode, modifiers: KeyModifiers) -> String {
        String::from_utf8(bytes(&KeyEvent::new(code, modifiers), false)).unwrap()
    }

    #[test]
    fn keys_are_what_terminals_send() {
        let ctrl = KeyModifiers::CONTROL;
        assert_eq!(key(KeyCode::Char('é'), NONE), "é");
        assert_eq!(key(KeyCode::Char('a'), KeyModifiers::SHIFT), "A");
        assert_eq!(key(KeyCode::Char('c'), ctrl), "\x03");
        assert_eq!(key(KeyCode::Char('d'), ctrl), "\x04");
        assert_eq!(key(KeyCode::Char('4'), ctrl), "\x1c");
        assert_eq!(key(KeyCode::Char('_'), ctrl), "\x1f");
        assert_eq!(key(KeyCode::Char(' '), ctrl), "\0");
        assert_eq!(key(KeyCode::Char('é'), ctrl), "");
        assert_eq!(key(KeyCode::Char('b'), KeyModifiers::ALT), "\x1bb");
        assert_eq!(key(KeyCode::Backspace, KeyModifiers::ALT), "\x1b\x7f");
        assert_eq!(key(KeyCode::Enter, NONE), "\r");
        assert_eq!(key(KeyCode::BackTab, KeyModifiers::SHIFT), "\x1b[Z");
        assert_eq!(key(KeyCode::CapsLock, NONE), "");
    }

    /// As the `xterm-256color` terminal description says; that is the `TERM` that programs get.
    #[test]
    fn named_keys_are_those_of_xterm() {
        let named = [
            (KeyCode::Up, "A"),
            (KeyCode::Down, "B"),
            (KeyCode::Right, "C"),
            (KeyCode::Left, "D"),
            (KeyCode::Home, "H"),
            (KeyCode::End, "F"),
        ];
        for (code, letter) in named {
            assert_eq!(key(code, NONE), format!("\x1b[{letter}"));
            let application = bytes(&KeyEvent::new(code, NONE), true);
            assert_eq!(String::from_utf8(application).unwrap(), format!("\x1bO{letter}"));
            assert_eq!(key(code, KeyModifiers::CONTROL), format!("\x1b[1;5{letter}"));
        }
        let numbers = [15, 17, 18, 19, 20, 21, 23, 24];
        for (n, number) in (5..).zip(numbers) {
            assert_eq!(key(KeyCode::F(n), NONE), format!("\x1b[{number}~"), "F{n}");
        }
        assert_eq!(key(KeyCode::F(1), NONE), "\x1bOP");
        assert_eq!(key(KeyCode::F(4), KeyModifiers::SHIFT), "\x1b[1;2S");
        assert_eq!(key(KeyCode::F(13), NONE), "");
        assert_eq!(key(KeyCode::Delete, NONE), "\x1b[3~");
        assert_eq!(key(KeyCode::PageUp, KeyModifiers::ALT | KeyModifiers::CONTROL), "\x1b[5;7~");
    }

    #[test]
    fn a_paste_is_text_and_nothing_of_it_ends_it() {
        assert_eq!(pasted("one\ntwo\u{1b}[201~\u{3}", false), b"one\rtwo[201~");
        assert_eq!(pasted("one\u{1b}[201~\u{9b}201~rm\n", true), b"\x1b[200~one[201~201~rm\r\x1b[201~");
        assert_eq!(pasted("\u{1b}", true), b"");
    }
}
