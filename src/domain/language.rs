//! Languages that a block can be written in, and which of them can be run.

use std::fmt;

/// The canonical, lower-case name of a language: `python`, `bash`, `javascript`, `json`, …
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language(pub String);

impl Language {
    /// Python, the language of the kernel.
    pub fn python() -> Self {
        Self("python".into())
    }

    /// bash.
    pub fn bash() -> Self {
        Self("bash".into())
    }

    /// JavaScript, run by node.
    pub fn javascript() -> Self {
        Self("javascript".into())
    }

    /// The name, as written on screen and in files.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One language that can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LanguageEntry {
    /// The canonical name.
    pub name: Language,
    /// Other words for it in the info string of a fence, lower-case, without the name itself.
    pub aliases: Vec<String>,
    /// File extensions without the dot; the first is used for new files.
    pub extensions: Vec<String>,
    /// The program that runs it, as looked up on `PATH`.
    pub command: String,
    /// Whether state persists between its blocks in a kernel.
    pub persistent: bool,
}

/// The languages that can be run, in the order in which they are offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Languages(pub Vec<LanguageEntry>);

impl Languages {
    /// The language that a word names (`py3`, `PYTHON`, `{python}` without its braces), if it can be run.
    pub fn find(&self, word: &str) -> Option<&LanguageEntry> {
        let word = word.to_ascii_lowercase();
        self.0.iter().find(|l| l.name.0 == word || l.aliases.contains(&word))
    }

    /// The language that files with this extension (without the dot) are written in.
    pub fn by_extension(&self, extension: &str) -> Option<&LanguageEntry> {
        let extension = extension.to_ascii_lowercase();
        self.0.iter().find(|l| l.extensions.contains(&extension))
    }
}

impl Default for Languages {
    fn default() -> Self {
        fn entry(
            name: &str,
            aliases: &[&str],
            extensions: &[&str],
            command: &str,
            persistent: bool,
        ) -> LanguageEntry {
            LanguageEntry {
                name: Language(name.into()),
                aliases: aliases.iter().map(ToString::to_string).collect(),
                extensions: extensions.iter().map(ToString::to_string).collect(),
                command: command.into(),
                persistent,
            }
        }
        Self(vec![
            entry(
                "python",
                &["py", "py3", "python3", "ipython", "ipython3"],
                &["py", "pyw"],
                "python3",
                true,
            ),
            entry("bash", &["sh", "shell"], &["sh", "bash"], "bash", false),
            entry(
                "javascript",
                &["js", "node", "nodejs", "mjs", "cjs"],
                &["js", "mjs", "cjs"],
                "node",
                false,
            ),
        ])
    }
}
