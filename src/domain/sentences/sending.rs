//! Sentences about what was sent, what was not, and where an unanswered message is.

use super::count;
use crate::domain::{AttachedFile, Departure, ExecutorKind, RequestCounts, Terms};

/// The size of a model's context is not known, so this number of tokens is assumed.
pub(crate) fn context_unknown(assumed: &str) -> String {
    format!(
        "how many the model takes is not known: {assumed} are assumed, a longer chat is told shorter, and what does not fit then is not sent ([context] tokens sets it)"
    )
}

/// No request went to another computer. What a server on this computer passes on is not known.
const NOTHING_ELSEWHERE: &str = "sayso has sent nothing to another computer.";

/// Where requests to a model on this computer go.
pub(crate) const LOCAL_MODELS: &str = "Requests to local models go to a server on this computer; what that server passes on, sayso does not see.";

/// Where a model is whose server has an address of this computer.
pub(crate) const HERE: &str = "on a server of this computer";

/// What requests to such a model cost.
pub(crate) const COSTS_NOTHING: &str = "nothing sayso knows of: the server is on this computer";

/// Where the replies of a story come from.
pub(crate) const SCRIPTED_REPLIES: &str = "scripted replies, no server";

/// What a story costs.
pub(crate) const STORY_COSTS_NOTHING: &str = "nothing: the replies are scripted";

/// The person accepted what a run changed in files of instructions. `are_used`: the project's are told to the model.
pub(crate) fn instructions_accepted(are_used: bool) -> &'static str {
    if are_used {
        "Accepted. The model is told the new text from its next request on."
    } else {
        "Accepted. The project's text is told to the model once /instructions on is given."
    }
}

/// Which requests sayso sent to other computers, and how many runs could use the network.
pub(crate) fn departed(departed: &RequestCounts, open_runs: usize) -> String {
    let requests: u64 = departed.remote.values().sum();
    if requests > 0 {
        let hosts: Vec<&str> = departed.remote.keys().map(String::as_str).collect();
        let have = if requests == 1 { "has" } else { "have" };
        return format!("{} {have} left for {}.", count(requests, "request"), hosts.join(", "));
    }
    match open_runs {
        0 => NOTHING_ELSEWHERE.into(),
        n => format!(
            "sayso has sent nothing to another computer; {} ran with an open network.",
            count(n as u64, "block")
        ),
    }
}

/// Whether a run under these terms could have sent data to other computers. The pull of an image could.
pub(crate) fn could_send(terms: &Terms) -> bool {
    terms.executor != ExecutorKind::Files && (terms.rights.network || !terms.rights.sandbox.network_blocked)
}

/// Precedes the reason why a message got no answer.
pub(crate) fn unanswered(departure: Departure) -> &'static str {
    match departure {
        Departure::Never => "not sent",
        Departure::Sent => "sent, not answered",
        Departure::Unknown => "not answered",
    }
}

/// Where an unanswered message is: in the composer, or in the chat alone.
pub(crate) fn place_of_message(is_in_composer: bool) -> &'static str {
    if is_in_composer { "Your message is kept." } else { "Your message stands in the chat." }
}

/// A reply has neither text nor calls.
pub(crate) const ANSWERED_NOTHING: &str = "The model answered with nothing.";

/// What became of an interrupted reply: what arrived stays in the chat and is part of the next request.
pub(crate) fn of_cut(something_came: bool) -> &'static str {
    if something_came { "What came is kept." } else { "" }
}

/// The same for headless commands; the session is on disk.
pub(crate) fn cut_in_session(id: &str) -> String {
    format!("What came of it is kept in the session: sayso resume {id} goes on with it.")
}

pub(crate) fn stopped(something_came: bool) -> &'static str {
    if something_came {
        "Stopped. What came of the reply is kept."
    } else {
        "Stopped. Nothing had come of the reply."
    }
}

/// Follows a failure that a repetition can't cure.
pub(crate) const NOT_AGAIN: &str = "Not sent again.";

