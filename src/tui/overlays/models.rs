//! The list of models, as their providers report them: where they run, how large their context is, what they cost.

mod row;

use super::input_box::InputBox;
use super::{Overlay, OverlayContext, OverlayProperties, OverlayResponse};
use crate::domain::sentences::sending;
use crate::domain::{ModelInfo, ModelName};
use crate::driver::catalogue::{CatalogueAnswer, Offer};
use crate::driver::{Job, JobResult};
use crate::engine::transcript::Item;
use crate::engine::{Command, State};
use crate::tui::action::Action;
use crate::tui::panes::Panes;
use crate::tui::theme::Slot;
use crate::tui::widgets::field::Field;
use crate::tui::widgets::filter::{Cursor, rank};
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::sheet::{Sheet, entry, scrolled};
use crate::tui::widgets::{safe, words};
use ratatui::layout::Rect;
use row::{ModelRow, model_of, row_text, rows_of};

/// The rows around the list: field, rule, gap, chat, silent servers, foot.
const OTHER_ROWS: u16 = 8;

/// The note for an invalid model name.
pub(crate) const MODEL_NAME_MESSAGE: &str = "A model is named PROVIDER/MODEL.";

/// The list of models.
#[derive(Debug, Default)]
pub struct Models {
    /// Letters, or a model's full name.
    filter: Field,
    /// The model in use; it is listed even if its provider does not list it.
    current: Option<ModelName>,
    /// What the providers offer; `None` while it is not known which ones can be asked.
    offers: Option<Vec<Offer>>,
    cursor: Cursor,
    /// The model whose connection is being or was tested, and the result.
    tested: Option<(ModelName, Option<Result<String, String>>)>,
}

impl Models {
    /// The list before it is known which providers can be asked.
    pub(crate) fn with(current: Option<ModelName>) -> Self {
        Self { current, ..Self::default() }
    }

    /// The models of a provider that was just chosen, while this one of them is tested.
    pub(crate) fn trying(model: ModelName) -> Self {
        Self { current: Some(model.clone()), tested: Some((model, None)), ..Self::default() }
    }

    /// All rows that match the filter, best first.
    fn matching_rows(&self) -> Vec<ModelRow> {
        let rows = self.rows();
        let texts: Vec<String> = rows.iter().map(ModelRow::text).collect();
        rank(&self.filter.text(), &texts).into_iter().filter_map(|i| rows.get(i).cloned()).collect()
    }

    fn rows(&self) -> Vec<ModelRow> {
        let mut rows: Vec<ModelRow> = self.offers.iter().flatten().flat_map(rows_of).collect();
        // The model in use comes first.
        if let Some(current) = &self.current {
            let is_current = |row: &ModelRow| matches!(row, ModelRow::Model(model) if model.name == *current);
            let row = match rows.iter().position(is_current) {
                Some(at) => rows.remove(at),
                None => {
                    let of = self.offers.iter().flatten().find(|offer| offer.name == current.provider);
                    let local = of.is_some_and(|offer| offer.local);
                    ModelRow::Model(ModelInfo { local, ..ModelInfo::named(current.clone()) })
                }
            };
            rows.insert(0, row);
        }
        rows
    }

    /// The chosen row; `None` if no row matches.
    fn row(&self) -> Option<ModelRow> {
        self.matching_rows().into_iter().nth(self.cursor.0)
    }

    /// The chosen model or, if no row matches, the one that was typed in full (`provider/model`).
    fn chosen(&self) -> Option<ModelName> {
        match self.row() {
            Some(ModelRow::Model(model)) => Some(model.name),
            Some(_) => None,
            None => model_name(&self.filter.text()),
        }
    }

    /// The servers on this computer that do not answer.
    fn silent_servers(&self) -> Vec<&str> {
        let offers = self.offers.iter().flatten();
        let silent = offers.filter(|o| matches!(o.answer, CatalogueAnswer::NotRunning(_)));
        silent.map(|o| o.name.as_str()).collect()
    }

    /// Takes what a provider offers; the same row stays chosen.
    fn add_offer(&mut self, offer: Offer) {
        let chosen = self.row();
        if let Some(place) = self.offers.iter_mut().flatten().find(|old| old.name == offer.name) {
            *place = offer;
        }
        let stays = self.cursor.0 > 0;
        if let Some(at) =
            chosen.filter(|_| stays).and_then(|row| self.matching_rows().iter().position(|r| *r == row))
        {
            self.cursor.0 = at;
        }
        self.cursor.step(0, self.matching_rows().len());
    }

