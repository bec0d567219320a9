//! Values for scenes: terms, findings, reports of runs, providers.

use sayso::domain::*;
use sayso::engine::Inspection;
use sayso::tui::setup::Cloud;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// Terms on this machine, without a sandbox.
pub fn terms(language: &str) -> Terms {
    let kernel = language == "python";
    Terms {
        language: Language(language.into()),
        executor: if kernel { ExecutorKind::Kernel } else { ExecutorKind::Subprocess },
        interpreter: PathBuf::from("/usr/bin/python3.12"),
        version: Some("3.12.4".into()),
        kernel: kernel.then_some(KERNEL),
        cwd: "/home/ada/data/sales".into(),
        rights: Rights {
            network: true,
            environment: ["PATH", "HOME", "LANG", "LC_ALL", "TERM", "TZ"].map(String::from).to_vec(),
            sandbox: SandboxReport {
                memory: Enforcement::Watched,
                processes: Enforcement::Watched,
                files: Enforcement::Enforced,
                ..SandboxReport::default()
            },
            ..Rights::default()
        }
        .into(),
        limits: Limits::default(),
        shared: None,
        target: None,
    }
}

const KERNEL: KernelRef = KernelRef { generation: 1, variables: 14, keeps_running: false };

/// Terms of a sandbox that confines a block to the working folder.
pub fn confined(language: &str) -> Terms {
    let mut terms = terms(language);
    terms.rights.network = false;
    terms.rights.write = vec!["/home/ada/data/sales".into()];
    let sandbox = &mut terms.rights.sandbox;
    sandbox.level = SandboxLevel::Workspace;
    (sandbox.network_blocked, sandbox.writes_confined, sandbox.reads_confined) = (true, true, true);
    sandbox.contained = true;
    terms
}

/// The inspection of a block that writes `notes.md`, whose present text is `before`.
pub fn writing(before: Option<&str>) -> Inspection {
    let found = before.map_or(OnDisk::Nothing, |text| OnDisk::File(Some(Sha256::of(text.as_bytes()))));
    let target = Target {
        bytes: before.map_or(0, |text| text.len() as u64),
        ..Target::at("/home/ada/data/sales/notes.md", found)
    };
    let mut terms = Terms { executor: ExecutorKind::Files, kernel: None, ..terms("write") };
    terms.rights.write.push(target.path.clone());
    terms.target = Some(target);
    Inspection { before: before.map(Arc::from), ..inspection(terms, Vec::new()) }
}

/// The inspection of a block that can run under these terms.
pub fn inspection(terms: Terms, findings: Vec<Finding>) -> Inspection {
    Inspection::new(Review { findings, ..Review::default() }, Ok(terms))
}

pub fn findings() -> Vec<Finding> {
    vec![
        finding("py.x", Severity::High, (11, 1..20), "deletes a folder: out/charts (3 files, 1.2 MB)"),
        finding("py.x", Severity::Medium, (22, 1..20), "overwrites a file: out/top3.csv (61 B now)"),
    ]
}

/// What a rule finds in these columns of a line.
pub fn finding(rule: &str, severity: Severity, (line, columns): (u32, Range<u32>), message: &str) -> Finding {
    let place = TextRange { line, column: columns.start, end_line: line, end_column: columns.end };
    Finding { rule: rule.into(), severity, place, message: message.into(), forbidden: false }
}

/// What a provider answers instead of a reply.
pub fn failure(kind: FailureKind, message: &str, departure: Departure) -> ReplyFailure {
    ReplyFailure { kind, status: None, message: message.into(), hint: String::new(), departure }
}

/// There is no network.
pub fn name_not_found() -> ReplyFailure {
    failure(FailureKind::NameNotFound, "Cannot reach api.example.com: name not found.", Departure::Never)
}

/// The report of a successful run.
pub fn report(output: &str, wall_ms: u64) -> RunReport {
    let mut captured = OutputBuffer::new(1 << 20);
    captured.push(Stream::Stdout, output.as_bytes());
    RunReport {
        pictures: Vec::new(),
        outcome: Outcome::Ok,
        receipt: Receipt {
            wall_us: wall_ms * 1000,
            cpu_us: wall_ms * 950,
            peak_rss_bytes: 164 << 20,
            processes: 1,
            exit_code: Some(0),
            ..Receipt::default()
        },
        output: captured,
        blob: None,
        value: None,
        error: None,
        images: Vec::new(),
        kernel: KernelFate::Kept(KERNEL),
        cwd: None,
    }
}

/// An image of a run, of which a copy is stored.
pub fn image(name: &str) -> ImageRef {
    ImageRef {
        path: format!("/blobs/{name}").into(),
        name: name.into(),
        mime: "image/png".into(),
        width: 1350,
        height: 600,
        bytes: 48_000,
    }
}

/// Providers in the cloud, one of them with a key.
pub fn clouds() -> Vec<Cloud> {
    let cloud = |provider: &str, title: &str, key_name: &str, key_location: Option<&str>| Cloud {
        provider: provider.into(),
        title: title.into(),
        key_name: key_name.into(),
        key_location: key_location.map(Into::into),
    };
    vec![
        cloud("openai", "OpenAI", "OPENAI_API_KEY", None),
        cloud("anthropic", "Anthropic", "ANTHROPIC_API_KEY", Some("ANTHROPIC_API_KEY")),
        cloud("gemini", "Gemini", "GEMINI_API_KEY", None),
    ]
}
