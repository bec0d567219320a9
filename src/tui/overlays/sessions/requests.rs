//! What the list asks for about the chosen session: its preview, another name, a comparison, its removal; and for what
//! was typed, a search.

use super::{Sessions, is_open_here, removal};
use crate::driver::Job;
use crate::engine::{Command, State};
use crate::tui::overlays::{OverlayContext, OverlayResponse};
use crate::tui::ui_command::UiCommand;
use crate::tui::widgets::field::Field;

impl Sessions {
    /// Searches the typed text inside the sessions.
    pub(super) fn search(&self) -> Vec<OverlayResponse> {
        let text = self.filter.text();
        if text.trim().is_empty() || self.rename.is_some() {
            return Vec::new();
        }
        let here = self.listing.here().cloned();
        vec![OverlayResponse::UiCommand(UiCommand::Job(Job::SearchSessions(text, here)))]
    }

    /// Requests the preview of the chosen session, if it is missing.
    pub(super) fn preview(&self) -> Vec<OverlayResponse> {
        let Some(chosen) = self.chosen() else { return Vec::new() };
        if self.preview_of(chosen).is_some() {
            return Vec::new();
        }
        vec![OverlayResponse::UiCommand(UiCommand::Job(Job::Preview(chosen.path.clone())))]
    }

    pub(super) fn start_rename(&mut self) {
        self.rename = self.chosen().map(|chosen| {
            let mut field = Field::single_line();
            field.offer(&chosen.name);
            field
        });
    }

    /// Gives the typed name to the chosen session.
    pub(super) fn give_name(&self, name: String, state: &State) -> Vec<OverlayResponse> {
        let Some(chosen) = self.chosen().filter(|_| !name.is_empty()) else { return Vec::new() };
        let commands = if is_open_here(chosen, state) {
            vec![UiCommand::Send(Command::Rename(name)), UiCommand::Job(Job::Sessions)]
        } else {
            vec![UiCommand::Job(Job::Rename(chosen.path.clone(), name))]
        };
        commands.into_iter().map(OverlayResponse::UiCommand).collect()
    }

    /// Asks whether to delete the chosen session. `None` if none is chosen.
    pub(super) fn delete(&self, ctx: OverlayContext<'_>) -> Option<OverlayResponse> {
        let chosen = self.chosen().filter(|_| self.rename.is_none())?;
        Some(removal::question(chosen, is_open_here(chosen, ctx.state), self.preview_of(chosen)))
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
                vec![OverlayResponse::UiCommand(UiCommand::Job(Job::Compare(path)))]
            }
            None => Vec::new(),
        }
    }
}
