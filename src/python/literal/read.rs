//! Parses Python literals recursively.

use super::{Literal, LiteralError};

/// How deep a literal may be nested.
pub(super) const MAX_DEPTH: usize = 32;
/// How many digits a number may have; Python itself refuses to read longer ones.
const MAX_DIGITS: usize = 4_000;

/// The text that is still to be read, and how deep the reader is nested.
pub(super) struct LiteralReader<'a> {
    pub(super) rest: &'a str,
    pub(super) depth: usize,
}

impl LiteralReader<'_> {
    pub(super) fn value(&mut self) -> Result<Literal, LiteralError> {
        if self.depth >= MAX_DEPTH {
            return Err(LiteralError::Deep(MAX_DEPTH));
        }
        self.depth += 1;
        let value = self.read_one();
        self.depth -= 1;
        value
    }

    fn read_one(&mut self) -> Result<Literal, LiteralError> {
        self.rest = self.rest.trim_start();
        let Some(first) = self.rest.chars().next() else { return Err(LiteralError::Whole("ends too early")) };
        match first {
            '[' => Ok(Literal::List(self.read_until("[", "]")?.0)),
            '(' => {
                let (mut all, comma) = self.read_until("(", ")")?;
                match (all.len(), comma) {
                    (1, false) => Ok(all.remove(0)),
                    _ => Ok(Literal::Tuple(all)),
                }
            }
            '{' => self.braces(),
            '\'' | '"' => self.text(""),
            '0'..='9' | '-' | '+' | '.' => self.number(),
            c if c.is_alphabetic() || c == '_' => self.word(),
            _ => Err(LiteralError::Part(self.rest.to_owned(), "is no literal of Python")),
        }
    }

    /// `True`, `None`, `set()`, or the prefix of a string.
    fn word(&mut self) -> Result<Literal, LiteralError> {
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(self.rest.len());
        let (word, after) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        if after.starts_with(['\'', '"']) {
            let prefix = word.to_ascii_lowercase();
            if matches!(prefix.as_str(), "r" | "u" | "b" | "br" | "rb") {
                self.rest = after;
                return self.text(&prefix);
            }
            return Err(LiteralError::Part(self.rest.to_owned(), "is no literal text"));
        }
        let value = match word {
            "None" => Literal::None,
            "True" => Literal::Bool(true),
            "False" => Literal::Bool(false),
            "set" if after.trim_start().starts_with('(') => {
                self.rest = after;
                return match self.read_until("(", ")")? {
                    (all, false) if all.is_empty() => Ok(Literal::Set(all)),
                    _ => Err(LiteralError::Whole("is a call, no literal")),
                };
            }
            _ => {
                return Err(LiteralError::Part(
                    word.to_owned(),
                    "is a name, no value; a text goes in quotes",
                ));
            }
        };
        self.rest = after;
        Ok(value)
    }

    fn number(&mut self) -> Result<Literal, LiteralError> {
        let signed = self.rest.strip_prefix('-').map(|rest| (true, rest));
        let plus = self.rest.strip_prefix('+').map(|rest| (false, rest));
        let (minus, body) = signed.or(plus).unwrap_or((false, self.rest));
        let mut before = ' ';
        let end = body.find(|c: char| {
            let exponent = matches!(c, '+' | '-') && matches!(before, 'e' | 'E') && !body.starts_with("0x");
            before = c;
            !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_') || exponent)
        });
        let (written, after) = body.split_at_checked(end.unwrap_or(body.len())).unwrap_or((body, ""));
        let value = read_number(written, minus)
            .ok_or_else(|| LiteralError::Part(written.to_owned(), "is no number"))?;
        self.rest = after;
        Ok(value)
    }

    /// Reads values up to the closing bracket; returns them, and whether there was a comma.
    fn read_until(&mut self, open: &str, close: &'static str) -> Result<(Vec<Literal>, bool), LiteralError> {
        self.take(open);
        let (mut all, mut comma) = (Vec::new(), false);
        while !self.take(close) {
            if !all.is_empty() && !comma {
                return Err(LiteralError::Comma { close, before: self.rest.to_owned() });
            }
            all.push(self.value()?);
            comma = self.take(",");
        }
        let several = comma || all.len() > 1;
        Ok((all, several))
    }

    /// Reads a tuple without brackets whose first value and comma were read.
    pub(super) fn open_tuple(&mut self, first: Literal) -> Result<Literal, LiteralError> {
        let mut all = vec![first];
        while !self.rest.trim_start().is_empty() {
            all.push(self.value()?);
            if !self.take(",") {
                break;
            }
        }
        Ok(Literal::Tuple(all))
    }

    /// A set or a dict.
    fn braces(&mut self) -> Result<Literal, LiteralError> {
        self.take("{");
        let (mut set, mut dict, mut comma) = (Vec::new(), Vec::new(), true);
        while !self.take("}") {
            if !comma {
                return Err(LiteralError::Comma { close: "}", before: self.rest.to_owned() });
            }
            let key = self.value()?;
            if self.take(":") {
                dict.push((key, self.value()?));
            } else {
                set.push(key);
            }
            comma = self.take(",");
        }
        match (set.is_empty(), dict.is_empty()) {
            (true, _) => Ok(Literal::Dict(dict)),
            (false, true) => Ok(Literal::Set(set)),
            (false, false) => Err(LiteralError::Whole("mixes keys with values and values alone")),
        }
    }

    /// Reads one string after its prefix.
    fn text(&mut self, prefix: &str) -> Result<Literal, LiteralError> {
        let (raw, bytes) = (prefix.contains('r'), prefix.contains('b'));
        let quote = if self.rest.starts_with('"') { '"' } else { '\'' };
        let triple = quote.to_string().repeat(3);
        let close = if self.rest.starts_with(&triple) { triple } else { quote.to_string() };
        let body = self.rest.get(close.len()..).unwrap_or_default();
        let end =
            end_of(body, &close).ok_or(LiteralError::Whole("has a text whose quotes are not closed"))?;
        let inner = body.get(..end).unwrap_or_default();
        if close.len() == 1 && inner.contains('\n') {
            return Err(LiteralError::Whole("has a text whose quotes are not closed on its line"));
        }
        self.rest = body.get(end + close.len()..).unwrap_or_default();
        if self.rest.trim_start().starts_with(['\'', '"']) {
            return Err(LiteralError::Whole("puts texts one behind the other; one text is enough"));
        }
        let units = if raw { inner.chars().map(u32::from).collect() } else { escapes(inner, bytes)? };
        if bytes {
            let all = units.into_iter().map(u8::try_from).collect::<Result<_, _>>();
            let ascii = inner.is_ascii();
            return all
                .ok()
                .filter(|_| ascii)
                .map(Literal::Bytes)
                .ok_or(LiteralError::Whole("has bytes beyond ASCII; they are written as \\x…"));
        }
        let text = units.into_iter().map(char::from_u32).collect::<Option<String>>();
        text.map(Literal::Text).ok_or(LiteralError::Whole("has an escape that is no character"))
    }

    pub(super) fn take(&mut self, sign: &str) -> bool {
        take(&mut self.rest, sign)
    }
}

