//! Finds a hunk in a file: first exactly, then ignoring white space, then by likeness. A hunk that matches in several
//! places is refused, unless the line number of a diff picks one of them.

use super::align::{self, LikenessBudget, MIN_LINE_LIKENESS};
use super::line_search::{LineComparison, exact, matches, same_but_trailing_space, same_words};
use super::lines::FileLines;
use super::{EditHunk, Exactness, HunkFault, line_numbers};

/// The least likeness at which a place counts as the one that was meant.
pub(super) const MIN_LIKENESS: f64 = 0.85;
/// How much more alike the best place has to be than any other.
const MIN_LEAD: f64 = 0.05;
/// How many letters a hunk needs before it is searched for by likeness.
const MIN_LETTERS: usize = 10;
const MAX_PLACES_SHOWN: usize = 6;

/// Lines found in a file, and the lines that replace them.
#[derive(Clone, Debug)]
pub(super) struct FoundLines {
    pub(crate) search: Vec<String>,
    pub(crate) replace: Vec<String>,
    /// The line of the file for each searched line; `None`: the file does not have it.
    pub(crate) map: Vec<Option<usize>>,
}

impl FoundLines {
    fn at(hunk: &EditHunk, first: usize) -> Self {
        let map = (first..first + hunk.search.len()).map(Some).collect();
        Self { search: hunk.search.clone(), replace: hunk.replace.clone(), map }
    }
}

/// Where a hunk was found, in consecutive parts.
#[derive(Clone, Debug)]
pub(super) struct HunkPlace {
    pub(crate) parts: Vec<FoundLines>,
    pub(crate) how: Exactness,
}

/// Finds a hunk. `expected` is the line, from 0, at which a diff says that it starts. `budget` is what may still be
/// searched for by likeness.
///
/// # Errors
/// Why it was not found.
pub(super) fn find(
    file: &FileLines<'_>,
    hunk: &EditHunk,
    expected: Option<usize>,
    budget: &mut LikenessBudget,
) -> Result<HunkPlace, HunkFault> {
    if let Some(found) = find_same(file, hunk, expected)? {
        return Ok(found);
    }
    // Numbers before the lines are removed once, not as often as there are some: the lines are those of a model.
    let Some(bare) = line_numbers::remove_numbers(hunk) else { return find_loosely(file, hunk, budget) };
    let found = match find_same(file, &bare, expected)? {
        Some(found) => found,
        None => find_loosely(file, &bare, budget)?,
    };
    Ok(HunkPlace { how: found.how.max(Exactness::Spaces), ..found })
}

/// Finds a hunk whose lines the file has, white space aside, or that is a part of lines.
fn find_same(
    file: &FileLines<'_>,
    hunk: &EditHunk,
    expected: Option<usize>,
) -> Result<Option<HunkPlace>, HunkFault> {
    if leaves_out(&hunk.replace) && !hunk.search.iter().any(|line| is_gap(line)) {
        return Err(HunkFault::Elision);
    }
    let ways = [
        (exact as LineComparison, Exactness::Exact),
        (same_but_trailing_space, Exactness::Spaces),
        (same_words, Exactness::Spaces),
    ];
    for (same, how) in ways {
        if let Some(found) = find_exact(file, hunk, expected, same)? {
            return Ok(Some(HunkPlace { parts: vec![found], how }));
        }
    }
    let inside = inside_lines(file, hunk)?;
    Ok(inside.map(|found| HunkPlace { parts: vec![found], how: Exactness::Inside }))
}

/// Finds a hunk around the lines that it leaves out or, if it leaves none out, by likeness.
fn find_loosely(
    file: &FileLines<'_>,
    hunk: &EditHunk,
    budget: &mut LikenessBudget,
) -> Result<HunkPlace, HunkFault> {
    if hunk.search.iter().any(|line| is_gap(line)) {
        return around_gaps(file, hunk);
    }
    budget.hunks = budget.hunks.checked_sub(1).ok_or(HunkFault::Missing)?;
    find_alike(file, hunk, &mut budget.pairs)
}

