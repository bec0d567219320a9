//! Folds members and items of values in JavaScript: `object.name` and `object[index]`.

use super::JavascriptReader;
use crate::review::items::UNKNOWN_KEY;
use crate::review::path_class;
use crate::review::syntax::{pair, text};
use crate::review::value::{Taint, Value, ValueKind};
use tree_sitter::Node;

impl<'t> JavascriptReader<'_, 't> {
    /// `object.name`.
    pub(super) fn member_expression(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        let (Some(object), Some(property)) = pair(node, "object", "property") else {
            return Value::unknown();
        };
        if node.byte_range().len() < 80
            && let Some(value) = self.shared.frames.lookup(0, text(node, self.shared.source))
        {
            return value;
        }
        let object = self.fold(object, frame, depth);
        let property = self.spelled(property);
        if let Some(class) = object.as_name().filter(|name| name.starts_with("class "))
            && let Some(field) = self.shared.frames.lookup(0, &format!("{class}.{property}"))
        {
            return field;
        }
        self.member(&object, &property)
    }

    /// A member of a value: of a module, or a method of a known value.
    pub(super) fn member(&self, value: &Value, name: &str) -> Value {
        match &value.kind {
            ValueKind::Any(_) => value.each(|one| self.member(one, name)),
            // The constructor of any function makes functions from texts.
            ValueKind::Name { path, .. } if name == "constructor" && path.starts_with("function ") => {
                self.named("Function")
            }
            ValueKind::Name { path, .. } if path == "process.env" => match name {
                "HOME" | "USERPROFILE" => Value::text("~"),
                _ if path_class::secret_name(name) => Value::unknown().tainted(Taint::SECRET),
                _ => Value::unknown(),
            },
            ValueKind::Name { path, about } => {
                // `import fs from 'fs'` and `(await import('fs')).default` are the module itself.
                if name == "default" {
                    return value.clone();
                }
                self.shared.member_of(path, about.as_deref(), name, value.taint)
            }
            ValueKind::Map(items) => {
                // An item with an unknown key may be this one.
                let found =
                    items.iter().filter(|(key, _)| key == name || key == UNKNOWN_KEY).map(|(_, v)| v.clone());
                let is_named = items.iter().any(|(key, _)| key == name);
                let method = || Value::name_about(format!("object.{name}"), value.clone());
                Value::any(found.chain((!is_named).then(method)))
            }
            ValueKind::Text { .. } => Value::name_about(format!("string.{name}"), value.clone()),
            ValueKind::List(_) => Value::name_about(format!("array.{name}"), value.clone()),
            _ => Value::name(format!("?.{name}")).tainted(value.all_taint()),
        }
    }

    /// `object[index]`.
    pub(super) fn index(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        let (Some(object), Some(index)) = pair(node, "object", "index") else { return Value::unknown() };
        let global = object.kind() == "this";
        let object = self.fold(object, frame, depth);
        let index = self.fold(index, frame, depth);
        object.each_pair(&index, |object, index| self.item_of(object, index, global))
    }

    /// An item by its key or position; `this[name]` outside of classes is a global name.
    fn item_of(&self, object: &Value, index: &Value, global: bool) -> Value {
        match (&object.kind, &index.kind) {
            (ValueKind::Unknown, ValueKind::Text { text, whole: true }) if global => self.named(text),
            (ValueKind::List(items), ValueKind::Number(n)) => {
                let item = usize::try_from(*n).ok().and_then(|n| items.get(n)).cloned();
                item.unwrap_or_else(|| object.to_unknown())
            }
            (_, ValueKind::Text { text, whole: true }) => self.member(object, text),
            // The index is known only at run time, so it may be any item.
            (ValueKind::List(items), _) if items.len() <= 24 => Value::any(items.iter().cloned()),
            (ValueKind::Map(items), _) if items.len() <= 24 => {
                Value::any(items.iter().map(|(_, v)| v.clone()))
            }
            _ => object.to_unknown(),
        }
    }
}
