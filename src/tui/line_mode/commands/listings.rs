//! The slash commands that only print what there is: commands, the state of the session, blocks, variables, lines of the
//! conversation.

use super::super::reporter::message_text;
use super::super::session::Session;
use crate::tui::overlays::status;
use crate::tui::slash::{COMMANDS, Slash};
use crate::tui::widgets::words;
use std::io;

/// The most lines of a search that are shown.
const MAX_LINES_SHOWN: usize = 40;

impl Session<'_> {
    pub(super) fn help(&mut self) -> io::Result<()> {
        self.print_line("A line is a message to the model; one that ends with \\ goes on in the next.")?;
        self.print_line(
            "While a block waits, a whole word decides: approve, edit, reject, skip, always; diff, show and \
             opinion tell more. Ctrl-C stops what goes on; twice, it leaves. Ctrl-D leaves.",
        )?;
        for command in
            COMMANDS.iter().filter(|c| !matches!(c.slash, Slash::Copy | Slash::Theme | Slash::Keys))
        {
            let takes = if command.takes.is_empty() { String::new() } else { format!(" {}", command.takes) };
            self.print_line(&format!("  /{}{takes}: {}", command.name, command.does))?;
        }
        self.print_line(
            "  /edit: write the message in your editor   /output: all output of the last run, in your pager",
        )
    }

    /// Prints the status of the session, with what it costs.
    pub(super) fn status(&mut self) -> io::Result<()> {
        let lines = status::lines(self.driver.state(), &self.options.setup, self.draw());
        for (label, text) in lines {
            self.print_line(&format!("{label}: {text}"))?;
        }
        Ok(())
    }

    pub(super) fn steps(&mut self) -> io::Result<()> {
        let draw = self.draw();
        for item in self.driver.state().transcript.blocks.values() {
            let ran = item.runs.last().and_then(|run| run.ended.as_ref());
            let end = match ran {
                Some((at, report)) => {
                    let took = words::duration(report.receipt.wall_us / 1000);
                    format!("{} {took} at {}", report.outcome.label(), draw.locale.second(*at))
                }
                None => self.driver.state().block_state(item).to_string(),
            };
            self.mode.page.line(&format!("  block {} {}: {end}", item.block.id, item.block.label()))?;
        }
        Ok(())
    }

    pub(super) fn vars(&mut self) -> io::Result<()> {
        let lines: Vec<String> = self
            .driver
            .state()
            .variables()
            .map(|v| [&v.name, &v.kind, &v.size, &v.value].map(String::as_str).join("  "))
            .collect();
        if lines.is_empty() {
            return self.print_line("No variables yet.");
        }
        lines.iter().try_for_each(|line| self.mode.page.line(&format!("  {line}")))
    }

    /// Prints the lines of the conversation that contain a text.
    pub(super) fn find(&mut self, text: &str) -> io::Result<()> {
        let needle = text.to_lowercase();
        let mut found = Vec::new();
        let transcript = &self.driver.state().transcript;
        for (who, words) in (0..transcript.items.len()).filter_map(|at| message_text(transcript, at)) {
            let lines = words.lines().filter(|line| line.to_lowercase().contains(&needle));
            found.extend(lines.map(|line| format!("  {who}: {line}")));
        }
        if transcript.paged_out(0).next().is_some() {
            self.print_line("Messages far back are not in memory and were not looked through: sayso sessions search finds in them.")?;
        }
        if needle.is_empty() || found.is_empty() {
            return self.print_line(&format!("No matches for {text}."));
        }
        let more = found.len().saturating_sub(MAX_LINES_SHOWN);
        for line in found.iter().take(MAX_LINES_SHOWN) {
            self.print_line(line)?;
        }
        if more > 0 { self.print_line(&format!("  and {more} more")) } else { Ok(()) }
    }
}
