//! The promises of the sandbox, tested by code that tries to break them. Each promise is also seen broken with its
//! layer off.
//!
//! These tests need bubblewrap and Landlock, as `.ci/run` has them, and fail without them.

use crate::support::*;
use sayso::domain::*;
use sayso::exec::{DisabledLayers, SandboxRequest, Setup};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

const NO_LANDLOCK: DisabledLayers = DisabledLayers { landlock: true, ..ALL };
const NO_SECCOMP: DisabledLayers = DisabledLayers { seccomp: true, ..ALL };

/// A shop at this level, without these layers, with a home folder of its own beside the working folder.
fn shop_with(level: SandboxLevel, without: DisabledLayers, change: impl FnOnce(&mut Setup)) -> Shop {
    Shop::with(|setup| {
        setup.sandbox = SandboxRequest { level, asked: true, ..SandboxRequest::default() };
        setup.without = without;
        let home = setup.cwd.parent().unwrap().join("home");
        fs::create_dir_all(home.join(".ssh")).unwrap();
        fs::write(home.join(".ssh/id"), "secret").unwrap();
        fs::write(home.join("notes.txt"), "private").unwrap();
        setup.home = Some(home);
        change(setup);
    })
}

fn shop(level: SandboxLevel, without: DisabledLayers) -> Shop {
    shop_with(level, without, |_| {})
}

impl Shop {
    fn home(&self) -> PathBuf {
        self.base().join("home")
    }

    /// The result of an expression: its value as text, or the name of its error.
    async fn tried(&self, expression: &str) -> String {
        let source = format!("try: r = ({expression})\nexcept OSError as e: r = type(e).__name__\nr");
        self.py(&source).await.ok().value().to_string()
    }

    async fn report(&self) -> SandboxReport {
        self.executor.sandbox().await.unwrap()
    }
}

