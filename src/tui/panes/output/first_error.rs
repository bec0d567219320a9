//! Finds the line of error output that says what went wrong, for languages whose errors are known only from what
//! programs print.

use crate::domain::{Outcome, RunReport, Stream};
use crate::engine::transcript::BlockItem;

/// How many bytes of error output are read, from its beginning.
const MAX_BYTES: usize = 64 << 10;

/// That line of a failed run without an error report. `None` if it is at the start of the output, where it is visible
/// anyway.
pub(super) fn of_run(item: &BlockItem, report: &RunReport) -> Option<String> {
    if report.outcome != Outcome::Failed || report.error.is_some() {
        return None;
    }
    // A block that fetches packages has no language.
    let language = item.block.current().language.as_ref().map_or("", |language| language.as_str());
    let head = report.output.head(Stream::Stderr);
    let printed = String::from_utf8_lossy(head.get(..MAX_BYTES).unwrap_or(&head)).into_owned();
    let begins = if report.output.total(Stream::Stdout) == 0 {
        printed.lines().find(|line| !line.trim().is_empty())
    } else {
        None
    };
    first_error(language, &printed).filter(|line| begins.map(str::trim_end) != Some(line.as_str()))
}

/// That line, if there is one: for a shell the first that names a line of the block; for JavaScript, Ruby, Perl and PHP
/// the one that ended the program; for R the first that names an error. Otherwise, and for all other programs, the
/// first line that looks like an error.
fn first_error(language: &str, printed: &str) -> Option<String> {
    let lines: Vec<&str> = printed.lines().map(str::trim_end).collect();
    let found = match language {
        "bash" | "sh" => lines.iter().find(|line| names_a_line(line)),
        "zsh" => lines.iter().find(|line| names_a_line(line) || is_of_zsh(line)),
        // The error that ended the program precedes its stack trace; errors that the program printed itself don't.
        "javascript" | "typescript" => {
            let is_place = |line: &&&str| line.trim_start().starts_with("at ");
            let ended = (0..lines.len()).rev().find(|at| {
                lines.get(*at).is_some_and(|line| names_an_error(line))
                    && lines.get(at + 1).as_ref().is_some_and(is_place)
            });
            let ended = ended.and_then(|at| lines.get(at));
            return ended
                .or_else(|| lines.iter().rfind(|line| names_an_error(line)))
                .map(|line| (*line).to_owned());
        }
        "r" => {
            let at = lines.iter().position(|line| line.starts_with("Error"))?;
            let line = lines.get(at)?;
            // A longer message continues on the next line.
            let more =
                if line.ends_with(':') { lines.get(at + 1).map_or("", |more| more.trim()) } else { "" };
            return Some(format!("{line} {more}").trim_end().to_owned());
        }
        "ruby" => lines.iter().rfind(|line| is_of_ruby(line)),
        "perl" => lines.iter().rfind(|line| is_of_perl(line)),
        "php" => lines.iter().rfind(|line| line.contains("Fatal error: ") || line.contains("Parse error: ")),
        _ => None,
    };
    let found = found.or_else(|| lines.iter().find(|line| is_written_as_an_error(line)));
    found.map(|line| (*line).to_owned())
}

/// `block.rb:3:in 'f': no such thing (RuntimeError)`.
fn is_of_ruby(line: &str) -> bool {
    line.split_once(":in ").is_some_and(|(place, said)| {
        place.rsplit(':').next().is_some_and(is_number)
            && (said.ends_with(')') || said.ends_with(": unhandled exception"))
    })
}

/// `no such thing at block.pl line 3.`
fn is_of_perl(line: &str) -> bool {
    let place = line.strip_suffix('.').and_then(|line| line.rsplit_once(" line "));
    place.is_some_and(|(said, number)| is_number(number) && said.contains(" at "))
}

