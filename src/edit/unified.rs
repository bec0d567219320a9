//! Unified diffs as models write them: the counts of an `@@` line are used only if they fit the lines, and a context
//! line may lack its leading space.

use super::file_header::{DELETE, FileHeader, GIT_HEAD, MOVE, PATH_HEADS, binary_file};
use super::{EditError, EditHunk, FileEdit, OtherAct, SaidPlace};

const NO_NEWLINE: &str = "\\ No newline";
/// The line of a patch that says that the hunk before it is at the end of the file.
pub(super) const END_OF_FILE: &str = "*** End of File";
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
    heads || patch || first.starts_with(GIT_HEAD) || first.starts_with("@@ ") || first == "@@"
}

/// What was read of a diff so far.
#[derive(Debug, Default)]
struct DiffEdits {
    edits: Vec<FileEdit>,
    /// The file that the next hunk changes.
    file: String,
    /// The header that was read last, until a hunk behind it changes something.
    header: Option<FileHeader>,
    /// The lines of the file that were named for the next hunk.
    behind: Vec<String>,
    /// The first file that is named without a change to it.
    unchanged: Option<String>,
}

impl DiffEdits {
    /// Ends the part about a file. A new file without a hunk is empty.
    fn end_part(&mut self) -> Result<(), EditError> {
        let Some(header) = self.header.take() else { return Ok(()) };
        if header.is_new {
            return super::push_hunk(&mut self.edits, &header.path, EditHunk::default());
        }
        self.unchanged.get_or_insert(header.path);
        Ok(())
    }

    /// Begins the part about another file.
    fn begin_part(&mut self, header: FileHeader) -> Result<(), EditError> {
        self.end_part()?;
        header.path.clone_into(&mut self.file);
        self.behind.clear();
        self.header = Some(header);
        Ok(())
    }

    /// Adds the hunk behind the first of these lines if it changes something: context alone does nothing. Returns how
    /// many lines it has, with the first.
    fn add_hunk(&mut self, lines: &[&str]) -> Result<usize, EditError> {
        let (mut hunk, taken) = hunk(lines);
        self.behind.extend(lines.first().and_then(|line| named_line(line)));
        // Several such lines follow each other without anything between them: a class, then a function in it.
        if taken > 1 {
            hunk.behind = std::mem::take(&mut self.behind);
        }
        if self.header.as_ref().is_some_and(|header| header.is_new) {
            // A file that is made has no text to add to.
            hunk.place = SaidPlace::Nothing;
        }
        if hunk.search != hunk.replace || hunk.newline.is_some() {
            super::push_hunk(&mut self.edits, &self.file, hunk)?;
            self.header = None;
        } else if let Some(header) = self.header.as_mut().filter(|_| !hunk.search.is_empty()) {
            // A new file has no context: its lines lack their signs, so it is not meant to be empty.
            header.is_new = false;
        }
        Ok(taken)
    }
}

pub(super) fn read(text: &str, path: &str) -> Result<Vec<FileEdit>, EditError> {
    let lines: Vec<&str> = text.lines().collect();
    let mut read = DiffEdits { file: path.to_owned(), ..DiffEdits::default() };
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let rest = lines.get(at..).unwrap_or_default();
        if let Some(header) = FileHeader::read(rest)? {
            at += header.lines;
            let has_hunk = header.is_of_patch && !lines.get(at).is_some_and(|line| line.starts_with("@@"));
            read.begin_part(header)?;
            if has_hunk {
                at += read.add_hunk(rest)? - 1;
            }
        } else if let Some(path) = line.strip_prefix(DELETE) {
            return Err(EditError::OtherAct(OtherAct::Delete, path.trim().to_owned()));
        } else if line.starts_with(MOVE) {
            return Err(EditError::OtherAct(OtherAct::Rename, read.file));
        } else if let Some(path) = binary_file(line) {
            return Err(EditError::OtherAct(OtherAct::Binary, path.to_owned()));
        } else if line.starts_with("@@") {
            at += read.add_hunk(rest)?;
        } else {
            at += 1;
        }
    }
    read.end_part()?;
    match read.unchanged {
        // Whatever this part was meant to do, it is not dropped silently.
        Some(path) if !read.edits.is_empty() => Err(EditError::NoChange(path)),
        _ => Ok(read.edits),
    }
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

/// The line of the file that a patch names on a line `@@ class Box:`, behind which its hunk is.
fn named_line(line: &str) -> Option<String> {
    let named = line.strip_prefix("@@").filter(|_| head(line).is_none())?;
    let named = named.trim().trim_end_matches('@').trim_end();
    (!named.is_empty()).then(|| named.to_owned())
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
        || binary_file(line(at)).is_some()
        || line(at).starts_with("--- ") && line(at + 1).starts_with("+++ ")
}

/// Whether a line ends the hunk before it.
pub(super) fn ends_hunk(line: &str) -> bool {
    ["*** ", GIT_HEAD, "index "].iter().any(|head| line.starts_with(head))
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
    if body.get(end).is_some_and(|line| line.starts_with(END_OF_FILE)) {
        hunk.place = SaidPlace::End;
    } else if said.is_some_and(|(from, old, _)| from > 0 && old == 0) {
        hunk.place = SaidPlace::BehindLine;
    }
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
