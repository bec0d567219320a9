//! Builds the document from a transcript.

use super::document::{BlockPart, Document, DocumentPart, Picture, RunPart, StreamText};
use super::error::PictureError;
use crate::domain::sentences::running;
use crate::domain::visible::visible_line;
use crate::domain::{BlockId, ExecutorKind, ImageRef, RecipeFact, RunReport, TurnEnd};
use crate::engine::transcript::{BlockItem, BlockStatus, Item, ReplyItem, RunItem, Transcript};
use crate::text::names::and_more;
use crate::text::number::duration;

impl Document {
    /// The document of a transcript. Pictures come without their bytes: the caller reads them through `pictures_mut`.
    pub(crate) fn of(transcript: &Transcript) -> Self {
        let header = transcript.header.as_ref();
        let session = header.map(|header| header.id.0.clone()).unwrap_or_default();
        let title = if transcript.name.is_empty() { session.clone() } else { transcript.name.clone() };
        let mut document = Self {
            title,
            session,
            created: header.map(|header| header.created),
            models: header
                .and_then(|header| header.model.as_ref())
                .map(ToString::to_string)
                .into_iter()
                .collect(),
            parts: Vec::new(),
        };
        for item in &transcript.items {
            document.add(item, transcript);
        }
        document
    }

    fn add(&mut self, item: &Item, transcript: &Transcript) {
        match item {
            Item::Prompt { at, text, files } => self.parts.push(DocumentPart::Asked {
                at: *at,
                text: text.to_string(),
                files: files.iter().map(|file| file.path.clone()).collect(),
            }),
            Item::Reply(reply) => self.add_reply(reply, transcript),
            Item::Own { block, .. } => self.add_block(*block, transcript),
            Item::TurnEnd { end: TurnEnd::Answered, .. } => {}
            Item::TurnEnd { end, .. } => self.add_note(&match end {
                TurnEnd::Failed(failure) => format!("The turn failed: {}", failure.message),
                end => format!("The turn ended: {}.", end.as_str().replace('_', " ")),
            }),
            Item::Resumed { .. } => {
                self.add_note("The session was opened again: kernels were empty from here on.");
            }
            Item::KernelRestarted { .. } => {
                self.add_note("The kernel was restarted: it was empty from here on.");
            }
            Item::Model { model, .. } => {
                let model = model.to_string();
                if self.models.last() != Some(&model) {
                    self.add_note(&format!("Answers come from {model} from here on."));
                    self.models.push(model);
                }
            }
            Item::Recipe { fact, .. } => {
                if let RecipeFact::Began(start) = fact.as_ref() {
                    self.add_note(&format!("The recipe {} began.", start.name));
                }
            }
            // A summary replaces older items for the model only; the document has those items themselves.
            Item::Summary(_) => {}
        }
    }

    fn add_note(&mut self, text: &str) {
        self.parts.push(DocumentPart::Note { text: visible_line(text) });
    }

    fn add_prose(&mut self, text: &str) {
        let text = text.trim();
        if !text.is_empty() {
            self.parts.push(DocumentPart::Said { text: text.to_owned() });
        }
    }

    /// Adds the prose of a reply with its blocks in place; blocks of tool calls come after all of its prose.
    fn add_reply(&mut self, reply: &ReplyItem, transcript: &Transcript) {
        let mut at = 0;
        for id in &reply.blocks {
            if let Some(item) = transcript.blocks.get(id) {
                let range = &item.block.origin.range;
                self.add_prose(reply.text().get(at..range.start).unwrap_or_default());
                at = range.end.max(at);
            }
            self.add_block(*id, transcript);
        }
        let rest = reply.text().get(at..).unwrap_or_default();
        self.add_prose(rest);
        for refused in &reply.refused {
            self.add_note(&format!("A tool call came to no block: {}", refused.why));
        }
    }

    fn add_block(&mut self, id: BlockId, transcript: &Transcript) {
        if let Some(item) = transcript.blocks.get(&id) {
            self.parts.push(DocumentPart::Block(Box::new(block_part(item))));
        }
    }
}

fn block_part(item: &BlockItem) -> BlockPart {
    let block = &item.block;
    let last = item.runs.last();
    let version = last.and_then(|run| block.version(run.revision)).unwrap_or_else(|| block.current());
    let writes = block.kind.writes();
    let writes = writes.filter_map(|path| Some((path.clone(), block.text_for(version, path)?.to_owned())));
    BlockPart {
        block: block.id.0,
        label: block.label(),
        kind: block.kind.as_str().to_owned(),
        language: version.language.as_ref().map(|language| language.as_str().to_owned()),
        source: version.source.to_string(),
        unmasked: version.whole,
        writes: writes.collect(),
        edited: version.source != block.original().source,
        own: block.is_own(),
        decided: decision_text(item),
        run: last.map(run_part),
    }
}