fn layer<'a>(report: &'a SandboxReport, name: &str) -> &'a Layer {
    report.layers.iter().find(|layer| layer.name == name).unwrap()
}

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn all_layers_are_there_and_were_seen_to_hold() {
    let report = shop(SandboxLevel::Workspace, ALL).report().await;
    assert_eq!(report.level, SandboxLevel::Workspace);
    assert!(report.network_blocked && report.writes_confined && report.reads_confined && report.contained);
    for name in ["bwrap", "landlock", "seccomp", "limits"] {
        let layer = layer(&report, name);
        assert!(layer.active && layer.tested && layer.why.is_none(), "{layer:?}");
    }
}

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn a_layer_that_is_missing_is_told() {
    let cases = [(NO_BWRAP, "bwrap"), (NO_LANDLOCK, "landlock"), (NO_SECCOMP, "seccomp")];
    for (without, name) in cases {
        let report = shop(SandboxLevel::Workspace, without).report().await;
        let missing = layer(&report, name);
        assert!(!missing.active && !missing.tested && missing.why.is_some(), "{missing:?}");
        assert_eq!(report.level, SandboxLevel::Workspace, "{name}");
        assert_eq!(report.contained, name != "bwrap");
        assert!(report.network_blocked && report.writes_confined && report.reads_confined, "{report:?}");
    }
}

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn writing_outside_fails() {
    for (level, without, fails) in [
        (SandboxLevel::Workspace, ALL, true),
        (SandboxLevel::Workspace, NO_BWRAP, true),
        (SandboxLevel::Workspace, NO_LANDLOCK, true),
        (SandboxLevel::ReadOnly, ALL, true),
        (SandboxLevel::Off, ALL, false),
    ] {
        let shop = shop(level, without);
        let outside = shop.home().join("new.txt");
        for language in ["python", "bash", "javascript"] {
            let text = match language {
                "python" => format!("open({outside:?}, 'w').write('x')"),
                "bash" => format!("echo x > {}", outside.display()),
                _ => format!("require('fs').writeFileSync({outside:?}, 'x')"),
            };
            if language == "javascript" && !Path::new("/usr/bin/node").exists() {
                continue;
            }
            let told = shop.run(language, &text).await;
            assert_eq!(told.report.outcome == Outcome::Ok, !fails, "{level:?} {without:?} {language}");
            assert_eq!(outside.exists(), !fails, "{level:?} {without:?} {language}");
            let _ = fs::remove_file(&outside);
        }
        // By a link that leads outside, and by moving a folder away.
        let link = shop.work().join("link");
        std::os::unix::fs::symlink(shop.home(), &link).unwrap();
        shop.sh("echo x > link/new.txt; rm -rf link/.ssh").await;
        assert_eq!(shop.home().join("new.txt").exists(), !fails);
        assert_eq!(shop.home().join(".ssh/id").exists(), fails);
    }
}

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn the_home_folder_is_not_read() {
    for (level, without, fails) in [
        (SandboxLevel::Workspace, ALL, true),
        (SandboxLevel::Workspace, NO_BWRAP, true),
        (SandboxLevel::Workspace, NO_LANDLOCK, true),
        (SandboxLevel::Off, ALL, false),
    ] {
        let shop = shop(level, without);
        let told = shop.tried(&format!("open({:?}).read()", shop.home().join(".ssh/id"))).await;
        assert_eq!(told.contains("secret"), !fails, "{level:?} {without:?}: {told}");
        let told = shop.sh("cat ../home/notes.txt").await;
        assert_eq!(told.out().contains("private"), !fails, "{level:?} {without:?}");
    }
}

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn the_network_is_closed_unless_it_is_allowed() {
    let tcp = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    udp.set_nonblocking(true).unwrap();
    let source = format!(
        "import socket\nu = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\nu.sendto(b'x', ('127.0.0.1', {}))\nc = socket.create_connection(('127.0.0.1', {}), 2)",
        udp.local_addr().unwrap().port(),
        tcp.local_addr().unwrap().port()
    );
    for (level, without, network, fails) in [
        (SandboxLevel::Workspace, ALL, false, true),
        (SandboxLevel::Workspace, NO_BWRAP, false, true),
        (SandboxLevel::Workspace, NO_SECCOMP, false, true),
        (SandboxLevel::Workspace, ALL, true, false),
        (SandboxLevel::Workspace, NO_BWRAP, true, false),
        (SandboxLevel::Off, ALL, false, false),
    ] {
        let shop = shop_with(level, without, |setup| setup.sandbox.network = network);
        let told = shop.py(&source).await;
        let case = format!("{level:?} {without:?} {network}");
        assert_eq!(told.report.outcome == Outcome::Ok, !fails, "{case}: {:?}", told.report.error);
        assert_eq!(udp.recv(&mut [0; 8]).is_ok(), !fails, "{case}");
        let report = shop.report().await;
        assert_eq!(report.network_blocked, fails, "{case}");
    }
}

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn who_is_outside_is_not_reached() {
    let mut outsider = std::process::Command::new("sleep").arg("300").env("KEY", "s3cret").spawn().unwrap();
    let pid = outsider.id();
    for (level, without, fails) in [
        (SandboxLevel::Workspace, ALL, true),
        (SandboxLevel::Workspace, NO_BWRAP, true),
        (SandboxLevel::Workspace, NO_LANDLOCK, true),
        (SandboxLevel::Off, ALL, false),
    ] {
        let shop = shop(level, without);
        let case = format!("{level:?} {without:?}");
        let alive =
            format!("open('/proc/{pid}/cmdline').read().startswith('sleep\\x00300') and __import__('os')");
        let told = shop.tried(&format!("{alive}.kill({pid}, 0)")).await;
        assert_eq!(told == "(none)", !fails, "{case}: {told}");
        let told = shop.tried(&format!("'s3cret' in open('/proc/{pid}/environ').read()")).await;
        assert_eq!(told == "True", !fails, "{case}: {told}");
        let limits = format!(
            "{alive} and __import__('resource').prlimit({pid}, __import__('resource').RLIMIT_CORE, (0, 0))"
        );
        let told = shop.tried(&limits).await;
        assert_eq!(!told.contains("Error"), !fails, "{case}: {told}");
    }
    outsider.kill().unwrap();
    outsider.wait().unwrap();
}

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn the_supervisor_is_out_of_reach() {
    for without in [ALL, NO_BWRAP] {
        let shop = shop(SandboxLevel::Workspace, without);
        shop.py("import os").await.ok();
        for what in [
            "os.kill(os.getppid(), 9)",
            "open(f'/proc/{os.getppid()}/mem', 'r+b').read(1)",
            "os.open(f'/proc/{os.getppid()}/fd/3', os.O_RDWR)",
        ] {
            let told = shop.tried(what).await;
            assert!(told.contains("Error"), "{without:?} {what}: {told}");
        }
    }
}

