//! Runs in real Jupyter kernels, on this machine and on a real server. `SAYSO_TEST_JUPYTER` is a virtual environment
//! with ipykernel, bash_kernel, jupyter_server, matplotlib and pandas.

use crate::between::{COUNTER, GROWS, counted, moving};
use crate::jupyter_server::{JupyterServer, TOKEN, venv};
use crate::support::*;
use rustix::process::Signal;
use sayso::config::Executors;
use sayso::domain::*;
use sayso::exec::{KernelNotice, TermsFor};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// An unreachable server must be reported within this time, even with both cores busy. `exec::jupyter::remote` promises
/// 4 s; waiting for the connection to time out would take 20 s.
const ENOUGH: Duration = Duration::from_secs(12);

/// A shop with kernels of this machine.
fn local(choice: &str) -> Shop {
    Shop::elsewhere(choice, &Executors::default(), |setup| setup.python = Some(venv().join("bin/python")))
}

fn at(port: u16, token: &str) -> Shop {
    at_with_patience(port, token, 20)
}

/// The same, where a lost connection is retried for this many seconds.
fn at_with_patience(port: u16, token: &str, reconnect: u64) -> Shop {
    let mut executors = Executors::default();
    executors.jupyter.url = Some(format!("http://127.0.0.1:{port}"));
    executors.jupyter.token_command = Some(format!("echo {token}"));
    executors.jupyter.reconnect = reconnect;
    Shop::elsewhere("jupyter", &executors, |_| {})
}

/// A proxy to the server whose connections can be cut, and that can be closed for a while.
async fn cuttable(to: u16) -> (u16, Arc<AtomicBool>, tokio::sync::watch::Sender<u32>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let open = Arc::new(AtomicBool::new(true));
    let (cut, cuts) = tokio::sync::watch::channel(0);
    let is_open = open.clone();
    tokio::spawn(async move {
        loop {
            let (mut near, _) = listener.accept().await.unwrap();
            if !is_open.load(Ordering::SeqCst) {
                let _ = near.shutdown().await;
                continue;
            }
            let mut cuts = cuts.clone();
            cuts.mark_unchanged();
            tokio::spawn(async move {
                let Ok(mut far) = TcpStream::connect(("127.0.0.1", to)).await else { return };
                tokio::select! {
                    _ = tokio::io::copy_bidirectional(&mut near, &mut far) => {}
                    _ = cuts.changed() => {}
                }
            });
        }
    });
    (port, open, cut)
}

