//! The fields of a run's line become its report.

use super::decode::{kernel, plain_name};
use super::fields::{Missing, Reader, lacking, path_of};
use super::json::Json;
use super::output::{Outside, read_output};
use crate::domain::{
    FileChange, ImageRef, KernelFate, Outcome, Receipt, RunError, RunReport, VariableChanges,
};
use std::path::{Path, PathBuf};

/// The report, and the file that holds its output, where it has one of its own.
pub(super) fn report(mut f: Reader<'_>, blobs: &Path) -> Result<(RunReport, Option<Outside>), Missing> {
    let (output, outside) = read_output(f.object("output")?)?;
    let error = f.object_or_none("error").map(|mut e| {
        Ok::<_, Missing>(RunError {
            kind: e.text("type")?,
            message: e.text_or_empty("message"),
            traceback: e.text_or_empty("traceback"),
        })
    });
    let images =
        f.objects("images")?.into_iter().map(|image| image_ref(image, blobs)).collect::<Result<_, _>>()?;
    let report = RunReport {
        outcome: outcome(&f.word("outcome")?, f.text_or_empty("detail"))?,
        receipt: receipt(f.object("receipt")?)?,
        output,
        blob: blob_path(&mut f, "all_output", blobs)?,
        value: f.text_or_none("value"),
        error: error.transpose()?,
        images,
        kernel: kernel_fate(f.object("kernel")?)?,
        cwd: f.path_or_none("cwd")?,
    };
    Ok((report, outside))
}

fn outcome(word: &str, detail: String) -> Result<Outcome, Missing> {
    Ok(match word {
        "ok" => Outcome::Ok,
        "failed" => Outcome::Failed,
        "timed_out" => Outcome::TimedOut,
        "limit" => Outcome::Limit(detail),
        "interrupted" => Outcome::Interrupted,
        "crashed" => Outcome::Crashed(detail),
        "refused" => Outcome::Refused(detail),
        "not_started" => Outcome::NotStarted(detail),
        _ => return Err(lacking("outcome", "an outcome that this version knows")),
    })
}

fn receipt(mut f: Reader<'_>) -> Result<Receipt, Missing> {
    let files = f
        .objects("files")?
        .into_iter()
        .map(|mut file| {
            Ok(FileChange {
                path: file.text("path")?,
                change: file.text("change")?,
                bytes: file.number_or_zero("bytes"),
            })
        })
        .collect::<Result<_, Missing>>()?;
    let variables = f.object_or_none("variables").map(|mut v| VariableChanges {
        added: v.small_or_zero("added"),
        changed: v.small_or_zero("changed"),
        deleted: v.small_or_zero("deleted"),
    });
    Ok(Receipt {
        variables,
        wall_us: f.number_or_zero("wall_us"),
        cpu_us: f.number_or_zero("cpu_us"),
        peak_rss_bytes: f.number_or_zero("peak_rss_bytes"),
        processes: f.small_or_zero("processes"),
        files,
        exit_code: f.signed_or_none("exit_code"),
        signal: f.signed_or_none("signal"),
        refused: f.texts("refused")?,
    })
}

fn image_ref(mut f: Reader<'_>, blobs: &Path) -> Result<ImageRef, Missing> {
    Ok(ImageRef {
        path: blob_path(&mut f, "path", blobs)?.ok_or_else(|| lacking("path", "a path"))?,
        name: f.text("name")?,
        mime: f.text("mime")?,
        width: f.small("width")?,
        height: f.small("height")?,
        bytes: f.number("bytes")?,
    })
}

/// Reads what names a file: `{"blob": name}` in the folder of blobs, or a path.
fn blob_path(f: &mut Reader<'_>, key: &str, blobs: &Path) -> Result<Option<PathBuf>, Missing> {
    let Some(value) = f.take(key) else { return Ok(None) };
    if let Json::Object(fields) = &value
        && let [(name, Json::Text(file))] = fields.as_slice()
        && name == "blob"
    {
        let name = Some(file.as_ref()).filter(|name| plain_name(name));
        return name.map(|name| Some(blobs.join(name))).ok_or_else(|| lacking(key, "the name of a file"));
    }
    path_of(value).map(Some).ok_or_else(|| lacking(key, "a path"))
}

fn kernel_fate(mut f: Reader<'_>) -> Result<KernelFate, Missing> {
    Ok(match f.word("fate")?.as_ref() {
        "kept" => KernelFate::Kept(kernel(f)?),
        "lost" => KernelFate::Lost(kernel(f)?),
        _ => KernelFate::None,
    })
}
