//! Prints, before the first run of a replay, where the runs take place, what confines them, and which files they have.

use super::Replay;
use crate::domain::SandboxReport;
use crate::domain::sentences::replay;
use crate::domain::visible::visible_line;
use crate::engine::recorded_runs::AllowedThen;
use crate::text::names::{and_more, first_names};
use crate::text::number::{counted, size};
use crate::workspace::copy::WhyNotCopied;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The most files named in a list; the others are counted.
const MAX_NAMES_SHOWN: usize = 8;

impl Replay<'_> {
    /// Prints where the runs take place, what confines them, and which files they have.
    pub(super) fn print_place(
        &self,
        report: &SandboxReport,
        allowed: &AllowedThen,
        err: &mut dyn std::io::Write,
    ) -> std::io::Result<()> {
        let runs = self.recorded.steps().filter(|step| step.repeats.is_ok()).count();
        let label = visible_line(self.summary.label());
        writeln!(err, "{label}: {} again, in {}", counted(runs, "run"), replay::folder(report))?;
        let wanted = self.args.allow_network;
        writeln!(err, "  {}", replay::network(report, wanted, allowed.network))?;
        if self.args.install && self.recorded.installs() {
            writeln!(err, "  {}", replay::FETCHED)?;
        }
        if let Some(files) = &self.copied {
            let count = counted(files.count(), "file");
            writeln!(err, "  {count} of {} copied ({})", self.summary.cwd.display(), size(files.bytes()))?;
            let mut left: Vec<_> = files.left_out().collect();
            // Of a folder that can't be read, more is missing than of the others.
            left.sort_by_key(|(_, why)| *why != WhyNotCopied::Unread);
            let left: Vec<String> =
                left.into_iter().filter_map(|(path, why)| describe_left_out(path, why)).collect();
            if !left.is_empty() {
                writeln!(err, "  {}: {}", replay::LEFT_OUT, first_names(&left, MAX_NAMES_SHOWN))?;
            }
        }
        let behind = self.left_behind();
        if !behind.is_empty() {
            let names: Vec<String> = behind.iter().map(|path| visible_line(path)).collect();
            writeln!(
                err,
                "  {}: {} (--with, --copy)",
                replay::NOT_COPIED,
                first_names(&names, MAX_NAMES_SHOWN)
            )?;
        }
        let is_earlier = |path: &&String| self.copied.as_ref().is_some_and(|files| files.is_earlier(path));
        let changed = self.recorded.changed.iter().filter(|path| self.has(path));
        let (then, now): (Vec<&String>, Vec<&String>) = changed.partition(is_earlier);
        for (paths, told) in [(then, replay::as_then as fn(&str) -> String), (now, replay::as_now)] {
            if let Some(first) = paths.first() {
                let more = and_more(paths.len() - 1);
                writeln!(err, "  {}{more}", told(&visible_line(first)))?;
            }
        }
        for block in &self.recorded.taken_back {
            writeln!(err, "  {}", replay::taken_back(*block))?;
        }
        Ok(())
    }

    fn has(&self, path: &str) -> bool {
        self.copied.as_ref().is_some_and(|files| files.has(path))
    }

    /// Files of the working folder that blocks name or changed, that no run made, and that were not copied.
    fn left_behind(&self) -> BTreeSet<String> {
        let reads = self.recorded.steps().filter(|step| step.repeats.is_ok()).flat_map(|step| &step.reads);
        let below = reads.filter_map(|path| {
            let path = Path::new(path);
            let below: PathBuf = path.strip_prefix(&self.summary.cwd).unwrap_or(path).components().collect();
            below.is_relative().then(|| below.to_string_lossy().into_owned())
        });
        let is_behind = |path: &String| {
            !self.recorded.made.contains(path)
                && !self.has(path)
                && (self.recorded.changed.contains(path)
                    || self.summary.cwd.join(path).symlink_metadata().is_ok_and(|found| !found.is_dir()))
        };
        below.chain(self.recorded.changed.iter().cloned()).filter(is_behind).collect()
    }
}

/// A file that is not copied, with the reason; `None` for files that the runs make again.
fn describe_left_out(path: &str, why: WhyNotCopied) -> Option<String> {
    let why = match why {
        WhyNotCopied::Made => return None,
        WhyNotCopied::Hidden => "hidden",
        WhyNotCopied::Secret => "may hold keys",
        WhyNotCopied::Link => "a link",
        WhyNotCopied::Unread => "a folder that can't be read",
    };
    Some(format!("{} ({why})", visible_line(path)))
}
