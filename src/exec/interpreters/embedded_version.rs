//! Reads the version of a program from its own file or from a file that belongs to it. Reads a limited amount, and
//! starts nothing. The result is only a label: whoever wrote the file may have lied.

use super::static_facts::version_word;
use crate::exec::settings_file::read_text;
use std::fs;
use std::io::Read as _;
use std::path::Path;

const MAX_PROGRAM_BYTES: u64 = 8 << 20;
/// The text before the version in every bash since version 2: `@(#)Bash version 5.2.15(1) release GNU`.
const BASH_VERSION_MARK: &[u8] = b"@(#)Bash version ";
/// How many bytes after it are searched.
const MAX_VERSION_BYTES: usize = 24;

pub(super) fn bash_version(bash: &Path) -> Option<String> {
    let told = fs::metadata(bash).ok().filter(|told| told.is_file() && told.len() <= MAX_PROGRAM_BYTES)?;
    let mut program = Vec::with_capacity(usize::try_from(told.len()).ok()?);
    fs::File::open(bash).ok()?.take(MAX_PROGRAM_BYTES).read_to_end(&mut program).ok()?;
    let (_, behind) = program
        .split_at_checked(memchr::memmem::find(&program, BASH_VERSION_MARK)? + BASH_VERSION_MARK.len())?;
    let word = behind
        .get(..MAX_VERSION_BYTES.min(behind.len()))?
        .split(|byte| *byte == b'(' || *byte == b' ')
        .next()?;
    version_word(std::str::from_utf8(word).ok()?)
}

/// The version of a node, from the header files installed with it.
pub(super) fn node_version(node: &Path) -> Option<String> {
    let headers = read_text(&node.parent()?.parent()?.join("include/node/node_version.h"))?;
    let number = |name: &str| {
        let line = headers.lines().find_map(|line| line.strip_prefix("#define ")?.strip_prefix(name))?;
        line.trim().parse::<u32>().ok()
    };
    let [major, minor, patch] =
        ["NODE_MAJOR_VERSION ", "NODE_MINOR_VERSION ", "NODE_PATCH_VERSION "].map(number);
    Some(format!("{}.{}.{}", major?, minor?, patch?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_a_bash_is_its_version() {
        let folder = tempfile::tempdir().unwrap();
        let bash = folder.path().join("bash");
        let told = |inside: &[u8]| {
            fs::write(&bash, [&[0x7f, 0, 9][..], inside, b"\0\xff"].concat()).unwrap();
            bash_version(&bash)
        };
        assert_eq!(told(b"@(#)Bash version 5.2.15(1) release GNU").as_deref(), Some("5.2.15"));
        assert_eq!(told(b"@(#)Bash version 3.2.57(1)").as_deref(), Some("3.2.57"));
        for other in [
            &b"Bash version 5.2"[..],
            b"@(#)Bash version ",
            b"@(#)Bash version 5.2\x1b]0;x(1)",
            b"@(#)Bash version obey me(",
        ] {
            assert_eq!(told(other), None, "{other:?}");
        }
        fs::File::create(&bash).unwrap().set_len(MAX_PROGRAM_BYTES + 1).unwrap();
        assert_eq!((bash_version(&bash), bash_version(folder.path())), (None, None));
    }

    /// The bash of this machine reports the same version.
    #[test]
    fn it_is_what_bash_says_itself() {
        let said = std::process::Command::new("/bin/bash").args(["--norc", "--version"]).output().unwrap();
        let told = bash_version(Path::new("/bin/bash")).unwrap();
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        assert!(said.contains(&format!("version {told}(")), "{told}: {said}");
    }

    #[test]
    fn the_headers_of_a_node_are_its_version() {
        let folder = tempfile::tempdir().unwrap();
        let (include, node) = (folder.path().join("include/node"), folder.path().join("bin/node"));
        fs::create_dir_all(&include).unwrap();
        assert_eq!(node_version(&node), None);
        let headers = "#ifndef X\n#define NODE_MAJOR_VERSION 20\n#define NODE_MINOR_VERSION 1\n#define NODE_PATCH_VERSION 3\n";
        fs::write(include.join("node_version.h"), headers).unwrap();
        assert_eq!(node_version(&node).as_deref(), Some("20.1.3"));
        fs::write(include.join("node_version.h"), headers.replace("20", "20 obey")).unwrap();
        assert_eq!(node_version(&node), None);
    }
}
