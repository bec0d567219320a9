//! Sets as Python prints them: `{'b', 'a'}`. Sets of strings or objects have a random order. Dictionaries keep their
//! order, and sets of numbers have the same order in each run.

use std::borrow::Cow;

/// The most braces of a line that are tried, and the most bytes of a set.
const MAX_BRACES: usize = 256;
const MAX_SET_BYTES: usize = 64 << 10;

/// Sorts the items of each set in a line. `by` returns the sort key of an item.
pub(super) fn sorted<'t>(line: &'t str, by: &dyn Fn(&str) -> String) -> Cow<'t, str> {
    let mut made = String::new();
    let mut rest = line;
    for _ in 0..MAX_BRACES {
        let Some(at) = rest.find('{') else { break };
        let (before, set) = rest.split_at(at);
        made.push_str(before);
        match items(set) {
            Some((items, length)) => {
                let mut items: Vec<(String, &str)> = items.into_iter().map(|item| (by(item), item)).collect();
                items.sort();
                let items: Vec<&str> = items.iter().map(|(_, item)| *item).collect();
                made.push('{');
                made.push_str(&items.join(", "));
                made.push('}');
                rest = set.get(length..).unwrap_or_default();
            }
            None => {
                made.push('{');
                rest = set.get(1..).unwrap_or_default();
            }
        }
    }
    if made.is_empty() {
        return Cow::Borrowed(line);
    }
    made.push_str(rest);
    if made == line { Cow::Borrowed(line) } else { Cow::Owned(made) }
}

/// The items of the set at the start of a text, and its length with the braces; `None` if this is no set with a random
/// order.
fn items(text: &str) -> Option<(Vec<&str>, usize)> {
    let mut open: Vec<char> = Vec::new();
    let mut quote: Option<char> = None;
    let (mut items, mut began, mut is_run_specific) = (Vec::new(), 1, false);
    let mut chars = text.char_indices().take_while(|(at, _)| *at < MAX_SET_BYTES);
    while let Some((at, c)) = chars.next() {
        if let Some(end) = quote {
            match c {
                '\\' => drop(chars.next()),
                _ if c == end => quote = None,
                _ => {}
            }
            continue;
        }
        match c {
            '\'' | '"' => (quote, is_run_specific) = (Some(c), true),
            '<' => is_run_specific = true,
            '{' | '[' | '(' => open.push(c),
            '}' | ']' | ')' => {
                let begin = open.pop()?;
                if !matches!((begin, c), ('{', '}') | ('[', ']') | ('(', ')')) {
                    return None;
                }
                if open.is_empty() {
                    items.push(text.get(began..at)?);
                    let is_set = is_run_specific && items.iter().all(|item| !item.is_empty());
                    return is_set.then_some((items, at + 1));
                }
            }
            // A dictionary.
            ':' if open.len() == 1 => return None,
            ',' if open.len() == 1 => {
                items.push(text.get(began..at)?);
                if !text.get(at + 1..)?.starts_with(' ') {
                    return None;
                }
                began = at + 2;
            }
            _ => {}
        }
    }
    None
}
