//! SEARCH/REPLACE blocks: lines of `<`, `=` and `>` mark the lines to search for and the lines that replace them. A
//! line before a block names its file. `write` uses markers longer than any similar line in the texts.

use super::{EditError, EditHunk, FileEdit};
use std::fmt::Write as _;

/// The shortest and longest marker.
const MARKER_LENGTHS: std::ops::RangeInclusive<usize> = 5..=400;

/// If a line is a marker: how many of this character it begins with, and the text after them.
fn marker(line: &str, of: char) -> Option<(usize, &str)> {
    let line = line.trim_end();
    let rest = line.trim_start_matches(of);
    let count = line.len() - rest.len();
    let apart = rest.is_empty() || rest.starts_with(char::is_whitespace);
    (MARKER_LENGTHS.contains(&count) && apart).then(|| (count, rest.trim()))
}

/// What `write` puts before a path; the rest of such a line is the path, unchanged.
const PATH_PREFIX: &str = "*** Update File: ";

/// The length of the marker that opens a block, and whether it says SEARCH.
fn opens(line: &str) -> Option<(usize, bool)> {
    let (count, word) = marker(line, '<')?;
    let word = word.trim_end_matches([':', '<']).trim().to_lowercase();
    let known = ["search", "original", "head", "old", "before"];
    let is_known = word.is_empty() || known.iter().any(|known| word.starts_with(known));
    is_known.then(|| (count, word.starts_with("search")))
}

/// Whether a line opens a block and can't be the start of a git conflict.
pub(crate) fn says_search(line: &str) -> bool {
    opens(line.trim_end()).is_some_and(|(_, by_search)| by_search)
}

/// Whether a line is the divider of a block.
pub(crate) fn is_divider(line: &str) -> bool {
    divides(line.trim_end()).is_some()
}

fn divides(line: &str) -> Option<usize> {
    marker(line, '=').filter(|(_, rest)| rest.is_empty()).map(|(count, _)| count)
}

fn closes(line: &str) -> Option<usize> {
    marker(line, '>').map(|(count, _)| count)
}

/// What a line does to the block that it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Inside,
    /// It may end the block.
    Unsure,
    End,
}

/// An open block and what was opened inside of it. Inside, only markers of the same length count, and their words tell
/// blocks from conflicts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nesting {
    length: usize,
    /// Whether its marker says SEARCH, so that it ends with REPLACE.
    by_search: bool,
    /// How many blocks of the same kind are open inside of it.
    inner: usize,
    /// How many conflicts are open in the innermost of them.
    conflicts: usize,
    /// How many dividers of the block itself were read, without those of complete conflicts.
    dividers: usize,
}

impl Nesting {
    /// The block that a line opens.
    pub(super) fn opened(line: &str) -> Option<Self> {
        let (length, by_search) = opens(line)?;
        Some(Self { length, by_search, inner: 0, conflicts: 0, dividers: 0 })
    }

    pub(super) fn says_search(&self) -> bool {
        self.by_search
    }

    pub(super) fn line(&mut self, line: &str) -> Step {
        if let Some((count, word)) = marker(line, '<') {
            if count == self.length {
                let is_search = word.to_lowercase().starts_with("search");
                let inner = if is_search && self.by_search { &mut self.inner } else { &mut self.conflicts };
                *inner += 1;
            }
            return Step::Inside;
        }
        // A divider of another length counts too, unless a conflict is open.
        let divides = |length| length == self.length || self.conflicts == 0;
        if self.inner == 0 && self::divides(line).is_some_and(divides) {
            self.dividers += 1;
            return Step::Inside;
        }
        let Some((count, word)) = marker(line, '>') else { return Step::Inside };
        let replaces = self.by_search && word.to_lowercase().starts_with("replace");
        if count != self.length {
            return Step::Unsure;
        }
        if self.conflicts > 0 && !replaces {
            self.conflicts -= 1;
            self.dividers = self.dividers.saturating_sub(usize::from(self.inner == 0));
            return Step::Inside;
        }
        if self.by_search && !replaces {
            return Step::Unsure;
        }
        // The end comes after the divider: an end marker before it may be text.
        if self.inner == 0 && self.dividers == 0 {
            return Step::Unsure;
        }
        self.conflicts = 0;
        match self.inner.checked_sub(1) {
            Some(inner) => self.inner = inner,
            None => return Step::End,
        }
        Step::Inside
    }

    /// Whether the next line belongs to the block itself, not to something nested in it.
    fn is_outermost(&self) -> bool {
        self.inner == 0 && self.conflicts == 0
    }
}

/// How many filled lines may come before a block in a fence whose info string does not say that it is an edit.
pub(super) const MAX_LEADING_LINES: usize = 2;

/// Whether a text begins with such a block, after at most a few lines that name files.
pub(super) fn begins(text: &str) -> bool {
    let mut lines = text.lines();
    let mut filled = 0;
    while let Some(line) = lines.next() {
        if opens(line).is_some() {
            return lines.any(|line| divides(line).is_some());
        }
        filled += usize::from(!line.trim().is_empty());
        if filled > MAX_LEADING_LINES {
            return false;
        }
    }
    false
}

