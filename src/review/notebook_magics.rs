//! Commands of notebooks inside Python: `!command`, `%pip install`, `%%bash` cells, which are no Python and do run.

use super::nested::NestedCode;
use super::rules::InnerPattern;
use super::syntax::Matter;
use super::value::HOLE;
use std::ops::Range;

/// Most commands that are read in one text.
const MOST: usize = 256;

/// Magics that run a shell command given behind them.
const SHELLS: &[&str] = &["sx", "system", "sc"];

/// Programs that a magic of the same name runs.
const PROGRAMS: &[&str] = &["pip", "conda", "mamba", "uv", "rm", "mv", "cp", "mkdir", "rmdir", "cat"];

/// The commands of a text, each read by a shell. `matter` tells where strings and comments are: lines inside them that
/// begin alike are none. The second value tells whether those are all.
pub(super) fn commands(source: &str, matter: &[(Range<usize>, Matter)]) -> (Vec<NestedCode>, bool) {
    let mut found = Vec::new();
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        let start = at + (line.len() - line.trim_start().len());
        at += line.len();
        let text = line.trim();
        if !text.starts_with(['!', '%']) && !text.contains("= !") || inside(matter, start) {
            continue;
        }
        if found.len() >= MOST {
            return (found, false);
        }
        if let Some(language) = text.strip_prefix("%%").and_then(cell) {
            // A cell magic has the rest of the text.
            let span = at..source.len();
            found.extend(nested(language, source, span));
            break;
        }
        let Some(offset) = command(text) else { continue };
        let span = start + offset..start + text.len();
        found.extend(nested(InnerPattern::Bash, source, span));
    }
    (found, true)
}

/// Whether a place is inside a string or comment.
fn inside(matter: &[(Range<usize>, Matter)], at: usize) -> bool {
    let next = matter.partition_point(|(range, _)| range.end <= at);
    matter.get(next).is_some_and(|(range, _)| range.start <= at)
}

/// The language of a cell magic.
fn cell(text: &str) -> Option<InnerPattern> {
    match text.split_whitespace().next()? {
        "bash" | "sh" | "script" | "system" | "sx" => Some(InnerPattern::Bash),
        "javascript" | "js" => Some(InnerPattern::Javascript),
        "sql" => Some(InnerPattern::Sql),
        "perl" | "ruby" => Some(InnerPattern::Other),
        _ => None,
    }
}

/// Where the command begins in a line that runs one.
fn command(line: &str) -> Option<usize> {
    if let Some(rest) = line.strip_prefix('!') {
        return Some(line.len() - rest.trim_start_matches('!').len());
    }
    if let Some(rest) = line.strip_prefix('%') {
        let name = rest.split_whitespace().next()?;
        if SHELLS.contains(&name) {
            return Some(1 + name.len());
        }
        return PROGRAMS.contains(&name).then_some(1);
    }
    // `files = !ls`: a name, and a command behind the sign.
    let (name, _) = line.split_once("= !")?;
    let plain = name.trim().chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ',' | ' '));
    plain.then_some(name.len() + 3)
}

fn nested(language: InnerPattern, source: &str, span: Range<usize>) -> Option<NestedCode> {
    let text = source.get(span.clone())?;
    // `{name}` is put in by the notebook; what it holds is not known to a shell.
    let text = if text.contains('{') && language == InnerPattern::Bash && !text.contains("${") {
        fill(text)
    } else {
        text.to_owned()
    };
    Some(NestedCode::Text { language, text, span })
}

/// A command with what a notebook puts in as holes of the same length, so that places stay true.
fn fill(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((head, tail)) = rest.split_once('{') {
        out.push_str(head);
        match tail.split_once('}') {
            Some((name, after))
                if !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_') =>
            {
                out.push(HOLE);
                out.push_str(&"_".repeat((name.len() + 2).saturating_sub(HOLE.len_utf8())));
                rest = after;
            }
            _ => {
                out.push('{');
                rest = tail;
            }
        }
    }
    out.push_str(rest);
    out
}
