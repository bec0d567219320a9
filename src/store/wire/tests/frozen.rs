//! Checks that the format never changes: each kind of entry and each word of the format is compared byte by byte with
//! the frozen files in `tests/fixtures/sessions`.

use super::{decoded, entry_of};
use crate::domain::*;
use crate::store::samples::*;
use crate::store::wire::*;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

const BLOBS: &str = "/blobs";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/sessions")
}

/// The line of an entry; a large output is in a file of its own.
fn line(entry: &Entry) -> String {
    let output = match entry {
        Entry::Ran { report, .. } => blob_for(&report.output, &Masker::default(), || "output-7.log".into()),
        _ => None,
    };
    let fields =
        encode(entry, Path::new(BLOBS), output.as_ref()).unwrap().with("message", 1).with("session", "s");
    let (line, _) =
        seal(ChainLink::FIRST, Timestamp(1_767_225_600_000), &Masker::default().mask(fields), false);
    String::from_utf8(line.bytes().to_vec()).unwrap()
}

/// Compares with the frozen text, or freezes it if `FREEZE_FORMAT` is set.
fn frozen(name: &str, now: &str) {
    let path = folder().join(name);
    if std::env::var_os("FREEZE_FORMAT").is_some() {
        std::fs::write(&path, now).unwrap();
    }
    let then = std::fs::read_to_string(path).unwrap();
    for (number, (now, then)) in now.lines().zip(then.lines()).enumerate() {
        assert_eq!(now, then, "line {} of {name}", number + 1);
    }
    assert_eq!(now.lines().count(), then.lines().count(), "{name}");
}

#[test]
fn each_entry_is_written_as_ever() {
    let entries = all();
    frozen("v1-entries.jsonl", &entries.iter().map(line).collect::<String>());
    for entry in &entries {
        let back = entry_of(line(entry).as_bytes());
        // The content of a large output is only restored from its file.
        if !matches!(entry, Entry::Ran { report, .. } if report.output.bytes(Stream::Stdout).len() > INLINE_OUTPUT)
        {
            assert!(same(entry, &back), "{entry:?}\n{back:?}");
        }
    }
}

/// The first header is like those from before branches stored their place.
#[test]
fn the_header_of_a_branch_is_written_as_ever() {
    let places = [None, Some(BranchPlace::Message(2)), Some(BranchPlace::Block(BlockId(3)))];
    let headers = places.map(|at| {
        let origin = BranchOrigin { session: SessionId("origin".into()), entries: 7, at };
        Entry::Header(Header { branch_of: Some(origin), ..header("branch") })
    });
    frozen("v1-branches.jsonl", &headers.iter().map(line).collect::<String>());
    for header in &headers {
        assert_eq!(&entry_of(line(header).as_bytes()), header);
    }
}

/// Files of version 1 can be read forever. New ones may be added; existing ones are never changed.
#[test]
fn each_session_of_version_1_is_read_as_ever() {
    let v1 = folder().join("v1");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&v1)
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
        .collect();
    files.sort();
    let mut told = String::new();
    for path in files {
        let loaded = crate::store::read(&path).unwrap();
        told += &format!("{}\n", path.file_name().unwrap().to_string_lossy());
        for damage in &loaded.damage {
            told += &format!("{damage}\n");
        }
        for (at, entry) in &loaded.entries {
            told += &format!("{} {}", at.0, line(entry));
        }
    }
    frozen("v1-read.txt", &told);
}

#[test]
fn what_was_masked_is_not_taken_for_whole() {
    let entries = [
        about_tools().remove(0),
        Entry::Block(block(1, "key = '*'")),
        Entry::Edited { block: BlockId(1), revision: Revision(2), source: "x".into(), whole: true },
    ];
    let read = entries.map(|entry| {
        let fields = Masker::default().mask(encode(&entry, Path::new(BLOBS), None).unwrap());
        let (line, _) = seal(ChainLink::FIRST, Timestamp(0), &fields, true);
        match decoded(line.bytes()) {
            Ok(LineContent::Entry(entry, _)) => *entry,
            other => panic!("{other:?}"),
        }
    });
    let [Entry::Reply { kept, .. }, Entry::Block(block), Entry::Edited { whole, .. }] = read else {
        panic!()
    };
    assert!(kept.is_empty() && !block.versions[0].whole && !whole);
}

