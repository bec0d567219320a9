//! Tells what a substitution prints, as far as arithmetic on it is concerned: what only counts or measures prints
//! numbers.

use crate::review::syntax::{named_children, text};
use tree_sitter::Node;

/// The deepest nesting of lists and pipelines that is looked at.
const MAX_DEPTH: u32 = 16;

/// What a substitution prints.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SubstitutionOutput {
    Number,
    /// The words that it is given.
    Given,
    Foreign,
}

/// What the statements in a node print.
pub(super) fn printed_by_all(node: Node<'_>, source: &str, depth: u32) -> SubstitutionOutput {
    let all = named_children(node, 64);
    all.into_iter().map(|part| printed(part, source, depth)).max().unwrap_or(SubstitutionOutput::Foreign)
}

fn printed(node: Node<'_>, source: &str, depth: u32) -> SubstitutionOutput {
    match node.kind() {
        _ if depth > MAX_DEPTH => SubstitutionOutput::Foreign,
        "command" => printed_by_command(node, source),
        "redirected_statement" => node
            .child_by_field_name("body")
            .map_or(SubstitutionOutput::Foreign, |body| printed(body, source, depth + 1)),
        "list" => printed_by_all(node, source, depth + 1),
        "pipeline" => {
            let stages = named_children(node, 64);
            let made = stages.iter().rev().find(|stage| !is_filter(**stage, source));
            made.map_or(SubstitutionOutput::Foreign, |stage| printed(*stage, source, depth + 1))
        }
        _ => SubstitutionOutput::Foreign,
    }
}

fn printed_by_command(command: Node<'_>, source: &str) -> SubstitutionOutput {
    let words = named_children(command, 64).into_iter();
    let words = words.skip_while(|word| word.kind() == "variable_assignment");
    let words: Vec<&str> = words.map(|word| text(word, source)).collect();
    let Some((name, words)) = words.split_first() else { return SubstitutionOutput::Foreign };
    let has = |option: char| {
        words.iter().any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(option))
    };
    let is_number = match *name {
        "wc" | "nproc" | "seq" | "bc" | "pgrep" | "tput" | "getconf" | "du" | "sysctl" => true,
        "expr" => computes(words),
        "date" => !words.iter().any(|word| is_format(word) && word.contains(['$', '`'])),
        "stat" => !words.iter().any(|word| word.contains("%n") || word.contains("%N")),
        "grep" | "egrep" | "fgrep" | "rg" => has('c') || words.contains(&"--count"),
        "id" => has('u') || has('g'),
        "git" => words.contains(&"--count"),
        "tr" => keeps_digits(words),
        "jq" => words.iter().any(|word| word.trim_end_matches(['\'', '"']).ends_with("length")),
        _ => false,
    };
    match *name {
        _ if is_number => SubstitutionOutput::Number,
        "echo" | "printf" | "expr" | "date" => SubstitutionOutput::Given,
        _ => SubstitutionOutput::Foreign,
    }
}

/// Whether a stage of a pipeline prints parts of what it gets. `cat` prints files if some are named, `xargs` what the
/// program prints that it starts, and `tr -dc 0-9` a number, whatever it gets.
fn is_filter(stage: Node<'_>, source: &str) -> bool {
    const FILTERS: &[&str] =
        &["tr", "sed", "awk", "cut", "head", "tail", "sort", "uniq", "tee", "xargs", "cat", "rev"];
    let name = stage.child_by_field_name("name").map(|name| text(name, source)).unwrap_or_default();
    let words = named_children(stage, 64).into_iter().skip(1);
    let words: Vec<&str> = words.map(|word| text(word, source)).collect();
    let prints_other = match name {
        "cat" | "xargs" => words.iter().any(|word| !word.starts_with('-')),
        "tr" => keeps_digits(&words),
        _ => false,
    };
    FILTERS.contains(&name) && !prints_other && stage.prev_named_sibling().is_some()
}

/// Whether `expr` with these words prints a number, and not one of them or a part of it.
fn computes(words: &[&str]) -> bool {
    let mut plain = words.iter().map(|word| word.trim_matches(['\\', '\'', '"']));
    let is_number = |word: &str| matches!(word, "+" | "-" | "*" | "/" | "%" | "length");
    plain.clone().any(is_number) && !plain.any(|word| matches!(word, ":" | "|" | "&" | "match" | "substr"))
}

/// Whether a word of `date` is its format.
fn is_format(word: &str) -> bool {
    word.trim_start_matches(['"', '\'']).starts_with('+')
}

/// Whether `tr` with these words deletes all but digits.
fn keeps_digits(words: &[&str]) -> bool {
    let [options @ .., set] = words else { return false };
    let set = set.trim_matches(['\'', '"']);
    let is_complement = options.iter().any(|option| ["-dc", "-cd", "-Cd", "-dC"].contains(option));
    options.len() == 1 && is_complement && ["0-9", "0-9\\n", "[:digit:]"].contains(&set)
}
