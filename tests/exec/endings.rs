//! How runs end: by themselves, at the time limit, interrupted or killed by the person; and that nothing of them is
//! left.

use crate::beside::Place;
use crate::support::*;
use sayso::domain::*;
use sayso::exec::KernelNotice;
use std::time::Duration;

/// A program with a unique name, so that its processes can be found.
fn sleeper() -> String {
    static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let n = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    format!("{}{:05}{n}", 86, std::process::id())
}

#[tokio::test]
async fn a_block_that_does_not_end_is_interrupted_at_its_limit_and_the_state_stays() {
    let shop = Shop::new();
    let on = shop.work().join("on");
    let play = async || {
        shop.py("x = 41").await.ok();
        let source = "print('on')\nopen('on', 'w').close()\nwhile True: pass";
        let told = shop.run_for("python", source, Some(300)).await.ended(Outcome::TimedOut);
        // On a busy machine the limit may come before that, or the program may end before it noticed.
        let was_on = std::fs::remove_file(&on).is_ok();
        assert!(!was_on || told.out() == "on\n", "{:?}", told.out());
        if was_on { told.kept_at_limit(Duration::from_millis(300)) } else { told.late_unless(false) }
    };
    in_time(Duration::from_millis(2300), play).await;
    assert_eq!(shop.py("x + 1").await.ok().value(), "42");
}

#[tokio::test]
async fn what_ignores_every_signal_is_ended_in_time() {
    let shop = Shop::new();
    let is_deaf = || std::fs::remove_file(shop.work().join("deaf")).is_ok();
    let deaf = "import signal\nfor s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP): signal.signal(s, signal.SIG_IGN)\nprint('deaf')\nopen('deaf', 'w').close()\nwhile True: pass";
    let play = async || {
        assert_eq!(shop.py("1").await.ok().value(), "1");
        let told = shop.run_for("python", deaf, Some(300)).await.ended(Outcome::TimedOut);
        // On a busy machine the limit may come before that.
        let was_deaf = is_deaf();
        assert!(!was_deaf || told.lost() && told.out() == "deaf\n", "{:?}", told.report);
        assert_eq!(shop.py("1").await.ok().value(), "1");
        told.late_unless(was_deaf)
    };
    in_time(Duration::from_millis(2300), play).await;
    let deaf = "trap '' INT TERM HUP; echo deaf; : > deaf; while :; do sleep 0.1; done";
    let play = async || {
        let told = shop.run_for("bash", deaf, Some(300)).await.ended(Outcome::TimedOut);
        let was_deaf = is_deaf();
        assert!(!was_deaf || told.out() == "deaf\n", "{:?}", told.out());
        told.late_unless(was_deaf)
    };
    in_time(Duration::from_millis(2300), play).await;
}

#[tokio::test]
async fn a_program_that_stops_itself_is_ended() {
    let shop = Shop::new();
    for (language, source) in [
        ("bash", "echo x; kill -STOP $$; echo never"),
        ("python", "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\nimport time\ntime.sleep(99)"),
    ] {
        let play = async || {
            // The limit counts from the start of the run, and a kernel takes a part of it to start.
            shop.py("1").await.ok();
            shop.run_for(language, source, Some(300)).await.ended(Outcome::TimedOut)
        };
        in_time(Duration::from_millis(2300), play).await;
    }
}

#[tokio::test]
async fn an_interrupt_keeps_the_kernel() {
    let shop = Shop::new();
    shop.py("x = 5").await.ok();
    for source in [
        "print('on')\nwhile True: pass",
        "print('on')\nimport time\ntime.sleep(99)",
        "print('on')\nimport subprocess\nsubprocess.run(['sleep', '99'])",
    ] {
        let play = async || {
            let told = shop.interrupted("python", source, "on").await;
            assert!(told.kept(), "{:?}", told.report);
            told
        };
        in_time(Duration::from_secs(1), play).await;
    }
    assert_eq!(shop.py("x").await.ok().value(), "5");
    let told = shop.interrupted("bash", "echo on; sleep 99; echo after", "on").await;
    assert_eq!((told.report.outcome.clone(), told.out().as_str()), (Outcome::Interrupted, "on\n"));
}

