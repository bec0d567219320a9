//! Languages that the review can read, by their names and by the extensions of their files.

/// How a language is read: by a grammar of its own, or by its words alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub(super) enum Grammar {
    Python,
    /// TypeScript and JSX too: one grammar reads them all.
    Javascript,
    Bash,
    /// Read by its words: there is no grammar that fits all its kinds.
    Sql,
    /// Any language without a rule file of its own: what is common to most of them, by words alone.
    Other,
}

impl Grammar {
    /// Whether a grammar reads it.
    pub(super) fn has_grammar(self) -> bool {
        matches!(self, Grammar::Python | Grammar::Javascript | Grammar::Bash)
    }

    /// The tongue of a language by its canonical name; `None` for texts that are no programs (`json`, `markdown`).
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

    /// The name of its language, as rule files and lists spell it.
    pub(super) fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Languages and the extensions of their files, without the dot.
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

/// The name of the language that files with this extension (without the dot) are written in, where the review can read
/// it. More are known here than can be run.
pub(crate) fn language_of_extension(extension: &str) -> Option<&'static str> {
    let extension = extension.to_ascii_lowercase();
    LANGUAGES.iter().find(|(_, all)| all.contains(&extension.as_str())).map(|(name, _)| *name)
}

/// Whether the review has rules for a language by this name, or reads its words at least.
pub(crate) fn reads(language: &str) -> bool {
    Grammar::of(language).is_some()
}

/// Whether two languages are read alike: by the same grammar, or by the same words.
pub(crate) fn reads_alike(one: &str, other: &str) -> bool {
    one == other || Grammar::of(one).is_some_and(|t| t.has_grammar() && Grammar::of(other) == Some(t))
}
