//! The rules' own examples, the samples under `tests/fixtures/review`, and properties that hold for any text.

use super::*;

fn scope() -> Scope {
    Scope { cwd: PathBuf::from("/home/ann/work"), home: Some(PathBuf::from("/home/ann")) }
}

fn look(language: &str, source: &str) -> Review {
    review(source, Some(&Language(language.to_owned())), &scope())
}

fn told(review: &Review) -> Vec<String> {
    review
        .findings
        .iter()
        .map(|f| {
            format!("{}:{} {} {}: {}", f.place.line, f.place.column, f.severity.as_str(), f.rule, f.message)
        })
        .collect()
}

#[test]
fn shipped_rules_can_be_read() {
    for tongue in Tongue::ALL {
        let (name, text) = rules::shipped(tongue);
        rules::RuleBook::read(name, text).unwrap();
        queries::check(tongue).unwrap();
        assert!(!rules::book(tongue).file.rule.is_empty());
    }
    rules::RuleBook::read("common.toml", include_str!("../../assets/rules/common.toml")).unwrap();
    assert!(!rules::common().file.place.is_empty());
}

#[test]
fn examples_of_the_rules_hold() {
    let mut wrong = Vec::new();
    let books = Tongue::ALL.map(|tongue| (tongue.as_str(), rules::book(tongue)));
    for (language, book) in books.into_iter().chain([("python", rules::common())]) {
        for rule in book.file.rule.iter().filter(|r| r.severity.is_some()) {
            if rule.matches.is_empty() || rule.near_misses.is_empty() || rule.reason.is_empty() {
                wrong.push(format!("{}: examples and a reason are needed", rule.id));
            }
            for (sources, wanted) in [(&rule.matches, true), (&rule.near_misses, false)] {
                for source in sources {
                    let review = look(language, source);
                    let found = review
                        .findings
                        .iter()
                        .any(|f| f.rule == rule.id && Some(f.severity) == rule.severity);
                    if found != wanted {
                        let verb = if wanted { "misses" } else { "finds" };
                        wrong.push(format!("{} {verb} {source:?}\n    told: {:#?}", rule.id, told(&review)));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} examples\n{}", wrong.len(), wrong.join("\n"));
}

/// One sample of a fixture file: its text without marks, and the findings that its marks expect.
struct Sample {
    name: String,
    source: String,
    /// Line, severity, rule.
    expected: Vec<(u32, String, String)>,
}

/// Samples stand between lines `#--- name` (`//---` in JavaScript). A mark `#! high py.delete-tree` (`//!`) at the end of a
/// line is an expected finding on that line; marks are taken out before the review.
fn samples(text: &str, comment: &str) -> Vec<Sample> {
    let (head, mark) = (format!("{comment}--- "), format!("{comment}! "));
    let mut samples: Vec<Sample> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix(&head) {
            samples.push(Sample { name: name.to_owned(), source: String::new(), expected: Vec::new() });
            continue;
        }
        let sample = samples.last_mut().expect("a file begins with the name of a sample");
        let number = u32::try_from(sample.source.lines().count()).unwrap() + 1;
        let mut parts = line.split(&mark);
        sample.source.push_str(parts.next().unwrap_or_default().trim_end());
        sample.source.push('\n');
        for part in parts {
            let (severity, rule) = part.trim().split_once(' ').expect("a mark is a severity and a rule");
            sample.expected.push((number, severity.to_owned(), rule.to_owned()));
        }
    }
    samples
}

fn fixtures(kind: &str) -> Vec<(&'static str, Sample)> {
    let files = match kind {
        "dangerous" => [
            ("python", "#", include_str!("../../tests/fixtures/review/dangerous.py")),
            ("bash", "#", include_str!("../../tests/fixtures/review/dangerous.sh")),
            ("javascript", "//", include_str!("../../tests/fixtures/review/dangerous.js")),
        ],
        _ => [
            ("python", "#", include_str!("../../tests/fixtures/review/harmless.py")),
            ("bash", "#", include_str!("../../tests/fixtures/review/harmless.sh")),
            ("javascript", "//", include_str!("../../tests/fixtures/review/harmless.js")),
        ],
    };
    files
        .into_iter()
        .flat_map(|(language, c, text)| samples(text, c).into_iter().map(move |s| (language, s)))
        .collect()
}

/// The findings that a person has to look at.
fn grave(review: &Review) -> Vec<(u32, String, String)> {
    let grave = review.findings.iter().filter(|f| f.severity > Severity::Info);
    let mut all: Vec<_> =
        grave.map(|f| (f.place.line, f.severity.as_str().to_owned(), f.rule.clone())).collect();
    all.sort();
    all
}

#[test]
fn dangerous_samples_are_found_on_their_line() {
    let samples = fixtures("dangerous");
    let mut wrong = Vec::new();
    for (language, sample) in &samples {
        assert!(!sample.expected.is_empty(), "{} has no marks", sample.name);
        let review = look(language, &sample.source);
        let mut expected = sample.expected.clone();
        expected.sort();
        if grave(&review) != expected {
            wrong.push(format!(
                "{language} {}: expected {expected:?}\n    told: {:#?}",
                sample.name,
                told(&review)
            ));
        }
    }
    println!("review: {} of {} dangerous samples found", samples.len() - wrong.len(), samples.len());
    assert!(samples.len() >= 60 && wrong.is_empty(), "{} samples\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn harmless_samples_stay_silent() {
    let samples = fixtures("harmless");
    let mut wrong = Vec::new();
    for (language, sample) in &samples {
        let review = look(language, &sample.source);
        if !grave(&review).is_empty() || review.unchecked.is_some() {
            wrong.push(format!(
                "{language} {}: told: {:#?} {:?}",
                sample.name,
                told(&review),
                review.unchecked
            ));
        }
    }
    println!("review: {} of {} harmless samples silent", samples.len() - wrong.len(), samples.len());
    assert!(samples.len() >= 60 && wrong.is_empty(), "{} samples\n{}", wrong.len(), wrong.join("\n"));
}