    /// Draws the facts below the list.
    fn draw_below(&self, shown: &[ModelRow], ctx: OverlayContext<'_>, width: u16, sheet: &mut Sheet) {
        let draw = ctx.draw;
        if let Some((model, answer)) = &self.tested {
            let (text, style) = match answer {
                None => (format!("Testing {}.", safe::one_line(&model.to_string())), draw.dim()),
                Some(Ok(text)) => (safe::one_line(text), draw.text()),
                Some(Err(text)) => (safe::one_line(text), draw.style(Slot::StatusError)),
            };
            sheet.words(&text, width, style);
        }
        if let Some(used) = used_tokens(ctx.state) {
            sheet.words(&fit_text(shown, used), width, draw.text());
        }
        let models = || shown.iter().filter_map(model_of);
        if models().any(|model| model.price.is_some()) {
            sheet.words("Prices: dollars for a million tokens, requests/replies.", width, draw.dim());
        }
        if models().any(|model| model.local) {
            sheet.words(sending::LOCAL_MODELS, width, draw.dim());
        }
        let silent = self.silent_servers();
        if !silent.is_empty() {
            sheet.words(
                &format!("Not running here: {}.", safe::one_line(&silent.join(", "))),
                width,
                draw.dim(),
            );
        }
    }
}

impl Overlay for Models {
    fn properties(&self) -> OverlayProperties {
        OverlayProperties { width: 76, list_actions: &[Action::ListTest], ..OverlayProperties::default() }
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.filter)
    }

    fn action(&mut self, action: Action, ctx: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        if action != Action::ListTest {
            return self.common(action, ctx, panes);
        }
        let Some(model) = self.chosen() else { return Vec::new() };
        self.tested = Some((model.clone(), None));
        vec![OverlayResponse::job(Job::TestModel(model))]
    }

    fn list(&mut self) -> Option<(&mut Cursor, usize)> {
        let rows = self.matching_rows().len();
        Some((&mut self.cursor, rows))
    }

    fn accept(&mut self, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        let then = match (self.chosen(), self.row()) {
            (Some(model), _) => OverlayResponse::send(Command::UseModel(model)),
            (None, Some(ModelRow::Provider { name, lacks_key: true, .. })) => {
                OverlayResponse::Open(Box::new(InputBox::for_key(name)))
            }
            // A provider that is still being asked or gave no list offers nothing to choose yet.
            (None, Some(_)) => return Vec::new(),
            (None, None) => OverlayResponse::warn(MODEL_NAME_MESSAGE),
        };
        vec![OverlayResponse::Close, then]
    }

    fn job_done(&mut self, found: &JobResult) -> Option<Vec<OverlayResponse>> {
        match found {
            JobResult::Offers(offers) => self.offers = Some(offers.clone()),
            JobResult::Offer(offer) => self.add_offer(offer.clone()),
            JobResult::Tested(model, answer) => {
                if self.tested.as_ref().is_some_and(|(of, _)| of == model) {
                    self.tested = Some((model.clone(), Some(answer.clone())));
                }
            }
            _ => return None,
        }
        Some(Vec::new())
    }

    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        hints.plain("type to filter", "", 2).plain("Up/Down", "", 2).plain("Enter", "use", 0);
        hints.word(Action::ListTest, "test", 1).plain("Esc", "back", 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        Some("Model changes apply to the next message.".into())
    }

    fn sheet(&self, ctx: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        let (state, width, height, draw) = (ctx.state, room.width, room.height, ctx.draw);
        let mut sheet = Sheet::new("Model");
        sheet.field("> ", &self.filter, width, draw).rule(width, draw);
        let shown = self.matching_rows();
        let rows = usize::from(height.saturating_sub(OTHER_ROWS).clamp(1, 14));
        let cursor = self.cursor.0;
        sheet.rows.extend(scrolled(shown.len(), cursor..cursor + 1, rows, draw, |at| {
            let columns = usize::from(width).saturating_sub(2);
            let text = row_text(self, shown.get(at)?, state, columns);
            Some(entry(&text, at == cursor, width, draw))
        }));
        if shown.is_empty() {
            let text = match (self.chosen(), &self.offers) {
                (Some(model), _) => format!("Enter uses {}", safe::one_line(&model.to_string())),
                (None, None) => "Looking who can be asked.".into(),
                (None, Some(_)) => "No model matches. Type one as PROVIDER/MODEL.".into(),
            };
            sheet.dim(format!("  {text}"), draw);
        }
        sheet.gap();
        self.draw_below(&shown, ctx, width, &mut sheet);
        sheet.dim("Enter use from next message   Ctrl-T test connection   Esc back", draw);
        Some(sheet)
    }
}

