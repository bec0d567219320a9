//! The slash commands that start a program of the person: the pager for all output, the editor for the message.

use super::super::session::Session;
use crate::engine::Command;
use crate::engine::transcript::{Body, LoadState, RunItem};
use crate::tui::outside;
use crate::tui::ui_command::PagerText;
use std::io;

impl Session<'_> {
    /// Shows all output kept of the last run in the person's pager.
    pub(super) fn page_output(&mut self) -> io::Result<()> {
        let blocks = self.driver.state().transcript.blocks.values();
        let runs = blocks.filter_map(|item| item.runs.last()).filter(|run| run.ended.is_some());
        let Some(run) = runs.max_by_key(|run| run.ended.as_ref().map(|(at, _)| *at)) else {
            return self.print_line("Nothing has run yet.");
        };
        let what = match kept_output(run) {
            Ok(what) => what,
            Err(LoadState::Lost) => return self.print_line("Its output can't be read again."),
            Err(_) => {
                self.driver.send(Command::Load(vec![Body::Output(run.run)]));
                return self.print_line("Its output is being read from the session's file: try again.");
            }
        };
        let options = self.options;
        let page = || outside::page(&options.pager, &what, &options.launcher);
        match self.mode.signals.while_outside(page) {
            Ok(()) => Ok(()),
            Err(why) => self.print_line(&why.to_string()),
        }
    }

    /// Opens the message in the person's editor; the result is kept, and Enter sends it.
    pub(super) fn edit_message(&mut self) -> io::Result<()> {
        let text = self.take_kept();
        let options = self.options;
        let edit = || outside::edit(&options.editor, &text, "md", &options.launcher);
        match self.mode.signals.while_outside(edit) {
            Ok(text) => self.keep(&text),
            Err(why) => {
                self.keep(&text);
                self.print_line(&why.to_string())?;
            }
        }
        Ok(())
    }
}

/// The output kept of a run; `Err`: it is only in the session file, with its loading state.
fn kept_output(run: &RunItem) -> Result<PagerText, LoadState> {
    let report = run.ended.as_ref().map(|(_, report)| report);
    match (report.and_then(|report| report.blob.clone()), run.unloaded_output()) {
        (Some(path), _) => Ok(PagerText::File(path)),
        (None, Some((_, away))) => Err(away.load),
        (None, None) => {
            let printed = report.map(|report| report.output.in_order()).unwrap_or_default();
            Ok(PagerText::Text(String::from_utf8_lossy(&printed).into_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Entry, Outcome, OutputBuffer, RunId, Stream};
    use crate::engine::Transcript;
    use crate::engine::dialogue::Dialogue;
    use crate::engine::transcript::PagedTranscript;

    /// With raised limits the last output may be so long that it is only in the session file.
    #[test]
    fn an_output_that_is_kept_in_part_is_not_paged_as_all_of_it() {
        let mut d = Dialogue::after_reply("```python\nprint(1)\n```\n");
        d.runs(1, 1, Outcome::Ok);
        d.reply("Done.");
        d.user("thanks");
        let mut entries = d.entries().to_vec();
        for (_, entry) in &mut entries {
            if let Entry::Ran { report, .. } = entry {
                report.output = OutputBuffer::new(8 << 20);
                report.output.push(Stream::Stdout, "x\n".repeat(3 << 20).as_bytes());
            }
        }
        let ran = entries.iter().position(|(_, entry)| matches!(entry, Entry::Ran { .. })).unwrap();
        let mut paged = PagedTranscript::default();
        paged.extend(entries.iter().cloned());
        let mut transcript = Transcript::from(paged);
        let kept = |transcript: &Transcript| kept_output(transcript.run(RunId(1)).unwrap().1);
        assert!(matches!(kept(&transcript), Err(LoadState::Away)));
        transcript.page_in(Body::Output(RunId(1)), entries[ran].1.clone()).unwrap();
        assert!(matches!(kept(&transcript), Ok(PagerText::Text(text)) if text.len() == 6 << 20));
    }
}
