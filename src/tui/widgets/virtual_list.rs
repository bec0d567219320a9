//! A scrolling list that lays out only the items on screen.
//!
//! The list follows its end until the person scrolls up. From then on the row at the top is fixed, by item and
//! row, whatever is added below and however a new width wraps the rows.

use super::words;
use crate::tui::paint::canvas::Canvas;
use ratatui::layout::Rect;
use ratatui::text::Line;

/// A long list whose items are converted to rows only when they are visible.
pub(crate) trait Items {
    fn count(&mut self) -> usize;
    fn rows(&mut self, item: usize) -> usize;
    /// The width that the rows are wrapped for.
    fn width(&self) -> usize;
    /// Returns a row of an item, ready to draw.
    fn line(&mut self, at: Anchor) -> Option<Line<'static>>;
}

/// A row of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Anchor {
    pub(crate) item: usize,
    pub(crate) row: usize,
}

/// The key that leads to the end of a list from the present position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EndKeys {
    None,
    /// The key jumps to the end.
    End(String),
    /// The key moves one page towards the end.
    Page(String),
}

/// The scroll position of a pane in its list.
#[derive(Debug, Default)]
pub(crate) struct VirtualList {
    /// The row at the top; `None`: the list follows its end.
    pub(crate) anchor: Option<Anchor>,
    /// Where the end was when the person left it: the last item, and how many rows it had.
    left_at: (usize, usize),
    /// How many rows that item had at the last `arrange`, and the width of its rows then.
    left_rows: usize,
    width: usize,
    /// The rows on screen, top to bottom.
    pub(crate) visible: Vec<Anchor>,
    height: usize,
    /// The rows of the next frame, and the number of new rows below them; `None`: the list follows its end.
    lines: Vec<Line<'static>>,
    new: Option<usize>,
    /// Whether the list has more rows below these.
    pub(crate) goes_on: bool,
}

impl VirtualList {
    /// Whether the list follows its end.
    pub(crate) fn follows(&self) -> bool {
        self.anchor.is_none()
    }

    /// Jumps to the end and follows it.
    pub(crate) fn follow(&mut self) {
        self.anchor = None;
    }

    /// Lays out the rows of the next frame, which has `height` rows.
    pub(crate) fn arrange(&mut self, items: &mut impl Items, height: usize) {
        self.rewrap_left(items);
        self.find(items, height);
        self.lines = self.visible.iter().map(|at| items.line(*at).unwrap_or_default()).collect();
        self.new = (!self.follows()).then(|| self.new_rows(items));
        self.left_rows = if self.follows() { 0 } else { items.rows(self.left_at.0) };
        self.goes_on = !self.follows() && !self.shows_end(items);
    }

    /// Another width wraps rows anew, which makes none of them new: the place where the end was left moves with them.
    fn rewrap_left(&mut self, items: &mut impl Items) {
        let (item, row) = self.left_at;
        // The rest of the list is away while an image is shown alone; the place is found when the list is back.
        if self.width == items.width() || item >= items.count() {
            return;
        }
        self.width = items.width();
        self.left_at = match self.new {
            None | Some(0) => end(items),
            Some(_) => (item, (row * items.rows(item)).checked_div(self.left_rows).unwrap_or(0)),
        };
    }

    /// Draws the rows from the last `arrange`.
    pub(crate) fn draw(&self, area: Rect, buf: &mut Canvas) {
        buf.set_lines(area, &self.lines);
    }

    fn find(&mut self, items: &mut impl Items, height: usize) {
        self.height = height;
        let Some(anchor) = self.anchor else { return self.fill_up(items) };
        self.fill_down(items, anchor);
        if self.visible.len() < height {
            // The end is on screen: rows above fill the rest. The list still doesn't follow the end: the person
            // scrolled away from it, and new rows must not move the text being read.
            self.fill_up(items);
            self.anchor = self.visible.first().copied().or(self.anchor);
        }
    }

    fn fill_down(&mut self, items: &mut impl Items, from: Anchor) {
        self.visible.clear();
        for item in from.item..items.count() {
            let first = if item == from.item { from.row } else { 0 };
            for row in first..items.rows(item) {
                if self.visible.len() == self.height {
                    return;
                }
                self.visible.push(Anchor { item, row });
            }
        }
    }

