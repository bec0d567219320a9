//! Long runs of comment lines in Python. The scanner of its grammar reads all that follow once more for each of them,
//! so such runs are not shown to it.

use super::cover::{Cover, CoverKind};
use std::ops::Range;

/// Comment lines in a row that the grammar may read itself.
const MAX_LINES_IN_A_ROW: usize = 32;

/// The covers of a text, those of its long runs of comments among them, in the order of the text.
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
        // Lines of a command that goes on may begin like comments.
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