/// The file name on a line, without what models put around it.
fn file_name(line: &str) -> Option<String> {
    let line = line.trim();
    if let Some(path) =
        ["*** Update File:", "*** Add File:", "File:"].iter().find_map(|head| line.strip_prefix(head))
    {
        return Some(path.trim().to_owned()).filter(|path| !path.is_empty());
    }
    let marked = line.trim_start_matches(['#', '*', '-', '>']);
    let bare = marked.strip_prefix("//").unwrap_or(marked).trim();
    let bare = bare.trim_matches(['`', '*', '"', '\'']).trim_end_matches(':').trim();
    let plain = !bare.is_empty() && !bare.chars().any(|c| c.is_control() || "<>|{}();".contains(c));
    let words = bare.split_whitespace().count();
    let looks = bare.contains(['.', '/']) || words == 1;
    (plain && looks && words <= 2).then(|| bare.to_owned())
}

pub(super) fn read(text: &str, path: &str) -> Result<Vec<FileEdit>, EditError> {
    let lines: Vec<&str> = text.lines().collect();
    let mut edits: Vec<FileEdit> = Vec::new();
    let (mut at, mut number, mut file) = (0, 0, path.to_owned());
    let mut left = FREE_LOOKS.saturating_add(lines.len().saturating_mul(LOOKS_PER_LINE));
    while let Some(line) = lines.get(at) {
        let Some(nesting) = Nesting::opened(line) else {
            // Once a file is known, a single word does not name another.
            let is_other = |name: &String| {
                file.is_empty()
                    || line.trim().ends_with(':') && line.contains("File:")
                    || line.trim_start().starts_with("*** ")
                    || name.contains(['.', '/'])
            };
            if let Some(name) = file_name(line).filter(|name| !is_fence(line) && is_other(name)) {
                file = name;
            }
            at += 1;
            continue;
        };
        number += 1;
        let rest = lines.get(at + 1..).unwrap_or_default();
        let (hunk, taken) = block(rest, nesting, number, &mut left)?;
        super::push_hunk(&mut edits, &file, hunk)?;
        at += 1 + taken;
    }
    Ok(edits)
}

fn is_fence(line: &str) -> bool {
    line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~")
}

/// The most lines that are read to find the ends of all blocks of an edit: each block without an end marker has all the
/// text after it searched, and a text may consist of such blocks.
const FREE_LOOKS: usize = 4 << 20;
const LOOKS_PER_LINE: usize = 4;

/// Reads one block after its opening line; returns the hunk and how many lines the block has. `left` is how many lines
/// may still be read.
fn block(
    lines: &[&str],
    opened: Nesting,
    number: usize,
    left: &mut usize,
) -> Result<(EditHunk, usize), EditError> {
    let (mut nesting, mut own) = (opened, Vec::new());
    let mut ends = |(at, line): (usize, &&str)| {
        let is_own = nesting.is_outermost();
        let step = nesting.line(line);
        if step != Step::End && is_own && nesting.is_outermost() {
            own.push(at);
        }
        (step == Step::End).then_some(at)
    };
    // Prefer the block's own end marker, then one of the same length, then any.
    let meant = lines.iter().enumerate().find_map(&mut ends);
    let exact = || lines.iter().position(|line| closes(line) == Some(opened.length));
    let any = || lines.iter().position(|line| closes(line).is_some());
    let looked = meant.map_or(lines.len(), |end| end + 1);
    *left = left.checked_sub(looked).ok_or(EditError::TooLong)?;
    let end = meant.or_else(exact).or_else(any).ok_or(EditError::NotClosed(number))?;
    let inside = lines.get(..end).unwrap_or_default();
    if inside.iter().any(|line| {
        opens(line)
            .is_some_and(|(length, is_search)| length == opened.length && is_search == opened.by_search)
    }) {
        return Err(EditError::Another(number));
    }
    let dividers = |of: &dyn Fn(usize, usize) -> bool| -> Vec<usize> {
        let all = inside.iter().enumerate();
        all.filter(|(at, line)| divides(line).is_some_and(|count| of(*at, count))).map(|(at, _)| at).collect()
    };
    let mut found = dividers(&|at, count| count == opened.length && own.binary_search(&at).is_ok());
    if found.is_empty() {
        found = dividers(&|_, count| count == opened.length);
    }
    if found.is_empty() {
        found = dividers(&|_, _| true);
    }
    let divider = match found.as_slice() {
        [] => return Err(EditError::NoDivider(number)),
        [one] => *one,
        _ => return Err(EditError::Dividers(number)),
    };
    let owned = |lines: Option<&[&str]>| -> Vec<String> {
        lines.unwrap_or_default().iter().map(|line| (*line).to_owned()).collect()
    };
    let hunk = EditHunk {
        search: owned(inside.get(..divider)),
        replace: owned(inside.get(divider + 1..)),
        ..EditHunk::default()
    };
    Ok((hunk, end + 1))
}

/// Writes edits as text, to show an edit that came as the arguments of a call. [`read`] returns the same edits from it.
pub(crate) fn write(edits: &[FileEdit]) -> String {
    let mut text = String::new();
    for edit in edits {
        let _ = writeln!(text, "{PATH_PREFIX}{}", edit.path);
        for hunk in &edit.hunks {
            let all = hunk.search.iter().chain(&hunk.replace);
            let longest = all.filter_map(|line| like_a_marker(line)).max().unwrap_or_default();
            let length = (longest + 1).clamp(7, *MARKER_LENGTHS.end());
            let put = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
            let (search, replace) = (put(&hunk.search), put(&hunk.replace));
            let [open, divide, close] = ["<", "=", ">"].map(|of| of.repeat(length));
            let _ = write!(text, "{open} SEARCH\n{search}{divide}\n{replace}{close} REPLACE\n");
        }
    }
    text
}

fn like_a_marker(line: &str) -> Option<usize> {
    ['<', '=', '>'].into_iter().filter_map(|of| marker(line, of).map(|(count, _)| count)).max()
}
