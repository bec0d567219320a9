//! Paths as text: without `.` and `..`, and as people write them.

use std::path::{Component, Path, PathBuf};

/// A path without `.` and `..`, resolved as text only.
pub(crate) fn normalize(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// The path with the home folder written as `~`. The root is no home.
pub(crate) fn abbreviate_home(path: &Path, home: Option<&Path>) -> String {
    match home.filter(|home| home.parent().is_some()).and_then(|home| path.strip_prefix(home).ok()) {
        Some(rest) if rest.as_os_str().is_empty() => "~".into(),
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn home_is_a_tilde_and_the_root_is_no_home() {
        let home = Some(Path::new("/home/ann"));
        assert_eq!(abbreviate_home(Path::new("/home/ann/data"), home), "~/data");
        assert_eq!(abbreviate_home(Path::new("/home/ann"), home), "~");
        assert_eq!(abbreviate_home(Path::new("/home/anna"), home), "/home/anna");
        assert_eq!(abbreviate_home(Path::new("/etc"), Some(Path::new("/"))), "/etc");
    }
}
