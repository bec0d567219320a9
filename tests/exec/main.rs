//! Runs, for real: through the helper, with the interpreters of this machine.

mod bytes;
mod endings;
mod kernel;
mod programs;
mod speed;
mod support;
