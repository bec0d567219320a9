//! The kernel's variables, as they were read when a block ended. They are not live, and no code of the person's runs to
//! show them.

use crate::domain::{Variable, VariableChange};
use crate::engine::State;
use crate::tui::paint::canvas::Canvas;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::filter::Cursor;
use crate::tui::widgets::frame::Title;
use crate::tui::widgets::{safe, words};
use ratatui::layout::Rect;
use ratatui::text::Line;

#[derive(Debug, Default)]
pub(crate) struct VarsPane {
    chosen: usize,
    by_type: bool,
    open: bool,
    count: usize,
    height: usize,
    area: Rect,
}

impl VarsPane {
    /// Takes the area and the number of variables.
    pub(crate) fn arrange(&mut self, state: &State, area: Rect) {
        self.area = area;
        self.height = usize::from(area.height.saturating_sub(4)).max(1);
        self.count = state.live.variables.len();
        self.chosen = self.chosen.min(self.count.saturating_sub(1));
    }

    /// Switches the order between by name and by type.
    pub(crate) fn sort(&mut self) {
        self.by_type = !self.by_type;
        self.chosen = 0;
    }

    /// Shows or hides the full value of the chosen variable.
    pub(crate) fn toggle(&mut self) {
        self.open = !self.open;
    }

    pub(crate) fn scroll(&mut self, rows: isize) {
        self.chosen = self.chosen.saturating_add_signed(rows).min(self.count.saturating_sub(1));
    }

    /// Moves the choice by pages.
    pub(crate) fn page(&mut self, pages: isize) {
        self.scroll(pages * isize::try_from(self.height).unwrap_or(1));
    }

    fn sorted<'a>(&self, state: &'a State) -> Vec<&'a Variable> {
        let mut list: Vec<&Variable> = state.live.variables.iter().collect();
        list.sort_by_key(|variable| (self.by_type.then_some(&variable.kind), &variable.name));
        list
    }

    /// The name of the chosen variable.
    pub(crate) fn name(&self, state: &State) -> Option<String> {
        self.sorted(state).get(self.chosen).map(|v| v.name.clone())
    }

    pub(crate) fn title(state: &State, focused: bool, draw: DrawContext<'_>) -> Title {
        let left = match state.live.python_kernel() {
            Some(kernel) => format!(
                "Vars  python k{}  {}",
                kernel.generation,
                words::count(state.variables().count(), "variable")
            ),
            None => "Vars".into(),
        };
        let right = state.live.variables_at.map(|at| draw.locale.second(at)).unwrap_or_default();
        Title { left, right, focused, style: None }
    }

    /// A value in full, below its row; if the row shows all that was read, a hint how to see more.
    fn whole(&self, value: &str, row: &str, draw: DrawContext<'_>) -> Vec<Line<'static>> {
        let width = self.area.width.into();
        if row.ends_with(value) {
            let why = "That is all that was read of it: a block that prints it shows more.";
            return safe::wrap_words(why, width, draw.dim());
        }
        safe::wrap_words(value, width, draw.text())
    }

    pub(crate) fn draw(&self, state: &State, focused: bool, buf: &mut Canvas, draw: DrawContext<'_>) {
        let area = self.area;
        let list = self.sorted(state);
        let mut rows = Vec::new();
        if list.is_empty() {
            let kernel =
                state.live.python_kernel().map_or_else(String::new, |k| format!(" in k{}", k.generation));
            rows.push(Line::styled(format!("No variables yet{kernel}."), draw.dim()));
        } else {
            rows.push(Line::styled(row(' ', "name", "type", "size", "value", area.width), draw.dim()));
            let first = Cursor(self.chosen).window(self.height);
            for (at, variable) in list.iter().enumerate().skip(first).take(self.height) {
                let clean = |text: &str| safe::one_line(text);
                let size = if variable.size.is_empty() { "-".to_owned() } else { clean(&variable.size) };
                let text = row(
                    variable.change.map_or(' ', VariableChange::mark),
                    &clean(&variable.name),
                    &clean(&variable.kind),
                    &size,
                    &clean(&variable.value),
                    area.width,
                );
                let style = if focused && at == self.chosen {
                    draw.style(crate::tui::theme::Slot::UiSelection)
                } else {
                    draw.text()
                };
                rows.push(Line::styled(text.clone(), style));
                if self.open && at == self.chosen {
                    rows.extend(self.whole(&clean(&variable.value), &text, draw));
                }
            }
            rows.push(Line::default());
            let at = state.live.variables_at.map(|at| draw.locale.second(at)).unwrap_or_default();
            if let Some(text) = changes(state) {
                rows.extend(safe::wrap_words(&text, area.width.into(), draw.dim()));
            }
            let note = format!(
                "Read at {at}, not live. Unknown objects show no value: showing one would run its code (repr)."
            );
            rows.extend(safe::wrap_words(&note, area.width.into(), draw.dim()));
        }
        buf.set_lines(area, &rows);
    }
}

/// `+ 3 new, ~ 1 changed, - 1 deleted by block 3.`; `None` if the last block changed nothing.
fn changes(state: &State) -> Option<String> {
    let count = |wanted| state.live.variables.iter().filter(|v| v.change == Some(wanted)).count();
    let counts = [
        (VariableChange::Added, "new"),
        (VariableChange::Changed, "changed"),
        (VariableChange::Deleted, "deleted"),
    ];
    let parts: Vec<String> = counts
        .into_iter()
        .map(|(change, word)| (change.mark(), count(change), word))
        .filter(|(_, count, _)| *count > 0)
        .map(|(mark, count, word)| format!("{mark} {count} {word}"))
        .collect();
    let by = state.live.variables_by.map_or_else(String::new, |block| format!(" by block {block}"));
    (!parts.is_empty()).then(|| format!("{}{by}.", parts.join(", ")))
}

/// A variable as a row, with the mark of what the last block did to it.
fn row(mark: char, name: &str, kind: &str, size: &str, value: &str, width: u16) -> String {
    let (name, kind, size) = (pad(name, 11), pad(kind, 11), pad(size, 9));
    safe::cut(&format!("{mark} {name} {kind} {size} {value}"), width.into())
}

fn pad(text: &str, width: usize) -> String {
    use unicode_width::UnicodeWidthStr;
    let text = safe::cut(text, width);
    let missing = width.saturating_sub(text.width());
    text + &" ".repeat(missing)
}