/// Receives the signal while it is blocked, then unblocks it and sleeps before the interpreter could look: what happens
/// by chance if an interrupt arrives right before a wait.
pub const LOST: &str = "import ctypes, functools, signal, time
libc = ctypes.CDLL(None)
interrupt = (ctypes.c_ulong * 16)(1 << (signal.SIGINT - 1))
let_in = functools.partial(libc.pthread_sigmask, signal.SIG_UNBLOCK, interrupt, None)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
print('on')
while signal.SIGINT not in signal.sigpending(): time.sleep(0.01)
list(map(functools.partial.__call__, [let_in, functools.partial(time.sleep, 15)]))
";

#[tokio::test]
async fn an_interrupt_that_comes_right_before_a_wait_is_not_lost() {
    let shop = Shop::new();
    shop.py("x = 5").await.ok();
    let play = async || {
        let told = shop.interrupted("python", LOST, "on").await;
        assert!(told.kept(), "{:?}", told.report);
        told
    };
    in_time(Duration::from_secs(2), play).await;
    // The same at the time limit: the kernel need not die, unless the machine delays it for as long as it may take.
    let play = async || {
        shop.py("x = 5").await.ok();
        let told = shop.run_for("python", LOST, Some(300)).await.ended(Outcome::TimedOut);
        told.kept_at_limit(Duration::from_millis(300))
    };
    in_time(Duration::from_millis(2300), play).await;
    // A handler for the interrupt is called once, and its own waits continue.
    let source = "import signal, time\ncalls = []\nsignal.signal(signal.SIGINT, lambda *a: calls.append(1))\nprint('on')\n\
                  while not calls: time.sleep(0.3)\n\
                  until = time.monotonic() + 1\nwhile time.monotonic() < until: time.sleep(0.3)\nlen(calls)";
    assert_eq!(shop.controlled("python", source, "on", RunControl::Interrupt).await.ok().value(), "1");
    assert_eq!(shop.py("x").await.ok().value(), "5");
}

#[tokio::test]
async fn an_interrupt_that_the_code_takes_is_its_own_affair() {
    let shop = Shop::new();
    let source = "import time\ntry:\n    print('on')\n    time.sleep(99)\nexcept KeyboardInterrupt:\n    print('caught')\n'went on'";
    let told = shop.controlled("python", source, "on", RunControl::Interrupt).await.ok();
    assert_eq!(told.value(), "'went on'");
}

#[tokio::test]
async fn an_idle_kernel_is_not_killed_by_an_interrupt() {
    let shop = Shop::unconfined();
    let told = shop.py("import os\nx = 1\nos.getpid()").await.ok();
    let pid: i32 = told.value().parse().unwrap();
    for _ in 0..20 {
        let group = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process_group(group, rustix::process::Signal::INT).unwrap();
    }
    assert_eq!(shop.py("x").await.ok().value(), "1");
}

#[tokio::test]
async fn a_kill_ends_the_kernel_at_once() {
    let play = async || {
        let shop = Shop::new();
        let told = shop.controlled("python", "x = 1\nprint('on')\nimport time\nwhile True:\n    try: time.sleep(9)\n    except BaseException: pass", "on", RunControl::Kill).await;
        assert_eq!(told.report.outcome, Outcome::Interrupted);
        assert!(told.lost(), "{:?}", told.report);
        let terms = shop.terms("python").await;
        assert_eq!(terms.kernel.unwrap().generation, 2);
        told
    };
    in_time(Duration::from_millis(500), play).await;
}

