//! Compares what sayso says about a block before it runs with what the run can do and does. That is observed from
//! outside, by files and listeners of this machine, never by what sayso reports about the run.
//!
//! The programs are data (`tests/fixtures/truth`). Each is tried under each setting; a sentence that the deeds contradict
//! is printed with its program.

use crate::support::*;
use rustix::fs::inotify;
use sayso::domain::*;
use sayso::exec::{Executor, SandboxRequest, Setup};
use sayso::review::{self, Scope};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read as _;
use std::mem::MaybeUninit;
use std::net::{IpAddr, TcpListener, UdpSocket};
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

const PROGRAMS: &str = include_str!("../fixtures/truth/programs.toml");
/// The least number of programs for each setting.
const LEAST: usize = 60;

/// Files that a program may or may not reach, and listeners.
struct World {
    base: PathBuf,
    watch: OwnedFd,
    names: BTreeMap<i32, PathBuf>,
    listeners: Vec<(IpAddr, TcpListener)>,
    _folder: tempfile::TempDir,
}

/// What was observed of a run from outside.
#[derive(Debug, Default)]
struct Deeds {
    read: BTreeSet<PathBuf>,
    written: BTreeSet<PathBuf>,
    deleted: BTreeSet<PathBuf>,
    reached: BTreeSet<IpAddr>,
}

/// What sayso said about a block beforehand.
struct Said {
    effects: Effects,
    refused: Vec<String>,
    rights: Rights,
    reach: Reach,
    /// Whether it claims to be complete.
    whole: bool,
}

type Files = BTreeMap<PathBuf, Option<Vec<u8>>>;

const FILES: [(&str, &str); 19] = [
    ("home/notes.txt", "private"),
    ("home/.bashrc", "# mine\n"),
    ("home/.ssh/id_ed25519", "canary"),
    ("home/sales.csv", "ann,1\nbob,2\n"),
    ("home/old.txt", "old\n"),
    ("home/sub/a.txt", "a\n"),
    ("home/sub/b.txt", "b\n"),
    ("home/.envrc", "mine\n"),
    ("home/.git/hooks/pre-commit", "mine\n"),
    ("home/work/sales.csv", "ann,1\nbob,2\n"),
    ("home/work/old.txt", "old\n"),
    ("home/work/sub/a.txt", "a\n"),
    ("home/work/sub/b.txt", "b\n"),
    ("home/work/.envrc", "mine\n"),
    ("home/work/.git/hooks/pre-commit", "mine\n"),
    ("beside/public.txt", "public\n"),
    ("beside/drop.txt", "drop\n"),
    ("opened/in.txt", "in\n"),
    ("out/there.txt", "there\n"),
];

impl World {
    fn new() -> Self {
        // Not below `/tmp`, which is another folder inside the sandbox.
        let beside = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let parent = if beside.starts_with("/tmp") { Path::new("/var/tmp") } else { beside };
        let folder = tempfile::tempdir_in(parent).unwrap();
        let base = fs::canonicalize(folder.path()).unwrap();
        let watch = inotify::init(inotify::CreateFlags::CLOEXEC | inotify::CreateFlags::NONBLOCK).unwrap();
        let mut addresses: Vec<IpAddr> = vec!["127.0.0.1".parse().unwrap()];
        // Sends no packet: the system only chooses the address that it would use.
        let route = UdpSocket::bind("0.0.0.0:0").and_then(|s| s.connect("192.0.2.1:9").and(s.local_addr()));
        addresses.extend(route.ok().map(|address| address.ip()));
        let listen = |ip: IpAddr| {
            let listener = TcpListener::bind((ip, 0)).unwrap();
            listener.set_nonblocking(true).unwrap();
            (ip, listener)
        };
        let listeners = addresses.into_iter().map(listen).collect();
        let world = Self { base, watch, names: BTreeMap::new(), listeners, _folder: folder };
        world.restore();
        world
    }

    fn at(&self, path: &str) -> PathBuf {
        self.base.join(path)
    }