/// What every Python kernel must do, wherever it is.
async fn a_kernel_does_its_work(shop: &Shop) {
    let first =
        shop.py("x = 41\nprint('hello')\nimport sys\nprint('oops', file=sys.stderr)\nx + 1").await.ok();
    assert_eq!((first.out().as_str(), first.err().as_str(), first.value()), ("hello\n", "oops\n", "42"));
    assert!(first.kept());
    assert_eq!(shop.py("x").await.ok().value(), "41");
    let hostile = "class H:\n    \
            def __repr__(self): print('called'); return 'H'\n    \
            def __len__(self): print('called'); return 1\n\
        h = H(); many = list(range(20)); text = 'a' * 100";
    let told = shop.py(hostile).await.ok();
    assert_eq!(told.out(), "", "nobody's code is called for the list of variables");
    let variables = told.variables();
    let of = |name: &str| {
        let found =
            variables.iter().find(|v| v.name == name).unwrap_or_else(|| panic!("{name}: {variables:?}"));
        (found.kind.clone(), found.size.clone(), found.value.clone())
    };
    let three = |kind: &str, size: &str, value: &str| (kind.to_owned(), size.to_owned(), value.to_owned());
    assert_eq!(of("x"), three("int", "", "41"));
    assert_eq!(of("many"), three("list", "20 items", ""));
    assert_eq!(of("h"), three("H", "", ""));
    assert_eq!((of("text").1.as_str(), of("text").2.len()), ("100 chars", 65));
    assert!(!variables.iter().any(|v| v.name == "sys" || v.name == "In"), "{variables:?}");
    assert_eq!(shop.py("_").await.ok().value(), "41", "it leaves no trace in the history");
    let failed = shop.py("def f():\n    raise ValueError('no')\nf()").await.ended(Outcome::Failed);
    assert_eq!((failed.error().kind.as_str(), failed.error().message.as_str()), ("ValueError", "no"));
    assert_has(&failed.error().traceback, &["raise ValueError"]);
    assert!(!failed.error().traceback.contains('\u{1b}'));
    let asked = shop.py("input('name? ')").await.ended(Outcome::Failed);
    assert!(asked.error().message.contains("does not support input"), "{:?}", asked.report);
    let figure = "%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()";
    let figure = shop.py(figure).await.ok();
    let image = figure.report.images.first().unwrap();
    assert_eq!(image.mime, "image/png");
    assert!(image.width > 100 && std::fs::read(&image.path).unwrap().starts_with(b"\x89PNG"));
    let svg = "from IPython.display import SVG, HTML, display\n\
        display(SVG('<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"30\" height=\"20\"></svg>'))\n\
        display(HTML('<table><tr><th>a</th><th>n</th></tr><tr><td>x</td><td>10</td></tr></table>'))";
    let shown = shop.py(svg).await.ok();
    let image = shown.report.images.first().unwrap();
    assert_eq!((image.mime.as_str(), image.width, image.height), ("image/svg+xml", 30, 20));
    assert_eq!(shown.out(), "a  n\nx  10\n");
    let exit = shop.py("import sys\nsys.exit(3)").await;
    assert_eq!((&exit.report.outcome, exit.report.receipt.exit_code), (&Outcome::Failed, Some(3)));
    let large = shop.py("for i in range(3000): print('x' * 100)\nprint('end')").await.ok();
    assert!(large.out().ends_with("end\n"));
    assert_eq!(large.report.output.total(Stream::Stdout), 303_004);
    let told = shop.interrupted("python", "print('on', flush=True)\nimport time\ntime.sleep(60)", "on").await;
    assert_eq!((&told.report.outcome, told.kept()), (&Outcome::Interrupted, true), "{:?}", told.report);
    // A busy machine may delay it for longer than it may take to react.
    let play = async || {
        shop.py("x = 41").await.ok();
        let late = shop.run_for("python", "import time\ntime.sleep(60)", Some(700)).await;
        assert_eq!(late.report.outcome, Outcome::TimedOut, "{:?}", late.report);
        late.kept_at_limit(Duration::from_millis(700))
    };
    in_time(ENOUGH, play).await;
    assert_eq!(shop.py("x").await.ok().value(), "41");
    what_does_not_stop_is_ended(shop).await;
}

/// A block that ignores interrupts, and one that ends its kernel.
async fn what_does_not_stop_is_ended(shop: &Shop) {
    let deaf = "import time\nwhile True:\n    try:\n        while True: time.sleep(1)\n    except KeyboardInterrupt: pass";
    // It ignores interrupts by then.
    let deaf = shop.run_for("python", deaf, Some(4_000)).await;
    assert_eq!((&deaf.report.outcome, deaf.lost()), (&Outcome::TimedOut, true), "{:?}", deaf.report);
    let since = Instant::now();
    let died = shop.py("import os\nos._exit(1)").await;
    assert!(matches!(&died.report.outcome, Outcome::Crashed(_)), "{:?}", died.report);
    assert!(died.lost() && since.elapsed() < Duration::from_secs(30));
    assert_eq!(shop.py("'x' in dir()").await.ok().value(), "False");
    // Imitates an interrupt that gets lost, as one right before a wait does: it is repeated.
    let deaf = "import signal, time\ncalls = []\ndef once(number, frame):\n    calls.append(number)\n    if len(calls) > 1:\n        \
                raise KeyboardInterrupt\nsignal.signal(signal.SIGINT, once)\nprint('on', flush=True)\ntime.sleep(15)";
    let told = shop.interrupted("python", deaf, "on").await;
    assert!(told.kept() && told.took < ENOUGH, "{:?}", told.took);
}