/// System calls by number, without a library in between.
const CALLS: &str = "import ctypes, os, platform
c = ctypes.CDLL(None, use_errno=True)
x86 = platform.machine() == 'x86_64'
def call(number, *args):
    ctypes.set_errno(0)
    r = c.syscall(ctypes.c_long(number), *[ctypes.c_long(a) for a in args])
    return (r, ctypes.get_errno())
def refused(): return {
    'ptrace': call(101 if x86 else 117, 0, 0, 0, 0),
    'io_uring': call(425, 1, 0),
    'unshare': call(272 if x86 else 97, 0x10000000),
    'keyctl': call(250 if x86 else 219, 0, -3),
    'userfaultfd': call(323 if x86 else 282, 1),
    'tiocsti': call(16 if x86 else 29, 0, 0x5412, 0),
    'clone': call(56 if x86 else 220, 0x10000000 | 17, 0, 0, 0, 0),
    'setpriority': call(141 if x86 else 140, 0, 1, 0),
    'sched_setaffinity': call(203 if x86 else 122, os.getppid(), 0, 0),
    'sched_setscheduler': call(144 if x86 else 119, os.getppid(), 0, 0),
    'ioprio_set': call(251 if x86 else 30, 1, os.getppid(), 0),
}
";

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn dangerous_calls_are_refused() {
    for without in [ALL, NO_BWRAP, NO_LANDLOCK] {
        let shop = shop(SandboxLevel::Workspace, without);
        shop.py(CALLS).await.ok();
        let told = shop.py("{name: r for name, r in refused().items() if r != (-1, 1)}").await.ok();
        assert_eq!(told.value(), "{}", "{without:?}: went through, or failed otherwise");
        // The form of calls with other numbers, and the call whose flags a filter can't read.
        let told = shop.py("call(435, 0, 0), (call(0x40000000 | 39)[1] if x86 else 38)").await.ok();
        assert_eq!(told.value(), "((-1, 38), 38)", "{without:?}");
        let families = "import socket\n[f for f in (16, 17, 40) if not __import__('errno').ENETUNREACH == (lambda: call(41 if x86 else 198, f, 3, 0)[1])()]";
        assert_eq!(shop.py(families).await.ok().value(), "[]", "{without:?}");
    }
    let open = shop(SandboxLevel::Workspace, NO_SECCOMP);
    open.py(CALLS).await.ok();
    let told = open.py("sorted(n for n, r in refused().items() if n in ('setpriority', 'clone', 'keyctl') and r == (-1, 1))").await.ok();
    assert_ne!(told.value(), "['clone', 'keyctl', 'setpriority']", "the filter has nothing to do with it");
}

/// The ways to make a file with a mode; `True` for those that worked.
const LENDING: &str = "
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def works(way, mode):
    name = f'{way}-{mode:o}'
    try:
        if way == 'open': os.close(os.open(name, os.O_CREAT | os.O_WRONLY, mode))
        elif way == 'tmpfile': os.close(os.open('.', os.O_TMPFILE | os.O_WRONLY, mode))
        elif way == 'mknod': os.mknod(name, mode | 0o100000)
        elif way == 'creat':
            if libc.creat(name.encode(), mode) < 0: raise OSError(ctypes.get_errno(), 'creat')
        else:
            open(name, 'w').close()
            if way == 'chmod': os.chmod(name, mode)
            elif way == 'fchmod': os.chmod(os.open(name, os.O_RDONLY), mode)
            elif way == 'fchmodat': os.chmod(name, mode, dir_fd=os.open('.', os.O_RDONLY))
            elif way == 'fchmodat2':
                if libc.syscall(452, -100, name.encode(), mode, 0) < 0: raise OSError(ctypes.get_errno(), way)
        return True
    except OSError as error:
        assert error.errno in (1, 38, 95), error
        return False
