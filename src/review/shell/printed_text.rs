//! Works out the text that `echo`, `printf` and filters make of operands and of a text that are known.

use super::variable::uncertain;
use super::word::{is_glued, is_glued_home};
use crate::review::escapes;
use crate::review::value::{HOLE, Taint, Value};

/// The longest output of `printf` that is followed, in bytes.
const MAX_PRINTED_BYTES: usize = 16 * 1024;

/// The output of a filter on a text: `rev`, `tr a b`, `xxd -r -p`.
pub(super) fn turned(name: &str, operands: &[Value], text: &str) -> Option<String> {
    let words: Vec<&str> = operands.iter().map(Value::as_whole_text).collect::<Option<_>>()?;
    match (name, words.as_slice()) {
        ("rev", []) => Some(
            text.lines().map(|line| line.chars().rev().collect::<String>()).collect::<Vec<_>>().join("\n"),
        ),
        ("tr", ["-d", gone]) => {
            let gone = signs(gone)?;
            Some(text.chars().filter(|c| !gone.contains(c)).collect())
        }
        ("tr", [from, to]) if !from.starts_with('-') => {
            let (from, to) = (signs(from)?, signs(to)?);
            let put = |c: char| {
                let at = from.iter().position(|f| *f == c);
                at.and_then(|at| to.get(at).or(to.last())).copied().unwrap_or(c)
            };
            Some(text.chars().map(put).collect())
        }
        ("xxd", words)
            if words.iter().any(|w| w.starts_with("-r"))
                && words.iter().any(|w| w.ends_with('p') || *w == "-ps") =>
        {
            let digits: String = text.chars().filter(char::is_ascii_hexdigit).collect();
            let bytes = digits
                .as_bytes()
                .chunks_exact(2)
                .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
            String::from_utf8(bytes.collect::<Option<Vec<u8>>>()?).ok()
        }
        _ => None,
    }
}

/// The characters in a set of `tr`, such as `a-z` or `A-Za-z`, with escapes resolved; `None` if the set has other forms.
fn signs(set: &str) -> Option<Vec<char>> {
    let set = escapes::ansi_c(set);
    if set.len() > 256 || set.contains(['[', HOLE, '\\']) {
        return None;
    }
    let chars: Vec<char> = set.chars().collect();
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(c) = chars.get(at) {
        match (chars.get(at + 1), chars.get(at + 2)) {
            (Some('-'), Some(end)) if c <= end && out.len() < 4096 => {
                out.extend((*c..=*end).take(256));
                at += 3;
            }
            _ => {
                out.push(*c);
                at += 1;
            }
        }
    }
    Some(out)
}

/// The output of `echo`, without the end of the line. Whether it resolves escapes depends on the shell.
pub(super) fn echoed(operands: &[Value]) -> Value {
    let is_option = |word: &&Value| {
        let letters = word.as_whole_text().and_then(|text| text.strip_prefix('-'));
        letters.is_some_and(|letters| !letters.is_empty() && letters.chars().all(|c| "neE".contains(c)))
    };
    let options = operands.iter().take_while(is_option).count();
    let resolves =
        operands.iter().take(options).any(|word| word.as_whole_text().is_some_and(|t| t.contains('e')));
    let joined = Value::join(operands.get(options..).unwrap_or_default(), " ");
    match joined.as_text() {
        Some((text, whole)) if text.contains('\\') => {
            let text = if resolves { escapes::ansi_c(text) } else { text.to_owned() };
            uncertain(Value::of_text(text, whole).tainted(joined.taint))
        }
        _ => joined,
    }
}

