//! Domain values as JSON, in the shapes promised to scripts: fields may be added, but existing ones stay. Most values
//! serialize as in session files; fields that are left out there are `null` or `false` here.

use crate::domain::auto_run::AutoRunName;
use crate::domain::sentences::network;
use crate::domain::{
    ExecutorKind, FileChange, Finding, ImageRef, KernelFate, Layer, Opinion, Outcome, OutputBuffer, Receipt,
    Review, Rights, RunReport, SandboxLevel, Stream, Terms, Trace, Usage,
};
use crate::engine::context::ContextShare;
use crate::engine::cost::Cost;
use base64::Engine as _;
use serde_json::{Map, Value, json};

pub(crate) fn finding(finding: &Finding) -> Value {
    with(json!(finding), [("forbidden", json!(finding.forbidden))])
}

/// Adds fields to an object, replacing fields of the same name.
pub(crate) fn with<K: Into<String>>(object: Value, more: impl IntoIterator<Item = (K, Value)>) -> Value {
    let mut fields = match object {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    fields.extend(more.into_iter().map(|(key, value)| (key.into(), value)));
    Value::Object(fields)
}

pub(crate) fn findings(review: &Review) -> Value {
    review.findings.iter().map(finding).collect()
}

/// A literal that came from an output or a file, with the block that brought it in.
pub(crate) fn trace(trace: &Trace) -> Value {
    with(json!(trace), [("block", json!(trace.from.block()))])
}

/// How a run ended, what it printed and what it used.
pub(crate) fn report(report: &RunReport) -> Map<String, Value> {
    let mut out = Map::new();
    let receipt_of = &report.receipt;
    out.insert("outcome".into(), json!(report.outcome.as_str()));
    out.insert("exit_code".into(), json!(exit_code(report)));
    out.insert("signal".into(), json!(receipt_of.signal));
    let limit = if let Outcome::Limit(limit) = &report.outcome { Some(limit) } else { None };
    out.insert("limit".into(), json!(limit));
    if let (None, Some(detail)) = (limit, report.outcome.detail()) {
        out.insert("detail".into(), json!(detail));
    }
    for stream in [Stream::Stdout, Stream::Stderr] {
        printed(&mut out, &report.output, stream);
    }
    out.insert("value".into(), json!(report.value));
    out.insert("error".into(), json!(report.error));
    let dropped = |stream| report.output.dropped(stream);
    let (stdout, stderr) = (dropped(Stream::Stdout), dropped(Stream::Stderr));
    out.insert("truncated".into(), json!(stdout > 0 || stderr > 0));
    out.insert("dropped".into(), json!({ "stdout": stdout, "stderr": stderr }));
    if let Some(blob) = &report.blob {
        out.insert("blob".into(), json!(blob.to_string_lossy()));
    }
    out.insert("kernel".into(), json!(kernel(&report.kernel)));
    out.insert("receipt".into(), receipt(receipt_of));
    out.insert("images".into(), report.images.iter().map(image).collect());
    out.insert("pictures".into(), report.pictures.iter().map(image).collect());
    out
}

/// The exit status; a block in a kernel has one even though no process ended.
fn exit_code(report: &RunReport) -> Option<i32> {
    let of_kernel = match (&report.kernel, &report.outcome) {
        (KernelFate::None, _) => None,
        (_, Outcome::Ok) => Some(0),
        (_, Outcome::Failed) => Some(1),
        _ => None,
    };
    report.receipt.exit_code.or(of_kernel)
}

fn printed(out: &mut Map<String, Value>, captured: &OutputBuffer, stream: Stream) {
    let name = match stream {
        Stream::Stdout => "stdout",
        Stream::Stderr => "stderr",
    };
    let bytes = captured.bytes(stream);
    let text = String::from_utf8_lossy(&bytes);
    if matches!(text, std::borrow::Cow::Owned(_)) {
        let exact = base64::engine::general_purpose::STANDARD.encode(&bytes);
        out.insert(format!("{name}_base64"), json!(exact));
    }
    out.insert(name.into(), json!(text));
}

fn kernel(fate: &KernelFate) -> &'static str {
    match fate {
        KernelFate::None => "none",
        KernelFate::Kept(_) => "kept",
        KernelFate::Lost(_) => "restarted",
    }
}

