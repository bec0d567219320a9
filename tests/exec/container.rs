//! Runs in real containers, on the engine that `DOCKER_HOST` names, with the image `sayso-test:python`.

use crate::between::{COUNTER, GROWS, counted};
use crate::functions::{functions, load};
use crate::support::*;
use sayso::config::{ContainerExecutor, Executors, FolderInContainer};
use sayso::domain::*;
use sayso::exec::{Executor, TermsFor};
use std::process::{Child, Command};
use std::time::Duration;

const IMAGE: &str = "sayso-test:python";

fn shop() -> Shop {
    shop_with(|_| {})
}

fn shop_with(change: impl FnOnce(&mut ContainerExecutor)) -> Shop {
    let mut executors = Executors::default();
    change(&mut executors.container);
    Shop::elsewhere(&format!("container:{IMAGE}"), &executors, |_| {})
}

fn docker(words: &[&str]) -> String {
    let done = Command::new("docker").args(words).output().unwrap();
    assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

/// The containers of sayso with this label.
fn containers(filter: &str) -> Vec<String> {
    let filter = format!("label={filter}");
    docker(&["ps", "-aq", "--filter", &filter]).split_whitespace().map(str::to_owned).collect()
}

/// What the engine says of a container that may be gone already.
fn inspected(id: &str, format: &str) -> String {
    let done = Command::new("docker").args(["inspect", "-f", format, id]).output().unwrap();
    String::from_utf8_lossy(&done.stdout).trim().to_owned()
}

/// The containers of a shop.
fn containers_of(shop: &Shop) -> Vec<String> {
    let own = shop.work().to_string_lossy().into_owned();
    containers("sayso").into_iter().filter(|id| inspected(id, "{{.Config.WorkingDir}}") == own).collect()
}

#[tokio::test]
#[ignore = "needs a container engine and the image sayso-test:python"]
async fn state_values_errors_and_the_folder() {
    let shop = shop();
    let first =
        shop.py("x = 41\nprint('hello')\nimport sys\nprint('oops', file=sys.stderr)\nx + 1").await.ok();
    assert_eq!((first.out().as_str(), first.err().as_str(), first.value()), ("hello\n", "oops\n", "42"));
    assert!(first.kept() && first.report.receipt.peak_rss_bytes > 1 << 20, "{:?}", first.report.receipt);
    assert!(first.variables().iter().any(|variable| variable.name == "x"));
    let second =
        shop.py("open('made.txt', 'w').write(str(x))\nimport os\nos.chdir('/tmp')\nos.getpid()").await.ok();
    assert_eq!(std::fs::read_to_string(shop.work().join("made.txt")).unwrap(), "41");
    assert_eq!(second.report.cwd.unwrap().to_str(), Some("/tmp"));
    let failed = shop.py("def f():\n    raise ValueError('no')\nf()").await.ended(Outcome::Failed);
    assert_eq!((failed.error().kind.as_str(), failed.error().message.as_str()), ("ValueError", "no"));
    assert!(failed.error().traceback.contains("block 3"), "{}", failed.error().traceback);
    let asked = shop.py("input('name? ')").await;
    assert!(asked.error().message.contains("input() has no terminal here"), "{:?}", asked.report);
    let bash = shop.sh("echo $((6*7)); cat made.txt; echo bad >&2; exit 3").await;
    assert_eq!((bash.out().as_str(), bash.err().as_str()), ("42\n41", "bad\n"));
    assert_eq!((&bash.report.outcome, bash.report.receipt.exit_code), (&Outcome::Failed, Some(3)));
    let failed = shop.sh("true\nnope").await;
    assert!(failed.err().starts_with("block 6: line 2: nope"), "{}", failed.err());
    let request = shop.request("bash", "true\nnope", None).await.named(Some("sub/a.sh".into()));
    let failed = shop.carry_out(request).await;
    assert!(failed.err().starts_with("sub/a.sh: line 2: nope"), "{}", failed.err());
    let both =
        "# Blocks that come back together: each tells its end.\n# block 1\nx = 5\nx\n# block 2\nx = 6\n";
    let ended =
        shop.parts(both, |_, printed| printed.ends_with("[end of block 1]\n").then_some("no")).await.ok();
    assert_eq!(ended.out(), "\n[value of block 1]\n5\n[end of block 1]\n\n[no]\n");
    assert_eq!(shop.py("x").await.ok().value(), "5");
    assert_eq!(shop.parts(both, |_, _| None).await.ok().out(), "\n[value of block 1]\n5\n[end of block 1]\n");
    shop.executor.close().await;
    eventually("no container is left", || containers_of(&shop).is_empty());
}

#[tokio::test]
#[ignore = "needs a container engine and the image sayso-test:python"]
async fn bash_keeps_its_folder_and_what_it_exported() {
    let shop = shop();
    std::fs::create_dir(shop.work().join("sub")).unwrap();
    let first = shop.sh("export A='two\nlines' B=1; C=2; cd sub; echo made > here; exit 4").await;
    assert_eq!((first.out().as_str(), first.report.receipt.exit_code), ("", Some(4)));
    assert_eq!(first.report.cwd.as_deref(), Some(shop.work().join("sub").as_path()));
    let terms = shop.terms("bash").await;
    assert_eq!(terms.cwd, shop.work().join("sub"));
    assert_eq!(terms.shared.unwrap().changed, ["variables exported: A, B"]);
    let second = shop.sh("echo \"$A $B $C.\"; cat here; pwd; unset B; printf 'no end'").await.ok();
    let sub = shop.work().join("sub");
    assert_eq!(second.out(), format!("two\nlines 1 .\nmade\n{}\nno end", sub.display()).replace("\\n", "\n"));
    let third = shop.sh("echo ${B-gone} ${A:+kept} $PATH; cd /tmp; mkdir x; cd x").await.ok();
    assert!(third.out().starts_with("gone kept /"), "{}", third.out());
    // A file inside a container disappears with the container.
    let fourth = shop.sh("pwd; cat missing; echo on").await;
    assert_eq!(
        (fourth.out(), fourth.err()),
        (format!("{}\non\n", shop.work().display()), "cat: missing: No such file or directory\n".into())
    );
    // A shell that is killed can't report its state, so the previous one stays.
    let killed = shop.sh("export A=lost; kill -9 $$").await;
    assert_eq!(killed.report.receipt.signal, Some(9));
    assert!(shop.sh("echo ${A:0:3}").await.ok().out().starts_with("two"));
    // Every other program starts in the working folder.
    assert_eq!(shop.py("import os\nos.getcwd()").await.ok().value(), format!("'{}'", shop.work().display()));
    shop.executor.close().await;
}

#[tokio::test]
#[ignore = "needs a container engine and the image sayso-test:python"]
async fn between_runs_the_container_is_paused() {
    let paused = |shop: &Shop| {
        let paused = docker(&["ps", "-q", "--filter", "status=paused"]);
        containers_of(shop).iter().any(|id| paused.lines().any(|paused| paused == id))
    };
    let shop = shop();
    shop.executor.warm(&Language::python());
    eventually("a kernel that nobody used is paused", || paused(&shop));
    let request = shop.request("python", COUNTER, None).await;
    assert!(!request.approval().terms().kernel.unwrap().keeps_running);
    let (id, receiver) = shop.start(request);
    let told = all(receiver).await.ok();
    assert!(!told.report.receipt.not_stopped);
    assert!(paused(&shop));
    let before = counted(&shop);
    shop.executor.control(id, RunControl::Interrupt);
    shop.sh("true").await;
    assert_eq!(counted(&shop), before);
    shop.py(GROWS).await.ok();
    assert!(paused(&shop));
    shop.executor.close().await;
    eventually("a paused one is removed too", || containers_of(&shop).is_empty());
}

#[tokio::test]
#[ignore = "needs a container engine and the image sayso-test:python"]
async fn it_is_closed_and_says_so() {
    let shop = shop();
    let terms = shop.terms("python").await;
    assert_eq!((terms.executor, terms.rights.network), (ExecutorKind::Container, false));
    assert!(terms.interpreter.to_str().unwrap().starts_with("sayso-test:python@"), "{:?}", terms.interpreter);
    let names: Vec<&str> = terms.rights.sandbox.layers.iter().map(|l| l.name.as_str()).collect();
    for name in ["container: no network", "container: memory 2 GiB"] {
        assert!(names.contains(&name), "{names:?}");
    }
    let look = "import os, socket\n\
        s = open('/proc/self/status').read()\n\
        print([l.split()[1] for l in s.splitlines() if l.startswith(('CapEff', 'CapBnd', 'NoNewPrivs'))])\n\
        for path in ('/x', '/etc/x', '/usr/x', '/var/tmp/x'):\n    \
            try: open(path, 'w'); print('wrote', path)\n    \
            except OSError as e: pass\n\
        try: socket.create_connection(('1.1.1.1', 53), 2); print('connected')\n\
        except OSError as e: print('no network')\n\
        print(os.path.exists('/var/run/docker.sock'), os.environ.get('SAYSO_X'), os.getpid() > 1)\n\
        print(os.access('/proc/1/mem', os.R_OK), sorted(os.listdir('/sys/class/net')))\n\
        open('/tmp/x', 'w').write('x')";
    let seen = shop.py(look).await.ok().out();
    let wanted = "['0000000000000000', '0000000000000000', '1']\nno network\nFalse None True\n";
    assert!(seen.starts_with(wanted), "{seen}");
    assert!(!seen.contains("wrote") && !seen.contains("connected"), "{seen}");
    let id = containers_of(&shop).pop().unwrap();
    let asked = docker(&[
        "inspect",
        "-f",
        "{{.HostConfig.PidsLimit}} {{.HostConfig.Memory}} {{.HostConfig.ReadonlyRootfs}} {{.HostConfig.CapDrop}} {{.HostConfig.SecurityOpt}} {{.HostConfig.NetworkMode}}",
        &id,
    ]);
    assert_eq!(asked, "256 2147483648 true [ALL] [no-new-privileges] none");
    let shell = shop.sh("grep -E 'CapEff|NoNewPrivs' /proc/self/status; wc -l </proc/net/route").await.ok();
    assert_eq!(shell.out(), "CapEff:\t0000000000000000\nNoNewPrivs:\t1\n1\n");
    shop.executor.close().await;
    let read_only = shop_with(|c| c.folder = FolderInContainer::ReadOnly);
    let tried = read_only.sh("echo x > here.txt; cat /proc/mounts | grep -c here").await;
    assert!(tried.err().contains("Read-only file system"), "{}", tried.err());
    read_only.executor.close().await;
    let absent = shop_with(|c| c.folder = FolderInContainer::None);
    assert_eq!(absent.sh("pwd").await.ok().out(), "/tmp\n");
    absent.executor.close().await;
}

#[tokio::test]
#[ignore = "needs a container engine and the image sayso-test:python"]
async fn output_cant_be_taken_for_frames() {
    let shop = shop();
    shop.py("1").await.ok();
    // What hostile code could try: the streams of process 1, its memory, the control channel.
    let forge = "import os, struct\n\
        done = b'\\0\\0\\0\\x05Xhello' * 3\n\
        os.write(1, done)\n\
        tried = []\n\
        for path in ('/proc/1/fd/1', '/proc/1/fd/0', '/proc/1/mem'):\n    \
            try:\n        open(path, 'wb', 0).write(done); tried.append(path)\n    \
            except OSError: pass\n\
        tried";
    let forged = shop.py(forge).await.ok();
    assert_eq!((forged.value(), forged.report.output.total(Stream::Stdout)), ("[]", 30));
    let large =
        shop.py("import sys\nfor i in range(300): sys.stdout.write('x' * 10000)\nprint('end')").await.ok();
    assert_eq!(large.report.output.total(Stream::Stdout), 3_000_004);
    assert!(large.out().ends_with("end\n") && large.report.blob.is_some());
    let source = format!("data = '{}'\nlen(data)", "ü".repeat(400_000));
    assert_eq!(shop.py(&source).await.ok().value(), "400000");
    let bytes = shop.sh("printf 'a\\xff\\0b'; head -c 1000000 /dev/zero | wc -c").await.ok();
    assert!(bytes.report.output.bytes(Stream::Stdout).starts_with(b"a\xff\0b1000000"));
    shop.executor.close().await;
}

#[tokio::test]
#[ignore = "needs a container engine and the image sayso-test:python"]
async fn interrupts_and_time_limits() {
    let shop = shop();
    shop.py("kept = 7").await.ok();
    let told = shop.interrupted("python", "print('on', flush=True)\nimport time\ntime.sleep(60)", "on").await;
    assert_eq!((&told.report.outcome, told.kept()), (&Outcome::Interrupted, true));
    let play = async || {
        shop.py("kept = 7").await.ok();
        let late = shop.run_for("python", "import time\ntime.sleep(60)", Some(700)).await;
        assert_eq!(late.report.outcome, Outcome::TimedOut);
        late.kept_at_limit(Duration::from_millis(700))
    };
    in_time(Duration::from_millis(4000), play).await;
    assert_eq!(shop.py("kept").await.ok().value(), "7");
    let deaf = "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: time.sleep(1)";
    // It ignores interrupts by then.
    let deaf = shop.run_for("python", deaf, Some(4_000)).await;
    assert_eq!((&deaf.report.outcome, deaf.lost()), (&Outcome::TimedOut, true));
    assert_eq!(shop.py("'kept' in dir()").await.ok().value(), "False");
    let late = shop.run_for("bash", "trap '' INT TERM; sleep 60 & sleep 60; sleep 60", Some(700)).await;
    assert_eq!(late.report.outcome, Outcome::TimedOut);
    let play = async || {
        let told = shop.interrupted("bash", "echo on; sleep 60; echo never", "on").await;
        assert!(!told.out().contains("never"));
        told
    };
    in_time(Duration::from_secs(5), play).await;
    let told =
        shop.controlled("python", "print('on', flush=True)\nwhile True: pass", "on", RunControl::Kill).await;
    assert_eq!((&told.report.outcome, told.lost()), (&Outcome::Interrupted, true));
    shop.executor.close().await;
    eventually("no container is left", || containers_of(&shop).is_empty());
}

#[tokio::test]
#[ignore = "needs a container engine and the image sayso-test:python"]
async fn deaths_and_memory() {
    let shop = shop_with(|c| {
        c.memory = 128 << 20;
        c.tmp = 64 << 20;
    });
    shop.py("x = 1").await.ok();
    let eaten = shop.py("data = bytearray(400 << 20)").await.ended(Outcome::Limit("memory, 128 MiB".into()));
    assert!(eaten.lost());
    let next = shop.py("'x' in dir()").await.ok();
    assert_eq!(next.value(), "False");
    let gone = shop.py("import os\nos._exit(3)").await;
    assert_eq!(gone.report.outcome, Outcome::Crashed("the process ended itself with status 3".into()));
    assert!(gone.lost());
    let shell = shop.sh("x=$(head -c 400000000 /dev/zero | tr '\\0' x); echo ${#x}").await;
    assert_eq!(shell.report.outcome, Outcome::Limit("memory, 128 MiB".into()), "{:?}", shell.report);
    let forks = shop.sh("for i in $(seq 400); do sleep 5 & done 2>/dev/null; wait; echo done").await;
    assert!(forks.report.outcome != Outcome::NotStarted(String::new()), "{:?}", forks.report.outcome);
    // Processes that leave their group and session still end with the block.
    shop.py("import subprocess\nsubprocess.Popen(['setsid', 'sleep', '987654'])").await.ok();
    assert_eq!(processes_with("987654"), [0; 0]);
    shop.executor.close().await;
}

#[tokio::test]
#[ignore = "needs a container engine and the image sayso-test:python"]
async fn what_is_missing_is_asked_for() {
    let mut executors = Executors::default();
    executors.container.images.insert("bash".into(), "sayso-test:not-there".into());
    let shop = Shop::elsewhere("container", &executors, |_| {});
    let why = shop.refusal("bash").await;
    assert_has(&why, &["sayso-test:not-there is not on the container engine", "when you say so"]);
    let missing = shop.executor.missing_image(&Language::bash()).await.unwrap();
    assert_eq!(missing.name, "sayso-test:not-there");
    let (progress, _lines) = tokio::sync::mpsc::channel(8);
    let why = shop.executor.fetch(missing, progress).await.unwrap_err().to_string();
    assert!(why.starts_with("the image sayso-test:not-there could not be fetched: "), "{why}");
    let why = shop.refusal("cobol").await;
    assert!(why.contains("cobol"), "{why}");
    shop.executor.close().await;
}

#[tokio::test]
#[ignore = "needs a container engine and the image sayso-test:python"]
async fn what_is_left_over_is_removed() {
    let words = ["run", "-d", "--network", "none", "--label", "sayso=old", "--label"];
    let machine = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let gone = format!("sayso.owner={machine}/{}/4194999/1", boot.trim());
    let alive = format!("sayso.owner=another-machine/{}/4194999/1", boot.trim());
    let old = docker(&[&words[..], &[&gone, IMAGE, "sleep", "600"]].concat());
    let other = docker(&[&words[..], &[&alive, IMAGE, "sleep", "600"]].concat());
    let shop = shop();
    shop.sh("true").await.ok();
    eventually("the one that is left over is removed", || {
        !docker(&["ps", "-aq", "--no-trunc"]).contains(&old)
    });
    assert!(docker(&["ps", "-q", "--no-trunc"]).contains(&other), "that of another machine stays");
    docker(&["rm", "-f", &other]);
    shop.executor.close().await;
}

#[tokio::test]
#[ignore = "needs a container engine and the image sayso-test:python"]
async fn when_sayso_is_killed_its_containers_end() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().canonicalize().unwrap().join("home");
    let work = folder.path().canonicalize().unwrap().join("work");
    std::fs::create_dir(&work).unwrap();
    std::fs::write(work.join("long.py"), "import time\nprint('on', flush=True)\ntime.sleep(600)").unwrap();
    std::fs::write(work.join("long.sh"), "echo on; sleep 600").unwrap();
    for file in ["long.py", "long.sh"] {
        let mut sayso = Command::new(env!("CARGO_BIN_EXE_sayso"))
            .args(["exec", "--sandbox", "off", "--executor", &format!("container:{IMAGE}"), "--cwd"])
            .arg(&work)
            .arg(work.join(file))
            .env("SAYSO_HOME", &home)
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = [0u8; 3];
        std::io::Read::read_exact(&mut sayso.stdout.take().unwrap(), &mut line).unwrap();
        let own = format!("/{}/", sayso.id());
        let owned = || {
            let owner = |id: &String| inspected(id, "{{index .Config.Labels \"sayso.owner\"}}");
            containers("sayso").iter().filter(|id| owner(id).contains(&own)).count()
        };
        assert_eq!(owned(), 1);
        sayso.kill().unwrap();
        sayso.wait().unwrap();
        eventually("its container is gone", || owned() == 0);
    }
}

