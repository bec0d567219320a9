//! Which sessions are listed: all or those of a folder, as trees of branches; by letters that they hold, in one list.
//!
//! What is shown is put together when it changes, not when it is drawn.

use crate::driver::{SessionTree, Summary, TreeSigns, search_has_filters, words_of_search};
use crate::tui::widgets::filter::rank;
use std::path::PathBuf;

#[derive(Debug, Default)]
pub(super) struct SessionListing {
    /// All sessions, newest first; `None` while they are being listed.
    all: Option<Vec<Summary>>,
    /// Only those of this folder.
    here: Option<PathBuf>,
    shown: ShownSessions,
}

/// Places among all sessions, in the order of the rows.
#[derive(Debug)]
enum ShownSessions {
    Tree(SessionTree),
    /// Those that hold what was typed, best first.
    Ranked(Vec<usize>),
}

impl Default for ShownSessions {
    fn default() -> Self {
        Self::Tree(SessionTree::default())
    }
}

impl SessionListing {
    /// Those of a folder first; they are being listed.
    pub(super) fn of(here: PathBuf) -> Self {
        Self { here: Some(here), ..Self::default() }
    }

    /// The folder whose sessions are shown alone.
    pub(super) fn here(&self) -> Option<&PathBuf> {
        self.here.as_ref()
    }

    pub(super) fn show_folder(&mut self, here: Option<PathBuf>, typed: &str) {
        self.here = here;
        self.arrange(typed);
    }

    /// The sessions were listed.
    pub(super) fn keep(&mut self, all: Vec<Summary>, typed: &str) {
        self.all = Some(all);
        self.arrange(typed);
    }

    /// All sessions, newest first; `None` while they are being listed.
    pub(super) fn all(&self) -> Option<&[Summary]> {
        self.all.as_deref()
    }

    /// Shows those that have what is typed in their names and first words.
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
            // What is left by filters alone are places.
            ShownSessions::Ranked(Vec::new())
        } else {
            ShownSessions::Tree(SessionTree::of(all, is_here))
        };
    }

    /// How many are shown.
    pub(super) fn len(&self) -> usize {
        match &self.shown {
            ShownSessions::Tree(tree) => tree.rows().len(),
            ShownSessions::Ranked(places) => places.len(),
        }
    }

    /// The session in a row.
    pub(super) fn get(&self, row: usize) -> Option<&Summary> {
        let at = match &self.shown {
            ShownSessions::Tree(tree) => tree.rows().get(row)?.at,
            ShownSessions::Ranked(places) => *places.get(row)?,
        };
        self.all.as_deref()?.get(at)
    }

    /// What is drawn in front of a session in a tree; `None`: it does not stand below the session that it left.
    pub(super) fn lead(&self, row: usize, signs: TreeSigns) -> Option<String> {
        let ShownSessions::Tree(tree) = &self.shown else { return None };
        tree.rows().get(row).filter(|row| row.is_below()).map(|row| row.lead(signs))
    }

    /// The row of the session that was written last: the tree that it stands in comes first.
    pub(super) fn newest(&self) -> usize {
        let ShownSessions::Tree(tree) = &self.shown else { return 0 };
        let newest = tree.rows().iter().enumerate().min_by_key(|(_, row)| row.at);
        newest.map_or(0, |(number, _)| number)
    }

    /// The session that a branch left, where it is still there.
    pub(super) fn origin(&self, id: &str) -> Option<&Summary> {
        self.all.iter().flatten().find(|one| one.id == id)
    }
}
