//! The person's files: reads them within limits, writes them atomically, finds what runs changed, and undoes it.
//!
//! This room does not decide what is read or written: a block that writes needs an approval like every other, and the
//! other writes here were requested by a key.

mod access;
pub(crate) mod act;
pub(crate) mod attached_files;
pub mod auto_run;
pub(crate) mod changes;
mod chown_rights;
pub(crate) mod contents;
pub(crate) mod copy;
pub(crate) mod error;
pub(crate) mod excerpt;
pub(crate) mod facts;
pub(crate) mod folder;
pub(crate) mod functions;
pub(crate) mod hard_links;
pub(crate) mod held_path;
pub mod instructions;
pub(crate) mod link_targets;
pub(crate) mod listing;
pub(crate) mod own_files;
pub(crate) mod paths;
pub(crate) mod protected_files;
pub(crate) mod python_modules;
pub(crate) mod read;
pub(crate) mod replace;
mod shared_maps;
mod staging;
mod stamp;
pub(crate) mod target;
pub(crate) mod test_markers;
pub mod undo;
pub(crate) mod undo_auto_run;
pub(crate) mod write;

pub use attached_files::AttachedFileError;
pub(crate) use error::FileError;
pub use paths::{FolderFiles, PathOfFile};
