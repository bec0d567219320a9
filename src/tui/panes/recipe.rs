//! The stage of a recipe in words: for the header, the status row and the conversation.

use crate::domain::RecipeFact;
use crate::engine::{State, WorkflowContext};
use crate::tui::widgets::safe;

/// The stage of the current recipe; computed once for each change of the session.
#[derive(Debug, Default)]
pub(crate) struct RecipeLine {
    version: Option<u64>,
    pub(crate) stage: Option<Stage>,
}

/// The stage of a recipe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stage {
    pub(crate) name: String,
    /// The title of the current step; empty before the first.
    pub(crate) title: String,
    /// The number of that step and of all steps, if known.
    pub(crate) place: Option<(usize, usize)>,
    /// The round of that step, from 1.
    pub(crate) round: u32,
}

impl RecipeLine {
    /// Recomputes the stage if the session changed.
    pub(crate) fn update(&mut self, state: &State) {
        let version = state.transcript.version;
        if self.version != Some(version) {
            self.version = Some(version);
            self.stage = stage(state);
        }
    }
}

impl Stage {
    /// `tdd 2/3`
    pub(crate) fn short(&self) -> String {
        match self.place {
            Some((at, of)) => format!("{} {at}/{of}", self.name),
            None => self.name.clone(),
        }
    }

    /// Name, step, title and round, as far as known: `tdd`, `2 of 3`, `Make them pass`, `round 2`.
    pub(crate) fn parts(&self) -> Vec<String> {
        let place = self.place.map(|(at, of)| format!("{at} of {of}"));
        let title = Some(self.title.clone()).filter(|title| !title.is_empty());
        let round = (self.round > 1).then(|| format!("round {}", self.round));
        [Some(self.name.clone()), place, title, round].into_iter().flatten().collect()
    }
}

fn stage(state: &State) -> Option<Stage> {
    let course = WorkflowContext::of(state)?;
    let said = course.items().rev().find_map(|(_, item)| match item.fact()? {
        RecipeFact::Said { step, title, round, .. } => Some((step, title, *round)),
        _ => None,
    });
    let name = safe::one_line(&course.start.name);
    Some(match said {
        Some((step, title, round)) => {
            Stage { name, title: safe::one_line(title), place: place(&course.start.definition, step), round }
        }
        None => Stage { name, title: String::new(), place: None, round: 1 },
    })
}

/// The stage at a fact in the conversation, of the recipe that began last before it.
pub(crate) fn said_at(state: &State, at: usize) -> Option<Stage> {
    let items = state.transcript.items.get(..=at)?;
    let RecipeFact::Said { step, title, round, .. } = items.last()?.fact()? else { return None };
    let start = items.iter().rev().find_map(|item| match item.fact()? {
        RecipeFact::Began(start) => Some(start),
        _ => None,
    });
    Some(Stage {
        name: start.map(|start| safe::one_line(&start.name)).unwrap_or_default(),
        title: safe::one_line(title),
        place: start.and_then(|start| place(&start.definition, step)),
        round: *round,
    })
}

/// The number of a step in a definition, from 1, and how many steps there are.
fn place(definition: &str, step: &str) -> Option<(usize, usize)> {
    let table: toml::Table = definition.parse().ok()?;
    let steps = table.get("step")?.as_array()?;
    let name = |of: &toml::Value| of.get("name").and_then(toml::Value::as_str).map(str::to_owned);
    let at = steps.iter().position(|of| name(of).as_deref() == Some(step))?;
    Some((at + 1, steps.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_found_in_its_definition() {
        let definition = "name = 'tdd'\nsay = \"\"\"\n[[step]]\nname = 'no'\n\"\"\"\n[[step]]\nname = 'tests'\n[[step]]\nname = 'code'\n";
        assert_eq!(place(definition, "code"), Some((2, 2)));
        assert_eq!(place(definition, "no"), None);
        assert_eq!(place("not TOML [", "code"), None);
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        let mut stage =
            Stage { name: "tdd".into(), title: "Make them pass".into(), place: Some((2, 3)), round: 2 };
        assert_eq!(stage.parts().join(", "), "tdd, 2 of 3, Make them pass, round 2");
        assert_eq!(stage.short(), "tdd 2/3");
        (stage.place, stage.round) = (None, 1);
        assert_eq!(stage.parts().join(", "), "tdd, Make them pass");
        assert_eq!(stage.short(), "tdd");
    }
}
