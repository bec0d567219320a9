//! Applies hunks to the text of a file. Only lines that a hunk changes are touched: its context lines stay as the file
//! has them.

use super::align::{self, LikenessBudget};
use super::find::{self, FoundLines, HunkPlace};
use super::line_search::{matches, same_but_trailing_space};
use super::lines::FileLines;
use super::{EditHunk, Exactness, FileEdit, HunkFault, SaidPlace, UnmatchedHunk};
use crate::text::diff::{DiffOp, diff_ops, is_change};

/// The largest product of the line counts of both sides for which a part is compared line by line.
const MAX_COMPARISONS: usize = 4_000_000;

/// The result of an applied edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditResult {
    /// The new text of the file.
    pub text: String,
    /// How each hunk was found.
    pub how: Vec<Exactness>,
}

/// Applies the hunks of an edit to the text of its file, one after the other. `before` is `None` where the file does
/// not exist.
///
/// # Errors
/// The first hunk that does not fit; then nothing is changed.
pub fn apply(before: Option<&str>, edit: &FileEdit) -> Result<EditResult, UnmatchedHunk> {
    let mut file = FileLines::of(before.unwrap_or_default());
    let mut how = Vec::with_capacity(edit.hunks.len());
    // At which lines the earlier hunks added or removed lines, and how many: line numbers in diffs refer to the old
    // file.
    let mut moves: Vec<(usize, isize)> = Vec::new();
    let mut budget = LikenessBudget::for_file();
    for (at, hunk) in edit.hunks.iter().enumerate() {
        let lines = file.len();
        let above = |line: usize| moves.iter().filter(|(at, _)| *at < line).map(|(_, by)| by).sum::<isize>();
        let expected = hunk.line.and_then(|line| {
            usize::try_from(isize::try_from(line).ok()?.checked_sub(1)?.checked_add(above(line))?).ok()
        });
        let at_end = || file.len().checked_sub(hunk.search.len()).filter(|_| hunk.place == SaidPlace::End);
        let expected = expected.or_else(|| place_behind(&file, hunk)).or_else(at_end);
        match replace_lines(&mut file, hunk, before.is_some(), (expected, &mut budget)) {
            Ok(exactness) => how.push(exactness),
            Err(fault) => return Err(unmatched(edit, at + 1, fault)),
        }
        moves.extend(hunk.line.map(|line| (line, file.len() as isize - lines as isize)));
    }
    let text = file.text();
    if before == Some(text.as_str()) {
        return Err(unmatched(edit, edit.hunks.len(), HunkFault::NoChange));
    }
    Ok(EditResult { text, how })
}

/// The first place of a hunk behind the lines that a patch names for it. The first of them has to be there once, each
/// further one is the next behind it. `None`: they tell nothing, and the hunk has to be found by its own lines.
fn place_behind(file: &FileLines<'_>, hunk: &EditHunk) -> Option<usize> {
    let mut from = 0;
    for (number, line) in hunk.behind.iter().enumerate() {
        let mut found = (from..file.len()).filter(|at| file.get(*at).trim() == line);
        from = found.next()? + 1;
        if number == 0 && found.next().is_some() {
            return None;
        }
    }
    if from == 0 {
        return None;
    }
    if hunk.search.is_empty() {
        return Some(from);
    }
    let found = matches(file, &hunk.search, same_but_trailing_space);
    found.into_iter().find(|at| *at >= from)
}

fn unmatched(edit: &FileEdit, hunk: usize, fault: HunkFault) -> UnmatchedHunk {
    UnmatchedHunk { path: edit.path.clone(), hunk, of: edit.hunks.len(), fault }
}

