//! Finds the files that processes of sayso's runs have mapped as shared memory. What is stored there later need not move
//! the times of the file, so its content has to be read to notice that. A kernel that waits for the next block keeps
//! its mappings.

use std::collections::HashSet;
use std::fs;

/// The inodes of the mapped files. A file of another disk with the same number is only read needlessly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MappedFiles(HashSet<u64>);

impl MappedFiles {
    /// The files that are mapped now by this process or a descendant of it. A process that ends meanwhile has none.
    pub(super) fn now() -> Self {
        let (mut todo, mut seen, mut found) = (vec![std::process::id()], HashSet::new(), HashSet::new());
        while let Some(process) = todo.pop() {
            if !seen.insert(process) {
                continue;
            }
            for thread in fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten() {
                let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
                todo.extend(children.split_whitespace().filter_map(|id| id.parse::<u32>().ok()));
            }
            let maps = fs::read(format!("/proc/{process}/maps")).unwrap_or_default();
            found.extend(maps.split(|byte| *byte == b'\n').filter_map(shared_file));
        }
        Self(found)
    }

    pub(super) fn contains(&self, inode: u64) -> bool {
        self.0.contains(&inode)
    }

    /// These files and those of the other moment.
    pub(super) fn and(&self, other: &Self) -> Self {
        Self(self.0.union(&other.0).copied().collect())
    }
}

/// The inode in a line of `maps`: `ADDRESSES rw-s OFFSET DEVICE INODE PATH`. A mapping that can't be written now can be
/// made writable again.
fn shared_file(line: &[u8]) -> Option<u64> {
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let is_shared = words.nth(1)?.ends_with(b"s");
    let inode = std::str::from_utf8(words.nth(2)?).ok()?.parse().ok()?;
    (is_shared && inode != 0).then_some(inode)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
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

    #[test]
    fn only_shared_mappings_of_files_count() {
        let line = |text: &str| shared_file(text.as_bytes());
        assert_eq!(line("7f00-7f01 rw-s 00000000 08:01 42    /work/a b"), Some(42));
        assert_eq!(line("7f00-7f01 r--s 00000000 08:01 42 /work/a (deleted)"), Some(42));
        assert_eq!(line("7f00-7f01 rw-p 00000000 08:01 42 /work/a"), None);
        assert_eq!(line("7f00-7f01 rw-s 00000000 00:01 0"), None);
        assert_eq!(line(""), None);
    }
}