def ways(mode):
    all = ['open', 'tmpfile', 'mknod', 'creat', 'chmod', 'fchmod', 'fchmodat', 'fchmodat2']
    return [way for way in all if works(way, mode)]
";

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn no_file_lends_the_rights_of_its_owner() {
    for without in [ALL, NO_BWRAP, NO_LANDLOCK] {
        let shop = shop(SandboxLevel::Workspace, without);
        shop.py(LENDING).await.ok();
        for mode in ["0o4755", "0o2755", "0o6777", "0o4000", "0o2010"] {
            assert_eq!(shop.py(&format!("ways({mode})")).await.ok().value(), "[]", "{without:?} {mode}");
        }
        let python = "[m for m in (0o755, 0o644, 0o2644, 0o1777) if len(ways(m)) < 7]";
        assert_eq!(shop.py(python).await.ok().value(), "[]", "{without:?}: what is ordinary works");
        let lending = "import pathlib, stat\n[p.name for p in pathlib.Path('.').iterdir() \
             if p.stat().st_mode & stat.S_ISUID or p.stat().st_mode & 0o2010 == 0o2010]";
        assert_eq!(shop.py(lending).await.ok().value(), "[]", "{without:?}");
        // `openat2` fails as on a kernel that does not have it.
        assert_eq!(
            shop.py("(libc.syscall(437, -100, b'x', 0, 0), ctypes.get_errno())").await.ok().value(),
            "(-1, 38)"
        );
    }
    let open = shop(SandboxLevel::Workspace, NO_SECCOMP);
    open.py(LENDING).await.ok();
    assert_ne!(open.py("ways(0o4755)").await.ok().value(), "[]", "the filter has nothing to do with it");
}

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn ordinary_programs_work() {
    for without in [ALL, NO_BWRAP] {
        let shop = shop(SandboxLevel::Workspace, without);
        let source = "import multiprocessing, tempfile, threading, subprocess, sqlite3, os
with multiprocessing.Pool(2) as pool: a = pool.map(abs, [-1, -2])
t = threading.Thread(target=a.append, args=(3,)); t.start(); t.join()
db = sqlite3.connect('x.db'); db.execute('create table t(a)'); db.commit()
tempfile.NamedTemporaryFile().write(b'x')
open(os.path.expanduser('~/.cache/y'), 'w').write('y')
a, subprocess.run(['sh', '-c', 'echo $((1+1)) | cat'], capture_output=True, text=True).stdout, os.nice(0) >= 0";
        let told = shop.py(source).await.ok();
        assert_eq!(told.value(), "([1, 2, 3], '2\\n', True)", "{without:?}");
    }
    // Programs that talk to themselves, in a network namespace.
    let shop = shop(SandboxLevel::Workspace, ALL);
    let source = "import socket
s = socket.create_server(('127.0.0.1', 0)); c = socket.create_connection(s.getsockname())
u = socket.socket(socket.AF_UNIX); u.bind('/tmp/s'); u.listen(); v = socket.socket(socket.AF_UNIX); v.connect('/tmp/s')";
    shop.py(source).await.ok();
}

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn protected_names_stay_as_they_are() {
    for (without, holds) in [(ALL, true), (NO_LANDLOCK, true), (NO_BWRAP, false)] {
        let shop = shop(SandboxLevel::Workspace, without);
        let work = shop.work();
        fs::create_dir_all(work.join(".git/hooks")).unwrap();
        fs::write(work.join(".git/config"), "[core]\n").unwrap();
        fs::write(work.join(".envrc"), "").unwrap();
        shop.sh("echo evil > .git/hooks/pre-commit; echo evil >> .git/config; echo evil > .envrc; \
             mv .git git; mkdir .git; echo x > .git/HEAD; echo fine > .gitignore")
            .await;
        let hook = ["git", ".git"].iter().any(|git| work.join(git).join("hooks/pre-commit").exists());
        let evil = |path: &str| fs::read_to_string(work.join(path)).is_ok_and(|text| text.contains("evil"));
        assert_eq!(!hook && !evil(".git/config") && !evil(".envrc") && !work.join("git").exists(), holds);
        // The rest of the folder stays writable.
        assert!(work.join(".gitignore").exists() && work.join(".git/HEAD").exists());
    }
}

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn what_git_obeys_in_submodules_stays_as_it_is() {
    let shop = shop(SandboxLevel::Workspace, ALL);
    let module = shop.work().join(".git/modules/sub");
    for name in ["hooks", "objects", "refs"] {
        fs::create_dir_all(module.join(name)).unwrap();
    }
    fs::write(module.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(module.join("config"), "[core]\n").unwrap();
    shop.sh("cd .git/modules; echo evil >> sub/config; echo evil > sub/hooks/x; mv sub gone; mv ../modules ../gone; \
             echo fine > sub/index")
        .await;
    assert_eq!(fs::read_to_string(module.join("config")).unwrap(), "[core]\n");
    assert!(!module.join("hooks/x").exists());
    assert!(module.join("index").exists(), "the rest stays writable");
}

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn a_repository_that_is_made_in_the_session_is_protected_from_then_on() {
    let shop = shop(SandboxLevel::Workspace, ALL);
    shop.sh("mkdir -p .git/hooks; echo '[core]' > .git/config").await.ok();
    assert_ne!(shop.sh("echo evil > .git/hooks/x").await.report.outcome, Outcome::Ok);
    assert!(!shop.work().join(".git/hooks/x").exists());
}

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn read_only_writes_only_what_is_private() {
    for without in [ALL, NO_BWRAP] {
        let shop = shop(SandboxLevel::ReadOnly, without);
        fs::write(shop.work().join("in.txt"), "in").unwrap();
        assert_eq!(shop.py("open('in.txt').read()").await.ok().value(), "'in'");
        assert!(shop.tried("open('out.txt', 'w')").await.contains("Error"));
        // As the model is told: private folders, under these names, and nowhere else.
        for place in ["$TMPDIR", "~/.cache"] {
            shop.sh(&format!("echo x > {place}/x && cat {place}/x")).await.ok();
        }
        for place in ["~", "/etc", "/usr/local", "/var/tmp", "."] {
            let told = shop.sh(&format!("echo x > {place}/x")).await;
            assert_eq!(told.report.outcome, Outcome::Failed, "{place}");
        }
        assert!(!shop.home().join(".cache/x").exists() && !shop.work().join("out.txt").exists());
        let terms = shop.terms("python").await;
        assert!(terms.rights.write.is_empty() && terms.rights.read.contains(&shop.work()));
    }
}

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn folders_are_opened_by_name_only() {
    for without in [ALL, NO_BWRAP] {
        let shop = shop_with(SandboxLevel::Workspace, without, |setup| {
            let home = setup.home.clone().unwrap();
            for name in ["data", "out"] {
                fs::create_dir(home.join(name)).unwrap();
            }
            fs::write(home.join("data/in.txt"), "in").unwrap();
            setup.sandbox.read.push(home.join("data"));
            setup.sandbox.write.push(home.join("out"));
        });
        let told =
            shop.sh("cat ../home/data/in.txt && echo x > ../home/out/x; echo x > ../home/data/x").await;
        assert_eq!(told.out(), "in");
        assert!(shop.home().join("out/x").exists() && !shop.home().join("data/x").exists());
        let terms = shop.terms("python").await;
        assert!(terms.rights.read.contains(&shop.home().join("data")));
        assert_eq!(terms.rights.write, [shop.work(), shop.home().join("out")]);
    }
    let gone = shop_with(SandboxLevel::Workspace, ALL, |setup| setup.sandbox.read.push("/nowhere".into()));
    let why = gone.refusal("python").await;
    assert!(why.contains("/nowhere"), "{why}");
}

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn the_home_folder_as_the_working_folder() {
    for without in [ALL, NO_BWRAP] {
        let shop = shop_with(SandboxLevel::Workspace, without, |setup| setup.home = Some(setup.cwd.clone()));
        fs::create_dir(shop.work().join(".ssh")).unwrap();
        fs::write(shop.work().join(".ssh/id"), "secret").unwrap();
        fs::write(shop.work().join(".netrc"), "secret").unwrap();
        fs::write(shop.work().join("notes.txt"), "notes").unwrap();
        let told = shop.sh("cat notes.txt; cat .ssh/id .netrc; echo x > new.txt; echo x > $TMPDIR/x").await;
        assert_eq!(told.out(), "notes", "{without:?}");
        assert!(!shop.work().join("new.txt").exists());
        let terms = shop.terms("python").await;
        assert_eq!(terms.rights.sandbox.level, SandboxLevel::ReadOnly);
        assert_eq!(terms.rights.write.len(), 1, "the private folder");
        assert!(terms.rights.sandbox.notes.iter().any(|note| note.contains("--cwd")));
    }
}

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn one_private_place_a_session() {
    for without in [ALL, NO_BWRAP] {
        let shop = shop(SandboxLevel::Workspace, without);
        shop.py("import os\nopen(os.environ['TMPDIR'] + '/from-python', 'w').write('x')").await.ok();
        let told = shop.sh("ls $TMPDIR; ls -A ~; echo x > ~/.config/y; touch ~/z").await;
        assert!(told.out().contains("from-python") && !told.out().contains("notes.txt"), "{}", told.out());
        assert!(told.err().contains('z') && !shop.home().join("z").exists());
        let told = shop.py("open(os.path.expanduser('~/.config/y')).read()").await.ok();
        assert_eq!(told.value(), "'x\\n'");
        let left = || {
            fs::read_dir(std::env::temp_dir()).unwrap().filter_map(Result::ok).any(|entry| {
                entry.file_name().to_string_lossy().starts_with("sayso-")
                    && entry.path().join("tmp/from-python").exists()
            })
        };
        assert!(left());
        shop.executor.close().await;
        assert!(!left());
    }
}

/// Confined with the outer layer and without, and not at all.
const WAYS_TO_RUN: [(SandboxLevel, DisabledLayers); 3] =
    [(SandboxLevel::Workspace, ALL), (SandboxLevel::Workspace, NO_BWRAP), (SandboxLevel::Off, ALL)];

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn a_memory_bomb_is_ended_and_told() {
    for (level, without) in WAYS_TO_RUN {
        let shop = shop_with(level, without, |setup| setup.limits.memory_bytes = 256 << 20);
        shop.py("x = 1").await.ok();
        // A single request for more than the limit is an error that the program can report.
        let told = shop.py("bytearray(1 << 40)").await;
        assert_eq!(told.error().kind, "MemoryError");
        assert!(told.kept());
        // The processes of the whole tree count together.
        let source = "import subprocess, sys\nbomb = 'import time; b = bytearray(120 << 20); time.sleep(30)'\n[subprocess.Popen([sys.executable, '-c', bomb]) for _ in range(4)]\nimport time; time.sleep(30)";
        let told = shop.py(source).await;
        let Outcome::Limit(what) = &told.report.outcome else {
            panic!("{level:?}: {:?}", told.report.outcome)
        };
        assert!(what.starts_with("memory: ") && what.ends_with("of 256 MiB"), "{what}");
        assert!(told.lost() && told.took < Duration::from_secs(10));
        assert!(told.report.receipt.peak_rss_bytes > 200 << 20, "{:?}", told.report.receipt);
        assert_eq!(shop.py("1").await.ok().value(), "1");
        let told =
            shop.sh("python3 -c 'b = b\"x\" * (1 << 20)\nl = []\nwhile True: l.append(bytearray(b))'").await;
        assert!(!matches!(told.report.outcome, Outcome::Ok | Outcome::TimedOut), "{:?}", told.report.outcome);
    }
}

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn shared_memory_is_counted_once() {
    let shop = shop_with(SandboxLevel::Workspace, ALL, |setup| setup.limits.memory_bytes = 256 << 20);
    let source = "import os, time\nb = bytearray(100 << 20)\nchildren = []\nfor _ in range(6):\n    pid = os.fork()\n    if pid == 0:\n        time.sleep(0.5)\n        os._exit(0)\n    children.append(pid)\n[os.waitpid(c, 0)[1] for c in children]";
    assert_eq!(shop.py(source).await.ok().value(), "[0, 0, 0, 0, 0, 0]");
}

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn a_fork_bomb_is_ended() {
    for (level, without) in WAYS_TO_RUN {
        let shop = shop_with(level, without, |setup| setup.limits.processes = 40);
        // Each process starts the next ones without waiting, so killed ones are replaced by the others.
        let bomb = "grow() { for i in 1 2 3; do (sleep 0.05; [ $1 -gt 0 ] && grow $(($1 - 1)); sleep 20) & done; }; grow 4; sleep 20";
        let play = async || {
            let told = shop.run_for("bash", bomb, Some(8000)).await;
            let ended = match &told.report.outcome {
                Outcome::Limit(what) => what.starts_with("processes: "),
                // If the system itself refuses more, the program continues and reports that.
                outcome => {
                    told.err().contains("fork") && *outcome != Outcome::Ok
                        || told.err().contains("Resource temporarily")
                }
            };
            assert!(ended, "{level:?} {without:?}: {:?} {}", told.report.outcome, told.err());
            assert_eq!(shop.py("1").await.ok().value(), "1");
            told
        };
        in_time(Duration::from_secs(11), play).await;
    }
}

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn nothing_lives_on_in_the_namespace() {
    let shop = shop(SandboxLevel::Workspace, ALL);
    let name = format!("87{:05}", std::process::id());
    let source = format!(
        "setsid -f sleep {name}; (setsid sh -c 'trap \"\" TERM HUP INT; sleep {name}; sleep {name}' &) ; echo on"
    );
    for _ in 0..5 {
        assert_eq!(shop.sh(&source).await.ok().out(), "on\n");
        assert_eq!(processes_with(&name), [0; 0]);
    }
    // The same if the outermost process, and everything below it, is killed from outside.
    let (_, receiver, events) =
        shop.start_until("bash", &format!("setsid -f sleep {name}; echo on; sleep 60"), None, "on").await;
    let outermost = |pid: i32| {
        fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line.starts_with(b"/usr/bin/bwrap"))
    };
    let mark = shop.work().display().to_string();
    let bwrap = processes_with(&mark).into_iter().find(|pid| outermost(*pid)).expect("a bwrap");
    let pid = rustix::process::Pid::from_raw(bwrap).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    let told = rest_of(receiver, events).await;
    assert!(matches!(told.report.outcome, Outcome::Crashed(_)), "{:?}", told.report.outcome);
    eventually("all are gone", || processes_with(&name).is_empty());
    assert_eq!(shop.sh("echo again").await.ok().out(), "again\n");
}

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn what_was_refused_is_told_in_words() {
    let shop = shop(SandboxLevel::Workspace, ALL);
    let told = shop.py("open(__import__('os').path.expanduser('~/report.csv'), 'w')").await;
    assert_eq!(told.report.receipt.refused, ["write to ~/report.csv"]);
    let told = shop.sh("cat ~/.ssh/id; touch /usr/x; cat missing.txt").await;
    assert_eq!(told.report.receipt.refused, ["reach ~/.ssh/id", "write to /usr/x"]);
    let told = shop.py("import socket\nsocket.create_connection(('192.0.2.1', 80), 2)").await;
    assert_eq!(told.report.receipt.refused, ["the network"]);
    assert_eq!(shop.py("1/0").await.report.receipt.refused, [""; 0]);
}

