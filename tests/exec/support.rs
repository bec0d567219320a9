//! A shop for runs: an executor with a folder of its own, and the helper that was just built.

use crate::beside::Place;
use sayso::config::Executors;
use sayso::domain::*;
use sayso::exec::{DisabledLayers, Executor, HelperFile, SandboxRequest, Setup, TermsFor};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

pub struct Shop {
    pub executor: Executor,
    pub folder: tempfile::TempDir,
    next: AtomicU32,
    // Last, so that it is given back when everything that ran is gone.
    _place: Place,
}

/// The sandbox with all its layers, and without the outer one.
pub const ALL: DisabledLayers =
    DisabledLayers { bwrap: false, landlock: false, seccomp: false, cgroup: false };
pub const NO_BWRAP: DisabledLayers = DisabledLayers { bwrap: true, ..ALL };

/// How often to try what can be late; all but the last attempt may fail.
pub const MAX_TRIES: usize = 4;
/// The time from the interrupt at a time limit to the first signal that ends by force.
const FORCE_DELAY: Duration = Duration::from_millis(700);

/// The events of a run, as they arrive.
pub type Events = mpsc::Receiver<(RunId, RunEvent)>;

/// All events of a run, and how long it took.
pub struct Told {
    pub events: Vec<RunEvent>,
    pub report: RunReport,
    pub took: Duration,
}

impl Shop {
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    /// A shop whose runs see the processes, ids and signals of this machine.
    pub fn unconfined() -> Self {
        Self::with(|setup| setup.sandbox = SandboxRequest::default())
    }

    pub fn with(change: impl FnOnce(&mut Setup)) -> Self {
        Self::at(Place::beside(), change)
    }

    /// A shop that runs while no other one does.
    pub fn alone() -> Self {
        Self::at(Place::alone(), |_| {})
    }

    fn at(place: Place, change: impl FnOnce(&mut Setup)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = std::fs::canonicalize(folder.path()).unwrap();
        std::fs::create_dir(base.join("work")).unwrap();
        let mut setup = Setup {
            helper: HelperFile::at(&helper()).unwrap(),
            cwd: base.join("work"),
            blobs: base.join("blobs"),
            languages: Languages::default(),
            environment: Vec::new(),
            python: Some(python()),
            limits: Limits { wall_ms: 20_000, ..Limits::default() },
            sandbox: SandboxRequest { level: SandboxLevel::Workspace, ..SandboxRequest::default() },
            worked: Vec::new(),
            without: ALL,
            home: std::env::var_os("HOME").map(PathBuf::from),
            own: Vec::new(),
            masker: Masker::default(),
        };
        change(&mut setup);
        Self { executor: Executor::new(setup), folder, next: AtomicU32::new(1), _place: place }
    }

    /// A shop with an executor other than the local one.
    pub fn elsewhere(choice: &str, executors: &Executors, change: impl FnOnce(&mut Setup)) -> Self {
        let mut own = None;
        let shop = Self::with(|setup| {
            change(setup);
            own = Some(setup.clone());
        });
        let executor = Executor::of(own.unwrap(), &choice.parse().unwrap(), executors);
        Self { executor, ..shop }
    }

    pub fn work(&self) -> PathBuf {
        self.base().join("work")
    }

    /// The folder of this shop, in which the working folder lies.
    pub fn base(&self) -> PathBuf {
        std::fs::canonicalize(self.folder.path()).unwrap()
    }

    pub async fn request(&self, language: &str, source: &str, wall_ms: Option<u64>) -> RunRequest {
        let limits = wall_ms.map(|wall_ms| Limits { wall_ms, ..Limits::default() });
        let terms = self.executor.terms(&Language(language.into()), limits).await.unwrap();
        self.request_under(terms, source)
    }

    pub fn request_under(&self, terms: Terms, source: &str) -> RunRequest {
        let n = self.next.fetch_add(1, Ordering::Relaxed);
        let grantor = Grantor::Person { typed: false };
        let approval =
            Approval::grant(RunId(n), (BlockId(n), Revision(1)), source, terms, grantor, Timestamp(0));
        RunRequest::new(approval, Arc::from(source)).unwrap()
    }

    pub fn start(&self, request: RunRequest) -> (RunId, Events) {
        let (sender, receiver) = mpsc::channel(64);
        let id = request.approval().run();
        self.executor.start(request, sender);
        (id, receiver)
    }

    /// The terms under which a block in this language would run now.
    pub async fn terms(&self, language: &str) -> Terms {
        self.executor.terms(&Language(language.into()), None).await.unwrap()
    }

    /// Why no block in this language can run now.
    pub async fn refusal(&self, language: &str) -> String {
        self.terms_for(language, TermsFor::Usual).await.unwrap_err()
    }

    /// The terms for this purpose, or why there are none.
    pub async fn terms_for(&self, language: &str, purpose: TermsFor) -> Result<Terms, String> {
        let terms = self.executor.terms_for(&Language(language.into()), purpose, None).await;
        terms.map_err(|error| error.to_string())
    }

