//! Functions of the text itself: what they do with what they are handed, and what they give back.
//!
//! A call of such a function reads its body at once, with its parameters bound to what the call hands over: so a command
//! that travels through a helper, or comes back from one, is seen where it is used. A body that no call in the text
//! reaches is read once at the end, with parameters of which nothing is known. Bounded: so many readings of a body and so
//! deep, each paid for; what is refused counts as unknown. What a parameter is, the readers of the languages know.

use super::flow::Frames;
use super::value::Value;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use tree_sitter::Node;

/// Readings of one body.
const MAX_READINGS: usize = 12;
const MAX_FUNCTIONS: usize = 4096;
/// Calls inside of calls that are followed.
const MAX_DEPTH: usize = 6;
/// Heaviest arguments that a body is read with, in the units of `Value::weight`.
const MAX_WEIGHT: usize = 1024;

/// A function of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlowFunction<'t> {
    pub(super) node: Node<'t>,
    /// The frame around it.
    pub(super) frame: usize,
    /// Whether its first parameter is the object that it belongs to.
    pub(super) method: bool,
}

/// Functions of a text, and how they were entered.
#[derive(Default)]
pub(super) struct ArgumentFlow<'t> {
    /// By the name that calls of it have.
    functions: HashMap<String, FlowFunction<'t>>,
    /// The class that a class is made from, by their names.
    bases: HashMap<String, String>,
    /// What calls of a function gave, by the function and what it was handed.
    given_back: HashMap<(usize, String), Value>,
    readings: HashMap<usize, usize>,
    /// Functions with a call that was not followed.
    refused: HashSet<usize>,
    /// What the bodies that are being read give back, the innermost last.
    returns: Vec<(Vec<Value>, Vec<Value>)>,
}

/// How a call of a function of the text is dealt with.
pub(super) enum CallEntry {
    /// It was followed before, and gave this.
    Known(Value),
    /// It is not followed.
    Refused,
    /// Its body is to be read, and told by this key.
    Read(String),
}

impl<'t> ArgumentFlow<'t> {
    /// Notes a function by the name that calls of it have; a later one of the same name takes its place.
    pub(super) fn define(&mut self, name: String, function: FlowFunction<'t>) {
        if self.functions.len() < MAX_FUNCTIONS {
            self.functions.insert(name, function);
        }
    }

    /// Notes that a class is made from another one of the text.
    pub(super) fn note_subclass(&mut self, class: String, base: String) {
        if self.bases.len() < MAX_FUNCTIONS {
            self.bases.insert(class, base);
        }
    }

    /// The function of this name; of a class that has none of its own that of its base.
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

    /// Whether every call of a function was followed, and there was one.
    pub(super) fn is_fully_followed(&self, function: usize) -> bool {
        self.readings.contains_key(&function) && !self.refused.contains(&function)
    }

    /// How deep in calls of functions the reading is.
    pub(super) fn depth(&self) -> usize {
        self.returns.len()
    }

    /// Begins to read a body.
    pub(super) fn begin(&mut self) {
        self.returns.push((Vec::new(), Vec::new()));
    }

    /// Something is given back by the body that is read.
    pub(super) fn note_return(&mut self, value: Value) {
        if let Some((returns, _)) = self.returns.last_mut().filter(|(r, _)| r.len() < 64) {
            returns.push(value);
        }
    }

    /// Something is handed out one by one by the body that is read.
    pub(super) fn note_yield(&mut self, value: Value) {
        if let Some((_, yields)) = self.returns.last_mut().filter(|(_, y)| y.len() < 64) {
            yields.push(value);
        }
    }

    /// Ends the reading of a body: what it gives.
    pub(super) fn end(&mut self, function: usize, key: String) -> Value {
        let (returns, yields) = self.returns.pop().unwrap_or_default();
        let value = if yields.is_empty() {
            Value::any(returns)
        } else {
            Value::new(super::value::ValueKind::List(yields))
        };
        self.given_back.insert((function, key), value.clone());
        value
    }

    /// Whether, and how, a call of a function of the text is followed.
    pub(super) fn entry(
        &mut self,
        frames: &mut Frames,
        function: FlowFunction<'t>,
        given: &[(&str, Value)],
    ) -> CallEntry {
        let weight = given.iter().map(|(_, v)| v.weight()).sum::<usize>();
        let id = function.node.id();
        if weight > MAX_WEIGHT || !frames.pay(weight) {
            self.refused.insert(id);
            return CallEntry::Refused;
        }
        let mut key = String::new();
        for (name, value) in given {
            // Writing to a text can't fail.
            let _ = write!(key, "{name}={value:?};");
        }
        let key = (id, key);
        if let Some(value) = self.given_back.get(&key) {
            return CallEntry::Known(value.clone());
        }
        let readings = self.readings.entry(id).or_default();
        let work = function.node.byte_range().len() / 2 + 8;
        if *readings >= MAX_READINGS || self.returns.len() >= MAX_DEPTH || !frames.pay_optional(work) {
            self.refused.insert(id);
            return CallEntry::Refused;
        }
        *readings += 1;
        // A function that calls itself gets no answer the second time.
        self.given_back.insert(key.clone(), Value::unknown());
        CallEntry::Read(key.1)
    }
}
