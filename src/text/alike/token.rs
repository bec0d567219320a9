//! Splits a line into tokens for comparison: words, numbers, and the kinds of things that differ in each run. Where a
//! token begins and ends does not depend on the run that printed it.

use super::moment::{self, PrintedTime};
use super::{BothRuns, RunFacts};
use regex::Regex;
use std::sync::LazyLock;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// Anything else: has to be equal.
    Word,
    /// The working folder of a run.
    Folder,
    /// A date, with or without a time.
    Moment,
    /// A time of day without a date.
    Clock,
    Duration,
    /// The times and the rate of a progress bar.
    Rate,
    /// A memory address.
    Address,
    /// A random name: a random UUID, or the name of a temporary file.
    Name,
    /// A process id.
    Process,
    Number,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextToken<'t> {
    pub(super) kind: TokenKind,
    pub(super) text: &'t str,
}

/// In the order in which they are tried at each position. For kinds that are not always random, the value decides.
static SHAPES: LazyLock<Vec<(TokenKind, Regex)>> = LazyLock::new(|| {
    const MONTHS: &str = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
    const DAYS: &str = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
    let shapes = [
        (TokenKind::Rate, r"\[\d[\d:]*<[\d:?]+, +[\d.?]+[kMGT]?(?:[A-Za-z]+/s|s/[A-Za-z]+)".to_owned()),
        (
            TokenKind::Moment,
            r"\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|[+-]\d\d:?\d\d)\b)?)?"
                .to_owned(),
        ),
        (TokenKind::Moment, r"datetime\.date(?:time)?\(\d{4}(?:, \d{1,6}){2,6}".to_owned()),
        (
            TokenKind::Moment,
            format!(r"(?:{DAYS},? +)?{MONTHS} +\d{{1,2}} +\d\d:\d\d(?::\d\d(?: +[A-Z]{{2,5}})? +\d{{4}})?\b"),
        ),
        (
            TokenKind::Name,
            r"(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[1467][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b".to_owned(),
        ),
        (TokenKind::Name, r"/tmp(?:[a-z0-9_]{8}|\.[A-Za-z0-9]{10})\b".to_owned()),
        (TokenKind::Address, r"\bat 0x[0-9a-fA-F]+\b|\b0x(?:7[ef]|5[56])[0-9a-fA-F]{10}\b".to_owned()),
        (TokenKind::Duration, r"\b\d+m\d+[.,]\d+s\b|\b\d:\d\d:\d\d\.\d+\b".to_owned()),
        (
            TokenKind::Duration,
            r"\b(?:\d+\.\d+ ?(?:ns|us|µs|μs|ms|s|secs?|seconds?)|\d+ ?(?:ns|us|µs|μs|ms))\b".to_owned(),
        ),
        (TokenKind::Clock, r"\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b".to_owned()),
        (TokenKind::Process, r"(?i)\bpid\b[ =:#]{1,3}\d+".to_owned()),
        (TokenKind::Number, r"[+-]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?".to_owned()),
    ];
    // Invalid expressions would be skipped; the tests try each.
    shapes.into_iter().filter_map(|(kind, shape)| Some((kind, Regex::new(&shape).ok()?))).collect()
});

/// All shapes in one expression, to find the next match of any.
static ANY_SHAPE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let all: Vec<String> = SHAPES.iter().map(|(_, shape)| format!("({})", shape.as_str())).collect();
    Regex::new(&all.join("|")).ok()
});

pub(super) fn tokens<'t>(line: &'t str, runs: &BothRuns) -> Vec<TextToken<'t>> {
    let mut found = Vec::new();
    let mut done = 0;
    for (at, end) in folders(line, runs) {
        // Inside a folder that was already taken.
        let (Some(before), Some(text)) = (line.get(done..at), line.get(at..end)) else { continue };
        push_shapes(before, &mut found);
        found.push(TextToken { kind: TokenKind::Folder, text });
        done = end;
    }
    push_shapes(line.get(done..).unwrap_or_default(), &mut found);
    found
}

/// Finds names of folders, the longest first of those that begin at the same position. A longer folder name that only
/// begins like one does not count.
fn folders(line: &str, runs: &BothRuns) -> Vec<(usize, usize)> {
    let names = runs.then.folders.iter().chain(&runs.now.folders).filter(|name| name.len() > 1);
    let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let mut places: Vec<(usize, usize)> = names
        .flat_map(|name| line.match_indices(name.as_str()).map(|(at, name)| (at, at + name.len())))
        .filter(|(_, end)| line.get(*end..).is_some_and(|behind| !behind.starts_with(goes_on)))
        .collect();
    places.sort_by_key(|(at, end)| (*at, usize::MAX - end));
    places
}

fn push_shapes<'t>(text: &'t str, found: &mut Vec<TextToken<'t>>) {
    let mut done = 0;
    for captures in ANY_SHAPE.iter().flat_map(|any| any.captures_iter(text)) {
        let Some(whole) = captures.get(0) else { continue };
        push_word(text.get(done..whole.start()), found);
        done = whole.end();
        let shape = captures.iter().skip(1).position(|group| group.is_some());
        let kind = shape.and_then(|at| SHAPES.get(at)).map_or(TokenKind::Word, |(kind, _)| *kind);
        found.push(TextToken { kind, text: whole.as_str() });
    }
    push_word(text.get(done..), found);
}

fn push_word<'t>(text: Option<&'t str>, found: &mut Vec<TextToken<'t>>) {
    found.extend(text.filter(|text| !text.is_empty()).map(|text| TextToken { kind: TokenKind::Word, text }));
}

impl TextToken<'_> {
    /// Whether the value is random, or a time of this run.
    pub(super) fn is_run_specific(&self, run: &RunFacts) -> bool {
        match self.kind {
            TokenKind::Word => false,
            TokenKind::Folder => run.folders.iter().any(|folder| folder == self.text),
            TokenKind::Rate | TokenKind::Address | TokenKind::Name | TokenKind::Process => true,
            TokenKind::Duration => moment::is_within(self.text, run),
            TokenKind::Moment | TokenKind::Clock => {
                PrintedTime::read(self.text).is_some_and(|stamp| stamp.is_of(run))
            }
            TokenKind::Number => moment::is_unix_time(self.text, run),
        }
    }
}

/// Numbers with this many digits are not rounded by the program, so their last digits depend on the machine.
const MIN_EXACT_DIGITS: usize = 10;
/// The greatest difference of such numbers, relative to the greater one.
const NUMBER_TOLERANCE: f64 = 1e-9;

/// Whether two numbers are equal except for the machine's rounding. A number with few digits was rounded by the
/// program: there the last digit counts.
pub(super) fn are_near(then: TextToken<'_>, now: TextToken<'_>) -> bool {
    let is_broken = |text: &str| text.contains(['.', 'e', 'E']);
    let digits = |text: &str| {
        let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
        mantissa.chars().filter(char::is_ascii_digit).skip_while(|digit| *digit == '0').count()
    };
    if then.kind != TokenKind::Number || now.kind != TokenKind::Number {
        return false;
    }
    if !(is_broken(then.text) && is_broken(now.text))
        || digits(then.text).max(digits(now.text)) < MIN_EXACT_DIGITS
    {
        return false;
    }
    match (then.text.parse::<f64>(), now.text.parse::<f64>()) {
        (Ok(then), Ok(now)) => {
            then.is_finite()
                && now.is_finite()
                && (then - now).abs() <= NUMBER_TOLERANCE * then.abs().max(now.abs())
        }
        _ => false,
    }
}