#[tokio::test]
async fn a_kernel_that_dies_is_told_with_its_cause_and_the_next_block_runs() {
    let shop = Shop::new();
    for (generation, (source, cause)) in (1..).zip([
        ("print('kept')\nimport os\nos._exit(3)", "status 3"),
        ("print('kept')\nimport ctypes\nctypes.string_at(0)", "SIGSEGV"),
        ("print('kept')\nimport os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
        ("print('kept')\nimport os\nos.abort()", "SIGABRT"),
        (
            "print('kept')\nimport os\nos.closerange(3, 300)\nos.write(1, b'')\nimport time\ntime.sleep(5)",
            "control channel",
        ),
    ]) {
        shop.py("x = 1").await.ok();
        let told = shop.py(source).await;
        let Outcome::Crashed(why) = &told.report.outcome else { panic!("{source}: {:?}", told.report) };
        assert!(why.contains(cause), "{source}: {why}");
        assert_eq!(told.out(), "kept\n", "{source}");
        let KernelFate::Lost(kernel) = told.report.kernel else { panic!("{:?}", told.report) };
        assert_eq!((kernel.generation, kernel.variables), (generation, 1));
        assert_eq!(shop.py("'x' in globals()").await.ok().value(), "False");
    }
}

#[tokio::test]
async fn terms_that_no_longer_hold_are_refused() {
    let shop = Shop::new();
    let old = shop.terms("python").await;
    shop.py("import os\nos.chdir('/')").await.ok();
    let told = shop.carry_out(shop.request_under(old, "print('never')")).await;
    let Outcome::Refused(why) = &told.report.outcome else { panic!("{:?}", told.report.outcome) };
    assert!(why.contains("the folder changed"), "{why}");
    let old = shop.terms("python").await;
    shop.executor.restart_kernel();
    let told = shop.carry_out(shop.request_under(old, "print('never')")).await;
    assert!(matches!(told.report.outcome, Outcome::Refused(_)), "{:?}", told.report.outcome);
    assert_eq!(told.out(), "");
    // Two at the same time: the second one is refused, and the first one is not disturbed.
    let first = "while [ ! -e go ]; do sleep 0.02; done; echo first";
    let first = shop.request("bash", first, None).await;
    let second = shop.request("bash", "echo second", None).await;
    let (_, one) = shop.start(first);
    assert!(matches!(shop.carry_out(second).await.report.outcome, Outcome::Refused(_)));
    std::fs::write(shop.work().join("go"), "").unwrap();
    assert_eq!(all(one).await.ok().out(), "first\n");
}

#[tokio::test]
async fn nothing_outlives_a_run() {
    let shop = Shop::new();
    let name = sleeper();
    let daemons = [
        ("bash", format!("sleep {name} & echo started")),
        ("bash", format!("setsid sleep {name} & disown; echo started")),
        (
            "bash",
            format!(
                "(setsid nohup bash -c '(setsid sleep {name} >/dev/null 2>&1 &) &' &) ; sleep 0.1; echo started"
            ),
        ),
        (
            "python",
            format!(
                "import subprocess\nsubprocess.Popen(['sleep', '{name}'], start_new_session=True)\nprint('started')"
            ),
        ),
        (
            "python",
            format!(
                "import os\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        os.execvp('sleep', ['sleep', '{name}'])\n    os._exit(0)\nimport time; time.sleep(0.1)\nprint('started')"
            ),
        ),
        (
            "python",
            format!(
                "import subprocess\nsubprocess.Popen(['bash', '-c', 'trap \"\" TERM INT HUP; while :; do sleep {name}; done'], start_new_session=True)\nprint('started')"
            ),
        ),
    ];
    for (language, source) in daemons {
        let play = async || {
            let told = shop.run(language, &source).await.ok();
            assert_eq!(told.out(), "started\n", "{source}");
            assert_eq!(processes_with(&name), [0; 0], "{source}");
            told
        };
        in_time(Duration::from_secs(2), play).await;
    }
    let endless_python =
        format!("import subprocess\nsubprocess.Popen(['setsid', 'sleep', '{name}'])\nwhile True: pass");
    let endless_bash = format!("setsid sleep {name} & while :; do sleep 0.1; done");
    for (language, source) in [("bash", endless_bash), ("python", endless_python)] {
        assert_eq!(shop.run_for(language, &source, Some(300)).await.report.outcome, Outcome::TimedOut);
        assert_eq!(processes_with(&name), [0; 0], "{source}");
    }
}

#[tokio::test]
async fn a_crowd_that_forks_is_ended() {
    let shop = Shop::new();
    let name = sleeper();
    let source = format!(
        "f() {{ for i in 1 2 3; do (sleep {name}; :) & done; wait; }}; for n in $(seq 30); do f & done; wait"
    );
    let play = async || {
        let told = shop.run_for("bash", &source, Some(400)).await.ended(Outcome::TimedOut);
        assert_eq!(processes_with(&name), [0; 0]);
        told
    };
    in_time(Duration::from_millis(2400), play).await;
}

#[tokio::test]
async fn the_death_of_the_helper_ends_everything() {
    let shop = Shop::unconfined();
    let name = sleeper();
    for (language, source) in [
        ("bash", format!("setsid sleep {name} & sleep 0.2; kill -9 $PPID; sleep 60")),
        (
            "python",
            format!(
                "import os, subprocess\nsubprocess.Popen(['setsid', 'sleep', '{name}'])\nos.kill(os.getppid(), 9)\nimport time\ntime.sleep(60)"
            ),
        ),
    ] {
        let told = shop.run(language, &source).await;
        assert!(matches!(told.report.outcome, Outcome::Crashed(_)), "{:?}", told.report.outcome);
        assert!(told.report.receipt.not_stopped, "nothing was there to end all of it: {source}");
        eventually("the rest is gone", || processes_with(&name).is_empty());
    }
    assert_eq!(shop.py("1").await.ok().value(), "1");
}

/// Acts as sayso in `our_death_ends_everything`: starts runs that do not end, and waits to be killed.
#[tokio::test]
#[ignore = "is started by another test"]
async fn child_that_is_killed() {
    let name = std::env::var("SAYSO_TEST_SLEEPER").unwrap();
    let shop = Shop::new();
    shop.py("print(1)").await.ok();
    let source = format!(
        "import subprocess\nfor i in range(3): subprocess.Popen(['setsid', 'sleep', '{name}'])\nprint('ready')\nwhile True: pass"
    );
    let (_, _receiver, _) = shop.start_until("python", &source, None, "ready").await;
    std::fs::write(std::env::var("SAYSO_TEST_READY").unwrap(), "").unwrap();
    std::future::pending::<()>().await;
}

#[test]
fn our_death_ends_everything() {
    let _place = Place::beside();
    let name = sleeper();
    let folder = tempfile::tempdir().unwrap();
    let ready = folder.path().join("ready");
    let mut us = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "endings::child_that_is_killed", "--ignored"])
        .env("SAYSO_TEST_SLEEPER", &name)
        .env("SAYSO_TEST_READY", &ready)
        .env("TMPDIR", folder.path())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    eventually("it runs", || ready.exists());
    assert!(!processes_with(&name).is_empty());
    us.kill().unwrap();
    us.wait().unwrap();
    eventually("all are gone", || processes_with(&name).is_empty());
    // The kernel and its helper worked below that folder.
    eventually("the kernel is gone", || processes_with(&folder.path().display().to_string()).is_empty());
}

