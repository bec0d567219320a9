//! Separates thinking that a model prints into its reply: `<think>…</think>` at the start of a line, outside of fences,
//! is reasoning, and nothing in it is ever offered.
//!
//! Works on pieces as they arrive; text that could still become a tag is held back until it is certain. Tags inside of
//! fences and lines are left alone, as they are quoted text.

use super::tag::starts_with;

/// The names of the tags.
const TAGS: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];
/// The markers that open or close a fence.
const FENCES: [&str; 2] = ["```", "~~~"];

/// How many blanks before a tag or fence are held back.
const MAX_BLANKS: usize = 256;

/// A piece of the reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ThinkPiece {
    /// Text of the reply.
    Text(String),
    Reasoning(String),
}

/// Where the next character is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ThinkPosition {
    /// At the start of a line, perhaps after blanks.
    #[default]
    LineStart,
    Line,
    /// Inside a tag; its closing tag.
    Thinking(&'static str),
    /// After a closing tag, where blank lines are dropped.
    Behind,
}

/// Splits a reply into text and reasoning while it streams.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThinkSplitter {
    position: ThinkPosition,
    in_fence: bool,
    held: String,
}

impl ThinkSplitter {
    /// Takes the next piece; returns what is certain now.
    pub(crate) fn push(&mut self, delta: &str) -> Vec<ThinkPiece> {
        self.held.push_str(delta);
        let held = std::mem::take(&mut self.held);
        let mut out = Vec::new();
        let mut rest = held.as_str();
        while !rest.is_empty() {
            let taken = self.step(rest, &mut out);
            if taken == 0 {
                break;
            }
            rest = rest.get(taken..).unwrap_or("");
        }
        rest.clone_into(&mut self.held);
        out
    }

    /// Ends the reply; returns what was held back.
    pub(crate) fn finish(self) -> Option<ThinkPiece> {
        if self.held.is_empty() {
            return None;
        }
        Some(match self.position {
            ThinkPosition::Thinking(_) => ThinkPiece::Reasoning(self.held),
            _ => ThinkPiece::Text(self.held),
        })
    }

    /// Takes some bytes of `rest`; 0 if more has to arrive first.
    fn step(&mut self, rest: &str, out: &mut Vec<ThinkPiece>) -> usize {
        match self.position {
            ThinkPosition::Thinking(close) => self.thinking(rest, close, out),
            ThinkPosition::Line => {
                let end = rest.find('\n').map_or(rest.len(), |at| at + 1);
                if rest.get(..end).is_some_and(|line| line.ends_with('\n')) {
                    self.position = ThinkPosition::LineStart;
                }
                push(out, rest.get(..end).unwrap_or(""), false)
            }
            ThinkPosition::Behind => {
                let blank = rest.len() - rest.trim_start().len();
                if blank == 0 {
                    self.position = ThinkPosition::LineStart;
                    return self.step(rest, out);
                }
                blank
            }
            ThinkPosition::LineStart => self.line_start(rest, out),
        }
    }

    fn line_start(&mut self, rest: &str, out: &mut Vec<ThinkPiece>) -> usize {
        let word = rest.trim_start_matches([' ', '\t']);
        if let (false, Some((open, close))) =
            (self.in_fence, TAGS.iter().find(|(open, _)| starts_with(word, open)))
        {
            self.position = ThinkPosition::Thinking(close);
            return rest.len() - word.len() + open.len();
        }
        if FENCES.iter().any(|fence| word.starts_with(fence)) {
            self.in_fence = !self.in_fence;
            self.position = ThinkPosition::Line;
            return self.step(rest, out);
        }
        let blank = rest.len() - word.len();
        let may_become = TAGS.iter().map(|(open, _)| *open).chain(FENCES);
        if blank < MAX_BLANKS && (word.is_empty() || may_become.into_iter().any(|whole| begins(whole, word)))
        {
            return 0;
        }
        self.position = ThinkPosition::Line;
        self.step(rest, out)
    }

    fn thinking(&mut self, rest: &str, close: &str, out: &mut Vec<ThinkPiece>) -> usize {
        if let Some(at) = find(rest, close) {
            push(out, rest.get(..at).unwrap_or(""), true);
            self.position = ThinkPosition::Behind;
            return at + close.len();
        }
        // Hold back the longest end that could still become the closing tag.
        let held = (1..close.len().min(rest.len() + 1))
            .rev()
            .find(|n| {
                rest.len().checked_sub(*n).and_then(|at| rest.get(at..)).is_some_and(|end| begins(close, end))
            })
            .unwrap_or(0);
        push(out, rest.get(..rest.len() - held).unwrap_or(""), true)
    }
}

