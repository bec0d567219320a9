//! Decides when the end of a part of a run's source is reported: one at a time, each with what the run has printed so
//! far.

use crate::domain::{OutputBuffer, Stream};

/// How many reports may contain the most output that a run keeps: more than the parts of a source that brings blocks
/// back.
const MAX_WHOLE_REPORTS: u64 = 64;

/// Which ends of parts are reported, and with how much output.
///
/// The kernel waits after each part. Code that imitates the kernel waits for nothing, and can report any number of
/// ends.
#[derive(Debug)]
pub(super) struct PartEnds {
    /// Whether the run waits for an answer.
    waits: bool,
    /// The last part whose end arrived meanwhile: the kernel's own report may come after imitated ones.
    next: Option<u32>,
    /// How many bytes of output may still be reported.
    left: u64,
}

impl PartEnds {
    /// For a run that keeps this many bytes of its output.
    pub(super) fn new(kept_bytes: u64) -> Self {
        Self { waits: false, next: None, left: kept_bytes.saturating_mul(MAX_WHOLE_REPORTS) }
    }

    /// Notes the end of a part. Returns whether to report it now.
    pub(super) fn is_told_now(&mut self, part: u32) -> bool {
        let waited = std::mem::replace(&mut self.waits, true);
        if waited {
            self.next = Some(part);
        }
        !waited
    }

    /// Notes the answer to the reported end. Returns the part whose end has to be reported next.
    pub(super) fn answered(&mut self) -> Option<u32> {
        self.waits = false;
        self.next.take()
    }

    /// The output so far, to be reported with an end. Once too much was reported already, it is empty and only contains
    /// the count.
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
