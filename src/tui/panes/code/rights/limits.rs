//! The limits of a run in words, with how each is enforced.

use crate::domain::sentences::saving;
use crate::domain::{Enforcement, Limits, Terms};
use crate::tui::widgets::words;

/// `60 s, 2 GiB and 256 processes (watched), 1 MiB of each stream kept`. Limits on files are only included if they are
/// not the defaults, or in `full`.
pub(super) fn limits(terms: &Terms, full: bool) -> String {
    let (limits, report) = (&terms.limits, &terms.rights.sandbox);
    let usual = Limits::default();
    let mut held: Vec<(String, Enforcement)> = Vec::new();
    if limits.memory_bytes > 0 {
        held.push((words::memory(limits.memory_bytes), report.memory));
    }
    if limits.processes > 0 {
        held.push((words::count(limits.processes as usize, "process"), report.processes));
    }
    if full || limits.file_bytes != usual.file_bytes {
        held.push(match limits.file_bytes {
            0 => ("files of any size".to_owned(), Enforcement::Enforced),
            bytes => (format!("files up to {}", words::memory(bytes)), report.files),
        });
    }
    if full || limits.open_files != usual.open_files {
        held.push(match limits.open_files {
            0 => ("any number of open files".to_owned(), Enforcement::Enforced),
            count => (words::count(count as usize, "open file"), report.files),
        });
    }
    let mut parts = vec![words::limit(limits.wall_ms)];
    let mut rest = held.into_iter().peekable();
    while let Some((mut text, hold)) = rest.next() {
        // Limits that are enforced in the same way are joined.
        while let Some((next, _)) = rest.next_if(|(_, other)| hold != Enforcement::Enforced && *other == hold)
        {
            text = format!("{text} and {next}");
        }
        parts.push(match hold {
            Enforcement::Enforced => text,
            Enforcement::Watched => format!("{text} (watched)"),
            Enforcement::None => format!("{text} (not held)"),
        });
    }
    parts.push(saving::of_streams(&words::memory(limits.output_kept_bytes)));
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Rights as May, SandboxReport, samples};

    fn told(limits_: Limits, holds: [Enforcement; 3], full: bool) -> String {
        let [memory, processes, files] = holds;
        let sandbox = SandboxReport { memory, processes, files, ..SandboxReport::default() };
        let rights = May { sandbox, ..May::default() }.into();
        let terms = Terms { rights, limits: limits_, ..samples::terms() };
        limits(&terms, full)
    }

    #[test]
    fn limits_say_how_they_are_held() {
        use Enforcement::{Enforced, None, Watched};
        let usual = Limits::default();
        assert_eq!(
            told(usual, [Watched, Watched, Enforced], false),
            "60 s, 2 GiB and 256 processes (watched), 1 MiB of each stream kept"
        );
        assert_eq!(
            told(usual, [Enforced, Enforced, Enforced], true),
            "60 s, 2 GiB, 256 processes, files up to 1 GiB, 1,024 open files, 1 MiB of each stream kept"
        );
        let other = Limits { memory_bytes: 0, processes: 1, file_bytes: 0, open_files: 64, ..usual };
        assert_eq!(
            told(other, [None, None, Watched], false),
            "60 s, 1 process (not held), files of any size, 64 open files (watched), 1 MiB of each stream kept"
        );
    }
}
