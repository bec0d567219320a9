//! Sentences about what is saved on disk.

/// The last report about writing the session file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SavingState<'a> {
    /// Nothing was written yet, so there is nothing to resume.
    Nothing,
    /// Everything is on disk.
    Well,
    /// Something is being written.
    Writing,
    /// Writing fails; the text says why.
    Failing(&'a str),
}

impl SavingState<'_> {
    /// The mark in the status row while nothing goes on.
    pub(crate) fn mark(self) -> &'static str {
        match self {
            SavingState::Nothing | SavingState::Writing => "",
            SavingState::Well => ", session saved",
            SavingState::Failing(_) => ", session not saved",
        }
    }
}

/// A typed text that answers no question stays where the next message begins.
pub(crate) const KEPT_FOR_MESSAGE: &str = "It is kept for the next message.";

/// A session file is being read; `far` is how far: `45 MB of 133 MB`.
pub(crate) fn opening(far: Option<&str>) -> String {
    format!("Opening the session{}. Ctrl-C stops it.", behind_colon(far))
}

/// The same while the end of the session is already shown.
pub(crate) fn opening_behind(far: Option<&str>) -> String {
    format!("Opening the session{}. Its end is shown, not checked yet. Ctrl-C stops it.", behind_colon(far))
}

fn behind_colon(text: Option<&str>) -> String {
    text.map_or_else(String::new, |text| format!(": {text}"))
}

/// The same after the person cancelled it.
pub(crate) const STOPPING: &str = "Stopping.";

/// Writing fails, so approving is paused. The reason stands last, because a narrow row loses the end. `reads_only`: trying
/// again is useless.
pub(crate) fn failing(why: &str, reads_only: bool) -> String {
    let again = if reads_only { format!("{OPEN_AGAIN} ") } else { String::new() };
    format!("Approving is paused. {again}{}", not_saved(why.trim_end().trim_end_matches('.')))
}

/// What to do with a session that is open for reading only, where this process may not write the file.
const OPEN_AGAIN: &str = "Quit and resume the session to go on.";

/// The cause alone of a [`not_saved`] sentence, to avoid saying the rest twice.
pub(crate) fn cause(told: &str) -> &str {
    told.strip_prefix("Session not saved: ").unwrap_or(told).trim_end_matches('.')
}

/// Writing fails, while no block waits.
pub(crate) fn not_saved(why: &str) -> String {
    format!("Session not saved: {why}.")
}

/// The lines of a session could not be sealed with the key of this installation. The reason stands last, because a
/// narrow row loses the end.
pub(crate) fn unsealed(why: &str) -> String {
    format!("This session has no seal: opened again, it waits to be adopted ({why}).")
}

/// The session that is open is foreign; for a place with room for one line.
pub(crate) const FOREIGN: &str = "This session is foreign: each block waits by itself. /status tells why.";

/// Another installation or an older sayso wrote the session; `why` says how sayso knows.
pub(crate) fn foreign(why: &str, id: &str) -> String {
    format!(
        "This session is foreign ({why}): each block waits by itself, and nothing of rules or approvals counts. sayso sessions adopt {id} makes it yours."
    )
}

/// The same for a session that is not open.
pub(crate) fn is_foreign(why: &str) -> String {
    format!("foreign: {why}")
}

pub(crate) const AGAIN: &str = "The session is saved again.";

/// The last line of a session that was saved completely.
pub(crate) fn at_the_end(name: &str) -> String {
    format!("Session saved. Continue: sayso resume {name}")
}

/// The last line of a session that was not. `why` may be a [`not_saved`] sentence.
pub(crate) fn lost_at_the_end(why: &str) -> String {
    format!("Session not saved to its end: {}.", cause(why))
}

/// The same as the error of a headless command.
pub(crate) fn failed(why: &str) -> String {
    format!("the session can't be saved: {}", why.trim_end_matches('.'))
}

