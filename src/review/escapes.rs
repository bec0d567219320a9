//! Resolves escape sequences in strings of the languages.

use super::value::HOLE;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use std::str::Chars;

/// Decodes base64, also in its form for addresses, if the result is text.
pub(super) fn base64(text: &str) -> Option<String> {
    let clean: String = text.chars().filter(|c| !c.is_whitespace() && *c != '=').collect();
    let clean = clean.replace('-', "+").replace('_', "/");
    String::from_utf8(STANDARD_NO_PAD.decode(clean).ok()?).ok()
}

/// A text with its escapes resolved: `resolve` is given what follows a backslash, and adds what that means.
fn resolved(text: &str, resolve: impl Fn(Option<char>, &mut Chars<'_>, &mut String)) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == '\\' {
            resolve(chars.next(), &mut chars, &mut out);
        } else {
            out.push(c);
        }
    }
    out
}

/// The text of a piece of a Python string.
pub(super) fn python(piece: &str) -> String {
    resolved(piece, |escaped, chars, out| match escaped {
        Some('\n') => {}
        Some('n') => out.push('\n'),
        Some('t') => out.push('\t'),
        Some('r') => out.push('\r'),
        Some('x') => out.push(code(chars, 2)),
        Some('u') => out.push(code(chars, 4)),
        Some('U') => out.push(code(chars, 8)),
        Some('N') => out.push(HOLE),
        Some(digit @ '0'..='7') => out.push(digits(chars, 8, 2, digit.to_digit(8).unwrap_or(0))),
        Some(other @ ('\\' | '\'' | '"')) => out.push(other),
        Some(other) => out.extend(['\\', other]),
        None => out.push('\\'),
    })
}

/// The text of a piece of a JavaScript string.
pub(super) fn javascript(piece: &str) -> String {
    resolved(piece, |escaped, chars, out| match escaped {
        Some('n') => out.push('\n'),
        Some('t') => out.push('\t'),
        Some('r') => out.push('\r'),
        Some('\n') | None => {}
        Some('x') => out.push(code(chars, 2)),
        Some('u') if chars.clone().next() == Some('{') => {
            chars.next();
            let hex: String = chars.by_ref().take_while(|c| *c != '}').take(6).collect();
            out.push(u32::from_str_radix(&hex, 16).ok().and_then(char::from_u32).unwrap_or(HOLE));
        }
        Some('u') => out.push(code(chars, 4)),
        Some(other) => out.push(other),
    })
}

/// The text of a shell's `$'…'`: escapes as in C. What depends on the encoding, or ends the text, becomes a hole.
pub(super) fn ansi_c(text: &str) -> String {
    let plain = |c: char| if matches!(c, '\u{1}'..='\u{7f}') { c } else { HOLE };
    resolved(text, |escaped, chars, out| match escaped {
        Some('a') => out.push('\u{7}'),
        Some('b') => out.push('\u{8}'),
        Some('e' | 'E') => out.push('\u{1b}'),
        Some('f') => out.push('\u{c}'),
        Some('n') => out.push('\n'),
        Some('r') => out.push('\r'),
        Some('t') => out.push('\t'),
        Some('v') => out.push('\u{b}'),
        Some('x') => out.push(plain(digits(chars, 16, 2, 0))),
        Some('u') => out.push(plain(digits(chars, 16, 4, 0))),
        Some('U') => out.push(plain(digits(chars, 16, 8, 0))),
        Some(digit @ '0'..='7') => out.push(plain(digits(chars, 8, 2, digit.to_digit(8).unwrap_or(0)))),
        Some(other @ ('\\' | '\'' | '"' | '?')) => out.push(other),
        Some('c') => {
            chars.next();
            out.push(HOLE);
        }
        Some(other) => out.extend(['\\', other]),
        None => out.push('\\'),
    })
}

/// The character that up to `most` more digits give.
fn digits(chars: &mut Chars<'_>, radix: u32, most: usize, start: u32) -> char {
    let mut value = start;
    for _ in 0..most {
        let Some(digit) = chars.clone().next().and_then(|c| c.to_digit(radix)) else { break };
        value = value * radix + digit;
        chars.next();
    }
    char::from_u32(value).unwrap_or(HOLE)
}

/// The character written with this many hexadecimal digits.
fn code(chars: &mut Chars<'_>, digits: usize) -> char {
    let hex: String = chars.by_ref().take(digits).collect();
    u32::from_str_radix(&hex, 16).ok().and_then(char::from_u32).unwrap_or(HOLE)
}
