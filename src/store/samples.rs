//! Entries for the tests: one of each kind by hand, and arbitrary ones.

use super::Store;
use crate::domain::*;
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

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

pub(super) fn reply(text: &str) -> Entry {
    Entry::Reply {
        step: StepId(1),
        text: text.into(),
        reasoning: String::new(),
        tool_calls: vec![],
        kept: vec![],
        finish: Finish { reason: FinishReason::Stop, word: None },
        usage: Usage::default(),
    }
}

pub(super) fn header(id: &str) -> Header {
    Header {
        id: SessionId(id.into()),
        name: "sales-q3".into(),
        created: Timestamp(1_767_225_600_123),
        cwd: PathBuf::from("/home/ada/data/sales"),
        model: Some(ModelName { provider: "ollama".into(), model: "qwen3-coder:30b".into() }),
        program: "0.1.0".into(),
        branch_of: None,
    }
}

pub(super) fn block(id: u32, source: &str) -> Block {
    Block {
        id: BlockId(id),
        step: StepId(1),
        kind: BlockKind::Code { language: Some(Language::python()) },
        origin: Origin::fence("python title=\"x\"", 10..40),
        versions: vec![Version {
            revision: Revision(1),
            source: Arc::from(source),
            language: Some(Language::python()),
            whole: true,
        }],
        placed: Vec::new(),
    }
}

/// A block that a tool call made.
fn file_block(id: u32, kind: BlockKind, source: &str) -> Block {
    let mut block = block(id, source);
    block.kind = kind;
    block.origin.dialect = Dialect::Tools;
    block.origin.call = Some(format!("call_{id}"));
    block.origin.note = Some("read from a tool call printed as text".into());
    block.versions.iter_mut().for_each(|version| version.language = None);
    block
}

/// The approval of a block that writes over a file which a link leads to.
fn written_file(run: u32, block: BlockId) -> Entry {
    let found = OnDisk::File(Some(Sha256::of(b"# Old\n")));
    let target = Target {
        link: Some(PathBuf::from("/home/ada/data/sales/notes/plan.md")),
        bytes: 6,
        outside: true,
        ..Target::at("/home/ada/notes/plan.md", found)
    };
    Entry::Approved {
        run: RunId(run),
        block,
        revision: Revision(1),
        sha256: Sha256::of(b"# Plan\n"),
        terms: Terms { executor: ExecutorKind::Files, kernel: None, target: Some(target), ..terms() },
        by: Grantor::Flag,
    }
}

pub(super) fn terms() -> Terms {
    Terms {
        language: Language::python(),
        executor: ExecutorKind::Kernel,
        interpreter: PathBuf::from("/usr/bin/python3.12"),
        version: Some("3.12.4".into()),
        kernel: Some(KernelRef { generation: 1, variables: 14, goes_on: false }),
        cwd: PathBuf::from("/home/ada/data/sales"),
        rights: Rights {
            terminal: false,
            python: None,
            read: vec![],
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
        }
        .into(),
        // From before there were limits of memory, processes and files.
        limits: Limits { memory_bytes: 0, processes: 0, file_bytes: 0, open_files: 0, ..Limits::default() },
        shared: None,
        target: None,
    }
}

/// Terms under a sandbox that was tested.
pub(super) fn confined() -> Terms {
    let sandbox = SandboxReport {
        level: SandboxLevel::Workspace,
        network_blocked: true,
        writes_confined: true,
        reads_confined: true,
        contained: true,
        memory: Enforcement::Watched,
        // From before it was told how these are held.
        processes: Enforcement::None,
        files: Enforcement::None,
        layers: vec![Layer { name: "bwrap".into(), active: true, tested: true, why: None }],
        notes: vec!["for root the number of processes is watched, not enforced".into()],
    };
    let read = vec![PathBuf::from("/home/ada/.pyenv")];
    let rights = Rights { read, network: false, sandbox, ..(*terms().rights).clone() }.into();
    Terms { rights, limits: Limits { memory_bytes: 3 << 30, processes: 64, ..Limits::default() }, ..terms() }
}