/// How to run files if no session can be written.
pub(crate) const WITHOUT_SESSION: &str = "--no-session runs files without one.";

/// An image is not kept because the session is not.
pub(crate) fn image_gone(name: &str, width: u32, height: u32) -> String {
    format!("image {name} ({width}x{height}) is not kept: --no-session")
}

/// Output came faster than it could be passed on.
pub(crate) fn left_out(bytes: u64) -> String {
    let what = super::count(bytes, "byte");
    format!("{what} of the output came faster than they could be told, and are left out")
}

/// Where the output of a run is that printed more than its session holds. `is_whole`: it is not over the limit of its
/// file.
pub(crate) fn output_in(file: &str, is_whole: bool) -> String {
    if is_whole {
        format!("all of the output is in {file}")
    } else {
        format!("the output is in {file}: its beginning and its end, as limits.output_file allows")
    }
}

/// Where to decide about a waiting block: in this session, if it is on disk.
pub(crate) fn decide_there(session: Option<&str>) -> String {
    match session {
        Some(id) => format!("Decide in the terminal: sayso resume {id}"),
        None => "Not all of it is saved: ask again in the terminal, where blocks can be decided.".into(),
    }
}

/// What a resumed session has lost of its kernel and rules.
pub(crate) fn not_kept(rules: usize) -> String {
    match rules {
        0 => "Variables are not kept".to_owned(),
        n => format!("Variables are not kept, nor {}", super::count(n as u64, "rule")),
    }
}

/// The session that a branch began from. Effects of its runs on files are neither repeated nor undone.
pub(crate) fn branch_of(id: &str) -> String {
    format!(
        "of session {id}, which stays as it is; variables began anew, and files are as the runs left them: nothing was taken back"
    )
}

/// The disk is not durable.
pub(crate) const NOT_DURABLE: &str =
    "What is saved there may be lost with the power. Choose another place: [sessions] folder.";

/// The place of the sessions, if nothing can be written there.
pub(crate) fn not_writable(why: &str) -> String {
    format!("where nothing can be written: {why}")
}

/// What follows from that.
pub(crate) const NO_SESSIONS: &str =
    "No session can be saved there, and nothing runs but with exec --no-session.";

/// The person put a form aside.
pub(crate) fn form_aside(recipe: &str) -> String {
    format!("Kept. /recipe {recipe} opens it again.")
}

/// The person put a form aside for which a recipe waits: names the keys that open it, and that lead to the other
/// choices.
pub(crate) fn asked_form_aside(open: &str, choices: &str) -> String {
    format!("Kept. The recipe waits: {open} opens its form, {choices} goes to what else can be done.")
}

/// Bytes of a stream that are missing in the output; the line stands in their place.
pub(crate) fn bytes_missing(bytes: u64, stream: &str) -> String {
    let s = if bytes == 1 { "" } else { "s" };
    format!("... {} byte{s} of {stream} left out here ...", super::grouped(bytes))
}

/// The title of the pager with the output of a block. `is_whole`: nothing is missing in it, and nothing more comes.
pub(crate) fn output_title(block: u32, is_whole: bool) -> String {
    let what = if is_whole { "All output" } else { "What is kept of the output" };
    format!("{what} of block {block}")
}

/// Where keys are kept, told while the person chooses a provider.
pub(crate) const KEYS: &str = "Keys come from the environment or the configuration, or are pasted here and kept in memory. They are never written to the session file.";

/// A recipe's new function was not saved.
pub(crate) const NOT_SAVED: &str = "not saved";

/// A result is too long to be judged.
pub(crate) const TOO_MUCH_PRINTED: &str = "too much was printed to be kept whole";

/// A secret is masked in a line: when it was saved, or later by the person.
pub(crate) fn masked(line: u64) -> String {
    format!("In line {line} a secret is masked.")
}

/// The same in several lines: `count` is their number (`50,000`), `first` the first of them.
pub(crate) fn masked_lines(count: &str, first: u64) -> String {
    format!("In {count} lines, from line {first} on, a secret is masked.")
}

