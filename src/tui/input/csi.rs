//! Parses the control sequences that terminals send (`CSI … final`) into events. Pure.

use super::super::theme::Rgb;
use super::InputEvent;
use crossterm::event::{
    KeyCode, KeyEvent, KeyEventKind, KeyEventState, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Event(InputEvent),
    /// A bracketed paste begins.
    PasteStart,
    /// An old mouse report: three more bytes follow.
    OldMouse,
    /// Unknown: it is dropped.
    Unknown,
    /// An answer of the terminal that is not needed: no person typed it.
    Answer,
}

/// Parses the parameters (everything between `CSI` and the final byte) and the final byte.
pub(crate) fn read(params: &[u8], last: u8) -> Meaning {
    let (marker, rest) = match params.first() {
        Some(b @ (b'<' | b'=' | b'>' | b'?')) => (*b, params.get(1..).unwrap_or_default()),
        _ => (0, params),
    };
    let intermediate = rest.last().copied().filter(|b| (b' '..=b'/').contains(b)).unwrap_or(0);
    let numbers = Numbers::read(rest);
    let event = match (marker, intermediate, last) {
        (b'?', 0, b'c') => {
            // The first number is the type of terminal, the others are its capabilities.
            Some(InputEvent::Da1 { sixel: rest.split(|b| *b == b';').skip(1).any(|number| number == b"4") })
        }
        (b'?', 0, b'u') => Some(InputEvent::KittyKeyboard(u8::try_from(numbers.at(0)).unwrap_or(0))),
        (b'?', b'$', b'y') if numbers.at(0) == 2026 => {
            Some(InputEvent::Sync2026(matches!(numbers.at(1), 1..=3)))
        }
        (b'<', 0, b'M' | b'm') => mouse(&numbers, last == b'm').map(InputEvent::Mouse),
        (0, 0, b'M') if rest.is_empty() => return Meaning::OldMouse,
        (0, 0, b'~') if numbers.at(0) == 200 => return Meaning::PasteStart,
        (0, 0, b'I') if rest.is_empty() => Some(InputEvent::Focus(true)),
        (0, 0, b'O') if rest.is_empty() => Some(InputEvent::Focus(false)),
        (0, 0, b'R') if numbers.count == 2 => {
            let small = |i| u16::try_from(numbers.at(i)).unwrap_or(0);
            Some(InputEvent::CursorReport(small(0), small(1)))
        }
        (0, 0, _) => key(&numbers, last).map(InputEvent::Key),
        _ => None,
    };
    match (event, marker, intermediate, last) {
        (Some(event), ..) => Meaning::Event(event),
        // Attributes, modes, reports, and keys of the private area (a modifier alone) don't count as typing.
        (None, b'?' | b'>' | b'=', ..) | (None, b'<', _, b'M' | b'm') | (None, 0, 0, b't' | b'u') => {
            Meaning::Answer
        }
        _ => Meaning::Unknown,
    }
}

/// Numbers separated by `;`, each with at most one sub-number after `:` (the kind of a key event).
struct Numbers {
    values: [(u32, u32); 4],
    count: usize,
}

impl Numbers {
    fn read(bytes: &[u8]) -> Self {
        let mut numbers = Numbers { values: [(0, 0); 4], count: 0 };
        if bytes.is_empty() {
            return numbers;
        }
        for (part, slot) in bytes.split(|b| *b == b';').zip(&mut numbers.values) {
            let mut sub = part.split(|b| *b == b':').map(number);
            *slot = (sub.next().unwrap_or(0), sub.next().unwrap_or(0));
            numbers.count += 1;
        }
        numbers
    }

    fn at(&self, i: usize) -> u32 {
        self.values.get(i).map_or(0, |v| v.0)
    }

    fn sub(&self, i: usize) -> u32 {
        self.values.get(i).map_or(0, |v| v.1)
    }
}

fn number(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .filter(|b| b.is_ascii_digit())
        .fold(0u32, |n, b| n.saturating_mul(10).saturating_add(u32::from(b - b'0')))
}

fn key(numbers: &Numbers, last: u8) -> Option<KeyEvent> {
    let mut code = match last {
        b'u' => unicode_key(numbers.at(0))?,
        b'~' if numbers.at(0) == 27 && numbers.count == 3 => unicode_key(numbers.at(2))?,
        b'~' => numbered_key(numbers.at(0))?,
        b'Z' => KeyCode::BackTab,
        _ => lettered_key(last)?,
    };
    let (mut modifiers, state) = modifiers(numbers.at(1));
    let kind = match numbers.sub(1) {
        2 => KeyEventKind::Repeat,
        3 => KeyEventKind::Release,
        _ => KeyEventKind::Press,
    };
    if code == KeyCode::Tab && modifiers.contains(KeyModifiers::SHIFT) {
        code = KeyCode::BackTab;
    }
    if code == KeyCode::BackTab {
        modifiers.insert(KeyModifiers::SHIFT);
    }
    Some(KeyEvent { code, modifiers, kind, state })
}

