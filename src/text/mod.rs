//! Small things about texts that several rooms do alike. Pure; imports nothing, knows nothing of the session.
//!
//! - `line`: texts on one line - `located`: places in files - `near`: suggestions - `number`: thousands and sizes
//! - `shell`: words of a shell

pub mod line;
pub mod located;
pub mod near;
pub mod number;
pub mod shell;
