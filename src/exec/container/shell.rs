//! Carries the state of bash from block to block, although each block has a container of its own: the folder and the
//! exported variables. The shell prints its state after its output, behind a mark that is new for each run; the next
//! container starts with that state. Pure, except that it checks whether the folder still exists.

use super::plan::ContainerFrame;
use crate::domain::{BlockId, SharedState};
use crate::exec::environment::{self, Environment};
use crate::exec::shell_state::ShellState;
use memchr::memmem;
use std::ffi::OsString;
use std::path::PathBuf;

/// The largest state that a shell may print, in bytes. Anything larger is treated as output.
const MAX_STATE_BYTES: usize = 1 << 18;
/// The `PATH` of containers whose image sets none.
const USUAL_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The shell of one image.
pub(super) struct ContainerShell {
    /// The id of the image. Another image has another system and other variables.
    image: String,
    state: ShellState,
    /// Where the first container starts.
    start: PathBuf,
    /// Folders that every container has. Anything elsewhere disappears with its container.
    lasting: Vec<PathBuf>,
}

impl ContainerShell {
    /// The shell of an image in which no block ran yet.
    pub(super) fn new(image: &str, frame: &ContainerFrame) -> Self {
        let start = frame.cwd();
        let state = ShellState::new(start.clone());
        Self { image: image.to_owned(), state, start, lasting: frame.persistent_folders() }
    }

    pub(super) fn is_of(&self, image: &str) -> bool {
        self.image == image
    }

    /// Updates the state from what a shell wrote at the end of this block.
    pub(super) fn update(&mut self, written: &[u8], block: BlockId) {
        self.state.update(written, block, |_| true);
    }

    /// Where the next block starts: in the folder where the last one ended, if that still exists and every container
    /// has it.
    pub(super) fn cwd(&self) -> PathBuf {
        let cwd = &self.state.cwd;
        let lasts = self.lasting.iter().any(|folder| cwd.starts_with(folder));
        // Behind a link it would be another folder than the one shown to the person.
        let is_there = || std::fs::canonicalize(cwd).is_ok_and(|real| real == *cwd && real.is_dir());
        if lasts && is_there() { cwd.clone() } else { self.start.clone() }
    }

    /// What the next block shares with those before it. `usual` are the variables of a new container.
    pub(super) fn shared(&self, usual: &Environment) -> Option<SharedState> {
        self.state.shared(usual)
    }

    /// The variables of the next container, in the form that the engine expects: a name without `=` removes a variable
    /// of the image.
    pub(super) fn variables(&self, usual: &Environment) -> Vec<String> {
        let env = self.state.environment(usual);
        let is_gone = |name: &&OsString| environment::value(&env, name).is_none();
        let gone = usual.iter().map(|(name, _)| name).filter(is_gone);
        let gone = gone.filter_map(|name| name.to_str().map(str::to_owned));
        let text =
            |(name, value): &(OsString, OsString)| Some(format!("{}={}", name.to_str()?, value.to_str()?));
        env.iter().filter_map(text).chain(gone).collect()
    }
}

/// The variables of a container in which no block has run: those of the image, and those that sayso sets.
pub(super) fn usual(image: &[(String, String)], frame: &ContainerFrame, hostname: &str) -> Environment {
    let own = [("PATH", USUAL_PATH), ("HOSTNAME", hostname)]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    let mut env = Environment::new();
    for (name, value) in own.iter().chain(image).chain(&frame.env) {
        env.retain(|(known, _)| known != name.as_str());
        env.push((name.into(), value.into()));
    }
    env
}

/// Separates a shell's state from its output.
pub(super) struct StateInOutput {
    mark: Vec<u8>,
    /// The end of the output so far that may be the beginning of the mark.
    held: Vec<u8>,
    /// What came after the mark.
    behind: Option<Vec<u8>>,
}

impl StateInOutput {
    pub(super) fn new(mark: &str) -> Self {
        Self { mark: mark.as_bytes().to_vec(), held: Vec::new(), behind: None }
    }

