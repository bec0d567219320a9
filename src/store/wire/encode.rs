//! An entry becomes the fields of a line.

use super::fields::{Fields, path_value};
use super::frame::time_text;
use super::output::{OutputBlob, output_fields};
use super::{block, recipe, target};
use crate::domain::{
    Entry, Finding, Finish, Header, ImageRef, Kept, KernelFate, KernelRef, Limits, ModelName,
    NotedInstructions, Opinion, Place, Receipt, ReplyFailure, Review, Rights, RunReport, Terms, ToolCall,
    Trace, TurnEnd, Usage,
};
use serde_json::Value;
use std::path::Path;

/// The fields of an entry, `kind` first. Files below `blobs` are named without their folder, so that the sessions can
/// be moved; `output` names the file that holds the output of a run, where it has one of its own.
pub(crate) fn encode(entry: &Entry, blobs: &Path, output: Option<&OutputBlob>) -> Fields {
    match entry {
        Entry::Header(header) => header_fields(header),
        Entry::Resumed => Fields::of("resumed"),
        Entry::Named(name) => Fields::of("named").with("name", name.as_str()),
        Entry::Model(model) => Fields::of("model").with("model", model_fields(model)),
        Entry::Prompt(text) => Fields::of("prompt").with("text", text.as_str()),
        Entry::Reply { step, text, reasoning, tool_calls, kept, finish, usage } => Fields::of("reply")
            .with("step", step.0)
            .with("text", text.as_str())
            .with("reasoning", reasoning.as_str())
            .with("tool_calls", list(tool_calls, tool_call))
            .with_some("kept", (!kept.is_empty()).then(|| list(kept, kept_fields)))
            .with("finish", finish_fields(finish))
            .with("usage", usage_fields(usage)),
        Entry::CallRefused { step, call, why } => Fields::of("call_refused")
            .with("step", step.0)
            .with("call", call.as_str())
            .with("why", why.as_str()),
        Entry::NoTools(model) => Fields::of("no_tools").with("model", model_fields(model)),
        Entry::Block(block) => block::fields(block),
        Entry::Review { block, revision, review } => {
            review_fields(Fields::of("review").with("block", block.0).with("revision", revision.0), review)
        }
        Entry::LanguageChosen { block, revision, language } => Fields::of("language")
            .with("block", block.0)
            .with("revision", revision.0)
            .with("language", language.as_str()),
        Entry::RuleAdded(rule) => Fields::of("rule_added")
            .with("rule", rule.id.0)
            .with("scope", rule.scope.as_str())
            .with("block", rule.block.0)
            .with("sha256", rule.sha256.to_string())
            .with("terms", terms_fields(&rule.terms)),
        Entry::RuleRevoked(rule) => Fields::of("rule_revoked").with("rule", rule.0),
        Entry::PutBack(block) => Fields::of("put_back").with("block", block.0),
        Entry::Ran { run, block, report } => {
            report_fields(Fields::of("run").with("run", run.0).with("block", block.0), report, blobs, output)
        }
        Entry::KernelRestarted => Fields::of("kernel_restarted"),
        Entry::TurnEnd(end) => turn_end_fields(end),
        Entry::Summary { upto, text, model, usage } => Fields::of("summary")
            .with("upto", *upto)
            .with("text", text.as_str())
            .with_some("model", model.as_ref().map(model_fields))
            .with("usage", usage_fields(usage)),
        Entry::Opinion { block, revision, model, answer, usage } => opinion_fields(
            Fields::of("opinion")
                .with("block", block.0)
                .with("revision", revision.0)
                .with("model", model_fields(model)),
            answer,
        )
        .with("usage", usage_fields(usage)),
        Entry::Recipe(fact) => recipe::fields(fact),
        Entry::Instructions(noted) => Fields::of("instructions").with("files", list(noted, noted_fields)),
        Entry::Edited { .. }
        | Entry::Approved { .. }
        | Entry::Rejected { .. }
        | Entry::Declined { .. }
        | Entry::Skipped { .. } => decision(entry),
    }
}

/// The fields of what was decided about a block.
fn decision(entry: &Entry) -> Fields {
    match entry {
        Entry::Edited { block, revision, source, .. } => Fields::of("decision")
            .with("decision", "edit")
            .with("block", block.0)
            .with("revision", revision.0)
            .with("source", source.as_ref()),
        Entry::Approved { run, block, revision, sha256, terms, by } => Fields::of("decision")
            .with("decision", "approve")
            .with("block", block.0)
            .with("revision", revision.0)
            .with("run", run.0)
            .with("sha256", sha256.to_string())
            .with("by", by.as_str())
            .with_some("rule", by.rule().map(|rule| rule.0))
            .with("terms", terms_fields(terms)),
        Entry::Rejected { block, revision, reason } => Fields::of("decision")
            .with("decision", "reject")
            .with("block", block.0)
            .with("revision", revision.0)
            .with("reason", reason.as_str()),
        Entry::Skipped { block, revision } => Fields::of("decision")
            .with("decision", "skip")
            .with("block", block.0)
            .with("revision", revision.0),
        Entry::Declined { block, revision, why } => Fields::of("decision")
            .with("decision", "decline")
            .with("block", block.0)
            .with("revision", revision.0)
            .with("why", why.as_str()),
        _ => Fields::new(),
    }
}

