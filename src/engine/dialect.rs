//! Which dialect is in force: what was chosen, what the model can, and what its server has refused before.

use super::{Engine, Settings, State, notices};
use crate::domain::{Dialect, Entry, ModelName};

/// The dialect in which the next request is made.
pub(super) fn in_force(state: &State, settings: &Settings) -> Dialect {
    let info = state.live.model.as_ref().filter(|info| state.transcript.model.as_ref() == Some(&info.name));
    let wanted = settings.dialect.unwrap_or_else(|| {
        if info.and_then(|info| info.tools) == Some(true) { Dialect::Tools } else { Dialect::Fences }
    });
    match wanted {
        Dialect::Tools if state.transcript.without_tools.contains(&model(state)) => Dialect::Fences,
        wanted => wanted,
    }
}

/// The model in use; a session may begin before one is named.
fn model(state: &State) -> ModelName {
    let unnamed = || ModelName { provider: String::new(), model: String::new() };
    state.transcript.model.clone().unwrap_or_else(unnamed)
}

impl Engine {
    /// The dialect in which the next request is made.
    pub fn dialect(&self) -> Dialect {
        in_force(&self.state, &self.settings)
    }

    /// The server refused the tools of a request. Notes it, once for each model; returns whether asking again without
    /// tools makes sense.
    pub(super) fn give_up_tools(&mut self, asked: Dialect) -> bool {
        let model = model(&self.state);
        if asked != Dialect::Tools || self.state.transcript.without_tools.contains(&model) {
            return false;
        }
        self.notify(notices::no_tools(&model));
        self.record(Entry::NoTools(model));
        true
    }
}
