//! Small things about texts that several rooms do alike. Pure; imports nothing, knows nothing of the session.
//!
//! - `near`: suggestions - `shell`: words of a shell

pub mod near;
pub mod shell;