/// The one place where the lines match. Where `same` ignores white space, blank lines at the ends of the hunk may be
/// missing in the file.
fn find_exact(
    file: &FileLines<'_>,
    hunk: &EditHunk,
    expected: Option<usize>,
    same: LineComparison,
) -> Result<Option<FoundLines>, HunkFault> {
    if let Some(first) = only_place(positions(file, &hunk.search, same), expected)? {
        return Ok(Some(FoundLines::at(hunk, first)));
    }
    let blank = |line: &&String| line.trim().is_empty();
    let (before, behind) =
        (hunk.search.iter().take_while(blank).count(), hunk.search.iter().rev().take_while(blank).count());
    let filled = hunk.search.len().saturating_sub(behind);
    if before + behind == 0 || before >= filled {
        return Ok(None);
    }
    let core = hunk.search.get(before..filled).unwrap_or_default();
    let Some(first) = only_place(positions(file, core, same), expected.map(|line| line + before))? else {
        return Ok(None);
    };
    let mut part = FoundLines::at(hunk, 0);
    for (at, line) in part.map.iter_mut().enumerate() {
        *line = (before..filled).contains(&at).then(|| first + at - before);
    }
    Ok(Some(part))
}

/// All lines, from 0, at which the lines match. Lines of white space alone match only exactly.
fn positions(file: &FileLines<'_>, search: &[String], same: LineComparison) -> Vec<usize> {
    let is_loose = same(" ", "  ");
    if is_loose && search.iter().all(|line| line.trim().is_empty()) {
        return Vec::new();
    }
    matches(file, search, same)
}

fn only_place(found: Vec<usize>, expected: Option<usize>) -> Result<Option<usize>, HunkFault> {
    match found.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(*one)),
        _ => match expected.filter(|line| found.contains(line)) {
            Some(line) => Ok(Some(line)),
            None => Err(ambiguous(&found)),
        },
    }
}

/// The fault of a hunk that was found in these lines, counted from 0; a line may have it several times.
fn ambiguous(found: &[usize]) -> HunkFault {
    let mut lines: Vec<usize> = found.iter().take(MAX_PLACES_SHOWN).map(|line| line + 1).collect();
    lines.dedup();
    HunkFault::Several(lines)
}

/// Finds a text that begins or ends in the middle of lines.
fn inside_lines(file: &FileLines<'_>, hunk: &EditHunk) -> Result<Option<FoundLines>, HunkFault> {
    let searched = hunk.search.join("\n");
    if searched.trim().is_empty() {
        return Ok(None);
    }
    let whole: String = file.iter().collect::<Vec<_>>().join("\n");
    let found: Vec<usize> = whole_words(&whole, &searched).take(MAX_PLACES_SHOWN).collect();
    let line_of = |at: usize| whole.get(..at).unwrap_or_default().matches('\n').count();
    let at = match found.as_slice() {
        [] => return Ok(None),
        [one] => *one,
        _ => return Err(ambiguous(&found.iter().map(|at| line_of(*at)).collect::<Vec<_>>())),
    };
    let end = at + searched.len();
    let from = whole.get(..at).and_then(|text| text.rfind('\n')).map_or(0, |feed| feed + 1);
    let until = whole.get(end..).and_then(|text| text.find('\n')).map_or(whole.len(), |feed| end + feed);
    let text = |range: std::ops::Range<usize>| whole.get(range).unwrap_or_default();
    let new = format!("{}{}{}", text(from..at), hunk.replace.join("\n"), text(end..until));
    let lines = |text: &str| text.split('\n').map(str::to_owned).collect::<Vec<_>>();
    let changed = EditHunk { search: lines(text(from..until)), replace: lines(&new), ..EditHunk::default() };
    Ok(Some(FoundLines::at(&changed, line_of(from))))
}

/// All positions of a text in another, overlapping ones too, that neither begin nor end inside of a word.
fn whole_words<'t>(whole: &'t str, searched: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let (first, last) = (is_word(searched.chars().next()), is_word(searched.chars().next_back()));
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + whole.get(from..)?.find(searched)?;
        from = at + whole.get(at..)?.chars().next().map_or(1, char::len_utf8);
        Some(at)
    })
    .filter(move |at| {
        let before = whole.get(..*at).and_then(|text| text.chars().next_back());
        let behind = whole.get(at + searched.len()..).and_then(|text| text.chars().next());
        !(first && is_word(before) || last && is_word(behind))
    })
}

