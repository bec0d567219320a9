//! Between runs, nothing of a run moves: checked from outside, by what the system reports of its processes and threads.

use super::support::*;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use sayso::domain::{Language, RunControl};
use sayso::exec::{KernelNotice, TermsFor};
use std::fs;

/// What [`COUNTER`] has written in a shop.
pub fn counted(shop: &Shop) -> String {
    fs::read_to_string(shop.work().join("count.txt")).unwrap()
}

/// A block that waits until the number has grown.
pub const GROWS: &str =
    "before = open('count.txt').read()\nwhile open('count.txt').read() in (before, ''): pass";

/// A thread that writes a growing number to a file forever.
pub const COUNTER: &str = "import threading\n\
    def count():\n\
    \x20   n = 0\n\
    \x20   while True:\n\
    \x20       n += 1\n\
    \x20       with open('count.txt', 'w') as f: f.write(str(n).rjust(20))\n\
    counter = threading.Thread(target=count, daemon=True)\n\
    counter.start()\n\
    while not __import__('os').path.exists('count.txt'): pass";

/// The processes whose environment contains this shop's folder: the kernel, and what it started.
fn of_runs(shop: &Shop) -> Vec<i32> {
    processes_that_hold(shop.folder.path().to_str().unwrap(), &["environ"])
}

/// The threads of these processes that can run.
pub fn moving(pids: &[i32]) -> Vec<String> {
    let tasks = pids.iter().flat_map(|pid| fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten());
    let stats = tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join("stat")).ok());
    let state = |stat: &String| stat.rsplit(')').next().unwrap_or_default().trim_start().chars().next();
    stats.filter(|stat| !matches!(state(stat), Some('T' | 'Z' | 'X'))).collect()
}

#[track_caller]
fn assert_still(shop: &Shop) {
    let pids = of_runs(shop);
    assert!(pids.len() <= 1, "more than the kernel is there: {pids:?}");
    assert_eq!(moving(&pids), [""; 0]);
}

#[tokio::test]
async fn threads_stand_still_between_runs_and_go_on_with_the_next() {
    let shop = Shop::new();
    let told = shop.py(COUNTER).await.ok();
    assert_eq!(told.report.receipt.threads, 1, "it is told that one will go on");
    assert_still(&shop);
    let before = counted(&shop);
    // Another program runs meanwhile, but the kernel does not.
    shop.sh("for i in {1..200}; do cat count.txt > /dev/null; done").await.ok();
    assert_eq!(counted(&shop), before);
    shop.py(GROWS).await.ok();
    assert_still(&shop);
}

#[tokio::test]
async fn a_kernel_that_nobody_used_stands_still() {
    let shop = Shop::new();
    shop.executor.warm(&Language::python());
    eventually("a kernel is there and stands", || {
        let pids = of_runs(&shop);
        !pids.is_empty() && moving(&pids).is_empty()
    });
    shop.py("1 + 1").await.ok();
    assert_still(&shop);
}

#[tokio::test]
async fn a_late_interrupt_wakes_nothing() {
    let shop = Shop::new();
    let request = shop.request("python", COUNTER, None).await;
    let (id, receiver) = shop.start(request);
    all(receiver).await.ok();
    shop.executor.control(id, RunControl::Interrupt);
    shop.executor.control(id, RunControl::Kill);
    shop.sh("true").await.ok();
    assert_still(&shop);
    shop.py("assert counter.is_alive()").await.ok();
}

#[tokio::test]
async fn what_modules_a_text_lacks_is_told_while_the_kernel_stands_still() {
    let shop = Shop::new();
    let lacking = |text: &'static str| shop.lacking(text, &[]);
    assert_eq!(lacking("import json, numpie_of_nobody").await, ["numpie_of_nobody"]);
    shop.py("import os, sys\nos.mkdir('lib')\nopen('lib/own_of_mine.py', 'w').write('')\nsys.path.insert(0, 'lib')")
        .await
        .ok();
    assert_eq!(lacking("import own_of_mine, numpie_of_nobody").await, ["numpie_of_nobody"]);
    eventually("both stand still", || moving(&of_runs(&shop)).is_empty());
    shop.py("import own_of_mine\nos.mkdir('sub')\nos.chdir('sub')\nopen('other_of_mine.py', 'w').write('')")
        .await
        .ok();
    assert_eq!(lacking("import other_of_mine, numpie_of_nobody").await, ["numpie_of_nobody"]);
}

