//! Follows calls of functions that the text defines, with their arguments; acts get the span of the call.

use super::ShellReader;
use super::command_start::CommandStart;
use crate::review::programs::{self, Program};
use crate::review::syntax::{each, named_children, text};
use crate::review::value::{Argument, Value};
use crate::review::walk::walk;
use std::collections::HashMap;
use tree_sitter::Node;

/// The deepest nesting of functions that are followed.
const MAX_DEPTH: usize = 6;

/// The bytes of functions that are followed for any text, in addition to eight times its own size.
const FREE_BYTES: usize = 64 << 10;

/// A function of the text.
#[derive(Clone, Copy)]
pub(super) struct ShellFunction<'t> {
    pub(super) body: Node<'t>,
    /// Whether it uses its arguments.
    takes: bool,
    /// Whether the text certainly defines it, and only once; unless braces around it run in another shell.
    pub(super) is_sure: bool,
}

/// The most functions of a text that are followed.
const MAX_FUNCTIONS: usize = 1024;

/// All functions of a text; of several with the same name, the last one.
pub(super) fn all<'t>(root: Node<'t>, source: &str) -> HashMap<String, ShellFunction<'t>> {
    let mut functions: HashMap<String, ShellFunction<'t>> = HashMap::new();
    each(root, |node, _| {
        if node.kind() == "function_definition"
            && functions.len() < MAX_FUNCTIONS
            && let (Some(name), Some(body)) =
                (node.child_by_field_name("name"), node.child_by_field_name("body"))
        {
            let name = text(name, source);
            // One that is defined again, or only perhaps, may be another one where it is called.
            let is_sure =
                !functions.contains_key(name) && named_children(node, 3).len() == 2 && is_at_top(node);
            let takes = takes(text(body, source));
            functions.insert(name.to_owned(), ShellFunction { body, takes, is_sure });
        }
        true
    });
    if functions.len() == MAX_FUNCTIONS {
        for function in functions.values_mut() {
            function.is_sure = false;
        }
    }
    functions
}

/// Whether a function is defined by the text itself, of which all may stand in braces.
fn is_at_top(function: Node<'_>) -> bool {
    let around = function.parent();
    let outer =
        around.filter(|around| around.kind() == "compound_statement").and_then(|around| around.parent());
    outer.or(around).is_some_and(|around| around.kind() == "program")
}

/// Whether the text of a body uses `$1` and the like.
fn takes(body: &str) -> bool {
    let spelled = ["$@", "$*", "${@", "${*", "${1", "${2", "${3"].iter().any(|p| body.contains(p));
    spelled || body.as_bytes().windows(2).any(|w| matches!(w, [b'$', b'1'..=b'9']))
}

impl<'t> ShellReader<'_, 't> {
    /// Follows a call of one of the text's functions: reads its body with these arguments and this input.
    pub(super) fn follow(
        &mut self,
        ShellFunction { body, takes, .. }: ShellFunction<'t>,
        given: Vec<Argument>,
        CommandStart { input, span, .. }: CommandStart<'_>,
    ) {
        let source = text(body, self.source);
        let input = input.filter(|_| self.may_run_input(body));
        if !takes && input.is_none() {
            // Without arguments it does the same each time, and its body was read where it is defined.
            return;
        }
        self.followed += source.len();
        if self.calls.contains(&body.id()) {
            // A recursive call: the body was already read with unknown arguments.
            self.reading.unknown = true;
            return;
        }
        if self.calls.len() >= MAX_DEPTH || self.followed > FREE_BYTES + self.source.len().saturating_mul(8) {
            // Of a function without arguments, only what its input does is not known.
            self.reading.cut |= takes;
            self.reading.unknown |= !takes;
            return;
        }
        let values: Vec<Value> = given.into_iter().map(|argument| argument.value).collect();
        let before = (self.positional.replace(values), self.called.replace(span.clone()));
        let outer = (std::mem::take(&mut self.open), std::mem::take(&mut self.list));
        // What its commands read when only its output was looked for is not what they read now.
        each(body, |node, _| {
            self.inputs.remove(&node.id());
            true
        });
        if let Some(input) = input {
            self.feed_instead(body, input);
        }
        self.calls.push(body.id());
        walk(self, body, 0);
        self.calls.pop();
        self.end_scopes(usize::MAX);
        (self.open, self.list) = outer;
        (self.positional, self.called) = before;
    }

    /// Whether a function may run or keep what it reads: it names an interpreter, another function, what starts a shell,
    /// or what takes its input for words or a file.
    fn may_run_input(&mut self, node: Node<'_>) -> bool {
        if let Some(may_run) = self.runs_input.get(&node.id()) {
            return *may_run;
        }
        let body = text(node, self.source);
        let is_between = |sign: char| !sign.is_alphanumeric() && !"._-".contains(sign);
        let fills_words = |word: &str| {
            let mut wrappers = self.rules.file.wrapper.iter().filter(|wrapper| wrapper.stdin);
            wrappers.any(|wrapper| wrapper.names.iter().any(|name| name == word))
        };
        if !self.frames.pay(body.len() / 64) {
            return false;
        }
        // Bash takes `s\h` and `'s'h` for `sh`.
        let unquoted = body.replace(['\\', '\'', '"'], "");
        let may_run = body.split(is_between).chain(unquoted.split(is_between)).any(|word| {
            matches!(word, "cat" | "tee" | "dd" | "read" | "mapfile" | "readarray" | "sudo" | "ssh")
                || self.functions.contains_key(word)
                || fills_words(word)
                || programs::shipped().get(word).is_some_and(Program::runs_input)
        });
        self.runs_input.insert(node.id(), may_run);
        may_run
    }
}
