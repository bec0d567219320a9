//! The list of recipes: name, title, when each is useful; those of the person are labelled.

use super::{Overlay, OverlayContext, OverlayResponse};
use crate::domain::RecipeCard;
use crate::driver::JobResult;
use crate::tui::panes::Panes;
use crate::tui::widgets::field::Field;
use crate::tui::widgets::filter::{Cursor, rank};
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::sheet::{Sheet, entry};
use crate::tui::widgets::{safe, words};
use ratatui::layout::Rect;
use ratatui::text::Line;

/// Columns of a recipe's title.
const TITLE_COLUMNS: usize = 20;

/// The list of recipes.
#[derive(Debug, Default)]
pub struct Recipes {
    filter: Field,
    all: Vec<RecipeCard>,
    cursor: Cursor,
}

impl Recipes {
    pub(crate) fn of(all: Vec<RecipeCard>) -> Self {
        Self { all, ..Self::default() }
    }

    /// The recipes that match the filter.
    fn matching_recipes(&self) -> Vec<&RecipeCard> {
        let texts: Vec<String> =
            self.all.iter().map(|card| format!("{} {} {}", card.name, card.title, card.when)).collect();
        rank(&self.filter.text(), &texts).into_iter().filter_map(|at| self.all.get(at)).collect()
    }

    fn chosen(&self) -> Option<&RecipeCard> {
        self.matching_recipes().get(self.cursor.0).copied()
    }
}

impl Overlay for Recipes {
    fn width(&self) -> u16 {
        90
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.filter)
    }

    fn list(&mut self) -> Option<(&mut Cursor, usize)> {
        let rows = self.matching_recipes().len();
        Some((&mut self.cursor, rows))
    }

    /// The recipe files were read again: the cursor stays on its recipe.
    fn found(&mut self, found: &JobResult) -> Option<Vec<OverlayResponse>> {
        let JobResult::Recipes(recipes, _) = found else { return None };
        let chosen = self.chosen().map(|card| card.name.clone());
        self.all = recipes.to_vec();
        let at = self.matching_recipes().iter().position(|card| chosen.as_ref() == Some(&card.name));
        self.cursor.0 = at.unwrap_or_default();
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
        let count = words::count(self.all.len(), "recipe");
        Some(format!("{count}. Every block of a recipe waits like every other."))
    }

    fn sheet(&self, around: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        let (width, height, look) = (room.width, room.height, around.look);
        let mut sheet = Sheet::new("Recipes");
        sheet.field("> ", &self.filter, width, look).rule(width, look);
        let shown = self.matching_recipes();
        let rows = usize::from(height.saturating_sub(8).clamp(1, 14));
        let first = self.cursor.window(rows);
        let column = shown.iter().map(|card| card.name.chars().count()).max().unwrap_or(0).clamp(8, 20);
        for (at, card) in shown.iter().enumerate().skip(first).take(rows) {
            let name = safe::cut(&safe::one_line(&card.name), column);
            let title = safe::cut(&title(card), TITLE_COLUMNS);
            let text = format!("{name:<column$}  {title:<TITLE_COLUMNS$}  {}", safe::one_line(&card.when));
            sheet.row(entry(&text, at == self.cursor.0, width, look));
        }
        if shown.is_empty() {
            let text = if self.all.is_empty() { "There are no recipes." } else { "No recipe matches." };
            sheet.row(Line::styled(format!("  {text}"), look.dim()));
        }
        if let Some(card) = self.chosen() {
            sheet.gap().words(&safe::one_line(&card.when), width, look.text());
            if let Some(file) = &card.file {
                let file = safe::one_line(&look.place.path(file));
                sheet.row(Line::styled(safe::cut(&file, width.into()), look.dim()));
            }
        }
        sheet.gap().row(Line::styled("Enter open its form   Esc close", look.dim()));
        Some(sheet)
    }
}

/// The title of a recipe; one of the person's is labelled.
fn title(card: &RecipeCard) -> String {
    let own = if card.file.is_some() { " (yours)" } else { "" };
    format!("{}{own}", safe::one_line(&card.title))
}