#[tokio::test]
async fn what_open_files_hold_back_is_written_at_the_end_of_a_block() {
    let shop = Shop::new();
    shop.py("f = open('unclosed.txt', 'w')\nf.write('written')").await.ok();
    assert_eq!(fs::read_to_string(shop.work().join("unclosed.txt")).unwrap(), "written");
}

/// Nobody would watch what it does then.
#[tokio::test]
async fn the_code_of_a_block_does_nothing_at_the_exit_of_its_kernel() {
    let shop = Shop::new();
    shop.py("import atexit\natexit.register(lambda: open('atexit.txt', 'w').write('heard'))").await.ok();
    shop.executor.close().await;
    assert!(!shop.work().join("atexit.txt").exists());
}

/// Things that a block can leave behind and that would act by themselves.
const LEFT_BEHIND: [&str; 9] = [
    COUNTER,
    "from concurrent.futures import ThreadPoolExecutor\nimport time\npool = ThreadPoolExecutor(4)\nfor _ in range(8): pool.submit(lambda: time.sleep(1000))",
    "from concurrent.futures import ProcessPoolExecutor\nimport multiprocessing, time\nprocesses = ProcessPoolExecutor(2, multiprocessing.get_context('fork'))\nfor _ in range(4): processes.submit(time.sleep, 1000)",
    "import os, time\nif os.fork() == 0:\n    while True: time.sleep(0.001)",
    "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        os.chdir('/')\n        while True: time.sleep(0.001)\n    os._exit(0)",
    "import subprocess\nsubprocess.Popen('while :; do sleep 0.01; done', shell=True, start_new_session=True)",
    "import os, threading\ndef respawn():\n    while True:\n        pid = os.fork()\n        if pid == 0:\n            import time\n            while True: time.sleep(1)\n        os.waitpid(pid, 0)\nthreading.Thread(target=respawn, daemon=True).start()",
    "import os, signal, threading\nme = os.getpid()\nif os.fork() == 0:\n    while True:\n        try: os.kill(me, signal.SIGCONT)\n        except ProcessLookupError: os._exit(0)",
    "import signal, itertools\nsignal.signal(signal.SIGALRM, lambda *a: open('alarm.txt', 'a').write('x'))\nsignal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)",
];

/// No sequence of runs leaves anything that could act between two decisions.
#[test]
fn any_sequence_of_runs_leaves_nothing_that_moves() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let cases = if std::env::var("SAYSO_TEST_CASES").is_ok() { 12 } else { 3 };
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let sequences = prop::collection::vec((0..LEFT_BEHIND.len(), any::<bool>()), 2..6);
    let result = runner.run(&sequences, |sequence| {
        runtime.block_on(async {
            let shop = Shop::new();
            for (at, in_bash) in sequence {
                if in_bash {
                    shop.sh("(while :; do :; done) & disown; setsid sleep 1000 &").await;
                }
                shop.py(LEFT_BEHIND[at]).await;
                assert_still(&shop);
            }
        });
        Ok(())
    });
    result.unwrap();
}

#[tokio::test]
async fn the_terms_tell_which_blocks_share_the_interpreter_and_what_they_were_found_to_have_changed() {
    let shop = Shop::new();
    assert_eq!(shop.terms("python").await.shared, None);
    shop.py("1").await.ok();
    let shared = shop.terms("python").await.shared.unwrap();
    assert_eq!((shared.blocks.ranges().len(), shared.changed.len()), (1, 0));
    let tamper = "import builtins, os, sys\n\
        class Hook:\n\
        \x20   def find_spec(*a): return None\n\
        sys.meta_path.insert(0, Hook)\n\
        builtins.open = lambda *a: None\n\
        os.environ.update(PATH='/evil', LD_PRELOAD='x.so', PYTHONPATH='src', GIT_DIR='x', MINE='stays')";
    shop.py(tamper).await.ok();
    let terms = shop.terms("python").await;
    let told = terms.shared.clone().unwrap().changed.join("; ");
    assert_has(&told, &["builtins replaced: open", "import hooks: Hook", "PATH changed"]);
    assert_has(&told, &["not carried over: ", "LD_PRELOAD"]);
    let names = "import os\n[n for n in ('LD_PRELOAD', 'PYTHONPATH', 'GIT_DIR', 'MINE') if n in os.environ]";
    assert_eq!(shop.py(names).await.ok().value(), "['MINE']");
    shop.executor.restart_kernel();
    assert_eq!(shop.terms("python").await.shared, None, "a new one shares nothing");
}

