//! Binds imported names to the modules or functions they stand for.

use super::PythonReader;
use crate::review::syntax::{named_children, pair};
use crate::review::value::Argument;
use std::ops::Range;
use tree_sitter::Node;

impl<'t> PythonReader<'_, 't> {
    pub(super) fn import(&mut self, node: Node<'t>, frame: usize, branch: bool) {
        for item in named_children(node, usize::MAX) {
            if let (Some(name), Some(alias)) = pair(item, "name", "alias") {
                let (name, alias) = (self.spelled(name), self.spelled(alias));
                self.bind_module(&name, &alias, item, frame, branch);
            } else {
                let name = &self.spelled(item);
                self.note(name, &item.byte_range());
                let first = name.split('.').next().unwrap_or_default();
                let module = self.named(first);
                self.shared.frames.bind(frame, first, module, branch);
            }
        }
    }

    pub(super) fn import_from(&mut self, node: Node<'t>, frame: usize, branch: bool) {
        let Some(module) = node.child_by_field_name("module_name") else { return };
        let module = self.spelled(module);
        for item in named_children(node, usize::MAX).into_iter().skip(1) {
            match item.kind() {
                "wildcard_import" => {
                    self.note(&module, &item.byte_range());
                    self.stars.push(module.clone());
                }
                "aliased_import" => {
                    if let (Some(name), Some(alias)) = pair(item, "name", "alias") {
                        let name = format!("{module}.{}", self.spelled(name));
                        let alias = self.spelled(alias);
                        self.bind_module(&name, &alias, item, frame, branch);
                    }
                }
                _ => {
                    let name = self.spelled(item);
                    self.bind_module(&format!("{module}.{name}"), &name, item, frame, branch);
                }
            }
        }
    }

    fn bind_module(&mut self, name: &str, bound: &str, item: Node<'t>, frame: usize, branch: bool) {
        self.note(name, &item.byte_range());
        let value = self.named(name);
        self.shared.frames.bind(frame, bound, value, branch);
    }

    /// Adds a used module, by the name that rules use.
    pub(super) fn note(&mut self, name: &str, span: &Range<usize>) {
        let own = self.shared.scope.modules.get(name.split('.').next().unwrap_or_default());
        let name = self.shared.rules.canonical(name).unwrap_or_else(|| name.to_owned());
        self.shared.imported(&name, span.clone());
        // The name may mean a file in the folder that this text wrote or downloaded.
        let first = name.split('.').next().unwrap_or_default();
        let file = Argument::text(format!("{first}.py"), span);
        // Python looks in the folder before it looks among what is installed.
        let own = own.map(|file| Argument::text(file.as_str(), span));
        let files = std::iter::once(file).chain(own).collect();
        self.shared.push_act("@import", files, span.clone());
    }
}
