//! A file of functions with one function more: what is there stays as it is, a function of the same name is replaced.

use super::syntax::{definition, named, parse, text};
use std::ops::Range;

/// Why a function can't be put into a file of functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum MergeError {
    #[error("the function can't be read")]
    Function,
    #[error("the file of functions is no Python; mend it first")]
    File,
    /// A place that was found in the file lies inside a character.
    #[error("the file can't be taken apart")]
    Place,
}

/// The text of a file with the function (and the imports and constants before it) of another text.
///
/// # Errors
/// Why they can't be put together.
pub(crate) fn with_function(file: &str, source: &str, name: &str) -> Result<String, MergeError> {
    let new = TopLevelParts::of(source, name).ok_or(MergeError::Function)?;
    let old = TopLevelParts::of(file, name).ok_or(MergeError::File)?;
    let mut text = file.to_owned();
    let known: Vec<&str> = old.others.iter().map(|(_, text)| *text).collect();
    let missing: Vec<&str> =
        new.others.iter().map(|(_, text)| *text).filter(|text| !known.contains(text)).collect();
    let function = new.function.and_then(|range| source.get(range)).ok_or(MergeError::Function)?;
    let function = function.trim_end();
    // What is before this place stays where it is.
    let at = old.function.as_ref().map_or(old.top, |range| old.top.min(range.start));
    match old.function {
        Some(range) => text.replace_range(range, function),
        None => {
            text.truncate(text.trim_end().len());
            let blank = if text.is_empty() { "" } else { "\n\n\n" };
            text = format!("{text}{blank}{function}\n");
        }
    }
    // Python takes imports of its own future at the very top only.
    let (future, missing): (Vec<&str>, Vec<&str>) =
        missing.into_iter().partition(|text| text.starts_with("from __future__"));
    let at = if future.is_empty() { at } else { at + put_first(&mut text, old.head, &future) };
    if !missing.is_empty() {
        let (before, after) = text.split_at_checked(at.min(text.len())).ok_or(MergeError::Place)?;
        let start = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
        text = format!("{before}{start}{}\n\n\n{}", missing.join("\n"), after.trim_start_matches('\n'));
    }
    Ok(text)
}

/// Puts lines behind the docstring of a file; how many bytes came in.
fn put_first(text: &mut String, head: usize, lines: &[&str]) -> usize {
    let at = if text.is_char_boundary(head) { head } else { text.len() };
    let start = if text.get(..at).is_none_or(|before| before.is_empty() || before.ends_with('\n')) {
        ""
    } else {
        "\n"
    };
    let lines = format!("{start}{}\n", lines.join("\n"));
    text.insert_str(at, &lines);
    lines.len()
}

/// What stands at the top level of a text.
struct TopLevelParts<'a> {
    /// The function of that name, with its decorators.
    function: Option<Range<usize>>,
    others: Vec<(Range<usize>, &'a str)>,
    /// Behind the docstring of the file and its imports.
    top: usize,
    head: usize,
}

impl<'a> TopLevelParts<'a> {
    fn of(source: &'a str, name: &str) -> Option<Self> {
        let tree = parse(source)?;
        let root = tree.root_node();
        if root.has_error() {
            return None;
        }
        let mut parts = Self { function: None, others: Vec::new(), top: 0, head: 0 };
        for (at, node) in named(root).into_iter().enumerate() {
            let defined = definition(node).and_then(|inner| inner.child_by_field_name("name"));
            let import = node.kind().contains("import");
            let head = at == 0 && named(node).first().is_some_and(|only| only.kind() == "string");
            if defined.is_some_and(|known| text(known, source) == name) {
                parts.function = Some(node.byte_range());
            } else if defined.is_none() && !head {
                parts.others.push((node.byte_range(), text(node, source)));
            }
            if import || head {
                let behind = source.get(node.end_byte()..).unwrap_or_default();
                parts.top = node.end_byte() + behind.find('\n').map_or(behind.len(), |end| end + 1);
            }
            if head {
                parts.head = parts.top;
            }
        }
        Some(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_put_into_a_file() {
        let function = "import math\n\ndef f(n: int) -> int:\n    'A.'\n    return n\n";
        let put = |file: &str| with_function(file, function, "f").unwrap();
        assert_eq!(put(""), "import math\n\n\ndef f(n: int) -> int:\n    'A.'\n    return n\n");
        let twice = put(&put(""));
        assert_eq!(twice, put(""), "it replaces itself");
        let file = "\"\"\"Mine.\"\"\"\nimport math\n\n\ndef g() -> int:\n    return 2\n";
        assert_eq!(put(file), format!("{file}\n\n{}", function.split_once("\n\n").unwrap().1));
        let file = "import os\n\ndef f():\n    return 0\n\ndef g():\n    return 1\n";
        let joined = put(file);
        assert!(
            joined.starts_with("import os\nimport math\n\n\ndef f(n: int)")
                && joined.ends_with("    return n\n\ndef g():\n    return 1\n"),
            "{joined}"
        );
        assert!(with_function("def (", function, "f").is_err());
    }

    #[test]
    fn imports_of_the_future_come_first() {
        let function = "from __future__ import annotations\nimport math\n\ndef f(n: int) -> int:\n    'A.'\n    return n\n";
        for file in
            ["", "import os\n\nX = 1\n", "'Mine.'", "'Mine.'\nimport os\n\n\ndef f():\n    return 0\n"]
        {
            let joined = with_function(file, function, "f").unwrap();
            let rest = joined.strip_prefix("'Mine.'\n").unwrap_or(&joined);
            assert!(rest.starts_with("from __future__ import annotations\n"), "{joined}");
            assert!(joined.contains("import math\n"), "{joined}");
            assert_eq!(with_function(&joined, function, "f").unwrap(), joined);
        }
    }
}
