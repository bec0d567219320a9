//! Splits Markdown: each fenced block whose word names a language is a piece.

use super::{Columns, LinePosition, Piece, Pieces, language_named, number, width};
use crate::domain::Languages;

/// Words behind a fence that don't name a programming language.
const NO_PROGRAM_WORDS: &str = "\
     text txt plain plaintext json jsonc json5 jsonl yaml yml toml ini xml html css scss svg csv tsv diff patch md \
     markdown rst latex tex mermaid dot output log http none bibtex gitignore dotenv properties graphql proto \
     protobuf tree ebnf regex math";

/// Words of fences that show a terminal: lines with a prompt hold commands.
const TERMINAL_WORDS: &[&str] = &["console", "shell-session", "sh-session", "terminal", "shellsession"];

struct OpenFence {
    mark: char,
    length: usize,
    /// Characters before the fence; as many are removed from its lines if they are blank or quote signs.
    indent: usize,
    terminal: bool,
    piece: Option<Piece>,
}

/// Splits a text into pieces.
pub(super) fn pieces(source: &str, languages: &Languages) -> Pieces {
    let mut found = Pieces { prose: true, ..Pieces::default() };
    let mut open: Option<OpenFence> = None;
    // A byte order mark is no part of the first line: a fence behind it is one.
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    for (at, line) in source.split('\n').enumerate() {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let bare = line.trim_start_matches([' ', '\t', '>']);
        match &mut open {
            None => open = open_fence(line, bare, number(at), languages, &mut found),
            Some(fence) if is_end(fence, bare) => {
                found.pieces.extend(fence.piece.take());
                open = None;
            }
            Some(fence) => add_line(fence, line, number(at)),
        }
    }
    // An unclosed fence ends with the text.
    found.pieces.extend(open.and_then(|fence| fence.piece));
    found.pieces.retain(|piece| !piece.source.trim().is_empty());
    found
}

fn open_fence(
    line: &str,
    bare: &str,
    at: u32,
    languages: &Languages,
    found: &mut Pieces,
) -> Option<OpenFence> {
    let mark = bare.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = bare.chars().take_while(|c| *c == mark).count();
    let info = bare.get(length..).unwrap_or_default().trim();
    if length < 3 || mark == '`' && info.contains('`') {
        return None;
    }
    let word =
        info.trim_start_matches(['{', '.']).split([' ', ',', '}', '{', ':', ';']).next().unwrap_or_default();
    let lower = word.to_ascii_lowercase();
    let terminal = TERMINAL_WORDS.contains(&lower.as_str());
    let language = if terminal { Some("bash".to_owned()) } else { language_named(&lower, languages) };
    let is_no_program = lower.is_empty() || NO_PROGRAM_WORDS.split(' ').any(|word| word == lower);
    if language.is_none() && !is_no_program {
        found.not_pieces.push(format!("line {at}: there are no rules for {lower}"));
    }
    let piece = language.as_deref().map(Piece::new);
    Some(OpenFence { mark, length, indent: line.chars().count() - bare.chars().count(), terminal, piece })
}

fn is_end(fence: &OpenFence, bare: &str) -> bool {
    let length = bare.chars().take_while(|c| *c == fence.mark).count();
    length >= fence.length && bare.get(length..).is_some_and(|rest| rest.trim().is_empty())
}

fn add_line(fence: &mut OpenFence, line: &str, at: u32) {
    let Some(piece) = &mut fence.piece else { return };
    let cut: usize = line
        .chars()
        .take(fence.indent)
        .take_while(|c| matches!(c, ' ' | '\t' | '>'))
        .map(char::len_utf8)
        .sum();
    let (head, mut text) = (line.get(..cut).unwrap_or_default(), line.get(cut..).unwrap_or_default());
    let mut shift = width(head);
    if fence.terminal {
        let typed = ["$ ", "% ", "# ", "> "].iter().find_map(|prompt| text.strip_prefix(prompt));
        // Lines without a prompt are output and become empty.
        shift += 2;
        text = typed.unwrap_or_default();
    }
    piece.push(text, LinePosition { line: at, columns: Columns::Shifted(shift), cell: None });
}

#[cfg(test)]
mod tests {
    use super::super::languages_and_places;
    use super::*;

    #[test]
    fn fences_are_pieces_with_their_lines() {
        let text = "# A\n\n```python title=x\nimport os\nos.remove('a')\n```\n> ~~~~ sh\n> rm a\n> ~~~~\n```\nplain\n```\n\
                    ```console\n$ rm b\nremoved\n```\n```haskell\nmain\n```\n   ```{r}\n   unlink(1)\n";
        let found = pieces(text, &Languages::default());
        assert_eq!(
            languages_and_places(&found),
            [
                ("python", "import os\nos.remove('a')\n", 4, Columns::Shifted(0)),
                ("bash", "rm a\n", 8, Columns::Shifted(2)),
                ("bash", "rm b\n\n", 14, Columns::Shifted(2)),
                ("r", "unlink(1)\n\n", 21, Columns::Shifted(3)),
            ]
        );
        assert_eq!(found.not_pieces, ["line 17: there are no rules for haskell"]);
    }
}
