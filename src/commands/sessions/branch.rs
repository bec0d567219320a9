//! `sayso sessions fork`: begins a branch of a session; the session itself does not change.

use super::{Console, find};
use crate::domain::visible::visible_line;
use crate::domain::{BranchPoint, session_name};
use crate::report::{Failure, FailureClass};
use crate::session::branching::BranchError;
use crate::session::factory::SessionFactory;
use crate::text::number::counted;

pub(super) fn run(
    factory: &SessionFactory,
    session: &str,
    (point, name): (BranchPoint, Option<String>),
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let name = name.as_deref().map(session_name).transpose();
    let name = name.map_err(|why| Failure::new(FailureClass::Usage, why.to_string()))?.map(str::to_owned);
    let summary = find(&factory.loaded.sessions(), session)?;
    let made = super::super::block_on(factory.branch(&summary.path, point, name))?;
    let branch = made.map_err(|error| {
        let class = match error {
            BranchError::Place(_) => FailureClass::Usage,
            _ => FailureClass::Session,
        };
        Failure::new(class, format!("no branch of {}: {error}", visible_line(summary.label())))
    })?;
    let id = branch.path.file_stem().unwrap_or_default().to_string_lossy();
    let (name, of) = (visible_line(&branch.name), visible_line(summary.label()));
    match branch.messages {
        0 => writeln!(console.out, "{name}  begins before the first message of {of}")?,
        many => writeln!(console.out, "{name}  begins with {} of {of}", counted(many, "message"))?,
    }
    writeln!(console.out, "Go on: sayso resume {id}")?;
    Ok(())
}
