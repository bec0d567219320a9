//! A Jupyter server that disappears while nothing runs, on a real terminal.

use crate::checks::wakeups;
use crate::jupyter_server::{JupyterServer, TOKEN};
use crate::{approve_then, one_block, play, say};
use rustix::process::Signal;
use std::time::Duration;

/// The screen stays idle while the connection is being checked, and reports when it is lost.
#[test]
#[ignore = "needs jupyter_server and ipykernel: SAYSO_TEST_JUPYTER"]
fn a_server_that_is_lost_while_nothing_runs_is_told_and_until_then_nothing_is_drawn() {
    let mut server = JupyterServer::start();
    let home = tempfile::tempdir().expect("a home");
    let config = format!(
        "[executors.jupyter]\nurl = 'http://127.0.0.1:{}'\ntoken_command = 'echo {TOKEN}'\nreconnect = 6\n",
        server.port
    );
    crate::write_config(home.path(), config);
    let story =
        one_block("python", "kept = 41\nprint('kept is', kept)") + "[[reply]]\ntext = 'It is kept.'\n";
    let mut setup = play(home.path(), &story).size(140, 40);
    setup.args.extend(["--executor".into(), "jupyter".into()]);
    let terminal = setup.start();
    say(&terminal, "go");
    approve_then(&terminal, 1, "It is kept.");
    terminal.pause(Duration::from_secs(2));
    let others = |name: &str| name != "exec";
    let (written, woken) = (terminal.written(), wakeups(terminal.pid(), others));
    terminal.pause(Duration::from_secs(3));
    assert_eq!(terminal.written(), written, "{}", terminal.screen());
    assert_eq!(wakeups(terminal.pid(), others), woken, "a thread woke beside the executor's own");

    server.signal(Signal::STOP);
    terminal.wait_for("does not answer");
    server.signal(Signal::CONT);
    terminal.wait_for("answers again");

    server.child.kill().expect("it ends");
    terminal.wait_for_each(&["does not answer", "Kernel k1 died, 1 variable lost"]);
}
