//! Encodes the orders to the bridge, process 1 of a kernel's container (`assets/bridge.py`), and decodes its messages.
//! Pure.
//!
//! Every frame from the bridge carries the token that the bridge was given at its start. A frame without it was not
//! written by the bridge; the channel is then not trusted any more.

use crate::domain::Stream;
use crate::exec::frames::{FrameError, WireFrame, encode};
use crate::exec::helper_wire::ResourceUse;
use crate::exec::kernel_wire::FrameToken;
use crate::exec::receipt::ExitKind;

pub(super) const MAX_FRAME_BYTES: usize = 1 << 20;

/// The first order: the token, the source of the kernel, the code that starts it, and its working folder.
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

/// The run has ended: end the processes it left behind, and report what it used.
pub(super) fn end() -> Vec<u8> {
    encode(b'E', [])
}

/// Send SIGINT to the process group of the kernel.
pub(super) fn interrupt() -> Vec<u8> {
    encode(b'I', [])
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BridgeMessage {
    /// The container is as restricted as it should be; the kernel runs.
    Spawned,
    /// The container allows more than it should; what. No kernel was started.
    Open(String),
    Output(Stream, Vec<u8>),
    /// Bytes from the kernel's control socket.
    Control(Vec<u8>),
    /// What the run uses at this moment.
    Usage {
        rss_bytes: u64,
        /// Processor time so far, microseconds.
        cpu_us: u64,
    },
    /// The run has ended, and the processes it left behind too.
    Finished(ResourceUse),
    Exited {
        ending: ExitKind,
        /// Whether the system killed a process because memory ran out.
        out_of_memory: bool,
        used: ResourceUse,
    },
}

/// Reads a frame of the bridge.
///
/// # Errors
/// When it is not a known message, or carries another token.
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
            BridgeMessage::Output(stream, frame.into_field(2)?)
        }
        b'C' => BridgeMessage::Control(frame.into_field(1)?),
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
        let expected = Ok(BridgeMessage::Output(Stream::Stderr, b"no\xff".to_vec()));
        assert_eq!(told(b'O', &[mark, b"2", b"no\xff"]), expected);
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
