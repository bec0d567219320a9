//! Finds the keys of providers: in the environment, in a file that nobody else can read, from a program of the
//! person's, or in the system's keyring. Keys are never shown and never logged.
//!
//! A key is sent only to the origin for which it was given. A key in the environment goes to the address that the
//! same person's options, environment and configuration name. A stored key (`credentials.toml`, `key_command`)
//! belongs to the provider's own address, or to the origin written beside it: an address given only for this start
//! does not get it. This file decides which key may be sent; it sends nothing and runs no program.

use super::files::is_absent;
use super::origin::origin;
use super::providers::{OneOrMore, Provider};
use super::{ConfigError, KeyFileError};
use crate::text::position::{line_of, start_of};
use secrecy::SecretString;
use std::collections::BTreeMap;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// The largest file of keys.
const MAX_BYTES: u64 = 1 << 20;

/// The result of the search for a provider's key.
#[derive(Debug)]
pub(crate) enum KeyLookup {
    /// A key that may be sent to the address in use.
    Usable(SecretString, KeySource),
    /// A program writes the key: the person's own, or the one that reads the keyring.
    Command(OneOrMore, KeySource),
    /// A key exists, but for another origin than that of the address in use.
    OtherOrigin {
        /// Where the key is stored.
        kept: KeySource,
        /// The origin for which it was given; `None`: unknown.
        for_origin: Option<String>,
    },
    None,
}

/// Where a key is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KeySource {
    /// In this environment variable.
    Environment(String),
    /// In `credentials.toml`.
    File,
    /// Written by the program in `key_command`.
    Command,
    /// In the system's keyring.
    Keyring,
}

impl std::fmt::Display for KeySource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            KeySource::Environment(name) => f.write_str(name),
            KeySource::File => f.write_str("credentials.toml"),
            KeySource::Command => f.write_str("key_command"),
            KeySource::Keyring => f.write_str("keyring"),
        }
    }
}

/// A key in the file.
#[derive(Debug)]
pub(crate) struct StoredKey {
    pub(crate) name: String,
    pub(crate) key: SecretString,
    /// The origin for which it was given; `None`: that of the provider's own address.
    pub(crate) origin: Option<String>,
}

/// Finds the key of a provider: in the environment variables that its configuration names, else in `credentials`,
/// else from its program, else in the system's keyring.
///
/// # Errors
/// When others can read the file, it can't be read, or it is malformed; the error never contains a key.
pub(crate) fn find(
    name: &str,
    provider: &Provider,
    env: &dyn Fn(&str) -> Option<String>,
    credentials: &Path,
) -> Result<KeyLookup, ConfigError> {
    if let Some((key, variable)) = from_environment(provider, env) {
        return Ok(KeyLookup::Usable(key, KeySource::Environment(variable)));
    }
    let used = provider.address().and_then(origin);
    let own = provider.own_address().and_then(origin);
    let may = |for_origin: &Option<String>| for_origin.is_some() && *for_origin == used;
    if let Some(stored) = read(credentials)?.into_iter().find(|stored| stored.name == name) {
        let for_origin = stored.origin.or(own);
        return Ok(if may(&for_origin) {
            KeyLookup::Usable(stored.key, KeySource::File)
        } else {
            KeyLookup::OtherOrigin { kept: KeySource::File, for_origin }
        });
    }
    let (command, kept) = match &provider.key_command {
        Some(command) => (Some(command.clone()), KeySource::Command),
        None => (provider.keyring.then(|| keyring_command(name)), KeySource::Keyring),
    };
    Ok(match command {
        Some(command) if may(&own) => KeyLookup::Command(command, kept),
        Some(_) => KeyLookup::OtherOrigin { kept, for_origin: own },
        None => KeyLookup::None,
    })
}

/// The command that reads a provider's key from the system's keyring. The keyring belongs to the desktop, whose own
/// program reads it: `secret-tool` of libsecret, `security` on macOS.
fn keyring_command(name: &str) -> OneOrMore {
    let words: &[&str] = if cfg!(target_os = "macos") {
        &["security", "find-generic-password", "-s", "sayso", "-w", "-a", name]
    } else {
        &["secret-tool", "lookup", "service", "sayso", "provider", name]
    };
    OneOrMore::Several(words.iter().map(|word| (*word).to_owned()).collect())
}

/// The command with which the person stores a provider's key in the system's keyring.
pub(crate) fn keyring_store_command(name: &str) -> String {
    if cfg!(target_os = "macos") {
        format!("security add-generic-password -s sayso -a {name} -w")
    } else {
        format!("secret-tool store --label=sayso service sayso provider {name}")
    }
}

/// The key in the first of the provider's variables that is set, and the name of that variable.
pub(crate) fn from_environment(
    provider: &Provider,
    env: &dyn Fn(&str) -> Option<String>,
) -> Option<(SecretString, String)> {
    let names = provider.key_env.as_ref().map(OneOrMore::all).unwrap_or_default();
    names.iter().find_map(|name| {
        let key = env(name).filter(|key| !key.trim().is_empty())?;
        Some((key.trim().to_owned().into(), name.clone()))
    })
}

