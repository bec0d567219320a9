//! Parses single arguments with a form of their own, and defines their errors.

use std::time::Duration;

/// Why an argument can't be parsed, as what is expected instead. The parser of the command line adds the option and
/// the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ArgumentError {
    /// Seconds that are no number.
    #[error("a number of seconds is needed, such as 2.5")]
    NoSeconds,
    /// Seconds outside the range of a time limit.
    #[error("it has to be more than 0 and at most 10,000,000 seconds")]
    Seconds,
    /// An answer to a recipe's question without the name of the question.
    #[error("an answer is written as KEY=VALUE")]
    Answer,
}

/// Parses a duration in seconds.
pub(super) fn seconds(text: &str) -> Result<Duration, ArgumentError> {
    let seconds: f64 = text.parse().map_err(|_| ArgumentError::NoSeconds)?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if time >= Duration::from_millis(1) && seconds <= 1e7 => Ok(time),
        _ => Err(ArgumentError::Seconds),
    }
}

/// Parses an answer to a recipe's question: the name of the question and the answer.
pub(super) fn pair(text: &str) -> Result<(String, String), ArgumentError> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.trim().to_owned(), value.to_owned())),
        _ => Err(ArgumentError::Answer),
    }
}
