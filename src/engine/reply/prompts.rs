//! Removes prompts before code: `>>> ` and `... ` of Python, `$ ` of a shell. Models copy whole transcripts, but mean
//! the commands in them, without prompts and output.
//!
//! A text is changed only if its first line begins with a prompt, and a note says what was removed.

use crate::domain::Language;
use std::fmt::Write as _;

/// How many ranges of lines the note lists.
const MAX_STRETCHES_SHOWN: usize = 6;

/// A text without its prompts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PromptsRemoved {
    pub(super) source: String,
    /// What was removed, on one line.
    pub(super) note: String,
}

/// The commands of a transcript in this language; `None` if the text does not begin with a prompt.
pub(super) fn remove_prompts(source: &str, language: &Language) -> Option<PromptsRemoved> {
    let is_python = language.as_str() == "python";
    let strip: fn(&str) -> Option<&str> = match language.as_str() {
        "python" => python,
        "bash" => shell,
        _ => return None,
    };
    let first = source.lines().find(|line| !line.trim().is_empty())?;
    strip(first.trim_start())?;
    let mut out = String::with_capacity(source.len());
    let (mut taken, mut left_out) = (Vec::new(), Vec::new());
    let mut open = false;
    for (at, line) in source.split_inclusive('\n').enumerate() {
        let text = line.trim_start();
        let command = match strip(text) {
            Some(command) => Some(command),
            None if open && is_python => continued(text),
            None if open => Some(text.strip_prefix("> ").unwrap_or(text)),
            None => None,
        };
        match command {
            Some(command) => {
                out.push_str(command);
                taken.push(at + 1);
                open = is_python || command.trim_end().ends_with('\\');
            }
            None => {
                open = false;
                if !text.trim().is_empty() {
                    left_out.push(at + 1);
                }
            }
        }
    }
    let prompt = if is_python { ">>> " } else { "$ " };
    let mut note = format!("prompts {prompt:?} taken off {}", describe_lines(&taken));
    if !left_out.is_empty() {
        let _ = write!(note, ", output on {} left out", describe_lines(&left_out));
    }
    Some(PromptsRemoved { source: out, note })
}

fn python(line: &str) -> Option<&str> {
    line.strip_prefix(">>> ").or_else(|| bare(line, ">>>"))
}

fn continued(line: &str) -> Option<&str> {
    line.strip_prefix("... ").or_else(|| bare(line, "..."))
}

/// `$ ls`, `ann@host:~/data$ ls`, `(venv) $ ls`.
fn shell(line: &str) -> Option<&str> {
    if let Some(command) = line.strip_prefix("$ ") {
        return Some(command);
    }
    let (prompt, command) = line.split_once("$ ")?;
    let named = prompt.contains('@') && !prompt.contains([' ', '"', '\'', '=', '`', '(']);
    let inside = prompt.starts_with('(') && prompt.trim_end().ends_with(')');
    (named || inside).then_some(command)
}

/// The line end after a prompt without a command.
fn bare<'a>(line: &'a str, prompt: &str) -> Option<&'a str> {
    line.strip_prefix(prompt).filter(|rest| rest.trim().is_empty())
}

/// `line 1`, `lines 1-3, 6`.
fn describe_lines(numbers: &[usize]) -> String {
    let mut stretches: Vec<(usize, usize)> = Vec::new();
    for number in numbers {
        match stretches.last_mut() {
            Some((_, last)) if *last + 1 == *number => *last = *number,
            _ => stretches.push((*number, *number)),
        }
    }
    let more = stretches.len() > MAX_STRETCHES_SHOWN;
    let named: Vec<String> = stretches
        .iter()
        .take(MAX_STRETCHES_SHOWN)
        .map(|(a, b)| if a == b { a.to_string() } else { format!("{a}-{b}") })
        .collect();
    let noun = if numbers.len() == 1 { "line" } else { "lines" };
    format!("{noun} {}{}", named.join(", "), if more { " and more" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(source: &str, language: Language) -> (String, String) {
        remove_prompts(source, &language).map(|t| (t.source, t.note)).expect("a transcript")
    }

    #[test]
    fn a_session_of_python_is_its_input() {
        let source = ">>> for i in range(2):\n...     print(i)\n...\n0\n1\n>>> x = 1\n";
        let (code, note) = taken(source, Language::python());
        assert_eq!(code, "for i in range(2):\n    print(i)\n\nx = 1\n");
        assert_eq!(note, "prompts \">>> \" taken off lines 1-3, 6, output on lines 4-5 left out");
    }

    #[test]
    fn a_session_of_a_shell_is_its_commands() {
        let source = "$ ls \\\n>   -l\ntotal 0\nann@host:~/x$ echo '$ a'\n$ a\n";
        let (code, note) = taken(source, Language::bash());
        assert_eq!(code, "ls \\\n  -l\necho '$ a'\na\n");
        assert_eq!(note, "prompts \"$ \" taken off lines 1-2, 4-5, output on line 3 left out");
    }

    #[test]
    fn code_without_prompts_is_left_alone() {
        for source in ["print('>>> x')\n>>> y\n", "", "x = 1\n", "... x\n", ">>>x\n"] {
            assert_eq!(remove_prompts(source, &Language::python()), None, "{source:?}");
        }
        for source in ["echo $ a\n$ b", "echo \"a$ b\"\n", "a=$(cat x)$ b\n"] {
            assert_eq!(remove_prompts(source, &Language::bash()), None, "{source:?}");
        }
        assert_eq!(remove_prompts(">>> 1", &Language::javascript()), None);
    }
}