fn decision_text(item: &BlockItem) -> String {
    match (&item.status, item.runs.last()) {
        (BlockStatus::Open, _) => "waits".to_owned(),
        (BlockStatus::Approved, Some(run)) => match run.by.rule() {
            Some(rule) => format!("approved (rule {rule})"),
            None => format!("approved ({})", run.by.as_str()),
        },
        (BlockStatus::Approved, None) => "approved".to_owned(),
        (BlockStatus::Rejected(reason), _) if reason.is_empty() => "rejected".to_owned(),
        (BlockStatus::Rejected(reason), _) => format!("rejected: {}", visible_line(reason)),
        (BlockStatus::Declined(why), _) => format!("not offered: {}", visible_line(why)),
        (BlockStatus::Skipped, _) => "skipped".to_owned(),
    }
}

fn run_part(run: &RunItem) -> RunPart {
    let part = RunPart {
        approved: Some(run.approved_at),
        by: run.by.as_str().to_owned(),
        sha256: run.sha256.to_string(),
        version: run.terms.version.clone(),
        in_jupyter: run.terms.executor == ExecutorKind::Jupyter,
        outcome: "lost".to_owned(),
        ended: "its end was never told".to_owned(),
        taken_back: taken_back(run),
        ..RunPart::default()
    };
    match &run.ended {
        Some((_, report)) => ended_part(part, report),
        None => part,
    }
}

/// The changes that were taken back after the run: `a.txt, b.txt and 3 more`.
fn taken_back(run: &RunItem) -> Option<String> {
    let is_any = !run.taken_back.is_empty() || run.more_taken_back > 0;
    let names = visible_line(&run.taken_back.join(", "));
    is_any.then(|| format!("{names}{}", and_more(run.more_taken_back as usize)).trim_start().to_owned())
}

fn ended_part(part: RunPart, report: &RunReport) -> RunPart {
    use crate::domain::Stream::{Stderr, Stdout};
    let receipt = &report.receipt;
    let wall_ms = receipt.wall_us / 1000;
    let code = receipt.exit_code.filter(|code| *code != 0).map(|code| format!("exit {code}"));
    let signal = receipt.signal.map(|signal| format!("signal {signal}"));
    let words = [Some(report.outcome.label().to_lowercase()), code.or(signal)];
    let words = words.into_iter().flatten().chain(report.outcome.detail().map(visible_line));
    let ended = words.chain([duration(wall_ms)]).collect::<Vec<_>>().join(", ");
    let shown = report.images.iter().map(|image| picture(image, false));
    let pictures = shown.chain(report.pictures.iter().map(|image| picture(image, true))).collect();
    let mut files: Vec<String> =
        receipt.files.iter().map(|file| format!("{} {}", file.change, visible_line(&file.path))).collect();
    let more = receipt.not_looked_at.changes;
    files.extend((more > 0).then(|| format!("and {more} more")));
    RunPart {
        outcome: report.outcome.as_str().to_owned(),
        ended,
        wall_ms,
        printed: printed_streams(report),
        dropped_bytes: report.output.dropped(Stdout).saturating_add(report.output.dropped(Stderr)),
        missing: running::output_missing(receipt),
        value: report.value.clone(),
        error: report
            .error
            .as_ref()
            .map(|error| (error.kind.clone(), error.message.clone(), error.traceback.clone())),
        pictures,
        files,
        ..part
    }
}

/// The output, joined into pieces of one stream each, so that a character cut between two chunks is whole again. A line
/// of its own says where bytes are missing.
fn printed_streams(report: &RunReport) -> Vec<StreamText> {
    let mut stretches: Vec<(crate::domain::Stream, Vec<u8>)> = Vec::new();
    for (stream, bytes) in report.output.marked_pieces() {
        match stretches.last_mut() {
            Some((last, all)) if *last == stream => all.extend_from_slice(&bytes),
            _ => stretches.push((stream, bytes.into_owned())),
        }
    }
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    stretches.into_iter().map(|(stream, bytes)| StreamText { stream, text: text(bytes) }).collect()
}

fn picture(image: &ImageRef, written: bool) -> Picture {
    Picture {
        name: image.name.clone(),
        mime: image.mime.clone(),
        width: image.width,
        height: image.height,
        written,
        path: image.path.clone(),
        data: Err(PictureError::NotRead),
    }
}
