//! Parses the TOML of a story into a [`Script`]; errors name line and column.

use super::{Cause, Script, ScriptedError, ScriptedReply};
use crate::domain::{FailureKind, FinishReason, Purpose, Usage};
use crate::text::position::{LocatedError, Position, start_of};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Component, Path};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawStory {
    #[serde(default)]
    pace: u32,
    context: Option<u64>,
    #[serde(default)]
    opening: String,
    recipe: Option<String>,
    #[serde(default)]
    inputs: BTreeMap<toml::Spanned<String>, String>,
    #[serde(default)]
    reply: Vec<toml::Spanned<RawReply>>,
    #[serde(default)]
    files: BTreeMap<toml::Spanned<String>, String>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct RawReply {
    purpose: Option<String>,
    when: Option<WordsToMatch>,
    prompt: Option<String>,
    text: String,
    reasoning: String,
    repeat: Option<usize>,
    tool_calls: Vec<RawCall>,
    pace: Option<u32>,
    stall_ms: Option<u64>,
    stall_after: Option<usize>,
    cut_after: Option<usize>,
    error: Option<RawFault>,
    finish: Option<String>,
    usage: Option<RawUsage>,
    then: Vec<toml::Spanned<RawReply>>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected words or a list of alternatives")]
enum WordsToMatch {
    One(String),
    Any(Vec<String>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCall {
    name: String,
    #[serde(default)]
    arguments: serde_json::Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawUsage {
    input: Option<u64>,
    output: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFault {
    status: Option<u16>,
    kind: Option<String>,
    host: Option<String>,
    provider: Option<String>,
    retry_after: Option<f64>,
    message: Option<String>,
    needs: Option<u64>,
    limit: Option<u64>,
    times: Option<u32>,
}

/// The most bytes to which `repeat` may grow a text.
const MAX_TEXT_BYTES: usize = 64 << 20;

/// What is wrong, and the byte offset in the text.
struct ValueError {
    at: usize,
    what: String,
    hint: &'static str,
}

impl ValueError {
    fn new(at: usize, what: impl Into<String>, hint: &'static str) -> Self {
        Self { at, what: what.into(), hint }
    }
}

const HINT: &str = "Correct the story there; those in assets/demo are examples.";

pub(super) fn parse(text: &str, origin: &str) -> Result<Script, LocatedError> {
    let raw: RawStory = toml::from_str(text)
        .map_err(|e| locate(text, origin, ValueError::new(start_of(&e), e.message(), HINT)))?;
    story(raw).map_err(|wrong| locate(text, origin, wrong))
}

fn locate(text: &str, origin: &str, wrong: ValueError) -> LocatedError {
    LocatedError {
        file: origin.into(),
        position: Position::of(text, wrong.at),
        what: wrong.what.replace('\n', " "),
        hint: wrong.hint.to_owned(),
    }
}

fn story(raw: RawStory) -> Result<Script, ValueError> {
    let mut files = Vec::new();
    for (path, text) in raw.files {
        let at = path.span().start;
        let path = path.into_inner();
        let inside = Path::new(&path).components().all(|c| matches!(c, Component::Normal(_)));
        if path.is_empty() || !inside || path.contains('\\') || path.contains('\0') {
            let what = format!("the file `{path}` would lie outside of the working folder");
            return Err(ValueError::new(at, what, "Use a relative path without `..`."));
        }
        files.push((path, text));
    }
    let first = raw.inputs.keys().next().map(|key| key.span().start);
    if let (Some(at), None) = (first, &raw.recipe) {
        let hint = "Name the recipe with `recipe = \"…\"` at the head.";
        return Err(ValueError::new(at, "the story has inputs and no recipe", hint));
    }
    let inputs = raw.inputs.into_iter().map(|(key, text)| (key.into_inner(), text)).collect();
    let begins = raw.recipe.map(|recipe| (recipe, inputs));
    if raw.reply.is_empty() {
        return Err(ValueError::new(0, "the story has no reply", "Add a [[reply]] with text."));
    }
    let replies = raw.reply.into_iter().map(|r| reply(r, raw.pace)).collect::<Result<_, _>>()?;
    Ok(Script { pace: raw.pace, context: raw.context, opening: raw.opening, replies, files, begins })
}

fn purpose(word: Option<&str>, at: usize) -> Result<Purpose, ValueError> {
    match word {
        None | Some("answer") => Ok(Purpose::Answer),
        Some("judge") => Ok(Purpose::Opinion),
        Some("summary") => Ok(Purpose::Summary),
        Some(word) => {
            let what = format!("`{word}` is no purpose of a reply");
            Err(ValueError::new(at, what, "Use answer, judge or summary."))
        }
    }
}

/// How a reply ends; by default, by whether it has calls.
fn finish(word: Option<&str>, has_calls: bool, at: usize) -> Result<FinishReason, ValueError> {
    use FinishReason::{Filter, Incomplete, Length, Stop, ToolCalls};
    let Some(word) = word else { return Ok(if has_calls { ToolCalls } else { Stop }) };
    let mut known = [Stop, ToolCalls, Length, Filter, Incomplete].into_iter();
    known.find(|reason| reason.as_str() == word).ok_or_else(|| {
        let what = format!("`{word}` is no way for a reply to end");
        ValueError::new(at, what, "Use stop, tool_calls, length, filter or incomplete.")
    })
}

fn reply(raw: toml::Spanned<RawReply>, pace: u32) -> Result<ScriptedReply, ValueError> {
    let at = raw.span().start;
    let raw = raw.into_inner();
    let wrong = |what, hint| Err(ValueError::new(at, what, hint));
    let purpose = purpose(raw.purpose.as_deref(), at)?;
    let finish = finish(raw.finish.as_deref(), !raw.tool_calls.is_empty(), at)?;
    let when = words(raw.when);
    if when.iter().any(Vec::is_empty) {
        return wrong("`when` has no words", "Write words that the prompt holds, or leave it out.");
    }
    let times = raw.repeat.unwrap_or(1);
    if raw.text.len().saturating_mul(times) > MAX_TEXT_BYTES {
        return wrong("the repeated text is longer than 64 MiB", "Make `repeat` smaller.");
    }
    let fault = raw.error.map(|e| fault(e, at)).transpose()?;
    if raw.text.is_empty() && raw.tool_calls.is_empty() && raw.reasoning.is_empty() && fault.is_none() {
        // A reply may be empty on purpose, but then it has to say how it ends.
        if raw.finish.is_none() && raw.cut_after.is_none() {
            let hint =
                "Add `text`, `tool_calls` or `error`, or `finish` for a reply that is empty on purpose.";
            return wrong("the reply has no text", hint);
        }
    }
    Ok(ScriptedReply {
        purpose,
        when,
        prompt: raw.prompt,
        text: raw.text.repeat(times),
        reasoning: raw.reasoning,
        tool_calls: raw.tool_calls.into_iter().map(|c| (c.name, c.arguments.to_string())).collect(),
        pace: raw.pace.unwrap_or(pace),
        stall: raw.stall_ms.map(|ms| (ms, raw.stall_after.unwrap_or(0))),
        cut_after: raw.cut_after,
        fault,
        finish,
        usage: raw.usage.map(|u| Usage { input: u.input, output: u.output, ..Usage::default() }),
        then: raw.then.into_iter().map(|r| reply(r, pace)).collect::<Result<_, _>>()?,
    })
}

fn words(when: Option<WordsToMatch>) -> Vec<Vec<String>> {
    let alternatives = match when {
        None => Vec::new(),
        Some(WordsToMatch::One(one)) => vec![one],
        Some(WordsToMatch::Any(any)) => any,
    };
    alternatives.iter().map(|a| a.split_whitespace().map(str::to_lowercase).collect()).collect()
}

fn fault(raw: RawFault, at: usize) -> Result<ScriptedError, ValueError> {
    let known = [
        (FailureKind::NameNotFound, Cause::NameNotFound),
        (FailureKind::Unreachable, Cause::Unreachable),
        (FailureKind::Tls, Cause::Tls),
        (FailureKind::TimedOut, Cause::TimedOut),
        (FailureKind::Overflow, Cause::Overflow(raw.needs.unwrap_or(34_100), raw.limit.unwrap_or(32_768))),
        (FailureKind::NotAModel, Cause::NotAModel),
        (FailureKind::Malformed, Cause::Malformed),
    ];
    let cause = match (raw.status, raw.kind.as_deref()) {
        (Some(status @ 100..=599), None) => Cause::Status(status),
        (None, Some(word)) => {
            let found = known.iter().find(|(kind, _)| kind.as_str() == word).map(|(_, cause)| *cause);
            found.ok_or_else(|| {
                let words: Vec<_> = known.iter().map(|(kind, _)| kind.as_str()).collect();
                let what = format!("`{word}` is no kind of error; one of {}", words.join(", "));
                ValueError::new(at, what, "Everything that a server answers is told by `status`.")
            })?
        }
        _ => {
            let hint = "For example: error = { status = 429, retry_after = 2 }";
            return Err(ValueError::new(at, "an error needs either `status` (100 to 599) or `kind`", hint));
        }
    };
    let seconds = raw.retry_after.unwrap_or(0.0);
    if !(0.0..=86_400.0).contains(&seconds) {
        return Err(ValueError::new(at, "`retry_after` is between 0 and 86400 seconds", HINT));
    }
    Ok(ScriptedError {
        cause,
        host: raw.host.unwrap_or_else(|| "api.example.com".into()),
        provider: raw.provider,
        retry_after_ms: raw.retry_after.map(|s| (s * 1000.0) as u64),
        message: raw.message.unwrap_or_default(),
        times: raw.times,
    })
}