#[tokio::test]
async fn what_was_asked_for_and_can_not_be_had_is_refused() {
    let none = DisabledLayers { bwrap: true, landlock: true, seccomp: false, cgroup: false };
    let asked = shop(SandboxLevel::Workspace, none);
    let why = asked.refusal("python").await;
    assert!(why.contains("can't be had here") && why.contains("bwrap: left out"), "{why}");
    assert!(asked.executor.sandbox().await.is_err());
    // A level that nobody asked for is lowered, and that is reported.
    let default = shop_with(SandboxLevel::Workspace, none, |setup| setup.sandbox.asked = false);
    let terms = default.terms("python").await;
    assert_eq!(terms.rights.sandbox.level, SandboxLevel::Off);
    assert!(terms.rights.network && terms.rights.sandbox.layers.iter().all(|layer| layer.why.is_some()));
    assert_eq!(default.py("1").await.ok().value(), "1");
}

/// Machines that lack layers: this test program is started again as on such a machine.
#[test]
#[ignore = "needs bubblewrap and landlock"]
fn machines_that_lack_layers() {
    for lacks in ["bwrap", "both"] {
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "sandbox::child_on_a_lesser_machine", "--ignored", "--nocapture"])
            .env("PATH", "/nowhere")
            .env("SAYSO_TEST_LACKS", lacks)
            .output()
            .unwrap();
        assert!(output.status.success(), "{lacks}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
#[ignore = "is started by another test"]
fn child_on_a_lesser_machine() {
    let lacks = std::env::var("SAYSO_TEST_LACKS").unwrap();
    if lacks == "both" {
        no_landlock_in_this_kernel();
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let shop = shop_with(SandboxLevel::Workspace, ALL, |setup| setup.sandbox.asked = false);
        let report = shop.report().await;
        assert!(layer(&report, "bwrap").why.as_ref().unwrap().contains("install bubblewrap"), "{report:?}");
        assert!(!report.contained);
        if lacks == "both" {
            let why = layer(&report, "landlock").why.as_ref().unwrap();
            assert!(why.contains("this kernel does not have it"), "{why}");
            assert_eq!((report.level, report.network_blocked), (SandboxLevel::Off, false));
        } else {
            assert_eq!((report.level, report.network_blocked), (SandboxLevel::Workspace, true));
            assert!(report.notes.iter().any(|note| note.contains("lives on")), "{:?}", report.notes);
        }
        assert_eq!(shop.py("1").await.ok().value(), "1");
        let asked = shop_with(SandboxLevel::Workspace, ALL, |_| {});
        assert_eq!(asked.executor.terms(&Language::python(), None).await.is_err(), lacks == "both");
    });
}

