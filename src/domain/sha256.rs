//! SHA-256 hashes, which files store as 64 hexadecimal digits.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The SHA-256 of some bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Sha256(pub [u8; 32]);

impl Sha256 {
    /// The hash of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        use sha2::Digest as _;
        Self(sha2::Sha256::digest(bytes).into())
    }

    /// Parses 64 hexadecimal digits.
    pub(crate) fn parse(hex: &str) -> Option<Self> {
        let mut out = [0u8; 32];
        if hex.len() != 64 || !hex.is_ascii() {
            return None;
        }
        for (i, byte) in out.iter_mut().enumerate() {
            *byte = u8::from_str_radix(hex.get(2 * i..2 * i + 2)?, 16).ok()?;
        }
        Some(Self(out))
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

impl From<Sha256> for String {
    fn from(sha256: Sha256) -> String {
        sha256.to_string()
    }
}

impl TryFrom<String> for Sha256 {
    type Error = &'static str;

    fn try_from(hex: String) -> Result<Self, Self::Error> {
        Self::parse(&hex).ok_or("not a SHA-256")
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sha256({self})")
    }
}
