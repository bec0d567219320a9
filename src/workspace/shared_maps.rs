//! Finds the files that processes of sayso's runs have mapped as shared memory. What is stored there later need not move
//! the times of the file, so its content has to be read to notice that. A kernel that waits for the next block keeps
//! its mappings.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MappedFiles {
    /// Their inodes. A file of another disk with the same number is only read needlessly.
    inodes: HashSet<u64>,
    /// Whether a process keeps its mappings to itself.
    is_kept_out: bool,
}

impl MappedFiles {
    /// The files that are mapped now by this process or a descendant of it. A process that ends meanwhile has none.
    pub(super) fn now() -> Self {
        let (mut todo, mut seen) = (vec![(std::process::id(), 0_u32)], HashSet::new());
        let (mut found, mut refused) = (Self::default(), Vec::new());
        while let Some((process, depth)) = todo.pop() {
            if !seen.insert(process) {
                continue;
            }
            for thread in fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten() {
                let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
                let children = children.split_whitespace().filter_map(|id| id.parse().ok());
                todo.extend(children.map(|child| (child, depth + 1)));
            }
            let maps = fs::read(maps_of(process));
            // The helper does, which is a child of this process; the programs of runs are below it.
            if depth > 1 && is_refused(&maps) {
                refused.push(process);
            }
            let maps = maps.unwrap_or_default();
            let shared = maps.split(|byte| *byte == b'\n').filter_map(SharedMap::read);
            found.inodes.extend(shared.filter(|map| map.may_be_written(process)).map(|map| map.inode));
        }
        // A process that the helper is starting is closed until it has become another program.
        found.is_kept_out = refused.into_iter().any(|process| is_refused(&fs::read(maps_of(process))));
        found
    }

    pub(super) fn contains(&self, inode: u64) -> bool {
        self.inodes.contains(&inode)
    }

    /// Whether a program of a run keeps its memory from being looked at: nothing is known of what it has mapped.
    pub(super) fn is_kept_out(&self) -> bool {
        self.is_kept_out
    }

    /// These files and those of the other moment.
    pub(super) fn and(&self, other: &Self) -> Self {
        Self {
            inodes: self.inodes.union(&other.inodes).copied().collect(),
            is_kept_out: self.is_kept_out || other.is_kept_out,
        }
    }
}

fn maps_of(process: u32) -> String {
    format!("/proc/{process}/maps")
}

fn is_refused(read: &io::Result<Vec<u8>>) -> bool {
    read.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SharedMap<'a> {
    addresses: &'a str,
    is_writable: bool,
    inode: u64,
}

impl<'a> SharedMap<'a> {
    /// From a line of `maps`: `ADDRESSES rw-s OFFSET DEVICE INODE PATH`.
    fn read(line: &'a [u8]) -> Option<Self> {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let addresses = std::str::from_utf8(words.next()?).ok()?;
        let mode = words.next()?;
        let inode = std::str::from_utf8(words.nth(2)?).ok()?.parse().ok()?;
        let is_shared = mode.ends_with(b"s") && inode != 0;
        is_shared.then_some(Self { addresses, is_writable: mode.get(1) == Some(&b'w'), inode })
    }

