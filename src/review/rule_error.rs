//! Why rule files are refused, for the people who write them.

/// Why a rule file can't be used. Each message names the file, the place if known, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RuleError {
    /// The file is no TOML, or has another form than a rule file.
    #[error("{file}:{line}: {reason}")]
    Unreadable {
        /// The file that is refused.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// The message of the TOML reader.
        reason: String,
    },
    /// The file does not say which language its rules are for.
    #[error("{file}: say which language the rules read: language = \"python\" (or {known})")]
    NoLanguage {
        /// The file that is refused.
        file: String,
        /// The known languages.
        known: String,
    },
    /// A rule refers to an act that is neither in the file nor in the shipped rules of its language.
    #[error("{file}, rule {rule}: there is no [[act]] named {act}")]
    NoAct {
        /// The file that is refused.
        file: String,
        /// The rule in it.
        rule: String,
        /// The name that is missing.
        act: String,
    },
    /// A rule has no matcher, or more than one.
    #[error("{file}, rule {rule}: give it calls, acts or a query (with `on`), and only one of them")]
    NoMatcher {
        /// The file that is refused.
        file: String,
        /// The rule in it.
        rule: String,
    },
    /// A rule with a severity has no message.
    #[error("{file}, rule {rule}: a rule with a severity needs a message")]
    NoMessage {
        /// The file that is refused.
        file: String,
        /// The rule in it.
        rule: String,
    },
    /// Two rules have the same id.
    #[error("{file}, rule {rule}: there is a rule of this name already: choose another one")]
    Twice {
        /// The file that is refused.
        file: String,
        /// The id that they share.
        rule: String,
    },
    /// A query does not fit its grammar.
    #[error("{file}, rule {rule}: the query does not fit the grammar: {reason}")]
    Query {
        /// The file that is refused.
        file: String,
        /// The rule in it.
        rule: String,
        /// The message of tree-sitter.
        reason: String,
    },
    /// An example of a rule fails.
    #[error("{file}, rule {rule}: it {verb} its example {example:?}")]
    Example {
        /// The file that is refused.
        file: String,
        /// The rule in it.
        rule: String,
        /// What the rule does with its example: `misses` or `finds`.
        verb: &'static str,
        /// The text that the rule should match, or should not match.
        example: String,
    },
}
