//! The number of columns that text takes on a terminal.

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// The columns of a grapheme cluster, as the terminal library counts them.
pub(crate) fn width(cluster: &str) -> usize {
    if cluster.len() == 1 {
        return 1;
    }
    let sound_marks = cluster.chars().filter(|c| matches!(c, '\u{ff9e}' | '\u{ff9f}')).count();
    cluster.width() + sound_marks
}

/// The columns of a single line.
pub(crate) fn columns(text: &str) -> usize {
    text.graphemes(true).map(width).sum()
}

/// Splits a line into parts of at most this many columns, between grapheme clusters; an empty line is one part.
pub(crate) fn parts(line: &str, columns: usize) -> Vec<String> {
    let (mut parts, mut left) = (vec![String::new()], columns);
    for cluster in line.graphemes(true) {
        let cells = width(cluster);
        if cells > left {
            parts.push(String::new());
            left = columns;
        }
        left = left.saturating_sub(cells);
        if let Some(part) = parts.last_mut() {
            part.push_str(cluster);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_together_is_counted_and_broken_as_one() {
        let family = "👨\u{200d}👩\u{200d}👧";
        assert_eq!([family, "e\u{301}", "日本"].map(columns), [2, 1, 4]);
        assert_eq!(parts(&format!("a{family}b"), 2), ["a", family, "b"]);
        assert_eq!(parts("e\u{301}e\u{301}e", 2), ["e\u{301}e\u{301}", "e"]);
        assert_eq!(parts("", 2), [""]);
        assert_eq!(parts("日本", 1), ["", "日", "本"], "what is wider than a line has one");
    }
}
