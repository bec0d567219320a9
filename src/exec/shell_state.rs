//! Carries the state of a shell from block to block: the folder and the exported variables.
//!
//! A shell writes both to a file when it ends (`assets/shell.sh`); the next one starts with them. They are passed as
//! data and never executed. Variables that steer loaders, interpreters or git are never carried over, nor what is too
//! large for the system to pass to a program: with that no later block could start. Pure.

use super::environment::{Environment, is_of_each_shell, is_steering, value};
use crate::domain::sentences::rights::FOLDER_NOT_CARRIED_OVER;
use crate::domain::{BlockId, BlockRanges, SharedState};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

/// Describes where the output of a run goes, so each run sets its own.
const TERMINAL_VARIABLE: &str = "TERM";
const MAX_NAMES_SHOWN: usize = 8;
/// Limit on what a shell or another program writes to its state file.
pub(super) const MAX_STATE_BYTES: usize = 4 << 20;
/// The largest variable that Linux passes to a program: name, `=`, value and NUL.
const MAX_VARIABLE_BYTES: usize = 128 << 10;
/// How large all variables may be together. Linux passes 2 MiB to a program whose stack has the usual limit; some of
/// that is for arguments, and for what each run sets itself.
const MAX_ENVIRONMENT_BYTES: usize = 1 << 20;

/// The folder and the exported variables that the next block starts with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ShellState {
    pub(crate) cwd: PathBuf,
    /// The environment. `None` (the usual environment) until a block has ended normally.
    env: Option<Environment>,
    /// Variables that the last block exported but that are not carried over.
    left_out: Environment,
    /// Whether the last block ended in a folder in which the next one may not start.
    is_in_closed_folder: bool,
    /// Whether the last block left more than is read, so that the state is that of a block before it.
    too_large: bool,
    /// The blocks that produced this state.
    blocks: BlockRanges,
}

impl ShellState {
    /// The state of a shell in which no block has run.
    pub(super) fn new(cwd: PathBuf) -> Self {
        Self { cwd, ..Self::default() }
    }

    /// Updates the state from what a shell wrote at the end of this block. If the shell wrote nothing complete (it was
    /// killed, or became another program), the state stays. `may_start` tells whether the next block may start in a
    /// folder.
    pub(super) fn update(&mut self, written: &[u8], block: BlockId, may_start: impl FnOnce(&Path) -> bool) {
        self.too_large = written.len() >= MAX_STATE_BYTES;
        if self.too_large {
            return self.blocks.push(block);
        }
        let Some((cwd, env)) = parse(written) else { return };
        self.is_in_closed_folder = cwd.as_ref().is_some_and(|cwd| !may_start(cwd));
        if let Some(cwd) = cwd.filter(|_| !self.is_in_closed_folder) {
            self.cwd = cwd;
        }
        let (left_out, env): (Environment, _) = env.into_iter().partition(|(name, _)| is_steering(name));
        let (env, too_large) = fitting(env);
        self.left_out = [left_out, too_large].concat();
        self.env = Some(env);
        self.blocks.push(block);
    }

    /// The environment of the next block. `usual` is that of a shell in which no block has run.
    pub(super) fn environment(&self, usual: &Environment) -> Environment {
        let Some(env) = &self.env else { return usual.clone() };
        // Variables that the person passes on are taken from `usual` each time, and so is the one that each run sets
        // itself.
        let own = |name: &OsString| is_steering(name) || name == TERMINAL_VARIABLE;
        env.iter().chain(usual.iter().filter(|(name, _)| own(name))).cloned().collect()
    }

    /// What the next block shares with those before it; `None` if none left anything.
    pub(super) fn shared(&self, usual: &Environment) -> Option<SharedState> {
        let mut changed = Vec::new();
        if self.too_large {
            changed.push(
                "not carried over: the folder and the variables, which are too large together".to_owned(),
            );
        }
        if self.is_in_closed_folder {
            changed.push(FOLDER_NOT_CARRIED_OVER.to_owned());
        }
        let env = self.env.as_ref().or(self.too_large.then_some(usual))?;
        if value(env, "PATH") != value(usual, "PATH") {
            changed.push("PATH changed".to_owned());
        }
        let is_new =
            |(name, held): &&(OsString, OsString)| name != "PATH" && value(usual, name) != Some(held);
        // Every shell exports this one, so it says nothing.
        let exported = env.iter().filter(is_new).map(|(name, _)| name).filter(|name| *name != "OLDPWD");
        changed.extend(names("variables exported", exported));
        // Variables with the usual value were set by sayso or the person, so they are not listed.
        let left_out = self.left_out.iter().filter(is_new).map(|(name, _)| name);
        changed.extend(names("not carried over", left_out));
        Some(SharedState { blocks: self.blocks.clone(), changed })
    }
}

