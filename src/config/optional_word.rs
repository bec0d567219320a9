//! Reads and writes settings whose value may be missing: a word of its own stands for none.

use serde::de::IntoDeserializer as _;
use serde::{Deserialize, Deserializer};

pub(super) mod dialect {
    use super::word;
    use crate::domain::Dialect;
    use serde::{Deserializer, Serializer};

    #[allow(clippy::ref_option, clippy::trivially_copy_pass_by_ref)] // serde hands over a reference
    pub(in crate::config) fn serialize<S: Serializer>(
        value: &Option<Dialect>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.serialize_str(value.map_or("auto", Dialect::as_str))
    }

    pub(in crate::config) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Dialect>, D::Error> {
        word(from, "auto")
    }
}

pub(super) mod opinion {
    use super::word;
    use crate::domain::Severity;
    use serde::{Deserializer, Serializer};

    #[allow(clippy::ref_option, clippy::trivially_copy_pass_by_ref)] // serde hands over a reference
    pub(in crate::config) fn serialize<S: Serializer>(
        value: &Option<Severity>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.serialize_str(value.map_or("off", Severity::as_str))
    }

    pub(in crate::config) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Severity>, D::Error> {
        word(from, "off")
    }
}

/// Parses a value from its word; the word that is passed as `none` gives `None`.
fn word<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D, none: &str) -> Result<Option<T>, D::Error> {
    let word = String::deserialize(from)?;
    if word == none { Ok(None) } else { T::deserialize(word.into_deserializer()).map(Some) }
}
