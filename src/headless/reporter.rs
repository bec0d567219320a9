//! Reports the progress of a turn: as JSON lines, or as text for people that a hostile program can't forge.
//!
//! As text, standard output gets the conversation: replies as they stream, and the output of programs behind a gutter,
//! with which no other line begins. What happens to blocks goes to standard error.

mod entry_lines;

use super::{Ending, TurnObserver, change_lines, events, form, json, shapes};
use crate::domain::sentences::{running, saving};
use crate::domain::visible::{Visible, visible, visible_line};
use crate::domain::{AnswerError, BlockId, Entry, Form, Level, RunId, RunReport, Stream, Timestamp};
use crate::driver::Notification;
use crate::engine::State;
use crate::engine::activity::Activity;
use crate::engine::notices::tells_phase;
use crate::engine::printed_text::PrintedText;
use std::io::{self, Write};
use std::time::Instant;

/// Where a turn is reported.
pub(super) struct TurnReporter<'a> {
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    json: bool,
    printed: PrintedText,
    began: Instant,
    /// What the unfinished line of standard output belongs to.
    line: UnfinishedLine,
    /// How many texts were printed.
    printed_count: usize,
    /// How many bytes of the output of the current run were left out, as they came faster than they could be passed on.
    skipped: u64,
    /// Whether a report of the end of a run broke off after it told what the run changed.
    changes_told: bool,
}

/// What an unfinished line belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UnfinishedLine {
    None,
    Reply,
    Output(Stream),
}

impl<'a> TurnReporter<'a> {
    pub(super) fn new(out: &'a mut dyn Write, err: &'a mut dyn Write, json: bool) -> Self {
        let (printed, began) = (PrintedText::default(), Instant::now());
        let line = UnfinishedLine::None;
        Self { out, err, json, printed, began, line, printed_count: 0, skipped: 0, changes_told: false }
    }
}

impl TurnObserver for TurnReporter<'_> {
    fn notify(&mut self, told: &Notification, state: &State) -> io::Result<()> {
        match told {
            Notification::Recorded(entry) => self.entry(entry, state),
            Notification::Delta(step, text) if self.json => {
                json::write_line(self.out, &events::delta(*step, text))
            }
            Notification::Delta(_, text) => {
                self.begin_line(UnfinishedLine::Reply)?;
                self.text(text)
            }
            Notification::Reasoning(step, text) if self.json => {
                json::write_line(self.out, &events::reasoning(*step, text))
            }
            Notification::Output(run, chunk) => {
                self.skipped = self.skipped.saturating_add(chunk.skipped);
                let now = self.line_time();
                let text = self.printed.push(chunk.stream, &chunk.bytes, now);
                self.output(*run, chunk.stream, &text, chunk.skipped)
            }
            Notification::Retrying { attempt, of, wait_ms, failure } => {
                let seconds = wait_ms.div_ceil(1000);
                let what = visible_line(&failure.message);
                self.status(&format!("{what} Next try in {seconds} s ({attempt} of {of})."))
            }
            Notification::Notice(notice) if tells_phase(notice, state.phase()) => Ok(()),
            Notification::Notice(notice) if notice.level != Level::Info => {
                self.status(&visible_line(notice.headless_text()))
            }
            Notification::Reasoning(..) | Notification::Notice(_) | Notification::Job(_) => Ok(()),
        }
    }

    fn printed_count(&self) -> usize {
        self.printed_count
    }

    fn changes(&mut self, block: BlockId, report: &RunReport, _: &State) -> io::Result<()> {
        if std::mem::take(&mut self.changes_told) {
            return Ok(());
        }
        for line in change_lines(report) {
            writeln!(self.err, "block {block} {line}")?;
        }
        self.err.flush()
    }

    fn progress(&mut self, going_on: &Activity, now: Timestamp) -> io::Result<()> {
        // Readers of JSON need no reminders.
        if self.json {
            return Ok(());
        }
        self.status(&running::still(&going_on.what, &going_on.time(now)))
    }

    fn form(&mut self, form: &Form, misfits: &[AnswerError]) -> io::Result<()> {
        if self.json {
            return json::write_line(self.out, &form::event(form, misfits));
        }
        self.status(&visible_line(&form.title))?;
        if !form.note.is_empty() {
            self.status(&format!("  {}", visible_line(&form.note)))?;
        }
        for field in &form.fields {
            self.status(&format!("  --input {}", visible_line(&form::field_line(field))))?;
        }
        for misfit in misfits {
            self.status(&format!(
                "  {} does not fit: {}",
                visible_line(&misfit.field),
                visible_line(&misfit.why)
            ))?;
        }
        Ok(())
    }

    fn wants_saved(&self) -> bool {
        self.json
    }

    fn unasked(&mut self, name: &str) -> io::Result<()> {
        self.status(&format!("note: --input {} answered no question of the recipe", visible_line(name)))
    }

    fn finish(&mut self, ending: &Ending, state: &State, hint: &str) -> io::Result<()> {
        self.begin_line(UnfinishedLine::None)?;
        if self.json { json::write_line(self.out, &ending.event(state, hint)) } else { self.out.flush() }
    }
}

