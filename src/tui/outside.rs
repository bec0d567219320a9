//! Runs programs that take over the terminal for a while: the person's editor and pager. The text is written to
//! a private folder that holds nothing else and is the program's working folder; the editor's result is read
//! back. That way no known editor or pager obeys settings from the project, or from the text itself.

use super::ui_command::PagerText;
use crate::domain::visible::visible;
use crate::launch::{self, LaunchError, Launcher, PrivateFolder, Start};
use crate::text::system_error::words;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The largest text that is read back from an editor.
const MAX_TEXT_BYTES: u64 = 16 << 20;

/// The most bytes of one line that are read and escaped at once.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// For so long after another program had the terminal, sayso ignores signals of the interrupt and quit keys.
/// Such a key signals all programs of the terminal; the one pressed for the other program may reach sayso late.
pub(super) const LATE_SIGNAL_TIMEOUT: Duration = Duration::from_millis(300);

/// Why another program did not get the terminal, or nothing came back from it; each is a sentence for the
/// status line.
#[derive(Debug, thiserror::Error)]
pub(super) enum OutsideError {
    /// No private folder or file could be made for the text.
    #[error("No temporary {0}: {why}.", why = words(.1))]
    NoPrivateFile(&'static str, io::Error),
    /// The file to show can't be read.
    #[error("The file can't be read: {}.", words(.0))]
    Unreadable(io::Error),
    /// The first word of the command is no program that sayso may start.
    #[error("{0} {1}.")]
    NoProgram(String, LaunchError),
    /// The command (named by its first word) may not be given to the shell.
    #[error("{0}: {1}.")]
    NoLine(String, LaunchError),
    #[error("{0} can't be started: {why}.", why = words(.1))]
    NotStarted(String, io::Error),
    #[error("{0} ended with an error. Nothing was changed.")]
    Ended(String),
    #[error("The edited file can't be read: {}.", words(.0))]
    EditedUnreadable(io::Error),
    #[error("The edited file is larger than 16 MB. Nothing was changed.")]
    EditedTooLarge,
    #[error("The edited file is not UTF-8. Nothing was changed.")]
    EditedNotText,
}

/// Opens a text in an editor and returns the edited text. `extension` is the file's, without the dot.
///
/// # Errors
/// What went wrong; nothing has changed then.
pub(super) fn edit(
    command: &str,
    text: &str,
    extension: &str,
    programs: &Launcher,
) -> Result<String, OutsideError> {
    let file = PrivateFile::new(text.as_bytes(), extension)?;
    run(Start::Editor, command, &file, programs)?;
    let mut back = Vec::new();
    // Opened by its path: editors write a new file and rename it over the old one.
    let opened = std::fs::File::open(&file.path).map_err(OutsideError::EditedUnreadable)?;
    opened.take(MAX_TEXT_BYTES + 1).read_to_end(&mut back).map_err(OutsideError::EditedUnreadable)?;
    if back.len() as u64 > MAX_TEXT_BYTES {
        return Err(OutsideError::EditedTooLarge);
    }
    String::from_utf8(back).map_err(|_| OutsideError::EditedNotText)
}

/// Shows a text or a file in a pager, as a copy in which control characters and hidden characters are escaped.
/// A pager draws what it gets; characters that turn the direction of a line or have no width could make it show
/// another text than there is.
///
/// # Errors
/// What went wrong.
pub(super) fn page(command: &str, what: &PagerText, programs: &Launcher) -> Result<(), OutsideError> {
    let file = match what {
        PagerText::File(path) => {
            let file = std::fs::File::open(path).map_err(OutsideError::Unreadable)?;
            escaped_copy(file)?
        }
        PagerText::Text(text) => escaped_copy(text.as_bytes())?,
    };
    run(Start::Pager, command, &file, programs)
}

/// Writes a private copy, escaped line by line for printing.
fn escaped_copy(text: impl std::io::Read) -> Result<PrivateFile, OutsideError> {
    let failed = |error| OutsideError::NoPrivateFile("file", error);
    let copy = PrivateFile::new(b"", "txt")?;
    let file = std::fs::OpenOptions::new().append(true).open(&copy.path).map_err(failed)?;
    let mut out = std::io::BufWriter::new(file);
    let mut lines = BufReader::new(text);
    let mut line = Vec::new();
    loop {
        line.clear();
        // A very long line is read in pieces; a character cut in two comes out escaped.
        let read = (&mut lines).take(MAX_LINE_BYTES).read_until(b'\n', &mut line);
        if read.map_err(OutsideError::Unreadable)? == 0 {
            break;
        }
        out.write_all(visible(&String::from_utf8_lossy(&line)).as_bytes()).map_err(failed)?;
    }
    out.flush().map_err(failed)?;
    drop(out);
    Ok(copy)
}

/// A file for a program, alone in a private folder that is the program's working folder; both are deleted on
/// drop.
struct PrivateFile {
    path: PathBuf,
    folder: PrivateFolder,
}

impl PrivateFile {
    /// Makes a file that only this account can read, alone in its folder.
    fn new(text: &[u8], extension: &str) -> Result<Self, OutsideError> {
        let extension: String = extension.chars().filter(char::is_ascii_alphanumeric).collect();
        let folder = PrivateFolder::make().map_err(|error| OutsideError::NoPrivateFile("folder", error))?;
        let failed = |error| OutsideError::NoPrivateFile("file", error);
        let work = folder.path().join("work");
        std::fs::create_dir(&work).map_err(failed)?;
        let path = work.join(format!("sayso.{extension}"));
        let mut file = std::fs::OpenOptions::new();
        let mut file = file.write(true).create_new(true).mode(0o600).open(&path).map_err(failed)?;
        file.write_all(text).map_err(failed)?;
        Ok(Self { path, folder })
    }

