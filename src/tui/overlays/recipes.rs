//! The list of recipes: name, title, when each is useful; those of the person are labelled.

use super::{Overlay, OverlayContext, OverlayProperties, OverlayResponse};
use crate::domain::RecipeCard;
use crate::driver::JobResult;
use crate::tui::panes::Panes;
use crate::tui::widgets::filtered_list::{FilteredList, ListRoom, Matches};
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::sheet::Sheet;
use crate::tui::widgets::{safe, words};
use ratatui::layout::Rect;

/// Columns of a recipe's title.
const TITLE_COLUMNS: usize = 20;

/// The list of recipes.
#[derive(Debug)]
pub struct Recipes(FilteredList<RecipeCard>);

impl Recipes {
    pub(crate) fn of(all: Vec<RecipeCard>) -> Self {
        Self(FilteredList::new(with_texts(all), |_| false))
    }

    fn chosen(&self) -> Option<&RecipeCard> {
        self.0.chosen().map(|(card, _)| card)
    }
}

/// The recipes, each with the text that the filter searches.
fn with_texts(all: Vec<RecipeCard>) -> impl Iterator<Item = (RecipeCard, String)> {
    all.into_iter().map(|card| {
        let text = format!("{} {} {}", card.name, card.title, card.when);
        (card, text)
    })
}

impl Overlay for Recipes {
    fn properties(&self) -> OverlayProperties {
        OverlayProperties { width: 90, ..OverlayProperties::default() }
    }

    fn matches(&mut self) -> Option<&mut Matches> {
        Some(&mut self.0.matches)
    }

    /// The recipe files were read again: the cursor stays on its recipe.
    fn job_done(&mut self, found: &JobResult) -> Option<Vec<OverlayResponse>> {
        let JobResult::Recipes(recipes, _) = found else { return None };
        let chosen = self.chosen().map(|card| card.name.clone());
        self.0.replace(with_texts(recipes.to_vec()), |card| chosen.as_ref() == Some(&card.name));
        Some(Vec::new())
    }

    fn accept(&mut self, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        let name = self.chosen().map(|card| card.name.clone());
        name.map_or_else(Vec::new, |name| vec![OverlayResponse::Close, OverlayResponse::OpenRecipe(name)])
    }

    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        hints.plain("type to filter", "", 2).plain("Up/Down", "", 2);
        hints.plain("Enter", "open its form", 0).plain("Esc", "close", 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        let count = words::count(self.0.counts().0, "recipe");
        Some(format!("{count}. Every block of a recipe waits like every other."))
    }

    fn sheet(&self, ctx: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        let (width, draw) = (room.width, ctx.draw);
        let names = self.0.shown().map(|(card, _)| card.name.chars().count());
        let column = names.max().unwrap_or(0).clamp(8, 20);
        let room = ListRoom { area: room, others: 8, most: 14 };
        let mut sheet = self.0.sheet("Recipes", room, draw, |card, _| {
            let name = safe::cut(&safe::one_line(&card.name), column);
            let title = safe::cut(&title(card), TITLE_COLUMNS);
            format!("{name:<column$}  {title:<TITLE_COLUMNS$}  {}", safe::one_line(&card.when))
        });
        let (all, shown) = self.0.counts();
        if shown == 0 {
            let text = if all == 0 { "There are no recipes." } else { "No recipe matches." };
            sheet.dim(format!("  {text}"), draw);
        }
        if let Some(card) = self.chosen() {
            sheet.gap().words(&safe::one_line(&card.when), width, draw.text());
            if let Some(file) = &card.file {
                let file = safe::one_line(&draw.locale.path(file));
                sheet.dim(safe::cut(&file, width.into()), draw);
            }
        }
        sheet.gap().dim("Enter open its form   Esc close", draw);
        Some(sheet)
    }
}

/// The title of a recipe; one of the person's is labelled.
fn title(card: &RecipeCard) -> String {
    let own = if card.file.is_some() { " (yours)" } else { "" };
    format!("{}{own}", safe::one_line(&card.title))
}
