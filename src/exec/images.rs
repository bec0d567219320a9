//! Reviews the pull of a container image. Pure.

use crate::domain::{Effects, Finding, ImageName, Review, Severity};

/// The review of a block that pulls an image. The source of such a block is the name of the image.
pub fn review(source: &str) -> Review {
    let Ok(image) = ImageName::parse(source) else { return Review::default() };
    let exact = if image.has_digest() { "" } else { ", which decides what the name means today" };
    let message = format!(
        "the container engine downloads it from {}{exact}; it stays there until you remove it. Nothing of it is started \
         by this: a block that runs in it is asked about by itself",
        image.registry()
    );
    let finding = Finding::new("sayso.pull", Severity::Medium, message);
    let effects = Effects { hosts: vec![image.registry().to_owned()], ..Effects::default() };
    Review { findings: vec![finding], effects, ..Review::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_is_named() {
        let told = review("python:3.13-slim\n");
        assert_eq!(told.effects.hosts, ["docker.io"]);
        assert!(told.findings[0].message.contains("from docker.io, which decides"));
        assert!(!review("ghcr.io/a@sha256:01\n").findings[0].message.contains("decides"));
        assert_eq!(review("no name\n"), Review::default());
    }
}