    /// Restores all files.
    fn restore(&self) {
        for part in ["home", "beside", "opened", "out"] {
            for (path, _) in files(&self.at(part)) {
                let wanted = FILES.iter().any(|(name, _)| self.at(name).starts_with(&path));
                if !wanted && path.exists() {
                    let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
                }
            }
        }
        for (name, text) in FILES {
            let path = self.at(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            if fs::read(&path).ok().as_deref() != Some(text.as_bytes()) {
                fs::write(&path, text).unwrap();
            }
        }
    }

    /// Watches every folder from now on.
    fn look(&mut self) -> Files {
        let all = files(&self.base);
        for folder in all.iter().filter(|(_, text)| text.is_none()).map(|(path, _)| path).chain([&self.base])
        {
            let number = inotify::add_watch(&self.watch, folder, inotify::WatchFlags::ACCESS).unwrap();
            self.names.insert(number, folder.clone());
        }
        // What was read here was not read by the run.
        self.accessed();
        for (_, listener) in &self.listeners {
            while listener.accept().is_ok() {}
        }
        all
    }

    /// The files that were read since the last call.
    fn accessed(&self) -> BTreeSet<PathBuf> {
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = inotify::Reader::new(&self.watch, &mut buffer);
        let mut found = BTreeSet::new();
        while let Ok(event) = reader.next() {
            let is_file = !event.events().contains(inotify::ReadFlags::ISDIR);
            let folder = self.names.get(&event.wd());
            if let (Some(folder), Some(name), true) = (folder, event.file_name(), is_file) {
                found.insert(folder.join(name.to_str().unwrap()));
            }
        }
        found
    }

    /// What the run did since `before`.
    fn deeds(&self, before: &Files) -> Deeds {
        let read = self.accessed();
        let now = files(&self.base);
        let written = now.iter().filter(|(path, text)| before.get(*path) != Some(text));
        let deleted = before.keys().filter(|path| !now.contains_key(*path)).cloned().collect();
        let reached = self.listeners.iter().filter(|(_, listener)| match listener.accept() {
            Ok((mut stream, _)) => {
                let _ = stream.read(&mut [0; 16]);
                true
            }
            Err(_) => false,
        });
        Deeds {
            read,
            written: written.map(|(path, _)| path.clone()).collect(),
            deleted,
            reached: reached.map(|(ip, _)| *ip).collect(),
        }
    }

    fn text(&self, template: &str) -> String {
        let mut text = template.to_owned();
        for part in ["home", "beside", "opened", "out"] {
            text = text.replace(&format!("{{{part}}}"), self.at(part).to_str().unwrap());
        }
        for (name, (ip, listener)) in ["loop", "lan"].into_iter().zip(self.listeners.iter().cycle()) {
            text = text.replace(&format!("{{{name}}}"), &ip.to_string());
            let port = listener.local_addr().unwrap().port();
            text = text.replace(&format!("{{{name}_port}}"), &port.to_string());
        }
        text
    }
}

/// All files and folders below one; a folder has no text.
fn files(folder: &Path) -> Files {
    let mut found = Files::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok) {
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                todo.push(path.clone());
                found.insert(path, None);
            } else {
                found.insert(path.clone(), Some(fs::read(&path).unwrap_or_default()));
            }
        }
    }
    found
}

/// Where a path in a program leads; `None` if a part of it is not known.
fn place(text: &str, scope: &Scope) -> Option<PathBuf> {
    if text.contains(['…', '*', '$', '?']) {
        return None;
    }
    let home = scope.home.as_ref().unwrap();
    let full = match text.strip_prefix("~") {
        Some(rest) => home.join(rest.trim_start_matches('/')),
        None => scope.cwd.join(text),
    };
    let mut plain = PathBuf::new();
    for part in full.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    Some(plain)
}

fn below(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| path.starts_with(folder))
}

