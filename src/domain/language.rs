//! The languages of blocks, and how to run each. Data only: other rooms find out which programs are installed.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// The canonical, lower-case name of a language: `python`, `bash`, `javascript`, `json`, …
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Language(pub String);

impl Language {
    /// Python, the language of the kernel.
    pub fn python() -> Self {
        Self("python".into())
    }

    /// Bash, also used for commands.
    pub fn bash() -> Self {
        Self("bash".into())
    }

    /// JavaScript, run by node.
    pub fn javascript() -> Self {
        Self("javascript".into())
    }

    /// The name, as shown and stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A language that can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LanguageEntry {
    pub name: Language,
    /// Other names for it in the info string of a fence, lower-case.
    pub aliases: Vec<String>,
    /// File extensions without the dot; the first is used for new files.
    pub extensions: Vec<String>,
    /// The program that runs it, to be found on `PATH`.
    pub command: String,
    /// The program's arguments. `{file}` is the descriptor with the approved text; `{source}` a private copy of it
    /// whose name has the language's extension; `{folder}` the folder in which the block starts. Empty: sayso runs the
    /// language in a special way (the kernel, bash, node).
    pub arguments: Vec<String>,
    /// The arguments for building `{program}`, which is then run with `arguments`. Empty: nothing is built.
    pub(crate) compile: Vec<String>,
    /// Other programs that run it, tried in this order if the first is not installed.
    pub others: Vec<RunMethod>,
    /// Whether its blocks share the state of a kernel.
    pub(crate) persistent: bool,
}

/// One way to run a language: see [`LanguageEntry`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunMethod {
    /// The program that runs it, to be found on `PATH`.
    pub command: String,
    /// Its arguments.
    pub(crate) arguments: Vec<String>,
    /// Its arguments for building the program.
    pub(crate) compile: Vec<String>,
    /// The oldest version that supports it: `22.13`.
    pub(crate) since: Option<String>,
    /// Whether it is R reading sayso's site profile instead of the installed one.
    pub(crate) profile: bool,
}

impl LanguageEntry {
    /// All ways to run it, in the order in which they are tried.
    pub(crate) fn ways(&self) -> Vec<RunMethod> {
        let first = RunMethod {
            command: self.command.clone(),
            arguments: self.arguments.clone(),
            compile: self.compile.clone(),
            since: since(&self.name, &self.command, &self.arguments),
            profile: self.arguments == WITH_PROFILE,
        };
        std::iter::once(first).chain(self.others.iter().cloned()).collect()
    }
}

/// The oldest version of a program that can run the language in this way, if not every version can.
fn since(language: &Language, command: &str, arguments: &[String]) -> Option<String> {
    let program = command.rsplit('/').next().unwrap_or(command);
    let is_node = language.as_str() == "typescript" && program == "node";
    // Node could run TypeScript from a file before it could from standard input.
    let since = match arguments.first().map(String::as_str) {
        None => "22.13",
        Some("--import") => "20.6",
        Some(_) => "22.6",
    };
    is_node.then(|| since.to_owned())
}

/// The languages that can be run, in the order in which they are offered. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Languages(pub Arc<Vec<LanguageEntry>>);

impl Languages {
    /// Finds the language that a word names (`py3`, `PYTHON`, `{python}` without its braces), if it can be run.
    pub fn find(&self, word: &str) -> Option<&LanguageEntry> {
        let word = word.to_ascii_lowercase();
        self.0.iter().find(|l| l.name.0 == word || l.aliases.contains(&word))
    }

    /// Finds the language of files with this extension (without the dot).
    pub(crate) fn by_extension(&self, extension: &str) -> Option<&LanguageEntry> {
        let extension = extension.to_ascii_lowercase();
        self.0.iter().find(|l| l.extensions.contains(&extension))
    }
}

