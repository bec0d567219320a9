//! Where the recipe of a turn stands, in words: for the header, the status row and the conversation.

use crate::domain::RecipeFact;
use crate::engine::{State, WorkflowContext};
use crate::tui::widgets::safe;

/// Where the recipe that goes on stands; found out once for each change of the session.
#[derive(Debug, Default)]
pub(crate) struct RecipeLine {
    version: Option<u64>,
    stage: Option<Stage>,
}

/// Where a recipe stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stage {
    pub(crate) name: String,
    /// The title of the step that goes on; empty before the first.
    pub(crate) title: String,
    /// Which of how many steps that is, where that is known.
    pub(crate) place: Option<(usize, usize)>,
    /// Which round of it, from 1.
    pub(crate) round: u32,
}

impl RecipeLine {
    /// Takes in what the session has become.
    pub(crate) fn update(&mut self, state: &State) {
        let version = state.transcript.version;
        if self.version != Some(version) {
            self.version = Some(version);
            self.stage = stage(state);
        }
    }

    /// Where the recipe stands, while one goes on.
    pub(crate) fn stage(&self) -> Option<&Stage> {
        self.stage.as_ref()
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

    /// `tdd`, `2 of 3`, `Make them pass`, `round 2`: what there is of these.
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

/// The same for a fact in the midst of the conversation: the recipe that began last before it.
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

/// Which of the steps of a definition this is, from 1, and how many there are.
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
