//! The models that can be chosen, as their providers tell them.

use crate::domain::{ModelInfo, ModelName};
use crate::driver::catalogue::{Answer, KeyState, Offer};
use crate::tui::screen::field::Field;
use crate::tui::screen::filter::{Cursor, rank};

/// The models.
#[derive(Debug, Default)]
pub struct Models {
    /// Letters, or a model's full name.
    pub filter: Field,
    /// The model in use, which is offered whatever its provider lists.
    pub current: Option<ModelName>,
    /// What the providers offer; `None` while it is being found out who can be asked.
    pub offers: Option<Vec<Offer>>,
    /// The chosen row.
    pub cursor: Cursor,
    /// A model whose connection is being tested, or was, with the answer.
    pub tested: Option<(ModelName, Option<Result<String, String>>)>,
}

/// A row of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// A model.
    Model(ModelInfo),
    /// A provider without a key: its name, and where the key is looked for.
    NoKey(String, String),
    /// A provider that is being asked.
    Asking(String),
    /// A provider that has a key and did not answer, and why.
    Failed(String, String),
}

impl Row {
    /// What the filter looks at.
    fn text(&self) -> String {
        match self {
            Row::Model(model) => model.name.to_string(),
            Row::NoKey(name, _) | Row::Asking(name) | Row::Failed(name, _) => name.clone(),
        }
    }
}

impl Models {
    /// All rows that the filter leaves, best first.
    pub fn shown(&self) -> Vec<Row> {
        let rows = self.rows();
        let texts: Vec<String> = rows.iter().map(Row::text).collect();
        rank(&self.filter.text(), &texts).into_iter().filter_map(|i| rows.get(i).cloned()).collect()
    }

    fn rows(&self) -> Vec<Row> {
        let mut rows: Vec<Row> = self.offers.iter().flatten().flat_map(rows_of).collect();
        // The model in use stands first.
        if let Some(current) = &self.current {
            let is_current = |row: &Row| matches!(row, Row::Model(model) if model.name == *current);
            let row = match rows.iter().position(is_current) {
                Some(at) => rows.remove(at),
                None => Row::Model(ModelInfo::named(current.clone())),
            };
            rows.insert(0, row);
        }
        rows
    }

    /// The chosen row; `None` where the filter leaves none.
    pub fn row(&self) -> Option<Row> {
        self.shown().into_iter().nth(self.cursor.0)
    }

    /// The chosen model, or the one that was typed in full (`provider/model`) where no row is left.
    pub fn chosen(&self) -> Option<ModelName> {
        match self.row() {
            Some(Row::Model(model)) => Some(model.name),
            Some(_) => None,
            None => model_name(&self.filter.text()),
        }
    }

    /// Servers on this computer that do not answer.
    pub fn silent(&self) -> Vec<&str> {
        let offers = self.offers.iter().flatten();
        offers.filter(|o| o.local && matches!(o.answer, Answer::Failed(_))).map(|o| o.name.as_str()).collect()
    }

    /// Takes in what one provider offers; the chosen row stays chosen.
    pub fn told(&mut self, offer: Offer) {
        let chosen = self.row();
        if let Some(place) = self.offers.iter_mut().flatten().find(|old| old.name == offer.name) {
            *place = offer;
        }
        let stays = self.cursor.0 > 0;
        if let Some(at) = chosen.filter(|_| stays).and_then(|row| self.shown().iter().position(|r| *r == row))
        {
            self.cursor.0 = at;
        }
        self.cursor.step(0, self.shown().len());
    }
}

fn rows_of(offer: &Offer) -> Vec<Row> {
    let name = offer.name.clone();
    match (&offer.answer, &offer.key) {
        (Answer::Models(models), _) => models.iter().cloned().map(Row::Model).collect(),
        (Answer::Asking, _) => vec![Row::Asking(name)],
        (Answer::NoKey, KeyState::Missing(place)) => vec![Row::NoKey(name, place.clone())],
        // A server that is not running here is no news: they are named together, below.
        (Answer::NoKey, _) => Vec::new(),
        (Answer::Failed(_), _) if offer.local => Vec::new(),
        (Answer::Failed(why), _) => vec![Row::Failed(name, why.clone())],
    }
}

/// Reads `provider/model`.
pub fn model_name(text: &str) -> Option<ModelName> {
    let (provider, model) = text.trim().split_once('/')?;
    let known = |s: &str| !s.is_empty() && !s.contains(char::is_whitespace);
    (known(provider) && known(model))
        .then(|| ModelName { provider: provider.to_owned(), model: model.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(name: &str, answer: Answer) -> Offer {
        Offer {
            name: name.into(),
            kind: "openai",
            address: None,
            local: false,
            key: KeyState::Needless,
            answer,
        }
    }

    fn models(provider: &str, names: &[&str]) -> Answer {
        let name = |model: &&str| ModelName { provider: provider.into(), model: (*model).into() };
        Answer::Models(names.iter().map(name).map(ModelInfo::named).collect())
    }

    fn names(list: &Models) -> Vec<String> {
        list.shown().iter().map(Row::text).collect()
    }

    #[test]
    fn the_model_in_use_stands_first_and_is_there_before_anybody_answered() {
        let current = ModelName { provider: "b".into(), model: "y".into() };
        let mut list = Models { current: Some(current), ..Models::default() };
        assert_eq!(names(&list), ["b/y"]);
        list.offers = Some(vec![offer("a", Answer::Asking), offer("b", models("b", &["x", "y"]))]);
        assert_eq!(names(&list), ["b/y", "a", "b/x"]);
    }

    #[test]
    fn what_comes_late_does_not_move_the_chosen_row() {
        let offers = vec![offer("a", Answer::Asking), offer("b", models("b", &["x", "y"]))];
        let mut list = Models { offers: Some(offers), cursor: Cursor(2), ..Models::default() };
        assert_eq!(list.chosen().unwrap().model, "y");
        list.told(offer("a", models("a", &["1", "2", "3"])));
        assert_eq!(list.chosen().unwrap().model, "y");
        list.told(offer("a", models("a", &[])));
        assert_eq!(list.chosen().unwrap().model, "y");
        list.told(offer("b", models("b", &[])));
        assert_eq!((list.chosen(), list.cursor.0), (None, 0));
    }

    #[test]
    fn a_full_name_is_taken_where_no_row_is_left() {
        let mut list = Models { offers: Some(vec![offer("b", models("b", &["x"]))]), ..Models::default() };
        list.filter.set("lab/llama 3");
        assert_eq!(list.chosen(), None);
        list.filter.set("lab/llama-3");
        assert_eq!(list.chosen().unwrap().to_string(), "lab/llama-3");
        list.filter.set("bx");
        assert_eq!(list.chosen().unwrap().to_string(), "b/x");
    }
}
