//! A row of the list of models: what of a provider's answer gets one, and its text.

use super::{Models, used_tokens};
use crate::domain::ModelInfo;
use crate::driver::catalogue::{self, CatalogueAnswer, KeyState, Offer};
use crate::engine::State;
use crate::tui::widgets::safe;

/// A row of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ModelRow {
    Model(ModelInfo),
    /// A provider without a list, and why it has none; whether it only lacks a key.
    Provider {
        name: String,
        why: String,
        lacks_key: bool,
    },
}

impl ModelRow {
    /// The text that the filter matches.
    pub(super) fn text(&self) -> String {
        match self {
            ModelRow::Model(model) => model.name.to_string(),
            ModelRow::Provider { name, .. } => name.clone(),
        }
    }
}

/// The rows for what a provider answered.
pub(super) fn rows_of(offer: &Offer) -> Vec<ModelRow> {
    let without_list =
        |why: String, lacks_key| vec![ModelRow::Provider { name: offer.name.clone(), why, lacks_key }];
    match (&offer.answer, &offer.key) {
        (CatalogueAnswer::Models(models), _) => models.iter().cloned().map(ModelRow::Model).collect(),
        (CatalogueAnswer::Asking, _) => without_list("asking which models it has".into(), false),
        (CatalogueAnswer::NoKey, KeyState::Missing(place)) => {
            without_list(format!("no key ({place}): Enter asks for one"), true)
        }
        // Servers that are not running here get no row of their own: they are named together below.
        (CatalogueAnswer::NoKey | CatalogueAnswer::NotRunning(_), _) => Vec::new(),
        (CatalogueAnswer::Failed(why) | CatalogueAnswer::Refused(why), _) => without_list(why.clone(), false),
    }
}

/// The model of a row; `None` for a provider without a list.
pub(super) fn model_of(row: &ModelRow) -> Option<&ModelInfo> {
    match row {
        ModelRow::Model(model) => Some(model),
        ModelRow::Provider { .. } => None,
    }
}

/// A row: provider, model, where it runs, its context, its price, whether it is in use.
pub(super) fn row_text(list: &Models, row: &ModelRow, state: &State, width: usize) -> String {
    let model = match row {
        ModelRow::Model(model) => model,
        ModelRow::Provider { name, why, .. } => {
            return format!("{:<10} {}", safe::one_line(name), safe::one_line(why));
        }
    };
    let name = &model.name.model;
    let current = state.transcript.model.as_ref() == Some(&model.name);
    let place = match (model.local, model.name.is_story()) {
        (true, _) => "local",
        (false, true) => "offline",
        (false, false) if list.offers.is_none() => "",
        (false, false) => "cloud",
    };
    let is_too_small =
        model.context.zip(used_tokens(state)).is_some_and(|(context, (used, _))| context < used);
    let context = match model.context {
        Some(context) => {
            format!("ctx {}{}", catalogue::tokens(context), if is_too_small { " !" } else { "" })
        }
        None => String::new(),
    };
    let price = model.price.as_ref().map(catalogue::price).unwrap_or_default();
    let right =
        format!("{place:<7} {context:<10} {price:<11}{}", if current { " in use" } else { "       " });
    // The name gets the remaining room; if that is small, the other facts are cut.
    let room = width.saturating_sub(right.chars().count() + 12).max(24);
    let name = safe::cut(&safe::one_line(name), room);
    let pad = room.saturating_sub(unicode_width::UnicodeWidthStr::width(name.as_str()));
    format!("{:<10} {name}{:pad$} {right}", safe::one_line(&model.name.provider), "").trim_end().to_owned()
}
