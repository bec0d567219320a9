//! Writes a key into `credentials.toml` at the person's request, bound to the origin for which it was given.
//!
//! The rest of the file stays unchanged. A file that only the person can read replaces it in one step; its new text
//! is parsed first, so that the next start never refuses it.

use super::keys::{private_text, read_text};
use super::{ConfigError, KeyFileError};
use secrecy::{ExposeSecret as _, SecretString};
use std::io::Write as _;
use std::ops::Range;
use std::path::Path;
use toml::de::DeTable;

/// Stores a provider's key in the file, replacing its old key.
///
/// # Errors
/// When others can access the file, the file is malformed or can't be written, or the key is in a table of its own.
pub(crate) fn store(
    credentials: &Path,
    name: &str,
    key: &SecretString,
    origin: &str,
) -> Result<(), ConfigError> {
    let failed = |source| ConfigError::Io { path: credentials.to_owned(), source };
    let before = private_text(credentials)?.unwrap_or_default();
    // The old text has to be valid: otherwise its error would be blamed on the new text.
    read_text(credentials, &before)?;
    let text = with_key(&before, name, key, origin)
        .map_err(|why| ConfigError::Credentials { path: credentials.to_owned(), why })?;
    read_text(credentials, &text)?;
    // Resolve a link, so that its target is replaced and not the link.
    let path = std::fs::canonicalize(credentials).unwrap_or_else(|_| credentials.to_owned());
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(failed)?;
    // A temporary file is created readable only by its owner.
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
    file.persist(&path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// Returns the text with this key in it.
fn with_key(before: &str, name: &str, key: &SecretString, origin: &str) -> Result<String, KeyFileError> {
    let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
    let value = format!("{{ key = {}, origin = {} }}", quoted(key.expose_secret()), quoted(origin));
    if let Some(place) = place_of(before, name) {
        let is_inline = before.get(place.clone()).is_some_and(|old| old.starts_with(['"', '\'', '{']));
        if !is_inline {
            return Err(KeyFileError::InTable(name.to_owned()));
        }
        let mut text = before.to_owned();
        text.replace_range(place, &value);
        return Ok(text);
    }
    let row = format!("{} = {value}\n", quoted(name));
    // A line after a table's head would belong to that table.
    if before.lines().any(|line| line.trim_start().starts_with('[')) {
        return Ok(row + before);
    }
    let end = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    Ok(format!("{before}{end}{row}"))
}

/// The range of a provider's value in the text.
fn place_of(text: &str, name: &str) -> Option<Range<usize>> {
    let table = DeTable::parse(text).ok()?;
    let (_, value) = table.get_ref().iter().find(|(key, _)| key.get_ref() == name)?;
    Some(value.span())
}

#[cfg(test)]
mod tests {
    use super::super::keys::read;
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    const ORIGIN: &str = "https://api.example.com";

    fn write_key(path: &Path, name: &str, key: &str) -> Result<(), ConfigError> {
        store(path, name, &key.into(), ORIGIN)
    }

    fn keys(path: &Path) -> Vec<(String, String)> {
        let told =
            |stored: super::super::keys::StoredKey| (stored.name, stored.key.expose_secret().to_owned());
        read(path).unwrap().into_iter().map(told).collect()
    }

    fn pair(name: &str, key: &str) -> (String, String) {
        (name.to_owned(), key.to_owned())
    }

    #[test]
    fn a_key_is_stored_for_the_person_alone_and_read_again() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("config").join("credentials.toml");
        write_key(&path, "openai", "sk-1").unwrap();
        write_key(&path, "my server.de", "with \"quotes\" \\ and ümlauts").unwrap();
        write_key(&path, "openai", "sk-2").unwrap();
        assert_eq!(
            keys(&path),
            [pair("my server.de", "with \"quotes\" \\ and ümlauts"), pair("openai", "sk-2")]
        );
        assert_eq!(read(&path).unwrap()[1].origin.as_deref(), Some(ORIGIN));
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing is left behind");
    }

    #[test]
    fn what_else_the_file_says_stays() {
        let key = "k".into();
        let with = |before: &str| with_key(before, "b", &key, ORIGIN);
        let row = format!("{{ key = \"k\", origin = \"{ORIGIN}\" }}");
        assert_eq!(with("# mine\na = 'x'").unwrap(), format!("# mine\na = 'x'\n\"b\" = {row}\n"));
        assert_eq!(with("[a]\nkey = 'x'\n").unwrap(), format!("\"b\" = {row}\n[a]\nkey = 'x'\n"));
        assert_eq!(with("b = 'old' # why\n").unwrap(), format!("b = {row} # why\n"));
        assert_eq!(with("b = { key = 'old' }\nc = 'x'\n").unwrap(), format!("b = {row}\nc = 'x'\n"));
        assert!(matches!(with("[b]\nkey = 'old'\n"), Err(KeyFileError::InTable(_))));
    }

    #[test]
    fn a_file_that_is_open_to_others_or_broken_is_left_as_it_is() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("credentials.toml");
        for (text, mode) in [("a = 'x'\n", 0o644), ("a = \n", 0o600), ("a = 3\n", 0o600)] {
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            assert!(matches!(write_key(&path, "b", "k"), Err(ConfigError::Credentials { .. })), "{text}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn a_link_to_the_file_stays_a_link() {
        let home = tempfile::tempdir().unwrap();
        let (real, link) = (home.path().join("real.toml"), home.path().join("credentials.toml"));
        std::fs::write(&real, "").unwrap();
        std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o600)).unwrap();
        symlink(&real, &link).unwrap();
        write_key(&link, "b", "k").unwrap();
        assert_eq!(keys(&real), [pair("b", "k")]);
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}
