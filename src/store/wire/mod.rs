//! The form of a session file: one [`Entry`](crate::domain::Entry), one line of JSON.
//!
//! Written by hand, not derived from the types: a rename in the code must not break old files. Pure: text in, values
//! out; files are the business of `reader` and `writer`. A line is
//! `{"v":1,"seq":12,"at":"…","kind":"decision",…,"prev":"…","crc":"…"}`: `crc` is the CRC-32 of the line without its
//! `crc` field, `prev` the `crc` of the line before. They detect damage and edits; they are no signature.

mod block;
mod decode;
mod decode_review;
mod decode_run;
mod encode;
mod fields;
mod frame;
mod json;
mod masking;
mod output;
mod recipe;
mod target;

pub(crate) use decode::{Decoded, decode};
pub(crate) use encode::encode;
#[cfg(test)]
pub(crate) use fields::Fields;
pub(crate) use fields::Reader;
pub(crate) use frame::{Crc, Frame, LineFault, Link, Sealed, open, peek_version, seal, stored_crc};
pub(crate) use output::{Outside, blob_for, restore_blob};

/// The version of the format that this program writes, and the newest that it reads.
pub(crate) const VERSION: u64 = 1;

/// Output of more bytes than this is kept in a file of its own beside the session.
pub(crate) const INLINE_OUTPUT: usize = 64 << 10;

#[cfg(test)]
mod guard;
#[cfg(test)]
mod tests;
