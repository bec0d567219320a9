//! Finds identifiers that look like others: letters that the language folds to others, escapes in names, letters of
//! several scripts in one word.
//!
//! Unicode tables do the folding that the language does (NFKC in Python, `\u` escapes in JavaScript); a name that folds
//! to one that rules mention is a trap. Scientific names (`Δt`, `σ_max`) give no finding.

use super::diagnostic::Diagnostic;
use super::grammar::Grammar;
use super::rule_set::RuleSet;
use super::syntax::TextKind;
use crate::domain::Severity;
use std::ops::Range;
use unicode_normalization::UnicodeNormalization as _;

/// Greek letters used in formulas; they are not compared with Latin ones.
const FORMULA_LETTERS: &str = "αβγδεζηθκλμξπρςστυφχψωΔΓΘΛΞΠΣΦΨΩ";

/// The ASCII letter that a letter looks like.
fn twin(c: char) -> Option<char> {
    if c.is_ascii() || FORMULA_LETTERS.contains(c) {
        return None;
    }
    let mut bytes = [0; 4];
    let mut drawn = unicode_security::skeleton(c.encode_utf8(&mut bytes));
    let first = drawn.next().filter(char::is_ascii_alphanumeric)?;
    drawn.next().is_none().then_some(first)
}

/// The identifier that Python reads after NFKC; `None` if unchanged.
pub(super) fn plain(identifier: &str) -> Option<String> {
    if identifier.is_ascii() {
        return None;
    }
    let folded: String = identifier.nfkc().collect();
    (folded != identifier).then_some(folded)
}

/// The identifier that JavaScript reads after resolving escapes; `None` if it has none.
pub(super) fn unescaped(identifier: &str) -> Option<String> {
    if !identifier.contains('\\') {
        return None;
    }
    let mut out = String::new();
    let mut rest = identifier;
    while let Some((head, tail)) = rest.split_once("\\u") {
        out.push_str(head);
        let (digits, after) = match tail.strip_prefix('{') {
            Some(inner) => inner.split_once('}')?,
            None => tail.split_at_checked(4)?,
        };
        out.push(u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)?);
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}

fn latin(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '\u{c0}'..='\u{24f}')
}

fn cyrillic(c: char) -> bool {
    matches!(c, '\u{400}'..='\u{52f}')
}

/// Why a word is not what it seems, and how severe that is; `None` if there is nothing wrong.
fn suspicion(
    word: &str,
    grammar: Option<Grammar>,
    known: impl Fn(&str) -> bool,
) -> Option<(String, Severity)> {
    if let Some(read) = unescaped(word).filter(|_| grammar == Some(Grammar::Javascript)) {
        let severity = if known(&read) { Severity::High } else { Severity::Medium };
        return Some((
            format!("an escape in a name, it is read as {}", super::wording::short(&read)),
            severity,
        ));
    }
    if word.is_ascii() {
        return None;
    }
    // A composed letter looks the same as its decomposed form; `µ` is not Latin in either.
    let composed: String = word.nfc().collect();
    let folded: String = word.nfkc().collect();
    if folded != composed
        && folded.chars().filter(char::is_ascii).count() > word.chars().filter(char::is_ascii).count()
    {
        let trap = matches!(grammar, Some(Grammar::Python)) && known(&folded);
        let severity = if trap { Severity::High } else { Severity::Medium };
        let read = match grammar {
            Some(Grammar::Python) => format!("it is read as {}", super::wording::short(&folded)),
            _ => "letters in another shape".to_owned(),
        };
        return Some((read, severity));
    }
    let mixed = word.split('_').any(|part| {
        let has_latin = part.chars().any(latin);
        has_latin && part.chars().any(|c| cyrillic(c) || twin(c).is_some())
    });
    if mixed {
        return Some(("letters of several scripts".to_owned(), Severity::Medium));
    }
    let drawn: Option<String> = word.chars().map(|c| if c == '_' { Some(c) } else { twin(c) }).collect();
    let drawn = drawn.filter(|drawn| known(drawn))?;
    Some((format!("it is drawn like {drawn}"), Severity::Medium))
}