/// Calls of tools and what came of them: blocks on files, of the person's own functions, of packages.
pub(super) fn about_tools() -> Vec<Entry> {
    let call = ToolCall {
        id: "call_1".into(),
        name: "write_file".into(),
        arguments: "{\"path\":".into(),
        signature: Some("c2ln".into()),
    };
    let mut ran = report(OutputBuffer::default());
    ran.receipt.variables = Some(VariableChanges { added: 3, changed: 1, deleted: 0 });
    vec![
        Entry::Reply {
            step: StepId(1),
            text: "I will write it down.".into(),
            reasoning: String::new(),
            tool_calls: vec![call],
            kept: vec![OpaqueItem { kind: "anthropic".into(), json: "{\"type\":\"thinking\"}".into() }],
            finish: Finish { reason: FinishReason::ToolCalls, word: Some("tool_use".into()) },
            usage: Usage { input: Some(120), cache_written: Some(7), ..Usage::default() },
        },
        Entry::CallRefused { step: StepId(1), call: "call_2".into(), why: "no tool is called `rm`".into() },
        Entry::NoTools(ModelName { provider: "ollama".into(), model: "gemma3".into() }),
        Entry::Block(file_block(1, BlockKind::Write { path: "notes/plan.md".into() }, "# Plan\n")),
        Entry::Block(file_block(2, BlockKind::Read, "path: sales.csv\nlines: 1-400\n")),
        Entry::Block(file_block(3, BlockKind::List, "path: .\ndepth: 2\n")),
        Entry::Block(file_block(4, BlockKind::Load { path: "/home/ada/tools.py".into() }, "def f(): ...\n")),
        Entry::Block(file_block(5, BlockKind::Call { function: "f".into() }, "f()")),
        Entry::Block(file_block(6, BlockKind::Install { wanted_by: Some(BlockId(5)) }, "pandas\n")),
        written_file(1, BlockId(1)),
        Entry::Ran { run: RunId(1), block: BlockId(1), report: Box::new(ran) },
    ]
}

/// Edits: one whose places were found in two files, written; one that was not found.
pub(super) fn about_edits() -> Vec<Entry> {
    let paths = vec!["a.py".to_owned(), "new/b.py".to_owned()];
    let (first, second) = (BlockId(1), BlockId(2));
    let written = "<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n";
    let text = "==> a.py <==\nx = 2\n==> new/b.py <==\ny = 1\n";
    let old = OnDisk::File(Some(Sha256::of(b"x = 1\n")));
    let target = Target {
        bytes: 6,
        others: vec![Target { folders: 1, ..Target::at("/home/ada/data/sales/new/b.py", OnDisk::Nothing) }],
        ..Target::at("/home/ada/data/sales/a.py", old)
    };
    vec![
        Entry::Block(file_block(1, BlockKind::Edit { paths }, written)),
        Entry::Placed {
            block: first,
            revision: Revision(2),
            source: text.into(),
            bases: vec![old, OnDisk::Nothing],
            note: "hunk 1 of a.py was found white space aside".into(),
            whole: true,
        },
        Entry::Approved {
            run: RunId(1),
            block: first,
            revision: Revision(2),
            sha256: Sha256::of(text.as_bytes()),
            terms: Terms { executor: ExecutorKind::Files, kernel: None, target: Some(target), ..terms() },
            by: Grantor::Flag,
        },
        Entry::Block(file_block(2, BlockKind::Edit { paths: vec!["c.py".into()] }, written)),
        Entry::Declined {
            block: second,
            revision: Revision(1),
            why: "c.py: the lines that it searches are not in the file".into(),
        },
    ]
}

