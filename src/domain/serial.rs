//! Serialization of values whose format differs from serde's default: the modules and functions that fields name with
//! `with`. Does no I/O.
//!
//! Field names and words in files never change; `store/wire/tests/frozen.rs` compares the format with frozen bytes.

// Serde passes fields by reference, whatever their type.
#![allow(clippy::trivially_copy_pass_by_ref, clippy::ref_option)]

use super::Sha256;
use serde::de::{DeserializeOwned, Error, IgnoredAny, IntoDeserializer, MapAccess, value};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Skips a number that is 0.
pub(crate) fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The default `true`.
pub(crate) fn yes() -> bool {
    true
}

/// Bytes: as text if they are valid UTF-8, else as base64.
pub(crate) mod bytes {
    use super::{Deserialize, Deserializer, Error, MapAccess, Serialize, Serializer};
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD as BASE64;
    use serde::de::Visitor;
    use serde::de::value::MapAccessDeserializer;
    use std::fmt;

    #[derive(Serialize, Deserialize)]
    struct EncodedBytes {
        base64: String,
    }

    struct Bytes;

    impl<'de> Visitor<'de> for Bytes {
        type Value = Vec<u8>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("text or base64")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Vec<u8>, E> {
            Ok(text.into())
        }

        fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Vec<u8>, A::Error> {
            let encoded = EncodedBytes::deserialize(MapAccessDeserializer::new(fields))?;
            BASE64.decode(encoded.base64).map_err(A::Error::custom)
        }
    }

    pub(crate) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(bytes) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => EncodedBytes { base64: BASE64.encode(bytes) }.serialize(serializer),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        deserializer.deserialize_any(Bytes)
    }
}

/// A path of any bytes.
pub(crate) mod path {
    use super::{Deserializer, Path, PathBuf, Serializer, bytes};
    use std::ffi::OsString;
    use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

    pub(crate) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        bytes::serialize(path.as_os_str().as_bytes(), serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
        bytes::deserialize(deserializer).map(|bytes| PathBuf::from(OsString::from_vec(bytes)))
    }
}

#[derive(Serialize, Deserialize)]
struct AnyPath(#[serde(with = "path")] PathBuf);

pub(crate) mod paths {
    use super::{AnyPath, Deserialize, Deserializer, PathBuf, Serializer};

    pub(crate) fn serialize<'a, S: Serializer>(
        paths: impl IntoIterator<Item = &'a PathBuf>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(paths.into_iter().map(|path| AnyPath(path.clone())))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<PathBuf>, D::Error> {
        Ok(Vec::<AnyPath>::deserialize(deserializer)?.into_iter().map(|path| path.0).collect())
    }
}

/// An optional path.
pub(crate) mod path_or_none {
    use super::{AnyPath, Deserialize, Deserializer, PathBuf, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
        path.clone().map(AnyPath).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<PathBuf>, D::Error> {
        Ok(Option::<AnyPath>::deserialize(deserializer)?.map(|path| path.0))
    }
}

/// A shared text.
pub(crate) mod shared {
    use super::{Arc, Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(text)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<str>, D::Error> {
        String::deserialize(deserializer).map(Arc::from)
    }
}

/// Pairs of name and text as a list of objects, because their order counts and names may repeat.
pub(crate) mod pairs {
    use super::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Pair {
        name: String,
        text: String,
    }

    pub(crate) fn serialize<S: Serializer>(
        pairs: &[(String, String)],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let pair = |(name, text): &(String, String)| Pair { name: name.clone(), text: text.clone() };
        serializer.collect_seq(pairs.iter().map(pair))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<(String, String)>, D::Error> {
        let pairs = Vec::<Pair>::deserialize(deserializer)?;
        Ok(pairs.into_iter().map(|pair| (pair.name, pair.text)).collect())
    }
}

/// The only value of a variant, as an object with one field.
macro_rules! in_field {
    ($($module:ident: $field:ident),*) => { $(
        #[doc = concat!("An object whose one field is `", stringify!($field), "`.")]
        pub(crate) mod $module {
            use super::{Deserialize, Deserializer, Serialize, Serializer};

            #[derive(Serialize, Deserialize)]
            struct One<T> {
                $field: T,
            }

            pub(crate) fn serialize<T: Serialize, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
                One { $field: value }.serialize(serializer)
            }

            pub(crate) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<T, D::Error> {
                One::deserialize(deserializer).map(|one| one.$field)
            }
        }
    )* };
}

in_field!(in_name: name, in_model: model, in_rule: rule, in_block: block, in_files: files);

/// The hash of a file as an object, which is empty if the hash is not known.
pub(crate) mod in_sha256 {
    use super::{Deserialize, Deserializer, Serialize, Serializer, Sha256};

    #[derive(Serialize, Deserialize)]
    struct One {
        #[serde(skip_serializing_if = "Option::is_none")]
        sha256: Option<Sha256>,
    }

    pub(crate) fn serialize<S: Serializer>(
        sha256: &Option<Sha256>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        One { sha256: *sha256 }.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Sha256>, D::Error> {
        One::deserialize(deserializer).map(|one| one.sha256)
    }
}

/// Reads a name; one of a later version is read as the default.
///
/// # Errors
/// When it is not a string.
pub(crate) fn word_or_default<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: DeserializeOwned + Default,
    D: Deserializer<'de>,
{
    let word = String::deserialize(deserializer)?;
    Ok(T::deserialize(IntoDeserializer::<value::Error>::into_deserializer(word)).unwrap_or_default())
}

/// Reads a list of advice, skipping items that can't be parsed.
///
/// # Errors
/// When it is not a list.
pub(crate) fn readable<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Maybe<T> {
        Known(T),
        Unknown(IgnoredAny),
    }
    let all = Vec::<Maybe<T>>::deserialize(deserializer)?.into_iter();
    Ok(all
        .filter_map(|one| match one {
            Maybe::Known(one) => Some(one),
            Maybe::Unknown(_) => None,
        })
        .collect())
}
