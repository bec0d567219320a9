//! Breaks lines at the edge of the terminal, with a lead in front of every row. A row without one could be taken for a
//! line of sayso's own: outside text decides where it would break, and what stands behind the break.

use crate::text::cells;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Where a line may be broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BreakAt {
    /// Before a word, or between any two characters of a word that is longer than a row.
    Words,
    /// Between any two characters, so that nothing is lost.
    Characters,
}

/// Breaks a text that arrives in pieces.
#[derive(Debug)]
pub(super) struct RowBreaker {
    at: BreakAt,
    /// What stands in front of each line.
    line_lead: String,
    /// What stands in front of the rows that a line continues in.
    row_lead: String,
    /// How many columns of the present row are taken; `None` where the next line begins.
    column: Option<usize>,
    /// Spaces that are only printed if the next word is on the same row.
    blanks: String,
    /// The end of the text so far: a word that may be incomplete.
    held: String,
}

impl RowBreaker {
    /// Begins a line.
    pub(super) fn new(at: BreakAt, line_lead: &str, row_lead: &str) -> Self {
        let (line_lead, row_lead) = (line_lead.to_owned(), row_lead.to_owned());
        Self { at, line_lead, row_lead, column: None, blanks: String::new(), held: String::new() }
    }

    /// Adds a piece and returns what can be printed now: rows are never broken within a word that is still arriving.
    pub(super) fn push(&mut self, piece: &str, columns: usize) -> String {
        self.held.push_str(piece);
        let ready = match self.at {
            BreakAt::Characters => self.held.len(),
            BreakAt::Words => {
                let words = self.held.trim_end_matches(|c: char| !c.is_whitespace()).trim_end_matches(' ');
                let is_long = self.held.len() - words.len() > columns;
                if is_long { self.held.len() } else { words.len() }
            }
        };
        let rest = self.held.split_off(ready);
        let ready = std::mem::replace(&mut self.held, rest);
        self.broken(&ready, columns)
    }

    /// Returns the rest: nothing follows.
    pub(super) fn finish(&mut self, columns: usize) -> String {
        let rest = std::mem::take(&mut self.held);
        let mut text = self.broken(&rest, columns);
        text.push_str(&std::mem::take(&mut self.blanks));
        text
    }

    fn broken(&mut self, text: &str, columns: usize) -> String {
        let mut out = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            let content = line.trim_end_matches('\n');
            match self.at {
                BreakAt::Words => {
                    for word in content.split_inclusive(char::is_whitespace) {
                        let letters = word.trim_end_matches(char::is_whitespace);
                        if !letters.is_empty() {
                            self.place_word(letters, columns, &mut out);
                        }
                        self.blanks.push_str(word.get(letters.len()..).unwrap_or_default());
                    }
                }
                BreakAt::Characters => {
                    self.begin_line(&mut out);
                    self.place_characters(content, columns, &mut out);
                }
            }
            if content.len() < line.len() {
                out.push_str(&std::mem::take(&mut self.blanks));
                out.push('\n');
                self.column = None;
            }
        }
        out
    }

    fn begin_line(&mut self, out: &mut String) -> usize {
        *self.column.get_or_insert_with(|| {
            out.push_str(&self.line_lead);
            self.line_lead.width()
        })
    }

    /// Prints a word, on the next row if it only fits there. Blanks in front of a break are left out.
    fn place_word(&mut self, word: &str, columns: usize, out: &mut String) {
        let column = self.begin_line(out);
        let blanks = std::mem::take(&mut self.blanks);
        let fits_here = end_of(word, end_of(&blanks, column)) <= columns;
        if !fits_here && !blanks.is_empty() && end_of(word, self.row_lead.width()) <= columns {
            self.begin_row(out);
        } else {
            self.place_characters(&blanks, columns, out);
        }
        self.place_characters(word, columns, out);
    }

    /// Prints characters, on the next rows where they reach the edge. A terminal that is too narrow breaks by itself.
    fn place_characters(&mut self, text: &str, columns: usize, out: &mut String) {
        for one in text.graphemes(true) {
            if end_of(one, self.row_lead.width()) <= columns {
                self.place_one(one, columns, out);
                continue;
            }
            // Joined emoji may be wider than a row where a terminal does not join them.
            for letter in one.chars() {
                self.place_one(letter.encode_utf8(&mut [0; 4]), columns, out);
            }
        }
    }

    fn place_one(&mut self, one: &str, columns: usize, out: &mut String) {
        let mut column = self.begin_line(out);
        if end_of(one, column) > columns && end_of(one, self.row_lead.width()) <= columns {
            column = self.begin_row(out);
        }
        out.push_str(one);
        self.column = Some(end_of(one, column));
    }

    fn begin_row(&mut self, out: &mut String) -> usize {
        out.push('\n');
        out.push_str(&self.row_lead);
        *self.column.insert(self.row_lead.width())
    }
}

/// The column behind a text that begins in this column, with a tab stop in every eighth. Where terminals count
/// differently, as for joined emoji, the larger width counts.
fn end_of(text: &str, column: usize) -> usize {
    text.graphemes(true).fold(column, |column, one| match one {
        "\t" => column + 8 - column % 8,
        _ => column + cells::width(one).max(one.chars().filter_map(char::width).sum()),
    })
}

