//! The fields of a line become an entry. Fields that are not known are passed over; a field that is needed and not
//! there is named.

use super::decode_review::review;
use super::decode_run::report;
use super::fields::{Missing, Reader, lacking};
use super::frame::parse_time;
use super::json::Json;
use super::output::Outside;
use super::{block, recipe, target};
use crate::domain::{
    BlockId, Departure, Entry, ExecutorKind, FailureKind, Finish, FinishReason, Grantor, Header, Hold, Kept,
    KernelRef, Language, Layer, Limits, ModelName, NotedInstructions, Opinion, ReplyFailure, Revision,
    Rights, Risk, Rule, RuleId, RuleScope, RunId, SandboxLevel, SandboxReport, SessionId, Sha256, StepId,
    Terms, ToolCall, TurnEnd, Usage,
};
use std::path::Path;
use std::sync::Arc;

/// What a line holds.
#[derive(Debug)]
pub(crate) enum Decoded {
    /// An entry; the output of its run stands in that file, where one is named.
    Entry(Box<Entry>, Option<Outside>),
    /// A kind of entry that this version does not know.
    UnknownKind,
}

/// Reads an entry of this kind; `blobs` is where files lie that are named without a folder.
pub(crate) fn decode(kind: &str, mut f: Reader<'_>, blobs: &Path) -> Result<Decoded, Missing> {
    let entry = match kind {
        "header" => Entry::Header(header(f)?),
        "resumed" => Entry::Resumed,
        "named" => Entry::Named(f.text("name")?),
        "model" => Entry::Model(model(f.object("model")?)?),
        "prompt" => Entry::Prompt(f.text("text")?),
        "reply" => reply(f)?,
        "call_refused" => Entry::CallRefused {
            step: StepId(f.small("step")?),
            call: f.text("call")?,
            why: f.text_or_empty("why"),
        },
        "no_tools" => Entry::NoTools(model(f.object("model")?)?),
        "block" => Entry::Block(block::read(f)?),
        "review" => Entry::Review {
            block: BlockId(f.small("block")?),
            revision: Revision(f.small("revision")?),
            review: review(f)?,
        },
        "language" => Entry::LanguageChosen {
            block: BlockId(f.small("block")?),
            revision: Revision(f.small("revision")?),
            language: Language(f.text("language")?),
        },
        "decision" => decision(f)?,
        "rule_added" => Entry::RuleAdded(Box::new(rule(f)?)),
        "rule_revoked" => Entry::RuleRevoked(RuleId(f.small("rule")?)),
        "put_back" => Entry::PutBack(BlockId(f.small("block")?)),
        "run" => {
            let (run, block) = (RunId(f.small("run")?), BlockId(f.small("block")?));
            let (report, outside) = report(f, blobs)?;
            return Ok(Decoded::Entry(
                Box::new(Entry::Ran { run, block, report: Box::new(report) }),
                outside,
            ));
        }
        "kernel_restarted" => Entry::KernelRestarted,
        "turn_end" => Entry::TurnEnd(turn_end(f)?),
        "summary" => Entry::Summary {
            upto: f.small("upto")?,
            text: f.text("text")?,
            model: f.object_or_none("model").map(model).transpose()?,
            usage: usage(&mut f),
        },
        "opinion" => Entry::Opinion {
            block: BlockId(f.small("block")?),
            revision: Revision(f.small("revision")?),
            model: model(f.object("model")?)?,
            usage: usage(&mut f),
            answer: opinion(f)?,
        },
        "recipe" => Entry::Recipe(recipe::read(f)?),
        "instructions" => Entry::Instructions(instructions(f)?),
        _ => return Ok(Decoded::UnknownKind),
    };
    Ok(Decoded::Entry(Box::new(entry), None))
}

/// Whether a name is that of a file in a folder, and leads nowhere else.
pub(super) fn plain_name(name: &str) -> bool {
    !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '\\', '\0'])
}

fn header(mut f: Reader<'_>) -> Result<Header, Missing> {
    let created = f.word("created")?;
    Ok(Header {
        id: SessionId(f.text("id")?),
        name: f.text_or_empty("name"),
        created: parse_time(&created).ok_or_else(|| lacking("created", "a time of RFC 3339"))?,
        cwd: f.path("cwd")?,
        model: f.object_or_none("model").map(model).transpose()?,
        program: f.text_or_empty("program"),
    })
}

fn model(mut f: Reader<'_>) -> Result<ModelName, Missing> {
    Ok(ModelName { provider: f.text("provider")?, model: f.text("model")? })
}

