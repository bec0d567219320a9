//! Reads one function: checks that a text is exactly one function that does nothing when it is defined, and returns its
//! signature.

use super::syntax::{FunctionError, MAX_BYTES, definition, first_error, named, parse, text};
use super::{Literal, argument, effects};
use crate::domain::{Function, Parameter, ParameterKind};
use crate::text::line::one_line;
use tree_sitter::Node;

/// How many flaws of a text are reported.
const MAX_FLAWS: usize = 12;

/// A function that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Definition {
    /// Its name, docstring and parameters. A default that is not a literal is left out here: the parameter is optional,
    /// without a default.
    pub(crate) function: Function,
    /// Defaults that are not literals: the parameter's name, and the expression.
    pub(crate) expressions: Vec<(String, String)>,
    /// Whether it has to be awaited.
    pub(crate) is_async: bool,
}

/// All flaws in one line.
pub(crate) fn list_flaws(flaws: &[FunctionError]) -> String {
    let all: Vec<String> = flaws.iter().map(ToString::to_string).collect();
    all.join("; ")
}

/// Reads the one function of a text.
///
/// # Errors
/// Everything that keeps it from being exactly one function with docstring and annotations and without effects.
pub(crate) fn examine(source: &str) -> Result<Definition, Vec<FunctionError>> {
    let tree = parse(source).ok_or_else(|| {
        let what = if source.len() > MAX_BYTES {
            format!("it can't be read; at most {MAX_BYTES} bytes are")
        } else {
            "it can't be read, it takes too many steps; write it plainer, with fewer comments".to_owned()
        };
        vec![FunctionError { line: 1, what }]
    })?;
    let root = tree.root_node();
    if root.has_error() {
        let line = first_error(root).map_or(1, |node| node.start_position().row + 1);
        return Err(vec![FunctionError { line, what: "this is no Python; correct the syntax".into() }]);
    }
    let mut flaws = effects::top_level_flaws(root, source);
    let functions: Vec<Node<'_>> = named(root).into_iter().filter_map(definition).collect();
    let defined = match functions.as_slice() {
        [] => {
            let what = "there is no function; write one with def at the top level".into();
            flaws.push(FunctionError { line: 1, what });
            None
        }
        [function] => Some(read(*function, source, &mut flaws)),
        [_, others @ ..] => {
            let name = |node: &Node<'_>| {
                node.child_by_field_name("name").map_or("", |name| text(name, source)).to_owned()
            };
            flaws.extend(others.iter().map(|node| {
                let what = "is a second function; keep one at the top level, and put helpers inside of it";
                FunctionError::at(*node, format!("{} {what}", name(node)))
            }));
            None
        }
    };
    flaws.sort_by_key(|flaw| flaw.line);
    flaws.truncate(MAX_FLAWS);
    match defined {
        Some(defined) if flaws.is_empty() => Ok(defined),
        _ => Err(flaws),
    }
}

fn read(node: Node<'_>, source: &str, flaws: &mut Vec<FunctionError>) -> Definition {
    let field = |name: &str| node.child_by_field_name(name);
    let name = field("name").map_or("", |name| text(name, source)).to_owned();
    let doc = field("body").and_then(|body| docstring(body, source));
    if doc.is_none() {
        flaws.push(FunctionError::at(node, format!("{name} has no docstring; say in one what it does")));
    }
    let parameters = field("parameters");
    let mut signature = Signature { source, flaws, read: Vec::new(), expressions: Vec::new() };
    if let Some(parameters) = parameters {
        signature.read(parameters);
    }
    let Signature { read, expressions, .. } = signature;
    let result = field("return_type").map(|result| text(result, source));
    if result.is_none() {
        let what = format!("the result of {name} has no annotation; add -> and its type");
        flaws.push(FunctionError::at(node, what));
    }
    let head = parameters.map_or("()", |parameters| text(parameters, source));
    let head = one_line(head);
    let signature = format!("{name}{head} -> {}", result.unwrap_or("None"));
    let is_async = node.child(0).is_some_and(|first| first.kind() == "async");
    let function = Function { name, signature, doc: doc.unwrap_or_default(), parameters: read };
    Definition { function, expressions, is_async }
}

/// The docstring at the start of a body; `None` if there is none or it is blank.
fn docstring(body: Node<'_>, source: &str) -> Option<String> {
    let first = *named(body).first()?;
    let string = *named(first).first().filter(|_| first.kind() == "expression_statement")?;
    match Literal::read(text(string, source)) {
        Ok(Literal::Text(doc)) if !doc.trim().is_empty() => Some(doc.trim().to_owned()),
        // A string with more escapes than `Literal` reads is a docstring all the same.
        Err(_) if string.kind() == "string" && !text(string, source).starts_with(['f', 'F', 'b', 'B']) => {
            Some(text(string, source).trim_matches(['\'', '"', ' ']).to_owned()).filter(|doc| !doc.is_empty())
        }
        _ => None,
    }
}

/// The parameters of a function while they are being read.
struct Signature<'a> {
    source: &'a str,
    flaws: &'a mut Vec<FunctionError>,
    read: Vec<Parameter>,
    expressions: Vec<(String, String)>,
}

impl Signature<'_> {
    fn read(&mut self, parameters: Node<'_>) {
        for node in named(parameters) {
            match node.kind() {
                "positional_separator" => {
                    self.read.iter_mut().for_each(|known| known.kind = ParameterKind::Positional);
                }
                "keyword_separator" => {}
                _ => self.parameter(node),
            }
        }
    }

    fn parameter(&mut self, node: Node<'_>) {
        let named_child = node.child_by_field_name("name").or_else(|| node.named_child(0));
        let inner = if node.kind() == "identifier" { node } else { named_child.unwrap_or(node) };
        let shape = if node.kind().ends_with("splat_pattern") { node } else { inner };
        let kind = match shape.kind() {
            "list_splat_pattern" => ParameterKind::Rest,
            "dictionary_splat_pattern" => ParameterKind::Options,
            _ => ParameterKind::Named,
        };
        let name = text(shape, self.source).trim_start_matches('*').to_owned();
        let annotation = node.child_by_field_name("type").map(|of| text(of, self.source).to_owned());
        if annotation.is_none() {
            let what = format!("the argument {name} has no annotation; add its type");
            self.flaws.push(FunctionError::at(node, what));
        }
        let annotation = annotation.unwrap_or_default();
        let value = node.child_by_field_name("value").map(|value| text(value, self.source));
        let default = value.and_then(|value| Literal::read(value).ok()).map(|literal| literal.to_string());
        let default = default.filter(|default| argument::value(&annotation, default).is_ok());
        if let (Some(value), None) = (value, &default) {
            self.expressions.push((name.clone(), one_line(value)));
        }
        let required = value.is_none() && kind == ParameterKind::Named;
        self.read.push(Parameter { name, kind, annotation, required, default });
    }
}

#[cfg(test)]
mod tests;
