//! Measures the review on samples written without knowledge of the rules: dangerous ones have to be found on their line
//! with their severity, everyday ones must give no finding.
//!
//! A mark `#! high` (`//! high`) at the end of a line is the highest severity that has to be reported on it, by
//! whatever rule. Findings on other lines of a dangerous sample do not count.

use super::look;
use crate::domain::Severity;

struct Sample {
    language: &'static str,
    name: String,
    source: String,
    marks: Vec<(u32, String)>,
}

fn samples(language: &'static str, text: &str) -> Vec<Sample> {
    let comment = if language == "python" { "#" } else { "//" };
    let (head, mark) = (format!("{comment}--- "), format!("{comment}! "));
    let mut samples: Vec<Sample> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix(&head) {
            let (name, source, marks) = (name.to_owned(), String::new(), Vec::new());
            samples.push(Sample { language, name, source, marks });
            continue;
        }
        let sample = samples.last_mut().expect("a file begins with the name of a sample");
        let number = u32::try_from(sample.source.lines().count()).unwrap() + 1;
        let (code, severity) = line.split_once(&mark).unwrap_or((line, ""));
        sample.source.push_str(code.trim_end());
        sample.source.push('\n');
        if !severity.is_empty() {
            sample.marks.push((number, severity.trim().to_owned()));
        }
    }
    samples
}

macro_rules! fixtures {
    ($kind:literal) => {
        [
            samples("python", include_str!(concat!("../../../tests/fixtures/review/blind/", $kind, ".py"))),
            samples(
                "javascript",
                include_str!(concat!("../../../tests/fixtures/review/blind/", $kind, ".js")),
            ),
            samples(
                "typescript",
                include_str!(concat!("../../../tests/fixtures/review/blind/", $kind, ".ts")),
            ),
        ]
        .into_iter()
        .flatten()
        .collect::<Vec<Sample>>()
    };
}

#[test]
fn blind_dangerous_samples_are_found() {
    let samples = fixtures!("dangerous");
    let mut wrong = Vec::new();
    for sample in &samples {
        assert!(!sample.marks.is_empty(), "{} has no marks", sample.name);
        let review = look(sample.language, &sample.source);
        for (line, severity) in &sample.marks {
            let here = review.findings.iter().filter(|f| f.place.line == *line).map(|f| f.severity).max();
            if here.map(Severity::as_str) != Some(severity.as_str()) {
                let told: Vec<String> = review
                    .findings
                    .iter()
                    .map(|f| format!("{}: {} {} {}", f.place.line, f.severity.as_str(), f.rule, f.message))
                    .collect();
                wrong.push(format!("{} {}: line {line} {severity}: {told:?}", sample.language, sample.name));
                break;
            }
        }
    }
    println!("blind: {} of {} dangerous samples found", samples.len() - wrong.len(), samples.len());
    assert!(samples.len() >= 150, "{} samples", samples.len());
    assert!(wrong.len() * 100 <= samples.len() * MISSED, "{} missed\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn blind_daily_samples_stay_silent() {
    let samples = fixtures!("harmless");
    let mut alarms = Vec::new();
    let mut unknown = Vec::new();
    for sample in &samples {
        let review = look(sample.language, &sample.source);
        let grave = review.findings.iter().filter(|f| f.severity > Severity::Info);
        let told: Vec<String> = grave
            .map(|f| format!("{}: {} {} {}", f.place.line, f.severity.as_str(), f.rule, f.message))
            .collect();
        if !told.is_empty() || review.unchecked.is_some() {
            alarms.push(format!("{} {}: {told:?} {:?}", sample.language, sample.name, review.unchecked));
        }
        if review.effects.unknown {
            unknown.push(format!("{} {}", sample.language, sample.name));
        }
    }
    println!("blind: {} alarms in {} daily samples {alarms:?}", alarms.len(), samples.len());
    println!("blind: effects of {} daily samples are not all known: {unknown:?}", unknown.len());
    assert!(samples.len() >= 300, "{} samples", samples.len());
    assert!(alarms.len() * 100 <= samples.len(), "{} alarms\n{}", alarms.len(), alarms.join("\n"));
    assert!(
        unknown.len() * 100 <= samples.len() * UNKNOWN,
        "{} unknown\n{}",
        unknown.len(),
        unknown.join("\n")
    );
}

/// The percentage of dangerous samples that may be missed.
const MISSED: usize = 0;

/// The percentage of everyday samples whose effects may be reported as unknown.
const UNKNOWN: usize = 6;
