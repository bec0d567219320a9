//! Which statements change which variables, the positions and the working folder.
//!
//! A list of all such places, made before the text is read; `node` says what each changes, and `branch` forgets by it
//! what may have changed.

pub(super) mod node;
pub(super) mod subshell;

use super::alias::RenamedCommands;
use super::function::ShellFunction;
use super::redirections::Redirections;
use crate::review::syntax::{each, text};
use node::{changed_by, is_loop};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use subshell::is_subshell;
use tree_sitter::Node;

/// Stands for `$1`, `$2` … among the names that are changed.
pub(super) const POSITIONS: &str = "@";

/// Stands for the working folder among the names that are changed.
pub(super) const FOLDER: &str = "/";

/// Stands for the folder of `cd -` among the names that are changed.
pub(super) const OLD_FOLDER: &str = "/-";

/// Stands for the folders that `popd` goes back to.
pub(super) const PUSHED_FOLDERS: &str = "/+";

/// Stands for the option `-e` of the shell.
pub(super) const ERREXIT: &str = "-e";

/// Names that have a value although the text gives them none.
pub(super) const SYSTEM_NAMES: &[&str] = &["HOME", "PWD", "TMPDIR", "IFS", POSITIONS, FOLDER];

/// What a place of the text changes.
#[derive(Clone, Copy)]
pub(super) enum ChangeTarget<'s> {
    Name(&'s str),
    /// A variable, which has no value from there on.
    Unset(&'s str),
    /// Whatever the functions of the text change: one is called.
    Functions,
    /// Perhaps everything, as `eval` does.
    Everything,
}

pub(super) struct Change<'s> {
    at: usize,
    /// Where the innermost subshell or function around it begins; what is outside keeps its values.
    pub(super) within: usize,
    pub(super) target: ChangeTarget<'s>,
}

/// All places of a text that change something.
#[derive(Default)]
pub(super) struct ChangePlaces<'s> {
    in_order: Vec<Change<'s>>,
    /// The last place that changes a name.
    last: HashMap<&'s str, usize>,
    last_of_everything: Option<usize>,
    /// The names that are set for one command alone.
    prefixed: HashSet<&'s str>,
    /// How many places are loops whose keyword the grammar takes for a command.
    looped: usize,
    /// What functions change.
    pub(super) in_functions: HashSet<&'s str>,
    pub(super) everything_in_functions: bool,
    /// Whether a value may be the name of the folder, which is spelled `.`: the folder stays, and the text asks for it.
    pub(super) names_folder: bool,
    /// The commands that the text gives another meaning.
    pub(super) renamed: RenamedCommands,
    /// Where it ends to be certain that what stands first in a list succeeded, by the list; kept while the text is
    /// read.
    pub(super) success_ends: HashMap<usize, Option<usize>>,
}

impl<'s> ChangePlaces<'s> {
    pub(super) fn of(
        root: Node<'_>,
        source: &'s str,
        functions: &HashMap<String, ShellFunction<'_>>,
        redirections: &Redirections<'_>,
    ) -> Self {
        let mut changes = Self::default();
        let mut around: Vec<(Range<usize>, bool)> = Vec::new();
        each(root, |node, _| {
            while around.last().is_some_and(|(span, _)| span.end <= node.start_byte()) {
                around.pop();
            }
            if node.kind() == "variable_assignment"
                && let Some(name) = node.child_by_field_name("name")
            {
                changes.prefixed.insert(text(name, source));
            }
            for target in changed_by(node, source, functions, redirections) {
                changes.looped += usize::from(node.kind() == "command" && is_loop(node, source));
                let within = around.last().map_or(0, |(span, _)| span.start);
                changes.add(node.start_byte(), within, target, around.iter().any(|(_, inner)| *inner));
            }
            let is_function = node.kind() == "function_definition";
            if is_function || is_subshell(node, source) {
                around.push((node.byte_range(), is_function));
            }
            true
        });
        changes.names_folder =
            !changes.any(FOLDER) && ["PWD", "pwd"].iter().any(|name| source.contains(name));
        changes.renamed = RenamedCommands::of(root, source, redirections);
        changes
    }

    fn add(&mut self, at: usize, within: usize, target: ChangeTarget<'s>, in_function: bool) {
        self.in_order.push(Change { at, within, target });
        match target {
            ChangeTarget::Name(name) | ChangeTarget::Unset(name) => {
                self.last.insert(name, at);
                // A function has positions of its own.
                if in_function && name != POSITIONS {
                    self.in_functions.insert(name);
                }
            }
            ChangeTarget::Everything => {
                self.last_of_everything = Some(at);
                self.everything_in_functions |= in_function;
            }
            ChangeTarget::Functions => {}
        }
    }

    /// The places in a stretch of the text.
    pub(super) fn between(&self, span: &Range<usize>) -> &[Change<'s>] {
        let from = self.in_order.partition_point(|change| change.at < span.start);
        let to = self.in_order.partition_point(|change| change.at < span.end);
        self.in_order.get(from..to).unwrap_or_default()
    }

    /// Whether anything in the text changes a name.
    pub(super) fn any(&self, name: &str) -> bool {
        self.last.contains_key(name) || self.last_of_everything.is_some()
    }

    /// Whether the text changes anything but the names of loops whose keyword the grammar takes for a command.
    pub(super) fn any_besides_loops(&self) -> bool {
        self.in_order.len() > self.looped
    }

    /// All names that the text sets somewhere, for code in it.
    pub(super) fn names(&self) -> HashSet<String> {
        self.last.keys().chain(&self.prefixed).map(|name| (*name).to_owned()).collect()
    }

    /// Whether the text itself changes a name somewhere.
    pub(super) fn sets(&self, name: &str) -> bool {
        self.last.contains_key(name)
    }

    /// Whether a name may be changed after a place: further down, or by a function that is called.
    pub(super) fn later(&self, name: &str, at: usize) -> bool {
        self.last.get(name).is_some_and(|last| *last > at)
            || self.last_of_everything.is_some_and(|last| last > at)
            || self.everything_in_functions
            || self.in_functions.contains(name)
    }
}

/// Whether the last command of a list runs where those before it failed.
pub(super) fn is_or(list: Node<'_>) -> bool {
    let mut cursor = list.walk();
    list.children(&mut cursor).any(|sign| sign.kind() == "||")
}