fn replace_lines(
    file: &mut FileLines<'_>,
    hunk: &EditHunk,
    there: bool,
    (expected, budget): (Option<usize>, &mut LikenessBudget),
) -> Result<Exactness, HunkFault> {
    if hunk.search.is_empty() {
        return add_lines(file, hunk, expected);
    }
    if !there {
        return Err(HunkFault::NoFile);
    }
    if hunk.search == hunk.replace && hunk.newline.is_none() {
        return Err(HunkFault::NoChange);
    }
    let found = find::find(file, hunk, expected, budget).map_err(|fault| match fault {
        HunkFault::Missing if is_done(file, hunk) => HunkFault::Done,
        fault => fault,
    })?;
    let last = found.parts.iter().flat_map(|part| part.map.iter().flatten()).max().copied();
    let at_end = last.is_some_and(|last| last + 1 == file.len());
    let mut changed = file.clone();
    for part in found.parts.iter().rev() {
        put_part(&mut changed, part, &found)?;
    }
    if let Some(newline) = hunk.newline.filter(|_| at_end) {
        changed.close(newline);
    }
    *file = changed;
    Ok(found.how)
}

/// Adds the lines of a hunk that searches none: to a file without text, or where the hunk says.
fn add_lines(
    file: &mut FileLines<'_>,
    hunk: &EditHunk,
    expected: Option<usize>,
) -> Result<Exactness, HunkFault> {
    let at = match hunk.place {
        _ if file.len() == 0 => Some(0),
        SaidPlace::Nothing => None,
        SaidPlace::BehindLine => expected.map(|line| line + 1),
        SaidPlace::End => Some(file.len()),
    };
    let at = at.filter(|at| *at <= file.len()).ok_or(HunkFault::NoSearch)?;
    if file.len() == 0 {
        file.close(hunk.newline.unwrap_or(true));
    } else if file.has(at, &hunk.replace, |a, b| a == b) {
        return Err(HunkFault::Added);
    } else if let Some(newline) = hunk.newline.filter(|_| at == file.len()) {
        file.close(newline);
    }
    file.splice(at..at, hunk.replace.clone());
    Ok(Exactness::Exact)
}

/// Whether the file already has what the hunk would put into it.
fn is_done(file: &FileLines<'_>, hunk: &EditHunk) -> bool {
    let says = hunk.replace.iter().any(|line| line.trim().len() > 3);
    says && !matches(file, &hunk.replace, same_but_trailing_space).is_empty()
}

/// Replaces the lines in which the two sides of a part differ, last ones first, so that earlier line numbers stay
/// valid.
fn put_part(file: &mut FileLines<'_>, part: &FoundLines, found: &HunkPlace) -> Result<(), HunkFault> {
    // Comparing two long texts that have little in common takes too long: then the whole part is replaced.
    let is_long = part.search.len().saturating_mul(part.replace.len()) > MAX_COMPARISONS;
    let whole = || {
        vec![DiffOp::Replace {
            old_index: 0,
            old_len: part.search.len(),
            new_index: 0,
            new_len: part.replace.len(),
        }]
    };
    let ops = if is_long { whole() } else { diff_ops(&part.search, &part.replace, None) };
    for op in ops.iter().rev().filter(|op| is_change(op)) {
        let (old, new) = (op.old_range(), op.new_range());
        let indents = Indents::of(file, part, found.how, old.start);
        let wanted = part.replace.get(new).unwrap_or_default();
        let lines: Vec<String> = wanted.iter().map(|line| indents.reindent(line)).collect();
        let gone: Vec<Option<usize>> = part.map.get(old.clone()).unwrap_or_default().to_vec();
        let searched = part.search.get(old.clone()).unwrap_or_default();
        let absent = gone.iter().zip(searched).any(|(at, line)| at.is_none() && !line.trim().is_empty());
        // Each line to be removed has to match by itself: matching lines around it prove nothing about it.
        let is_meant = |(at, line): (&Option<usize>, &String)| {
            at.is_none_or(|at| {
                line.trim().is_empty() || align::likeness(file.get(at), line) >= find::MIN_LIKENESS
            })
        };
        if matches!(found.how, Exactness::Alike(_)) && !gone.iter().zip(searched).all(is_meant) {
            return Err(HunkFault::Missing);
        }
        let there: Vec<usize> = gone.into_iter().flatten().collect();
        let range = match (there.first(), there.last()) {
            (Some(first), Some(last)) if last + 1 - first == there.len() && !absent => *first..last + 1,
            (None, _) if !absent => {
                let before = part.map.get(..old.start).unwrap_or_default().iter().rev().flatten().next();
                let behind = part.map.get(old.end..).unwrap_or_default().iter().flatten().next();
                let at = before.map(|at| at + 1).or(behind.copied()).ok_or(HunkFault::Missing)?;
                at..at
            }
            _ => return Err(HunkFault::Missing),
        };
        file.splice(range, lines);
    }
    Ok(())
}

