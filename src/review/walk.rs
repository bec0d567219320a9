//! Walking a tree from top to bottom: written once for all languages, without recursion, so that depth costs no stack.
//!
//! `WalkContext` is what the readers of programming languages have in common: names, calls that were folded already, bodies
//! that wait. What a node means is theirs to say.

use super::Scope;
use super::argument_flow::ArgumentFlow;
use super::flow::{Extraction, Frames, element};
use super::rule_set::RuleSet;
use super::syntax::MAX_DEPTH;
use super::value::taint;
use super::value::{Act, Argument, Taint, Value, ValueKind};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use tree_sitter::Node;

/// Where in a walk a node is met.
#[derive(Clone, Copy, Debug)]
pub(super) struct WalkStep {
    /// The scope of names.
    pub(super) frame: usize,
    /// Whether it may or may not happen, or happens more than once.
    pub(super) branch: bool,
    /// Whether the walk began here.
    pub(super) top: bool,
}

/// A reader of one language.
pub(super) trait Walker<'t> {
    /// Takes in one node; says whether to go into it.
    fn visit(&mut self, node: Node<'t>, step: WalkStep) -> bool;

    /// Whether what is inside a node of this kind may or may not happen.
    fn is_branch(kind: &str) -> bool;

    /// Told where something is nested too deep to be followed.
    fn too_deep(&mut self);
}

/// Walks everything below a node, in the order of the text.
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

/// What readers of programming languages have in common.
pub(super) struct WalkContext<'a, 't> {
    pub(super) source: &'a str,
    pub(super) book: &'a RuleSet,
    pub(super) scope: &'a Scope,
    pub(super) frames: Frames,
    /// Calls that were folded already: what they give, and the act, in all ways in which it may be meant.
    pub(super) calls: HashMap<usize, (Value, Vec<Act>)>,
    /// Where a change of the working folder went.
    pub(super) folder: Option<Value>,
    /// Functions of the text, and what they were handed.
    pub(super) handed: ArgumentFlow<'t>,
    /// Bodies that wait, each with its frame: they are read when the names that they use are bound.
    waiting: Vec<(Node<'t>, usize)>,
    /// Functions that were met, so that none is put off twice in the same frame.
    met: HashSet<(usize, usize)>,
    pub(super) reading: Extraction,
}

impl<'a, 't> WalkContext<'a, 't> {
    pub(super) fn new(root: Node<'t>, source: &'a str, book: &'a RuleSet, scope: &'a Scope) -> Self {
        Self {
            source,
            book,
            scope,
            frames: Frames::with_choices(source.len()),
            calls: HashMap::new(),
            folder: None,
            handed: ArgumentFlow::default(),
            waiting: vec![(root, 0)],
            met: HashSet::new(),
            reading: Extraction::default(),
        }
    }

    /// The next body of the queue from a position on, the text itself first; the position moves behind it. A function
    /// whose calls were all followed is not read once more.
    pub(super) fn body(&self, next: &mut usize) -> Option<(Node<'t>, usize)> {
        loop {
            let (node, frame) = self.waiting.get(*next).copied()?;
            *next += 1;
            if !self.handed.is_fully_followed(node.id()) {
                return Some((node, frame));
            }
        }
    }

    /// Puts a body off until what surrounds it was read; returns its frame, the first time that it is met there.
    pub(super) fn put_off(&mut self, body: Node<'t>, frame: usize) -> Option<usize> {
        if !self.met.insert((body.id(), frame)) {
            return None;
        }
        let inner = self.frames.open(frame);
        self.waiting.push((body, inner));
        Some(inner)
    }

    /// Takes the calls out that were folded and not told yet, those inside of `range` and inner ones first.
    pub(super) fn folded_in(&mut self, range: &Range<usize>) -> Vec<usize> {
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

    /// Takes the calls out that were folded inside of a range, to fold it again.
    pub(super) fn take_calls(&mut self, range: &Range<usize>) -> Vec<(usize, (Value, Vec<Act>))> {
        let ids = self.folded_in(&(range.start..range.end + 1));
        ids.into_iter().filter_map(|id| Some((id, self.calls.remove(&id)?))).collect()
    }

    /// Puts calls back that were folded several times: what each gave, and all acts.
    pub(super) fn put_calls(&mut self, calls: Vec<(usize, (Value, Vec<Act>))>) {
        for (id, (value, mut acts)) in calls {
            let (known, told) = self.calls.entry(id).or_insert_with(|| (value.clone(), Vec::new()));
            *known = Value::any([known.clone(), value]);
            acts.truncate(256_usize.saturating_sub(told.len()));
            told.append(&mut acts);
        }
    }

    /// Forgets calls that were folded in a range and not told: another reading of it folds them anew.
    pub(super) fn forget_calls(&mut self, range: &Range<usize>) {
        self.take_calls(range);
    }

    /// How deep an expression may be folded here; less inside of functions that are being followed.
    pub(super) fn deepest(&self) -> u32 {
        if self.handed.depth() == 0 { 48 } else { 20 }
    }

    pub(super) fn finish(mut self) -> Extraction {
        self.reading.cut |= self.frames.is_exhausted();
        self.reading
    }

    /// A name as the rules spell it, with the marks that it carries.
    pub(super) fn named(&self, name: &str) -> Value {
        let canonical = self.book.canonical(name);
        let name = canonical.as_deref().unwrap_or(name);
        Value::name(name).tainted(self.mark_of(name))
    }

    /// The mark that the rules give to a name.
    pub(super) fn mark_of(&self, name: &str) -> Taint {
        self.book.mark_of(name).map(taint).unwrap_or_default()
    }

    /// A member of a name: keeps what the name is about, and its marks.
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

    /// Notes that a module is used, for lists of forbidden ones.
    pub(super) fn imported(&mut self, name: &str, span: Range<usize>) {
        const MAX_IMPORTS: usize = 4096;
        if self.reading.imports.len() < MAX_IMPORTS {
            self.reading.imports.push((name.to_owned(), span));
        } else {
            self.reading.cut = true;
        }
    }

    /// What is told of a call beside what it is: whether it is known what it does, and the service that it speaks to.
    pub(super) fn note_unknown(&mut self, act: &Act) {
        self.reading.unknown |= !self.book.reads(&act.name);
        if let Some(host) = self.book.host_of(&act.name) {
            let host = Argument { value: Value::text(host), span: act.span.clone() };
            self.push_act("@service", vec![host], act.span.clone());
        }
    }

    /// An act without named arguments.
    pub(super) fn push_act(&mut self, name: &str, arguments: Vec<Argument>, span: Range<usize>) {
        self.reading.acts.push(Act { folder: self.folder.clone(), ..Act::new(name, arguments, span) });
    }
}

/// The items that a pattern of names is bound to, one for each of so many.
pub(super) fn spread(value: &Value, index: usize) -> Value {
    match &value.kind {
        ValueKind::List(items) => items.get(index).cloned().unwrap_or_else(Value::unknown),
        ValueKind::Any(items) => Value::any(items.iter().map(|item| spread(item, index))),
        _ => Value::unknown().tainted(element(value).all_taint()),
    }
}
