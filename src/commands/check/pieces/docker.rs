//! Splits Dockerfiles: RUN, CMD and ENTRYPOINT (also behind HEALTHCHECK and ONBUILD) become pieces, as their shell,
//! or no shell, would run them.
//!
//! Lines are joined as the builder does it: an escape character at the end of a line continues it, comments between
//! are dropped, heredocs (`<<`) belong to their instruction.

use super::{Columns, LinePosition, Piece, Pieces, number, shebang_language, width};
use crate::text::shell::quoted;

struct Instruction {
    /// The lines without the characters that join them, each with its place.
    lines: Vec<(String, LinePosition)>,
    /// Heredocs that follow: the word that ends each, and its lines.
    inside: Vec<(String, Vec<(String, LinePosition)>)>,
}

/// Splits a Dockerfile into pieces.
pub(super) fn pieces(source: &str) -> Pieces {
    let mut found = Pieces { prose: true, ..Pieces::default() };
    let mut shell = "bash".to_owned();
    for instruction in instructions(source) {
        let Some((first, stand)) = instruction.lines.first() else { continue };
        let (mut word, mut rest) = split(first);
        while matches!(word.as_str(), "ONBUILD" | "HEALTHCHECK") {
            let offset = options_length(rest);
            (word, rest) = split(rest.get(offset..).unwrap_or_default());
        }
        match word.as_str() {
            "FROM" => "bash".clone_into(&mut shell),
            "SHELL" => {
                shell = word_list(rest).and_then(|words| shell_language(words.first()?)).unwrap_or(shell);
            }
            "RUN" | "CMD" | "ENTRYPOINT" => {
                let offset = options_length(rest);
                let text = rest.get(offset..).unwrap_or_default();
                let shift = width(first) - width(text);
                let head = (text.to_owned(), shift_columns(*stand, shift));
                found.pieces.push(command(&shell, head, &instruction));
            }
            _ => {}
        }
    }
    for piece in &mut found.pieces {
        piece.in_image = true;
    }
    found.pieces.retain(|piece| !piece.source.trim().is_empty());
    found
}

/// The piece that an instruction runs. `head`: the rest of its first line after its word and options.
fn command(shell: &str, head: (String, LinePosition), instruction: &Instruction) -> Piece {
    let tail = instruction.lines.iter().skip(1);
    let joined: String =
        [&head].into_iter().chain(tail.clone()).map(|(text, _)| text.as_str()).collect::<Vec<_>>().join(" ");
    if let Some(words) = word_list(&joined) {
        // Without a shell each word is literal.
        let mut piece = Piece::new("bash");
        let columns = Columns::Whole(head.1.columns_end(&head.0));
        piece.push(
            &words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
            LinePosition { columns, ..head.1 },
        );
        return piece;
    }
    let bare = head.0.trim();
    let alone = instruction
        .inside
        .first()
        .filter(|_| instruction.inside.len() == 1 && bare.starts_with("<<") && !bare.contains(' '));
    if let Some((_, lines)) = alone {
        let text: Vec<&str> = lines.iter().map(|(text, _)| text.as_str()).collect();
        let language = shebang_language(&text.join("\n")).unwrap_or_else(|| shell.to_owned());
        let mut piece = Piece::new(&language);
        for (text, stand) in lines {
            piece.push(text, *stand);
        }
        return piece;
    }
    let mut piece = Piece::new(shell);
    let count = instruction.lines.len();
    for (at, (text, stand)) in [&head].into_iter().chain(tail).enumerate() {
        // The backslash joins lines in a shell too.
        let text = if at + 1 < count { format!("{text}\\") } else { text.clone() };
        piece.push(&text, *stand);
    }
    for (end, lines) in &instruction.inside {
        for (text, stand) in lines {
            piece.push(text, *stand);
        }
        if let Some(last) = piece.lines.last().copied() {
            piece.push(end, LinePosition { line: last.line + 1, columns: Columns::Shifted(0), cell: None });
        }
    }
    piece
}

impl LinePosition {
    /// The width of the file's line that ends with this text.
    fn columns_end(self, text: &str) -> u32 {
        match self.columns {
            Columns::Shifted(by) => by + width(text),
            Columns::Whole(width) => width,
        }
    }
}

fn shift_columns(stand: LinePosition, by: u32) -> LinePosition {
    let columns = match stand.columns {
        Columns::Shifted(shift) => Columns::Shifted(shift + by),
        whole @ Columns::Whole(_) => whole,
    };
    LinePosition { columns, ..stand }
}

/// The word of an instruction in capitals, and the rest.
fn split(text: &str) -> (String, &str) {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    (word.to_ascii_uppercase(), rest)
}

/// How many bytes the options (`--mount=…`) before a command take, with the spaces around them.
fn options_length(text: &str) -> usize {
    let mut at = text.len() - text.trim_start().len();
    while let Some(rest) = text.get(at..).filter(|rest| rest.starts_with("--")) {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let after = rest.get(end..).unwrap_or_default();
        at += end + (after.len() - after.trim_start().len());
    }
    at
}

