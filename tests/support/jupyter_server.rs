//! Runs a real Jupyter Server. `SAYSO_TEST_JUPYTER` is a virtual environment with jupyter_server and its kernels.

#![allow(dead_code)] // each test binary uses its part

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Its token.
pub const TOKEN: &str = "a-token-of-the-test";

/// The virtual environment.
pub fn venv() -> PathBuf {
    std::env::var_os("SAYSO_TEST_JUPYTER").expect("SAYSO_TEST_JUPYTER names a virtual environment").into()
}

/// A server that ends with the test.
pub struct JupyterServer {
    pub child: Child,
    pub port: u16,
    _folder: tempfile::TempDir,
}

impl JupyterServer {
    /// Starts a server and waits until it accepts connections.
    pub fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("its address").port();
        drop(free);
        let log = std::fs::File::create(folder.path().join("log")).expect("a log");
        let child = Command::new(venv().join("bin/jupyter"))
            .args(["server", "--no-browser", "--ip", "127.0.0.1", "--allow-root"])
            .arg("--ServerApp.port_retries=0")
            .arg(format!("--port={port}"))
            .arg(format!("--IdentityProvider.token={TOKEN}"))
            .arg(format!("--ServerApp.root_dir={}", folder.path().display()))
            .env("PATH", format!("{}:/usr/bin:/bin", venv().join("bin").display()))
            .env("HOME", folder.path())
            .env_remove("JUPYTER_PATH")
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("the server starts");
        let until = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < until, "the server does not start");
            std::thread::park_timeout(Duration::from_millis(100));
        }
        Self { child, port, _folder: folder }
    }

    /// Its running kernels, as it lists them.
    pub fn kernels(&self) -> String {
        let script = format!(
            "import urllib.request as u; print(u.urlopen(u.Request('http://127.0.0.1:{}/api/kernels', \
             headers={{'Authorization': 'token {TOKEN}'}})).read().decode())",
            self.port
        );
        let done = Command::new("/usr/bin/python3").args(["-c", &script]).output().expect("an answer");
        String::from_utf8(done.stdout).expect("text").trim().to_owned()
    }

    /// Sends a signal to it.
    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).expect("it is there");
    }
}

impl Drop for JupyterServer {
    fn drop(&mut self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        let until = Instant::now() + Duration::from_secs(10);
        while Instant::now() < until && self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            std::thread::park_timeout(Duration::from_millis(50));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
