//! A model server that records when it was asked and when it sent its first and its last word.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

pub struct Server {
    port: u16,
    asked: Receiver<Instant>,
    words: Receiver<Instant>,
}

impl Server {
    /// Answers a request with so many words, 20 ms apart; the first is `alpha`, and the last, `omega`, is sent with
    /// the end of the reply.
    pub fn start(words: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (asked_sender, asked) = channel();
        let (word_sender, sent) = channel();
        std::thread::spawn(move || {
            // Connections can precede the request: opened in advance, or to ask what the server knows of the model.
            for stream in listener.incoming().flatten() {
                let (asked, sent) = (asked_sender.clone(), word_sender.clone());
                std::thread::spawn(move || serve(stream, words, &asked, &sent));
            }
        });
        Self { port, asked, words: sent }
    }

    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// When the whole request had arrived.
    pub fn asked(&self) -> Instant {
        self.asked.recv_timeout(Duration::from_secs(30)).expect("a request")
    }

    /// When the first word was sent; on the second call, when the last one was.
    pub fn word(&self) -> Instant {
        self.words.recv_timeout(Duration::from_secs(30)).expect("a word")
    }
}

/// Serves one connection: answers a request for a reply with its words, any other with 404.
fn serve(mut stream: TcpStream, words: usize, asked: &Sender<Instant>, sent: &Sender<Instant>) {
    let _ = stream.set_nodelay(true);
    let mut request = Vec::new();
    let mut buffer = [0u8; 16 << 10];
    while !whole(&request) {
        match stream.read(&mut buffer) {
            Ok(count) if count > 0 => request.extend_from_slice(&buffer[..count]),
            _ => return,
        }
    }
    if !request.starts_with(b"POST") {
        let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        return;
    }
    let _ = asked.send(Instant::now());
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    let _ = stream.write_all(head.as_bytes());
    for n in 0..words {
        std::thread::sleep(Duration::from_millis(20));
        let is_last = n + 1 == words;
        let word = match n {
            0 => "alpha",
            _ if is_last => " omega",
            _ => " WORD",
        };
        let mut chunk =
            format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{word}\"}}}}]}}\n\n");
        if is_last {
            chunk += "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
        }
        if n == 0 || is_last {
            let _ = sent.send(Instant::now());
        }
        let _ = stream.write_all(chunk.as_bytes());
    }
}

/// Whether the head and the body of a request have arrived.
fn whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    if head.starts_with("GET") {
        return true;
    }
    let length = head
        .lines()
        .find_map(|l| l.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse::<usize>().ok());
    length.is_some_and(|l| body.len() >= l)
}
