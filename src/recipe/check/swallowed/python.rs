//! Finds what hides errors in Python: handlers, `finally` blocks that leave, quiet context managers and decorators, and
//! hooks that end the program with success.

use super::super::handlers::is_quiet;
use super::tree::{Functions, Silencer, Source, child, named};
use std::collections::HashSet;
use tree_sitter::Node;

/// Python calls these for uncaught exceptions.
const EXCEPTION_HOOKS: &[&str] = &["sys.excepthook", "threading.excepthook"];

pub(super) fn silencers<'a>(source: &Source<'a>) -> Vec<Silencer<'a>> {
    let all = source.all();
    let functions = source.functions(&all, &["function_definition"]);
    let (managers, wrappers) = (managers(source, &all), wrappers(source, &all));
    let found = |node: &Node<'_>| match node.kind() {
        "try_statement" => of_try(source, *node),
        "with_statement" => of_use(source, *node, &managers).into_iter().collect(),
        "decorated_definition" => of_use(source, *node, &wrappers).into_iter().collect(),
        "assignment" => of_hook(source, *node, &functions).into_iter().collect(),
        "call" => of_exit(source, *node, &functions).into_iter().collect(),
        _ => Vec::new(),
    };
    source.first_of(all.iter().flat_map(found))
}

/// The clauses of a `try` that catch its errors.
fn of_try<'a>(source: &Source<'a>, node: Node<'_>) -> Vec<Silencer<'a>> {
    let Some(body) = node.child_by_field_name("body") else { return Vec::new() };
    let clause = |clause: Node<'_>| {
        let is_quiet = takes_quietly(source, clause)?;
        let (line, text) = (source.line(clause), source.text(clause));
        Some(Silencer { line, text, is_quiet, takes: source.guarded_lines(body) })
    };
    named(node).into_iter().filter_map(clause).collect()
}

/// Whether a clause of a `try` hides the errors it catches; `None` if it catches none.
fn takes_quietly(source: &Source<'_>, clause: Node<'_>) -> Option<bool> {
    let block = child(clause, "block")?;
    match clause.kind() {
        "except_clause" => Some(source.is_quiet_block(block)),
        // Leaving a `finally` (return, break, continue) drops the pending exception.
        "finally_clause" if source.leaves(block) => Some(true),
        _ => None,
    }
}

/// The names of context managers in this text that hide errors: classes whose `__exit__` returns true, and generator
/// functions that go on after an error at their `yield`.
fn managers<'a>(source: &Source<'a>, all: &[Node<'_>]) -> Vec<&'a str> {
    let class = |node: &&Node<'_>| node.kind() == "class_definition" && exits_quietly(source, **node);
    let classes = all.iter().filter(class).filter_map(|node| node.child_by_field_name("name"));
    let makes = |node: &&Node<'_>| {
        node.kind() == "decorated_definition"
            && named(**node)
                .iter()
                .any(|child| child.kind() == "decorator" && source.text(*child).ends_with("contextmanager"))
            && is_quiet_around(source, **node, |body| body.contains("yield"))
    };
    let functions = all.iter().filter(makes).filter_map(|node| node.child_by_field_name("definition"));
    let functions = functions.filter_map(|node| node.child_by_field_name("name"));
    source.first_of(classes.chain(functions).map(|name| source.text(name)))
}

/// Whether the `__exit__` of a class returns true without using the exception.
fn exits_quietly(source: &Source<'_>, class: Node<'_>) -> bool {
    let body = class.child_by_field_name("body").map(named).unwrap_or_default();
    let exit = body.into_iter().find(|node| {
        let name = node.child_by_field_name("name").map(|name| source.text(name));
        matches!(name, Some("__exit__" | "__aexit__"))
    });
    let Some((exit, body)) = exit.and_then(|exit| Some((exit, exit.child_by_field_name("body")?))) else {
        return false;
    };
    let names = |node: Node<'_>| {
        let all = source.below(node, |_| true).into_iter().filter(|node| node.kind() == "identifier");
        all.map(|node| source.text(node)).collect::<Vec<_>>()
    };
    // The first parameter is the manager itself, the others describe the exception.
    let given = exit.child_by_field_name("parameters").map(names).unwrap_or_default();
    let error: HashSet<&str> = given.into_iter().skip(1).collect();
    let returns = |node: &Node<'_>| {
        node.kind() == "return_statement" && matches!(source.text(*node), "return True" | "return 1")
    };
    // Code that uses the exception does something with it.
    let leaves_it = |statement: &Node<'_>| {
        is_quiet(source.text(*statement).trim()) || !names(*statement).iter().any(|name| error.contains(name))
    };
    named(body).iter().any(returns) && named(body).iter().all(leaves_it)
}