/// All samples, and entries for the words of the format that the samples lack.
fn all() -> Vec<Entry> {
    let headers = vec![Entry::Header(header("x")), Entry::Header(bare_header())];
    [
        headers,
        each_kind(),
        about_sandbox(),
        about_limits(),
        about_tools(),
        about_instructions(),
        about_recipes(),
        about_pulls(),
        about_context(),
        about_rules(),
        of_replies(),
        of_blocks(),
        of_reviews(),
        of_approvals(),
        of_runs(),
        vec![Entry::Accepted { sha256: Sha256([0xab; 32]) }],
        about_files(),
        about_commands(),
        about_undo(),
        about_edits(),
    ]
    .concat()
}

fn bare_header() -> Header {
    Header { name: String::new(), cwd: strange_path(), model: None, ..header("bare") }
}

fn strange_path() -> PathBuf {
    PathBuf::from(OsString::from_vec(vec![b'/', 0xff, b'x']))
}

fn of_replies() -> Vec<Entry> {
    let reasons = [
        FinishReason::Stop,
        FinishReason::ToolCalls,
        FinishReason::Length,
        FinishReason::Filter,
        FinishReason::Incomplete,
    ];
    let mut entries = reasons
        .map(|reason| {
            let usage = Usage { cached: Some(1), output: Some(2), ..Usage::default() };
            samples::reply_ended(9, ("t", ""), Finish { reason, word: None }, usage)
        })
        .to_vec();
    let kinds = [
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
        FailureKind::SessionUnreadable,
    ];
    let departures = [Departure::Never, Departure::Sent, Departure::Unknown];
    entries.extend(kinds.into_iter().zip(departures.into_iter().cycle()).map(|(kind, departure)| {
        let (status, message, hint) = (None, "m".into(), String::new());
        let failure = ReplyFailure { kind, status, message, hint, departure };
        Entry::TurnEnd(TurnEnd::Failed(Box::new(failure)))
    }));
    let ends = [TurnEnd::Answered, TurnEnd::Stopped, TurnEnd::StepLimit, TurnEnd::Repeated, TurnEnd::Budget];
    entries.extend(ends.map(Entry::TurnEnd));
    entries.push(Entry::Summary { upto: 1, text: "s".into(), model: None, usage: Usage::default() });
    entries.extend(Risk::ALL.map(|risk| Entry::Opinion {
        block: BlockId(1),
        revision: Revision(2),
        model: ModelName { provider: "p".into(), model: "m".into() },
        answer: Ok(Opinion { risk, reason: String::new(), lines: Vec::new() }),
        usage: Usage { input: Some(5), ..Usage::default() },
    }));
    entries
}

fn of_blocks() -> Vec<Entry> {
    [Dialect::Fences, Dialect::ExecuteTags, Dialect::Tools]
        .into_iter()
        .zip([
            BlockKind::Code { language: None },
            BlockKind::Install { wanted_by: None },
            BlockKind::Pull { wanted_by: None },
        ])
        .map(|(dialect, kind)| {
            let mut block = block(3, "a\n");
            block.kind = kind;
            block.origin.dialect = dialect;
            block.origin.closed = false;
            let mut second = block.versions[0].clone();
            (second.revision, second.language, second.whole) = (Revision(2), None, false);
            block.versions.push(second);
            Entry::Block(block)
        })
        .collect()
}

fn of_reviews() -> Vec<Entry> {
    let place = TextRange { line: 1, column: 2, end_line: 3, end_column: 4 };
    let review = Review {
        findings: [(Severity::Info, true), (Severity::Medium, false), (Severity::High, true)]
            .map(|(severity, forbidden)| {
                let (rule, message) = ("py.x".into(), "m".into());
                Finding { rule, severity, place, message, forbidden }
            })
            .to_vec(),
        effects: Effects {
            reads: vec!["a".into()],
            writes: vec!["b".into()],
            deletes: Vec::new(),
            hosts: vec!["c".into()],
            programs: vec!["d".into()],
            packages: vec!["e".into()],
            environment: vec!["*".into()],
            unknown: false,
        },
        traces: [TextOrigin::Output(BlockId(2)), TextOrigin::File(BlockId(3)), TextOrigin::Project]
            .map(|from| Trace { place, text: "/x".into(), from })
            .to_vec(),
        unchecked: None,
    };
    vec![Entry::Review { block: BlockId(1), revision: Revision(1), review }]
}

