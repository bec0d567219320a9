//! Finds orders in sed scripts: `e` starts commands and `w` writes files; both also occur as flags of `s`.

use super::{Order, OrderEffect};

pub(super) fn orders(script: &str) -> Vec<Order> {
    let mut reader = SedReader { script, at: 0, orders: Vec::new() };
    while reader.at < script.len() {
        let before = reader.at;
        reader.command();
        if reader.at == before {
            reader.at += reader.peek().map_or(1, char::len_utf8);
        }
    }
    reader.orders
}

struct SedReader<'a> {
    script: &'a str,
    at: usize,
    orders: Vec<Order>,
}

impl SedReader<'_> {
    fn rest(&self) -> &str {
        self.script.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip(&mut self, test: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !test(c)).unwrap_or(rest.len());
    }

    /// The rest of the line, and its span.
    fn line(&mut self) -> (String, std::ops::Range<usize>) {
        self.skip(|c| c == ' ' || c == '\t');
        let rest = self.rest();
        let end = rest.find('\n').unwrap_or(rest.len());
        let text = rest.get(..end).unwrap_or_default().trim().to_owned();
        let span = self.at..self.at + end;
        self.at = span.end;
        (text, span)
    }

    /// Skips to after the next `delimiter` that is not escaped.
    fn part(&mut self, delimiter: char) {
        let mut escaped = false;
        for (at, c) in self.rest().char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                _ if c == delimiter => {
                    self.at += at + c.len_utf8();
                    return;
                }
                _ => {}
            }
        }
        self.at = self.script.len();
    }

    /// Skips the addresses before a command: numbers, `$`, `/…/`, `\c…c`, steps and ranges.
    fn addresses(&mut self) {
        loop {
            self.skip(|c| {
                c.is_whitespace()
                    || matches!(c, ';' | '{' | '}' | ',' | '!' | '~' | '+' | '$')
                    || c.is_ascii_digit()
            });
            match self.peek() {
                Some('/') => {
                    self.at += 1;
                    self.part('/');
                }
                Some('\\') => {
                    self.at += 1;
                    let Some(delimiter) = self.peek() else { return };
                    self.at += delimiter.len_utf8();
                    self.part(delimiter);
                }
                _ => return,
            }
            self.skip(|c| matches!(c, 'I' | 'M'));
        }
    }

    fn command(&mut self) {
        self.addresses();
        let start = self.at;
        let Some(letter) = self.peek() else { return };
        self.at += letter.len_utf8();
        match letter {
            'e' => {
                let (text, span) = self.line();
                let is_known = !text.is_empty();
                let what = if is_known { OrderEffect::starts(text, false) } else { OrderEffect::Unknown };
                self.orders.push(Order { what, at: start..span.end });
            }
            'w' | 'W' => self.file(OrderEffect::Writes, start),
            'r' | 'R' => self.file(OrderEffect::Reads, start),
            's' => self.substitute(start),
            'y' => {
                if let Some(delimiter) = self.peek() {
                    self.at += delimiter.len_utf8();
                    self.part(delimiter);
                    self.part(delimiter);
                }
            }
            'a' | 'i' | 'c' => {
                // A backslash at the end of a line continues the text.
                while self.line().0.ends_with('\\') && self.at < self.script.len() {
                    self.at += 1;
                }
            }
            '#' | ':' | 'b' | 't' | 'T' => drop(self.line()),
            _ => {}
        }
    }

    fn file(&mut self, what: fn(String) -> OrderEffect, start: usize) {
        let (path, span) = self.line();
        if !path.is_empty() {
            self.orders.push(Order { what: what(path), at: start..span.end });
        }
    }

    fn substitute(&mut self, start: usize) {
        let Some(delimiter) = self.peek() else { return };
        self.at += delimiter.len_utf8();
        self.part(delimiter);
        self.part(delimiter);
        loop {
            match self.peek() {
                Some('e') => {
                    self.at += 1;
                    self.orders.push(Order { what: OrderEffect::Unknown, at: start..self.at });
                }
                Some('w') => {
                    self.at += 1;
                    return self.file(OrderEffect::Writes, start);
                }
                Some(c) if c.is_ascii_digit() || matches!(c, 'g' | 'p' | 'i' | 'I' | 'm' | 'M') => {
                    self.at += 1;
                }
                _ => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(script: &str) -> Vec<OrderEffect> {
        orders(script).into_iter().map(|order| order.what).collect()
    }

    #[test]
    fn commands_are_found_wherever_they_stand() {
        let starts = |text: &str| OrderEffect::starts(text, false);
        assert_eq!(found("1e id"), [starts("id")]);
        assert_eq!(found("/a/,/b/{s/x/y/;e rm -rf ~\n}"), [starts("rm -rf ~")]);
        assert_eq!(found(r"\,a,e id"), [starts("id")]);
        for script in ["s/a/b/e", "s/a/b/ge", "s|a|b|;s,c,d,2e", "1!s/x/\\/e/pe", "e", "s/=/id/e"] {
            assert!(found(script).contains(&OrderEffect::Unknown), "{script}");
        }
        assert_eq!(found("s/a/b/w /etc/x"), [OrderEffect::Writes("/etc/x".to_owned())]);
        assert_eq!(found("$!w out.txt"), [OrderEffect::Writes("out.txt".to_owned())]);
    }

    #[test]
    fn ordinary_scripts_order_nothing() {
        for script in [
            "s/e/w/g",
            "1,10p",
            "/^$/d",
            "s/we/e e/;p",
            "y/abc/wxe/",
            "$!N;P;D",
            "a\\\ne id",
            ":a;N;$!ba;s/\\n/ /g",
            "s/\\/e/x/",
        ] {
            assert_eq!(found(script), [], "{script}");
        }
    }
}
