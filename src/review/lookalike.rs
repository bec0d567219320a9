//! Identifiers that read like something else: letters of several scripts in one word, letters in another shape.
//!
//! Scientific names (`Δt`, `σ_max`) stay silent: only letters that can be taken for Latin ones count.

use super::judge::Remark;
use super::syntax::Matter;
use crate::domain::Severity;
use std::ops::Range;

/// Cyrillic and Greek letters that are drawn like Latin ones, and those.
const TWINS: &[(char, char)] = &[
    ('а', 'a'),
    ('е', 'e'),
    ('о', 'o'),
    ('р', 'p'),
    ('с', 'c'),
    ('у', 'y'),
    ('х', 'x'),
    ('і', 'i'),
    ('ј', 'j'),
    ('ѕ', 's'),
    ('ԁ', 'd'),
    ('ԛ', 'q'),
    ('ԝ', 'w'),
    ('һ', 'h'),
    ('ո', 'n'),
    ('ѵ', 'v'),
    ('ӏ', 'l'),
    ('А', 'A'),
    ('В', 'B'),
    ('Е', 'E'),
    ('К', 'K'),
    ('М', 'M'),
    ('Н', 'H'),
    ('О', 'O'),
    ('Р', 'P'),
    ('С', 'C'),
    ('Т', 'T'),
    ('У', 'Y'),
    ('Х', 'X'),
    ('Ѕ', 'S'),
    ('І', 'I'),
    ('Ј', 'J'),
    ('ο', 'o'),
    ('ν', 'v'),
    ('ι', 'i'),
    ('ϲ', 'c'),
    ('ϳ', 'j'),
    ('Α', 'A'),
    ('Β', 'B'),
    ('Ε', 'E'),
    ('Ζ', 'Z'),
    ('Η', 'H'),
    ('Ι', 'I'),
    ('Κ', 'K'),
    ('Μ', 'M'),
    ('Ν', 'N'),
    ('Ο', 'O'),
    ('Ρ', 'P'),
    ('Τ', 'T'),
    ('Υ', 'Y'),
    ('Χ', 'X'),
    ('ı', 'i'),
    ('ɡ', 'g'),
    ('ɑ', 'a'),
];

fn twin(c: char) -> Option<char> {
    TWINS.iter().find(|(other, _)| *other == c).map(|(_, latin)| *latin)
}

/// The plain letter that Python and others read for a letter in another shape (full width, mathematical).
fn shaped(c: char) -> Option<char> {
    let n = u32::from(c);
    let letter = |offset: u32| {
        let offset = offset % 52;
        char::from_u32(if offset < 26 { 65 + offset } else { 97 + offset - 26 })
    };
    match n {
        0xff10..=0xff19 | 0xff21..=0xff3a | 0xff41..=0xff5a | 0xff3f => char::from_u32(n - 0xfee0),
        0x1d400..=0x1d6a3 => letter(n - 0x1d400),
        0x1d7ce..=0x1d7ff => char::from_u32(48 + (n - 0x1d7ce) % 10),
        0x210e => Some('h'),
        _ => None,
    }
}

/// The identifier that a language reads for one with shaped letters; `None` where it is as it seems.
pub(super) fn plain(identifier: &str) -> Option<String> {
    if identifier.is_ascii() || !identifier.chars().any(|c| shaped(c).is_some()) {
        return None;
    }
    Some(identifier.chars().map(|c| shaped(c).unwrap_or(c)).collect())
}

fn latin(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '\u{c0}'..='\u{24f}')
}

fn cyrillic(c: char) -> bool {
    matches!(c, '\u{400}'..='\u{52f}')
}

/// Why a word is not what it seems; `None` for an honest one.
fn suspicion(word: &str) -> Option<&'static str> {
    if word.is_ascii() {
        return None;
    }
    if plain(word).is_some() {
        return Some("letters in another shape");
    }
    let mixed = word.split('_').any(|part| {
        let has_latin = part.chars().any(latin);
        has_latin && part.chars().any(|c| cyrillic(c) || twin(c).is_some())
    });
    mixed.then_some("letters of several scripts")
}

/// Remarks on identifiers outside of strings and comments. `matter` tells where those are, in order.
pub(super) fn look(source: &str, matter: &[(Range<usize>, Matter)]) -> Vec<Remark> {
    if source.is_ascii() {
        return Vec::new();
    }
    let mut remarks = Vec::new();
    let mut start = None;
    let mut at_matter = 0;
    for (at, c) in source.char_indices().chain([(source.len(), ' ')]) {
        let part = c.is_alphanumeric() || c == '_';
        if part {
            start.get_or_insert(at);
            continue;
        }
        let Some(from) = start.take() else { continue };
        while matter.get(at_matter).is_some_and(|(range, _)| range.end <= from) {
            at_matter += 1;
        }
        if matter.get(at_matter).is_some_and(|(range, _)| range.start <= from) {
            continue;
        }
        let word = source.get(from..at).unwrap_or_default();
        if let Some(why) = suspicion(word) {
            remarks.push(Remark {
                rule: "common.look-alike".to_owned(),
                severity: Severity::Medium,
                span: from..at,
                message: format!("a name that reads like another: {} ({why})", super::wording::short(word)),
                effect: None,
                forbidden: false,
            });
        }
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn honest_words_are_not_suspected() {
        for word in ["print", "größe", "имя", "Δt", "σ_max", "θ1", "变量", "café", "μ_mean", "x_ν"]
        {
            assert_eq!(suspicion(word), None, "{word}");
        }
    }

    #[test]
    fn mixed_and_shaped_words_are() {
        for word in ["раypal", "ехec", "𝐨𝐬", "ｅval", "scοpe"] {
            assert!(suspicion(word).is_some(), "{word}");
        }
        assert_eq!(plain("𝐬𝐲𝐬𝐭𝐞𝐦").as_deref(), Some("system"));
        assert_eq!(plain("ｅval").as_deref(), Some("eval"));
    }
}
