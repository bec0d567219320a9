//! Shows the runs of `sayso exec`: one JSON object per line, or the program's output as it arrives and how it ended.

use super::streams::OutputStreams;
use crate::commands::{Console, check};
use crate::domain::sentences::saving;
use crate::domain::visible::{Visible, visible, visible_line};
use crate::domain::{
    Block, BlockId, BlockKind, Chunk, Entry, Language, Outcome, Review, RunId, RunReport, Severity, Sha256,
    Stream, Terms,
};
use crate::driver::Notification;
use crate::engine::State;
use crate::engine::transcript::BlockItem;
use crate::headless::{Ending, TurnObserver, change_lines, end_text, json, shapes};
use crate::report::FailureClass;
use serde_json::{Map, Value, json};
use std::io;
use std::path::Path;

/// What is kept after all files have run.
pub(super) enum Retention {
    /// A session with this id, and its files.
    Session(Option<String>),
    Nothing,
}

/// How the output of a stream is shown that goes to a file or a pipe.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum ShowMode {
    /// As it comes.
    #[default]
    AtOnce,
    /// From the report, at the end of the run: something came faster than it could be passed on.
    AtTheEnd,
    /// As it comes, with a gap, because the report does not keep enough to fill it. It has the end of the stream.
    WithGap,
}

/// What was shown of a stream.
#[derive(Clone, Copy, Default)]
struct ShownOutput {
    bytes: u64,
    /// All that was printed, with what was left out because it came faster than it could be passed on.
    printed: u64,
    /// The position in the stream behind the last byte that was shown.
    reached: u64,
    mode: ShowMode,
}

/// Shows files while they run.
pub(super) struct FileReporter<'a, 'c> {
    streams: OutputStreams<'a, 'c>,
    json: bool,
    kept: Retention,
    /// What was shown of the output of the current run, of each stream.
    shown: [ShownOutput; 2],
    /// The class of the first run that did not end well.
    failed: Option<FailureClass>,
}

impl TurnObserver for FileReporter<'_, '_> {
    fn notify(&mut self, told: &Notification, state: &State) -> io::Result<()> {
        match told {
            Notification::Recorded(entry) => self.entry(entry, state),
            Notification::Output(run, chunk) => self.output(*run, chunk, state),
            _ => Ok(()),
        }
    }

    fn changes(&mut self, block: BlockId, report: &RunReport, state: &State) -> io::Result<()> {
        let item = state.transcript.blocks.get(&block);
        item.and_then(|item| path(&item.block)).map_or(Ok(()), |path| self.write_changes(path, report))
    }

    fn finish(&mut self, ending: &Ending, _: &State, _: &str) -> io::Result<()> {
        if matches!(ending, Ending::Unsaved(_)) {
            // The command tells this error.
            self.end_error_line()?;
        }
        self.streams.flush()
    }
}

impl<'a, 'c> FileReporter<'a, 'c> {
    pub(super) fn new(console: &'a mut Console<'c>, json: bool, kept: Retention) -> Self {
        let streams = OutputStreams::new(console);
        Self { streams, json, kept, shown: [ShownOutput::default(); 2], failed: None }
    }

    /// Ends the line that a program left unfinished on standard error: the command tells an error there.
    pub(super) fn end_error_line(&mut self) -> io::Result<()> {
        self.streams.end_line(Stream::Stderr)
    }

    /// The class of the first run that did not end well.
    pub(super) fn failure_class(&self) -> Option<FailureClass> {
        self.failed
    }