impl TurnReporter<'_> {
    fn entry(&mut self, entry: &Entry, state: &State) -> io::Result<()> {
        if let Entry::Ran { run, .. } = entry {
            for stream in [Stream::Stdout, Stream::Stderr] {
                let now = self.line_time();
                let rest = self.printed.finish(stream, now);
                self.output(*run, stream, &rest, 0)?;
            }
            let skipped = std::mem::take(&mut self.skipped);
            if skipped > 0 && !self.json {
                self.status(&saving::left_out(skipped))?;
            }
        }
        if self.json { self.entry_as_json(entry, state) } else { self.entry_as_text(entry, state) }
    }

    fn entry_as_json(&mut self, entry: &Entry, state: &State) -> io::Result<()> {
        // The end of the turn is reported as the last line, with its answer.
        match events::entry(entry) {
            Some(mut event) if !matches!(entry, Entry::TurnEnd(_)) => {
                if let Entry::Review { block, .. } = entry {
                    event = shapes::with(event, events::of_inspection(state.inspected(*block)));
                }
                json::write_line(self.out, &event)
            }
            _ => Ok(()),
        }
    }

    /// Reports a piece of output. In JSON, one without text tells of bytes that were left out at the end.
    fn output(&mut self, run: RunId, stream: Stream, text: &str, skipped: u64) -> io::Result<()> {
        if text.is_empty() && (skipped == 0 || !self.json) {
            return Ok(());
        }
        self.printed_count += 1;
        if self.json {
            let name = if stream == Stream::Stdout { "stdout" } else { "stderr" };
            return json::write_line(self.out, &events::output(run, name, text, skipped));
        }
        let lead = if stream == Stream::Stdout { "  | " } else { "  ! " };
        for line in visible(text).split_inclusive('\n') {
            if self.line != UnfinishedLine::Output(stream) {
                self.begin_line(UnfinishedLine::Output(stream))?;
                write!(self.out, "{lead}")?;
            }
            write!(self.out, "{line}")?;
            if line.ends_with('\n') {
                self.line = UnfinishedLine::None;
            }
        }
        self.out.flush()
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        self.printed_count += 1;
        write!(self.out, "{}", Visible(text))?;
        if text.ends_with('\n') {
            self.line = UnfinishedLine::None;
        }
        self.out.flush()
    }

    /// Ends the unfinished line, unless the next text continues it.
    fn begin_line(&mut self, next: UnfinishedLine) -> io::Result<()> {
        if self.line != UnfinishedLine::None && self.line != next {
            writeln!(self.out)?;
        }
        self.line = next;
        Ok(())
    }

    fn status(&mut self, text: &str) -> io::Result<()> {
        self.printed_count += 1;
        if !self.json {
            self.begin_line(UnfinishedLine::None)?;
            self.out.flush()?;
        }
        writeln!(self.err, "{text}")?;
        self.err.flush()
    }

    /// The time that decides when overwritten lines are printed; `None` for JSON, which gets the raw output.
    fn line_time(&self) -> Option<u64> {
        (!self.json).then(|| u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Chunk, Notice, Outcome, RecipeEnd, RecipeFact, StepId};
    use serde_json::{Value, json};

    #[test]
    fn what_came_too_fast_is_told_once_behind_its_run() {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut reporter = TurnReporter::new(&mut out, &mut err, false);
        for (bytes, skipped) in [(&b"a\n"[..], 0), (b"b\n", 7), (b"c\n", 5)] {
            let chunk = Chunk { stream: Stream::Stdout, bytes: bytes.to_vec(), skipped };
            reporter.notify(&Notification::Output(RunId(1), chunk), &State::default()).unwrap();
        }
        for _ in 0..2 {
            let report = Box::new(RunReport::bare(Outcome::Ok));
            let ran =
                Notification::Recorded(Box::new(Entry::Ran { run: RunId(1), block: BlockId(1), report }));
            reporter.notify(&ran, &State::default()).unwrap();
        }
        let err = String::from_utf8(err).unwrap();
        assert_eq!(err.matches(&saving::left_out(12)).count(), 1, "{err}");
        assert_eq!(err.matches("left out").count(), 1, "{err}");
    }

    #[test]
    fn json_tells_where_output_was_left_out() {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut reporter = TurnReporter::new(&mut out, &mut err, true);
        for (bytes, skipped) in [(&b"a\n"[..], 0), (b"b\n", 7), (b"", 0), (b"", 5)] {
            let chunk = Chunk { stream: Stream::Stdout, bytes: bytes.to_vec(), skipped };
            reporter.notify(&Notification::Output(RunId(1), chunk), &State::default()).unwrap();
        }
        let out = String::from_utf8(out).unwrap();
        let events = out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let told: Vec<_> = events.map(|event| (event["text"].clone(), event["skipped"].clone())).collect();
        assert_eq!(told, [(json!("a\n"), Value::Null), (json!("b\n"), json!(7)), (json!(""), json!(5))]);
        assert!(err.is_empty());
    }

    #[test]
    fn only_what_prints_something_is_counted() {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut reporter = TurnReporter::new(&mut out, &mut err, false);
        let recorded = |entry| Notification::Recorded(Box::new(entry));
        for (told, count) in [
            (Notification::Notice(Notice::info("Queued.")), 0),
            (Notification::Reasoning(StepId(1), "So".into()), 0),
            (recorded(Entry::Resumed), 0),
            (Notification::Notice(Notice::warn("Cut.")), 1),
            (Notification::Delta(StepId(1), "Yes".into()), 2),
            (recorded(Entry::Recipe(RecipeFact::Ended { end: RecipeEnd::Done, summary: String::new() })), 3),
        ] {
            reporter.notify(&told, &State::default()).unwrap();
            assert_eq!(reporter.printed_count(), count, "{told:?}");
        }
    }
}
