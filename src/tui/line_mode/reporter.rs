//! Prints what happens in a session, a line each: what the model says, what programs print, what becomes of
//! blocks.

use super::page::{LinePage, OpenLine, TEXT_LEAD};
use super::reply::{self, ReplyNews, ReplyReporter};
use crate::domain::sentences::running;
use crate::domain::{
    BlockId, Chunk, Entry, Language, Level, RecipeEnd, RecipeFact, RunReport, Stream, Timestamp,
};
use crate::driver::Notification;
use crate::engine::printed_text::PrintedText;
use crate::engine::transcript::Item;
use crate::engine::{State, Transcript};
use crate::text::number::size;
use crate::tui::panes::output::end_lines;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::words;
use std::io;

/// The most output lines of a run that are printed; the session stores all of them.
const MAX_LINES_PRINTED: usize = 2_000;

/// How many items of a reopened session are printed again.
const MAX_ITEMS_SHOWN_AGAIN: usize = 4;

/// The author and the text of the message that this item is; `None`: it is no message, or its text is only in
/// the session file.
pub(super) fn message_text(transcript: &Transcript, at: usize) -> Option<(&'static str, &str)> {
    if transcript.message_away(at).is_some() {
        return None;
    }
    match transcript.items.get(at)? {
        Item::Prompt { text, .. } => Some(("You", text)),
        Item::Reply(reply) => Some(("Model", reply.text())),
        _ => None,
    }
}

/// What has been printed of things that are still in progress.
#[derive(Default)]
pub(super) struct LineReporter {
    reply: ReplyReporter,
    printed: PrintedText,
    /// How many lines of the run were printed.
    lines: usize,
    /// The beginning of the notice about the run whose end was just printed.
    ended: Option<String>,
}

impl LineReporter {
    pub(super) fn report(
        &mut self,
        notification: &Notification,
        state: &State,
        page: &mut LinePage,
        draw: DrawContext<'_>,
    ) -> io::Result<()> {
        match notification {
            Notification::Recorded(entry) => self.entry(entry, state, page, draw),
            Notification::Delta(step, _) => {
                match state.live.reply.as_ref().filter(|reply| reply.step == *step) {
                    Some(reply) => print_reply_news(self.reply.more(&reply.text, &reply.segments), page),
                    None => Ok(()),
                }
            }
            Notification::Output(_, chunk) => self.output(chunk, page, draw.now),
            Notification::Retrying { attempt, of, wait_ms, failure } => page.line(&format!(
                "{} Next try in {} s ({attempt} of {of}). Ctrl-C stops waiting.",
                failure.message,
                wait_ms.div_ceil(1000)
            )),
            // The end of the run was already printed, with all details.
            Notification::Notice(notice)
                if self.ended.take().is_some_and(|of| notice.text.starts_with(&of)) =>
            {
                Ok(())
            }
            Notification::Notice(notice) => {
                let label = if notice.level == Level::Info { "Note" } else { "Warning" };
                page.line(&format!("{label}: {}", notice.text))
            }
            Notification::Reasoning(..) | Notification::Job(_) => Ok(()),
        }
    }

    /// Prints the end of a reopened session.
    pub(super) fn print_history(state: &State, page: &mut LinePage) -> io::Result<()> {
        let items = &state.transcript.items;
        if items.is_empty() {
            return Ok(());
        }
        page.line(&format!("Session {}: {}.", state.transcript.name, words::count(items.len(), "entry")))?;
        for at in items.len().saturating_sub(MAX_ITEMS_SHOWN_AGAIN)..items.len() {
            if let Some((_, out)) = state.transcript.message_away(at) {
                let size = size(out.bytes.into());
                page.line(&format!("A message of {size} is in the session's file alone."))?;
            } else if let Some((who, text)) = message_text(&state.transcript, at) {
                page.lines_behind(&format!("{who}: "), text)?;
            }
        }
        Ok(())
    }

    fn entry(
        &mut self,
        entry: &Entry,
        state: &State,
        page: &mut LinePage,
        draw: DrawContext<'_>,
    ) -> io::Result<()> {
        match entry {
            Entry::Reply { step, text, .. } => {
                print_reply_news(self.reply.end(text, reply::blocks(*step, &state.transcript)), page)?;
                page.go_on(OpenLine::None)
            }
            Entry::Opinion { block, model, answer, .. } => page.line(&match answer {
                Ok(opinion) => {
                    let risk = opinion.risk.as_str();
                    format!("Block {block}, second opinion of {model}: risk {risk}: {}", opinion.reason)
                }
                Err(why) => format!("Block {block}, second opinion of {model}: none came: {why}"),
            }),
            Entry::Approved { block, .. } => {
                self.lines = 0;
                let item = state.transcript.blocks.get(block);
                let what = match item.filter(|item| item.block.kind.prepares()) {
                    Some(item) => format!("{}. Ctrl-C stops it.", running::activity(&item.block)),
                    None => "Running.".into(),
                };
                page.line(&format!("Block {block} approved at {}. {what}", draw.locale.second(draw.now)))
            }
            Entry::Ran { run, block, report } => {
                let ran = state.transcript.run(*run);
                let language = ran.map_or_else(Language::python, |(_, run)| run.terms.language.clone());
                self.run_ended(*block, (report, &language), page, draw)
            }
            Entry::Recipe(fact) => recipe(fact, page),
            _ => Ok(()),
        }
    }

