//! How a file of a language is run: by what its name ends in. What is run is a block that waits like every other.

use crate::domain::Language;
use crate::text::shell::quoted;

/// Endings of names, and the words in front of the file.
const BY_ENDING: &[(&str, &[&str])] = &[
    ("py", &["python3"]),
    ("js", &["node"]),
    ("mjs", &["node"]),
    ("cjs", &["node"]),
    ("ts", &["node"]),
    ("sh", &["bash"]),
    ("bash", &["bash"]),
    ("rb", &["ruby"]),
    ("pl", &["perl"]),
    ("php", &["php"]),
    ("lua", &["lua"]),
    ("r", &["Rscript"]),
    ("go", &["go", "run"]),
    ("java", &["java"]),
];

fn words(file: &str) -> Option<&'static [&'static str]> {
    let (_, ending) = file.rsplit_once('.')?;
    BY_ENDING.iter().find(|(known, _)| ending.eq_ignore_ascii_case(known)).map(|(_, words)| *words)
}

/// The program that runs a file; `None` where its name does not tell which.
pub(super) fn program(file: &str) -> Option<&'static str> {
    words(file)?.first().copied()
}

/// Whether a file is TypeScript, which not every node reads.
pub(super) fn is_typescript(file: &str) -> bool {
    file.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("ts"))
}

/// The words that run a file; `None` where its name does not tell how. `python` is how Python is called here, where that
/// was found out.
pub(super) fn command(file: &str, python: &str) -> Option<Vec<String>> {
    let words = words(file)?;
    // A name that begins with a dash would be an option.
    let file = if file.starts_with('-') { format!("./{file}") } else { file.to_owned() };
    // A name in quotes is for bash; where it needs them, the usual name has to do.
    let is_plain =
        !python.is_empty() && !python.contains(|c: char| c.is_whitespace() || matches!(c, '\'' | '"'));
    let called = |word: &str| if word == "python3" && is_plain { python.to_owned() } else { word.to_owned() };
    Some(words.iter().map(|word| called(word)).chain([file]).collect())
}

/// The same as a line of bash.
pub(super) fn line(file: &str, python: &str) -> Option<String> {
    let words = command(file, python)?;
    Some(words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "))
}

/// The language of code as a person names it; Python where nothing is said.
pub(super) fn language(name: &str) -> Language {
    match name.trim().to_lowercase().as_str() {
        "" | "python" | "py" => Language::python(),
        "bash" | "sh" | "shell" => Language::bash(),
        "javascript" | "js" | "node" => Language::javascript(),
        other => Language(other.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_run_by_their_ending() {
        assert_eq!(line("a/b.py", "").as_deref(), Some("python3 a/b.py"));
        assert_eq!(line("it's; rm x.py", "").as_deref(), Some("python3 'it'\\''s; rm x.py'"));
        assert_eq!(line("-c.sh", "").as_deref(), Some("bash ./-c.sh"));
        assert_eq!(line("main.GO", "").as_deref(), Some("go run main.GO"));
        assert_eq!((line("Makefile", ""), line("a.xyz", "")), (None, None));
        assert_eq!(line("a.py", ".venv/bin/python").as_deref(), Some(".venv/bin/python a.py"));
        assert_eq!(line("a.py", "'/my python'").as_deref(), Some("python3 a.py"));
        assert_eq!(quoted("$(x)\n"), "'$(x)\n'");
    }
}