#[tokio::test]
#[ignore = "needs ipykernel and bash_kernel: SAYSO_TEST_JUPYTER"]
async fn a_kernel_of_this_machine() {
    let shop = local("jupyter");
    let terms = shop.terms("python").await;
    assert_eq!(terms.executor, ExecutorKind::Jupyter);
    assert!(terms.interpreter.to_str().unwrap().starts_with("python3:"), "{:?}", terms.interpreter);
    assert!(!terms.rights.sandbox.layers[0].active && terms.rights.network);
    a_kernel_does_its_work(&shop).await;
    let cwd = shop.work().to_string_lossy().into_owned();
    assert_eq!(shop.py("import os\nprint(os.getcwd())").await.ok().out().trim(), cwd);
    shop.executor.close().await;
    eventually("its process is gone", || processes_with("sayso-kernel-").is_empty());
}

#[tokio::test]
#[ignore = "needs ipykernel and bash_kernel: SAYSO_TEST_JUPYTER"]
async fn a_kernel_of_another_language() {
    let shop = local("jupyter");
    let first = shop.sh("x=5; echo hello; echo bad >&2").await.ok();
    assert!(first.out().contains("hello"), "{}", first.out());
    assert_eq!(shop.sh("echo $((x+1))").await.ok().out().trim(), "6");
    let failed = shop.sh("(exit 7)").await;
    assert_eq!((&failed.report.outcome, failed.report.receipt.exit_code), (&Outcome::Failed, Some(7)));
    shop.interrupted("bash", "echo on; sleep 60", "on").await;
    let why = shop.refusal("javascript").await;
    let wanted = "no Jupyter kernel for javascript was found on this machine (there is ";
    assert!(why.starts_with(wanted), "{why}");
    shop.executor.close().await;
    let named = local("jupyter:bash");
    let why = named.refusal("python").await;
    assert_eq!(why, "the Jupyter kernel bash runs bash, not python");
    named.executor.close().await;
}

/// The state of bash_kernel is a shell that it started: that is stopped with the kernel, not killed.
#[tokio::test]
#[ignore = "needs ipykernel and bash_kernel: SAYSO_TEST_JUPYTER"]
async fn kernels_of_this_machine_stand_still_between_runs() {
    let shop = local("jupyter");
    shop.py(COUNTER).await.ok();
    shop.sh("x=5; (while :; do date > date.txt; done) &").await.ok();
    let here = shop.work();
    let is_of_kernel =
        |pid: &i32| std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd == here);
    let of_kernels = || processes().filter(is_of_kernel).collect::<Vec<_>>();
    assert!(of_kernels().len() >= 3, "two kernels and a shell are there");
    assert_eq!(moving(&of_kernels()), [""; 0]);
    let before = counted(&shop);
    // The other kernel goes on, this one does not.
    assert_eq!(shop.sh("echo $x").await.ok().out().trim(), "5");
    assert_eq!(counted(&shop), before);
    let shared = shop.terms("python").await.shared.unwrap();
    assert_eq!(shared.blocks.ranges().len(), 1);
    shop.py(GROWS).await.ok();
    shop.executor.close().await;
}

