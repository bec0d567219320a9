//! The syntax tree of a text, made within a budget, in the languages whose grammar is known.

use super::ends_well;
use crate::domain::Language;
use crate::text::syntax::{self, Budget};
use std::cell::Cell;
use std::collections::HashMap;
use tree_sitter::{Node, Tree};

pub(super) use crate::text::syntax::{Grammar, named};

const MAX_BYTES: usize = 256 << 10;
/// A step of the parser for so many bytes.
const BYTES_PER_STEP: usize = 8;
const MAX_NODES: usize = 200_000;
/// What is looked at again below them, all of it together: what is nested could be looked at from each of its levels.
pub(super) const MAX_LOOKS: usize = 2 * MAX_NODES;
/// So many bytes that are searched count as one look.
const BYTES_PER_LOOK: usize = 64;

/// Whether there is a grammar for a language.
pub(super) fn has_grammar(language: &Language) -> bool {
    grammar_of(language).is_some()
}

fn grammar_of(language: &Language) -> Option<Grammar> {
    match language.as_str() {
        "python" => Some(Grammar::Python),
        "javascript" | "typescript" => Some(Grammar::Javascript),
        "bash" => Some(Grammar::Bash),
        _ => None,
    }
}

/// A text with its tree.
#[derive(Debug)]
pub(super) struct Source<'a> {
    pub(super) grammar: Grammar,
    text: &'a str,
    tree: Tree,
    /// How much may still be looked at again.
    left: Cell<usize>,
    /// Whether something was left out for that, or because there is too much of it.
    is_cut: Cell<bool>,
    /// How many nodes were looked at, and how many texts of nodes: tests hold it against the size of a text.
    pub(super) work: Cell<usize>,
}

impl<'a> Source<'a> {
    /// `None` where there is no grammar, the text is too large, or took more than is allowed.
    pub(super) fn read(text: &'a str, language: &Language) -> Option<Self> {
        let grammar = grammar_of(language)?;
        if text.len() > MAX_BYTES {
            return None;
        }
        let tree = syntax::parse(text, grammar, Budget { step: BYTES_PER_STEP, size: MAX_BYTES }, &|| true)?;
        let (left, is_cut) = (Cell::new(MAX_LOOKS), Cell::default());
        Some(Self { grammar, text, tree, left, is_cut, work: Cell::default() })
    }

    /// Takes so many looks; false where there are none left.
    fn spend(&self, looks: usize) -> bool {
        self.left.set(self.left.get().saturating_sub(looks));
        let may = self.left.get() > 0;
        self.is_cut.set(self.is_cut.get() || !may);
        may
    }

    /// Whether all of it was looked at that was asked for.
    pub(super) fn is_whole(&self) -> bool {
        !self.is_cut.get()
    }

    /// The first ones; where there are so many, more are left out.
    pub(super) fn first_of<T>(&self, most: usize, found: impl Iterator<Item = T>) -> Vec<T> {
        let found: Vec<T> = found.take(most).collect();
        self.is_cut.set(self.is_cut.get() || found.len() == most);
        found
    }

    /// The same, for a text that is searched.
    pub(super) fn may_search(&self, text: &str) -> bool {
        self.spend(text.len() / BYTES_PER_LOOK)
    }

    fn count_work(&self) {
        self.work.set(self.work.get() + 1);
    }

    pub(super) fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    /// All nodes with names, parents before their children.
    pub(super) fn all(&self) -> Vec<Node<'_>> {
        self.walk(self.root(), |_| true, |found| found < MAX_NODES)
    }

    /// This node and all with names below it, parents first; what is below a node that `into` declines is left out, and
    /// so is what there are no looks left for.
    pub(super) fn below<'t>(&self, node: Node<'t>, into: impl Fn(Node<'t>) -> bool) -> Vec<Node<'t>> {
        self.walk(node, into, |_| self.spend(1))
    }

    fn walk<'t>(
        &self,
        node: Node<'t>,
        into: impl Fn(Node<'t>) -> bool,
        may: impl Fn(usize) -> bool,
    ) -> Vec<Node<'t>> {
        let (mut found, mut open) = (Vec::new(), vec![node]);
        while let Some(next) = open.pop() {
            if !may(found.len()) {
                self.is_cut.set(true);
                break;
            }
            self.count_work();
            found.push(next);
            if next == node || into(next) {
                open.extend(named(next).into_iter().rev());
            }
        }
        found
    }

    /// The functions among these nodes by their names, the first of each.
    pub(super) fn functions<'t>(&self, all: &[Node<'t>], kinds: &[&str]) -> HashMap<&'a str, Node<'t>> {
        let mut known = HashMap::new();
        for node in all.iter().filter(|node| kinds.contains(&node.kind())) {
            // What is taken apart has names inside, and is none.
            let name = node.child_by_field_name("name").filter(|name| name.named_child_count() == 0);
            if let Some(name) = name {
                known.entry(self.text(name)).or_insert(*node);
            }
        }
        known
    }

    /// The first line of all.
    pub(super) fn first_line(&self) -> &'a str {
        self.text.lines().next().unwrap_or_default()
    }

    pub(super) fn text(&self, node: Node<'_>) -> &'a str {
        self.count_work();
        syntax::text(node, self.text)
    }

    /// The first line of a node.
    pub(super) fn line(&self, node: Node<'_>) -> &'a str {
        self.text(node).lines().next().unwrap_or_default().trim()
    }

    /// The lines of a node that do something.
    pub(super) fn effective_lines(&self, node: Node<'_>) -> Vec<&'a str> {
        let bare = self.text(node).trim().trim_start_matches('{').trim_end_matches('}');
        super::effective_lines(bare)
    }

    /// The lines whose errors are taken by what stands around a node; `None` where they are too many to be kept.
    pub(super) fn guarded_lines(&self, node: Node<'_>) -> Option<Vec<&'a str>> {
        let lines = self.effective_lines(node);
        self.spend(lines.len()).then_some(lines)
    }

    /// Whether all statements of a block pass a test. Of what there are no looks left for that is not said; what is nested
    /// is searched from each of its levels.
    pub(super) fn all_statements(&self, block: Node<'_>, test: impl Fn(&str) -> bool) -> bool {
        let passes = |statement| {
            let text = self.text(statement);
            self.may_search(text) && test(text.trim())
        };
        self.spend(block.named_child_count()) && named(block).into_iter().all(passes)
    }

    /// Whether a node ends the program as if all were well. What is nested holds the text of all that is inside.
    pub(super) fn ends_well(&self, node: Node<'_>) -> bool {
        let text = self.text(node);
        self.may_search(text) && ends_well(text)
    }

    /// Whether a statement leaves its block whatever happened before: not those of a function or loop inside.
    pub(super) fn leaves(&self, block: Node<'_>) -> bool {
        let is_function = |node: Node<'_>| {
            ["function", "lambda", "method", "class", "arrow"].iter().any(|part| node.kind().contains(part))
        };
        let is_loop = |node: Node<'_>| {
            let kinds =
                ["for_statement", "while_statement", "for_in_statement", "do_statement", "switch_statement"];
            kinds.contains(&node.kind())
        };
        let returns = |node: &Node<'_>| node.kind() == "return_statement";
        let goes = |node: &Node<'_>| matches!(node.kind(), "break_statement" | "continue_statement");
        self.below(block, |node| !is_function(node)).iter().any(returns)
            || self.below(block, |node| !is_function(node) && !is_loop(node)).iter().any(goes)
    }
}

/// The first child of this kind.
pub(super) fn child<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    named(node).into_iter().find(|child| child.kind() == kind)
}
