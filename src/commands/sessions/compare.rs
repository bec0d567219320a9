//! `sayso sessions compare`: where two sessions part, and what was asked, run and printed on each side from there.

use super::{Console, find, seal, unreadable};
use crate::domain::visible::{visible, visible_line};
use crate::domain::{BlockId, Entry, RunReport};
use crate::headless::end_of;
use crate::report::Failure;
use crate::session::factory::SessionFactory;
use crate::store::index::Summary;
use crate::store::{self, LoadedSession};
use crate::text::number::counted;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::BTreeSet;
use std::io;
use std::io::IsTerminal as _;
use unicode_width::UnicodeWidthChar as _;

/// Lines of what a run printed that are put side by side; the rest is counted.
const PRINTED: usize = 40;

/// Columns where no terminal tells how many it has.
const WIDTH: usize = 140;

/// Something that was asked, or a block with what became of it.
#[derive(Debug, PartialEq)]
enum SessionStep {
    Prompt(String),
    Block(BlockSteps),
}

#[derive(Debug, PartialEq)]
struct BlockSteps {
    id: BlockId,
    label: String,
    /// Its text as it stands at last.
    source: String,
    /// What was decided, in a few words.
    decided: String,
    /// How its last run ended, and what it printed.
    outcome: Option<(String, Vec<String>)>,
}

pub(super) fn run(
    factory: &SessionFactory,
    (left, right): (&str, &str),
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let folder = factory.loaded.sessions();
    let seal = seal(&factory.loaded.paths.state, console)?;
    let mut read = |wanted: &str| -> Result<(Summary, LoadedSession), Failure> {
        let summary = find(&folder, wanted)?;
        let loaded = store::read_with(&summary.path, seal.as_ref()).map_err(|error| unreadable(&error))?;
        for damage in &loaded.damage {
            writeln!(
                console.err,
                "warning: {}: {}",
                visible_line(summary.label()),
                visible_line(&damage.to_string())
            )?;
        }
        Ok((summary, loaded))
    };
    let (left, right) = (read(left)?, read(right)?);
    let width = if io::stdout().is_terminal() {
        crossterm::terminal::size().map_or(WIDTH, |(columns, _)| usize::from(columns))
    } else {
        WIDTH
    };
    let mut columns = Columns { width: width.saturating_sub(3).max(40) / 2, lines: Vec::new() };
    compare((&left.0, &left.1), (&right.0, &right.1), &mut columns);
    for line in columns.lines {
        writeln!(console.out, "{line}")?;
    }
    Ok(())
}

fn compare(left: (&Summary, &LoadedSession), right: (&Summary, &LoadedSession), columns: &mut Columns) {
    let (ours, theirs) = (facts(left.1), facts(right.1));
    let same = ours.iter().zip(&theirs).take_while(|(left, right)| is_same(left, right)).count();
    let begins = ours.get(..same).unwrap_or_default();
    let prompts = begins.iter().filter(|entry| matches!(entry, Entry::Prompt(_))).count();
    let blocks = begins.iter().filter(|entry| matches!(entry, Entry::Block(_))).count();
    columns.row(left.0.label(), right.0.label());
    let is_of = |one: &Summary, other: &Summary| one.branch_of.as_deref() == Some(other.id.as_str());
    let related = is_of(left.0, right.0) || is_of(right.0, left.0);
    columns.alone(&match prompts {
        0 if related => "one is a branch of the other, from before its first message".to_owned(),
        0 => "nothing in common".to_owned(),
        _ => format!("the same up to {} and {}", counted(prompts, "message"), counted(blocks, "block")),
    });
    let behind = [&ours, &theirs].into_iter().flat_map(|facts| facts.iter().skip(same));
    let touched: BTreeSet<BlockId> = behind.filter_map(|entry| block_of(entry)).collect();
    let (left, right) = (steps(&ours, same, &touched), steps(&theirs, same, &touched));
    if left.is_empty() && right.is_empty() {
        columns.alone("nothing else on either side");
    }
    for (left, right) in paired(&left, &right) {
        columns.alone("");
        columns.pair(left, right);
    }
}

