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
    let mut reader = AwkReader { pieces: &pieces, orders: Vec::new(), is_printing: false, depth: 0 };
    for index in 0..pieces.len() {
        reader.piece(index);
    }
    reader.orders
}

struct AwkReader<'p> {
    pieces: &'p [(AwkPiece, Range<usize>)],
    orders: Vec<Order>,
    /// Whether a `print` or `printf` has begun and not ended.
    is_printing: bool,
    /// How many parentheses and brackets are open since then: within them, `>` compares.
    depth: u32,
}

impl<'p> AwkReader<'p> {
    fn at(&self, index: usize) -> Option<&'p AwkPiece> {
        self.pieces.get(index).map(|(piece, _)| piece)
    }

    fn text(&self, index: usize) -> Option<String> {
        match self.at(index) {
            Some(AwkPiece::Text(text)) => Some(text.clone()),
            _ => None,
        }
    }

    fn is_sign(&self, index: usize, sign: char) -> bool {
        self.at(index) == Some(&AwkPiece::Sign(sign))
    }

    fn is_name(&self, index: usize, wanted: &str) -> bool {
        matches!(self.at(index), Some(AwkPiece::Name(name)) if name == wanted)
    }

    /// Adds an order that reaches from one piece to another.
    fn add(&mut self, what: OrderEffect, from: usize, to: usize) {
        let Some((_, span)) = self.pieces.get(from) else { return };
        let end = self.pieces.get(to).map_or(span.end, |(_, span)| span.end);
        self.orders.push(Order { what, at: span.start..end });
    }

    fn piece(&mut self, index: usize) {
        let Some(piece) = self.at(index) else { return };
        match piece {
            AwkPiece::Name(name) if name == "print" || name == "printf" => {
                (self.is_printing, self.depth) = (true, 0);
            }
            AwkPiece::Sign('(' | '[') => self.depth += 1,
            AwkPiece::Sign(')' | ']') => self.depth = self.depth.saturating_sub(1),
            AwkPiece::Name(name) if name == "system" && self.is_sign(index + 1, '(') => {
                let command = self.text(index + 2).map(|text| OrderEffect::starts(text, true));
                self.add(command.unwrap_or(OrderEffect::Unknown), index, index + 2);
            }
            AwkPiece::End | AwkPiece::Sign('}' | '{' | ';') => self.is_printing = false,
            AwkPiece::Sign('|') => self.pipe(index),
            AwkPiece::Sign('>') => self.output(index),
            AwkPiece::Sign('<') => self.input(index),
            // `@include` and `@load` add the code of a file; `@name()` calls the function whose name a variable holds.
            AwkPiece::Sign('@') if matches!(self.at(index + 1), Some(AwkPiece::Name(name)) if name != "namespace") =>
            {
                self.add(OrderEffect::Unknown, index, index + 1);
            }
            AwkPiece::Text(path) if path.starts_with("/inet") => {
                let host = path.split('/').nth(4).unwrap_or_default().to_owned();
                self.add(OrderEffect::Connects(host), index, index);
            }
            _ => {}
        }
    }

    /// `"command" | getline`, `print | "command"`; `||` is no pipe.
    fn pipe(&mut self, index: usize) {
        let before = index.checked_sub(1);
        if self.is_sign(index + 1, '|') || before.is_some_and(|before| self.is_sign(before, '|')) {
            return;
        }
        let next = index + 1 + usize::from(self.is_sign(index + 1, '&'));
        if self.is_name(next, "getline") {
            let command = before.and_then(|before| self.text(before));
            self.add(command.map_or(OrderEffect::Unknown, behind_pipe), index, next);
        } else if self.is_printing {
            self.add(self.text(next).map_or(OrderEffect::Unknown, behind_pipe), index, next);
        }
    }

    /// `print > "file"`, `print >> "file"`.
    fn output(&mut self, index: usize) {
        let is_second = index.checked_sub(1).is_some_and(|before| self.is_sign(before, '>'));
        if !self.is_printing || self.depth > 0 || self.is_sign(index + 1, '=') || is_second {
            return;
        }
        let next = index + 1 + usize::from(self.is_sign(index + 1, '>'));
        let ends = matches!(self.at(next + 1), None | Some(AwkPiece::End | AwkPiece::Sign('}' | ';')));
        // A text with something behind it is only the beginning of the name.
        let path = self.text(next).filter(|_| ends);
        self.add(path.map_or(OrderEffect::Unknown, OrderEffect::Writes), index, next);
    }

    /// `getline < "file"`, `getline name < "file"`.
    fn input(&mut self, index: usize) {
        let is_getline = |back: usize| index.checked_sub(back).is_some_and(|at| self.is_name(at, "getline"));
        if (is_getline(1) || is_getline(2))
            && let Some(path) = self.text(index + 1)
        {
            self.add(OrderEffect::Reads(path), index, index + 1);
        }
    }
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