/// Decodes the modifier number of xterm and kitty: one more than the sum of its bits.
fn modifiers(number: u32) -> (KeyModifiers, KeyEventState) {
    let bits = number.saturating_sub(1);
    let mut modifiers = KeyModifiers::NONE;
    for (bit, modifier) in [
        (1, KeyModifiers::SHIFT),
        (2, KeyModifiers::ALT),
        (4, KeyModifiers::CONTROL),
        (8, KeyModifiers::SUPER),
        (16, KeyModifiers::HYPER),
        (32, KeyModifiers::META),
    ] {
        modifiers.set(modifier, bits & bit != 0);
    }
    let mut state = KeyEventState::NONE;
    state.set(KeyEventState::CAPS_LOCK, bits & 64 != 0);
    state.set(KeyEventState::NUM_LOCK, bits & 128 != 0);
    (modifiers, state)
}

pub(crate) fn lettered_key(letter: u8) -> Option<KeyCode> {
    Some(match letter {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'E' => KeyCode::KeypadBegin,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        b'P'..=b'S' => KeyCode::F(letter - b'O'),
        _ => return None,
    })
}

fn numbered_key(number: u32) -> Option<KeyCode> {
    Some(match number {
        1 | 7 => KeyCode::Home,
        2 => KeyCode::Insert,
        3 => KeyCode::Delete,
        4 | 8 => KeyCode::End,
        5 => KeyCode::PageUp,
        6 => KeyCode::PageDown,
        11..=15 => KeyCode::F(u8::try_from(number - 10).ok()?),
        17..=21 => KeyCode::F(u8::try_from(number - 11).ok()?),
        23..=26 => KeyCode::F(u8::try_from(number - 12).ok()?),
        28 | 29 => KeyCode::F(u8::try_from(number - 13).ok()?),
        31..=34 => KeyCode::F(u8::try_from(number - 14).ok()?),
        _ => return None,
    })
}

/// The key with this code point (`CSI … u`), including kitty's numbers for keys without one.
fn unicode_key(code: u32) -> Option<KeyCode> {
    Some(match code {
        8 | 127 => KeyCode::Backspace,
        9 => KeyCode::Tab,
        10 | 13 => KeyCode::Enter,
        27 => KeyCode::Esc,
        57_414 => KeyCode::Enter,
        57_399..=57_408 => KeyCode::Char(char::from(b'0' + u8::try_from(code - 57_399).ok()?)),
        57_409 => KeyCode::Char('.'),
        57_410 => KeyCode::Char('/'),
        57_411 => KeyCode::Char('*'),
        57_412 => KeyCode::Char('-'),
        57_413 => KeyCode::Char('+'),
        57_415 => KeyCode::Char('='),
        57_417 => KeyCode::Left,
        57_418 => KeyCode::Right,
        57_419 => KeyCode::Up,
        57_420 => KeyCode::Down,
        57_421 => KeyCode::PageUp,
        57_422 => KeyCode::PageDown,
        57_423 => KeyCode::Home,
        57_424 => KeyCode::End,
        57_425 => KeyCode::Insert,
        57_426 => KeyCode::Delete,
        // The private area (modifiers, media keys, locks): these keys do nothing here.
        57_344..=63_743 => return None,
        _ => KeyCode::Char(char::from_u32(code).filter(|c| !c.is_control())?),
    })
}

fn mouse(numbers: &Numbers, released: bool) -> Option<MouseEvent> {
    let (bits, column, row) = (numbers.at(0), numbers.at(1), numbers.at(2));
    let button = match bits & 0b1100_0011 {
        0 => Some(MouseButton::Left),
        1 => Some(MouseButton::Middle),
        2 => Some(MouseButton::Right),
        _ => None,
    };
    let moved = bits & 32 != 0;
    let kind = match (bits & 0b1100_0011, button) {
        (64, _) => MouseEventKind::ScrollUp,
        (65, _) => MouseEventKind::ScrollDown,
        (66, _) => MouseEventKind::ScrollLeft,
        (67, _) => MouseEventKind::ScrollRight,
        (_, Some(button)) if released => MouseEventKind::Up(button),
        (_, Some(button)) if moved => MouseEventKind::Drag(button),
        (_, Some(button)) => MouseEventKind::Down(button),
        (3, None) if moved => MouseEventKind::Moved,
        _ => return None,
    };
    let mut modifiers = KeyModifiers::NONE;
    modifiers.set(KeyModifiers::SHIFT, bits & 4 != 0);
    modifiers.set(KeyModifiers::ALT, bits & 8 != 0);
    modifiers.set(KeyModifiers::CONTROL, bits & 16 != 0);
    let place = |n: u32| u16::try_from(n.saturating_sub(1)).unwrap_or(u16::MAX);
    Some(MouseEvent { kind, column: place(column), row: place(row), modifiers })
}

/// Parses the answer to a colour query (`OSC 11 ; rgb:1e1e/1e1e/1e1e`), without its frame.
pub(crate) fn background(osc: &[u8]) -> Option<Rgb> {
    let text = std::str::from_utf8(osc).ok()?.strip_prefix("11;")?;
    let colour = text.strip_prefix("rgb:").or_else(|| text.strip_prefix("rgba:"))?;
    let mut parts = colour.split('/').map(|part| {
        let value = u32::from_str_radix(part.get(..part.len().min(4))?, 16).ok()?;
        let largest = (1u32 << (4 * part.len().min(4))) - 1;
        u8::try_from((value * 255 + largest / 2) / largest).ok()
    });
    Some(Rgb(parts.next()??, parts.next()??, parts.next()??))
}
