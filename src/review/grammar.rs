//! The languages that the review can read, by their names and file extensions.

/// How a language is read: with a grammar of its own, or only by its words.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Deserialize, strum::IntoStaticStr, strum::VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub(super) enum Grammar {
    Python,
    /// One grammar reads TypeScript and JSX, too.
    Javascript,
    Bash,
    /// Read by its words: no grammar fits all dialects.
    Sql,
    /// A language without a rule file of its own: read by words that most languages share.
    Other,
}

impl Grammar {
    /// Whether it is parsed by a grammar.
    pub(super) fn has_grammar(self) -> bool {
        matches!(self, Grammar::Python | Grammar::Javascript | Grammar::Bash)
    }

    /// How a language with this name is read; `None` for texts that are no programs (`json`, `markdown`).
    pub(super) fn of(language: &str) -> Option<Self> {
        Some(match language {
            "python" | "py" | "ipython" => Grammar::Python,
            "javascript" | "js" | "node" | "jsx" | "typescript" | "ts" | "tsx" | "deno" | "bun" => {
                Grammar::Javascript
            }
            "bash" | "sh" | "shell" | "zsh" | "ksh" | "dash" => Grammar::Bash,
            "sql" | "postgresql" | "mysql" | "sqlite" | "plsql" | "tsql" => Grammar::Sql,
            "other" => Grammar::Other,
            _ if LANGUAGES.iter().any(|(name, _)| *name == language) => Grammar::Other,
            _ => return None,
        })
    }

    /// The name of the language in rule files and lists.
    pub(super) fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Languages and their file extensions, without the dot.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("python", &["py", "pyw", "pyi"]),
    ("javascript", &["js", "mjs", "cjs", "jsx"]),
    ("typescript", &["ts", "tsx", "mts", "cts"]),
    ("bash", &["sh", "bash", "zsh", "ksh", "bats"]),
    ("sql", &["sql", "psql", "ddl"]),
    ("ruby", &["rb", "rake", "gemspec"]),
    ("perl", &["pl", "pm"]),
    ("php", &["php", "phtml"]),
    ("lua", &["lua"]),
    ("r", &["r"]),
    ("julia", &["jl"]),
    ("go", &["go"]),
    ("rust", &["rs"]),
    ("java", &["java"]),
    ("kotlin", &["kt", "kts"]),
    ("scala", &["scala", "sc"]),
    ("groovy", &["groovy", "gradle"]),
    ("csharp", &["cs", "csx"]),
    ("c", &["c", "h"]),
    ("cpp", &["cpp", "cc", "cxx", "hpp"]),
    ("swift", &["swift"]),
    ("dart", &["dart"]),
    ("elixir", &["ex", "exs"]),
    ("powershell", &["ps1", "psm1"]),
    ("batch", &["bat", "cmd"]),
    ("fish", &["fish"]),
    ("tcl", &["tcl"]),
    ("awk", &["awk"]),
    ("applescript", &["applescript", "scpt"]),
];

/// The language of files with this extension (without the dot), if the review can read it. Some of these languages
/// can't be run.
pub(crate) fn language_of_extension(extension: &str) -> Option<&'static str> {
    let extension = extension.to_ascii_lowercase();
    LANGUAGES.iter().find(|(_, all)| all.contains(&extension.as_str())).map(|(name, _)| *name)
}

/// Whether the review can read a language of this name, at least by its words.
pub(crate) fn reads(language: &str) -> bool {
    Grammar::of(language).is_some()
}

/// Whether two languages are the same, or use the same grammar.
pub(crate) fn reads_alike(one: &str, other: &str) -> bool {
    one == other || Grammar::of(one).is_some_and(|t| t.has_grammar() && Grammar::of(other) == Some(t))
}
