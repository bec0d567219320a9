//! Which reply of a story comes next. Pure: the place in the story goes in and out.

use super::{Scripted, Story};
use crate::domain::{ModelRequest, Purpose};

/// How far a story has been told.
#[derive(Clone, Debug, Default)]
pub struct Position {
    /// Which replies were taken, by their place.
    taken: Vec<bool>,
    /// The reply taken last, and the first of its `then` that is still due.
    scene: Option<(usize, usize)>,
}

/// What comes next.
#[derive(Clone, Debug, PartialEq)]
pub enum Chosen<'a> {
    /// This reply.
    Reply(&'a Scripted),
    /// Nothing fits: a text that lists the prompts which the story knows.
    Prompts(String),
    /// Nothing fits, and the story knows no prompts.
    Nothing,
}

impl Position {
    /// Chooses the reply to a request and goes on in the story.
    pub fn choose<'a>(&mut self, story: &'a Story, request: &ModelRequest) -> Chosen<'a> {
        self.taken.resize(story.replies.len(), false);
        let message = request.messages.last().map_or("", |m| m.text.as_str()).to_lowercase();
        let due = self.due(story, request.purpose, &message);
        let one_line = !message.trim().contains('\n');
        if (due.is_none() || one_line)
            && let Some(index) = self.waiting_for(story, request.purpose, &message)
        {
            return self.take(story, index);
        }
        if let Some((scene, next)) = due
            && let Some(reply) = story.replies.get(scene).and_then(|r| r.then.get(next))
        {
            self.scene = Some((scene, next + 1));
            return Chosen::Reply(reply);
        }
        let plain =
            story.replies.iter().zip(&self.taken).position(|(reply, taken)| {
                !taken && reply.when.is_empty() && reply.purpose == request.purpose
            });
        match plain {
            Some(index) => self.take(story, index),
            None => unknown(story, request.purpose),
        }
    }

    fn take<'a>(&mut self, story: &'a Story, index: usize) -> Chosen<'a> {
        if let Some(taken) = self.taken.get_mut(index) {
            *taken = true;
        }
        match story.replies.get(index) {
            Some(reply) => {
                if reply.purpose == Purpose::Answer {
                    self.scene = Some((index, 0));
                }
                Chosen::Reply(reply)
            }
            None => Chosen::Nothing,
        }
    }

    /// The next reply of `then` that fits.
    fn due(&self, story: &Story, purpose: Purpose, message: &str) -> Option<(usize, usize)> {
        let (scene, next) = self.scene?;
        let then = &story.replies.get(scene)?.then;
        let fits = |reply: &Scripted| {
            reply.purpose == purpose && (reply.when.is_empty() || occurs(&reply.when, message))
        };
        let place = then.iter().skip(next).position(fits)?;
        Some((scene, next + place))
    }

    /// The reply that waits for words of this message: not taken ones first.
    fn waiting_for(&self, story: &Story, purpose: Purpose, message: &str) -> Option<usize> {
        let fits = |reply: &Scripted| {
            reply.purpose == purpose && !reply.when.is_empty() && occurs(&reply.when, message)
        };
        let fresh = story.replies.iter().zip(&self.taken).position(|(reply, taken)| !taken && fits(reply));
        fresh.or_else(|| story.replies.iter().position(fits))
    }
}

fn unknown(story: &Story, purpose: Purpose) -> Chosen<'static> {
    let prompts = story.prompts();
    if prompts.is_empty() || purpose != Purpose::Answer {
        return Chosen::Nothing;
    }
    let mut text = String::from("This is a demo with scripted answers. It knows these prompts:\n\n");
    for prompt in prompts {
        text.push_str("- ");
        text.push_str(&prompt);
        text.push('\n');
    }
    text.push_str("\nType one of them, or a part of it, and press Enter.\n");
    Chosen::Prompts(text)
}

/// Whether all words of one of the alternatives occur in the message (lower case).
fn occurs(alternatives: &[Vec<String>], message: &str) -> bool {
    alternatives.iter().any(|words| words.iter().all(|word| word_occurs(word, message)))
}

fn word_occurs(word: &str, message: &str) -> bool {
    let (word, open) = match word.strip_suffix('*') {
        Some(start) if !start.is_empty() => (start, true),
        _ => (word, false),
    };
    let inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    message.match_indices(word).any(|(at, found)| {
        let before = message.get(..at).and_then(|s| s.chars().next_back());
        let after = message.get(at + found.len()..).and_then(|s| s.chars().next());
        !inside(before) && (open || !inside(after))
    })
}
