//! Reports the progress of a turn: as JSON lines, or as text for people that a hostile program can't forge.
//!
//! As text, standard output gets the conversation: replies as they stream, and the output of programs behind a gutter,
//! with which no other line begins. What happens to blocks goes to standard error.

use super::{Ending, TurnObserver, events, form, json, shapes};
use crate::domain::sentences::{links, running, sending};
use crate::domain::visible::{Visible, visible, visible_line};
use crate::domain::{
    AnswerError, BlockId, Entry, FileChange, Form, Level, Opinion, RecipeEnd, RecipeFact, Review, RunId,
    RunReport, Stream, Timestamp, file_texts,
};
use crate::driver::Notification;
use crate::engine::State;
use crate::engine::activity::Activity;
use crate::engine::printed_text::PrintedText;
use crate::text::number::{duration, size};
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
        Self { out, err, json, printed, began, line: UnfinishedLine::None, printed_count: 0 }
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
                let now = self.line_time();
                let text = self.printed.push(chunk.stream, &chunk.bytes, now);
                self.output(*run, chunk.stream, &text)
            }
            Notification::Retrying { attempt, of, wait_ms, failure } => {
                let seconds = wait_ms.div_ceil(1000);
                let what = visible_line(&failure.message);
                self.status(&format!("{what} Next try in {seconds} s ({attempt} of {of})."))
            }
            Notification::Notice(notice) if notice.level != Level::Info => {
                self.status(&visible_line(&notice.text))
            }
            Notification::Reasoning(..) | Notification::Notice(_) | Notification::Job(_) => Ok(()),
        }
    }

    fn printed_count(&self) -> usize {
        self.printed_count
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
                self.output(*run, stream, &rest)?;
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

    fn entry_as_text(&mut self, entry: &Entry, state: &State) -> io::Result<()> {
        match entry {
            Entry::Prompt(prompt) if !prompt.files.is_empty() => {
                self.status(&visible_line(&sending::with_files(&prompt.files, size)))
            }
            Entry::Reply { .. } => self.begin_line(UnfinishedLine::None),
            Entry::Review { block, review, .. } => self.reviewed(*block, review, state),
            Entry::CallRefused { why, .. } => {
                self.status(&format!("a tool call came to no block: {}", visible_line(why)))
            }
            Entry::Recipe(fact) => self.recipe(fact),
            Entry::Declined { block, why, .. } => {
                self.status(&format!("block {block} is not offered: {}", visible_line(why)))
            }
            Entry::Block(block) if block.origin.note.is_some() => {
                let note = block.origin.note.as_deref().unwrap_or_default();
                self.status(&format!("block {}: {}", block.id, visible_line(note)))
            }
            Entry::Opinion { block, model, answer, .. } => {
                let (model, said) = (visible_line(&model.to_string()), opinion_text(answer));
                self.status(&format!("block {block}, second opinion of {model}: {said}"))
            }
            Entry::Approved { block, .. } => self.status(&format!("block {block} runs, by --approve")),
            Entry::Ran { block, report, .. } => self.ran(*block, report),
            _ => Ok(()),
        }
    }

    fn reviewed(&mut self, block: BlockId, review: &Review, state: &State) -> io::Result<()> {
        let item = state.transcript.blocks.get(&block);
        let language = visible_line(&item.map_or_else(String::new, |item| item.block.label()));
        self.status(&format!(
            "block {block} ({language}) was checked: {}",
            finding_count(review.findings.len())
        ))?;
        let files = item.map(|item| item.block.files()).unwrap_or_default();
        for finding in &review.findings {
            let severity = finding.severity.as_str().to_uppercase();
            let message = visible_line(&finding.message);
            let place = file_texts::place(&files, finding.place.line);
            self.status(&format!("  {}: {severity} {message}", visible_line(&place)))?;
        }
        for line in state.inspected(block).map_or(&[][..], |inspected| &inspected.refused) {
            self.status(&format!("  {}", visible_line(line)))?;
        }
        if let Some(line) = state.inspected(block).and_then(|inspected| links::in_rights(inspected.links)) {
            self.status(&format!("  {line}"))?;
        }
        Ok(())
    }

    fn recipe(&mut self, fact: &RecipeFact) -> io::Result<()> {
        match fact {
            RecipeFact::Began(start) => self.status(&format!("recipe {}", visible_line(&start.name))),
            RecipeFact::Said { title, round, .. } => {
                self.status(&format!("step: {}, round {round}", visible_line(title)))
            }
            RecipeFact::Judged(outcome) => {
                let (step, verdict) = (visible_line(&outcome.step), visible_line(&outcome.verdict));
                let note = visible_line(&outcome.note);
                let note = if note.is_empty() { note } else { format!(" ({note})") };
                self.status(&format!("  {step}, round {}: {verdict}{note}", outcome.round))
            }
            RecipeFact::Answered { form, answers } => {
                let told: Vec<String> =
                    answers.iter().map(|(name, text)| visible_line(&format!("{name}={text}"))).collect();
                self.status(&format!("answered {}: {}", visible_line(form), told.join(", ")))
            }
            RecipeFact::Ended { end, summary } => {
                let how = match end {
                    RecipeEnd::Done => "is done",
                    RecipeEnd::GaveUp => "could not go on",
                    RecipeEnd::Limit => "ended at its limit",
                    RecipeEnd::Stopped => "was stopped",
                };
                self.status(&format!("the recipe {how}"))?;
                self.begin_line(UnfinishedLine::None)?;
                if !summary.is_empty() {
                    writeln!(self.out, "{}", Visible(summary.trim_end()))?;
                }
                self.out.flush()
            }
        }
    }

    /// The end of a run: its changes first, then its value or error, then how it ended.
    fn ran(&mut self, block: BlockId, report: &RunReport) -> io::Result<()> {
        for line in change_lines(report) {
            self.status(&format!("block {block} {line}"))?;
        }
        if report.receipt.not_stopped {
            self.status(&format!("block {block}: {}", running::MOVING))?;
        }
        if let Some(missing) = running::output_missing(&report.receipt) {
            self.status(&format!("block {block}: {missing}"))?;
        }
        self.begin_line(UnfinishedLine::None)?;
        self.results(report)?;
        self.status(&format!("block {block}: {}", end_text(report)))
    }

    fn results(&mut self, report: &RunReport) -> io::Result<()> {
        if let Some(value) = &report.value {
            self.gutter("  = ", value)?;
        }
        if let Some(error) = &report.error {
            self.gutter("  ! ", &error.traceback)?;
        }
        for image in report.all_images() {
            let path = visible_line(&image.path.to_string_lossy());
            self.status(&format!("image {path} ({}x{})", image.width, image.height))?;
        }
        Ok(())
    }

    fn gutter(&mut self, lead: &str, text: &str) -> io::Result<()> {
        self.printed_count += 1;
        for line in visible(text).lines() {
            writeln!(self.out, "{lead}{line}")?;
        }
        self.out.flush()
    }

    fn output(&mut self, run: RunId, stream: Stream, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.printed_count += 1;
        if self.json {
            let name = if stream == Stream::Stdout { "stdout" } else { "stderr" };
            return json::write_line(self.out, &events::output(run, name, text));
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

/// The changes of a run to names that programs obey by themselves, one line each: `created .envrc: what a shell reads
/// when it starts`.
pub(crate) fn change_lines(report: &RunReport) -> Vec<String> {
    let line = |file: &FileChange| {
        let name = file.obeyed().or_else(|| file.run_by_tools())?;
        Some(format!("{} {}: {}", file.change, visible_line(&file.path), name.what))
    };
    let unknown = report.receipt.not_looked_at.unknown_names();
    let unknown = unknown.into_iter().map(|told| format!("was not looked at for {told}"));
    report.receipt.files.iter().filter_map(line).chain(unknown).collect()
}

/// How a run ended, on one line: `failed, exit 1, 0.4 s`.
pub(crate) fn end_text(report: &RunReport) -> String {
    let mut parts = report.end_words();
    parts.push(duration(report.receipt.wall_us / 1000));
    parts.join(", ")
}

/// A second opinion, or why there is none.
fn opinion_text(answer: &Result<Opinion, String>) -> String {
    match answer {
        Ok(opinion) => format!("risk {}: {}", opinion.risk.as_str(), visible_line(&opinion.reason)),
        Err(why) => format!("none came: {}", visible_line(why)),
    }
}

fn finding_count(findings: usize) -> String {
    match findings {
        0 => "no findings".into(),
        n => crate::text::number::counted(n, "finding"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Notice, StepId};

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
