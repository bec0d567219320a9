//! Finds what a source text would do when it is defined: at its top level, in decorators, defaults and annotations.
//! Only imports, constants of literals, and calls that make plain values are allowed.

use super::syntax::{FunctionError, definition, named, text};
use tree_sitter::Node;

/// Decorators that wrap a function and do nothing else.
const HARMLESS_DECORATORS: &[&str] = &[
    "cache",
    "functools.cache",
    "lru_cache",
    "functools.lru_cache",
    "contextmanager",
    "contextlib.contextmanager",
];

const CLASS_BESIDE: &str = "a class beside the function; put it inside of the function, or do without";

/// How many syntax nodes of one expression are checked.
const MAX_NODES: usize = 20_000;
/// How deep literals may be nested.
const MAX_DEPTH: usize = 60;
/// Calls that make a value and do nothing else.
const HARMLESS_CALLS: &str = "\
     Path PurePath date datetime timedelta Decimal Fraction frozenset set dict list tuple int float str \
     bytes bool range field Field";

/// The statements at the top level that do more than define something.
pub(super) fn top_level_flaws(root: Node<'_>, source: &str) -> Vec<FunctionError> {
    let mut flaws = Vec::new();
    // A function that the text itself defines under the name of a harmless call is not harmless.
    let defined = named(root).into_iter().filter_map(definition);
    let own: Vec<&str> = defined
        .filter_map(|inner| inner.child_by_field_name("name"))
        .map(|name| text(name, source))
        .collect();
    for (at, node) in named(root).into_iter().enumerate() {
        match node.kind() {
            "import_statement"
            | "import_from_statement"
            | "future_import_statement"
            | "type_alias_statement"
            | "pass_statement" => {}
            "function_definition" => check_definition(node, source, &own, &mut flaws),
            "decorated_definition" => check_decorated(node, source, &own, &mut flaws),
            "expression_statement" => check_statement(node, at == 0, source, &mut flaws),
            "class_definition" => flaws.push(FunctionError::at(node, CLASS_BESIDE)),
            _ => flaws.push(FunctionError::at(node, runs_message(node, source))),
        }
    }
    flaws
}

fn runs_message(node: Node<'_>, source: &str) -> String {
    format!("`{}` would run when the function is defined; take it out", short_line(node, source))
}

fn short_line(node: Node<'_>, source: &str) -> String {
    first_line(node, source).trim().chars().take(60).collect()
}

/// The first line of a part of the text, for quoting it.
fn first_line(node: Node<'_>, source: &str) -> String {
    text(node, source).lines().next().unwrap_or_default().replace('`', "'")
}

fn check_statement(node: Node<'_>, first: bool, source: &str, flaws: &mut Vec<FunctionError>) {
    let inner = named(node);
    let fine = match inner.as_slice() {
        [only] if only.kind() == "string" => first && is_literal(*only, 0),
        [only] if only.kind() == "assignment" => is_constant(*only),
        _ => false,
    };
    if fine {
        // `x: f() = 1`: an annotation at the top level is evaluated.
        let annotation = inner.first().and_then(|only| only.child_by_field_name("type"));
        if let Some(call) = annotation.and_then(|annotation| first_call(annotation, source, &[])) {
            flaws.push(FunctionError::at(call, call_message(call, source)));
        }
        return;
    }
    let assigned = inner.first().is_some_and(|only| only.kind() == "assignment");
    let what = if assigned {
        let short = short_line(node, source);
        format!("`{short}` is more than a constant of literals; move it into the function")
    } else {
        runs_message(node, source)
    };
    flaws.push(FunctionError::at(node, what));
}

/// `NAME = literal`, `NAME: type = literal`, `NAME: type`
fn is_constant(node: Node<'_>) -> bool {
    let plain = node.child_by_field_name("left").is_some_and(|left| left.kind() == "identifier");
    let value = node.child_by_field_name("right").is_none_or(|right| is_literal(right, 0));
    plain && value
}

