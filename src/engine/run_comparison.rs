//! Compares two runs of the same bytes: whether the second did what the first did. Parts that vary from run to run
//! count as equal ([`crate::text::alike`]), unless every byte has to be the same.
//!
//! - `content`: files and pictures, by what is known of their bytes

mod content;

use crate::domain::word::words;
use crate::domain::{Masker, OutputBuffer, RunError, RunReport, Stream};
use crate::text::alike::{BothRuns, LineDifference, first_unlike_lines};
pub(crate) use content::KnownContents;
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum DifferentPart {
    Outcome,
    Error,
    Value,
    Stdout,
    Stderr,
    Files,
    Pictures,
}

words!(DifferentPart);

/// The first difference in one part of the reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) part: DifferentPart,
    /// The line of the text, from 1.
    pub(crate) line: Option<usize>,
    /// The value in the first run; `None`: there was none.
    pub(crate) then: Option<String>,
    /// The value in the second run; `None`: there was none.
    pub(crate) now: Option<String>,
}

impl Difference {
    /// Where the difference is, in words.
    pub(crate) fn describe_place(&self) -> String {
        match self.line {
            Some(line) => format!("{}, line {line}", self.part.as_str()),
            None => self.part.as_str().into(),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |of: &Option<String>| of.clone().unwrap_or_else(|| "(nothing)".into());
        write!(f, "{}: then {}; now {}", self.describe_place(), text(&self.then), text(&self.now))
    }
}

/// The result of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RunComparison {
    pub(crate) differences: Vec<Difference>,
    /// Parts that could not be compared in full, in words.
    pub(crate) gaps: Vec<String>,
}

/// Settings of a comparison.
#[derive(Clone, Debug, Default)]
pub(crate) struct Comparer {
    pub(crate) runs: BothRuns,
    /// Whether every byte has to be the same.
    pub(crate) exact: bool,
    /// The saved run was masked; this masks the new one in the same way before they are compared.
    pub(crate) masker: Masker,
    /// What is known of file contents besides the two reports.
    pub(crate) known: KnownContents,
}

impl Comparer {
    /// Compares the recorded report of a run with that of a new run of the same bytes.
    pub(crate) fn compare(&self, then: &RunReport, now: &RunReport) -> RunComparison {
        let mut found = self.compare_outcome(then, now);
        let masked = |text: String| self.masker.text(&text);
        let error = |report: &RunReport| report.error.as_ref().map(|error| self.error(error));
        let (error_now, value_now) = (error(now).map(masked), now.value.clone().map(masked));
        self.texts(DifferentPart::Error, error(then).as_ref(), error_now.as_ref(), &mut found);
        self.texts(DifferentPart::Value, then.value.as_ref(), value_now.as_ref(), &mut found);
        let output = self.masker.mask(now.output.clone());
        for (part, stream) in
            [(DifferentPart::Stdout, Stream::Stdout), (DifferentPart::Stderr, Stream::Stderr)]
        {
            self.streams((part, stream), &then.output, &output, &mut found);
        }
        self.files(then, now, &mut found);
        self.pictures(then, now, &mut found);
        found
    }

    /// Compares only how the runs ended.
    pub(crate) fn compare_outcome(&self, then: &RunReport, now: &RunReport) -> RunComparison {
        let mut found = RunComparison::default();
        self.texts(DifferentPart::Outcome, Some(&self.outcome(then)), Some(&self.outcome(now)), &mut found);
        found
    }

    /// How a run ended, with the details that tell one end from another.
    fn outcome(&self, report: &RunReport) -> String {
        let mut text = report.outcome.as_str().replace('_', " ");
        if let Some(code) = report.receipt.exit_code {
            text.push_str(&format!(", exit code {code}"));
        }
        if let Some(signal) = report.receipt.signal {
            text.push_str(&format!(", signal {signal}"));
        }
        if let Some(detail) = report.outcome.detail().filter(|_| self.exact) {
            text.push_str(&format!(", {detail}"));
        }
        text
    }

    fn error(&self, error: &RunError) -> String {
        let message = format!("{}: {}", error.kind, error.message);
        if self.exact { format!("{message}\n{}", error.traceback) } else { message }
    }