/// The names of functions in this text that call a given function and hide its errors.
fn wrappers<'a>(source: &Source<'a>, all: &[Node<'_>]) -> Vec<&'a str> {
    let wraps = |node: &&Node<'_>| {
        node.kind() == "function_definition"
            && is_quiet_around(source, **node, |body| body.contains("(*") || body.contains("()"))
    };
    let names = all.iter().filter(wraps).filter_map(|node| node.child_by_field_name("name"));
    source.first_of(names.map(|name| source.text(name)))
}

/// Whether a quiet handler guards code that `around` accepts.
fn is_quiet_around(source: &Source<'_>, node: Node<'_>, around: impl Fn(&str) -> bool) -> bool {
    let is_around = |body: Node<'_>| source.may_search(source.text(body)) && around(source.text(body));
    source.below(node, |_| true).into_iter().filter(|node| node.kind() == "try_statement").any(|node| {
        node.child_by_field_name("body").is_some_and(is_around)
            && named(node).into_iter().any(|clause| takes_quietly(source, clause) == Some(true))
    })
}

/// A statement whose head names one of `known`; that guards its body.
fn of_use<'a>(source: &Source<'a>, node: Node<'_>, known: &[&str]) -> Option<Silencer<'a>> {
    let head = |node: &Node<'_>| matches!(node.kind(), "with_clause" | "decorator");
    let heads: Vec<Node<'_>> = named(node).into_iter().filter(head).collect();
    let names = |head: &&Node<'_>| {
        let inside = source.below(**head, |_| true);
        inside.iter().any(|node| node.kind() == "identifier" && known.contains(&source.text(*node)))
    };
    let used = heads.iter().find(names)?;
    let held = node.child_by_field_name("body").or_else(|| {
        node.child_by_field_name("definition").and_then(|inner| inner.child_by_field_name("body"))
    })?;
    let line = source.line(if node.kind() == "with_statement" { node } else { *used });
    Some(Silencer { line, text: line, is_quiet: true, takes: source.guarded_lines(held) })
}

/// An own hook for uncaught exceptions.
fn of_hook<'a>(source: &Source<'a>, node: Node<'_>, functions: &Functions<'_>) -> Option<Silencer<'a>> {
    let (left, right) = (node.child_by_field_name("left")?, node.child_by_field_name("right")?);
    if !EXCEPTION_HOOKS.contains(&source.text(left)) {
        return None;
    }
    let is_quiet = function(source, right, functions).is_some_and(|hook| ends(source, hook));
    Some(Silencer { line: source.line(node), text: source.text(node), is_quiet, takes: None })
}

/// A function registered for the program's exit that ends the program with success.
fn of_exit<'a>(source: &Source<'a>, node: Node<'_>, functions: &Functions<'_>) -> Option<Silencer<'a>> {
    let called = node.child_by_field_name("function")?;
    if !matches!(source.text(called), "atexit.register" | "register") {
        return None;
    }
    let given = node.child_by_field_name("arguments").map(named)?;
    let ends = function(source, *given.first()?, functions).is_some_and(|does| ends(source, does));
    ends.then(|| Silencer { line: source.line(node), text: source.text(node), is_quiet: true, takes: None })
}

/// The function that a node means: a lambda, or one of this text by name.
fn function<'t>(source: &Source<'_>, node: Node<'t>, functions: &Functions<'t>) -> Option<Node<'t>> {
    match node.kind() {
        "lambda" => Some(node),
        "identifier" => functions.get(source.text(node)).copied(),
        _ => None,
    }
}

/// Whether any part of it ends the program with success.
fn ends(source: &Source<'_>, node: Node<'_>) -> bool {
    let ends = |node: &Node<'_>| {
        matches!(node.kind(), "call" | "raise_statement") && source.ends_with_success(*node)
    };
    source.below(node, |_| true).iter().any(ends)
}
