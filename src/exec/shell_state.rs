//! What a shell keeps between its blocks: the folder and the exported variables.
//!
//! The shell writes both into a file that it was given, when it ends (`assets/shell.sh`); the next one starts with them.
//! They travel as data and are never read as code. Pure but for nothing: the file is read by `subprocess`.

use super::environment::{Environment, is_kept_by_shell};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

/// The folder and the exported variables that the next block starts with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellState {
    /// The folder.
    pub cwd: PathBuf,
    /// The environment; `None` until a block ended in good order: the usual one.
    pub env: Option<Environment>,
}

impl ShellState {
    /// A shell that no block has used yet.
    pub fn new(cwd: PathBuf) -> Self {
        Self { cwd, env: None }
    }

    /// Takes over what a shell wrote at its end. When it did not come to that (it was killed, it became another program),
    /// what was known before stays.
    pub fn update(&mut self, written: &[u8]) {
        let Some((cwd, env)) = parse(written) else { return };
        if let Some(cwd) = cwd {
            self.cwd = cwd;
        }
        self.env = Some(env);
    }
}

/// The last complete record: `cwd NUL folder newline NUL`, then `NAME=VALUE NUL` for each variable, then `end NUL`.
fn parse(written: &[u8]) -> Option<(Option<PathBuf>, Environment)> {
    let items: Vec<&[u8]> = written.split(|b| *b == 0).collect();
    let end = items.iter().rposition(|item| *item == b"end")?;
    let before = items.get(..end)?;
    let start = before.iter().rposition(|item| *item == b"cwd")?;
    let folder = before.get(start + 1)?;
    let folder = folder.strip_suffix(b"\n").unwrap_or(folder);
    let cwd = (!folder.is_empty()).then(|| PathBuf::from(OsString::from_vec(folder.to_vec())));
    let env = before
        .get(start + 2..)?
        .iter()
        .filter_map(|item| {
            let at = item.iter().position(|b| *b == b'=')?;
            let (name, value) = (item.get(..at)?, item.get(at + 1..)?);
            Some((OsString::from_vec(name.to_vec()), OsString::from_vec(value.to_vec())))
        })
        .filter(|(name, _)| is_kept_by_shell(name))
        .collect();
    Some((cwd, env))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_last_complete_record_counts() {
        let mut state = ShellState::new("/start".into());
        state.update(b"cwd\0/a\n\0A=1\0end\0cwd\0/b\n\0A=2=3\0_=x\0end\0cwd\0/torn\n\0A=4\0");
        assert_eq!(state.cwd, PathBuf::from("/b"));
        assert_eq!(state.env, Some(vec![("A".into(), "2=3".into())]));
    }

    #[test]
    fn nothing_written_changes_nothing() {
        let mut state = ShellState::new("/start".into());
        state.update(b"");
        state.update(b"cwd\0/a\n\0");
        assert_eq!(state, ShellState::new("/start".into()));
    }

    #[test]
    fn a_folder_that_is_gone_is_not_taken() {
        let mut state = ShellState::new("/start".into());
        state.update(b"cwd\0\0A=1\0end\0");
        assert_eq!(state.cwd, PathBuf::from("/start"));
    }

    proptest! {
        #[test]
        fn any_bytes(bytes in prop::collection::vec(prop_oneof![Just(0u8), Just(b'='), any::<u8>()], 0..200)) {
            ShellState::new("/".into()).update(&bytes);
        }
    }
}