    /// The folder that contains only this file.
    fn work(&self) -> &Path {
        self.path.parent().unwrap_or(self.folder.path())
    }
}

/// Runs a command of the person's (it may contain arguments) on a file, and waits for its end.
fn run(start: Start, command: &str, file: &PrivateFile, programs: &Launcher) -> Result<(), OutsideError> {
    // The first word of a plain command is resolved to a trusted program. A line with other characters goes to
    // the shell, which searches the same PATH.
    let first = command.split_whitespace().next().unwrap_or_default();
    let (mut line, mut quiet) = (command.trim().to_owned(), "");
    if is_word(first) {
        let at = programs.locate(first).map_err(|why| OutsideError::NoProgram(first.into(), why))?;
        quiet = if start == Start::Editor { launch::quiet_options(&at) } else { "" };
        line = line.replacen(first, &at.display().to_string(), usize::from(at.to_str().is_some_and(is_word)));
    }
    // The interrupt and quit keys are for the program: the shell ignores them and waits for the program's end.
    let mut shell = programs
        .shell_command(start, &format!("trap : INT QUIT; {line}{quiet} \"$1\""))
        .map_err(|why| OutsideError::NoLine(first.into(), why))?;
    // If sayso ends first, the program keeps running and keeps its folder.
    file.folder.lend();
    let status = shell
        .arg("sh")
        .arg(&file.path)
        .current_dir(file.work())
        .status()
        .map_err(|error| OutsideError::NotStarted(command.into(), error))?;
    if status.success() { Ok(()) } else { Err(OutsideError::Ended(command.into())) }
}

/// Whether the shell reads the text as one word without quotes.
fn is_word(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || "/._+-".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn plain(command: &str, text: &str) -> Result<String, OutsideError> {
        edit(command, text, "py", &Launcher::default())
    }

    #[test]
    fn what_the_editor_wrote_comes_back() {
        assert_eq!(plain("true", "a\r\nb").unwrap(), "a\r\nb");
        assert_eq!(plain("sed -i s/a/x/", "a\n").unwrap(), "x\n");
    }

    #[test]
    fn a_pager_gets_nothing_that_acts_or_hides() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("out"), folder.path().join("seen"));
        let text = "a\u{202e}b\u{200b}c\u{e0041}\u{1b}[2J\nplain\n";
        std::fs::write(&from, text).unwrap();
        let pager = format!("f() {{ cat \"$1\" > {}; }}; f", to.display());
        for what in [PagerText::File(from), PagerText::Text(text.into())] {
            page(&pager, &what, &Launcher::default()).unwrap();
            assert_eq!(
                std::fs::read_to_string(&to).unwrap(),
                "a<U+202E>b<U+200B>c<U+E0041>\\x1b[2J\nplain\n"
            );
        }
    }

    #[test]
    fn a_failing_editor_changes_nothing() {
        assert!(plain("false", "a").unwrap_err().to_string().contains("Nothing was changed"));
        assert!(plain("printf '\\377' >", "a").unwrap_err().to_string().contains("UTF-8"));
    }

    #[test]
    fn the_file_is_private_and_alone() {
        let file = PrivateFile::new(b"secret", "p/../y").unwrap();
        assert_eq!(file.path.extension().unwrap(), "py");
        assert_eq!(std::fs::metadata(&file.path).unwrap().permissions().mode() & 0o077, 0);
        let mode = std::fs::metadata(file.folder.path()).unwrap().permissions().mode();
        assert_eq!((mode & 0o077, std::fs::read_dir(file.work()).unwrap().count()), (0, 1));
        let listed = plain("sh -c 'ls -a > \"$0\"; pwd >> \"$0\"'", "").unwrap();
        assert!(listed.contains("sayso.py") && !listed.contains("Cargo.toml"), "{listed}");
        assert!(!listed.contains(env!("CARGO_MANIFEST_DIR")), "{listed}");
    }

    #[test]
    fn an_editor_that_runs_could_have_written_is_not_started() {
        let base = tempfile::tempdir().unwrap();
        let base = std::fs::canonicalize(base.path()).unwrap();
        let trap = base.join("evil");
        std::fs::write(&trap, format!("#!/bin/sh\ntouch {}/mark\n", base.display())).unwrap();
        std::fs::set_permissions(&trap, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = std::env::join_paths([base.as_path(), Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
        let launcher = Launcher::new(&path, launch::WritableFolders::new(&base, None, &[], &[]));
        let whole = trap.to_str().unwrap();
        let in_line = format!("A=1 '{whole}'");
        for command in ["evil", whole, "./evil", "exec evil", "A=1 evil", in_line.as_str()] {
            assert!(edit(command, "a", "py", &launcher).is_err(), "{command}");
        }
        assert!(!base.join("mark").exists());
    }
}
