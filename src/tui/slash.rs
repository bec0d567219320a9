//! The slash commands: their names, what they do, and how a typed line is parsed.

use crate::domain::sentences::sandbox;
use crate::engine::State;
use crate::tui::setup::Setup;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slash {
    Help,
    New,
    /// Open an older session.
    Resume,
    /// Find sessions by their content.
    Search,
    Fork,
    Rewind,
    /// Open another session beside this one to compare them.
    Compare,
    /// Give the session another name.
    Rename,
    /// Have the model summarize the older messages.
    Compact,
    /// Show what the session cost.
    Cost,
    Status,
    /// Choose whether the project's instructions are sent to the model.
    Instructions,
    Model,
    /// Choose the provider that answers.
    Provider,
    /// Paste a key; it stays in memory.
    Key,
    /// Show the waiting blocks and the queued message.
    Queue,
    /// Show the rules that "always" made.
    Rules,
    /// Start a recipe: opens its form.
    Recipe,
    /// Show what was done so far, step by step.
    Steps,
    /// Show what confines a block.
    Sandbox,
    /// Set the limits of the waiting block.
    Limits,
    Vars,
    /// Show what the last run changed, to undo it.
    Undo,
    /// Put a finished block back into review.
    Rerun,
    Restart,
    /// Run the blocks of an earlier kernel again.
    Rebuild,
    /// Stop the kernel by force.
    Kernel,
    Find,
    Copy,
    /// Export the session into a file for others.
    Export,
    Theme,
    /// Show the keys and their names.
    Keys,
    Quit,
}

/// One row in the list of commands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlashEntry {
    pub(crate) slash: Slash,
    /// Its name without the slash.
    pub(crate) name: &'static str,
    pub(crate) does: &'static str,
    /// The arguments that may follow it.
    pub(crate) takes: &'static str,
}

const fn entry(slash: Slash, name: &'static str, does: &'static str, takes: &'static str) -> SlashEntry {
    SlashEntry { slash, name, does, takes }
}

/// All commands, in the order in which they are listed.
pub(crate) const COMMANDS: &[SlashEntry] = &[
    entry(Slash::Help, "help", "show what can be done here", ""),
    entry(Slash::New, "new", "begin a new session", ""),
    entry(Slash::Resume, "resume", "open an older session", ""),
    entry(Slash::Search, "search", "find sessions by what is in them", "WORDS language:NAME since:30d"),
    entry(Slash::Fork, "fork", "go on in a branch: from a message, a block, or here", "BLOCK | message N"),
    entry(Slash::Rewind, "rewind", "change the last message and go on from there, in a branch", ""),
    entry(Slash::Compare, "compare", "code and outcome of this chat and another branch", "NAME"),
    entry(Slash::Rename, "rename", "rename this chat", "NAME"),
    entry(Slash::Model, "model", "use another model from the next message on", "PROVIDER/MODEL"),
    entry(Slash::Provider, "provider", "choose where answers come from", ""),
    entry(Slash::Key, "key", "paste a key; store: keep it in credentials.toml", "PROVIDER | store"),
    entry(Slash::Compact, "compact", "sum up what is older, for the model", ""),
    entry(Slash::Cost, "cost", "what this session cost", ""),
    entry(Slash::Status, "status", "model, context, cost, instructions, what was ignored", ""),
    entry(Slash::Status, "config", "settings of the project that were ignored", ""),
    entry(Slash::Instructions, "instructions", "whether AGENTS.md is told to the model", "ON|OFF|CHANGES"),
    entry(Slash::Recipe, "recipe", "a way of working: tests first, debug, explain", "NAME"),
    entry(Slash::Steps, "steps", "every step: blocks, decisions, outcomes, times", ""),
    entry(Slash::Queue, "queue", "blocks that wait; a queued message back to edit", ""),
    entry(Slash::Rules, "rules", "what starts without asking; take it back", ""),
    entry(Slash::Sandbox, "sandbox", sandbox::SHOWN, ""),
    entry(Slash::Limits, "limits", "limits of the block that waits: /limits memory 2G time 30", "NAME VALUE"),
    entry(Slash::Vars, "vars", "variables of the kernel", ""),
    entry(Slash::Undo, "undo", "what the last run changed, or that of a block; take it back", "BLOCK"),
    entry(Slash::Rerun, "rerun", "put a finished block back for review", "BLOCK"),
    entry(Slash::Restart, "restart", "new kernel, variables are lost", ""),
    entry(Slash::Rebuild, "rebuild", "review the earlier kernel's blocks again", ""),
    entry(Slash::Kernel, "kernel", "end a run by force; its kernel is lost", ""),
    entry(Slash::Find, "find", "search the transcript", "TEXT"),
    entry(Slash::Copy, "copy", "copy the code of a block", "BLOCK"),
    entry(Slash::Export, "export", "this chat as md, html, ipynb, script, json", "FORM redact"),
    entry(Slash::Theme, "theme", "another colour theme", "NAME"),
    entry(Slash::Keys, "keys", "all keys; test: what the terminal sends", "TEST"),
    entry(Slash::Quit, "quit", "save and leave", ""),
];