    fn texts(
        &self,
        part: DifferentPart,
        then: Option<&String>,
        now: Option<&String>,
        found: &mut RunComparison,
    ) {
        let difference = match (then, now) {
            (Some(then), Some(now)) => {
                self.first_difference(then, now).map(|line| (Some(line.line), line.then, line.now))
            }
            (None, None) => None,
            (then, now) => Some((None, then.cloned(), now.cloned())),
        };
        let difference = difference.map(|(line, then, now)| Difference { part, line, then, now });
        found.differences.extend(difference);
    }

    fn first_difference(&self, then: &str, now: &str) -> Option<LineDifference> {
        if !self.exact {
            return self.runs.first_difference(then, now);
        }
        first_unlike_lines((then, now), |then, now| then == now)
    }

    fn streams(
        &self,
        (part, stream): (DifferentPart, Stream),
        then: &OutputBuffer,
        now: &OutputBuffer,
        found: &mut RunComparison,
    ) {
        let is_whole = |output: &OutputBuffer| output.dropped(stream) == 0;
        if is_whole(then) && is_whole(now) {
            let (then, now) = (then.bytes(stream), now.bytes(stream));
            return self.bytes(part, &then, &now, found);
        }
        // Of both only the beginning is known: compare as many lines as both have in full.
        let (then, now) = (lines_of_head(then, stream), lines_of_head(now, stream));
        let lines = then.len().min(now.len());
        let first = |of: &[Vec<u8>]| of.get(..lines).unwrap_or_default().concat();
        self.bytes(part, &first(&then), &first(&now), found);
        let name = part.as_str();
        found.gaps.push(match lines {
            0 => format!("nothing of {name} was compared: it is too long, or its file is gone"),
            1 => format!("of {name} only the first line was compared: it is too long"),
            lines => format!("of {name} the first {lines} lines were compared: it is too long"),
        });
    }

