//! Measures how long the review takes: of a block of 200 lines (goal: 5 ms) and of a text of a megabyte (goal: a
//! second), made of the test samples, dense with findings.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // a test that can't go on fails by panicking

use sayso::domain::Language;
use sayso::review::{Scope, review, warm};

fn main() {
    warm();
    divan::main();
}

fn sample(language: &str) -> &'static str {
    match language {
        "python" => include_str!("../fixtures/review/dangerous.py"),
        "bash" => include_str!("../fixtures/review/dangerous.sh"),
        _ => include_str!("../fixtures/review/dangerous.js"),
    }
}

fn look(text: &str, language: &str) -> usize {
    let scope = Scope { cwd: "/home/ann/work".into(), home: Some("/home/ann".into()), ..Scope::default() };
    review(text, Some(&Language(language.to_owned())), &scope).findings.len()
}

#[divan::bench(args = ["python", "bash", "javascript"])]
fn lines_200(bencher: divan::Bencher<'_, '_>, language: &str) {
    let text: String = sample(language).lines().cycle().take(200).flat_map(|line| [line, "\n"]).collect();
    bencher.bench(|| look(&text, language));
}

#[divan::bench(args = ["python", "bash", "javascript"], sample_count = 3)]
fn megabyte(bencher: divan::Bencher<'_, '_>, language: &str) {
    let mut text = sample(language).repeat((1 << 20) / sample(language).len() + 1);
    text.truncate(text.floor_char_boundary(1 << 20));
    bencher.bench(|| look(&text, language));
}
