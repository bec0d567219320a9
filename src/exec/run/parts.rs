//! Ends of the parts of a text: told one at a time, each with what the run has printed so far.

use crate::domain::{OutputBuffer, Stream};

/// So often all that a run may keep is told with its ends: more than a text that brings blocks back has parts.
const MAX_WHOLE_REPORTS: u64 = 64;

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
    /// Of a run that keeps so many bytes of what it prints.
    pub(super) fn new(kept_bytes: u64) -> Self {
        Self { waits: false, next: None, left: kept_bytes.saturating_mul(MAX_WHOLE_REPORTS) }
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
                so_far.only_stream(stream)
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
        for limit in [1_u64 << 10, 1 << 20] {
            let mut so_far = OutputBuffer::new(limit);
            let (mut ends, mut copied, mut with_all) = (PartEnds::new(limit), 0, 0);
            so_far.push(Stream::Stdout, &vec![b'x'; limit as usize]);
            so_far.push(Stream::Stderr, b"an error");
            for _ in 0..10_000 {
                let told = ends.printed(&so_far);
                assert!(told.total(Stream::Stdout) == limit && told.total(Stream::Stderr) == 0);
                copied += told.kept_bytes() as u64;
                with_all += usize::from(told.dropped(Stream::Stdout) == 0);
            }
            assert_eq!((copied, with_all), (64 * limit, 64));
        }
    }

    #[test]
    fn ends_are_told_one_at_a_time_and_the_last_of_them_is_never_left_out() {
        let mut ends = PartEnds::new(0);
        let told = [7, 7, 8, 1].map(|part| ends.is_told_now(part));
        assert_eq!((told, ends.answered(), ends.answered()), ([true, false, false, false], Some(1), None));
    }
}
