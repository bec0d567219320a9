//! The pieces of code in a file: all of it where it is a program, else what is code inside of it.
//!
//! Notebooks, Dockerfiles, Makefiles and Markdown hold code in other things. Each kind has a reader that gives pieces, every
//! line of which knows where it stands in the file, so that findings are told at their own place. Nothing is reviewed
//! here.

mod docker;
mod make;
mod markdown;
mod notebook;

pub(super) use notebook::texts as cell_texts;

use crate::domain::{Effects, Finding, Languages, Place, Review};
use std::path::Path;

/// What a file is, for the readers of pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PieceForm {
    /// A program in a language by name, or in none that is known.
    Program(Option<String>),
    Notebook,
    Dockerfile,
    Makefile,
    Markdown,
}

impl PieceForm {
    /// The word for it in JSON, as for languages.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            PieceForm::Program(language) => language.as_deref(),
            PieceForm::Notebook => Some("notebook"),
            PieceForm::Dockerfile => Some("dockerfile"),
            PieceForm::Makefile => Some("makefile"),
            PieceForm::Markdown => Some("markdown"),
        }
    }

    /// The form that the name of a file tells, where it holds code in something else.
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

/// Where a line of a piece stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LinePosition {
    /// The line of the file, or of the cell; counted from 1.
    pub(super) line: u32,
    pub(super) columns: Columns,
    /// The cell of a notebook, counted from 1 among all of them.
    pub(super) cell: Option<u32>,
}

/// How columns of a line of a piece become those of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Columns {
    /// The line stands there as it is, so many characters further right.
    Shifted(u32),
    /// It was put together from what stands there: the whole line of the file is meant, so many characters wide.
    Whole(u32),
}

/// A stretch of code in one language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Its language by name.
    pub(super) language: Option<String>,
    pub(super) source: String,
    /// Where each of its lines stands.
    pub(super) lines: Vec<LinePosition>,
    /// Whether it runs inside an image that is being built, where no file is the person's.
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

    /// Adds a line, which stands there.
    fn push(&mut self, text: &str, stand: LinePosition) {
        self.source.push_str(text);
        self.source.push('\n');
        self.lines.push(stand);
    }

    /// The place in the file, and the cell.
    fn place(&self, place: Place) -> (Place, Option<u32>) {
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
        (Place { line: first.line, column, end_line, end_column }, first.cell)
    }
}

/// What came of looking at a file for pieces.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    pub(super) pieces: Vec<Piece>,
    /// Whether what stands between the pieces is shown to people: its characters are looked at.
    pub(super) prose: bool,
    /// What could not be taken for a piece, and why.
    pub(super) unread: Vec<String>,
}

/// The pieces of a text.
pub(super) fn pieces(form: &PieceForm, source: &str, languages: &Languages) -> Pieces {
    match form {
        PieceForm::Program(_) => Pieces::default(),
        PieceForm::Notebook => notebook::pieces(source, languages),
        PieceForm::Dockerfile => docker::pieces(source),
        PieceForm::Makefile => make::pieces(source),
        PieceForm::Markdown => markdown::pieces(source, languages),
    }
}

/// The language of a word behind a fence or in a notebook: `None` where the review has no rules for it.
fn language_named(word: &str, languages: &Languages) -> Option<String> {
    let lower = word.to_ascii_lowercase();
    let known = languages.find(&lower).map(|entry| entry.name.to_string());
    known.or_else(|| crate::review::reads(&lower).then_some(lower))
}

/// The language that the first line of a script names, as the system would start it; `None` where there is no such line.
pub(super) fn shebang_language(text: &str) -> Option<String> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let mut program = words.next()?;
    while program == "env" || program.starts_with('-') || program.contains('=') {
        program = match program.strip_prefix("-S").filter(|rest| !rest.is_empty()) {
            Some(joined) => joined,
            None => words.next()?,
        };
    }
    let bare = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    Some(match bare {
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

/// The reviews of several pieces as one of their file.
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

    /// Adds what was found in the characters of the whole file, where no piece tells more of a line.
    pub(super) fn add_characters(&mut self, pieces: &[Piece], review: Review) {
        let lines: std::collections::HashSet<u32> =
            pieces.iter().flat_map(|piece| piece.lines.iter().map(|stand| stand.line)).collect();
        let elsewhere = review.findings.into_iter().filter(|f| !lines.contains(&f.place.line));
        self.findings.extend(elsewhere.map(|finding| (None, finding)));
    }

    /// Notes what could not be read.
    pub(super) fn add_unread(&mut self, why: Vec<String>) {
        self.unchecked.extend(why);
    }

    fn add_effects(&mut self, effects: Effects) {
        let all = &mut self.effects;
        for (mine, more) in [
            (&mut all.reads, effects.reads),
            (&mut all.writes, effects.writes),
            (&mut all.deletes, effects.deletes),
            (&mut all.hosts, effects.hosts),
            (&mut all.programs, effects.programs),
            (&mut all.packages, effects.packages),
            (&mut all.environment, effects.environment),
        ] {
            for name in more {
                if !mine.contains(&name) {
                    mine.push(name);
                }
            }
        }
        all.unknown |= effects.unknown;
    }

    /// The review of the file, and for each finding its cell.
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

/// A number of a line or cell, from its position.
fn number(at: usize) -> u32 {
    u32::try_from(at + 1).unwrap_or(u32::MAX)
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
