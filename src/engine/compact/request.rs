//! Composes the request for a summary: which items the summary will replace, and how the model that writes it is shown
//! them.
//!
//! The items are shown as one fenced text, not as a conversation: the model must not continue it, and servers need not
//! know the tools that were called in it.

use crate::domain::{Dialect, Message, Role};
use crate::engine::Settings;
use crate::engine::context::{self, estimate, shortened};
use crate::engine::transcript::{Item, LONG, Transcript, task};
use crate::text::fence::fenced;

const PROMPT: &str = include_str!("../../../assets/prompts/summary.md");
/// How many bytes of long messages are loaded for a summary.
const MAX_LONG_MESSAGE_BYTES: usize = 32 << 20;
const MIN_MESSAGE_BYTES: usize = 256;
/// The shortest conversation, in bytes, that is worth a summary.
const MIN_TOTAL_BYTES: usize = 512;

/// The index up to which a summary would replace the items; `None`: there is nothing to summarise.
///
/// The newest turn stays whole if it has at most about `kept` tokens. In a turn that is stuck, the newest step stays.
pub(super) fn boundary(transcript: &Transcript, stuck: bool, kept: u64) -> Option<usize> {
    let items = &transcript.items;
    let from = transcript.summary().map_or(0, |summary| summary.upto);
    let is_worth_it = |upto: &usize| {
        items.get(from..*upto).unwrap_or_default().iter().any(|item| matches!(item, Item::Reply(_)))
    };
    let turn = items.iter().rposition(|item| matches!(item, Item::Prompt { .. }));
    if let Some(turn) = turn.filter(|turn| is_worth_it(turn))
        && (turn..items.len()).map(|item| transcript.tokens_of(item)).sum::<u64>() <= kept
    {
        return Some(turn);
    }
    let step = items.iter().rposition(|item| matches!(item, Item::Reply(_)));
    let candidates = if stuck { [step, turn] } else { [Some(items.len()), turn] };
    candidates.into_iter().flatten().find(is_worth_it)
}

/// The messages before `upto` that have to be loaded for a summary. Only the newest long messages are loaded; for the
/// others the shortened form in memory is used. The prompt still being worked on, which comes with an earlier summary,
/// is always whole.
pub(super) fn bodies_to_load(transcript: &Transcript, upto: usize) -> Vec<usize> {
    let from = transcript.summary().map_or(0, |summary| summary.upto);
    let mut left = MAX_LONG_MESSAGE_BYTES;
    let mut is_told = |item: &usize| {
        let bytes = transcript.bytes_of(*item);
        let is_short = bytes < LONG;
        // Messages in memory count too, so that repeated calls choose the same ones.
        left = if is_short { left } else { left.saturating_sub(bytes) };
        is_short || left > 0
    };
    let items: Vec<usize> = (from..upto).rev().filter(|item| is_told(item)).collect();
    items
        .into_iter()
        .chain(transcript.task_behind_summary())
        .filter(|item| transcript.message_away(*item).is_some())
        .collect()
}

/// The messages that ask for a summary of the items before `upto`, in about `room` tokens; `None`: so little would fit
/// that a summary makes no sense.
pub(super) fn messages(
    transcript: &Transcript,
    settings: &Settings,
    upto: usize,
    room: u64,
) -> Option<Vec<Message>> {
    let part = part(transcript, upto);
    let settings = Settings { system_prompt: String::new(), ..settings.clone() };
    let conversation = context::messages(&part, &settings, Dialect::Fences);
    let working = task(&part.items).is_some();
    let fits = |messages: &Vec<Message>| estimate(messages) <= room;
    let mut most = conversation
        .iter()
        .map(|message| message.text.len())
        .max()
        .unwrap_or_default()
        .max(MIN_MESSAGE_BYTES);
    let mut text = document(&conversation, most);
    let mut asked = ask(&text, working);
    while !fits(&asked) && most > MIN_MESSAGE_BYTES {
        most = (most / 2).max(MIN_MESSAGE_BYTES);
        text = document(&conversation, most);
        asked = ask(&text, working);
    }
    // Many short messages: leave out the middle, with a note that says so.
    let mut bytes = usize::try_from(room).unwrap_or(usize::MAX).saturating_mul(4).min(text.len());
    while !fits(&asked) && bytes >= MIN_TOTAL_BYTES {
        asked = ask(&shortened(&text, bytes), working);
        bytes = bytes / 4 * 3;
    }
    Some(asked).filter(fits)
}

fn ask(text: &str, working: bool) -> Vec<Message> {
    let open = if working { "\n\nThe last message in it is being worked on." } else { "" };
    let ask = format!(
        "The older part of the conversation:\n\n{}{open}\n\nWrite the summary.",
        fenced("text", text)
    );
    vec![Message::new(Role::System, PROMPT.trim_end()), Message::new(Role::User, ask)]
}

/// The conversation up to an item.
fn part(transcript: &Transcript, upto: usize) -> Transcript {
    let mut part = transcript.clone();
    part.items.truncate(upto);
    part.settled.retain(|settled| settled.after <= upto);
    part.summary = part.items.iter().rposition(|item| matches!(item, Item::Summary(_)));
    // The summary that replaces the beginning may itself come after that item.
    let newest = transcript.summary.filter(|at| *at >= upto).and_then(|at| transcript.items.get(at));
    if let Some(newest) = newest {
        part.summary = Some(part.items.len());
        part.items.push(newest.clone());
    }
    part
}

fn document(messages: &[Message], most: usize) -> String {
    let mut out = String::new();
    for message in messages {
        let who = match message.role {
            Role::System => "rules",
            Role::User => "person, and results of blocks",
            Role::Assistant => "assistant",
            Role::Tool => "result of a block",
        };
        let text =
            if message.text.len() > most { shortened(&message.text, most) } else { message.text.clone() };
        out.extend(["## ", who, "\n", text.as_str()]);
        for call in &message.tool_calls {
            out.extend(["\n", call.name.as_str(), " ", shortened(&call.arguments, most).as_str()]);
        }
        out.push_str("\n\n");
    }
    out
}
