//! A block as fields, and back. What stands in files of earlier versions (no `call`, no `note`) is read as it was meant.

use super::encode::list;
use super::fields::{Fields, Missing, Reader, lacking};
use crate::domain::{Block, BlockId, BlockKind, Dialect, Language, Origin, Revision, StepId, Version};
use std::sync::Arc;

/// The fields of a block's line.
pub(super) fn fields(block: &Block) -> Fields {
    let (language, path) = match &block.kind {
        BlockKind::Code { language } => (language.as_ref().map(Language::as_str), None),
        BlockKind::Write { path } => (None, Some(path.as_str())),
        BlockKind::Load { path } => (None, Some(path.as_str())),
        BlockKind::Read
        | BlockKind::List
        | BlockKind::Call { .. }
        | BlockKind::Install { .. }
        | BlockKind::Pull { .. } => (None, None),
    };
    let function = match &block.kind {
        BlockKind::Call { function } => Some(function.as_str()),
        _ => None,
    };
    let wanted_by = match &block.kind {
        BlockKind::Install { wanted_by } | BlockKind::Pull { wanted_by } => wanted_by.map(|block| block.0),
        _ => None,
    };
    let origin = &block.origin;
    Fields::of("block")
        .with("block", block.id.0)
        .with("step", block.step.0)
        .with("what", block.kind.as_str())
        .with_some("language", language)
        .with_some("path", path)
        .with_some("function", function)
        .with_some("wanted_by", wanted_by)
        .with("dialect", origin.dialect.as_str())
        .with("info", origin.info.as_str())
        .with("start", origin.range.start)
        .with("end", origin.range.end)
        .with("closed", origin.closed)
        .with_some("call", origin.call.as_deref())
        .with_some("note", origin.note.as_deref())
        .with_some("own", origin.own.then_some(true))
        .with("versions", list(&block.versions, version_fields))
}

fn version_fields(version: &Version) -> Fields {
    Fields::new()
        .with("revision", version.revision.0)
        .with_some("language", version.language.as_ref().map(Language::as_str))
        .with("whole", version.whole)
        .with("source", version.source.as_ref())
}

/// Reads a block's line.
pub(super) fn read(mut f: Reader<'_>) -> Result<Block, Missing> {
    let kind = match f.word("what")?.as_ref() {
        "code" => BlockKind::Code { language: f.text_or_none("language").map(Language) },
        "write" => BlockKind::Write { path: f.text("path")? },
        "read" => BlockKind::Read,
        "list" => BlockKind::List,
        "load" => BlockKind::Load { path: f.text("path")? },
        "call" => BlockKind::Call { function: f.text("function")? },
        "install" => BlockKind::Install { wanted_by: f.small_or_none("wanted_by").map(BlockId) },
        "pull" => BlockKind::Pull { wanted_by: f.small_or_none("wanted_by").map(BlockId) },
        _ => return Err(lacking("what", "code, write, read, list, load, call, install or pull")),
    };
    // A block whose text was masked is not what the model wrote: it can't be approved as it stands.
    let masked = f.flag("redacted");
    let versions = f
        .objects("versions")?
        .into_iter()
        .map(|mut v| {
            Ok(Version {
                revision: Revision(v.small("revision")?),
                language: v.text_or_none("language").map(Language),
                whole: v.flag("whole") && !masked,
                source: Arc::from(v.word("source")?),
            })
        })
        .collect::<Result<Vec<_>, Missing>>()?;
    if versions.is_empty() {
        return Err(lacking("versions", "a list with a version"));
    }
    let place = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    Ok(Block {
        id: BlockId(f.small("block")?),
        step: StepId(f.small("step")?),
        kind,
        origin: Origin {
            dialect: match f.word("dialect")?.as_ref() {
                "execute-tags" => Dialect::ExecuteTags,
                "tools" => Dialect::Tools,
                _ => Dialect::Fences,
            },
            info: f.text_or_empty("info"),
            range: place(f.number("start")?)..place(f.number("end")?),
            closed: f.flag("closed"),
            call: f.text_or_none("call"),
            note: f.text_or_none("note"),
            own: f.flag("own"),
        },
        versions,
    })
}