/// The failure of a request that was repeated so many times.
pub(crate) fn repeated(message: &str, repetitions: u32) -> String {
    match (message.strip_suffix(NOT_AGAIN), repetitions) {
        (Some(what), 1) => format!("{what}It was tried twice and is not tried again."),
        (Some(what), _) => format!("{what}It was tried {} times and is not tried again.", repetitions + 1),
        (None, 1) => format!("{message} Asked again once without success."),
        (None, _) => format!("{message} Asked again {repetitions} times without success."),
    }
}

/// Follows a failure before anything was sent.
pub(crate) const NOTHING: &str = "Nothing was sent.";

/// The same within a sentence.
pub(crate) const NOTHING_WITHIN: &str = "nothing was sent";

/// The end of the message about a request that is too long.
pub(crate) fn too_long(departure: Departure) -> &'static str {
    if departure == Departure::Never { NOTHING } else { "It was not answered." }
}

/// A failure's message without the remark that nothing was sent, for requests that contain no message of the person.
pub(crate) fn without_message(message: &str) -> String {
    message.trim_end_matches(NOTHING).trim_end().to_owned()
}

/// Follows the remark about a redirect to another origin.
pub(crate) const NO_KEYS_THERE: &str = "Keys are not sent there.";

/// Follows the remark about a redirect within the same origin that is not followed.
pub(crate) const NOTHING_THERE: &str = "Nothing was sent there.";

/// A provider refused a key.
pub(crate) fn key_refused(provider: &str, status: u16) -> String {
    format!("The key for {provider} was refused ({status}). {NOT_AGAIN}")
}

/// What to do when a host name is not found.
pub(crate) const CHECK_NETWORK: &str = "Check the address and the network, then try again.";

/// The session budget is used up; asks whether to continue.
pub(crate) fn over_budget(spent: &str, limit: &str) -> String {
    format!("This session has cost {spent} of {limit}. {NOTHING} Go on?")
}

/// The same at the end of a command.
pub(crate) fn stopped_by_budget(spent: &str, limit: &str) -> String {
    format!("the session budget is reached: it has cost {spent} of {limit}; nothing more was sent")
}

/// A message waits until the running turn ends.
pub(crate) const QUEUED: &str = "Queued. It is sent when this turn ends.";

/// A message was given while the person leaves.
pub(crate) const NOT_SENT_ON_LEAVING: &str = "Not sent: you are leaving. It is kept for the next start.";

/// The question whether to quit while something is queued.
pub(crate) const QUEUED_ON_QUITTING: &str = "If you quit, what is queued is kept, not sent.";

/// The draft that an earlier process left is in the composer.
pub(crate) const DRAFT_TAKEN_UP: &str =
    "A draft that was kept for this conversation is in Message. Enter sends it.";

/// The mark of what is queued while the person leaves.
const LEAVING_MARK: &str = "queued, kept and not sent: you are leaving";

/// The mark of the person's own command that waits so.
pub(crate) fn queued_command_mark(leaves: bool) -> &'static str {
    if leaves { LEAVING_MARK } else { "queued, waits for your decision when this turn ends" }
}

/// The mark of a message that waits so.
pub(crate) fn queued_mark(leaves: bool) -> &'static str {
    if leaves { LEAVING_MARK } else { "queued, sent when this turn ends" }
}

/// The files that are sent with a message, and how much of each. `size` formats a number of bytes.
pub(crate) fn with_files(files: &[AttachedFile], size: impl Fn(u64) -> String) -> String {
    let describe = |file: &AttachedFile| {
        let (all, there) = (size(file.bytes), size(file.text.len() as u64));
        let much = match (file.is_cut(), file.text.is_empty()) {
            (false, _) => all,
            (true, true) => format!("nothing of {all}"),
            (true, false) => format!("the first {there} of {all}"),
        };
        let masked = if file.masked { ", keys in it masked" } else { "" };
        format!("{} {much}{masked}", file.path)
    };
    format!("with: {}", files.iter().map(describe).collect::<Vec<_>>().join(", "))
}

