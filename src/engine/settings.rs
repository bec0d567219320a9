//! The engine's settings, from the configuration and the command line.

use super::cost::Prices;
use super::{OpinionSettings, Workflows};
use crate::domain::{Dialect, FunctionFile, Language, Languages, Masker, Policy, RunConditions};

/// The engine's settings, from the configuration and the command line.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How many steps a turn may take before the person is asked whether to go on.
    pub step_limit: u32,
    /// How often the same code may be proposed in a turn before the person is asked whether to go on.
    pub repeat_limit: u32,
    /// How the model is told to hand over code; `None`: chosen by what is known of the model.
    pub dialect: Option<Dialect>,
    /// The languages that can be run.
    pub languages: Languages,
    /// Languages whose blocks get a terminal of their own by default; the person can change it per block.
    pub terminals: Vec<Language>,
    /// The system prompt, with a placeholder for the dialect: see [`super::prompt::in_dialect`].
    pub system_prompt: String,
    /// The conditions of runs as they were asked for; `None`: the model is not told about them.
    pub conditions: Option<RunConditions>,
    /// When to ask. `Policy::Ask` in the terminal.
    pub policy: Policy,
    /// Whether the session's file is foreign: written by another installation or an older sayso, and not adopted since.
    /// Then every block waits for the person: no policy, rule or memory lets one run.
    pub foreign: bool,
    /// Whether the session was opened for reading only: nothing that happens in it can be saved.
    pub reads_only: bool,
    /// Whether the policy also lets unsandboxed code run: the person asked for no sandbox.
    pub unconfined: bool,
    /// Bytes of one run's output that are sent to the model, head and tail.
    pub output_to_model: usize,
    /// Files of the person's own functions.
    pub functions: Vec<FunctionFile>,
    /// The most tokens a conversation may have, its reply included, whatever is known of the model.
    pub context_tokens: Option<u64>,
    /// Whether models that can see images are sent the images in results.
    pub images: bool,
    /// Whether the project's instruction files are sent to the model; the person can change it.
    pub use_instructions: bool,
    /// The person's own instructions, put before every conversation.
    pub own_instructions: String,
    /// What tokens of each model cost.
    pub prices: Prices,
    /// What a session may cost before the person is asked whether to go on, in billionths of a US dollar.
    pub session_budget: Option<u64>,
    /// When sayso asks for a second opinion without being told to, and which model it asks.
    pub opinion: OpinionSettings,
    /// The code that opens recipes.
    pub workflows: Workflows,
    /// Masks keys in the names of sessions.
    pub masker: Masker,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            step_limit: 12,
            repeat_limit: 3,
            dialect: None,
            languages: Languages::default(),
            terminals: Vec::new(),
            system_prompt: String::new(),
            conditions: None,
            policy: Policy::Ask,
            foreign: false,
            reads_only: false,
            unconfined: false,
            output_to_model: 16 << 10,
            functions: Vec::new(),
            context_tokens: None,
            images: false,
            use_instructions: false,
            own_instructions: String::new(),
            prices: Prices::default(),
            session_budget: None,
            opinion: OpinionSettings::default(),
            workflows: Workflows::default(),
            masker: Masker::default(),
        }
    }
}
