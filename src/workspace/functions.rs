//! Reads the files with the person's own functions when a session is opened, within limits. The text read here is what
//! is shown, approved and loaded; a later change of a file does not count for that session.

use super::{FileError, read};
use crate::domain::FunctionFile;
use std::path::PathBuf;

/// The most bytes of such a file: a person has to read it before it is loaded.
const MAX_BYTES: u64 = 256 << 10;

/// The files that can be read, and for each other one a sentence that says why it can't.
pub(crate) fn read_all(paths: &[PathBuf]) -> (Vec<FunctionFile>, Vec<String>) {
    let (mut files, mut troubles) = (Vec::new(), Vec::new());
    for path in paths {
        match read::bounded(path, MAX_BYTES).and_then(text) {
            Ok(source) if source.trim().is_empty() => {
                troubles.push(format!("functions: {} is empty: there is nothing to load", path.display()));
            }
            Ok(source) => files.push(FunctionFile { path: path.clone(), source: source.into() }),
            Err(why) => troubles.push(format!("functions: {} is not loaded: {why}", path.display())),
        }
    }
    (files, troubles)
}

fn text(bytes: Vec<u8>) -> Result<String, FileError> {
    String::from_utf8(bytes).map_err(|error| {
        let line =
            error.as_bytes().iter().take(error.utf8_error().valid_up_to()).filter(|b| **b == b'\n').count();
        FileError::NoText(line + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_read_is_read_and_the_rest_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let huge = vec![b'#'; (MAX_BYTES + 1) as usize];
        let paths = [
            put("tools.py", b"def f(): pass\n"),
            put("empty.py", b" \n"),
            put("bytes.py", b"a\nb\xff"),
            put("huge.py", &huge),
            folder.path().join("missing.py"),
            folder.path().to_owned(),
        ];
        let (files, troubles) = read_all(&paths);
        assert_eq!(files.len(), 1);
        assert!(files[0].path.ends_with("tools.py"));
        assert_eq!(&*files[0].source, "def f(): pass\n");
        assert_eq!(troubles.len(), 5);
        assert!(troubles[1].contains("line 2 is not UTF-8"), "{}", troubles[1]);
    }
}
