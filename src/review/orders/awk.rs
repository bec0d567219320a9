//! Finds orders in awk scripts: `system`, pipes in both directions, files that `print` writes, connections, and code
//! that is included or called by a name in a variable.

use super::{Order, OrderEffect, quoted};
use std::ops::Range;

/// A piece of a script, as far as orders need it.
#[derive(Clone, Debug, PartialEq)]
enum AwkPiece {
    Text(String),
    Name(String),
    Sign(char),
    End,
}

pub(super) fn orders(script: &str) -> Vec<Order> {
    let pieces = pieces(script);
    let mut orders = Vec::new();
    let at = |index: usize| pieces.get(index).map(|(piece, _)| piece);
    let text = |index: usize| match at(index) {
        Some(AwkPiece::Text(text)) => Some(text.clone()),
        _ => None,
    };
    let sign = |index: usize, wanted: char| at(index) == Some(&AwkPiece::Sign(wanted));
    let named =
        |index: usize, wanted: &str| matches!(at(index), Some(AwkPiece::Name(name)) if name == wanted);
    let ends = |index: usize| matches!(at(index), None | Some(AwkPiece::End | AwkPiece::Sign('}' | ';')));
    // `>` within parentheses compares.
    let (mut printing, mut depth) = (false, 0_u32);
    for (index, (piece, span)) in pieces.iter().enumerate() {
        let mut order = |what: OrderEffect, end: usize| {
            let end = pieces.get(end).map_or(span.end, |(_, span)| span.end);
            orders.push(Order { what, at: span.start..end });
        };
        match piece {
            AwkPiece::Name(name) if name == "print" || name == "printf" => {
                (printing, depth) = (true, 0);
            }
            AwkPiece::Sign('(' | '[') => depth += 1,
            AwkPiece::Sign(')' | ']') => depth = depth.saturating_sub(1),
            AwkPiece::Name(name) if name == "system" && sign(index + 1, '(') => {
                let command = text(index + 2).map(|text| OrderEffect::starts(text, true));
                order(command.unwrap_or(OrderEffect::Unknown), index + 2);
            }
            AwkPiece::End | AwkPiece::Sign('}' | '{' | ';') => printing = false,
            AwkPiece::Sign('|') if !(sign(index + 1, '|') || index > 0 && sign(index - 1, '|')) => {
                let next = index + 1 + usize::from(sign(index + 1, '&'));
                if named(next, "getline") {
                    let before = index.checked_sub(1).and_then(text);
                    order(before.map_or(OrderEffect::Unknown, behind_pipe), next);
                } else if printing {
                    order(text(next).map_or(OrderEffect::Unknown, behind_pipe), next);
                }
            }
            AwkPiece::Sign('>')
                if printing && depth == 0 && !sign(index + 1, '=') && !sign(index.wrapping_sub(1), '>') =>
            {
                let next = index + 1 + usize::from(sign(index + 1, '>'));
                // A text with something behind it is only the beginning of the name.
                let path = text(next).filter(|_| ends(next + 1));
                order(path.map_or(OrderEffect::Unknown, OrderEffect::Writes), next);
            }
            AwkPiece::Sign('<')
                if index > 0 && (named(index - 1, "getline") || named(index.wrapping_sub(2), "getline")) =>
            {
                if let Some(path) = text(index + 1) {
                    order(OrderEffect::Reads(path), index + 1);
                }
            }
            // `@include` and `@load` add the code of a file; `@name()` calls the function whose name a variable holds.
            AwkPiece::Sign('@') if matches!(at(index + 1), Some(AwkPiece::Name(name)) if name != "namespace") =>
            {
                order(OrderEffect::Unknown, index + 1);
            }
            AwkPiece::Text(path) if path.starts_with("/inet") => {
                let host = path.split('/').nth(4).unwrap_or_default().to_owned();
                order(OrderEffect::Connects(host), index);
            }
            _ => {}
        }
    }
    orders
}

/// The text next to a pipe: a command, or the special file name of a connection.
fn behind_pipe(text: String) -> OrderEffect {
    if text.starts_with("/inet") {
        OrderEffect::Connects(text.split('/').nth(4).unwrap_or_default().to_owned())
    } else {
        OrderEffect::starts(text, true)
    }
}

