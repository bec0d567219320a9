//! Keys of providers: from the environment, or from a file that nobody else can read. Never shown, never logged.

use super::ConfigError;
use super::schema::Provider;
use secrecy::SecretString;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// The key of a provider: the environment variable that its configuration names, else its line in `credentials`
/// (`NAME = "KEY"`). `None` where neither is there.
///
/// # Errors
/// When the file can be read by others, can't be read, or is not right; the error never holds a key.
pub fn find(
    name: &str,
    provider: &Provider,
    env: &dyn Fn(&str) -> Option<String>,
    credentials: &Path,
) -> Result<Option<SecretString>, ConfigError> {
    let named = provider.key_env.as_deref().and_then(env);
    if let Some(key) = named.filter(|key| !key.trim().is_empty()) {
        return Ok(Some(key.trim().to_owned().into()));
    }
    Ok(read(credentials)?.into_iter().find(|(of, _)| of == name).map(|(_, key)| key))
}

/// All keys of the file, by the name of their provider: also for masking them wherever they turn up.
///
/// # Errors
/// As [`find`].
pub fn read(credentials: &Path) -> Result<Vec<(String, SecretString)>, ConfigError> {
    let refuse = |why: String| ConfigError::Credentials { path: credentials.to_owned(), why };
    let failed = |source| ConfigError::Io { path: credentials.to_owned(), source };
    let meta = match std::fs::metadata(credentials) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    if !meta.is_file() || meta.len() > 1 << 20 {
        return Err(refuse("is not a plain file of keys".into()));
    }
    if meta.uid() != rustix::process::geteuid().as_raw() {
        return Err(refuse("belongs to another user: its keys are not used".into()));
    }
    if meta.mode() & 0o077 != 0 {
        let path = credentials.display();
        return Err(refuse(format!("can be read by others: its keys are not used. Run: chmod 600 {path}")));
    }
    let text = std::fs::read_to_string(credentials).map_err(failed)?;
    // The parser's own message quotes the line, which may hold a key: only the place is told.
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        let at = error.span().map_or(0, |span| span.start);
        let line = text.bytes().take(at).filter(|b| *b == b'\n').count() + 1;
        refuse(format!("is no TOML in line {line}: write one NAME = \"KEY\" a line"))
    })?;
    table
        .into_iter()
        .map(|(name, value)| match value {
            toml::Value::String(key) if !key.trim().is_empty() => Ok((name, key.trim().to_owned().into())),
            _ => Err(refuse(format!("holds no key for {name:?}: write {name} = \"KEY\""))),
        })
        .collect()
}
