//! The spelling of paths: joined to a folder, and absolute without `.` and `..`.

use super::START;
use super::temporary::TEMPORARY_FOLDER;
use crate::review::Scope;
use crate::review::value::HOLE;

/// Whether a path does not start at the folder in which the code runs, or may not.
pub(in crate::review) fn is_absolute(text: &str) -> bool {
    text.starts_with(['/', '~', HOLE]) || text.starts_with(TEMPORARY_FOLDER) || drive(text)
}

/// Whether a path starts with a drive letter.
pub(super) fn drive(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':', b'/', ..] if letter.is_ascii_alphabetic())
}

pub(super) fn spelled_path(path: &std::path::Path) -> String {
    let text = path.to_string_lossy();
    let trimmed = text.trim_end_matches('/');
    if trimmed.is_empty() { "/".to_owned() } else { trimmed.to_owned() }
}

/// The path joined to `folder`, if it is relative and the code changed to that folder.
pub(in crate::review) fn join_folder(text: &str, folder: Option<&str>) -> String {
    match folder {
        Some(folder) if folder != START && !is_absolute(text) => {
            format!("{}/{text}", folder.trim_end_matches('/'))
        }
        _ => text.to_owned(),
    }
}

/// The absolute path without `.` and `..`, up to its first hole; `None` if even its start is unknown. `~` stays if the
/// home folder is unknown.
pub(in crate::review) fn resolved(text: &str, scope: &Scope) -> Option<String> {
    let known = text.split(HOLE).next().unwrap_or_default();
    if known.is_empty() || known.starts_with(TEMPORARY_FOLDER) {
        return None;
    }
    let cwd = spelled_path(&scope.cwd);
    let home = scope.home.as_deref().map(spelled_path);
    let full = if let Some(rest) = known.strip_prefix('~') {
        match (&home, rest.is_empty() || rest.starts_with('/')) {
            (Some(home), true) => format!("{home}{rest}"),
            (None, true) => known.to_owned(),
            // `~+`, `~-` and `~1` are folders in which the shell was or is.
            _ if rest.starts_with(|c: char| matches!(c, '+' | '-') || c.is_ascii_digit()) => return None,
            _ => format!("/home/{rest}"),
        }
    } else if known.starts_with('/') {
        known.to_owned()
    } else {
        format!("{cwd}/{known}")
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in full.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    let path = parts.join("/");
    Some(if path.starts_with('~') { path } else { format!("/{path}") })
}
