//! Parses the command line and refuses what is invalid; does nothing else.

mod argument;
mod confine;
mod model;
mod prompt;
mod recipes;
mod sessions;
mod values;

pub(crate) use model::{DEFAULT_STORY, ModelArgs};
pub(crate) use prompt::{first_prompt, prompt};
pub(crate) use recipes::{RecipeArgs, RecipesArgs};
pub(crate) use sessions::{
    SessionExportArgs, SessionListArgs, SessionPruneArgs, SessionRedactArgs, SessionReplayArgs,
    SessionSearchArgs, SessionUndoArgs, SessionsCommand,
};

use crate::config::ExecutorChoice;
use crate::domain::{Policy, Severity};
use argument::seconds;
use clap::{Args, Parser};
use confine::ConfineArgs;
use std::path::PathBuf;
use std::time::Duration;

/// An interactive coding assistant for the terminal. Nothing runs without your say-so.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "sayso",
    version,
    disable_help_subcommand = true,
    after_help = "A prompt is one argument, or follows `--`:\n  sayso \"plot sales.csv\"\n  sayso -- plot sales.csv\n\n\
                  Exit codes: 0 done; 1 the work failed; 2 usage; 3 configuration; 4 provider; 5 session file;\n\
                  10 a decision is needed; 124 timed out; 130 interrupted."
)]
pub struct Cli {
    /// What to ask first
    #[arg(value_name = "PROMPT")]
    pub(crate) words: Vec<String>,
    /// What to ask first, in any number of words
    #[arg(last = true, value_name = "PROMPT", hide = true)]
    pub(crate) rest: Vec<String>,
    /// Where replies come from, and where to work
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Which recipe it begins with
    #[command(flatten)]
    pub(crate) recipe: RecipeArgs,
    /// Open or make this session file
    #[arg(long, value_name = "FILE")]
    pub(crate) session: Option<PathBuf>,
    /// Begin with this file: a notebook (.ipynb), Markdown or a script; its blocks wait for you
    #[arg(long, value_name = "FILE", conflicts_with_all = ["words", "rest", "session", "recipe"])]
    pub(crate) from: Option<PathBuf>,
    /// The theme
    #[arg(long, value_name = "NAME")]
    pub(crate) theme: Option<String>,
    /// Lines that are only added instead of panes: for screen readers and simple terminals
    #[arg(long)]
    pub(crate) plain: bool,
    /// What to do instead of opening the terminal
    #[command(subcommand)]
    pub(crate) command: Option<Subcommand>,
}

/// What can be done beside opening the terminal.
#[derive(Clone, Debug, clap::Subcommand)]
pub enum Subcommand {
    /// Reopen a session (without a name: choose one)
    Resume(ResumeArgs),
    /// Do one turn without a terminal
    Run(RunArgs),
    /// Run files in their order, in one session; naming them is the approval
    Exec(ExecArgs),
    /// Review files without running them
    Check(CheckArgs),
    /// List the blocks that a reply holds
    Blocks(BlocksArgs),
    /// List, find, compare, branch, export, replay, undo or remove sessions
    #[command(subcommand)]
    Sessions(SessionsCommand),
    /// Show, check or make the configuration
    #[command(subcommand)]
    Config(ConfigCommand),
    /// List the recipes: ways of working, with what each asks for
    Recipes(RecipesArgs),
    /// List the models that providers offer
    Models(ModelsArgs),
    /// Tell what was found on this machine, what is missing, and what that means
    Doctor(DoctorArgs),
    /// Write a completion script
    Completions {
        /// For which shell
        shell: clap_complete::Shell,
    },
    /// Write the manual page
    Man,
}

