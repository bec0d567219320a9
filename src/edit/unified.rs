//! Unified diffs as models write them: the counts of an `@@` line are used only if they fit the lines, and a context
//! line may lack its leading space.

use super::{EditError, EditHunk, FileEdit};

/// The lines with which patches name a file that is changed or added.
pub(super) const PATH_HEADS: [&str; 2] = ["*** Update File:", ADD];
pub(super) const ADD: &str = "*** Add File:";
pub(super) const DELETE: &str = "*** Delete File:";
pub(super) const MOVE: &str = "*** Move to:";
/// Lines that delete or rename a file.
const OTHER_ACTS: [&str; 3] = ["rename from ", DELETE, MOVE];
const NO_NEWLINE: &str = "\\ No newline";
/// The line after the last hunk of a patch made by `git format-patch`; git's version follows it. Only after a complete
/// hunk: inside of one it is a removed line.
pub(super) const SIGNATURE: &str = "-- ";

/// Whether a text begins as a diff does: with a header that names a file, or with a hunk.
pub(super) fn begins(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(8).collect();
    let heads =
        lines.windows(2).any(|pair| matches!(pair, [a, b] if a.starts_with("--- ") && b.starts_with("+++ ")));
    let patch = lines.first().is_some_and(|line| line.starts_with("*** ") && line.ends_with("Patch"))
        || lines.first().is_some_and(|line| PATH_HEADS.iter().any(|head| line.starts_with(head)));
    let first = lines.first().copied().unwrap_or_default();
    heads || patch || first.starts_with("diff --git ") || first.starts_with("@@ ") || first == "@@"
}

/// The paths of a `---` and a `+++` line. The prefixes `a/` and `b/` are removed only if both lines have theirs.
fn paths_of(old: &str, new: &str) -> (String, String) {
    fn path(line: &str) -> &str {
        let path = line.get(4..).unwrap_or_default();
        path.split('\t').next().unwrap_or(path).trim().trim_matches('"')
    }
    const NO_FILE: &str = "/dev/null";
    let (old, new) = (path(old), path(new));
    let bare = (old.strip_prefix("a/").or((old == NO_FILE).then_some(old)))
        .zip(new.strip_prefix("b/").or((new == NO_FILE).then_some(new)));
    let (old, new) = bare.unwrap_or((old, new));
    (old.to_owned(), new.to_owned())
}

pub(super) fn read(text: &str, path: &str) -> Result<Vec<FileEdit>, EditError> {
    let lines: Vec<&str> = text.lines().collect();
    let mut edits: Vec<FileEdit> = Vec::new();
    let (mut at, mut file) = (0, path.to_owned());
    while let Some(line) = lines.get(at) {
        let next = lines.get(at + 1).copied().unwrap_or_default();
        if line.starts_with("--- ") && next.starts_with("+++ ") {
            let (old, new) = paths_of(line, next);
            if new == "/dev/null" {
                return Err(EditError::OtherAct(old));
            }
            file = new;
            at += 2;
        } else if let Some(path) = PATH_HEADS.iter().find_map(|head| line.strip_prefix(head)) {
            path.trim().clone_into(&mut file);
            at += 1;
            if !next.starts_with("@@") {
                // The first hunk of such a patch may lack its `@@` line.
                let (hunk, taken) = hunk(lines.get(at - 1..).unwrap_or_default());
                push_hunk(&mut edits, &file, hunk)?;
                at += taken - 1;
            }
        } else if let Some(path) = OTHER_ACTS.iter().find_map(|head| line.strip_prefix(head)) {
            return Err(EditError::OtherAct(path.trim().to_owned()));
        } else if line.starts_with("@@") {
            let (hunk, taken) = hunk(lines.get(at..).unwrap_or_default());
            push_hunk(&mut edits, &file, hunk)?;
            at += taken;
        } else {
            at += 1;
        }
    }
    Ok(edits)
}

/// Adds a hunk if it changes something: context alone does nothing.
fn push_hunk(edits: &mut Vec<FileEdit>, file: &str, hunk: EditHunk) -> Result<(), EditError> {
    if hunk.search != hunk.replace || hunk.newline.is_some() {
        super::push_hunk(edits, file, hunk)?;
    }
    Ok(())
}

