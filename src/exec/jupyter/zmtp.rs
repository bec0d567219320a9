//! The small part of ZeroMQ's protocol (ZMTP 3.0, without encryption) that a client of a local kernel needs: the
//! greeting, the kind of socket, and messages of several parts. Pure.
//!
//! It is written by hand because so little is needed: a library would add 23 packages, which take 84 s of processor
//! time to build, and would own the tasks of the connection.

/// The largest part of a message; an image of many million pixels fits.
const MAX_PART_BYTES: u64 = 128 << 20;
/// Limits on the parts of one message, and on their bytes together.
const MAX_PARTS: usize = 1024;
const MAX_TOTAL_BYTES: usize = 256 << 20;
const GREETING_BYTES: usize = 64;

const MORE_FLAG: u8 = 1;
const LONG_FLAG: u8 = 2;
const COMMAND_FLAG: u8 = 4;

/// Why the other end can't be understood. The connection can't be used after that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ZmtpError {
    /// It does not speak ZeroMQ 3 without encryption.
    #[error("what listens there does not speak ZeroMQ 3")]
    Greeting,
    /// A message exceeds the limits.
    #[error("a message is too large")]
    Size,
    /// It refused the connection or violated the protocol.
    #[error("the connection was refused")]
    Refused,
}

/// The first bytes to send. Nothing may follow before the other end's greeting has arrived.
pub(super) fn greeting() -> Vec<u8> {
    let mut bytes = vec![0u8; GREETING_BYTES];
    for (at, byte) in [(0, 0xff), (8, 1), (9, 0x7f), (10, 3)].into_iter().chain((12..).zip(*b"NULL")) {
        if let Some(slot) = bytes.get_mut(at) {
            *slot = byte;
        }
    }
    bytes
}

/// What to send next: the kind of this socket (`DEALER`, `SUB`). Messages may follow only once the other end is ready
/// too: libzmq 4.3.5 closes the connection otherwise.
pub(super) fn ready(socket: &str, identity: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut ready = b"\x05READY".to_vec();
    for (name, value) in [("Socket-Type", socket.as_bytes()), ("Identity", identity)] {
        ready.push(name.len() as u8);
        ready.extend(name.as_bytes());
        ready.extend((value.len() as u32).to_be_bytes());
        ready.extend(value);
    }
    frame(&mut bytes, COMMAND_FLAG, &ready);
    bytes
}

/// Subscribes to everything that is published.
pub(super) fn subscribe() -> Vec<u8> {
    message(&[vec![1]])
}

/// Encodes a message of these parts.
pub(super) fn message(parts: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        frame(&mut bytes, if at + 1 < parts.len() { MORE_FLAG } else { 0 }, part);
    }
    bytes
}

fn frame(into: &mut Vec<u8>, flags: u8, body: &[u8]) {
    match u8::try_from(body.len()) {
        Ok(size) => into.extend([flags, size]),
        Err(_) => {
            into.push(flags | LONG_FLAG);
            into.extend((body.len() as u64).to_be_bytes());
        }
    }
    into.extend_from_slice(body);
}

/// Assembles messages from bytes that arrive in pieces of any size.
#[derive(Debug, Default)]
pub(super) struct ZmtpDecoder {
    buffer: Vec<u8>,
    /// How much of the buffer is already decoded.
    at: usize,
    greeted: bool,
    ready: bool,
    parts: Vec<Vec<u8>>,
    total: usize,
}

impl ZmtpDecoder {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if self.at > 0 && self.at * 2 >= self.buffer.len() {
            self.buffer.drain(..self.at);
            self.at = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// Whether the greeting of the other end has arrived.
    pub(super) fn is_greeted(&self) -> bool {
        self.greeted
    }

    /// Whether the other end is ready for messages.
    pub(super) fn is_ready(&self) -> bool {
        self.ready
    }

    /// The next complete message, if there is one.
    ///
    /// # Errors
    /// When the other end speaks another protocol or violates it.
    pub(super) fn next_message(&mut self) -> Result<Option<Vec<Vec<u8>>>, ZmtpError> {
        if !self.greeted && !self.greeting()? {
            return Ok(None);
        }
        while let Some((flags, body)) = self.next_frame()? {
            if flags & COMMAND_FLAG != 0 {
                if body.starts_with(b"\x05ERROR") {
                    return Err(ZmtpError::Refused);
                }
                self.ready |= body.starts_with(b"\x05READY");
                continue;
            }
            self.total += body.len();
            if self.parts.len() >= MAX_PARTS || self.total > MAX_TOTAL_BYTES {
                return Err(ZmtpError::Size);
            }
            self.parts.push(body);
            if flags & MORE_FLAG == 0 {
                self.total = 0;
                return Ok(Some(std::mem::take(&mut self.parts)));
            }
        }
        Ok(None)
    }

