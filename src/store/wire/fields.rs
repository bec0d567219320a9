//! The fields of a line: building them in order, and taking them out with an error that names the field.

use super::json::Json;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// An object of JSON under construction.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Fields(pub(crate) Map<String, Value>);

impl Fields {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// The fields of a line of this kind.
    pub(crate) fn of(kind: &str) -> Self {
        Self::new().with("kind", kind)
    }

    #[must_use]
    pub(crate) fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.insert(key.to_owned(), value.into());
        self
    }

    /// Adds a field where there is a value.
    #[must_use]
    pub(crate) fn with_some(self, key: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }
}

impl From<Fields> for Value {
    fn from(fields: Fields) -> Value {
        Value::Object(fields.0)
    }
}

/// Bytes as text where they are text, else as base64.
pub(crate) fn bytes_value(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => Fields::new().with("base64", BASE64.encode(bytes)).into(),
    }
}

/// A path, whatever bytes it is made of.
pub(crate) fn path_value(path: &Path) -> Value {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt as _;
        bytes_value(path.as_os_str().as_bytes())
    }
    #[cfg(not(unix))]
    {
        path.to_string_lossy().into_owned().into()
    }
}

/// What a line lacks.
pub(crate) type Missing = String;

/// The fields of a line, taken out one by one.
#[derive(Debug)]
pub(crate) struct Reader<'a>(Vec<(Cow<'a, str>, Json<'a>)>);

impl<'a> Reader<'a> {
    pub(crate) fn new(fields: Vec<(Cow<'a, str>, Json<'a>)>) -> Self {
        Self(fields)
    }

    fn slot(&mut self, key: &str) -> Option<&mut Json<'a>> {
        self.0.iter_mut().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Takes a field out; `None` where it is missing or null.
    pub(crate) fn take(&mut self, key: &str) -> Option<Json<'a>> {
        self.slot(key).map(|value| std::mem::replace(value, Json::Null)).filter(|value| *value != Json::Null)
    }

    pub(crate) fn text(&mut self, key: &str) -> Result<String, Missing> {
        self.word(key).map(Cow::into_owned)
    }

    /// A text that is only looked at.
    pub(crate) fn word(&mut self, key: &str) -> Result<Cow<'a, str>, Missing> {
        match self.take(key) {
            Some(Json::Text(text)) => Ok(text),
            _ => Err(lacking(key, "text")),
        }
    }

    pub(crate) fn text_or_none(&mut self, key: &str) -> Option<String> {
        self.word(key).ok().map(Cow::into_owned)
    }

    pub(crate) fn text_or_empty(&mut self, key: &str) -> String {
        self.text_or_none(key).unwrap_or_default()
    }

    pub(crate) fn number(&mut self, key: &str) -> Result<u64, Missing> {
        self.number_or_none(key).ok_or_else(|| lacking(key, "a whole number"))
    }

    pub(crate) fn number_or_none(&mut self, key: &str) -> Option<u64> {
        match self.slot(key)? {
            Json::Whole(number) => Some(*number),
            _ => None,
        }
    }

    pub(crate) fn number_or_zero(&mut self, key: &str) -> u64 {
        self.number_or_none(key).unwrap_or(0)
    }

    pub(crate) fn small(&mut self, key: &str) -> Result<u32, Missing> {
        self.number(key).and_then(|n| u32::try_from(n).map_err(|_| lacking(key, "a number below 4294967296")))
    }

    pub(crate) fn small_or_zero(&mut self, key: &str) -> u32 {
        self.number_or_none(key).and_then(|n| u32::try_from(n).ok()).unwrap_or(0)
    }

    pub(crate) fn small_or_none(&mut self, key: &str) -> Option<u32> {
        self.number_or_none(key).and_then(|n| u32::try_from(n).ok())
    }

    pub(crate) fn signed_or_none(&mut self, key: &str) -> Option<i32> {
        match self.slot(key)? {
            Json::Whole(number) => i32::try_from(*number).ok(),
            Json::Negative(number) => i32::try_from(*number).ok(),
            _ => None,
        }
    }

    pub(crate) fn flag(&mut self, key: &str) -> bool {
        matches!(self.slot(key), Some(Json::Flag(true)))
    }

    pub(crate) fn object(&mut self, key: &str) -> Result<Reader<'a>, Missing> {
        self.object_or_none(key).ok_or_else(|| lacking(key, "an object"))
    }

    pub(crate) fn object_or_none(&mut self, key: &str) -> Option<Reader<'a>> {
        match self.take(key) {
            Some(Json::Object(fields)) => Some(Reader(fields)),
            _ => None,
        }
    }

    /// The objects of a list; a missing list is empty.
    pub(crate) fn objects(&mut self, key: &str) -> Result<Vec<Reader<'a>>, Missing> {
        self.list(key)
            .into_iter()
            .map(|value| match value {
                Json::Object(fields) => Ok(Reader(fields)),
                _ => Err(lacking(key, "a list of objects")),
            })
            .collect()
    }

    /// The texts of a list; a missing list is empty.
    pub(crate) fn texts(&mut self, key: &str) -> Result<Vec<String>, Missing> {
        self.list(key)
            .into_iter()
            .map(|value| match value {
                Json::Text(text) => Ok(text.into_owned()),
                _ => Err(lacking(key, "a list of texts")),
            })
            .collect()
    }

    /// The values of a list; a missing list is empty.
    pub(crate) fn list(&mut self, key: &str) -> Vec<Json<'a>> {
        match self.take(key) {
            Some(Json::List(values)) => values,
            _ => Vec::new(),
        }
    }

    pub(crate) fn path(&mut self, key: &str) -> Result<PathBuf, Missing> {
        self.path_or_none(key)?.ok_or_else(|| lacking(key, "a path"))
    }

    pub(crate) fn path_or_none(&mut self, key: &str) -> Result<Option<PathBuf>, Missing> {
        self.take(key).map(|value| path_of(value).ok_or_else(|| lacking(key, "a path"))).transpose()
    }

    pub(crate) fn paths(&mut self, key: &str) -> Result<Vec<PathBuf>, Missing> {
        self.list(key)
            .into_iter()
            .map(|value| path_of(value).ok_or_else(|| lacking(key, "a list of paths")))
            .collect()
    }
}

/// The words for a field that is not as it has to be.
pub(crate) fn lacking(key: &str, want: &str) -> Missing {
    format!("its field {key:?} is not {want}")
}

/// Reads what [`bytes_value`] made.
pub(crate) fn bytes_of(value: Json<'_>) -> Option<Vec<u8>> {
    match value {
        Json::Text(text) => Some(text.into_owned().into_bytes()),
        Json::Object(fields) => BASE64.decode(Reader(fields).word("base64").ok()?.as_bytes()).ok(),
        _ => None,
    }
}

/// Reads what [`path_value`] made.
pub(crate) fn path_of(value: Json<'_>) -> Option<PathBuf> {
    let bytes = bytes_of(value)?;
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt as _;
        Some(PathBuf::from(std::ffi::OsString::from_vec(bytes)))
    }
    #[cfg(not(unix))]
    {
        String::from_utf8(bytes).ok().map(PathBuf::from)
    }
}
