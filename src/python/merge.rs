//! Adds a function to a file of functions: a function of the same name is replaced, everything else stays byte for
//! byte.

use super::names::names;
use super::syntax::{definition, named, parse, text};
use crate::text::position::line_of;
use std::ops::Range;

/// Why a function can't be put into a file of functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum MergeError {
    #[error("the function can't be read")]
    Function,
    #[error("the file of functions can't be read as Python; mend it first")]
    File,
    /// An offset in the file is inside of a character.
    #[error("the file can't be taken apart")]
    Place,
}

/// Returns the file with the function from `source` added, and the imports and constants of `source` that the file
/// lacks.
pub(crate) fn with_function(file: &str, source: &str, name: &str) -> Result<String, MergeError> {
    let new = TopLevelParts::of(source, name).ok_or(MergeError::Function)?;
    let old = TopLevelParts::of(file, name).ok_or(MergeError::File)?;
    let mut text = file.to_owned();
    let missing: Vec<&str> = new.others.iter().map(|(_, text)| *text).filter(|text| !old.has(text)).collect();
    let function = new.function.and_then(|range| source.get(range)).ok_or(MergeError::Function)?;
    let (end, function) = (line_end(file), function.trim_end());
    // Everything before this offset stays where it is.
    let at = old.function.as_ref().map_or(old.after_imports, |range| old.after_imports.min(range.start));
    match old.function {
        Some(range) => text.replace_range(range, &lines(function, end)),
        None => {
            // End the last line, and leave two empty lines before the function.
            let ended = text.len() - text.trim_end_matches(['\n', '\r']).len();
            let blank = if text.is_empty() { 0 } else { 3_usize.saturating_sub(ended / end.len()) };
            text = format!("{text}{}{}{end}", end.repeat(blank), lines(function, end));
        }
    }
    // Python accepts `from __future__` imports at the very top only.
    let (future, missing): (Vec<&str>, Vec<&str>) =
        missing.into_iter().partition(|text| text.starts_with("from __future__"));
    let at =
        if future.is_empty() { at } else { at + put_first(&mut text, old.after_docstring, (&future, end)) };
    if !missing.is_empty() {
        let (before, after) = text.split_at_checked(at.min(text.len())).ok_or(MergeError::Place)?;
        let start = if before.is_empty() || before.ends_with('\n') { "" } else { end };
        let blank =
            3_usize.saturating_sub((after.len() - after.trim_start_matches(['\n', '\r']).len()) / end.len());
        let missing: Vec<String> = missing.iter().map(|text| lines(text, end)).collect();
        text = format!("{before}{start}{}{}{after}", missing.join(end), end.repeat(blank.max(1)));
    }
    Ok(text)
}

/// A name that the file sets already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clash {
    pub(crate) name: String,
    /// The line that sets it, from 1.
    pub(crate) line: usize,
    /// Whether it is the function that would be replaced; if not, the file sets the name twice and the later one
    /// counts.
    pub(crate) replaced: bool,
}

/// The names that the file would set a second time: the function's own, and those of constants that come with it.
pub(crate) fn clashes(file: &str, source: &str, name: &str) -> Vec<Clash> {
    let (Some(old), Some(new)) = (TopLevelParts::of(file, name), TopLevelParts::of(source, name)) else {
        return Vec::new();
    };
    let clash = |name: String, range: &Range<usize>, replaced| {
        let line = line_of(file, range.start);
        Clash { name, line, replaced }
    };
    let function = old.function.as_ref().map(|range| clash(name.to_owned(), range, true));
    let comes = new.others.iter().filter(|(_, text)| !old.has(text) && !is_import(text));
    let mut set: Vec<String> = comes.flat_map(|(_, text)| names_set_in(text)).collect();
    set.push(name.to_owned());
    let others = old.others.iter().flat_map(|(range, text)| {
        let twice = names_set_in(text).into_iter().filter(|name| set.contains(name));
        twice.map(|name| clash(name, range, false))
    });
    function.into_iter().chain(others).collect()
}

fn names_set_in(text: &str) -> Vec<String> {
    names(text).map(|names| names.set).unwrap_or_default()
}

fn is_import(text: &str) -> bool {
    text.starts_with("import ") || text.starts_with("from ")
}

/// The line end that a file uses.
fn line_end(file: &str) -> &'static str {
    if file.contains("\r\n") { "\r\n" } else { "\n" }
}

