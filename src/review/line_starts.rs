//! Turns byte ranges into lines and columns.

use crate::domain::TextRange;
use std::ops::Range;

pub(super) struct LineStarts<'a> {
    source: &'a str,
    starts: Vec<usize>,
}

impl<'a> LineStarts<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        let starts = std::iter::once(0).chain(source.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { source, starts }
    }

    /// The range of text at these bytes; lines and columns count from 1, columns in characters.
    pub(super) fn range(&self, span: &Range<usize>) -> TextRange {
        let (line, column) = self.point(span.start);
        let (end_line, end_column) = self.point(span.end.max(span.start));
        TextRange { line, column, end_line, end_column }
    }

    fn point(&self, at: usize) -> (u32, u32) {
        let line = self.starts.partition_point(|start| *start <= at).saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or(0);
        // After the first 64 KiB of a line, columns count bytes: a line of a megabyte with a finding at every word must
        // not take quadratic time.
        let near = at.min(start + (1 << 16));
        let column =
            self.source.get(start..near).map_or(near - start, |text| text.chars().count()) + (at - near);
        (u32::try_from(line + 1).unwrap_or(u32::MAX), u32::try_from(column + 1).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_characters() {
        let lines = LineStarts::new("aé\n漢字x\n");
        assert_eq!(lines.range(&(4..11)), TextRange { line: 2, column: 1, end_line: 2, end_column: 4 });
        assert_eq!(lines.range(&(0..3)), TextRange { line: 1, column: 1, end_line: 1, end_column: 3 });
    }
}