#[tokio::test]
async fn a_shell_carries_over_what_does_not_steer_programs_and_tells_it() {
    let shop = Shop::new();
    assert_eq!(shop.terms("bash").await.shared, None);
    let exports = "export MINE=1 LD_AUDIT=x PYTHONSTARTUP=x NODE_OPTIONS=x GIT_CONFIG_COUNT=0 PERL5OPT= RUBYOPT= BASH_ENV=x \
                   ENV=x; ls() { echo mine; }; export -f ls; export PATH=$PATH:/more";
    shop.sh(exports).await.ok();
    let shared = shop.terms("bash").await.shared.unwrap();
    assert_eq!(shared.blocks.ranges().len(), 1);
    assert_eq!(shared.changed[..2], ["PATH changed", "variables exported: MINE"]);
    assert!(shared.changed[2].starts_with("not carried over: "), "{:?}", shared.changed);
    let look = "env | grep -oE '^(MINE|LD_AUDIT|PYTHONSTARTUP|NODE_OPTIONS|GIT_[A-Z_]*|PERL5OPT|RUBYOPT|BASH_[A-Z_]*|ENV)'; \
                type -t ls; case $PATH in *:/more) echo more;; esac";
    assert_eq!(shop.sh(look).await.ok().out(), "MINE\nfile\nmore\n");
}

#[tokio::test]
async fn a_block_runs_in_a_new_kernel_where_the_person_says_so() {
    let shop = Shop::new();
    shop.py("x = 1\nimport builtins\nbuiltins.open = None").await.ok();
    let terms = shop.terms_for("python", TermsFor::NewKernel).await.unwrap();
    let kernel = terms.kernel.unwrap();
    assert_eq!((kernel.generation, kernel.variables, &terms.shared), (2, 0, &None));
    assert_eq!(shop.terms("python").await.kernel.unwrap().generation, 1, "only a question");
    let request = shop.request_under(terms, "callable(open) and 'x' not in globals()");
    assert_eq!(shop.carry_out(request).await.ok().value(), "True");
    let terms = shop.terms("python").await;
    assert_eq!((terms.kernel.unwrap().generation, terms.shared.unwrap().blocks.ranges().len()), (2, 1));
    assert_still(&shop);
    let why = shop.terms_for("bash", TermsFor::NewKernel).await.unwrap_err();
    assert!(why.contains("start anew each time"), "{why}");
}

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn a_kernel_that_is_older_than_a_repository_says_that_it_can_write_its_hooks() {
    let shop = Shop::new();
    let init = "mkdir -p .git/hooks && echo > .git/config";
    let write = "open('.git/hooks/post-checkout', 'w').write('evil')";
    // An unused kernel is replaced by one whose sandbox knows the new folder.
    shop.executor.warm(&Language::python());
    eventually("a kernel is there", || !of_runs(&shop).is_empty());
    shop.sh(init).await.ok();
    let refused = shop.py(write).await;
    assert_eq!(refused.error().kind, "OSError", "{:?}", refused.report);
    // A used kernel stays, and that is reported.
    let used = Shop::new();
    used.py("1").await.ok();
    used.sh(init).await.ok();
    let changed = used.terms("python").await.shared.unwrap().changed;
    assert!(changed[0].contains(".git/hooks") && changed[0].contains("K = new kernel"), "{changed:?}");
    used.py(write).await.ok();
    let terms = used.terms_for("python", TermsFor::NewKernel).await.unwrap();
    assert_eq!(used.carry_out(used.request_under(terms, write)).await.error().kind, "OSError");
}

/// Each process is started before the previous one ends, so a scan finds dead ones.
const CHAIN: &str = "#include <fcntl.h>\n#include <unistd.h>\n\
    int main(void) {\n\
    \x20   int links = open(\"links\", O_CREAT | O_APPEND | O_WRONLY, 0600);\n\
    \x20   for (;;) { setsid(); write(links, \"x\", 1); if (fork() > 0) _exit(0); }\n\
    }\n";