/// The variables with which a program can still be started, and those that are too large for that: the largest ones.
fn fitting(env: Environment) -> (Environment, Environment) {
    let size = |(name, value): &(OsString, OsString)| name.len() + value.len() + 2;
    let mut sizes: Vec<usize> = env.iter().map(size).collect();
    sizes.sort_unstable();
    let mut all = 0;
    let too_large = sizes.into_iter().find(|size| {
        // The system also counts a pointer to each.
        all += size + size_of::<usize>();
        *size > MAX_VARIABLE_BYTES || all > MAX_ENVIRONMENT_BYTES
    });
    env.into_iter().partition(|pair| too_large.is_none_or(|limit| size(pair) < limit))
}

/// Text such as `variables exported: A, B`; `None` if there are no names.
fn names<'a>(what: &str, names: impl Iterator<Item = &'a OsString>) -> Option<String> {
    let names: Vec<_> = names.map(|name| name.to_string_lossy()).collect();
    let shown = names.iter().take(MAX_NAMES_SHOWN).map(AsRef::as_ref).collect::<Vec<&str>>().join(", ");
    let more = names.len().saturating_sub(MAX_NAMES_SHOWN);
    let more = if more > 0 { format!(" +{more}") } else { String::new() };
    (!names.is_empty()).then(|| format!("{what}: {shown}{more}"))
}

