//! A story: scripted replies as data, for the tour, the tests and bug reports alike. It uses no network, no clock and
//! no random numbers.
//!
//! # The format
//! ```toml
//! pace = 200                    # tokens a second; 0 = as fast as possible (the default)
//! context = 32768               # size of the pretended model's context in tokens; default: unknown
//! opening = "…"                 # shown before the first prompt, in Markdown; then the story's prompts are suggested
//! recipe = "tdd"                # the recipe that it begins with, and the answers to its questions; default: none
//! [inputs]
//! spec = "slug(text): …"
//! [files]                       # put into the working folder at the start; relative paths only
//! "sales.csv" = "region,revenue\n"
//! [[reply]]
//! prompt = "square root of 2"   # the prompt's name in the list of known prompts; default: the words of `when`
//! when = "square root"          # words of the prompt; or a list of alternatives: ["square root", "sqrt"]
//! text = "…"                    # Markdown with fenced blocks
//! [[reply.then]]                # replies that may follow this one: what the model says about the result
//! when = "1.414*"
//! text = "…"
//! ```
//! Other keys of a reply: `purpose` (`answer`, `judge`, `summary`), `pace`, `reasoning`, `repeat` (how many times to
//! repeat the text), `tool_calls = [{ name, arguments = {…} }]`, `finish` (`stop`, `length`, `filter`, `incomplete`),
//! `usage = { input, output }`, `stall_ms` with `stall_after` (a pause after so many bytes of text), `cut_after` (the
//! connection breaks after so many bytes) and `error` (see [`ScriptedError`]): `{ status = 429, retry_after = 2 }`,
//! `{ kind = "name_not_found", host = "api.example.com" }`; with `times = 2` the request fails twice before the text
//! arrives.
//!
//! # Matching
//! The last message (a prompt or a result) and the purpose of the request choose the first of these that exists:
//! 1. a reply with `when`, all of whose words occur in the last paragraph of the message, if that is one line as
//!    prompts are (results have several lines, so that the output of a block can't select a reply). Words are whole
//!    words, in any case and order; `1.414*` is any word that begins so. Replies not taken yet come first, in the
//!    order of the file; a taken one is taken again when its words occur again;
//! 2. the first reply in `then` of the reply taken last that has no `when` or whose words occur in the message. After
//!    it, its own `then` counts. A reply with a block can be followed only by a result, never by a prompt of one
//!    line;
//! 3. a reply with `when` whose words occur anywhere in the message, as in 1;
//! 4. the first reply without `when` that was not taken yet;
//! 5. a list of the story's prompts; a story without prompts has nothing more to say.

mod format;
mod matching;
mod shipped;

pub(crate) use matching::{ScriptChoice, StoryPosition};

use crate::domain::{Answers, FinishReason, Purpose, Usage};
use crate::text::position::LocatedError;

/// Scripted replies.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    pace: u32,
    context: Option<u64>,
    opening: String,
    replies: Vec<ScriptedReply>,
    files: Vec<(String, String)>,
    begins: Option<(String, Answers)>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ScriptedReply {
    /// The purpose of the requests that it answers.
    pub(crate) purpose: Purpose,
    /// Alternatives; each is a list of words that must all occur. Empty: no condition.
    pub(crate) when: Vec<Vec<String>>,
    /// The name of its prompt in the list of prompts.
    pub(crate) prompt: Option<String>,
    pub(crate) text: String,
    /// Reasoning sent before the text.
    pub(crate) reasoning: String,
    /// Tool calls after the text: name, and arguments as JSON.
    pub(crate) tool_calls: Vec<(String, String)>,
    /// Tokens a second; 0: as fast as possible.
    pub(crate) pace: u32,
    /// A pause: milliseconds, and the byte of the text before which it happens.
    pub(crate) stall: Option<(u64, usize)>,
    /// Bytes of text after which the connection breaks.
    pub(crate) cut_after: Option<usize>,
    /// A failure instead of the reply, or before it.
    pub(crate) fault: Option<ScriptedError>,
    pub(crate) finish: FinishReason,
    /// Tokens used, if the story says so.
    pub(crate) usage: Option<Usage>,
    /// The replies that may follow.
    pub(crate) then: Vec<ScriptedReply>,
}

/// A failure, reported in the same words as one of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScriptedError {
    /// The HTTP status (`status` in the file), or a cause without one (`kind`).
    pub(crate) cause: Cause,
    /// The host in the message.
    pub(crate) host: String,
    /// The provider in the message; `None`: the name of the scripted one.
    pub(crate) provider: Option<String>,
    /// How many milliseconds the server asks to wait.
    pub(crate) retry_after_ms: Option<u64>,
    /// What the server says.
    pub(crate) message: String,
    /// How many attempts fail before the reply; `None`: all.
    pub(crate) times: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The server answers with this status.
    Status(u16),
    /// The host's name is not found.
    NameNotFound,
    /// The host refuses the connection.
    Unreachable,
    Tls,
    /// No answer in time.
    TimedOut,
    /// The conversation is too long: tokens needed, tokens allowed.
    Overflow(u64, u64),
    /// The server sends an HTML page instead of a reply.
    NotAModel,
    /// A piece of the stream can't be read.
    Malformed,
}

impl Script {
    /// Parses a story; `origin` is its path or name, for the errors.
    ///
    /// # Errors
    /// When the text is not TOML, a key is unknown or a value is not allowed; with line and column.
    pub fn parse(text: &str, origin: &str) -> Result<Self, LocatedError> {
        format::parse(text, origin)
    }

    /// The text of a shipped story.
    pub fn shipped(name: &str) -> Option<&'static str> {
        shipped::STORIES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
    }

    /// The names of the shipped stories offered to people, the default one first.
    pub(crate) fn offered() -> &'static [&'static str] {
        &shipped::OFFERED_STORIES
    }

    /// The size of the pretended model's context in tokens; `None`: unknown.
    pub(crate) fn context(&self) -> Option<u64> {
        self.context
    }

    /// The text shown before the first prompt, in Markdown; may be empty.
    pub(crate) fn opening(&self) -> &str {
        &self.opening
    }

    /// Files for the working folder: path (relative, checked) and text.
    pub(crate) fn files(&self) -> &[(String, String)] {
        &self.files
    }

    /// The recipe that the story begins with, and the answers to its questions.
    pub(crate) fn first_recipe(&self) -> Option<&(String, Answers)> {
        self.begins.as_ref()
    }

    /// The prompts of the story, in the order of the file.
    pub fn prompts(&self) -> Vec<String> {
        self.replies
            .iter()
            .filter(|r| r.purpose == Purpose::Answer && !r.when.is_empty())
            .map(|r| {
                r.prompt.clone().unwrap_or_else(|| r.when.first().map(|w| w.join(" ")).unwrap_or_default())
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