/// Reads `provider/model`.
pub(crate) fn model_name(text: &str) -> Option<ModelName> {
    let (provider, model) = text.trim().split_once('/')?;
    let known = |s: &str| !s.is_empty() && !s.contains(char::is_whitespace);
    (known(provider) && known(model))
        .then(|| ModelName { provider: provider.to_owned(), model: model.to_owned() })
}

/// The tokens of this chat, and how exact the number is; `None` if nothing was said yet.
fn used_tokens(state: &State) -> Option<(u64, &'static str)> {
    let share = &state.live.context;
    let said = state.transcript.items.iter().any(|item| matches!(item, Item::Prompt { .. }));
    (said && share.used > 0).then_some((share.used, share.about()))
}

/// `This chat has 12,400 tokens: fits every model above.`
fn fit_text(shown: &[ModelRow], (used, about): (u64, &str)) -> String {
    let chat = format!("This chat has {about}{} tokens", words::grouped(used));
    let known: Vec<u64> = shown.iter().filter_map(model_of).filter_map(|model| model.context).collect();
    let small = known.iter().filter(|context| **context < used).count();
    match (known.len(), small) {
        (0, _) => format!("{chat}."),
        (_, 0) => format!("{chat}: fits every model above."),
        (all, small) if small == all => format!("{chat}: too long for every model above."),
        (_, small) => format!("{chat}: too long for {} above (marked !).", words::count(small, "model")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::catalogue::KeyState;

    fn offer(name: &str, answer: CatalogueAnswer) -> Offer {
        Offer {
            name: name.into(),
            kind: "openai",
            address: None,
            local: false,
            key: KeyState::Needless,
            answer,
        }
    }

    fn models(provider: &str, names: &[&str]) -> CatalogueAnswer {
        let name = |model: &&str| ModelName { provider: provider.into(), model: (*model).into() };
        CatalogueAnswer::Models(names.iter().map(name).map(ModelInfo::named).collect())
    }

    fn names(list: &Models) -> Vec<String> {
        list.matching_rows().iter().map(ModelRow::text).collect()
    }

    #[test]
    fn the_model_in_use_stands_first_and_is_there_before_anybody_answered() {
        let current = ModelName { provider: "b".into(), model: "y".into() };
        let mut list = Models { current: Some(current), ..Models::default() };
        assert_eq!(names(&list), ["b/y"]);
        list.offers = Some(vec![offer("a", CatalogueAnswer::Asking), offer("b", models("b", &["x", "y"]))]);
        assert_eq!(names(&list), ["b/y", "a", "b/x"]);
    }

    /// A server here that refuses is running: its row says so, and its model does not count as one in the cloud.
    #[test]
    fn a_server_here_that_refuses_is_running() {
        let current = ModelName { provider: "b".into(), model: "y".into() };
        let mut list = Models { current: Some(current), ..Models::default() };
        let here = |name, answer| Offer { local: true, ..offer(name, answer) };
        list.offers = Some(vec![
            here("a", CatalogueAnswer::NotRunning("nothing answers".into())),
            here("b", CatalogueAnswer::Failed("The key for b was refused (401).".into())),
        ]);
        assert_eq!((list.silent_servers(), names(&list)), (vec!["a"], vec!["b/y".to_owned(), "b".into()]));
        assert!(matches!(list.rows().first(), Some(ModelRow::Model(model)) if model.local));
    }

    #[test]
    fn what_comes_late_does_not_move_the_chosen_row() {
        let offers = vec![offer("a", CatalogueAnswer::Asking), offer("b", models("b", &["x", "y"]))];
        let mut list = Models { offers: Some(offers), cursor: Cursor(2), ..Models::default() };
        assert_eq!(list.chosen().unwrap().model, "y");
        list.add_offer(offer("a", models("a", &["1", "2", "3"])));
        assert_eq!(list.chosen().unwrap().model, "y");
        list.add_offer(offer("a", models("a", &[])));
        assert_eq!(list.chosen().unwrap().model, "y");
        list.add_offer(offer("b", models("b", &[])));
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
