//! Runs the subcommands, one file each. A command reads its input, does one thing, and writes through a [`Console`].
//!
//! It ends with `Ok`, or with a [`Failure`] that knows its exit code. No command opens the terminal interface.

pub(crate) mod begin;
mod blocks;
mod check;
mod completions;
mod config;
mod doctor;
mod exec;
mod input;
mod models;
mod recipes;
mod run;
mod sessions;

use crate::cli::{ModelArgs, RecipeArgs, Subcommand};
use crate::report::{self, Failure, FailureClass};
use crate::session::factory::SessionFactory;
use crate::session::setup;
use std::future::Future;
use std::io::Write;

/// The standard output and standard error of a command.
pub(crate) struct Console<'a> {
    pub(crate) out: &'a mut dyn Write,
    pub(crate) err: &'a mut dyn Write,
}

/// Runs a subcommand; `outer` and `recipe` are the options given before its name. `resume` opens the terminal and is
/// refused here.
///
/// # Errors
/// Why the command did not succeed; unless it says `already_reported`, standard error does not show it yet.
pub(crate) fn perform(
    command: Subcommand,
    outer: &ModelArgs,
    recipe: &RecipeArgs,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    if !matches!(command, Subcommand::Run(_)) && *recipe != RecipeArgs::default() {
        return Err(Failure::new(FailureClass::Usage, "--recipe and --input are for sayso and sayso run")
            .hint("sayso --recipe NAME, or sayso run --recipe NAME"));
    }
    match command {
        Subcommand::Resume(_) => {
            Err(Failure::new(FailureClass::Usage, "a session is resumed in the terminal"))
        }
        Subcommand::Run(mut args) => {
            args.model = args.model.or(outer);
            args.recipe = args.recipe.or(recipe);
            block_on(run::run(args, console))?
        }
        Subcommand::Exec(mut args) => {
            args.cwd = args.cwd.or_else(|| outer.cwd.clone());
            args.executor = args.executor.or_else(|| outer.executor.clone());
            args.confine = args.confine.or(&outer.confine);
            block_on(exec::run(args, console))?
        }
        Subcommand::Check(args) => check::run(&args, outer, console),
        Subcommand::Blocks(args) => blocks::run(&args, outer, console),
        Subcommand::Sessions(command) => sessions::run(&command, outer, console),
        Subcommand::Config(command) => block_on(config::run(command, outer, console))?,
        Subcommand::Recipes(args) => recipes::run(args, outer, console),
        Subcommand::Models(args) => block_on(models::run(args, outer, console))?,
        Subcommand::Doctor(args) => block_on(doctor::run(args, outer, console))?,
        Subcommand::Completions { shell } => completions::completions(shell, console),
        Subcommand::Man => completions::man(console),
    }
}

/// Makes the factory of this process; prints what is wrong with its configuration.
fn factory(model: &ModelArgs, console: &mut Console<'_>) -> Result<SessionFactory, Failure> {
    factory_with(model, &setup::SessionOptions::default(), console)
}

fn factory_with(
    model: &ModelArgs,
    more: &setup::SessionOptions,
    console: &mut Console<'_>,
) -> Result<SessionFactory, Failure> {
    let factory = setup::factory(model, more)?;
    report::print_notices(&factory.loaded.notices, console.err)?;
    Ok(factory)
}

/// Runs work that waits for models or programs.
fn block_on<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime =
        runtime.map_err(|e| Failure::new(FailureClass::Work, format!("the system gives no threads: {e}")))?;
    let done = runtime.block_on(work);
    // A task that hangs must not keep the program from ending.
    runtime.shutdown_timeout(std::time::Duration::from_millis(500));
    Ok(done)
}