/// What sayso said and the deeds contradict, and the deeds that sayso did not mention.
fn untruths(said: &Said, deeds: &Deeds, scope: &Scope, world: &World) -> Vec<String> {
    let mut wrong = Vec::new();
    let effects = &said.effects;
    let reads: fn(&Reach, &Path) -> Reachability = |reach, path| reach.reads(path);
    let writes: fn(&Reach, &Path) -> Reachability = |reach, path| reach.writes(path);
    let kinds = [
        ("reads", &effects.reads, &deeds.read, reads),
        ("writes", &effects.writes, &deeds.written, writes),
        ("deletes", &effects.deletes, &deeds.deleted, writes),
    ];
    let is_open = |text: &str, can: fn(&Reach, &Path) -> Reachability| {
        place(text, scope)
            .is_none_or(|path| said.reach.through(&path, &real(&path), can) == Reachability::Yes)
    };
    let all_open = kinds.iter().all(|(_, told, _, can)| told.iter().all(|text| is_open(text, *can)));
    for (verb, told, done, _) in kinds {
        for text in told {
            let Some(path) = place(text, scope) else { continue };
            let happened = done.iter().any(|seen| seen.starts_with(&path));
            let refused = said.refused.iter().any(|line| line.starts_with(&format!("{verb} {text}:")));
            if refused && happened {
                wrong.push(format!("said to be refused, and it happened: {verb} {text}"));
            }
            // If anything is blocked or unknown, the program may have stopped there. What `~` means may differ if
            // programs see another home.
            let ambiguous = text.starts_with('~') && said.reach.home.as_ref() != scope.home.as_ref();
            let claimed = all_open && !ambiguous && said.refused.is_empty() && path.starts_with(&world.base);
            if said.whole && claimed && !refused && !happened {
                wrong.push(format!("not said to be refused, and it did not happen: {verb} {text}"));
            }
        }
        for seen in done {
            let named = told.iter().any(|text| place(text, scope).is_none_or(|path| seen.starts_with(path)));
            if said.whole && !named && !effects.unknown {
                wrong.push(format!("it {verb} {}, which nothing said", seen.display()));
            }
        }
    }
    wrong.extend(network_untruths(said, deeds, world));
    let open = said.rights.sandbox.level == SandboxLevel::Off;
    let rights = &said.rights;
    for seen in
        deeds.read.iter().filter(|seen| !open && !below(seen, &rights.read) && !below(seen, &rights.write))
    {
        wrong.push(format!("it read {}, beyond what it may read", seen.display()));
    }
    for seen in deeds.written.iter().chain(&deeds.deleted).filter(|seen| !open && !below(seen, &rights.write))
    {
        wrong.push(format!("it changed {}, beyond what it may write", seen.display()));
    }
    wrong
}

fn network_untruths(said: &Said, deeds: &Deeds, world: &World) -> Vec<String> {
    let mut wrong = Vec::new();
    let closed = !said.rights.network && said.rights.sandbox.network_blocked;
    for (ip, _) in &world.listeners {
        let named = said.effects.hosts.iter().any(|host| host.contains(&ip.to_string()));
        let reached = deeds.reached.contains(ip);
        let refused = said.refused.iter().any(|line| line.contains(&format!("reaches {ip}")));
        if reached && (closed || refused) {
            wrong.push(format!("the network is said to be closed, and {ip} was reached"));
        }
        if said.whole && reached && !named && !said.effects.unknown {
            wrong.push(format!("it reached {ip}, which nothing said"));
        }
        if named && !reached && !closed {
            wrong.push(format!("the network is said to be open, and {ip} was not reached"));
        }
        if named && closed && !refused && !ip.is_loopback() {
            wrong.push(format!("not said to be refused: it reaches {ip}"));
        }
    }
    wrong
}

async fn said(executor: &Executor, program: &Program, text: &str, home: &Path) -> (Said, Terms, Scope) {
    let language = Language(program.language.clone());
    let terms = executor.terms(&language, None).await.unwrap();
    let scope = Scope { cwd: terms.cwd.clone(), home: Some(home.into()), ..Scope::default() };
    let effects = review::review(text, Some(&language), &scope).effects;
    let reach = executor.reach(&terms).await;
    let refused = review::refusals(&effects, &reach, &scope, &real);
    let rights = (*terms.rights).clone();
    (Said { effects, refused, rights, reach, whole: program.whole }, terms, scope)
}

/// Where a path leads when links are followed, as far as it exists.
fn real(path: &Path) -> PathBuf {
    let there = path.ancestors().find_map(|part| Some((part, fs::canonicalize(part).ok()?)));
    there.map_or_else(|| path.into(), |(part, real)| real.join(path.strip_prefix(part).unwrap()))
}

/// A program of the table.
struct Program {
    language: String,
    name: String,
    text: String,
    /// Whether what sayso says about it must be complete.
    whole: bool,
}

fn programs() -> Vec<Program> {
    let mut table: toml::Table = PROGRAMS.parse().unwrap();
    let parts = table.remove("not-yet-told-whole").unwrap();
    let mut all = Vec::new();
    for (language, programs) in &table {
        let parts = parts.get(language).and_then(toml::Value::as_array).cloned().unwrap_or_default();
        for (name, text) in programs.as_table().unwrap() {
            let whole = !parts.iter().any(|part| part.as_str() == Some(name));
            let (language, name) = (language.clone(), name.clone());
            all.push(Program { language, name, text: text.as_str().unwrap().to_owned(), whole });
        }
    }
    all
}

/// A setting in which all programs are run.
struct Setting {
    name: &'static str,
    /// The level that sayso reports for it.
    level: SandboxLevel,
    languages: &'static [&'static str],
    least: usize,
    /// Run only every so-many-th program that is a process of its own, where one takes seconds.
    every: usize,
}

