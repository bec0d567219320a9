//! Other programs that get the terminal for a while: the person's editor and pager. A text goes to them in a private
//! file and, from the editor, comes back from it.

use super::screen::Paged;
use crate::domain::visible::visible;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::Command;

/// The largest text that is taken back from an editor.
const LARGEST: u64 = 16 << 20;

/// Bytes of a line that are written out at once.
const LONGEST_LINE: u64 = 1 << 20;

/// Opens a text in an editor and returns what became of it. `extension` is that of the file, without the dot.
///
/// # Errors
/// Words for the status line; nothing has changed then.
pub fn edit(command: &str, text: &str, extension: &str) -> Result<String, String> {
    let file = private_file(text.as_bytes(), extension)?;
    run(command, file.path())?;
    let mut back = Vec::new();
    // By its path: editors write a new file and rename it over the old one.
    let opened =
        std::fs::File::open(file.path()).map_err(|e| format!("The edited file can't be read: {e}."))?;
    opened
        .take(LARGEST + 1)
        .read_to_end(&mut back)
        .map_err(|e| format!("The edited file can't be read: {e}."))?;
    if back.len() as u64 > LARGEST {
        return Err("The edited file is larger than 16 MB. Nothing was changed.".into());
    }
    String::from_utf8(back).map_err(|_| "The edited file is not UTF-8. Nothing was changed.".into())
}

/// Shows a text or a file in a pager: a copy in which everything that would act or hide is written out. A pager draws
/// what it is given, and what turns the direction of a line or takes no room can show another text than there is.
///
/// # Errors
/// Words for the status line.
pub fn page(command: &str, what: &Paged) -> Result<(), String> {
    match what {
        Paged::File(path) => {
            let file = std::fs::File::open(path).map_err(|e| format!("The file can't be read: {e}."))?;
            run(command, written_out(file)?.path())
        }
        Paged::Text(text) => run(command, written_out(text.as_bytes())?.path()),
    }
}

/// A private copy, line by line, as it may be printed.
fn written_out(text: impl std::io::Read) -> Result<tempfile::NamedTempFile, String> {
    let failed = |e: std::io::Error| format!("No temporary file: {e}.");
    let copy = private_file(b"", "txt")?;
    let mut out = std::io::BufWriter::new(copy.as_file());
    let mut lines = BufReader::new(text);
    let mut line = Vec::new();
    loop {
        line.clear();
        // A line without end is cut here and there; a character that is cut is written out as such.
        let read = (&mut lines).take(LONGEST_LINE).read_until(b'\n', &mut line);
        if read.map_err(|e| format!("The file can't be read: {e}."))? == 0 {
            break;
        }
        out.write_all(visible(&String::from_utf8_lossy(&line)).as_bytes()).map_err(failed)?;
    }
    out.flush().map_err(failed)?;
    drop(out);
    Ok(copy)
}

/// A file that only this account can read, deleted when it is dropped.
fn private_file(text: &[u8], extension: &str) -> Result<tempfile::NamedTempFile, String> {
    let extension: String = extension.chars().filter(char::is_ascii_alphanumeric).collect();
    let mut file = tempfile::Builder::new()
        .prefix("sayso-")
        .suffix(&format!(".{extension}"))
        .tempfile()
        .map_err(|e| format!("No temporary file: {e}."))?;
    file.write_all(text).map_err(|e| format!("No temporary file: {e}."))?;
    file.flush().map_err(|e| format!("No temporary file: {e}."))?;
    Ok(file)
}

/// Runs a command of the person's (it may hold arguments) on a file, and waits.
fn run(command: &str, path: &Path) -> Result<(), String> {
    let status = Command::new("sh")
        .arg("-c")
        .arg(format!("{command} \"$1\""))
        .arg("sh")
        .arg(path)
        .status()
        .map_err(|e| format!("{command} can't be started: {e}."))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{command} ended with an error. Nothing was changed."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_editor_wrote_comes_back() {
        assert_eq!(edit("true", "a\r\nb", "py").unwrap(), "a\r\nb");
        assert_eq!(edit("sed -i s/a/x/", "a\n", "py").unwrap(), "x\n");
    }

    #[test]
    fn a_pager_gets_nothing_that_acts_or_hides() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("out"), folder.path().join("seen"));
        let text = "a\u{202e}b\u{200b}c\u{e0041}\u{1b}[2J\nplain\n";
        std::fs::write(&from, text).unwrap();
        let pager = format!("f() {{ cat \"$1\" > {}; }}; f", to.display());
        for what in [Paged::File(from), Paged::Text(text.into())] {
            page(&pager, &what).unwrap();
            assert_eq!(
                std::fs::read_to_string(&to).unwrap(),
                "a<U+202E>b<U+200B>c<U+E0041>\\x1b[2J\nplain\n"
            );
        }
    }

    #[test]
    fn a_failing_editor_changes_nothing() {
        assert!(edit("false", "a", "py").unwrap_err().contains("Nothing was changed"));
        assert!(edit("printf '\\377' >", "a", "py").unwrap_err().contains("UTF-8"));
    }

    #[test]
    fn the_file_is_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let file = private_file(b"secret", "p/../y").unwrap();
        assert_eq!(file.path().extension().unwrap(), "py");
        assert_eq!(file.as_file().metadata().unwrap().permissions().mode() & 0o077, 0);
    }
}
