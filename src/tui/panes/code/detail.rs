//! How much of a list is shown, and how the person gets the rest.

use crate::tui::action::Action;
use crate::tui::keymap::{Context, Key};
use crate::tui::widgets::draw_context::DrawContext;

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// Everything.
    Full,
    /// The first names of each list; a key shows all, unless none is bound. Findings have a key, too.
    ShortKeys(Option<Key>),
    /// The first names of each list, where the person types words instead of keys: `show` shows all.
    ShortWords,
}

impl Detail {
    pub(super) fn is_full(self) -> bool {
        self == Detail::Full
    }

    /// How many names of a list to show, if a short list has `short`.
    pub(super) fn limit(self, short: usize) -> usize {
        if self.is_full() { usize::MAX } else { short }
    }

    /// How many more there are, and what the person types to see them: `2 more: p`.
    pub(super) fn more(self, count: usize) -> String {
        match self {
            Detail::ShortWords => format!("{count} more: show"),
            Detail::ShortKeys(Some(key)) => format!("{count} more: {key}"),
            Detail::ShortKeys(None) | Detail::Full => format!("{count} more"),
        }
    }

    /// The names joined by `between`, and how many more there are: `a, b, 2 more: p`.
    pub(super) fn list<N: AsRef<str>>(self, names: &[N], short: usize, between: &str) -> String {
        let shown: Vec<&str> = names.iter().take(self.limit(short)).map(AsRef::as_ref).collect();
        let more = names.len().saturating_sub(shown.len());
        let list = shown.join(between);
        if more > 0 { format!("{list}, {}", self.more(more)) } else { list }
    }
}

/// The key that shows everything.
pub(super) fn key_for_all(draw: DrawContext<'_>) -> Option<Key> {
    draw.keymap.key(Context::Review, Action::Rights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_says_how_many_more_there_are_and_how_to_see_them() {
        let names = ["a", "b", "c: p d"];
        assert_eq!(Detail::Full.list(&names, 1, ", "), "a, b, c: p d");
        assert_eq!(Detail::ShortKeys(Key::parse("p")).list(&names, 2, ", "), "a, b, 1 more: p");
        assert_eq!(Detail::ShortKeys(None).list(&names, 2, ", "), "a, b, 1 more");
        assert_eq!(Detail::ShortWords.list(&names, 1, " "), "a, 2 more: show");
        assert_eq!(Detail::ShortWords.list::<&str>(&[], 1, " "), "");
    }
}
