//! Derives what the sandbox refused from the errors that a run printed. Pure.
//!
//! Reports only what can't have another cause: an error names a path that the sandbox blocks, or the network is closed
//! and an error says that it can't be reached. A refusal that the program does not print is not noticed.

use crate::domain::sentences::running::refused_network;
use crate::text::path::normalize;
use std::path::{Path, PathBuf};

const MAX_REFUSALS: usize = 8;
/// How many bytes at the end of each text are searched.
const SCANNED_BYTES: usize = 64 << 10;

/// What is blocked for a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClosedPlaces {
    /// The folder in which it started.
    pub(crate) cwd: PathBuf,
    /// The person's home, which is hidden except for the listed folders.
    pub(crate) home: Option<PathBuf>,
    /// The path of the home folder, as programs see it.
    pub(crate) home_inside: PathBuf,
    /// Readable folders.
    pub(crate) read: Vec<PathBuf>,
    /// Writable folders.
    pub(crate) write: Vec<PathBuf>,
    /// Paths inside of those that are not writable.
    pub(crate) protected: Vec<PathBuf>,
    pub(crate) network: bool,
}

/// The cause that an error line names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cause {
    ReadOnly,
    Denied,
    Absent,
}

const CAUSES: &[(&str, Cause)] = &[
    ("Read-only file system", Cause::ReadOnly),
    ("read-only file system", Cause::ReadOnly),
    ("EROFS", Cause::ReadOnly),
    ("Permission denied", Cause::Denied),
    ("permission denied", Cause::Denied),
    ("Operation not permitted", Cause::Denied),
    ("No such file or directory", Cause::Absent),
    ("no such file or directory", Cause::Absent),
];

const NETWORK: &[&str] = &[
    "Network is unreachable",
    "network is unreachable",
    "ENETUNREACH",
    "Temporary failure in name resolution",
    "Name or service not known",
    "EAI_AGAIN",
    "Could not resolve host",
    "Couldn't resolve host",
    "unable to resolve host address",
];

/// What was refused, each once, in the order of the errors.
pub(crate) fn refused<'a>(texts: impl IntoIterator<Item = &'a str>, closed: &ClosedPlaces) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for text in texts {
        let start = text.ceil_char_boundary(text.len().saturating_sub(SCANNED_BYTES));
        for line in text.get(start..).unwrap_or_default().lines() {
            let words = refused_in_line(line, closed).filter(|words| !found.contains(words));
            found.extend(words);
            if found.len() == MAX_REFUSALS {
                return found;
            }
        }
    }
    found
}

fn refused_in_line(line: &str, closed: &ClosedPlaces) -> Option<String> {
    if closed.network && NETWORK.iter().any(|sign| line.contains(sign)) {
        return Some(refused_network(host_in_line(line)));
    }
    let (at, cause) = CAUSES.iter().find_map(|(sign, cause)| Some((line.find(sign)?, *cause)))?;
    let path = normalize(&closed.cwd.join(path_in_line(line, at)?));
    let shown = display_path(&path, closed);
    match (cause, access_right(&path, closed)) {
        (Cause::ReadOnly, right) if right != AccessRight::Write => Some(format!("write to {shown}")),
        (Cause::Denied, AccessRight::Protected) => Some(format!("write to {shown}")),
        (Cause::Denied | Cause::Absent, AccessRight::Hidden) => Some(format!("reach {shown}")),
        _ => None,
    }
}

/// What a run may do with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AccessRight {
    Write,
    Read,
    Protected,
    Hidden,
    /// A path of the system, or one about which nothing is known.
    Other,
}

/// The deepest folder that contains the path decides.
fn access_right(path: &Path, closed: &ClosedPlaces) -> AccessRight {
    let lists = [
        (AccessRight::Write, &closed.write[..]),
        (AccessRight::Read, &closed.read),
        (AccessRight::Protected, &closed.protected),
        (AccessRight::Hidden, closed.home.as_slice()),
        (AccessRight::Hidden, std::slice::from_ref(&closed.home_inside)),
    ];
    let all = lists.iter().flat_map(|(right, folders)| folders.iter().map(move |folder| (*right, folder)));
    let holding = all.filter(|(_, folder)| !folder.as_os_str().is_empty() && path.starts_with(folder));
    // If two lists contain the same folder, the first list counts.
    let deepest = holding.rev().max_by_key(|(_, folder)| folder.components().count());
    deepest.map_or(AccessRight::Other, |(right, _)| right)
}

