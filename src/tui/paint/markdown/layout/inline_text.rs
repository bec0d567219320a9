//! Collects the text of a paragraph, heading or cell with its styles, and makes addresses in it links.

use super::Layout;
use crate::tui::paint::hyperlinks;
use crate::tui::theme::Slot;
use pulldown_cmark::{HeadingLevel, LinkType};
use ratatui::style::{Modifier, Style};

impl Layout<'_> {
    pub(super) fn begin_link(&mut self, kind: LinkType, address: &str) {
        let mailto = if kind == LinkType::Email { "mailto:" } else { "" };
        self.styles.push(self.theme.style(Slot::ChatLink));
        self.open_links.push((format!("{mailto}{address}"), self.text.len()));
    }

    /// Shows the address of a link in words. Only the address itself is clickable: the text of the link may
    /// claim something else.
    pub(super) fn end_link(&mut self) {
        self.styles.pop();
        let Some((target, start)) = self.open_links.pop() else { return };
        let words = self.text.get(start..).unwrap_or_default();
        if words.trim() == target.strip_prefix("mailto:").unwrap_or(&target) {
            let whole = start..self.text.len();
            self.looks = linked(std::mem::take(&mut self.looks), &whole, self.links.style_for(&target));
        } else if !target.is_empty() {
            self.push(" (", self.dim());
            self.push(&target, self.dim().patch(self.links.style_for(&target)));
            self.push(")", self.dim());
        }
    }

    pub(super) fn heading(&self, level: HeadingLevel) -> Style {
        let bold = self.theme.style(Slot::UiTitle).add_modifier(Modifier::BOLD);
        if matches!(level, HeadingLevel::H1 | HeadingLevel::H2) {
            bold.add_modifier(Modifier::UNDERLINED)
        } else {
            bold
        }
    }

    pub(super) fn style(&self) -> Style {
        self.styles.iter().fold(self.theme.style(Slot::UiText), |style, more| style.patch(*more))
    }

    pub(super) fn dim(&self) -> Style {
        self.theme.style(Slot::UiDim)
    }

    pub(super) fn push(&mut self, text: &str, style: Style) {
        self.text.push_str(text);
        match self.looks.last_mut() {
            Some((end, last)) if *last == style => *end = self.text.len(),
            _ => self.looks.push((self.text.len(), style)),
        }
    }

    /// The styles of the complete text; bare addresses in it that are not links yet become links.
    pub(super) fn take_looks(&mut self, text: &str) -> Vec<(usize, Style)> {
        let mut looks = std::mem::take(&mut self.looks);
        for address in hyperlinks::bare_addresses(text) {
            let link = self.links.style_for(text.get(address.clone()).unwrap_or_default());
            looks = linked(looks, &address, link);
        }
        looks
    }
}

/// Makes a range of a text a link; parts that are links already stay as they are.
fn linked(looks: Vec<(usize, Style)>, range: &std::ops::Range<usize>, link: Style) -> Vec<(usize, Style)> {
    let (mut all, mut start) = (Vec::with_capacity(looks.len() + 2), 0);
    for (end, look) in looks {
        let (from, to) = (range.start.clamp(start, end), range.end.clamp(start, end));
        let inside = if look.underline_color.is_none() { look.patch(link) } else { look };
        for (end, look) in [(from, look), (to, inside), (end, look)] {
            // Parts without a character are left out.
            if end > start {
                all.push((end, look));
                start = end;
            }
        }
    }
    all
}