#[tokio::test]
#[ignore = "needs jupyter_server and ipykernel: SAYSO_TEST_JUPYTER"]
async fn a_kernel_of_a_server() {
    let server = JupyterServer::start();
    let shop = at(server.port, TOKEN);
    let terms = shop.terms("python").await;
    assert_eq!(terms.interpreter.to_str().unwrap(), format!("python3 at http://127.0.0.1:{}", server.port));
    assert!(terms.kernel.unwrap().keeps_running, "nobody here can stop it, and that is told");
    a_kernel_does_its_work(&shop).await;
    let table = "import pandas\npandas.DataFrame({'a': [1, 20], 'b': ['x', 'y']})";
    assert_eq!(shop.py(table).await.ok().value(), "    a  b\n0   1  x\n1  20  y");
    // The code may know the token, but it is never shown.
    let masked = format!("[redacted]{}", "*".repeat(TOKEN.len() - "[redacted]".len()));
    let told = shop.py("token = 'a-token-of-' + 'the-test'\nprint(token)\ntoken").await.ok();
    assert_eq!((told.out(), told.value()), (format!("{masked}\n"), format!("'{masked}'").as_str()));
    let failed = shop.py("raise ValueError(token)").await;
    assert_eq!(failed.error().message, masked);
    assert!(!failed.error().traceback.contains(TOKEN));
    shop.executor.close().await;
    eventually("no kernel is left on the server", || server.kernels() == "[]");
    let stranger = at(server.port, "wrong");
    let why = stranger.refusal("python").await;
    let wanted = "refuses the token: set token_env or token_command in [executors.jupyter]";
    assert!(why.ends_with(wanted), "{why}");
    stranger.executor.close().await;
}

#[tokio::test]
async fn what_kernels_do_not_do_is_refused_in_words() {
    let shop = Shop::elsewhere("jupyter", &Executors::default(), |_| {});
    for (purpose, wanted) in [
        (TermsFor::Install(InstallInto::Session), "into the environment of the Jupyter kernel"),
        (TermsFor::Load, "sayso's own kernels only"),
        (TermsFor::Pull, "--executor container"),
    ] {
        let why = shop.terms_for("python", purpose).await.unwrap_err();
        assert!(why.contains(wanted), "{why}");
    }
    shop.executor.close().await;
}

#[tokio::test]
#[ignore = "needs jupyter_server and ipykernel: SAYSO_TEST_JUPYTER"]
async fn a_connection_that_is_cut_is_made_again() {
    let server = JupyterServer::start();
    let (port, open, cut) = cuttable(server.port).await;
    let shop = at(port, TOKEN);
    shop.py("x = 41").await.ok();
    let code = "import time\nprint('on', flush=True)\ntime.sleep(9)\nprint('after')\nx + 1";
    let (_, events, before) = shop.start_until("python", code, None, "on").await;
    open.store(false, Ordering::SeqCst);
    cut.send(1).unwrap();
    tokio::time::sleep(Duration::from_millis(1500)).await;
    open.store(true, Ordering::SeqCst);
    let told = rest_of(events, before).await.ok();
    assert_eq!((told.out().as_str(), told.value()), ("on\nafter\n", "42"));
    // The same while nothing runs.
    cut.send(2).unwrap();
    // A request over a lost connection is lost until the loss is noticed: that is reported, and the state is kept.
    let mut told = shop.py("x").await;
    if let Outcome::Crashed(why) = &told.report.outcome {
        assert!(why.contains("the kernel is idle and keeps its state") && told.kept(), "{:?}", told.report);
        told = shop.py("x").await;
    }
    assert_eq!(told.ok().value(), "41");
    // If the connection does not come back, that is reported.
    let lost = at_with_patience(port, TOKEN, 1);
    let (_, events, before) =
        lost.start_until("python", "print('on', flush=True)\nimport time\ntime.sleep(60)", None, "on").await;
    open.store(false, Ordering::SeqCst);
    cut.send(3).unwrap();
    let told = rest_of(events, before).await;
    let Outcome::Crashed(why) = &told.report.outcome else { panic!("{:?}", told.report) };
    assert!(why.starts_with("the connection was lost and not found again within 1 s"), "{why}");
    open.store(true, Ordering::SeqCst);
    lost.executor.close().await;
    shop.executor.close().await;
}

