//! Passes reports to the observer of a turn until one can't be written: then nobody reads them any more.

use super::TurnObserver;
use crate::domain::Entry;
use crate::driver::Notification;
use crate::engine::State;
use std::io;

/// The reports of a turn to its observer.
pub(super) struct Reports<'a> {
    observer: &'a mut dyn TurnObserver,
    /// Why a report could not be written.
    failure: Option<io::Error>,
}

impl<'a> Reports<'a> {
    pub(super) fn new(observer: &'a mut dyn TurnObserver) -> Self {
        Self { observer, failure: None }
    }

    /// Whether a report could not be written. Nothing is reported after it but what runs changed.
    pub(super) fn failed(&self) -> bool {
        self.failure.is_some()
    }

    /// Whether all reports were written.
    pub(super) fn result(self) -> io::Result<()> {
        self.failure.map_or(Ok(()), Err)
    }

    pub(super) fn printed_count(&self) -> usize {
        self.observer.printed_count()
    }

    pub(super) fn wants_more(&self) -> bool {
        self.observer.wants_more()
    }

    /// Lets the observer report something, unless an earlier report could not be written.
    pub(super) fn report(&mut self, write: impl FnOnce(&mut dyn TurnObserver) -> io::Result<()>) {
        if self.failure.is_none() {
            self.failure = write(&mut *self.observer).err();
        }
    }

    /// Passes a notification on, unless it is of an entry that is not on disk and readers rely on that. The end of a
    /// run is passed on all the same: somebody has to know what ran. If that can't be written, at least the changes
    /// that programs obey are reported, as standard error may still have a reader.
    pub(super) fn notify(&mut self, told: &Notification, is_written: bool, state: &State) {
        let entry = if let Notification::Recorded(entry) = told { Some(&**entry) } else { None };
        let ran = match entry {
            Some(Entry::Ran { block, report, .. }) => Some((*block, &**report)),
            _ => None,
        };
        let only_if_saved = entry.is_some() && ran.is_none();
        if only_if_saved && !is_written && self.observer.wants_saved() {
            return;
        }
        self.report(|observer| observer.notify(told, state));
        if let Some((block, report)) = ran
            && self.failed()
            && let Err(why) = self.observer.changes(block, report, state)
        {
            tracing::warn!(%why, "what a run changed can't be reported");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{BlockId, FileChange, Notice, Outcome, RunId, RunReport};
    use crate::headless::reporter::TurnReporter;

    struct FullDisk;

    impl io::Write for FullDisk {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn ran(file: &str) -> Notification {
        let mut report = RunReport { value: Some("42".into()), ..RunReport::bare(Outcome::Ok) };
        report.receipt.files = vec![FileChange::new(file, "created", 5)];
        Notification::Recorded(Box::new(Entry::Ran {
            run: RunId(1),
            block: BlockId(1),
            report: Box::new(report),
        }))
    }

    #[test]
    fn what_runs_changed_is_told_once_although_nothing_else_can_be_written() {
        for json in [false, true] {
            let (mut out, mut err) = (FullDisk, Vec::new());
            let mut reporter = TurnReporter::new(&mut out, &mut err, json);
            let mut reports = Reports::new(&mut reporter);
            for told in [ran(".envrc"), Notification::Notice(Notice::warn("unread")), ran(".bashrc")] {
                reports.notify(&told, true, &State::default());
                assert!(reports.failed());
            }
            assert_eq!(reports.result().map_err(|why| why.kind()), Err(io::ErrorKind::StorageFull));
            let err = String::from_utf8(err).unwrap();
            for name in [".envrc", ".bashrc"] {
                assert_eq!(err.matches(&format!("block 1 created {name}: ")).count(), 1, "{json} {err}");
            }
            assert!(!err.contains("unread"), "{err}");
        }
    }
}
