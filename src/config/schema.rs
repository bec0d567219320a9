//! Defines the configuration as the program uses it. `Default`, here and in the parts of the configuration, is the only
//! place of the values that hold without any file.

use super::context::{Budget, Context, Instructions, PriceChoice};
use super::executors::{ExecutorChoice, Executors};
use super::optional_word::dialect;
use super::providers::Provider;
use super::review_settings::ReviewSettings;
use super::ui::{Editor, Ui};
use crate::domain::{Dialect, Languages, Limits, SandboxLevel};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The whole configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    /// The model that answers, `PROVIDER/MODEL`. See [`Config::chosen`].
    pub(crate) model: Option<String>,
    /// An address for the model's provider instead of its own. It holds only for that provider: see
    /// [`Provider::address`].
    pub(crate) base_url: Option<String>,
    /// The format in which the model should write code; `None` (`auto`): decided by provider and model.
    #[serde(with = "dialect")]
    pub(crate) dialect: Option<Dialect>,
    /// How many requests a turn may send to the model before it asks the person.
    pub(crate) step_limit: u32,
    /// How often the same code may be proposed in a turn before it asks the person.
    pub(crate) repeat_limit: u32,
    /// The guard of a decision.
    pub(crate) review: ReviewSettings,
    /// Which parts of a conversation are sent.
    pub(crate) context: Context,
    /// Instructions before every conversation.
    pub(crate) instructions: Instructions,
    /// What may be spent.
    pub(crate) budget: Budget,
    /// Prices of models by `PROVIDER/MODEL`; they override the shipped ones.
    pub(crate) prices: BTreeMap<String, PriceChoice>,
    /// How much a run may use.
    pub(crate) limits: RunLimits,
    /// How runs are confined.
    pub(crate) sandbox: Sandbox,
    /// Environment variables and the Python of runs.
    pub(crate) run: Run,
    /// The person's own functions.
    pub(crate) functions: Functions,
    /// What carries out runs.
    pub(crate) executor: ExecutorChoice,
    /// How executors other than this machine are reached.
    pub(crate) executors: Executors,
    /// Languages that can be run, by name. See [`Config::languages`].
    pub(crate) languages: BTreeMap<String, LanguageChoice>,
    /// The look of the terminal.
    pub(crate) ui: Ui,
    /// How texts are edited.
    pub(crate) editor: Editor,
    /// Copies of files made before runs.
    pub(crate) undo: Undo,
    /// Where sessions are kept.
    pub(crate) sessions: Sessions,
    /// Sources of replies, by name.
    pub(crate) providers: BTreeMap<String, Provider>,
}

/// How much a run may use, as configured in `[limits]`. Sizes are bytes.
///
/// [`Config::limits`] turns this into the [`Limits`] of a run. There are two types because session files and
/// approvals store `Limits` in a frozen form (milliseconds, other names), while these are the words of the
/// configuration (seconds), with `to_model`, which limits the text sent to the model and not the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct RunLimits {
    /// Seconds that a run may take.
    pub(crate) wall: u64,
    /// Bytes of each stream kept in memory and in the session.
    pub(crate) output: u64,
    /// Bytes of all output kept in a file beside the session.
    pub(crate) output_file: u64,
    /// Bytes of a run's output that are sent to the model.
    pub(crate) to_model: u64,
    /// Bytes of memory of all processes of a run together; 0: not limited.
    pub(crate) memory: u64,
    /// Processes and threads of a run at the same time; 0: not limited.
    pub(crate) processes: u32,
    /// Bytes of each file that a run writes; 0: not limited.
    pub(crate) file: u64,
    /// The most open files of each process of a run; 0: not limited.
    pub(crate) open_files: u32,
}

/// How runs are confined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Sandbox {
    /// How far they are confined.
    pub(crate) level: SandboxLevel,
    /// More folders that runs may read.
    pub(crate) read: Vec<PathBuf>,
    /// More folders that runs may write.
    pub(crate) write: Vec<PathBuf>,
    /// Whether the network is open to runs.
    pub(crate) network: bool,
}

