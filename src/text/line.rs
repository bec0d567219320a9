//! Puts texts on one line.

/// The text on one line: each run of white space becomes one space.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The last line that is not blank, without white space around it.
pub(crate) fn last_line(text: &str) -> Option<&str> {
    text.lines().rev().map(str::trim).find(|line| !line.is_empty())
}

/// Text of others on one line: at most 300 characters, without controls and without characters that reorder text.
pub(crate) fn short_line(text: &str) -> String {
    let mut line = String::new();
    let mut blank = false;
    for (count, c) in text.trim().chars().enumerate() {
        if count == 300 {
            line.push('…');
            break;
        }
        let hidden = matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
        if c.is_whitespace() {
            blank = true;
        } else if !c.is_control() && !hidden {
            if std::mem::take(&mut blank) {
                line.push(' ');
            }
            line.push(c);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_others_are_short_and_harmless() {
        assert_eq!(short_line("  a\r\n\tb\x1b[2J\u{202e}c "), "a b[2Jc");
        assert_eq!(short_line(&"ü".repeat(1000)).chars().count(), 301);
        assert_eq!(one_line("  a\r\n\tb\x1b[2J\u{202e}c "), "a b\x1b[2J\u{202e}c");
    }
}
