//! Binds functions and classes in Python, and queues their bodies.

use super::PythonReader;
use crate::review::argument_flow::FlowFunction;
use crate::review::syntax::{named_children, pair, text};
use crate::review::value::Value;
use tree_sitter::Node;

impl<'t> PythonReader<'_, 't> {
    /// Binds the name of a function and queues its body.
    pub(super) fn define(&mut self, node: Node<'t>, frame: usize, branch: bool) {
        if let Some(name) = node.child_by_field_name("name") {
            let name = self.spelled(name);
            self.shared.bind_function("def", &name, FlowFunction { node, frame, method: false }, branch);
        } else {
            self.lambda(node, frame);
        }
        if let Some(inner) = self.shared.queue_body(node, frame)
            && let Some(parameters) = node.child_by_field_name("parameters")
        {
            self.parameters(parameters, inner, None);
        }
    }

    /// The value of a lambda, which can be called and passed on.
    pub(super) fn lambda(&mut self, node: Node<'t>, frame: usize) -> Value {
        let called = format!("def lambda@{}", node.start_byte());
        self.shared.function_value(called, FlowFunction { node, frame, method: false })
    }

    /// A class: binds its name, its methods, the names in its body and its base classes.
    pub(super) fn class(&mut self, node: Node<'t>, frame: usize, branch: bool) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let name = self.spelled(name);
        let bases =
            node.child_by_field_name("superclasses").map(|list| named_children(list, 8)).unwrap_or_default();
        let bases = bases.into_iter().filter(|base| base.kind() != "keyword_argument");
        let bases: Vec<Value> = bases.map(|base| self.fold(base, frame, 0)).collect();
        let class = self.shared.class_value(&name, &bases);
        self.shared.frames.bind(frame, &name, class, branch);
        let body = node.child_by_field_name("body").map(|body| named_children(body, usize::MAX));
        for item in body.unwrap_or_default() {
            let (item, decorators) = match item.kind() {
                "decorated_definition" => {
                    let Some(inner) = item.child_by_field_name("definition") else { continue };
                    (inner, text(item, self.shared.source))
                }
                _ => (item, ""),
            };
            match item.kind() {
                "function_definition" => {
                    let Some(method) = item.child_by_field_name("name") else { continue };
                    let method_name = self.spelled(method);
                    let method = !decorators.trim_start().starts_with("@staticmethod");
                    let function = FlowFunction { node: item, frame, method };
                    self.shared.functions.define(format!("class {name}().{method_name}"), function);
                    let bare = decorators.trim_start().starts_with("@classmethod");
                    let function = FlowFunction { node: item, frame, method: bare };
                    self.shared.functions.define(format!("class {name}.{method_name}"), function);
                }
                "expression_statement" => {
                    let Some(assignment) = item.named_child(0).filter(|n| n.kind() == "assignment") else {
                        continue;
                    };
                    let (Some(left), Some(right)) = pair(assignment, "left", "right") else { continue };
                    let value = self.fold(right, frame, 0);
                    let field = self.spelled(left);
                    for owner in [format!("class {name}"), format!("class {name}()"), "self".to_owned()] {
                        self.shared.frames.bind_shared(&format!("{owner}.{field}"), value.clone());
                    }
                }
                _ => {}
            }
        }
    }
}