/// A proxy to a server that passes this many bytes per second.
async fn slow_link(port: u16, bytes: usize) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let own = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((near, _)) = listener.accept().await {
            let (mut near_in, mut near_out) = near.into_split();
            let (mut far_in, mut far_out) =
                TcpStream::connect(("127.0.0.1", port)).await.unwrap().into_split();
            tokio::spawn(async move { tokio::io::copy(&mut near_in, &mut far_out).await });
            tokio::spawn(async move {
                let mut tick = tokio::time::interval(Duration::from_millis(20));
                let mut piece = vec![0; bytes / 50];
                while let Ok(read @ 1..) = far_in.read(&mut piece).await {
                    tick.tick().await;
                    if near_out.write_all(&piece[..read]).await.is_err() {
                        break;
                    }
                }
            });
        }
    });
    own
}

/// How long it takes until sayso reports, during a block, that its server does not answer.
async fn told_after(shop: &Shop) -> Duration {
    let (words, took) = warning_of(shop).await;
    assert!(words.contains("does not answer. The connection is tried again"), "{words}");
    took
}

#[tokio::test]
#[ignore = "needs jupyter_server and ipykernel: SAYSO_TEST_JUPYTER"]
async fn a_server_that_hangs_or_is_gone_is_told() {
    let mut server = JupyterServer::start();
    let shop = at(server.port, TOKEN);
    shop.py("x = 41").await.ok();
    let code = "import time\nprint('on', flush=True)\ntime.sleep(8)\nx + 1";
    let (_, events, _) = shop.start_until("python", code, None, "on").await;
    server.signal(Signal::STOP);
    let took = told_after(&shop).await;
    assert!(took < ENOUGH, "{took:?}");
    // It continues, and nobody claims that all output arrived.
    server.signal(Signal::CONT);
    let told = rest_of(events, Vec::new()).await.ok();
    assert_eq!((told.value(), told.err().as_str()), ("42", ""), "what sayso says is no output");
    assert_eq!(told.report.receipt.connection_losses, 1);
    let (words, _) = warning_of(&shop).await;
    assert!(words.ends_with("answers again. What the block printed meanwhile may be missing."), "{words}");

    let (run, events, _) = shop.start_until("python", code, None, "on").await;
    let idle = at(server.port, TOKEN);
    idle.py("y = 1").await.ok();
    server.child.kill().unwrap();
    let took = told_after(&shop).await;
    assert!(took < ENOUGH, "{took:?}");
    shop.executor.control(run, RunControl::Kill);
    assert_ne!(rest_of(events, Vec::new()).await.report.outcome, Outcome::Ok);
    // A loss while nothing runs is reported by itself, and again for the next block.
    let (words, took) = warning_of(&idle).await;
    assert!(words.contains("does not answer") && took < ENOUGH, "{words} {took:?}");
    let (run, events) = idle.start(idle.request("python", "y", None).await);
    let took = told_after(&idle).await;
    assert!(took < ENOUGH, "{took:?}");
    idle.executor.control(run, RunControl::Kill);
    assert_ne!(rest_of(events, Vec::new()).await.report.outcome, Outcome::Ok);
}

/// The next notice about a kernel, and how long it took.
async fn notice_of(shop: &Shop) -> (KernelNotice, Duration) {
    let since = Instant::now();
    let notice = tokio::time::timeout(Duration::from_secs(40), shop.executor.kernel_notice()).await;
    (notice.expect("it is told by itself"), since.elapsed())
}

async fn warning_of(shop: &Shop) -> (String, Duration) {
    let (notice, took) = notice_of(shop).await;
    let KernelNotice::Warning(words) = notice else { panic!("{notice:?}") };
    (words, took)
}

