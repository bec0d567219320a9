//! Expands the braces of a word in the order of bash: `{a,b}`, `{1..3}`. A hole stands for what would be too much.
//!
//! Bash expands braces first. Here the rest of the word is expanded before; marks tell which parts of it are no text of
//! the word itself.

use crate::review::value::HOLE;

/// The most words that one word may become, unless it lists more.
const MAX_WORDS: usize = 64;

/// Longest range that is expanded, in bytes: its ends may have any number of zeros in front.
const MAX_RANGE_BYTES: usize = 64;

/// The most bytes that are read and written to expand one word.
const MAX_BRACE_BYTES: usize = 256 * 1024;

/// Braces nested deeper are not expanded.
const MAX_DEPTH: u32 = 24;

/// The characters that mean something in braces, and what stands for them where they are quoted.
const HIDDEN: [(char, char); 4] =
    [('{', '\u{fdd0}'), (',', '\u{fdd1}'), ('}', '\u{fdd2}'), ('.', '\u{fdd3}')];

/// Stands before quoted text, so that it is no end of a range and no part of a name, and makes a word though empty.
const QUOTED: char = '\u{fdd4}';

/// Stands before the value of an unquoted expansion, so that it is no end of a range.
const EXPANDED: char = '\u{fdd5}';

/// Stands after the value of a `$NAME`, which began with `EXPANDED`: the name may go on with what braces put there.
const NAME_END: char = '\u{fdd6}';

/// Stands for a character at which an unquoted expansion is split.
const FIELD_END: char = '\u{fdd7}';

/// Whether a text has characters that are used here as marks. They stand in no text of any language.
pub(super) fn has_marks(text: &str) -> bool {
    text.contains(|c| ('\u{fdd0}'..='\u{fdd7}').contains(&c))
}

fn hidden(c: char) -> char {
    HIDDEN.iter().find(|(shown, _)| *shown == c).map_or(c, |(_, hidden)| *hidden)
}

/// Quoted text as a part of a word with braces.
pub(super) fn quoted(text: &str) -> String {
    std::iter::once(QUOTED).chain(text.chars().map(hidden)).collect()
}

/// An unquoted word with its backslashes, whose escaped characters mean nothing in braces.
pub(super) fn with_hidden_escapes(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    let mut chars = word.chars();
    while let Some(c) = chars.next() {
        match chars.as_str().chars().next().filter(|next| c == '\\' && *next != '\n') {
            Some(next) => {
                chars.next();
                out.extend([QUOTED, '\\', hidden(next)]);
            }
            None => out.push(c),
        }
    }
    out
}

/// The value of an unquoted expansion as a part of a word with braces. `is_name`: it was spelled `$NAME`.
pub(super) fn expanded(value: &str, separators: &str, is_name: bool) -> String {
    let held = value.chars().map(|c| if separators.contains(c) { FIELD_END } else { hidden(c) });
    std::iter::once(EXPANDED).chain(held).chain(is_name.then_some(NAME_END)).collect()
}

/// The words that a word becomes after its braces were expanded.
pub(super) fn fields(word: &str) -> Vec<String> {
    let word = with_longer_names(word).replace(EXPANDED, "");
    let show = |c| HIDDEN.iter().find(|(_, hidden)| *hidden == c).map_or(c, |(shown, _)| *shown);
    let words = word.split(FIELD_END).filter(|word| !word.is_empty());
    words.map(|word| word.chars().filter(|c| *c != QUOTED).map(show).collect()).collect()
}

/// Replaces the values of variables by holes where other ones are read: `$T{x,y}` reads `$Tx` and `$Ty`.
fn with_longer_names(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    let mut rest = word;
    while let Some((before, after)) = rest.split_once(NAME_END) {
        rest = after.trim_start_matches(|c: char| c == '_' || c == HOLE || c.is_ascii_alphanumeric());
        if rest.len() == after.len() {
            out.push_str(before);
        } else {
            out.push_str(before.rsplit_once(EXPANDED).map_or("", |(head, _)| head));
            out.push(HOLE);
        }
    }
    out + rest
}

/// The words that `{a,b}` and `{1..3}` in a word stand for. Of what would be too much, only the text around the braces
/// is known.
pub(super) fn braces(word: &str) -> Vec<String> {
    let Some((head, rest)) = word.split_once('{') else { return vec![word.to_owned()] };
    let Some((_, tail)) = rest.rsplit_once('}') else { return vec![word.to_owned()] };
    let mut budget = BraceBudget {
        bytes: word.len().saturating_mul(128).saturating_add(4096).min(MAX_BRACE_BYTES),
        words: MAX_WORDS.max(word.matches(',').count() + 1),
    };
    budget.expand(word, 0).unwrap_or_else(|TooMuch| vec![format!("{head}{HOLE}{tail}")])
}