/// What is told of what was said and done, not of the session as such: a branch has a header and a name of its own.
fn facts(loaded: &LoadedSession) -> Vec<&Entry> {
    let is_own = |entry: &&Entry| {
        matches!(entry, Entry::Header(_) | Entry::Named(_) | Entry::Adopted { .. } | Entry::Resumed)
    };
    loaded.entries.iter().map(|(_, entry)| entry).filter(|entry| !is_own(entry)).collect()
}

fn is_same(left: &Entry, right: &Entry) -> bool {
    match (left, right) {
        // The files of its outputs lie beside each session.
        (Entry::Ran { run, report, .. }, Entry::Ran { run: other, report: theirs, .. }) => {
            run == other && has_same_end(report, theirs)
        }
        (left, right) => left == right,
    }
}

/// Whether two runs came to the same, however long each took.
fn has_same_end(left: &RunReport, right: &RunReport) -> bool {
    let (ours, theirs) = (&left.receipt, &right.receipt);
    left.outcome == right.outcome
        && (ours.exit_code, ours.signal) == (theirs.exit_code, theirs.signal)
        && ours.files == theirs.files
        && (&left.value, &left.error) == (&right.value, &right.error)
        && left.output.in_order() == right.output.in_order()
}

/// What was asked and proposed behind the common beginning. A block of the beginning about which something was decided
/// or done behind it on either side (`touched`) stands there too.
fn steps(facts: &[&Entry], same: usize, touched: &BTreeSet<BlockId>) -> Vec<SessionStep> {
    let mut steps: Vec<SessionStep> = Vec::new();
    for (at, entry) in facts.iter().enumerate() {
        match entry {
            Entry::Prompt(prompt) if at >= same => steps.push(SessionStep::Prompt(prompt.text.clone())),
            Entry::Block(block) => steps.push(SessionStep::Block(BlockSteps {
                id: block.id,
                label: block.label(),
                source: block.current().source.to_string(),
                decided: "waits".into(),
                outcome: None,
            })),
            _ => {
                if let Some(block) = block_of(entry) {
                    change(&mut steps, block, entry);
                }
            }
        }
    }
    steps.retain(|step| match step {
        SessionStep::Prompt(_) => true,
        SessionStep::Block(block) => touched.contains(&block.id),
    });
    steps
}

fn block_of(entry: &Entry) -> Option<BlockId> {
    match entry {
        Entry::Block(block) => Some(block.id),
        Entry::Edited { block, .. }
        | Entry::Placed { block, .. }
        | Entry::Approved { block, .. }
        | Entry::Rejected { block, .. }
        | Entry::Skipped { block, .. }
        | Entry::Declined { block, .. }
        | Entry::PutBack(block)
        | Entry::Ran { block, .. } => Some(*block),
        _ => None,
    }
}

fn change(steps: &mut [SessionStep], block: BlockId, entry: &Entry) {
    let found = steps.iter_mut().rev().find_map(|step| match step {
        SessionStep::Block(one) if one.id == block => Some(one),
        _ => None,
    });
    let Some(one) = found else { return };
    match entry {
        Entry::Edited { source, .. } | Entry::Placed { source, .. } => one.source = source.to_string(),
        Entry::Approved { .. } => one.decided = "approved".into(),
        Entry::Rejected { reason, .. } if reason.is_empty() => one.decided = "rejected".into(),
        Entry::Rejected { reason, .. } => one.decided = format!("rejected: {}", visible_line(reason)),
        Entry::Skipped { .. } => one.decided = "skipped".into(),
        Entry::Declined { why, .. } => one.decided = format!("not offered: {}", visible_line(why)),
        Entry::PutBack(_) => one.decided = "waits".into(),
        Entry::Ran { report, .. } => {
            let mut lines: Vec<String> = String::from_utf8_lossy(&report.output.in_order())
                .lines()
                .map(|line| format!("| {line}"))
                .collect();
            lines.extend(report.value.iter().flat_map(|value| value.lines()).map(|line| format!("= {line}")));
            lines.extend(report.error.iter().map(|error| format!("! {}", error.message)));
            one.outcome = Some((end_of(report).join(", "), lines));
        }
        _ => {}
    }
}