#[tokio::test]
async fn a_death_while_nothing_runs_is_told() {
    let shop = Shop::unconfined();
    let pid: i32 = shop.py("import os\nos.getpid()").await.ok().value().parse().unwrap();
    let deaths = shop.executor.kernel_notice();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    let cause = tokio::time::timeout(Duration::from_secs(30), deaths).await.unwrap();
    assert!(matches!(&cause, KernelNotice::Died(dead) if dead.cause.contains("SIGKILL")), "{cause:?}");
    let terms = shop.terms("python").await;
    assert_eq!(terms.kernel.unwrap().generation, 2);
}

#[tokio::test]
async fn close_ends_a_run_and_tells_its_end() {
    let shop = Shop::new();
    let name = sleeper();
    let request = shop.request("bash", &format!("echo on; setsid sleep {name}"), None).await;
    let again = request.clone();
    let (_, mut receiver) = shop.start(request);
    let events = until_output(&mut receiver, "on").await;
    shop.executor.close().await;
    rest_of(receiver, events).await.ended(Outcome::Interrupted);
    assert_eq!(processes_with(&name), [0; 0]);
    assert!(matches!(shop.carry_out(again).await.report.outcome, Outcome::NotStarted(_)));
}

#[test]
fn many_runs_leave_nothing() {
    let _place = Place::beside();
    play_alone("endings::child_of_many_runs");
}

#[test]
#[ignore = "is started by another test"]
fn child_of_many_runs() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let shop = Shop::new();
    let temp = shop.base();
    let round = |n: u32| {
        runtime.block_on(async {
            match n % 10 {
                0 => drop(shop.sh("echo x; (sleep 50 &)").await),
                1 => drop(shop.py("import os\nos._exit(1)").await),
                2 => drop(shop.run_for("bash", "sleep 9", Some(20)).await),
                _ => drop(shop.py("print(1)").await.ok()),
            }
        });
    };
    (0..20).for_each(round);
    let before = open_descriptors();
    (0..300).for_each(round);
    let after = open_descriptors();
    assert!(after <= before + 2, "{before} descriptors, then {after}");
    runtime.block_on(shop.executor.close());
    let mark = temp.display().to_string();
    eventually("no process is left", || processes_with(&mark).is_empty());
    assert!(!temp.join("blobs").exists());
}
