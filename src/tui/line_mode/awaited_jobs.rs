//! The jobs that the person asked for and whose results have not been printed yet.

/// A job whose result is printed when it arrives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AwaitedJob {
    Models,
    Recipes,
    /// A list of the sessions, and the name of the one to open, if one was named.
    Sessions(Option<String>),
    /// A list of the sessions that this one can be compared with, and the name of the one to compare, if one
    /// was named.
    Comparable(Option<String>),
    Compared,
    Hits,
    Instructions,
    Sandbox,
    Servers,
    Trial,
}

/// The awaited jobs, in the order in which they were asked for.
#[derive(Debug, Default)]
pub(super) struct AwaitedJobs(Vec<AwaitedJob>);

impl AwaitedJobs {
    pub(super) fn push(&mut self, job: AwaitedJob) {
        self.0.push(job);
    }

    pub(super) fn contains(&self, job: &AwaitedJob) -> bool {
        self.0.contains(job)
    }

    /// Removes all jobs that wait for this result; returns whether there were any.
    pub(super) fn take(&mut self, wanted: &AwaitedJob) -> bool {
        let before = self.0.len();
        self.0.retain(|awaited| awaited != wanted);
        self.0.len() < before
    }

    /// Removes the first job that waits for a list of sessions: each of these jobs gets a list of its own.
    pub(super) fn take_listing(&mut self) -> Option<AwaitedJob> {
        let lists = |job: &AwaitedJob| matches!(job, AwaitedJob::Sessions(_) | AwaitedJob::Comparable(_));
        self.0.iter().position(lists).map(|at| self.0.remove(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_list_of_sessions_is_for_what_was_asked_for_with_it() {
        let mut awaited = AwaitedJobs::default();
        let asked = [
            AwaitedJob::Sessions(None),
            AwaitedJob::Models,
            AwaitedJob::Comparable(Some("2".into())),
            AwaitedJob::Sessions(Some("2".into())),
        ];
        for job in &asked {
            awaited.push(job.clone());
        }
        let taken: Vec<_> = (0..4).map(|_| awaited.take_listing()).collect();
        let listings = [&asked[0], &asked[2], &asked[3]].map(|job| Some(job.clone()));
        assert_eq!((&taken[..3], &taken[3]), (&listings[..], &None));
        assert!(awaited.take(&AwaitedJob::Models) && !awaited.take(&AwaitedJob::Models));
    }
}