    fn entry(&mut self, entry: &Entry, state: &State) -> io::Result<()> {
        let item = |block: &BlockId| state.transcript.blocks.get(block);
        match entry {
            Entry::Review { block, review, .. } => {
                let Some(path) = item(block).and_then(|item| path(&item.block)) else { return Ok(()) };
                self.findings(path, review)
            }
            Entry::Approved { block, .. } => {
                let Some(image) = item(block).and_then(|item| image(&item.block)) else { return Ok(()) };
                writeln!(self.streams.own_line(Stream::Stderr)?, "fetching {}", visible_line(image))
            }
            Entry::Ran { block, report, .. } => item(block).map_or(Ok(()), |item| {
                let terms = item.runs.last().map(|run| &*run.terms);
                self.write_end(item, terms, report)
            }),
            Entry::Declined { block, why, .. } => item(block).map_or(Ok(()), |item| {
                let forbidden = item.review.as_ref().is_some_and(|(_, review)| review.forbidden());
                let outcome = if forbidden { Outcome::Refused } else { Outcome::NotStarted };
                let terms = state.inspected(*block).and_then(|inspected| inspected.terms.as_ref().ok());
                self.write_end(item, terms, &RunReport::bare(outcome(why.clone())))
            }),
            _ => Ok(()),
        }
    }

    fn findings(&mut self, path: &str, review: &Review) -> io::Result<()> {
        for finding in review.findings.iter().filter(|f| f.severity >= Severity::Medium) {
            writeln!(
                self.streams.own_line(Stream::Stderr)?,
                "{}",
                check::finding_line(Path::new(path), finding)
            )?;
        }
        Ok(())
    }

    /// Writes output as it arrives, each stream to its own, so that they can be told apart and piped.
    fn output(&mut self, run: RunId, chunk: &Chunk, state: &State) -> io::Result<()> {
        if state.transcript.run(run).is_some_and(|(item, _)| image(&item.block).is_some()) {
            let text = self.streams.text(chunk.stream, &chunk.bytes);
            for line in text.lines() {
                writeln!(self.streams.own_line(Stream::Stderr)?, "  {}", visible_line(line))?;
            }
            return Ok(());
        }
        if self.json {
            return Ok(());
        }
        let is_seen = self.streams.is_seen[chunk.stream as usize];
        let kept = state.transcript.run(run).map_or(0, |(_, run)| run.terms.limits.output_kept_bytes);
        let shown = &mut self.shown[chunk.stream as usize];
        shown.printed = shown.printed.saturating_add(chunk.skipped).saturating_add(chunk.bytes.len() as u64);
        // Who reads a file or a pipe gets everything in the order of its stream; on a terminal, the newest is shown.
        if chunk.skipped > 0 && !is_seen && shown.mode == ShowMode::AtOnce {
            shown.mode = ShowMode::AtTheEnd;
        }
        if shown.mode == ShowMode::AtTheEnd && shown.printed > kept {
            shown.mode = ShowMode::WithGap;
        }
        match shown.mode {
            ShowMode::AtTheEnd => Ok(()),
            ShowMode::AtOnce | ShowMode::WithGap => {
                if !chunk.bytes.is_empty() {
                    shown.reached = shown.printed;
                }
                self.print(chunk.stream, &chunk.bytes)
            }
        }
    }

    fn print(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        self.shown[stream as usize].bytes += bytes.len() as u64;
        self.streams.print(stream, bytes)
    }

    fn write_end(&mut self, item: &BlockItem, terms: Option<&Terms>, report: &RunReport) -> io::Result<()> {
        let Some(path) = path(&item.block) else { return Ok(()) };
        self.failed = self.failed.or(match report.outcome {
            Outcome::Ok => None,
            Outcome::TimedOut => Some(FailureClass::TimedOut),
            _ => Some(FailureClass::Work),
        });
        if self.json { self.write_object(path, item, terms, report) } else { self.text(path, terms, report) }
    }

