//! Values of Python that IPython puts into a line: `!rm {name}`, `!echo {f(x)}`, `%cd {f(x)}`. It takes the line apart as
//! `string.Formatter` of Python does and evaluates what stands in braces, whatever stands around them.

use super::code;
use crate::review::nested::NestedCode;
use crate::review::rules::InnerPattern;
use crate::review::value::HOLE;
use std::ops::Range;

/// A command of a shell, and the Python in its braces: that runs too.
pub(super) fn shell(text: &str, span: Range<usize>) -> Vec<NestedCode> {
    let mut codes = vec![bash(text, span.clone())];
    codes.extend(values(text, span.start));
    codes
}

/// The Python that stands in braces in a text that begins there, where it does anything.
pub(super) fn values(text: &str, start: usize) -> impl Iterator<Item = NestedCode> {
    fields(text).filter(|(_, expression)| calls(expression)).map(move |(place, expression)| {
        code(InnerPattern::Python, expression.trim(), start + place.start..start + place.end)
    })
}

/// A command of a shell, holes where values are put in.
pub(super) fn bash(text: &str, span: Range<usize>) -> NestedCode {
    let mut out = String::with_capacity(text.len());
    let (mut from, mut quoted) = (0, false);
    for (place, expression) in fields(text) {
        let before = text.get(from..place.start).unwrap_or_default();
        out.push_str(before);
        quoted ^= is_odd(before);
        from = place.end;
        // Behind a dollar sign they are the shell's as well.
        if !before.ends_with('$') && is_value(&expression, quoted) {
            out.push(HOLE);
            out.push_str(&"_".repeat(place.len().saturating_sub(HOLE.len_utf8())));
        } else {
            let stays = text.get(place).unwrap_or_default();
            out.push_str(stays);
            quoted ^= is_odd(stays);
        }
    }
    out.push_str(text.get(from..).unwrap_or_default());
    code(InnerPattern::Bash, out, span)
}

/// Whether single quotes begin or end in a text.
fn is_odd(text: &str) -> bool {
    text.matches('\'').count() % 2 == 1
}

/// Whether what stands in braces is a value to the shell. What is none there, or is part of what a program reads, stays as it
/// is: `awk '{print $1}'`, `{a,b}`, `{ ls; }`. So does what a shell would run something of, as IPython leaves it to the shell
/// where Python can't evaluate it: `{x|reboot|cat}`.
fn is_value(expression: &str, quoted: bool) -> bool {
    let is_name = !expression.is_empty() && expression.chars().all(|c| c.is_alphanumeric() || c == '_');
    let begins = expression.starts_with(|c: char| !c.is_whitespace());
    is_name || begins && !quoted && !is_shell(expression)
}

/// Whether an expression holds what means something to a shell: its signs, and what it makes several words of.
fn is_shell(expression: &str) -> bool {
    let is_range = expression.contains("..") && !expression.contains('(');
    is_range || expression.contains(['|', '&', '<', '>', ';', '$', '`', '\n']) || has_list(expression)
}

/// Whether a comma stands outside of brackets and quotes: `{rm,-rf,x}` are three words to a shell.
fn has_list(expression: &str) -> bool {
    let (mut quote, mut depth) = (None, 0_usize);
    for c in expression.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => return true,
            _ => {}
        }
    }
    false
}

fn calls(expression: &str) -> bool {
    expression.contains('(') && is_python(expression)
}

/// Whether an expression may be Python's: that has no dollar sign but in quotes.
fn is_python(expression: &str) -> bool {
    !expression.split(['\'', '"']).next().unwrap_or_default().contains('$')
}

/// What stands in braces, with them, and what of it is evaluated. Where braces don't match no more of a text is.
fn fields(text: &str) -> impl Iterator<Item = (Range<usize>, String)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + text.get(at..)?.find('{')?;
            // Two of them are one, and begin nothing.
            if text.get(start + 1..)?.starts_with('{') {
                at = start + 2;
                continue;
            }
            let field = field(text.get(start + 1..)?);
            at = field.as_ref().map_or(text.len(), |(length, _)| start + 1 + length);
            return field.map(|(_, expression)| (start..at, expression));
        }
    })
}

/// What stands up to the brace that closes: how long it is with that brace, and what of it is evaluated. A colon ends the
/// expression for the formatter, and IPython puts both parts together again; how a value is shown (`!r`) is no part of it.
fn field(text: &str) -> Option<(usize, String)> {
    let mut in_brackets = false;
    let end = text.find(|c| match c {
        _ if in_brackets => {
            in_brackets = c != ']';
            false
        }
        '[' => {
            in_brackets = true;
            false
        }
        _ => matches!(c, '{' | '}' | ':' | '!'),
    })?;
    let (expression, rest) = text.split_at(end);
    let (behind, is_form) = match rest.strip_prefix('!') {
        None => (rest, rest.starts_with(':')),
        Some(shown) => {
            let behind = shown.get(shown.chars().next()?.len_utf8()..)?;
            (behind, behind.starts_with(':'))
        }
    };
    if !is_form {
        return behind.starts_with('}').then(|| (text.len() - behind.len() + 1, expression.to_owned()));
    }
    let mut depth = 1_u32;
    let close = behind.find(|c| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    let form = behind.get(1..close).filter(|form| !form.is_empty());
    let expression = form.map_or_else(|| expression.to_owned(), |form| format!("{expression}:{form}"));
    Some((text.len() - behind.len() + close + 1, expression))
}
