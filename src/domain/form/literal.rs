//! Literals of Python: read from a text that a person wrote, and written out so that nothing leaves its quotes. Pure.
//!
//! Nothing is evaluated: what is no literal (a name, a call, `1 + 2`, an f-string) is refused.

use std::fmt::{self, Write as _};

/// How deep a literal may be nested.
const DEEPEST: usize = 32;
/// The longest text of a literal, in bytes.
const LONGEST: usize = 256 << 10;
/// Digits of a number; Python refuses to read longer ones by itself.
const DIGITS: usize = 4_000;

/// A value, as Python would write it.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `None`
    None,
    /// `True`, `False`
    Bool(bool),
    /// A whole number, as written, without `_` and `+`.
    Int(String),
    /// A number with a point or an exponent, as written, without `_` and `+`.
    Float(String),
    /// A text.
    Text(String),
    /// `b'…'`
    Bytes(Vec<u8>),
    /// `[…]`
    List(Vec<Literal>),
    /// `(…)`
    Tuple(Vec<Literal>),
    /// `{…}`, or `set()`.
    Set(Vec<Literal>),
    /// `{…: …}`
    Dict(Vec<(Literal, Literal)>),
    /// A value made from another: `Path('a')`. Never read from a text, only made where an annotation names the maker.
    Made {
        /// What makes it: a name with dots.
        maker: String,
        /// From what.
        from: Box<Literal>,
    },
}

impl Literal {
    /// Reads a literal that is the whole text.
    ///
    /// # Errors
    /// What is wrong with it, in a few words.
    pub fn read(text: &str) -> Result<Self, String> {
        if text.len() > LONGEST {
            return Err("it is longer than 256 KiB".into());
        }
        let mut reader = Reader { rest: text.trim(), depth: 0 };
        let first = reader.value()?;
        let value = if reader.take(",") { reader.open_tuple(first)? } else { first };
        match reader.rest.trim_start() {
            "" => Ok(value),
            rest => Err(format!("it has {} behind its end", quoted(rest))),
        }
    }

    /// What it is, in the words of Python.
    pub fn kind(&self) -> &str {
        match self {
            Literal::None => "None",
            Literal::Bool(_) => "bool",
            Literal::Int(_) => "int",
            Literal::Float(_) => "float",
            Literal::Text(_) => "str",
            Literal::Bytes(_) => "bytes",
            Literal::List(_) => "list",
            Literal::Tuple(_) => "tuple",
            Literal::Set(_) => "set",
            Literal::Dict(_) => "dict",
            Literal::Made { maker, .. } => maker,
        }
    }
}

/// A text as it may stand in a message: one line, short.
pub(super) fn quoted(text: &str) -> String {
    let mut short: String = text.chars().take(40).collect();
    if text.chars().nth(40).is_some() {
        short.push('…');
    }
    format!("{short:?}")
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::None => f.write_str("None"),
            Literal::Bool(true) => f.write_str("True"),
            Literal::Bool(false) => f.write_str("False"),
            Literal::Int(digits) | Literal::Float(digits) => f.write_str(digits),
            Literal::Text(text) => write_text(text, f),
            Literal::Bytes(bytes) => write_bytes(bytes, f),
            Literal::List(all) => {
                f.write_char('[')?;
                several(all, f)?;
                f.write_char(']')
            }
            Literal::Tuple(all) => {
                f.write_char('(')?;
                several(all, f)?;
                f.write_str(if all.len() == 1 { ",)" } else { ")" })
            }
            Literal::Set(all) if all.is_empty() => f.write_str("set()"),
            Literal::Set(all) => {
                f.write_char('{')?;
                several(all, f)?;
                f.write_char('}')
            }
            Literal::Dict(all) => {
                f.write_char('{')?;
                for (at, (key, value)) in all.iter().enumerate() {
                    write!(f, "{}{key}: {value}", if at > 0 { ", " } else { "" })?;
                }
                f.write_char('}')
            }
            Literal::Made { maker, from } => write!(f, "{maker}({from})"),
        }
    }
}

fn several(all: &[Literal], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (at, one) in all.iter().enumerate() {
        write!(f, "{}{one}", if at > 0 { ", " } else { "" })?;
    }
    Ok(())
}

/// Writes a text in quotes. What can't be seen is written as an escape: the person has to see what is passed.
///
/// # Errors
/// Those of `out`.
pub fn write_text(text: &str, out: &mut impl fmt::Write) -> fmt::Result {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.write_char(quote)?;
    for c in text.chars() {
        match c {
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            c if c == quote => write!(out, "\\{c}")?,
            ' '..='~' => out.write_char(c)?,
            c if c.is_alphanumeric() => out.write_char(c)?,
            c if u32::from(c) > 0xFFFF => write!(out, "\\U{:08x}", u32::from(c))?,
            c => write!(out, "\\u{:04x}", u32::from(c))?,
        }
    }
    out.write_char(quote)
}

