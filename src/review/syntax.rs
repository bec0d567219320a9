//! Grammars: parses a text within a budget and tells where its strings and comments are.

use super::grammar::Grammar;
use std::borrow::Cow;
use std::cell::Cell;
use std::ops::{ControlFlow, Range};
use tree_sitter::{Node, ParseOptions, Parser, Tree};

/// Nodes nested deeper than this are not looked into.
pub(super) const DEEPEST: u32 = 400;

/// The grammar of a tongue, where it has one.
pub(super) fn parser_language(grammar: Grammar) -> Option<tree_sitter::Language> {
    Some(match grammar {
        Grammar::Python => tree_sitter_python::LANGUAGE.into(),
        Grammar::Javascript => tree_sitter_typescript::LANGUAGE_TSX.into(),
        Grammar::Bash => tree_sitter_bash::LANGUAGE.into(),
        Grammar::Sql | Grammar::Other => return None,
    })
}

/// The parser is handed a text in pieces of so many bytes, so that what its lexer reads again and again is counted.
const PIECE: usize = 1024;

/// How often the lexer may read each byte of a text, on the average.
const READS: usize = 64;

/// Parses a text; `None` where it took more steps than its size allows, or where `go_on` said no.
///
/// Two things are counted: the steps of the parser, in hundreds, and the pieces of text that its lexer asks for. A text
/// that is made for it lets one step read all that follows.
pub(super) fn parse(source: &str, grammar: Grammar, go_on: &dyn Fn() -> bool) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&parser_language(grammar)?).ok()?;
    let masked = masked(source, grammar);
    let bytes = masked.as_ref();
    let pieces = Cell::new(2_000 + (bytes.len() / PIECE).saturating_mul(READS));
    let mut steps = 2_000 + bytes.len() / 4;
    let mut progress = |_: &tree_sitter::ParseState| {
        steps = steps.saturating_sub(1);
        let spent = steps == 0 || pieces.get() == 0;
        if spent || !go_on() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |at: usize, _| {
        pieces.set(pieces.get().saturating_sub(1));
        // To a lexer that has read too much the text ends here; the parser is ended at its next step.
        let end = if pieces.get() == 0 { at } else { bytes.len().min((at / PIECE + 1) * PIECE) };
        bytes.get(at..end).unwrap_or_default()
    };
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    tree.filter(|_| pieces.get() > 0)
}

/// The bytes that the parser is given; places in them are places in the source.
///
/// The scanner of the grammar for bash (0.25.1) looks characters up in a table of the C library that ends at 255: a
/// brace in front of a character far beyond it makes the process crash. To bash all characters beyond ASCII are letters,
/// so it is shown letters.
fn masked(source: &str, grammar: Grammar) -> Cow<'_, [u8]> {
    if grammar != Grammar::Bash || source.is_ascii() {
        return Cow::Borrowed(source.as_bytes());
    }
    Cow::Owned(source.bytes().map(|byte| if byte.is_ascii() { byte } else { b'x' }).collect())
}

/// The text of a node.
pub(super) fn text<'a>(node: Node<'_>, source: &'a str) -> &'a str {
    source.get(node.byte_range()).unwrap_or_default()
}

/// What a stretch of text is, where that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Matter {
    Text,
    Comment,
}

/// The stretches of strings and comments, in order.
pub(super) fn matter(tree: &Tree) -> Vec<(Range<usize>, Matter)> {
    let mut found = Vec::new();
    each(tree.root_node(), |node, _| {
        let matter = match node.kind() {
            "string_content" | "string_fragment" | "raw_string" | "ansi_c_string" | "heredoc_body"
            | "jsx_text" | "regex_pattern" | "heredoc_content" => Matter::Text,
            "comment" | "html_comment" | "hash_bang_line" => Matter::Comment,
            _ => return true,
        };
        found.push((node.byte_range(), matter));
        matter == Matter::Text && node.kind() == "heredoc_body"
    });
    found
}

/// Visits nodes from top to bottom without recursion; `visit` says whether to go into a node. Its second argument is
/// the depth. Returns false where something was nested too deep.
pub(super) fn each<'t>(root: Node<'t>, mut visit: impl FnMut(Node<'t>, u32) -> bool) -> bool {
    let mut cursor = root.walk();
    let mut depth = 0;
    let mut complete = true;
    loop {
        let deeper = visit(cursor.node(), depth);
        if deeper && depth >= DEEPEST {
            complete = false;
        } else if deeper && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        loop {
            if depth == 0 {
                return complete;
            }
            if cursor.goto_next_sibling() {
                break;
            }
            cursor.goto_parent();
            depth -= 1;
        }
    }
}

/// The children with names, at most so many.
pub(super) fn named(node: Node<'_>, most: usize) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|n| n.kind() != "comment").take(most).collect()
}

/// Two fields of a node.
pub(super) fn pair<'t>(node: Node<'t>, first: &str, second: &str) -> (Option<Node<'t>>, Option<Node<'t>>) {
    (node.child_by_field_name(first), node.child_by_field_name(second))
}