pub(super) fn list<T>(items: &[T], one: impl Fn(&T) -> Fields) -> Value {
    Value::Array(items.iter().map(|item| one(item).into()).collect())
}

fn texts(items: &[String]) -> Value {
    Value::Array(items.iter().map(|text| text.as_str().into()).collect())
}

fn header_fields(header: &Header) -> Fields {
    Fields::of("header")
        .with("id", header.id.0.as_str())
        .with("name", header.name.as_str())
        .with("created", time_text(header.created))
        .with("cwd", path_value(&header.cwd))
        .with_some("model", header.model.as_ref().map(model_fields))
        .with("program", header.program.as_str())
}

fn model_fields(model: &ModelName) -> Fields {
    Fields::new().with("provider", model.provider.as_str()).with("model", model.model.as_str())
}

fn tool_call(call: &ToolCall) -> Fields {
    Fields::new()
        .with("id", call.id.as_str())
        .with("name", call.name.as_str())
        .with("arguments", call.arguments.as_str())
        .with_some("signature", call.signature.as_deref())
}

fn kept_fields(kept: &Kept) -> Fields {
    Fields::new().with("kind", kept.kind.as_str()).with("json", kept.json.as_str())
}

fn finish_fields(finish: &Finish) -> Fields {
    Fields::new().with("reason", finish.reason.as_str()).with_some("word", finish.word.as_deref())
}

fn usage_fields(usage: &Usage) -> Fields {
    Fields::new()
        .with_some("input", usage.input)
        .with_some("output", usage.output)
        .with_some("cached", usage.cached)
        .with_some("cache_written", usage.cache_written)
        .with_some("reasoning", usage.reasoning)
}

fn review_fields(fields: Fields, review: &Review) -> Fields {
    let effects = &review.effects;
    fields
        .with("findings", list(&review.findings, finding_fields))
        .with(
            "effects",
            Fields::new()
                .with("reads", texts(&effects.reads))
                .with("writes", texts(&effects.writes))
                .with("deletes", texts(&effects.deletes))
                .with("hosts", texts(&effects.hosts))
                .with("programs", texts(&effects.programs))
                .with("packages", texts(&effects.packages))
                .with("environment", texts(&effects.environment))
                .with("unknown", effects.unknown),
        )
        .with_some("traces", (!review.traces.is_empty()).then(|| list(&review.traces, trace_fields)))
        .with_some("unchecked", review.unchecked.as_deref())
}

fn trace_fields(trace: &Trace) -> Fields {
    place_fields(Fields::new(), trace.place)
        .with("text", trace.text.as_str())
        .with("from", trace.from.as_str())
        .with_some("block", trace.from.block().map(|block| block.0))
}

fn place_fields(fields: Fields, place: Place) -> Fields {
    fields
        .with("line", place.line)
        .with("column", place.column)
        .with("end_line", place.end_line)
        .with("end_column", place.end_column)
}

fn finding_fields(finding: &Finding) -> Fields {
    let fields =
        Fields::new().with("rule", finding.rule.as_str()).with("severity", finding.severity.as_str());
    place_fields(fields, finding.place)
        .with("message", finding.message.as_str())
        .with_some("forbidden", finding.forbidden.then_some(true))
}

fn terms_fields(terms: &Terms) -> Fields {
    Fields::new()
        .with("language", terms.language.as_str())
        .with("executor", terms.executor.as_str())
        .with("interpreter", path_value(&terms.interpreter))
        .with_some("version", terms.version.as_deref())
        .with_some("kernel", terms.kernel.map(kernel_fields))
        .with("cwd", path_value(&terms.cwd))
        .with("rights", rights_fields(&terms.rights))
        .with("limits", limits_fields(&terms.limits))
        .with_some("target", terms.target.as_ref().map(target::fields))
}

fn kernel_fields(kernel: KernelRef) -> Fields {
    Fields::new().with("generation", kernel.generation).with("variables", kernel.variables)
}

fn rights_fields(rights: &Rights) -> Fields {
    let paths = |paths: &[std::path::PathBuf]| Value::Array(paths.iter().map(|p| path_value(p)).collect());
    let layers = list(&rights.sandbox.layers, |layer| {
        Fields::new()
            .with("name", layer.name.as_str())
            .with("active", layer.active)
            .with("tested", layer.tested)
            .with_some("why", layer.why.as_deref())
    });
    let sandbox = Fields::new()
        .with("level", rights.sandbox.level.as_str())
        .with("network_blocked", rights.sandbox.network_blocked)
        .with("writes_confined", rights.sandbox.writes_confined)
        .with("reads_confined", rights.sandbox.reads_confined)
        .with("contained", rights.sandbox.contained)
        .with("memory", rights.sandbox.memory.as_str())
        .with("processes", rights.sandbox.processes.as_str())
        .with("files", rights.sandbox.files.as_str())
        .with("layers", layers)
        .with("notes", texts(&rights.sandbox.notes));
    Fields::new()
        .with("read", paths(&rights.read))
        .with("write", paths(&rights.write))
        .with("network", rights.network)
        .with("environment", texts(&rights.environment))
        .with("sandbox", sandbox)
}