    fn fill_up(&mut self, items: &mut impl Items) {
        self.visible.clear();
        'items: for item in (0..items.count()).rev() {
            for row in (0..items.rows(item)).rev() {
                if self.visible.len() == self.height {
                    break 'items;
                }
                self.visible.push(Anchor { item, row });
            }
        }
        self.visible.reverse();
    }

    /// Scrolls by rows. Scrolling up stops following the end; scrolling down to the end follows it again.
    pub(crate) fn scroll(&mut self, items: &mut impl Items, rows: isize) {
        if rows > 0 && self.anchor.is_none() {
            return;
        }
        let Some(mut top) = self.anchor.or_else(|| self.visible.first().copied()) else { return };
        self.leave_end(items);
        for _ in 0..rows.unsigned_abs() {
            let moved = if rows < 0 { above(items, top) } else { below(items, top) };
            let Some(moved) = moved else { break };
            top = moved;
        }
        self.anchor = Some(top);
        self.find(items, self.height);
        if rows > 0 && self.shows_end(items) {
            self.anchor = None;
        }
    }

    /// Whether the last row of the list is visible.
    fn shows_end(&self, items: &mut impl Items) -> bool {
        self.visible.last().is_none_or(|last| below(items, *last).is_none())
    }

    fn leave_end(&mut self, items: &mut impl Items) {
        if self.anchor.is_none() {
            self.left_at = end(items);
        }
    }

    /// Jumps to the first row.
    pub(crate) fn to_top(&mut self, items: &mut impl Items) {
        self.scroll_to(items, Anchor { item: 0, row: 0 }, 0);
    }

    /// Scrolls to a row, a little below the top; if the row is visible already, nothing moves.
    pub(crate) fn ensure_visible(&mut self, items: &mut impl Items, at: Anchor) {
        if !self.visible.contains(&at) {
            self.scroll_to(items, at, 2);
        }
    }

    /// Scrolls to a row, with so many rows above it.
    pub(crate) fn scroll_to(&mut self, items: &mut impl Items, at: Anchor, above_it: usize) {
        self.leave_end(items);
        let mut top = at;
        for _ in 0..above_it {
            let Some(moved) = above(items, top) else { break };
            top = moved;
        }
        self.anchor = Some(top);
        self.find(items, self.height);
    }

    /// The rows of a page; one row of the last page stays visible.
    pub(crate) fn page(&self) -> isize {
        isize::try_from(self.height.saturating_sub(1).max(1)).unwrap_or(1)
    }

    /// The rows added at the end since the person left it.
    fn new_rows(&self, items: &mut impl Items) -> usize {
        let (item, row) = self.left_at;
        (item..items.count())
            .map(|at| if at == item { items.rows(at).saturating_sub(row) } else { items.rows(at) })
            .sum()
    }

    /// The position for a title: `follow`, or the number of new rows below at the last `arrange`, with the key
    /// that leads to them.
    pub(crate) fn position_text(&self, keys: &EndKeys) -> String {
        match (self.new, keys) {
            (None, _) => "follow".into(),
            (Some(0), EndKeys::End(key)) if !key.is_empty() => format!("{key} end"),
            (Some(0), _) => String::new(),
            (Some(new), EndKeys::End(key) | EndKeys::Page(key)) => {
                format!("{}  {key}", words::count(new, "new line")).trim_end().to_owned()
            }
            (Some(new), EndKeys::None) => words::count(new, "new line"),
        }
    }

    /// Call this after `by` items were inserted (or, if negative, removed) in front of `from`: the row at the
    /// top stays the same.
    pub(crate) fn shift(&mut self, from: usize, by: isize) {
        if let Some(anchor) = self.anchor.as_mut().filter(|a| a.item >= from) {
            anchor.item = anchor.item.saturating_add_signed(by).max(from.saturating_add_signed(by.min(0)));
        }
        if self.left_at.0 >= from {
            self.left_at.0 = self.left_at.0.saturating_add_signed(by);
        }
    }
}

/// The last item, and how many rows it has.
fn end(items: &mut impl Items) -> (usize, usize) {
    let last = items.count().saturating_sub(1);
    (last, items.rows(last))
}

fn above(items: &mut impl Items, at: Anchor) -> Option<Anchor> {
    if let Some(row) = at.row.checked_sub(1) {
        return Some(Anchor { row, ..at });
    }
    (0..at.item).rev().find_map(|item| Some(Anchor { item, row: items.rows(item).checked_sub(1)? }))
}