#[tokio::test]
#[ignore = "needs jupyter_server and ipykernel: SAYSO_TEST_JUPYTER"]
async fn each_loss_in_a_block_is_told_and_so_is_an_interrupt_that_can_not_go_out() {
    let server = JupyterServer::start();
    let (port, open, cut) = cuttable(server.port).await;
    let shop = at(port, TOKEN);
    let code = "import time\nprint('on', flush=True)\ntime.sleep(60)";
    let (run, events, _) = shop.start_until("python", code, None, "on").await;
    for loss in 1..=2 {
        open.store(false, Ordering::SeqCst);
        cut.send(loss).unwrap();
        told_after(&shop).await;
        if loss == 1 {
            open.store(true, Ordering::SeqCst);
            let (words, _) = warning_of(&shop).await;
            assert!(words.contains("answers again. What the block printed"), "{words}");
        }
    }
    shop.executor.control(run, RunControl::Interrupt);
    let (words, _) = warning_of(&shop).await;
    assert!(words.ends_with("does not answer: the interrupt goes to it when it does."), "{words}");
    open.store(true, Ordering::SeqCst);
    let told = rest_of(events, Vec::new()).await;
    assert_eq!((&told.report.outcome, told.kept()), (&Outcome::Interrupted, true), "{:?}", told.report);
    assert_eq!((told.report.receipt.connection_losses, told.err().as_str()), (2, ""));
    shop.executor.close().await;
}

/// A block that leaves a file if it ran.
const RAN: &str = "open('ran', 'a').write('x')\nn = globals().get('n', 0) + 1\nn";

/// Checks a block that was stopped before its kernel got it.
#[track_caller]
fn never_ran(told: &Told) {
    assert_eq!(told.report.outcome, Outcome::NotStarted("it was stopped before it started".into()));
    assert!(!told.events.contains(&RunEvent::Started), "{:?}", told.events);
    assert_eq!((told.report.receipt.wall_us, told.report.receipt.connection_losses), (0, 0));
}

#[tokio::test]
#[ignore = "needs jupyter_server and ipykernel: SAYSO_TEST_JUPYTER"]
async fn a_block_that_waits_for_its_server_runs_once_or_never_where_it_is_stopped() {
    let server = JupyterServer::start();
    let (port, open, cut) = cuttable(server.port).await;
    let shop = at_with_patience(port, TOKEN, 60);
    let cwd = serde_json::to_string(&shop.work()).unwrap();
    shop.py(&format!("import os\nos.chdir({cwd})")).await.ok();
    open.store(false, Ordering::SeqCst);
    cut.send(1).unwrap();
    told_after(&shop).await;
    let (run, events) = shop.start(shop.request("python", RAN, None).await);
    told_after(&shop).await;
    shop.executor.control(run, RunControl::Interrupt);
    let told = all(events).await;
    never_ran(&told);
    assert!(told.kept(), "{:?}", told.report);
    // The next one waits, and its clock does not run meanwhile.
    let (_, events) = shop.start(shop.request("python", RAN, Some(1500)).await);
    told_after(&shop).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    open.store(true, Ordering::SeqCst);
    let told = all(events).await.ok();
    assert_eq!((told.value(), told.report.receipt.connection_losses), ("1", 0));
    assert_eq!(std::fs::read_to_string(shop.work().join("ran")).unwrap(), "x");
    let shared = shop.terms("python").await.shared.unwrap();
    let ranges = [(BlockId(1), BlockId(1)), (BlockId(3), BlockId(3))];
    assert_eq!(shared.blocks.ranges(), ranges, "the second was never in it");
    shop.executor.close().await;
}

#[tokio::test]
#[ignore = "needs jupyter_server and ipykernel: SAYSO_TEST_JUPYTER"]
async fn a_block_whose_server_does_not_come_back_did_not_run() {
    let server = JupyterServer::start();
    let (port, open, cut) = cuttable(server.port).await;
    let shop = at_with_patience(port, TOKEN, 6);
    shop.py("x = 41").await.ok();
    open.store(false, Ordering::SeqCst);
    cut.send(1).unwrap();
    told_after(&shop).await;
    let told = shop.run("python", "x").await;
    let Outcome::NotStarted(why) = &told.report.outcome else { panic!("{:?}", told.report) };
    assert!(why.starts_with("the connection was lost and not found again within 6 s"), "{why}");
    assert!(told.lost());
    open.store(true, Ordering::SeqCst);
    shop.executor.close().await;
}

