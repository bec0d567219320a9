//! Entries for the tests: one of each kind, written by hand; entries about one subject (`subjects`); and arbitrary
//! ones (`arbitrary`).

mod arbitrary;
mod subjects;

use super::Store;
use crate::domain::*;
pub(super) use arbitrary::entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
pub(super) use subjects::{
    about_commands, about_context, about_edits, about_files, about_instructions, about_limits, about_pulls,
    about_recipes, about_rules, about_sandbox, about_tools, about_undo,
};

pub(super) const AT: Timestamp = Timestamp(1_767_225_600_000);

pub(super) fn wait<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(Duration::from_secs(60), future).await.expect("in time") })
}

/// Writes these entries as a session; returns its file.
pub(super) fn write_session(folder: &Path, id: &str, entries: &[Entry]) -> PathBuf {
    let store = Store::create(folder, header(id));
    for entry in entries {
        store.append(entry.clone(), AT);
    }
    wait(store.close()).unwrap();
    store.path()
}

pub(super) fn set_modified(path: &Path, seconds: u64) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    std::fs::File::options().append(true).open(path).unwrap().set_modified(time).unwrap();
}

/// Whether any file that is derived from the sessions of a folder contains these bytes.
pub(super) fn derived_holds(sessions: &Path, bytes: &[u8]) -> bool {
    let files = std::fs::read_dir(sessions.join("index")).unwrap().flatten();
    files
        .map(|file| std::fs::read(file.path()).unwrap())
        .any(|all| all.windows(bytes.len()).any(|at| at == bytes))
}

/// A file with these bytes after different damages: something else, nothing, the first half, and single or almost all
/// bytes changed.
pub(super) fn damaged(whole: &[u8]) -> Vec<Vec<u8>> {
    let changed = |change: fn((usize, &u8)) -> u8| whole.iter().enumerate().map(change).collect();
    vec![
        b"no database".repeat(1000),
        Vec::new(),
        whole[..whole.len() / 2].to_vec(),
        changed(|(n, byte)| if n % 7 == 0 { !byte } else { *byte }),
        changed(|(n, byte)| if n > 5000 { 0 } else { *byte }),
    ]
}

pub(super) fn reply(text: &str) -> Entry {
    samples::reply(1, text, "")
}

pub(super) fn header(id: &str) -> Header {
    Header {
        name: "sales-q3".into(),
        created: Timestamp(1_767_225_600_123),
        cwd: PathBuf::from("/home/ada/data/sales"),
        model: Some(ModelName { provider: "ollama".into(), model: "qwen3-coder:30b".into() }),
        program: "0.1.0".into(),
        ..samples::header(id)
    }
}

pub(super) fn block(id: u32, source: &str) -> Block {
    let origin = Origin::fence("python title=\"x\"", 10..40);
    Block { origin, ..samples::code(id, Language::python(), source) }
}

pub(super) fn terms() -> Terms {
    Terms {
        interpreter: PathBuf::from("/usr/bin/python3.12"),
        version: Some("3.12.4".into()),
        kernel: Some(KernelRef { generation: 1, variables: 14, keeps_running: false }),
        cwd: PathBuf::from("/home/ada/data/sales"),
        rights: Rights {
            write: vec![PathBuf::from("/home/ada/data/sales/out")],
            network: true,
            environment: vec!["PATH".into(), "HOME".into()],
            sandbox: SandboxReport {
                level: SandboxLevel::Off,
                layers: vec![Layer {
                    name: "landlock".into(),
                    active: false,
                    tested: true,
                    why: Some("not in this kernel".into()),
                }],
                ..SandboxReport::default()
            },
            ..Rights::default()
        }
        .into(),
        // From before there were limits of memory, processes and files.
        limits: Limits { memory_bytes: 0, processes: 0, file_bytes: 0, open_files: 0, ..Limits::default() },
        ..samples::terms()
    }
}

/// Terms with a sandbox that was tested.
pub(super) fn confined() -> Terms {
    let sandbox = SandboxReport {
        level: SandboxLevel::Workspace,
        network_blocked: true,
        writes_confined: true,
        reads_confined: true,
        contained: true,
        memory: Enforcement::Watched,
        // From before the reports said how these are enforced.
        processes: Enforcement::None,
        files: Enforcement::None,
        layers: vec![Layer { name: "bwrap".into(), active: true, tested: true, why: None }],
        notes: vec!["for root the number of processes is watched, not enforced".into()],
    };
    let read = vec![PathBuf::from("/home/ada/.pyenv")];
    let rights = Rights { read, network: false, sandbox, ..(*terms().rights).clone() }.into();
    Terms { rights, limits: Limits { memory_bytes: 3 << 30, processes: 64, ..Limits::default() }, ..terms() }
}

