//! What tests do on the disk and in other processes: a folder for one test, with files in it, which is deleted at its
//! end; the output of a program, a test as a process of its own, a thread without the powers of root, and work that
//! panics.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// A folder for one test.
pub(crate) struct TestFolder {
    /// Its path, without links.
    pub(crate) base: PathBuf,
    _folder: tempfile::TempDir,
}

impl TestFolder {
    /// An empty folder.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { base: fs::canonicalize(folder.path()).unwrap(), _folder: folder }
    }

    /// A folder with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let folder = Self::new();
        for (path, text) in files {
            folder.file(path, text);
        }
        folder
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.base.join(path)
    }

    /// Writes a file, in new folders where needed.
    pub(crate) fn file(&self, path: &str, text: &str) -> PathBuf {
        assert!(!path.starts_with('/'), "{path} lies elsewhere");
        write(&self.at(path), text);
        self.at(path)
    }

    /// Writes a file that may be executed.
    pub(crate) fn program(&self, path: &str, text: &str) -> PathBuf {
        write_program(&self.at(path), text);
        self.at(path)
    }
}

/// Writes a file, in new folders where needed.
pub(crate) fn write(path: &Path, text: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Writes a file that may be executed, in new folders where needed.
pub(crate) fn write_program(path: &Path, text: &str) {
    write(path, text);
    set_mode(path, 0o755);
}

/// The rights of a file or folder.
pub(crate) fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

pub(crate) fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Makes a pipe, which holds up whoever reads it as if it were a file.
pub(crate) fn make_pipe(path: &Path) {
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
}

/// What a program prints that was written just now: a fork in another test inherits for a moment what this process had
/// open for writing.
pub(crate) fn printed(command: &mut Command) -> String {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        match command.output() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy && Instant::now() < until => {
                std::thread::yield_now();
            }
            output => return String::from_utf8(output.unwrap().stdout).unwrap(),
        }
    }
}

/// The command that starts an ignored test of this binary as a process that ignores the signal for files over the size
/// limit.
pub(crate) fn child_test(test: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]).arg(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "--nocapture", test]);
    command
}

/// Runs this on a thread that has to obey the modes of files and can't look into programs that refuse it, also as root.
#[cfg(target_os = "linux")]
pub(crate) fn obeying_modes<T: Send>(act: impl FnOnce() -> T + Send) -> T {
    use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
    let obey = || {
        let none = CapabilitySet::empty();
        let mut has = capabilities(None).unwrap();
        (has.effective, has.permitted) = (none, none);
        set_capabilities(None, has).unwrap();
        act()
    };
    std::thread::scope(|scope| scope.spawn(obey).join()).unwrap()
}

/// Runs this: there is no way to take these powers from root here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn obeying_modes<T>(act: impl FnOnce() -> T) -> T {
    act()
}

/// Waits for work on other threads that may panic. A panic restores the terminal and disturbs a test beside this one,
/// unless its thread has this name.
pub(crate) fn allowing_panics<T>(work: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(1).thread_name("paint-test").build().unwrap().block_on(work)
}
