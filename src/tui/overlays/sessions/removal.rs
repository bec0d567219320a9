//! Asks whether to delete a session, with the space that it takes; for an open session, says why it can't be deleted.

use super::preview::SessionPreview;
use crate::driver::{Job, Summary};
use crate::tui::overlays::OverlayResponse;
use crate::tui::overlays::ask::Ask;
use crate::tui::ui_command::UiCommand;
use crate::tui::widgets::{safe, words};

/// The question, or why it is not asked.
pub(super) fn question(
    chosen: &Summary,
    is_open_here: bool,
    preview: Option<&SessionPreview>,
) -> OverlayResponse {
    let name = safe::one_line(chosen.label());
    if is_open_here {
        let why = "This session is open here. Begin another one, and delete it from there.";
        return OverlayResponse::info(why);
    }
    if let Some(process) = chosen.locked {
        let why = format!("{name} is open in another sayso (process {process}). Close it there first.");
        return OverlayResponse::info(why);
    }
    let messages = words::count(usize::try_from(chosen.messages).unwrap_or(usize::MAX), "message");
    let blocks = words::count(chosen.blocks as usize, "block");
    let frees = match preview {
        Some(preview) => format!("This frees {}.", words::size(preview.space)),
        None => format!("This frees {} or more.", words::size(chosen.bytes)),
    };
    let lines = vec![format!("{name}: {messages}, {blocks}."), frees];
    let delete = UiCommand::Job(Job::Delete(chosen.path.clone()));
    let ask = Ask::new("Delete this session?", lines, 'w', "keep it");
    let ask = ask.or_command('d', "delete it; it can't be brought back", delete);
    OverlayResponse::Open(Box::new(ask))
}
