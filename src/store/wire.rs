//! The form of a session file: one [`Entry`](crate::domain::Entry), one line of JSON.
//!
//! The types tell by serde how they stand in it; a rename in the code that would break old files breaks a test here
//! first, which compares with bytes that were frozen (`tests/frozen.rs`). Pure: text in, values out; files are the
//! business of `reader` and `writer`. A line is `{"v":1,"seq":12,"at":"…","kind":"decision",…,"prev":"…","crc":"…"}`:
//! `crc` is the CRC-32 of the line without its `crc` field, `prev` the `crc` of the line before. They detect damage and
//! edits; they are no signature. In front of `crc` stands `mac`, the seal of the installation that wrote the line
//! (`store/seal.rs`). Fields that are not known are passed over.

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
    Crc, Frame, LineFault, Link, SealedLine, open, peek_version, seal, stored_crc, stored_mac,
};
pub(crate) use output::{ExternalOutput, blob_for, restore_blob};

/// The version of the format that this program writes, and the newest that it reads.
pub(crate) const VERSION: u64 = 1;

/// Output of more bytes than this is kept in a file of its own beside the session.
pub(crate) const INLINE_OUTPUT: usize = 64 << 10;

#[cfg(test)]
mod tests;