/// A run in a sandbox, and what was refused to it.
pub(super) fn about_sandbox() -> Vec<Entry> {
    let (run, block, revision) = (RunId(1), BlockId(1), Revision(1));
    let by = Grantor::Person { typed: false };
    let mut report = report(OutputBuffer::default());
    report.outcome = Outcome::Limit("memory: 3.1 of 3 GiB".into());
    report.receipt.refused = vec!["write to ~/.ssh/config".into(), "the network: example.com".into()];
    vec![
        Entry::Approved { run, block, revision, sha256: Sha256::of(b"x"), terms: confined(), by },
        Entry::Ran { run, block, report: Box::new(report) },
    ]
}

/// What a recipe leaves: its course, a block of sayso's own, a block that was not offered, a form.
pub(super) fn about_recipes() -> Vec<Entry> {
    let pair = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let mut own = block(2, "python3 -m pytest -q\n");
    own.origin.own = true;
    own.origin.note = Some("run the tests".into());
    let outcome = RoundOutcome {
        step: "tests".into(),
        round: 1,
        verdict: "red".into(),
        note: "2 failed, 1 passed".into(),
    };
    let said = RecipeFact::Said {
        step: "tests".into(),
        title: "Tests first".into(),
        round: 1,
        text: "Write the tests.\n".into(),
    };
    let facts = vec![
        RecipeFact::Began(Box::new(RecipeStart {
            name: "tdd".into(),
            definition: "name = \"tdd\"\n".into(),
            inputs: vec![pair("spec", "a slug of a title\nin ASCII")],
            facts: vec![pair("runner", "pytest")],
            prompt: "Test-driven: a slug of a title".into(),
        })),
        said,
        RecipeFact::Judged(outcome),
        RecipeFact::Answered { form: "arguments".into(), answers: vec![pair("n", "3"), pair("", "")] },
    ];
    let ends = [RecipeEnd::Done, RecipeEnd::GaveUp, RecipeEnd::Limit, RecipeEnd::Stopped];
    let ended = ends.map(|end| RecipeFact::Ended { end, summary: "3 passed\n".into() });
    let (revision, why) = (Revision(1), "it holds two functions".into());
    let mut entries = vec![Entry::Block(block(1, "x")), Entry::Declined { block: BlockId(1), revision, why }];
    entries.push(Entry::Block(own));
    entries.extend(facts.into_iter().chain(ended).map(Entry::Recipe));
    entries
}

/// An image that a block needed: asked for, pulled by the engine; packages that went into the project's environment.
pub(super) fn about_pulls() -> Vec<Entry> {
    let (run, revision) = (RunId(1), Revision(1));
    let by = Grantor::Person { typed: false };
    let terms = Terms {
        executor: ExecutorKind::Engine,
        kernel: None,
        interpreter: "unix:///var/run/docker.sock".into(),
        ..terms()
    };
    let wanted_by = Some(BlockId(1));
    let list = "into: .venv\nsix\n";
    vec![
        Entry::Block(file_block(2, BlockKind::Pull { wanted_by }, "python:3.13-slim\n")),
        Entry::Approved { run, block: BlockId(2), revision, sha256: Sha256::of(b"x"), terms, by },
        Entry::Ran { run, block: BlockId(2), report: Box::new(report(OutputBuffer::default())) },
        Entry::Block(file_block(3, BlockKind::Install { wanted_by }, "six\n")),
        Entry::Edited { block: BlockId(3), revision: Revision(2), source: list.into(), whole: true },
    ]
}

/// A run whose limits are held in three ways.
pub(super) fn about_limits() -> Vec<Entry> {
    let (run, block, revision) = (RunId(1), BlockId(1), Revision(1));
    let by = Grantor::Person { typed: false };
    let mut terms = confined();
    let sandbox = &mut terms.rights.sandbox;
    (sandbox.memory, sandbox.processes, sandbox.files) =
        (Enforcement::Enforced, Enforcement::Watched, Enforcement::Enforced);
    terms.limits = Limits { file_bytes: 5 << 30, open_files: 64, kept_bytes: 65_536, ..terms.limits };
    vec![Entry::Approved { run, block, revision, sha256: Sha256::of(b"x"), terms, by }]
}