    /// Carries out a run to its end.
    pub async fn carry_out(&self, request: RunRequest) -> Told {
        all(self.start(request).1).await
    }

    /// Starts a run and waits until it has printed this.
    pub async fn start_until(
        &self,
        language: &str,
        source: &str,
        wall_ms: Option<u64>,
        mark: &str,
    ) -> (RunId, Events, Vec<RunEvent>) {
        let (id, mut receiver) = self.start(self.request(language, source, wall_ms).await);
        let events = until_output(&mut receiver, mark).await;
        (id, receiver, events)
    }

    /// A run that this is done to once it has printed the mark.
    pub async fn controlled(&self, language: &str, source: &str, mark: &str, control: RunControl) -> Told {
        let (id, receiver, events) = self.start_until(language, source, None, mark).await;
        self.executor.control(id, control);
        rest_of(receiver, events).await
    }

    pub async fn run(&self, language: &str, source: &str) -> Told {
        self.run_for(language, source, None).await
    }

    pub async fn run_for(&self, language: &str, source: &str, wall_ms: Option<u64>) -> Told {
        self.carry_out(self.request(language, source, wall_ms).await).await
    }

    pub async fn py(&self, source: &str) -> Told {
        self.run("python", source).await
    }

    /// Runs a source with several parts. `ends` answers each end of a part from what was printed so far: the reason to
    /// end the run there, if any.
    pub async fn parts(&self, source: &str, ends: impl Fn(u32, &str) -> Option<&'static str>) -> Told {
        let (id, mut receiver) = self.start(self.request("python", source, None).await);
        let mut events = Vec::new();
        while !matches!(events.last(), Some(RunEvent::Ended(_))) {
            let event = next_of(&mut receiver, || "another event".into()).await;
            if let RunEvent::PartEnded { part, printed } = &event {
                let printed = String::from_utf8(printed.bytes(Stream::Stdout)).unwrap();
                self.executor
                    .control(id, RunControl::AfterPart(*part, ends(*part, &printed).map(str::to_owned)));
            }
            events.push(event);
        }
        rest_of(receiver, events).await
    }

    pub async fn sh(&self, source: &str) -> Told {
        self.run("bash", source).await
    }

    /// A run that is interrupted once it has printed this.
    pub async fn interrupted(&self, language: &str, source: &str, mark: &str) -> Told {
        let told = self.controlled(language, source, mark, RunControl::Interrupt).await;
        assert_eq!(told.report.outcome, Outcome::Interrupted, "{source}");
        told
    }

    /// The packages that a source lacks. Asks again if the machine is so busy that no answer comes in time.
    pub async fn lacking(&self, source: &str, packages: &[String]) -> Vec<String> {
        for _ in 1..MAX_TRIES {
            let lacking = self.executor.missing_packages(source, packages).await;
            if !lacking.is_empty() {
                return lacking;
            }
        }
        self.executor.missing_packages(source, packages).await
    }
}

/// Reads all events; `Ended` must come once and last.
pub async fn all(receiver: Events) -> Told {
    rest_of(receiver, Vec::new()).await
}

pub async fn rest_of(mut receiver: Events, mut events: Vec<RunEvent>) -> Told {
    let since = Instant::now();
    loop {
        let next = tokio::time::timeout(Duration::from_secs(60), receiver.recv()).await;
        match next.expect("nothing came for 60 s") {
            Some((_, event)) => events.push(event),
            None => break,
        }
    }
    let ends = events.iter().filter(|e| matches!(e, RunEvent::Ended(_))).count();
    assert_eq!(ends, 1, "the end has to come once");
    let Some(RunEvent::Ended(report)) = events.last().cloned() else { panic!("the end has to be the last") };
    Told { events, report: *report, took: since.elapsed() }
}

/// Repeats this a few times until it ends within a time: a busy machine is late now and then, but a run that ends late
/// is late every time. Everything else must hold every time.
pub async fn in_time(most: Duration, play: impl AsyncFn() -> Told) -> Told {
    let mut late = Vec::new();
    for _ in 0..MAX_TRIES {
        let told = play().await;
        if told.took < most {
            return told;
        }
        late.push(told.took);
    }
    panic!("not once within {most:?}: {late:?}")
}

/// The next event, which has to come while this is waited for.
async fn next_of(receiver: &mut Events, wanted: impl Fn() -> String) -> RunEvent {
    let next = tokio::time::timeout(Duration::from_secs(30), receiver.recv()).await;
    next.unwrap_or_else(|_| panic!("not in 30 s: {}", wanted())).expect("ended early").1
}

/// Reads events until a part of the source has ended.
pub async fn until_part(receiver: &mut Events) -> Vec<RunEvent> {
    let mut events = Vec::new();
    while !matches!(events.last(), Some(RunEvent::PartEnded { .. })) {
        events.push(next_of(receiver, || "the end of a part".into()).await);
    }
    events
}