#[tokio::test]
async fn a_chain_of_short_lives_does_not_outlive_its_run() {
    for shop in [Shop::new(), Shop::unconfined()] {
        fs::write(shop.work().join("chain.c"), CHAIN).unwrap();
        let mut compiler = std::process::Command::new("cc");
        let made = compiler.args(["-O2", "-w", "-o", "chain", "chain.c"]).current_dir(shop.work()).status();
        assert!(made.expect("a compiler, as every build of this needs one").success());
        let links = || fs::metadata(shop.work().join("links")).unwrap().len();
        for _ in 0..10 {
            let two = "import os, subprocess, time\n\
                def links(): return os.path.getsize('links') if os.path.exists('links') else 0\n\
                most = links() + 4\nfor _ in range(2): subprocess.Popen(['./chain'])\n\
                while links() < most: time.sleep(0.02)";
            let told = shop.py(two).await.ok();
            let before = links();
            assert!(!told.report.receipt.not_stopped && before > 3, "{before} links");
            shop.sh("for i in {1..100}; do cat links > /dev/null; done").await.ok();
            assert_eq!(links(), before);
        }
    }
}

/// The first thread of a process can end before the others, and they still belong to it.
#[tokio::test]
async fn a_process_whose_first_thread_ended_does_not_outlive_its_run() {
    let hidden = "import ctypes, os, platform, time\n\
        if os.fork() == 0:\n\
        \x20   os.setsid()\n\
        \x20   exec(COUNTER)\n\
        \x20   ctypes.CDLL(None).syscall({'x86_64': 60}.get(platform.machine(), 93), 0)\n\
        while not os.path.exists('count.txt'): pass\n\
        time.sleep(0.2)";
    for shop in [Shop::new(), Shop::unconfined()] {
        let told = shop.py(&hidden.replace("COUNTER", &format!("{COUNTER:?}"))).await.ok();
        assert!(!told.report.receipt.not_stopped);
        let stamp = || fs::metadata(shop.work().join("count.txt")).unwrap().modified().unwrap();
        let before = stamp();
        shop.sh("for i in {1..200}; do cat count.txt > /dev/null; done").await.ok();
        assert_eq!(stamp(), before);
    }
}

/// Runs a block that makes the system wake its kernel later, and waits until that has happened.
async fn woken(shop: &Shop, block: &str, wake: impl FnOnce()) {
    shop.py(COUNTER).await.ok();
    shop.py(block).await.ok();
    wake();
    let patience = std::time::Duration::from_secs(30);
    let died = tokio::time::timeout(patience, shop.executor.kernel_notice()).await.expect("it is told");
    let KernelNotice::Died(died) = died else { panic!("{died:?}") };
    assert!(died.cause.starts_with("it moved between two runs"), "{died:?}");
    assert_eq!(of_runs(shop), [0; 0]);
    assert_eq!(shop.py("'counter' in globals()").await.ok().value(), "False", "another one");
    assert_still(shop);
}

#[tokio::test]
async fn a_kernel_that_a_timer_wakes_between_runs_is_ended() {
    // Repeatedly: at the first time the run may still be going on.
    let timer = "import ctypes, signal\n\
        class Event(ctypes.Structure):\n\
        \x20   _fields_ = [('value', ctypes.c_void_p), ('signal', ctypes.c_int), ('notify', ctypes.c_int), ('rest', ctypes.c_char * 64)]\n\
        libc, timer = ctypes.CDLL(None), ctypes.c_void_p()\n\
        assert libc.timer_create(1, ctypes.byref(Event(None, signal.SIGCONT, 0)), ctypes.byref(timer)) == 0\n\
        assert libc.timer_settime(timer, 0, ctypes.byref((ctypes.c_long * 4)(0, 200_000_000, 0, 200_000_000)), None) == 0";
    for shop in [Shop::new(), Shop::unconfined()] {
        woken(&shop, timer, || {}).await;
    }
}

#[tokio::test]
async fn a_kernel_that_a_change_of_a_folder_wakes_between_runs_is_ended() {
    let watch = "import fcntl, os, signal\nfd = os.open('.', os.O_RDONLY)\n\
        fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGCONT)\nfcntl.fcntl(fd, fcntl.F_NOTIFY, fcntl.DN_CREATE)";
    for shop in [Shop::new(), Shop::unconfined()] {
        woken(&shop, watch, || fs::write(shop.work().join("new.txt"), "").unwrap()).await;
    }
}

