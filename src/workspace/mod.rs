//! The person's files: read bounded, written whole or not at all, counted for what a block names.
//!
//! This room does not decide what is read or written: a block that writes passes the gate like every other, and what is
//! written here was asked for by a key.

pub mod act;
pub mod changes;
pub mod error;
pub mod excerpt;
pub mod facts;
pub mod folder;
pub mod functions;
pub mod instructions;
pub mod leads;
pub mod listing;
pub mod names;
pub mod obeyed;
pub mod place;
pub mod protected;
pub mod read;
pub mod replace;
mod staging;
mod stamp;
pub mod target;
pub mod testing;
pub mod write;

pub use error::FileError;