fn write_bytes(bytes: &[u8], out: &mut impl fmt::Write) -> fmt::Result {
    out.write_str("b'")?;
    for byte in bytes {
        match byte {
            b'\\' | b'\'' => write!(out, "\\{}", char::from(*byte))?,
            b' '..=b'~' => out.write_char(char::from(*byte))?,
            byte => write!(out, "\\x{byte:02x}")?,
        }
    }
    out.write_char('\'')
}

struct Reader<'a> {
    rest: &'a str,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn value(&mut self) -> Result<Literal, String> {
        if self.depth >= DEEPEST {
            return Err(format!("it is nested deeper than {DEEPEST} levels"));
        }
        self.depth += 1;
        let value = self.one();
        self.depth -= 1;
        value
    }

    fn one(&mut self) -> Result<Literal, String> {
        self.rest = self.rest.trim_start();
        let Some(first) = self.rest.chars().next() else { return Err("it ends too early".into()) };
        match first {
            '[' => Ok(Literal::List(self.until("[", "]")?.0)),
            '(' => {
                let (mut all, comma) = self.until("(", ")")?;
                match (all.len(), comma) {
                    (1, false) => Ok(all.remove(0)),
                    _ => Ok(Literal::Tuple(all)),
                }
            }
            '{' => self.braces(),
            '\'' | '"' => self.text(""),
            '0'..='9' | '-' | '+' | '.' => self.number(),
            c if c.is_alphabetic() || c == '_' => self.word(),
            _ => Err(format!("{} is no literal of Python", quoted(self.rest))),
        }
    }

    /// `True`, `None`, `set()`, or the prefix of a text.
    fn word(&mut self) -> Result<Literal, String> {
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(self.rest.len());
        let (word, after) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        if after.starts_with(['\'', '"']) {
            let prefix = word.to_ascii_lowercase();
            if matches!(prefix.as_str(), "r" | "u" | "b" | "br" | "rb") {
                self.rest = after;
                return self.text(&prefix);
            }
            return Err(format!("{} is no literal text", quoted(self.rest)));
        }
        let value = match word {
            "None" => Literal::None,
            "True" => Literal::Bool(true),
            "False" => Literal::Bool(false),
            "set" if after.trim_start().starts_with('(') => {
                self.rest = after;
                return match self.until("(", ")")? {
                    (all, false) if all.is_empty() => Ok(Literal::Set(all)),
                    _ => Err("it is a call, no literal".into()),
                };
            }
            _ => return Err(format!("{} is a name, no value; a text goes in quotes", quoted(word))),
        };
        self.rest = after;
        Ok(value)
    }

    fn number(&mut self) -> Result<Literal, String> {
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
        let value = read_number(written, minus).ok_or_else(|| format!("{} is no number", quoted(written)))?;
        self.rest = after;
        Ok(value)
    }

    /// Behind an opening sign: values up to the closing one, and whether a comma stood among them.
    fn until(&mut self, open: &str, close: &str) -> Result<(Vec<Literal>, bool), String> {
        self.take(open);
        let (mut all, mut comma) = (Vec::new(), false);
        while !self.take(close) {
            if !all.is_empty() && !comma {
                return Err(format!("it lacks a comma or {close} before {}", quoted(self.rest)));
            }
            all.push(self.value()?);
            comma = self.take(",");
        }
        let several = comma || all.len() > 1;
        Ok((all, several))
    }

    fn open_tuple(&mut self, first: Literal) -> Result<Literal, String> {
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
    fn braces(&mut self) -> Result<Literal, String> {
        self.take("{");
        let (mut set, mut dict, mut comma) = (Vec::new(), Vec::new(), true);
        while !self.take("}") {
            if !comma {
                return Err(format!("it lacks a comma or }} before {}", quoted(self.rest)));
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
            (false, false) => Err("it mixes keys with values and values alone".into()),
        }
    }

    /// One text behind its prefix.
    fn text(&mut self, prefix: &str) -> Result<Literal, String> {
        let (raw, bytes) = (prefix.contains('r'), prefix.contains('b'));
        let quote = if self.rest.starts_with('"') { '"' } else { '\'' };
        let triple = quote.to_string().repeat(3);
        let close = if self.rest.starts_with(&triple) { triple } else { quote.to_string() };
        let body = self.rest.get(close.len()..).unwrap_or_default();
        let end = end_of(body, &close).ok_or("it has a text whose quotes are not closed")?;
        let inner = body.get(..end).unwrap_or_default();
        if close.len() == 1 && inner.contains('\n') {
            return Err("it has a text whose quotes are not closed on its line".into());
        }
        self.rest = body.get(end + close.len()..).unwrap_or_default();
        if self.rest.trim_start().starts_with(['\'', '"']) {
            return Err("it puts texts one behind the other; one text is enough".into());
        }
        let units = if raw { inner.chars().map(u32::from).collect() } else { escapes(inner, bytes)? };
        if bytes {
            let all = units.into_iter().map(u8::try_from).collect::<Result<_, _>>();
            let ascii = inner.is_ascii();
            return all
                .ok()
                .filter(|_| ascii)
                .map(Literal::Bytes)
                .ok_or("it has bytes beyond ASCII; they are written as \\x…".into());
        }
        let text = units.into_iter().map(char::from_u32).collect::<Option<String>>();
        text.map(Literal::Text).ok_or("it has an escape that is no character".into())
    }

    fn take(&mut self, sign: &str) -> bool {
        match self.rest.trim_start().strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
}

/// Where the quotes close; an escaped sign does not close them.
fn end_of(body: &str, close: &str) -> Option<usize> {
    let mut escaped = false;
    body.char_indices().find_map(|(at, c)| {
        let closes = !escaped && body.get(at..).is_some_and(|rest| rest.starts_with(close));
        escaped = !escaped && c == '\\';
        closes.then_some(at)
    })
}

/// The characters (or bytes) that a text with escapes means.
fn escapes(inner: &str, bytes: bool) -> Result<Vec<u32>, String> {
    let mut out = Vec::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(u32::from(c));
            continue;
        }
        let Some(sign) = chars.next() else { return Err("it ends inside an escape".into()) };
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
                out.push(code.ok_or_else(|| format!("it has the escape \\{sign} without {count} digits"))?);
                continue;
            }
            other => {
                return Err(format!("it has the escape \\{other}, which is not known; a backslash is \\\\"));
            }
        };
        out.push(u32::from(plain));
    }
    Ok(out)
}