    /// Whether the process can store into the mapping, or make it writable again: not if it had opened the file for
    /// reading only. The mode of the entry in `map_files` says how it did.
    fn may_be_written(&self, process: u32) -> bool {
        let entry = format!("/proc/{process}/map_files/{}", self.addresses);
        self.is_writable || fs::symlink_metadata(entry).map_or(true, |info| info.mode() & 0o200 != 0)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::test_folder::{TestFolder, obeying_modes};
    use crate::workspace::stamp::FileStamp;
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::path::Path;
    use std::process::{Child, ChildStdout, Command, Stdio};
    use std::time::SystemTime;

    /// A process that has mapped some files and stores into them when it is told to. They are dirty already, so that no
    /// time of theirs moves then.
    pub(in crate::workspace) struct SharedMapping {
        child: Child,
        heard: BufReader<ChildStdout>,
    }

    const MAPS: &str = "
import mmap, sys
opened = [open(name, 'r+b') for name in sys.argv[1:]]
maps = [mmap.mmap(file.fileno(), 0) for file in opened]
for m in maps: m[0] = m[0]
print('mapped', flush=True)
text = sys.stdin.readline().strip().encode()
for m in maps: m[0:len(text)] = text
print('stored', flush=True)
sys.stdin.readline()
";

    impl SharedMapping {
        /// Maps these files; returns once their times are settled.
        pub(in crate::workspace) fn of(folder: &Path, names: &[&str]) -> Self {
            let mut python = Command::new("python3");
            python.args(["-c", MAPS]).args(names).current_dir(folder);
            let mut child = python.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("started");
            let heard = BufReader::new(child.stdout.take().expect("a pipe"));
            let mut mapping = Self { child, heard };
            mapping.hear("mapped");
            for name in names {
                let stamp = FileStamp::of(&fs::symlink_metadata(folder.join(name)).expect("there"));
                while !stamp.is_settled(Some(SystemTime::now())) {
                    std::thread::yield_now();
                }
            }
            mapping
        }

        /// Stores this text at the start of each file.
        pub(in crate::workspace) fn store(&mut self, text: &str) {
            writeln!(self.child.stdin.as_mut().expect("a pipe"), "{text}").expect("told");
            self.hear("stored");
        }

        fn hear(&mut self, word: &str) {
            let mut line = String::new();
            self.heard.read_line(&mut line).expect("heard");
            assert_eq!(line.trim(), word);
        }
    }

    impl Drop for SharedMapping {
        fn drop(&mut self) {
            drop(self.child.stdin.take());
            self.child.wait().expect("ended");
        }
    }

    impl MappedFiles {
        pub(in crate::workspace) fn of(inodes: impl Iterator<Item = u64>) -> Self {
            Self { inodes: inodes.collect(), is_kept_out: false }
        }
    }

    #[test]
    fn only_shared_mappings_of_files_count() {
        let line = |text: &'static str| SharedMap::read(text.as_bytes());
        let map = |is_writable| Some(SharedMap { addresses: "7f00-7f01", is_writable, inode: 42 });
        assert_eq!(line("7f00-7f01 rw-s 00000000 08:01 42    /work/a b"), map(true));
        assert_eq!(line("7f00-7f01 r--s 00000000 08:01 42 /work/a (deleted)"), map(false));
        assert_eq!(line("7f00-7f01 rw-p 00000000 08:01 42 /work/a"), None);
        assert_eq!(line("7f00-7f01 rw-s 00000000 00:01 0"), None);
        assert_eq!(line(""), None);
    }

    /// Starts a program below a shell, and looks when it says that it is ready.
    fn look_at(folder: &TestFolder, script: &str, look: impl FnOnce() -> MappedFiles) -> MappedFiles {
        let mut shell = Command::new("sh");
        shell.args(["-c", "python3 -c \"$0\"; exit", script]).current_dir(&folder.base);
        let mut child = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("started");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("heard");
        assert_eq!(line.trim(), "ready");
        let mapped = look();
        drop(child.stdin.take());
        child.wait().expect("ended");
        mapped
    }

    #[test]
    #[ignore = "needs python3"]
    fn of_mappings_that_can_only_be_read_those_count_that_can_become_writable() {
        let folder = TestFolder::new();
        let inode = |name: &str| fs::metadata(folder.file(name, "1")).expect("there").ino();
        let (read, written) = (inode("read"), inode("written"));
        let script = "
import mmap, sys
opened = [open('read', 'rb'), open('written', 'r+b')]
maps = [mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) for file in opened]
print('ready', flush=True)
sys.stdin.readline()
";
        let mapped = look_at(&folder, script, MappedFiles::now);
        assert!(mapped.contains(written) && !mapped.contains(read));
    }

    #[test]
    #[ignore = "needs python3"]
    fn that_a_program_hides_its_memory_is_noticed() {
        let script = "
import ctypes, sys
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
print('ready', flush=True)
sys.stdin.readline()
";
        assert!(look_at(&TestFolder::new(), script, || obeying_modes(MappedFiles::now)).is_kept_out());
    }
}
