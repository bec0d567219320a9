//! Tells people what happened to blocks and recipes, as lines of text.

use super::{TurnReporter, UnfinishedLine};
use crate::domain::sentences::{links, running, sending};
use crate::domain::visible::{Visible, visible, visible_line};
use crate::domain::{BlockId, Entry, Opinion, RecipeEnd, RecipeFact, Review, RunReport, file_texts};
use crate::engine::State;
use crate::headless::run_text::{change_lines, end_text};
use crate::text::number::{counted, size};
use std::io;

impl TurnReporter<'_> {
    pub(super) fn entry_as_text(&mut self, entry: &Entry, state: &State) -> io::Result<()> {
        match entry {
            Entry::Prompt(prompt) if !prompt.files.is_empty() => {
                self.status(&visible_line(&sending::with_files(&prompt.files, size)))
            }
            Entry::Reply { .. } => self.begin_line(UnfinishedLine::None),
            Entry::Review { block, review, .. } => self.reviewed(*block, review, state),
            Entry::Recipe(fact) => self.recipe(fact),
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
            // Notices tell of calls that were refused and of blocks that are not offered.
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
        self.changes_told = true;
        if report.receipt.not_stopped {
            self.status(&format!("block {block}: {}", running::MOVING))?;
        }
        if let Some(missing) = running::output_missing(&report.receipt) {
            self.status(&format!("block {block}: {missing}"))?;
        }
        self.begin_line(UnfinishedLine::None)?;
        self.results(report)?;
        self.status(&format!("block {block}: {}", end_text(report)))?;
        self.changes_told = false;
        Ok(())
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
        n => counted(n, "finding"),
    }
}