    /// Takes more output. Returns what is certainly not part of the mark or the state.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        if let Some(behind) = &mut self.behind {
            behind.extend_from_slice(bytes);
            if behind.len() <= MAX_STATE_BYTES {
                return Vec::new();
            }
            let all = [self.mark.as_slice(), behind].concat();
            self.behind = None;
            return all;
        }
        self.held.extend_from_slice(bytes);
        if let Some(at) = memmem::find(&self.held, &self.mark) {
            let behind = self.held.split_off(at);
            self.behind = behind.get(self.mark.len()..).map(<[u8]>::to_vec);
            return std::mem::take(&mut self.held);
        }
        let longest = self.mark.len().saturating_sub(1).min(self.held.len());
        let is_start = |kept: &usize| self.mark.get(..*kept).is_some_and(|start| self.held.ends_with(start));
        let kept = (1..=longest).rev().find(is_start).unwrap_or(0);
        let rest = self.held.split_off(self.held.len() - kept);
        std::mem::replace(&mut self.held, rest)
    }

    /// Called at the end of the output. Returns the rest of the output, and the state if everything after the last mark
    /// is one.
    pub(super) fn end(self) -> (Vec<u8>, Option<Vec<u8>>) {
        let Some(behind) = self.behind else { return (self.held, None) };
        // If the program printed the mark itself, what follows it is still shown.
        let all = [self.mark.as_slice(), &behind].concat();
        let at = memmem::rfind(&all, &self.mark).unwrap_or(0);
        let record = all.get(at + self.mark.len()..).unwrap_or_default();
        if record.starts_with(b"cwd\0") && record.ends_with(b"\0end\0") {
            return (all.get(..at).unwrap_or_default().to_vec(), Some(record.to_vec()));
        }
        (all, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RECORD: &[u8] = b"cwd\0/work/sub\n\0A=1\0PATH=/bin\0end\0";

    /// The output and state read from these bytes in pieces of this size.
    fn read(all: &[u8], piece: usize) -> (Vec<u8>, Option<Vec<u8>>) {
        let mut state = StateInOutput::new("MARK");
        let mut out: Vec<u8> = all.chunks(piece).flat_map(|piece| state.push(piece)).collect();
        let (rest, record) = state.end();
        out.extend(rest);
        (out, record)
    }

    #[test]
    fn the_state_is_behind_the_last_mark_and_no_output() {
        for piece in 1..60 {
            let all = [b"MAMAR printed", RECORD, b"MARK", RECORD].concat();
            assert_eq!(read(&all, piece), ([b"MAMAR printed", RECORD].concat(), Some(RECORD.to_vec())));
        }
    }

    #[test]
    fn who_prints_the_mark_hides_nothing() {
        let hidden = b"MARK rm -rf / was here";
        for piece in [1, 3, 100] {
            assert_eq!(read(hidden, piece), (hidden.to_vec(), None));
            let all = [&hidden[..], b"MARK", RECORD].concat();
            assert_eq!(read(&all, piece), (hidden.to_vec(), Some(RECORD.to_vec())));
            let all = [b"MARKcwd\0/\n\0end\0 more".as_slice(), &vec![b'x'; MAX_STATE_BYTES + 1]].concat();
            assert_eq!(read(&all, piece), (all.clone(), None));
        }
    }

    proptest! {
        #[test]
        fn nothing_that_is_printed_is_lost(all in "[MARK ]{0,40}", piece in 1usize..9) {
            let (out, state) = read(all.as_bytes(), piece);
            prop_assert_eq!((out, state), (all.into_bytes(), None));
        }
    }

    #[test]
    fn the_next_block_starts_where_the_last_one_left_if_that_lasts() {
        let dir = tempfile::tempdir().unwrap();
        let work = std::fs::canonicalize(dir.path()).unwrap();
        std::fs::create_dir(work.join("sub")).unwrap();
        std::os::unix::fs::symlink("/etc", work.join("etc")).unwrap();
        let frame = ContainerFrame { folder: work.clone(), ..super::super::plan::samples::frame() };
        let image = vec![("PATH".to_owned(), "/bin".to_owned()), ("GONE".to_owned(), "1".to_owned())];
        let usual = usual(&image, &frame, "sayso");
        let mut shell = ContainerShell::new("sha256:1", &frame);
        assert!(shell.is_of("sha256:1") && shell.shared(&usual).is_none());
        assert_eq!(shell.cwd(), work);
        let mut left = |folder: &str| {
            let env = "PATH=/bin\0A=1\0LD_PRELOAD=/x\0HOSTNAME=sayso\0HOME=/tmp/home\0";
            shell.update(format!("cwd\0{folder}\n\0{env}end\0").as_bytes(), BlockId(1));
            shell.cwd()
        };
        for (folder, next) in [("sub", "sub"), ("gone", ""), ("etc", "")] {
            assert_eq!(left(&work.join(folder).to_string_lossy()), work.join(next));
        }
        assert_eq!(left("/tmp"), work, "it is gone with its container");
        let expected = ["variables exported: A", "not carried over: LD_PRELOAD"];
        assert_eq!(shell.shared(&usual).unwrap().changed, expected);
        let variables = shell.variables(&usual);
        assert!(variables.contains(&"A=1".into()) && variables.contains(&"GONE".into()), "{variables:?}");
        assert!(!variables.iter().any(|variable| variable.starts_with("LD_PRELOAD")));
    }
}
