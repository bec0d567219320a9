//! Hides long runs of Python comment lines from the grammar: for each of them, its scanner reads everything that
//! follows once more.

use super::cover::{Cover, CoverKind};
use std::ops::Range;

/// The most comment lines in a row that the grammar gets to see.
const MAX_LINES_IN_A_ROW: usize = 32;

/// The given covers and those for long runs of comments, in the order of the text.
pub(super) fn with_comment_runs(source: &str, mut covers: Vec<Cover>) -> Vec<Cover> {
    let known = covers.len();
    let (mut at, mut run, mut count) = (0, 0..0, 0);
    for line in source.split_inclusive('\n') {
        let text = line.trim();
        if text.starts_with('#') {
            if count == 0 {
                run.start = at + (line.len() - line.trim_start().len());
            }
            count += 1;
            run.end = at + line.trim_end().len();
        } else if !text.is_empty() {
            add(&mut covers, &run, count);
            count = 0;
        }
        at += line.len();
    }
    add(&mut covers, &run, count);
    if covers.len() > known && known > 0 {
        covers.sort_by_key(|cover| cover.span.start);
        // A line that starts like a comment may be the continuation of a covered command, so overlapping covers are
        // dropped.
        let mut end = 0;
        covers.retain(|cover| {
            let free = cover.span.start >= end;
            end = end.max(cover.span.end);
            free
        });
    }
    covers
}

fn add(covers: &mut Vec<Cover>, run: &Range<usize>, count: usize) {
    if count > MAX_LINES_IN_A_ROW {
        covers.push(Cover { span: run.clone(), kind: CoverKind::Comment });
    }
}
