//! The log: a file in the state folder, created with its first line. Nothing is logged to the terminal, and no key is
//! logged.

use crate::domain::visible::visible;
use crate::domain::{MaskedValue, Masker};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
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
            std::fs::create_dir_all(folder)?;
        }
        if std::fs::metadata(&*self.path).is_ok_and(|info| info.len() > MAX_BYTES) {
            std::fs::rename(&*self.path, self.path.with_extension("log.1"))?;
        }
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        options.open(&*self.path)
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

    #[test]
    fn no_key_reaches_the_log() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("state/sayso.log");
        let masker = Masker::default();
        let mut target =
            LogTarget { path: Arc::new(path.clone()), file: Arc::default(), masker: masker.clone() };
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
        let target =
            LogTarget { path: Arc::new(path.clone()), file: Arc::default(), masker: Masker::default() };
        let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(target).finish();
        let name = "evil\u{1b}[2J\u{9b}31m\u{202e}\nWARN forged";
        tracing::subscriber::with_default(subscriber, || tracing::warn!(folder = %name, "{name}"));
        let log = std::fs::read_to_string(path).expect("a log");
        assert_eq!(log.lines().count(), 1, "{log}");
        assert!(log.contains("forged") && !log.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{log}");
    }
}
