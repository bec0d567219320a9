//! What one node changes, without the nodes in it.

use super::subshell::{is_arithmetic, is_arithmetic_statement};
use super::{ChangeTarget, ERREXIT, FOLDER, OLD_FOLDER, POSITIONS, PUSHED_FOLDERS};
use crate::review::shell::alias::command_words;
use crate::review::shell::function::ShellFunction;
use crate::review::shell::keyword;
use crate::review::shell::redirections::Redirections;
use crate::review::syntax::{named_children, text};
use std::collections::HashMap;
use tree_sitter::Node;

/// The name that a word begins with, as in `NAME`, `NAME=value` and `NAME[1]`.
pub(in crate::review::shell) fn name_of(word: &str) -> Option<&str> {
    let word = word.trim_matches(['"', '\'']);
    let end = word.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(word.len());
    let (name, rest) = word.split_at(end);
    let is_name = !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit());
    (is_name && (rest.is_empty() || rest.starts_with(['=', '[', '+']))).then_some(name)
}

/// The target that a word as an operand of `read`, `declare` and the like stands for.
fn named_by(word: &str) -> Option<ChangeTarget<'_>> {
    match name_of(word) {
        Some(name) => Some(ChangeTarget::Name(name)),
        None if word.contains(['$', '`']) => Some(ChangeTarget::Everything),
        None => None,
    }
}

/// The names in an arithmetic expression, if it sets any.
pub(in crate::review::shell) fn set_in_arithmetic(spelled: &str) -> Vec<ChangeTarget<'_>> {
    // Of the signs with `=`, these compare: `==`, `!=`, `<=`, `>=`; `<<=` and `>>=` set a name.
    let shifted = spelled.replace("<<=", "=").replace(">>=", "=");
    let sets =
        ["==", "!=", "<=", ">="].iter().fold(shifted, |rest, sign| rest.replace(sign, " ")).contains('=');
    if !sets && !spelled.contains("++") && !spelled.contains("--") {
        return Vec::new();
    }
    let words = spelled.split(|c: char| c != '_' && !c.is_ascii_alphanumeric());
    let names = words.filter(|word| !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit()));
    names.map(ChangeTarget::Name).collect()
}

/// What a node itself changes, without the nodes in it.
pub(super) fn changed_by<'s>(
    node: Node<'_>,
    source: &'s str,
    functions: &HashMap<String, ShellFunction<'_>>,
    redirections: &Redirections<'_>,
) -> Vec<ChangeTarget<'s>> {
    match node.kind() {
        "variable_assignment" => {
            let parent = command_behind(node, source);
            let stays = parent.is_none_or(|command| keeps_prefix(command, source, functions));
            let name = node.child_by_field_name("name").filter(|_| stays);
            name.and_then(|name| named_by(text(name, source))).into_iter().collect()
        }
        "for_statement" => {
            let name = node.child_by_field_name("variable");
            name.map(|name| ChangeTarget::Name(text(name, source))).into_iter().collect()
        }
        "command" => changed_by_command(node, source, functions, redirections),
        _ => changed_in_place(node, source),
    }
}

/// What a node changes that is no command and no assignment; `visit` forgets it.
pub(in crate::review::shell) fn changed_in_place<'s>(
    node: Node<'_>,
    source: &'s str,
) -> Vec<ChangeTarget<'s>> {
    let words = || named_children(node, 1024).into_iter().map(|child| (child.kind(), text(child, source)));
    match node.kind() {
        "unset_command" => {
            // `-f` unsets functions, `-n` names for others.
            let (options, names): (Vec<_>, Vec<_>) =
                words().map(|(_, word)| word).partition(|word| word.starts_with('-'));
            let is_plain = options.iter().all(|option| *option == "-v");
            let unset = |target| match target {
                ChangeTarget::Name(name) if is_plain => ChangeTarget::Unset(name),
                target => target,
            };
            names.into_iter().filter_map(|word| named_by(word).map(unset)).collect()
        }
        "declaration_command" => {
            let spelled = text(node, source);
            let exports = spelled.starts_with("export") || spelled.starts_with("readonly");
            let names =
                words().filter(|(kind, word)| *kind != "variable_assignment" && !word.starts_with('-'));
            let names = names.filter(|(kind, _)| !(exports && *kind == "variable_name"));
            names.filter_map(|(_, word)| named_by(word)).collect()
        }
        "expansion" => {
            let operator = node.child_by_field_name("operator").map(|sign| text(sign, source));
            let name = node.named_child(0).filter(|_| matches!(operator, Some(":=" | "=")));
            name.and_then(|name| named_by(text(name, source))).into_iter().collect()
        }
        "arithmetic_expansion" | "subscript" => set_in_arithmetic(text(node, source)),
        "subshell" if is_arithmetic_statement(node, source) => set_in_arithmetic(text(node, source)),
        "command_substitution" if is_arithmetic(node) => set_in_arithmetic(text(node, source)),
        "array" => {
            let items = named_children(node, usize::MAX).into_iter().map(|item| text(item, source));
            let keys = items.filter_map(|item| item.strip_prefix('[')?.split("]=").next());
            keys.flat_map(set_in_arithmetic).collect()
        }
        "compound_statement" if text(node, source).starts_with("((") => set_in_arithmetic(text(node, source)),
        "c_style_for_statement" => {
            let end = node.child_by_field_name("body").map_or(node.end_byte(), |body| body.start_byte());
            set_in_arithmetic(source.get(node.start_byte()..end).unwrap_or_default())
        }
        _ => Vec::new(),
    }
}