/// Parses the last complete record: `cwd NUL folder newline NUL`, then `NAME=VALUE NUL` for each variable, then `end
/// NUL`.
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
        .filter(|(name, _)| !is_of_each_shell(name) && name != TERMINAL_VARIABLE)
        .collect();
    Some((cwd, env))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BLOCK: BlockId = BlockId(3);

    #[test]
    fn the_last_complete_record_counts() {
        let mut state = ShellState::new("/start".into());
        state
            .update(b"cwd\0/a\n\0A=1\0end\0cwd\0/b\n\0A=2=3\0_=x\0end\0cwd\0/torn\n\0A=4\0", BLOCK, |_| true);
        assert_eq!(state.cwd, PathBuf::from("/b"));
        assert_eq!(state.environment(&Vec::new()), vec![("A".into(), "2=3".into())]);
    }

    #[test]
    fn nothing_written_changes_nothing() {
        let mut state = ShellState::new("/start".into());
        state.update(b"", BLOCK, |_| true);
        state.update(b"cwd\0/a\n\0", BLOCK, |_| true);
        assert_eq!(state, ShellState::new("/start".into()));
        assert_eq!(state.shared(&Vec::new()), None);
    }

    #[test]
    fn a_folder_that_is_gone_is_not_taken() {
        let mut state = ShellState::new("/start".into());
        state.update(b"cwd\0\0A=1\0end\0", BLOCK, |_| true);
        assert_eq!(state.cwd, PathBuf::from("/start"));
    }

    #[test]
    fn a_folder_that_is_closed_is_not_taken_and_that_is_told() {
        let mut state = ShellState::new("/start".into());
        let is_open = |cwd: &Path| cwd != Path::new("/closed");
        state.update(b"cwd\0/closed\n\0A=1\0end\0", BLOCK, is_open);
        let told = state.shared(&Vec::new()).unwrap();
        assert_eq!(state.cwd, PathBuf::from("/start"));
        assert_eq!(told.changed, [FOLDER_NOT_CARRIED_OVER, "variables exported: A"]);
        state.update(b"cwd\0/open\n\0end\0", BLOCK, is_open);
        assert_eq!(state.cwd, PathBuf::from("/open"));
        assert_eq!(state.shared(&Vec::new()).unwrap().changed, [""; 0]);
    }

    #[test]
    fn what_steers_is_never_carried_over_and_the_rest_is_told() {
        let usual: Environment =
            [("PATH", "/bin"), ("GIT_AUTHOR_NAME", "Ann"), ("GIT_COMMITTER_NAME", "Ann")]
                .map(|(name, value)| (name.into(), value.into()))
                .into();
        let mut state = ShellState::new("/start".into());
        let written = "cwd\0/a\n\0PATH=/evil\0A=1\0GIT_AUTHOR_NAME=Eve\0GIT_COMMITTER_NAME=Ann\0LD_PRELOAD=x.so\0PYTHONPATH=src\0GIT_DIR=x\0\
                       NODE_OPTIONS=-r x\0BASH_FUNC_ls%%=() { id; }\0PERL5OPT=x\0RUBYOPT=x\0ENV=x\0BASH_ENV=x\0end\0";
        state.update(written.as_bytes(), BLOCK, |_| true);
        let env = state.environment(&usual);
        let pair = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
        let of_person = [pair("GIT_AUTHOR_NAME", "Ann"), pair("GIT_COMMITTER_NAME", "Ann")];
        assert_eq!(env, [&[pair("PATH", "/evil"), pair("A", "1")][..], &of_person].concat());
        let shared = state.shared(&usual).unwrap();
        assert_eq!(shared.blocks.ranges(), [(BLOCK, BLOCK)]);
        // A variable that the person passes on and the block did not change is not listed.
        let left_out = "not carried over: GIT_AUTHOR_NAME, LD_PRELOAD, PYTHONPATH, GIT_DIR, NODE_OPTIONS, BASH_FUNC_ls%%, \
                        PERL5OPT, RUBYOPT +2";
        assert_eq!(shared.changed, ["PATH changed", "variables exported: A", left_out]);
    }

    #[test]
    fn what_no_program_could_be_started_with_is_not_carried_over_and_told() {
        let record = |variables: &[(String, usize)]| {
            let mut written = b"cwd\0/a\n\0PATH=/bin\0".to_vec();
            for (name, bytes) in variables {
                written.extend(format!("{name}=").bytes().chain(vec![b'x'; *bytes]).chain([0]));
            }
            written.extend(b"end\0");
            written
        };
        let usual: Environment = vec![("PATH".into(), "/bin".into())];
        let left = |variables: &[(String, usize)]| {
            let mut state = ShellState::new("/start".into());
            state.update(&record(variables), BLOCK, |_| true);
            let env = state.environment(&usual);
            let bytes: usize = env.iter().map(|(name, value)| name.len() + value.len() + 2).sum();
            assert!(bytes <= MAX_ENVIRONMENT_BYTES && value(&env, "PATH").is_some());
            (env.len() - 1, state.shared(&usual).unwrap().changed.pop().unwrap())
        };
        // `A=…` and its NUL are as large as one variable may be, and one byte larger.
        let most = MAX_VARIABLE_BYTES - 3;
        assert_eq!(left(&[("A".into(), most)]), (1, "variables exported: A".into()));
        assert_eq!(left(&[("A".into(), most + 1), ("B".into(), 1)]), (1, "not carried over: A".into()));
        // Of many that are too large together, the largest are left out.
        let many: Vec<_> = (0..30).map(|at| (format!("V{at}"), 40_000 + 1000 * at)).collect();
        let (kept, told) = left(&many);
        assert!((20..30).contains(&kept), "{kept}");
        assert!(told.starts_with("not carried over: ") && !told.contains("V0,"), "{told}");
        // More than is read at all.
        let mut state = ShellState::new("/start".into());
        state.update(&vec![b'x'; MAX_STATE_BYTES], BLOCK, |_| true);
        let told = state.shared(&usual).unwrap();
        assert_eq!(
            (told.changed.len(), told.changed[0].starts_with("not carried over: the folder")),
            (1, true)
        );
        state.update(&record(&[]), BLOCK, |_| true);
        assert_eq!(state.shared(&usual).unwrap().changed, [""; 0]);
    }

    proptest! {
        #[test]
        fn any_bytes(bytes in prop::collection::vec(prop_oneof![Just(0u8), Just(b'='), any::<u8>()], 0..200)) {
            ShellState::new("/".into()).update(&bytes, BLOCK, |_| true);
        }
    }
}