/// Skips a sign if it comes next, and returns whether it did.
pub(in crate::python) fn take<'a>(rest: &mut &'a str, sign: &str) -> bool {
    let after: Option<&'a str> = rest.trim_start().strip_prefix(sign);
    *rest = after.unwrap_or(rest);
    after.is_some()
}

/// Where the closing quotes are; an escaped quote does not close the string.
fn end_of(body: &str, close: &str) -> Option<usize> {
    let mut escaped = false;
    body.char_indices().find_map(|(at, c)| {
        let closes = !escaped && body.get(at..).is_some_and(|rest| rest.starts_with(close));
        escaped = !escaped && c == '\\';
        closes.then_some(at)
    })
}

/// The characters (or bytes) that a string with escapes means.
fn escapes(inner: &str, bytes: bool) -> Result<Vec<u32>, LiteralError> {
    let mut out = Vec::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(u32::from(c));
            continue;
        }
        let Some(sign) = chars.next() else { return Err(LiteralError::Whole("ends inside an escape")) };
        let plain = match sign {
            '\n' => continue,
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            '0' => '\0',
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            '\\' | '\'' | '"' => sign,
            'x' | 'u' | 'U' if sign == 'x' || !bytes => {
                let count = match sign {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                let digits: String = chars.by_ref().take(count).collect();
                let whole = digits.len() == count && digits.chars().all(|c| c.is_ascii_hexdigit());
                let code = u32::from_str_radix(&digits, 16).ok().filter(|_| whole);
                out.push(code.ok_or(LiteralError::Digits { sign, count })?);
                continue;
            }
            other => {
                return Err(LiteralError::UnknownEscape(other));
            }
        };
        out.push(u32::from(plain));
    }
    Ok(out)
}

fn read_number(written: &str, minus: bool) -> Option<Literal> {
    let sound = |text: &str| !text.starts_with('_') && !text.ends_with('_') && !text.contains("__");
    let digits: String = written.chars().filter(|c| *c != '_').collect();
    if digits.is_empty() || digits.len() > MAX_DIGITS || !sound(written) {
        return None;
    }
    let sign = if minus { "-" } else { "" };
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(body) = digits.to_ascii_lowercase().strip_prefix(prefix) {
            let fits = !body.is_empty() && body.chars().all(|c| c.is_digit(radix));
            return fits.then(|| Literal::Int(format!("{sign}{prefix}{body}")));
        }
    }
    if digits.chars().all(|c| c.is_ascii_digit()) {
        let leading = digits.len() > 1 && digits.starts_with('0') && digits.chars().any(|c| c != '0');
        return (!leading).then(|| Literal::Int(format!("{sign}{digits}")));
    }
    let simple = digits.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-'));
    let value = digits.parse::<f64>().ok().filter(|_| simple)?;
    value.is_finite().then(|| Literal::Float(format!("{sign}{digits}")))
}