/// The command that an assignment stands before. The grammar sometimes takes the command on the next line for it.
pub(in crate::review::shell) fn command_behind<'t>(assignment: Node<'t>, source: &str) -> Option<Node<'t>> {
    let command = assignment.parent().filter(|parent| parent.kind() == "command")?;
    let mut at = assignment;
    while let Some(next) = at.next_named_sibling().filter(|_| at.kind() == "variable_assignment") {
        let between = source.get(at.end_byte()..next.start_byte()).unwrap_or_default();
        if between.replace("\\\n", "").contains('\n') {
            return None;
        }
        at = next;
    }
    Some(command)
}

/// Whether an assignment before a command stays after it: before special builtins in some shells, and as long as a
/// function runs.
pub(in crate::review::shell) fn keeps_prefix(
    command: Node<'_>,
    source: &str,
    functions: &HashMap<String, ShellFunction<'_>>,
) -> bool {
    const SPECIAL: &[&str] = &[
        ":", ".", "source", "eval", "exec", "export", "readonly", "return", "set", "shift", "times", "trap",
        "unset", "break", "continue", "exit", "command", "builtin",
    ];
    let Some(name) = command.child_by_field_name("name").map(|name| text(name, source)) else { return true };
    SPECIAL.contains(&name) || name.contains(['$', '`', '"', '\'', '\\']) || functions.contains_key(name)
}

/// Whether a command is the head of a loop over words.
pub(super) fn is_loop(command: Node<'_>, source: &str) -> bool {
    let words = command_words(command, source);
    let keywords = keyword::count(words.len(), |at| words.get(at).copied());
    keyword::looped(words.into_iter().take(keywords)).is_some()
}

fn changed_by_command<'s>(
    node: Node<'_>,
    source: &'s str,
    functions: &HashMap<String, ShellFunction<'_>>,
    redirections: &Redirections<'_>,
) -> Vec<ChangeTarget<'s>> {
    let arguments = named_children(node, 256);
    let words = arguments
        .into_iter()
        .chain(redirections.words_behind(node))
        .filter(|child| !matches!(child.kind(), "variable_assignment" | "file_redirect"));
    let words: Vec<&str> = words
        .map(|child| text(child, source))
        .skip_while(|word| matches!(*word, "command" | "builtin" | "time" | "--" | "-p"))
        .collect();
    let (keywords, words) =
        words.split_at(keyword::count(words.len(), |at| words.get(at).copied()).min(words.len()));
    if let Some(name) = keyword::looped(keywords.iter().copied()) {
        return named_by(name).into_iter().collect();
    }
    let Some((name, operands)) = words.split_first() else { return Vec::new() };
    let name = name.trim_matches(['"', '\'', '\\']);
    let named = || operands.iter().filter_map(|word| named_by(word)).collect::<Vec<_>>();
    let known = |names: &'static [&'static str]| names.iter().map(|name| ChangeTarget::Name(name));
    match name {
        "read" => named().into_iter().chain(known(&["REPLY"])).collect(),
        "mapfile" | "readarray" => named().into_iter().chain(known(&["MAPFILE"])).collect(),
        "getopts" => named().into_iter().chain(known(&["OPTARG", "OPTIND"])).collect(),
        "let" => operands.iter().flat_map(|word| set_in_arithmetic(word)).collect(),
        "printf" | "wait" if operands.iter().any(|word| matches!(*word, "-v" | "-p")) => named(),
        _ if keyword::is_declaration(name) => named(),
        "shift" => known(&[POSITIONS]).collect(),
        "set" => {
            let positions = known(&[POSITIONS]).filter(|_| sets_positions(operands));
            positions.chain(known(&[ERREXIT]).filter(|_| sets_errexit(operands))).collect()
        }
        "shopt" => known(&[ERREXIT]).collect(),
        "cd" | "pushd" | "popd" => known(&[FOLDER, OLD_FOLDER, PUSHED_FOLDERS, "PWD"]).collect(),
        "eval" | "." | "source" => vec![ChangeTarget::Everything],
        // `time NAME=value` sets the variable.
        _ if words.len() == 1 && name.contains('=') => named_by(name).into_iter().collect(),
        _ if functions.contains_key(name) => vec![ChangeTarget::Functions],
        _ => Vec::new(),
    }
}

/// Whether these operands of `set` may switch its option `-e`.
fn sets_errexit(operands: &[&str]) -> bool {
    let switches = |word: &str| word.starts_with(['-', '+']) && word.contains(['e', 'o']);
    operands.iter().any(|word| switches(word) || word.contains(['$', '`']))
}

/// Whether these operands of `set` are more than options.
fn sets_positions(operands: &[&str]) -> bool {
    let mut names_option = false;
    operands.iter().any(|word| {
        let is_option = word.starts_with(['-', '+']);
        let is_name = std::mem::replace(&mut names_option, is_option && word.ends_with('o'));
        *word == "--" || !is_name && !is_option
    })
}
