//! Finds the Python values that IPython puts into a line: `!rm {name}`, `!echo {f(x)}`, `%cd {f(x)}`. Like IPython, it
//! splits the line as Python's `string.Formatter` does, whatever surrounds the braces.

use crate::review::grammar::Grammar;
use crate::review::nested::NestedCode;
use crate::review::value::HOLE;
use std::ops::Range;

/// A shell command, and the Python in its braces, which runs, too.
pub(super) fn shell(text: &str, span: Range<usize>) -> Vec<NestedCode> {
    let mut codes = vec![bash(text, span.clone())];
    codes.extend(values(text, span.start));
    codes
}

/// The Python in the braces of a text, if it calls anything. `start` is where the text begins in the source.
pub(super) fn values(text: &str, start: usize) -> impl Iterator<Item = NestedCode> {
    fields(text).filter(|(_, expression)| calls(expression)).map(move |(place, expression)| {
        NestedCode::text(Grammar::Python, expression.trim(), start + place.start..start + place.end)
    })
}

/// A shell command with holes in place of values.
pub(super) fn bash(text: &str, span: Range<usize>) -> NestedCode {
    let mut out = String::with_capacity(text.len());
    let (mut from, mut quoted) = (0, false);
    for (place, expression) in fields(text) {
        let before = text.get(from..place.start).unwrap_or_default();
        out.push_str(before);
        quoted ^= is_odd(before);
        from = place.end;
        // `${…}` is also the shell's own syntax.
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
    NestedCode::text(Grammar::Bash, out, span)
}

/// Whether a text has an odd number of single quotes, so that a quotation begins or ends in it.
fn is_odd(text: &str) -> bool {
    text.matches('\'').count() % 2 == 1
}

/// Whether the shell gets a value in place of these braces. Braces that are shell syntax, or part of a program's text,
/// stay as they are: `awk '{print $1}'`, `{a,b}`, `{ ls; }`. So do braces of which a shell would run something
/// (`{x|reboot|cat}`), because IPython leaves them to the shell if Python can't evaluate them.
fn is_value(expression: &str, quoted: bool) -> bool {
    let is_name = !expression.is_empty() && expression.chars().all(|c| c.is_alphanumeric() || c == '_');
    let begins = expression.starts_with(|c: char| !c.is_whitespace());
    is_name || begins && !quoted && !is_shell(expression)
}

/// Whether an expression contains shell syntax: signs, or something that expands to several words.
fn is_shell(expression: &str) -> bool {
    let is_range = expression.contains("..") && !expression.contains('(');
    is_range || expression.contains(['|', '&', '<', '>', ';', '$', '`', '\n']) || has_list(expression)
}

/// Whether there is a comma outside of brackets and quotes: `{rm,-rf,x}` is three words to a shell.
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

/// Whether an expression may be Python, which has no dollar sign outside of quotes.
fn is_python(expression: &str) -> bool {
    !expression.split(['\'', '"']).next().unwrap_or_default().contains('$')
}

/// The braced fields of a text: their span with the braces, and the expression that is evaluated. Stops at the first
/// unbalanced brace.
fn fields(text: &str) -> impl Iterator<Item = (Range<usize>, String)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + text.get(at..)?.find('{')?;
            // A doubled brace stands for one, and begins no field.
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

/// A field up to its closing brace: its length, and the expression that is evaluated. The formatter ends the expression
/// at a colon, but IPython joins both parts again; a conversion (`!r`) is not part of it.
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
