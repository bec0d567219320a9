//! SEARCH/REPLACE blocks: between lines of `<`, `=` and `>` stand the lines that are searched and those that replace them.
//! A line in front of a block names its file. Written with markers that are longer than any like them in the texts.

use super::{EditError, EditHunk, FileEdit};
use std::fmt::Write as _;

/// How long markers are, at least and at most.
const LENGTHS: std::ops::RangeInclusive<usize> = 5..=400;

/// How many of this character a line begins with, where that makes a marker; what stands behind them.
fn marker(line: &str, of: char) -> Option<(usize, &str)> {
    let line = line.trim_end();
    let rest = line.trim_start_matches(of);
    let count = line.len() - rest.len();
    let apart = rest.is_empty() || rest.starts_with(char::is_whitespace);
    (LENGTHS.contains(&count) && apart).then(|| (count, rest.trim()))
}

/// In front of a path that is taken as it stands.
const NAMES: &str = "*** Update File: ";

fn opens(line: &str) -> Option<usize> {
    let (count, word) = marker(line, '<')?;
    let word = word.trim_end_matches([':', '<']).trim();
    let known = ["search", "original", "head", "old", "before"];
    (word.is_empty() || known.iter().any(|known| word.to_lowercase().starts_with(known))).then_some(count)
}

fn divides(line: &str) -> Option<usize> {
    marker(line, '=').filter(|(_, rest)| rest.is_empty()).map(|(count, _)| count)
}

fn closes(line: &str) -> Option<usize> {
    marker(line, '>').map(|(count, _)| count)
}

/// Whether the first lines of a text lead to such a block: at most a few names of files stand in front of it.
pub(super) fn begins(text: &str) -> bool {
    let mut lines = text.lines();
    let mut filled = 0;
    while let Some(line) = lines.next() {
        if opens(line).is_some() {
            return lines.any(|line| divides(line).is_some());
        }
        filled += usize::from(!line.trim().is_empty());
        if filled > 2 {
            return false;
        }
    }
    false
}

/// The name of a file that a line is, with what models put around it.
fn named(line: &str) -> Option<String> {
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
    while let Some(line) = lines.get(at) {
        let Some(length) = opens(line) else {
            // Where a file is known, a word alone is no other one.
            let is_other = |name: &String| {
                file.is_empty()
                    || line.trim().ends_with(':') && line.contains("File:")
                    || line.trim_start().starts_with("*** ")
                    || name.contains(['.', '/'])
            };
            if let Some(name) = named(line).filter(|name| !is_fence(line) && is_other(name)) {
                file = name;
            }
            at += 1;
            continue;
        };
        number += 1;
        let rest = lines.get(at + 1..).unwrap_or_default();
        let (hunk, taken) = block(rest, length, number)?;
        edits.push(FileEdit { path: file.clone(), hunks: vec![hunk] });
        at += 1 + taken;
    }
    Ok(edits)
}

fn is_fence(line: &str) -> bool {
    line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~")
}

/// One block behind its opening line, and how many lines it takes.
fn block(lines: &[&str], length: usize, number: usize) -> Result<(EditHunk, usize), EditError> {
    // A marker of the same length is meant; where there is none, any other.
    let exact = lines.iter().position(|line| closes(line) == Some(length));
    let any = || lines.iter().position(|line| closes(line).is_some());
    let end = exact.or_else(any).ok_or(EditError::NotClosed(number))?;
    let inside = lines.get(..end).unwrap_or_default();
    if inside.iter().any(|line| opens(line) == Some(length)) {
        return Err(EditError::NotClosed(number));
    }
    let dividers = |of: &dyn Fn(usize) -> bool| -> Vec<usize> {
        let all = inside.iter().enumerate();
        all.filter(|(_, line)| divides(line).is_some_and(of)).map(|(at, _)| at).collect()
    };
    let mut found = dividers(&|count| count == length);
    if found.is_empty() {
        found = dividers(&|_| true);
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
        let _ = writeln!(text, "{NAMES}{}", edit.path);
        for hunk in &edit.hunks {
            let all = hunk.search.iter().chain(&hunk.replace);
            let longest = all.filter_map(|line| like_a_marker(line)).max().unwrap_or_default();
            let length = (longest + 1).clamp(7, *LENGTHS.end());
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