    fn write_object(
        &mut self,
        path: &str,
        item: &BlockItem,
        terms: Option<&Terms>,
        report: &RunReport,
    ) -> io::Result<()> {
        let version = item.block.current();
        let findings = item.review.as_ref().map_or_else(|| json!([]), |(_, review)| shapes::findings(review));
        let mut object = Map::new();
        object.insert("path".into(), json!(path));
        object.extend(shapes::report(report));
        object.insert("sandbox".into(), terms.map_or_else(shapes::no_sandbox, shapes::sandbox));
        object.insert("findings".into(), findings);
        object.insert("language".into(), json!(version.language.as_ref().map(Language::as_str)));
        object.insert("executor".into(), json!(terms.map(|terms| terms.executor.as_str())));
        object.insert("sha256".into(), json!(Sha256::of(version.source.as_bytes()).to_string()));
        match &self.kept {
            Retention::Session(id) => object.insert("session".into(), json!(id)),
            Retention::Nothing => {
                // These files are deleted before anyone could read the object.
                object.remove("blob");
                for name in ["images", "pictures"] {
                    for image in object.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten() {
                        image["path"] = Value::Null;
                    }
                }
                object.insert("session".into(), Value::Null)
            }
        };
        json::write_line(self.streams.own_line(Stream::Stdout)?, &Value::Object(object))
    }

    /// Shows what remains of the output, and what follows it.
    fn text(&mut self, path: &str, terms: Option<&Terms>, report: &RunReport) -> io::Result<()> {
        for stream in [Stream::Stdout, Stream::Stderr] {
            let reached = self.shown[stream as usize].reached;
            // A stream may end with a gap, on a terminal too: the report has what came last.
            if reached < report.output.total(stream) {
                self.print(stream, &report.output.behind(stream, reached))?;
            }
            self.streams.finish(stream)?;
        }
        if let Some(value) = &report.value {
            writeln!(self.streams.own_line(Stream::Stdout)?, "{}", Visible(value))?;
        }
        self.streams.flush()?;
        if let Some(error) = &report.error {
            writeln!(self.streams.own_line(Stream::Stderr)?, "{}", visible(error.traceback.trim_end()))?;
        }
        let is_kept = matches!(self.kept, Retention::Session(_));
        for image in report.all_images() {
            let (name, file) = (visible_line(&image.name), visible_line(&image.path.to_string_lossy()));
            let (width, height) = (image.width, image.height);
            let line = if is_kept {
                format!("image {file} ({width}x{height})")
            } else {
                saving::image_gone(&name, width, height)
            };
            writeln!(self.streams.own_line(Stream::Stderr)?, "{line}")?;
        }
        let shown: u64 = std::mem::take(&mut self.shown).iter().map(|shown| shown.bytes).sum();
        if report.printed_bytes() > shown {
            let told = saving::left_out(report.printed_bytes() - shown);
            writeln!(self.streams.own_line(Stream::Stderr)?, "{told}")?;
        }
        if let Some(blob) = report.blob.as_ref().filter(|_| is_kept) {
            let is_whole = terms.is_some_and(|terms| report.has_all_output(&terms.limits));
            let file = visible_line(&blob.to_string_lossy());
            writeln!(self.streams.own_line(Stream::Stderr)?, "{}", saving::output_in(&file, is_whole))?;
        }
        self.write_changes(path, report)?;
        if report.outcome != Outcome::Ok {
            let (path, end) = (visible_line(path), end_text(report));
            writeln!(self.streams.own_line(Stream::Stderr)?, "{path}: {end}")?;
        }
        self.streams.flush()
    }

    /// Writes what a run changed that programs obey.
    fn write_changes(&mut self, path: &str, report: &RunReport) -> io::Result<()> {
        let path = visible_line(path);
        for line in change_lines(report) {
            writeln!(self.streams.own_line(Stream::Stderr)?, "{path} {line}")?;
        }
        Ok(())
    }
}

/// The path of a named file; `None` for an image that is fetched for one.
fn path(block: &Block) -> Option<&str> {
    block.origin.note.as_deref().filter(|_| matches!(block.kind, BlockKind::Code { .. }))
}

