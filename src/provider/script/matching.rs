//! Chooses the next reply of a story. Pure: it takes and returns the position in the story.

use super::{Script, ScriptedReply};
use crate::domain::{ModelRequest, Purpose, Role};

#[derive(Clone, Debug, Default)]
pub(crate) struct StoryPosition {
    /// Which top-level replies were taken, by index.
    taken: Vec<bool>,
    /// The path to the reply taken last: its index, then the index in each `then` below it.
    last: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ScriptChoice<'a> {
    Reply(&'a ScriptedReply),
    /// No reply fits: a text that lists the prompts of the story.
    Prompts(String),
    /// No reply fits, and the story has no prompts.
    Nothing,
}

impl StoryPosition {
    /// Chooses the reply to a request and advances the position.
    pub(crate) fn choose<'a>(&mut self, story: &'a Script, request: &ModelRequest) -> ScriptChoice<'a> {
        self.taken.resize(story.replies.len(), false);
        let purpose = request.purpose;
        let message = request.messages.last().map_or("", |m| m.text.as_str()).to_lowercase();
        // The answer to a call is a result, even if it is one line.
        let answers = request.messages.last().is_some_and(|m| m.role == Role::Tool);
        let line = if answers { None } else { last_line(&message) };
        if let Some(index) = line.and_then(|line| self.waiting_for(story, purpose, line)) {
            return self.take(story, index);
        }
        let last = reply_at(story, &self.last);
        if let Some(last) = last.filter(|last| line.is_none() || !expects_result(last))
            && let Some(next) = last.then.iter().position(|reply| may_answer(reply, purpose, &message))
            && let Some(reply) = last.then.get(next)
        {
            self.last.push(next);
            return ScriptChoice::Reply(reply);
        }
        if let Some(index) = self.waiting_for(story, purpose, &message) {
            return self.take(story, index);
        }
        let plain = story
            .replies
            .iter()
            .zip(&self.taken)
            .position(|(reply, taken)| !taken && reply.when.is_empty() && reply.purpose == purpose);
        match plain {
            Some(index) => self.take(story, index),
            None => unknown_reply(story, purpose),
        }
    }

    fn take<'a>(&mut self, story: &'a Script, index: usize) -> ScriptChoice<'a> {
        if let Some(taken) = self.taken.get_mut(index) {
            *taken = true;
        }
        match story.replies.get(index) {
            Some(reply) => {
                // A judgement or a summary is not a step of the conversation.
                if reply.purpose == Purpose::Answer {
                    self.last = vec![index];
                }
                ScriptChoice::Reply(reply)
            }
            None => ScriptChoice::Nothing,
        }
    }

    /// The reply whose words occur in this text; replies not taken yet come first.
    fn waiting_for(&self, story: &Script, purpose: Purpose, text: &str) -> Option<usize> {
        let fits = |reply: &ScriptedReply| !reply.when.is_empty() && may_answer(reply, purpose, text);
        let fresh = story.replies.iter().zip(&self.taken).position(|(reply, taken)| !taken && fits(reply));
        fresh.or_else(|| story.replies.iter().position(fits))
    }
}

/// The reply at the end of a path.
fn reply_at<'a>(story: &'a Script, way: &[usize]) -> Option<&'a ScriptedReply> {
    let (first, rest) = way.split_first()?;
    rest.iter().try_fold(story.replies.get(*first)?, |reply, next| reply.then.get(*next))
}

/// The last paragraph of a message, if it is one line like a prompt. Results have several lines: at least one that
/// names the block and one below it; the fence that closes their output does not count.
fn last_line(message: &str) -> Option<&str> {
    let paragraph = message.trim().rsplit("\n\n").next()?.trim();
    let is_fence = paragraph.chars().all(|c| matches!(c, '`' | '~'));
    (!is_fence && !paragraph.contains('\n')).then_some(paragraph)
}

/// Whether a reply proposes code or a call, so that a result follows it.
fn expects_result(reply: &ScriptedReply) -> bool {
    !reply.tool_calls.is_empty() || ["```", "~~~", "<execute"].iter().any(|mark| reply.text.contains(mark))
}

/// Whether a reply has this purpose, and its words (if any) occur in the text.
fn may_answer(reply: &ScriptedReply, purpose: Purpose, text: &str) -> bool {
    reply.purpose == purpose && (reply.when.is_empty() || has_words(&reply.when, text))
}

fn unknown_reply(story: &Script, purpose: Purpose) -> ScriptChoice<'static> {
    let prompts = story.prompts();
    if prompts.is_empty() || purpose != Purpose::Answer {
        return ScriptChoice::Nothing;
    }
    let list = prompts.iter().fold(String::new(), |list, prompt| list + &format!("- {prompt}\n"));
    ScriptChoice::Prompts(format!(
        "This is a demo with scripted answers. It knows these prompts:\n\n{list}\n\
         Type one of them, or a part of it, and press Enter.\n"
    ))
}

/// Whether all words of one of the alternatives occur in the message (lower case).
fn has_words(alternatives: &[Vec<String>], message: &str) -> bool {
    alternatives.iter().any(|words| words.iter().all(|word| has_word(word, message)))
}

fn has_word(word: &str, message: &str) -> bool {
    let (word, open) = match word.strip_suffix('*') {
        Some(start) if !start.is_empty() => (start, true),
        _ => (word, false),
    };
    let is_number = word.starts_with(|c: char| c.is_ascii_digit());
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    let in_number = |c: char| is_number && matches!(c, '.' | ',');
    message.match_indices(word).any(|(at, found)| {
        let mut before = message.get(..at).unwrap_or_default().chars().rev();
        let mut after = message.get(at + found.len()..).unwrap_or_default().chars();
        let (next, next_but_one) = (after.next(), after.next());
        // The 55 of `0.55` or of `55.5` is not the number 55; the one in `It is 55.` is.
        let goes_on = next
            .is_some_and(|c| inside(c) || (in_number(c) && next_but_one.is_some_and(|c| c.is_ascii_digit())));
        let begins = !before.next().is_some_and(|c| inside(c) || in_number(c));
        begins && (open || !goes_on)
    })
}