/// The braces of a word stand for more than is expanded.
struct TooMuch;

/// What may still be spent on a word.
struct BraceBudget {
    bytes: usize,
    words: usize,
}

impl BraceBudget {
    fn pay(&mut self, bytes: usize) -> Result<(), TooMuch> {
        self.bytes = self.bytes.checked_sub(bytes).ok_or(TooMuch)?;
        Ok(())
    }

    fn expand(&mut self, word: &str, depth: u32) -> Result<Vec<String>, TooMuch> {
        if depth > MAX_DEPTH {
            return Err(TooMuch);
        }
        let mut made = vec![String::new()];
        let mut rest = word;
        while let Some((head, inside, tail)) = self.first_pair(rest)? {
            let items = if inside.contains(',') {
                let mut items = Vec::new();
                for item in listed(inside) {
                    items.extend(self.expand(item, depth + 1)?);
                    self.pay(1)?;
                }
                items
            } else {
                range(inside).unwrap_or_else(|| vec![format!("{{{inside}}}")])
            };
            made = self.product(&made, head, &items)?;
            rest = tail;
        }
        self.product(&made, rest, &[String::new()])
    }

    /// Each of the texts made so far, followed by `head` and each of the items.
    fn product(&mut self, made: &[String], head: &str, items: &[String]) -> Result<Vec<String>, TooMuch> {
        if made.len().saturating_mul(items.len()) > self.words {
            return Err(TooMuch);
        }
        let bytes = |texts: &[String]| texts.iter().map(String::len).sum::<usize>();
        let before = (bytes(made) + made.len() * head.len()).saturating_mul(items.len());
        self.pay(before.saturating_add(bytes(items).saturating_mul(made.len())))?;
        let with_items = |text| items.iter().map(move |item| format!("{text}{head}{item}"));
        Ok(made.iter().flat_map(with_items).collect())
    }

    /// The text before the first pair of braces that counts, the text in it and the text after it.
    fn first_pair<'w>(&mut self, word: &'w str) -> Result<Option<(&'w str, &'w str, &'w str)>, TooMuch> {
        for (start, _) in word.match_indices('{') {
            // Bash passes over `{}` at the start.
            if start == 0 && word.starts_with("{}") {
                continue;
            }
            let part = |text: &'w str, bytes: std::ops::Range<usize>| text.get(bytes).unwrap_or_default();
            let (head, after) = (part(word, 0..start), part(word, start + 1..word.len()));
            if let Some(end) = self.closing(after)? {
                return Ok(Some((head, part(after, 0..end), part(after, end + 1..after.len()))));
            }
        }
        Ok(None)
    }

    /// Where the pair of braces is closed whose inside a text starts with: only a brace after a comma or a range counts.
    fn closing(&mut self, text: &str) -> Result<Option<usize>, TooMuch> {
        let (mut level, mut counts) = (0_usize, false);
        for (at, c) in text.char_indices() {
            self.pay(1)?;
            match c {
                '{' => level += 1,
                '}' if level > 0 => level -= 1,
                '}' if counts => return Ok(Some(at)),
                ',' if level == 0 => counts = true,
                '.' if level == 0 => {
                    let rest = text.get(at + 1..).unwrap_or_default();
                    counts |= rest.starts_with('.') && !rest.starts_with(".}");
                }
                _ => {}
            }
        }
        Ok(None)
    }
}

/// The items of a list, split at the commas that are in no braces.
fn listed(inside: &str) -> Vec<&str> {
    let mut level = 0_usize;
    let is_end = |c: char| {
        match c {
            '{' => level += 1,
            '}' => level = level.saturating_sub(1),
            _ => {}
        }
        c == ',' && level == 0
    };
    inside.split(is_end).collect()
}