#[tokio::test]
#[ignore = "needs a container engine and the image sayso-test:python"]
async fn protected_names_of_the_working_folder_stay_as_they_are() {
    let shop = shop();
    let git = shop.work().join(".git");
    std::fs::create_dir_all(git.join("hooks")).unwrap();
    std::fs::write(git.join("config"), "[core]\n").unwrap();
    std::fs::write(shop.work().join(".envrc"), "").unwrap();
    let layers = shop.executor.sandbox().await.unwrap().layers;
    let protects = |layer: &Layer| layer.active && layer.name == "container: protected names read-only";
    assert!(layers.iter().any(protects), "{layers:?}");
    let tried = "import os\n\
        def tried(act):\n    \
            try: act(); return 'done'\n    \
            except OSError as e: return os.strerror(e.errno)\n\
        print(tried(lambda: open('.git/hooks/pre-commit', 'w')))\n\
        print(tried(lambda: open('.git/config', 'a')))\n\
        print(tried(lambda: open('.envrc', 'a')))\n\
        print(tried(lambda: os.rename('.git', 'git')))\n\
        print(tried(lambda: os.unlink('.git/config')))\n\
        print(tried(lambda: open('.git/index', 'w')), tried(lambda: open('made', 'w')))";
    let closed = "Read-only file system\n";
    let expected =
        format!("{}Device or resource busy\nDevice or resource busy\ndone done\n", closed.repeat(3));
    assert_eq!(shop.py(tried).await.ok().out(), expected);
    let shell =
        shop.sh("echo x >.git/hooks/post-commit; echo x >>.git/config; mv .git away; echo x >ok").await;
    assert_eq!(shell.err().matches("Read-only file system").count(), 2, "{}", shell.err());
    assert!(shell.err().contains("busy"), "{}", shell.err());
    assert_eq!(std::fs::read_to_string(git.join("config")).unwrap(), "[core]\n");
    assert_eq!(std::fs::read_dir(git.join("hooks")).unwrap().count(), 0);
    assert!(shop.work().join("ok").exists() && git.join("index").exists());
    shop.executor.close().await;
}

