//! Finds words that are written on two lines: bash drops a backslash before the end of a line, also within a word,
//! where the grammar sees two words.

use crate::review::syntax::each;
use crate::review::value::Argument;
use tree_sitter::Node;

/// The longest word that is put together, in bytes.
const MAX_WORD_BYTES: usize = 4096;

/// Whether what begins at `at` continues a word.
pub(super) fn continues(source: &str, word: &Argument, at: usize) -> bool {
    word.span.len() <= MAX_WORD_BYTES && source.get(word.span.end..at) == Some("\\\n")
}

/// Text in which substitutions are expanded.
const QUOTED: &[&str] = &["string", "string_content", "translated_string"];

/// Other text. Here-documents are gone through by `text_code`.
const TEXTS: &[&str] =
    &["raw_string", "ansi_c_string", "heredoc_body", "heredoc_content", "heredoc_redirect", "comment"];

/// Whether the end of a line divides a word or a sign of the text, so that the tree has other words than bash.
pub(super) fn splits_a_word(root: Node<'_>, source: &str) -> bool {
    let places = source.match_indices("\\\n").map(|(at, _)| at);
    let places: Vec<usize> = places.filter(|at| is_within_word(source, *at)).collect();
    let mut is_text = vec![false; places.len()];
    each(root, |node, _| {
        // A place where a node begins belongs to what is around it: signs begin with what bash drops before them.
        let first = places.partition_point(|at| *at <= node.start_byte());
        let last = places.partition_point(|at| *at < node.end_byte());
        let (Some(inside), Some(found)) = (places.get(first..last), is_text.get_mut(first..last)) else {
            return false;
        };
        let (is_quoted, is_other) = (QUOTED.contains(&node.kind()), TEXTS.contains(&node.kind()));
        for (at, is_text) in inside.iter().zip(found) {
            let behind_sign = source.get(..*at).is_some_and(|head| head.ends_with('$'));
            *is_text = is_other || is_quoted && !behind_sign;
        }
        first < last
    });
    is_text.contains(&false)
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
