//! Numbers of lines in front of text, as a model copies them from a listing.

use super::Hunk;

/// The number and the rest of `12| x`, `  12: x`, `12\tx` or `12→x`.
fn split(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_start();
    let digits = line.find(|c: char| !c.is_ascii_digit())?;
    let number = line.get(..digits)?.parse().ok()?;
    let rest = line.get(digits..)?.trim_start_matches(' ');
    let rest = rest.strip_prefix(['|', ':', '\t', '→'])?;
    Some((number, rest))
}

/// The lines without their numbers, where each has one and they grow by one.
fn bare(lines: &[String]) -> Option<Vec<String>> {
    let split: Option<Vec<(usize, &str)>> = lines.iter().map(|line| split(line)).collect();
    let split = split.filter(|split| !split.is_empty())?;
    let grows = split.windows(2).all(|pair| matches!(pair, [(a, _), (b, _)] if a + 1 == *b));
    // The blank between number and text is no indentation where all lines have it.
    let blank = split.iter().all(|(_, rest)| rest.is_empty() || rest.starts_with(' '));
    let text = |rest: &str| rest.get(usize::from(blank && !rest.is_empty())..).unwrap_or_default().to_owned();
    grows.then(|| split.iter().map(|(_, rest)| text(rest)).collect())
}

/// A hunk without numbers in what it searches; those of its replacement are taken off where all its lines have one.
pub(super) fn without(hunk: &Hunk) -> Option<Hunk> {
    let search = bare(&hunk.search)?;
    let numbered: Option<Vec<&str>> =
        hunk.replace.iter().map(|line| split(line).map(|(_, rest)| rest)).collect();
    let replace = match numbered {
        Some(rests) if !rests.is_empty() => {
            let blank = rests.iter().all(|rest| rest.is_empty() || rest.starts_with(' '));
            rests
                .iter()
                .map(|rest| rest.get(usize::from(blank && !rest.is_empty())..).unwrap_or_default().to_owned())
                .collect()
        }
        _ => hunk.replace.clone(),
    };
    Some(Hunk { search, replace, ..hunk.clone() })
}
