//! Renders edited terminal lines as plain text: escape sequences mean nothing to a model.

use std::fmt::Write as _;
use std::iter::Peekable;
use std::str::Chars;

/// The longest line that can still be edited; a longer one stays as it is up to there.
const MAX_EDITABLE_CHARS: usize = 4096;

/// A text without terminal control sequences: those that edit a line are executed, the others removed; other control
/// characters are replaced by their names.
pub(super) fn readable(text: &str) -> String {
    if !text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        return text.to_owned();
    }
    let mut line = EditedLine { done: String::with_capacity(text.len()), line: Vec::new(), at: 0 };
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => line.sequence(&mut chars),
            '\u{8}' => line.at = line.at.saturating_sub(1),
            '\r' if chars.peek() == Some(&'\n') => {}
            '\n' | '\r' => line.end(),
            '\t' => line.write_char(c),
            c if c.is_control() => line.name(c),
            c => line.write_char(c),
        }
    }
    line.flush();
    line.done
}

/// The current line, and the finished lines before it.
struct EditedLine {
    done: String,
    line: Vec<char>,
    /// The column of the next character.
    at: usize,
}

impl EditedLine {
    fn write_char(&mut self, c: char) {
        match self.line.get_mut(self.at) {
            Some(there) => *there = c,
            None => self.line.push(c),
        }
        self.at += 1;
        if self.line.len() >= MAX_EDITABLE_CHARS {
            self.flush();
        }
    }

    fn name(&mut self, c: char) {
        let mut name = String::new();
        let _ = write!(name, "<U+{:04X}>", u32::from(c));
        name.chars().for_each(|c| self.write_char(c));
    }

    fn end(&mut self) {
        self.flush();
        self.done.push('\n');
    }

    fn flush(&mut self) {
        self.done.extend(self.line.drain(..));
        self.at = 0;
    }

    /// Reads a control sequence, and executes it if it edits the line.
    fn sequence(&mut self, chars: &mut Peekable<Chars<'_>>) {
        match chars.peek() {
            Some('[') => {
                // A control sequence ends at its first byte between `@` and `~`.
                chars.next();
                let mut parameters = String::new();
                while let Some(c) = chars.next_if(|c| matches!(c, ' '..='?')) {
                    parameters.push(c);
                }
                if let Some(end) = chars.next_if(|c| matches!(c, '@'..='~')) {
                    self.edit(end, &parameters);
                }
            }
            Some(']') => {
                // An operating system command ends with BEL or ESC \.
                while chars.next_if(|c| !matches!(c, '\u{7}' | '\u{1b}' | '\n')).is_some() {}
                if chars.next_if(|c| matches!(c, '\u{7}' | '\u{1b}')) == Some('\u{1b}') {
                    chars.next_if_eq(&'\\');
                }
            }
            _ => {
                while chars.next_if(|c| matches!(c, ' '..='/')).is_some() {}
                chars.next_if(|c| matches!(c, '0'..='~'));
            }
        }
    }

    fn edit(&mut self, end: char, parameters: &str) {
        let by = if parameters.is_empty() { Ok(1) } else { parameters.parse::<usize>() };
        let (Ok(by), length) = (by, self.line.len()) else { return };
        match end {
            'C' => self.at = self.at.saturating_add(by).min(length),
            'D' => self.at = self.at.saturating_sub(by),
            'K' if parameters.is_empty() || by == 0 => self.line.truncate(self.at),
            'P' => drop(self.line.drain(self.at..self.at.saturating_add(by).min(length))),
            '@' => {
                let blanks =
                    std::iter::repeat_n(' ', by.min(MAX_EDITABLE_CHARS - length.min(MAX_EDITABLE_CHARS)));
                drop(self.line.splice(self.at..self.at, blanks));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edited_line_stands_as_a_terminal_would_show_it() {
        for (printed, expected) in [
            ("abc\u{8}\u{8}X", "aXc"),
            ("abc\u{8} \u{8}d", "abd"),
            // As readline prints it.
            (">>> 6 8x\u{8}\u{8}\u{1b}[1@*\u{1b}[1@ \u{1b}[C\u{1b}[K\r\n48\r\n", ">>> 6 * 8\n48\n"),
            (">>> 68\u{8}\u{8}\u{1b}[1P7\u{1b}[C!", ">>> 7!"),
            ("\u{8}\u{8}x\u{1b}[99Dy\u{1b}[99Cz", "yz"),
            ("50%\r100%\r\n", "50%\n100%\n"),
            ("\u{1b}[31mred\u{1b}[m\u{1b}[K \u{1b}]0;title\u{7}\u{0}\u{1b}(Bend", "red <U+0000>end"),
        ] {
            assert_eq!(readable(printed), expected, "{printed:?}");
        }
    }

    #[test]
    fn what_is_long_is_not_edited_for_ever() {
        let flood = format!("{}{}", "x".repeat(100_000), "\u{1b}[1D\u{1b}[1P\u{1b}[9999@".repeat(50_000));
        let text = readable(&flood);
        assert!((90_000..110_000).contains(&text.len()), "{}", text.len());
    }
}
