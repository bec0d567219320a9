//! A real browser without a window, steered over its pipe; each request it makes for the network comes to a proxy that
//! keeps its first line and answers nothing.

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
    /// What was told beside answers, in its order.
    pub events: Vec<Value>,
    /// First lines of requests that left.
    requests: Arc<Mutex<Vec<String>>>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts it with nothing open.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = requests.clone();
        std::thread::spawn(move || {
            // One each: some are opened before there is anything to ask.
            for stream in listener.incoming().flatten() {
                let kept = kept.clone();
                std::thread::spawn(move || {
                    let (mut reader, mut line) = (BufReader::new(stream), String::new());
                    // It is noted before the connection closes, with which the page goes on.
                    if reader.read_line(&mut line).is_ok_and(|count| count > 0) {
                        kept.lock().unwrap().push(line.trim_end().to_owned());
                    }
                });
            }
        });
        let profile = tempfile::tempdir().unwrap();
        // The browser takes orders from descriptor 3 and answers on descriptor 4.
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

    /// Gives an order and waits for what comes of it.
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

    /// Opens a file and waits until all of it is there; what a page asks for, it asks for until then.
    pub fn open(&mut self, file: &Path) {
        self.events.clear();
        self.requests.lock().unwrap().clear();
        let url = format!("file://{}", file.display());
        self.order("Page.navigate", json!({ "url": url }));
        let deadline = Instant::now() + DEADLINE;
        // The page that was open before may tell late that it was loaded.
        let is_before = |event: &&Value| {
            event["method"] != "Page.frameNavigated" || event["params"]["frame"]["url"] != url.as_str()
        };
        while !self.events.iter().skip_while(is_before).any(|event| event["method"] == "Page.loadEventFired")
        {
            self.next_told(deadline, "the page");
        }
    }

    /// What a sentence of script gives in the page that is open, asked from outside.
    pub fn ask(&mut self, script: &str) -> Value {
        let params = json!({ "expression": script, "returnByValue": true, "awaitPromise": true });
        let told = self.order("Runtime.evaluate", params);
        assert!(told.get("exceptionDetails").is_none(), "{script}: {told}");
        told["result"]["value"].clone()
    }

    /// The parameters of what happened under this name since the page was opened.
    pub fn happened(&self, method: &str) -> Vec<Value> {
        let named = self.events.iter().filter(|event| event["method"] == method);
        named.map(|event| event["params"].clone()).collect()
    }

    /// The addresses that the page asked for, whether or not it was given them.
    pub fn asked_for(&self) -> Vec<String> {
        let asked = self.happened("Network.requestWillBeSent");
        asked.iter().map(|asked| asked["request"]["url"].as_str().unwrap().to_owned()).collect()
    }

    /// First lines of requests for this host that left since the page was opened; a browser asks its makers for things too.
    pub fn left(&self, host: &str) -> Vec<String> {
        let requests = self.requests.lock().unwrap();
        requests.iter().filter(|line| line.contains(host)).cloned().collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Its other processes end with it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
