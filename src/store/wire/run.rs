//! The line of a run. It has a type of its own because it names files beside the session: those in the folder of
//! blobs are stored by name only, so that sessions can be moved.

use super::file_name::FileName;
use super::line_error::FieldError;
use super::output::{ExternalOutput, OutputBlob, OutputLine};
use crate::domain::serial::{path, path_or_none};
use crate::domain::{
    BlockId, Entry, ImageRef, KernelFate, KernelRef, Outcome, Receipt, RunError, RunId, RunReport,
};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The fields of a run's line, except its kind.
#[derive(Serialize, Deserialize)]
pub(super) struct RunLine {
    run: RunId,
    block: BlockId,
    #[serde(flatten)]
    outcome: Outcome,
    receipt: Receipt,
    output: OutputLine,
    #[serde(skip_serializing_if = "Option::is_none")]
    all_output: Option<FileLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<RunError>,
    #[serde(default)]
    images: Vec<Image>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pictures: Vec<Image>,
    kernel: Fate,
    #[serde(default, with = "path_or_none", skip_serializing_if = "Option::is_none")]
    cwd: Option<PathBuf>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a path, or the name of a file in the folder of blobs")]
enum FileLocation {
    Blob { blob: FileName },
    Path(#[serde(with = "path")] PathBuf),
}

#[derive(Serialize, Deserialize)]
struct Image {
    path: FileLocation,
    name: String,
    mime: String,
    width: u32,
    height: u32,
    bytes: u64,
}

#[derive(Serialize, Deserialize)]
struct Fate {
    #[serde(flatten)]
    kernel: Option<KernelRef>,
    fate: String,
}

impl RunLine {
    /// The line of this run. `output` is the file with its output, if it is in a file of its own.
    pub(super) fn of(
        (run, block): (RunId, BlockId),
        report: &RunReport,
        blobs: &Path,
        output: Option<&OutputBlob>,
    ) -> Self {
        Self {
            run,
            block,
            outcome: report.outcome.clone(),
            receipt: report.receipt.clone(),
            output: OutputLine::of(&report.output, output),
            all_output: report.blob.as_deref().map(|path| FileLocation::of(path, blobs)),
            value: report.value.clone(),
            error: report.error.clone(),
            images: report.images.iter().map(|image| Image::of(image, blobs)).collect(),
            pictures: report.pictures.iter().map(|image| Image::of(image, blobs)).collect(),
            kernel: Fate::of(&report.kernel),
            cwd: report.cwd.clone(),
        }
    }

    /// The entry, and the file with its output, if it is in a file of its own.
    ///
    /// # Errors
    /// When the fate of a kernel is given, but not which kernel it was.
    pub(super) fn into_entry(self, blobs: &Path) -> Result<(Entry, Option<ExternalOutput>), FieldError> {
        let (output, outside) = self.output.into_captured();
        let report = RunReport {
            outcome: self.outcome,
            receipt: self.receipt,
            output,
            blob: self.all_output.map(|place| place.path(blobs)),
            value: self.value,
            error: self.error,
            images: self.images.into_iter().map(|image| image.reference(blobs)).collect(),
            pictures: self.pictures.into_iter().map(|image| image.reference(blobs)).collect(),
            kernel: self.kernel.fate()?,
            cwd: self.cwd,
        };
        Ok((Entry::Ran { run: self.run, block: self.block, report: Box::new(report) }, outside))
    }
}

impl FileLocation {
    fn of(path: &Path, blobs: &Path) -> Self {
        let inside = path.strip_prefix(blobs).ok().and_then(Path::to_str);
        match inside.and_then(|name| FileName::try_from(name.to_owned()).ok()) {
            Some(blob) => FileLocation::Blob { blob },
            None => FileLocation::Path(path.to_owned()),
        }
    }

    fn path(self, blobs: &Path) -> PathBuf {
        match self {
            FileLocation::Blob { blob } => blobs.join(blob.0),
            FileLocation::Path(path) => path,
        }
    }
}

impl Image {
    fn of(image: &ImageRef, blobs: &Path) -> Self {
        let ImageRef { path, name, mime, width, height, bytes } = image.clone();
        Self { path: FileLocation::of(&path, blobs), name, mime, width, height, bytes }
    }

    fn reference(self, blobs: &Path) -> ImageRef {
        let Image { path, name, mime, width, height, bytes } = self;
        ImageRef { path: path.path(blobs), name, mime, width, height, bytes }
    }
}

impl Fate {
    fn of(fate: &KernelFate) -> Self {
        let (kernel, fate) = match fate {
            KernelFate::None => (None, "none"),
            KernelFate::Kept(kernel) => (Some(*kernel), "kept"),
            KernelFate::Lost(kernel) => (Some(*kernel), "lost"),
        };
        Self { kernel, fate: fate.into() }
    }

    fn fate(self) -> Result<KernelFate, FieldError> {
        match (self.fate.as_str(), self.kernel) {
            ("kept", Some(kernel)) => Ok(KernelFate::Kept(kernel)),
            ("lost", Some(kernel)) => Ok(KernelFate::Lost(kernel)),
            ("kept" | "lost", None) => Err(FieldError::NoKernel),
            _ => Ok(KernelFate::None),
        }
    }
}