    fn bytes(&self, part: DifferentPart, then: &[u8], now: &[u8], found: &mut RunComparison) {
        if then == now {
            return;
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let are_texts = std::str::from_utf8(then).is_ok() && std::str::from_utf8(now).is_ok();
        let before = found.differences.len();
        self.texts(part, Some(&text(then)), Some(&text(now)), found);
        if !are_texts && found.differences.len() == before {
            // The bytes differ, but became equal when converted to text: they are not text, so report the difference.
            let described = |bytes: &[u8]| Some(format!("{} bytes that are no text", bytes.len()));
            found.differences.push(Difference {
                part,
                line: None,
                then: described(then),
                now: described(now),
            });
        }
    }
}

/// The complete lines at the beginning of a stream, with their line ends.
fn lines_of_head(output: &OutputBuffer, stream: Stream) -> Vec<Vec<u8>> {
    let head = if output.dropped(stream) == 0 { output.bytes(stream) } else { output.head(stream) };
    let lines = head.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
    lines.map(<[u8]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{FileChange, ImageRef, Outcome, Sha256, UnscannedChanges, samples};

    fn printed(stdout: &[u8], stderr: &[u8]) -> RunReport {
        let mut report = RunReport::bare(Outcome::Ok);
        report.output.push(Stream::Stdout, stdout);
        report.output.push(Stream::Stderr, stderr);
        report
    }

    fn parts(comparer: &Comparer, then: &RunReport, now: &RunReport) -> Vec<&'static str> {
        comparer.compare(then, now).differences.iter().map(|difference| difference.part.as_str()).collect()
    }

    #[test]
    fn each_part_is_told_with_how_it_was_and_how_it_is() {
        let mut then = printed(b"a\nb\n", b"");
        (then.value, then.receipt.exit_code) = (Some("1".into()), Some(0));
        assert_eq!(Comparer::default().compare(&then, &then), RunComparison::default());
        let mut now = printed(b"a\nc\n", b"late\n");
        (now.outcome, now.receipt.exit_code, now.receipt.signal) = (Outcome::Failed, Some(1), Some(9));
        now.error = Some(RunError { kind: "KeyError".into(), message: "'x'".into(), traceback: "t".into() });
        let found = Comparer::default().compare(&then, &now).differences;
        let told: Vec<_> = found
            .iter()
            .map(|d| {
                (d.part.as_str(), d.line, d.then.as_deref().unwrap_or("-"), d.now.as_deref().unwrap_or("-"))
            })
            .collect();
        assert_eq!(
            told,
            [
                ("outcome", Some(1), "ok, exit code 0", "failed, exit code 1, signal 9"),
                ("error", None, "-", "KeyError: 'x'"),
                ("value", None, "1", "-"),
                ("stdout", Some(2), "b", "c"),
                ("stderr", Some(1), "", "late"),
            ]
        );
    }

    #[test]
    fn exactly_every_byte_counts() {
        let (then, now) = (printed(b"took 15 ms  \n", b""), printed(b"took 25 ms\n", b""));
        let exact = Comparer { exact: true, ..Comparer::default() };
        assert!(parts(&Comparer::default(), &then, &now).is_empty());
        assert_eq!(parts(&exact, &then, &now), ["stdout"]);
        assert_eq!(parts(&exact, &printed(b"a\n", b""), &printed(b"a", b"")), ["stdout"]);
        assert!(parts(&exact, &then, &then).is_empty());
        let broken = [printed(b"a\xff", b""), printed(b"a\xfe", b"")];
        assert_eq!(parts(&Comparer::default(), &broken[0], &broken[1]), ["stdout"]);
    }

    #[test]
    fn of_files_the_first_that_differs_is_named() {
        let with = |files: &[(&str, &str, u64)]| {
            let mut report = printed(b"", b"");
            report.receipt.files = files
                .iter()
                .map(|(path, change, bytes)| FileChange {
                    sha256: (*change != "deleted").then(|| Sha256::of(b"a")),
                    ..FileChange::new(*path, change, *bytes)
                })
                .collect();
            report
        };
        let then = with(&[("b.csv", "created", 12), ("a.csv", "changed", 3), ("c", "deleted", 0)]);
        let now = with(&[("a.csv", "created", 3), ("b.csv", "created", 12), ("c", "deleted", 0)]);
        assert!(parts(&Comparer::default(), &then, &now).is_empty(), "a fresh folder holds nothing before");
        assert_eq!(parts(&Comparer { exact: true, ..Comparer::default() }, &then, &now), ["files"]);
        let now = with(&[("a.csv", "changed", 3), ("b.csv", "created", 13), ("d", "created", 0)]);
        let found = Comparer::default().compare(&then, &now).differences;
        assert_eq!(found[0].then.as_deref(), Some("b.csv: written, 12 bytes"));
        assert_eq!(found[0].now.as_deref(), Some("b.csv: written, 13 bytes"));
        // Where folders were not scanned, a missing file proves nothing.
        let mut then = with(&[("a.csv", "created", 3), (".venv/x", "created", 3)]);
        then.receipt.not_looked_at =
            UnscannedChanges { folders: 1, names: vec![".venv".into()], ..UnscannedChanges::default() };
        let mut now = with(&[("a.csv", "created", 3)]);
        now.receipt.not_looked_at = then.receipt.not_looked_at.clone();
        let found = Comparer::default().compare(&then, &now);
        assert!(found.differences.is_empty() && found.gaps.len() == 1, "{found:?}");
        let found = Comparer::default().compare(&then, &with(&[(".venv/x", "created", 3)]));
        assert_eq!(found.differences[0].then.as_deref(), Some("a.csv: written, 3 bytes"));
    }

    #[test]
    fn files_are_compared_by_their_bytes_and_where_none_are_known_that_is_told() {
        let with = |path: &str, bytes: u64, text: Option<&str>| {
            let mut report = printed(b"", b"");
            let sha256 = text.map(|text| Sha256::of(text.as_bytes()));
            report.receipt.files = vec![FileChange { sha256, ..FileChange::new(path, "created", bytes) }];
            report
        };
        let (usual, exact) = (Comparer::default(), Comparer { exact: true, ..Comparer::default() });
        let (then, now) = (with("out.txt", 4, Some("aaaa")), with("out.txt", 4, Some("bbbb")));
        for comparer in [&usual, &exact] {
            assert_eq!(comparer.compare(&then, &then), RunComparison::default());
            let found = comparer.compare(&then, &now);
            let (was, is) = (found.differences[0].then.as_deref(), found.differences[0].now.as_deref());
            assert!(was.unwrap().ends_with("4 bytes, sha256 61be55a8e2f6…"), "{was:?}");
            assert!(is.unwrap().contains("4 bytes, sha256 ") && was != is, "{is:?}");
            let found = comparer.compare(&then, &with("out.txt", 4, None));
            assert!(found.differences.is_empty() && found.gaps[0].contains("only the size of out.txt"));
        }
        // Git stores timestamps in its index.
        let (then_git, now_git) = (with(".git/index", 4, Some("a")), with(".git/index", 4, Some("b")));
        assert!(parts(&usual, &then_git, &now_git).is_empty());
        assert_eq!(parts(&exact, &then_git, &now_git), ["files"]);
        // A PDF stores the time when it was made.
        let (then_pdf, now_pdf) = (with("a/b.PDF", 4, Some("a")), with("a/b.PDF", 4, Some("b")));
        let found = usual.compare(&then_pdf, &now_pdf);
        assert!(found.differences.is_empty() && found.gaps[0].contains("bytes are others"), "{found:?}");
        assert_eq!(parts(&exact, &then_pdf, &now_pdf), ["files"]);
        // Both runs left a text with a timestamp; `known` says that the texts are alike otherwise.
        let known = KnownContents { alike: ["out.txt".to_owned()].into(), ..KnownContents::default() };
        let now = with("out.txt", 5, Some("bbbbb"));
        assert!(parts(&Comparer { known: known.clone(), ..Comparer::default() }, &then, &now).is_empty());
        assert_eq!(parts(&Comparer { known, ..exact }, &then, &now), ["files"]);
    }

    #[test]
    fn pictures_are_compared_by_their_pixels_and_exactly_by_their_bytes() {
        let with = |sizes: &[(u32, u32)]| {
            let mut report = printed(b"", b"");
            report.images = sizes
                .iter()
                .map(|(width, height)| ImageRef { width: *width, height: *height, ..samples::image("/x") })
                .collect();
            report
        };
        let comparer = Comparer::default();
        assert!(parts(&comparer, &with(&[(6, 4)]), &with(&[(6, 4)])).is_empty());
        assert_eq!(parts(&comparer, &with(&[(6, 4)]), &with(&[(6, 5)])), ["pictures"]);
        assert_eq!(parts(&comparer, &with(&[(6, 4)]), &with(&[])), ["pictures"]);
        assert!(parts(&comparer, &with(&[(6, 4), (1, 9)]), &with(&[(1, 9), (6, 4)])).is_empty());
        let mut exact = Comparer { exact: true, ..Comparer::default() };
        let (then, mut now) = (with(&[(6, 4)]), with(&[(6, 4)]));
        now.images[0].path = "/y".into();
        let found = exact.compare(&then, &now);
        assert!(found.differences.is_empty() && found.gaps[0].contains("sizes of pictures"), "{found:?}");
        exact.known.pictures = [("/x".into(), Sha256::of(b"a")), ("/y".into(), Sha256::of(b"a"))].into();
        assert_eq!(exact.compare(&then, &now), RunComparison::default());
        exact.known.pictures.insert("/y".into(), Sha256::of(b"b"));
        assert_eq!(parts(&exact, &then, &now), ["pictures"]);
    }

    #[test]
    fn of_what_is_too_long_the_beginning_is_compared_and_that_is_told() {
        let long = |text: &str| {
            let mut report = RunReport::bare(Outcome::Ok);
            report.output = OutputBuffer::new(400);
            report.output.push(Stream::Stdout, text.as_bytes());
            report
        };
        let lines: String = (0..200).map(|n| format!("{n}\n")).collect();
        let found = Comparer::default().compare(&long(&lines), &long(&lines.replace("150", "x")));
        assert!(found.differences.is_empty() && found.gaps[0].contains("the first 3"), "{found:?}");
        let found = Comparer::default().compare(&long(&lines), &long(&lines.replace("\n7\n", "\nx\n")));
        assert_eq!((found.differences[0].part, found.differences[0].line), (DifferentPart::Stdout, Some(8)));
        // The file with its output is gone.
        let gone = OutputBuffer::restore(400, [], (900, 0));
        let found = Comparer::default().compare(&RunReport { output: gone, ..long("") }, &long("a\n"));
        assert!(found.differences.is_empty() && found.gaps[0].contains("nothing of stdout"), "{found:?}");
    }

    #[test]
    fn what_was_masked_is_compared_with_a_mask() {
        let key = "a-key-of-no-known-shape";
        let masker = Masker::knowing([key.into()]);
        let now = printed(format!("key {key}\n").as_bytes(), b"");
        let then = RunReport { output: masker.mask(now.output.clone()).into_inner(), ..now.clone() };
        assert_eq!(parts(&Comparer::default(), &then, &now), ["stdout"]);
        assert!(parts(&Comparer { masker, ..Comparer::default() }, &then, &now).is_empty());
    }
}
