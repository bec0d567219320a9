//! Makes a block of Python with its approval and its run, as in a session file, for artificial sessions.

use sayso::domain::{
    Block, BlockId, BlockKind, Entry, ExecutorKind, Grantor, KernelRef, Language, Limits, Origin, Outcome,
    Revision, Rights, RunId, RunReport, Sha256, StepId, Stream, Terms, Version,
};

/// The block with this number and text, proposed in the step of the same number, and its run, which printed
/// `printed`.
pub fn recorded_run(number: u32, source: &str, printed: &[u8]) -> [Entry; 3] {
    let (block, revision, run) = (BlockId(number), Revision(1), RunId(number));
    let language = Language("python".into());
    let sha256 = Sha256::of(source.as_bytes());
    let version = Version { revision, source: source.into(), language: Some(language.clone()), whole: true };
    let terms = Terms {
        language: language.clone(),
        executor: ExecutorKind::Kernel,
        interpreter: "/usr/bin/python3".into(),
        version: None,
        kernel: Some(KernelRef { generation: 1, variables: 0, keeps_running: false }),
        cwd: "/work".into(),
        rights: Rights::default().into(),
        limits: Limits::default(),
        shared: None,
        target: None,
    };
    let mut report = RunReport::bare(Outcome::Ok);
    report.output.push(Stream::Stdout, printed);
    [
        Entry::Block(Block {
            id: block,
            step: StepId(number),
            kind: BlockKind::Code { language: Some(language) },
            origin: Origin::fence("python", 0..0),
            versions: vec![version],
            placed: Vec::new(),
        }),
        Entry::Approved { run, block, revision, sha256, terms, by: Grantor::Person { typed: false } },
        Entry::Ran { run, block, report: Box::new(report) },
    ]
}
