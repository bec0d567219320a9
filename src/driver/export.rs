//! A session on its way to others: its pictures are read, and a key in it stops it, is masked, or stays because the
//! person said so.

use super::images;
use crate::domain::Masker;
use crate::export::{Document, ExportError, ExportFormat, Picture, PictureError, Secret};
use crate::text::number::counted;
use crate::workspace::read;
use std::path::Path;

/// A larger picture is only named.
const MAX_IMAGE_BYTES: u64 = 16 << 20;
/// Pictures beyond so many bytes in all are only named.
const MAX_TOTAL_BYTES: u64 = 64 << 20;
/// Places with keys that are told one by one.
const MAX_PLACES_SHOWN: usize = 8;

/// What becomes of keys that stand in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportKeys {
    /// Nothing is handed on.
    Stop,
    /// They are masked.
    Mask,
    /// They stay: the person said so.
    Keep,
}

/// What was typed behind `/export` names no form, or more than that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("/export md, html, ipynb, script or json; with redact, keys in it are masked")]
pub(crate) struct ExportUsageError;

/// What is typed behind `/export`: a form, and `redact`.
///
/// # Errors
/// When it is neither; what may be typed is told.
pub(crate) fn parse_argument(argument: &str) -> Result<(ExportFormat, ExportKeys), ExportUsageError> {
    let mut words = argument.split_whitespace();
    let format = words.next().unwrap_or("md").parse().map_err(|_| ExportUsageError)?;
    match (words.next(), words.next()) {
        (None, _) => Ok((format, ExportKeys::Stop)),
        (Some("redact"), None) => Ok((format, ExportKeys::Mask)),
        _ => Err(ExportUsageError),
    }
}

/// Why nothing is handed on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExportStop {
    /// Keys stand in it.
    #[error("{}", keys_message(.0))]
    Keys(Vec<Secret>),
    /// It has nothing for that form.
    #[error(transparent)]
    Form(#[from] ExportError),
}

/// The session as text in this form, and how the name of its file ends. Reads pictures: for a worker.
///
/// # Errors
/// When keys stand in it, or it has nothing for this form.
pub(crate) fn write(
    mut document: Document,
    format: ExportFormat,
    blobs: &Path,
    (keys, masker): (ExportKeys, &Masker),
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

/// The bytes of a picture that lies among the session's own and is what it is said to be.
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
