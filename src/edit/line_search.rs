//! Finds consecutive lines in a file, each equal to one that is searched for.

use super::lines::FileLines;

/// Whether two lines are equal in the sense of a search. Lines that are equal to the same line are equal to each other.
pub(super) type LineComparison = fn(&str, &str) -> bool;

pub(super) fn exact(a: &str, b: &str) -> bool {
    a == b
}

pub(super) fn same_but_trailing_space(a: &str, b: &str) -> bool {
    a.trim_end() == b.trim_end()
}

pub(super) fn same_words(a: &str, b: &str) -> bool {
    a.split_whitespace().eq(b.split_whitespace())
}

/// All lines, from 0, at which the lines match, if there are any to search for.
///
/// Knuth, Morris and Pratt's search: where many lines are equal, comparing all of them at each line of the file would
/// take too long.
pub(super) fn matches(file: &FileLines<'_>, search: &[String], same: LineComparison) -> Vec<usize> {
    if search.is_empty() {
        return Vec::new();
    }
    let shorter = shorter_matches(search, same);
    let (mut found, mut matched) = (Vec::new(), 0);
    for (at, line) in file.iter().enumerate() {
        matched = longer_match(search, &shorter, same, (matched, line));
        if matched == search.len() {
            found.push(at + 1 - matched);
        }
    }
    found
}

/// For each number of searched lines that were matched, from 0, the next smaller number of them that the same lines of
/// the file match, too.
fn shorter_matches(search: &[String], same: LineComparison) -> Vec<usize> {
    let mut shorter = vec![0, 0];
    let mut matched = 0;
    for line in search.iter().skip(1) {
        matched = longer_match(search, &shorter, same, (matched, line));
        shorter.push(matched);
    }
    shorter
}

/// How many of the searched lines are matched with this line of the file, before which `matched` of them were.
fn longer_match(
    search: &[String],
    shorter: &[usize],
    same: LineComparison,
    (mut matched, line): (usize, &str),
) -> usize {
    loop {
        if search.get(matched).is_some_and(|searched| same(line, searched)) {
            return matched + 1;
        }
        if matched == 0 {
            return 0;
        }
        matched = shorter.get(matched).copied().unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lines_match_where_they_are_all_equal(file in "[ab \n]{0,60}", search in "[ab \n]{1,8}") {
            let file = FileLines::of(&file);
            let search: Vec<String> = search.split('\n').map(str::to_owned).collect();
            for same in [exact as LineComparison, same_but_trailing_space, same_words] {
                let all: Vec<usize> = (0..file.len()).filter(|at| file.has(*at, &search, same)).collect();
                prop_assert_eq!(matches(&file, &search, same), all);
            }
        }
    }

    #[test]
    fn a_hunk_of_equal_lines_is_searched_for_in_a_file_of_equal_lines() {
        let text = "a\n".repeat(100_000);
        let mut search = vec!["a".to_owned(); 50_000];
        assert_eq!(matches(&FileLines::of(&text), &search, exact).len(), 50_001);
        search.push("b".to_owned());
        assert_eq!(matches(&FileLines::of(&text), &search, exact), Vec::<usize>::new());
    }
}
