//! Determines which sessions are listed: all or those of a folder, as trees of branches; if something is typed, those
//! that match, in one list.
//!
//! The rows are computed when something changes, not when they are drawn.

use crate::driver::{SessionTree, Summary, TreeSigns, search_has_filters, words_of_search};
use crate::tui::widgets::filter::rank;
use std::path::PathBuf;

#[derive(Debug, Default)]
pub(super) struct SessionListing {
    /// All sessions, newest first; `None` while they are being listed.
    all: Option<Vec<Summary>>,
    /// Restricts the list to the sessions of this folder.
    here: Option<PathBuf>,
    shown: ShownSessions,
}

/// Indexes into all sessions, in the order of the rows.
#[derive(Debug)]
enum ShownSessions {
    Tree(SessionTree),
    /// The sessions that match what was typed, best first.
    Ranked(Vec<usize>),
}

impl Default for ShownSessions {
    fn default() -> Self {
        Self::Tree(SessionTree::default())
    }
}

impl SessionListing {
    /// The list before the sessions are known, restricted to a folder at first.
    pub(super) fn of(here: PathBuf) -> Self {
        Self { here: Some(here), ..Self::default() }
    }

    /// The folder to which the list is restricted.
    pub(super) fn here(&self) -> Option<&PathBuf> {
        self.here.as_ref()
    }

    pub(super) fn show_folder(&mut self, here: Option<PathBuf>, typed: &str) {
        self.here = here;
        self.arrange(typed);
    }

    /// Takes the list of sessions.
    pub(super) fn keep(&mut self, all: Vec<Summary>, typed: &str) {
        self.all = Some(all);
        self.arrange(typed);
    }

    /// All sessions, newest first; `None` while they are being listed.
    pub(super) fn all(&self) -> Option<&[Summary]> {
        self.all.as_deref()
    }

    /// Computes which sessions have the typed words in their names and first messages.
    pub(super) fn arrange(&mut self, typed: &str) {
        let all = self.all.as_deref().unwrap_or_default();
        let is_here = |one: &Summary| self.here.as_deref().is_none_or(|here| one.cwd == here);
        let words = words_of_search(typed);
        self.shown = if !words.trim().is_empty() {
            let here: Vec<usize> =
                all.iter().enumerate().filter(|(_, one)| is_here(one)).map(|(at, _)| at).collect();
            let text = |at: &usize| all.get(*at).map(|one| format!("{} {}", one.name, one.first_prompt));
            let texts: Vec<String> = here.iter().filter_map(text).collect();
            let ranked = rank(words.trim(), &texts);
            ShownSessions::Ranked(ranked.into_iter().filter_map(|at| here.get(at).copied()).collect())
        } else if search_has_filters(typed) {
            // Filters without words match places only.
            ShownSessions::Ranked(Vec::new())
        } else {
            ShownSessions::Tree(SessionTree::of(all, is_here))
        };
    }

    /// How many sessions are shown.
    pub(super) fn len(&self) -> usize {
        match &self.shown {
            ShownSessions::Tree(tree) => tree.rows().len(),
            ShownSessions::Ranked(places) => places.len(),
        }
    }

    pub(super) fn get(&self, row: usize) -> Option<&Summary> {
        let at = match &self.shown {
            ShownSessions::Tree(tree) => tree.rows().get(row)?.at,
            ShownSessions::Ranked(places) => *places.get(row)?,
        };
        self.all.as_deref()?.get(at)
    }

    /// The tree lines before a session; `None` if it is not below the session from which it was branched.
    pub(super) fn lead(&self, row: usize, signs: TreeSigns) -> Option<String> {
        let ShownSessions::Tree(tree) = &self.shown else { return None };
        tree.rows().get(row).filter(|row| row.is_below()).map(|row| row.lead(signs))
    }

    /// The row of the session that was written last; its tree comes first.
    pub(super) fn newest(&self) -> usize {
        let ShownSessions::Tree(tree) = &self.shown else { return 0 };
        let newest = tree.rows().iter().enumerate().min_by_key(|(_, row)| row.at);
        newest.map_or(0, |(number, _)| number)
    }

    /// The session from which a branch was made, if it still exists.
    pub(super) fn origin(&self, id: &str) -> Option<&Summary> {
        self.all.iter().flatten().find(|one| one.id == id)
    }
}
