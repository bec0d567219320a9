//! The start: parses the command line, runs a subcommand or the terminal front end, and returns the exit code.
//! Sessions are put together in `session`.

mod choice;
mod folder;
mod front_end;
mod opening;
mod start;
mod terminal;

use crate::cli::{self, Cli, Subcommand};
use crate::commands::{self, Console};
use crate::report::{Failure, FailureClass};
use clap::Parser as _;
use std::io::{self, Write as _};
use std::process::ExitCode;

/// Parses the command line and does what it asks for.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let (mut out, mut err) = (io::stdout().lock(), io::stderr().lock());
    let done = perform(cli, &mut Console { out: &mut out, err: &mut err });
    match done.and_then(|()| Ok(out.flush()?)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.write_to(&mut err).ok();
            ExitCode::from(failure.kind.code())
        }
    }
}

fn perform(cli: Cli, console: &mut Console<'_>) -> Result<(), Failure> {
    match cli.command {
        Some(Subcommand::Resume(_)) if cli.session.is_some() => {
            Err(Failure::new(FailureClass::Usage, "--session and resume each name a session")
                .hint("sayso --session FILE, or sayso resume NAME"))
        }
        Some(Subcommand::Resume(ref args)) if cli.words.is_empty() && cli.rest.is_empty() => {
            terminal::run(&cli, Some(args.clone()), None, console.out)
        }
        Some(_) if cli.session.is_some() || cli.from.is_some() => {
            Err(Failure::new(FailureClass::Usage, "--session and --from are for the terminal alone")
                .hint("sayso --session FILE, or sayso --from FILE"))
        }
        Some(command) if cli.words.is_empty() && cli.rest.is_empty() => {
            commands::perform(command, &cli.model, &cli.recipe, console)
        }
        Some(_) => Err(Failure::new(FailureClass::Usage, "a prompt and a command were given")
            .hint("Put the prompt in quotes behind the command: sayso run \"plot sales.csv\"")),
        None => {
            let prompt = cli::first_prompt(&cli.words, &cli.rest);
            let prompt =
                prompt.map_err(|e| Failure::new(FailureClass::Usage, e.to_string()).hint(e.hint()))?;
            terminal::run(&cli, None, prompt, console.out)
        }
    }
}

/// Prints clap's message. Help and version requests succeed; everything else is a usage error.
fn usage(error: &clap::Error) -> ExitCode {
    error.print().ok();
    if error.use_stderr() { ExitCode::from(FailureClass::Usage.code()) } else { ExitCode::SUCCESS }
}