/// The numbers of a line `@@ -3,4 +3,5 @@`: the first old line, and how many lines there are, old and new.
pub(super) fn head(line: &str) -> Option<(usize, usize, usize)> {
    let mut words = line.trim_start_matches('@').split_whitespace();
    let mut range = |sign: char| -> Option<(usize, usize)> {
        let word = words.next()?.strip_prefix(sign)?;
        let (from, count) = word.split_once(',').unwrap_or((word, "1"));
        Some((from.parse().ok()?, count.parse().ok()?))
    };
    let ((from, old), (_, new)) = (range('-')?, range('+')?);
    Some((from, old, new))
}

/// Where the body of a hunk ends by the counts of its `@@` line; `None` if they are wrong.
fn end_by_counts(body: &[&str], old: usize, new: usize) -> Option<usize> {
    let (mut left, mut coming, mut at) = (old, new, 0);
    while left > 0 || coming > 0 {
        let line = body.get(at)?;
        match line.as_bytes().first() {
            Some(b'-') => left = left.checked_sub(1)?,
            Some(b'+') => coming = coming.checked_sub(1)?,
            Some(b'\\') => {}
            _ if line.starts_with("@@") || ends_hunk(line) => return None,
            // Context; it may lack its leading space.
            _ => (left, coming) = (left.checked_sub(1)?, coming.checked_sub(1)?),
        }
        at += 1;
    }
    if body.get(at).is_some_and(|line| line.starts_with(NO_NEWLINE)) {
        at += 1;
    }
    // If other lines are left over before the next header, the counts are wrong: they would be lost silently.
    let is_over = |at: &usize| is_head(body, *at) || body.get(*at).is_some_and(|line| *line == SIGNATURE);
    let mut rest = (at..body.len()).take_while(|at| !is_over(at));
    rest.all(|at| body.get(at).is_none_or(|line| line.trim().is_empty())).then_some(at)
}

/// Whether another hunk, or another file, begins at this line.
fn is_head(body: &[&str], at: usize) -> bool {
    let line = |at: usize| body.get(at).copied().unwrap_or_default();
    line(at).starts_with("@@")
        || ends_hunk(line(at))
        || line(at).starts_with("--- ") && line(at + 1).starts_with("+++ ")
}

/// Whether a line ends the hunk before it.
pub(super) fn ends_hunk(line: &str) -> bool {
    ["*** ", "diff --git ", "index "].iter().any(|head| line.starts_with(head))
}

/// Where the body of a hunk ends by what the lines look like.
fn end_by_looks(body: &[&str]) -> usize {
    let end = (0..body.len()).find(|at| is_head(body, *at)).unwrap_or(body.len());
    // Blank lines after the last hunk don't belong to it.
    let blank = body.get(..end).unwrap_or_default().iter().rev().take_while(|line| line.is_empty()).count();
    end - blank
}

/// Reads one hunk from its `@@` line on; returns it and how many lines it has.
fn hunk(lines: &[&str]) -> (EditHunk, usize) {
    let said = lines.first().and_then(|line| head(line));
    let body = lines.get(1..).unwrap_or_default();
    let end =
        said.and_then(|(_, old, new)| end_by_counts(body, old, new)).unwrap_or_else(|| end_by_looks(body));
    let mut hunk = EditHunk { line: said.map(|(from, ..)| from), ..EditHunk::default() };
    let mut last = ' ';
    for line in body.get(..end).unwrap_or_default() {
        if line.starts_with(NO_NEWLINE) {
            match last {
                '-' => hunk.newline = Some(true),
                _ => hunk.newline = Some(false),
            }
            continue;
        }
        let (sign, rest) = match line.as_bytes().first() {
            Some(b'-') => ('-', line.get(1..)),
            Some(b'+') => ('+', line.get(1..)),
            Some(b' ') => (' ', line.get(1..)),
            _ => (' ', Some(*line)),
        };
        let rest = rest.unwrap_or_default().to_owned();
        match sign {
            '-' => hunk.search.push(rest),
            '+' => hunk.replace.push(rest),
            _ => {
                hunk.search.push(rest.clone());
                hunk.replace.push(rest);
            }
        }
        last = sign;
    }
    (hunk, end + 1)
}
