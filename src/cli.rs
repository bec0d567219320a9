//! The command line: what can be written there, and what is refused at once. It parses; it does nothing.

mod recipes;

pub use recipes::{RecipeArgs, RecipesArgs};

use crate::config::ExecutorChoice;
use crate::domain::{BranchPoint, Policy, SandboxLevel, Severity};
use crate::export::ExportFormat;
use clap::builder::PossibleValue;
use clap::{Args, Parser, Subcommand, ValueEnum};
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
    pub words: Vec<String>,
    /// What to ask first, in any number of words
    #[arg(last = true, value_name = "PROMPT", hide = true)]
    pub rest: Vec<String>,
    /// Where replies come from, and where to work
    #[command(flatten)]
    pub model: ModelArgs,
    /// Which recipe it begins with
    #[command(flatten)]
    pub recipe: RecipeArgs,
    /// Open or make this session file
    #[arg(long, value_name = "FILE")]
    pub session: Option<PathBuf>,
    /// Begin with this file: a notebook (.ipynb), Markdown or a script; its blocks wait for you
    #[arg(long, value_name = "FILE", conflicts_with_all = ["words", "rest", "session", "recipe"])]
    pub from: Option<PathBuf>,
    /// The theme
    #[arg(long, value_name = "NAME")]
    pub theme: Option<String>,
    /// Lines that are only added instead of panes: for screen readers and simple terminals
    #[arg(long)]
    pub plain: bool,
    /// What to do instead of opening the terminal
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Where replies come from, and where to work.
#[derive(Args, Clone, Debug, Default)]
pub struct ModelArgs {
    /// Play a story instead of asking a model: a shipped one by its name, or a file
    #[arg(long, value_name = "STORY", num_args = 0..=1, default_missing_value = DEFAULT_STORY)]
    pub demo: Option<String>,
    /// The model, as PROVIDER/MODEL
    #[arg(long, value_name = "PROVIDER/MODEL")]
    pub model: Option<String>,
    /// The address of the model's server
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// The working folder
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    /// What carries out runs: local, container, container:IMAGE, jupyter, jupyter:KERNEL
    #[arg(long, value_name = "NAME")]
    pub executor: Option<ExecutorChoice>,
    /// How runs are confined
    #[command(flatten)]
    pub confine: ConfineArgs,
}

/// How runs are confined.
#[derive(Args, Clone, Debug, Default)]
pub struct ConfineArgs {
    /// How runs are confined; a level that is named is had, or nothing runs
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub sandbox: Option<SandboxLevel>,
    /// Let runs read this folder too
    #[arg(long, value_name = "DIR")]
    pub allow_read: Vec<PathBuf>,
    /// Let runs write this folder too
    #[arg(long, value_name = "DIR")]
    pub allow_write: Vec<PathBuf>,
    /// Open the network to runs
    #[arg(long)]
    pub allow_network: bool,
    /// Memory of all processes of a run together, in MiB
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub memory: Option<u64>,
    /// Processes and threads of a run at the same time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub processes: Option<u32>,
}

impl ConfineArgs {
    /// What was given here, else what was given in front of the subcommand; folders come together.
    #[must_use]
    pub fn or(self, outer: &ConfineArgs) -> Self {
        let both = |here: Vec<PathBuf>, outer: &[PathBuf]| outer.iter().cloned().chain(here).collect();
        Self {
            sandbox: self.sandbox.or(outer.sandbox),
            allow_read: both(self.allow_read, &outer.allow_read),
            allow_write: both(self.allow_write, &outer.allow_write),
            allow_network: self.allow_network || outer.allow_network,
            memory: self.memory.or(outer.memory),
            processes: self.processes.or(outer.processes),
        }
    }
}

/// The story of `--demo` without a name.
pub const DEFAULT_STORY: &str = "tour";

impl ModelArgs {
    /// What was given here, else what was given in front of the subcommand.
    #[must_use]
    pub fn or(self, outer: &ModelArgs) -> Self {
        Self {
            demo: self.demo.or_else(|| outer.demo.clone()),
            model: self.model.or_else(|| outer.model.clone()),
            base_url: self.base_url.or_else(|| outer.base_url.clone()),
            cwd: self.cwd.or_else(|| outer.cwd.clone()),
            executor: self.executor.or_else(|| outer.executor.clone()),
            confine: self.confine.or(&outer.confine),
        }
    }
}