fn pieces(script: &str) -> Vec<(AwkPiece, Range<usize>)> {
    let mut pieces: Vec<(AwkPiece, Range<usize>)> = Vec::new();
    let mut at = 0;
    while let Some(rest) = script.get(at..).filter(|rest| !rest.is_empty()) {
        let Some(c) = rest.chars().next() else { break };
        let (piece, length) = match c {
            '"' => match quoted(rest) {
                Some((text, length)) => (Some(AwkPiece::Text(text)), length),
                None => (None, rest.len()),
            },
            '#' => (None, rest.find('\n').unwrap_or(rest.len())),
            '/' if regex_may_begin(pieces.last().map(|(piece, _)| piece)) => {
                let end = rest.char_indices().skip(1).scan(false, |escaped, (at, c)| {
                    let hit = c == '/' && !*escaped || c == '\n';
                    *escaped = c == '\\' && !*escaped;
                    Some((at, hit))
                });
                (None, end.filter(|(_, hit)| *hit).map(|(at, _)| at + 1).next().unwrap_or(rest.len()))
            }
            '\n' => (Some(AwkPiece::End), 1),
            c if c.is_alphabetic() || c == '_' => {
                let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                (Some(AwkPiece::Name(rest.get(..length).unwrap_or_default().to_owned())), length)
            }
            c if c.is_whitespace() || c == '\\' => (None, c.len_utf8()),
            c => (Some(AwkPiece::Sign(c)), c.len_utf8()),
        };
        pieces.extend(piece.map(|piece| (piece, at..at + length)));
        at += length;
    }
    pieces
}

/// Whether a `/` begins a regular expression here, rather than dividing.
fn regex_may_begin(before: Option<&AwkPiece>) -> bool {
    match before {
        None | Some(AwkPiece::End) => true,
        Some(AwkPiece::Sign(c)) => !matches!(c, ')' | ']' | '$'),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(script: &str) -> Vec<OrderEffect> {
        orders(script).into_iter().map(|order| order.what).collect()
    }

    #[test]
    fn what_leaves_the_script_is_found() {
        let starts = |text: &str| OrderEffect::starts(text, true);
        assert_eq!(found("BEGIN { system(\"id\") }"), [starts("id")]);
        assert_eq!(found("{ print $1 | \"sh\" }"), [starts("sh")]);
        assert_eq!(found("BEGIN { \"date\" | getline d }"), [starts("date")]);
        assert_eq!(found("{ cmd = $1; system(cmd) }"), [OrderEffect::Unknown]);
        assert_eq!(found("{ cmd | getline }"), [OrderEffect::Unknown]);
        assert_eq!(found("@include \"x.awk\""), [OrderEffect::Unknown]);
        assert_eq!(found("{ f = \"system\"; @f(\"id\") }"), [OrderEffect::Unknown]);
        assert_eq!(found("{ print > \"/etc/x\" }"), [OrderEffect::Writes("/etc/x".to_owned())]);
        assert_eq!(found("{ printf \"%s\", $1 >> \"a\" }"), [OrderEffect::Writes("a".to_owned())]);
        for script in
            ["{ print > $1 }", "{ print > $1 \".txt\" }", "{ print >> \"a\" NR }", "{ printf(\"x\") > f }"]
        {
            assert_eq!(found(script), [OrderEffect::Unknown], "{script}");
        }
        assert!(
            found("BEGIN{s=\"/inet/tcp/0/a.example/80\"}")
                .contains(&OrderEffect::Connects("a.example".to_owned()))
        );
    }

    #[test]
    fn ordinary_scripts_order_nothing() {
        for script in [
            "{ if ($1 > 3 || $2) print $1 }",
            "/system(\"x\")/ { n++ }",
            "{ s += $1 / 2 } END { print s }",
            "$3 > \"a\" { c++ }",
            "# system(\"x\")",
            "@namespace \"a\"\n$0 ~ @/b@c/ { print \"@load\" }",
        ] {
            assert_eq!(found(script), [], "{script}");
        }
    }
}
