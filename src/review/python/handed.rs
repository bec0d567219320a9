//! Functions that are handed to functions of the same text: `def f(run): run('rm -rf x')` with `f(os.system)`.
//!
//! The body of such a function is read once more, its parameters bound to what it was handed. Bounded: so many bodies a
//! text, each one once for the same functions.

use super::Reader;
use crate::review::syntax::{named, text};
use crate::review::value::{Act, Value};
use std::collections::{HashMap, HashSet};
use tree_sitter::Node;

/// Bodies that are read once more.
const MOST: usize = 64;

/// Functions of a text, and with which functions they were entered.
#[derive(Default)]
pub(super) struct Handed<'t> {
    /// By name: the definition, and the frame around it.
    functions: HashMap<String, (Node<'t>, usize)>,
    entered: HashSet<(usize, String)>,
}

impl<'t> Handed<'t> {
    /// Notes a function; a later one of the same name takes its place.
    pub(super) fn define(&mut self, name: &str, function: Node<'t>, frame: usize) {
        if self.functions.len() < 4096 {
            self.functions.insert(name.to_owned(), (function, frame));
        }
    }
}

impl<'t> Reader<'_, 't> {
    /// Reads the body of a called function once more, if the call hands it a function that the rules speak of.
    pub(super) fn enter_with(&mut self, act: &Act) {
        let Some((function, frame)) =
            act.name.strip_prefix("def ").and_then(|name| self.handed.functions.get(name)).copied()
        else {
            return;
        };
        let Some(parameters) = function.child_by_field_name("parameters") else { return };
        let given = given(parameters, act, self.shared.source);
        let told: Vec<String> = given
            .iter()
            .filter_map(|(name, value)| Some((name, value.as_name()?)))
            .filter(|(_, path)| self.shared.book.knows(path))
            .map(|(name, path)| format!("{name}={path}"))
            .collect();
        let work = function.byte_range().len() / 16 + given.iter().map(|(_, v)| v.weight()).sum::<usize>();
        if told.is_empty()
            || self.handed.entered.len() >= MOST
            || !self.handed.entered.insert((function.id(), told.join(" ")))
            || !self.shared.frames.pay(work)
        {
            return;
        }
        let inner = self.shared.put_off(function, frame);
        self.forget(parameters, inner);
        for (name, value) in given {
            self.shared.frames.bind(inner, name, value, false);
        }
    }
}

/// The parameters that a call gives values to.
fn given<'s>(parameters: Node<'_>, act: &Act, source: &'s str) -> Vec<(&'s str, Value)> {
    let names = named(parameters, 64).into_iter().filter_map(|parameter| {
        let name = match parameter.kind() {
            "identifier" => parameter,
            "typed_parameter" => parameter.named_child(0)?,
            "default_parameter" | "typed_default_parameter" => parameter.child_by_field_name("name")?,
            _ => return None,
        };
        (name.kind() == "identifier").then(|| text(name, source))
    });
    let mut given = Vec::new();
    for (at, name) in names.enumerate() {
        let by_name = act.named.iter().find(|(key, _)| key == name).map(|(_, argument)| argument);
        if let Some(argument) = by_name.or_else(|| act.arguments.get(at)) {
            given.push((name, argument.value.clone()));
        }
    }
    given
}
