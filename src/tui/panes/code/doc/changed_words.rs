//! Marks parts of a line, such as the words that changed, on top of its colours.

use super::LineStyles;
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use ratatui::style::{Modifier, Style};
use std::ops::Range;
use std::time::Duration;

/// How long the comparison of a hunk's words may take.
pub(crate) const WORDS_TIMEOUT: Duration = Duration::from_millis(20);

/// Colours of a line with these words marked, which are sorted and disjoint; outside of them the colours stay.
pub(crate) fn marked(styles: &LineStyles, words: &[Range<usize>], mark: Style) -> LineStyles {
    let mut all = LineStyles::new();
    let mut words = words.iter().filter(|word| !word.is_empty()).peekable();
    let mut styles = styles.iter().peekable();
    let mut at = 0;
    // Advances from one change of style to the next.
    while styles.peek().is_some() || words.peek().is_some() {
        let (style, word) = (styles.peek().copied(), words.peek().copied());
        let starts = [style.map(|(range, _)| range.start), word.map(|range| range.start)];
        let colour = style.filter(|(range, _)| range.start <= at);
        let word = word.filter(|range| range.start <= at);
        let ends = [colour.map(|(range, _)| range.end), word.map(|range| range.end)];
        let next = starts.into_iter().flatten().filter(|start| *start > at).chain(ends.into_iter().flatten());
        let Some(next) = next.min() else { break };
        let style = match (colour, word) {
            (Some((_, style)), Some(_)) => Some(style.patch(mark)),
            (Some((_, style)), None) => Some(*style),
            (None, Some(_)) => Some(mark),
            (None, None) => None,
        };
        all.extend(style.map(|style| (at..next, style)));
        at = next;
        while styles.next_if(|(range, _)| range.end <= at).is_some() {}
        while words.next_if(|range| range.end <= at).is_some() {}
    }
    all
}

/// The styles of added (`diff.add`) or removed (`diff.del`) lines.
pub(crate) struct DiffLook {
    /// The sign in front.
    pub(crate) sign: Style,
    /// The text: the colour of ordinary code if the line has a background, else the colour of the change.
    pub(crate) text: Style,
    /// The background of the whole line; none where the colours are the terminal's own.
    pub(crate) tint: Style,
    /// The background of changed words.
    pub(crate) word: Style,
}

impl DiffLook {
    pub(crate) fn of(slot: Slot, draw: DrawContext<'_>) -> Self {
        let (sign, tint) = (draw.style(slot), draw.theme.tint(slot));
        let underlined = Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED);
        if tint == Style::new() {
            return Self { sign, text: sign, tint, word: underlined };
        }
        Self { sign, text: draw.text(), tint, word: draw.theme.tint_more(slot) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Every byte keeps its colour, those of changed words are also marked, and ranges stay sorted and disjoint.
        #[test]
        fn colours_are_kept_and_words_marked(
            colours in proptest::collection::vec((0usize..6, 1usize..6), 0..5),
            words in proptest::collection::vec((0usize..6, 1usize..6), 0..5),
        ) {
            let place = |gaps: &[(usize, usize)]| {
                let mut at = 0;
                gaps.iter()
                    .map(|(gap, length)| {
                        let range = at + gap..at + gap + length;
                        at = range.end;
                        range
                    })
                    .collect::<Vec<_>>()
            };
            let bold = Style::new().add_modifier(Modifier::BOLD);
            let mark = Style::new().add_modifier(Modifier::UNDERLINED);
            let styles: LineStyles = place(&colours).into_iter().map(|range| (range, bold)).collect();
            let words = place(&words);
            let made = marked(&styles, &words, mark);
            prop_assert!(made.windows(2).all(|pair| pair[0].0.end <= pair[1].0.start));
            for byte in 0..70 {
                let style = made.iter().find(|(range, _)| range.contains(&byte)).map_or(Style::new(), |(_, s)| *s);
                let coloured = styles.iter().any(|(range, _)| range.contains(&byte));
                let is_word = words.iter().any(|range| range.contains(&byte));
                prop_assert_eq!(style.add_modifier.contains(Modifier::BOLD), coloured);
                prop_assert_eq!(style.add_modifier.contains(Modifier::UNDERLINED), is_word);
            }
        }
    }
}