pub(super) fn report(output: OutputBuffer) -> RunReport {
    RunReport {
        outcome: Outcome::Failed,
        receipt: Receipt {
            wall_us: 6_100_000,
            cpu_us: 5_800_000,
            peak_rss_bytes: 171_966_464,
            processes: 2,
            files: vec![FileChange::new("out/a.png", "created", 48_000)],
            variables: None,
            exit_code: Some(1),
            signal: None,
            ..Receipt::default()
        },
        output,
        blob: None,
        value: Some("42".into()),
        error: Some(RunError {
            kind: "ValueError".into(),
            message: "no".into(),
            traceback: "block 1, line 2".into(),
        }),
        images: vec![ImageRef {
            path: PathBuf::from("/elsewhere/figure-1.png"),
            name: "figure-1.png".into(),
            mime: "image/png".into(),
            width: 640,
            height: 480,
            bytes: 4812,
        }],
        pictures: Vec::new(),
        kernel: KernelFate::Kept(KernelRef { generation: 1, variables: 16, goes_on: false }),
        cwd: Some(PathBuf::from("/home/ada/data/sales/out")),
    }
}

pub(super) fn captured(pieces: &[(Stream, &[u8])]) -> OutputBuffer {
    let mut captured = OutputBuffer::default();
    for (stream, bytes) in pieces {
        captured.push(*stream, bytes);
    }
    captured
}

/// An entry of each kind that is about the length of a conversation and about opinions.
pub(super) fn about_context() -> Vec<Entry> {
    vec![
        Entry::Summary {
            upto: 4,
            text: "Ada wants a plot.\n\nsales.csv was read.".into(),
            model: Some(ModelName { provider: "ollama".into(), model: "qwen3-coder:30b".into() }),
            usage: Usage { input: Some(900), output: Some(120), ..Usage::default() },
        },
        Entry::Opinion {
            block: BlockId(1),
            revision: Revision(1),
            model: ModelName { provider: "openai".into(), model: "gpt".into() },
            answer: Ok(Opinion {
                risk: Risk::Medium,
                reason: "It overwrites a file.".into(),
                lines: vec![1, 3],
            }),
            usage: Usage::default(),
        },
        Entry::Opinion {
            block: BlockId(1),
            revision: Revision(1),
            model: ModelName { provider: "openai".into(), model: "gpt".into() },
            answer: Err("it came too late".into()),
            usage: Usage::default(),
        },
        Entry::Instructions(vec![NotedInstructions {
            path: PathBuf::from("/home/ada/data/AGENTS.md"),
            sha256: Sha256::of(b"x"),
            bytes: 1,
        }]),
        Entry::TurnEnd(TurnEnd::Budget),
    ]
}

/// An entry of each kind that is about rules and about where words came from.
pub(super) fn about_rules() -> Vec<Entry> {
    let source = "print('hi')\n";
    let (block, revision) = (BlockId(1), Revision(1));
    let sha256 = Sha256::of(source.as_bytes());
    let review = Review {
        traces: vec![
            Trace {
                place: Place { line: 2, column: 7, end_line: 2, end_column: 30 },
                text: "https://collect.example.net".into(),
                from: TextOrigin::Output(BlockId(1)),
            },
            Trace { place: Place::default(), text: "~/.netrc".into(), from: TextOrigin::File(BlockId(4)) },
        ],
        ..Review::default()
    };
    let rule = Rule { id: RuleId(1), scope: RuleScope::Clean, block, sha256, terms: terms() };
    vec![
        Entry::Prompt("go on".into()),
        Entry::Block(self::block(1, source)),
        Entry::Review { block, revision, review },
        Entry::RuleAdded(Box::new(rule)),
        Entry::Approved {
            run: RunId(1),
            block,
            revision,
            sha256,
            terms: terms(),
            by: Grantor::Rule(RuleId(1)),
        },
        Entry::RuleRevoked(RuleId(1)),
    ]
}

