//! SEARCH/REPLACE blocks: between lines of `<`, `=` and `>` stand the lines that are searched and those that replace them.
//! A line in front of a block names its file. Written with markers that are longer than any like them in the texts.

use super::{EditError, EditHunk, FileEdit};
use std::fmt::Write as _;

/// How long markers are, at least and at most.
const MARKER_LENGTHS: std::ops::RangeInclusive<usize> = 5..=400;

/// How many of this character a line begins with, where that makes a marker; what stands behind them.
fn marker(line: &str, of: char) -> Option<(usize, &str)> {
    let line = line.trim_end();
    let rest = line.trim_start_matches(of);
    let count = line.len() - rest.len();
    let apart = rest.is_empty() || rest.starts_with(char::is_whitespace);
    (MARKER_LENGTHS.contains(&count) && apart).then(|| (count, rest.trim()))
}

/// In front of a path that is taken as it stands.
const PATH_PREFIX: &str = "*** Update File: ";

/// The length of the marker that a block opens with, and whether it says SEARCH.
fn opens(line: &str) -> Option<(usize, bool)> {
    let (count, word) = marker(line, '<')?;
    let word = word.trim_end_matches([':', '<']).trim().to_lowercase();
    let known = ["search", "original", "head", "old", "before"];
    let is_known = word.is_empty() || known.iter().any(|known| word.starts_with(known));
    is_known.then(|| (count, word.starts_with("search")))
}

/// Whether a line opens a block as no conflict of git does.
pub(crate) fn says_search(line: &str) -> bool {
    opens(line.trim_end()).is_some_and(|(_, by_search)| by_search)
}

/// Whether a line divides a block of markers.
pub(crate) fn is_divider(line: &str) -> bool {
    divides(line.trim_end()).is_some()
}

fn divides(line: &str) -> Option<usize> {
    marker(line, '=').filter(|(_, rest)| rest.is_empty()).map(|(count, _)| count)
}

fn closes(line: &str) -> Option<usize> {
    marker(line, '>').map(|(count, _)| count)
}

/// What a line does to the block that it stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Inside,
    /// It may end the block.
    Unsure,
    End,
}

/// An open block, with what opened inside of it: markers of its own length count, those of a conflict by their words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nesting {
    length: usize,
    /// Whether it says SEARCH, and so ends with REPLACE.
    by_search: bool,
    /// Blocks of its own kind inside of it.
    inner: usize,
    /// Conflicts in the innermost of them.
    conflicts: usize,
    /// Lines that divide the block itself, as far as they are none of a whole conflict.
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
        // One of another length is taken as well, where it is that of no conflict.
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
        // Its end stands behind what divides it: the same in front of that is text.
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

    /// Whether a line here belongs to the block itself.
    fn is_outermost(&self) -> bool {
        self.inner == 0 && self.conflicts == 0
    }
}

/// Filled lines that may stand in front of a block, in a fence that says of itself nothing.
pub(super) const MAX_LEADING_LINES: usize = 2;

/// Whether the first lines of a text lead to such a block: at most a few names of files stand in front of it.
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

/// The name of a file that a line is, with what models put around it.
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
            // Where a file is known, a word alone is no other one.
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

/// Lines that are looked at for the ends of all blocks of an edit: a block without an end of its own costs all that is
/// behind it, and a text may be made of such.
const FREE_LOOKS: usize = 4 << 20;
const LOOKS_PER_LINE: usize = 4;

/// One block behind its opening line, and how many lines it takes; `left` are those that may still be looked at.
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
    // Its own end is meant; where there is none, a marker of the same length, or any other.
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

/// The same edit as text: what is shown of one that came as the arguments of a call. It is read back as it was.
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