/// Environment variables and the Python of runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Run {
    /// Names of environment variables that runs get in addition to the usual ones.
    pub(crate) environment: Vec<String>,
    /// The Python of the kernel, instead of the one that is found.
    pub(crate) python: Option<PathBuf>,
}

/// The person's own functions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Functions {
    /// Python files that are loaded into the kernel after the person reviewed them; relative to the configuration's
    /// folder.
    pub(crate) files: Vec<PathBuf>,
}

/// How a language is run, as configured in `[languages.NAME]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct LanguageChoice {
    /// The program that runs it.
    pub(crate) command: String,
    /// Other names of the language behind a fence.
    pub(crate) aliases: Vec<String>,
    /// Extensions of its files, without the dot.
    pub(crate) extensions: Vec<String>,
    /// The program's arguments; empty: the descriptor with the text, or the language's default.
    pub(crate) arguments: Vec<String>,
    /// The program's arguments to build `{program}`; empty: nothing is built.
    pub(crate) compile: Vec<String>,
    /// Whether its blocks can be run.
    pub(crate) enabled: bool,
    /// Whether its blocks get a terminal from the start.
    pub(crate) pty: bool,
}

/// Copies of files made before runs, so that changes can be taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Undo {
    /// The most bytes of all copies together; 0: no copies are made.
    pub(crate) total: u64,
    /// The largest file that is copied.
    pub(crate) file: u64,
    /// The most files, folders and links in a folder; a larger folder is not copied at all.
    pub(crate) files: u32,
}

/// Where sessions are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Sessions {
    /// The folder, instead of `sessions` in the data folder.
    pub(crate) folder: Option<PathBuf>,
}

impl Default for Config {
    fn default() -> Self {
        let known = Languages::default();
        let languages = known.0.iter().cloned().map(|l| {
            let choice = LanguageChoice {
                command: l.command,
                aliases: l.aliases,
                extensions: l.extensions,
                arguments: l.arguments,
                compile: l.compile,
                ..LanguageChoice::default()
            };
            (l.name.0, choice)
        });
        Self {
            model: None,
            base_url: None,
            dialect: None,
            step_limit: 12,
            repeat_limit: 3,
            review: ReviewSettings::default(),
            context: Context::default(),
            instructions: Instructions::default(),
            budget: Budget::default(),
            prices: BTreeMap::new(),
            limits: RunLimits::default(),
            sandbox: Sandbox::default(),
            run: Run::default(),
            functions: Functions::default(),
            executor: ExecutorChoice::default(),
            executors: Executors::default(),
            languages: languages.collect(),
            ui: Ui::default(),
            editor: Editor::default(),
            undo: Undo::default(),
            sessions: Sessions::default(),
            providers: super::providers::shipped(),
        }
    }
}

impl Default for Sandbox {
    fn default() -> Self {
        Self { level: SandboxLevel::Workspace, read: Vec::new(), write: Vec::new(), network: false }
    }
}

impl Default for RunLimits {
    fn default() -> Self {
        let limits = Limits::default();
        Self {
            wall: limits.wall_ms / 1000,
            output: limits.output_kept_bytes,
            output_file: limits.output_file_bytes,
            to_model: 16 << 10,
            memory: limits.memory_bytes,
            processes: limits.processes,
            file: limits.file_bytes,
            open_files: limits.open_files,
        }
    }
}

impl Default for Undo {
    fn default() -> Self {
        Self { total: 1 << 30, file: 16 << 20, files: 50_000 }
    }
}

impl Default for LanguageChoice {
    fn default() -> Self {
        Self {
            command: String::new(),
            aliases: Vec::new(),
            extensions: Vec::new(),
            arguments: Vec::new(),
            compile: Vec::new(),
            enabled: true,
            pty: false,
        }
    }
}
