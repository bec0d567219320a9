//! Writes a bash script: each block runs in its own bash, and the folder and exported variables pass on from one to the
//! next, as in the session.

use super::super::document::{BlockPart, Document};
use super::{about, head};
use std::fmt::Write as _;

/// The program that the session gave each shell: it runs a block and reports the folder and variables it leaves.
pub(super) const SHELL_PROGRAM: &str = include_str!("../../../assets/shell.sh");
/// The function that runs a block and takes over the folder and variables it leaves.
const RUN_BLOCK: &str = include_str!("../../../assets/again.sh");

pub(super) fn write(document: &Document, steps: &[&BlockPart]) -> String {
    let mut text = String::from("#!/usr/bin/env bash\n");
    for line in about(document) {
        let _ = writeln!(text, "# {line}");
    }
    let _ = write!(text, "{RUN_BLOCK}\nIFS= read -r -d '' _sayso_shell {}", quoted(SHELL_PROGRAM, "SHELL"));
    for block in steps {
        let source = quoted(&block.source, &format!("BLOCK_{}", block.block));
        let _ = write!(text, "\n# {}\n_sayso_run {source}", head(block));
    }
    text
}

/// A text as a here-document, with a delimiter that is no line of the text.
fn quoted(text: &str, mark: &str) -> String {
    let mut mark = mark.to_owned();
    while text.lines().any(|line| line == mark) {
        mark.push('_');
    }
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("<<'{mark}'\n{text}{end}{mark}\n")
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn no_line_of_a_text_ends_it() {
        assert_eq!(quoted("a", "M"), "<<'M'\na\nM\n");
        assert_eq!(quoted("a\nM\n", "M"), "<<'M_'\na\nM\nM_\n");
    }
}