fn reply(mut f: Reader<'_>) -> Result<Entry, Missing> {
    let tool_calls = f
        .objects("tool_calls")?
        .into_iter()
        .map(|mut call| {
            Ok(ToolCall {
                id: call.text_or_empty("id"),
                name: call.text("name")?,
                arguments: call.text("arguments")?,
                signature: call.text_or_none("signature"),
            })
        })
        .collect::<Result<_, Missing>>()?;
    // What a provider signed does not hold any more once something in it was masked: it is not sent back.
    let masked = f.flag("redacted");
    let kept = f
        .objects("kept")?
        .into_iter()
        .filter(|_| !masked)
        .map(|mut kept| Ok(Kept { kind: kept.text("kind")?, json: kept.text("json")? }))
        .collect::<Result<_, Missing>>()?;
    let mut finish = f.object("finish")?;
    let reason = finish.word("reason")?;
    let usage = usage(&mut f);
    Ok(Entry::Reply {
        step: StepId(f.small("step")?),
        text: f.text("text")?,
        reasoning: f.text_or_empty("reasoning"),
        tool_calls,
        kept,
        // A reason of a later version: what the reply was up to is not known.
        finish: Finish {
            reason: FINISHES.into_iter().find(|r| r.as_str() == reason).unwrap_or(FinishReason::Incomplete),
            word: finish.text_or_none("word"),
        },
        usage,
    })
}

fn usage(f: &mut Reader<'_>) -> Usage {
    f.object_or_none("usage").map_or_else(Usage::default, |mut u| Usage {
        input: u.number_or_none("input"),
        output: u.number_or_none("output"),
        cached: u.number_or_none("cached"),
        cache_written: u.number_or_none("cache_written"),
        reasoning: u.number_or_none("reasoning"),
    })
}

fn opinion(mut f: Reader<'_>) -> Result<Result<Opinion, String>, Missing> {
    if let Some(why) = f.text_or_none("failed") {
        return Ok(Err(why));
    }
    let risk = f.word("risk")?;
    let lines = f
        .list("lines")
        .into_iter()
        .map(|line| match line {
            Json::Whole(line) => u32::try_from(line).map_err(|_| lacking("lines", "a list of small numbers")),
            _ => Err(lacking("lines", "a list of numbers")),
        })
        .collect::<Result<_, Missing>>()?;
    // A risk of a later version counts as the gravest.
    let risk = Risk::parse(&risk).unwrap_or(Risk::High);
    Ok(Ok(Opinion { risk, reason: f.text("said")?, lines }))
}

fn instructions(mut f: Reader<'_>) -> Result<Vec<NotedInstructions>, Missing> {
    f.objects("files")?
        .into_iter()
        .map(|mut file| {
            Ok(NotedInstructions {
                path: file.path("path")?,
                sha256: Sha256::parse(&file.word("sha256")?).ok_or_else(|| lacking("sha256", "a SHA-256"))?,
                bytes: file.number("bytes")?,
            })
        })
        .collect()
}

const FINISHES: [FinishReason; 5] = [
    FinishReason::Stop,
    FinishReason::ToolCalls,
    FinishReason::Length,
    FinishReason::Filter,
    FinishReason::Incomplete,
];

fn decision(mut f: Reader<'_>) -> Result<Entry, Missing> {
    let (block, revision) = (BlockId(f.small("block")?), Revision(f.small("revision")?));
    Ok(match f.word("decision")?.as_ref() {
        "edit" => Entry::Edited {
            block,
            revision,
            source: Arc::from(f.word("source")?),
            // A text in which a key was masked is not what the person wrote: it can't be run as it stands.
            whole: !f.flag("redacted"),
        },
        "reject" => Entry::Rejected { block, revision, reason: f.text_or_empty("reason") },
        "skip" => Entry::Skipped { block, revision },
        "decline" => Entry::Declined { block, revision, why: f.text_or_empty("why") },
        "approve" => Entry::Approved {
            run: RunId(f.small("run")?),
            block,
            revision,
            sha256: Sha256::parse(&f.word("sha256")?).ok_or_else(|| lacking("sha256", "a SHA-256"))?,
            by: grantor(&mut f)?,
            terms: terms(f.object("terms")?)?,
        },
        _ => return Err(lacking("decision", "approve, edit, reject or skip")),
    })
}

fn grantor(f: &mut Reader<'_>) -> Result<Grantor, Missing> {
    let rule = f.number_or_none("rule").and_then(|rule| u32::try_from(rule).ok());
    Grantor::parse(&f.word("by")?, rule).ok_or_else(|| lacking("by", "somebody who can approve"))
}

fn rule(mut f: Reader<'_>) -> Result<Rule, Missing> {
    Ok(Rule {
        id: RuleId(f.small("rule")?),
        scope: RuleScope::parse(&f.word("scope")?)
            .ok_or_else(|| lacking("scope", "a scope that this version knows"))?,
        block: BlockId(f.small("block")?),
        sha256: Sha256::parse(&f.word("sha256")?).ok_or_else(|| lacking("sha256", "a SHA-256"))?,
        terms: terms(f.object("terms")?)?,
    })
}

