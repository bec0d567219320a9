//! Removes the backslashes of words, as a shell does.

/// Removes the backslashes of an unquoted word.
pub(super) fn unescaped(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    let mut chars = word.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('\n') | None => {}
                Some(other) => out.push(other),
            },
            _ => out.push(c),
        }
    }
    out
}

/// Removes the backslashes of text within double quotes, where a backslash escapes only a few characters.
pub(super) fn unescaped_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('\n') | None => {}
                Some(other @ ('$' | '`' | '"' | '\\')) => out.push(other),
                Some(other) => out.extend(['\\', other]),
            },
            _ => out.push(c),
        }
    }
    out
}
