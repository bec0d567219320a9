//! Handles IPython's additions to Python in a cell: magics that only steer the display become comments, a cell of shell
//! commands alone becomes a block of bash, and the person is told the line of anything else.

use crate::text::magics::{self, DISPLAY_MAGICS, holds_values};

/// Line magics besides `DISPLAY_MAGICS` that can be left out: they set options or load further magics.
const SETTING_MAGICS: [&str; 3] = ["config", "load_ext", "reload_ext"];
/// Cell magics whose rest is plain Python.
const CELL_MAGICS: [&str; 3] = ["time", "capture", "prun"];
/// Cell magics whose rest a browser shows.
const BROWSER_MAGICS: [&str; 8] = ["html", "HTML", "svg", "SVG", "latex", "markdown", "javascript", "js"];

/// The content of a Python cell.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CellCode {
    /// Only shell commands.
    Shell(String),
    /// Python, and a note for the person, if any.
    Python(String, Option<String>),
}

/// Whether a browser shows the rest of a cell with this magic.
pub(super) fn is_shown(word: &str) -> bool {
    BROWSER_MAGICS.contains(&word)
}

/// The one file name that a magic is given; `None` if there are several, or if IPython computes it when the cell runs.
pub(super) fn only_word(given: &str) -> Option<&str> {
    magics::only_word(given).filter(|name| !holds_values(name))
}

/// Reads a Python cell. Line numbers do not change.
pub(super) fn take_apart(text: &str) -> CellCode {
    if let Some(commands) = commands(text) {
        return CellCode::Shell(commands);
    }
    let (mut left_out, mut foreign) = (0, None);
    let lines: Vec<String> = (1..)
        .zip(text.split('\n'))
        .map(|(number, line)| {
            let bare = line.trim();
            let is_harmless = match (bare.strip_prefix("%%"), bare.strip_prefix('%')) {
                (Some(magic), _) => number == 1 && is_named(magic, &CELL_MAGICS),
                // A `%` at the start of a line may also be Python's operator in a longer expression, but hardly before
                // one of these names.
                (_, Some(magic)) => is_named(magic, DISPLAY_MAGICS) || is_named(magic, &SETTING_MAGICS),
                _ => false,
            };
            if is_harmless {
                left_out += 1;
                let indent = line.get(..line.len() - line.trim_start().len()).unwrap_or_default();
                // An indented magic may be the only statement of its Python block, so `pass` takes its place.
                let pass = if indent.is_empty() { "" } else { "pass  " };
                return format!("{indent}{pass}# {bare}");
            }
            if foreign.is_none() && is_of_ipython(bare, number == 1) {
                foreign = Some(number);
            }
            line.to_owned()
        })
        .collect();
    let mut notes = Vec::new();
    if let Some(number) = foreign {
        notes.push(format!("line {number} is IPython's and no Python: edit it before it runs"));
    }
    if left_out > 0 {
        notes.push("magics of IPython are left out as remarks".to_owned());
    }
    CellCode::Python(lines.join("\n"), Some(notes.join("; ")).filter(|note| !note.is_empty()))
}

/// The commands of a cell that has only shell commands and comments; `None` if it has Python, or if IPython would fill
/// in values. Each command runs in its own shell, as in IPython.
fn commands(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let is_remark = |line: &&&str| line.starts_with('#');
    let commands: Vec<&str> = lines
        .iter()
        .filter(|line| !is_remark(line))
        .map(|line| line.strip_prefix('!'))
        .collect::<Option<_>>()?;
    let is_plain =
        |command: &&str| !command.starts_with('!') && !holds_values(command) && !command.ends_with('\\');
    if commands.is_empty() || !commands.iter().all(is_plain) {
        return None;
    }
    if let [command] = commands.as_slice() {
        return Some(format!("{}\n", command.trim()));
    }
    // The bracket closes on its own line: a comment at the end of a command would swallow it.
    Some(commands.iter().map(|command| format!("(\n{}\n)\n", command.trim())).collect())
}

fn is_named(magic: &str, names: &[&str]) -> bool {
    magic.split_whitespace().next().is_some_and(|name| names.contains(&name))
}

/// Whether a line is IPython syntax. It may be a line within a Python string; that does no harm, since the line is only
/// reported, not changed.
fn is_of_ipython(line: &str, is_first: bool) -> bool {
    let is_name = |text: &str| text.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_magic = line.strip_prefix('%').is_some_and(is_name);
    let is_cell = is_first && line.strip_prefix("%%").is_some_and(is_name);
    let is_help =
        line.len() > 1 && (line.starts_with('?') || line.ends_with('?')) && !line.contains(['#', '"', '\'']);
    let is_command = line.strip_prefix('!').is_some_and(|rest| !rest.starts_with('='));
    is_magic || is_cell || is_help || is_command || line.contains("= !") || line.contains("= %")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn python(text: &str, note: &str) -> CellCode {
        CellCode::Python(text.into(), (!note.is_empty()).then(|| note.to_owned()))
    }

    #[test]
    fn commands_alone_are_bash_and_others_are_told() {
        assert_eq!(take_apart("!ls -l\n"), CellCode::Shell("ls -l\n".into()));
        let two = take_apart("# a\n!cd sub && pwd\n\n!pwd");
        assert_eq!(two, CellCode::Shell("(\ncd sub && pwd\n)\n(\npwd\n)\n".into()));
        let told = "line 2 is IPython's and no Python: edit it before it runs";
        assert_eq!(take_apart("x = 1\n!echo {x}"), python("x = 1\n!echo {x}", told));
        for foreign in
            ["!echo $x", "!echo {x}", "!!ls", "files = !ls", "%run a.py", "%%timeit\nx", "x?", "?x"]
        {
            let CellCode::Python(text, Some(note)) = take_apart(foreign) else { panic!("{foreign}") };
            assert!(text == foreign && note.starts_with("line 1 is IPython's"), "{foreign}: {note}");
        }
    }

    #[test]
    fn a_name_that_ipython_puts_together_is_none() {
        assert_eq!(only_word("'b c.sh'"), Some("b c.sh"));
        for given in ["{folder}/a.py", "$name.txt", "'{f(x)}'", "a b"] {
            assert_eq!(only_word(given), None, "{given}");
        }
    }

    #[test]
    fn what_only_steers_a_notebook_becomes_a_remark_on_its_line() {
        let told = "magics of IPython are left out as remarks";
        let expected = python("# %matplotlib inline\nx = 1\nif x:\n    pass  # %config A.b = 1\n", told);
        assert_eq!(take_apart("%matplotlib inline\nx = 1\nif x:\n    %config A.b = 1\n"), expected);
        assert_eq!(take_apart("%%time\nx"), python("# %%time\nx", told));
        for plain in ["x = 1 % 2", "a = (7\n % b)", "x != 1", "print('a?')", "# what?"] {
            assert_eq!(take_apart(plain), python(plain, ""), "{plain}");
        }
    }
}
