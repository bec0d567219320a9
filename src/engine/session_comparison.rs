//! Finds where two sessions diverge, and lists what was asked, run and printed on each side from there.

mod steps;

use crate::domain::visible::{visible, visible_line};
use crate::domain::{BlockId, Entry, RunReport, Timestamp};
use crate::text::diff::{diff_ops, is_change};
use crate::text::number::counted;
use std::collections::BTreeSet;
use steps::{SessionStep, StepText, block_of, steps};

/// How many lines of a run's output are put side by side; the others are counted.
const MAX_OUTPUT_LINES: usize = 40;

/// How many lines of a prompt, or of a block's source, are put side by side.
const MAX_TEXT_LINES: usize = 2000;

/// How many characters of a line are shown.
const MAX_LINE_CHARS: usize = 4000;

/// One side of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct ComparedSession<'a> {
    /// Its name in the comparison.
    pub label: &'a str,
    /// Its id.
    pub id: &'a str,
    /// The id of the session that it was branched from.
    pub branch_of: Option<&'a str>,
    /// All its entries.
    pub entries: &'a [(Timestamp, Entry)],
}

/// Two sessions side by side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    rows: Vec<ComparisonRow>,
    /// How many rows differ between the sides.
    differing: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ComparisonRow {
    /// The labels of the left and the right side.
    Head(String, String),
    /// A line about both sides.
    Alone(String),
    /// The left line, the right line, and whether their content is the same. Shortened or counted lines may look the
    /// same although the content differs.
    Pair(String, String, bool),
}

impl Comparison {
    /// Compares two sessions.
    pub fn of(left: ComparedSession<'_>, right: ComparedSession<'_>) -> Self {
        let mut comparison = Self::default();
        let (left_facts, right_facts) = (facts(left.entries), facts(right.entries));
        let same =
            left_facts.iter().zip(&right_facts).take_while(|(left, right)| is_same(left, right)).count();
        let begins = left_facts.get(..same).unwrap_or_default();
        let prompts = begins.iter().filter(|entry| matches!(entry, Entry::Prompt(_))).count();
        let blocks = begins.iter().filter(|entry| matches!(entry, Entry::Block(_))).count();
        comparison.rows.push(ComparisonRow::Head(visible_line(left.label), visible_line(right.label)));
        let is_of = |one: ComparedSession<'_>, other: ComparedSession<'_>| one.branch_of == Some(other.id);
        let related = is_of(left, right) || is_of(right, left);
        comparison.push_heading(&match prompts {
            0 if related => "one is a branch of the other, from before its first message".to_owned(),
            0 => "nothing in common".to_owned(),
            _ => format!("the same up to {} and {}", counted(prompts, "message"), counted(blocks, "block")),
        });
        let behind = [&left_facts, &right_facts].into_iter().flat_map(|facts| facts.iter().skip(same));
        let touched: BTreeSet<BlockId> = behind.filter_map(|entry| block_of(entry)).collect();
        let (left, right) = (steps(&left_facts, same, &touched), steps(&right_facts, same, &touched));
        if left.is_empty() && right.is_empty() {
            comparison.push_heading("nothing else on either side");
        }
        for (left, right) in pair_steps(&left, &right) {
            comparison.push_heading("");
            comparison.push_steps(left, right);
        }
        comparison
    }

    pub(crate) fn rows(&self) -> &[ComparisonRow] {
        &self.rows
    }

    /// How many rows differ between the sides.
    pub(crate) fn count_different_rows(&self) -> usize {
        self.differing
    }

    fn push_heading(&mut self, line: &str) {
        self.rows.push(ComparisonRow::Alone(line.to_owned()));
    }

    /// Adds a line of each side.
    fn push_line(&mut self, left: &str, right: &str) {
        let shown = |line: &str| visible(line.trim_end()).replace(['\t', '\n'], "    ");
        let (left, right) = (shown(left), shown(right));
        let is_same = left == right;
        self.push_pair(begin_of_line(left), begin_of_line(right), is_same);
    }

    fn push_pair(&mut self, left: String, right: String, is_same: bool) {
        self.differing += usize::from(!is_same);
        self.rows.push(ComparisonRow::Pair(left, right, is_same));
    }

    /// Adds at most `most` lines of each side, and how many more there are.
    fn push_lines(&mut self, left: &[String], right: &[String], most: usize) {
        let (left, left_rest) = left.split_at(left.len().min(most));
        let (right, right_rest) = right.split_at(right.len().min(most));
        let line = |lines: &[String], at: Option<usize>| -> String {
            at.and_then(|at| lines.get(at)).cloned().unwrap_or_default()
        };
        for (l, r) in aligned(left, right) {
            self.push_line(&line(left, l), &line(right, r));
        }
        let rest = |rest: &[String]| match rest.len() {
            0 => String::new(),
            more => format!("({} more)", counted(more, "line")),
        };
        if !left_rest.is_empty() || !right_rest.is_empty() {
            self.push_pair(rest(left_rest), rest(right_rest), left_rest == right_rest);
        }
    }

    /// Adds a step of each side, if it has one there.
    fn push_steps(&mut self, left: Option<&SessionStep>, right: Option<&SessionStep>) {
        let [left, right] = [left, right].map(|step| step.map(StepText::of).unwrap_or_default());
        self.push_line(&left.head, &right.head);
        self.push_lines(&left.text, &right.text, MAX_TEXT_LINES);
        if left.ended.is_some() || right.ended.is_some() {
            self.push_line(&left.ended.unwrap_or_default(), &right.ended.unwrap_or_default());
        }
        self.push_lines(&left.printed, &right.printed, MAX_OUTPUT_LINES);
    }
}

