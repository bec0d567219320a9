//! Where values stop to be known: around branches, loops, lists, pipelines, subshells and functions.
//!
//! A value counts as known only where no statement that may or may not have run could have changed it. What a branch, a
//! list after its first command, or a pipeline changes is forgotten behind it; what a loop changes, before it as well.
//! What a subshell changes is undone. A function runs where it is called: in its body, what is changed after it or by
//! functions is not known.

use super::ShellReader;
use super::change::node::{changed_in_place, name_of, set_in_arithmetic};
use super::change::subshell::is_subshell;
use super::change::{ChangeTarget, FOLDER, POSITIONS, SYSTEM_NAMES, is_or};
use super::variable::uncertain;
use crate::review::folder::{self, either};
use crate::review::syntax::{last_child, named_children};
use crate::review::value::{Value, ValueKind};
use std::collections::HashSet;
use std::ops::Range;
use tree_sitter::Node;

/// What to do once a stretch of the text was read.
pub(super) enum ScopeEnd {
    /// Forget these names.
    Forget(Vec<String>),
    /// Give these names the values that they had before.
    Restore(Vec<(String, Option<Value>)>),
    /// Hide a changed working folder up to this place: there, the command that changes it failed.
    HideFolder(usize),
    /// From here on the working folder may also be this one: the command that changed it may have failed.
    OrFolder(Option<Value>),
}

/// A stretch of the text, by its end, with what to do there.
pub(super) struct OpenScope {
    pub(super) end: usize,
    pub(super) then: ScopeEnd,
}

/// Whether a node is a branch, a loop or a part of one: which of its statements run, and how often, is not known.
pub(super) fn is_branch_or_loop(kind: &str) -> bool {
    matches!(
        kind,
        "if_statement"
            | "elif_clause"
            | "else_clause"
            | "while_statement"
            | "for_statement"
            | "c_style_for_statement"
            | "do_group"
            | "case_statement"
            | "case_item"
    )
}