/// Follows words with an `@` that name no file.
pub(crate) const AS_WORDS: &str = "Not sent: Enter again sends it as it stands.";

/// What to do about such words, for commands that can't ask.
pub(crate) const AT_WORD: &str = "@ names a file of the working folder. In backticks (`@name`) it is a word; without --files every one is.";

/// Why a message was not sent, for commands that can't ask.
pub(crate) fn not_given(why: &str) -> String {
    format!("nothing was sent: {why}")
}

/// Follows the names of files that can't be sent with a message.
pub(crate) const WITHOUT_FILE: &str = "Not sent: change the message first.";

/// The message changed between pressing the key and the end of reading its files.
pub(crate) const CHANGED_MEANWHILE: &str = "The message changed while its files were read. Not sent yet.";

/// A message was given before a provider was chosen.
pub(crate) const NO_PROVIDER: &str = "Choose first where answers come from.";

/// Text that was typed or pasted before a question appeared; it is put before the next message.
pub(crate) const KEPT: &str = "Kept, not sent:";

/// The provider failed; the message is in the session and is only sent again on a command.
pub(crate) const RETRY_OR_END: &str = "Your message is kept. Type retry or end, or /model NAME:";

/// The person is writing the reason for a rejection.
pub(crate) const REASON_OPEN: &str = "Not sent yet.";

/// Precedes the reason for a rejection; `is_told`: a request with the reason was sent.
pub(crate) fn reason_given(is_told: bool) -> &'static str {
    if is_told {
        "Not run. The model was told your reason:"
    } else {
        "Not run. Your reason is told to the model with the next request:"
    }
}

/// A form was submitted.
pub(crate) const FORM_GIVEN: &str = "Sent.";

/// A form can't be submitted yet.
pub(crate) const FORM_MISFIT: &str = "Not sent: something does not fit yet.";

/// sayso asked the run with these terms to stop. Whether that arrives is not known, since a server may be unreachable.
pub(crate) fn interrupt(terms: Option<&Terms>) -> String {
    let carrier = terms.map_or_else(|| "it".into(), Terms::carrier);
    format!("Interrupting. Still running: Ctrl-C again tells how to kill {carrier}.")
}

/// A key belongs to another address.
pub(crate) fn key_held_back(name: &str, place: &str, whose: &str, address: &str) -> String {
    format!("The key for {name} ({place}) is for {whose}: it is not sent to {address}.")
}

/// Headers, or parts of a query, belong to another address.
pub(crate) fn parts_held_back(what: &str, name: &str, address: &str, which: &str) -> String {
    format!("{what} of {name} that may hold a key are not sent to {address}: {which}.")
}

/// A header is not valid in a request.
pub(crate) fn bad_header(name: &str, provider: &str, why: &str) -> String {
    format!("the header `{name}` of {provider} can't be sent: {why}")
}

/// Text was sent to the clipboard of the terminal.
pub(crate) fn to_clipboard(what: &str) -> String {
    format!("Sent {what} to the terminal clipboard.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_that_no_repetition_cures_is_not_said_to_be_asked_again() {
        let told = |message: &str| [1, 5].map(|count| repeated(message, count));
        let refused = "The key for openai was refused (401)";
        assert_eq!(
            told(&key_refused("openai", 401)),
            ["twice", "6 times"]
                .map(|times| format!("{refused}. It was tried {times} and is not tried again."))
        );
        assert_eq!(
            told("openai is overloaded (503)."),
            ["once", "5 times"]
                .map(|times| format!("openai is overloaded (503). Asked again {times} without success."))
        );
    }

    #[test]
    fn what_left_is_what_was_counted() {
        let mut sent = RequestCounts::default();
        assert_eq!(departed(&sent, 0), NOTHING_ELSEWHERE);
        sent.count("localhost:11434", true);
        assert_eq!(departed(&sent, 0), NOTHING_ELSEWHERE);
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