/// A review with words that stand in the project's instructions.
pub(super) fn about_instructions() -> Vec<Entry> {
    let traces =
        vec![Trace { place: Place::default(), text: "/srv/deploy".into(), from: TextOrigin::Project }];
    let review = Review { traces, ..Review::default() };
    vec![Entry::Review { block: BlockId(1), revision: Revision(1), review }]
}

/// A message with files, and a review with words that stand in one of them.
pub(super) fn about_files() -> Vec<Entry> {
    let whole = GivenFile { path: "src/a b.py".into(), bytes: 6, text: "x = 1\n".into(), masked: false };
    let cut = GivenFile { path: ".env".into(), bytes: 99_000, text: "KEY=***\n".into(), masked: true };
    let prompt = Prompt { text: "see @\"src/a b.py\" and @.env".into(), files: vec![whole, cut] };
    let traces = vec![Trace { place: Place::default(), text: "/srv/x".into(), from: TextOrigin::Given }];
    let review = Review { traces, ..Review::default() };
    vec![Entry::Prompt(prompt), Entry::Review { block: BlockId(1), revision: Revision(1), review }]
}

/// A command that the person typed.
pub(super) fn about_commands() -> Vec<Entry> {
    let mut typed = block(9, "git status");
    typed.origin = Origin {
        range: 0..0,
        call: None,
        note: Some("your own command".into()),
        own: true,
        typed: true,
        ..typed.origin
    };
    vec![Entry::Block(typed)]
}

/// A run that can be taken back, and what was.
pub(super) fn about_undo() -> Vec<Entry> {
    let cover = UndoCover {
        large: 3,
        unreadable: 1,
        secret: 1,
        folders: 1,
        names: vec![".env".into(), "target".into()],
        ..UndoCover::default()
    };
    let ran = |run, undo| {
        let report = report(OutputBuffer::default());
        let receipt = Receipt { undo: Some(undo), ..report.receipt.clone() };
        Entry::Ran { run: RunId(run), block: BlockId(1), report: Box::new(RunReport { receipt, ..report }) }
    };
    let back = |more, way| Entry::TakenBack {
        run: RunId(1),
        block: BlockId(1),
        files: vec!["sales.csv".into()],
        more,
        way,
    };
    let none = UndoCover::none("more than 50000 files");
    vec![
        ran(1, UndoNote { cover, record: Some(Sha256::of(b"record")), changes: 2 }),
        ran(2, UndoNote { cover: none, ..UndoNote::default() }),
        back(0, UndoWay::Back),
        back(9_950, UndoWay::Again),
    ]
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
            place: Place { line: 11, column: 5, end_line: 11, end_column: 23 },
            message: "deletes a folder: out/charts".into(),
            forbidden: false,
        }],
        effects: Effects { deletes: vec!["out/charts".into()], unknown: true, ..Effects::default() },
        traces: Vec::new(),
        unchecked: Some("too large".into()),
    };
    let (b1, b2, r1) = (BlockId(1), BlockId(2), Revision(1));
    let approved = |run, block| Entry::Approved {
        run: RunId(run),
        block,
        revision: r1,
        sha256: Sha256::of(source.as_bytes()),
        terms: terms(),
        by: Grantor::Person { typed: true },
    };
    vec![
        Entry::Model(ModelName { provider: "demo".into(), model: "scripted".into() }),
        Entry::Named("sales-q3".into()),
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
        approved(1, b1),
        Entry::Ran { run: RunId(1), block: b1, report: Box::new(report(output)) },
        Entry::Block(block(2, "rm -rf out")),
        Entry::Rejected { block: b2, revision: r1, reason: "keep the charts".into() },
        Entry::PutBack(b2),
        Entry::Skipped { block: b2, revision: r1 },
        Entry::KernelRestarted,
        Entry::TurnEnd(TurnEnd::Failed(Box::new(failure))),
        Entry::Resumed,
        Entry::Prompt("again".into()),
        approved(2, b2),
    ]
}

