//! What went out, what did not, and where a message is that got no answer.

use super::count;
use crate::domain::{Departure, ExecutorKind, GivenFile, RequestCounts, Terms};

/// What holds where the size of a model's context is not known: so many tokens are what is assumed.
pub(crate) fn context_unknown(assumed: &str) -> String {
    format!(
        "how many the model takes is not known: {assumed} are assumed, a longer chat is told shorter, and what does not fit then is not sent ([context] tokens sets it)"
    )
}

/// What left this computer: the requests that were made, and the runs that could reach the network.
pub(crate) fn departed(departed: &RequestCounts, open_runs: usize) -> String {
    let requests: u64 = departed.far.values().sum();
    if requests > 0 {
        let hosts: Vec<&str> = departed.far.keys().map(String::as_str).collect();
        let have = if requests == 1 { "has" } else { "have" };
        return format!("{} {have} left for {}.", count(requests, "request"), hosts.join(", "));
    }
    match open_runs {
        0 => "Nothing has left this computer.".into(),
        n => format!(
            "No request has left this computer; {} ran with an open network.",
            count(n as u64, "block")
        ),
    }
}

/// Whether a run under these terms can have reached other computers; an engine that pulls an image does.
pub(crate) fn could_send(terms: &Terms) -> bool {
    terms.executor != ExecutorKind::Files && (terms.rights.network || !terms.rights.sandbox.network_blocked)
}

/// In front of why a message got no answer.
pub(crate) fn unanswered(departure: Departure) -> &'static str {
    match departure {
        Departure::Never => "not sent",
        Departure::Left => "sent, not answered",
        Departure::Unknown => "not answered",
    }
}

/// Where a message is that got no answer: in the composer, or in the chat alone.
pub(crate) fn place_of_message(is_in_composer: bool) -> &'static str {
    if is_in_composer { "Your message is kept." } else { "Your message stands in the chat." }
}

/// What became of a reply that broke off: what came stands in the chat, and goes with the next request.
pub(crate) fn of_cut(something_came: bool) -> &'static str {
    if something_came { "What came is kept." } else { "" }
}

/// The same where nobody reads on a screen.
pub(crate) const CUT_IN_SESSION: &str = "What came of it is kept in the session.";

pub(crate) fn stopped(something_came: bool) -> &'static str {
    if something_came {
        "Stopped. What came of the reply is kept."
    } else {
        "Stopped. Nothing had come of the reply."
    }
}

/// Behind a failure that no repetition can mend.
pub(crate) const NOT_AGAIN: &str = "Not sent again.";

/// Behind a failure before anything was asked.
pub(crate) const NOTHING: &str = "Nothing was sent.";

/// The same inside of a sentence.
pub(crate) fn nothing_within() -> &'static str {
    "nothing was sent"
}

/// The end of a failure over length.
pub(crate) fn too_long(departure: Departure) -> &'static str {
    if departure == Departure::Never { NOTHING } else { "It was not answered." }
}

/// A message of a failure for a question that no message of the person's was in.
pub(crate) fn without_message(message: &str) -> String {
    message.trim_end_matches(NOTHING).trim_end().to_owned()
}

/// Behind a redirect to another origin.
pub(crate) const NO_KEYS_THERE: &str = "Keys are not sent there.";

/// A key that a provider does not take.
pub(crate) fn key_refused(provider: &str, status: u16) -> String {
    format!("The key for {provider} was refused ({status}). {NOT_AGAIN}")
}

/// What to do where a name is not found.
pub(crate) const CHECK_NETWORK: &str = "Check the address and the network, then try again.";

/// The budget stands in the way.
pub(crate) fn over_budget(spent: &str, limit: &str) -> String {
    format!("This session has cost {spent} of {limit}. {NOTHING} Go on?")
}

/// The same at the end of a program.
pub(crate) fn stopped_by_budget(spent: &str, limit: &str) -> String {
    format!("the session budget is reached: it has cost {spent} of {limit}; nothing more was sent")
}

/// A message behind a turn that goes on.
pub(crate) const QUEUED: &str = "Queued. It is sent when this turn ends.";

/// The mark of a command of the person's own behind such a turn.
pub(crate) const QUEUED_COMMAND_MARK: &str = "queued, waits for your decision when this turn ends";

/// The mark of such a message.
pub(crate) const QUEUED_MARK: &str = "queued, sent when this turn ends";

