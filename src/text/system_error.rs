//! The words of the system's errors.

use std::fmt::Display;

/// The system's words for an error, without the number that stands behind them: it tells nobody anything. `None` for
/// the text of an error that is not the system's.
pub(crate) fn without_number(text: &str) -> Option<&str> {
    text.split_once(" (os error ").map(|(words, _)| words)
}

/// The words of an error: those of the system without its number, others as they are.
pub(crate) fn words(error: &(impl Display + ?Sized)) -> String {
    let text = error.to_string();
    without_number(&text).unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_texts_of_the_system_lose_a_number() {
        let full = "No space left on device (os error 28)";
        assert_eq!(without_number(full), Some("No space left on device"));
        assert_eq!(without_number("a text of its own (1)"), None);
        assert_eq!(words(&std::io::Error::from_raw_os_error(28)), "No space left on device");
        assert_eq!(words(&"a text of its own (1)"), "a text of its own (1)");
    }
}
