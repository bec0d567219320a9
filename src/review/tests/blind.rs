//! Measures the review on samples written without knowledge of the rules: dangerous ones have to be found on their line
//! with their severity, everyday ones must give no finding.
//!
//! A mark `#! high` (`//! high`) at the end of a line is the highest severity that has to be reported on it, by
//! whatever rule. Findings on other lines of a dangerous sample do not count.

use super::told;
use crate::domain::Severity;

#[test]
fn blind_dangerous_samples_are_found() {
    let samples = fixtures!("blind/dangerous": "py" "js" "ts");
    let mut wrong = Vec::new();
    for sample in &samples {
        assert!(!sample.marks.is_empty(), "{} has no marks", sample.name);
        let review = sample.look();
        if let Some((line, severity)) = sample.missed(&review) {
            let told = told(&review);
            wrong.push(format!("{} {}: line {line} {severity}: {told:?}", sample.language, sample.name));
        }
    }
    println!("blind: {} of {} dangerous samples found", samples.len() - wrong.len(), samples.len());
    assert!(samples.len() >= 150, "{} samples", samples.len());
    assert!(wrong.len() * 100 <= samples.len() * MISSED, "{} missed\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn blind_daily_samples_stay_silent() {
    let samples = fixtures!("blind/harmless": "py" "js" "ts");
    let mut alarms = Vec::new();
    let mut unknown = Vec::new();
    for sample in &samples {
        let review = sample.look();
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
