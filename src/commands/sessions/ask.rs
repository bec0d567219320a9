//! Asks before something irreversible is done: the default is no, and so is the answer if nobody can be asked.

use super::super::Console;
use crate::report::{Failure, FailureClass};
use std::io::{self, IsTerminal as _};

/// Asks on the terminal. `nothing` says what was not done after a no (`nothing was removed`), `about` names what the
/// question is about, `without` says how to do it without a question.
///
/// # Errors
/// If the answer is no, or nobody can be asked.
pub(super) fn confirm(
    question: &str,
    (nothing, about, without): (&str, &str, &str),
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        let told = format!("{nothing}: nobody is there to be asked about {about}");
        return Err(Failure::new(FailureClass::Decision, told).hint(without));
    }
    write!(console.err, "{question} [y/N] ")?;
    console.err.flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    if is_yes(&answer) {
        return Ok(());
    }
    writeln!(console.err, "{nothing}")?;
    Err(Failure::already_reported(FailureClass::Decision))
}

/// Whether an answer to `[y/N]` is a yes.
fn is_yes(answer: &str) -> bool {
    let answer = answer.trim();
    answer.eq_ignore_ascii_case("y") || answer.eq_ignore_ascii_case("yes")
}

#[cfg(test)]
mod tests {
    use super::is_yes;

    #[test]
    fn only_a_yes_is_one() {
        assert!(["y", "Y", "yes\n", " Yes "].into_iter().all(is_yes));
        assert!(["", "\n", "n", "yep", "y y", "no"].into_iter().all(|answer| !is_yes(answer)));
    }
}
