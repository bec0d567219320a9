//! What a terminal answers to the queries of a program, each at the moment at which it stands in the stream: the
//! cursor's place is that of the bytes before the query.

/// What the last row says, from 80 columns on, where no turn goes on (or one is stuck) and no block waits; with text in Message
/// only where there is room for it.
pub const READY: &str = "twice quit";

/// Queries and their answers; an empty answer stands for the cursor's place.
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

/// Feeds bytes to the screen; gives what a terminal would answer. An escape sequence without its end stays in `bytes`.
pub fn process(screen: &mut vt100::Parser, bytes: &mut Vec<u8>) -> Vec<u8> {
    let mut answers = Vec::new();
    let mut done = 0;
    for at in 0..bytes.len() {
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
    let open = open_sequence(&bytes[done..]).map_or(bytes.len(), |at| done + at);
    screen.process(&bytes[done..open]);
    bytes.drain(..open);
    answers
}

/// Where a control sequence begins that has no final byte yet.
fn open_sequence(bytes: &[u8]) -> Option<usize> {
    let at = bytes.iter().rposition(|b| *b == 0x1b)?;
    let rest = &bytes[at + 1..];
    match rest.first() {
        None => Some(at),
        Some(b'[') if !rest[1..].iter().any(|b| (0x40..=0x7e).contains(b)) => Some(at),
        Some(_) => None,
    }
}
