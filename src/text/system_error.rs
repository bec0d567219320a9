//! The words of the system's errors.

/// The system's words for an error, without the number that stands behind them: it tells nobody anything. `None` for
/// the text of an error that is not the system's.
pub(crate) fn without_number(text: &str) -> Option<&str> {
    text.split_once(" (os error ").map(|(words, _)| words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_texts_of_the_system_lose_a_number() {
        let full = "No space left on device (os error 28)";
        assert_eq!(without_number(full), Some("No space left on device"));
        assert_eq!(without_number("a text of its own (1)"), None);
    }
}