#[tokio::test]
#[ignore = "needs jupyter_server and ipykernel: SAYSO_TEST_JUPYTER"]
async fn a_block_that_is_stopped_while_its_kernel_starts_never_runs() {
    let server = JupyterServer::start();
    for shop in [at(server.port, TOKEN), local("jupyter")] {
        for force in [false, true] {
            let path = serde_json::to_string(&shop.work().join("ran")).unwrap();
            let request = shop.request("python", &RAN.replace("'ran'", &path), None).await;
            let (run, events) = shop.start(request);
            if force {
                shop.executor.control(run, RunControl::Kill);
                let ended = Outcome::NotStarted("it was ended by force".into());
                assert_eq!(all(events).await.report.outcome, ended);
            } else {
                shop.executor.control(run, RunControl::Interrupt);
                never_ran(&all(events).await);
            }
            // The next block runs in a working kernel, in which nothing of it is left.
            assert_eq!(shop.py("'n' in globals()").await.ok().value(), "False");
            assert!(!shop.work().join("ran").exists());
            shop.executor.restart_kernel();
        }
        shop.executor.close().await;
    }
    eventually("no kernel is left on the server", || server.kernels() == "[]");
    eventually("no process is left", || processes_with("sayso-kernel-").is_empty());
}

#[tokio::test]
#[ignore = "needs jupyter_server and ipykernel: SAYSO_TEST_JUPYTER"]
async fn a_server_that_is_lost_while_nothing_runs_is_told_by_itself() {
    let mut server = JupyterServer::start();
    let shop = at_with_patience(server.port, TOKEN, 8);
    let told = shop.py("x = 41; y = 2").await.ok();
    let KernelFate::Kept(kernel) = told.report.kernel else { panic!("{:?}", told.report) };
    assert_eq!(kernel.variables, 2);
    // It answers, so nothing is reported.
    let quiet = Duration::from_secs(3);
    assert!(tokio::time::timeout(quiet, shop.executor.kernel_notice()).await.is_err());
    server.signal(Signal::STOP);
    let (words, took) = warning_of(&shop).await;
    assert!(words.contains("does not answer") && took < ENOUGH, "{words} {took:?}");
    server.signal(Signal::CONT);
    let (notice, _) = notice_of(&shop).await;
    let KernelNotice::Back(words) = notice else { panic!("{notice:?}") };
    assert!(words.ends_with("answers again."), "{words}");
    assert_eq!(shop.py("x").await.ok().value(), "41");

    server.child.kill().unwrap();
    let (notice, took) = notice_of(&shop).await;
    assert!(matches!(notice, KernelNotice::Warning(_)) && took < ENOUGH, "{notice:?} {took:?}");
    // If it does not come back, its kernel is reported as gone, like one that crashed.
    let (notice, _) = notice_of(&shop).await;
    let KernelNotice::Died(dead) = notice else { panic!("{notice:?}") };
    let cause = "the connection was lost and not found again within 8 s";
    assert!(dead.cause.starts_with(cause), "{dead:?}");
    assert_eq!(dead.language, Language::python());
}

