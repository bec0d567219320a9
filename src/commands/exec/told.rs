//! What `sayso exec` tells of a file: an object a line, or the program's output as it comes and how it ended.

use super::{Named, Ran};
use crate::commands::Console;
use crate::domain::visible::{Visible, visible, visible_line};
use crate::domain::{Chunk, Outcome, Sha256, Stream};
use crate::headless::decode::Decoder;
use crate::headless::{ended, json, shapes};
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// The object of a file.
pub(super) fn json(file: &Named, ran: &Ran, out: &mut dyn Write) -> io::Result<()> {
    let mut object = Map::new();
    object.insert("path".into(), json!(file.path.to_string_lossy()));
    object.extend(shapes::report(&ran.report));
    let sandbox = ran.terms.as_ref().map(shapes::sandbox);
    object.insert("sandbox".into(), sandbox.unwrap_or_else(shapes::no_sandbox));
    object.insert("findings".into(), shapes::findings(&ran.review));
    object.insert("language".into(), json!(file.language.as_str()));
    object.insert("executor".into(), json!(ran.terms.as_ref().map(|terms| terms.executor.as_str())));
    object.insert("sha256".into(), json!(Sha256::of(file.source.as_bytes()).to_string()));
    json::line(out, &Value::Object(object))
}

/// What is left to tell when the output was told already.
pub(super) fn text(file: &Named, ran: &Ran, console: &mut Console<'_>) -> io::Result<()> {
    let report = &ran.report;
    if let Some(value) = &report.value {
        writeln!(console.out, "{}", Visible(value))?;
    }
    console.out.flush()?;
    if let Some(error) = &report.error {
        writeln!(console.err, "{}", visible(error.traceback.trim_end()))?;
    }
    for image in &report.images {
        let path = visible_line(&image.path.to_string_lossy());
        writeln!(console.err, "image {path} ({}x{})", image.width, image.height)?;
    }
    if let Some(blob) = &report.blob {
        writeln!(console.err, "all of the output is in {}", visible_line(&blob.to_string_lossy()))?;
    }
    if report.outcome != Outcome::Ok {
        writeln!(console.err, "{}: {}", visible_line(&file.path.to_string_lossy()), ended(report))?;
    }
    console.err.flush()
}

/// The output as it comes: each stream to its own, so that they can be told apart and piped.
#[derive(Default)]
pub(super) struct Live {
    stdout: Decoder,
    stderr: Decoder,
}

impl Live {
    pub(super) fn print(&mut self, chunk: &Chunk, console: &mut Console<'_>) -> io::Result<()> {
        let (decoder, out) = match chunk.stream {
            Stream::Stdout => (&mut self.stdout, &mut *console.out),
            Stream::Stderr => (&mut self.stderr, &mut *console.err),
        };
        write!(out, "{}", Visible(&decoder.push(&chunk.bytes)))?;
        out.flush()
    }

    pub(super) fn finish(&mut self, console: &mut Console<'_>) -> io::Result<()> {
        write!(console.out, "{}", Visible(&self.stdout.finish()))?;
        write!(console.err, "{}", Visible(&self.stderr.finish()))
    }
}
