//! Commands of a shell in a notebook, into which it puts values of Python: `!rm {name}`, `!echo {f(x)}`.

use super::code;
use crate::review::nested::NestedCode;
use crate::review::rules::InnerPattern;
use crate::review::value::HOLE;
use std::ops::Range;

/// A command, and the Python that stands in it in braces: that runs too.
pub(super) fn shell(text: &str, span: Range<usize>) -> Vec<NestedCode> {
    let mut codes = Vec::new();
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((head, tail)) = rest.split_once('{') {
        out.push_str(head);
        let inner = tail.split_once('}').filter(|(inner, _)| !inner.contains('\n') && !head.ends_with('$'));
        match inner {
            Some((name, after)) if is_name(name) => {
                put(&mut out, name.len());
                rest = after;
            }
            // What is no Python stays as it is: `awk '{print $1}'`.
            Some((expression, after)) if expression.contains('(') => {
                codes.push(code(InnerPattern::Python, expression.trim(), span.clone()));
                put(&mut out, expression.len());
                rest = after;
            }
            _ => {
                out.push('{');
                rest = tail;
            }
        }
    }
    out.push_str(rest);
    codes.insert(0, code(InnerPattern::Bash, out, span));
    codes
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// A hole as long as what stands in braces.
fn put(out: &mut String, length: usize) {
    out.push(HOLE);
    out.push_str(&"_".repeat((length + 2).saturating_sub(HOLE.len_utf8())));
}
