//! Ends of the parts of a text: told one at a time, each with what the run has printed so far.

use crate::domain::{OutputBuffer, Stream};

/// Bytes with which the ends of one run are told, all together: what 50 parts can print, with all of it told behind each.
const MAX_REPORTED_BYTES: u64 = 64 << 20;

/// Which ends of parts are told, and what with.
///
/// A kernel waits behind each part. Code that plays the kernel waits for nothing, and makes up as many as it likes.
#[derive(Debug)]
pub(super) struct PartEnds {
    /// Whether the run waits for an answer.
    waits: bool,
    /// The last part that was said to have ended meanwhile: the kernel's own may come behind what was made up.
    next: Option<u32>,
    /// Bytes that ends may still be told with.
    left: u64,
}

impl PartEnds {
    pub(super) fn new() -> Self {
        Self { waits: false, next: None, left: MAX_REPORTED_BYTES }
    }

    /// A part is over: whether that is told now.
    pub(super) fn is_told_now(&mut self, part: u32) -> bool {
        let waited = std::mem::replace(&mut self.waits, true);
        if waited {
            self.next = Some(part);
        }
        !waited
    }

    /// What was told has its answer: the part whose end is to be told next.
    pub(super) fn answered(&mut self) -> Option<u32> {
        self.waits = false;
        self.next.take()
    }

    /// What the run has printed so far, to be told with an end. Where that was more than enough already, none of it is there,
    /// and it says so itself.
    pub(super) fn printed(&mut self, so_far: &OutputBuffer) -> OutputBuffer {
        let stream = Stream::Stdout;
        let total = so_far.total(stream);
        match self.left.checked_sub(total - so_far.dropped(stream)) {
            Some(left) => {
                self.left = left;
                so_far.only(stream)
            }
            None => OutputBuffer::restore(so_far.limit() as u64, [], (total, 0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_up_ends_are_told_with_no_more_than_a_run_of_many_parts_could_print() {
        let mut so_far = OutputBuffer::default();
        let (mut ends, mut copied, mut with_all) = (PartEnds::new(), 0, 0);
        so_far.push(Stream::Stdout, &vec![b'x'; so_far.limit()]);
        so_far.push(Stream::Stderr, b"an error");
        for _ in 0..10_000 {
            let told = ends.printed(&so_far);
            assert!(told.total(Stream::Stdout) == 1 << 20 && told.total(Stream::Stderr) == 0);
            copied += told.kept_bytes();
            with_all += usize::from(told.dropped(Stream::Stdout) == 0);
        }
        assert_eq!((copied, with_all), (64 << 20, 64));
    }

    #[test]
    fn ends_are_told_one_at_a_time_and_the_last_of_them_is_never_left_out() {
        let mut ends = PartEnds::new();
        let told = [7, 7, 8, 1].map(|part| ends.is_told_now(part));
        assert_eq!((told, ends.answered(), ends.answered()), ([true, false, false, false], Some(1), None));
    }
}