/// Checks identifiers outside of strings and comments (`text_kinds`, in order). `language` has the grammar and the rules
/// whose words are known.
pub(super) fn find(
    source: &str,
    text_kinds: &[(Range<usize>, TextKind)],
    language: Option<(Grammar, &RuleSet)>,
) -> Vec<Diagnostic> {
    let grammar = language.map(|(grammar, _)| grammar);
    let escapes = grammar == Some(Grammar::Javascript);
    if source.is_ascii() && !(escapes && source.contains("\\u")) {
        return Vec::new();
    }
    let known = |word: &str| language.is_some_and(|(_, rules)| rules.has_word(word));
    let mut diagnostics = Vec::new();
    let mut start = None;
    let mut next = 0;
    let mut braced = false;
    for (at, c) in source.char_indices().chain([(source.len(), ' ')]) {
        let escaped = escapes
            && (c == '\\' && source.get(at + 1..).is_some_and(|rest| rest.starts_with('u'))
                || c == '{' && source.get(..at).is_some_and(|before| before.ends_with("\\u"))
                || braced && c == '}');
        braced = escaped && c == '{' || braced && c != '}';
        let part = c.is_alphanumeric() || c == '_' || c == '$' && escapes || escaped;
        if part {
            start.get_or_insert(at);
            continue;
        }
        let Some(from) = start.take() else { continue };
        while text_kinds.get(next).is_some_and(|(range, _)| range.end <= from) {
            next += 1;
        }
        if text_kinds.get(next).is_some_and(|(range, _)| range.start <= from) {
            continue;
        }
        let word = source.get(from..at).unwrap_or_default();
        if let Some((why, severity)) = suspicion(word, grammar, known) {
            let message = format!("a name that reads like another: {} ({why})", super::wording::short(word));
            diagnostics.push(Diagnostic::new("common.look-alike", severity, from..at, message));
        }
    }
    diagnostics
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(word: &str, grammar: Grammar) -> Option<Severity> {
        suspicion(word, Some(grammar), |word| ["eval", "system", "os", "exec"].contains(&word))
            .map(|(_, s)| s)
    }

    #[test]
    fn honest_words_are_not_suspected() {
        for word in [
            "print",
            "größe",
            "имя",
            "Δt",
            "σ_max",
            "θ1",
            "变量",
            "café",
            "cafe\u{301}",
            "μ_mean",
            "µm",
            "x_ν",
            "ρw",
        ] {
            assert_eq!(why(word, Grammar::Python), None, "{word}");
            assert_eq!(why(word, Grammar::Javascript), None, "{word}");
        }
    }

    #[test]
    fn mixed_and_shaped_words_are() {
        for word in ["раypal", "ехec", "scοpe", "ﬁle"] {
            assert_eq!(why(word, Grammar::Python), Some(Severity::Medium), "{word}");
        }
        for word in ["𝐨𝐬", "ｅval", "ſystem", "𝓼𝔂𝓼𝓽𝓮𝓶", "ᵉval", "ⅇval"] {
            assert_eq!(why(word, Grammar::Python), Some(Severity::High), "{word}");
        }
        assert_eq!(plain("𝐬𝐲𝐬𝐭𝐞𝐦").as_deref(), Some("system"));
        assert_eq!(plain("ｅval").as_deref(), Some("eval"));
    }

    #[test]
    fn every_letter_that_python_folds_is_folded() {
        let folds = (0x80..0x11_0000).filter_map(char::from_u32).filter(|c| c.is_alphabetic());
        let to_latin = folds.filter(|c| {
            let folded: Vec<char> = c.to_string().nfkc().collect();
            matches!(folded.as_slice(), [one] if one.is_ascii_lowercase())
        });
        let mut count = 0;
        for c in to_latin {
            count += 1;
            assert!(plain(&format!("{c}x")).is_some(), "{c}");
            assert!(suspicion(&format!("{c}x"), Some(Grammar::Python), |_| false).is_some(), "{c}");
        }
        assert!(count > 400, "{count}");
    }

    #[test]
    fn escapes_in_names_are_read() {
        for (word, read) in [("\\u0065val", "eval"), ("e\\u{76}al", "eval"), ("\\u{000065}val", "eval")] {
            assert_eq!(unescaped(word).as_deref(), Some(read));
            assert_eq!(why(word, Grammar::Javascript), Some(Severity::High), "{word}");
        }
        assert_eq!(why("f\\u006fo", Grammar::Javascript), Some(Severity::Medium));
        assert_eq!(unescaped("\\u00"), None);
    }
}