#[tokio::test]
#[ignore = "needs a container engine and the image sayso-test:python"]
async fn what_the_person_opened_is_open_and_nothing_else() {
    let beside = tempfile::tempdir().unwrap();
    let real = std::fs::canonicalize(beside.path()).unwrap();
    for part in ["in", "out/.git/hooks"] {
        std::fs::create_dir_all(real.join(part)).unwrap();
    }
    std::fs::write(real.join("in/given.txt"), "given").unwrap();
    let (given, taken) = (real.join("in"), real.join("out"));
    let choice = format!("container:{IMAGE}");
    let opened = |network: bool| {
        Shop::elsewhere(&choice, &Executors::default(), |setup| {
            setup.sandbox.read = vec![given.clone()];
            setup.sandbox.write = vec![taken.clone()];
            setup.sandbox.network = network;
        })
    };
    let shop = opened(false);
    let rights = shop.terms("python").await.rights;
    assert!(rights.read.contains(&given) && rights.write.contains(&taken) && !rights.write.contains(&given));
    let lines = format!(
        "cat {0}/given.txt; echo; echo x >{0}/new; echo x >{1}/new && echo wrote; echo x >{1}/.git/hooks/new",
        given.display(),
        taken.display()
    );
    let told = shop.sh(&lines).await;
    assert_eq!(told.out(), "given\nwrote\n");
    assert_eq!(told.err().matches("Read-only file system").count(), 2, "{}", told.err());
    shop.py(&format!("open('{}/k', 'w').write('k')", taken.display())).await.ok();
    shop.executor.close().await;

    let shop = opened(true);
    let terms = shop.terms("python").await;
    assert!(terms.rights.network && !terms.rights.sandbox.network_blocked);
    assert_eq!(shop.py("6 * 7").await.ok().value(), "42");
    let id = containers_of(&shop).pop().unwrap();
    assert_ne!(docker(&["inspect", "-f", "{{.HostConfig.NetworkMode}}", &id]), "none");
    assert_eq!(shop.sh("echo on").await.ok().out(), "on\n");
    shop.executor.close().await;

    // A folder that can't be opened is reported, not left out.
    for folder in ["/usr", "/nowhere-at-all"] {
        let shop =
            Shop::elsewhere(&choice, &Executors::default(), |setup| setup.sandbox.read = vec![folder.into()]);
        let why = shop.refusal("python").await;
        assert!(why.contains(folder) && why.contains("can't be given to a container"), "{why}");
        shop.executor.close().await;
    }
}

