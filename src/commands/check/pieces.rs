//! Splits a file into pieces of code: a whole program, or the code inside another kind of file.
//!
//! Notebooks, Dockerfiles, Makefiles and Markdown have a reader each. It returns pieces, every line of which knows
//! its place in the file, so that findings name the right place. Nothing is reviewed here.

mod docker;
mod make;
mod markdown;
mod notebook;

pub(super) use notebook::texts as cell_texts;

use crate::domain::{Effects, Finding, Languages, Review, TextRange};
use std::path::Path;

/// The kind of a file, which decides how it is split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PieceForm {
    /// A program in the named language, or in an unknown one.
    Program(Option<String>),
    Notebook,
    Dockerfile,
    Makefile,
    Markdown,
}

impl PieceForm {
    /// The name of the form in JSON, where the name of a language stands too.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            PieceForm::Program(language) => language.as_deref(),
            PieceForm::Notebook => Some("notebook"),
            PieceForm::Dockerfile => Some("dockerfile"),
            PieceForm::Makefile => Some("makefile"),
            PieceForm::Markdown => Some("markdown"),
        }
    }

    /// The form that a file's name shows, if the file holds code inside something else.
    pub(super) fn of_name(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        let (head, _) = name.split_once('.').unwrap_or((&name, ""));
        Some(match (head, extension) {
            (_, Some("ipynb")) => PieceForm::Notebook,
            (_, Some("dockerfile" | "containerfile")) => PieceForm::Dockerfile,
            ("dockerfile" | "containerfile", _) => PieceForm::Dockerfile,
            ("makefile" | "gnumakefile", None) | (_, Some("mk" | "mak")) => PieceForm::Makefile,
            (_, Some("md" | "markdown" | "mdx" | "rmd" | "qmd")) => PieceForm::Markdown,
            _ => return None,
        })
    }
}

/// The place of a piece's line in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LinePosition {
    /// The line in the file or in the cell, counted from 1.
    pub(super) line: u32,
    pub(super) columns: Columns,
    /// The cell of a notebook, counted from 1 over all cells.
    pub(super) cell: Option<u32>,
}

/// How the columns of a piece's line map to columns of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Columns {
    /// The line is part of the file's line, this many characters further right.
    Shifted(u32),
    /// The line was assembled from the file's line: places cover the whole line, which is this many characters wide.
    Whole(u32),
}

/// Code in one language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// The name of the language.
    pub(super) language: Option<String>,
    pub(super) source: String,
    /// The place of each line.
    pub(super) lines: Vec<LinePosition>,
    /// Whether the code runs inside an image while it is built, where no file belongs to the person.
    pub(super) in_image: bool,
}

impl Piece {
    fn new(language: &str) -> Self {
        let language = Some(language.to_owned());
        Self { language, source: String::new(), lines: Vec::new(), in_image: false }
    }

    pub(super) fn whole(language: &str, source: &str) -> Self {
        let stand = |at: usize| LinePosition { line: number(at), columns: Columns::Shifted(0), cell: None };
        let lines = (0..source.split('\n').count()).map(stand).collect();
        Self { source: source.to_owned(), lines, ..Self::new(language) }
    }

    /// Adds a line and its place in the file.
    fn push(&mut self, text: &str, stand: LinePosition) {
        self.source.push_str(text);
        self.source.push('\n');
        self.lines.push(stand);
    }

    /// Maps a place in the piece to the file (and the cell of a notebook).
    fn place(&self, place: TextRange) -> (TextRange, Option<u32>) {
        let stand = |line: u32| {
            let at = usize::try_from(line.saturating_sub(1)).unwrap_or(usize::MAX);
            self.lines.get(at).or(self.lines.last()).copied()
        };
        let (Some(first), Some(last)) = (stand(place.line), stand(place.end_line)) else {
            return (place, None);
        };
        let column = match first.columns {
            Columns::Shifted(by) => place.column + by,
            Columns::Whole(_) => 1,
        };
        let end_column = match last.columns {
            Columns::Shifted(by) => place.end_column + by,
            Columns::Whole(width) => width + 1,
        };
        let (mut end_line, mut end_column) = (last.line, end_column);
        if last.cell != first.cell {
            (end_line, end_column) = (first.line, column + 1);
        }
        (TextRange { line: first.line, column, end_line, end_column }, first.cell)
    }
}

