//! Orders sessions as a tree: each branch below the session that it was made from.

use super::Summary;
use std::collections::HashMap;

/// The most levels that are drawn; a deeper branch still gets a line.
const MAX_DEPTH: usize = 12;

/// The signs that draw the lines of a tree, all of the same width.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TreeSigns {
    /// In front of a branch that is followed by others of the same session.
    pub(crate) on: &'static str,
    /// In front of the last branch of a session.
    pub(crate) last: &'static str,
    /// For a line that passes by to a later branch.
    pub(crate) past: &'static str,
}

impl TreeSigns {
    pub(crate) const LINES: Self = Self { on: "├ ", last: "└ ", past: "│ " };
    /// For terminals that only show ASCII.
    pub(crate) const ASCII: Self = Self { on: "|-", last: "`-", past: "| " };
}

/// The row of a session in its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TreeRow {
    /// The index of the session.
    pub(crate) at: usize,
    /// The row of the session that it was made from, if that is shown above it.
    above: Option<usize>,
    /// Whether it is the last branch of its session.
    is_last: bool,
    /// How many sessions are above it up to the root.
    depth: usize,
    /// One bit per level above it, for the levels that are drawn: whether the branch there is the last one of its
    /// session.
    ended: u32,
}

impl TreeRow {
    /// Whether it is shown below the session that it was made from.
    pub(crate) fn is_below(&self) -> bool {
        self.above.is_some()
    }

    /// The bit that rows below it have for this level.
    fn own_bit(&self) -> u32 {
        let is_drawn = self.is_last && (1..MAX_DEPTH).contains(&self.depth);
        if is_drawn { 1 << self.depth } else { 0 }
    }

    /// What to draw in front of the row: the levels above it, and its own sign.
    pub(crate) fn lead(&self, signs: TreeSigns) -> String {
        let own = if self.is_last { signs.last } else { signs.on };
        self.levels(signs).chain(self.is_below().then_some(own)).collect()
    }

    /// What to draw in front of a second line of the row, if `next` is the row after it.
    pub(crate) fn lead_below(&self, signs: TreeSigns, next: Option<&TreeRow>) -> String {
        let own = if self.is_last { "  " } else { signs.past };
        let has_branches = next.is_some_and(|next| next.depth > self.depth);
        let below = has_branches.then_some(signs.past);
        self.levels(signs).chain(self.is_below().then_some(own)).chain(below).collect()
    }

    fn levels(&self, signs: TreeSigns) -> impl Iterator<Item = &'static str> {
        let past = move |level: usize| if self.ended >> level & 1 == 1 { "  " } else { signs.past };
        (1..self.depth.min(MAX_DEPTH)).map(past)
    }
}

/// Sessions in the order of their trees.
#[derive(Clone, Debug, Default)]
pub(crate) struct SessionTree {
    rows: Vec<TreeRow>,
}

impl SessionTree {
    /// The wanted sessions, newest first. A tree is placed where its newest session would be, and so is each branch
    /// among those of the same session. No session is left out, whatever the files say about their origin.
    pub(crate) fn of(sessions: &[Summary], is_wanted: impl Fn(&Summary) -> bool) -> Self {
        let wanted = || sessions.iter().enumerate().filter(|(_, one)| is_wanted(one));
        let by_id: HashMap<&str, usize> = wanted().map(|(at, one)| (one.id.as_str(), at)).collect();
        let origin = |at: usize| {
            let of = sessions.get(at).and_then(|one| one.branch_of.as_deref())?;
            by_id.get(of).copied().filter(|of| *of != at)
        };
        let (mut roots, mut branches) = (Vec::new(), vec![Vec::new(); sessions.len()]);
        let mut is_known = vec![false; sessions.len()];
        for (first, _) in wanted() {
            let mut at = Some(first);
            // Up to the root, or to a session that a newer one has already led to.
            while let Some(one) = at.filter(|one| is_known.get(*one) == Some(&false)) {
                is_known.get_mut(one).into_iter().for_each(|known| *known = true);
                at = origin(one);
                match at.and_then(|of| branches.get_mut(of)) {
                    Some(others) => others.push(one),
                    None => roots.push(one),
                }
            }
        }
        let mut tree = Self::default();
        let mut is_placed = vec![false; sessions.len()];
        tree.place(&roots, &branches, &mut is_placed);
        // Sessions that name each other as their origin are below no root: the newest of them starts a tree.
        for (at, _) in wanted() {
            if is_placed.get(at) == Some(&false) {
                tree.place(&[at], &branches, &mut is_placed);
            }
        }
        tree
    }

    /// Places these sessions with all their branches, unless they were placed already.
    fn place(&mut self, roots: &[usize], branches: &[Vec<usize>], is_placed: &mut [bool]) {
        let row = |at: usize| TreeRow { at, above: None, is_last: false, depth: 0, ended: 0 };
        let mut left: Vec<TreeRow> = roots.iter().rev().map(|at| row(*at)).collect();
        while let Some(next) = left.pop() {
            let Some(placed) = is_placed.get_mut(next.at).filter(|placed| !**placed) else { continue };
            *placed = true;
            let below = branches.get(next.at).map_or(&[][..], Vec::as_slice);
            let above = Some(self.rows.len());
            let rows = below.iter().rev().enumerate();
            let (depth, ended) = (next.depth + 1, next.ended | next.own_bit());
            left.extend(rows.map(|(behind, at)| TreeRow {
                at: *at,
                above,
                is_last: behind == 0,
                depth,
                ended,
            }));
            self.rows.push(next);
        }
    }