#[tokio::test]
#[ignore = "needs a container engine and the image sayso-test:python"]
async fn files_of_functions_are_loaded_and_packages_are_refused_in_words() {
    let shop = shop();
    let source = "def twice(x: int) -> int:\n    \"\"\"Two times x.\"\"\"\n    return 2 * x\n";
    let told = load(&shop, "tools.py", source).await.ok();
    assert_eq!(functions(&told)[0].name, "twice");
    assert_eq!(shop.py("twice(21)").await.ok().value(), "42");
    for language in ["python", "javascript"] {
        let why = shop.terms_for(language, TermsFor::Install(InstallInto::Session)).await.unwrap_err();
        assert!(why.contains("has no network") && why.contains("[executors.container.images]"), "{why}");
    }
    assert_eq!(shop.executor.project_venv().await, None);
    shop.executor.close().await;
}

#[tokio::test]
#[ignore = "needs a container engine and the image sayso-test:python"]
async fn without_the_sandbox_a_container_is_closed_and_says_so() {
    let shop = Shop::elsewhere(&format!("container:{IMAGE}"), &Executors::default(), |setup| {
        setup.sandbox = sayso::exec::SandboxRequest { asked: true, ..sayso::exec::SandboxRequest::default() };
    });
    let sandbox = shop.executor.sandbox().await.unwrap();
    assert!(sandbox.level == SandboxLevel::Workspace && sandbox.network_blocked);
    assert!(sandbox.notes.iter().any(|note| note.contains("as closed as with it")), "{:?}", sandbox.notes);
    shop.executor.close().await;
}

