//! Parses Python, JavaScript and bash into syntax trees, with a budget that bounds the work for hostile texts too.
//! Other modules interpret the trees.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::ControlFlow;
use tree_sitter::{Language, Node, ParseOptions, ParseState, Parser, Tree};

/// The supported grammars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grammar {
    Python,
    /// Also reads TypeScript and JSX.
    Javascript,
    Bash,
}

impl Grammar {
    pub(crate) fn language(self) -> Language {
        match self {
            Grammar::Python => tree_sitter_python::LANGUAGE.into(),
            Grammar::Javascript => tree_sitter_typescript::LANGUAGE_TSX.into(),
            Grammar::Bash => tree_sitter_bash::LANGUAGE.into(),
        }
    }
}

/// The parser receives the text in pieces of this size, so that repeated reading by its lexer can be counted.
const PIECE_BYTES: usize = 1024;

/// How often the lexer may read each byte of a text on average.
const MAX_READS_PER_BYTE: usize = 64;

/// How much work parsing may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// How many bytes of text allow one step of the parser.
    pub(crate) step: usize,
    /// The size of the text by which the lexer's reading is limited. Callers that parse many texts pass each text's own
    /// size; callers of a few texts pass the largest size that they accept, because the scanner for Python reads all
    /// comments behind a line again for each of them.
    pub(crate) size: usize,
}

/// Parses a text; `None` if that exceeds the budget, or `go_on` returned `false`.
///
/// Two things are counted: the steps of the parser, in hundreds, and the pieces of text that its lexer requests. A
/// hostile text can make a single step read everything that follows.
pub(crate) fn parse(
    source: &str,
    grammar: Grammar,
    budget: Budget,
    go_on: &dyn Fn() -> bool,
) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&grammar.language()).ok()?;
    let masked = masked(source, grammar);
    let bytes = masked.as_ref();
    let pieces = Cell::new(2_000 + (budget.size / PIECE_BYTES).saturating_mul(MAX_READS_PER_BYTE));
    let mut steps = 2_000 + bytes.len() / budget.step.max(1);
    let mut progress = |_: &ParseState| {
        steps = steps.saturating_sub(1);
        let spent = steps == 0 || pieces.get() == 0;
        if spent || !go_on() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |at: usize, _| {
        pieces.set(pieces.get().saturating_sub(1));
        // A lexer that has read too much gets the end of the text here; the parser stops at its next step.
        let end = if pieces.get() == 0 { at } else { end_of_piece(bytes, at) };
        bytes.get(at..end).unwrap_or_default()
    };
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    tree.filter(|_| pieces.get() > 0)
}

/// Where the piece at this position ends: behind a complete character. The parser would turn half a character into an
/// error, and names would be misread.
fn end_of_piece(bytes: &[u8], at: usize) -> usize {
    let end = (at / PIECE_BYTES + 1) * PIECE_BYTES;
    let goes_on = |byte: &&u8| **byte & 0xC0 == 0x80;
    let rest = bytes.get(end..).unwrap_or_default().iter().take_while(goes_on).count();
    bytes.len().min(end + rest)
}

/// The bytes for the parser, with the same positions as in the source.
///
/// The scanner of the bash grammar (0.25.1) looks characters up in a table of the C library that ends at 255: a brace
/// before a character far beyond that crashes the process. bash treats all characters beyond ASCII as letters, so they
/// are replaced by letters.
fn masked(source: &str, grammar: Grammar) -> Cow<'_, [u8]> {
    if grammar != Grammar::Bash || source.is_ascii() {
        return Cow::Borrowed(source.as_bytes());
    }
    Cow::Owned(source.bytes().map(|byte| if byte.is_ascii() { byte } else { b'x' }).collect())
}

pub(crate) fn text<'a>(node: Node<'_>, source: &'a str) -> &'a str {
    source.get(node.byte_range()).unwrap_or_default()
}

/// The named children, without comments.
pub(crate) fn named(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| child.kind() != "comment").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_where_a_piece_ends_is_read_whole() {
        let all = |source: &str, grammar| {
            let tree = parse(source, grammar, Budget { step: 8, size: source.len() }, &|| true).unwrap();
            (tree.root_node().has_error(), tree.root_node().to_sexp())
        };
        for (grammar, comment) in [(Grammar::Python, '#'), (Grammar::Javascript, '/'), (Grammar::Bash, '#')] {
            for name in ["é", "語", "𝒳", "aé"] {
                let code = format!("{name} = 1\n{name}('x')\n");
                let code = if grammar == Grammar::Bash { format!("{name} 'x'\n") } else { code };
                // A line before it does not change the result.
                let text = |at: usize| format!("{}\n{code}", comment.to_string().repeat(at - 1));
                let (has_error, tree) = all(&text(500), grammar);
                assert!(!has_error, "{grammar:?} {name}");
                for at in PIECE_BYTES - 8..=PIECE_BYTES + 1 {
                    let (_, other) = all(&text(at), grammar);
                    assert_eq!(other, tree, "{grammar:?} {name} at {at}");
                }
            }
        }
    }
}
