//! Why rule files are refused, in words for those who write them.

/// Why a rule file can't be used. The texts name the file, the place where it is known, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RuleError {
    /// It is not what a rule file looks like.
    #[error("{file}:{line}: {reason}")]
    Unreadable {
        /// The file that is refused.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// What the reader of TOML says.
        reason: String,
    },
    /// It does not tell which language its rules read.
    #[error("{file}: say which language the rules read: language = \"python\" (or {known})")]
    NoLanguage {
        /// The file that is refused.
        file: String,
        /// The languages that there are.
        known: String,
    },
    /// A rule speaks of an act that neither the file nor the shipped rules of its language have.
    #[error("{file}, rule {rule}: there is no [[act]] named {act}")]
    NoAct {
        /// The file that is refused.
        file: String,
        /// The rule in it.
        rule: String,
        /// The name that is missing.
        act: String,
    },
    /// A rule matches nothing, or in two ways at once.
    #[error("{file}, rule {rule}: give it calls, acts or a query (with `on`), and only one of them")]
    NoMatcher {
        /// The file that is refused.
        file: String,
        /// The rule in it.
        rule: String,
    },
    /// A rule that makes findings says nothing.
    #[error("{file}, rule {rule}: a rule with a severity needs a message")]
    NoMessage {
        /// The file that is refused.
        file: String,
        /// The rule in it.
        rule: String,
    },
    /// Two rules have one name.
    #[error("{file}, rule {rule}: there is a rule of this name already: choose another one")]
    Twice {
        /// The file that is refused.
        file: String,
        /// The name that they share.
        rule: String,
    },
    /// A query does not fit its grammar.
    #[error("{file}, rule {rule}: the query does not fit the grammar: {reason}")]
    Query {
        /// The file that is refused.
        file: String,
        /// The rule in it.
        rule: String,
        /// What the parser says.
        reason: String,
    },
    /// An example of a rule does not hold.
    #[error("{file}, rule {rule}: it {verb} its example {example:?}")]
    Example {
        /// The file that is refused.
        file: String,
        /// The rule in it.
        rule: String,
        /// What it does: `misses` or `finds`.
        verb: &'static str,
        /// The text that the rule should (or should not) have matched.
        example: String,
    },
}
