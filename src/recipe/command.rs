//! How to run a file, judged by its extension. The command becomes a block that waits for a decision like any other.

use super::Tool;
use super::view::View;
use crate::domain::Language;
use crate::text::shell::quoted;

/// Extensions, and the words of the command before the file name.
const COMMANDS_BY_EXTENSION: &[(&str, &[&str])] = &[
    ("py", &["python3"]),
    ("js", &["node"]),
    ("mjs", &["node"]),
    ("cjs", &["node"]),
    ("ts", &["node"]),
    ("mts", &["node"]),
    ("cts", &["node"]),
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
    COMMANDS_BY_EXTENSION
        .iter()
        .find(|(known, _)| ending.eq_ignore_ascii_case(known))
        .map(|(_, words)| *words)
}

/// The program that runs a file; `None` if its extension does not tell.
pub(super) fn program(file: &str) -> Option<&'static str> {
    words(file)?.first().copied()
}

/// Whether a file is TypeScript, which not every version of node runs.
fn is_typescript(file: &str) -> bool {
    let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
    ["ts", "mts", "cts"].iter().any(|known| ending.eq_ignore_ascii_case(known))
}

/// The language of a file, if the program that runs it is Python, node or bash; else a language without a name.
pub(super) fn language_of(file: &str) -> Language {
    match program(file) {
        Some("python3") => Language::python(),
        Some("node") => Language::javascript(),
        Some("bash") => Language::bash(),
        _ => Language(String::new()),
    }
}

/// The tool that the machine has to have to run a file; `said_by` is the input in which the person could name another.
/// `None` if the extension does not tell.
pub(super) fn tool(file: &str, said_by: Option<&str>) -> Option<Tool> {
    let program = program(file)?;
    let said_by = said_by.map(str::to_owned);
    Some(if is_typescript(file) { Tool::TypeScript { said_by } } else { Tool::Program(program.to_owned()) })
}

/// How the machine calls Python and runs TypeScript, if known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ProgramNames<'a> {
    pub(super) python: &'a str,
    /// The words before a TypeScript file, as [`typescript_fact`] stores them.
    pub(super) typescript: &'a str,
}

/// The fact that holds the words before a TypeScript file.
const TYPESCRIPT_FACT: &str = "typescript";

/// Stores the words before a TypeScript file as a fact, in JSON because a word may hold blanks.
pub(crate) fn typescript_fact(words: &[String]) -> (String, String) {
    (TYPESCRIPT_FACT.to_owned(), serde_json::Value::from(words).to_string())
}

/// Reads such a fact; older sessions stored the words in one line.
fn typescript_words(fact: &str) -> Vec<String> {
    let in_line = |_| fact.split(' ').map(str::to_owned).collect();
    serde_json::from_str(fact).unwrap_or_else(in_line)
}

impl<'a> ProgramNames<'a> {
    pub(super) fn of(view: &View<'a>) -> Self {
        Self { python: view.context.fact("python"), typescript: view.context.fact(TYPESCRIPT_FACT) }
    }
}

/// The words that run a file; `None` if its extension does not tell how.
pub(super) fn command(
    file: &str,
    ProgramNames { python, typescript }: ProgramNames<'_>,
) -> Option<Vec<String>> {
    let words = match words(file)? {
        _ if is_typescript(file) && !typescript.is_empty() => typescript_words(typescript),
        words => words.iter().map(ToString::to_string).collect(),
    };
    // A name that begins with a dash would be an option.
    let file = if file.starts_with('-') { format!("./{file}") } else { file.to_owned() };
    // A Python path that bash would have to quote can't be used as a plain word; `python3` has to do.
    let is_plain =
        !python.is_empty() && !python.contains(|c: char| c.is_whitespace() || matches!(c, '\'' | '"'));
    let called = |word: String| if word == "python3" && is_plain { python.to_owned() } else { word };
    Some(words.into_iter().map(called).chain([file]).collect())
}

/// The same as a line of bash.
pub(super) fn line(file: &str, names: ProgramNames<'_>) -> Option<String> {
    let words = command(file, names)?;
    Some(words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "))
}

/// The language that a person named; Python if they named none.
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
        let line = |file: &str, python: &str| line(file, ProgramNames { python, typescript: "" });
        assert_eq!(line("a/b.py", "").as_deref(), Some("python3 a/b.py"));
        assert_eq!(line("it's; rm x.py", "").as_deref(), Some("python3 'it'\\''s; rm x.py'"));
        assert_eq!(line("-c.sh", "").as_deref(), Some("bash ./-c.sh"));
        assert_eq!(line("main.GO", "").as_deref(), Some("go run main.GO"));
        assert_eq!((line("Makefile", ""), line("a.xyz", "")), (None, None));
        assert_eq!(line("a.py", ".venv/bin/python").as_deref(), Some(".venv/bin/python a.py"));
        assert_eq!(line("a.py", "'/my python'").as_deref(), Some("python3 a.py"));
        assert_eq!(quoted("$(x)\n"), "'$(x)\n'");
        let names = ProgramNames { typescript: "node --import tsx", ..ProgramNames::default() };
        let typescript = |file: &str| super::line(file, names);
        assert_eq!(typescript("a b.mts").as_deref(), Some("node --import tsx 'a b.mts'"));
        assert_eq!(typescript("a.js").as_deref(), Some("node a.js"));
    }

    #[test]
    fn words_of_typescript_stay_words() {
        let words = ["/my tools/deno", "it's", "run"].map(str::to_owned);
        let (_, fact) = typescript_fact(&words);
        let names = ProgramNames { typescript: &fact, ..ProgramNames::default() };
        assert_eq!(command("a b.ts", names), Some([&words[..], &["a b.ts".to_owned()]].concat()));
        assert_eq!(line("a b.ts", names).as_deref(), Some(r"'/my tools/deno' 'it'\''s' run 'a b.ts'"));
    }
}