/// Makes Landlock fail as on a kernel without it, for this process and all that it starts.
fn no_landlock_in_this_kernel() {
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
    let rules = [444, 445, 446].map(|number| (number, Vec::new())).into_iter().collect();
    let arch = std::env::consts::ARCH.try_into().unwrap();
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(38), arch).unwrap();
    seccompiler::apply_filter_all_threads(&BpfProgram::try_from(filter).unwrap()).unwrap();
}

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn a_sandbox_that_breaks_later_runs_nothing() {
    let shop = shop(SandboxLevel::Workspace, ALL);
    shop.sh("echo fine").await.ok();
    let request = shop.request("bash", "echo never", None).await;
    fs::remove_dir(shop.work()).unwrap();
    let told = shop.carry_out(request).await;
    let Outcome::NotStarted(why) = &told.report.outcome else { panic!("{:?}", told.report) };
    assert!(why.contains("bwrap"), "{why}");
    assert_eq!(told.out(), "");
}

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn sockets_in_the_folder_are_covered_and_nothing_is_left_in_their_place() {
    let shop = shop(SandboxLevel::Workspace, ALL);
    std::fs::create_dir(shop.work().join("deep")).unwrap();
    let listener = std::os::unix::net::UnixListener::bind(shop.work().join("deep/server.sock")).unwrap();
    let connect = "import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect('deep/server.sock')";
    let told = shop.py(connect).await;
    assert_eq!(told.error().kind, "ConnectionRefusedError", "{:?}", told.report);
    let notes = shop.report().await.notes;
    assert!(notes.iter().any(|note| note.contains("after the start can be reached")), "{notes:?}");
    drop(listener);
    std::fs::remove_file(shop.work().join("deep/server.sock")).unwrap();
    shop.sh("true").await.ok();
    assert!(!shop.work().join("deep/server.sock").exists(), "no empty file stands in its place");
}
