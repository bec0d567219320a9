//! Functions that are handed to functions of the same text: `def f(run): run('rm -rf x')` with `f(os.system)`.
//!
//! The body of such a function is read once more, its parameters bound to what it was handed. Bounded: so many bodies a
//! text, each one once for the same functions. What a parameter is, the readers of the languages know.

use super::value::{Act, Value};
use super::walk::Shared;
use std::collections::{HashMap, HashSet};
use tree_sitter::Node;

/// Bodies that are read once more.
const MOST: usize = 64;
/// Functions that are remembered.
const MOST_FUNCTIONS: usize = 4096;

/// Functions of a text, and with which functions they were entered.
#[derive(Default)]
pub(super) struct Handed<'t> {
    /// By name: the definition, and the frame around it.
    functions: HashMap<String, (Node<'t>, usize)>,
    entered: HashSet<(usize, String)>,
}

impl<'t> Handed<'t> {
    /// Notes a function by the name that calls of it have; a later one of the same name takes its place.
    pub(super) fn define(&mut self, name: String, function: Node<'t>, frame: usize) {
        if self.functions.len() < MOST_FUNCTIONS {
            self.functions.insert(name, (function, frame));
        }
    }

    /// The function of this name.
    pub(super) fn function(&self, name: &str) -> Option<(Node<'t>, usize)> {
        self.functions.get(name).copied()
    }
}

impl<'t> Shared<'_, 't> {
    /// Has the body of a function read once more, if one of the values that its parameters are given is a function that
    /// the rules speak of. Gives the frame of the body.
    pub(super) fn read_again(
        &mut self,
        (function, frame): (Node<'t>, usize),
        given: &[(&str, Value)],
    ) -> Option<usize> {
        let known = given.iter().filter_map(|(name, value)| Some((name, value.as_name()?)));
        let known = known.filter(|(_, path)| self.book.knows(path));
        let told: Vec<String> = known.map(|(name, path)| format!("{name}={path}")).collect();
        let work = function.byte_range().len() / 16 + given.iter().map(|(_, v)| v.weight()).sum::<usize>();
        let wanted = !told.is_empty()
            && self.handed.entered.len() < MOST
            && self.handed.entered.insert((function.id(), told.join(" ")));
        (wanted && self.frames.pay(work)).then(|| self.put_off(function, frame))
    }
}

/// What parameters are given by a call, in their order or by their names.
pub(super) fn given<'s>(parameters: impl Iterator<Item = &'s str>, act: &Act) -> Vec<(&'s str, Value)> {
    let mut given = Vec::new();
    for (at, name) in parameters.enumerate() {
        let by_name = act.named.iter().find(|(key, _)| key == name).map(|(_, argument)| argument);
        if let Some(argument) = by_name.or_else(|| act.arguments.get(at)) {
            given.push((name, argument.value.clone()));
        }
    }
    given
}
