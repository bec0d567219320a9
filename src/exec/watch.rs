//! Waits for descriptors that change from wait to wait: registers each for one wait, then polls them all.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io;
use std::os::fd::BorrowedFd;
use std::pin::Pin;
use std::time::Duration;
use tokio::net::unix::pipe;

/// When to poll again if the system can't register another descriptor.
const RETRY_INTERVAL: Duration = Duration::from_millis(10);

#[derive(Clone, Copy)]
pub(super) struct WatchedDescriptor<'a, T> {
    pub(crate) what: T,
    pub(crate) fd: BorrowedFd<'a>,
    /// Whether to wait for room to write as well.
    pub(crate) writes: bool,
}

/// Waits until something is readable or writable, and returns what. Safe to cancel.
pub(super) async fn ready<T: Copy>(watched: &[WatchedDescriptor<'_, T>]) -> Vec<T> {
    // Under load something is ready at once and nothing is registered. Other tasks still get their turn.
    tokio::task::coop::consume_budget().await;
    let at_once = now(watched);
    if !at_once.is_empty() {
        return at_once;
    }
    any(watched).await;
    now(watched)
}

/// Waits for any of them; forever if there are none.
async fn any<T>(watched: &[WatchedDescriptor<'_, T>]) {
    let mut waits: Vec<Pin<Box<dyn Future<Output = io::Result<()>>>>> = Vec::new();
    for WatchedDescriptor { fd, writes, .. } in watched {
        // A registration owns its descriptor, so duplicates are registered and closed after the wait. They only show
        // whether something is ready, which is the same for duplicates of pipes and sockets.
        let reader = fd.try_clone_to_owned().and_then(pipe::Receiver::from_owned_fd_unchecked);
        let Ok(reader) = reader else { return tokio::time::sleep(RETRY_INTERVAL).await };
        waits.push(Box::pin(async move { reader.readable().await }));
        if *writes {
            let writer = fd.try_clone_to_owned().and_then(pipe::Sender::from_owned_fd_unchecked);
            let Ok(writer) = writer else { return tokio::time::sleep(RETRY_INTERVAL).await };
            waits.push(Box::pin(async move { writer.writable().await }));
        }
    }
    if waits.is_empty() {
        return std::future::pending().await;
    }
    let _ = futures_util::future::select_all(waits).await;
}

/// What is ready now.
fn now<T: Copy>(watched: &[WatchedDescriptor<'_, T>]) -> Vec<T> {
    let flags = |writes| if writes { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
    let mut fds: Vec<PollFd<'_>> =
        watched.iter().map(|one| PollFd::from_borrowed_fd(one.fd, flags(one.writes))).collect();
    if poll(&mut fds, Some(&Timespec::default())).is_err() {
        return Vec::new();
    }
    let ready = watched.iter().zip(&fds).filter(|(_, fd)| !fd.revents().is_empty());
    ready.map(|(one, _)| one.what).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read as _, Write as _};
    use std::os::fd::AsFd as _;

    fn reading(end: &io::PipeReader) -> WatchedDescriptor<'_, u8> {
        WatchedDescriptor { what: 7, fd: end.as_fd(), writes: false }
    }

    #[tokio::test]
    async fn what_is_left_is_told_again_and_an_end_is_heard() {
        let (mut reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"ab").unwrap();
        for _ in 0..2 {
            assert_eq!(ready(&[reading(&reader)]).await, [7], "a byte is there");
            reader.read_exact(&mut [0]).unwrap();
        }
        let patience = Duration::from_millis(20);
        assert!(tokio::time::timeout(patience, ready(&[reading(&reader)])).await.is_err());
        drop(writer);
        assert_eq!(ready(&[reading(&reader)]).await, [7]);
    }
}
