//! The composition root: makes a driver with a new or a resumed session from the configuration and the options.
//!
//! Every front end and every command starts here, so that a session is set up the same way everywhere. This module
//! shows nothing and parses no command line; its callers do.

pub(crate) mod borders;
pub(crate) mod branching;
mod catalogue;
pub(crate) mod factory;
mod key_command;
mod keys;
mod languages;
pub(crate) mod log;
pub(crate) mod opening;
mod process_context;
pub(crate) mod replaying;
mod rules;
mod runs;
mod settings;
pub(crate) mod setup;
mod source;
pub(crate) mod terminal_options;
mod zone;
pub(crate) use zone::local as local_zone;
