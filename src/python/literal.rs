//! Parses Python literals that a person wrote, and writes them so that nothing can break out of its quotes.
//!
//! Nothing is evaluated: what is no literal (a name, a call, `1 + 2`, an f-string) is refused.

mod error;
mod read;

pub(crate) use error::LiteralError;
pub(super) use read::take;
use read::{LiteralReader, MAX_DEPTH};
use serde_json::Value;
use std::fmt;

/// The longest text of a literal, in bytes.
const MAX_TEXT_BYTES: usize = 256 << 10;

/// A value, as Python would write it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal {
    /// `None`
    None,
    /// `True`, `False`
    Bool(bool),
    /// An integer, as written, without `_` and `+`.
    Int(String),
    /// A number with a point or an exponent, as written, without `_` and `+`.
    Float(String),
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
    /// A value made from another by a call: `Path('a')`. Never parsed, only made where an annotation names the maker.
    Made {
        /// The function that makes it: a dotted name.
        maker: String,
        from: Box<Literal>,
    },
}

impl Literal {
    /// Parses a text that is one literal and nothing else.
    pub(crate) fn read(text: &str) -> Result<Self, LiteralError> {
        if text.len() > MAX_TEXT_BYTES {
            return Err(LiteralError::Whole("is longer than 256 KiB"));
        }
        let mut reader = LiteralReader { rest: text.trim(), depth: 0 };
        let first = reader.value()?;
        let value = if reader.take(",") { reader.open_tuple(first)? } else { first };
        match reader.rest.trim_start() {
            "" => Ok(value),
            rest => Err(LiteralError::Behind(rest.to_owned())),
        }
    }

    /// The literal for a JSON value; `None` where it is nested too deep.
    pub(crate) fn of_json(value: &Value) -> Option<Self> {
        Self::below(value, 0)
    }

    fn below(value: &Value, depth: usize) -> Option<Self> {
        let inside = |value| Self::below(value, depth + 1);
        Some(match value {
            _ if depth > MAX_DEPTH => return None,
            Value::Null => Literal::None,
            Value::Bool(truth) => Literal::Bool(*truth),
            Value::Number(number) if number.is_f64() => Literal::Float(number.to_string()),
            Value::Number(number) => Literal::Int(number.to_string()),
            Value::String(text) => Literal::Text(text.clone()),
            Value::Array(all) => Literal::List(all.iter().map(inside).collect::<Option<_>>()?),
            Value::Object(all) => {
                let pairs = all.iter().map(|(key, item)| Some((Literal::Text(key.clone()), inside(item)?)));
                Literal::Dict(pairs.collect::<Option<_>>()?)
            }
        })
    }
}

/// A text for use in a message: quoted, on one line, shortened.
pub(super) fn quoted(text: &str) -> String {
    format!("{:?}", shortened(text))
}

/// The first letters of a text for use in a message.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
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
            Literal::List(all) => write!(f, "[{}]", list(all)),
            Literal::Tuple(all) if all.len() == 1 => write!(f, "({},)", list(all)),
            Literal::Tuple(all) => write!(f, "({})", list(all)),
            Literal::Set(all) if all.is_empty() => f.write_str("set()"),
            Literal::Set(all) => write!(f, "{{{}}}", list(all)),
            Literal::Dict(all) => {
                let pairs: Vec<String> = all.iter().map(|(key, value)| format!("{key}: {value}")).collect();
                write!(f, "{{{}}}", pairs.join(", "))
            }
            Literal::Made { maker, from } => write!(f, "{maker}({from})"),
        }
    }
}

fn list(all: &[Literal]) -> String {
    all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Writes a string in quotes. Invisible characters are escaped, so that the person sees what is passed.
fn write_text(text: &str, out: &mut impl fmt::Write) -> fmt::Result {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn again(text: &str) -> Result<String, LiteralError> {
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
        assert!(again(&"[".repeat(1_000)).unwrap_err().to_string().contains("nested deeper"));
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
