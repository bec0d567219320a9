//! Compares this session with another one in lines: lists the sessions to compare with, each with a number, and
//! prints two side by side.

use super::awaited_jobs::AwaitedJob;
use super::jobs::{MAX_SESSIONS_SHOWN, chosen, origin};
use super::page::columns;
use super::session::Session;
use crate::driver::{Job, SessionComparison, Summary, comparable, own_id};
use crate::export::columns::first_lines;
use crate::tui::overlays::comparison::more_lines;
use crate::tui::widgets::words;
use std::io;

/// The most columns used.
const MAX_COLUMNS: usize = 140;

/// The most lines of a comparison that are shown.
const MAX_LINES_SHOWN: usize = 400;

impl Session<'_> {
    /// `/compare` lists the sessions to compare with; `/compare 2`, or a name, compares.
    pub(super) fn compare(&mut self, wanted: &str) {
        let wanted = (!wanted.is_empty()).then(|| wanted.to_owned());
        self.start(AwaitedJob::Comparable(wanted), Job::Sessions);
    }

    /// Handles the list of sessions: prints it, or compares with the named one.
    pub(super) fn comparable(&mut self, all: &[Summary], wanted: Option<&str>) -> io::Result<()> {
        let (listed, is_alone) = comparable(all, own_id(self.driver.state()), self.options.glyphs().tree);
        let own = own_id(self.driver.state()).to_owned();
        let sessions: Vec<&Summary> = listed.iter().map(|one| &one.session).collect();
        if let Some(wanted) = wanted {
            return match chosen(&sessions, wanted) {
                Some(session) if session.id == own => self.mode.page.line("That is this session."),
                Some(session) => {
                    self.start(AwaitedJob::Compared, Job::Compare(session.path.clone()));
                    Ok(())
                }
                None => self.mode.page.line("No session matches. /compare lists them."),
            };
        }
        if is_alone && !sessions.is_empty() {
            self.mode.page.line("It has no branches; these are the other sessions:")?;
        }
        let now = self.driver.now();
        for (number, one) in (1..).zip(listed.iter().take(MAX_SESSIONS_SHOWN)) {
            let (lead, session) = (&one.lead, &one.session);
            let (label, ago) = (session.label(), words::ago(now, session.modified));
            let origin = if is_alone {
                String::new()
            } else if session.id == own {
                ", this one".to_owned()
            } else {
                origin(session, &sessions)
            };
            self.mode.page.line(&format!("  {number}  {lead}{label}, {ago}{origin}"))?;
        }
        self.mode.page.line(if sessions.is_empty() {
            "There is no other session."
        } else {
            "/compare NUMBER or NAME puts one beside this session."
        })
    }

    /// Prints the two sessions side by side.
    pub(super) fn compared(&mut self, compared: &SessionComparison) -> io::Result<()> {
        for damage in &compared.damage {
            self.mode.page.line(&format!("Warning: {damage}"))?;
        }
        let rows = compared.comparison.rows();
        let (lines, left) = first_lines(
            rows,
            (columns().min(MAX_COLUMNS), MAX_LINES_SHOWN),
            self.options.glyphs().columns,
            str::to_owned,
        );
        for line in &lines {
            self.mode.page.code("", &line.text)?;
        }
        if left > 0 { self.mode.page.line(&more_lines(left)) } else { Ok(()) }
    }
}
