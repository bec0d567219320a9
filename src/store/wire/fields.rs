//! Builds the fields of a line, in their order.

use serde::Serialize;
use serde_json::{Error, Map, Value};

/// A JSON object under construction.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Fields(pub(crate) Map<String, Value>);

impl Fields {
    /// The fields of a line of this kind.
    pub(crate) fn of(kind: &str) -> Self {
        Self::default().with("kind", kind)
    }

    #[must_use]
    pub(crate) fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.insert(key.to_owned(), value.into());
        self
    }

    /// Adds a field if there is a value.
    #[must_use]
    pub(crate) fn with_some(self, key: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// Adds all fields of a value.
    pub(crate) fn with_all(mut self, value: impl Serialize) -> Result<Self, Error> {
        if let Value::Object(fields) = serde_json::to_value(value)? {
            self.0.extend(fields);
        }
        Ok(self)
    }
}
