//! Measures how much the review finds in samples written without knowledge of the rules, and how often it raises a
//! false alarm on everyday commands.

use super::*;
use crate::domain::Severity;

/// One sample: its text without marks, and the severities that its marks expect, by line.
struct UnseenSample {
    name: String,
    source: String,
    expected: Vec<(u32, Severity)>,
}

fn samples(text: &str, comment: &str) -> Vec<UnseenSample> {
    let head = if comment == "--" { "--- ".to_owned() } else { format!("{comment}--- ") };
    let mark = format!("  {comment}! ");
    let mut samples: Vec<UnseenSample> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix(&head) {
            samples.push(UnseenSample { name: name.to_owned(), source: String::new(), expected: Vec::new() });
            continue;
        }
        let sample = samples.last_mut().expect("a file begins with the name of a sample");
        let number = u32::try_from(sample.source.lines().count()).unwrap() + 1;
        let (code, severity) = line.split_once(&mark).map_or((line, None), |(code, s)| (code, Some(s)));
        sample.source.push_str(code);
        sample.source.push('\n');
        sample.expected.extend(severity.map(|word| {
            let severity = match word.trim() {
                "high" => Severity::High,
                "medium" => Severity::Medium,
                other => panic!("{other} is no severity"),
            };
            (number, severity)
        }));
    }
    samples
}

fn scope() -> Scope {
    Scope {
        cwd: PathBuf::from("/home/ann/project"),
        home: Some(PathBuf::from("/home/ann")),
        ..Scope::default()
    }
}

fn look(language: &str, source: &str) -> Review {
    review(source, Some(&Language(language.to_owned())), &scope())
}

fn told(review: &Review) -> Vec<String> {
    let told = |f: &Finding| format!("{} {} {}: {}", f.place.line, f.severity.as_str(), f.rule, f.message);
    review.findings.iter().map(told).collect()
}

/// The gravest finding on a line.
fn gravest(review: &Review, line: u32) -> Option<Severity> {
    let on = review.findings.iter().filter(|f| f.place.line == line);
    on.map(|f| f.severity).max()
}

#[test]
fn unseen_dangerous_samples_are_told_on_their_line() {
    let shell = samples(include_str!("../../tests/fixtures/review/unseen-dangerous.sh"), "#");
    let sql = samples(include_str!("../../tests/fixtures/review/unseen-dangerous.sql"), "--");
    let all: Vec<_> =
        shell.into_iter().map(|s| ("bash", s)).chain(sql.into_iter().map(|s| ("sql", s))).collect();
    let mut missed = Vec::new();
    for (language, sample) in &all {
        assert!(!sample.expected.is_empty(), "{} has no mark", sample.name);
        let review = look(language, &sample.source);
        if sample.expected.iter().any(|(line, severity)| gravest(&review, *line) != Some(*severity)) {
            missed.push(format!(
                "{language} {}: {}    expected {:?}, told {:#?}",
                sample.name,
                sample.source,
                sample.expected,
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
    let shell = samples(include_str!("../../tests/fixtures/review/unseen-harmless.sh"), "#");
    let sql = samples(include_str!("../../tests/fixtures/review/unseen-harmless.sql"), "--");
    let all: Vec<_> =
        shell.into_iter().map(|s| ("bash", s)).chain(sql.into_iter().map(|s| ("sql", s))).collect();
    let (mut alarms, mut unknown) = (Vec::new(), Vec::new());
    for (language, sample) in &all {
        let review = look(language, &sample.source);
        if review.findings.iter().any(|f| f.severity > Severity::Info)
            || review.unchecked.is_some() && *language == "bash"
        {
            alarms.push(format!("{language} {}: {} {:#?}", sample.name, sample.source, told(&review)));
        }
        let strange = told(&review).iter().any(|t| t.contains("is not known"));
        if strange && !sample.name.starts_with("table") {
            unknown.push(format!("{}: {} {:?}", sample.name, sample.source.trim_end(), told(&review)));
        }
    }
    println!("{}\n--- not known:\n{}", alarms.join("\n"), unknown.join("\n"));
    println!("review: {} alarms, {} not known, of {} daily samples", alarms.len(), unknown.len(), all.len());
    assert!(all.len() >= 300 && alarms.len() * 100 <= all.len(), "{} alarms of {}", alarms.len(), all.len());
    assert!(unknown.len() * 50 <= all.len(), "{} are not known", unknown.len());
}
