//! Command line options of `sayso sessions`.

use super::argument::seconds;
use crate::domain::{BranchPoint, Outcome, SandboxLevel};
use crate::export::ExportFormat;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::time::Duration;

/// `sayso sessions`.
#[derive(Clone, Debug, Subcommand)]
pub enum SessionsCommand {
    /// List the sessions, the one written last first
    List(SessionListArgs),
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
    /// Take keys and words out of a session that is there; tells what and where, and asks
    Redact(SessionRedactArgs),
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
    Prune(SessionPruneArgs),
}

/// `sayso sessions list`.
#[derive(Args, Clone, Debug)]
pub struct SessionListArgs {
    /// Each branch below the session that it left
    #[arg(long, conflicts_with = "json")]
    pub(crate) tree: bool,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// `sayso sessions prune`.
#[derive(Args, Clone, Debug)]
pub struct SessionPruneArgs {
    /// How long: 90d, 12w, or a date
    #[arg(long, value_name = "AGE")]
    pub(crate) older: String,
    /// Not those that you named
    #[arg(long)]
    pub(crate) keep_named: bool,
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
}

/// `sayso sessions redact`.
#[derive(Args, Clone, Debug)]
pub struct SessionRedactArgs {
    /// The session's id, the beginning of it, or its name
    #[arg(value_name = "ID|NAME")]
    pub(crate) session: String,
    /// A word to mask wherever it stands, beside what looks like a key; may be given again
    #[arg(long, value_name = "WORD")]
    pub(crate) word: Vec<String>,
    /// A file with such words, one a line; `-` is the standard input, so that none stands in the shell's history
    #[arg(long, value_name = "FILE")]
    pub(crate) words_from: Option<PathBuf>,
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
}

/// `sayso sessions search`.
#[derive(Args, Clone, Debug)]
pub struct SessionSearchArgs {
    /// What all has to be there; the last word may be the beginning of one, several words in quotes are a phrase. Without
    /// one, all that the filters leave: blocks by their language or outcome, else what was asked
    #[arg(
        value_name = "WORD",
        required_unless_present_any = ["folder", "since", "until", "language", "outcome", "model"]
    )]
    pub(crate) words: Vec<String>,
    /// Only sessions of this folder, or one below it
    #[arg(long, value_name = "PATH")]
    pub(crate) folder: Option<PathBuf>,
    /// Only what was written since: a date, or how long ago (90d, 12h)
    #[arg(long, value_name = "DATE|AGE")]
    pub(crate) since: Option<String>,
    /// Only what was written before: a date, or how long ago
    #[arg(long, value_name = "DATE|AGE")]
    pub(crate) until: Option<String>,
    /// Only blocks in this language, and what they printed
    #[arg(long, value_name = "NAME")]
    pub(crate) language: Option<String>,
    /// Only blocks that ended so, and what they printed
    #[arg(long, value_name = "OUTCOME", value_parser = Outcome::ALL_NAMES)]
    pub(crate) outcome: Option<String>,
    /// Only where a model answered whose name holds this
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// So many places at the most, three of a session
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) limit: u32,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// `sayso sessions export`.
#[derive(Args, Clone, Debug)]
pub struct SessionExportArgs {
    /// The session's id, the beginning of it, or its name
    #[arg(value_name = "ID|NAME")]
    pub(crate) session: String,
    /// md: Markdown; html: one page with all in it; ipynb: a Jupyter notebook; script: what was approved and ended well;
    /// json. Without it, what the ending of FILE says
    #[arg(long, value_name = "FORM")]
    pub(crate) format: Option<ExportFormat>,
    /// Write it here; without it, to the standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace the file that is there
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
    /// Mask what looks like a key
    #[arg(long)]
    pub(crate) redact: bool,
    /// Write it with what looks like a key in it
    #[arg(long, conflicts_with = "redact")]
    pub(crate) allow_secrets: bool,
}

/// `sayso sessions replay`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "It runs the bytes that were approved, once each, in a fresh and empty folder that is gone at the end; no \
                  model is asked, and the session and its folder stay as they are. Files that its blocks read are copied by \
                  --with or --copy: those that it changed as they were before, where the copies for undo are still there. \
                  Beside the folder nothing can be written, and a run may at most what it was allowed then and what is \
                  configured today. A session that another installation wrote, or that was changed, has to be \
                  adopted first: sayso sessions adopt.\n\n\
                  Exit codes: 0 all the same; 1 something differs; 2 something can't be repeated here; 5 the session is \
                  foreign or can't be read; 130 interrupted."
)]
pub struct SessionReplayArgs {
    /// The session's id, the beginning of it, or its name
    #[arg(value_name = "ID|NAME")]
    pub(crate) session: String,
    /// Copy this file or folder of the working folder into the fresh one; can be given many times
    #[arg(long = "with", value_name = "PATH")]
    pub(crate) with: Vec<PathBuf>,
    /// Copy the working folder, without what .gitignore leaves out, hidden files and folders, links, secrets,
    /// and what the session made
    #[arg(long, conflicts_with = "with")]
    pub(crate) copy: bool,
    /// Every byte has to be the same: times, durations, addresses, random names, paths and the order of sets too
    #[arg(long)]
    pub(crate) exact: bool,
    /// Go on behind a block that differs, or can't be repeated
    #[arg(long)]
    pub(crate) all: bool,
    /// Fetch the packages again that were installed for the session
    #[arg(long)]
    pub(crate) install: bool,
    /// Open the network to runs that had it open
    #[arg(long)]
    pub(crate) allow_network: bool,
    /// How runs are confined; if you name a level and it can't be enforced for files, nothing runs
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) sandbox: Option<SandboxLevel>,
    /// Seconds that each may take, in place of what it was allowed then
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,
    /// Write a JUnit report into this file
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// One JSON object a line for each run, and one for all
    #[arg(long)]
    pub(crate) json: bool,
}

/// `sayso sessions undo`.
#[derive(Args, Clone, Debug)]
pub struct SessionUndoArgs {
    /// The session's id, the beginning of it, or its name
    #[arg(value_name = "ID|NAME")]
    pub(crate) session: String,
    /// The block whose last run is meant; without it, the last run that changed something
    #[arg(long, value_name = "N")]
    pub(crate) block: Option<u32>,
    /// Only this file, as it is told; can be given many times
    #[arg(long = "file", value_name = "PATH")]
    pub(crate) files: Vec<String>,
    /// The other way: what was taken back is made again
    #[arg(long)]
    pub(crate) again: bool,
    /// Do it; without this, what would be done is told
    #[arg(long)]
    pub(crate) yes: bool,
}
