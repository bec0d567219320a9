//! A file of functions with one function more: what is there stays as it is, a function of the same name is replaced.

use super::{definition, named, parse, text};
use std::ops::Range;

/// The text of a file with the function (and the imports and constants before it) of another text.
///
/// # Errors
/// Why they can't be put together.
pub(in crate::recipe) fn with_function(file: &str, source: &str, name: &str) -> Result<String, String> {
    let new = Parts::of(source, name).ok_or("the function can't be read")?;
    let old = Parts::of(file, name).ok_or("the file of functions is no Python; mend it first")?;
    let mut text = file.to_owned();
    let known: Vec<&str> = old.others.iter().map(|(_, text)| *text).collect();
    let missing: Vec<&str> =
        new.others.iter().map(|(_, text)| *text).filter(|text| !known.contains(text)).collect();
    let function = new.function.and_then(|range| source.get(range)).ok_or("the function can't be read")?;
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
        let (before, after) =
            text.split_at_checked(at.min(text.len())).ok_or("the file can't be taken apart")?;
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
struct Parts<'a> {
    /// The function of that name, with its decorators.
    function: Option<Range<usize>>,
    /// Imports and constants.
    others: Vec<(Range<usize>, &'a str)>,
    /// Behind the docstring of the file and its imports.
    top: usize,
    /// Behind its docstring.
    head: usize,
}

impl<'a> Parts<'a> {
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