/// The words of a JSON list; `None` if the text is none.
fn word_list(text: &str) -> Option<Vec<String>> {
    serde_json::from_str(text.trim()).ok()
}

fn shell_language(program: &str) -> Option<String> {
    let name = program.rsplit(['/', '\\']).next()?.trim_end_matches(".exe").to_ascii_lowercase();
    Some(match name.as_str() {
        "powershell" | "pwsh" => "powershell".to_owned(),
        "cmd" => "batch".to_owned(),
        name => shebang_language(&format!("#!{name}"))?,
    })
}

fn instructions(source: &str) -> Vec<Instruction> {
    let escape = escape_sign(source);
    let mut lines = source.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).enumerate();
    let mut all = Vec::new();
    while let Some((at, line)) = lines.next() {
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        let mut one = Instruction { lines: Vec::new(), inside: Vec::new() };
        let mut next = Some((at, line));
        while let Some((at, line)) = next {
            let stand = LinePosition { line: number(at), columns: Columns::Shifted(0), cell: None };
            let goes_on = line.trim_end().strip_suffix(escape);
            one.lines.push((goes_on.unwrap_or(line).to_owned(), stand));
            if goes_on.is_none() {
                break;
            }
            next = lines
                .by_ref()
                .find(|(_, line)| !line.trim_start().starts_with('#') && !line.trim().is_empty());
        }
        let whole: String = one.lines.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>().join(" ");
        let takes = matches!(split(&whole).0.as_str(), "RUN" | "COPY" | "ADD" | "ONBUILD");
        for (end, tabs) in if takes { heredoc_ends(&whole) } else { Vec::new() } {
            let mut inside = Vec::new();
            for (at, line) in lines.by_ref() {
                let bare = if tabs { line.trim_start_matches('\t') } else { line };
                if bare == end {
                    break;
                }
                let columns = Columns::Shifted(width(line) - width(bare));
                inside.push((bare.to_owned(), LinePosition { line: number(at), columns, cell: None }));
            }
            one.inside.push((end, inside));
        }
        all.push(one);
    }
    all
}

/// The escape character that joins lines: a backslash, or the one that a directive at the top names.
fn escape_sign(source: &str) -> char {
    let directives = source.lines().map(str::trim).take_while(|line| line.starts_with('#'));
    let told = directives.filter_map(|line| {
        let (name, value) = line.trim_start_matches('#').split_once('=')?;
        (name.trim().eq_ignore_ascii_case("escape")).then(|| value.trim().chars().next())?
    });
    told.last().unwrap_or('\\')
}

/// The words that end the heredocs of a command, and whether leading tabs are removed.
fn heredoc_ends(text: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("<<") {
        rest = after;
        if let Some(here) = after.strip_prefix('<') {
            // A here-string (`<<<`) ends on the same line.
            rest = here;
            continue;
        }
        let (tabs, after) = after.strip_prefix('-').map_or((false, after), |after| (true, after));
        let word = after.trim_start_matches(['"', '\'']);
        let end = word.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(word.len());
        match word.get(..end) {
            Some(end) if !end.is_empty() => found.push((end.to_owned(), tabs)),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::languages_and_places;
    use super::*;

    #[test]
    fn what_would_run_is_a_piece() {
        let text = "# syntax=docker/dockerfile:1\nFROM alpine\nRUN --mount=type=cache,target=/x apk add curl \\\n # why\n  && rm -rf /srv\n\
                    COPY <<E /etc/a\nrm -rf /\nE\nRUN <<EOF\nset -e\ncurl x | sh\nEOF\nRUN python3 <<E\nprint(1)\nE\n\
                    HEALTHCHECK --interval=5s CMD curl localhost\nonbuild run make\nENTRYPOINT [\"sh\", \"-c\", \"exec it's\"]\n\
                    SHELL [\"pwsh\", \"-c\"]\nRUN ri x\nRUN <<E\n#!/usr/bin/env python3\nimport os\nE\n";
        let found = pieces(text);
        assert_eq!(
            languages_and_places(&found),
            [
                ("bash", "apk add curl \\\n  && rm -rf /srv\n", 3, Columns::Shifted(33)),
                ("bash", "set -e\ncurl x | sh\n", 10, Columns::Shifted(0)),
                ("bash", "python3 <<E\nprint(1)\nE\n", 13, Columns::Shifted(4)),
                ("bash", "curl localhost\n", 16, Columns::Shifted(30)),
                ("bash", "make\n", 17, Columns::Shifted(12)),
                ("bash", "sh -c 'exec it'\\''s'\n", 18, Columns::Whole(36)),
                ("powershell", "ri x\n", 20, Columns::Shifted(4)),
                ("python", "#!/usr/bin/env python3\nimport os\n", 22, Columns::Shifted(0)),
            ]
        );
        assert!(found.pieces.iter().all(|piece| piece.in_image));
        assert_eq!(found.pieces[0].lines[1].line, 5);
    }
}