    fn rest(&self) -> &[u8] {
        self.buffer.get(self.at..).unwrap_or_default()
    }

    fn greeting(&mut self) -> Result<bool, ZmtpError> {
        let rest = self.rest();
        let wrong = rest.first().is_some_and(|b| *b != 0xff)
            || rest.get(9).is_some_and(|b| *b & 1 == 0)
            || rest.get(10).is_some_and(|major| *major < 3)
            || rest.get(12..16).is_some_and(|mechanism| mechanism != b"NULL");
        if wrong {
            return Err(ZmtpError::Greeting);
        }
        if rest.len() < GREETING_BYTES {
            return Ok(false);
        }
        self.at += GREETING_BYTES;
        self.greeted = true;
        Ok(true)
    }

    fn next_frame(&mut self) -> Result<Option<(u8, Vec<u8>)>, ZmtpError> {
        let rest = self.rest();
        let Some(flags) = rest.first().copied() else { return Ok(None) };
        let (size, from) = if flags & LONG_FLAG != 0 {
            let Some(bytes) = rest.get(1..9).and_then(|b| <[u8; 8]>::try_from(b).ok()) else {
                return Ok(None);
            };
            (u64::from_be_bytes(bytes), 9)
        } else {
            let Some(size) = rest.get(1) else { return Ok(None) };
            (u64::from(*size), 2)
        };
        if size > MAX_PART_BYTES {
            return Err(ZmtpError::Size);
        }
        let end = from + size as usize;
        let Some(body) = rest.get(from..end).map(<[u8]>::to_vec) else { return Ok(None) };
        self.at += end;
        Ok(Some((flags, body)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hello(socket: &str, identity: &[u8]) -> Vec<u8> {
        [greeting(), ready(socket, identity)].concat()
    }

    #[test]
    fn the_greeting_is_that_of_the_protocol() {
        let hello = hello("DEALER", b"");
        assert_eq!((hello.len(), greeting().len()), (107, 64));
        assert_eq!(hello[..16], *b"\xff\0\0\0\0\0\0\0\x01\x7f\x03\0NULL");
        assert_eq!(hello[64..], *b"\x04\x29\x05READY\x0bSocket-Type\0\0\0\x06DEALER\x08Identity\0\0\0\0");
        assert_eq!(subscribe(), b"\0\x01\x01");
    }

    #[test]
    fn others_are_refused() {
        let refused = |bytes: &[u8]| {
            let mut decoder = ZmtpDecoder::default();
            decoder.push(bytes);
            decoder.next_message()
        };
        assert_eq!(refused(b"HTTP/1.1 400 Bad Request\r\n"), Err(ZmtpError::Greeting));
        assert_eq!(refused(b"\xff\0\0\0\0\0\0\0\x01\x7f\x01"), Err(ZmtpError::Greeting));
        let mut huge = hello("ROUTER", b"");
        huge.extend(b"\x02\xff\xff\xff\xff\xff\xff\xff\xff");
        assert_eq!(refused(&huge), Err(ZmtpError::Size));
        let mut error = hello("ROUTER", b"");
        error.extend(b"\x04\x08\x05ERROR\x01x");
        assert_eq!(refused(&error), Err(ZmtpError::Refused));
    }

    proptest! {
        /// The messages are the same whatever the pieces are.
        #[test]
        fn messages_in_any_pieces(
            messages in prop::collection::vec(prop::collection::vec(prop::collection::vec(any::<u8>(), 0..400), 1..5), 0..5),
            size in 1usize..500,
        ) {
            let mut bytes = hello("ROUTER", b"x");
            for parts in &messages {
                bytes.extend(message(parts));
            }
            let mut decoder = ZmtpDecoder::default();
            let mut read = Vec::new();
            prop_assert!(!decoder.is_greeted());
            for piece in bytes.chunks(size) {
                decoder.push(piece);
                while let Some(parts) = decoder.next_message().unwrap() {
                    read.push(parts);
                }
            }
            prop_assert!(decoder.is_greeted() && decoder.is_ready());
            prop_assert_eq!(read, messages);
        }

        #[test]
        fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut decoder = ZmtpDecoder::default();
            decoder.push(&hello("PUB", b""));
            decoder.push(&bytes);
            while let Ok(Some(_)) = decoder.next_message() {}
        }
    }
}
