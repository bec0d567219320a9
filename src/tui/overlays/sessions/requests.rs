//! What the list asks for about the chosen session: its preview, another name, a comparison, its removal; and for what
//! was typed, a search.

use super::{Sessions, is_open_here};
use crate::driver::Job;
use crate::engine::{Command, State};
use crate::tui::overlays::ask::Ask;
use crate::tui::overlays::{OverlayContext, OverlayResponse};
use crate::tui::ui_command::UiCommand;
use crate::tui::widgets::{safe, words};

impl Sessions {
    /// Searches the typed text inside the sessions.
    pub(super) fn search(&self) -> Vec<OverlayResponse> {
        let text = self.filter.text();
        if text.trim().is_empty() || self.rename.is_some() {
            return Vec::new();
        }
        let here = self.listing.here().cloned();
        vec![OverlayResponse::job(Job::SearchSessions(text, here))]
    }

    /// Requests the preview of the chosen session, if it is missing.
    pub(super) fn preview(&self) -> Vec<OverlayResponse> {
        let Some(chosen) = self.chosen() else { return Vec::new() };
        if self.preview_of(chosen).is_some() {
            return Vec::new();
        }
        vec![OverlayResponse::job(Job::Preview(chosen.path.clone()))]
    }

    /// Gives the typed name to the chosen session.
    pub(super) fn give_name(&self, name: String, state: &State) -> Vec<OverlayResponse> {
        let Some(chosen) = self.chosen().filter(|_| !name.is_empty()) else { return Vec::new() };
        if is_open_here(chosen, state) {
            vec![OverlayResponse::send(Command::Rename(name)), OverlayResponse::job(Job::Sessions)]
        } else {
            vec![OverlayResponse::job(Job::Rename(chosen.path.clone(), name))]
        }
    }

    /// Asks whether to delete the chosen session, with the space that it takes; for an open one, says why it can't be
    /// deleted. `None` if none is chosen.
    pub(super) fn delete(&self, ctx: OverlayContext<'_>) -> Option<OverlayResponse> {
        let chosen = self.chosen().filter(|_| self.rename.is_none())?;
        let name = safe::one_line(chosen.label());
        if is_open_here(chosen, ctx.state) {
            let why = "This session is open here. Begin another one, and delete it from there.";
            return Some(OverlayResponse::info(why));
        }
        if let Some(process) = chosen.locked {
            let why = format!("{name} is open in another sayso (process {process}). Close it there first.");
            return Some(OverlayResponse::info(why));
        }
        let messages = words::count(usize::try_from(chosen.messages).unwrap_or(usize::MAX), "message");
        let blocks = words::count(chosen.blocks as usize, "block");
        let frees = match self.preview_of(chosen) {
            Some(preview) => format!("This frees {}.", words::size(preview.space)),
            None => format!("This frees {} or more.", words::size(chosen.bytes)),
        };
        let lines = vec![format!("{name}: {messages}, {blocks}."), frees];
        let delete = UiCommand::Job(Job::Delete(chosen.path.clone()));
        let ask = Ask::new("Delete this session?", lines, 'w', "keep it");
        let ask = ask.or_command('d', "delete it; it can't be brought back", delete);
        Some(OverlayResponse::Open(Box::new(ask)))
    }

    /// Compares the chosen session with the open one.
    pub(super) fn compare(&mut self, state: &State) -> Vec<OverlayResponse> {
        match self.chosen().filter(|_| self.rename.is_none() && self.comparing.is_none()) {
            Some(chosen) if is_open_here(chosen, state) => {
                let why = "This session is open here. Choose another one to compare it with.";
                vec![OverlayResponse::info(why)]
            }
            Some(chosen) => {
                let path = chosen.path.clone();
                self.comparing = Some(path.clone());
                vec![OverlayResponse::job(Job::Compare(path))]
            }
            None => Vec::new(),
        }
    }
}
