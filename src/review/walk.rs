//! Walks a syntax tree from top to bottom, for all languages, without recursion, so that deep nesting costs no stack.
//!
//! `WalkContext` holds what the readers of Python and JavaScript share: variables, folded calls, and bodies that wait
//! to be read. The readers decide what a node means.

use super::Scope;
use super::argument_flow::ArgumentFlow;
use super::flow::{Extraction, Frames, element};
use super::path_class;
use super::rule_set::RuleSet;
use super::syntax::MAX_DEPTH;
use super::value::taint;
use super::value::{Act, Argument, Taint, Value, ValueKind};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use tree_sitter::Node;

/// The position of a node in a walk.
#[derive(Clone, Copy, Debug)]
pub(super) struct WalkStep {
    /// The frame of its variables.
    pub(super) frame: usize,
    /// Whether the node may not run, or may run several times.
    pub(super) branch: bool,
    /// Whether the walk began at this node.
    pub(super) top: bool,
}

/// A reader of one language.
pub(super) trait Walker<'t> {
    /// Reads one node; returns whether to visit its children.
    fn visit(&mut self, node: Node<'t>, step: WalkStep) -> bool;

    /// Whether the children of such a node may not run.
    fn is_branch(kind: &str) -> bool;

    /// Called where something is nested too deeply to be followed.
    fn too_deep(&mut self);
}

/// Visits a node and everything below it, in the order of the text.
pub(super) fn walk<'t, W: Walker<'t>>(walker: &mut W, root: Node<'t>, frame: usize) {
    let mut cursor = root.walk();
    let (mut depth, mut branches) = (0_u32, 0_u32);
    loop {
        let node = cursor.node();
        let deeper = walker.visit(node, WalkStep { frame, branch: branches > 0, top: depth == 0 });
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
    /// The folder after the last change of the working folder.
    folder: Option<Value>,
    /// Whether what is being read may not run, or may run several times.
    pub(super) is_conditional: bool,
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
            folder: None,
            is_conditional: false,
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

    /// The ids of the folded calls within `range` that were not collected yet, inner ones first.
    pub(super) fn uncollected_in(&mut self, range: &Range<usize>) -> Vec<usize> {
        // Where very many wait, their order matters less than the time.
        if self.calls.len() > 512 {
            return Vec::new();
        }
        let inside = |acts: &[Act]| {
            let span = &acts.first()?.span;
            (span.start >= range.start && span.end <= range.end && span != range)
                .then_some((span.end, span.start))
        };
        let found = self.calls.iter().filter_map(|(id, (_, acts))| Some((inside(acts)?, *id)));
        let mut found: Vec<((usize, usize), usize)> = found.collect();
        found.sort_unstable_by_key(|((end, start), _)| (*end, std::cmp::Reverse(*start)));
        found.into_iter().map(|(_, id)| id).collect()
    }

    /// Removes and returns the calls folded within a range, to fold the range again.
    pub(super) fn take_calls(&mut self, range: &Range<usize>) -> Vec<(usize, (Value, Vec<Act>))> {
        let ids = self.uncollected_in(&(range.start..range.end + 1));
        ids.into_iter().filter_map(|id| Some((id, self.calls.remove(&id)?))).collect()
    }

    /// Puts back calls that were folded several times, with all their results and acts.
    pub(super) fn put_calls(&mut self, calls: Vec<(usize, (Value, Vec<Act>))>) {
        for (id, (value, mut acts)) in calls {
            let (known, told) = self.calls.entry(id).or_insert_with(|| (value.clone(), Vec::new()));
            *known = Value::any([known.clone(), value]);
            acts.truncate(256_usize.saturating_sub(told.len()));
            told.append(&mut acts);
        }
    }

    /// Drops the calls folded within a range but not collected: reading the range again folds them anew.
    pub(super) fn forget_calls(&mut self, range: &Range<usize>) {
        self.take_calls(range);
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
            let host = Argument { value: Value::text(host), span: act.span.clone() };
            self.push_act("@service", vec![host], act.span.clone());
        }
    }

    /// The act changes the working folder to its first argument. What holds afterwards is known only where that surely
    /// happens, once.
    pub(super) fn change_folder(&mut self, act: &Act) {
        let to = act.arguments.first().filter(|_| !self.is_conditional);
        let to = to.map_or_else(Value::unknown, |argument| argument.value.clone());
        self.folder = Some(path_class::entered(self.folder.as_ref(), &to));
    }

    /// The act of calling a value.
    pub(super) fn act(
        &self,
        called: &Value,
        arguments: Vec<Argument>,
        named: Vec<(String, Argument)>,
        span: Range<usize>,
    ) -> Act {
        let receiver = match &called.kind {
            ValueKind::Name { about: Some(about), .. } => Some((**about).clone()),
            _ => None,
        };
        let name = called.as_name().unwrap_or("?").to_owned();
        Act { name, receiver, arguments, named, folder: self.folder.clone(), span }
    }

    /// Adds an act without named arguments.
    pub(super) fn push_act(&mut self, name: &str, arguments: Vec<Argument>, span: Range<usize>) {
        self.reading.acts.push(Act { folder: self.folder.clone(), ..Act::new(name, arguments, span) });
    }
}

/// The value of the target at `index` when a value is unpacked into several names.
pub(super) fn spread(value: &Value, index: usize) -> Value {
    match &value.kind {
        ValueKind::List(items) => items.get(index).cloned().unwrap_or_else(Value::unknown),
        ValueKind::Any(items) => Value::any(items.iter().map(|item| spread(item, index))),
        _ => Value::unknown().tainted(element(value).all_taint()),
    }
}
