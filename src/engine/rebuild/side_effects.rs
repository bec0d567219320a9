//! Finds what a run touched besides its kernel: what its review announced, and what was found after it.

use crate::domain::{Review, RunReport};
use crate::text::line::one_line;
use crate::text::names::and_more;

const MAX_NAMES_SHOWN: usize = 2;

/// What a run touched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TouchedPaths {
    wrote: Vec<String>,
    deleted: Vec<String>,
    reached: Vec<String>,
    started: Vec<String>,
    installed: Vec<String>,
    read: Vec<String>,
    /// Another reason not to merge it.
    otherwise: Option<&'static str>,
}

impl TouchedPaths {
    /// Collects what is known of a run from its review, if it has one, and its report.
    pub(super) fn of(review: Option<&Review>, report: &RunReport) -> Self {
        let mut touched = Self::default();
        for file in &report.receipt.files {
            let of = if file.change == "deleted" { &mut touched.deleted } else { &mut touched.wrote };
            of.push(file.path.clone());
        }
        if report.receipt.not_stopped || report.receipt.threads > 0 {
            touched.otherwise = Some("something of it goes on");
        } else if report.receipt.processes > 1 {
            touched.otherwise = Some("it started programs");
        }
        let Some(review) = review else {
            touched.otherwise = Some("what it touches was not told");
            return touched;
        };
        let effects = &review.effects;
        for (of, told) in [
            (&mut touched.wrote, &effects.writes),
            (&mut touched.deleted, &effects.deletes),
            (&mut touched.reached, &effects.hosts),
            (&mut touched.started, &effects.programs),
            (&mut touched.installed, &effects.packages),
            (&mut touched.read, &effects.reads),
        ] {
            let new: Vec<String> = told.iter().filter(|name| !of.contains(name)).cloned().collect();
            of.extend(new);
        }
        if !review.is_clean() {
            touched.otherwise = Some("its check found something");
        } else if effects.unknown {
            touched.otherwise = Some("what it touches can't be told");
        }
        touched
    }

    /// Why it did more than fill the kernel; `None` if nothing indicates that. Reading does not count.
    pub(super) fn beyond_kernel(&self) -> Option<String> {
        let kinds = self.kinds();
        let first = kinds.iter().find(|(of, _)| *of != "reads").map(|(of, names)| describe_names(of, names));
        first.or(self.otherwise.map(str::to_owned))
    }

    /// What it touched, in words.
    pub(super) fn describe(&self) -> Vec<String> {
        self.kinds().iter().map(|(of, names)| describe_names(of, names)).collect()
    }

    fn kinds(&self) -> Vec<(&'static str, &Vec<String>)> {
        let all = [
            ("wrote", &self.wrote),
            ("deleted", &self.deleted),
            ("reaches", &self.reached),
            ("starts", &self.started),
            ("installs", &self.installed),
            ("reads", &self.read),
        ];
        all.into_iter().filter(|(_, names)| !names.is_empty()).collect()
    }
}

/// `wrote a.csv, b.csv and 3 more`
fn describe_names(of: &str, names: &[String]) -> String {
    let first: Vec<String> = names.iter().take(MAX_NAMES_SHOWN).map(|name| one_line(name)).collect();
    format!("{of} {}{}", first.join(", "), and_more(names.len().saturating_sub(MAX_NAMES_SHOWN)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Effects, FileChange, Outcome};

    fn with(effects: Effects, files: &[(&str, &str)]) -> TouchedPaths {
        let mut report = RunReport::bare(Outcome::Ok);
        let file = |(path, change): &(&str, &str)| FileChange::new(*path, change, 1);
        report.receipt.files = files.iter().map(file).collect();
        TouchedPaths::of(Some(&Review { effects, ..Review::default() }), &report)
    }

    #[test]
    fn what_only_fills_the_kernel_is_told_from_what_does_more() {
        assert_eq!(with(Effects::default(), &[]).beyond_kernel(), None);
        let reads = with(Effects { reads: vec!["a.csv".into()], ..Effects::default() }, &[]);
        assert_eq!((reads.beyond_kernel(), reads.describe()), (None, vec!["reads a.csv".to_owned()]));
        let wrote = with(
            Effects { writes: vec!["a.csv".into()], ..Effects::default() },
            &[("a.csv", "created"), ("b", "changed"), ("c", "created"), ("d", "deleted")],
        );
        assert_eq!(wrote.describe(), ["wrote a.csv, b and 1 more", "deleted d"]);
        assert_eq!(wrote.beyond_kernel().as_deref(), Some("wrote a.csv, b and 1 more"));
        let unknown = with(Effects { unknown: true, ..Effects::default() }, &[]);
        assert_eq!(unknown.beyond_kernel().as_deref(), Some("what it touches can't be told"));
        let host = Effects { hosts: vec!["example.org".into()], ..Effects::default() };
        assert_eq!(with(host, &[]).beyond_kernel().as_deref(), Some("reaches example.org"));
        let bare = RunReport::bare(Outcome::Ok);
        assert!(TouchedPaths::of(None, &bare).beyond_kernel().is_some());
        let mut threads = bare.clone();
        threads.receipt.threads = 1;
        assert!(TouchedPaths::of(Some(&Review::default()), &threads).beyond_kernel().is_some());
    }
}
