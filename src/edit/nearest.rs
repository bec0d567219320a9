//! What stands in a file where a hunk was looked for: the lines that are most like it.

use super::align;
use super::error::TOLD;
use super::lines::FileLines;

/// Lines that are shown around them.
const AROUND: usize = 2;
/// Less alike than this says nothing.
const LEAST: f64 = 0.2;

/// The nearest lines, and the first of them, from 1; of a short file all of it.
pub(super) fn nearest(file: &FileLines<'_>, search: &[String]) -> Option<(usize, Vec<String>)> {
    let best = align::places(file, search).into_iter().next().filter(|best| best.score >= LEAST);
    let (from, until) = match best {
        Some(best) => {
            let last = best.map.iter().flatten().max().copied().unwrap_or_default();
            (best.first().saturating_sub(AROUND), (last + 1 + AROUND).min(file.len()))
        }
        None if file.len() > 0 && file.len() <= TOLD => (0, file.len()),
        None => return None,
    };
    let lines: Vec<String> = (from..until.min(from + TOLD)).map(|at| file.get(at).to_owned()).collect();
    Some((from + 1, lines))
}
