//! The format of a session file: one [`Entry`](crate::domain::Entry), one line of JSON.
//!
//! The types define their format by serde. A rename in the code that would break old files breaks a test first, which
//! compares with frozen bytes (`tests/frozen.rs`). Pure: text in, values out; `reader` and `writer` handle the files.
//!
//! A line is `{"v":1,"seq":12,"at":"…","kind":"decision",…,"prev":"…","crc":"…"}`: `crc` is the CRC-32 of the line
//! without its `crc` field, and `prev` is the `crc` of the line before. They detect damage and accidental edits, but
//! are no signature. In front of `crc` is `mac`, the seal of the installation that wrote the line (`store/seal.rs`).
//! Unknown fields are ignored.

mod entry;
mod fields;
mod file_name;
mod frame;
mod line_error;
mod masking;
mod output;
mod run;

pub(crate) use entry::{LineContent, decode, encode, fields_of};
#[cfg(test)]
pub(crate) use fields::Fields;
pub(crate) use frame::{
    ChainLink, Crc, Frame, LineFault, SealedLine, open, peek_version, seal, stored_crc, stored_mac,
};
pub(crate) use output::{ExternalOutput, blob_for, restore_blob};

/// The version of the format that this program writes, and the newest that it reads.
pub(crate) const VERSION: u64 = 1;

/// Larger output is stored in a file of its own beside the session.
pub(crate) const INLINE_OUTPUT: usize = 64 << 10;

#[cfg(test)]
mod tests;
