//! The list of models under the keys: taking one, testing one, asking for the key of its provider.

use super::field::Field;
use super::layer::{Layer, ModelRow, Models};
use super::{Note, Screen, Wish};
use crate::driver::Errand;
use crate::engine::Command;

impl Screen {
    /// Enter in the list of models.
    pub(super) fn model_accepted(&mut self, list: Models) -> Vec<Wish> {
        if let Some(model) = list.chosen() {
            return vec![Wish::Send(Command::UseModel(model))];
        }
        match list.row() {
            Some(ModelRow::NoKey(provider, _)) => self.ask_key(provider),
            // Whoever is still being asked, or gave no list, has nothing to choose from yet.
            Some(_) => self.layers.push(Layer::Models(list)),
            None => self.say(Note::warn("A model is named PROVIDER/MODEL.")),
        }
        Vec::new()
    }

    /// Opens the box for a provider's key.
    pub(super) fn ask_key(&mut self, provider: String) {
        self.layers.push(Layer::Key(provider, Field::secret()));
    }

    /// Tests the connection to the chosen model.
    pub(super) fn test_model(&mut self) -> Vec<Wish> {
        let Some(Layer::Models(list)) = self.layers.last_mut() else { return Vec::new() };
        let Some(model) = list.chosen() else { return Vec::new() };
        list.tested = Some((model.clone(), None));
        vec![Wish::Errand(Errand::TestModel(model))]
    }
}
