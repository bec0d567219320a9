//! Shows paths the way people write them.

use std::path::Path;

/// The path with the home folder written as `~`.
pub(crate) fn abbreviate_home(path: &Path, home: Option<&Path>) -> String {
    match home.filter(|h| h.components().count() > 1).and_then(|h| path.strip_prefix(h).ok()) {
        Some(rest) if rest.as_os_str().is_empty() => "~".into(),
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn home_is_a_tilde() {
        let home = Some(Path::new("/home/ann"));
        assert_eq!(abbreviate_home(Path::new("/home/ann/data"), home), "~/data");
        assert_eq!(abbreviate_home(Path::new("/home/ann"), home), "~");
        assert_eq!(abbreviate_home(Path::new("/home/anna"), home), "/home/anna");
        assert_eq!(abbreviate_home(Path::new("/etc"), Some(Path::new("/"))), "/etc");
    }
}
