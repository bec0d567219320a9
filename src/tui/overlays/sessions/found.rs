//! The places where sessions contain what was typed, and the remark about that search.

use crate::driver::{FilterError, SessionHit, SessionsFound, search_filter_names, search_names_folder};
use crate::tui::widgets::{safe, words};
use std::path::PathBuf;

/// The remark if nothing matches.
const NO_MATCH: &str = "No session matches. Esc clears.";

/// The latest search result.
#[derive(Debug, Default)]
pub(super) struct FoundPlaces {
    /// The text of the search, and its result.
    answer: Option<(String, Result<SessionsFound, FilterError>)>,
}

impl FoundPlaces {
    pub(super) fn forget(&mut self) {
        self.answer = None;
    }

    /// Stores a result; if `here` is given, only the places in sessions of that folder.
    pub(super) fn keep(
        &mut self,
        typed: &str,
        mut found: Result<SessionsFound, FilterError>,
        here: Option<&PathBuf>,
    ) {
        // A folder named in the search text overrides that of the list.
        let here = here.filter(|_| !search_names_folder(typed));
        if let Ok(found) = &mut found {
            found.hits.retain(|hit| here.is_none_or(|here| hit.session.cwd == *here));
        }
        self.answer = Some((typed.to_owned(), found));
    }

    /// The places that contain what is typed now.
    pub(super) fn hits(&self, typed: &str) -> &[SessionHit] {
        self.current(typed).and_then(|found| found.as_ref().ok()).map_or(&[], |found| &found.hits)
    }

    fn current(&self, typed: &str) -> Option<&Result<SessionsFound, FilterError>> {
        self.answer.as_ref().filter(|(text, _)| text == typed).map(|(_, found)| found)
    }

    /// The remark about the search, if the rows don't show the result; `nothing`: there are no rows.
    pub(super) fn remark(&self, typed: &str, nothing: bool) -> Option<String> {
        if typed.is_empty() {
            return Some(format!("Type words, or filters: {}", search_filter_names()));
        }
        let remark = match self.current(typed) {
            None if nothing => "Looking into the sessions.".to_owned(),
            Some(Err(why)) => format!("{why}."),
            Some(Ok(SessionsFound { behind: Some(why), .. })) => {
                format!("What is new in the sessions was not looked at: {why}")
            }
            Some(Ok(found)) if found.left_out > 0 => {
                let left = words::count(found.left_out, "old session");
                format!("{left} not searched: the newer ones hold too much.")
            }
            Some(Ok(_)) if nothing => NO_MATCH.to_owned(),
            Some(Ok(found)) if found.more => "There is more: more words tell less.".to_owned(),
            _ => return None,
        };
        Some(safe::one_line(&remark))
    }
}
