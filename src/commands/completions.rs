//! `sayso completions` and `sayso man`: generated from the definition of the command line, so that they always agree
//! with it.

use super::Console;
use crate::cli::Cli;
use crate::report::Failure;
use clap::CommandFactory as _;

pub(super) fn completions(shell: clap_complete::Shell, console: &mut Console<'_>) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "sayso", &mut text);
    Ok(console.out.write_all(&text)?)
}

pub(super) fn man(console: &mut Console<'_>) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut text)?;
    Ok(console.out.write_all(&text)?)
}
