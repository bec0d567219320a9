//! The log: a file in the state folder, created with its first line: private, never through a link, never another
//! user's. Nothing is logged to the terminal, and no key is logged.

use crate::domain::visible::visible;
use crate::domain::{MaskedValue, Masker};
use rustix::fs::{Mode, OFlags};
use std::fs::{DirBuilder, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;

/// A larger log is renamed when it is opened; one old log is kept.
const MAX_BYTES: u64 = 1 << 20;

/// Logs warnings and errors, or the level that `SAYSO_LOG` names (`error`, `warn`, `info`, `debug`, `trace`, `off`),
/// to this file. A log that can't be written never stops the program.
pub(crate) fn start(path: PathBuf, level: Option<String>, masker: Masker) {
    let level = level.and_then(|l| l.parse::<LevelFilter>().ok()).unwrap_or(LevelFilter::WARN);
    let target = LogTarget { path: Arc::new(path), file: Arc::default(), masker };
    let subscriber = tracing_subscriber::fmt().with_max_level(level).with_ansi(false).with_writer(target);
    // Else what can't be written is told on the standard error output, in the middle of the panes.
    let subscriber = subscriber.log_internal_errors(false);
    let _ = tracing::subscriber::set_global_default(subscriber.finish());
}

/// The log file, opened at the first write.
#[derive(Clone)]
struct LogTarget {
    path: Arc<PathBuf>,
    file: Arc<Mutex<Option<File>>>,
    masker: Masker,
}

impl LogTarget {
    fn open(&self) -> io::Result<File> {
        if let Some(folder) = self.path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        if std::fs::symlink_metadata(&*self.path).is_ok_and(|info| info.len() > MAX_BYTES) {
            std::fs::rename(&*self.path, self.path.with_extension("log.1"))?;
        }
        // NONBLOCK: opening a pipe in the place of the log must not block.
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND | OFlags::NOFOLLOW;
        let flags = flags | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::open(&*self.path, flags, Mode::RUSR | Mode::WUSR)?);
        let meta = file.metadata()?;
        if !meta.is_file() || meta.uid() != rustix::process::geteuid().as_raw() {
            return Err(io::Error::other("something else is in the place of the log"));
        }
        if meta.mode() & 0o077 != 0 {
            file.set_permissions(Permissions::from_mode(0o600))?;
        }
        Ok(file)
    }
}

impl<'a> MakeWriter<'a> for LogTarget {
    type Writer = LogTarget;

    fn make_writer(&'a self) -> LogTarget {
        self.clone()
    }
}

impl Write for LogTarget {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if file.is_none() {
            *file = Some(self.open()?);
        }
        if let Some(open) = &mut *file {
            write(open, &self.masker.mask(bytes.to_vec()))?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A line arrives in one piece, so the masker always sees whole keys. Texts of others in it can't begin another line, and
/// do nothing in a terminal that shows the log.
fn write(file: &mut File, line: &MaskedValue<Vec<u8>>) -> io::Result<()> {
    let text = String::from_utf8_lossy(line);
    let (line, end) = text.strip_suffix('\n').map_or((&*text, ""), |line| (line, "\n"));
    file.write_all(format!("{}{end}", visible(line).replace('\n', " ")).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A log in this file, before anything is written.
    fn target(path: &std::path::Path, masker: Masker) -> LogTarget {
        LogTarget { path: Arc::new(path.to_owned()), file: Arc::default(), masker }
    }

    #[test]
    fn it_is_private_and_written_through_no_link() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, other) = (folder.path().join("state/sayso.log"), folder.path().join("other"));
        let target = |path: &std::path::Path| target(path, Masker::default());
        writeln!(target(&path), "one").expect("written");
        std::fs::set_permissions(&path, Permissions::from_mode(0o644)).expect("a mode");
        writeln!(target(&path), "two").expect("written");
        let mode = |path: &std::path::Path| std::fs::metadata(path).expect("a file").mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().expect("a folder"))), (0o600, 0o700));
        assert_eq!(std::fs::read_to_string(&path).expect("a log"), "one\ntwo\n");
        std::fs::write(&other, "kept").expect("written");
        let link = folder.path().join("link.log");
        std::os::unix::fs::symlink(&other, &link).expect("a link");
        assert!(writeln!(target(&link), "three").is_err());
        assert_eq!(std::fs::read_to_string(&other).expect("a file"), "kept");
    }

    #[test]
    fn no_key_reaches_the_log() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("state/sayso.log");
        let masker = Masker::default();
        let mut target = target(&path, masker.clone());
        masker.learn(["swordfish-2024".into()]);
        let token = format!("ghp_{}", "aB3dE5fG7h".repeat(4));
        writeln!(target, "WARN the server says: swordfish-2024, {token}").expect("written");
        target.write_all(format!("WARN {token} and swordfish-2024\n").as_bytes()).expect("written");
        let log = std::fs::read_to_string(path).expect("a log");
        assert!(log.contains("[redacted]") && !log.contains("aB3d"), "{log}");
        assert!(!log.lines().last().expect("a line").contains("swordfish"), "{log}");
    }

    #[test]
    fn a_line_of_the_log_is_one_line_without_active_characters() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("sayso.log");
        let target = target(&path, Masker::default());
        let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(target).finish();
        let name = "evil\u{1b}[2J\u{9b}31m\u{202e}\nWARN forged";
        tracing::subscriber::with_default(subscriber, || tracing::warn!(folder = %name, "{name}"));
        let log = std::fs::read_to_string(path).expect("a log");
        assert_eq!(log.lines().count(), 1, "{log}");
        assert!(log.contains("forged") && !log.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{log}");
    }
}
