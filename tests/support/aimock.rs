//! Runs a third-party mock server of models: npm `@copilotkit/aimock`, whose program `llmock` is searched in
//! `target/aimock`, or where `SAYSO_TEST_AIMOCK` says. It speaks all five wires and keeps the requests it gets.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The mock server; dropping the value ends it.
pub struct Mock {
    child: Child,
    /// The port on loopback.
    pub port: u16,
}

impl Drop for Mock {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Mock {
    /// Starts it with the answers in `tests/fixtures/aimock.json`.
    pub fn start() -> Self {
        let deadline = Instant::now() + Duration::from_secs(30);
        while Instant::now() < deadline {
            let mut mock = Self::on_a_free_port();
            // It ends at once if another test took the port meanwhile.
            while Instant::now() < deadline && mock.child.try_wait().expect("its status").is_none() {
                if mock.is_healthy() {
                    return mock;
                }
                std::thread::park_timeout(Duration::from_millis(20));
            }
        }
        panic!("the mock server does not listen");
    }

    fn on_a_free_port() -> Self {
        let root = env!("CARGO_MANIFEST_DIR");
        let usual = format!("{root}/target/aimock/node_modules/.bin/llmock");
        let program = std::env::var("SAYSO_TEST_AIMOCK").unwrap_or(usual);
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("an address").port();
        drop(free);
        let child = Command::new(&program)
            .args(["-p", &port.to_string(), "-l", "5", "--log-level", "silent"])
            .args(["-f", &format!("{root}/tests/fixtures/aimock.json")])
            .env("AIMOCK_STRICT_TURN_INDEX", "1")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{program}: {error}"));
        Self { child, port }
    }

    /// Whether it is this server that answers at the port: a connection alone may lead to another one, or to itself.
    fn is_healthy(&self) -> bool {
        let ask = || {
            let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
            stream.set_read_timeout(Some(Duration::from_secs(2)))?;
            stream.write_all(b"GET /health HTTP/1.0\r\n\r\n")?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            std::io::Result::Ok(answer.contains(r#"{"status":"ok"}"#))
        };
        ask().unwrap_or(false)
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}
