//! Reads wrappers, which run the command after them: which words are their own, and what the command gets.

use super::ShellReader;
use super::change::ChangeTarget;
use super::command_start::CommandStart;
use super::options::plain_key;
use crate::review::folder::entered;
use crate::review::grammar::Grammar;
use crate::review::programs::{self, OptionArity};
use crate::review::rules::Wrapper;
use crate::review::value::{Argument, HOLE, Taint, Value};
use std::collections::HashSet;
use std::ops::Range;

impl ShellReader<'_, '_> {
    /// Reads a command that is a wrapper.
    pub(super) fn through(
        &mut self,
        wrapper: &Wrapper,
        name: &str,
        words: Vec<Argument>,
        start: CommandStart<'_>,
    ) {
        let CommandStart { input, span, depth } = start;
        let at = self.own_words(wrapper, name, &words, span);
        let (own, rest) = words.split_at(at.min(words.len()));
        // The text that a shell runs is an operand, too: rules check where it came from. What looks like an option in it
        // is for what runs there.
        let own = if wrapper.text {
            let is_closed = own.last().is_some_and(|last| last.value.as_whole_text() == Some("--"));
            let end: Vec<Argument> = (!is_closed).then(|| Argument::text("--", span)).into_iter().collect();
            [own, &end, rest].concat()
        } else {
            own.to_vec()
        };
        let (mut act, known) = self.split_by_table(name, own, input.clone(), span);
        if rest.is_empty() {
            // `sudo` alone, `env` that prints: no command follows.
            name.clone_into(&mut act.name);
            act.named.push(("alone".to_owned(), Argument::given(span)));
        }
        self.reading.acts.push(act.clone());
        self.by_table(&act, &known, input.as_ref(), depth);
        if rest.is_empty() {
            return;
        }
        let mut rest = rest.to_vec();
        if wrapper.text {
            return self.as_one_text(name, &rest, CommandStart { input, span, depth });
        }
        let has_words = name == "parallel" && self.fill_from_words(&mut rest);
        if wrapper.stdin && !has_words {
            self.fill_from(name, &mut rest, input.as_ref(), span);
        }
        // A variable that is set for the program is no option; it stands among the operands, too.
        let operands: HashSet<&Range<usize>> = act.arguments.iter().map(|word| &word.span).collect();
        let to = act.named.iter().find(|(option, to)| {
            matches!(option.as_str(), "C" | "D" | "chdir") && !operands.contains(&to.span)
        });
        if matches!(name, "command" | "builtin" | "time") {
            return self.command(rest, CommandStart { input, span, depth: depth + 1 });
        }
        // What another process does with its folder changes nothing here.
        let outer = self.folder.clone();
        if let Some((_, to)) = to.filter(|_| matches!(name, "env" | "sudo")) {
            self.folder = Some(entered(outer.as_ref(), &to.value));
        }
        self.command(rest, CommandStart { input, span, depth: depth + 1 });
        self.folder = outer;
    }

    /// Joins words into one text, which a shell runs.
    fn as_one_text(&mut self, name: &str, rest: &[Argument], start: CommandStart<'_>) {
        let span = start.span;
        let parts: Vec<Value> = rest.iter().map(|a| a.value.clone()).collect();
        let whole =
            rest.first().map_or(span.start, |a| a.span.start)..rest.last().map_or(span.end, |a| a.span.end);
        let text = Value::join(&parts, " ");
        let text = if name == "eval" { self.put_in(&text, None) } else { text };
        if name == "eval" {
            self.forget_target(ChangeTarget::Everything);
        }
        match text.as_text() {
            // What one command reads on another computer is known here alone.
            Some((text, true)) if name == "ssh" && start.input.is_some() && self.is_plain_command(text) => {
                let words = text.split_whitespace().map(|word| Argument::text(word, &whole)).collect();
                self.command(words, start.inner());
            }
            Some((text, _)) => {
                let text = text.to_owned();
                self.runs(Grammar::Bash, text, whole);
            }
            None => {
                self.reading.unknown = true;
                if !text.all_taint().meets(Taint::DECODED.with(Taint::DOWNLOADED)) {
                    self.not_known(&format!("the text of {name}"), span, false);
                }
            }
        }
    }

    /// Whether a text is a single command, without signs of the shell, whose name means the program.
    fn is_plain_command(&self, text: &str) -> bool {
        let is_plain = |sign: char| sign.is_alphanumeric() || " -_./=:,+@%".contains(sign);
        let name = text.split_whitespace().next().unwrap_or_default();
        text.chars().all(is_plain) && !self.functions.contains_key(name) && !self.aliases.contains_key(name)
    }

