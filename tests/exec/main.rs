//! Runs, for real: through the helper, with the interpreters of this machine.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::format_collect
)]

mod bytes;
#[cfg(feature = "docker")]
mod container;
mod endings;
#[cfg(feature = "jupyter")]
mod jupyter;
mod kernel;
mod programs;
mod sandbox;
mod speed;
mod support;