    fn run_ended(
        &mut self,
        block: BlockId,
        (report, language): (&RunReport, &Language),
        page: &mut LinePage,
        draw: DrawContext<'_>,
    ) -> io::Result<()> {
        for stream in [Stream::Stdout, Stream::Stderr] {
            let rest = self.printed.finish(stream, Some(draw.now.since(Timestamp(0))));
            self.print(stream, &rest, page)?;
        }
        self.ended = Some(format!("Block {block} "));
        page.line(&format!(
            "Block {block}: {} {}",
            report.outcome.label(),
            words::duration(report.receipt.wall_us / 1000)
        ))?;
        for line in end_lines(report, language, draw) {
            page.line(&format!("  {line}"))?;
        }
        Ok(())
    }

    fn output(&mut self, chunk: &Chunk, page: &mut LinePage, now: Timestamp) -> io::Result<()> {
        let text = self.printed.push(chunk.stream, &chunk.bytes, Some(now.since(Timestamp(0))));
        self.print(chunk.stream, &text, page)
    }

    /// Prints a program's output up to a limit: a flood would bury everything else.
    fn print(&mut self, stream: Stream, text: &str, page: &mut LinePage) -> io::Result<()> {
        let room = MAX_LINES_PRINTED.saturating_sub(self.lines);
        if text.is_empty() || room == 0 {
            return Ok(());
        }
        let end = text.match_indices('\n').nth(room - 1).map_or(text.len(), |(at, _)| at + 1);
        let shown = text.get(..end).unwrap_or(text);
        self.lines += shown.matches('\n').count();
        let is_error = stream == Stream::Stderr;
        page.stream(OpenLine::Output(is_error), if is_error { "  ! " } else { "  | " }, shown)?;
        if self.lines >= MAX_LINES_PRINTED {
            page.line(&format!("  ({MAX_LINES_PRINTED} lines are shown; /output shows more)"))?;
        }
        Ok(())
    }
}

/// Prints news of a reply; code is printed when its block waits.
fn print_reply_news(news: Vec<ReplyNews>, page: &mut LinePage) -> io::Result<()> {
    for one in news {
        match one {
            ReplyNews::Prose(text) => {
                // Blank lines between prose and code are not printed.
                let said = if page.is_prose() { &text } else { text.trim_start_matches('\n') };
                if !said.trim().is_empty() || page.is_prose() {
                    page.stream(OpenLine::Prose, "Model: ", said)?;
                }
            }
            ReplyNews::Block(language) => page.line(&format!("Model writes a block: {language}"))?,
        }
    }
    Ok(())
}

fn recipe(fact: &RecipeFact, page: &mut LinePage) -> io::Result<()> {
    match fact {
        RecipeFact::Began(start) => page.line(&format!("Recipe {} begins.", start.name)),
        RecipeFact::Said { title, round, .. } => page.line(&format!("Step: {title}, round {round}")),
        RecipeFact::Judged(outcome) => {
            let note = if outcome.note.is_empty() { String::new() } else { format!(" ({})", outcome.note) };
            page.line(&format!("Step {}, round {}: {}{note}", outcome.step, outcome.round, outcome.verdict))
        }
        RecipeFact::Answered { .. } => Ok(()),
        RecipeFact::Ended { end, summary } => {
            page.line(match end {
                RecipeEnd::Done => "The recipe is done.",
                RecipeEnd::GaveUp => "The recipe could not go on.",
                RecipeEnd::Limit => "The recipe ended at its limit.",
                RecipeEnd::Stopped => "The recipe was stopped.",
            })?;
            page.lines_behind(TEXT_LEAD, summary.trim_end())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::transcript::PagedTranscript;

    #[test]
    fn what_is_known_in_part_is_not_told_as_the_whole() {
        let long = "a long one ".repeat(400_000);
        let prompts = ["first", &long, "second", &long, &long, "last"];
        let mut paged = PagedTranscript::default();
        paged.extend(prompts.map(|text| (Timestamp(0), Entry::Prompt(text.into()))));
        let transcript = Transcript::from(paged);
        let told: Vec<_> =
            (0..prompts.len()).map(|at| message_text(&transcript, at).map(|(_, text)| text)).collect();
        assert_eq!(told, [Some("first"), None, Some("second"), None, Some(long.as_str()), Some("last")]);
    }
}
