//! Values for tests, each with as little in it as possible; a test says what differs:
//! `Terms { kernel: None, ..terms() }`.

use super::*;
use std::path::PathBuf;

/// A decision by the person, by a key.
pub(crate) const BY_PERSON: Grantor = Grantor::Person { typed: false };

/// Terms of Python in the first kernel, without a sandbox.
pub(crate) fn terms() -> Terms {
    Terms {
        language: Language::python(),
        executor: ExecutorKind::Kernel,
        interpreter: "/usr/bin/python3".into(),
        version: None,
        kernel: Some(KernelRef { generation: 1, variables: 0, keeps_running: false }),
        cwd: "/work".into(),
        rights: Rights::default().into(),
        limits: Limits::default(),
        shared: None,
        target: None,
    }
}

/// Terms with a sandbox that confines writing and blocks the network.
pub(crate) fn confined() -> Terms {
    let sandbox = SandboxReport {
        level: SandboxLevel::Workspace,
        network_blocked: true,
        writes_confined: true,
        ..SandboxReport::default()
    };
    Terms { rights: Rights { write: vec!["/work".into()], sandbox, ..Rights::default() }.into(), ..terms() }
}

/// Terms of Python in the kernel of this generation.
pub(crate) fn in_kernel(generation: u32) -> Terms {
    Terms { kernel: Some(KernelRef { generation, variables: 0, keeps_running: false }), ..terms() }
}

/// Terms of code in a process of its own.
pub(crate) fn in_subprocess(language: Language) -> Terms {
    Terms { language, executor: ExecutorKind::Subprocess, kernel: None, ..terms() }
}

/// Terms of what sayso itself does with a file; `word` is the kind of the block.
pub(crate) fn of_file(word: &str, target: Target) -> Terms {
    let language = Language(word.into());
    Terms { language, executor: ExecutorKind::Files, kernel: None, target: Some(target), ..terms() }
}

/// Instructions in this file, which is the person's own or the project's.
pub(crate) fn instructions(path: &str, text: &str, own: bool) -> Instructions {
    Instructions { path: path.into(), text: text.into(), bytes: text.len() as u64, own }
}

/// The header of a session in `/w`.
pub(crate) fn header(id: &str) -> Header {
    Header::new(SessionId(id.into()), Timestamp(0), "/w".into())
}

/// A finished reply with this text and reasoning.
pub(crate) fn reply(step: u32, text: &str, reasoning: &str) -> Entry {
    let finish = Finish { reason: FinishReason::Stop, word: None };
    reply_ended(step, (text, reasoning), finish, Usage::default())
}

/// A reply with this text and reasoning that ended so.
pub(crate) fn reply_ended(step: u32, (text, reasoning): (&str, &str), finish: Finish, usage: Usage) -> Entry {
    Entry::Reply {
        step: StepId(step),
        text: text.into(),
        reasoning: reasoning.into(),
        tool_calls: Vec::new(),
        kept: Vec::new(),
        finish,
        usage,
    }
}

/// A whole block of this kind from the first reply. What is not code counts as Python.
pub(crate) fn block(id: u32, kind: BlockKind, source: &str) -> Block {
    let language = match &kind {
        BlockKind::Code { language } => language.clone(),
        _ => Some(Language::python()),
    };
    Block {
        id: BlockId(id),
        step: StepId(1),
        kind,
        origin: Origin::fence("python", 0..1),
        versions: vec![Version { revision: Revision(1), source: source.into(), language, whole: true }],
        placed: Vec::new(),
    }
}

/// A whole block of code from the first reply.
pub(crate) fn code(id: u32, language: Language, source: &str) -> Block {
    block(id, BlockKind::Code { language: Some(language) }, source)
}

/// The decision that a revision of a block may run.
pub(crate) fn approved(
    run: u32,
    (block, revision): (u32, u32),
    source: &str,
    terms: Terms,
    by: Grantor,
) -> Entry {
    Entry::Approved {
        run: RunId(run),
        block: BlockId(block),
        revision: Revision(revision),
        sha256: Sha256::of(source.as_bytes()),
        terms,
        by,
    }
}

/// The end of a run.
pub(crate) fn ran(run: u32, block: u32, report: RunReport) -> Entry {
    Entry::Ran { run: RunId(run), block: BlockId(block), report: Box::new(report) }
}

/// A picture that a run showed, of one pixel.
pub(crate) fn image(path: impl Into<PathBuf>) -> ImageRef {
    let (name, mime) = ("figure-1.png".to_owned(), "image/png".to_owned());
    ImageRef { path: path.into(), name, mime, width: 1, height: 1, bytes: 3 }
}