/// After a run without a sandbox has stopped the helper, the helper receives nothing any more.
#[tokio::test]
async fn who_stops_the_helper_is_ended_before_the_end_is_told() {
    for (language, block) in [
        ("bash", "setsid sleep 1000 & kill -STOP $PPID; sleep 1000"),
        (
            "python",
            "import os, signal, subprocess\nsubprocess.Popen(['setsid', 'sleep', '1000'])\nos.kill(os.getppid(), signal.SIGSTOP)",
        ),
    ] {
        let play = async || {
            let shop = Shop::unconfined();
            // The start of a kernel takes time, and a kernel that is interrupted before it is ready counts as not
            // started.
            shop.py("1").await.ok();
            let told = shop.run_for(language, block, Some(500)).await;
            assert_eq!(told.report.outcome, sayso::domain::Outcome::TimedOut);
            assert_eq!(moving(&of_runs(&shop)), [""; 0], "{language}");
            shop.py("1").await.ok();
            told
        };
        in_time(std::time::Duration::from_millis(3500), play).await;
    }
}

/// Nobody is left who would end the rest of the run, or know of it.
#[tokio::test]
async fn of_a_run_that_killed_the_helper_something_may_still_act() {
    let shop = Shop::unconfined();
    let told = shop.run_for("bash", "kill -KILL $PPID", Some(60_000)).await;
    let report = &told.report;
    assert!(report.receipt.not_stopped, "{report:?}");
    // It ran, although the helper may not have come to say so.
    assert!(matches!(report.outcome, sayso::domain::Outcome::Crashed(_)), "{:?}", report.outcome);
}

/// The value of a variable in programs of the next block.
async fn given(shop: &Shop, name: &str) -> String {
    let look = format!(
        "import subprocess\nsubprocess.run(['/usr/bin/env'], capture_output=True, text=True).stdout.count('{name}=')"
    );
    shop.py(&look).await.ok().value().to_owned()
}

#[tokio::test]
async fn what_steers_is_taken_out_however_it_was_put_in() {
    for block in [
        "import os\nos.putenv('LD_AUDIT', 'x')",
        "import os\nos.environ['LD_AUDIT'] = 'x'\nos.environ = {}",
        "import os, subprocess, sys\nsubprocess.run(['/usr/bin/env'], capture_output=True, text=True)\n\
         os.environ['LD_AUDIT'] = 'x'\nsys.path_hooks = None",
    ] {
        let shop = Shop::new();
        shop.py(block).await.ok();
        let shared = shop.terms("python").await.shared.unwrap();
        assert!(shared.changed.contains(&"not carried over: LD_AUDIT".to_owned()), "{block}: {shared:?}");
        assert_eq!(given(&shop, "LD_AUDIT").await, "0", "{block}");
    }
    let shop = Shop::new();
    shop.py("import os\nos.putenv('PATH', '/evil')\nos.environ = dict(os.environ)").await.ok();
    let shared = shop.terms("python").await.shared.unwrap();
    assert_eq!(shared.changed, ["PATH changed", "os.environ replaced"]);
}

#[tokio::test]
async fn a_kernel_outlives_the_look_at_what_a_block_changed_in_it() {
    let shop = Shop::new();
    let hook = "import sys\n\
        class Meta(type):\n\
        \x20   @property\n\
        \x20   def __module__(self): raise SystemExit\n\
        class Hook(metaclass=Meta):\n\
        \x20   def find_spec(*a): return None\n\
        sys.meta_path.append(Hook())";
    assert!(shop.py(hook).await.ok().kept());
    let shared = shop.terms("python").await.shared.unwrap();
    assert_eq!(shared.changed, ["import hooks: Hook"]);
}

/// A query that hangs does not delay the next one.
#[tokio::test]
async fn what_hangs_the_answer_about_packages_hangs_one_only() {
    let shop = Shop::new();
    let trap = "import os, sys\nos.makedirs('trap/pkg-1.dist-info')\nos.mkfifo('trap/pkg-1.dist-info/METADATA')\n\
        sys.path.insert(0, os.path.abspath('trap'))\n\
        for name in ('sitecustomize', 'email', 'csv', 'zipfile', 'zlib', 'encodings', 'socket', 'numpie_of_nobody'):\n\
        \x20   open(f'trap/{name}.py', 'w').write('open(\"ran.txt\", \"a\").write(__name__)')";
    shop.py(trap).await.ok();
    assert_eq!(shop.executor.missing_packages("import numpie_of_nobody", &["pkg".into()]).await, [""; 0]);
    let lacking = shop.lacking("import numpie_of_nobody", &["other-of-nobody".into()]).await;
    assert_eq!(lacking, ["other-of-nobody"]);
    eventually("all stand still", || moving(&of_runs(&shop)).is_empty());
    assert!(!shop.work().join("ran.txt").exists(), "nothing of the folder is run");
}
