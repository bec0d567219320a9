//! Reads files that were named on the command line, or standard input for `-`: once, whole, bounded.

use crate::domain::visible::visible_line;
use crate::domain::{Language, Languages};
use crate::report::reason;
use crate::report::{Failure, FailureClass};
use crate::text::number::whole_size;
use crate::workspace::read;
use std::io::{self, Read};
use std::path::Path;

/// The largest input; a larger one is refused, because nobody reads it before it runs.
const MAX_BYTES: u64 = 64 << 20;

/// A file's text, byte for byte; `-` is standard input.
pub(super) fn read(path: &Path) -> Result<String, Failure> {
    read_at_most(path, MAX_BYTES)
}

/// The same for a text of at most so many bytes.
pub(super) fn read_at_most(path: &Path, most: u64) -> Result<String, Failure> {
    let bytes = read_whole(path, most).map_err(|error| {
        let what = format!("{} can't be read: {}", display_path(path), reason(&error));
        let failure = Failure::new(FailureClass::Usage, what);
        // Only what the system refused can be a matter of name and rights.
        match error.raw_os_error() {
            Some(_) if error.kind() == io::ErrorKind::IsADirectory => failure.hint("Name a file in it."),
            Some(_) => failure.hint("Check the name and the rights of the file."),
            None => failure,
        }
    })?;
    decode(path, bytes)
}

fn decode(path: &Path, bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let what = format!("{} is no UTF-8 text: byte {} can't be read", display_path(path), at + 1);
        Failure::new(FailureClass::Usage, what).hint("Save it as UTF-8.")
    })
}

/// The text of a regular file. Unlike `read` it never blocks, as reading a pipe could.
pub(super) fn read_plain(path: &Path) -> Result<String, Failure> {
    let bytes = read::bounded(path, MAX_BYTES).map_err(|error| {
        Failure::new(FailureClass::Usage, visible_line(&error.to_string()))
            .hint("Name a file that is there and is no pipe, device or folder.")
    })?;
    decode(path, bytes)
}

fn read_whole(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let bytes = read_bytes(path, most + 1)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("it is larger than {}", whole_size(most))));
    }
    Ok(bytes)
}

/// At most this many bytes of a file or of standard input.
pub(super) fn read_bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if is_stdin(path) {
        io::stdin().lock().take(most).read_to_end(&mut bytes)?;
    } else {
        std::fs::File::open(path)?.take(most).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Whether the path means standard input.
pub(super) fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// The path as messages name it.
pub(super) fn display_path(path: &Path) -> String {
    if is_stdin(path) { "standard input".into() } else { path.display().to_string() }
}

/// The language of a file: the named one, else that of its extension; without an extension, that of the program that its
/// `#!` line names.
pub(super) fn language(
    (path, program): (&Path, Option<&str>),
    named: Option<&str>,
    languages: &Languages,
) -> Result<Language, Failure> {
    if let Some(word) = named {
        let found = languages.find(word).map(|entry| entry.name.clone());
        return found.ok_or_else(|| {
            Failure::new(FailureClass::Usage, format!("no language {word:?} is configured"))
                .hint(language_hint(languages))
        });
    }
    let found = match path.extension() {
        Some(extension) => languages.by_extension(&extension.to_string_lossy()),
        None => program.and_then(|program| languages.find(program)),
    };
    found.map(|entry| entry.name.clone()).ok_or_else(|| {
        let what = format!("the language of {} is not known", display_path(path));
        Failure::new(FailureClass::Usage, what)
            .hint(format!("Name it with --language. {}", language_hint(languages)))
    })
}

fn language_hint(languages: &Languages) -> String {
    let names: Vec<&str> = languages.0.iter().map(|entry| entry.name.as_str()).collect();
    format!("Languages: {}.", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_is_told_as_that() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.py");
        std::fs::File::create(&path).unwrap().set_len(MAX_BYTES + 1).unwrap();
        let failure = read(&path).unwrap_err();
        assert!(failure.what.ends_with("can't be read: it is larger than 64 MiB"), "{}", failure.what);
        assert_eq!(failure.hint, None);
        let failure = read(&folder.path().join("b.py")).unwrap_err();
        assert!(failure.hint.is_some_and(|hint| hint.contains("name")));
    }
}
