//! A model server that notes when it was asked and when it sent its last word.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

pub struct Server {
    port: u16,
    asked: Receiver<Instant>,
    last: Receiver<Instant>,
}

impl Server {
    /// Answers one request with so many words, 20 ms apart, the last of them `omega`.
    pub fn start(words: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (asked_sender, asked) = channel();
        let (last_sender, last) = channel();
        std::thread::spawn(move || {
            let Ok((mut stream, _)) = listener.accept() else { return };
            let _ = stream.set_nodelay(true);
            let mut request = Vec::new();
            let mut buffer = [0u8; 16 << 10];
            while !whole(&request) {
                match stream.read(&mut buffer) {
                    Ok(count) if count > 0 => request.extend_from_slice(&buffer[..count]),
                    _ => return,
                }
            }
            let _ = asked_sender.send(Instant::now());
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
            let _ = stream.write_all(head.as_bytes());
            for n in 0..words {
                let word = if n + 1 == words { " omega" } else { " WORD" };
                let chunk = format!(
                    "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{word}\"}}}}]}}\n\n"
                );
                if n + 1 == words {
                    let _ = last_sender.send(Instant::now());
                }
                let _ = stream.write_all(chunk.as_bytes());
                std::thread::sleep(Duration::from_millis(20));
            }
            let end = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
            let _ = stream.write_all(end.as_bytes());
        });
        Self { port, asked, last }
    }

    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// When the whole request was there.
    pub fn asked(&self) -> Instant {
        self.asked.recv_timeout(Duration::from_secs(30)).expect("a request")
    }

    /// When the last word was sent.
    pub fn last_word(&self) -> Instant {
        self.last.recv_timeout(Duration::from_secs(30)).expect("a last word")
    }
}

/// Whether head and body of a request are there.
fn whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head
        .lines()
        .find_map(|l| l.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse::<usize>().ok());
    length.is_some_and(|l| body.len() >= l)
}
