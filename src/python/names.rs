//! Finds the names that a source text sets at its top level, and all names that it contains. Nothing is run: names set
//! indirectly (`exec`, `globals()`, a star import) are not found.

use super::syntax::{named, parse, text};
use std::collections::BTreeSet;
use tree_sitter::Node;

/// The names of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Names {
    /// Names that have a value after the text has run, in the order of their first assignment.
    pub(crate) set: Vec<String>,
    /// All names that occur in it.
    pub(crate) used: BTreeSet<String>,
}

/// Finds the names of a source text; `None` where it is too large or not valid Python.
pub(crate) fn names(source: &str) -> Option<Names> {
    let tree = parse(source)?;
    if tree.root_node().has_error() {
        return None;
    }
    let mut names = Names::default();
    let mut nodes = vec![(tree.root_node(), true)];
    // No recursion: a text may be nested deeper than the stack allows.
    while let Some((node, top)) = nodes.pop() {
        if node.kind() == "identifier" {
            names.used.insert(text(node, source).to_owned());
        }
        if top {
            set_by(node, source, &mut names.set);
        }
        let inner = top && !opens_scope(node);
        nodes.extend(named(node).into_iter().rev().map(|child| (child, inner)));
    }
    Some(names)
}

/// Whether names set below this node are not set at the top level.
fn opens_scope(node: Node<'_>) -> bool {
    let kinds = ["function_definition", "class_definition", "lambda", "generator_expression"];
    kinds.contains(&node.kind()) || node.kind().ends_with("_comprehension")
}

/// Adds the names that this node itself sets.
fn set_by(node: Node<'_>, source: &str, set: &mut Vec<String>) {
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "assignment" | "augmented_assignment" | "for_statement" => targets(field("left"), source, set),
        "named_expression" | "function_definition" | "class_definition" => {
            targets(field("name"), source, set);
        }
        "as_pattern_target" => targets(Some(node), source, set),
        "import_statement" | "import_from_statement" => {
            let mut cursor = node.walk();
            for import in node.children_by_field_name("name", &mut cursor) {
                let name = import.child_by_field_name("alias").unwrap_or(import);
                let name = text(name, source);
                add(name.split('.').next().unwrap_or(name), set);
            }
        }
        "delete_statement" => {
            let gone: Vec<&str> =
                named(node).into_iter().flat_map(identifiers).map(|name| text(name, source)).collect();
            set.retain(|name| !gone.contains(&name.as_str()));
        }
        _ => {}
    }
}

/// Adds the names that an assignment target sets: attributes and items set no new name.
fn targets(node: Option<Node<'_>>, source: &str, set: &mut Vec<String>) {
    for name in node.into_iter().flat_map(identifiers) {
        add(text(name, source), set);
    }
}

/// The identifiers of an assignment target or of a list of targets.
fn identifiers(node: Node<'_>) -> Vec<Node<'_>> {
    let (mut found, mut nodes) = (Vec::new(), vec![node]);
    while let Some(node) = nodes.pop() {
        match node.kind() {
            "identifier" => found.push(node),
            "attribute" | "subscript" | "call" => {}
            _ => nodes.extend(named(node).into_iter().rev()),
        }
    }
    found
}

fn add(name: &str, set: &mut Vec<String>) {
    if !name.is_empty() && !set.iter().any(|known| known == name) {
        set.push(name.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn set(source: &str) -> String {
        names(source).unwrap().set.join(" ")
    }

    #[test]
    fn what_is_set_at_the_top_level_is_named() {
        for (source, wanted) in [
            ("x = 1\ny: int = 2\nz += 1\n", "x y z"),
            ("a, (b, *c) = f()\n[d, e] = g()\n", "a b c d e"),
            ("x = y = 1\n", "x y"),
            ("import os.path, numpy as np\nfrom a import b, c as d\n", "os np b d"),
            ("def f(a):\n    inner = a\n    return inner\nclass C:\n    field = 1\n", "f C"),
            ("@cache\ndef f():\n    pass\n", "f"),
            ("for i in range(3):\n    last = i\nwhile (n := next(it)):\n    pass\n", "i last n"),
            ("with open(p) as f, g() as (a, b):\n    text = f.read()\n", "f a b text"),
            ("try:\n    x = 1\nexcept E as error:\n    y = 2\n", "x error y"),
            ("if a:\n    b = 1\nelse:\n    c = 2\n", "b c"),
            ("x.attribute = 1\nd['k'] = 2\n", ""),
            ("squares = [i * i for i in range(3)]\nf = lambda q: (w := q)\n", "squares f"),
            ("x = 1\ny = 2\ndel x\n", "y"),
            ("", ""),
        ] {
            assert_eq!(set(source), wanted, "{source}");
        }
    }

    #[test]
    fn all_names_are_known_as_used_and_what_is_no_python_has_none() {
        let used = names("df = load(path)[key].head()\n").unwrap().used;
        for name in ["load", "path", "key"] {
            assert!(used.contains(name), "{name}");
        }
        assert_eq!(names("x = = 1"), None);
        assert_eq!(names(&"x = 1\n".repeat(100_000)), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read_within_its_budget(source in ".{0,400}") {
            let found = names(&source).unwrap_or_default();
            prop_assert!(found.set.len() <= source.len());
        }
    }
}
