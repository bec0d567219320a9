//! Why rule files are refused, for the people who write them.

/// Why a rule file can't be used. Each message names the file, the place if known, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RuleError {
    /// The file is no TOML, or has another form than a rule file. The line counts from 1.
    #[error("{file}:{line}: {reason}")]
    Unreadable { file: String, line: usize, reason: String },
    /// The file does not say which language its rules are for.
    #[error("{file}: say which language the rules read: language = \"python\" (or {known})")]
    NoLanguage { file: String, known: String },
    /// A rule in the file can't be used.
    #[error("{file}, rule {rule}: {fault}")]
    Rule { file: String, rule: String, fault: RuleFault },
}

impl RuleError {
    pub(super) fn of_rule(file: &str, rule: &str, fault: RuleFault) -> Self {
        Self::Rule { file: file.to_owned(), rule: rule.to_owned(), fault }
    }
}

/// What is wrong with a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RuleFault {
    /// It refers to an act that is neither in the file nor in the shipped rules of its language.
    #[error("there is no [[act]] named {0}")]
    NoAct(String),
    /// It has no matcher, or more than one.
    #[error("give it calls, acts or a query (with `on`), and only one of them")]
    NoMatcher,
    /// It has a severity, but no message.
    #[error("a rule with a severity needs a message")]
    NoMessage,
    /// Another rule has the same id.
    #[error("there is a rule of this name already: choose another one")]
    Twice,
    /// Its query does not fit the grammar; the message of tree-sitter.
    #[error("the query does not fit the grammar: {0}")]
    Query(String),
    /// It misses a text that it should match, or finds something in one that it should not match.
    #[error("it {verb} its example {example:?}")]
    Example { verb: &'static str, example: String },
}
