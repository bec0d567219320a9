//! Checks the names that people give to sessions.

/// The most characters of a name: lists show it in one row.
const MAX_CHARS: usize = 100;

/// Why a text can't be the name of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SessionNameError {
    /// It is empty.
    #[error("a name has letters")]
    Empty,
    /// It has this many characters, which is too long.
    #[error("a name has {MAX_CHARS} characters at the most, and this one has {0}")]
    TooLong(usize),
}

/// A typed name, without surrounding white space.
///
/// # Errors
/// When it is empty or too long.
pub(crate) fn session_name(text: &str) -> Result<&str, SessionNameError> {
    let name = text.trim();
    match name.chars().count() {
        0 => Err(SessionNameError::Empty),
        1..=MAX_CHARS => Ok(name),
        many => Err(SessionNameError::TooLong(many)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_neither_empty_nor_longer_than_a_row() {
        assert_eq!(session_name("  mine "), Ok("mine"));
        assert_eq!(session_name(" \n"), Err(SessionNameError::Empty));
        assert_eq!(session_name(&"é".repeat(MAX_CHARS)), Ok("é".repeat(MAX_CHARS).as_str()));
        let why = session_name(&"x".repeat(5_000)).unwrap_err();
        assert_eq!(why.to_string(), "a name has 100 characters at the most, and this one has 5000");
    }
}