/// A text with these line ends.
fn lines(text: &str, end: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', end)
}

/// Inserts lines at `head`; returns how many bytes were inserted.
fn put_first(text: &mut String, head: usize, (lines, end): (&[&str], &str)) -> usize {
    let at = if text.is_char_boundary(head) { head } else { text.len() };
    let start = if text.get(..at).is_none_or(|before| before.is_empty() || before.ends_with('\n')) {
        ""
    } else {
        end
    };
    let lines = format!("{start}{}{end}", lines.join(end));
    text.insert_str(at, &lines);
    lines.len()
}

/// The top-level parts of a source text.
struct TopLevelParts<'a> {
    /// The byte range of the function of that name, with its decorators.
    function: Option<Range<usize>>,
    others: Vec<(Range<usize>, &'a str)>,
    /// The offset after the docstring and the imports of the file.
    after_imports: usize,
    after_docstring: usize,
}

impl<'a> TopLevelParts<'a> {
    /// Whether the source has this part already, ignoring line ends.
    fn has(&self, part: &str) -> bool {
        self.others.iter().any(|(_, known)| lines(known, "\n") == lines(part, "\n"))
    }

    fn of(source: &'a str, name: &str) -> Option<Self> {
        let tree = parse(source)?;
        let root = tree.root_node();
        if root.has_error() {
            return None;
        }
        let top = comments(source);
        let mut parts = Self { function: None, others: Vec::new(), after_imports: top, after_docstring: top };
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
                parts.after_imports = node.end_byte() + behind.find('\n').map_or(behind.len(), |end| end + 1);
            }
            if head {
                parts.after_docstring = parts.after_imports;
            }
        }
        Some(parts)
    }
}

/// The offset after the comments at the start of a file: shebang line, encoding, copyright.
fn comments(source: &str) -> usize {
    source.split_inclusive('\n').take_while(|line| line.starts_with('#')).map(str::len).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FUNCTION: &str =
        "import math\nLIMIT = 3\nLONG = [1,\n  2]\n\ndef f(n: int) -> int:\n    'A.'\n    return n\n";

    #[test]
    fn what_is_there_stays_byte_for_byte() {
        let files = [
            "def g(): return 2\n\n\n\n\n# the end  \n   \n",
            "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\ndef g():\n\treturn 'ü'",
            "\"\"\"Mine.\"\"\"\n\n\n\n\nimport os  # here\n\n\n\n\n\nX = [1,\n   2]\n\n",
            "import os\r\n\r\ndef g():\r\n    return 1\r\n",
            "x=1;y=2\n",
        ];
        for file in files {
            let joined = with_function(file, FUNCTION, "f").unwrap();
            // The whole file is still there in its order, split in at most two pieces: the new text is between and
            // after them.
            let whole = |at: usize| {
                let (head, tail) = file.split_at(at);
                joined.strip_prefix(head).is_some_and(|rest| tail.is_empty() || rest.contains(tail))
            };
            assert!((0..=file.len()).filter(|at| file.is_char_boundary(*at)).any(whole), "{joined}");
            assert!(joined.contains("import math") && joined.contains("LIMIT = 3"), "{joined}");
            assert_eq!(joined.starts_with("#!"), file.starts_with("#!"), "{joined}");
            assert_eq!(joined.matches("\r\n").count() > 0, file.contains("\r\n"));
            assert!(!file.contains('\r') || joined.replace("\r\n", "").find('\n').is_none(), "{joined:?}");
            for again in [FUNCTION, &lines(FUNCTION, "\r\n")] {
                assert_eq!(with_function(&joined, again, "f").unwrap(), joined, "twice is once");
            }
        }
    }

    #[test]
    fn names_that_are_there_already_are_found() {
        let file =
            "import math\nfrom x import f\nLIMIT = 5\n\nclass g:\n    f = 1\n\ndef f(n):\n    return 0\n";
        let found = |source: &str, name: &str| {
            let clashes = clashes(file, source, name);
            let told = |clash: &Clash| format!("{} {} {}", clash.name, clash.line, clash.replaced);
            clashes.iter().map(told).collect::<Vec<_>>()
        };
        assert_eq!(found(FUNCTION, "f"), ["f 8 true", "f 2 false", "LIMIT 3 false"]);
        assert_eq!(found("def g() -> int:\n    return 1\n", "g"), ["g 5 false"]);
        assert!(found("import math\ndef h() -> int:\n    return math.inf\n", "h").is_empty());
    }

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
