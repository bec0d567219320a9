//! Measures how much the review finds in samples written without knowledge of the rules, and how often it raises a
//! false alarm on everyday commands.

use super::*;

#[test]
fn unseen_dangerous_samples_are_told_on_their_line() {
    let all = fixtures!("unseen-dangerous": "sh" "sql");
    let mut missed = Vec::new();
    for sample in &all {
        assert!(!sample.marks.is_empty(), "{} has no mark", sample.name);
        let review = sample.look();
        if sample.missed(&review).is_some() {
            missed.push(format!(
                "{} {}: {}    expected {:?}, told {:#?}",
                sample.language,
                sample.name,
                sample.source,
                sample.marks,
                told(&review)
            ));
        }
    }
    let right = all.len() - missed.len();
    println!("{}", missed.join("\n"));
    println!("review: {right} of {} dangerous samples right on their line", all.len());
    assert!(all.len() >= 150 && right * 100 >= all.len() * 95, "{right} of {}", all.len());
}

#[test]
fn daily_commands_are_silent_and_known() {
    let all = fixtures!("unseen-harmless": "sh" "sql");
    let (mut alarms, mut unknown) = (Vec::new(), Vec::new());
    for sample in &all {
        let review = sample.look();
        let told = told(&review);
        if review.findings.iter().any(|f| f.severity > Severity::Info)
            || review.unchecked.is_some() && sample.language == "bash"
        {
            alarms.push(format!("{} {}: {} {told:#?}", sample.language, sample.name, sample.source));
        }
        let strange = told.iter().any(|t| t.contains("is not known"));
        if strange && !sample.name.starts_with("table") {
            unknown.push(format!("{}: {} {told:?}", sample.name, sample.source.trim_end()));
        }
    }
    println!("{}\n--- not known:\n{}", alarms.join("\n"), unknown.join("\n"));
    println!("review: {} alarms, {} not known, of {} daily samples", alarms.len(), unknown.len(), all.len());
    assert!(all.len() >= 300 && alarms.len() * 100 <= all.len(), "{} alarms of {}", alarms.len(), all.len());
    assert!(unknown.len() * 50 <= all.len(), "{} are not known", unknown.len());
}