/// The entries about what was said and done. Entries about the session itself are left out: a branch has a header and a
/// name of its own.
fn facts(entries: &[(Timestamp, Entry)]) -> Vec<&Entry> {
    let is_own = |entry: &&Entry| {
        matches!(entry, Entry::Header(_) | Entry::Renamed(_) | Entry::Accepted { .. } | Entry::Resumed)
    };
    entries.iter().map(|(_, entry)| entry).filter(|entry| !is_own(entry)).collect()
}

fn is_same(left: &Entry, right: &Entry) -> bool {
    match (left, right) {
        // The output files of two sessions have different paths.
        (Entry::Ran { run, report, .. }, Entry::Ran { run: other, report: theirs, .. }) => {
            run == other && has_same_end(report, theirs)
        }
        (left, right) => left == right,
    }
}

/// Whether two runs had the same result, however long each took.
fn has_same_end(left: &RunReport, right: &RunReport) -> bool {
    let (ours, theirs) = (&left.receipt, &right.receipt);
    left.outcome == right.outcome
        && (ours.exit_code, ours.signal) == (theirs.exit_code, theirs.signal)
        && ours.files == theirs.files
        && (&left.value, &left.error) == (&right.value, &right.error)
        && left.output.in_order() == right.output.in_order()
}

/// The steps of both sides in their order, prompts beside prompts and blocks beside blocks.
fn pair_steps<'a>(
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

/// The indices of both lists in their order: equal items beside each other, replaced ones beside their replacement.
fn aligned<T: std::hash::Hash + Eq>(left: &[T], right: &[T]) -> Vec<(Option<usize>, Option<usize>)> {
    let mut pairs = Vec::new();
    for op in diff_ops(left, right, None) {
        let (left, right) = (op.old_range(), op.new_range());
        debug_assert!(is_change(&op) || left.len() == right.len());
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

/// The beginning of a line, and how many characters are left out.
fn begin_of_line(mut line: String) -> String {
    if let Some((end, _)) = line.char_indices().nth(MAX_LINE_CHARS) {
        let more = line.get(end..).map_or(0, |rest| rest.chars().count());
        line.truncate(end);
        line.push_str(&format!(" ({} more)", counted(more, "character")));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{BlockKind, Language, Revision, samples};

    fn lines(count: usize, last: &str) -> Vec<String> {
        (1..count).map(|n| format!("line {n}")).chain([last.to_owned()]).collect()
    }

    /// The rows of a comparison of two prompts, and how many of them differ.
    fn compared(left: &str, right: &str) -> (Vec<ComparisonRow>, usize) {
        let entries = |text: &str| [(Timestamp(0), Entry::Prompt(text.into()))];
        let (left, right) = (entries(left), entries(right));
        let of = |entries| ComparedSession { label: "a", id: "a", branch_of: None, entries };
        let compared = Comparison::of(of(&left), of(&right));
        (compared.rows.clone(), compared.count_different_rows())
    }

    /// A block whose language the person chose is told with that language, on either side.
    #[test]
    fn a_language_that_the_person_chose_is_the_language_of_the_block() {
        let block = samples::block(1, BlockKind::Code { language: None }, "print 1\n");
        let chosen = |language| {
            let (block_id, revision) = (BlockId(1), Revision(2));
            let choice = Entry::LanguageChosen { block: block_id, revision, language };
            [Entry::Block(block.clone()), choice].map(|entry| (Timestamp(0), entry))
        };
        let (left, right) = (chosen(Language::python()), chosen(Language::bash()));
        let of = |entries| ComparedSession { label: "a", id: "a", branch_of: None, entries };
        let compared = Comparison::of(of(&left), of(&right));
        let heads = ("block 1 (python), waits".to_owned(), "block 1 (bash), waits".to_owned());
        assert!(compared.rows.contains(&ComparisonRow::Pair(heads.0, heads.1, false)), "{compared:?}");
    }

    #[test]
    fn long_prompts_are_kept_up_to_a_bound_and_the_rest_is_counted() {
        let most = 5 * MAX_TEXT_LINES;
        let (rows, differing) =
            compared(&lines(most, "the end").join("\n"), &lines(most, "an end").join("\n"));
        assert!(rows.len() < MAX_TEXT_LINES + 10, "{}", rows.len());
        let more = "(8,000 lines more)".to_owned();
        let last = ComparisonRow::Pair(more.clone(), more, false);
        assert_eq!((rows.last(), differing), (Some(&last), 1), "what is left out is not called the same");
    }

    #[test]
    fn a_long_line_is_kept_up_to_a_bound_and_what_it_hides_still_differs() {
        let long = "x".repeat(20 * MAX_LINE_CHARS);
        let (rows, differing) = compared(&format!("{long}a"), &format!("{long}b"));
        let Some(ComparisonRow::Pair(left, _, false)) = rows.last() else { panic!("{differing}") };
        assert!(
            left.ends_with("(76,003 characters more)") && left.len() < MAX_LINE_CHARS + 40,
            "{}",
            left.len()
        );
        assert_eq!(differing, 1);
    }
}
