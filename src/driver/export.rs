//! Prepares a session for export: reads its pictures, and stops at keys, masks them or keeps them, as the person chose.

use super::images;
use crate::domain::Masker;
use crate::export::{Document, ExportError, ExportFormat, Picture, PictureError, Secret};
use crate::text::number::counted;
use crate::workspace::read;
use std::path::Path;

/// Larger pictures are only named.
const MAX_IMAGE_BYTES: u64 = 16 << 20;
/// Pictures beyond this total are only named.
const MAX_TOTAL_BYTES: u64 = 64 << 20;
/// The most places with keys that are listed one by one.
const MAX_PLACES_SHOWN: usize = 8;

/// What to do if the session contains keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportKeys {
    /// Export nothing.
    Stop,
    Mask,
    /// Keep them: the person said so.
    Keep,
}

/// The argument of `/export` can't be parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("/export md, html, ipynb, script or json; with redact, keys in it are masked")]
pub(crate) struct ExportUsageError;

/// Parses the argument of `/export`: a format, and `redact`.
///
/// # Errors
/// When it is neither; the error lists what is valid.
pub(crate) fn parse_argument(argument: &str) -> Result<(ExportFormat, ExportKeys), ExportUsageError> {
    let mut words = argument.split_whitespace();
    let format = words.next().unwrap_or("md").parse().map_err(|_| ExportUsageError)?;
    match (words.next(), words.next()) {
        (None, _) => Ok((format, ExportKeys::Stop)),
        (Some("redact"), None) => Ok((format, ExportKeys::Mask)),
        _ => Err(ExportUsageError),
    }
}

/// Why nothing is exported.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExportStop {
    /// The session contains keys.
    #[error("{}", keys_message(.0))]
    Keys(Vec<Secret>),
    /// The session has nothing for this format.
    #[error(transparent)]
    Form(#[from] ExportError),
}

/// The session as text in this format, and the ending of its file name. Reads pictures: for a worker.
///
/// # Errors
/// When the session contains keys, or nothing for this format.
pub(crate) fn write(
    mut document: Document,
    format: ExportFormat,
    blobs: &Path,
    keys: ExportKeys,
    masker: &Masker,
) -> Result<(String, &'static str), ExportStop> {
    match keys {
        ExportKeys::Stop => {
            let found = document.secrets(masker);
            if !found.is_empty() {
                return Err(ExportStop::Keys(found));
            }
        }
        ExportKeys::Mask => document = masker.mask(document).into_inner(),
        ExportKeys::Keep => {}
    }
    let mut left = MAX_TOTAL_BYTES;
    for picture in document.pictures_mut() {
        match bytes(picture, blobs, left.min(MAX_IMAGE_BYTES)) {
            Ok(bytes) => {
                left = left.saturating_sub(bytes.len() as u64);
                picture.data = Ok(bytes.into());
            }
            Err(why) => picture.data = Err(why),
        }
    }
    Ok(document.write(format)?)
}

/// The bytes of a picture, if it is one of the session's own files and matches its record.
fn bytes(picture: &Picture, blobs: &Path, most: u64) -> Result<Vec<u8>, PictureError> {
    let place = images::session_file(&picture.path, blobs)
        .map_err(|why| PictureError::Unreadable(why.to_string()))?;
    let bytes = read::held(&place, most).map_err(|why| PictureError::Unreadable(why.to_string()))?;
    match images::kind(&bytes) {
        Some(kind) if kind == picture.mime => Ok(bytes),
        _ if picture.mime == "image/svg+xml" => Err(PictureError::Svg(bytes.len() as u64)),
        _ => Err(PictureError::Changed),
    }
}

fn keys_message(found: &[Secret]) -> String {
    let mut places: Vec<String> = Vec::new();
    for secret in found.iter().take(MAX_PLACES_SHOWN) {
        let often = if secret.count > 1 { format!(", {} times", secret.count) } else { String::new() };
        places.push(format!("{} in {}{often}", secret.kind, secret.place));
    }
    if found.len() > MAX_PLACES_SHOWN {
        places.push(format!("{} more", counted(found.len() - MAX_PLACES_SHOWN, "place")));
    }
    format!("it holds what looks like a key: {}", places.join("; "))
}
