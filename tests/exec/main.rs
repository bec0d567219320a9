//! Real runs: through the helper, with the interpreters of this machine.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::format_collect
)]

mod beside;
mod between;
mod bytes;
#[cfg(feature = "docker")]
mod container;
mod endings;
mod everyday;
mod functions;
mod helper;
mod interrupts;
#[cfg(feature = "jupyter")]
mod jupyter;
#[cfg(feature = "jupyter")]
#[path = "../support/jupyter_server.rs"]
mod jupyter_server;
mod kernel;
mod languages;
mod limits;
mod packages;
mod pictures;
mod programs;
mod reach;
mod recipes;
mod sandbox;
mod screens;
mod shown;
mod support;
mod terminals;
mod truth;
