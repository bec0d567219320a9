//! What a program printed, as a page tells it: without the colours of a terminal, bars that were written over as they
//! were in the end, and what would act or hide written out.

use crate::domain::visible::visible;

/// The text for a page.
pub(super) fn plain(text: &str) -> String {
    let bare = anstream::adapter::strip_str(text).to_string();
    let mut told = String::with_capacity(bare.len());
    for line in bare.split_inclusive('\n') {
        let body = line.trim_end_matches(['\r', '\n']);
        told.push_str(body.rsplit('\r').next().unwrap_or_default());
        told.push_str(if line.ends_with('\n') { "\n" } else { "" });
    }
    visible(&told)
}

/// A moment as people read it, in the time of the world: the reader may be anywhere.
pub(super) fn moment(at: crate::domain::Timestamp) -> String {
    let at = jiff::Timestamp::from_millisecond(at.0).unwrap_or_default();
    at.strftime("%Y-%m-%d %H:%M UTC").to_string()
}
