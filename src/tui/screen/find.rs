//! The last search once more, from a pane.

use super::{Ctx, Note, Screen};
use crate::tui::overlays::find::Find;

impl Screen {
    /// `n` and `N` in a pane.
    pub(super) fn find_again(&mut self, back: bool, ctx: Ctx<'_>) {
        let Some((needle, last)) = self.panes.searched.take() else {
            self.say(Note::info("/ looks for a text."));
            return;
        };
        let found = Find::again(&needle, last, back, ctx.state, ctx.look, &mut self.panes);
        self.say(Note::info(match found {
            Some(at) => format!("Match {} for '{needle}'.", at + 1),
            None => format!("No matches for {needle}."),
        }));
        self.panes.searched = Some((needle, found.or(last)));
    }
}