/// What can be done beside opening the terminal.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
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
    /// List, show or remove sessions
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
    pub session: Option<String>,
    /// The session that was written last
    #[arg(long)]
    pub last: bool,
    /// Lines that are only added instead of panes
    #[arg(long)]
    pub plain: bool,
    /// Where replies come from
    #[command(flatten)]
    pub model: ModelArgs,
}

/// `sayso run`.
#[derive(Args, Clone, Debug)]
pub struct RunArgs {
    /// What to ask; `-` reads it from standard input
    #[arg(value_name = "PROMPT|-")]
    pub words: Vec<String>,
    /// What to ask, in any number of words
    #[arg(last = true, value_name = "PROMPT", hide = true)]
    pub rest: Vec<String>,
    /// Which blocks may run without being asked about
    #[arg(long, value_enum, default_value_t = Policy::Ask)]
    pub approve: Policy,
    /// One JSON object a line for each event
    #[arg(long)]
    pub json: bool,
    /// Give the files that the prompt names behind `@`; for a prompt that you wrote yourself
    #[arg(long)]
    pub files: bool,
    /// How many replies the turn may take
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_steps: Option<u32>,
    /// Which recipe it follows
    #[command(flatten)]
    pub recipe: RecipeArgs,
    /// Where replies come from, and where to work
    #[command(flatten)]
    pub model: ModelArgs,
}

impl ValueEnum for Policy {
    fn value_variants<'a>() -> &'a [Self] {
        &[Policy::Ask, Policy::Clean, Policy::All]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Policy::Ask => value("never", "None: a block ends the run with exit code 10"),
            Policy::Clean => value("clean", "Those that the review finds nothing medium or high in"),
            Policy::All => value("all", "All"),
        })
    }
}

impl ValueEnum for SandboxLevel {
    fn value_variants<'a>() -> &'a [Self] {
        &[SandboxLevel::ReadOnly, SandboxLevel::Workspace, SandboxLevel::Off]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            SandboxLevel::ReadOnly => "The working folder can be read, not written",
            SandboxLevel::Workspace => {
                "The working folder can be read and written (the default, as far as it can be had)"
            }
            SandboxLevel::Off => "Not at all: code can do anything that your account can",
        };
        Some(value(self.as_str(), help))
    }
}

impl ValueEnum for Severity {
    fn value_variants<'a>() -> &'a [Self] {
        &[Severity::High, Severity::Medium, Severity::Info]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Severity::High => "High ones",
            Severity::Medium => "Medium and high ones",
            Severity::Info => "All",
        };
        Some(value(self.as_str(), help))
    }
}

fn value(word: &'static str, help: &'static str) -> PossibleValue {
    PossibleValue::new(word).help(help)
}

/// `sayso exec`.
#[derive(Args, Clone, Debug)]
pub struct ExecArgs {
    /// Files with code; `-` reads it from standard input
    #[arg(value_name = "FILE|-", required = true)]
    pub files: Vec<PathBuf>,
    /// The language of all of them, instead of what their extensions say
    #[arg(long, value_name = "NAME")]
    pub language: Option<String>,
    /// Seconds that each may take
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// The folder in which they start
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    /// What carries them out: local, container, container:IMAGE, jupyter, jupyter:KERNEL
    #[arg(long, value_name = "NAME")]
    pub executor: Option<ExecutorChoice>,
    /// Fetch images of containers that are missing
    #[arg(long)]
    pub pull: bool,
    /// How runs are confined
    #[command(flatten)]
    pub confine: ConfineArgs,
    /// Keep no session: output that is too long to be told, and images, are gone at the end
    #[arg(long)]
    pub no_session: bool,
    /// One JSON object a line for each file
    #[arg(long)]
    pub json: bool,
}

/// `sayso check`.
#[derive(Args, Clone, Debug)]
pub struct CheckArgs {
    /// Files with code, or folders of them; `-` reads it from standard input
    #[arg(value_name = "FILE|-", required_unless_present = "rules")]
    pub files: Vec<PathBuf>,
    /// The language of all of them, instead of what their extensions say
    #[arg(long, value_name = "NAME")]
    pub language: Option<String>,
    /// One JSON object
    #[arg(long)]
    pub json: bool,
    /// A SARIF 2.1.0 log, for code hosts and editors
    #[arg(long, conflicts_with = "json")]
    pub sarif: bool,
    /// List all rules instead, the shipped ones and those in rules/*.toml of the configuration
    #[arg(long, conflicts_with_all = ["sarif", "files"])]
    pub rules: bool,
    /// From which severity on a finding is a failure
    #[arg(long, value_enum, default_value_t = Severity::High)]
    pub fail_on: Severity,
    /// A file that was not checked in full is no failure
    #[arg(long)]
    pub allow_unchecked: bool,
}

