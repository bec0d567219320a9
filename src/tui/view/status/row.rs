//! Fits the text of the status row into its columns.

use crate::tui::widgets::safe;
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr as _;

/// Marks what was left out.
const MARK: &str = " ...";
/// Separates a lead from what follows it.
const GAP: &str = "  ";

/// What the row says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RowText {
    /// That a block waits; empty where the text says so itself, or none does.
    pub(super) lead: String,
    pub(super) text: String,
    pub(super) style: Style,
    /// Whether a mark says that sentences were left out. Of an answer each one counts; what the row composes itself
    /// begins with what matters.
    pub(super) is_marked: bool,
}

impl From<(String, Style)> for RowText {
    fn from((text, style): (String, Style)) -> Self {
        Self { lead: String::new(), text, style, is_marked: false }
    }
}

/// The fewest columns behind a lead in which a text is cut rather than that it takes the place of the lead.
const MIN_BEHIND: usize = 30;

impl RowText {
    /// The same row, in which a mark says that sentences were left out.
    pub(super) fn marked(self) -> Self {
        Self { is_marked: true, ..self }
    }

    /// The row in so many columns. Where little room is behind the lead, it is left out if the first sentence of the text
    /// does not fit there.
    pub(super) fn fitted(&self, room: usize) -> String {
        let mark = if self.is_marked { MARK } else { "" };
        let behind = room.saturating_sub(self.lead.width() + GAP.len());
        if self.lead.is_empty() || behind < MIN_BEHIND && first_sentence(&self.text, mark) > behind {
            return fit(&self.text, room, mark);
        }
        format!("{}{GAP}{}", self.lead, fit(&self.text, behind, mark))
    }
}

/// The columns of the first sentence, with the mark for the others.
fn first_sentence(text: &str, mark: &str) -> usize {
    let first = beginnings(text).next();
    first.map_or_else(|| text.width(), |first| text.width().min(first.width() + mark.len()))
}

/// The first sentence of a text, the first two, and so on, without the whole.
fn beginnings(text: &str) -> impl Iterator<Item = &str> {
    let spaces = text.match_indices(' ').filter_map(|(at, _)| text.get(..at));
    spaces.filter(|kept| kept.ends_with(['.', '?']))
}

/// As many whole sentences or parts as fit if they fill more than 40 % of the room, else as many whole words, with a
/// mark. `mark` says that sentences were left out; three spaces separate parts, of which the first ones say enough.
fn fit(text: &str, room: usize, mark: &str) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let fits = |(kept, mark): &(&str, &str)| kept.width() + mark.len() <= room;
    let sentences = beginnings(text).map(|kept| (kept, mark));
    let parts = text.match_indices("   ").filter_map(|(at, _)| Some((text.get(..at)?, "")));
    let whole = sentences
        .take_while(fits)
        .chain(parts.take_while(fits))
        .max_by_key(|(kept, _)| kept.len())
        .filter(|(kept, _)| kept.width() * 5 > room * 2);
    whole.map_or_else(|| words(text, room), |(kept, mark)| format!("{kept}{mark}"))
}

/// As many whole words as fit, with the mark.
fn words(text: &str, room: usize) -> String {
    let mut kept = String::new();
    for word in text.split(' ') {
        let longer = if kept.is_empty() { word.to_owned() } else { format!("{kept} {word}") };
        if longer.width() + MARK.len() > room {
            // A path or an address is useful even if its end is cut off.
            let left = room.saturating_sub(kept.width() + 1);
            if word.width() > 24 && left > 12 {
                return format!("{kept} {}", safe::cut(word, left));
            }
            break;
        }
        kept = longer;
    }
    kept + MARK
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(lead: &str, text: &str) -> RowText {
        RowText { lead: lead.into(), ..RowText::from((text.to_owned(), Style::default())).marked() }
    }

    #[test]
    fn what_was_left_out_is_marked() {
        let answer = row("", "The first sentence. The second sentence.");
        for (room, told) in [
            (40, "The first sentence. The second sentence."),
            (39, "The first sentence. ..."),
            (23, "The first sentence. ..."),
            (22, "The first ..."),
        ] {
            assert_eq!(answer.fitted(room), told, "{room}");
        }
    }

    #[test]
    fn a_question_is_a_sentence() {
        let answer =
            row("", "Connection refused. Is the server running? It is asked at http://127.0.0.1:11434/v1.");
        assert_eq!(answer.fitted(60), "Connection refused. Is the server running? ...");
    }

    #[test]
    fn the_lead_gives_way_to_a_first_sentence() {
        let answer = row("Block 2 waits: Ctrl-Y.", "The first sentence. The second sentence.");
        for (room, told) in [
            (64, "Block 2 waits: Ctrl-Y.  The first sentence. The second sentence."),
            (63, "Block 2 waits: Ctrl-Y.  The first sentence. ..."),
            (47, "Block 2 waits: Ctrl-Y.  The first sentence. ..."),
            (46, "The first sentence. The second sentence."),
            (39, "The first sentence. ..."),
        ] {
            assert_eq!(answer.fitted(room), told, "{room}");
        }
    }
}
