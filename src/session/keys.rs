//! The keys of this process: from the environment and from files, typed in, or written by key commands.
//! `config::keys` decides which key may be sent where; this module fetches keys and remembers them, in memory only.

use super::key_command;
use super::process_context::ProcessContext;
use crate::config::keys::{self, KeyLookup, KeySource};
use crate::config::{ConfigError, LoadedConfig, Provider, key_store, origin};
use crate::domain::sentences::sending;
use crate::domain::{Masker, Notice};
use crate::provider::ConnectError;
use secrecy::SecretString;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreKeyError {
    #[error("No key of {0} was pasted: /key {0} asks for one.")]
    None(String),
    /// The provider, and where its key is kept.
    #[error("The key of {0} comes from {1}: there is nothing to store.")]
    Kept(String, String),
    #[error("The key was not stored: {0}")]
    File(#[from] ConfigError),
}

#[derive(Default)]
pub(crate) struct KeyRing {
    inner: Mutex<KeyRingInner>,
    masker: Masker,
}

#[derive(Default)]
struct KeyRingInner {
    /// The keys that were typed in, by provider and origin of the address.
    typed: BTreeMap<(String, String), SecretString>,
    /// The keys that key commands wrote, by provider.
    written: BTreeMap<String, SecretString>,
    /// What was not sent, until it is told.
    notices: Vec<Notice>,
}

impl KeyRing {
    /// Remembers a key that was typed in for a provider at this address.
    pub(crate) fn remember(&self, provider: &str, address: &str, key: SecretString) {
        if let Some(origin) = origin(address) {
            self.masker.learn([key.clone()]);
            let mut inner = self.inner();
            inner.typed.insert((provider.to_owned(), origin), key);
        }
    }

    /// Whether a key was typed in for a provider at this address.
    pub(super) fn has_typed(&self, provider: &str, address: &str) -> bool {
        origin(address).is_some_and(|origin| self.inner().typed.contains_key(&(provider.to_owned(), origin)))
    }

    /// Writes a typed key into the person's key file, for the origin that it was typed in for.
    pub(super) fn store(
        &self,
        name: &str,
        loaded: &LoadedConfig,
        place: &ProcessContext,
    ) -> Result<PathBuf, StoreKeyError> {
        let provider = loaded.config.providers.get(name);
        let used = provider.and_then(|provider| provider.address()).and_then(origin);
        let inner = self.inner();
        let mut typed = inner.typed.iter().filter(|((whose, _), _)| whose == name);
        let found =
            typed.clone().find(|((_, origin), _)| used.as_ref() == Some(origin)).or_else(|| typed.next());
        let found = found.map(|((_, origin), key)| (origin.clone(), key.clone()));
        drop(inner);
        let Some((origin, key)) = found else {
            let kept = provider.and_then(|provider| self.location(name, provider, loaded, place));
            return Err(match kept {
                Some(kept) => StoreKeyError::Kept(name.to_owned(), kept),
                None => StoreKeyError::None(name.to_owned()),
            });
        };
        let credentials = loaded.paths.credentials();
        key_store::store(&credentials, name, &key, &origin)?;
        Ok(credentials)
    }

    /// The masker for everything that is written; it learns later keys at once.
    pub(crate) fn masker(&self) -> Masker {
        self.masker.clone()
    }

    /// Whether a program has to run to get a provider's key.
    pub(super) fn asks_program(
        &self,
        name: &str,
        provider: &Provider,
        loaded: &LoadedConfig,
        place: &ProcessContext,
    ) -> Result<bool, ConnectError> {
        let known = self.typed_key(name, provider).is_some() || self.has_written(name);
        Ok(!known && matches!(look_up(name, provider, loaded, place)?, KeyLookup::Command(..)))
    }

    /// Takes the notices about keys that were not sent, so that each is shown once.
    pub(crate) fn take_notices(&self) -> Vec<Notice> {
        std::mem::take(&mut self.inner().notices)
    }

    /// The key to send to a provider's address; `None` if it has none. May run the person's key command.
    pub(super) fn find(
        &self,
        name: &str,
        provider: &Provider,
        loaded: &LoadedConfig,
        place: &ProcessContext,
    ) -> Result<Option<SecretString>, ConnectError> {
        self.report_held_back(name, provider);
        if let Some(key) = self.typed_key(name, provider) {
            return Ok(Some(key));
        }
        match look_up(name, provider, loaded, place)? {
            KeyLookup::Usable(key, _) => Ok(Some(key)),
            KeyLookup::None => Ok(None),
            KeyLookup::OtherOrigin { kept, for_origin } => {
                let address = provider.address().and_then(origin).unwrap_or_default();
                let whose = for_origin.unwrap_or_else(|| "another address".into());
                self.add_notice(sending::key_held_back(name, &kept.to_string(), &whose, &address));
                Ok(None)
            }
            KeyLookup::Command(command, kept) => {
                let known = self.inner().written.get(name).cloned();
                if known.is_some() {
                    return Ok(known);
                }
                let hint = match kept {
                    KeySource::Keyring => format!("Store the key: {}", keys::keyring_store_command(name)),
                    _ => format!("Correct key_command under [providers.{name}]."),
                };
                let key = key_command::run(&command, &place.launcher(loaded))
                    .map_err(|why| ConnectError::new(format!("the {kept} of {name} {why}"), hint))?;
                self.masker.learn([key.clone()]);
                let mut inner = self.inner();
                inner.written.insert(name.to_owned(), key.clone());
                Ok(Some(key))
            }
        }
    }

    /// Where the key is kept that may be sent to a provider's address, in words; `None` if there is none. Runs no
    /// program.
    pub(super) fn location(
        &self,
        name: &str,
        provider: &Provider,
        loaded: &LoadedConfig,
        place: &ProcessContext,
    ) -> Option<String> {
        if self.typed_key(name, provider).is_some() {
            return Some("typed in".into());
        }
        match look_up(name, provider, loaded, place).ok()? {
            KeyLookup::Usable(_, source) => Some(source.to_string()),
            KeyLookup::Command(_, kept) => Some(kept.to_string()),
            KeyLookup::OtherOrigin { .. } | KeyLookup::None => None,
        }
    }

    /// Whether a provider's key command has already written its key.
    pub(super) fn has_written(&self, name: &str) -> bool {
        self.inner().written.contains_key(name)
    }

    /// All keys that are known without running a program or asking the person, for masking them wherever they appear.
    pub(super) fn known_keys(&self, loaded: &LoadedConfig, place: &ProcessContext) -> Vec<SecretString> {
        let env = place.env();
        let providers = &loaded.config.providers;
        let environment =
            providers.values().filter_map(|p| keys::from_environment(p, &env)).map(|(key, _)| key);
        let stored = keys::read(&loaded.paths.credentials()).unwrap_or_default();
        let written = providers.values().flat_map(keys::secret_values);
        // A kernel on a server may print the token that was used to reach it.
        let jupyter = loaded.config.executors.jupyter.token_env.as_ref();
        let token = jupyter.and_then(|name| env(name)).map(|value| SecretString::from(value.trim()));
        let inner = self.inner();
        environment
            .chain(token)
            .chain(stored.into_iter().map(|stored| stored.key))
            .chain(written)
            .chain(inner.typed.values().cloned())
            .chain(inner.written.values().cloned())
            .collect()
    }

    fn typed_key(&self, name: &str, provider: &Provider) -> Option<SecretString> {
        let given_for = (name.to_owned(), provider.address().and_then(origin)?);
        self.inner().typed.get(&given_for).cloned()
    }

    fn report_held_back(&self, name: &str, provider: &Provider) {
        let address = provider.address().and_then(origin).unwrap_or_default();
        for (what, fields) in
            [("Headers", keys::headers(provider)), ("Parts of the query", keys::query(provider))]
        {
            if !fields.held_back.is_empty() {
                let which = fields.held_back.join(", ");
                self.add_notice(sending::parts_held_back(what, name, &address, &which));
            }
        }
    }

    fn add_notice(&self, text: String) {
        let mut inner = self.inner();
        let notice = Notice::warn(text);
        if !inner.notices.contains(&notice) {
            inner.notices.push(notice);
        }
    }

    fn inner(&self) -> MutexGuard<'_, KeyRingInner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn look_up(
    name: &str,
    provider: &Provider,
    loaded: &LoadedConfig,
    place: &ProcessContext,
) -> Result<KeyLookup, ConnectError> {
    keys::find(name, provider, &place.env(), &loaded.paths.credentials())
        .map_err(|error| ConnectError::new(error.to_string(), "Nothing was read from it."))
}