/// `sayso blocks`.
#[derive(Args, Clone, Debug)]
pub struct BlocksArgs {
    /// A Markdown file; `-` reads standard input
    #[arg(value_name = "FILE|-")]
    pub file: PathBuf,
    /// One JSON object
    #[arg(long)]
    pub json: bool,
}

/// `sayso sessions`.
#[derive(Clone, Debug, Subcommand)]
pub enum SessionsCommand {
    /// List the sessions, the one written last first
    List {
        /// Each branch below the session that it left
        #[arg(long, conflicts_with = "json")]
        tree: bool,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Find sessions by what was said and done in them: prompts, replies, code, outputs, names of files
    Search(SessionSearchArgs),
    /// Show what was said and done in a session
    Show {
        /// The session's id, the beginning of it, or its name
        #[arg(value_name = "ID|NAME")]
        session: String,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Begin a branch: a new session that begins as this one was at some place; this one stays as it is
    Fork {
        /// The session's id, the beginning of it, or its name
        #[arg(value_name = "ID|NAME")]
        session: String,
        /// Before the block, which waits again, or before the message, which can be changed: block:3, message:2; without
        /// it, behind all that is there
        #[arg(long, value_name = "PLACE", default_value = "", hide_default_value = true)]
        at: BranchPoint,
        /// What to call it
        #[arg(long)]
        name: Option<String>,
    },
    /// Show where two sessions part, and from there what was asked, run and printed, side by side
    Compare {
        /// One session's id, the beginning of it, or its name
        #[arg(value_name = "ID|NAME")]
        left: String,
        /// The other one
        #[arg(value_name = "ID|NAME")]
        right: String,
    },
    /// Write a session in a form for others; keys that stand in it are named, and stop it
    Export(SessionExportArgs),
    /// Tell all that is wrong with the files of sessions; nothing is changed
    Check {
        /// The session's id, the beginning of it, or its name; without it, all of them
        #[arg(value_name = "ID|NAME")]
        session: Option<String>,
    },
    /// Take over a session that another installation wrote, or an older sayso: what it tells of approvals counts then
    Adopt {
        /// The session's id, the beginning of it, or its name
        #[arg(value_name = "ID|NAME")]
        session: String,
        /// Do it; without this, what would be taken over is told
        #[arg(long)]
        yes: bool,
    },
    /// Run what ran in a session again, in a fresh folder, and tell the first block that does something else
    Replay(SessionReplayArgs),
    /// Take back what a run of a session changed, file by file; without --yes it tells what that would do
    Undo(SessionUndoArgs),
    /// Give a session another name
    Rename {
        /// The session's id, the beginning of it, or its name
        #[arg(value_name = "ID|NAME")]
        session: String,
        /// What to call it
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Remove sessions with their outputs; asks before it does
    Rm {
        /// The sessions' ids, the beginnings of them, or their names
        #[arg(value_name = "ID|NAME", required = true)]
        sessions: Vec<String>,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// Remove all sessions that nothing was written to for a while; asks before it does
    Prune {
        /// How long: 90d, 12w, or a date
        #[arg(long, value_name = "AGE")]
        older: String,
        /// Not those that you named
        #[arg(long)]
        keep_named: bool,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

/// `sayso sessions search`.
#[derive(Args, Clone, Debug)]
pub struct SessionSearchArgs {
    /// What all has to be there; the last word may be the beginning of one, several words in quotes are a phrase
    #[arg(value_name = "WORD", required = true)]
    pub words: Vec<String>,
    /// Only sessions of this folder, or one below it
    #[arg(long, value_name = "PATH")]
    pub folder: Option<PathBuf>,
    /// Only what was written since: a date, or how long ago (90d, 12h)
    #[arg(long, value_name = "DATE|AGE")]
    pub since: Option<String>,
    /// Only what was written before: a date, or how long ago
    #[arg(long, value_name = "DATE|AGE")]
    pub until: Option<String>,
    /// Only blocks in this language, and what they printed
    #[arg(long, value_name = "NAME")]
    pub language: Option<String>,
    /// Only blocks that ended so, and what they printed
    #[arg(long, value_name = "OUTCOME", value_parser = OUTCOMES)]
    pub outcome: Option<String>,
    /// Only where a model answered whose name holds this
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// So many places at the most, three of a session
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub limit: u32,
    /// One JSON object
    #[arg(long)]
    pub json: bool,
}

/// What becomes of a block, in the words of session files.
const OUTCOMES: [&str; 11] = [
    "ok",
    "failed",
    "timed_out",
    "limit",
    "interrupted",
    "crashed",
    "refused",
    "not_started",
    "rejected",
    "skipped",
    "declined",
];

/// `sayso sessions export`.
#[derive(Args, Clone, Debug)]
pub struct SessionExportArgs {
    /// The session's id, the beginning of it, or its name
    #[arg(value_name = "ID|NAME")]
    pub session: String,
    /// md: Markdown; html: one page with all in it; ipynb: a Jupyter notebook; script: what was approved and ended well;
    /// json. Without it, what the ending of FILE says
    #[arg(long, value_name = "FORM")]
    pub format: Option<ExportFormat>,
    /// Write it here; without it, to the standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace the file that is there
    #[arg(long, requires = "output")]
    pub force: bool,
    /// Mask what looks like a key
    #[arg(long)]
    pub redact: bool,
    /// Write it with what looks like a key in it
    #[arg(long, conflicts_with = "redact")]
    pub allow_secrets: bool,
}

/// `sayso sessions replay`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "It runs the bytes that were approved, once each, in a fresh and empty folder that is gone at the end; no \
                  model is asked, and the session and its folder stay as they are. Files that its blocks read are copied by \
                  --with or --copy. Beside the folder nothing can be written, and a run may at most what it was allowed then \
                  and what is configured today. A session that another installation wrote, or that was changed, has to be \
                  adopted first: sayso sessions adopt.\n\n\
                  Exit codes: 0 all the same; 1 something differs; 2 something can't be repeated here; 5 the session is \
                  foreign or can't be read; 130 interrupted."
)]
pub struct SessionReplayArgs {
    /// The session's id, the beginning of it, or its name
    #[arg(value_name = "ID|NAME")]
    pub session: String,
    /// Copy this file or folder of the working folder into the fresh one; can be given many times
    #[arg(long = "with", value_name = "PATH")]
    pub with: Vec<PathBuf>,
    /// Copy the working folder, without what .gitignore leaves out, hidden folders, secrets, and what the session made
    #[arg(long, conflicts_with = "with")]
    pub copy: bool,
    /// Every byte has to be the same: times, durations, addresses, random names, paths and the order of sets too
    #[arg(long)]
    pub exact: bool,
    /// Go on behind a block that differs, or can't be repeated
    #[arg(long)]
    pub all: bool,
    /// Fetch the packages again that were installed for the session
    #[arg(long)]
    pub install: bool,
    /// Open the network to runs that had it open
    #[arg(long)]
    pub allow_network: bool,
    /// How runs are confined; a level that is named is had, or nothing runs
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub sandbox: Option<SandboxLevel>,
    /// Seconds that each may take, in place of what it was allowed then
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// Write a JUnit report into this file
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// One JSON object a line for each run, and one for all
    #[arg(long)]
    pub json: bool,
}

/// `sayso sessions undo`.
#[derive(Args, Clone, Debug)]
pub struct SessionUndoArgs {
    /// The session's id, the beginning of it, or its name
    #[arg(value_name = "ID|NAME")]
    pub session: String,
    /// The block whose last run is meant; without it, the last run that changed something
    #[arg(long, value_name = "N")]
    pub block: Option<u32>,
    /// Only this file, as it is told; can be given many times
    #[arg(long = "file", value_name = "PATH")]
    pub files: Vec<String>,
    /// The other way: what was taken back is made again
    #[arg(long)]
    pub again: bool,
    /// Do it; without this, what would be done is told
    #[arg(long)]
    pub yes: bool,
}

/// `sayso config`.
#[derive(Clone, Copy, Debug, Subcommand)]
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
    pub provider: Option<String>,
    /// One JSON object
    #[arg(long)]
    pub json: bool,
    /// The address of the provider's server
    #[arg(long, value_name = "URL", requires = "provider")]
    pub base_url: Option<String>,
}

/// `sayso doctor`.
#[derive(Args, Clone, Copy, Debug)]
pub struct DoctorArgs {
    /// One JSON object
    #[arg(long)]
    pub json: bool,
}

/// A prompt that was not written as one argument.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PromptError {
    /// Several words without quotes.
    #[error("a prompt is one argument, but {0} were given")]
    Words(usize),
    /// One word that looks like a mistyped command.
    #[error("there is no command {given:?}; did you mean {meant:?}?")]
    Mistyped {
        /// What was written.
        given: String,
        /// What is alike.
        meant: String,
    },
}

impl PromptError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            PromptError::Words(_) => {
                "Put it in quotes, or write it behind `--`: sayso -- plot sales.csv".into()
            }
            PromptError::Mistyped { given, .. } => format!("To ask it as a prompt: sayso -- {given}"),
        }
    }
}

