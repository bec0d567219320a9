//! Carries out an approved file action (write, read or list), and reports it like a run.
//!
//! Right before it acts, it checks the targets again and refuses if one is not as it was approved. It then works
//! through the folder that has been held open since it was shown.

use super::FileError;
use super::held_path::HeldPath;
use super::replace::NewFile;
use super::{excerpt, listing, replace, target};
use crate::domain::{
    FileAct, FileChange, OnDisk, Outcome, OutputBuffer, Receipt, RunReport, Sha256, Stream, Target,
};
use crate::text::diff::{LineComparison, is_change};
use crate::text::number::{counted, size};
use crate::text::system_error::words;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Time limit for a diff, which only serves the report.
const DIFF_TIMEOUT: Duration = Duration::from_millis(200);
const MAX_RANGES_SHOWN: usize = 12;
const MAX_DIFF_BYTES: usize = 8 << 10;

/// A file action as it was approved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActOrder<'a> {
    pub(crate) act: &'a FileAct,
    /// The target as it was found for the approval.
    pub(crate) target: &'a Target,
    /// The opened place of each file, held since then.
    pub(crate) places: &'a [HeldPath],
    /// The new content of each file of an act that writes.
    pub(crate) contents: &'a [&'a str],
    /// The files that the approved rights let it write; the others stay as they are.
    pub(crate) writable: &'a [PathBuf],
    /// What the report says about changes to existing files.
    pub(crate) tells: ChangesTold,
    /// The most bytes of output to keep.
    pub(crate) kept_bytes: u64,
}

/// What the report says about changes to existing files, besides their sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ChangesTold {
    #[default]
    Nothing,
    /// The numbers of the changed lines.
    Lines,
    /// The numbers and a diff, for an edit whose old text was not found exactly as written.
    Diff,
}

/// Carries out the action. Blocks on file I/O, so call it on a worker.
pub(crate) fn carry_out(order: ActOrder<'_>, cwd: &Path, home: Option<&Path>) -> RunReport {
    let began = Instant::now();
    let mut files = Vec::new();
    let done = check_places(order, cwd, home).and_then(|()| perform(order, cwd, &mut files));
    let mut output = OutputBuffer::new(order.kept_bytes);
    let outcome = match done {
        Ok(text) => {
            output.push(Stream::Stdout, text.as_bytes());
            Outcome::Ok
        }
        Err(ActFailure::Refused(why)) => Outcome::Refused(why),
        Err(ActFailure::Failed(why)) => {
            output.push(Stream::Stderr, format!("{why}\n").as_bytes());
            Outcome::Failed
        }
    };
    let wall_us = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
    let receipt = Receipt { wall_us, files, ..Receipt::default() };
    RunReport { receipt, output, ..RunReport::bare(outcome) }
}

enum ActFailure {
    /// The target is not as it was approved: nothing was done.
    Refused(String),
    Failed(String),
}

/// Checks that the paths still lead to the approved targets, and that the held folders are those of the targets.
fn check_places(order: ActOrder<'_>, cwd: &Path, home: Option<&Path>) -> Result<(), ActFailure> {
    let targets: Vec<&Target> = order.target.all().collect();
    let acts = order.act.each();
    let changed = |act: &FileAct| ActFailure::Refused(format!("{} changed since it was shown", act.path()));
    if order.places.len() != acts.len() || targets.len() != acts.len() {
        return Err(changed(order.act));
    }
    for ((act, target), place) in acts.iter().zip(targets).zip(order.places) {
        let folder = place.folder();
        if !folder.is_in_place() {
            return Err(ActFailure::Refused(FileError::Moved(folder.path().to_owned()).to_string()));
        }
        let now = target::examine(cwd, home, act);
        let now = now.map_err(|error| ActFailure::Refused(error.to_string()))?.target;
        let approved = Target { others: Vec::new(), ..target.clone() };
        if !now.same_as(&approved) || target.folder != Some(folder.id()) {
            return Err(changed(act));
        }
    }
    Ok(())
}

fn perform(order: ActOrder<'_>, cwd: &Path, files: &mut Vec<FileChange>) -> Result<String, ActFailure> {
    let ActOrder { act, places, .. } = order;
    let Some(place) = places.first() else { return Err(ActFailure::Refused("no place is held".into())) };
    let system = |error: std::io::Error| ActFailure::Failed(format!("{}: {}", act.path(), words(&error)));
    let failed = |error: FileError| match error {
        FileError::Changed { .. } => ActFailure::Refused(error.to_string()),
        FileError::Io(path, why) => {
            let shown = path.strip_prefix(cwd).unwrap_or(&path);
            ActFailure::Failed(format!("{}: {why}", shown.display()))
        }
        error => ActFailure::Failed(error.to_string()),
    };
    match act {
        FileAct::Write { .. } | FileAct::WriteAll { .. } => write(order, cwd, files).map_err(failed),
        FileAct::Read { path, from, lines } => {
            let file = place.open().map_err(failed)?;
            excerpt::lines(file, path, *from, *lines).map_err(system)
        }
        FileAct::List { path, depth } => {
            let folder = place.open_folder().map_err(failed)?;
            listing::tree(folder, path, *depth).map_err(system)
        }
    }
}

