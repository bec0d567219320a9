//! A scripted model server on loopback: real bytes over real connections, at a given pace, with given faults. It
//! keeps the requests it gets, so that a test can check them. Test binaries include it with `#[path =
//! "../support/model_server.rs"] mod model_server;`.
// Each test binary uses a part of it; helpers of tests fail like tests.
#![allow(dead_code, clippy::expect_used)]

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a test waits for an event that has to happen.
pub const DEADLINE: Duration = Duration::from_secs(20);

/// The end of a chunked body.
const END: &[u8] = b"0\r\n\r\n";

/// One step of an answer.
#[derive(Clone, Debug)]
pub enum Do {
    /// Write these bytes at once, in a chunk of their own.
    Write(Vec<u8>),
    /// Wait.
    Pause(Duration),
    /// Break the connection.
    Cut,
    /// Do nothing until the client disconnects.
    Hang,
}

/// One answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The HTTP status; 0: break the connection without any answer.
    pub status: u16,
    /// More headers.
    pub headers: Vec<(String, String)>,
    /// The body, step by step.
    pub body: Vec<Do>,
}

impl Answer {
    /// A status with a body.
    pub fn status(status: u16, content_type: &str, body: &str) -> Self {
        Self { status, headers: vec![], body: vec![Do::Write(body.into())] }
            .header("content-type", content_type)
    }

    /// An error as JSON.
    pub fn error(status: u16, message: &str) -> Self {
        let body = serde_json::json!({ "error": { "message": message } });
        Self::status(status, "application/json", &body.to_string())
    }

    /// A stream of events, one write per step.
    pub fn stream(body: Vec<Do>) -> Self {
        Self { status: 200, headers: vec![], body }.header("content-type", "text/event-stream")
    }

    /// A whole reply with this text, streamed in pieces of about 20 bytes.
    pub fn text(text: &str) -> Self {
        let mut body: Vec<Do> = pieces(text, 20).map(|piece| Do::Write(delta(piece))).collect();
        body.push(Do::Write(finish("stop")));
        body.push(Do::Write(b"data: [DONE]\n\n".to_vec()));
        Self::stream(body)
    }

    /// Adds a header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }
}

/// A chunk with the tokens of the request and of the reply.
pub fn usage(input: u64, output: u64) -> Vec<u8> {
    let usage = serde_json::json!({ "prompt_tokens": input, "completion_tokens": output });
    event(&serde_json::json!({ "choices": [], "usage": usage }))
}

/// Splits a text into pieces of at least so many bytes.
fn pieces(text: &str, size: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = (size..rest.len()).find(|i| rest.is_char_boundary(*i)).unwrap_or(rest.len());
        let (piece, left) = rest.split_at(end);
        rest = left;
        (!piece.is_empty()).then_some(piece)
    })
}

/// A chunk with a piece of text.
pub fn delta(text: &str) -> Vec<u8> {
    event(&serde_json::json!({ "choices": [{ "index": 0, "delta": { "content": text } }] }))
}

/// A chunk with the reason why the reply ends.
pub fn finish(word: &str) -> Vec<u8> {
    event(&serde_json::json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": word }] }))
}

/// An event with this data.
pub fn event(data: &serde_json::Value) -> Vec<u8> {
    format!("data: {data}\n\n").into_bytes()
}

/// A request that arrived.
#[derive(Clone, Debug)]
pub struct Received {
    /// When its last byte arrived.
    pub at: Instant,
    /// `POST /v1/chat/completions`.
    pub line: String,
    /// Its headers; names in lower case.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Vec<u8>,
}

impl Received {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    /// The body as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).expect("the request is JSON")
    }

    /// The text of the last message.
    pub fn last_message(&self) -> String {
        let json = self.json();
        let last = json["messages"].as_array().and_then(|m| m.last()).expect("the request has messages");
        last["content"].as_str().expect("a message is text").to_owned()
    }
}

#[derive(Default)]
struct Seen {
    answers: VecDeque<Answer>,
    last: Option<Answer>,
    requests: Vec<Received>,
    /// The answer to requests for models; `None`: 404.
    models: Option<Answer>,
    questions: Vec<Received>,
    /// Whether requests for models also take the scripted answers.
    in_order: bool,
    connections: usize,
    /// How often the client disconnected during an answer.
    left: usize,
}

/// The server. Its threads end with their connections or the process.
#[derive(Clone)]
pub struct ModelServer {
    address: SocketAddr,
    seen: Arc<Mutex<Seen>>,
}