/// A language as a table row: name, aliases, extensions, ways to run it.
type LanguageRow = (&'static str, &'static [&'static str], &'static [&'static str], &'static [CommandRow]);

/// A way to run a language as a table row: program, arguments, arguments for building.
type CommandRow = (&'static str, &'static [&'static str], &'static [&'static str]);

const FILE: &[&str] = &["{file}"];
/// Arguments that make R ignore its environment and saved state, but read the site profile, which sayso replaces.
const WITH_PROFILE: &[&str] = &["--no-save", "--no-restore", "--no-environ", "--no-init-file", "{file}"];
const SOURCE: &[&str] = &["{source}"];
/// sayso runs the language in a special way.
const OWN: &[&str] = &[];
const C: &[&str] = &["-x", "c", "-iquote", "{folder}", "-o", "{program}", "{source}", "-lm"];
const CPP: &[&str] = &["-x", "c++", "-iquote", "{folder}", "-o", "{program}", "{source}"];

/// The known languages, in the order in which they are offered.
const KNOWN_LANGUAGES: &[LanguageRow] = &[
    (
        "python",
        &["py", "py3", "python3", "ipython", "ipython3"],
        &["py", "pyw"],
        &[("python3", OWN, OWN), ("python", OWN, OWN)],
    ),
    ("bash", &["sh", "shell"], &["sh", "bash"], &[("bash", OWN, OWN)]),
    (
        "javascript",
        &["js", "node", "nodejs", "mjs", "cjs"],
        &["js", "mjs", "cjs"],
        &[("node", OWN, OWN), ("bun", SOURCE, OWN), ("deno", &["run", "--no-prompt", "{source}"], OWN)],
    ),
    (
        "typescript",
        &["ts", "mts", "cts"],
        &["ts", "mts", "cts"],
        &[
            ("node", OWN, OWN),
            // As a program of its own, tsx listens on a socket, which no sandbox allows.
            ("node", &["--import", "tsx", "{source}"], OWN),
            ("tsx", SOURCE, OWN),
            ("bun", SOURCE, OWN),
            ("deno", &["run", "--no-prompt", "{source}"], OWN),
            ("ts-node", &["--transpile-only", "{source}"], OWN),
            (
                "node",
                &["--experimental-strip-types", "--disable-warning=ExperimentalWarning", "{source}"],
                OWN,
            ),
        ],
    ),
    // Behind bash, whose aliases include `sh` and `shell`: a model that writes those expects bash.
    ("sh", &["dash", "ash", "posix-sh"], &["dash"], &[("sh", FILE, OWN)]),
    ("zsh", &[], &["zsh"], &[("zsh", &["-f", "{file}"], OWN)]),
    ("fish", &[], &["fish"], &[("fish", &["--no-config", "{file}"], OWN)]),
    ("ruby", &["rb"], &["rb"], &[("ruby", FILE, OWN)]),
    ("perl", &["pl"], &["pl", "pm"], &[("perl", FILE, OWN)]),
    ("php", &[], &["php"], &[("php", &["-d", "display_errors=stderr", "{file}"], OWN)]),
    (
        "lua",
        &[],
        &["lua"],
        &[("lua", FILE, OWN), ("lua5.4", FILE, OWN), ("lua5.3", FILE, OWN), ("luajit", FILE, OWN)],
    ),
    ("r", &["rscript"], &["r"], &[("Rscript", WITH_PROFILE, OWN)]),
    ("julia", &["jl"], &["jl"], &[("julia", &["--startup-file=no", "{file}"], OWN)]),
    ("go", &["golang"], &["go"], &[("go", OWN, &["build", "-o", "{program}", "{source}"])]),
    (
        "rust",
        &["rs"],
        &["rs"],
        &[("rustc", OWN, &["--edition=2021", "--crate-name", "block", "-o", "{program}", "{source}"])],
    ),
    ("c", &[], &["c"], &[("cc", OWN, C), ("gcc", OWN, C), ("clang", OWN, C)]),
    (
        "cpp",
        &["c++", "cxx"],
        &["cpp", "cc", "cxx"],
        &[("c++", OWN, CPP), ("g++", OWN, CPP), ("clang++", OWN, CPP)],
    ),
    ("java", &[], &["java"], &[("java", SOURCE, OWN)]),
    (
        "sql",
        &["sqlite", "sqlite3", "duckdb"],
        &["sql"],
        &[
            ("sqlite3", &["-batch", "-bail", "-header", "-column", ":memory:", ".read {file}"], OWN),
            ("duckdb", &["-batch", "-bail", ":memory:", "-c", ".read {file}"], OWN),
            ("python3", OWN, OWN),
        ],
    ),
    (
        "powershell",
        &["pwsh", "ps1"],
        &["ps1"],
        &[("pwsh", &["-NoProfile", "-NonInteractive", "-File", "{source}"], OWN)],
    ),
    ("make", &["makefile"], &["mk", "mak"], &[("make", &["-f", "{file}"], OWN)]),
];

impl Default for Languages {
    fn default() -> Self {
        let texts = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        let entry = |(name, aliases, extensions, ways): &LanguageRow| {
            let name = Language((*name).into());
            let mut ways = ways.iter().map(|(command, arguments, compile)| RunMethod {
                command: (*command).into(),
                arguments: texts(arguments),
                compile: texts(compile),
                since: since(&name, command, &texts(arguments)),
                profile: *arguments == WITH_PROFILE,
            });
            let first = ways.next()?;
            Some(LanguageEntry {
                aliases: texts(aliases),
                extensions: texts(extensions),
                command: first.command,
                arguments: first.arguments,
                compile: first.compile,
                others: ways.collect(),
                persistent: name == Language::python(),
                name,
            })
        };
        Self(Arc::new(KNOWN_LANGUAGES.iter().filter_map(entry).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_word_names_two_languages_but_sh() {
        let mut seen = BTreeSet::new();
        for entry in Languages::default().0.iter() {
            let words = entry.aliases.iter().chain([&entry.name.0]);
            for word in words.filter(|word| *word != "sh") {
                assert!(seen.insert(word.clone()), "{word}");
                assert_eq!(*word, word.to_ascii_lowercase());
            }
        }
        assert_eq!(Languages::default().find("SH").map(|entry| entry.name.as_str()), Some("bash"));
        assert_eq!(Languages::default().find("c++").map(|entry| entry.name.as_str()), Some("cpp"));
    }

    #[test]
    fn no_extension_names_two_languages() {
        let mut seen = BTreeSet::new();
        for extension in Languages::default().0.iter().flat_map(|entry| entry.extensions.clone()) {
            assert!(seen.insert(extension.clone()), "{extension}");
        }
    }
}
