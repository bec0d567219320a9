//! Chooses the dialect of requests: by the setting, by what the model can do, and by what its server has refused
//! before.

use super::{Engine, State, notices};
use crate::domain::{Dialect, Entry, ModelName};

/// The model in use; the name is empty if the session has none yet.
fn model(state: &State) -> ModelName {
    let unnamed = || ModelName { provider: String::new(), model: String::new() };
    state.transcript.model.clone().unwrap_or_else(unnamed)
}

/// The most parameters, in millions, that a small model has.
const MAX_SMALL_MILLIONS: f64 = 9_000.0;

/// Whether a model's name says that it is small: `qwen2.5-coder:7b`, `smollm2-360m`. Of several numbers the largest
/// counts; a name without one is not small.
pub(super) fn is_small(model: &str) -> bool {
    let words = model.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    let millions = words.filter_map(|word| {
        let lower = word.to_ascii_lowercase();
        let (count, unit) = lower.split_at_checked(lower.len().checked_sub(1)?)?;
        let factor = match unit {
            "b" => 1_000.0,
            "m" => 1.0,
            _ => return None,
        };
        Some(count.parse::<f64>().ok()? * factor)
    });
    millions.reduce(f64::max).is_some_and(|millions| millions <= MAX_SMALL_MILLIONS)
}

impl Engine {
    /// The dialect of the next request.
    pub(crate) fn dialect(&self) -> Dialect {
        let State { transcript, live, .. } = &self.state;
        let info = live.model.as_ref().filter(|info| transcript.model.as_ref() == Some(&info.name));
        let wanted = self.settings.dialect.unwrap_or_else(|| {
            if info.and_then(|info| info.tools) == Some(true) { Dialect::Tools } else { Dialect::Fences }
        });
        match wanted {
            Dialect::Tools if transcript.without_tools.contains(&model(&self.state)) => Dialect::Fences,
            wanted => wanted,
        }
    }

    /// The server refused the tools of a request. Records that, once for each model; returns whether to ask again
    /// without tools.
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

#[cfg(test)]
mod tests {
    use super::is_small;

    #[test]
    fn small_models_are_known_by_their_names() {
        for name in ["qwen2.5-coder:7b", "smollm2-360m", "gemma3:1b", "llama3.2:3b-instruct-q4_0", "phi-1.5B"]
        {
            assert!(is_small(name), "{name}");
        }
        for name in ["qwen3-coder:30b-a3b", "gpt-5-mini", "claude-sonnet-4", "llama3.2", "", "b", "70b"] {
            assert!(!is_small(name), "{name}");
        }
    }
}