fn file_change(file: &FileChange) -> Value {
    let what = |name: Option<AutoRunName>| json!(name.map(|name| name.what));
    with(json!(file), [("obeyed", what(file.obeyed())), ("run_by_tools", what(file.run_by_tools()))])
}

fn receipt(receipt: &Receipt) -> Value {
    json!({
        "wall_ms": receipt.wall_us as f64 / 1000.0,
        "cpu_ms": receipt.cpu_us as f64 / 1000.0,
        "peak_rss_bytes": receipt.peak_rss_bytes,
        "processes": receipt.processes,
        "files": receipt.files.iter().map(file_change).collect::<Value>(),
        "not_looked_at": receipt.not_looked_at,
        "protected": receipt.protected,
        "variables": receipt.variables,
        "refused": receipt.refused,
        "threads": receipt.threads,
        "moving": receipt.not_stopped,
        "connection_losses": receipt.connection_losses,
    })
}

fn image(image: &ImageRef) -> Value {
    json!({
        "path": image.path.to_string_lossy(),
        "name": image.name,
        "mime": image.mime,
        "width": image.width,
        "height": image.height,
        "bytes": image.bytes,
    })
}

/// What confines a run under these terms, by what the tests found enforced.
pub(crate) fn sandbox(terms: &Terms) -> Value {
    // An installation starts in the folder of packages, the only one that it writes.
    let is_here = terms.rights.write.iter().any(|path| terms.cwd.starts_with(path));
    confinement(&terms.rights, is_here && terms.executor != ExecutorKind::Installer)
}

fn confinement(rights: &Rights, writes_workspace: bool) -> Value {
    let report = &rights.sandbox;
    // If the working folder is not writable, other writable folders are named, even those private to the session.
    let write = match (report.writes_confined, report.level) {
        (false, _) => "open",
        (true, SandboxLevel::Workspace) if writes_workspace => "workspace",
        (true, _) if rights.write.is_empty() => "none",
        (true, _) => "listed",
    };
    let paths =
        |list: &[std::path::PathBuf]| -> Value { list.iter().map(|path| path.to_string_lossy()).collect() };
    let mut shape = json!({
        "level": report.level.as_str(),
        "network": network::word(rights),
        "write": write,
        "writable": paths(&rights.write),
        "readable": paths(&rights.read),
        "read": if report.reads_confined { "no-secrets" } else { "open" },
        "processes": if report.contained { "contained" } else { "group" },
        "memory": report.memory.as_str(),
        "limits": {
            "memory": report.memory.as_str(),
            "processes": report.processes.as_str(),
            "files": report.files.as_str(),
        },
        "layers": report.layers.iter().map(layer).collect::<Value>(),
        "notes": report.notes,
    });
    if rights.terminal {
        shape["pty"] = json!(true);
    }
    shape
}

fn layer(layer: &Layer) -> Value {
    with(json!(layer), [("why", json!(layer.why))])
}

/// The confinement of a file that was never run.
pub(crate) fn no_sandbox() -> Value {
    confinement(&Rights::default(), false)
}

/// What a session has cost in US dollars as far as known, and the number of requests with unknown cost.
pub(crate) fn cost(cost: &Cost) -> Value {
    let usd = |nanos: u64| nanos as f64 / 1e9;
    json!({
        "usd": (cost.nanos > 0 || cost.unknown == 0).then(|| usd(cost.nanos)),
        "unknown": cost.unknown,
        "budget": cost.budget.map(usd),
    })
}

/// How much of the model's context the conversation takes, in tokens.
pub(crate) fn context(share: &ContextShare) -> Value {
    json!({
        "used": share.used,
        "of": share.of,
        "estimated": share.estimated,
        "at_least": share.at_least,
        "shortened": share.shortened,
        "summarised_upto": share.summarised_upto,
    })
}

/// A second opinion on a block.
pub(crate) fn opinion(answer: &Result<Opinion, String>) -> Vec<(&'static str, Value)> {
    match answer {
        Ok(opinion) => vec![
            ("risk", json!(opinion.risk.as_str())),
            ("reason", json!(opinion.reason)),
            ("lines", json!(opinion.lines)),
        ],
        Err(why) => vec![("failed", json!(why))],
    }
}

pub(crate) fn usage(usage: &Usage) -> Value {
    json!({
        "input": usage.input,
        "output": usage.output,
        "cached": usage.cached,
        "cache_written": usage.cache_written,
        "reasoning": usage.reasoning,
    })
}
