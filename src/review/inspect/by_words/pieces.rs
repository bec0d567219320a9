//! Splits a line of a shell into commands by its signs: a command ends at a separator outside of quotes and brackets.

use std::ops::Range;

/// The commands in a part of a text, each including opening brackets and keywords before it.
pub(super) fn pieces(text: &str, line: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut at = line.start;
    std::iter::from_fn(move || {
        while at < line.end {
            let rest = text.get(at..line.end)?;
            let length = command(rest);
            let start = at;
            // One separator, or the same one twice (`&&`, `;;`).
            let sign = rest.get(length..).and_then(|end| end.chars().next());
            let signs =
                rest.get(length..).unwrap_or_default().chars().take(2).take_while(|c| Some(*c) == sign);
            at += length + signs.count();
            let piece = text.get(start..start + length)?;
            if !piece.trim().is_empty() {
                return Some(start..start + piece.trim_end().len());
            }
        }
        None
    })
}

/// The length of the command that begins here.
fn command(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let (mut at, mut depth) = (0, 0_u32);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            // A quote that is not closed on this line quotes nothing.
            b'\'' | b'"' => at += closed(bytes.get(at..).unwrap_or_default()),
            b'(' => depth += 1,
            b')' if depth == 0 => return at,
            b')' => depth -= 1,
            b';' if depth == 0 => return at,
            b'&' if depth == 0 && !redirects(bytes, at) => return at,
            b'|' if depth == 0 && bytes.get(at + 1) == Some(&b'|') => return at,
            _ => {}
        }
        at += 1;
    }
    rest.len()
}

/// The distance from a quote to its closing one; 0 if it has none.
fn closed(quoted: &[u8]) -> usize {
    let Some(quote) = quoted.first() else { return 0 };
    let mut escaped = false;
    let close = quoted.iter().skip(1).position(|byte| {
        let hit = byte == quote && !escaped;
        escaped = *quote == b'"' && *byte == b'\\' && !escaped;
        hit
    });
    close.map_or(0, |at| at + 1)
}

/// Whether an ampersand is part of a redirection: `2>&1`, `&>log`.
fn redirects(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    matches!(before, Some(b'>' | b'<')) || bytes.get(at + 1) == Some(&b'>')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_end_at_signs_that_nothing_holds() {
        let of = |line: &str| -> Vec<String> {
            pieces(line, 0..line.len()).map(|piece| line.get(piece).unwrap().trim().to_owned()).collect()
        };
        assert_eq!(of("if [ \\( a \\) ]; then rm -rf x; fi"), ["if [ \\( a \\) ]", "then rm -rf x", "fi"]);
        assert_eq!(of("a 'b;c' && d \"e\\\";f\" || g | h & i"), ["a 'b;c'", "d \"e\\\";f\"", "g | h", "i"]);
        assert_eq!(of("a $(b; c) 2>&1 &>d; x) e;;"), ["a $(b; c) 2>&1 &>d", "x", "e"]);
        assert_eq!(of("it's; b \"c; d"), ["it's", "b \"c", "d"]);
        assert_eq!(of("é(; ü"), ["é(; ü"]);
        assert_eq!(of(" ;;;&& "), [""; 0]);
    }
}