/// Reads events until this was printed.
pub async fn until_output(receiver: &mut Events, wanted: &str) -> Vec<RunEvent> {
    let (mut events, mut text) = (Vec::new(), String::new());
    while !text.contains(wanted) {
        let event = next_of(receiver, || format!("{wanted:?} in {text:?}")).await;
        if let RunEvent::Output(chunk) = &event {
            text.push_str(&String::from_utf8_lossy(&chunk.bytes));
        }
        events.push(event);
    }
    events
}

impl Told {
    pub fn out(&self) -> String {
        String::from_utf8_lossy(&self.report.output.bytes(Stream::Stdout)).into_owned()
    }

    pub fn err(&self) -> String {
        String::from_utf8_lossy(&self.report.output.bytes(Stream::Stderr)).into_owned()
    }

    pub fn value(&self) -> &str {
        self.report.value.as_deref().unwrap_or("(none)")
    }

    #[track_caller]
    pub fn variables(&self) -> &[Variable] {
        let told = self.events.iter().find_map(|event| match event {
            RunEvent::Variables(variables) => Some(variables),
            _ => None,
        });
        told.expect("variables are told")
    }

    pub fn error(&self) -> &RunError {
        self.report.error.as_ref().unwrap_or_else(|| panic!("no error: {:?}", self.report))
    }

    #[track_caller]
    pub fn ok(self) -> Self {
        self.ended(Outcome::Ok)
    }

    /// Asserts how it ended; a failure shows all that was printed.
    #[track_caller]
    pub fn ended(self, outcome: Outcome) -> Self {
        assert_eq!(self.report.outcome, outcome, "{:?}\n{}\n{}", self.report.error, self.out(), self.err());
        self
    }

    /// The same result, which [`in_time`] treats as late unless this was in time: the clock was faster than what had to
    /// come before.
    pub fn late_unless(mut self, was_in_time: bool) -> Self {
        if !was_in_time {
            self.took = Duration::MAX;
        }
        self
    }

    /// Checks a run that its limit interrupts: it keeps its kernel, or was killed because the machine was so busy, but
    /// not sooner than allowed.
    pub fn kept_at_limit(self, limit: Duration) -> Self {
        let kept = self.kept();
        assert!(kept || self.took >= limit + FORCE_DELAY, "{:?} {:?}", self.took, self.report);
        self.late_unless(kept)
    }

    pub fn kept(&self) -> bool {
        matches!(self.report.kernel, KernelFate::Kept(_))
    }

    pub fn lost(&self) -> bool {
        matches!(self.report.kernel, KernelFate::Lost(_))
    }
}

/// The program that was just built.
pub fn helper() -> PathBuf {
    std::env::var_os("SAYSO_TEST_HELPER").map_or_else(|| env!("CARGO_BIN_EXE_sayso").into(), PathBuf::from)
}

/// The Python for the tests: `SAYSO_TEST_PYTHON`, else that of the system, which is no shim.
pub fn python() -> PathBuf {
    std::env::var_os("SAYSO_TEST_PYTHON").map_or_else(|| "/usr/bin/python3".into(), PathBuf::from)
}

/// The entry of a language in the configuration of a shop. The type of an entry has no public name.
macro_rules! language_of {
    ($setup:expr, $name:literal) => {
        std::sync::Arc::make_mut(&mut $setup.languages.0)
            .iter_mut()
            .find(|entry| entry.name.as_str() == $name)
            .unwrap()
    };
}
pub(crate) use language_of;

/// Waits for a condition, with a time limit.
#[track_caller]
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < until, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub fn alive(pid: i32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with(['Z', 'X']))
}

/// All processes of this machine.
pub fn processes() -> impl Iterator<Item = i32> {
    let all = std::fs::read_dir("/proc").unwrap();
    all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// The living processes whose command line or environment contains this word.
pub fn processes_with(word: &str) -> Vec<i32> {
    processes_that_hold(word, &["cmdline", "environ"])
}

/// The living processes of which one of these files contains this word.
pub fn processes_that_hold(word: &str, files: &[&str]) -> Vec<i32> {
    let holds = |pid: i32, file: &str| {
        std::fs::read(format!("/proc/{pid}/{file}"))
            .is_ok_and(|text| text.windows(word.len()).any(|w| w == word.as_bytes()))
    };
    processes()
        .filter(|pid| *pid != std::process::id() as i32 && alive(*pid))
        .filter(|pid| files.iter().any(|file| holds(*pid, file)))
        .collect()
}

pub fn open_descriptors() -> usize {
    std::fs::read_dir(Path::new("/proc/self/fd")).unwrap().count()
}

/// Checks that a text has all of these parts.
#[track_caller]
pub fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in {text:?}");
    }
}

/// Runs an ignored test of this binary in a process of its own, since other tests use memory and open files too.
pub fn play_alone(test: &str) {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
