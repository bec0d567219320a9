//! Removes line numbers that a model copied along with the text from a listing.

use super::EditHunk;

/// The number and the rest of `12| x`, `  12: x`, `12\tx` or `12→x`.
fn split_number(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_start();
    let digits = line.find(|c: char| !c.is_ascii_digit())?;
    let number = line.get(..digits)?.parse().ok()?;
    let rest = line.get(digits..)?.trim_start_matches(' ');
    let rest = rest.strip_prefix(['|', ':', '\t', '→'])?;
    Some((number, rest))
}

/// The numbers and the rests of the lines, if every line has a number.
fn split_numbers(lines: &[String]) -> Option<Vec<(usize, &str)>> {
    lines.iter().map(|line| split_number(line)).collect::<Option<Vec<_>>>().filter(|split| !split.is_empty())
}

/// The hunk without the line numbers in its search text, if they increase by one. Those of the replacement are removed
/// if all its lines have one.
pub(super) fn remove_numbers(hunk: &EditHunk) -> Option<EditHunk> {
    let search = split_numbers(&hunk.search)?;
    if !search.windows(2).all(|pair| matches!(pair, [(a, _), (b, _)] if a + 1 == *b)) {
        return None;
    }
    let replace = split_numbers(&hunk.replace);
    // A space after the number is no indentation where all lines on both sides have it.
    let mut rests = search.iter().chain(replace.iter().flatten()).map(|(_, rest)| *rest);
    let blank = rests.all(|rest| rest.is_empty() || rest.starts_with(' '));
    let bare = |lines: &[(usize, &str)]| -> Vec<String> {
        lines
            .iter()
            .map(|(_, rest)| if blank { rest.strip_prefix(' ').unwrap_or(rest) } else { rest }.to_owned())
            .collect()
    };
    let (search, replace) =
        (bare(&search), replace.map_or_else(|| hunk.replace.clone(), |lines| bare(&lines)));
    Some(EditHunk { search, replace, ..hunk.clone() })
}
