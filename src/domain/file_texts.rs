//! The texts of several files joined into one text, which a person reads, changes and approves for an edit of several
//! files.
//!
//! A head line `==> path <==` precedes the text of each file. The text of a single file is that text, without a head
//! line.

use super::{BlockKind, BlockTextError};
use std::ops::Range;

/// Marks that the last line of the file text before it has no line end.
const NO_NEWLINE: &str = "\\ No newline at end of file\n";

/// The head line of a file.
pub(crate) fn head(path: &str) -> String {
    format!("==> {path} <==\n")
}

/// Joins all texts; `None` if they could not be split again.
pub(crate) fn join(files: &[(&str, &str)]) -> Option<String> {
    if let [(_, text)] = files {
        return Some((*text).to_owned());
    }
    let heads: Vec<String> = files.iter().map(|(path, _)| head(path)).collect();
    // No line of a file may be mistaken for a head line, even with white space around it.
    let like_head = |line: &str| {
        let line = line.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        line.starts_with("==>") && heads.iter().any(|head| head.trim_end() == line)
    };
    if files.iter().any(|(_, text)| text.lines().any(like_head)) {
        return None;
    }
    let mut joined = String::new();
    for (path, text) in files {
        joined.push_str(&head(path));
        joined.push_str(text);
        if !text.is_empty() && !text.ends_with('\n') {
            joined.push('\n');
            joined.push_str(NO_NEWLINE);
        }
    }
    let paths: Vec<String> = files.iter().map(|(path, _)| (*path).to_owned()).collect();
    let again = split(&paths, &joined).ok()?;
    let same = again.iter().zip(files).all(|(again, (_, text))| again == text);
    same.then_some(joined)
}

/// Splits a joined text into the text of each file.
///
/// # Errors
/// When the head line of a file is missing or occurs twice.
pub(crate) fn split<'a>(paths: &[String], text: &'a str) -> Result<Vec<&'a str>, BlockTextError> {
    if paths.len() == 1 {
        return Ok(vec![text]);
    }
    Ok(parts(paths, text)?.iter().map(|part| part.text(text)).collect())
}

/// One file within a joined text. Lines count from 0.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct FilePart {
    /// The path; `None` if the whole text is that of one file, without a head line.
    pub(crate) path: Option<String>,
    /// Its lines, including the head line.
    pub(crate) lines: Range<usize>,
    pub(crate) bytes: Range<usize>,
    /// The byte at which its text begins, behind the head line.
    pub(crate) body: usize,
    /// Whether its last line is only the mark that the line before has no line end.
    is_open: bool,
}

impl FilePart {
    pub(crate) fn whole(text: &str) -> Self {
        let lines = 0..text.split_inclusive('\n').count().max(1);
        Self { lines, bytes: 0..text.len(), ..Self::default() }
    }

    /// The file's own text in the joined text: without its head line and the mark of a missing last line end.
    pub(crate) fn text<'t>(&self, joined: &'t str) -> &'t str {
        let text = joined.get(self.body..self.bytes.end).unwrap_or_default();
        if self.is_open { without_open_end(text) } else { text }
    }

    /// The first line of its own text, behind the head line.
    pub(crate) fn first(&self) -> usize {
        self.lines.start + usize::from(self.path.is_some())
    }

    /// Converts a line of the joined text to a line number in this file, from 1; `None` for lines that are not in the
    /// file.
    pub(crate) fn number(&self, line: usize) -> Option<usize> {
        let end = self.lines.end - usize::from(self.is_open);
        (self.first()..end.max(self.first())).contains(&line).then(|| line - self.first() + 1)
    }
}

/// The part that contains a line.
pub(crate) fn part_of(parts: &[FilePart], line: usize) -> Option<&FilePart> {
    parts.get(parts.partition_point(|part| part.lines.end <= line))
}

/// Describes a line of the joined text (counted from 1) in words; with several files, by path and line in that file.
pub(crate) fn place(parts: &[FilePart], line: u32) -> String {
    let at = (line as usize).saturating_sub(1);
    let part = part_of(parts, at);
    match part.and_then(|part| part.path.as_ref().zip(part.number(at))) {
        Some((path, number)) => format!("{path}, line {number}"),
        None => format!("line {line}"),
    }
}

/// The files in the text of a block if there are several and the text can be split; else the whole text as one part.
pub(crate) fn parts_of(kind: &BlockKind, text: &str) -> Vec<FilePart> {
    let paths = match kind {
        BlockKind::Edit { paths } if paths.len() > 1 => paths.as_slice(),
        _ => &[],
    };
    parts(paths, text).ok().filter(|parts| !parts.is_empty()).unwrap_or_else(|| vec![FilePart::whole(text)])
}