/// Whether a line looks like an error: a program's name or a word for an error comes first, and no word for anything
/// milder. `ls: cannot access 'x': No such file or directory`, `ERROR: No matching distribution found`, `npm error code
/// E404`, `panic: no`.
fn is_written_as_an_error(line: &str) -> bool {
    const ERROR_PREFIXES: [&str; 7] =
        ["error", "fatal", "panic", "fatal error", "npm error", "npm err!", "e"];
    const ERROR_WORDS: [&str; 14] = [
        "cannot",
        "can't",
        "could not",
        "no such",
        "not found",
        "denied",
        "failed",
        "fatal",
        "error",
        "unable",
        "invalid",
        "unrecognized",
        "missing",
        "refused",
    ];
    let line = line.to_ascii_lowercase();
    if ["npm error ", "npm err! "].iter().any(|begin| line.starts_with(begin)) {
        return true;
    }
    let Some((head, said)) = line.split_once(": ") else { return false };
    // `error[E0425]`
    let head = head.split('[').next().unwrap_or_default();
    if ERROR_PREFIXES.contains(&head) {
        return true;
    }
    let is_program = head.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/')
        && head.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.+-/".contains(&b));
    let is_less = ["warning", "warn", "note", "info", "debug", "hint", "help"];
    is_program
        && !is_less.iter().any(|word| head == *word || said.starts_with(word))
        && ERROR_WORDS.iter().any(|word| said.contains(word))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// `bash: line 3: foo: command not found`, or as dash writes it, `sh: 3: foo: not found`.
fn names_a_line(line: &str) -> bool {
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

    /// The expected line is given by its number in what was printed, from 0.
    #[test]
    fn each_language_tells_it_in_its_own_way() {
        let node = "/tmp/b.js:3\nfoo()\n^\n\nReferenceError: foo is not defined\n    at Object.<anonymous>\n";
        for (language, printed, expected) in [
            ("bash", "warming up\nbash: line 3: foo: command not found\nmore\n", Some(1)),
            ("sh", "sh: 2: foo: not found\n", Some(0)),
            ("zsh", "block 3:2: command not found: foo", Some(0)),
            ("bash", "block 3: line 2: foo: command not found", Some(0)),
            ("sh", "a block 3: 2: foo", None),
            ("javascript", "TypeError [ERR_X]: no", Some(0)),
            (
                "bash",
                "loading: 3 files\nls: cannot access 'x': No such file or directory\nat 12: 30: x\n",
                Some(1),
            ),
            ("bash", "warning: no such file\nat 12: 30: cannot x\nfoo: warning: x is missing\n", None),
            ("bash", "", None),
            (
                "bash",
                "foo.c:12:5: warning: unused variable 'x'\n10:15: step: ok\n127.0.0.1:8080: GET: 200\n",
                None,
            ),
            ("javascript", "Error: retrying\nx\nTypeError: no\n    at f (a.js:1:1)\n", Some(2)),
            ("javascript", node, Some(4)),
            ("typescript", "Error handling: fine\n", None),
            ("r", "Error in f() : could not find function \"f\"\n", Some(0)),
            ("ruby", "row 1\nblock.rb:3:in 'f': no (RuntimeError)\n\tfrom x", Some(1)),
            ("ruby", "block.rb:2:in `<main>': unhandled exception\n", Some(0)),
            ("ruby", "a row of its own (Error)", None),
            ("perl", "careful\nno such thing at block.pl line 3.\n", Some(1)),
            ("php", "PHP Fatal error:  Uncaught x\n#0 {main}", Some(0)),
            ("go", "panic: no\n\ngoroutine 1 [running]:", Some(0)),
            ("", "Collecting x\nERROR: No matching distribution found for x", Some(1)),
            ("", "npm error code E404\nnpm error 404 Not Found", Some(0)),
        ] {
            let expected = expected.map(|line| printed.lines().nth(line).expect("a line"));
            assert_eq!(first_error(language, printed).as_deref(), expected, "{language} {printed}");
        }
        let longer = "Error in library(x) :\n  there is no package\nExecution halted";
        let told = first_error("r", longer);
        assert_eq!(told.as_deref(), Some("Error in library(x) : there is no package"));
    }
}