/// What goes with a message: its files, and how much of each. `size` puts a number of bytes into words.
pub(crate) fn with_files(files: &[GivenFile], size: impl Fn(u64) -> String) -> String {
    let told = |file: &GivenFile| {
        let (all, there) = (size(file.bytes), size(file.text.len() as u64));
        let much = match (file.is_cut(), file.text.is_empty()) {
            (false, _) => all,
            (true, true) => format!("nothing of {all}"),
            (true, false) => format!("the first {there} of {all}"),
        };
        let masked = if file.masked { ", keys in it masked" } else { "" };
        format!("{} {much}{masked}", file.path)
    };
    format!("with: {}", files.iter().map(told).collect::<Vec<_>>().join(", "))
}

/// Behind words with an `@` that are no files.
pub(crate) const AS_WORDS: &str = "Not sent: Enter again sends it as it stands.";

/// What to do about such words where nobody can be asked.
pub(crate) const AT_WORD: &str = "@ names a file of the working folder. In backticks (`@name`) it is a word; without --files every one is.";

/// Why a message did not go out, where nobody can be asked.
pub(crate) fn not_given(why: &str) -> String {
    format!("nothing was sent: {why}")
}

/// Behind files that can't go with a message.
pub(crate) const WITHOUT_FILE: &str = "Not sent: change the message first.";

/// The message was changed between the key and the end of reading its files.
pub(crate) const CHANGED_MEANWHILE: &str = "The message changed while its files were read. Not sent yet.";

/// A message while nobody can be asked.
pub(crate) const NO_PROVIDER: &str = "Choose first where answers come from.";

/// What was typed before a question, or pasted: it stands in front of the next message.
pub(crate) const KEPT: &str = "Kept, not sent:";

/// The provider failed; the message stands in the session and leaves again only by a word.
pub(crate) const RETRY_OR_END: &str = "Your message is kept. Type retry or end, or /model NAME:";

/// A rejection's reason that is being written.
pub(crate) const REASON_OPEN: &str = "Not sent yet.";

/// In front of a rejection's reason; `is_told`: a request with it went out.
pub(crate) fn reason_given(is_told: bool) -> &'static str {
    if is_told {
        "Not run. The model was told your reason:"
    } else {
        "Not run. Your reason is told to the model with the next request:"
    }
}

/// A form that was given.
pub(crate) const FORM_GIVEN: &str = "Sent.";

/// A form that can't be given yet.
pub(crate) const FORM_MISFIT: &str = "Not sent: something does not fit yet.";

/// An interrupt is on its way; `terms` are those of the run that it is for. Whether it arrives is not known: a server may be
/// out of reach.
pub(crate) fn interrupt(terms: Option<&Terms>) -> String {
    let carrier = terms.map_or_else(|| "it".into(), Terms::carrier);
    format!("Interrupting. Still running: Ctrl-C again asks to kill {carrier}.")
}

/// A key that belongs to another address.
pub(crate) fn key_held_back(name: &str, place: &str, whose: &str, address: &str) -> String {
    format!("The key for {name} ({place}) is for {whose}: it is not sent to {address}.")
}

/// Headers, or parts of a query, that belong to another address.
pub(crate) fn parts_held_back(what: &str, name: &str, address: &str, which: &str) -> String {
    format!("{what} of {name} that may hold a key are not sent to {address}: {which}.")
}

/// A header that no request can have.
pub(crate) fn bad_header(name: &str, provider: &str, why: &str) -> String {
    format!("the header `{name}` of {provider} can't be sent: {why}")
}

/// Text that went to the clipboard of the terminal.
pub(crate) fn to_clipboard(what: &str) -> String {
    format!("Sent {what} to the terminal clipboard.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_left_is_what_was_counted() {
        let mut sent = RequestCounts::default();
        assert_eq!(departed(&sent, 0), "Nothing has left this computer.");
        sent.count("localhost:11434", true);
        assert_eq!(departed(&sent, 0), "Nothing has left this computer.");
        assert!(departed(&sent, 2).contains("2 blocks ran with an open network"));
        sent.count("api.example.com", false);
        assert_eq!(departed(&sent, 0), "1 request has left for api.example.com.");
        let mut others = RequestCounts::default();
        others.count("api.example.com", false);
        others.count("b.example", false);
        let sent = sent.and(others);
        assert_eq!(departed(&sent, 1), "3 requests have left for api.example.com, b.example.");
    }
}
