//! Formats numbers, sizes, times and paths in one way for all of the screen.

use crate::domain::{BlockKind, Language, Timestamp};
use crate::engine::transcript::BlockItem;
pub use crate::text::number::{counted as count, limit, memory, size};
pub(crate) use crate::text::number::{duration, grouped};
use jiff::tz::TimeZone;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

/// What the format of times and paths depends on.
#[derive(Clone, Debug)]
pub struct Locale {
    /// The person's time zone, read when a time is first shown.
    pub zone: Arc<LazyLock<TimeZone>>,
    /// The person's home folder, written `~`.
    pub home: Option<PathBuf>,
}

impl Default for Locale {
    fn default() -> Self {
        Self { zone: Arc::new(LazyLock::new(|| TimeZone::UTC)), home: None }
    }
}

impl Locale {
    /// `10:41`
    pub(crate) fn hour(&self, at: Timestamp) -> String {
        self.zoned(at).map_or_else(String::new, |z| z.strftime("%H:%M").to_string())
    }

    /// `10:42:07`
    pub(crate) fn second(&self, at: Timestamp) -> String {
        self.zoned(at).map_or_else(String::new, |z| z.strftime("%H:%M:%S").to_string())
    }

    fn zoned(&self, at: Timestamp) -> Option<jiff::Zoned> {
        let at = jiff::Timestamp::from_millisecond(at.0).ok()?;
        Some(at.to_zoned(TimeZone::clone(&self.zone)))
    }

    /// A path, with the home folder written as `~`.
    pub(crate) fn path(&self, path: &Path) -> String {
        let below =
            self.home.as_deref().filter(|h| h.parent().is_some()).and_then(|h| path.strip_prefix(h).ok());
        match below {
            Some(rest) if rest.as_os_str().is_empty() => "~".into(),
            Some(rest) => format!("~/{}", rest.display()),
            None => path.display().to_string(),
        }
    }
}

/// How long ago something was: `12 min`, `2 d`.
pub fn ago(now: Timestamp, then: Timestamp) -> String {
    let minutes = now.since(then) / 60_000;
    match minutes {
        0 => "now".into(),
        1..=59 => format!("{minutes} min"),
        60..=1439 => format!("{} h", minutes / 60),
        _ => format!("{} d", minutes / 1440),
    }
}

/// How many lines a text has: a newline at the end begins no further line.
pub(crate) fn line_count(text: &str) -> usize {
    text.lines().count()
}

/// The first line of a text that is not blank.
pub(crate) fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or("")
}

/// The language of a block; `text` if it has none yet.
pub(crate) fn language_of(item: &BlockItem) -> &str {
    match &item.block.kind {
        BlockKind::Code { .. } => item.block.current().language.as_ref().map_or("text", Language::as_str),
        kind => kind.as_str(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_read_well() {
        assert_eq!(duration(12), "12 ms");
        assert_eq!(duration(104), "0.1 s");
        assert_eq!(duration(6_100), "6.1 s");
        assert_eq!(duration(14_200), "14 s");
        assert_eq!(duration(200_000), "3 min 20 s");
        assert_eq!(duration(7_500_000), "2 h 5 min");
        assert_eq!(limit(60_000), "60 s");
        assert_eq!(limit(1_500), "1.5 s");
        assert_eq!(count(1, "line"), "1 line");
        assert_eq!(line_count("a\nb\n"), 2);
        assert_eq!(line_count("a\nb"), 2);
        assert_eq!(line_count(""), 0);
    }

    #[test]
    fn home_is_short_and_the_root_is_no_home() {
        let locale = Locale { home: Some("/home/ada".into()), ..Locale::default() };
        assert_eq!(locale.path(Path::new("/home/ada/data")), "~/data");
        assert_eq!(locale.path(Path::new("/home/ada")), "~");
        assert_eq!(locale.path(Path::new("/home/adam")), "/home/adam");
        let root = Locale { home: Some("/".into()), ..Locale::default() };
        assert_eq!(root.path(Path::new("/tmp")), "/tmp");
    }
}
