//! Small things about texts that several rooms do alike. Pure; imports nothing, knows nothing of the session.
//!
//! - `near`: suggestions - `number`: thousands and sizes - `shell`: words of a shell

pub mod near;
pub mod number;
pub mod shell;