/// The output of `printf`: its format, repeated until all operands are used.
pub(super) fn formatted(operands: &[Value]) -> Value {
    let taint = operands.iter().fold(Taint::default(), |t, v| t.with(v.all_taint()));
    let dashes = usize::from(operands.first().and_then(Value::as_whole_text) == Some("--"));
    let operands = operands.get(dashes..).unwrap_or_default();
    let Some((format, values)) = operands.split_first() else { return Value::text("") };
    let Some(spelled) = format.as_whole_text() else { return uncertain(Value::join(operands, " ")) };
    let format = escapes::ansi_c(spelled);
    let odd_escapes = spelled.replace("\\n", "").replace("\\t", "").replace("\\\\", "").contains('\\');
    // `-v` prints nothing.
    let is_certain = !odd_escapes && !spelled.starts_with('-');
    let mut printed = FormattedText { text: String::new(), is_whole: true, is_certain };
    let mut values = values.iter();
    loop {
        let left = values.len();
        printed.add_format(&format, &mut values);
        if printed.text.len() > MAX_PRINTED_BYTES {
            return Value::unknown().tainted(taint);
        }
        if values.len() == 0 || values.len() == left {
            break;
        }
    }
    let value = Value::of_text(printed.text, printed.is_whole).tainted(taint);
    if printed.is_certain { value } else { uncertain(value) }
}

/// What `printf` prints of a format and its operands.
struct FormattedText {
    text: String,
    /// Whether no part of the text is unknown.
    is_whole: bool,
    /// Whether bash certainly prints the same.
    is_certain: bool,
}

impl FormattedText {
    /// Adds the format once, with the next operands in it.
    fn add_format<'v>(&mut self, format: &str, values: &mut impl Iterator<Item = &'v Value>) {
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            if c != '%' {
                self.text.push(c);
                continue;
            }
            let mut sign = chars.next();
            while sign.is_some_and(|c| c.is_ascii_digit() || matches!(c, '-' | '.' | '+' | '#' | ' ' | '*')) {
                self.is_certain = false;
                sign = chars.next();
            }
            self.is_certain &= matches!(sign, Some('%' | 's'));
            match sign {
                Some('%') => self.text.push('%'),
                Some(_) => {
                    if let Some(value) = values.next() {
                        self.add_operand(value, chars.clone().next());
                    }
                }
                None => {}
            }
        }
    }

    /// Adds an operand, before this sign of the format.
    fn add_operand(&mut self, value: &Value, behind: Option<char>) {
        match value.as_text() {
            Some((text, is_known)) => {
                self.is_certain &= !is_glued(&self.text, text, || behind) && !is_glued_home(&self.text, text);
                self.text.push_str(text);
                self.is_whole &= is_known;
            }
            None => {
                self.text.push(HOLE);
                self.is_whole = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(list: &[&str]) -> Vec<Value> {
        list.iter().map(|text| Value::text(*text)).collect()
    }

    #[test]
    fn printf_fills_its_format() {
        for (operands, printed) in [
            (&["r%s", "m"][..], Some("rm")),
            (&["%s\\n", "a", "b"], Some("a\nb\n")),
            (&["x%%"], Some("x%")),
            (&["--", "%s", "../src"], Some("../src")),
            (&["%.6s", "../src/build"], None),
            (&["%b", "../src"], None),
            (&["\\x2e./src"], None),
            (&["-v", "D", "build"], None),
        ] {
            assert_eq!(formatted(&words(operands)).as_whole_text(), printed, "{operands:?}");
        }
    }

    #[test]
    fn echo_drops_only_its_own_options() {
        for (operands, printed) in [
            (&["rm", "-rf", "../src"][..], Some("rm -rf ../src")),
            (&["-n", "-E", "a", "-n"], Some("a -n")),
            (&["-x"], Some("-x")),
            (&["-"], Some("-")),
            (&["-e", "\\x2e./src"], None),
        ] {
            assert_eq!(echoed(&words(operands)).as_whole_text(), printed, "{operands:?}");
        }
    }

    #[test]
    fn tr_without_classes_is_followed() {
        assert_eq!(turned("tr", &words(&["a-z", "b-za"]), "ql").as_deref(), Some("rm"));
        assert_eq!(turned("tr", &words(&["[:upper:]", "[:lower:]"]), "RM"), None);
    }
}