/// How a message is to be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SlashLine<'a> {
    /// Text for the model.
    Prompt,
    /// A command and its argument.
    Command(Slash, &'a str),
    /// A slash with a word that is no command.
    Unknown(&'a str),
}

/// Parses a message. A path (`/tmp/x`) or a message of several lines is no command.
pub(crate) fn parse(text: &str) -> SlashLine<'_> {
    let text = text.trim();
    if matches!(text, "exit" | "quit") {
        return SlashLine::Command(Slash::Quit, "");
    }
    let Some(rest) = text.strip_prefix('/').filter(|rest| !rest.contains('\n')) else {
        return SlashLine::Prompt;
    };
    let (name, argument) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphabetic()) {
        return SlashLine::Prompt;
    }
    match COMMANDS.iter().find(|c| c.name == name) {
        Some(command) => SlashLine::Command(command.slash, argument.trim()),
        None => SlashLine::Unknown(name),
    }
}

/// Returns the commands whose name begins with the typed text, else those that contain its letters in order.
pub(crate) fn matching(typed: &str) -> Vec<&'static SlashEntry> {
    let typed = typed.trim_start_matches('/').trim();
    let begins: Vec<&SlashEntry> = COMMANDS.iter().filter(|c| c.name.starts_with(typed)).collect();
    if !begins.is_empty() {
        return begins;
    }
    let names: Vec<&str> = COMMANDS.iter().map(|c| c.name).collect();
    crate::tui::widgets::filter::rank(typed, &names).into_iter().filter_map(|i| COMMANDS.get(i)).collect()
}

/// Parses the argument of `/key`: whether a key is to be stored, and for which provider: the one named, else
/// the one in use, else the first in the list.
///
/// # Errors
/// There is no provider of that name, in words: nobody should paste a key for it.
pub(crate) fn key_argument(argument: &str, state: &State, setup: &Setup) -> Result<(bool, String), String> {
    let (first, rest) = argument.split_once(char::is_whitespace).unwrap_or((argument, ""));
    let stores = first == "store";
    let named = if stores { rest.trim() } else { argument };
    let in_use = state.transcript.model.as_ref().filter(|model| !model.is_story());
    let in_use = in_use.map(|model| &*model.provider);
    let first = setup.clouds.first().map(|cloud| &*cloud.provider);
    let provider = Some(named).filter(|name| !name.is_empty()).or(in_use).or(first).unwrap_or("openai");
    let is_known = in_use == Some(provider) || setup.providers.iter().any(|known| known == provider);
    if !named.is_empty() && !is_known {
        return Err(format!("There is no provider {named}. There are {}.", setup.providers.join(", ")));
    }
    Ok((stores, provider.to_owned()))
}

/// Returns the person's own shell command, if the message begins with a `!`.
pub(crate) fn typed_command(text: &str) -> Option<&str> {
    text.trim_start().strip_prefix('!').map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ModelName;

    #[test]
    fn commands_are_told_from_prompts() {
        assert_eq!(parse("/resume"), SlashLine::Command(Slash::Resume, ""));
        assert_eq!(parse("  /rename  sales q3 "), SlashLine::Command(Slash::Rename, "sales q3"));
        assert_eq!(parse("quit"), SlashLine::Command(Slash::Quit, ""));
        assert_eq!(parse("quit smoking"), SlashLine::Prompt);
        assert_eq!(parse("/tmp/x.csv is broken"), SlashLine::Prompt);
        assert_eq!(parse("/nonsense"), SlashLine::Unknown("nonsense"));
        assert_eq!(parse("/find\nmore"), SlashLine::Prompt);
    }

    #[test]
    fn a_key_is_for_the_provider_that_is_named_or_in_use() {
        let mut state = State::default();
        let setup = Setup { providers: vec!["mistral".into(), "groq".into()], ..Setup::default() };
        let of = |argument, state: &State| key_argument(argument, state, &setup).unwrap();
        assert_eq!(of("", &state), (false, "openai".into()));
        assert_eq!(of("mistral", &state), (false, "mistral".into()));
        assert_eq!(of("store", &state), (true, "openai".into()));
        assert_eq!(of("store  mistral", &state), (true, "mistral".into()));
        state.transcript.model = Some(ModelName { provider: "groq".into(), model: "m".into() });
        assert_eq!((of("", &state), of("store", &state)), ((false, "groq".into()), (true, "groq".into())));
        for argument in ["mistrall", "store mistrall"] {
            let refused = key_argument(argument, &state, &setup).unwrap_err();
            assert_eq!(refused, "There is no provider mistrall. There are mistral, groq.");
        }
    }

    #[test]
    fn a_few_letters_find_a_command() {
        let names = |typed| matching(typed).iter().map(|c| c.name).collect::<Vec<_>>();
        assert_eq!(names("/re"), ["resume", "rewind", "rename", "recipe", "rerun", "restart", "rebuild"]);
        assert_eq!(names("/rstrt"), ["restart"]);
        assert_eq!(names("").len(), COMMANDS.len());
    }

    #[test]
    fn the_reference_lists_every_command() {
        let row = |command: &SlashEntry| {
            let takes = command.takes.replace('|', "\\|");
            let (name, space) = (command.name, if takes.is_empty() { "" } else { " " });
            format!("| `/{name}{space}{takes}` | {} |\n", command.does)
        };
        let table: String = COMMANDS.iter().map(row).collect();
        let page = include_str!("../../docs/reference.md");
        assert!(page.contains(&table), "docs/reference.md needs:\n{table}");
    }
}