/// What was masked on saving, and where: `A GitHub token in your prompt was masked when it was saved.`
pub(crate) fn masked_in(kinds: &[&str], place: &str) -> String {
    let what = kinds.join(" and ");
    let mut letters = what.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let were = if kinds.len() > 1 { "were" } else { "was" };
    format!("{first}{} in {place} {were} masked when it was saved.", letters.as_str())
}

/// The result of `sayso sessions redact`.
pub(crate) fn redacted(session: &str, places: &str) -> String {
    format!("{session}: masked in {places}; what it said there is not in its files any more")
}

/// The session contains nothing to mask.
pub(crate) fn nothing_to_redact(session: &str) -> String {
    format!("{session} holds nothing of the kind")
}

/// What was masked may also be in this session, which is a branch of the masked one, or the other way round.
pub(crate) fn redacted_elsewhere(session: &str) -> String {
    format!("{session} has a part in common with it, and stays as it is: name it, too")
}

/// The session to be masked shows pictures, which are not scanned.
pub(crate) fn pictures_not_redacted(pictures: u64) -> String {
    format!(
        "nobody looks into pictures: a word or key that is drawn in one stays in it. Look at {}, and remove what shows one:",
        super::count(pictures, "picture")
    )
}

/// What masking a session does not reach.
pub(crate) const REDACTED_NOT: &str = "a masked block can't be run again; what went to a model, copies of files for taking \
    changes back, backups and what the disk itself keeps are not reached";

/// The session can't be written here; `why` says why.
pub(crate) fn reading_only(why: &str) -> String {
    format!("This session is open for reading only: {why}. Nothing is saved, and nothing runs. {OPEN_AGAIN}")
}

/// Why a disk accepts no more data.
pub(crate) const DISK_FULL: &str = "no space left";

/// Follows the amount in the limit on output.
pub(crate) const OF_EACH_STREAM: &str = "kept of each stream";

/// Folders that are private to the session. A new kernel or shell gets no other ones.
pub(crate) const PRIVATE: &str =
    "of this session alone, with what earlier runs left there; removed at its end";

/// Folders that are private to an installation.
pub(crate) const PRIVATE_TO_INSTALL: &str = "of this installation alone, removed at its end";

/// How much output is kept in the session.
pub(crate) fn of_streams(amount: &str) -> String {
    format!("{amount} of each stream kept")
}

/// Output that is neither here nor in the session.
pub(crate) fn output_not_kept(bytes: u64) -> String {
    format!("{bytes} bytes of output were not kept")
}

/// The text of a block in the session is not what ran.
pub(crate) fn block_masked(block: u32) -> String {
    format!("block {block} was saved with a key masked: what ran can't be written down")
}

/// sayso wrote a file of the person's.
pub(crate) fn file(path: &str) -> String {
    format!("Saved {path}.")
}

/// The person is pasting a key.
pub(crate) const KEY_OPEN: &str = "The key stays in memory. Only /key store writes it to a file.";

/// A key was stored because the person asked for it.
pub(crate) fn key_stored(provider: &str, file: &str) -> String {
    format!("The key of {provider} is in {file}, which only you can read.")
}

/// The person pasted a key for an address that led to no model.
pub(crate) const KEY_OF_ONE_ADDRESS: &str =
    "The key that you pasted is for this server alone. For another one: Esc, then k, and paste it again.";

pub(crate) const KEY_IN_MEMORY: &str = "The key is kept in memory until you leave.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_from_a_missing_seal_stands_before_the_reason_and_fits_a_narrow_row() {
        let told = unsealed("/home/ada/.local/state/sayso can't be made: permission denied");
        let (first, why) = told.split_once(" (").expect("a reason in brackets");
        assert!(first.ends_with("it waits to be adopted") && first.len() <= 74, "{told}");
        assert!(why.ends_with("permission denied)."), "{told}");
    }
}
