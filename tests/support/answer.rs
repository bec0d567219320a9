//! Answers the queries of a program as a terminal does, each at its place in the output: the cursor's position is the
//! one after the bytes before the query.

/// Text in the last row, from 80 columns on, while no turn runs (or one is stuck) and no block waits; with text in
/// Message only if there is room.
pub const READY: &str = "twice quit";

/// Queries and their answers; an empty answer means the cursor's position.
const QUERIES: [(&[u8], &str); 4] = [
    (b"\x1b[6n", ""),
    (b"\x1b[c", "\x1b[?62;22c"),
    (b"\x1b[?2026$p", "\x1b[?2026;2$y"),
    (b"\x1b_Gi=1,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\", "\x1b_Gi=1;OK\x1b\\"),
];

/// An empty screen of this size.
pub fn screen(rows: u16, columns: u16) -> vt100::Parser {
    let some = |n: u16| std::num::NonZeroU16::new(n).expect("a size");
    vt100::Parser::new(some(rows), some(columns), 0)
}

/// Feeds bytes to the screen; returns a terminal's answers. An unfinished escape sequence stays in `bytes`, and so
/// does an unfinished synchronized update: no terminal shows a part of one.
pub fn process(screen: &mut vt100::Parser, bytes: &mut Vec<u8>) -> Vec<u8> {
    let mut answers = Vec::new();
    let mut done = 0;
    let whole = open_update(bytes).unwrap_or(bytes.len());
    for at in 0..whole {
        let Some((query, answer)) = QUERIES.iter().find(|(query, _)| bytes[at..].starts_with(query)) else {
            continue;
        };
        let end = at + query.len();
        screen.process(&bytes[done..end]);
        done = end;
        if answer.is_empty() {
            let (row, column) = screen.screen().cursor_position();
            answers.extend_from_slice(format!("\x1b[{};{}R", row + 1, column + 1).as_bytes());
        } else {
            answers.extend_from_slice(answer.as_bytes());
        }
    }
    let open = open_sequence(&bytes[done..whole]).map_or(whole, |at| done + at);
    screen.process(&bytes[done..open]);
    bytes.drain(..open);
    answers
}

/// The index of a synchronized update that has not ended.
fn open_update(bytes: &[u8]) -> Option<usize> {
    let last = |mark: &[u8]| bytes.windows(mark.len()).rposition(|found| found == mark);
    let begun = last(b"\x1b[?2026h")?;
    (last(b"\x1b[?2026l") < Some(begun)).then_some(begun)
}

/// The index of a query or control sequence without its final byte.
fn open_sequence(bytes: &[u8]) -> Option<usize> {
    let is_query = |at: &usize| QUERIES.iter().any(|(query, _)| query.starts_with(&bytes[*at..]));
    if let Some(at) = (0..bytes.len()).find(is_query) {
        return Some(at);
    }
    let at = bytes.iter().rposition(|b| *b == 0x1b)?;
    let rest = &bytes[at + 1..];
    match rest.first() {
        None => Some(at),
        Some(b'[') if !rest[1..].iter().any(|b| (0x40..=0x7e).contains(b)) => Some(at),
        Some(_) => None,
    }
}
