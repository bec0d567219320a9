//! Follows calls of functions that the text itself defines: what they do with their arguments, and what they return.
//!
//! A call reads the function's body at once, with its parameters bound to the arguments. So a command that passes
//! through a helper, or is returned by one, is found where it is used. A body that no call reaches is read once at the
//! end, with unknown parameters. Readings are limited in number, depth and cost; what a refused call returns is
//! unknown. The readers of the languages bind the parameters.

use super::flow::Frames;
use super::value::Value;
use std::collections::{HashMap, HashSet};
use tree_sitter::Node;

/// The most readings of one body.
const MAX_READINGS: usize = 12;
const MAX_FUNCTIONS: usize = 4096;
/// The most methods of one name that are remembered by it.
const MAX_METHODS: usize = 16;
/// The deepest nesting of calls that are followed.
const MAX_DEPTH: usize = 6;
/// Heaviest arguments that a body is read with, in the units of `Value::weight`.
const MAX_WEIGHT: usize = 1024;

#[derive(Clone, Copy, Debug)]
pub(super) struct FlowFunction<'t> {
    pub(super) node: Node<'t>,
    /// The frame around it.
    pub(super) frame: usize,
    /// Whether its first parameter is its object (`self`).
    pub(super) method: bool,
}

/// The functions of a text, and the calls that were followed.
#[derive(Default)]
pub(super) struct ArgumentFlow<'t> {
    /// By the name that calls use.
    functions: HashMap<String, FlowFunction<'t>>,
    /// Methods by their own names.
    methods: HashMap<String, Vec<FlowFunction<'t>>>,
    /// The base class of each class, by name.
    bases: HashMap<String, String>,
    /// What a function returned, by its node and its arguments.
    given_back: HashMap<(usize, String), Value>,
    readings: HashMap<usize, usize>,
    /// Functions with a call that was not followed.
    refused: HashSet<usize>,
    /// The values returned and yielded so far by the bodies being read, the innermost body last.
    returns: Vec<(Vec<Value>, Vec<Value>)>,
}

/// What to do with a call of one of the text's functions.
pub(super) enum CallEntry {
    /// It was followed before with these arguments, and returned this.
    Known(Value),
    /// It is not followed.
    Refused,
    /// The body has to be read; pass this key to `end`.
    Read(String),
}

impl<'t> ArgumentFlow<'t> {
    /// Adds a function under the name that calls use; a later one of the same name replaces it.
    pub(super) fn define(&mut self, name: String, function: FlowFunction<'t>) {
        if self.functions.len() >= MAX_FUNCTIONS && !self.functions.contains_key(&name) {
            return;
        }
        if let Some((_, method)) = name.rsplit_once('.') {
            let known = self.methods.entry(method.to_owned()).or_default();
            let is_new = known.iter().all(|known| known.node.id() != function.node.id());
            if is_new && known.len() < MAX_METHODS {
                known.push(function);
            }
        }
        self.functions.insert(name, function);
    }

    /// Adds that a class derives from another class of the text.
    pub(super) fn note_subclass(&mut self, class: String, base: String) {
        if self.bases.len() < MAX_FUNCTIONS {
            self.bases.insert(class, base);
        }
    }

    /// The function of this name; if the class has no such method, its base's.
    pub(super) fn function(&self, name: &str) -> Option<FlowFunction<'t>> {
        let mut name = name.to_owned();
        for _ in 0..8 {
            if let Some(function) = self.functions.get(&name) {
                return Some(*function);
            }
            let (class, member) = name.split_once("().")?;
            name = format!("{}().{member}", self.bases.get(class)?);
        }
        None
    }

    /// The methods of this name, of whatever class, in the order in which they were met.
    pub(super) fn methods(&self, name: &str) -> &[FlowFunction<'t>] {
        self.methods.get(name).map_or(&[], Vec::as_slice)
    }

    /// Whether the function was called, and every call of it was followed.
    pub(super) fn is_fully_followed(&self, function: usize) -> bool {
        self.readings.contains_key(&function) && !self.refused.contains(&function)
    }

    /// How many nested calls are being read.
    pub(super) fn depth(&self) -> usize {
        self.returns.len()
    }

    /// Begins to read a body.
    pub(super) fn begin(&mut self) {
        self.returns.push((Vec::new(), Vec::new()));
    }

    /// The body being read returns this.
    pub(super) fn note_return(&mut self, value: Value) {
        if let Some((returns, _)) = self.returns.last_mut().filter(|(r, _)| r.len() < 64) {
            returns.push(value);
        }
    }

    /// The body being read yields this.
    pub(super) fn note_yield(&mut self, value: Value) {
        if let Some((_, yields)) = self.returns.last_mut().filter(|(_, y)| y.len() < 64) {
            yields.push(value);
        }
    }

    /// Ends the reading of a body; returns its value.
    pub(super) fn end(&mut self, function: usize, key: String) -> Value {
        let (returns, yields) = self.returns.pop().unwrap_or_default();
        let value = if yields.is_empty() { Value::any(returns) } else { Value::list(yields) };
        let value = value.kept();
        self.given_back.insert((function, key), value.clone());
        value
    }

    /// Does not follow a call of a function.
    pub(super) fn refuse(&mut self, function: FlowFunction<'t>) -> CallEntry {
        self.refused.insert(function.node.id());
        CallEntry::Refused
    }

    /// Decides whether to follow a call of one of the text's functions.
    pub(super) fn entry(
        &mut self,
        frames: &mut Frames,
        function: FlowFunction<'t>,
        given: &[(String, Value)],
    ) -> CallEntry {
        let weight = given.iter().map(|(_, v)| v.weight()).sum::<usize>();
        let id = function.node.id();
        if weight > MAX_WEIGHT || !frames.pay(weight) {
            return self.refuse(function);
        }
        let key: String = given.iter().map(|(name, value)| format!("{name}={value:?};")).collect();
        let key = (id, key);
        if let Some(value) = self.given_back.get(&key) {
            return CallEntry::Known(value.clone());
        }
        let readings = self.readings.entry(id).or_default();
        let work = function.node.byte_range().len() / 2 + 8;
        if *readings >= MAX_READINGS || self.returns.len() >= MAX_DEPTH || !frames.pay_optional(work) {
            return self.refuse(function);
        }
        *readings += 1;
        // A recursive call gets an unknown value.
        self.given_back.insert(key.clone(), Value::unknown());
        CallEntry::Read(key.1)
    }
}