/// The offset after thinking whose opening tag was in the model's template: after a `</think>` at the end of a line
/// that has no `<think>` before it.
pub(crate) fn behind_stray_close(text: &str) -> Option<usize> {
    let (open, close) = TAGS.first()?;
    let at = find(text, close)?;
    let end = at + close.len();
    let after = text.get(end..)?;
    let ends_line = after.trim_start_matches([' ', '\t', '\r']).starts_with('\n') || after.trim().is_empty();
    let opened = find(text.get(..at)?, open).is_some();
    (ends_line && !opened).then(|| end + (after.len() - after.trim_start().len()))
}

fn push(out: &mut Vec<ThinkPiece>, text: &str, reasoning: bool) -> usize {
    if !text.is_empty() {
        match (out.last_mut(), reasoning) {
            (Some(ThinkPiece::Text(last)), false) | (Some(ThinkPiece::Reasoning(last)), true) => {
                last.push_str(text);
            }
            (_, false) => out.push(ThinkPiece::Text(text.to_owned())),
            (_, true) => out.push(ThinkPiece::Reasoning(text.to_owned())),
        }
    }
    text.len()
}

/// Whether `start` is a beginning of `whole`, but not all of it.
fn begins(whole: &str, start: &str) -> bool {
    start.len() < whole.len() && starts_with(whole, start)
}

/// The first offset of an ASCII word, ignoring case.
fn find(text: &str, word: &str) -> Option<usize> {
    let first = word.chars().next()?;
    text.match_indices(first)
        .map(|(at, _)| at)
        .find(|at| text.get(*at..).is_some_and(|t| starts_with(t, word)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The text and the reasoning of a reply that arrives in pieces of this many characters.
    fn split(text: &str, size: usize) -> (String, String) {
        let mut thinking = ThinkSplitter::default();
        let chars: Vec<char> = text.chars().collect();
        let mut pieces: Vec<ThinkPiece> =
            chars.chunks(size).flat_map(|piece| thinking.push(&piece.iter().collect::<String>())).collect();
        pieces.extend(thinking.finish());
        let mut out = (String::new(), String::new());
        for piece in pieces {
            match piece {
                ThinkPiece::Text(text) => out.0.push_str(&text),
                ThinkPiece::Reasoning(text) => out.1.push_str(&text),
            }
        }
        out
    }

    fn each_size(text: &str) -> (String, String) {
        let whole = split(text, usize::MAX);
        for size in 1..9 {
            assert_eq!(split(text, size), whole, "{text:?} in pieces of {size}");
        }
        whole
    }

    #[test]
    fn thinking_is_reasoning_and_the_rest_is_text() {
        let (text, reasoning) = each_size("<think>\n```python\nprint(1)\n```\n</think>\n\nHello\n");
        assert_eq!((text.as_str(), reasoning.as_str()), ("Hello\n", "\n```python\nprint(1)\n```\n"));
        let (text, reasoning) = each_size("One\n  <Thinking>two</THINKING>three\n<think>four</think>five");
        assert_eq!((text.as_str(), reasoning.as_str()), ("One\nthree\nfive", "twofour"));
    }

    #[test]
    fn an_unclosed_tag_reaches_to_the_end() {
        let (text, reasoning) = each_size("<think>\n```bash\nrm -rf /\n```\n</thin");
        assert_eq!(text, "");
        assert!(reasoning.ends_with("</thin"), "{reasoning}");
    }

    #[test]
    fn tags_in_fences_and_in_lines_are_text() {
        for text in
            ["```xml\n<think>\nx\n</think>\n```\n", "use <think> here\n", "`<think>`", "<thinker>\n", "<thin"]
        {
            assert_eq!(each_size(text), (text.to_owned(), String::new()));
        }
    }

    #[test]
    fn a_closing_tag_alone_ends_thinking_that_the_template_began() {
        let text = "I could run\n```bash\nrm x\n```\n</think>\n\nDone.";
        assert_eq!(behind_stray_close(text).and_then(|at| text.get(at..)), Some("Done."));
        assert_eq!(behind_stray_close("see </think> in a line"), None);
        assert_eq!(behind_stray_close("`<think>` and\n</think>\n"), None);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_pieces_do_not_matter(text in "(<think>|</think>|```|~~~|\n|a| |<|漢){0,40}", size in 1usize..12) {
            let whole = split(&text, usize::MAX);
            prop_assert_eq!(&split(&text, size), &whole);
            let letters = |t: &str| t.matches('a').count() + t.matches('漢').count();
            prop_assert_eq!(letters(&whole.0) + letters(&whole.1), letters(&text));
        }
    }
}