/// The path that an error line names: the quoted text, else the text before the cause.
fn path_in_line(line: &str, cause: usize) -> Option<&str> {
    const QUOTES: [(char, char); 3] = [('\'', '\''), ('‘', '’'), ('"', '"')];
    for (open, close) in QUOTES {
        let Some(end) = line.rfind(close) else { continue };
        let before = line.get(..end)?;
        if let Some(start) = before.rfind(open) {
            return before.get(start + open.len_utf8()..).filter(|path| !path.is_empty());
        }
    }
    let before = line.get(..cause)?.trim_end().strip_suffix(':')?;
    let path = before.rsplit(": ").next()?.trim();
    (!path.is_empty() && path.contains('/')).then_some(path)
}

/// The host in lines such as `Could not resolve host: example.com` and `getaddrinfo EAI_AGAIN example.com`.
fn host_in_line(line: &str) -> Option<&str> {
    let after = ["resolve host: ", "EAI_AGAIN ", "host address ‘", "host address '"];
    let rest = after.iter().find_map(|sign| Some(line.split_once(sign)?.1))?;
    let host = rest.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))).next()?;
    (!host.is_empty() && host.len() < 200).then_some(host)
}

fn display_path(path: &Path, closed: &ClosedPlaces) -> String {
    let home = closed.home.as_deref().into_iter().chain([closed.home_inside.as_path()]);
    let below =
        home.filter(|home| home.components().count() > 1).find_map(|home| path.strip_prefix(home).ok());
    match below {
        Some(below) => Path::new("~").join(below).display().to_string(),
        None => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn closed() -> ClosedPlaces {
        ClosedPlaces {
            cwd: "/home/ada/data/sales".into(),
            home: Some("/home/ada".into()),
            home_inside: "/home/ada".into(),
            read: vec!["/home/ada/.pyenv".into()],
            write: vec!["/home/ada/data/sales".into()],
            protected: vec!["/home/ada/data/sales/.git/hooks".into()],
            network: true,
        }
    }

    #[test]
    fn what_errors_tell() {
        for (line, told) in [
            (
                "OSError: [Errno 30] Read-only file system: '/home/ada/.ssh/config'",
                Some("write to ~/.ssh/config"),
            ),
            ("touch: cannot touch '/usr/x': Read-only file system", Some("write to /usr/x")),
            ("mkdir: cannot create directory ‘/home/ada/y’: Read-only file system", Some("write to ~/y")),
            (
                "bash: line 1: .git/hooks/pre-commit: Read-only file system",
                Some("write to ~/data/sales/.git/hooks/pre-commit"),
            ),
            ("Error: EROFS: read-only file system, open '/home/ada/a'", Some("write to ~/a")),
            ("cat: /home/ada/.ssh/id_rsa: No such file or directory", Some("reach ~/.ssh/id_rsa")),
            ("PermissionError: [Errno 13] Permission denied: '/home/ada/.aws'", Some("reach ~/.aws")),
            ("OSError: [Errno 101] Network is unreachable", Some("the network")),
            ("curl: (6) Could not resolve host: example.com", Some("the network: example.com")),
            ("Error: getaddrinfo EAI_AGAIN api.example.com", Some("the network: api.example.com")),
            // Each of these could have another cause.
            ("FileNotFoundError: [Errno 2] No such file or directory: 'sales.csv'", None),
            ("PermissionError: [Errno 13] Permission denied: '/etc/shadow'", None),
            ("cat: /home/ada/data/sales/x: Permission denied", None),
            ("No such file or directory: '/home/ada/.pyenv/x'", None),
            ("Permission denied", None),
            ("all is well", None),
        ] {
            assert_eq!(refused_in_line(line, &closed()).as_deref(), told, "{line}");
        }
        let open = ClosedPlaces { network: false, ..closed() };
        assert_eq!(refused_in_line("OSError: [Errno 101] Network is unreachable", &open), None);
    }

    #[test]
    fn each_is_told_once_and_not_too_many() {
        let line = "touch: cannot touch '/usr/x': Read-only file system\n";
        assert_eq!(refused([line.repeat(3).as_str()], &closed()), ["write to /usr/x"]);
        let many: String = (0..50).map(|n| line.replace("/x", &format!("/{n}"))).collect();
        assert_eq!(refused([many.as_str()], &closed()).len(), MAX_REFUSALS);
    }

    proptest! {
        #[test]
        fn any_text(text in "(Permission denied|Read-only file system|'|’|: |/|é|\\PC){0,20}") {
            let _ = refused([text.as_str()], &closed());
        }
    }
}
