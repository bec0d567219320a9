//! Finds calls in a language without a grammar: a name before `(` or before a string.
//!
//! Only arguments that are string literals are known. The review says that only words were checked.

use super::lexer::{Word, WordKind};
use crate::review::flow::Extraction;
use crate::review::rule_set::RuleSet;
use crate::review::value::{Act, Argument, Value, ValueKind};

const MAX_ARGUMENTS: usize = 64;

/// Reads the words of a text.
pub(super) fn read(source: &str, words: &[Word], rules: &RuleSet) -> Extraction {
    let words: Vec<&Word> = words.iter().filter(|w| w.kind != WordKind::Comment).collect();
    let mut reading = Extraction::default();
    for (at, word) in words.iter().enumerate() {
        match word.kind {
            WordKind::Command => command(source, word, &mut reading),
            WordKind::Name => {
                if let Some(act) = call(source, &words, at, rules) {
                    reading.acts.push(act);
                }
            }
            _ => {}
        }
    }
    reading
}

/// A command in backquotes.
fn command(source: &str, word: &Word, reading: &mut Extraction) {
    let text = source.get(word.inner.clone()).unwrap_or_default();
    let argument = Argument::new(value(text), &word.span);
    reading.acts.push(Act::new("`", vec![argument], word.span.clone()));
}

/// The call that begins with the name at this index, if rules know it.
fn call(source: &str, words: &[&Word], at: usize, rules: &RuleSet) -> Option<Act> {
    let word = words.get(at)?;
    let open = words.get(at + 1)?;
    let from = match open.kind {
        WordKind::Sign('(') => (at + 2, true),
        WordKind::Text | WordKind::Name | WordKind::Sign('-' | '/' | '%') => (at + 1, false),
        _ => return None,
    };
    let spelled = source.get(word.span.clone())?;
    let name = spelled.replace("::", ".").replace("->", ".").trim_start_matches(['$', '@']).to_owned();
    let name = rules.canonical(&name).unwrap_or(name);
    let lower = name.to_ascii_lowercase();
    let name = [name, lower].into_iter().find(|name| rules.rules_for(name).next().is_some())?;
    // A definition of the same name is no call.
    let before = at.checked_sub(1).and_then(|b| words.get(b)).and_then(|w| source.get(w.span.clone()));
    if before
        .is_some_and(|b| matches!(b, "def" | "function" | "func" | "fn" | "sub" | "fun" | "void" | "int"))
    {
        return None;
    }
    let mut act = Act::new(name, Vec::new(), word.span.clone());
    let end = arguments(source, words, from, &mut act);
    act.span.end = end.max(word.span.end);
    Some(act)
}

/// Adds the arguments up to the closing bracket, or to the end of the line; returns where they end.
fn arguments(source: &str, words: &[&Word], (from, bracket): (usize, bool), act: &mut Act) -> usize {
    let mut depth = 0_u32;
    let mut end = 0;
    for word in words.iter().skip(from).take(4 * MAX_ARGUMENTS) {
        let text = || source.get(word.inner.clone()).unwrap_or_default();
        let span = word.span.clone();
        match word.kind {
            WordKind::Sign(')') if depth == 0 => return if bracket { word.span.end } else { end },
            WordKind::Break | WordKind::Sign(';') if !bracket => return end,
            WordKind::Sign('(' | '[' | '{') => depth += 1,
            WordKind::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
            WordKind::Text => act.arguments.push(Argument { value: value(text()), span }),
            WordKind::Name | WordKind::Number => match text().to_ascii_lowercase().as_str() {
                // Options written as words: `-Recurse`, `recursive = TRUE`.
                option @ ("recursive" | "recurse" | "force") => {
                    let set = Argument { value: Value::new(ValueKind::Bool(true)), span };
                    act.named.push((option.to_owned(), set));
                }
                "true" | "false" => {}
                _ => act.arguments.push(Argument { value: Value::unknown(), span }),
            },
            _ => {}
        }
        end = word.span.end;
        if act.arguments.len() >= MAX_ARGUMENTS {
            break;
        }
    }
    end
}

/// A string as written; it has unknown parts if the language interpolates values (`#{x}`, `${x}`).
fn value(text: &str) -> Value {
    Value::of_text(text, !text.contains("#{") && !text.contains("${"))
}