impl ModelServer {
    /// Starts a server that gives these answers in order, and then repeats the last one.
    pub fn start(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let address = listener.local_addr().expect("a listener has an address");
        let last = answers.last().cloned();
        let seen = Arc::new(Mutex::new(Seen { answers: answers.into(), last, ..Seen::default() }));
        let server = Self { address, seen };
        let accepting = server.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                accepting.seen().connections += 1;
                let server = accepting.clone();
                std::thread::spawn(move || server.serve(stream));
            }
        });
        server
    }

    /// Starts a server whose replies have these texts.
    pub fn replying(texts: &[&str]) -> Self {
        Self::start(texts.iter().map(|text| Answer::text(text)).collect())
    }

    /// Starts a server whose answers are also for requests for models.
    pub fn in_order(answers: Vec<Answer>) -> Self {
        let server = Self::start(answers);
        server.seen().in_order = true;
        server
    }

    /// Adds a list of models for those who request one; such requests take none of the answers.
    pub fn with_models(self, list: &serde_json::Value) -> Self {
        self.seen().models = Some(Answer::status(200, "application/json", &list.to_string()));
        self
    }

    /// The requests for models so far.
    pub fn questions(&self) -> Vec<Received> {
        self.seen().questions.clone()
    }

    /// Its address, without a path.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The address of OpenAI's interface there.
    pub fn v1(&self) -> String {
        format!("{}/v1", self.url())
    }

    /// The requests for replies so far.
    pub fn requests(&self) -> Vec<Received> {
        self.seen().requests.clone()
    }

    /// How many connections were made.
    pub fn connections(&self) -> usize {
        self.seen().connections
    }

    /// Waits until so many requests have arrived.
    pub fn wait_for_requests(&self, count: usize) -> Vec<Received> {
        self.wait(|seen| seen.requests.len() >= count, &format!("{count} requests"));
        self.requests()
    }

    /// Waits until a client disconnected in the middle of an answer.
    pub fn wait_until_left(&self) {
        self.wait(|seen| seen.left > 0, "the client's going away");
    }

    fn wait(&self, done: impl Fn(&Seen) -> bool, what: &str) {
        let deadline = Instant::now() + DEADLINE;
        while !done(&self.seen()) {
            assert!(Instant::now() < deadline, "waited in vain for {what}");
            std::thread::yield_now();
            std::thread::park_timeout(Duration::from_millis(2));
        }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let Ok(mut writer) = stream.try_clone() else { return };
        let mut reader = BufReader::new(stream);
        while let Some(request) = read_request(&mut reader) {
            let answer = {
                let mut seen = self.seen();
                // Ollama's details of a model are requested with a POST.
                let asks = request.line.starts_with("GET ") || request.line.ends_with("/api/show");
                if asks && !seen.in_order {
                    seen.questions.push(request);
                    Some(seen.models.clone().unwrap_or_else(|| Answer::error(404, "no such thing")))
                } else {
                    seen.requests.push(request);
                    seen.answers.pop_front().or_else(|| seen.last.clone())
                }
            };
            let Some(answer) = answer else { return };
            if self.answer(&answer, &mut writer, &mut reader).is_none() {
                let _ = writer.shutdown(Shutdown::Both);
                return;
            }
        }
    }

    /// Sends an answer; `None`: the connection is closed.
    fn answer(&self, answer: &Answer, writer: &mut TcpStream, reader: &mut impl Read) -> Option<()> {
        if answer.status == 0 {
            return None;
        }
        let mut head = format!("HTTP/1.1 {} Scripted\r\ntransfer-encoding: chunked\r\n", answer.status);
        for (name, value) in &answer.headers {
            head.extend([name.as_str(), ": ", value, "\r\n"]);
        }
        head.push_str("\r\n");
        writer.write_all(head.as_bytes()).ok()?;
        for (at, step) in answer.body.iter().enumerate() {
            let is_last = at + 1 == answer.body.len();
            match step {
                Do::Write(bytes) if bytes.is_empty() => {}
                Do::Write(bytes) => {
                    let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
                    chunk.extend_from_slice(bytes);
                    chunk.extend_from_slice(b"\r\n");
                    // The end is sent with the last piece: a client waits only a moment for it before it opens a new
                    // connection.
                    if is_last {
                        chunk.extend_from_slice(END);
                    }
                    if writer.write_all(&chunk).is_err() {
                        self.seen().left += 1;
                        return None;
                    }
                    if is_last {
                        return Some(());
                    }
                }
                Do::Pause(time) => std::thread::sleep(*time),
                Do::Cut => return None,
                Do::Hang => {
                    let mut rest = [0u8; 256];
                    while matches!(reader.read(&mut rest), Ok(n) if n > 0) {}
                    self.seen().left += 1;
                    return None;
                }
            }
        }
        writer.write_all(END).ok()
    }
}

fn read_request(reader: &mut impl BufRead) -> Option<Received> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|n| *n > 0)?;
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok().filter(|n| *n > 0)?;
        match header.trim_end().split_once(':') {
            Some((name, value)) => headers.push((name.to_ascii_lowercase(), value.trim().to_owned())),
            None => break,
        }
    }
    let length = headers.iter().find(|(n, _)| n == "content-length").and_then(|(_, v)| v.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    let line = line.trim_end().trim_end_matches(" HTTP/1.1").to_owned();
    Some(Received { at: Instant::now(), line, headers, body })
}