/// The files of two texts of a block, paired; one pair of whole texts if either can't be split.
pub(crate) fn pairs_of(kind: &BlockKind, old: &str, new: &str) -> Vec<(FilePart, FilePart)> {
    let (olds, news) = (parts_of(kind, old), parts_of(kind, new));
    if olds.iter().map(|part| &part.path).eq(news.iter().map(|part| &part.path)) {
        return olds.into_iter().zip(news).collect();
    }
    vec![(FilePart::whole(old), FilePart::whole(new))]
}

/// Finds the head line of each file.
fn parts(paths: &[String], text: &str) -> Result<Vec<FilePart>, BlockTextError> {
    let fault = |path: &String| BlockTextError::FileHead(head(path).trim_end().to_owned());
    let mut parts: Vec<FilePart> = Vec::new();
    let mut from = 0;
    for path in paths {
        let head = head(path);
        let rest = text.get(from..).unwrap_or_default();
        let places: Vec<usize> = rest
            .match_indices(&head)
            .map(|(place, _)| place)
            .filter(|place| *place == 0 || rest.as_bytes().get(place - 1) == Some(&b'\n'))
            .collect();
        let [place] = places.as_slice() else { return Err(fault(path)) };
        let start = from + place;
        match parts.last_mut() {
            Some(last) => last.end(text, start),
            None if start > 0 => return Err(fault(path)),
            None => {}
        }
        let line = parts.last().map_or(0, |last| last.lines.end);
        from = start + head.len();
        let path = Some(path.clone());
        parts.push(FilePart { path, lines: line..line, bytes: start..start, body: from, is_open: false });
    }
    if let Some(last) = parts.last_mut() {
        last.end(text, text.len());
    }
    Ok(parts)
}

impl FilePart {
    fn end(&mut self, text: &str, end: usize) {
        self.bytes.end = end;
        let inside = text.get(self.bytes.clone()).unwrap_or_default();
        self.lines.end = self.lines.start + inside.split_inclusive('\n').count();
        let body = text.get(self.body..end).unwrap_or_default();
        self.is_open = without_open_end(body).len() < body.len();
    }
}

fn without_open_end(text: &str) -> &str {
    match text.strip_suffix(NO_NEWLINE) {
        Some(bare) if bare.ends_with('\n') => bare.get(..bare.len() - 1).unwrap_or(bare),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn heads_have_to_stand_there_once() {
        let paths = ["a".to_owned(), "b".to_owned()];
        let joined = join(&[("a", "1\n"), ("b", "2")]).unwrap();
        assert_eq!(joined, "==> a <==\n1\n==> b <==\n2\n\\ No newline at end of file\n");
        assert_eq!(split(&paths, &joined), Ok(vec!["1\n", "2"]));
        for text in ["", "==> a <==\n1\n", "x\n==> a <==\n==> b <==\n", "==> a <==\n==> b <==\n==> b <==\n"] {
            assert!(split(&paths, text).is_err(), "{text:?}");
        }
        assert_eq!(join(&[("a", "==> b <==\n"), ("b", "2")]), None);
        assert_eq!(join(&[("a", "==> b <==\n")]).as_deref(), Some("==> b <==\n"), "one file stands alone");
    }

    #[test]
    fn lines_have_the_numbers_of_their_files() {
        let kind = BlockKind::Edit { paths: vec!["a".into(), "b".into()] };
        let joined = join(&[("a", "1\n2"), ("b", "1\n")]).unwrap();
        let numbers = |kind: &BlockKind, text: &str| -> Vec<Option<usize>> {
            let parts = parts_of(kind, text);
            (0..text.lines().count())
                .map(|line| part_of(&parts, line).and_then(|part| part.number(line)))
                .collect()
        };
        assert_eq!(numbers(&kind, &joined), [None, Some(1), Some(2), None, None, Some(1)]);
        let parts = parts_of(&kind, &joined);
        let places = [0, 1, 3, 6, 7].map(|line| place(&parts, line));
        assert_eq!(places, ["line 0", "line 1", "a, line 2", "b, line 1", "line 7"]);
        assert_eq!(place(&parts_of(&BlockKind::Read, &joined), 3), "line 3");
        let whole: Vec<_> = (1..=6).map(Some).collect();
        assert_eq!(numbers(&BlockKind::Read, &joined), whole);
        assert_eq!(
            numbers(&kind, &joined.replace("> b <", "> c <")),
            whole,
            "they can't be told apart any more"
        );
        assert_eq!(pairs_of(&kind, &joined, &joined).len(), 2);
        assert_eq!(pairs_of(&kind, &joined, "x").len(), 1);
    }

    proptest! {
        #[test]
        fn joined_texts_are_told_apart(texts in proptest::collection::vec("[ab=> <\n]{0,12}", 1..4)) {
            let paths: Vec<String> = (0..texts.len()).map(|n| format!("f{n}")).collect();
            let files: Vec<(&str, &str)> = paths.iter().map(String::as_str).zip(texts.iter().map(String::as_str)).collect();
            if let Some(joined) = join(&files) {
                prop_assert_eq!(split(&paths, &joined), Ok(texts.iter().map(String::as_str).collect()));
            }
        }
    }
}
