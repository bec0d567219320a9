//! Small things about texts that several rooms do alike. Pure; imports nothing, knows nothing of the session.
//!
//! - `shell`: words of a shell

pub mod shell;
