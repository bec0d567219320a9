//! Reads and writes settings whose value may be missing: a word of its own stands for none.

use serde::de::IntoDeserializer as _;
use serde::{Deserialize, Deserializer};

/// Makes the module that a field of this type names with `with`; the word stands for none.
macro_rules! optional_word {
    ($module:ident: $type:ident, $none:literal) => {
        pub(super) mod $module {
            use crate::domain::$type;
            use serde::{Deserializer, Serializer};

            #[allow(clippy::ref_option, clippy::trivially_copy_pass_by_ref)] // serde hands over a reference
            pub(in crate::config) fn serialize<S: Serializer>(
                value: &Option<$type>,
                to: S,
            ) -> Result<S::Ok, S::Error> {
                to.serialize_str(value.map_or($none, $type::as_str))
            }

            pub(in crate::config) fn deserialize<'de, D: Deserializer<'de>>(
                from: D,
            ) -> Result<Option<$type>, D::Error> {
                super::word(from, $none)
            }
        }
    };
}

optional_word!(dialect: Dialect, "auto");
optional_word!(opinion: Severity, "off");

/// Parses a value from its word; the word that is passed as `none` gives `None`.
fn word<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D, none: &str) -> Result<Option<T>, D::Error> {
    let word = String::deserialize(from)?;
    if word == none { Ok(None) } else { T::deserialize(word.into_deserializer()).map(Some) }
}