/// The steps of both sides in their order, those that are alike in kind beside each other.
fn paired<'a>(
    left: &'a [SessionStep],
    right: &'a [SessionStep],
) -> Vec<(Option<&'a SessionStep>, Option<&'a SessionStep>)> {
    let kinds = |steps: &[SessionStep]| -> Vec<bool> {
        steps.iter().map(|step| matches!(step, SessionStep::Prompt(_))).collect()
    };
    aligned(&kinds(left), &kinds(right))
        .into_iter()
        .map(|(l, r)| (l.and_then(|at| left.get(at)), r.and_then(|at| right.get(at))))
        .collect()
}

/// The places of both lists in their order, equal ones beside each other; what was replaced stands beside what replaced
/// it.
fn aligned<T: std::hash::Hash + Eq + Ord>(left: &[T], right: &[T]) -> Vec<(Option<usize>, Option<usize>)> {
    let mut pairs = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, left, right) {
        let (left, right) = (op.old_range(), op.new_range());
        debug_assert!(!matches!(op, DiffOp::Equal { .. }) || left.len() == right.len());
        let longer = left.len().max(right.len());
        pairs.extend((0..longer).map(|n| {
            (
                Some(left.start + n).filter(|at| *at < left.end),
                Some(right.start + n).filter(|at| *at < right.end),
            )
        }));
    }
    pairs
}

/// Two columns of lines.
struct Columns {
    /// Cells of each.
    width: usize,
    lines: Vec<String>,
}

impl Columns {
    fn alone(&mut self, line: &str) {
        self.lines.push(line.to_owned());
    }

    /// A row that is the same on both sides, or differs (`≠`). What does not fit goes on in the next line, and beneath two
    /// lines that differ in part the first difference is marked (`^`).
    fn row(&mut self, left: &str, right: &str) {
        let seen = |line: &str| visible(line.trim_end()).replace(['\t', '\n'], "    ");
        let (left, right) = (seen(left), seen(right));
        let (differs, both) = (left != right, !left.is_empty() && !right.is_empty());
        let (lefts, rights) = (wrapped(&left, self.width), wrapped(&right, self.width));
        let mark = (differs && both).then(|| first_difference(&lefts, &rights)).flatten();
        for at in 0..lefts.len().max(rights.len()) {
            let part = |parts: &[String]| parts.get(at).cloned().unwrap_or_default();
            let between = if differs { '≠' } else { '│' };
            self.line(&part(&lefts), between, &part(&rights));
            // Short lines are seen at once.
            if let Some((_, columns)) = mark.filter(|(row, _)| *row == at && (at > 0 || lefts.len() > 1)) {
                let pointer = format!("{}^", " ".repeat(columns));
                self.line(&pointer, ' ', &pointer);
            }
        }
    }

    fn line(&mut self, left: &str, between: char, right: &str) {
        let room = self.width.saturating_sub(width_of(left));
        let line = format!("{left}{} {between} {right}", " ".repeat(room));
        self.lines.push(line.trim_end().to_owned());
    }

    fn rows<L: AsRef<str>>(&mut self, left: &[L], right: &[L]) {
        let texts =
            |lines: &[L]| -> Vec<String> { lines.iter().map(|line| line.as_ref().to_owned()).collect() };
        let (left, right) = (texts(left), texts(right));
        let line = |lines: &[String], at: Option<usize>| -> String {
            at.and_then(|at| lines.get(at)).cloned().unwrap_or_default()
        };
        for (l, r) in aligned(&left, &right) {
            self.row(&line(&left, l), &line(&right, r));
        }
    }

