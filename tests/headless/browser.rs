//! A real headless browser, controlled over pipes. Each of its network requests reaches a proxy that records the first
//! line and answers nothing.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long anything may take.
const DEADLINE: Duration = Duration::from_secs(60);

pub struct Browser {
    child: Child,
    orders: ChildStdin,
    told: Receiver<Value>,
    next: u64,
    /// The page that is open.
    page: String,
    /// Events besides answers, in order.
    pub events: Vec<Value>,
    /// First lines of the requests that were sent.
    requests: Arc<Mutex<Vec<String>>>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts the browser with no page open.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = requests.clone();
        std::thread::spawn(move || {
            // One thread each: some connections are opened before there is a request.
            for stream in listener.incoming().flatten() {
                let kept = kept.clone();
                std::thread::spawn(move || {
                    let (mut reader, mut line) = (BufReader::new(stream), String::new());
                    // Recorded before the connection closes, which lets the page continue.
                    if reader.read_line(&mut line).is_ok_and(|count| count > 0) {
                        kept.lock().unwrap().push(line.trim_end().to_owned());
                    }
                });
            }
        });
        let profile = tempfile::tempdir().unwrap();
        // The browser reads commands from descriptor 3 and writes answers to descriptor 4.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", "chromium"])
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .args(["--disable-dev-shm-usage", "--remote-debugging-pipe", "--proxy-bypass-list=<-loopback>"])
            .arg(format!("--proxy-server=http://{proxy}"))
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .env("HOME", profile.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, told) = channel();
        let mut answers = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while answers.read_until(0, &mut message).is_ok_and(|count| count > 0) {
                let whole = message.strip_suffix(&[0]).unwrap_or(&message);
                if sender.send(serde_json::from_slice(whole).unwrap()).is_err() {
                    break;
                }
                message.clear();
            }
        });
        let orders = child.stdin.take().unwrap();
        let mut browser = Self {
            child,
            orders,
            told,
            next: 0,
            page: String::new(),
            events: Vec::new(),
            requests,
            _profile: profile,
        };
        let page = browser.order("Target.createTarget", json!({ "url": "about:blank" }));
        let target = json!({ "targetId": page["targetId"], "flatten": true });
        let session = browser.order("Target.attachToTarget", target);
        session["sessionId"].as_str().unwrap().clone_into(&mut browser.page);
        for room in ["Page", "Network", "Runtime", "Log"] {
            browser.order(&format!("{room}.enable"), json!({}));
        }
        browser
    }

    /// Sends a command and waits for its result.
    pub fn order(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let mut message = json!({ "id": self.next, "method": method, "params": params });
        if !self.page.is_empty() {
            message["sessionId"] = json!(self.page);
        }
        self.orders.write_all(format!("{message}\0").as_bytes()).unwrap();
        self.orders.flush().unwrap();
        let id = json!(self.next);
        let deadline = Instant::now() + DEADLINE;
        loop {
            let told = self.next_told(deadline, method);
            if told["id"] == id {
                assert!(told.get("error").is_none(), "{method}: {}", told["error"]);
                return told["result"].clone();
            }
        }
    }

    fn next_told(&mut self, deadline: Instant, what: &str) -> Value {
        let left = deadline.saturating_duration_since(Instant::now());
        let told = self.told.recv_timeout(left).unwrap_or_else(|e| panic!("{what}: {e}"));
        if told.get("method").is_some() {
            self.events.push(told.clone());
        }
        told
    }

    /// Opens a file and waits until it is loaded; all requests of the page are made until then.
    pub fn open(&mut self, file: &Path) {
        self.events.clear();
        self.requests.lock().unwrap().clear();
        let url = format!("file://{}", file.display());
        self.order("Page.navigate", json!({ "url": url }));
        let deadline = Instant::now() + DEADLINE;
        // The load event of the previous page may come late.
        let is_before = |event: &&Value| {
            event["method"] != "Page.frameNavigated" || event["params"]["frame"]["url"] != url.as_str()
        };
        while !self.events.iter().skip_while(is_before).any(|event| event["method"] == "Page.loadEventFired")
        {
            self.next_told(deadline, "the page");
        }
    }

    /// Evaluates a script in the open page, from outside.
    pub fn ask(&mut self, script: &str) -> Value {
        let params = json!({ "expression": script, "returnByValue": true, "awaitPromise": true });
        let told = self.order("Runtime.evaluate", params);
        assert!(told.get("exceptionDetails").is_none(), "{script}: {told}");
        told["result"]["value"].clone()
    }

    /// The parameters of the events of this name since the page was opened.
    pub fn happened(&self, method: &str) -> Vec<Value> {
        let named = self.events.iter().filter(|event| event["method"] == method);
        named.map(|event| event["params"].clone()).collect()
    }

    /// The addresses that the page requested, successfully or not.
    pub fn asked_for(&self) -> Vec<String> {
        let asked = self.happened("Network.requestWillBeSent");
        asked.iter().map(|asked| asked["request"]["url"].as_str().unwrap().to_owned()).collect()
    }

    /// First lines of requests to this host since the page was opened. (The browser also contacts its makers.)
    pub fn left(&self, host: &str) -> Vec<String> {
        let requests = self.requests.lock().unwrap();
        requests.iter().filter(|line| line.contains(host)).cloned().collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Its child processes end with it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