/// The prompt of `words` (in front of `--`) and `rest` (behind it), if there is one.
pub fn prompt(words: &[String], rest: &[String]) -> Result<Option<String>, PromptError> {
    match (words, rest) {
        ([], []) => Ok(None),
        ([], rest) => Ok(Some(rest.join(" "))),
        ([word], []) => Ok(Some(word.clone())),
        (words, rest) => Err(PromptError::Words(words.len() + rest.len())),
    }
}

/// Like [`prompt`] for the place where a command could stand too.
pub fn first_prompt(words: &[String], rest: &[String]) -> Result<Option<String>, PromptError> {
    if let ([word], []) = (words, rest)
        && let Some(meant) = mistyped(word)
    {
        return Err(PromptError::Mistyped { given: word.clone(), meant });
    }
    prompt(words, rest)
}

/// The command that a word was probably meant for.
fn mistyped(word: &str) -> Option<String> {
    let commands = <Cli as clap::CommandFactory>::command();
    let names = commands.get_subcommands().map(clap::Command::get_name);
    names.filter(|_| !word.contains(char::is_whitespace)).find(|name| near(word, name)).map(str::to_owned)
}

/// Whether two words differ by one letter too many, too few or wrong. Stricter than a suggestion: a prompt is refused for
/// it.
fn near(a: &str, b: &str) -> bool {
    b.len() > 2 && strsim::levenshtein(a, b) <= 1
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "a number of seconds is needed, such as 2.5".to_owned())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if time >= Duration::from_millis(1) && seconds <= 1e7 => Ok(time),
        _ => Err("it has to be more than 0 and at most 10,000,000 seconds".into()),
    }
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
    fn a_prompt_is_one_argument_or_follows_dashes() {
        let of = |args: &[&str]| {
            let cli = parse(args).unwrap();
            first_prompt(&cli.words, &cli.rest)
        };
        assert_eq!(of(&["plot it"]), Ok(Some("plot it".into())));
        assert_eq!(of(&["--", "plot", "it", "--now"]), Ok(Some("plot it --now".into())));
        assert_eq!(of(&[]), Ok(None));
        assert_eq!(of(&["plot", "it"]), Err(PromptError::Words(2)));
        assert_eq!(of(&["plot", "--", "it"]), Err(PromptError::Words(2)));
        assert!(matches!(of(&["resum"]), Err(PromptError::Mistyped { meant, .. }) if meant == "resume"));
        assert_eq!(of(&["--", "resum"]), Ok(Some("resum".into())));
        assert_eq!(of(&["ls"]), Ok(Some("ls".into())));
    }

    #[test]
    fn run_takes_its_prompt_and_options_on_either_side() {
        let cli = parse(&["--demo", "tour", "run", "sum 1 to 10", "--json", "--approve", "all"]).unwrap();
        let Some(Command::Run(run)) = cli.command else { panic!() };
        assert_eq!(prompt(&run.words, &run.rest), Ok(Some("sum 1 to 10".into())));
        assert_eq!((run.approve, run.json), (Policy::All, true));
        assert_eq!(run.model.or(&cli.model).demo.as_deref(), Some("tour"));
        let cli = parse(&["run", "--demo", "three", "--max-steps", "3", "--", "go", "on"]).unwrap();
        let Some(Command::Run(run)) = cli.command else { panic!() };
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
        let Some(Command::Exec(exec)) = parse(&["exec", "--timeout", "1.5", "-"]).unwrap().command else {
            panic!()
        };
        assert_eq!(exec.timeout, Some(Duration::from_millis(1500)));
    }
}
