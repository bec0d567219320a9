//! Finds where the lines of a hunk nearly match a file: which line of the file each one corresponds to, and how alike
//! they are.

use super::lines::FileLines;
use std::collections::{HashMap, HashSet};

/// How far a line may be from where the other lines of the hunk place it.
const MAX_SHIFT: usize = 3;
/// How many offsets of a line that makes: from as far before that place to as far behind it.
const BAND_WIDTH: usize = 2 * MAX_SHIFT + 1;
const MAX_PLACES: usize = 12;
/// What it costs an alignment to skip a line of the file, as the weight of a line.
const SKIP_COST: f64 = 0.5;
/// How many hunks of a file are searched for by likeness.
const MAX_FUZZY_HUNKS: u32 = 20;
/// How many pairs of letters are compared in one file, which takes a few seconds.
const MAX_COMPARED_PAIRS: usize = 1 << 30;
/// Hunks with more lines than this are not searched for by likeness.
const MAX_HUNK_LINES: usize = 400;
/// In files with more lines than this the lines are not compared one by one where none of them is equal.
const MAX_COMPARED_LINES: usize = 20_000;
/// Lines less alike than this count as different.
pub(super) const MIN_LINE_LIKENESS: f64 = 0.6;

/// Where the lines of a hunk match in a file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Alignment {
    /// The line of the file for each searched line; `None`: it has no counterpart.
    pub(crate) map: Vec<Option<usize>>,
    /// From 0 to 1: 1 means equal except for white space.
    pub(crate) score: f64,
}

impl Alignment {
    /// The first line of the file that is matched.
    pub(super) fn first(&self) -> usize {
        self.map.iter().flatten().min().copied().unwrap_or_default()
    }
}

/// How much searching by likeness is still allowed in one file: it is slow, and the lines are those of a model.
#[derive(Debug)]
pub(super) struct LikenessBudget {
    /// How many hunks may be searched for.
    pub(super) hunks: u32,
    /// How many pairs of letters may be compared.
    pub(super) pairs: usize,
}

impl LikenessBudget {
    pub(super) fn for_file() -> Self {
        Self { hunks: MAX_FUZZY_HUNKS, pairs: MAX_COMPARED_PAIRS }
    }
}

/// How alike two lines are, ignoring white space.
pub(super) fn likeness(a: &str, b: &str) -> f64 {
    let mut unlimited = usize::MAX;
    likeness_within(&mut unlimited, a, b)
}

/// The same, paid with the pairs of letters that are left. Once they don't suffice, none are left, and nothing is alike.
fn likeness_within(pairs: &mut usize, a: &str, b: &str) -> f64 {
    let (a, b) = (plain(a), plain(b));
    if a == b {
        return 1.0;
    }
    let (short, long) = (a.len().min(b.len()), a.len().max(b.len()));
    if short * 2 < long || long > 400 {
        return 0.0;
    }
    let is_paid = *pairs >= short * long;
    *pairs = pairs.saturating_sub(short * long);
    if is_paid { strsim::normalized_levenshtein(&a, &b) } else { 0.0 }
}

/// A line with its white space collapsed and typographic quotes, dashes and spaces replaced by plain ones.
fn plain(line: &str) -> String {
    let line = line.replace(['\u{2018}', '\u{2019}'], "'").replace(['\u{201c}', '\u{201d}'], "\"");
    let line = line.replace(['\u{2013}', '\u{2014}'], "-").replace('\u{a0}', " ");
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn weight(line: &str) -> f64 {
    line.trim().chars().count() as f64
}

/// The places where the lines could match, the best first. The others share no line of the file with the best. None are
/// found if `pairs`, the pairs of letters that may be compared, don't suffice.
pub(super) fn places(file: &FileLines<'_>, search: &[String], pairs: &mut usize) -> Vec<Alignment> {
    if search.len() > MAX_HUNK_LINES || search.iter().all(|line| line.trim().is_empty()) {
        return Vec::new();
    }
    let starts = starts(file, search, pairs);
    let mut from = |taken: &HashSet<usize>| -> Vec<Alignment> {
        let mut all: Vec<Alignment> = starts
            .iter()
            .filter_map(|start| align(&Band { file, start: *start, taken }, search, pairs))
            .collect();
        all.sort_by(|a, b| b.score.total_cmp(&a.score));
        all
    };
    let Some(best) = from(&HashSet::new()).into_iter().next() else { return Vec::new() };
    let taken = best.map.iter().flatten().copied().collect();
    let others = from(&taken);
    // What was not compared may be more alike.
    if *pairs == 0 { Vec::new() } else { std::iter::once(best).chain(others).collect() }
}

/// Candidate lines of the file for the first searched line, by the lines that are equal in both; if none is, by the
/// longest searched line.
fn starts(file: &FileLines<'_>, search: &[String], pairs: &mut usize) -> Vec<isize> {
    let mut known: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, line) in search.iter().enumerate().filter(|(_, line)| line.trim().len() > 1) {
        known.entry(line.trim()).or_default().push(at);
    }
    let mut votes: HashMap<isize, f64> = HashMap::new();
    for (at, line) in file.iter().enumerate() {
        for searched in known.get(line.trim()).into_iter().flatten() {
            *votes.entry(at as isize - *searched as isize).or_default() += weight(line);
        }
    }
    if votes.is_empty() && file.len() <= MAX_COMPARED_LINES {
        let longest = search.iter().enumerate().max_by(|a, b| weight(a.1).total_cmp(&weight(b.1)));
        let Some((searched, longest)) = longest else { return Vec::new() };
        for (at, line) in file.iter().enumerate() {
            let alike = likeness_within(pairs, line, longest);
            if alike > 0.4 {
                votes.insert(at as isize - searched as isize, alike);
            }
        }
    }
    let mut votes: Vec<(isize, f64)> = votes.into_iter().collect();
    votes.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    votes.into_iter().map(|(start, _)| start).take(MAX_PLACES).collect()
}