    pub(crate) fn rows(&self) -> &[TreeRow] {
        &self.rows
    }

    /// All sessions of the tree that contains this one, in order.
    pub(crate) fn family(&self, at: usize) -> &[TreeRow] {
        let Some(own) = self.rows.iter().position(|row| row.at == at) else { return &[] };
        let is_root = |row: &TreeRow| row.above.is_none();
        let begin = self.rows.iter().take(own + 1).rposition(is_root).unwrap_or(own);
        let behind = self.rows.get(own + 1..).unwrap_or_default();
        let end = own + 1 + behind.iter().position(is_root).unwrap_or(behind.len());
        self.rows.get(begin..end).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn one(id: &str, of: Option<&str>) -> Summary {
        Summary { id: id.into(), path: id.into(), branch_of: of.map(str::to_owned), ..Summary::default() }
    }

    fn drawn(all: &[Summary], rows: &[TreeRow]) -> Vec<String> {
        rows.iter().map(|row| format!("{}{}", row.lead(TreeSigns::LINES), all[row.at].id)).collect()
    }

    #[test]
    fn branches_stand_below_what_they_left_and_none_is_lost() {
        let all = [
            one("c", Some("b")),
            one("new", None),
            one("b2", Some("a")),
            one("b", Some("a")),
            one("x", Some("gone")),
            one("a", None),
            one("r", Some("s")),
            one("s", Some("r")),
            one("own", Some("own")),
        ];
        let tree = SessionTree::of(&all, |_| true);
        let rows = ["a", "├ b", "│ └ c", "└ b2", "new", "x", "own", "r", "└ s"];
        assert_eq!(drawn(&all, tree.rows()), rows);
        let below = |n: usize| tree.rows()[n].lead_below(TreeSigns::LINES, tree.rows().get(n + 1));
        assert_eq!([0, 1, 2, 3, 4].map(below), ["│ ", "│ │ ", "│   ", "  ", ""]);
        // A newer branch moves its whole tree up; if a session is not wanted, its branches become roots.
        let tree = SessionTree::of(&all, |one| one.id != "a");
        assert_eq!(drawn(&all, tree.rows())[..4], ["b", "└ c", "new", "b2"]);
    }

    #[test]
    fn a_family_is_the_tree_around_a_session() {
        let all = [one("z", None), one("b", Some("a")), one("c", Some("b")), one("a", None), one("y", None)];
        let tree = SessionTree::of(&all, |_| true);
        let family = |at: usize| drawn(&all, tree.family(at));
        assert_eq!(family(2), ["a", "└ b", "  └ c"]);
        assert_eq!((family(3), family(0), family(4)), (family(2), vec!["z".into()], vec!["y".into()]));
    }

    #[test]
    fn a_deep_branch_keeps_its_line() {
        let id = |n: usize| format!("s{n}");
        let all: Vec<Summary> =
            (0..500).map(|n| one(&id(n), (n > 0).then(|| id(n - 1)).as_deref())).collect();
        let tree = SessionTree::of(&all, |_| true);
        let lead = tree.rows()[499].lead(TreeSigns::LINES);
        assert_eq!(lead.chars().count(), 2 * MAX_DEPTH, "{lead:?}");
        assert!(lead.ends_with("└ "));
    }

    /// What is drawn in front of a row, computed by going up from it.
    fn climbed(rows: &[TreeRow], row: TreeRow) -> String {
        let (mut parts, mut next) = (Vec::new(), Some(row));
        while let Some((one, above)) = next.and_then(|one| Some((one, one.above?))) {
            parts.push(match (parts.is_empty(), one.is_last) {
                (true, false) => TreeSigns::LINES.on,
                (true, true) => TreeSigns::LINES.last,
                (false, false) => TreeSigns::LINES.past,
                (false, true) => "  ",
            });
            next = rows.get(above).copied();
        }
        let too_many = parts.len().saturating_sub(MAX_DEPTH);
        parts.drain(1.min(parts.len())..(1 + too_many).min(parts.len()));
        parts.into_iter().rev().collect()
    }

    proptest! {
        #![proptest_config(crate::test_cases::cases(200))]

        /// Whatever the files name as origins, each session has exactly one row, and is below its origin if it is
        /// below any.
        #[test]
        fn each_session_stands_once(origins in proptest::collection::vec(proptest::option::of(0usize..24), 0..20)) {
            let all: Vec<Summary> = origins.iter().enumerate()
                .map(|(n, of)| one(&n.to_string(), of.map(|of| of.to_string()).as_deref())).collect();
            let tree = SessionTree::of(&all, |_| true);
            let mut seen: Vec<usize> = tree.rows().iter().map(|row| row.at).collect();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..all.len()).collect::<Vec<_>>());
            for (number, row) in tree.rows().iter().enumerate() {
                if let Some(above) = row.above {
                    prop_assert!(above < number);
                    prop_assert_eq!(&all[tree.rows()[above].at].id, all[row.at].branch_of.as_ref().unwrap());
                }
                prop_assert_eq!(row.lead(TreeSigns::LINES), climbed(tree.rows(), *row));
            }
        }
    }
}
