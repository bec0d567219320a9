//! The name of a container image, which is the text of a block that pulls one, and the registry that it refers to.
//! Pure.
//!
//! That text is the name and nothing else, on one line: the name is what is shown, hashed and approved.

use super::BlockTextError;
use std::fmt;

/// The longest name, in bytes: what container engines accept, with room for a digest.
const MAX_BYTES: usize = 400;

/// The registry of names that contain none.
const DEFAULT_REGISTRY: &str = "docker.io";

/// The name of an image, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageName(String);

impl ImageName {
    /// Parses a name: `python:3.13-slim`, `registry.example:5000/team/tool@sha256:…`.
    ///
    /// # Errors
    /// What is wrong with the name.
    pub fn parse(text: &str) -> Result<Self, BlockTextError> {
        let name = text.strip_suffix('\n').unwrap_or(text);
        if name.trim().is_empty() {
            return Err(BlockTextError::NoImage);
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-/:@+".contains(c);
        let edge = |c: char| c.is_ascii_alphanumeric();
        let parts_are_whole = name.split('/').all(|part| part.starts_with(edge) && part.ends_with(edge));
        if name.len() > MAX_BYTES || !name.chars().all(plain) || !parts_are_whole || name.contains("..") {
            return Err(BlockTextError::Image(name.chars().take(60).collect()));
        }
        Ok(Self(name.to_owned()))
    }

    /// The name as it is passed to a container engine.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The text of a block that pulls this image.
    pub(crate) fn text(&self) -> String {
        format!("{}\n", self.0)
    }

    /// The registry that the engine would ask: the part before the first `/` if it is a host, else the default
    /// registry.
    pub(crate) fn registry(&self) -> &str {
        match self.0.split_once('/') {
            Some((host, _)) if host.contains(['.', ':']) || host == "localhost" => host,
            _ => DEFAULT_REGISTRY,
        }
    }

    /// Whether it fixes the exact image by digest. Otherwise the registry decides what the name means today.
    pub(crate) fn has_digest(&self) -> bool {
        self.0.contains('@')
    }

    /// The tag to add to a name that has none: without a tag, engines would fetch every tag of the repository.
    pub(crate) fn tag_to_add(&self) -> Option<&'static str> {
        let last = self.0.rsplit('/').next().unwrap_or(&self.0);
        (!last.contains(':') && !self.has_digest()).then_some("latest")
    }
}

impl fmt::Display for ImageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_their_registries() {
        for (name, registry, tag) in [
            ("python", "docker.io", Some("latest")),
            ("python:3.13-slim", "docker.io", None),
            ("team/tool", "docker.io", Some("latest")),
            ("docker.io/library/python:3.13-slim", "docker.io", None),
            ("localhost:5000/a", "localhost:5000", Some("latest")),
            ("localhost/a:1", "localhost", None),
            ("ghcr.io/a/b@sha256:0123", "ghcr.io", None),
        ] {
            let image = ImageName::parse(&format!("{name}\n")).unwrap();
            assert_eq!((image.as_str(), image.registry(), image.tag_to_add()), (name, registry, tag));
        }
    }

    #[test]
    fn what_is_no_name_is_told() {
        let long = "a".repeat(401);
        for text in ["", " \n", "a b", "-x", "a//b", "/a", "a/", "../a", "a\nb", "a\u{202e}b", "a;b", &long] {
            assert!(ImageName::parse(text).is_err(), "{text:?}");
        }
    }
}
