//! Finds what hides errors in JavaScript and TypeScript: handlers in any layout, `finally` blocks that leave, quiet
//! `.catch` calls, and listeners for uncaught errors.

use super::super::handlers::{EMPTY_RESULTS, is_quiet};
use super::tree::{Functions, Silencer, Source, named};
use tree_sitter::Node;

const LISTENER_METHODS: &[&str] = &["on", "once", "addListener", "prependListener", "prependOnceListener"];
/// Node goes on running after a listener for these.
const UNCAUGHT_EVENTS: &[&str] = &["uncaughtException", "unhandledRejection"];
/// A listener for these can set the exit status last.
const EXIT_EVENTS: &[&str] = &["exit", "beforeExit"];

pub(super) fn silencers<'a>(source: &Source<'a>) -> Vec<Silencer<'a>> {
    let all = source.all();
    let functions = source.functions(&all, &["function_declaration", "variable_declarator"]);
    let found = |node: &Node<'_>| match node.kind() {
        "try_statement" => of_try(source, *node),
        "call_expression" => of_call(source, *node, &functions).into_iter().collect(),
        _ => Vec::new(),
    };
    source.first_of(all.iter().flat_map(found))
}

fn of_try<'a>(source: &Source<'a>, node: Node<'_>) -> Vec<Silencer<'a>> {
    let Some(body) = node.child_by_field_name("body") else { return Vec::new() };
    let clause = |clause: Node<'_>, is_quiet: bool| Silencer {
        line: source.line(clause),
        text: source.text(clause),
        is_quiet,
        takes: source.guarded_lines(body),
    };
    let handler = node.child_by_field_name("handler").and_then(|handler| {
        let block = handler.child_by_field_name("body")?;
        Some(clause(handler, source.is_quiet_block(block)))
    });
    let last = node.child_by_field_name("finalizer").filter(|last| source.leaves(*last));
    handler.into_iter().chain(last.map(|last| clause(last, true))).collect()
}

fn of_call<'a>(source: &Source<'a>, node: Node<'_>, functions: &Functions<'_>) -> Option<Silencer<'a>> {
    let called =
        node.child_by_field_name("function").filter(|called| called.kind() == "member_expression")?;
    let (object, method) = (called.child_by_field_name("object")?, called.child_by_field_name("property")?);
    let given = node.child_by_field_name("arguments").map(named)?;
    let function = |at: usize| given.get(at).and_then(|node| function(source, *node, functions));
    let is_quiet = |at: usize| function(at).is_some_and(|does| is_quiet_function(source, does));
    let made = |is_quiet, takes| {
        Some(Silencer { line: source.line(node), text: source.text(node), is_quiet, takes })
    };
    let event = given.first().map_or("", |event| source.text(*event).trim_matches(['"', '\'', '`']));
    match source.text(method) {
        "catch" if is_quiet(0) => made(true, source.guarded_lines(object)),
        "then" if is_quiet(1) => made(true, source.guarded_lines(object)),
        listens if source.text(object) == "process" && LISTENER_METHODS.contains(&listens) => {
            let ends = || function(1).is_some_and(|does| ends(source, does));
            match event {
                event if UNCAUGHT_EVENTS.contains(&event) => made(is_quiet(1), None),
                event if EXIT_EVENTS.contains(&event) && ends() => made(true, None),
                _ => None,
            }
        }
        "setUncaughtExceptionCaptureCallback" => made(is_quiet(0), None),
        _ => None,
    }
}

/// The function that a node means: one written in place, or one of this text by name.
fn function<'t>(source: &Source<'_>, node: Node<'t>, functions: &Functions<'t>) -> Option<Node<'t>> {
    match node.kind() {
        "arrow_function" | "function_expression" => Some(node),
        "identifier" => {
            let found = *functions.get(source.text(node))?;
            Some(found.child_by_field_name("value").unwrap_or(found))
        }
        _ => None,
    }
}

/// Whether a function only prints something or returns nothing of use.
fn is_quiet_function(source: &Source<'_>, node: Node<'_>) -> bool {
    node.child_by_field_name("body").is_some_and(|body| {
        if body.kind() == "statement_block" {
            return source.is_quiet_block(body);
        }
        let text = source.text(body);
        let gives = || text.trim_start_matches('(').trim_end_matches(')').trim();
        source.may_search(text) && (EMPTY_RESULTS.contains(&gives()) || is_quiet(text))
    })
}

/// Whether any part of it ends the program with success.
fn ends(source: &Source<'_>, node: Node<'_>) -> bool {
    let ends = |node: &Node<'_>| match node.kind() {
        "call_expression" => source.ends_with_success(*node),
        "assignment_expression" => {
            let text = source.text(*node);
            let parts = source.may_search(text).then(|| text.split_once('=')).flatten();
            parts.is_some_and(|(place, value)| (place.trim(), value.trim()) == ("process.exitCode", "0"))
        }
        _ => false,
    };
    source.below(node, |_| true).iter().any(ends)
}
