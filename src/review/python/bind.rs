//! Binds names in Python: assignments, loop targets, parameters.

use super::PythonReader;
use super::known_functions;
use crate::review::environment;
use crate::review::flow::element_in;
use crate::review::items::{UnpackedValue, is_list, values};
use crate::review::path_class::TEMPORARY_FOLDER;
use crate::review::syntax::{each, first_child, named_children, pair, text};
use crate::review::value::{Act, Argument, Value};
use tree_sitter::Node;

/// How many parameters get the arguments of a call; the others may have any value, with the marks of all of these.
const MAX_PARAMETERS: usize = 64;

/// The most names of one loop that are followed.
const MAX_NAMES: usize = 64;

impl<'t> PythonReader<'_, 't> {
    pub(super) fn assign(&mut self, node: Node<'t>, frame: usize, branch: bool) {
        let (Some(left), Some(right)) = pair(node, "left", "right") else { return };
        let value = self.fold(right, frame, 0);
        let called = right.child_by_field_name("function").map(|called| text(called, self.shared.source));
        if left.kind() == "identifier"
            && (matches!(right.kind(), "set" | "set_comprehension") || called == Some("set"))
        {
            self.shared.note_set(self.spelled(left));
        }
        self.bind_target(left, value, frame, branch);
    }

    /// `del name, table['key']`.
    pub(super) fn delete(&mut self, node: Node<'t>, frame: usize, branch: bool) {
        let targets = named_children(node, usize::MAX).into_iter().flat_map(|target| match target.kind() {
            "expression_list" | "tuple" => named_children(target, usize::MAX),
            _ => vec![target],
        });
        for target in targets {
            match (target.kind(), pair(target, "value", "subscript")) {
                ("subscript", (Some(table), Some(index))) if table.kind() == "identifier" => {
                    let is_slice = index.kind() == "slice";
                    let index = (!is_slice).then(|| self.fold(index, frame, 0));
                    let name = self.spelled(table);
                    self.shared.delete_item(frame, &name, index);
                }
                ("identifier", _) => self.bind_target(target, Value::unknown(), frame, branch),
                _ => {}
            }
        }
    }

    pub(super) fn augment(&mut self, node: Node<'t>, frame: usize, branch: bool) {
        let (Some(left), Some(right)) = pair(node, "left", "right") else { return };
        let added = self.fold(right, frame, 0);
        let before = self.fold(left, frame, 0);
        self.shared.reading.unknown |= is_search_path(&before);
        let operator = node.child_by_field_name("operator").map(|o| text(o, self.shared.source));
        let plus = operator == Some("+=");
        if operator == Some("|=") && environment::is_copy(&before) {
            let arguments = Argument::of_each(std::slice::from_ref(&added), &right.byte_range());
            return self.shared.push_act("os.environ.update", arguments, node.byte_range());
        }
        if plus && left.kind() == "identifier" && is_list(&before) {
            let name = self.spelled(left);
            return self.shared.change_list(frame, &name, "extend", &[added]);
        }
        let value = if plus {
            before.each_pair(&added, known_functions::plus)
        } else {
            added.to_unknown().tainted(before.all_taint())
        };
        self.bind_target(left, value, frame, branch);
    }

    /// Binds a target and all targets in it. They may be nested as deep as a text has room for.
    pub(super) fn bind_target(&mut self, left: Node<'t>, value: Value, frame: usize, branch: bool) {
        let mut open = vec![(left, value)];
        while let Some((left, value)) = open.pop() {
            match left.kind() {
                "pattern_list" | "tuple_pattern" | "list_pattern" => {
                    let targets = named_children(left, usize::MAX);
                    let rest = targets.iter().position(|target| target.kind() == "list_splat_pattern");
                    let unpacked = UnpackedValue::new(&value, targets.len(), rest);
                    let targets = targets.into_iter().enumerate().rev();
                    open.extend(targets.map(|(at, target)| (target, unpacked.part(at))));
                }
                // `*rest` in a pattern.
                "list_splat_pattern" => open.extend(first_child(left).map(|name| (name, value))),
                _ => self.bind_single(left, value, frame, branch),
            }
        }
    }

    fn bind_single(&mut self, left: Node<'t>, value: Value, frame: usize, branch: bool) {
        match left.kind() {
            "identifier" => {
                let name = self.spelled(left);
                self.shared.frames.bind(frame, &name, value, branch);
            }
            "attribute" if left.byte_range().len() < 80 => {
                let spelled = text(left, self.shared.source);
                self.shared.reading.unknown |= spelled.ends_with(".__dict__");
                if let (Some(object), Some(attribute)) = pair(left, "object", "attribute") {
                    let (object, attribute) = (self.fold(object, frame, 0), self.spelled(attribute));
                    self.shared.reading.unknown |= is_search_path(&self.member(&object, &attribute));
                    if let Some(class) = object.as_name().filter(|name| name.starts_with("class ")) {
                        self.shared.frames.bind_shared(&format!("{class}.{attribute}"), value.clone());
                    }
                }
                self.shared.frames.bind_shared(spelled, value);
            }
            "subscript" => self.bind_item(left, value, frame),
            _ => {}
        }
    }

    /// `table['key'] = value`: adds the item to the dictionary.
    fn bind_item(&mut self, left: Node<'t>, value: Value, frame: usize) {
        let (Some(table), Some(key)) = pair(left, "value", "subscript") else { return };
        // `a.__dict__['path'] = value` and `vars(a)['path'] = value` set a field.
        let spelled = text(table, self.shared.source);
        let sets_field = spelled.ends_with(".__dict__") || spelled.starts_with("vars(");
        let held = match table.kind() {
            "identifier" | "attribute" => self.fold(table, frame, 0),
            _ => Value::unknown(),
        };
        self.shared.reading.unknown |= sets_field || is_search_path(&held) || is_fields(&held);
        let key = self.fold(key, frame, 0);
        // A map that the text made is looked at where a program gets it.
        let is_copy = values(&held)
            .iter()
            .any(|one| environment::is_copy(one) || spelled.ends_with("env") && one.as_map().is_none());
        if is_copy && key.as_whole_text().is_some_and(environment::is_obeyed) {
            let arguments = Argument::of_each(&[key.clone(), value.clone()], &left.byte_range());
            self.shared.push_act("@setting", arguments, left.byte_range());
        }
        if table.kind() != "identifier" {
            return;
        }
        let name = self.spelled(table);
        self.shared.set_item(frame, &name, &key, &value);
    }

    /// The names in a target. If they are too many, what the others hold is not known.
    fn names_in(&mut self, target: Option<Node<'t>>) -> Vec<String> {
        let (mut names, mut is_cut) = (Vec::new(), false);
        if let Some(node) = target {
            each(node, |node, _| {
                if node.kind() == "identifier" {
                    is_cut |= names.len() == MAX_NAMES;
                    names.extend((!is_cut).then(|| self.spelled(node)));
                }
                !matches!(node.kind(), "attribute" | "subscript" | "call")
            });
        }
        self.shared.reading.unknown |= is_cut;
        names
    }

    /// The names that the clauses of a comprehension bind.
    pub(super) fn names_of_clauses(&mut self, node: Node<'t>) -> Vec<String> {
        let clauses = named_children(node, usize::MAX).into_iter().filter(|n| n.kind() == "for_in_clause");
        clauses.flat_map(|clause| self.names_in(clause.child_by_field_name("left"))).collect()
    }

    /// A pattern of `case` binds its names to parts of a value; names of classes and of their fields are no such names.
    /// Patterns of `case` in it are visited by themselves.
    pub(super) fn forget_names(&mut self, pattern: Node<'t>, frame: usize) {
        let mut names = Vec::new();
        each(pattern, |node, depth| {
            for child in named_children(node, usize::MAX) {
                let is_bound = match child.kind() {
                    "identifier" => matches!(node.kind(), "splat_pattern" | "as_pattern"),
                    "dotted_name" => node.kind() != "class_pattern" && child.named_child_count() == 1,
                    _ => false,
                };
                names.extend(is_bound.then(|| self.spelled(child)));
            }
            depth == 0 || node.kind() != "case_pattern"
        });
        for name in names {
            if self.shared.frames.holder(frame, &name).is_some() {
                self.shared.frames.bind(frame, &name, Value::unknown(), true);
            }
        }
    }

    pub(super) fn each_of(&mut self, node: Node<'t>, frame: usize) {
        if let (Some(left), Some(right)) = pair(node, "left", "right") {
            let value = element_in(&self.fold(right, frame, 0), self.shared.scope);
            self.bind_target(left, value, frame, false);
        }
    }

    /// `for name in items`: in each round the names hold an item, and behind the loop they may hold again what they
    /// hold now.
    pub(super) fn begin_loop(&mut self, node: Node<'t>, frame: usize) {
        for name in self.names_in(node.child_by_field_name("left")) {
            self.shared.keep_behind(node.id(), frame, &name, false);
        }
        self.each_of(node, frame);
        self.shared.begin_repeated(node, frame);
    }

    /// `[… for name in items]`: its names hold items in it alone, and behind it what they hold now.
    pub(super) fn begin_comprehension(&mut self, node: Node<'t>, frame: usize) {
        self.shared.begin_repeated(node, frame);
        for name in self.names_of_clauses(node) {
            self.shared.restore_behind(node, frame, &name);
        }
        for clause in named_children(node, usize::MAX).into_iter().filter(|n| n.kind() == "for_in_clause") {
            self.each_of(clause, frame);
        }
    }

    pub(super) fn bind_as(&mut self, node: Node<'t>, frame: usize, branch: bool) {
        let parts = named_children(node, 2);
        if let (Some(value), Some(target)) = (parts.first(), node.child_by_field_name("alias")) {
            let value = self.fold(*value, frame, 0);
            let target = target.named_child(0).unwrap_or(target);
            self.bind_target(target, value, frame, branch);
        }
    }

    /// Binds parameters, which hide outer names. Their value is the argument of the call, or the default; without a
    /// known call (`None`), the default or anything.
    pub(super) fn parameters(&mut self, parameters: Node<'t>, frame: usize, call: Option<(&Act, bool)>) {
        let all = named_children(parameters, usize::MAX);
        let marks = call.filter(|_| all.len() > MAX_PARAMETERS).map(|(act, _)| act.all_taint());
        for (at, parameter) in all.into_iter().enumerate() {
            let name = match parameter.kind() {
                "identifier" => Some(parameter),
                _ => parameter.child_by_field_name("name").or_else(|| first_child(parameter)),
            };
            let Some(name) = name.filter(|n| n.kind() == "identifier") else { continue };
            let name = self.spelled(name);
            let default = parameter.child_by_field_name("value").map(|value| self.fold(value, frame, 0));
            let value = match call {
                Some(_) if at >= MAX_PARAMETERS => Value::unknown().tainted(marks.unwrap_or_default()),
                Some((act, method)) => {
                    let at = at.checked_sub(usize::from(method));
                    Self::argument_for(parameter.kind(), &name, at, act, default)
                }
                None => match (name.as_str(), default) {
                    // pytest passes a fresh folder to a test.
                    ("tmp_path", _) => Value::name_about("pathlib.Path()", Value::part(TEMPORARY_FOLDER)),
                    ("tmpdir", _) => Value::part(TEMPORARY_FOLDER),
                    (_, Some(default)) => Value::any([default, Value::unknown()]),
                    _ => Value::unknown(),
                },
            };
            self.shared.frames.bind(frame, &name, value, false);
        }
    }

    /// The argument for a parameter; `at` is its position, `None` for the object of a method.
    fn argument_for(kind: &str, name: &str, at: Option<usize>, act: &Act, default: Option<Value>) -> Value {
        let Some(at) = at else {
            let class = act.name.rsplit_once('.').map_or(act.name.as_str(), |(class, _)| class);
            return Value::name(class);
        };
        match kind {
            "list_splat_pattern" => {
                let rest = act.arguments.get(at..).unwrap_or_default();
                Value::list(rest.iter().map(|a| a.value.clone()).collect())
            }
            "dictionary_splat_pattern" => Value::map(act.named_values().collect()),
            _ => {
                let by_name = act.named.iter().find(|(key, _)| key == name).map(|(_, a)| a);
                let given = by_name.or_else(|| act.arguments.get(at)).map(|a| a.value.clone());
                given.or(default).unwrap_or_else(Value::unknown)
            }
        }
    }
}

/// Whether a value may be `sys.path`, the folders in which imports look.
fn is_search_path(value: &Value) -> bool {
    values(value).iter().any(|one| one.as_name() == Some("sys.path"))
}

/// Whether a value may be the fields of an object of the text: `a.__dict__`, `vars(a)`.
fn is_fields(value: &Value) -> bool {
    values(value).iter().any(|one| {
        let object = known_functions::vars_of(one);
        let object =
            object.as_deref().or_else(|| one.as_name().and_then(|name| name.strip_suffix(".__dict__")));
        object.is_some_and(|name| name.starts_with("class "))
    })
}