/// Whether two entries tell the same; output is compared by what it tells, not by how it is laid out.
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

/// All that an output tells.
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

fn text() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), "[a-z \n]{0,40}", any::<String>()]
}

fn path() -> impl Strategy<Value = PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;
    proptest::collection::vec(1u8..=255, 1..20)
        .prop_map(|bytes| PathBuf::from(std::ffi::OsString::from_vec(bytes)))
}

fn output() -> impl Strategy<Value = OutputBuffer> {
    let chunk = (any::<bool>(), proptest::collection::vec(any::<u8>(), 0..200));
    (0u64..400, proptest::collection::vec(chunk, 0..12)).prop_map(|(limit, chunks)| {
        let mut captured = OutputBuffer::new(limit);
        for (err, bytes) in chunks {
            captured.push(if err { Stream::Stderr } else { Stream::Stdout }, &bytes);
        }
        captured
    })
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        Just(Outcome::Ok),
        Just(Outcome::Failed),
        Just(Outcome::TimedOut),
        Just(Outcome::Interrupted),
        text().prop_map(Outcome::Limit),
        text().prop_map(Outcome::Crashed),
        text().prop_map(Outcome::Refused),
        text().prop_map(Outcome::NotStarted),
    ]
}

fn run_entry() -> impl Strategy<Value = Entry> {
    let numbers = (any::<u32>(), any::<u32>(), any::<u64>(), any::<i32>(), any::<u32>());
    (numbers, outcome(), output(), proptest::option::of(text()), proptest::option::of(path()), path())
        .prop_map(|((run, block, wall, code, kernel), outcome, output, value, cwd, image)| {
            let mut report = RunReport { outcome, output, value, cwd, ..report(OutputBuffer::default()) };
            report.receipt.wall_us = wall;
            report.receipt.exit_code = Some(code);
            report.receipt.signal = Some(code);
            let kernel_ref = KernelRef { generation: kernel, variables: block, goes_on: false };
            report.kernel = match kernel % 3 {
                0 => KernelFate::None,
                1 => KernelFate::Kept(kernel_ref),
                _ => KernelFate::Lost(kernel_ref),
            };
            report.images.iter_mut().for_each(|i| i.path.clone_from(&image));
            if kernel % 2 == 0 {
                report.pictures.clone_from(&report.images);
            }
            Entry::Ran { run: RunId(run), block: BlockId(block), report: Box::new(report) }
        })
}

/// What is about rules.
fn rule_entry() -> impl Strategy<Value = Entry> {
    let ids = || (any::<u32>().prop_map(BlockId), any::<u32>().prop_map(Revision));
    prop_oneof![
        (ids(), any::<u32>()).prop_map(|((block, revision), rule)| Entry::Approved {
            run: RunId(8),
            block,
            revision,
            sha256: Sha256::of(&rule.to_le_bytes()),
            terms: terms(),
            by: Grantor::Rule(RuleId(rule)),
        }),
        (ids(), path()).prop_map(|((block, revision), cwd)| Entry::RuleAdded(Box::new(Rule {
            id: RuleId(revision.0),
            scope: RuleScope::ALL[block.0 as usize % 3],
            block,
            sha256: Sha256::of(b"x"),
            terms: Terms { cwd, ..terms() },
        }))),
        any::<u32>().prop_map(|rule| Entry::RuleRevoked(RuleId(rule))),
    ]
}