/// The texts of a range in braces: `1..3`, `03..1`, `a..e..2`.
fn range(inside: &str) -> Option<Vec<String>> {
    let mut parts = inside.split("..");
    let (first, last) = (parts.next()?, parts.next()?);
    let step = parts.next().map_or(Some(1), |step| step.parse::<i64>().ok())?.unsigned_abs().max(1);
    let letter = |end: &str| match end.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => Some(i64::from(*letter)),
        _ => None,
    };
    let letters = letter(first).zip(letter(last));
    let (from, to) = match letters {
        Some(ends) => ends,
        None => (first.parse::<i64>().ok()?, last.parse::<i64>().ok()?),
    };
    if parts.next().is_some() {
        return None;
    }
    let count = from.abs_diff(to) / step;
    if count >= MAX_WORDS as u64 || inside.len() > MAX_RANGE_BYTES {
        return Some(vec![HOLE.to_string()]);
    }
    let is_padded = |end: &str| {
        let digits = end.trim_start_matches('-');
        digits.len() > 1 && digits.starts_with('0')
    };
    let is_upper = |end: &str| end.starts_with(|c: char| c.is_ascii_uppercase());
    if letters.is_some() && is_upper(first) != is_upper(last) {
        // Bash reads the backslash between `Z` and `a` as one that quotes what follows.
        return Some(vec![HOLE.to_string()]);
    }
    let width = if is_padded(first) || is_padded(last) { first.len().max(last.len()) } else { 0 };
    let spelled = |at: u64| {
        let distance = at.checked_mul(step)?;
        let number = if from <= to {
            from.checked_add_unsigned(distance)?
        } else {
            from.checked_sub_unsigned(distance)?
        };
        match letters {
            Some(_) => u8::try_from(number).ok().map(|letter| char::from(letter).to_string()),
            None => Some(format!("{number:0width$}")),
        }
    };
    (0..=count).map(spelled).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_become_words() {
        assert_eq!(braces("{rm,-rf,/x}"), ["rm", "-rf", "/x"]);
        assert_eq!(braces("a{b,c}d"), ["abd", "acd"]);
        assert!(braces("a{b,c{d,e}}f").contains(&"acef".to_owned()));
        assert_eq!(braces("{}"), ["{}"]);
        assert_eq!(braces("a{1..3}"), ["a1", "a2", "a3"]);
        assert_eq!(braces("{2..-2..2}"), ["2", "0", "-2"]);
        assert_eq!(braces("{08..10}"), ["08", "09", "10"]);
        assert_eq!(braces("{-01..1}"), ["-01", "000", "001"]);
        assert_eq!(braces("{c..a}{1..1}"), ["c1", "b1", "a1"]);
        assert_eq!(braces("{x,{1..2}}"), ["x", "1", "2"]);
        assert_eq!(braces("x{1..9999}"), ["x…"]);
        assert_eq!(braces(&format!("{{{}1..2}}", "0".repeat(70_000))), ["…"]);
        let tail = "x".repeat(5000);
        assert_eq!(braces(&format!("{{{}}}{tail}", "a,".repeat(5000))), [format!("…{tail}")]);
        assert_eq!(braces("{1..a}{ab..c}{1..2..x}{1..2..3..4}"), ["{1..a}{ab..c}{1..2..x}{1..2..3..4}"]);
        assert_eq!(braces(&format!("{{{}..{}}}", i64::MIN, i64::MAX)), ["…"]);
        // Whatever is too much is not known.
        assert_eq!(braces(&format!("~/{}.netrc", "{x,}".repeat(7))), ["~/….netrc"]);
        assert_eq!(braces(&format!("a{}b", "{".repeat(5000))), [format!("a{}b", "{".repeat(5000))]);
        assert_eq!(braces(&format!("a{}}}b", "{".repeat(5000))), ["a…b"]);
        assert_eq!(braces(&format!("a{}x{}b", "{x,".repeat(50), "}".repeat(50))), ["a…b"]);
        assert_eq!(braces("a{Z..a}b"), ["a…b"]);
        let list = (1..=100).map(|n| n.to_string()).collect::<Vec<_>>();
        assert_eq!(braces(&format!("{{{}}}", list.join(","))), list);
    }

    #[test]
    fn braces_are_paired_like_in_bash() {
        for (word, made) in [
            ("~/{.netrc,{x}}", &["~/.netrc", "~/{x}"][..]),
            ("{rm,-rf,/etc,{x}}", &["rm", "-rf", "/etc", "{x}"]),
            ("{{x},a}", &["{x}", "a"]),
            ("{a,{x}", &["{a,{x}"]),
            ("{x,{1..2}", &["{x,1", "{x,2"]),
            ("{{1..2}}", &["{1}", "{2}"]),
            ("{{1..2}..4}", &["{{1..2}..4}"]),
            ("{1..{3,4}}", &["1..3", "1..4"]),
            ("{a,b}}", &["a}", "b}"]),
            ("{a},b}", &["a}", "b"]),
            ("{},{a,b}", &["{},a", "{},b"]),
            ("{a},{b}", &["{a},{b}"]),
            ("{a,}b,c}", &["ab,c}", "b,c}"]),
            ("{}a,b}", &["{}a,b}"]),
            ("{,}a", &["a", "a"]),
        ] {
            assert_eq!(braces(word), made, "{word}");
        }
    }
}
