//! Searching all sessions in lines: the places that hold what was typed, each with a number, and opening one there.

use super::session::{AwaitedJob, Session};
use crate::driver::{FilterError, Job, PlaceKind, SessionPlace, SessionsFound};
use crate::engine::State;
use crate::engine::transcript::{BlockItem, Item};
use crate::tui::ui_command::Exit;
use crate::tui::widgets::words;
use std::io;

/// How filters are written, where nothing is looked for.
const USAGE: &str =
    "/search WORDS, with folder:PATH since:30d until:2026-11-01 language:NAME outcome:failed model:NAME";

/// Lines of a place that are shown when its session is opened there.
const SHOWN: usize = 40;

impl Session<'_> {
    /// Looks for words in all sessions.
    pub(super) fn search(&mut self, text: &str) -> io::Result<()> {
        if crate::driver::words_of_search(text).trim().is_empty() {
            return self.plain.page.line(USAGE);
        }
        self.start(AwaitedJob::Hits, Job::SearchSessions(text.to_owned(), None));
        Ok(())
    }

    /// Tells what was found, with numbers for `/resume place`.
    pub(super) fn hits(&mut self, found: &Result<SessionsFound, FilterError>) -> io::Result<()> {
        let found = match found {
            Ok(found) => found,
            Err(why) => return self.plain.page.line(&format!("{why}.")),
        };
        if let Some(why) = &found.behind {
            self.plain.page.line(&format!("What is new in the sessions was not looked at: {why}"))?;
        }
        if found.left_out > 0 {
            let left = words::count(found.left_out, "old session");
            self.plain.page.line(&format!("{left} not searched: the newer ones hold too much."))?;
        }
        self.hits.clone_from(&found.hits);
        let now = self.driver.now();
        for (number, hit) in (1..).zip(&found.hits) {
            let (of, ago) = (hit.session.label(), words::ago(now, hit.session.modified));
            self.plain.page.line(&format!("  {number}  {of}, {ago}, {}: {}", hit.place, hit.line))?;
        }
        if found.more {
            self.plain.page.line("There is more: more words tell less.")?;
        }
        self.plain.page.line(if found.hits.is_empty() {
            "No session holds that."
        } else {
            "/resume place NUMBER opens the session there."
        })
    }

    /// Opens the session of a place that was told; whether one was asked for.
    pub(super) fn open_hit(&mut self, argument: &str) -> io::Result<bool> {
        let Some(number) = argument.strip_prefix("place ").filter(|_| !self.hits.is_empty()) else {
            return Ok(false);
        };
        let at = number.trim().parse().ok().and_then(|number: usize| number.checked_sub(1));
        match at.and_then(|at| self.hits.get(at)) {
            Some(hit) => {
                let exit = Exit::OpenSession(hit.session.path.clone(), Some(hit.place));
                self.leave(exit)?;
            }
            None => self.plain.page.line(&format!("There are the places 1 to {}.", self.hits.len()))?,
        }
        Ok(true)
    }

    /// What stands at the place that the session was opened at.
    pub(super) fn tell_place(&mut self) -> io::Result<()> {
        let Some(place) = self.options.setup.place else { return Ok(()) };
        let Some((head, text)) = text_at(self.driver.state(), place) else {
            return self.plain.page.line("The place that was found is not in this session any more.");
        };
        let lines = text.lines().count();
        let shown: Vec<&str> = text.lines().take(SHOWN).collect();
        self.plain.page.line(&format!("Found, {head}:"))?;
        self.plain.page.behind("  | ", &shown.join("\n"))?;
        if lines > SHOWN {
            self.plain.page.line(&format!("  {} in all", words::count(lines, "line")))?;
        }
        Ok(())
    }
}

/// What stands at a place, and what it is.
fn text_at(state: &State, place: SessionPlace) -> Option<(String, String)> {
    if let Some(item) = place.block.and_then(|block| state.transcript.blocks.get(&block)) {
        let text = match place.kind {
            PlaceKind::Output => printed(item),
            _ => item.block.current().source.to_string(),
        };
        return Some((place.to_string(), text));
    }
    let mut messages = state.transcript.items.iter().filter_map(|item| match item {
        Item::Prompt { text, .. } => Some(text.clone()),
        Item::Reply(reply) => Some(reply.text.clone()),
        _ => None,
    });
    let before = usize::try_from(place.message).ok()?.checked_sub(1)?;
    Some((format!("message {}, a {place}", place.message), messages.nth(before)?))
}

/// What the last run of a block printed, with its value or error.
fn printed(item: &BlockItem) -> String {
    let Some((_, report)) = item.runs.last().and_then(|run| run.ended.as_ref()) else { return String::new() };
    let mut text: String =
        report.output.pieces().map(|piece| String::from_utf8_lossy(&piece.bytes).into_owned()).collect();
    let error = report.error.as_ref().map(|error| &error.traceback);
    for more in report.value.iter().chain(error) {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(more);
    }
    text
}
