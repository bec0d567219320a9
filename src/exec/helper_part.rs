//! The argument after `sayso __run`, which chooses the part of the helper. Without one it is the supervisor.

/// Enter a control group, then become the program that follows.
pub const JOIN: &str = "join";
/// Become the program that was approved.
pub(crate) const EXEC: &str = "exec";
/// Test the sandbox from inside.
pub const TEST: &str = "test";
pub(crate) const DECODE: &str = "decode";