#[tokio::test]
#[ignore = "needs jupyter_server and ipykernel: SAYSO_TEST_JUPYTER"]
async fn a_block_that_is_stopped_on_a_server_that_hangs_takes_the_next_with_it_no_more() {
    let server = JupyterServer::start();
    let shop = at(server.port, TOKEN);
    let code = "import time\nprint('on', flush=True)\ntime.sleep(60)";
    let (run, events, _) = shop.start_until("python", code, None, "on").await;
    server.signal(Signal::STOP);
    told_after(&shop).await;
    let since = Instant::now();
    shop.executor.control(run, RunControl::Kill);
    assert_ne!(rest_of(events, Vec::new()).await.report.outcome, Outcome::Ok);
    assert!(since.elapsed() < ENOUGH, "{:?}", since.elapsed());
    let (_, events) = shop.start(shop.request("python", "6 * 7", None).await);
    server.signal(Signal::CONT);
    assert_eq!(all(events).await.ok().value(), "42");
    shop.executor.close().await;
}

#[tokio::test]
#[ignore = "needs jupyter_server and ipykernel: SAYSO_TEST_JUPYTER"]
async fn a_large_message_that_comes_slowly_is_a_sign_of_life() {
    let server = JupyterServer::start();
    let port = slow_link(server.port, 1 << 20).await;
    let shop = at(port, TOKEN);
    // 6 MB over a link that carries 1 MB per second.
    let code = "from IPython.display import display\ndisplay({'text/plain': 'A' * 6_000_000}, raw=True)\n7";
    let ran = shop.py(code).await.ok();
    assert_eq!((ran.err().as_str(), ran.value()), ("", "7"));
    shop.executor.close().await;
}

#[tokio::test]
async fn a_server_that_is_not_there_is_told() {
    let mut executors = Executors::default();
    // Kept bound, so that nobody else gets the port and nobody listens there.
    let kept = tokio::net::TcpSocket::new_v4().unwrap();
    kept.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let port = kept.local_addr().unwrap().port();
    executors.jupyter.url = Some(format!("http://127.0.0.1:{port}"));
    let shop = Shop::elsewhere("jupyter", &executors, |_| {});
    let why = shop.refusal("python").await;
    let wanted = format!("the Jupyter server at http://127.0.0.1:{port} can't be reached: ");
    assert!(why.starts_with(&wanted), "{why}");
    shop.executor.close().await;
    executors.jupyter.token_env = Some("SAYSO_TEST_NO_SUCH_TOKEN".into());
    let shop = Shop::elsewhere("jupyter", &executors, |_| {});
    let why = shop.refusal("python").await;
    assert!(why.contains("SAYSO_TEST_NO_SUCH_TOKEN is not set"), "{why}");
}

#[tokio::test]
async fn a_kernel_of_this_machine_is_told_to_be_open_and_never_starts_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let kernels = folder.path().join("share/jupyter/kernels/python3");
    std::fs::create_dir_all(&kernels).unwrap();
    std::fs::create_dir(folder.path().join("bin")).unwrap();
    let started = folder.path().join("started");
    let argv = serde_json::json!({
        "argv": ["/bin/sh", "-c", format!("echo > {}", started.display())], "language": "python",
        "display_name": "Python 3",
    });
    std::fs::write(kernels.join("kernel.json"), argv.to_string()).unwrap();
    std::fs::write(folder.path().join("bin/python3"), "").unwrap();
    let python = folder.path().join("bin/python3");
    let shop = Shop::elsewhere("jupyter", &Executors::default(), |setup| setup.python = Some(python));
    shop.executor.warm(&Language::python());
    // Orders are carried out in turn: when the terms arrive, the earlier order is done.
    let terms = shop.terms("python").await;
    assert_eq!(terms.interpreter, PathBuf::from("python3:/bin/sh"));
    assert_eq!(terms.rights.sandbox.level, SandboxLevel::Off);
    assert!(terms.rights.network && !terms.rights.sandbox.network_blocked);
    assert!(!terms.rights.sandbox.writes_confined && !terms.rights.sandbox.reads_confined);
    assert!(terms.rights.sandbox.notes[0].contains("outside of the sandbox"), "{:?}", terms.rights.sandbox);
    shop.executor.close().await;
    assert!(!started.exists(), "it was started by itself");
}
