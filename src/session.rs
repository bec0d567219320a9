//! The composition root: from the command line and the configuration to a driver with a new or an old session.
//!
//! Every front end and every command starts here, so that a session is the same thing everywhere. Nothing is shown
//! from here, and no command line is read: both are the callers'.

pub(crate) mod borders;
pub(crate) mod branching;
mod catalogue;
pub(crate) mod factory;
mod key_command;
mod keys;
mod languages;
pub(crate) mod log;
pub(crate) mod look;
pub(crate) mod opening;
mod place;
pub(crate) mod replaying;
mod rules;
mod runs;
mod settings;
pub(crate) mod setup;
mod source;
mod zone;
pub(crate) use zone::local as local_zone;