/// A registry on this machine, from the distribution's package. It ends with the test.
struct Registry {
    child: Child,
    address: String,
    _folder: tempfile::TempDir,
}

impl Registry {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let address = format!("127.0.0.1:{port}");
        let store = folder.path().join("store");
        let config = format!(
            "version: 0.1\nstorage:\n  filesystem:\n    rootdirectory: {}\nhttp:\n  addr: {address}\n",
            store.display()
        );
        std::fs::write(folder.path().join("config.yml"), config).unwrap();
        let child = Command::new("docker-registry")
            .args(["serve".as_ref(), folder.path().join("config.yml").as_os_str()])
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("docker-registry of the distribution");
        eventually("the registry answers", || std::net::TcpStream::connect(&address).is_ok());
        Self { child, address, _folder: folder }
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A pull, started as it is once the person has approved it.
async fn pull(shop: &Shop, image: &str) -> Told {
    let terms = shop.terms_for("python", TermsFor::Pull).await.unwrap();
    assert_eq!((terms.executor, terms.rights.network), (ExecutorKind::Engine, true));
    shop.carry_out(shop.request_under(terms, &format!("{image}\n"))).await
}

#[tokio::test]
#[ignore = "needs a container engine, the image sayso-test:python, and docker-registry"]
async fn an_image_is_pulled_as_a_run_that_tells_its_progress() {
    let registry = Registry::start();
    let image = format!("{}/sayso/python:1", registry.address);
    // A layer that the engine no longer has after the image is removed.
    let marked = docker(&["create", "--network", "none", IMAGE, "touch", "/mark"]);
    docker(&["start", "-a", &marked]);
    docker(&["commit", &marked, &image]);
    docker(&["rm", &marked]);
    docker(&["push", &image]);
    docker(&["rmi", &image]);
    let shop = Shop::elsewhere(&format!("container:{image}"), &Executors::default(), |_| {});
    let why = shop.refusal("python").await;
    assert!(why.contains("is not on the container engine"), "{why}");
    assert_eq!(shop.executor.missing_image(&Language::python()).await.unwrap().name, image);

    let told = pull(&shop, &image).await.ok();
    let out = told.out();
    // How many layers exist at the start, and how many steps a quick pull shows, depends on the engine.
    assert!(out.contains(" of 2 layers") && !out.contains("Extracting"), "{out:?}");
    assert!(told.out().contains("Status: Downloaded newer image"), "{}", told.out());
    assert!(shop.executor.missing_image(&Language::python()).await.is_none());
    assert_eq!(shop.py("import os\nos.path.exists('/mark')").await.ok().value(), "True");
    shop.executor.restart_kernel();
    docker(&["rmi", "-f", &image]);

    let told = pull(&shop, &format!("{}/sayso/nothing:1", registry.address)).await.ended(Outcome::Failed);
    assert!(told.err().contains("could not be fetched"), "{}", told.err());
    let told = pull(&shop, "no name of an image").await;
    assert!(matches!(told.report.outcome, Outcome::NotStarted(_)), "{:?}", told.report);
    shop.executor.close().await;
}

#[tokio::test]
#[ignore = "needs a container engine"]
async fn a_registry_that_refuses_or_hangs_is_told_and_left() {
    let shop = shop();
    let told = pull(&shop, "127.0.0.1:1/sayso/python:1").await.ended(Outcome::Failed);
    assert!(told.err().contains("127.0.0.1:1/sayso/python:1 could not be fetched"), "{}", told.err());
    // A pull from a server that accepts connections but never answers ends when the person stops it.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let image = format!("{}/sayso/python:1\n", silent.local_addr().unwrap());
    for control in [RunControl::Interrupt, RunControl::Kill] {
        let play = async || {
            let terms = shop.terms_for("python", TermsFor::Pull).await.unwrap();
            let (run, mut events) = shop.start(shop.request_under(terms, &image));
            let first = events.recv().await.unwrap().1;
            assert_eq!(first, RunEvent::Started);
            shop.executor.control(run, control.clone());
            rest_of(events, vec![first]).await.ended(Outcome::Interrupted)
        };
        in_time(Duration::from_secs(2), play).await;
    }
    let short = Limits { wall_ms: 300, ..Limits::default() };
    let terms = shop.executor.terms_for(&Language::python(), TermsFor::Pull, Some(short)).await.unwrap();
    assert_eq!(shop.carry_out(shop.request_under(terms, &image)).await.report.outcome, Outcome::TimedOut);
    // The executor still works.
    assert_eq!(shop.py("1 + 1").await.ok().value(), "2");
    shop.executor.close().await;
}

#[tokio::test]
#[ignore = "needs a container engine of its own, which is killed"]
async fn a_lost_engine_is_told() {
    // The command in `SAYSO_TEST_DOCKERD_STOP` kills the engine that `DOCKER_HOST` names.
    let stop = std::env::var("SAYSO_TEST_DOCKERD_STOP").expect("SAYSO_TEST_DOCKERD_STOP is not set");
    let shop = shop();
    shop.py("x = 1").await.ok();
    let (_, events, before) =
        shop.start_until("python", "print('on', flush=True)\nimport time\ntime.sleep(60)", None, "on").await;
    assert!(Command::new("sh").args(["-c", &stop]).status().unwrap().success());
    let told = rest_of(events, before).await;
    let Outcome::Crashed(why) = &told.report.outcome else { panic!("{:?}", told.report) };
    assert!(why.contains("does not answer"), "{why}");
    assert!(told.lost());
    let why = shop.refusal("python").await;
    assert!(why.contains("container engine"), "{why}");
    shop.executor.close().await;
}

#[tokio::test]
async fn without_an_engine_it_says_what_to_do() {
    let mut executors = Executors::default();
    executors.container.host = Some("unix:///nowhere/docker.sock".into());
    let shop = Shop::elsewhere("container", &executors, |_| {});
    let why = shop.refusal("python").await;
    let wanted = "the container engine at unix:///nowhere/docker.sock does not answer: ";
    assert!(why.starts_with(wanted), "{why}");
    shop.executor.close().await;
    let terms = Executor::terms(&shop.executor, &Language::python(), None).await;
    assert!(terms.unwrap_err().to_string().contains("ending"));
}