/// Whether an expression is made of literals alone.
fn is_literal(node: Node<'_>, depth: usize) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    let all = |node: Node<'_>| named(node).into_iter().all(|child| is_literal(child, depth + 1));
    match node.kind() {
        "integer" | "float" | "true" | "false" | "none" | "ellipsis" | "string_content" | "string_start"
        | "string_end" | "escape_sequence" => true,
        "string"
        | "concatenated_string"
        | "list"
        | "tuple"
        | "set"
        | "dictionary"
        | "pair"
        | "expression_list"
        | "parenthesized_expression"
        | "unary_operator" => all(node),
        "binary_operator" => {
            // Numbers only, and no powers: `'a' * 9**9` would fill the memory.
            let operator = node.child_by_field_name("operator").map_or("", |operator| operator.kind());
            let numbers = named(node).into_iter().all(|child| is_number(child, depth + 1));
            matches!(operator, "+" | "-" | "*" | "/" | "//") && numbers
        }
        _ => false,
    }
}

fn is_number(node: Node<'_>, depth: usize) -> bool {
    match node.kind() {
        "integer" | "float" => true,
        "unary_operator" | "parenthesized_expression" => {
            depth <= MAX_DEPTH && named(node).into_iter().all(|child| is_number(child, depth + 1))
        }
        "binary_operator" => is_literal(node, depth),
        _ => false,
    }
}

/// A decorator is called with the function: only a few that merely wrap it are allowed.
fn check_decorated(node: Node<'_>, source: &str, own: &[&str], flaws: &mut Vec<FunctionError>) {
    for decorator in named(node).into_iter().filter(|child| child.kind() == "decorator") {
        let shown = first_line(decorator, source);
        let name = shown.trim_start_matches('@').trim();
        if !HARMLESS_DECORATORS.contains(&name) || own.contains(&name) {
            let what = format!("the decorator `{shown}` runs when the function is defined; take it out");
            flaws.push(FunctionError::at(decorator, what));
        }
    }
    match definition(node) {
        Some(function) => check_definition(function, source, own, flaws),
        None => flaws.push(FunctionError::at(node, CLASS_BESIDE)),
    }
}

/// Defaults and annotations are evaluated when a function is defined.
fn check_definition(function: Node<'_>, source: &str, own: &[&str], flaws: &mut Vec<FunctionError>) {
    let makers: Vec<&str> = HARMLESS_CALLS.split_whitespace().filter(|maker| !own.contains(maker)).collect();
    let parts = [function.child_by_field_name("parameters"), function.child_by_field_name("return_type")];
    for call in parts.into_iter().flatten().filter_map(|part| first_call(part, source, &makers)) {
        flaws.push(FunctionError::at(call, call_message(call, source)));
    }
}

fn call_message(call: Node<'_>, source: &str) -> String {
    let shown = first_line(call, source);
    format!(
        "`{shown}` is called when the function is defined; use None there, and call it inside of the function"
    )
}

/// The first call in an expression, except calls of the names in `fine`. The body of a lambda is skipped: it runs
/// later.
fn first_call<'t>(node: Node<'t>, source: &str, fine: &[&str]) -> Option<Node<'t>> {
    // A default may make a value; an annotation never needs to.
    let mut open = vec![(node, node.kind() == "type")];
    let mut seen = 0;
    while let Some((node, annotates)) = open.pop() {
        let annotates = annotates || node.kind() == "type";
        seen += 1;
        let called = |node: Node<'_>| {
            let name = node.child_by_field_name("function").map_or("", |function| text(function, source));
            !annotates && fine.contains(&name.rsplit('.').next().unwrap_or(name))
        };
        match node.kind() {
            "call" if !called(node) => return Some(node),
            "await" | "yield" | "named_expression" => return Some(node),
            "lambda" => continue,
            _ => {}
        }
        if seen > MAX_NODES {
            return Some(node);
        }
        open.extend(named(node).into_iter().rev().map(|child| (child, annotates)));
    }
    None
}