    /// Puts what is read from standard input into the words of a command.
    fn fill_from(
        &mut self,
        name: &str,
        rest: &mut Vec<Argument>,
        input: Option<&Argument>,
        span: &Range<usize>,
    ) {
        let more = input.map_or_else(|| Value::part(HOLE.to_string()), |a| listed_item(&a.value));
        let text_of = |at: usize| rest.get(at).and_then(|a| a.value.as_whole_text()).unwrap_or_default();
        if (0..rest.len()).any(|at| text_of(at) == "-c" && matches!(text_of(at + 1), "{}" | "%")) {
            self.hides(name, "what it reads", span);
        }
        let replaced = rest.iter().any(|a| a.value.as_text().is_some_and(|(t, _)| t.contains("{}")));
        for word in rest.iter_mut() {
            fill(word, &more);
        }
        if !replaced {
            rest.push(Argument::new(more, span));
        }
    }

    /// Puts the words behind `:::` into those of the command that parallel runs. Returns whether there are any.
    fn fill_from_words(&mut self, rest: &mut Vec<Argument>) -> bool {
        let begins = |word: &Argument, sign: &str| {
            word.value.as_text().is_some_and(|(text, _)| text.starts_with(sign))
        };
        let Some(at) = rest.iter().position(|word| begins(word, ":::")) else { return false };
        let given = rest.split_off(at);
        let has_place =
            rest.iter().any(|word| word.value.as_text().is_some_and(|(text, _)| text.contains('{')));
        // Behind `::::` stand files with words.
        if has_place || given.iter().any(|word| begins(word, "::::")) {
            self.reading.unknown = true;
            for word in rest {
                fill(word, &Value::part(HOLE.to_string()));
            }
        } else {
            rest.extend(given.into_iter().filter(|word| !begins(word, ":::")));
        }
        true
    }

    /// How many words belong to the wrapper itself.
    fn own_words(&mut self, wrapper: &Wrapper, name: &str, words: &[Argument], span: &Range<usize>) -> usize {
        let mut at = 0;
        let mut skip = wrapper.skip;
        while let Some(word) = words.get(at) {
            let Some((text, _)) = word.value.as_text() else {
                if skip == 0 {
                    break;
                }
                skip -= 1;
                at += 1;
                continue;
            };
            let attached = text.strip_prefix("-S").or_else(|| text.strip_prefix("--split-string="));
            if let ("env", Some(joined)) = (name, attached.filter(|joined| !joined.is_empty())) {
                let (text, span) = (joined.to_owned(), word.span.clone());
                self.runs(Grammar::Bash, text, span);
                at += 1;
            } else if name == "env" && matches!(text, "-S" | "--split-string") {
                let Some(word) = words.get(at + 1) else { break };
                if let Some((text, _)) = word.value.as_text() {
                    let (text, span) = (text.to_owned(), word.span.clone());
                    self.runs(Grammar::Bash, text, span);
                }
                at += 2;
            } else if text == "--" {
                at += 1;
                break;
            } else if text.starts_with('-') && text.len() > 1 {
                let table = programs::shipped().get(name);
                let key = text.trim_start_matches('-');
                let choice = table.and_then(|table| table.option(key, text.starts_with("--")));
                let takes = wrapper.values.iter().any(|v| v == text)
                    || choice.is_some_and(|(_, choice)| choice.takes == OptionArity::Value);
                at += if takes { 2 } else { 1 };
            } else if is_assignment(text) && !wrapper.text {
                if name == "time" {
                    // A keyword: what follows is an assignment.
                    self.forget_named(&[Some(text)]);
                }
                self.set_by_word(word, span);
                at += 1;
            } else if skip > 0 {
                skip -= 1;
                at += 1;
            } else {
                break;
            }
        }
        at
    }

    /// `NAME=value` as a word (`env`, `export`): handled if programs obey the variable.
    pub(super) fn set_by_word(&mut self, word: &Argument, span: &Range<usize>) {
        let Some((name, held)) = word.value.as_text().and_then(|(text, _)| text.split_once('=')) else {
            return;
        };
        let name = name.to_owned();
        // A value of `PATH` that is not known may be the one that it had.
        let is_unknown = name != "PATH" && !held.is_empty() && held.chars().all(|sign| sign == HOLE);
        let value = if is_unknown { Value::unknown() } else { Value::of_text(held, !held.contains(HOLE)) };
        let value = Argument::new(value.tainted(word.value.taint), &word.span);
        self.set(&name, value, span.clone());
    }
}

/// Replaces `{}` by what a command is run on.
pub(super) fn fill(word: &mut Argument, with: &Value) {
    let Some((text, _)) = word.value.as_text() else { return };
    if !text.contains("{}") {
        return;
    }
    let (put, _) = with.as_text().unwrap_or(("…", false));
    word.value = Value::part(text.replace("{}", put)).tainted(with.taint);
}

/// One item of a list on standard input.
fn listed_item(value: &Value) -> Value {
    match value.as_text() {
        Some((text, true)) if text.split_whitespace().count() == 1 => Value::text(text.trim()),
        Some((text, false)) => Value::part(text),
        _ => Value::part(HOLE.to_string()).tainted(value.all_taint()),
    }
}

/// Whether a word sets a variable: `NAME=value`.
fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(key, _)| plain_key(key))
}
