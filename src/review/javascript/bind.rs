//! Binds names in JavaScript: imports, patterns, names of loops and of errors, parameters.

use super::JavascriptReader;
use crate::review::flow::element_in;
use crate::review::items::{UnpackedValue, is_list, values};
use crate::review::syntax::{first_child, is_comment, named_children, pair, text};
use crate::review::value::{Act, Argument, Value, ValueKind};
use tree_sitter::Node;

/// How many members of an object pattern are looked up; of the others, only the marks are known.
const MAX_MEMBERS: usize = 64;

/// How many parameters get the arguments of a call; the others may have any value, with the marks of all of these.
const MAX_PARAMETERS: usize = 64;

/// The targets of an array pattern with their positions: some of these may have none (`[, second]`).
fn targets_of(pattern: Node<'_>) -> Vec<(usize, Node<'_>)> {
    let (mut targets, mut at) = (Vec::new(), 0);
    let mut cursor = pattern.walk();
    for child in pattern.children(&mut cursor) {
        if child.kind() == "," {
            at += 1;
        } else if child.is_named() && !is_comment(&child) {
            targets.push((at, child));
        }
    }
    targets
}

impl<'t> JavascriptReader<'_, 't> {
    pub(super) fn import(&mut self, node: Node<'t>, frame: usize) {
        let Some(source) = node.child_by_field_name("source") else {
            return self.import_require(node, frame);
        };
        let module = self.fold(source, frame, 0);
        let Some(module) = module.as_whole_text().map(str::to_owned) else { return };
        self.note_module(&module, node);
        self.shared.imported(module.strip_prefix("node:").unwrap_or(&module), node.byte_range());
        let clauses = named_children(node, 8).into_iter().filter(|n| n.kind() == "import_clause");
        for item in clauses.flat_map(|clause| named_children(clause, 8)) {
            match item.kind() {
                "identifier" => {
                    let value = self.named(&module);
                    self.shared.frames.bind(frame, &self.spelled(item), value, false);
                }
                "namespace_import" => {
                    if let Some(name) = first_child(item) {
                        let value = self.named(&module);
                        self.shared.frames.bind(frame, &self.spelled(name), value, false);
                    }
                }
                "named_imports" => {
                    for specifier in named_children(item, usize::MAX) {
                        let Some(name) = specifier.child_by_field_name("name") else { continue };
                        let alias = specifier.child_by_field_name("alias").unwrap_or(name);
                        let value = self.named(&format!("{module}.{}", self.spelled(name)));
                        self.shared.frames.bind(frame, &self.spelled(alias), value, false);
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds a module that a statement loads, unless it takes types only from it.
    fn note_module(&mut self, module: &str, node: Node<'t>) {
        let spelled = text(node, self.shared.source);
        // `import type from './x'` imports a value of this name; a comment may stand before `from`.
        let is_type = ["import type ", "export type "].iter().any(|start| {
            let rest = spelled.strip_prefix(start).map(str::trim_start);
            rest.is_some_and(|rest| !rest.starts_with("from") && !rest.starts_with('/'))
        });
        if !is_type {
            let module = Argument::text(module, &node.byte_range());
            self.shared.push_act("@module", vec![module], node.byte_range());
        }
    }

    /// `import fs = require('fs')`.
    fn import_require(&mut self, node: Node<'t>, frame: usize) {
        let clause = named_children(node, 8).into_iter().find(|n| n.kind() == "import_require_clause");
        let Some(clause) = clause else { return };
        let (Some(name), Some(source)) = (first_child(clause), clause.child_by_field_name("source")) else {
            return;
        };
        if let Some(module) = self.fold(source, frame, 0).as_whole_text().map(str::to_owned) {
            self.note_module(&module, node);
            self.shared.imported(module.strip_prefix("node:").unwrap_or(&module), node.byte_range());
            let value = self.named(&module);
            self.shared.frames.bind(frame, &self.spelled(name), value, false);
        }
    }

    pub(super) fn augment(&mut self, node: Node<'t>, frame: usize, branch: bool) {
        let (Some(left), Some(right)) = pair(node, "left", "right") else { return };
        let before = self.fold(left, frame, 0);
        let added = self.fold(right, frame, 0);
        let operator = node.child_by_field_name("operator").map(|o| text(o, self.shared.source));
        let value = match operator {
            Some("+=") => Value::join(&[before, added], ""),
            Some("||=" | "??=" | "&&=") => Value::any([before, added]),
            _ => Value::unknown(),
        };
        self.bind_pattern(left, value, frame, branch);
    }

    /// Binds a name, the members of an object pattern (`const { rm: x } = …`), or the items of an array pattern. Patterns
    /// may be nested as deep as a text has room for.
    pub(super) fn bind_pattern(&mut self, left: Node<'t>, value: Value, frame: usize, branch: bool) {
        let mut open = vec![(left, value)];
        while let Some((left, value)) = open.pop() {
            match left.kind() {
                // `name = default` in a pattern.
                "assignment_pattern" | "object_assignment_pattern" => {
                    if let (Some(name), Some(default)) = pair(left, "left", "right") {
                        let default = self.fold(default, frame, 0);
                        let is_unknown = value.kind == ValueKind::Unknown;
                        open.push((name, if is_unknown { Value::any([default, value]) } else { value }));
                    }
                }
                "object_pattern" => open.extend(self.members_of(left, &value).into_iter().rev()),
                "array_pattern" => {
                    let targets = targets_of(left);
                    let rest = targets.iter().find(|(_, target)| target.kind() == "rest_pattern");
                    let count = targets.last().map_or(0, |(at, _)| at + 1);
                    let unpacked = UnpackedValue::new(&value, count, rest.map(|(at, _)| *at));
                    open.extend(targets.into_iter().rev().map(|(at, target)| (target, unpacked.part(at))));
                }
                // `...rest` in a pattern.
                "rest_pattern" => open.extend(first_child(left).map(|name| (name, value))),
                _ => self.bind_single(left, value, frame, branch),
            }
        }
    }

    fn bind_single(&mut self, left: Node<'t>, value: Value, frame: usize, branch: bool) {
        match left.kind() {
            "identifier" | "shorthand_property_identifier_pattern" => {
                let name = self.spelled(left);
                self.shared.frames.bind(frame, &name, value, branch);
            }
            "member_expression" if self.spelled(left) == "process.env" => {
                self.shared.reading.unknown |= values(&value).iter().any(|one| one.as_map().is_none());
                let environment = Argument::new(value, &left.byte_range());
                self.shared.push_act("process.env=", vec![environment], left.byte_range());
            }
            "member_expression" if left.byte_range().len() < 80 => {
                self.bind_member(left, &value, frame);
                let field = self.spelled(left);
                self.shared.frames.bind_shared(&field, value.clone());
                if field == "module.exports" {
                    self.shared.frames.bind(frame, "exports", value, branch);
                }
            }
            "subscript_expression" => self.bind_item(left, &value, frame),
            _ => {}
        }
    }

    /// `object.name = value`: a map that the text made gets this member.
    fn bind_member(&mut self, left: Node<'t>, value: &Value, frame: usize) {
        let (Some(object), Some(property)) = pair(left, "object", "property") else { return };
        let name = self.spelled(object);
        let held = self.shared.frames.lookup(frame, &name).filter(|_| object.kind() == "identifier");
        if held.is_some_and(|held| values(&held).iter().any(|one| one.as_map().is_some())) {
            let key = Value::text(self.spelled(property));
            self.shared.set_item(frame, &name, &key, value);
        }
    }

    /// `table[index] = value`: adds the item to the list or object.
    fn bind_item(&mut self, left: Node<'t>, value: &Value, frame: usize) {
        let (Some(object), Some(index)) = pair(left, "object", "index") else { return };
        if object.kind() != "identifier" {
            return;
        }
        let (name, index) = (self.spelled(object), self.fold(index, frame, 0));
        // A negative index means a property of a list, and none of its items.
        let is_property = matches!(index.kind, ValueKind::Number(..0))
            && self.shared.frames.lookup(frame, &name).is_some_and(|held| is_list(&held));
        if !is_property {
            self.shared.set_item(frame, &name, &index, value);
        }
    }

    /// `{ rm: x, cp }`: the target for the member of each key, with that member.
    fn members_of(&self, pattern: Node<'t>, value: &Value) -> Vec<(Node<'t>, Value)> {
        let marks = value.to_unknown();
        let mut members = Vec::new();
        for (at, child) in named_children(pattern, usize::MAX).into_iter().enumerate() {
            let (key, target) = match child.kind() {
                "pair_pattern" => match pair(child, "key", "value") {
                    (Some(key), Some(target)) => (key, target),
                    _ => continue,
                },
                "object_assignment_pattern" => match child.child_by_field_name("left") {
                    Some(name) => (name, child),
                    None => continue,
                },
                "rest_pattern" => {
                    members.push((child, marks.clone()));
                    continue;
                }
                _ => (child, child),
            };
            let member = if at < MAX_MEMBERS {
                self.member(value, self.spelled(key).trim_matches(['"', '\'']))
            } else {
                marks.clone()
            };
            members.push((target, member));
        }
        members
    }

    /// `for (const name of list)`: in each round the names hold an element, and behind the loop they may hold again
    /// what they hold now.
    pub(super) fn begin_loop(&mut self, node: Node<'t>, frame: usize) {
        if let (Some(left), Some(right)) = pair(node, "left", "right") {
            let names = super::names_below(left);
            self.shared.reading.unknown |= names.len() > super::MAX_NAMES;
            for name in names {
                self.shared.keep_behind(node.id(), frame, &self.spelled(name), false);
            }
            let value = element_in(&self.fold(right, frame, 0), self.shared.scope);
            self.bind_pattern(left, value, frame, false);
        }
        self.shared.begin_repeated(node, frame);
    }

    /// `catch (error)`: nothing is known of the error, and its name may hold again behind the clause what it holds now.
    pub(super) fn bind_error(&mut self, node: Node<'t>, frame: usize) {
        let name = node.child_by_field_name("parameter").filter(|n| n.kind() == "identifier");
        let Some(name) = name else { return };
        let name = self.spelled(name);
        self.shared.keep_behind(node.id(), frame, &name, false);
        self.shared.frames.bind(frame, &name, Value::unknown(), false);
    }

    /// Binds parameters, which hide outer names. Their value is the argument of the call, or the default; without a
    /// known call (`None`), the default or anything.
    pub(super) fn parameters(&mut self, function: Node<'t>, frame: usize, call: Option<&Act>) {
        let found = ["parameters", "parameter"].into_iter().find_map(|f| function.child_by_field_name(f));
        let Some(parameters) = found else { return };
        let all = if parameters.kind() == "identifier" {
            vec![parameters]
        } else {
            named_children(parameters, usize::MAX)
        };
        let marks = call.filter(|_| all.len() > MAX_PARAMETERS).map(Act::all_taint);
        for (at, parameter) in all.into_iter().enumerate() {
            let pattern = parameter.child_by_field_name("pattern").unwrap_or(parameter);
            let default =
                parameter.child_by_field_name("value").or_else(|| parameter.child_by_field_name("right"));
            let default = default.map(|d| self.fold(d, frame, 0));
            let rest = parameter.kind() == "rest_pattern" || pattern.kind() == "rest_pattern";
            let arguments =
                call.filter(|_| at < MAX_PARAMETERS).map(|act| act.arguments.get(at..).unwrap_or_default());
            let value = match (arguments, default) {
                (Some(given), _) if rest => Value::list(given.iter().map(|a| a.value.clone()).collect()),
                (Some([first, ..]), _) => first.value.clone(),
                (Some([]), Some(default)) => default,
                (None, Some(default)) => Value::any([default, Value::unknown()]),
                _ => Value::unknown(),
            };
            let value = match marks {
                Some(marks) if at >= MAX_PARAMETERS => value.tainted(marks),
                _ => value,
            };
            let mut target = if rest { first_child(pattern).unwrap_or(pattern) } else { pattern };
            if target.kind() == "assignment_pattern" {
                target = target.child_by_field_name("left").unwrap_or(target);
            }
            self.bind_pattern(target, value, frame, false);
        }
    }
}