/// Entries that carry no text of others.
fn without_text() -> impl Strategy<Value = Entry> {
    prop_oneof![
        prop::sample::select(vec![
            TurnEnd::Answered,
            TurnEnd::Stopped,
            TurnEnd::StepLimit,
            TurnEnd::Repeated
        ])
        .prop_map(Entry::TurnEnd),
        Just(Entry::Resumed),
        any::<bool>().prop_map(|again| Entry::TakenBack {
            run: RunId(3),
            block: BlockId(2),
            files: vec![".envrc".into()],
            more: u32::from(again),
            way: if again { UndoWay::Again } else { UndoWay::Back },
        }),
        Just(Entry::KernelRestarted),
    ]
}

fn edit_entry() -> impl Strategy<Value = Entry> {
    let ids = || (any::<u32>().prop_map(BlockId), any::<u32>().prop_map(Revision));
    prop_oneof![
        (ids(), text(), text()).prop_map(|((block, revision), source, note)| Entry::Placed {
            block,
            revision,
            source: source.into(),
            bases: vec![OnDisk::Nothing, OnDisk::File(Some(Sha256::of(note.as_bytes())))],
            note,
            whole: true,
        }),
        (ids(), text()).prop_map(|((block, revision), why)| Entry::Declined { block, revision, why }),
    ]
}

/// Any entry but a header.
pub(super) fn entry() -> impl Strategy<Value = Entry> {
    let ids = || (any::<u32>().prop_map(BlockId), any::<u32>().prop_map(Revision));
    prop_oneof![
        text().prop_map(|text| Entry::Prompt(text.into())),
        text().prop_map(Entry::Named),
        (text(), text()).prop_map(|(provider, model)| Entry::Model(ModelName { provider, model })),
        (any::<u32>(), text(), text(), text(), proptest::option::of(any::<u64>())).prop_map(
            |(step, text, reasoning, word, input)| Entry::Reply {
                step: StepId(step),
                text,
                reasoning: reasoning.clone(),
                tool_calls: vec![ToolCall {
                    id: word.clone(),
                    name: word.clone(),
                    arguments: reasoning,
                    signature: None
                }],
                kept: Vec::new(),
                finish: Finish { reason: FinishReason::Filter, word: Some(word) },
                usage: Usage { input, ..Usage::default() },
            }
        ),
        (any::<u32>(), text(), any::<bool>()).prop_map(|(id, source, execute)| {
            let mut block = block(id, &source);
            if execute {
                block.origin.dialect = Dialect::ExecuteTags;
                block.kind = BlockKind::Code { language: None };
                block.versions.iter_mut().for_each(|v| (v.language, v.whole) = (None, false));
            }
            Entry::Block(block)
        }),
        (ids(), text()).prop_map(|((block, revision), source)| Entry::Edited {
            block,
            revision,
            source: source.into(),
            whole: true,
        }),
        edit_entry(),
        (ids(), text()).prop_map(|((block, revision), reason)| Entry::Rejected { block, revision, reason }),
        (ids(), path(), text()).prop_map(|((block, revision), cwd, word)| Entry::Approved {
            run: RunId(7),
            block,
            revision,
            sha256: Sha256::of(word.as_bytes()),
            terms: Terms {
                cwd: cwd.clone(),
                interpreter: cwd,
                version: Some(word),
                kernel: None,
                ..confined()
            },
            by: Grantor::Flag,
        }),
        rule_entry(),
        (ids(), text()).prop_map(|((block, revision), message)| Entry::Review {
            block,
            revision,
            review: Review {
                findings: vec![Finding {
                    rule: "sh.x".into(),
                    severity: Severity::Medium,
                    place: Place::default(),
                    message: message.clone(),
                    forbidden: message.len().is_multiple_of(2),
                }],
                effects: Effects {
                    hosts: vec![message.clone()],
                    packages: vec![message.clone()],
                    environment: vec![message],
                    ..Effects::default()
                },
                ..Review::default()
            },
        }),
        run_entry(),
        without_text(),
    ]
}
