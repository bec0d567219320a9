//! Matches private keys in PEM: lines of Base64 between two lines of dashes.

use super::letter_set::{is_base64, run};
use super::{PRIVATE, ShapeMatch};

/// Private keys are shorter than this.
const MAX_PEM_BYTES: usize = 16 << 10;

/// A private key in PEM: the text between its first and its last line. If the last line is missing, the lines of
/// Base64.
pub(super) fn pem(rest: &[u8], last: bool) -> ShapeMatch {
    const BEGIN: &[u8] = b"-----BEGIN ";
    const END: &[u8] = b"-----END ";
    if !rest.starts_with(BEGIN) {
        return if !last && BEGIN.starts_with(rest) { ShapeMatch::Begun(None) } else { ShapeMatch::No };
    }
    let label = rest.get(BEGIN.len()..).unwrap_or_default();
    let count = run(label, |b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b' ');
    let name = label.get(..count).unwrap_or_default();
    if count == label.len() && !last && count < 40 {
        return ShapeMatch::Begun(None);
    }
    let dashes = label.get(count..).unwrap_or_default();
    if !last && dashes.len() < 5 && b"-----".starts_with(dashes) {
        return ShapeMatch::Begun(None);
    }
    let is_private = name.ends_with(b"PRIVATE KEY") || name.ends_with(b"PRIVATE KEY BLOCK");
    if !is_private || !dashes.starts_with(b"-----") {
        return ShapeMatch::No;
    }
    let start = BEGIN.len() + count + 5;
    let body = rest.get(start..).unwrap_or_default();
    let body = body.get(..MAX_PEM_BYTES).unwrap_or(body);
    let closed = body.windows(END.len()).position(|window| window == END);
    if closed.is_none() && !last && body.len() < MAX_PEM_BYTES {
        return ShapeMatch::Begun(Some(PRIVATE));
    }
    let end = match closed {
        // Words between the two lines, as in a test, are no key.
        Some(end) if longest_run(body.get(..end).unwrap_or_default()) >= 16 => end,
        Some(_) => return ShapeMatch::No,
        None => lines_of_base64(body),
    };
    if end == 0 { ShapeMatch::No } else { ShapeMatch::Key(start..start + end, PRIVATE) }
}

fn longest_run(bytes: &[u8]) -> usize {
    bytes.split(|b| !is_base64(*b)).map(<[u8]>::len).max().unwrap_or(0)
}

/// Where the leading lines of Base64 end; line ends may be written as escapes.
fn lines_of_base64(bytes: &[u8]) -> usize {
    let (mut at, mut end) = (0, 0);
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let gap = match rest {
            [b'\\', b'n' | b'r', ..] => 2,
            [b'\n' | b'\r' | b' ' | b'\t' | b'"' | b',' | b'\'', ..] => 1,
            _ => 0,
        };
        if gap > 0 {
            at += gap;
            continue;
        }
        let count = run(rest, is_base64);
        if count < 16 && !(end > 0 && count > 0 && rest.get(count - 1) == Some(&b'=')) {
            return end;
        }
        at += count;
        end = at;
    }
}
