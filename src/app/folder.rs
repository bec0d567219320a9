//! Asks where to continue a session whose folder is another one or no longer exists. It asks on the plain terminal
//! before anything is opened, and accepts only a number, so that text typed ahead decides nothing.

use crate::domain::visible::visible_line;
use crate::report::{Failure, FailureClass};
use crate::session::factory::SessionFactory;
use crate::store::index;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

/// How the folder of a session that is about to be opened relates to the current one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SessionFolder {
    Same,
    Another(PathBuf),
    /// A folder that no longer exists.
    Missing(PathBuf),
}

/// Compares the folder recorded in a session's file with the current one.
pub(super) fn of(factory: &SessionFactory, path: &Path) -> SessionFolder {
    let Some(was) = index::of(path).map(|session| session.cwd).filter(|cwd| !cwd.as_os_str().is_empty())
    else {
        return SessionFolder::Same;
    };
    match was.canonicalize() {
        Ok(real) if real == factory.place.cwd => SessionFolder::Same,
        Ok(real) if real.is_dir() => SessionFolder::Another(real),
        _ => SessionFolder::Missing(was),
    }
}

/// Asks in which folder the session continues; `None` means the current one.
pub(super) fn ask(
    folder: &SessionFolder,
    here: &Path,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> Result<Option<PathBuf>, Failure> {
    let name = |path: &Path| visible_line(&path.to_string_lossy());
    let here = name(here);
    match folder {
        SessionFolder::Same => return Ok(None),
        SessionFolder::Another(was) => {
            let was = name(was);
            writeln!(out, "This session worked in {was}, and you are in {here}. Where does it go on?")?;
            writeln!(out, "  1  there, in {was}")?;
        }
        SessionFolder::Missing(was) => {
            writeln!(out, "This session worked in {}, which is not there any more.", name(was))?;
        }
    }
    write!(out, "  2  here, in {here}: blocks start here\n  Enter alone opens nothing.\nnumber: ")?;
    out.flush()?;
    let mut line = String::new();
    input.read_line(&mut line)?;
    match (line.trim(), folder) {
        ("1", SessionFolder::Another(was)) => Ok(Some(was.clone())),
        ("2", _) => Ok(None),
        _ => Err(Failure::new(FailureClass::Decision, "the session was not opened")
            .hint("--cwd FOLDER says where it goes on, without being asked.")),
    }
}

/// The warning for a session of another folder that is chosen while one is open. Opening that session a second time
/// confirms it.
pub(super) fn warning(folder: &SessionFolder, here: &Path, id: &str) -> Option<String> {
    let here = here.display();
    match folder {
        SessionFolder::Same => None,
        SessionFolder::Another(was) => Some(format!(
            "Open it again to go on here; or leave, then: sayso resume {id}. It worked in {}, you are in {here}.",
            was.display()
        )),
        SessionFolder::Missing(was) => Some(format!(
            "Open it again to go on here, in {here}: it worked in {}, which is not there any more.",
            was.display()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(folder: &SessionFolder, typed: &str) -> (Result<Option<PathBuf>, Failure>, String) {
        let mut out = Vec::new();
        let answer = ask(folder, Path::new("/here"), &mut typed.as_bytes(), &mut out);
        (answer, String::from_utf8(out).expect("text"))
    }

    #[test]
    fn only_a_number_opens_a_session_of_another_folder() {
        let another = SessionFolder::Another("/was\u{202e}".into());
        let (answer, told) = asked(&another, "1\n");
        assert_eq!(answer, Ok(Some("/was\u{202e}".into())));
        assert!(
            told.contains("/was<U+202E>") && told.contains("/here") && !told.contains('\u{202e}'),
            "{told}"
        );
        assert_eq!(asked(&another, "2\n").0, Ok(None));
        for typed in ["", "\n", "yes\n", "12\n", "also check\n"] {
            let refused = asked(&another, typed).0.expect_err(typed);
            assert_eq!(
                refused.kind,
                FailureClass::Decision,
                "{typed:?}: as with every question that is not answered"
            );
        }
        let missing = SessionFolder::Missing("/gone".into());
        assert!(asked(&missing, "1\n").0.is_err());
        assert_eq!(asked(&missing, "2\n").0, Ok(None));
        assert_eq!(asked(&SessionFolder::Same, "").0, Ok(None));
    }
}
