//! The layout of the panes for each size class.

use super::{
    Arrangement, Edge, LayoutActivity, LayoutRequest, MIN_PROSE_ROWS, Pane, Slot, part, take_bottom,
    take_top_sharing,
};
use ratatui::layout::Rect;

impl Arrangement {
    pub(super) fn bare(&mut self, pane: Pane) {
        self.alone(pane, Slot { outer: self.body, inner: self.body, edge: Edge::Bare });
    }

    pub(super) fn zoomed(&mut self, wants: LayoutRequest) {
        let mut rest = self.body;
        self.message = wants.field.then(|| Slot::new(take_bottom(&mut rest, 3), Edge::Box));
        self.alone(wants.focus, Slot::new(rest, Edge::Box));
    }

    fn alone(&mut self, pane: Pane, slot: Slot) {
        match pane {
            Pane::Chat | Pane::Message => self.chat = Some(slot),
            Pane::Code => self.code = Some(slot),
            Pane::Output => self.output = Some(slot),
        }
    }

    pub(super) fn wide(&mut self, wants: LayoutRequest) {
        let mut left = self.body;
        if wants.code || wants.output {
            let width = self.area.width;
            left.width = wants.borders.chat_columns(width).unwrap_or_else(|| chat_columns(width));
            let x = left.right().saturating_sub(1);
            let right = Rect { x, width: self.body.right().saturating_sub(x), ..self.body };
            let share = part(right.height, wants.activity.code());
            let code = match wants.code_rows {
                // A short block leaves its free rows to the output of the run before it.
                Some(rows) if wants.activity == LayoutActivity::Waiting => {
                    share.min(rows.saturating_add(2).max(part(right.height, 50)))
                }
                _ => share,
            };
            self.column(right, code, wants);
        }
        let most = (self.body.height / 3).max(3);
        let message = take_bottom(&mut left, (wants.message_rows.max(1) + 2).min(most));
        left.height += 1;
        self.chat = Some(Slot::new(left, Edge::Box));
        self.message = Some(Slot::new(message, Edge::Box));
    }

    pub(super) fn medium(&mut self, wants: LayoutRequest) {
        let mut rest = self.body;
        let tall = rest.height;
        let writes = wants.focus == Pane::Message || wants.message_rows > 1;
        let (message_rows, edge) = if wants.activity == LayoutActivity::Waiting && !writes {
            (1, Edge::Bare)
        } else {
            ((wants.message_rows.max(1) + 2).min((tall / 3).max(3)), Edge::Box)
        };
        self.message = Some(Slot::new(take_bottom(&mut rest, message_rows), edge));
        rest.height += u16::from(edge == Edge::Box);
        if !wants.code && !wants.output {
            self.chat = Some(Slot::new(rest, Edge::Box));
            return;
        }
        let chat = match wants.activity {
            LayoutActivity::Waiting => (tall / 7).max(4),
            LayoutActivity::Running | LayoutActivity::Below => (tall / 4).max(7),
            // Nothing waits and nothing runs: the conversation matters most. A long message box takes its rows
            // from the conversation first.
            LayoutActivity::Even | LayoutActivity::Writing | LayoutActivity::Done => {
                part(tall, 52).max(MIN_PROSE_ROWS + 2).min(rest.height.saturating_sub(8))
            }
        };
        let looks_at_output = wants.focus == Pane::Output;
        let chat = match wants.code_rows {
            // The code shares its borders with the panes above and below.
            Some(rows) if wants.activity == LayoutActivity::Waiting && !looks_at_output => {
                chat.max(rest.height.saturating_sub(rows.saturating_add(1)))
            }
            // The conversation gets the rows that neither code nor output needs.
            Some(rows) if wants.activity == LayoutActivity::Waiting => {
                let needed = rows.saturating_add(wants.output_rows.unwrap_or(u16::MAX)).saturating_add(2);
                chat.max(rest.height.saturating_sub(needed))
            }
            _ => chat,
        };
        let chat = wants.borders.chat_rows(wants.activity, tall, rest.height).unwrap_or(chat);
        self.chat = Some(Slot::new(take_top_sharing(&mut rest, chat), Edge::Box));
        // On a stacked screen a pane can be too low to read; the focused one gets enough rows.
        let code = match wants.activity {
            LayoutActivity::Waiting if looks_at_output && wants.code_rows.is_some() => {
                let rows = |needed: Option<u16>| needed.unwrap_or(u16::MAX).saturating_add(2);
                let left = (rest.height + 1).saturating_sub(rows(wants.output_rows));
                rows(wants.code_rows).min(part(rest.height, 65).max(left))
            }
            LayoutActivity::Writing | LayoutActivity::Waiting if looks_at_output => part(rest.height, 65),
            LayoutActivity::Writing | LayoutActivity::Waiting => rest.height,
            LayoutActivity::Even | LayoutActivity::Running | LayoutActivity::Done | LayoutActivity::Below
                if wants.focus == Pane::Code =>
            {
                part(rest.height, 70)
            }
            activity => part(rest.height, activity.code()).max(3),
        };
        self.column(rest, code, wants);
    }

    /// Puts the code above the output, with so many rows for the code. If one of them has nothing to show, the
    /// other gets the whole column.
    pub(super) fn column(&mut self, mut column: Rect, code_rows: u16, wants: LayoutRequest) {
        let rows = match (wants.code, wants.output) {
            (false, _) => 0,
            (true, false) => column.height,
            (true, true) => wants.borders.code_rows(wants.activity, column.height).unwrap_or(code_rows),
        };
        let code = if wants.code { take_top_sharing(&mut column, rows) } else { Rect::default() };
        self.code = wants.code.then(|| Slot::new(code, Edge::Box));
        self.output = (column.height > 2).then(|| Slot::new(column, Edge::Box));
    }

    pub(super) fn narrow(&mut self, wants: LayoutRequest) {
        let mut rest = self.body;
        if wants.field || matches!(wants.focus, Pane::Chat | Pane::Message) {
            let most = (rest.height / 2).max(2);
            let message = take_bottom(&mut rest, (wants.message_rows.max(1) + 1).min(most));
            self.message = Some(Slot::new(message, Edge::Rule));
        }
        self.alone(wants.focus, Slot::new(rest, Edge::Rule));
    }
}

/// The default width of the conversation beside code and output, which get 80 columns within their borders. The
/// border in between is counted for both.
pub(super) fn chat_columns(width: u16) -> u16 {
    width.saturating_sub(81).clamp(38, 58)
}