/// The image that a block fetches.
fn image(block: &Block) -> Option<&str> {
    matches!(block.kind, BlockKind::Pull { .. }).then(|| block.current().source.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::samples;

    /// What a run shows on both streams: its pieces, each with the number of bytes that were left out before it, and
    /// what follows at its end.
    fn shown(is_seen: bool, chunks: &[(Stream, &str, u64)], report: &RunReport) -> (String, String) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut console = Console { out: &mut out, err: &mut err };
        let mut reporter = FileReporter::new(&mut console, false, Retention::Session(None));
        reporter.streams.is_seen = [is_seen; 2];
        for (stream, text, skipped) in chunks {
            let chunk = Chunk { stream: *stream, bytes: text.as_bytes().to_vec(), skipped: *skipped };
            reporter.output(RunId(1), &chunk, &State::default()).unwrap();
        }
        reporter.text("a.sh", Some(&samples::terms()), report).unwrap();
        (String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
    }

    #[test]
    fn what_is_missing_is_told_and_where_all_of_it_is() {
        let mut report = RunReport::bare(Outcome::Ok);
        report.output.push(Stream::Stdout, b"a\n");
        report.output.skip(Stream::Stdout, 7);
        report.output.push(Stream::Stdout, b"z\n");
        report.blob = Some("/s/run-1.out".into());
        let chunks = [(Stream::Stdout, "a\n", 0), (Stream::Stdout, "z\n", 7)];
        let (out, err) = shown(false, &chunks, &report);
        assert_eq!(out, "a\nz\n");
        assert_eq!(err, format!("{}\n{}\n", saving::left_out(7), saving::output_in("/s/run-1.out", true)));
    }

    #[test]
    fn the_end_of_a_stream_is_shown_although_nothing_came_behind_its_last_gap() {
        let mut report = RunReport::bare(Outcome::Ok);
        report.output.push(Stream::Stdout, b"a\nb\n");
        report.output.skip(Stream::Stdout, 7);
        report.output.push(Stream::Stdout, b"y\nz\n");
        // Where the last gap begins in what the report has.
        let in_gap: &[_] = &[(Stream::Stdout, "a\nb\n", 0), (Stream::Stdout, "", 11)];
        let in_head: &[_] = &[(Stream::Stdout, "a\n", 0), (Stream::Stdout, "", 13)];
        let in_tail: &[_] =
            &[(Stream::Stdout, "a\nb\n", 0), (Stream::Stdout, "y\n", 7), (Stream::Stdout, "", 2)];
        let in_nothing: &[_] = &[(Stream::Stdout, "a\nb\n", 0), (Stream::Stdout, "y\nz\n", 7)];
        for is_seen in [false, true] {
            for chunks in [in_gap, in_head, in_tail, in_nothing] {
                let (out, err) = shown(is_seen, chunks, &report);
                assert_eq!(out, "a\nb\ny\nz\n", "{chunks:?} {is_seen}");
                assert_eq!(err, format!("{}\n", saving::left_out(7)), "{chunks:?} {is_seen}");
            }
        }
    }

    #[test]
    fn own_words_begin_a_line() {
        let report = |value: Option<&str>, outcome| RunReport {
            value: value.map(str::to_owned),
            ..RunReport::bare(outcome)
        };
        let printed = |text| [(Stream::Stdout, text, 0)];
        let valued = report(Some("42"), Outcome::Ok);
        let plain = report(None, Outcome::Ok);
        for (text, is_seen, report, out) in [
            ("abc", false, &valued, "abc\n42\n"),
            ("abc\n", false, &valued, "abc\n42\n"),
            ("", false, &valued, "42\n"),
            // Where nothing of sayso's follows, a pipe gets exactly what the program printed.
            ("abc", false, &plain, "abc"),
            ("abc", true, &valued, "abc\n42\n"),
            ("abc", true, &plain, "abc\n"),
            ("abc\n", true, &plain, "abc\n"),
            ("", true, &plain, ""),
        ] {
            assert_eq!(shown(is_seen, &printed(text), report).0, out, "{text:?} {is_seen}");
        }
        let failed = report(None, Outcome::Failed);
        let own = format!("a.sh: {}\n", end_text(&failed));
        for (text, err) in [("oops", format!("oops\n{own}")), ("oops\n", format!("oops\n{own}")), ("", own)] {
            assert_eq!(shown(false, &[(Stream::Stderr, text, 0)], &failed), (String::new(), err));
        }
    }
}