/// Writes the files that may be written, all or none, and returns a report on each file.
fn write(order: ActOrder<'_>, cwd: &Path, files: &mut Vec<FileChange>) -> Result<String, FileError> {
    let targets = order.target.all().zip(order.places).zip(order.contents);
    // `None`: the file stays as it is.
    let news: Vec<Option<NewFile<'_>>> = targets
        .map(|((target, place), text)| {
            let new = NewFile { place, found: target.found, bytes: text.as_bytes() };
            order.writable.contains(&target.path).then_some(new)
        })
        .collect();
    let text_before = |new: &NewFile<'_>| {
        let bytes = super::read::held(new.place, target::MAX_REPLACED_BYTES).ok()?;
        String::from_utf8(bytes).ok()
    };
    let olds: Vec<Option<String>> = news
        .iter()
        .map(|new| new.as_ref().filter(|_| order.tells != ChangesTold::Nothing).and_then(text_before))
        .collect();
    replace::replace_all(&news.iter().flatten().copied().collect::<Vec<_>>())?;
    let cwd = cwd.canonicalize().unwrap_or_else(|_| cwd.to_path_buf());
    let mut told = String::new();
    let acts = order.act.each();
    let each = acts.iter().zip(order.target.all()).zip(order.contents).zip(news.iter().zip(&olds));
    for (((act, target), text), (new, old)) in each {
        let (path, bytes) = (act.path(), text.len() as u64);
        let text_size = || format!("{}, {}", counted(text.lines().count(), "line"), size(bytes));
        let Some(new) = new else {
            let _ = match target.found {
                OnDisk::Nothing => writeln!(told, "not made {path}: no line of it was approved"),
                _ => writeln!(told, "unchanged {path}: {}", text_size()),
            };
            continue;
        };
        let change = if target.found == OnDisk::Nothing { "created" } else { "changed" };
        let below = target.path.strip_prefix(&cwd).unwrap_or(&target.path);
        let sha256 = Some(Sha256::of(text.as_bytes()));
        files.push(FileChange { sha256, ..FileChange::new(below.to_string_lossy(), change, bytes) });
        let (at_lines, diff) =
            old.as_deref().map_or_else(Default::default, |old| changes(old, text, order.tells));
        let _ = writeln!(told, "{change} {path}: {}{at_lines}", text_size());
        told.push_str(&diff);
        // The file was written into the folder that was shown, but that folder may have another path by now.
        let folder = new.place.folder();
        if let Some(now) = folder.current_path().filter(|now| now != folder.path()) {
            let _ = writeln!(told, "its folder was moved meanwhile: {}", now.display());
        }
    }
    Ok(told)
}