/// The headers or query parameters of a provider, by whether the address in use gets them: those that look like keys
/// are only for the provider's own origin.
#[derive(Debug)]
pub(crate) struct FieldsByOrigin {
    /// The names and values that are sent.
    pub(crate) sent: Vec<(String, String)>,
    /// The names of those that are not sent.
    pub(crate) held_back: Vec<String>,
}

/// The headers of a provider.
pub(crate) fn headers(provider: &Provider) -> FieldsByOrigin {
    partition_by_origin(provider, &provider.headers)
}

/// The query parameters of a provider: some servers want their key there.
pub(crate) fn query(provider: &Provider) -> FieldsByOrigin {
    partition_by_origin(provider, &provider.query)
}

fn partition_by_origin(provider: &Provider, fields: &BTreeMap<String, String>) -> FieldsByOrigin {
    let own = provider.own_address().and_then(origin);
    let at_home = own.is_some() && own == provider.address().and_then(origin);
    let mut by_origin = FieldsByOrigin { sent: Vec::new(), held_back: Vec::new() };
    for (name, value) in fields {
        if at_home || !looks_secret(name) {
            by_origin.sent.push((name.clone(), value.clone()));
        } else {
            by_origin.held_back.push(name.clone());
        }
    }
    by_origin
}

/// The values of a provider's headers, of its query and of the queries of its addresses that look like keys, so that
/// they can be masked everywhere.
pub(crate) fn secret_values(provider: &Provider) -> impl Iterator<Item = SecretString> {
    let fields = provider.headers.iter().chain(&provider.query).map(|(name, value)| (&**name, &**value));
    let addresses =
        [provider.base_url.as_deref(), provider.address_override.as_deref()].into_iter().flatten();
    let written = addresses
        .filter_map(|address| address.split('#').next()?.split_once('?'))
        .flat_map(|(_, query)| query.split('&').filter_map(|pair| pair.split_once('=')));
    fields.chain(written).filter(|(name, _)| looks_secret(name)).map(|(_, value)| value.to_owned().into())
}

/// Whether a header or query parameter of this name carries a key.
pub(crate) fn looks_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let words = ["auth", "key", "token", "secret", "cookie", "password", "signature", "credential"];
    matches!(&*name, "sig" | "code" | "pwd") || words.iter().any(|word| name.contains(word))
}

/// Reads all keys of the file, also for masking them everywhere.
pub(crate) fn read(credentials: &Path) -> Result<Vec<StoredKey>, ConfigError> {
    private_text(credentials)?.map_or_else(|| Ok(Vec::new()), |text| read_text(credentials, &text))
}

/// Parses the text of a file of keys, also one that is about to be written.
pub(super) fn read_text(credentials: &Path, text: &str) -> Result<Vec<StoredKey>, ConfigError> {
    let refuse = |why| ConfigError::Credentials { path: credentials.to_owned(), why };
    // The parser's message quotes the line, which may hold a key: the error names only the line number.
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        let line = line_of(text, start_of(&error));
        refuse(KeyFileError::NoToml(line))
    })?;
    table.into_iter().map(|(name, value)| parse_stored_key(name, &value).map_err(refuse)).collect()
}

/// Parses one key: `NAME = "KEY"`, or `NAME = { key = "KEY", origin = "https://…" }`.
fn parse_stored_key(name: String, value: &toml::Value) -> Result<StoredKey, KeyFileError> {
    let written = |value: Option<&toml::Value>| {
        value.and_then(toml::Value::as_str).map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let (key, given) = match value {
        toml::Value::Table(table) => {
            if let Some(other) = table.keys().find(|key| !matches!(key.as_str(), "key" | "origin")) {
                return Err(KeyFileError::Unknown(other.clone(), name));
            }
            (written(table.get("key")), table.get("origin"))
        }
        text => (written(Some(text)), None),
    };
    let key = key.ok_or_else(|| KeyFileError::NoKey(name.clone()))?.into();
    let place = |value: &toml::Value| value.as_str().and_then(origin);
    let place = given.map(|value| place(value).ok_or_else(|| KeyFileError::NoOrigin(name.clone())));
    let origin = place.transpose()?;
    Ok(StoredKey { name, key, origin })
}

/// Reads a file that only the person can read; `None` if it does not exist.
pub(super) fn private_text(path: &Path) -> Result<Option<String>, ConfigError> {
    let refuse = |why| ConfigError::Credentials { path: path.to_owned(), why };
    let failed = |source| ConfigError::Io { path: path.to_owned(), source };
    match std::fs::metadata(path) {
        // Check first: opening a pipe would block.
        Ok(meta) if !meta.is_file() => return Err(refuse(KeyFileError::NoPlainFile)),
        Ok(_) => {}
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(failed(error)),
    }
    let file = std::fs::File::open(path).map_err(failed)?;
    let meta = file.metadata().map_err(failed)?;
    if !meta.is_file() || meta.len() > MAX_BYTES {
        return Err(refuse(KeyFileError::NoPlainFile));
    }
    if meta.uid() != rustix::process::geteuid().as_raw() {
        return Err(refuse(KeyFileError::Foreign));
    }
    if meta.mode() & 0o077 != 0 {
        return Err(refuse(KeyFileError::Open(path.to_owned())));
    }
    let mut text = String::new();
    file.take(MAX_BYTES).read_to_string(&mut text).map_err(failed)?;
    Ok(Some(text))
}