const LANGUAGES: &[&str] = &["bash", "python", "javascript"];

impl Setting {
    fn local(name: &'static str, level: SandboxLevel) -> Self {
        let node = Path::new("/usr/bin/node").exists();
        let (languages, least) = if node { (LANGUAGES, LEAST) } else { (&LANGUAGES[..2], 50) };
        Self { name, level, languages, least, every: 1 }
    }

    async fn try_all(&self, shop: &Shop, mut world: World) {
        let home = world.at("home");
        let (mut wrong, mut tried, mut processes) = (Vec::new(), 0, 0);
        for program in programs() {
            let of_kernel = program.language == "python";
            processes += usize::from(!of_kernel);
            let left_out = !of_kernel && processes % self.every != 0;
            if left_out || !self.languages.contains(&program.language.as_str()) {
                continue;
            }
            // Without a sandbox, the home folder is that of the real account, which this test must not touch.
            let off = self.level == SandboxLevel::Off;
            let template = if off { program.text.replace("~/", "{home}/") } else { program.text.clone() };
            let text = world.text(&template);
            world.restore();
            let (said, terms, scope) = said(&shop.executor, &program, &text, &home).await;
            assert_eq!(terms.rights.sandbox.level, self.level, "{:?}", terms.rights.sandbox);
            let before = world.look();
            let report = shop.carry_out(shop.request_under(terms, &text)).await.report;
            let Program { language, name, .. } = &program;
            let ran = matches!(report.outcome, Outcome::Ok | Outcome::Failed);
            assert!(ran, "{language} {name}: {report:?}");
            let deeds = world.deeds(&before);
            tried += 1;
            for untruth in untruths(&said, &deeds, &scope, &world) {
                wrong.push(format!("{language} {name}: {untruth}\n    {:?}", said.refused));
            }
        }
        shop.executor.close().await;
        assert!(tried >= self.least, "{tried} programs were tried");
        let Self { name, .. } = self;
        assert!(wrong.is_empty(), "{name}: {} untruths, {tried} programs\n{}", wrong.len(), wrong.join("\n"));
    }
}

/// A person who works in the folder `home/work` of a world.
fn stand_in(setup: &mut Setup, world: &World) {
    setup.home = Some(world.at("home"));
    setup.cwd = world.at("home/work");
    setup.sandbox =
        SandboxRequest { level: SandboxLevel::Workspace, asked: true, ..SandboxRequest::default() };
}

/// Runs every program; `change` makes the setting.
async fn try_all(name: &'static str, level: SandboxLevel, change: impl FnOnce(&mut Setup, &World)) {
    let world = World::new();
    let shop = Shop::with(|setup| {
        stand_in(setup, &world);
        change(setup, &world);
    });
    Setting::local(name, level).try_all(&shop, world).await;
}

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn what_is_said_with_the_sandbox_on() {
    try_all("on", SandboxLevel::Workspace, |_, _| {}).await;
}

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn what_is_said_read_only() {
    try_all("read-only", SandboxLevel::ReadOnly, |setup, _| setup.sandbox.level = SandboxLevel::ReadOnly)
        .await;
}

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn what_is_said_without_bwrap() {
    try_all("without bwrap", SandboxLevel::Workspace, |setup, _| setup.without = NO_BWRAP).await;
}

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn what_is_said_in_the_home_folder() {
    try_all("home", SandboxLevel::ReadOnly, |setup, world| setup.cwd = world.at("home")).await;
}

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn what_is_said_of_what_was_opened() {
    try_all("opened", SandboxLevel::Workspace, |setup, world| {
        setup.sandbox.read.push(world.at("opened"));
        setup.sandbox.write.push(world.at("out"));
        setup.sandbox.network = true;
    })
    .await;
}

#[tokio::test]
async fn what_is_said_without_a_sandbox() {
    try_all("off", SandboxLevel::Off, |setup, _| setup.sandbox = SandboxRequest::default()).await;
}

#[cfg(feature = "docker")]
#[tokio::test]
#[ignore = "needs a container engine"]
async fn what_is_said_in_a_container() {
    let world = World::new();
    let shop =
        Shop::elsewhere("container:sayso-test:python", &sayso::config::Executors::default(), |setup| {
            stand_in(setup, &world);
            setup.sandbox.asked = false;
        });
    let setting = Setting {
        name: "container",
        level: SandboxLevel::Workspace,
        languages: &["bash", "python"],
        least: 35,
        every: 5,
    };
    setting.try_all(&shop, world).await;
}