/// The pieces of a file, and what could not be read.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    pub(super) pieces: Vec<Piece>,
    /// Whether people see the text between the pieces, so that its characters are checked too.
    pub(super) prose: bool,
    /// The parts that could not become pieces, and why.
    pub(super) not_pieces: Vec<String>,
}

/// Splits a text into pieces.
pub(super) fn pieces(form: &PieceForm, source: &str, languages: &Languages) -> Pieces {
    match form {
        PieceForm::Program(_) => Pieces::default(),
        PieceForm::Notebook => notebook::pieces(source, languages),
        PieceForm::Dockerfile => docker::pieces(source),
        PieceForm::Makefile => make::pieces(source),
        PieceForm::Markdown => markdown::pieces(source, languages),
    }
}

/// The language that a word names; `None` if the review has no rules for it.
pub(super) fn language_named(word: &str, languages: &Languages) -> Option<String> {
    let lower = word.to_ascii_lowercase();
    let known = languages.find(&lower).map(|entry| entry.name.to_string());
    known.or_else(|| crate::review::reads(&lower).then_some(lower))
}

/// The program that the `#!` line of a script names, without its folder and version; `None` without such a line.
pub(in crate::commands) fn shebang_program(text: &str) -> Option<&str> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let mut program = words.next()?;
    while program == "env" || program.starts_with('-') || program.contains('=') {
        program = match program.strip_prefix("-S").filter(|rest| !rest.is_empty()) {
            Some(joined) => joined,
            None => words.next()?,
        };
    }
    Some(program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

/// The language that the `#!` line of a script names; `None` without such a line.
pub(super) fn shebang_language(text: &str) -> Option<String> {
    Some(match shebang_program(text)? {
        "sh" | "bash" | "dash" | "ash" | "zsh" | "ksh" | "mksh" | "busybox" | "rbash" => "bash".to_owned(),
        "python" | "pypy" | "ipython" | "uv" | "pipx" => "python".to_owned(),
        "node" | "nodejs" => "javascript".to_owned(),
        "deno" | "bun" | "ts-node" | "tsx" => "typescript".to_owned(),
        "Rscript" => "r".to_owned(),
        "pwsh" => "powershell".to_owned(),
        "gawk" | "mawk" | "nawk" => "awk".to_owned(),
        "tclsh" | "wish" | "expect" => "tcl".to_owned(),
        other => other.to_ascii_lowercase(),
    })
}

/// Names what a review says as the file does, where its pieces use other names.
pub(super) fn name_as_written(form: &PieceForm, review: &mut Review) {
    if *form != PieceForm::Makefile {
        return;
    }
    let messages = review.findings.iter_mut().map(|finding| &mut finding.message);
    lists(&mut review.effects).into_iter().flatten().chain(messages).for_each(make::as_written);
}

/// The lists of what code does, in one order.
fn lists(effects: &mut Effects) -> [&mut Vec<String>; 7] {
    [
        &mut effects.reads,
        &mut effects.writes,
        &mut effects.deletes,
        &mut effects.hosts,
        &mut effects.programs,
        &mut effects.packages,
        &mut effects.environment,
    ]
}

/// Joins the reviews of a file's pieces into one.
#[derive(Debug, Default)]
pub(super) struct JoinedReview {
    findings: Vec<(Option<u32>, Finding)>,
    effects: Effects,
    unchecked: Vec<String>,
}

impl JoinedReview {
    pub(super) fn add(&mut self, piece: &Piece, review: Review) {
        for mut finding in review.findings {
            let (place, cell) = piece.place(finding.place);
            finding.place = place;
            self.findings.push((cell, finding));
        }
        self.add_effects(review.effects);
        if let (Some(why), Some(first)) = (review.unchecked, piece.lines.first()) {
            let cell = first.cell.map(|cell| format!("cell {cell}, ")).unwrap_or_default();
            self.unchecked.push(format!("{cell}line {}: {why}", first.line));
        }
    }

    /// Adds findings about characters of the whole file, except on lines that belong to a piece.
    pub(super) fn add_characters(&mut self, pieces: &[Piece], review: Review) {
        let lines: std::collections::HashSet<u32> =
            pieces.iter().flat_map(|piece| piece.lines.iter().map(|stand| stand.line)).collect();
        let elsewhere = review.findings.into_iter().filter(|f| !lines.contains(&f.place.line));
        self.findings.extend(elsewhere.map(|finding| (None, finding)));
    }

    /// Adds what could not be read.
    pub(super) fn add_unread(&mut self, why: Vec<String>) {
        self.unchecked.extend(why);
    }

    fn add_effects(&mut self, mut effects: Effects) {
        for (mine, more) in lists(&mut self.effects).into_iter().zip(lists(&mut effects)) {
            for name in more.drain(..) {
                if !mine.contains(&name) {
                    mine.push(name);
                }
            }
        }
        self.effects.unknown |= effects.unknown;
    }

    /// Returns the review of the file, and the cell of each finding.
    pub(super) fn finish(mut self) -> (Review, Vec<Option<u32>>) {
        self.findings.sort_by(|(a, one), (b, other)| (a, one.place).cmp(&(b, other.place)));
        self.findings.dedup();
        let (cells, findings) = self.findings.into_iter().unzip();
        let unchecked = self.unchecked.first().map(|first| match self.unchecked.len() {
            1 => first.clone(),
            many => format!("{first}; and {} more", many - 1),
        });
        (Review { findings, effects: self.effects, unchecked, ..Review::default() }, cells)
    }
}

/// The width of a line in characters.
fn width(line: &str) -> u32 {
    u32::try_from(line.chars().count()).unwrap_or(u32::MAX - 1)
}

/// The number of a line or cell at this index.
fn number(at: usize) -> u32 {
    u32::try_from(at + 1).unwrap_or(u32::MAX)
}

/// The language, the text and the first place of each piece.
#[cfg(test)]
fn languages_and_places(found: &Pieces) -> Vec<(&str, &str, u32, Columns)> {
    let pieces = found.pieces.iter();
    pieces
        .map(|piece| {
            let LinePosition { line, columns, .. } = piece.lines[0];
            (piece.language.as_deref().unwrap(), piece.source.as_str(), line, columns)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_tells_the_language() {
        for (line, language) in [
            ("#!/bin/sh\n", "bash"),
            ("#! /usr/bin/env python3.12\n", "python"),
            ("#!/usr/bin/env -S python3 -u\n", "python"),
            ("#!/usr/bin/env -S uv run --script\n", "python"),
            ("#!/usr/bin/env -SA=1 node\n", "javascript"),
            ("#!/usr/local/bin/Rscript\n", "r"),
            ("#!/usr/bin/perl5.36 -w\n", "perl"),
            ("#!/usr/bin/make -f\n", "make"),
        ] {
            assert_eq!(shebang_language(line).as_deref(), Some(language), "{line}");
        }
        for none in ["", "#!", "# !/bin/sh", "\n#!/bin/sh", "#!/usr/bin/env"] {
            assert_eq!(shebang_language(none), None, "{none}");
        }
    }

    #[test]
    fn names_tell_what_a_file_holds() {
        for (name, form) in [
            ("a/Dockerfile", Some(PieceForm::Dockerfile)),
            ("Dockerfile.dev", Some(PieceForm::Dockerfile)),
            ("app.Containerfile", Some(PieceForm::Dockerfile)),
            ("Makefile", Some(PieceForm::Makefile)),
            ("rules.mk", Some(PieceForm::Makefile)),
            ("README.md", Some(PieceForm::Markdown)),
            ("a.b.ipynb", Some(PieceForm::Notebook)),
            ("makefile.py", None),
            ("a.py", None),
        ] {
            assert_eq!(PieceForm::of_name(Path::new(name)), form, "{name}");
        }
    }
}
