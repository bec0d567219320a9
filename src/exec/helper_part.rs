//! The words behind `sayso __run`: which part of the helper is meant. Without one it is the supervisor.

/// Enter a control group, and then become what follows.
pub const JOIN: &str = "join";
/// Become the program that was approved.
pub(crate) const EXEC: &str = "exec";
/// Test the sandbox from inside.
pub const TEST: &str = "test";
pub(crate) const DECODE: &str = "decode";
