//! `sayso sessions compare`: shows where two sessions diverge, and what each asked, ran and printed from there.

use super::{Console, find, seal, unreadable};
use crate::domain::visible::visible_line;
use crate::driver::compare_sessions;
use crate::export::columns;
use crate::report::Failure;
use crate::session::factory::SessionFactory;
use std::io::{self, IsTerminal as _};

/// The width in columns if the output is not a terminal.
const DEFAULT_WIDTH: usize = 140;

pub(super) fn run(
    factory: &SessionFactory,
    (left, right): (&str, &str),
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let folder = factory.loaded.sessions();
    let (left, right) = (find(&folder, left)?, find(&folder, right)?);
    let seal = seal(&factory.loaded.paths.state, console)?;
    let compared = compare_sessions(&left, &right, seal.as_ref()).map_err(|error| unreadable(&error))?;
    for damage in &compared.damage {
        writeln!(console.err, "warning: {}", visible_line(damage))?;
    }
    let width = if io::stdout().is_terminal() {
        crossterm::terminal::size().map_or(DEFAULT_WIDTH, |(columns, _)| usize::from(columns))
    } else {
        DEFAULT_WIDTH
    };
    for line in columns::lines(&compared.comparison, width) {
        writeln!(console.out, "{}", line.text)?;
    }
    Ok(())
}