fn limits_fields(limits: &Limits) -> Fields {
    Fields::new()
        .with("wall_ms", limits.wall_ms)
        .with("kept_bytes", limits.kept_bytes)
        .with("output_file", limits.output_file)
        .with("memory_bytes", limits.memory_bytes)
        .with("processes", limits.processes)
        .with("file_bytes", limits.file_bytes)
        .with("open_files", limits.open_files)
}

fn report_fields(fields: Fields, report: &RunReport, blobs: &Path, output: Option<&OutputBlob>) -> Fields {
    let error = report.error.as_ref().map(|error| {
        Fields::new()
            .with("type", error.kind.as_str())
            .with("message", error.message.as_str())
            .with("traceback", error.traceback.as_str())
    });
    fields
        .with("outcome", report.outcome.as_str())
        .with_some("detail", report.outcome.detail())
        .with("receipt", receipt_fields(&report.receipt))
        .with("output", output_fields(&report.output, output))
        .with_some("all_output", report.blob.as_deref().map(|path| blob_value(path, blobs)))
        .with_some("value", report.value.as_deref())
        .with_some("error", error)
        .with("images", list(&report.images, |image| image_fields(image, blobs)))
        .with("kernel", kernel_fate(&report.kernel))
        .with_some("cwd", report.cwd.as_deref().map(path_value))
}

fn opinion_fields(fields: Fields, answer: &Result<Opinion, String>) -> Fields {
    match answer {
        Ok(opinion) => fields
            .with("risk", opinion.risk.as_str())
            .with("said", opinion.reason.as_str())
            .with("lines", Value::Array(opinion.lines.iter().map(|line| (*line).into()).collect())),
        Err(why) => fields.with("failed", why.as_str()),
    }
}

fn noted_fields(noted: &NotedInstructions) -> Fields {
    Fields::new()
        .with("path", path_value(&noted.path))
        .with("sha256", noted.sha256.to_string())
        .with("bytes", noted.bytes)
}

fn receipt_fields(receipt: &Receipt) -> Fields {
    let files = list(&receipt.files, |file| {
        Fields::new()
            .with("path", file.path.as_str())
            .with("change", file.change.as_str())
            .with("bytes", file.bytes)
    });
    Fields::new()
        .with("wall_us", receipt.wall_us)
        .with("cpu_us", receipt.cpu_us)
        .with("peak_rss_bytes", receipt.peak_rss_bytes)
        .with("processes", receipt.processes)
        .with_some(
            "variables",
            receipt.variables.map(|v| {
                Fields::new().with("added", v.added).with("changed", v.changed).with("deleted", v.deleted)
            }),
        )
        .with("files", files)
        .with_some("exit_code", receipt.exit_code)
        .with_some("signal", receipt.signal)
        .with("refused", texts(&receipt.refused))
}

fn image_fields(image: &ImageRef, blobs: &Path) -> Fields {
    Fields::new()
        .with("path", blob_value(&image.path, blobs))
        .with("name", image.name.as_str())
        .with("mime", image.mime.as_str())
        .with("width", image.width)
        .with("height", image.height)
        .with("bytes", image.bytes)
}

/// A file that lies in the folder of blobs by its name there, another by its path.
fn blob_value(path: &Path, blobs: &Path) -> Value {
    let inside =
        path.strip_prefix(blobs).ok().and_then(Path::to_str).filter(|name| super::decode::plain_name(name));
    match inside {
        Some(name) => Fields::new().with("blob", name).into(),
        None => path_value(path),
    }
}

fn kernel_fate(fate: &KernelFate) -> Fields {
    match fate {
        KernelFate::None => Fields::new().with("fate", "none"),
        KernelFate::Kept(kernel) => kernel_fields(*kernel).with("fate", "kept"),
        KernelFate::Lost(kernel) => kernel_fields(*kernel).with("fate", "lost"),
    }
}

fn turn_end_fields(end: &TurnEnd) -> Fields {
    let fields = Fields::of("turn_end").with("end", end.as_str());
    match end {
        TurnEnd::Failed(failure) => fields.with("failure", failure_fields(failure)),
        _ => fields,
    }
}

fn failure_fields(failure: &ReplyFailure) -> Fields {
    Fields::new()
        .with("kind", failure.kind.as_str())
        .with_some("status", failure.status)
        .with("message", failure.message.as_str())
        .with("hint", failure.hint.as_str())
        .with_some("departure", failure.departure.as_str())
}
