//! Finds where the lines of a hunk nearly match a file: which line of the file each one corresponds to, and how alike
//! they are.

use super::lines::FileLines;
use std::collections::{HashMap, HashSet};

/// How far a line may be from where the other lines of the hunk place it.
const MAX_SHIFT: usize = 3;
const MAX_PLACES: usize = 12;
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

/// How alike two lines are, ignoring white space.
pub(super) fn likeness(a: &str, b: &str) -> f64 {
    let (a, b) = (plain(a), plain(b));
    if a == b {
        return 1.0;
    }
    let (short, long) = (a.len().min(b.len()), a.len().max(b.len()));
    if short * 2 < long || long > 400 { 0.0 } else { strsim::normalized_levenshtein(&a, &b) }
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

/// The places where the lines could match, the best first. The others share no line of the file with the best.
pub(super) fn places(file: &FileLines<'_>, search: &[String]) -> Vec<Alignment> {
    if search.len() > MAX_HUNK_LINES || search.iter().all(|line| line.trim().is_empty()) {
        return Vec::new();
    }
    let starts = starts(file, search);
    let from = |taken: &HashSet<usize>| -> Vec<Alignment> {
        let mut all: Vec<Alignment> =
            starts.iter().filter_map(|start| align(file, search, *start, taken)).collect();
        all.sort_by(|a, b| b.score.total_cmp(&a.score));
        all
    };
    let Some(best) = from(&HashSet::new()).into_iter().next() else { return Vec::new() };
    let taken = best.map.iter().flatten().copied().collect();
    std::iter::once(best).chain(from(&taken)).collect()
}

/// Candidate lines of the file for the first searched line, by the lines that are equal in both; if none is, by the
/// longest searched line.
fn starts(file: &FileLines<'_>, search: &[String]) -> Vec<isize> {
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
            let alike = likeness(line, longest);
            if alike > 0.4 {
                votes.insert(at as isize - searched as isize, alike);
            }
        }
    }
    let mut votes: Vec<(isize, f64)> = votes.into_iter().collect();
    votes.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    votes.into_iter().map(|(start, _)| start).take(MAX_PLACES).collect()
}

/// The best alignment of the lines with the file near `start` that uses none of the lines in `taken`.
fn align(file: &FileLines<'_>, search: &[String], start: isize, taken: &HashSet<usize>) -> Option<Alignment> {
    let width = 2 * MAX_SHIFT + 1;
    // The line of the file for a searched line and an offset in the band around `start`.
    let line = |at: usize, band: usize| -> Option<usize> {
        let line = start + at as isize + band as isize - MAX_SHIFT as isize;
        usize::try_from(line).ok().filter(|line| *line < file.len() && !taken.contains(line))
    };
    // For each offset in the band, the best sum if the previous searched line matched there or before; `steps` keeps
    // the choices for `traced`.
    let mut best = vec![0.0_f64; width];
    let mut steps: Vec<Vec<Option<usize>>> = Vec::with_capacity(search.len());
    for (at, searched) in search.iter().enumerate() {
        let mut next = vec![f64::MIN; width];
        let mut step = vec![None; width];
        for band in 0..width {
            // The searched line is not in the file: the sum of the previous line stays, one offset further on.
            let stays = best.get(band + 1).or(best.last()).copied().unwrap_or_default();
            let mut here = (stays, None);
            if let Some(line) = line(at, band) {
                let alike = likeness(file.get(line), searched);
                if alike >= MIN_LINE_LIKENESS {
                    let sum = best.get(band).copied().unwrap_or_default() + alike * weight(searched).max(0.1);
                    if sum > here.0 {
                        here = (sum, Some(line));
                    }
                }
            }
            // The search skips a line of the file.
            let skipped = band.checked_sub(1).and_then(|band| next.get(band)).copied().unwrap_or(f64::MIN);
            if skipped - 0.5 > here.0 {
                here = (skipped - 0.5, Some(usize::MAX));
            }
            if let (Some(sum), Some(way)) = (next.get_mut(band), step.get_mut(band)) {
                (*sum, *way) = here;
            }
        }
        best = next;
        steps.push(step);
    }
    traced(search, &steps, width).map(|map| {
        let total: f64 = search.iter().map(|line| weight(line)).sum();
        let sum: f64 = map
            .iter()
            .zip(search)
            .filter_map(|(line, searched)| {
                line.map(|line| likeness(file.get(line), searched) * weight(searched))
            })
            .sum();
        Alignment { map, score: if total > 0.0 { sum / total } else { 0.0 } }
    })
}

/// The alignment that led to the best sum, traced back from the last line.
fn traced(search: &[String], steps: &[Vec<Option<usize>>], width: usize) -> Option<Vec<Option<usize>>> {
    let mut map = vec![None; search.len()];
    let mut band = width.checked_sub(1)?;
    for (at, step) in steps.iter().enumerate().rev() {
        let mut way = step.get(band).copied().flatten();
        while way == Some(usize::MAX) {
            band = band.checked_sub(1)?;
            way = step.get(band).copied().flatten();
        }
        match way {
            Some(line) => {
                if let Some(place) = map.get_mut(at) {
                    *place = Some(line);
                }
            }
            None => band = (band + 1).min(width - 1),
        }
    }
    map.iter().any(Option::is_some).then_some(map)
}
