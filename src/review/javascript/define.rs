//! Binds functions, classes and enumerations in JavaScript, and queues their bodies.

use super::JavascriptReader;
use crate::review::argument_flow::FlowFunction;
use crate::review::syntax::{named_children, pair};
use crate::review::value::Value;
use tree_sitter::Node;

impl<'t> JavascriptReader<'_, 't> {
    /// Binds declared functions first, because they can be called above their declaration.
    pub(super) fn hoist(&mut self, body: Node<'t>, frame: usize) {
        for child in named_children(body, 4096) {
            let inner = child.child_by_field_name("declaration").unwrap_or(child);
            if matches!(inner.kind(), "function_declaration" | "generator_function_declaration") {
                self.named_function(inner, frame, false);
            }
        }
    }

    fn named_function(&mut self, node: Node<'t>, frame: usize, branch: bool) {
        let Some(name) = node.child_by_field_name("name").filter(|n| n.kind() == "identifier") else {
            return;
        };
        let name = self.spelled(name);
        self.shared.bind_function("function", &name, FlowFunction { node, frame, method: false }, branch);
    }

    /// Binds the name of a function and queues its body.
    pub(super) fn function(&mut self, node: Node<'t>, frame: usize, branch: bool) {
        self.named_function(node, frame, branch);
        if let Some(inner) = self.shared.queue_body(node, frame) {
            self.parameters(node, inner, None);
        }
    }

    /// The value of a function that has no name of its own.
    pub(super) fn function_value(&mut self, node: Node<'t>, frame: usize) -> Value {
        let called = format!("function @{}", node.start_byte());
        self.shared.function_value(called, FlowFunction { node, frame, method: false })
    }

    /// A class: binds its name, its methods, its fields and its base class.
    pub(super) fn class(&mut self, node: Node<'t>, frame: usize) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let name = self.spelled(name);
        let heritage = named_children(node, 8).into_iter().find(|n| n.kind() == "class_heritage");
        let base = heritage.and_then(|h| h.named_child(0));
        let base = base.map(|b| b.child_by_field_name("value").unwrap_or(b));
        let base = base.map(|base| self.fold(base, frame, 0));
        let class = self.shared.class_value(&name, base.as_slice());
        self.shared.frames.bind(frame, &name, class, false);
        let body = node.child_by_field_name("body").map(|body| named_children(body, usize::MAX));
        for item in body.unwrap_or_default() {
            let Some(member) =
                item.child_by_field_name("name").or_else(|| item.child_by_field_name("property"))
            else {
                continue;
            };
            let member = self.spelled(member);
            if item.kind() == "method_definition" {
                for owner in [format!("class {name}()"), format!("class {name}")] {
                    let function = FlowFunction { node: item, frame, method: true };
                    self.shared.functions.define(format!("{owner}.{member}"), function);
                }
            } else if let Some(value) = item.child_by_field_name("value") {
                let value = self.fold(value, frame, 0);
                for owner in [format!("class {name}"), format!("class {name}()"), "this".to_owned()] {
                    self.shared.frames.bind_shared(&format!("{owner}.{member}"), value.clone());
                }
            }
        }
    }

    /// `enum Command { List = 'ls' }`: binds its name to a map of its values.
    pub(super) fn enumeration(&mut self, node: Node<'t>, frame: usize) {
        let (Some(name), Some(body)) = pair(node, "name", "body") else { return };
        let mut items = Vec::new();
        for item in named_children(body, 256) {
            if let (Some(key), Some(value)) = pair(item, "name", "value") {
                items.push((self.spelled(key), self.fold(value, frame, 0)));
            }
        }
        let name = self.spelled(name);
        self.shared.frames.bind(frame, &name, Value::map(items), false);
    }
}
