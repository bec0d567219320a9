//! The line of error output that says what went wrong, in languages whose programs print it and tell it in no other way.

use crate::domain::{Outcome, RunReport, Stream};
use crate::engine::transcript::BlockItem;

/// Bytes of error output that are looked at, from its beginning.
const LOOKED_AT: usize = 64 << 10;

/// That line of a run that failed and tells no error by itself. One that the output begins with is there already.
pub(super) fn of_run(item: &BlockItem, report: &RunReport) -> Option<String> {
    if report.outcome != Outcome::Failed || report.error.is_some() {
        return None;
    }
    let language = item.block.current().language.as_ref()?;
    let head = report.output.head(Stream::Stderr);
    let printed = String::from_utf8_lossy(head.get(..LOOKED_AT).unwrap_or(&head)).into_owned();
    let begins = if report.output.total(Stream::Stdout) == 0 {
        printed.lines().find(|line| !line.trim().is_empty())
    } else {
        None
    };
    first_error(language.as_str(), &printed).filter(|line| begins.map(str::trim_end) != Some(line.as_str()))
}

/// That line, where there is one: of a shell the first that names a line of the block, of JavaScript and R the first that
/// names an error.
fn first_error(language: &str, printed: &str) -> Option<String> {
    let mut lines = printed.lines().map(str::trim_end);
    let found = match language {
        "bash" | "sh" => lines.find(|line| names_a_line(line))?.to_owned(),
        "zsh" => lines.find(|line| names_a_line(line) || is_of_zsh(line))?.to_owned(),
        // What ended the program stands in front of where it was; what it printed itself does not.
        "javascript" | "typescript" => {
            let lines: Vec<&str> = lines.collect();
            let ended = lines.windows(2).rev().find(|pair| {
                matches!(pair, [error, place] if names_an_error(error) && place.trim_start().starts_with("at "))
            });
            let ended = ended.and_then(|pair| pair.first()).copied();
            ended.or_else(|| lines.into_iter().rfind(|line| names_an_error(line)))?.to_owned()
        }
        "r" => {
            let line = lines.find(|line| line.starts_with("Error"))?;
            // A longer one goes on in the line below.
            let more = if line.ends_with(':') { lines.next().unwrap_or_default().trim() } else { "" };
            format!("{line} {more}").trim_end().to_owned()
        }
        _ => return None,
    };
    Some(found)
}

/// `bash: line 3: foo: command not found`, and as dash writes it, `sh: 3: foo: not found`.
fn names_a_line(line: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let mut parts = line.splitn(3, ": ");
    let (Some(program), Some(place), Some(_)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let shell = program.rsplit('/').next().unwrap_or(program);
    let known = ["bash", "sh", "dash", "zsh"].contains(&shell)
        || program.strip_prefix("block ").is_some_and(is_number);
    known && is_number(place.strip_prefix("line ").unwrap_or(place))
}

/// `block 3:2: command not found: foo`.
fn is_of_zsh(line: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let program = line.split(": ").next().unwrap_or_default();
    let place = program.strip_prefix("block ").and_then(|place| place.split_once(':'));
    place.is_some_and(|(block, line)| is_number(block) && is_number(line))
}

/// `ReferenceError: foo is not defined`, `Uncaught Error: no`.
fn names_an_error(line: &str) -> bool {
    let line = line.strip_prefix("Uncaught ").unwrap_or(line);
    let Some((kind, _)) = line.split_once(':') else { return false };
    // `TypeError [ERR_INVALID_ARG_TYPE]: ...`
    let kind = kind.split(" [").next().unwrap_or_default();
    kind.ends_with("Error") && kind.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_tells_it_in_its_own_way() {
        let node = "/tmp/b.js:3\nfoo()\n^\n\nReferenceError: foo is not defined\n    at Object.<anonymous>\n";
        for (language, printed, expected) in [
            (
                "bash",
                "warming up\nbash: line 3: foo: command not found\nmore\n",
                Some("bash: line 3: foo: command not found"),
            ),
            ("sh", "sh: 2: foo: not found\n", Some("sh: 2: foo: not found")),
            ("zsh", "block 3:2: command not found: foo", Some("block 3:2: command not found: foo")),
            (
                "bash",
                "block 3: line 2: foo: command not found",
                Some("block 3: line 2: foo: command not found"),
            ),
            ("sh", "a block 3: 2: foo", None),
            ("javascript", "TypeError [ERR_X]: no", Some("TypeError [ERR_X]: no")),
            ("bash", "ls: cannot access 'x': No such file or directory\nat 12: 30: x\n", None),
            ("bash", "", None),
            (
                "bash",
                "foo.c:12:5: warning: unused variable 'x'\n10:15: step: ok\n127.0.0.1:8080: GET: 200\n",
                None,
            ),
            ("javascript", "Error: retrying\nx\nTypeError: no\n    at f (a.js:1:1)\n", Some("TypeError: no")),
            ("javascript", node, Some("ReferenceError: foo is not defined")),
            ("typescript", "Error handling: fine\n", None),
            (
                "r",
                "Error in f() : could not find function \"f\"\n",
                Some("Error in f() : could not find function \"f\""),
            ),
            (
                "r",
                "Error in library(x) :\n  there is no package\nExecution halted",
                Some("Error in library(x) : there is no package"),
            ),
            ("ruby", "Error: x", None),
        ] {
            assert_eq!(first_error(language, printed).as_deref(), expected, "{language} {printed}");
        }
    }
}