/// The words on a line that stands for lines left out (`# ... rest of the code ...`); empty where it only has dots.
fn gap_words(line: &str) -> Option<&str> {
    let line = line.trim().trim_start_matches(['#', '/', '*', '-', '<', '!', ';']).trim_start();
    let line = line.trim_end_matches(['*', '/', '-', '>']).trim_end();
    let dots =
        ["...", "…"].iter().find_map(|dots| line.strip_prefix(dots).or_else(|| line.strip_suffix(dots)))?;
    Some(dots.trim().trim_end_matches(['.', '…']).trim())
}

/// Whether a line stands for lines that are left out: dots, alone or in a comment.
fn is_gap(line: &str) -> bool {
    gap_words(line).is_some_and(|words| words.is_empty() || says_gap(words))
}

fn says_gap(words: &str) -> bool {
    let words = words.to_lowercase();
    ["rest", "existing", "unchanged", "remain", "same", "other", "code", "previous"]
        .iter()
        .any(|word| words.contains(word))
}

/// Whether one of the lines is a comment that stands for lines left out. Dots alone may be code, and a sentence may end
/// with them.
fn leaves_out(lines: &[String]) -> bool {
    lines.iter().any(|line| {
        let bare = line.trim_start().trim_start_matches(['#', '/', '*', '-', '<', '!', ';']);
        let comment = bare.len() < line.trim_start().len();
        comment && bare.trim_start().starts_with(['.', '…']) && is_gap(line)
    })
}

/// Finds the pieces around the lines that are left out, one after the other.
fn around_gaps(file: &FileLines<'_>, hunk: &EditHunk) -> Result<HunkPlace, HunkFault> {
    fn pieces(lines: &[String]) -> Vec<Vec<String>> {
        lines.split(|line| is_gap(line)).map(<[String]>::to_vec).collect()
    }
    let (search, replace) = (pieces(&hunk.search), pieces(&hunk.replace));
    if search.len() != replace.len() {
        return Err(HunkFault::Elision);
    }
    let (mut parts, mut from) = (Vec::new(), 0);
    for (search, replace) in search.into_iter().zip(replace) {
        if search.iter().all(|line| line.trim().is_empty()) {
            if search == replace {
                continue;
            }
            return Err(HunkFault::Elision);
        }
        let mut found = positions(file, &search, same_words);
        found.retain(|line| *line >= from);
        let Some(first) = only_place(found, None)? else { return Err(HunkFault::Missing) };
        from = first + search.len();
        parts.push(FoundLines::at(&EditHunk { search, replace, ..EditHunk::default() }, first));
    }
    if parts.is_empty() { Err(HunkFault::Missing) } else { Ok(HunkPlace { parts, how: Exactness::Gaps }) }
}

/// Finds the one place that is alike enough.
fn find_alike(file: &FileLines<'_>, hunk: &EditHunk, pairs: &mut usize) -> Result<HunkPlace, HunkFault> {
    let letters: usize = hunk.search.iter().map(|line| line.trim().chars().count()).sum();
    let places = align::places(file, &hunk.search, pairs);
    let Some(best) = places.first().filter(|best| best.score >= MIN_LIKENESS && letters >= MIN_LETTERS)
    else {
        return Err(HunkFault::Missing);
    };
    let near: Vec<usize> = places
        .iter()
        .filter(|other| best.score - other.score < MIN_LEAD)
        .map(align::Alignment::first)
        .collect();
    if near.len() > 1 {
        return Err(ambiguous(&near));
    }
    // `put_part` checks that the lines to be removed are all in the file, with nothing else between them.
    let part =
        FoundLines { search: hunk.search.clone(), replace: hunk.replace.clone(), map: best.map.clone() };
    let percent = (best.score * 100.0).min(99.0) as u8;
    debug_assert!(best.score >= MIN_LINE_LIKENESS);
    Ok(HunkPlace { parts: vec![part], how: Exactness::Alike(percent) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_before_lines_are_removed_once() {
        let file = FileLines::of("x = 1\n3: y\n");
        let find = |search: &str| {
            let found = find(&file, &EditHunk::new(search, "z"), None, &mut LikenessBudget::for_file());
            found.map(|found| found.how)
        };
        assert_eq!(find("12: x = 1"), Ok(Exactness::Spaces));
        assert_eq!(find("2: 3: y"), Ok(Exactness::Spaces));
        assert_eq!(find(&format!("{}x = 1", "1|".repeat(20_000))), Err(HunkFault::Missing));
    }
}
