//! Searches all sessions: prints the matching places with numbers, and opens a session at one of them.

use super::awaited_jobs::AwaitedJob;
use super::session::Session;
use crate::driver::{FilterError, Job, SearchWords, SessionsFound};
use crate::engine::Command;
use crate::engine::transcript::LoadState;
use crate::tui::place_text::{PlaceSearch, PlaceText};
use crate::tui::setup::FoundLocation;
use crate::tui::ui_command::Exit;
use crate::tui::widgets::words;
use std::io;
use std::ops::Range;

/// How filters are written; printed when the search is empty.
const USAGE: &str =
    "/search WORDS, with folder:PATH since:30d until:2026-11-01 language:NAME outcome:failed model:NAME";

/// The most lines of a place that are shown when its session is opened there.
const MAX_LINES_SHOWN: usize = 40;

impl Session<'_> {
    /// Searches all sessions for words.
    pub(super) fn search(&mut self, text: &str) -> io::Result<()> {
        if crate::driver::words_of_search(text).trim().is_empty() && !crate::driver::search_has_filters(text)
        {
            return self.mode.page.line(USAGE);
        }
        self.hit_words = crate::driver::words_of_search(text);
        self.start(AwaitedJob::Hits, Job::SearchWithNames(text.to_owned()));
        Ok(())
    }

    /// Prints the matches, with numbers for `/resume place`.
    pub(super) fn hits(&mut self, found: &Result<SessionsFound, FilterError>) -> io::Result<()> {
        let found = match found {
            Ok(found) => found,
            Err(why) => return self.mode.page.line(&format!("{why}.")),
        };
        if let Some(why) = &found.behind {
            self.mode.page.line(&format!("What is new in the sessions was not looked at: {why}"))?;
        }
        if found.left_out > 0 {
            let left = words::count(found.left_out, "old session");
            self.mode.page.line(&format!("{left} not searched: the newer ones hold too much."))?;
        }
        self.hits.clone_from(&found.hits);
        let now = self.driver.now();
        for (number, hit) in (1..).zip(&found.hits) {
            let (of, ago) = (hit.session.label(), words::ago(now, hit.session.modified));
            self.mode.page.line(&format!("  {number}  {of}, {ago}, {}: {}", hit.place, hit.line))?;
        }
        if found.more {
            self.mode.page.line("There is more: more words tell less.")?;
        }
        self.mode.page.line(if found.hits.is_empty() {
            "No session holds that."
        } else {
            "/resume place NUMBER opens the session there."
        })
    }

    /// Opens the session at a numbered match; returns whether the argument was such a number.
    pub(super) fn open_hit(&mut self, argument: &str) -> io::Result<bool> {
        let Some(number) = argument.strip_prefix("place ").filter(|_| !self.hits.is_empty()) else {
            return Ok(false);
        };
        let at = number.trim().parse().ok().and_then(|number: usize| number.checked_sub(1));
        match at.and_then(|at| self.hits.get(at)) {
            Some(hit) => {
                let found = FoundLocation { place: hit.place, words: self.hit_words.clone() };
                let exit = Exit::OpenSession(hit.session.path.clone(), Some(found));
                self.leave(exit)?;
            }
            None => self.mode.page.line(&format!("There are the places 1 to {}.", self.hits.len()))?,
        }
        Ok(true)
    }

    /// Prints the text at the place at which the session was opened, around the matching line. A part that is
    /// only in the session file is loaded first, and printed later. Returns whether anything was printed.
    pub(super) fn print_place(&mut self) -> io::Result<bool> {
        let Some(place) = &self.place else { return Ok(false) };
        let found = PlaceText::at(self.driver.state(), place.place);
        let news = PlaceSearch::of(found.as_ref(), place);
        match found.as_ref().and_then(|found| found.unloaded) {
            Some((body, LoadState::Away)) => {
                self.driver.send(Command::Load(vec![body]));
                return Ok(false);
            }
            Some((_, LoadState::Loading)) => return Ok(false),
            Some((_, LoadState::Lost)) | None => {}
        }
        let sought = SearchWords::read(&place.words);
        self.place = None;
        if let PlaceSearch::Missing(why) = news {
            self.mode.page.line(&why)?;
            return Ok(true);
        }
        let Some(found) = found else { return Ok(true) };
        let lines: Vec<&str> = found.text.lines().collect();
        let shown = shown_around(&lines, &sought);
        let (first, last) = (shown.start + 1, shown.end);
        self.mode.page.line(&format!("Found, {}:", found.head))?;
        self.mode.page.lines_behind("  | ", &lines.get(shown).unwrap_or_default().join("\n"))?;
        if lines.len() > MAX_LINES_SHOWN {
            self.mode.page.line(&format!("  lines {first} to {last} of {}", lines.len()))?;
        }
        if found.unloaded.is_some() {
            self.mode.page.line("  The rest of it can't be read again.")?;
        }
        Ok(true)
    }
}

/// The range of lines shown: those around the match.
fn shown_around(lines: &[&str], sought: &SearchWords) -> Range<usize> {
    let found = lines.iter().position(|line| sought.first_in(line).is_some()).unwrap_or(0);
    let from = found.saturating_sub(MAX_LINES_SHOWN / 2).min(lines.len().saturating_sub(MAX_LINES_SHOWN));
    from..lines.len().min(from + MAX_LINES_SHOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_is_among_the_lines_that_are_shown() {
        let all: Vec<String> = (0..500).map(|number| format!("line {number}.")).collect();
        let lines: Vec<&str> = all.iter().map(String::as_str).collect();
        for (sought, shown) in
            [("\"line 3\"", 0..40), ("250", 230..270), ("499 none", 460..500), ("none", 0..40), ("", 0..40)]
        {
            assert_eq!(shown_around(&lines, &SearchWords::read(sought)), shown, "{sought}");
        }
        let sought = SearchWords::read("one");
        assert_eq!(shown_around(&["one"], &sought), 0..1);
        assert_eq!(shown_around(&[], &sought), 0..0);
    }
}
