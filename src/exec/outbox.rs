//! Holds what can't be sent to a kernel yet because its socket is full.

use rustix::io::Errno;
use rustix::net::SendFlags;
use std::os::fd::AsFd;

/// Messages that wait for room in a socket, in order. Of answers to ended parts, only the newest is kept.
///
/// Code that imitates the kernel can report any number of ended parts without reading an answer. The kernel itself
/// waits for one answer, which is always the newest.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    unsent: Vec<u8>,
    answer: Option<Vec<u8>>,
}

impl Outbox {
    /// Adds a message. An answer that still waits is outdated, so it is dropped.
    pub(super) fn push(&mut self, message: Vec<u8>) {
        self.answer = None;
        self.unsent.extend(message);
    }

    /// Adds an answer in place of one that still waits.
    pub(super) fn push_answer(&mut self, answer: Vec<u8>) {
        self.answer = Some(answer);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.unsent.is_empty() && self.answer.is_none()
    }

    /// Sends what there is room for; never waits. If the other end is closed, everything is dropped.
    pub(super) fn send(&mut self, socket: &impl AsFd) {
        loop {
            if self.unsent.is_empty() {
                let Some(answer) = self.answer.take() else { return };
                self.unsent = answer;
            }
            match rustix::net::send(socket, &self.unsent, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
                Ok(sent) => drop(self.unsent.drain(..sent)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => *self = Self::default(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::net::RecvFlags;
    use std::os::unix::net::UnixStream;

    /// All bytes that can be read now.
    fn read(socket: &UnixStream) -> Vec<u8> {
        let (mut all, mut buffer) = (Vec::new(), vec![0; 4096]);
        while let Ok((_, count)) = rustix::net::recv(socket, &mut buffer[..], RecvFlags::DONTWAIT) {
            all.extend(&buffer[..count]);
        }
        all
    }

    #[test]
    fn of_answers_that_nobody_reads_only_the_newest_is_kept_and_it_arrives() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let mut outbox = Outbox::default();
        let mut most = 0;
        for number in 0..20_000 {
            outbox.push_answer(format!("{number:039}\n").into_bytes());
            outbox.send(&ours);
            most = most.max(outbox.unsent.len() + outbox.answer.as_ref().map_or(0, Vec::len));
        }
        assert!(most <= 80 && !outbox.is_empty(), "{most} bytes waited");
        let mut came = Vec::new();
        while !outbox.is_empty() {
            came.extend(read(&theirs));
            outbox.send(&ours);
        }
        came.extend(read(&theirs));
        let text = String::from_utf8(came).unwrap();
        let numbers: Vec<u32> = text.lines().map(|line| line.parse().unwrap()).collect();
        assert!(numbers.is_sorted() && numbers.len() < 20_000, "{} came", numbers.len());
        assert_eq!(numbers.last(), Some(&19_999));
    }

    #[test]
    fn messages_keep_their_order_and_go_before_a_later_answer() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let mut outbox = Outbox::default();
        outbox.push_answer(b"of a block that is over ".to_vec());
        outbox.push(b"one ".to_vec());
        outbox.push(b"two ".to_vec());
        outbox.push_answer(b"three".to_vec());
        outbox.send(&ours);
        assert_eq!((read(&theirs), outbox.is_empty()), (b"one two three".to_vec(), true));
        drop(theirs);
        outbox.push(b"four".to_vec());
        outbox.send(&ours);
        assert!(outbox.is_empty());
    }
}
