//! What is said to process 1 of a kernel's container (`assets/bridge.py`), and what it says. Pure.
//!
//! Every frame of the bridge carries the mark that it was given at its start. What comes without it was not written by
//! the bridge, and makes the channel worthless.

use crate::domain::Stream;
use crate::exec::frames::{FrameError, WireFrame, encode};
use crate::exec::helper_wire::ResourceUse;
use crate::exec::kernel_wire::FrameToken;
use crate::exec::receipt::ExitKind;

pub(super) const MAX_FRAME_BYTES: usize = 1 << 20;

/// The first order: the mark, the kernel's own text, how it is started, the folder in which it starts.
pub(super) fn start(mark: &FrameToken, text: &str, start: &str, folder: &[u8]) -> Vec<u8> {
    encode(b'S', [&mark[..], text.as_bytes(), start.as_bytes(), folder])
}

/// Bytes for the kernel's control socket.
pub(super) fn control(bytes: &[u8]) -> Vec<u8> {
    encode(b'C', [bytes])
}

/// A run begins: measure it.
pub(super) fn begin() -> Vec<u8> {
    encode(b'B', [])
}

/// The run is over: end what it left behind and tell what it used.
pub(super) fn end() -> Vec<u8> {
    encode(b'E', [])
}

/// SIGINT to the kernel's group.
pub(super) fn interrupt() -> Vec<u8> {
    encode(b'I', [])
}

/// What the bridge tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BridgeMessage {
    /// The container is as closed as it should be; the kernel runs.
    Spawned,
    /// The container allows more than was asked for: what. No kernel was started.
    Open(String),
    /// The program printed something.
    Output(Stream, Vec<u8>),
    /// Bytes from the kernel's control socket.
    Control(Vec<u8>),
    /// What the run uses at the moment.
    Usage {
        rss_bytes: u64,
        /// Processor time so far, microseconds.
        cpu_us: u64,
    },
    /// The run is over and cleaned up.
    Finished(ResourceUse),
    Exited {
        ending: ExitKind,
        /// Whether the system ended a process because memory ran out.
        out_of_memory: bool,
        /// What the run used.
        used: ResourceUse,
    },
}

/// Reads a frame of the bridge.
///
/// # Errors
/// When it is none, or carries another mark.
pub(super) fn decode(frame: WireFrame, mark: &FrameToken) -> Result<BridgeMessage, FrameError> {
    let unknown = FrameError::Unknown(frame.kind);
    if frame.field(0)? != mark {
        return Err(unknown);
    }
    Ok(match frame.kind {
        b'P' => BridgeMessage::Spawned,
        b'N' => BridgeMessage::Open(frame.text(1)?),
        b'O' => {
            let stream = if frame.field(1)? == b"2" { Stream::Stderr } else { Stream::Stdout };
            BridgeMessage::Output(stream, frame.fields.into_iter().nth(2).ok_or(unknown)?)
        }
        b'C' => BridgeMessage::Control(frame.fields.into_iter().nth(1).ok_or(unknown)?),
        b'U' => BridgeMessage::Usage { rss_bytes: frame.number(1)?, cpu_us: frame.number(2)? },
        b'F' => BridgeMessage::Finished(used(&frame, 1)?),
        b'X' => {
            let (code, signal): (i32, i32) = (frame.number(1)?, frame.number(2)?);
            let ending =
                ExitKind { code: (code >= 0).then_some(code), signal: (signal > 0).then_some(signal) };
            BridgeMessage::Exited { ending, out_of_memory: frame.field(3)? == b"1", used: used(&frame, 4)? }
        }
        _ => return Err(unknown),
    })
}

fn used(frame: &WireFrame, at: usize) -> Result<ResourceUse, FrameError> {
    Ok(ResourceUse {
        cpu_us: frame.number(at)?,
        peak_rss_bytes: frame.number(at + 1)?,
        processes: frame.number(at + 2)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::frames::FrameDecoder;
    use proptest::prelude::*;

    fn told(kind: u8, fields: &[&[u8]]) -> Result<BridgeMessage, FrameError> {
        let mut decoder = FrameDecoder::new(MAX_FRAME_BYTES);
        decoder.push(&encode(kind, fields.iter().copied()));
        decode(decoder.next_frame().unwrap().unwrap(), &[7; 16])
    }

    #[test]
    fn frames_of_the_bridge() {
        let mark: &[u8] = &[7; 16];
        assert_eq!(told(b'P', &[mark]), Ok(BridgeMessage::Spawned));
        assert_eq!(
            told(b'O', &[mark, b"2", b"no\xff"]),
            Ok(BridgeMessage::Output(Stream::Stderr, b"no\xff".to_vec()))
        );
        let Ok(BridgeMessage::Exited { ending, out_of_memory, used }) =
            told(b'X', &[mark, b"-1", b"9", b"1", b"1000", b"4096", b"3"])
        else {
            panic!()
        };
        assert_eq!((ending.code, ending.signal, out_of_memory), (None, Some(9), true));
        assert_eq!((used.cpu_us, used.peak_rss_bytes, used.processes), (1000, 4096, 3));
    }

    #[test]
    fn another_mark_is_refused() {
        assert_eq!(told(b'O', &[&[8; 16], b"1", b"forged"]), Err(FrameError::Unknown(b'O')));
        assert_eq!(told(b'O', &[]), Err(FrameError::Unknown(b'O')));
    }

    proptest! {
        #[test]
        fn any_fields(kind in any::<u8>(), fields in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 0..9)) {
            let mut all = vec![vec![7; 16]];
            all.extend(fields);
            let fields: Vec<&[u8]> = all.iter().map(Vec::as_slice).collect();
            let _ = told(kind, &fields);
        }
    }
}
