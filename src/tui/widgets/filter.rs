//! Fuzzy filter: finds entries of a list by some of their letters.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// Ranks the entries that contain the letters of `needle` in order, best first; for an empty needle returns all
/// entries in their order. Returns indexes into `entries`.
pub(crate) fn rank<S: AsRef<str>>(needle: &str, entries: &[S]) -> Vec<usize> {
    if needle.trim().is_empty() {
        return (0..entries.len()).collect();
    }
    let mut matcher = Matcher::new(Config::DEFAULT);
    let pattern = Pattern::parse(needle, CaseMatching::Ignore, Normalization::Smart);
    let mut buffer = Vec::new();
    let mut found: Vec<(u32, usize)> = entries
        .iter()
        .enumerate()
        .filter_map(|(i, entry)| {
            let text = Utf32Str::new(entry.as_ref(), &mut buffer);
            pattern.score(text, &mut matcher).map(|score| (score, i))
        })
        .collect();
    found.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    found.into_iter().map(|(_, i)| i).collect()
}

/// The chosen position in a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor(pub usize);

impl Cursor {
    /// Moves up or down by some entries in a list of so many; stops at both ends.
    pub(crate) fn step(&mut self, by: isize, of: usize) {
        self.0 = self.0.saturating_add_signed(by).min(of.saturating_sub(1));
    }

    /// The first entry to draw, so that the cursor is within `height` rows.
    pub(crate) fn window(self, height: usize) -> usize {
        (self.0 + 1).saturating_sub(height.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_in_order_find_and_rank() {
        let names = ["sales-q3", "salary-check", "notes", "q3-sales-import"];
        assert_eq!(rank("", &names), [0, 1, 2, 3]);
        let found = rank("sal", &names);
        assert_eq!(found.len(), 3);
        assert!(!found.contains(&2));
        assert!(rank("zzz", &names).is_empty());
    }

    #[test]
    fn the_cursor_stops_at_the_ends() {
        let mut cursor = Cursor::default();
        cursor.step(-1, 3);
        assert_eq!(cursor.0, 0);
        cursor.step(9, 3);
        assert_eq!(cursor.0, 2);
        cursor.step(1, 0);
        assert_eq!(cursor.0, 0);
    }
}