fn of_approvals() -> Vec<Entry> {
    let approved = |terms: Terms, by: Grantor| samples::approved(3, (2, 4), "x", terms, by);
    let mut entries = [
        Grantor::Person { typed: false },
        Grantor::Person { typed: true },
        Grantor::CommandLine,
        Grantor::Flag,
        Grantor::Rule(RuleId(4)),
        Grantor::Before,
        Grantor::Plan,
    ]
    .map(|by| approved(Terms { version: None, kernel: None, cwd: strange_path(), ..terms() }, by))
    .to_vec();
    let executors = [
        ExecutorKind::Kernel,
        ExecutorKind::Subprocess,
        ExecutorKind::Container,
        ExecutorKind::Jupyter,
        ExecutorKind::Files,
        ExecutorKind::Installer,
        ExecutorKind::Engine,
    ];
    entries.extend(executors.map(|executor| approved(Terms { executor, ..confined() }, Grantor::Flag)));
    let levels = [SandboxLevel::Off, SandboxLevel::ReadOnly, SandboxLevel::Workspace];
    entries.extend(levels.map(|level| {
        let mut terms = confined();
        terms.rights.sandbox.level = level;
        terms.rights.read.push(strange_path());
        approved(terms, Grantor::Flag)
    }));
    let found = [OnDisk::Nothing, OnDisk::File(None), OnDisk::File(Some(Sha256::of(b"y"))), OnDisk::Folder];
    entries.extend(found.map(|found| {
        let target = Target { bytes: 9, folders: 2, ..Target::at(strange_path(), found) };
        approved(Terms { target: Some(target), ..terms() }, Grantor::Flag)
    }));
    entries.extend(RuleScope::ALL.map(|scope| {
        let (id, block, sha256) = (RuleId(1), BlockId(2), Sha256::of(b"z"));
        Entry::RuleAdded(Box::new(Rule { id, scope, block, sha256, terms: confined() }))
    }));
    entries
}

fn of_runs() -> Vec<Entry> {
    let kernel = KernelRef { generation: 2, variables: 5, keeps_running: false };
    let outcomes = [
        (Outcome::Ok, KernelFate::None),
        (Outcome::Failed, KernelFate::Lost(kernel)),
        (Outcome::TimedOut, KernelFate::Kept(kernel)),
        (Outcome::Limit("memory".into()), KernelFate::None),
        (Outcome::Interrupted, KernelFate::None),
        (Outcome::Crashed(String::new()), KernelFate::None),
        (Outcome::Refused("it".into()), KernelFate::None),
        (Outcome::NotStarted("it".into()), KernelFate::None),
    ];
    let big =
        [(Stream::Stdout, &vec![b'x'; 70_000][..]), (Stream::Stderr, b"\xff")].map(|(s, b)| (s, b.to_vec()));
    let mut dropping = OutputBuffer::new(8);
    dropping.push(Stream::Stdout, b"0123456789abcdef");
    let outputs = [
        captured(&[]),
        captured(&[(Stream::Stderr, b"e"), (Stream::Stdout, b"o"), (Stream::Stderr, b"\xff")]),
        dropping,
        OutputBuffer::restore(1 << 20, big, (3, 4)),
    ];
    let mut entries: Vec<Entry> = outcomes
        .into_iter()
        .zip(outputs.into_iter().cycle())
        .enumerate()
        .map(|(n, ((outcome, kernel), output))| {
            let mut report = RunReport { outcome, output, kernel, ..report(OutputBuffer::default()) };
            report.blob = [None, Some("/blobs/run-1.out".into()), Some(strange_path())][n % 3].clone();
            report.images[0].path =
                ["/blobs/figure-1.png".into(), strange_path(), "here.png".into()][n % 3].clone();
            (report.value, report.error, report.cwd) =
                (None, None, [None, Some(strange_path())][n % 2].clone());
            report.receipt.exit_code = None;
            report.receipt.signal = Some(-9);
            samples::ran(n as u32, 1, report)
        })
        .collect();
    let mut changed = report(OutputBuffer::default());
    let file = FileChange::new("modules/config", "changed", 7);
    changed.receipt.files = vec![FileChange { of_git: true, other_names: 2, ..file }];
    changed.receipt.not_looked_at = UnscannedChanges {
        folders: 2,
        files: 1,
        names: vec!["big".into()],
        changes: 0,
        names_incomplete: true,
        unreadable: vec!["sub".into()],
        memory_hidden: true,
        ended_first: true,
    };
    entries.push(samples::ran(8, 1, changed));
    entries
}