impl<'t> ShellReader<'_, 't> {
    /// Ends the stretches that do not reach a place.
    pub(super) fn end_scopes(&mut self, at: usize) {
        while let Some(scope) = self.open.pop_if(|scope| scope.end <= at) {
            match scope.then {
                ScopeEnd::Forget(names) => self.forget_all(&names),
                ScopeEnd::Restore(values) => {
                    for (name, value) in values {
                        self.put_back(&name, value);
                    }
                }
                ScopeEnd::OrFolder(before) => {
                    self.folder = Some(either(self.folder.take(), before, self.scope));
                }
                ScopeEnd::HideFolder(end) => {
                    let kept = vec![(FOLDER.to_owned(), self.folder.clone())];
                    self.forget(FOLDER);
                    self.open.push(OpenScope { end, then: ScopeEnd::Restore(kept) });
                }
            }
        }
    }

    /// Begins what a node means for the values of variables.
    pub(super) fn begin_scopes(&mut self, node: Node<'t>) {
        let whole = node.byte_range();
        if node.kind() == "function_definition" {
            return self.begin_function(&whole);
        }
        if is_subshell(node, self.source) {
            self.restored_behind(&whole, whole.start);
        }
        match node.kind() {
            "for_statement" | "while_statement" | "c_style_for_statement" => {
                let names = self.changed_in(&whole, whole.start);
                self.forget_all(&names);
                self.open.push(OpenScope { end: whole.end, then: ScopeEnd::Forget(names) });
            }
            "if_statement" => {
                self.forgotten_behind(&whole, whole.start);
                if let Some(other) = other_branch(node) {
                    self.forgotten_behind(&(whole.start..other.start_byte()), whole.start);
                }
            }
            "elif_clause" | "else_clause" | "case_item" => self.forgotten_behind(&whole, whole.start),
            "pipeline" => {
                self.forgotten_behind(&whole, whole.start);
                for stage in named_children(node, 256).into_iter().rev() {
                    self.restored_behind(&stage.byte_range(), whole.start);
                }
            }
            "list" => self.begin_list(node),
            _ => {}
        }
    }

    /// A list: all of its commands but the first may not run.
    fn begin_list(&mut self, node: Node<'t>) {
        let whole = node.byte_range();
        if self.list.start == whole.start && self.list.end > whole.end {
            // A part of the list that was begun.
            return;
        }
        self.list = whole.clone();
        // The places of the commands after the first, from the last one on, and whether the one before has to fail.
        let mut later: Vec<(Node<'t>, bool)> = Vec::new();
        let mut at = node;
        while at.kind() == "list" {
            let (Some(left), Some(right)) = (at.named_child(0), last_child(at)) else {
                break;
            };
            later.push((right, is_or(at)));
            at = left;
        }
        let first_end = at.end_byte();
        self.forgotten_behind(&(first_end..whole.end), whole.start);
        let mut ends: Vec<OpenScope> = Vec::new();
        let mut from = whole.start;
        for (node, _) in later.iter().rev().filter(|(_, or)| *or) {
            let right = node.byte_range();
            let names = self.changed_in(&(from.max(first_end)..right.start), whole.start);
            let names = names.into_iter().filter(|name| name != FOLDER).collect();
            ends.push(OpenScope { end: right.start, then: ScopeEnd::Forget(names) });
            if self.changed_in(&(from..right.start), whole.start).iter().any(|name| name == FOLDER) {
                let then = if self.leaves(*node) {
                    ScopeEnd::HideFolder(right.end)
                } else {
                    ScopeEnd::Forget(vec![FOLDER.to_owned()])
                };
                ends.push(OpenScope { end: right.start, then });
            }
            from = right.start;
        }
        self.open.extend(ends.into_iter().rev());
    }

    /// In the body of `for ((…))`, what its header sets is not known: the third part of it changes that.
    pub(super) fn forget_counters(&mut self, body: Node<'_>) {
        let Some(header) = body.parent().filter(|parent| parent.kind() == "c_style_for_statement") else {
            return;
        };
        for target in changed_in_place(header, self.source) {
            self.forget_target(target);
        }
    }

    /// A function: nothing of its body runs here.
    fn begin_function(&mut self, whole: &Range<usize>) {
        let mut names = self.all_names();
        if !self.frames.pay(names.len()) {
            return;
        }
        names.retain(|name| self.changes.later(name, whole.start));
        names.push(POSITIONS.to_owned());
        let own = self.changed_in(whole, whole.start);
        let kept = names.iter().chain(&own).map(|name| (name.clone(), self.value_now(name))).collect();
        self.forget_all(&names);
        self.open.push(OpenScope { end: whole.end, then: ScopeEnd::Restore(kept) });
    }

    fn forgotten_behind(&mut self, span: &Range<usize>, inside: usize) {
        let names = self.changed_in(span, inside);
        if !names.is_empty() {
            self.open.push(OpenScope { end: span.end, then: ScopeEnd::Forget(names) });
        }
    }

    fn restored_behind(&mut self, span: &Range<usize>, inside: usize) {
        let names = self.changed_in(span, inside);
        let kept: Vec<_> = names.into_iter().map(|name| (name.clone(), self.value_now(&name))).collect();
        if !kept.is_empty() {
            self.open.push(OpenScope { end: span.end, then: ScopeEnd::Restore(kept) });
        }
    }

    /// The names that a stretch changes, as the shell sees them in which the text at `inside` runs.
    fn changed_in(&mut self, span: &Range<usize>, inside: usize) -> Vec<String> {
        let places = self.changes.between(span);
        if places.is_empty() || !self.frames.pay(places.len()) {
            return Vec::new();
        }
        let mut names: HashSet<String> = HashSet::new();
        let (mut functions, mut everything) = (false, false);
        for change in places {
            match change.target {
                _ if change.within > inside => {}
                ChangeTarget::Name(name) | ChangeTarget::Unset(name) => drop(names.insert(name.to_owned())),
                ChangeTarget::Functions => functions = true,
                ChangeTarget::Everything => everything = true,
            }
        }
        if functions && self.frames.pay(self.changes.in_functions.len()) {
            names.extend(self.changes.in_functions.iter().map(|name| (*name).to_owned()));
            everything |= self.changes.everything_in_functions;
        }
        if everything {
            names.extend(self.all_names());
        }
        // An order that does not depend on chance, so that the same text always gives the same review.
        let mut names: Vec<String> = names.into_iter().collect();
        names.sort_unstable();
        if self.frames.pay(names.len()) { names } else { Vec::new() }
    }

    /// The names that may have a value.
    fn all_names(&mut self) -> Vec<String> {
        let mut names = self.frames.names(0);
        names.extend(SYSTEM_NAMES.iter().map(|name| (*name).to_owned()));
        names
    }

    /// Forgets what a place changes.
    pub(super) fn forget_target(&mut self, target: ChangeTarget<'_>) {
        match target {
            ChangeTarget::Name(name) => self.forget(name),
            // Then no folders elsewhere are searched.
            ChangeTarget::Unset("CDPATH") => self.frames.bind(0, "CDPATH", Value::text(""), false),
            ChangeTarget::Unset(name) => self.forget(name),
            ChangeTarget::Functions => {
                if self.frames.pay(self.changes.in_functions.len()) {
                    let names: Vec<&str> = self.changes.in_functions.iter().copied().collect();
                    self.forget_all(&names);
                }
                if self.changes.everything_in_functions {
                    self.forget_target(ChangeTarget::Everything);
                }
            }
            ChangeTarget::Everything => {
                let names = self.all_names();
                if self.frames.pay(names.len()) {
                    self.forget_all(&names);
                }
            }
        }
    }

    /// Forgets what words as operands of `getopts`, `let` and the like may set.
    pub(super) fn forget_named(&mut self, words: &[Option<&str>]) {
        for word in words {
            match word {
                Some(word) => set_in_or_named(word).into_iter().for_each(|target| self.forget_target(target)),
                None => self.forget_target(ChangeTarget::Everything),
            }
        }
    }

    pub(super) fn forget_all<N: AsRef<str>>(&mut self, names: &[N]) {
        for name in names {
            self.forget(name.as_ref());
        }
    }

    /// Forgets a value: from here on it may be another one.
    pub(super) fn forget(&mut self, name: &str) {
        match name {
            POSITIONS => self.positional = None,
            FOLDER => self.folder = Some(folder::unknown()),
            _ => {
                self.may_be_more(name);
                self.several.remove(name);
                let taint = self.frames.lookup(0, name).map(|value| value.all_taint()).unwrap_or_default();
                self.frames.bind(0, name, Value::unknown().tainted(taint), false);
            }
        }
    }

    fn value_now(&mut self, name: &str) -> Option<Value> {
        match name {
            POSITIONS => self.positional.clone().map(Value::list),
            FOLDER => self.folder.clone(),
            // Of several values, one that stands for all is not kept as if it were the only one.
            _ if self.several.contains_key(name) => self.frames.lookup(0, name).map(uncertain),
            _ => self.frames.lookup(0, name),
        }
    }

    fn put_back(&mut self, name: &str, value: Option<Value>) {
        match name {
            POSITIONS => {
                self.positional = match value.map(|value| value.kind) {
                    Some(ValueKind::List(items)) => Some(items),
                    _ => None,
                };
            }
            FOLDER => self.folder = value,
            _ => {
                self.several.remove(name);
                self.frames.put_back(0, name, value);
            }
        }
    }
}

/// What an `if` runs where its first condition does not hold.
pub(super) fn other_branch(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|part| matches!(part.kind(), "elif_clause" | "else_clause"))
}

fn set_in_or_named(word: &str) -> Vec<ChangeTarget<'_>> {
    match name_of(word) {
        Some(name) => vec![ChangeTarget::Name(name)],
        None => set_in_arithmetic(word),
    }
}