/// `sayso resume`.
#[derive(Args, Clone, Debug, Default)]
pub struct ResumeArgs {
    /// The session's id, the beginning of it, or its name
    #[arg(value_name = "ID|NAME", conflicts_with = "last")]
    pub(crate) session: Option<String>,
    /// The session that was written last
    #[arg(long)]
    pub(crate) last: bool,
    /// Open it at a place, as `sayso sessions search` tells it: block:3, output:3, message:2
    #[arg(long, value_name = "PLACE")]
    pub(crate) at: Option<String>,
    /// Go to the first of these words there, and mark them
    #[arg(long, value_name = "WORDS", requires = "at", allow_hyphen_values = true)]
    pub(crate) find: Option<String>,
    /// Lines that are only added instead of panes
    #[arg(long)]
    pub(crate) plain: bool,
    /// Where replies come from
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

/// `sayso run`.
#[derive(Args, Clone, Debug)]
pub struct RunArgs {
    /// What to ask; `-` reads it from standard input
    #[arg(value_name = "PROMPT|-")]
    pub(crate) words: Vec<String>,
    /// What to ask, in any number of words
    #[arg(last = true, value_name = "PROMPT", hide = true)]
    pub(crate) rest: Vec<String>,
    /// Which blocks may run without being asked about
    #[arg(long, value_enum, default_value_t = Policy::Ask)]
    pub(crate) approve: Policy,
    /// One JSON object a line for each event
    #[arg(long)]
    pub(crate) json: bool,
    /// Give the files that the prompt names behind `@`; for a prompt that you wrote yourself
    #[arg(long)]
    pub(crate) files: bool,
    /// How many replies the turn may take
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_steps: Option<u32>,
    /// Which recipe it follows
    #[command(flatten)]
    pub(crate) recipe: RecipeArgs,
    /// Where replies come from, and where to work
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

/// `sayso exec`.
#[derive(Args, Clone, Debug)]
pub struct ExecArgs {
    /// Files with code; `-` reads it from standard input
    #[arg(value_name = "FILE|-", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The language of all of them, instead of what their extensions say
    #[arg(long, value_name = "NAME")]
    pub(crate) language: Option<String>,
    /// Seconds that each may take
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,
    /// The folder in which they start
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// What carries them out: local, container, container:IMAGE, jupyter, jupyter:KERNEL
    #[arg(long, value_name = "NAME")]
    pub(crate) executor: Option<ExecutorChoice>,
    /// Fetch images of containers that are missing
    #[arg(long)]
    pub(crate) pull: bool,
    /// How runs are confined
    #[command(flatten)]
    pub(crate) confine: ConfineArgs,
    /// Keep no session: output that is too long to be told, and images, are gone at the end
    #[arg(long)]
    pub(crate) no_session: bool,
    /// One JSON object a line for each file
    #[arg(long)]
    pub(crate) json: bool,
}

/// `sayso check`.
#[derive(Args, Clone, Debug)]
pub struct CheckArgs {
    /// Files with code, or folders of them; `-` reads it from standard input
    #[arg(value_name = "FILE|-", required_unless_present = "rules")]
    pub(crate) files: Vec<PathBuf>,
    /// The language of all of them, instead of what their extensions say
    #[arg(long, value_name = "NAME")]
    pub(crate) language: Option<String>,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// A SARIF 2.1.0 log, for code hosts and editors
    #[arg(long, conflicts_with = "json")]
    pub(crate) sarif: bool,
    /// List all rules instead, the shipped ones and those in rules/*.toml of the configuration
    #[arg(long, conflicts_with_all = ["sarif", "files"])]
    pub(crate) rules: bool,
    /// From which severity on a finding is a failure
    #[arg(long, value_enum, default_value_t = Severity::High)]
    pub(crate) fail_on: Severity,
    /// A file that was not checked in full is no failure
    #[arg(long)]
    pub(crate) allow_unchecked: bool,
}

/// `sayso blocks`.
#[derive(Args, Clone, Debug)]
pub struct BlocksArgs {
    /// A Markdown file; `-` reads standard input
    #[arg(value_name = "FILE|-")]
    pub(crate) file: PathBuf,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// `sayso config`.
#[derive(Clone, Copy, Debug, clap::Subcommand)]
pub enum ConfigCommand {
    /// Where the files are
    Path,
    /// Read all files and tell what is wrong
    Check,
    /// Show every value with where it came from
    Show,
    /// Write the JSON schema
    Schema,
    /// Make a configuration file with every key and its default
    Init {
        /// Replace the file that is there
        #[arg(long)]
        force: bool,
    },
}

/// `sayso models`.
#[derive(Args, Clone, Debug, Default)]
pub struct ModelsArgs {
    /// Only this provider
    #[arg(value_name = "PROVIDER")]
    pub(crate) provider: Option<String>,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// The address of the provider's server
    #[arg(long, value_name = "URL", requires = "provider")]
    pub(crate) base_url: Option<String>,
}

/// `sayso doctor`.
#[derive(Args, Clone, Copy, Debug)]
pub struct DoctorArgs {
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    fn parse(args: &[&str]) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(std::iter::once("sayso").chain(args.iter().copied()))
    }

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn run_takes_its_prompt_and_options_on_either_side() {
        let cli = parse(&["--demo", "tour", "run", "sum 1 to 10", "--json", "--approve", "all"]).unwrap();
        let Some(Subcommand::Run(run)) = cli.command else { panic!() };
        assert_eq!(prompt(&run.words, &run.rest), Ok(Some("sum 1 to 10".into())));
        assert_eq!((run.approve, run.json), (Policy::All, true));
        assert_eq!(run.model.or(&cli.model).demo.as_deref(), Some("tour"));
        let cli = parse(&["run", "--demo", "three", "--max-steps", "3", "--", "go", "on"]).unwrap();
        let Some(Subcommand::Run(run)) = cli.command else { panic!() };
        assert_eq!(prompt(&run.words, &run.rest), Ok(Some("go on".into())));
        assert_eq!(run.model.demo.as_deref(), Some("three"));
    }

    #[test]
    fn demo_needs_no_name() {
        assert_eq!(parse(&["--demo"]).unwrap().model.demo.as_deref(), Some("tour"));
        assert_eq!(parse(&["--demo", "long"]).unwrap().model.demo.as_deref(), Some("long"));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for args in [
            &["exec"][..],
            &["exec", "a.py", "--timeout", "0"],
            &["exec", "a.py", "--timeout", "-1"],
            &["exec", "a.py", "--timeout", "nan"],
            &["run", "x", "--max-steps", "0"],
            &["run", "x", "--approve", "sometimes"],
            &["check"],
            &["resume", "x", "--last"],
            &["--nope"],
        ] {
            assert!(parse(args).is_err(), "{args:?}");
        }
        let Some(Subcommand::Exec(exec)) = parse(&["exec", "--timeout", "1.5", "-"]).unwrap().command else {
            panic!()
        };
        assert_eq!(exec.timeout, Some(Duration::from_millis(1500)));
    }
}
