//! Cleans a program's output for a page: drops terminal colours, keeps only the final state of progress bars, and
//! writes out characters that would act or hide.

use crate::domain::visible::visible;
use crate::text::escapes::without_escapes;

pub(super) fn plain(text: &str) -> String {
    let bare = without_escapes(text);
    let mut told = String::with_capacity(bare.len());
    for line in bare.split_inclusive('\n') {
        let body = line.trim_end_matches(['\r', '\n']);
        told.push_str(body.rsplit('\r').next().unwrap_or_default());
        told.push_str(if line.ends_with('\n') { "\n" } else { "" });
    }
    visible(&told)
}

/// A time for people to read, in UTC, because the reader may be in any time zone.
pub(super) fn display_time(at: crate::domain::Timestamp) -> String {
    let at = jiff::Timestamp::from_millisecond(at.0).unwrap_or_default();
    at.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn a_page_has_the_words_as_they_were_in_the_end() {
        for (printed, told) in [
            ("\x1b[1;31mFAILED\x1b[0m a.py\n", "FAILED a.py\n"),
            ("\x1b]0;title\x07 10 %\r 100 %\nend", " 100 %\nend"),
            // An escape that never ends swallows nothing after it.
            ("a\x1b[31\nstays", "a\nstays"),
            ("a\x1b]0;never closed\nstays", "a\nstays"),
        ] {
            assert_eq!(plain(printed), told, "{printed:?}");
        }
    }
}
