//! Parses a text within a budget, for languages with a grammar, and searches its syntax tree within another.

use super::super::handlers::{is_quiet, sets_nothing};
use super::ends_with_success;
use crate::domain::Language;
use crate::text::syntax::{self, Budget};
use std::cell::Cell;
use std::collections::HashMap;
use tree_sitter::{Node, Tree};

pub(super) use crate::text::syntax::{Grammar, named};

const MAX_BYTES: usize = 256 << 10;
/// The bytes of a text for which the parser may take one step.
const BYTES_PER_STEP: usize = 8;
const MAX_NODES: usize = 200_000;
/// The budget for repeated searches below nodes, for the whole text: a nested node may be searched again from each
/// level around it.
pub(super) const MAX_LOOKS: usize = 2 * MAX_NODES;
/// The bytes whose search costs one unit of that budget.
const BYTES_PER_LOOK: usize = 64;

/// The most silencers of a text that are examined: each is compared with all old lines.
const MAX_SILENCERS: usize = 200;

/// A construct that catches errors, found by the grammar: in any layout, and also where it is no handler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Silencer<'a> {
    pub(super) line: &'a str,
    /// The text by which it is compared with others.
    pub(super) text: &'a str,
    /// Whether it only goes on after an error, or ends the program with success.
    pub(super) is_quiet: bool,
    /// The lines whose errors it catches; `None`: those of the whole program, or too many to keep.
    pub(super) takes: Option<Vec<&'a str>>,
}

/// Functions by name.
pub(super) type Functions<'t> = HashMap<&'t str, Node<'t>>;

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
    /// What is left of the budget `MAX_LOOKS`.
    left: Cell<usize>,
    /// Whether a search was cut short, by that budget or another limit.
    is_cut: Cell<bool>,
    /// The number of nodes and node texts visited; tests compare it with the size of the text.
    pub(super) work: Cell<usize>,
}

impl<'a> Source<'a> {
    /// Parses a text. `None` where there is no grammar, or the text is too large or costs too much to parse.
    pub(super) fn read(text: &'a str, language: &Language) -> Option<Self> {
        let grammar = grammar_of(language)?;
        if text.len() > MAX_BYTES {
            return None;
        }
        let tree = syntax::parse(text, grammar, Budget { step: BYTES_PER_STEP, size: MAX_BYTES }, &|| true)?;
        let (left, is_cut) = (Cell::new(MAX_LOOKS), Cell::default());
        Some(Self { grammar, text, tree, left, is_cut, work: Cell::default() })
    }

    /// Pays from the budget; false when it is used up.
    fn spend(&self, looks: usize) -> bool {
        self.left.set(self.left.get().saturating_sub(looks));
        let may = self.left.get() > 0;
        self.is_cut.set(self.is_cut.get() || !may);
        may
    }

    /// Whether no search was cut short.
    pub(super) fn is_whole(&self) -> bool {
        !self.is_cut.get()
    }

    /// The first items. If there are as many as are taken, more may have been left out, so the source counts as cut.
    pub(super) fn first_of<T>(&self, found: impl Iterator<Item = T>) -> Vec<T> {
        let found: Vec<T> = found.take(MAX_SILENCERS).collect();
        self.is_cut.set(self.is_cut.get() || found.len() == MAX_SILENCERS);
        found
    }

    /// Pays for searching this text; false when the budget is used up.
    pub(super) fn may_search(&self, text: &str) -> bool {
        self.spend(text.len() / BYTES_PER_LOOK)
    }

    fn count_work(&self) {
        self.work.set(self.work.get() + 1);
    }

    pub(super) fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    /// All named nodes, parents before their children.
    pub(super) fn all(&self) -> Vec<Node<'_>> {
        self.walk(self.root(), |_| true, |found| found < MAX_NODES)
    }

    /// This node and all named nodes below it, parents first. Nodes below one that `into` declines are left out, and so
    /// are all once the budget is used up.
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

    /// The functions among these nodes by name; the first if a name occurs twice.
    pub(super) fn functions<'t>(&self, all: &[Node<'t>], kinds: &[&str]) -> HashMap<&'a str, Node<'t>> {
        let mut known = HashMap::new();
        for node in all.iter().filter(|node| kinds.contains(&node.kind())) {
            // A destructuring pattern has names inside, but is itself no name.
            let name = node.child_by_field_name("name").filter(|name| name.named_child_count() == 0);
            if let Some(name) = name {
                known.entry(self.text(name)).or_insert(*node);
            }
        }
        known
    }

    /// The first line of the whole text.
    pub(super) fn first_line(&self) -> &'a str {
        self.text.lines().next().unwrap_or_default()
    }

    pub(super) fn text(&self, node: Node<'_>) -> &'a str {
        self.count_work();
        syntax::text(node, self.text)
    }

    pub(super) fn line(&self, node: Node<'_>) -> &'a str {
        self.text(node).lines().next().unwrap_or_default().trim()
    }

    /// The lines of a node that hold code.
    pub(super) fn effective_lines(&self, node: Node<'_>) -> Vec<&'a str> {
        let bare = self.text(node).trim().trim_start_matches('{').trim_end_matches('}');
        super::effective_lines(bare)
    }

    /// The lines within a node whose errors the code around it catches; `None` once the budget is used up.
    pub(super) fn guarded_lines(&self, node: Node<'_>) -> Option<Vec<&'a str>> {
        let lines = self.effective_lines(node);
        self.spend(lines.len()).then_some(lines)
    }

    /// Whether a block only goes on after an error; false once the budget is used up. Pays for the search, because a
    /// nested block is searched from each level around it.
    pub(super) fn is_quiet_block(&self, block: Node<'_>) -> bool {
        let is_silent = |statement| {
            let text = self.text(statement);
            self.may_search(text) && (is_quiet(text.trim()) || sets_nothing(text.trim()))
        };
        self.spend(block.named_child_count()) && named(block).into_iter().all(is_silent)
    }

    /// Whether a node ends the program with success. Pays for the search, because a nested node's text holds all the
    /// nodes inside it.
    pub(super) fn ends_with_success(&self, node: Node<'_>) -> bool {
        let text = self.text(node);
        self.may_search(text) && ends_with_success(text)
    }

    /// Whether a block has a statement that leaves it; statements of functions and loops inside it do not count.
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

pub(super) fn child<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    named(node).into_iter().find(|child| child.kind() == kind)
}
