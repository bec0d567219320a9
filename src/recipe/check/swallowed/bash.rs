//! Finds what hides errors in bash: traps that end a script with success, and strict options that are switched off or
//! removed.

use super::ends_with_success;
use super::tree::{Functions, Silencer, Source, named};
use tree_sitter::Node;

/// Options that end a script at an error: letter and name (`\0`: no letter).
const STRICT_OPTIONS: &[(char, &str)] = &[('e', "errexit"), ('\0', "pipefail")];

pub(super) fn silencers<'a>(source: &Source<'a>) -> Vec<Silencer<'a>> {
    let all = source.all();
    let functions = source.functions(&all, &["function_definition"]);
    source.first_of(all.iter().filter_map(|node| of_trap(source, *node, &functions)))
}

/// The words of a command, its name first.
fn words<'a>(source: &Source<'a>, node: Node<'_>) -> Vec<&'a str> {
    if node.kind() == "command" {
        named(node).iter().map(|word| source.text(*word)).collect()
    } else {
        Vec::new()
    }
}

/// A trap that ends the script with success, whatever happened before.
fn of_trap<'a>(source: &Source<'a>, node: Node<'_>, functions: &Functions<'_>) -> Option<Silencer<'a>> {
    let words = words(source, node);
    let (does, signals) = match words.as_slice() {
        ["trap", "--", does, signals @ ..] | ["trap", does, signals @ ..] => (*does, signals),
        _ => return None,
    };
    let at_end = signals.iter().any(|signal| {
        let signal = signal.trim_matches(['"', '\'']).to_ascii_uppercase();
        matches!(signal.trim_start_matches("SIG"), "EXIT" | "0" | "ERR")
    });
    if !at_end || !source.may_search(does) {
        return None;
    }
    let does = does.trim_matches(['"', '\'']);
    let ends = match functions.get(does) {
        Some(function) => source
            .below(*function, |_| true)
            .iter()
            .any(|node| node.kind() == "command" && source.ends_with_success(*node)),
        None => does.split([';', '\n', '&', '|', '{', '}']).any(|command| ends_with_success(command.trim())),
    };
    ends.then(|| Silencer { line: source.line(node), text: source.text(node), is_quiet: true, takes: None })
}

/// The line that set a strict option which no longer holds; and whether the script checks for errors more often than
/// before.
pub(super) fn not_strict<'a>(old: &Source<'a>, new: &Source<'_>) -> Option<(&'a str, bool)> {
    let missing = STRICT_OPTIONS.iter().find_map(|option| {
        let was = setting(old, *option, '-')?;
        let is_off = setting(new, *option, '+').is_some() && setting(old, *option, '+').is_none();
        (is_off || setting(new, *option, '-').is_none()).then_some(was)
    });
    missing.map(|line| (line, count_checks(new) > count_checks(old)))
}

/// The line that switches an option on (`-`) or off (`+`).
fn setting<'a>(source: &Source<'a>, (letter, word): (char, &str), sign: char) -> Option<&'a str> {
    let has_letter = |flags: &str| letter != '\0' && flags.contains(letter);
    let first = source.first_line();
    let mut flags = first.strip_prefix("#!").unwrap_or_default().split(' ').skip(1);
    let is_first = sign == '-'
        && first.contains("bash")
        && flags.any(|flags| flags.starts_with('-') && has_letter(flags));
    let sets = |node: &Node<'_>| {
        let words = words(source, *node);
        let (name, rest) = words.split_first()?;
        let flags = |word: &&str| {
            word.strip_prefix(sign).is_some_and(|flags| !flags.starts_with('-') && has_letter(flags))
        };
        let is_named = |pair: &[&str]| matches!(pair, [flags, named] if flags.starts_with(sign) && flags.ends_with('o') && *named == word);
        let is_set = rest.iter().any(flags) || rest.windows(2).any(is_named);
        (*name == "set" && is_set).then(|| source.line(*node))
    };
    source.all().iter().find_map(sets).or_else(|| is_first.then_some(first))
}

/// How often a script itself checks whether something failed.
fn count_checks(source: &Source<'_>) -> usize {
    let looks = |node: &&Node<'_>| match node.kind() {
        "if_statement" | "elif_clause" | "while_statement" => true,
        "list" => node.children(&mut node.walk()).any(|child| child.kind() == "||"),
        "simple_expansion" => source.text(**node) == "$?",
        "command" => matches!(words(source, **node).as_slice(), ["trap", .., last] if *last == "ERR"),
        _ => false,
    };
    source.all().iter().filter(looks).count()
}