/// The lines of a file that the lines of a hunk are aligned with: those near `start`, without the lines in `taken`.
struct Band<'f> {
    file: &'f FileLines<'f>,
    start: isize,
    taken: &'f HashSet<usize>,
}

/// What an alignment does with a searched line.
#[derive(Clone, Copy)]
enum AlignStep {
    /// It matches this line of the file.
    Match(usize),
    /// The file does not have it.
    Absent,
    /// A line of the file is skipped before it: what it does is the step at the offset before.
    Skip,
}

impl Band<'_> {
    /// The line of the file for a searched line at an offset in the band.
    fn line(&self, at: usize, offset: usize) -> Option<usize> {
        let line = self.start + at as isize + offset as isize - MAX_SHIFT as isize;
        usize::try_from(line).ok().filter(|line| *line < self.file.len() && !self.taken.contains(line))
    }

    /// For each offset, the best sum of the lines up to this one, and the step that leads to it. `before` are the sums
    /// up to the line before.
    fn row(&self, at: usize, searched: &str, before: &[f64], pairs: &mut usize) -> Vec<(f64, AlignStep)> {
        let mut row: Vec<(f64, AlignStep)> = Vec::with_capacity(BAND_WIDTH);
        for offset in 0..BAND_WIDTH {
            // Without the searched line, the sum of the line before stays, one offset further on.
            let stays = before.get(offset + 1).or(before.last()).copied().unwrap_or_default();
            let mut best = (stays, AlignStep::Absent);
            if let Some(line) = self.line(at, offset) {
                let alike = likeness_within(pairs, self.file.get(line), searched);
                let sum = before.get(offset).copied().unwrap_or_default() + alike * weight(searched).max(0.1);
                if alike >= MIN_LINE_LIKENESS && sum > best.0 {
                    best = (sum, AlignStep::Match(line));
                }
            }
            if let Some((sum, _)) = row.last()
                && sum - SKIP_COST > best.0
            {
                best = (sum - SKIP_COST, AlignStep::Skip);
            }
            row.push(best);
        }
        row
    }
}

/// The best alignment of the lines within a band of the file.
fn align(band: &Band<'_>, search: &[String], pairs: &mut usize) -> Option<Alignment> {
    let mut sums = vec![0.0_f64; BAND_WIDTH];
    let mut steps: Vec<Vec<AlignStep>> = Vec::with_capacity(search.len());
    for (at, searched) in search.iter().enumerate() {
        let row = band.row(at, searched, &sums, pairs);
        let row_steps;
        (sums, row_steps) = row.into_iter().unzip();
        steps.push(row_steps);
    }
    let map = traced(&steps)?;
    let total: f64 = search.iter().map(|line| weight(line)).sum();
    let matched = map.iter().zip(search).filter_map(|(line, searched)| Some(((*line)?, searched)));
    let sum: f64 =
        matched.map(|(line, searched)| likeness(band.file.get(line), searched) * weight(searched)).sum();
    Some(Alignment { map, score: if total > 0.0 { sum / total } else { 0.0 } })
}

/// The lines of the file for the searched lines, traced back from the last step; `None` if no line matches.
fn traced(steps: &[Vec<AlignStep>]) -> Option<Vec<Option<usize>>> {
    let mut map = Vec::with_capacity(steps.len());
    let mut offset = BAND_WIDTH - 1;
    for row in steps.iter().rev() {
        while matches!(row.get(offset), Some(AlignStep::Skip)) {
            offset = offset.checked_sub(1)?;
        }
        if let Some(AlignStep::Match(line)) = row.get(offset) {
            map.push(Some(*line));
        } else {
            map.push(None);
            offset = (offset + 1).min(BAND_WIDTH - 1);
        }
    }
    map.reverse();
    map.iter().any(Option::is_some).then_some(map)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_too_many_letters_to_compare_are_nowhere() {
        let file = FileLines::of("one = compute(1)\ntwo = compute(2)\nthree = compute(3)\n");
        let search = ["one = computed(1)", "two = compute(2)"].map(str::to_owned);
        let mut pairs = 100_000;
        let found = places(&file, &search, &mut pairs);
        assert_eq!(found.first().map(|best| best.map.clone()), Some(vec![Some(0), Some(1)]));
        let paid = 100_000 - pairs;
        assert!(paid > 0, "lines that are not equal are paid for");
        let mut too_few = paid - 1;
        assert_eq!((places(&file, &search, &mut too_few), too_few), (Vec::new(), 0));
    }
}
