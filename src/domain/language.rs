//! The languages of blocks, and how to run each. Data only: other rooms find out which programs are installed.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::{Arc, LazyLock};

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
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LanguageEntry {
    pub name: Language,
    /// Other names for it in the info string of a fence, lower-case.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// File extensions without the dot; the first is used for new files.
    pub extensions: Vec<String>,
    /// The program that runs it, to be found on `PATH`.
    pub command: String,
    /// The program's arguments. `{file}` is the descriptor with the approved text; `{source}` a private copy of it
    /// whose name has the language's extension; `{folder}` the folder in which the block starts. Empty: sayso runs the
    /// language in a special way (the kernel, bash, node).
    #[serde(default)]
    pub arguments: Vec<String>,
    /// The arguments for building `{program}`, which is then run with `arguments`. Empty: nothing is built.
    #[serde(default)]
    pub(crate) compile: Vec<String>,
    /// Other programs that run it, tried in this order if the first is not installed.
    #[serde(default)]
    pub others: Vec<RunMethod>,
    /// Whether its blocks share the state of a kernel.
    #[serde(default)]
    pub(crate) persistent: bool,
}

/// One way to run a language: see [`LanguageEntry`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RunMethod {
    /// The program that runs it, to be found on `PATH`.
    pub command: String,
    /// Its arguments.
    pub(crate) arguments: Vec<String>,
    /// Its arguments for building the program.
    pub(crate) compile: Vec<String>,
    /// The oldest version that supports it: `22.13`. [`LanguageEntry::ways`] sets it.
    #[serde(skip)]
    pub(crate) since: Option<String>,
    /// Whether it is R reading sayso's site profile instead of the installed one. [`LanguageEntry::ways`] sets it.
    #[serde(skip)]
    pub(crate) profile: bool,
}

impl LanguageEntry {
    /// All ways to run it, in the order in which they are tried.
    pub(crate) fn ways(&self) -> Vec<RunMethod> {
        let first = RunMethod {
            command: self.command.clone(),
            arguments: self.arguments.clone(),
            compile: self.compile.clone(),
            ..RunMethod::default()
        };
        std::iter::once(first)
            .chain(self.others.iter().cloned())
            .map(|way| RunMethod {
                since: since(&self.name, &way),
                profile: way.arguments == WITH_PROFILE,
                ..way
            })
            .collect()
    }
}

/// The oldest version of a program that can run the language in this way, if not every version can.
fn since(language: &Language, way: &RunMethod) -> Option<String> {
    let program = way.command.rsplit('/').next().unwrap_or_default();
    let is_node = language.as_str() == "typescript" && program == "node";
    // Node could run TypeScript from a file before it could from standard input.
    let since = match way.arguments.first().map(String::as_str) {
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

/// Arguments that make R ignore its environment and saved state, but read the site profile, which sayso replaces.
const WITH_PROFILE: [&str; 5] = ["--no-save", "--no-restore", "--no-environ", "--no-init-file", "{file}"];

#[derive(Default, Deserialize)]
struct LanguageFile {
    language: Vec<LanguageEntry>,
}

impl Default for Languages {
    /// The known languages. None if their file is broken, which a test rules out.
    fn default() -> Self {
        static KNOWN: LazyLock<Languages> = LazyLock::new(|| {
            let known: LanguageFile =
                toml::from_str(include_str!("../../assets/languages.toml")).unwrap_or_default();
            Languages(Arc::new(known.language))
        });
        KNOWN.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_word_names_two_languages_but_sh() {
        assert!(Languages::default().0.len() > 20);
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
    fn only_node_is_too_old_for_typescript_and_only_r_has_a_profile() {
        let ways = |word: &str| Languages::default().find(word).map(LanguageEntry::ways).unwrap_or_default();
        let since: Vec<_> = ways("ts").into_iter().map(|way| (way.command, way.since)).collect();
        let of = |command: &str, since: Option<&str>| (command.to_owned(), since.map(str::to_owned));
        let (first, last) = (of("node", Some("22.13")), of("node", Some("22.6")));
        let others = ["tsx", "bun", "deno", "ts-node"].map(|command| of(command, None));
        let expected = [vec![first, of("node", Some("20.6"))], others.to_vec(), vec![last]].concat();
        assert_eq!(since, expected);
        assert!(ways("js").iter().all(|way| way.since.is_none() && !way.profile));
        assert!(ways("r").iter().all(|way| way.profile));
    }

    #[test]
    fn no_extension_names_two_languages() {
        let mut seen = BTreeSet::new();
        for extension in Languages::default().0.iter().flat_map(|entry| entry.extensions.clone()) {
            assert!(seen.insert(extension.clone()), "{extension}");
        }
    }
}
