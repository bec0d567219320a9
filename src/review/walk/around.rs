//! What a call of a function of the text depends on besides its arguments: the folder, and names around the function.
//!
//! A call is followed once for all calls that depend on the same. Fields (`self.path`) count by their names, whatever
//! object they belong to. Names that are read by methods (`self.run()`) of no known class, or by functions that a value
//! of another name calls, are not seen.

use super::WalkContext;
use crate::review::argument_flow::{CallEntry, FlowFunction};
use crate::review::syntax::{each, text};
use crate::review::value::{Value, ValueKind};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// The most names of one function that are looked up.
const MAX_NAMES: usize = 256;

/// The most functions that are looked through for the names that one call reads.
const MAX_FUNCTIONS: usize = 16;

/// A kind of names that functions use.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum UsedName {
    Variable,
    Field,
}

impl<'a, 't> WalkContext<'a, 't> {
    /// Decides whether to follow a call of one of the text's functions with these arguments.
    pub(in crate::review) fn entry(
        &mut self,
        function: FlowFunction<'t>,
        arguments: impl Iterator<Item = (String, Value)>,
    ) -> CallEntry {
        let Some((held, is_whole)) = self.read_around(function) else {
            return self.functions.refuse(function);
        };
        let folder = self.folder.clone().map(|folder| ("/".to_owned(), folder));
        let mut given: Vec<(String, Value)> = arguments.chain(folder).collect();
        if !held.is_empty() {
            let mut hasher = DefaultHasher::new();
            format!("{held:?}").hash(&mut hasher);
            given.push(("=".to_owned(), Value::text(hasher.finish().to_string())));
        }
        if !is_whole {
            // Any name may be read by the functions that were not looked through.
            given.push(("*".to_owned(), Value::text(self.frames.outer_changes().to_string())));
        }
        let entry = self.functions.entry(&mut self.frames, function, &given);
        self.reading.unknown |= !is_whole && matches!(entry, CallEntry::Refused);
        entry
    }

    /// What a function, and those that it calls, read from around themselves, as far as paths may depend on it, and
    /// whether all of these functions were looked through; `None` if that is too much.
    fn read_around(&mut self, function: FlowFunction<'t>) -> Option<(Vec<(String, Value)>, bool)> {
        let mut functions = vec![function];
        let mut is_whole = true;
        let (mut held, mut changes) = (Vec::new(), 0);
        let mut next = 0;
        while let Some(function) = functions.get(next).copied() {
            next += 1;
            for name in self.names_used(function, UsedName::Variable)? {
                let Some(value) = self.frames.lookup(function.frame, name) else { continue };
                if let Some(called) = value.as_name().and_then(|name| self.functions.function(name)) {
                    is_whole &= add(&mut functions, called);
                }
                if may_name_path(&value) {
                    held.push((name.to_owned(), value));
                }
            }
            if !self.frames.has_fields() {
                continue;
            }
            for field in self.names_used(function, UsedName::Field)? {
                changes += self.frames.field_changes(field);
                for method in self.functions.methods(field) {
                    is_whole &= add(&mut functions, *method);
                }
            }
        }
        if changes > 0 {
            held.push((".".to_owned(), Value::text(changes.to_string())));
        }
        Some((held, is_whole))
    }

    /// The names of a kind that a function uses, paid for; `None` if they are too many.
    fn names_used(&mut self, function: FlowFunction<'t>, kind: UsedName) -> Option<Vec<&'a str>> {
        let source = self.source;
        let known = self.names_used.entry((function.node.id(), kind)).or_insert_with(|| {
            let mut names: BTreeSet<&str> = BTreeSet::new();
            each(function.node, |node, _| {
                let name = match (kind, node.kind()) {
                    (UsedName::Variable, "identifier" | "shorthand_property_identifier") => Some(node),
                    (UsedName::Field, "attribute") => node.child_by_field_name("attribute"),
                    (UsedName::Field, "member_expression") => node.child_by_field_name("property"),
                    _ => None,
                };
                names.extend(name.map(|name| text(name, source)));
                names.len() <= MAX_NAMES
            });
            (names.len() <= MAX_NAMES).then(|| names.into_iter().collect())
        });
        let names = known.clone()?;
        self.frames.pay_optional(names.len()).then_some(names)
    }
}

/// Adds a function that is not among these; false if they are too many.
fn add<'t>(functions: &mut Vec<FlowFunction<'t>>, function: FlowFunction<'t>) -> bool {
    if functions.iter().any(|known| known.node.id() == function.node.id()) {
        return true;
    }
    let has_room = functions.len() < MAX_FUNCTIONS;
    functions.extend(has_room.then_some(function));
    has_room
}

fn may_name_path(value: &Value) -> bool {
    !matches!(value.kind, ValueKind::Number(_) | ValueKind::Bool(_) | ValueKind::Nothing | ValueKind::Unknown)
}
