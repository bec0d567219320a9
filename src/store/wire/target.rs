//! The file or folder that an approval covers, as fields, and back.

use super::fields::{Fields, Missing, Reader, lacking, path_value};
use crate::domain::{OnDisk, Sha256, Target};

/// The fields of a target.
pub(super) fn fields(target: &Target) -> Fields {
    let (found, sha256) = match target.found {
        OnDisk::Nothing => ("nothing", None),
        OnDisk::File(sha256) => ("file", sha256),
        OnDisk::Folder => ("folder", None),
    };
    Fields::new()
        .with("path", path_value(&target.path))
        .with_some("link", target.link.as_deref().map(path_value))
        .with("found", found)
        .with_some("sha256", sha256.map(|sha256| sha256.to_string()))
        .with("bytes", target.bytes)
        .with("folders", target.folders)
        .with("outside", target.outside)
}

/// Reads a target.
pub(super) fn read(mut f: Reader<'_>) -> Result<Target, Missing> {
    let sha256 = match f.text_or_none("sha256") {
        Some(hex) => Some(Sha256::parse(&hex).ok_or_else(|| lacking("sha256", "a SHA-256"))?),
        None => None,
    };
    Ok(Target {
        path: f.path("path")?,
        link: f.path_or_none("link")?,
        found: match f.word("found")?.as_ref() {
            "nothing" => OnDisk::Nothing,
            "file" => OnDisk::File(sha256),
            "folder" => OnDisk::Folder,
            _ => return Err(lacking("found", "nothing, file or folder")),
        },
        bytes: f.number_or_zero("bytes"),
        folders: f.small_or_zero("folders"),
        outside: f.flag("outside"),
    })
}