/// The numbers of the lines that changed, and the diff if it is to be reported.
fn changes(old: &str, new: &str, tells: ChangesTold) -> (String, String) {
    let diff = LineComparison::new(old, new, Some(Instant::now() + DIFF_TIMEOUT));
    let mut ranges: Vec<String> = Vec::new();
    for op in diff.ops.iter().filter(|op| is_change(op)) {
        let range = op.new_range();
        ranges.push(match range.len() {
            // Lines were only removed.
            0 if range.start == 0 => "before line 1".to_owned(),
            0 => format!("behind line {}", range.start),
            1 => (range.start + 1).to_string(),
            _ => format!("{}-{}", range.start + 1, range.end),
        });
    }
    let more = if ranges.len() > MAX_RANGES_SHOWN { ", …" } else { "" };
    ranges.truncate(MAX_RANGES_SHOWN);
    // Where lines were only removed, the place names its line itself.
    let (removed, changed): (Vec<String>, Vec<String>) =
        ranges.into_iter().partition(|range| range.contains(' '));
    let at = match changed.as_slice() {
        [] => None,
        [one] if !one.contains('-') => Some(format!("at line {one}")),
        several => Some(format!("at lines {}", several.join(", "))),
    };
    let places: Vec<String> = at.into_iter().chain(removed).collect();
    let lines = format!("; changed {}{more}", places.join(", "));
    let told = match tells {
        ChangesTold::Diff => diff.unified(0, None),
        _ => String::new(),
    };
    let cut = told.floor_char_boundary(told.len().min(MAX_DIFF_BYTES));
    (lines, told.get(..cut).unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::TestFolder;
    use crate::workspace::held_path::Folder;

    #[test]
    fn one_line_is_told_as_one() {
        let told = |old: &str, new: &str| changes(old, new, ChangesTold::Nothing).0;
        assert_eq!(told("a\nb\nc\n", "a\nB\nc\n"), "; changed at line 2");
        assert_eq!(told("a\nb\nc\n", "A\nb\nC\n"), "; changed at lines 1, 3");
        assert_eq!(told("a\nb\nc\n", "b\nc\n"), "; changed before line 1");
        assert_eq!(told("a\n", ""), "; changed before line 1");
        assert_eq!(told("a\nb\nc\nd\n", "a\nc\nD\n"), "; changed at line 3, behind line 1");
    }

    fn order<'a>(act: &'a FileAct, seen: &'a target::TargetFacts, contents: &'a [&'a str]) -> ActOrder<'a> {
        let (places, target) = (std::slice::from_ref(&seen.place), &seen.target);
        let (writable, tells) = (std::slice::from_ref(&target.path), ChangesTold::Nothing);
        ActOrder { act, target, places, contents, writable, tells, kept_bytes: 1 << 20 }
    }

    fn ordered(folder: &Path, act: &FileAct, source: &str, between: impl FnOnce()) -> RunReport {
        let seen = target::examine(folder, None, act).expect("seen");
        between();
        carry_out(order(act, &seen, &[source]), folder, None)
    }

    #[test]
    fn a_write_is_told_with_its_receipt() {
        let folder = TestFolder::new();
        let act = FileAct::Write { path: "notes/plan.md".into() };
        let report = ordered(&folder.base, &act, "# Plan\n", || {});
        assert_eq!(report.outcome, Outcome::Ok);
        assert_eq!(report.output.bytes(Stream::Stdout), b"created notes/plan.md: 1 line, 7 B\n");
        let told = report.receipt.files.first().map(|f| (f.path.as_str(), f.change.as_str(), f.bytes));
        assert_eq!(told, Some(("notes/plan.md", "created", 7)));
    }

    #[test]
    fn what_the_rights_leave_out_stays_and_is_told_as_that() {
        let folder = TestFolder::new();
        for name in ["x", "y"] {
            folder.file(name, "a\n");
        }
        let inode = |name: &str| {
            use std::os::unix::fs::MetadataExt as _;
            std::fs::metadata(folder.at(name)).expect("there").ino()
        };
        let (before, paths) = (inode("y"), ["y", "z", "x"].map(str::to_owned).to_vec());
        let act = FileAct::WriteAll { paths };
        let seen = target::examine_all(&folder.base, None, &act).expect("seen");
        let target = target::join_targets(&seen).expect("a target");
        let writable = [seen[2].target.path.clone()];
        let places: Vec<HeldPath> = seen.into_iter().map(|seen| seen.place).collect();
        let order = ActOrder {
            act: &act,
            target: &target,
            places: &places,
            contents: &["a\n", "", "b\n"],
            writable: &writable,
            tells: ChangesTold::Lines,
            kept_bytes: 1 << 20,
        };
        let report = carry_out(order, &folder.base, None);
        let told = String::from_utf8(report.output.bytes(Stream::Stdout)).expect("text");
        let expected = "unchanged y: 1 line, 2 B\nnot made z: no line of it was approved\n\
                        changed x: 1 line, 2 B; changed at line 1\n";
        assert_eq!((report.outcome, told.as_str()), (Outcome::Ok, expected));
        let changed: Vec<_> = report.receipt.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(changed, ["x"]);
        assert_eq!((folder.at("z").exists(), inode("y")), (false, before), "neither is touched");
    }

    #[test]
    fn what_changed_in_between_is_refused() {
        let folder = TestFolder::new();
        let path = folder.at("a");
        let act = FileAct::Write { path: "a".into() };
        let report = ordered(&folder.base, &act, "x", || std::fs::write(&path, "mine").expect("written"));
        assert_eq!(report.outcome, Outcome::Refused("a changed since it was shown".into()));
        assert_eq!(std::fs::read(&path).expect("read"), b"mine");
    }

    #[test]
    fn a_file_that_grows_is_read_nevertheless() {
        let folder = TestFolder::new();
        let path = folder.file("log", "one\n");
        let act = FileAct::Read { path: "log".into(), from: 1, lines: 9 };
        let report =
            ordered(&folder.base, &act, "", || std::fs::write(&path, "one\ntwo\n").expect("written"));
        assert_eq!(report.output.bytes(Stream::Stdout), b"log: lines 1-2 of 2, 8 B\none\ntwo\n");
    }

    #[test]
    fn a_file_that_is_not_there_fails_with_words() {
        let folder = TestFolder::new();
        let act = FileAct::Read { path: "no".into(), from: 1, lines: 9 };
        let report = ordered(&folder.base, &act, "", || {});
        assert_eq!(report.outcome, Outcome::Failed);
        assert!(report.output.bytes(Stream::Stderr).starts_with(b"no: No such file"));
    }

    #[test]
    fn a_folder_that_is_not_the_one_that_was_shown_is_refused() {
        let folder = TestFolder::new();
        let act = FileAct::Write { path: "sub/a".into() };
        let replaced = || {
            std::fs::rename(folder.at("sub"), folder.at("moved")).expect("moved");
            std::fs::create_dir(folder.at("sub")).expect("made");
        };
        for (between, name) in [
            (&replaced as &dyn Fn(), "replaced"),
            (&|| std::fs::rename(folder.at("sub"), folder.at("moved")).expect("moved"), "moved"),
            (&|| std::fs::remove_dir(folder.at("sub")).expect("removed"), "removed"),
        ] {
            std::fs::create_dir(folder.at("sub")).expect("made");
            let report = ordered(&folder.base, &act, "x", between);
            let why = "was moved, removed or replaced since it was shown: nothing was done";
            let why = format!("{} {why}", folder.at("sub").display());
            assert_eq!(report.outcome, Outcome::Refused(why), "{name}");
            assert!(!folder.at("sub/a").exists() && !folder.at("moved/a").exists(), "{name}");
            for left in [folder.at("sub"), folder.at("moved")] {
                std::fs::remove_dir(left).ok();
            }
        }
    }

    /// Exchanges a folder and a link that leads outside, back and forth as fast as it can, until it is dropped.
    struct LinkSwapper {
        over: std::sync::Arc<std::sync::atomic::AtomicBool>,
        thread: Option<std::thread::JoinHandle<u64>>,
    }

    impl LinkSwapper {
        fn start(folder: &Path, name: &str, link: &str) -> Self {
            let (one, other) = (folder.join(name), folder.join(link));
            let over = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
            let told = over.clone();
            let (first, swapped) = std::sync::mpsc::channel();
            let thread = std::thread::spawn(move || {
                use rustix::fs::{CWD, RenameFlags, renameat_with};
                let mut times = 0;
                while !told.load(std::sync::atomic::Ordering::Relaxed) {
                    renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).expect("swapped");
                    times += 1;
                    if times == 1 {
                        first.send(()).expect("waited for");
                    }
                    std::thread::yield_now();
                }
                times
            });
            swapped.recv().expect("swapped");
            Self { over, thread: Some(thread) }
        }
    }

    impl Drop for LinkSwapper {
        fn drop(&mut self) {
            self.over.store(true, std::sync::atomic::Ordering::Relaxed);
            let times = self.thread.take().map(|thread| thread.join().expect("swapped to the end"));
            assert!(times > Some(0), "nothing was swapped");
        }
    }

    #[test]
    fn a_folder_that_is_swapped_for_a_link_leads_no_act_away() {
        let (work, out) = (TestFolder::new(), TestFolder::new());
        std::os::unix::fs::symlink(&out.base, work.at("link")).expect("linked");
        out.file("old", "theirs");
        work.file("sub/old", "theirs");
        out.file("read", "secret");
        work.file("sub/read", "public");
        let sub = Folder::find(&work.at("sub")).expect("held").id();
        let swapping = LinkSwapper::start(&work.base, "sub", "link");
        let (mut done, mut shown) = (0, 0);
        let deadline = Instant::now() + std::time::Duration::from_secs(30);
        for n in 0.. {
            if done >= 300 || Instant::now() > deadline {
                break;
            }
            let act = match n % 4 {
                0 => FileAct::Write { path: "sub/old".into() },
                1 => FileAct::Read { path: "sub/read".into(), from: 1, lines: 9 },
                2 => FileAct::List { path: "sub".into(), depth: 1 },
                _ => FileAct::Write { path: format!("sub/new/{n}") },
            };
            let Ok(seen) = target::examine(&work.base, None, &act) else { continue };
            if seen.target.outside {
                continue;
            }
            shown += 1;
            let report = carry_out(order(&act, &seen, &["theirs"]), &work.base, None);
            done += u32::from(report.outcome == Outcome::Ok);
            assert!(n % 4 == 3 || report.outcome != Outcome::Ok || seen.place.folder().id() == sub, "{n}");
            let told = String::from_utf8_lossy(&report.output.bytes(Stream::Stdout)).into_owned();
            assert!(!told.contains("secret"), "{n}: {told}");
            let led: Vec<_> = std::fs::read_dir(&out.base)
                .expect("readable")
                .map(|entry| entry.expect("an entry").file_name())
                .filter(|name| name != "old" && name != "read")
                .collect();
            assert!(led.is_empty(), "{n}: {led:?} came where nobody was shown that anything would");
        }
        drop(swapping);
        assert!(done >= 300, "of {shown} that were shown as inside {done} were done");
    }
}
