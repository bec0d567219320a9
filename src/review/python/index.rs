//! Folds `value[index]` in Python: items of lists and dictionaries, slices, and tables of names such as `globals()`.

use super::{PythonReader, items, known_functions};
use crate::review::items::having;
use crate::review::syntax::{pair, text};
use crate::review::value::Value;
use tree_sitter::Node;

impl<'t> PythonReader<'_, 't> {
    /// `value[index]`.
    pub(super) fn index(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        let (Some(value), Some(index)) = pair(node, "value", "subscript") else { return Value::unknown() };
        let value = self.fold(value, frame, depth);
        if index.kind() == "slice" {
            let written = text(index, self.shared.source);
            return value.each(|value| known_functions::slice(value, written));
        }
        let index = self.fold(index, frame, depth);
        let value = having(&value, &index);
        value.each_pair(&index, |value, index| self.item_of(value, index))
    }

    /// An item by its key or position, including tables of names such as `globals()`.
    pub(super) fn item_of(&self, value: &Value, index: &Value) -> Value {
        if let (Some(name), Some(key)) = (value.as_name(), index.as_whole_text()) {
            if name == "os.environ" {
                return known_functions::variable(key);
            }
            // The members of `__builtins__` and `builtins` are the global names themselves.
            if name.is_empty() {
                return self.named(key);
            }
            for table in [".__dict__", "__dict__", "vars()", "globals()", "locals()", "__builtins__"] {
                if let Some(module) = name.strip_suffix(table) {
                    let about = known_functions::vars_of(value);
                    let module = about.as_deref().unwrap_or(module);
                    let full = if module.is_empty() { key.to_owned() } else { format!("{module}.{key}") };
                    return self.named(&full);
                }
            }
            if name == "sys.modules" {
                return self.named(key);
            }
        }
        items::item(value, index)
    }
}
