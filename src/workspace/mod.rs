//! The person's files: what stands in the places that a block names, and the few files that are written on request.
//!
//! It looks and writes only where it is told to, follows no link out of a folder that it was given, and runs nothing.

pub mod facts;
pub mod folder;
pub mod names;
pub mod write;

pub use facts::{Budget, Facts, Kind};
pub use folder::FolderError;
pub use write::WriteError;