fn read_number(written: &str, minus: bool) -> Option<Literal> {
    let sound = |text: &str| !text.starts_with('_') && !text.ends_with('_') && !text.contains("__");
    let digits: String = written.chars().filter(|c| *c != '_').collect();
    if digits.is_empty() || digits.len() > DIGITS || !sound(written) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn again(text: &str) -> Result<String, String> {
        Literal::read(text).map(|literal| literal.to_string())
    }

    #[test]
    fn literals_are_read_and_written_out() {
        for (text, written) in [
            ("None", "None"),
            (" True ", "True"),
            ("+1_000", "1000"),
            ("-0x_FF", "-0xff"),
            ("1e-3", "1e-3"),
            (".5", ".5"),
            ("'a'", "'a'"),
            (r#""it's""#, r#""it's""#),
            (r"'\x41\u00e4\n'", r"'Aä\n'"),
            (r"r'\d'", r"'\\d'"),
            ("'''a\nb'''", r"'a\nb'"),
            (r"b'a\xff\''", r"b'a\xff\''"),
            ("[1, [2,], ]", "[1, [2]]"),
            ("(1)", "1"),
            ("(1,)", "(1,)"),
            ("()", "()"),
            ("1, 'b'", "(1, 'b')"),
            ("{}", "{}"),
            ("{1, 2}", "{1, 2}"),
            ("set()", "set()"),
            ("{'a': [1], 2: None}", "{'a': [1], 2: None}"),
        ] {
            assert_eq!(again(text).as_deref(), Ok(written), "{text}");
        }
    }

    #[test]
    fn what_is_no_literal_is_refused() {
        for text in [
            "",
            "abc",
            "f'{x}'",
            "1 + 2",
            "print(1)",
            "[1 2]",
            "[1",
            "'a",
            "'a' 'b'",
            "007",
            "1__0",
            "0x",
            "1e999",
            "{1: 2, 3}",
            r"'\q'",
            r"'\ud800'",
            "b'ä'",
            "set([1])",
            "1j",
            "--1",
            "[,]",
            "'a\nb'",
            "nan",
        ] {
            assert!(again(text).is_err(), "{text}: {:?}", again(text));
        }
        assert!(again(&"[".repeat(1_000)).unwrap_err().contains("nested deeper"));
        assert!(again(&"9".repeat(5_000)).is_err());
    }

    proptest! {
        #[test]
        fn any_text(text in any::<String>(), like in "[\\[\\](){},:'\"\\\\a-fxbr0-9_.+ -]{0,30}") {
            for text in [text, like] {
                if let Ok(written) = again(&text) {
                    prop_assert_eq!(again(&written), Ok(written));
                }
            }
        }

        #[test]
        fn any_text_comes_back(text in any::<String>()) {
            let written = Literal::Text(text.clone()).to_string();
            prop_assert!(!written.chars().any(char::is_control));
            prop_assert_eq!(Literal::read(&written), Ok(Literal::Text(text)));
        }

        #[test]
        fn any_bytes_come_back(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let literal = Literal::Bytes(bytes);
            prop_assert_eq!(Literal::read(&literal.to_string()), Ok(literal));
        }
    }
}