const EXECUTORS: [ExecutorKind; 7] = [
    ExecutorKind::Kernel,
    ExecutorKind::Subprocess,
    ExecutorKind::Container,
    ExecutorKind::Jupyter,
    ExecutorKind::Files,
    ExecutorKind::Installer,
    ExecutorKind::Engine,
];

fn terms(mut f: Reader<'_>) -> Result<Terms, Missing> {
    let executor = f.word("executor")?;
    Ok(Terms {
        language: Language(f.text("language")?),
        executor: EXECUTORS
            .into_iter()
            .find(|kind| kind.as_str() == executor)
            .ok_or_else(|| lacking("executor", "an executor that this version knows"))?,
        interpreter: f.path("interpreter")?,
        version: f.text_or_none("version"),
        kernel: f.object_or_none("kernel").map(kernel).transpose()?,
        cwd: f.path("cwd")?,
        rights: rights(f.object("rights")?)?,
        limits: limits(f.object("limits")?)?,
        target: f.object_or_none("target").map(target::read).transpose()?,
    })
}

pub(super) fn kernel(mut f: Reader<'_>) -> Result<KernelRef, Missing> {
    Ok(KernelRef { generation: f.small("generation")?, variables: f.small_or_zero("variables") })
}

fn rights(mut f: Reader<'_>) -> Result<Rights, Missing> {
    let mut sandbox = f.object("sandbox")?;
    let layers = sandbox
        .objects("layers")?
        .into_iter()
        .map(|mut layer| {
            Ok(Layer {
                name: layer.text("name")?,
                active: layer.flag("active"),
                tested: layer.flag("tested"),
                why: layer.text_or_none("why"),
            })
        })
        .collect::<Result<_, Missing>>()?;
    let level = SandboxLevel::parse(&sandbox.word("level")?)
        .ok_or_else(|| lacking("level", "a sandbox level that this version knows"))?;
    Ok(Rights {
        read: f.paths("read")?,
        write: f.paths("write")?,
        network: f.flag("network"),
        environment: f.texts("environment")?,
        sandbox: SandboxReport {
            level,
            network_blocked: sandbox.flag("network_blocked"),
            writes_confined: sandbox.flag("writes_confined"),
            reads_confined: sandbox.flag("reads_confined"),
            contained: sandbox.flag("contained"),
            memory: Hold::parse(&sandbox.text_or_empty("memory")),
            processes: Hold::parse(&sandbox.text_or_empty("processes")),
            files: Hold::parse(&sandbox.text_or_empty("files")),
            layers,
            notes: sandbox.texts("notes")?,
        },
    })
}

/// Sessions from before there were limits of memory, processes and files had none.
fn limits(mut f: Reader<'_>) -> Result<Limits, Missing> {
    Ok(Limits {
        wall_ms: f.number("wall_ms")?,
        kept_bytes: f.number("kept_bytes")?,
        output_file: f.number("output_file")?,
        memory_bytes: f.number_or_zero("memory_bytes"),
        processes: f.small_or_zero("processes"),
        file_bytes: f.number_or_zero("file_bytes"),
        open_files: f.small_or_zero("open_files"),
    })
}

fn turn_end(mut f: Reader<'_>) -> Result<TurnEnd, Missing> {
    Ok(match f.word("end")?.as_ref() {
        "answered" => TurnEnd::Answered,
        "step_limit" => TurnEnd::StepLimit,
        "repeated" => TurnEnd::Repeated,
        "budget" => TurnEnd::Budget,
        "failed" => TurnEnd::Failed(failure(f.object("failure")?)?),
        _ => TurnEnd::Stopped,
    })
}

fn failure(mut f: Reader<'_>) -> Result<ReplyFailure, Missing> {
    let kind = f.word("kind")?;
    Ok(ReplyFailure {
        kind: FAILURES.into_iter().find(|k| k.as_str() == kind).unwrap_or(FailureKind::Server),
        status: f.number_or_none("status").and_then(|status| u16::try_from(status).ok()),
        message: f.text_or_empty("message"),
        hint: f.text_or_empty("hint"),
        departure: Departure::parse(f.text_or_none("departure").as_deref()),
    })
}

const FAILURES: [FailureKind; 16] = [
    FailureKind::NameNotFound,
    FailureKind::Unreachable,
    FailureKind::Tls,
    FailureKind::TimedOut,
    FailureKind::NoKey,
    FailureKind::Refused,
    FailureKind::NotFound,
    FailureKind::RateLimit,
    FailureKind::Overflow,
    FailureKind::NoTools,
    FailureKind::Server,
    FailureKind::BadRequest,
    FailureKind::Cut,
    FailureKind::Malformed,
    FailureKind::NotAModel,
    FailureKind::NoReply,
];
