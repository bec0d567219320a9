//! Finds SQL conditions that hold for every row: `1 = 1`, `id = id`, `x = 3 OR true`.
//!
//! Uses only the words; a condition that it can't evaluate counts as one that excludes some rows.

/// The deepest nesting of brackets that is followed.
const MAX_DEPTH: u32 = 16;

/// Whether a condition always holds. An empty one does not.
pub(super) fn always(words: &[String]) -> bool {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    constant_result(&words, 0) == Some(true)
}

/// The constant result of a condition, if it has one.
fn constant_result(words: &[&str], depth: u32) -> Option<bool> {
    if depth > MAX_DEPTH {
        return None;
    }
    // One part that holds decides an `or`, and one that does not an `and`.
    for (keyword, decisive) in [("or", true), ("and", false)] {
        let Some(parts) = parted(words, keyword) else { continue };
        let all: Vec<_> = parts.iter().map(|part| constant_result(part, depth + 1)).collect();
        return if all.contains(&Some(decisive)) {
            Some(decisive)
        } else {
            all.iter().all(|part| *part == Some(!decisive)).then_some(!decisive)
        };
    }
    match words {
        ["not" | "!", rest @ ..] => constant_result(rest, depth + 1).map(|held| !held),
        ["(", inner @ .., ")"] if is_balanced(inner) => constant_result(inner, depth + 1),
        ["true"] => Some(true),
        ["false" | "null"] => Some(false),
        [number] => number.parse::<f64>().ok().map(|number| number != 0.0),
        [left, "=" | "is", right] | [left, "<" | ">" | "=", "=", right] if left == right => Some(true),
        [left, "like" | "ilike", "'%'"] if !left.is_empty() => Some(true),
        [left, sign, right] => compared(left, sign, right),
        [left, one, two, right] => compared(left, &format!("{one}{two}"), right),
        [left, "between", low, "and", high] => {
            let (left, low, high) = (literal(left)?, literal(low)?, literal(high)?);
            Some(low <= left && left <= high)
        }
        _ => None,
    }
}

fn compared(left: &str, sign: &str, right: &str) -> Option<bool> {
    if let (Some(left), Some(right)) = (literal(left), literal(right)) {
        return Some(match sign {
            "=" | "==" => (left - right).abs() < f64::EPSILON,
            "<>" | "!=" => (left - right).abs() >= f64::EPSILON,
            "<" => left < right,
            ">" => left > right,
            "<=" => left <= right,
            ">=" => left >= right,
            _ => return None,
        });
    }
    let text = |word: &str| word.starts_with('\'') && word.len() > 1;
    (text(left) && text(right)).then(|| match sign {
        "=" | "==" => Some(left == right),
        "<>" | "!=" => Some(left != right),
        _ => None,
    })?
}

fn literal(word: &str) -> Option<f64> {
    word.parse().ok()
}

/// The parts between occurrences of a keyword outside of brackets; `None` if there is none. The `and` of a `between`
/// divides nothing.
fn parted<'a>(words: &[&'a str], keyword: &str) -> Option<Vec<Vec<&'a str>>> {
    let mut parts = vec![Vec::new()];
    let mut depth = 0_i32;
    let mut between = false;
    for word in words {
        match *word {
            "(" => depth += 1,
            ")" => depth -= 1,
            "between" if depth == 0 => between = true,
            _ => {}
        }
        let belongs = between && depth == 0 && *word == "and";
        between &= !belongs;
        if depth == 0 && *word == keyword && !belongs {
            parts.push(Vec::new());
        } else if let Some(last) = parts.last_mut() {
            last.push(*word);
        }
    }
    (parts.len() > 1).then_some(parts)
}

/// Whether all brackets are closed, and none closes before it opens.
fn is_balanced(words: &[&str]) -> bool {
    let mut depth = 0_i32;
    for word in words {
        depth += i32::from(*word == "(") - i32::from(*word == ")");
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> bool {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        always(&words)
    }

    #[test]
    fn what_always_holds_is_told_from_what_keeps_rows() {
        for text in [
            "1 = 1",
            "true",
            "id = id",
            "x = 3 or 1 = 1",
            "not false",
            "( ( 2 > 1 ) )",
            "'a' = 'a'",
            "1 < > 2",
            "x like '%'",
            "true and 1",
            "5 between 1 and 9",
            "a = 1 or ( b = 2 or true )",
        ] {
            assert!(told(text), "{text}");
        }
        for text in [
            "id = 3",
            "a = b",
            "x = 1 and true",
            "1 = 2",
            "false or x = 1",
            "x between 1 and 3",
            "not x",
            "x like 'a%'",
            "x = '%'",
        ] {
            assert!(!told(text), "{text}");
        }
    }
}