/// How the hunk indents lines and how the file indents the same lines; empty where both do it alike.
struct Indents(Vec<(String, String)>);

fn indent(line: &str) -> &str {
    line.get(..line.len() - line.trim_start().len()).unwrap_or_default()
}

impl Indents {
    /// `near` is a line of the search; where lines disagree, the nearest to it counts.
    fn of(file: &FileLines<'_>, part: &FoundLines, how: Exactness, near: usize) -> Self {
        let mut pairs: Vec<(String, String)> = Vec::new();
        let mut order: Vec<usize> = (0..part.search.len()).collect();
        order.sort_by_key(|at| at.abs_diff(near));
        let mapped = order.into_iter().filter_map(|n| Some((part.search.get(n)?, (*part.map.get(n)?)?)));
        for (line, at) in mapped.filter(|(line, _)| !line.trim().is_empty()) {
            let (written, there) = (indent(line), indent(file.get(at)));
            if !pairs.iter().any(|(known, _)| known == written) {
                pairs.push((written.to_owned(), there.to_owned()));
            }
        }
        let same = how == Exactness::Exact || pairs.iter().all(|(written, there)| written == there);
        Self(if same { Vec::new() } else { pairs })
    }

    /// A new line, indented like its neighbours in the file.
    fn reindent(&self, line: &str) -> String {
        let own = indent(line);
        let rest = line.get(own.len()..).unwrap_or_default();
        if self.0.is_empty() || rest.is_empty() {
            return line.to_owned();
        }
        if let Some((_, there)) = self.0.iter().find(|(written, _)| written == own) {
            return format!("{there}{rest}");
        }
        // Take the deepest known indentation that this one extends, and convert the rest into the file's own unit.
        let known = self.0.iter().filter(|(written, _)| own.starts_with(written.as_str()));
        if let Some((written, there)) = known.max_by_key(|(written, _)| written.len()) {
            let beyond = own.get(written.len()..).unwrap_or_default();
            return format!("{there}{}{rest}", self.in_unit(beyond));
        }
        // The line is indented less than all known ones: remove as much from the file's indentation as the hunk has
        // less.
        let Some((written, there)) = self.0.iter().min_by_key(|(written, _)| written.len()) else {
            return line.to_owned();
        };
        let less = self.in_unit(written.get(own.len()..).unwrap_or_default());
        let kept = there.len().saturating_sub(less.len());
        format!("{}{rest}", there.get(..kept).unwrap_or_default())
    }

    /// Converts spaces to tabs or tabs to spaces as the file has them, if the known pairs tell how many spaces make a
    /// tab.
    fn in_unit(&self, beyond: &str) -> String {
        let differs = self.0.iter().find_map(|(written, there)| {
            let tabs = !there.is_empty() && there.chars().all(|c| c == '\t');
            let blanks = !written.is_empty() && written.chars().all(|c| c == ' ');
            let (w, t) = (written.len(), there.len());
            if tabs && blanks && w % t == 0 {
                Some((" ".repeat(w / t), "\t".to_owned()))
            } else if written.chars().all(|c| c == '\t')
                && there.chars().all(|c| c == ' ')
                && w > 0
                && t % w == 0
            {
                Some(("\t".to_owned(), " ".repeat(t / w)))
            } else {
                None
            }
        });
        match differs {
            Some((from, to)) if !from.is_empty() => beyond.replace(&from, &to),
            _ => beyond.to_owned(),
        }
    }
}
