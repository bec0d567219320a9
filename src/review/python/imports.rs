//! Imports: which module or function a name stands for.

use super::Reader;
use crate::review::syntax::{named, pair, text};
use tree_sitter::Node;

impl<'t> Reader<'_, 't> {
    pub(super) fn import(&mut self, node: Node<'t>, frame: usize, branch: bool) {
        for item in named(node, 64) {
            if let (Some(name), Some(alias)) = pair(item, "name", "alias") {
                let module = self.named(text(name, self.shared.source));
                self.shared.frames.bind(frame, text(alias, self.shared.source), module, branch);
            } else {
                let name = text(item, self.shared.source);
                let first = name.split('.').next().unwrap_or_default();
                let module = self.named(first);
                self.shared.frames.bind(frame, first, module, branch);
            }
        }
    }

    pub(super) fn import_from(&mut self, node: Node<'t>, frame: usize, branch: bool) {
        let Some(module) = node.child_by_field_name("module_name") else { return };
        let module = text(module, self.shared.source).to_owned();
        for item in named(node, 256).into_iter().skip(1) {
            match item.kind() {
                "wildcard_import" => self.stars.push(module.clone()),
                "aliased_import" => {
                    if let (Some(name), Some(alias)) = pair(item, "name", "alias") {
                        let value = self.named(&format!("{module}.{}", text(name, self.shared.source)));
                        self.shared.frames.bind(frame, text(alias, self.shared.source), value, branch);
                    }
                }
                _ => {
                    let name = text(item, self.shared.source);
                    let value = self.named(&format!("{module}.{name}"));
                    self.shared.frames.bind(frame, name, value, branch);
                }
            }
        }
    }
}
