//! Walks a syntax tree from top to bottom, for all languages, without recursion, so that deep nesting costs no stack.
//!
//! `WalkContext` holds what the readers of Python and JavaScript share: variables, folded calls, and bodies that wait
//! to be read. The readers decide what a node means.

mod around;
mod calls;
mod change;
mod define;
mod reader;
mod repeat;
mod stretch;

use super::Scope;
use super::argument_flow::ArgumentFlow;
use super::flow::{Extraction, Frames};
use super::folder;
use super::rule_set::RuleSet;
use super::syntax::MAX_DEPTH;
use super::value::taint;
use super::value::{Act, Argument, CallArguments, Taint, Value, ValueKind};
use around::UsedName;
pub(super) use reader::FoldingReader;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use stretch::{LoopRound, NameBehind, OpenBlock, RepeatedStretch};
use tree_sitter::Node;

/// The position of a node in a walk.
#[derive(Clone, Copy, Debug)]
pub(super) struct WalkStep {
    /// The frame of its variables.
    pub(super) frame: usize,
    /// Around how many nodes it lies that may not run, or may run several times.
    pub(super) branches: u32,
    /// Whether the walk began at this node.
    pub(super) top: bool,
}

/// A reader of one language.
pub(super) trait Walker<'t> {
    /// Reads one node; returns whether to visit its children.
    fn visit(&mut self, node: Node<'t>, step: WalkStep) -> bool;

    /// Called once a node and everything below it was read.
    fn leave(&mut self, _: Node<'t>) {}

    /// Whether the children of such a node may not run.
    fn is_branch(kind: &str) -> bool;

    /// Called where something is nested too deeply to be followed.
    fn too_deep(&mut self);
}

/// Visits a node and everything below it, in the order of the text.
pub(super) fn walk<'t, W: Walker<'t>>(walker: &mut W, root: Node<'t>, frame: usize) {
    walk_from(walker, root, WalkStep { frame, branches: 0, top: true });
}

/// Visits a node that has this position.
pub(super) fn walk_from<'t, W: Walker<'t>>(walker: &mut W, root: Node<'t>, step: WalkStep) {
    let mut cursor = root.walk();
    let (frame, mut depth, mut branches) = (step.frame, 0_u32, step.branches);
    loop {
        let node = cursor.node();
        let deeper = walker.visit(node, WalkStep { frame, branches, top: depth == 0 });
        if deeper && depth >= MAX_DEPTH {
            if node.child_count() > 0 {
                walker.too_deep();
            }
        } else if deeper && cursor.goto_first_child() {
            depth += 1;
            branches += u32::from(W::is_branch(node.kind()));
            continue;
        }
        loop {
            walker.leave(cursor.node());
            if depth == 0 {
                return;
            }
            if cursor.goto_next_sibling() {
                break;
            }
            cursor.goto_parent();
            depth -= 1;
            branches = branches.saturating_sub(u32::from(W::is_branch(cursor.node().kind())));
        }
    }
}

/// What the readers of Python and JavaScript share.
pub(super) struct WalkContext<'a, 't> {
    pub(super) source: &'a str,
    pub(super) rules: &'a RuleSet,
    pub(super) scope: &'a Scope,
    pub(super) frames: Frames,
    /// Calls that were folded but not collected yet, by node: the result, and one act for each variant of the call.
    pub(super) calls: HashMap<usize, (Value, Vec<Act>)>,
    /// Calls that were already collected together with an enclosing call, by node.
    pub(super) collected: HashSet<usize>,
    /// The folder after the last change of the working folder.
    folder: Option<Value>,
    /// The stretches that are being read and may run several times.
    repeated: Vec<RepeatedStretch>,
    /// The loops that are being read again, the innermost last.
    rounds: Vec<LoopRound>,
    /// The blocks of statements that are being read, the innermost last.
    blocks: Vec<OpenBlock>,
    /// The body of the last `try` statement.
    tried: Option<usize>,
    /// The names that functions use, by their nodes; `None` where they are too many.
    names_used: HashMap<(usize, UsedName), Option<Vec<&'a str>>>,
    /// The names that hold sets anywhere in the text.
    sets: HashSet<String>,
    /// Whether the text changes the working folder anywhere.
    moves: bool,
    /// What names hold behind a node, with their frames; by its id and the number of calls that are being followed.
    restored: HashMap<(usize, usize), Vec<NameBehind>>,
    /// The position of what is being read.
    pub(super) step: WalkStep,
    /// Functions of the text, and the calls of them that were followed.
    pub(super) functions: ArgumentFlow<'t>,
    /// Bodies that wait with their frames: they are read once the names they use are bound.
    waiting: Vec<(Node<'t>, usize)>,
    /// The functions already queued, with their outer frames, so that none is queued twice.
    met: HashSet<(usize, usize)>,
    pub(super) reading: Extraction,
}

impl<'a, 't> WalkContext<'a, 't> {
    pub(super) fn new(root: Node<'t>, source: &'a str, rules: &'a RuleSet, scope: &'a Scope) -> Self {
        Self {
            source,
            rules,
            scope,
            frames: Frames::with_choices(source.len()),
            calls: HashMap::new(),
            collected: HashSet::new(),
            folder: None,
            repeated: Vec::new(),
            rounds: Vec::new(),
            blocks: Vec::new(),
            tried: None,
            restored: HashMap::new(),
            moves: source.contains("chdir") || source.contains("%cd"),
            names_used: HashMap::new(),
            sets: HashSet::new(),
            step: WalkStep { frame: 0, branches: 0, top: true },
            functions: ArgumentFlow::default(),
            waiting: vec![(root, 0)],
            met: HashSet::new(),
            reading: Extraction::default(),
        }
    }

    /// The next body in the queue from `next` on, and advances `next`; the text itself is the first. A function whose
    /// calls were all followed is skipped.
    pub(super) fn body(&self, next: &mut usize) -> Option<(Node<'t>, usize)> {
        loop {
            let (node, frame) = self.waiting.get(*next).copied()?;
            *next += 1;
            if !self.functions.is_fully_followed(node.id()) {
                return Some((node, frame));
            }
        }
    }

    /// Queues a body until the code around it was read; returns its new frame, or `None` if it was queued before.
    pub(super) fn queue_body(&mut self, body: Node<'t>, frame: usize) -> Option<usize> {
        if !self.met.insert((body.id(), frame)) {
            return None;
        }
        let inner = self.frames.open(frame);
        self.waiting.push((body, inner));
        Some(inner)
    }

    /// How deeply an expression may be folded here; less within functions that are being followed.
    pub(super) fn deepest(&self) -> u32 {
        if self.functions.depth() == 0 { 48 } else { 20 }
    }

    pub(super) fn finish(mut self) -> Extraction {
        self.reading.cut |= self.frames.is_exhausted();
        self.reading
    }

    /// A name as the rules spell it, with its taint marks.
    pub(super) fn named(&self, name: &str) -> Value {
        let canonical = self.rules.canonical(name);
        let name = canonical.as_deref().unwrap_or(name);
        Value::name(name).tainted(self.mark_of(name))
    }

    /// The mark that the rules give to a name.
    pub(super) fn mark_of(&self, name: &str) -> Taint {
        self.rules.mark_of(name).map(taint).unwrap_or_default()
    }

    /// A member of a name; it keeps the name's `about` and marks.
    pub(super) fn member_of(&self, path: &str, about: Option<&Value>, name: &str, marks: Taint) -> Value {
        let member = self.named(format!("{path}.{name}").trim_start_matches('.')).tainted(marks);
        match (member.kind, about) {
            (ValueKind::Name { path, .. }, Some(about)) => Value {
                kind: ValueKind::Name { path, about: Some(Box::new(about.clone())) },
                taint: member.taint,
            },
            (kind, _) => Value { kind, taint: member.taint },
        }
    }

    /// Adds a used module, for the list of forbidden ones.
    pub(super) fn imported(&mut self, name: &str, span: Range<usize>) {
        const MAX_IMPORTS: usize = 4096;
        if self.reading.imports.len() < MAX_IMPORTS {
            self.reading.imports.push((name.to_owned(), span));
        } else {
            self.reading.cut = true;
        }
    }

    /// Adds what a call implies: whether it is unknown what it does, and the host that a client contacts.
    pub(super) fn note_unknown(&mut self, act: &Act) {
        self.reading.unknown |= !self.rules.knows_effects_of(&act.name);
        if let Some(host) = self.rules.host_of(&act.name) {
            let host = Argument::text(host, &act.span);
            self.push_act("@service", vec![host], act.span.clone());
        }
    }

    /// The act changes the working folder to its first argument. What holds afterwards is known only where that surely
    /// happens, once.
    pub(super) fn change_folder(&mut self, act: &Act) {
        let is_certain = self.step.branches == 0 && self.step.frame == 0;
        let to = act.arguments.first().filter(|_| is_certain);
        let to = to.map_or_else(Value::unknown, |argument| argument.value.clone());
        self.folder = Some(folder::entered(self.folder.as_ref(), &to));
    }

    /// Whether the text changes the working folder anywhere.
    pub(super) fn moves(&self) -> bool {
        self.moves
    }

    /// The act of calling a value.
    pub(super) fn act(&self, called: &Value, arguments: CallArguments, span: Range<usize>) -> Act {
        let receiver = match &called.kind {
            ValueKind::Name { about: Some(about), .. } => Some((**about).clone()),
            _ => None,
        };
        let name = called.as_name().unwrap_or("?").to_owned();
        let CallArguments { positional: arguments, named } = arguments;
        Act { name, receiver, arguments, named, folder: self.folder.clone(), span }
    }

    /// Adds an act without named arguments.
    pub(super) fn push_act(&mut self, name: &str, arguments: Vec<Argument>, span: Range<usize>) {
        self.reading.acts.push(Act { folder: self.folder.clone(), ..Act::new(name, arguments, span) });
    }
}