fn below(items: &mut impl Items, at: Anchor) -> Option<Anchor> {
    if at.row + 1 < items.rows(at.item) {
        return Some(Anchor { row: at.row + 1, ..at });
    }
    (at.item + 1..items.count()).find(|item| items.rows(*item) > 0).map(|item| Anchor { item, row: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Items with so many rows; records which items were laid out. The last field is the width.
    struct Rows(Vec<usize>, std::collections::BTreeSet<usize>, usize);

    impl Items for Rows {
        fn count(&mut self) -> usize {
            self.0.len()
        }
        fn rows(&mut self, item: usize) -> usize {
            self.1.insert(item);
            self.0.get(item).copied().unwrap_or(0)
        }
        fn width(&self) -> usize {
            self.2
        }
        fn line(&mut self, _: Anchor) -> Option<Line<'static>> {
            None
        }
    }

    fn rows(list: &[usize]) -> Rows {
        Rows(list.to_vec(), std::collections::BTreeSet::new(), 80)
    }

    /// Items with so many rows, and their list on a pane of this height.
    fn arranged(list: &[usize], height: usize) -> (Rows, VirtualList) {
        let (mut items, mut list) = (rows(list), VirtualList::default());
        list.arrange(&mut items, height);
        (items, list)
    }

    fn end_key() -> EndKeys {
        EndKeys::End("G".into())
    }

    #[test]
    fn a_page_key_is_not_said_to_go_to_the_end() {
        let (mut items, mut list) = arranged(&[1; 90], 10);
        list.scroll(&mut items, -40);
        list.arrange(&mut items, 10);
        assert_eq!(list.position_text(&end_key()), "G end");
        assert_eq!(list.position_text(&EndKeys::Page("PgDn".into())), "");
        assert_eq!(list.position_text(&EndKeys::End(String::new())), "");
    }

    fn ends(list: &VirtualList) -> ((usize, usize), (usize, usize)) {
        let (first, last) = (list.visible.first().unwrap(), list.visible.last().unwrap());
        ((first.item, first.row), (last.item, last.row))
    }

    #[test]
    fn a_long_list_opens_from_its_end_and_only_that_is_laid_out() {
        let (items, list) = arranged(&[3; 2000], 10);
        assert_eq!(ends(&list), ((1996, 2), (1999, 2)));
        assert!(items.1.len() <= 5, "{:?}", items.1.len());
    }

    #[test]
    fn scrolled_up_it_holds_still_and_counts_what_is_new() {
        let (mut items, mut list) = arranged(&[2; 20], 6);
        list.scroll(&mut items, -4);
        let before = ends(&list);
        items.0.extend([2, 1]);
        list.arrange(&mut items, 6);
        assert_eq!(ends(&list), before);
        assert_eq!(list.position_text(&end_key()), "3 new lines  G");
        assert_eq!(list.position_text(&EndKeys::None), "3 new lines", "no key is told where none goes there");
        assert_eq!(list.position_text(&EndKeys::Page("PgDn".into())), "3 new lines  PgDn");
        list.follow();
        list.arrange(&mut items, 6);
        assert_eq!(list.position_text(&end_key()), "follow");
        assert_eq!(list.visible.last(), Some(&Anchor { item: 21, row: 0 }));
    }

    #[test]
    fn another_width_makes_no_row_new() {
        let (mut items, mut list) = arranged(&[1; 32], 10);
        list.to_top(&mut items);
        list.arrange(&mut items, 10);
        assert_eq!(list.position_text(&end_key()), "G end");
        // The last line takes two rows, and the rows of a traceback below it become more items.
        (items.0[31], items.2) = (2, 60);
        items.0.extend([1, 1]);
        list.arrange(&mut items, 10);
        assert_eq!(list.position_text(&end_key()), "G end");
        items.0.extend([2, 1]);
        list.arrange(&mut items, 10);
        assert_eq!(list.position_text(&end_key()), "3 new lines  G");
        // What is new stays new, counted in the rows of the new width.
        (items.0, items.2) = ([vec![2; 34], vec![4, 2]].concat(), 30);
        list.arrange(&mut items, 10);
        assert_eq!(list.position_text(&end_key()), "6 new lines  G");
    }

    #[test]
    fn scrolled_back_to_the_end_it_follows_again() {
        let (mut items, mut list) = arranged(&[1; 30], 10);
        list.scroll(&mut items, -3);
        assert!(!list.follows());
        list.scroll(&mut items, 2);
        assert!(!list.follows());
        list.scroll(&mut items, 1);
        assert!(list.follows());
    }

    #[test]
    fn whoever_scrolls_up_holds_still_even_where_everything_fits() {
        let (mut items, mut list) = arranged(&[1; 6], 8);
        list.scroll(&mut items, -7);
        items.0.extend([1; 9]);
        list.arrange(&mut items, 8);
        assert_eq!(ends(&list), ((0, 0), (7, 0)));
        assert_eq!(list.position_text(&end_key()), "9 new lines  G");
    }

    proptest! {
        #[test]
        fn it_shows_rows_that_exist_without_gaps(
            sizes in proptest::collection::vec(0usize..4, 0..40),
            height in 1usize..12,
            steps in proptest::collection::vec(-9isize..9, 0..12),
        ) {
            let (mut items, mut list) = arranged(&sizes, height);
            let all: Vec<Anchor> = sizes
                .iter()
                .enumerate()
                .flat_map(|(item, n)| (0..*n).map(move |row| Anchor { item, row }))
                .collect();
            for step in steps {
                list.scroll(&mut items, step);
                let shown = &list.visible;
                prop_assert_eq!(shown.len(), height.min(all.len()));
                if let Some(first) = shown.first() {
                    let at = all.iter().position(|a| a == first).unwrap();
                    prop_assert_eq!(shown, &all[at..at + shown.len()]);
                }
            }
        }
    }
}