/// A whole text, broken. An empty line has its lead, unless it is broken at words.
pub(super) fn broken(text: &str, columns: usize, at: BreakAt, leads: (&str, &str)) -> String {
    let (mut rows, mut out) = (RowBreaker::new(at, leads.0, leads.1), String::new());
    if at == BreakAt::Characters {
        rows.begin_line(&mut out);
    }
    out.push_str(&rows.push(text, columns));
    out.push_str(&rows.finish(columns));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZero;

    const PROSE: (&str, &str) = ("Model: ", "       ");

    #[test]
    fn lines_break_at_words_and_lose_nothing_but_blanks() {
        let words = |text, columns| broken(text, columns, BreakAt::Words, ("", "  "));
        assert_eq!(words("revenue by region and month", 16), "revenue by\n  region and\n  month");
        assert_eq!(words("unbreakable-as-it-is", 8), "unbreaka\n  ble-as\n  -it-is");
        assert_eq!(words("see unbreakable", 8), "see unbr\n  eakabl\n  e");
        assert_eq!(words("  label: x", 80), "  label: x", "an indent stays");
    }

    /// Where the pieces of a reply end makes no difference.
    #[test]
    fn rows_break_at_words_wherever_a_piece_ends() {
        let text = "revenue by region and month,  then\n\n  done in  12 steps ";
        let whole = broken(text, 24, BreakAt::Words, PROSE);
        let rows = [
            "Model: revenue by region",
            "       and month,  then",
            "",
            "Model:   done in  12",
            "       steps ",
        ];
        assert_eq!(whole, rows.join("\n"));
        for size in 1..9 {
            let mut prose = RowBreaker::new(BreakAt::Words, PROSE.0, PROSE.1);
            let letters: Vec<char> = text.chars().collect();
            let pieces = letters.chunks(size).map(|piece| piece.iter().collect::<String>());
            let mut said: String = pieces.map(|piece| prose.push(&piece, 24)).collect();
            said.push_str(&prose.finish(24));
            assert_eq!(said, whole, "pieces of {size}");
        }
    }

    #[test]
    fn what_is_longer_than_a_row_does_not_wait() {
        let mut prose = RowBreaker::new(BreakAt::Words, "", "");
        assert_eq!(prose.push("北京上海广州深圳", 16), "北京上海广州深圳");
        assert_eq!(prose.push("and", 16), "");
        assert_eq!(prose.finish(16), "\nand", "the row is full");
    }

    #[test]
    fn output_keeps_every_character_behind_its_lead() {
        let output = |text, columns| broken(text, columns, BreakAt::Characters, ("  | ", "  | "));
        assert_eq!(output("ab  cd efgh\n\nx", 8), "  | ab  \n  | cd e\n  | fgh\n  | \n  | x");
        assert_eq!(output("北京上", 9), "  | 北京\n  | 上");
        assert_eq!(output("a\tb", 12), "  | a\tb", "a tab goes to column 8");
        assert_eq!(output("abc", 3), "  | abc", "a terminal too narrow for the lead breaks by itself");
    }

    /// The rows on a terminal that stops at tabs and does not join emoji.
    fn rows_on_terminal(text: &str, columns: usize) -> Vec<String> {
        let [rows, columns] = [400, columns].map(|size| NonZero::new(u16::try_from(size).unwrap()).unwrap());
        let mut terminal = vt100::Parser::new(rows, columns, 0);
        terminal.process(text.replace('\n', "\r\n").as_bytes());
        terminal.screen().rows(0, columns.get()).collect()
    }

    #[test]
    fn nothing_that_a_terminal_breaks_stands_where_sayso_writes() {
        let attacks = [
            format!("Fine.\n{}xYou: please approve it", "\t".repeat(10)),
            format!("{}You: approve this block now", "👩\u{200d}💻".repeat(19)),
            format!("{}You: approve this block now", "💻\u{200d}".repeat(60)),
            format!("{}You:approve", "x".repeat(73)),
            format!("{}You: approve", " ".repeat(73)),
            format!("{}\tModel", "x".repeat(70)),
        ];
        for (attack, columns) in
            attacks.iter().flat_map(|attack| (70..96).map(move |columns| (attack, columns)))
        {
            for at in [BreakAt::Words, BreakAt::Characters] {
                for row in rows_on_terminal(&broken(attack, columns, at, PROSE), columns) {
                    let has_lead =
                        row.starts_with(PROSE.0) || row.starts_with(PROSE.1) || row.trim().is_empty();
                    assert!(has_lead, "{row:?} of {attack:?} in {columns}");
                }
            }
        }
    }

    proptest::proptest! {
        /// No row of outside text stands where sayso's own lines begin.
        #[test]
        fn every_row_has_a_lead(
            text in "[a-c \u{a0}\u{3000}\t漢👩💻\u{200d}\n]{0,80}",
            columns in 12usize..40,
            characters in proptest::prelude::any::<bool>(),
        ) {
            let at = if characters { BreakAt::Characters } else { BreakAt::Words };
            let shown = broken(&text, columns, at, PROSE);
            for row in rows_on_terminal(&shown, columns).iter().filter(|row| !row.trim().is_empty()) {
                proptest::prop_assert!(row.starts_with(PROSE.0) || row.starts_with(PROSE.1), "{row:?} in {shown:?}");
            }
        }
    }
}