pub(super) fn report(output: OutputBuffer) -> RunReport {
    RunReport {
        receipt: Receipt {
            wall_us: 6_100_000,
            cpu_us: 5_800_000,
            peak_rss_bytes: 171_966_464,
            processes: 2,
            files: vec![FileChange::new("out/a.png", "created", 48_000)],
            exit_code: Some(1),
            ..Receipt::default()
        },
        output,
        value: Some("42".into()),
        error: Some(RunError {
            kind: "ValueError".into(),
            message: "no".into(),
            traceback: "block 1, line 2".into(),
        }),
        images: vec![ImageRef {
            width: 640,
            height: 480,
            bytes: 4812,
            ..samples::image("/elsewhere/figure-1.png")
        }],
        kernel: KernelFate::Kept(KernelRef { generation: 1, variables: 16, keeps_running: false }),
        cwd: Some(PathBuf::from("/home/ada/data/sales/out")),
        ..RunReport::bare(Outcome::Failed)
    }
}

pub(super) fn captured(pieces: &[(Stream, &[u8])]) -> OutputBuffer {
    let mut captured = OutputBuffer::default();
    for (stream, bytes) in pieces {
        captured.push(*stream, bytes);
    }
    captured
}

/// A session with an entry of each kind, and some hard cases.
pub(super) fn each_kind() -> Vec<Entry> {
    let source = "print('hi')\r\n\ttab  \n\n# \u{202e} no end";
    let output = captured(&[
        (Stream::Stdout, b"one\n"),
        (Stream::Stderr, b"\xff\xfe bad\n"),
        (Stream::Stdout, b"\x1b[2J\0"),
    ]);
    let failure = ReplyFailure {
        kind: FailureKind::RateLimit,
        status: Some(429),
        message: "Rate limit.".into(),
        hint: "r retry".into(),
        departure: Departure::Unknown,
    };
    let review = Review {
        findings: vec![Finding {
            rule: "py.delete-tree".into(),
            severity: Severity::High,
            place: TextRange { line: 11, column: 5, end_line: 11, end_column: 23 },
            message: "deletes a folder: out/charts".into(),
            forbidden: false,
        }],
        effects: Effects { deletes: vec!["out/charts".into()], unknown: true, ..Effects::default() },
        traces: Vec::new(),
        unchecked: Some("too large".into()),
    };
    let (b1, b2, r1) = (BlockId(1), BlockId(2), Revision(1));
    let typed = Grantor::Person { typed: true };
    let approved = |run, block| samples::approved(run, (block, 1), source, terms(), typed);
    vec![
        Entry::Model(ModelName { provider: "demo".into(), model: "scripted".into() }),
        Entry::Renamed("sales-q3".into()),
        Entry::Prompt("Load sales.csv, plot revenue by region\nzweite Zeile ✓ \u{0} \u{7f}".into()),
        Entry::Reply {
            step: StepId(1),
            text: "I will:\n\n```python\nprint('hi')\n```\n".into(),
            reasoning: "hm".into(),
            tool_calls: vec![ToolCall {
                id: "call_1".into(),
                name: "run_code".into(),
                arguments: "{\"code\":".into(),
                signature: None,
            }],
            kept: Vec::new(),
            finish: Finish { reason: FinishReason::Stop, word: Some("stop".into()) },
            usage: Usage {
                input: Some(120),
                output: Some(30),
                cached: None,
                cache_written: None,
                reasoning: Some(0),
            },
        },
        Entry::Block(block(1, source)),
        Entry::Review { block: b1, revision: r1, review },
        Entry::Edited { block: b1, revision: Revision(2), source: Arc::from("print('ho')\n"), whole: true },
        Entry::LanguageChosen { block: b1, revision: Revision(3), language: Language::bash() },
        approved(1, 1),
        samples::ran(1, 1, report(output)),
        Entry::Block(block(2, "rm -rf out")),
        Entry::Rejected { block: b2, revision: r1, reason: "keep the charts".into() },
        Entry::Reopened(b2),
        Entry::Skipped { block: b2, revision: r1 },
        Entry::KernelRestarted,
        Entry::TurnEnd(TurnEnd::Failed(Box::new(failure))),
        Entry::Resumed,
        Entry::Prompt("again".into()),
        approved(2, 2),
    ]
}

/// Whether two entries have the same content. Outputs are compared by their content, not by their pieces.
pub(super) fn same(a: &Entry, b: &Entry) -> bool {
    let (Entry::Ran { run, block, report }, Entry::Ran { run: run_b, block: block_b, report: report_b }) =
        (a, b)
    else {
        return a == b;
    };
    let plain = |report: &RunReport| RunReport { output: OutputBuffer::default(), ..report.clone() };
    run == run_b
        && block == block_b
        && plain(report) == plain(report_b)
        && output_parts(&report.output) == output_parts(&report_b.output)
}

/// Pieces, counts of both streams, limit.
type OutputParts = (Vec<(Stream, Vec<u8>)>, [u64; 4], usize);

/// The whole content of an output.
pub(super) fn output_parts(output: &OutputBuffer) -> OutputParts {
    let mut pieces: Vec<(Stream, Vec<u8>)> = Vec::new();
    for piece in output.pieces() {
        match pieces.last_mut() {
            Some((stream, bytes)) if *stream == piece.stream => bytes.extend(&piece.bytes),
            _ => pieces.push((piece.stream, piece.bytes.clone())),
        }
    }
    let of = |stream| [output.dropped(stream), output.total(stream)];
    let ([a, b], [c, d]) = (of(Stream::Stdout), of(Stream::Stderr));
    (pieces, [a, b, c, d], output.limit())
}
