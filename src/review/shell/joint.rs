//! Finds words that are written on two lines: bash drops a backslash before the end of a line, also within a word,
//! where the grammar sees two words.

use crate::review::value::Argument;
use tree_sitter::Node;

/// The longest word that is put together, in bytes.
const MAX_WORD_BYTES: usize = 4096;

/// Whether what begins at `at` continues a word.
pub(super) fn continues(source: &str, word: &Argument, at: usize) -> bool {
    word.span.len() <= MAX_WORD_BYTES && source.get(word.span.end..at) == Some("\\\n")
}

/// Whether the end of a line divides a word or a sign of the text, so that the tree has other words than bash.
pub(super) fn splits_a_word(root: Node<'_>, source: &str) -> bool {
    let mut places = source.match_indices("\\\n").map(|(at, _)| at);
    places.any(|at| is_within_word(source, at) && is_code(root, at))
}

/// Whether signs of one word, or of one sign, stand around the end of a line.
fn is_within_word(source: &str, at: usize) -> bool {
    let head = source.get(..at).unwrap_or_default();
    let backslashes = head.len() - head.trim_end_matches('\\').len();
    if !backslashes.is_multiple_of(2) {
        // The backslash is protected by another one.
        return false;
    }
    let before = head.chars().next_back();
    let after = source.get(at + 2..).and_then(|rest| rest.chars().next());
    let (Some(before), Some(after)) = (before, after) else { return false };
    let is_operator = |sign: char| ";&|<>()".contains(sign);
    let is_blank = |sign: char| matches!(sign, ' ' | '\t' | '\n');
    !is_blank(before) && !is_blank(after) && (is_operator(before) == is_operator(after) || before == '$')
}

/// Whether a place lies outside of quotes, here-documents and comments.
fn is_code(root: Node<'_>, at: usize) -> bool {
    const TEXTS: &[&str] = &[
        "string",
        "string_content",
        "translated_string",
        "raw_string",
        "ansi_c_string",
        "heredoc_body",
        "heredoc_content",
        "heredoc_redirect",
        "comment",
    ];
    root.descendant_for_byte_range(at, at + 1).is_none_or(|node| !TEXTS.contains(&node.kind()))
}