    fn pair(&mut self, left: Option<&SessionStep>, right: Option<&SessionStep>) {
        let none = StepText::default();
        let left = left.map(StepText::of);
        let right = right.map(StepText::of);
        let (left, right) = (left.as_ref().unwrap_or(&none), right.as_ref().unwrap_or(&none));
        self.row(&left.head, &right.head);
        self.rows(&left.text, &right.text);
        if left.ended.is_some() || right.ended.is_some() {
            let ended = |part: &StepText| part.ended.clone().unwrap_or_default();
            self.row(&ended(left), &ended(right));
        }
        self.rows(&left.printed, &right.printed);
    }
}

/// A step in lines.
#[derive(Default)]
struct StepText {
    head: String,
    text: Vec<String>,
    ended: Option<String>,
    printed: Vec<String>,
}

impl StepText {
    fn of(step: &SessionStep) -> Self {
        let indented = |text: &str| -> Vec<String> {
            visible(text.trim_end()).lines().map(|line| format!("  {line}")).collect()
        };
        match step {
            SessionStep::Prompt(text) => Self { head: "you".into(), text: indented(text), ..Self::default() },
            SessionStep::Block(block) => {
                let (ended, printed) = block.outcome.clone().unzip();
                let mut printed = printed.unwrap_or_default();
                let more = printed.len().saturating_sub(PRINTED);
                printed.truncate(PRINTED);
                if more > 0 {
                    printed.push(format!("({} more)", counted(more, "line")));
                }
                Self {
                    head: format!("block {} ({}), {}", block.id, block.label, block.decided),
                    text: indented(&block.source),
                    ended,
                    printed,
                }
            }
        }
    }
}

fn width_of(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// A line in parts that fit; an empty one is one part.
fn wrapped(line: &str, width: usize) -> Vec<String> {
    let (mut parts, mut left) = (vec![String::new()], width);
    for c in line.chars() {
        let cells = c.width().unwrap_or(0);
        if cells > left {
            parts.push(String::new());
            left = width;
        }
        left = left.saturating_sub(cells);
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts
}

/// The row and the column at which the two are not the same any more.
fn first_difference(left: &[String], right: &[String]) -> Option<(usize, usize)> {
    let row = left.iter().zip(right).position(|(left, right)| left != right)?;
    let (left, right) = (left.get(row)?, right.get(row)?);
    let same: String = left
        .chars()
        .zip(right.chars())
        .take_while(|(left, right)| left == right)
        .map(|both| both.0)
        .collect();
    Some((row, width_of(&same)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_alike_stands_side_by_side() {
        let mut columns = Columns { width: 12, lines: Vec::new() };
        columns.rows(&["a = 1", "print(a)", "same"], &["a = 2", "same"]);
        assert_eq!(columns.lines, ["a = 1        ≠ a = 2", "print(a)     ≠", "same         │ same"]);
    }

    #[test]
    fn a_long_line_goes_on_in_the_next_and_its_difference_is_marked() {
        let mut columns = Columns { width: 8, lines: Vec::new() };
        columns.row("abcdefghij = 1", "abcdefghij = 2");
        assert_eq!(columns.lines, ["abcdefgh ≠ abcdefgh", "ij = 1   ≠ ij = 2", "     ^          ^"]);
        let mut columns = Columns { width: 8, lines: Vec::new() };
        columns.row("abcdefghij", "abcdefghij");
        assert_eq!(columns.lines, ["abcdefgh │ abcdefgh", "ij       │ ij"]);
        let mut columns = Columns { width: 8, lines: Vec::new() };
        columns.row("", "abcdefghij");
        assert_eq!(columns.lines, ["         ≠ abcdefgh", "         ≠ ij"]);
    }

    #[test]
    fn what_is_wide_or_hostile_keeps_its_column() {
        let mut columns = Columns { width: 6, lines: Vec::new() };
        columns.row("日本語の列", "\u{1b}[2J");
        let line = &columns.lines[0];
        assert_eq!(width_of(line.split('≠').next().unwrap()), 7, "{line}");
        assert!(!line.contains('\u{1b}'), "{line}");
    }
}
