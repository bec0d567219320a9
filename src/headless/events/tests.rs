//! Compares the fields of all events with their rows in `docs/reference.md`.

use super::*;
use crate::domain::samples::{approved, block, ran, reply, terms};
use crate::domain::*;
use crate::engine::State;
use crate::headless::{Ending, form};
use std::collections::BTreeSet;

const PAGE: &str = include_str!("../../../docs/reference.md");

/// The part of the page behind these words, up to the next blank line.
fn paragraph(head: &str) -> &'static str {
    let (_, behind) = PAGE.split_once(head).unwrap_or_else(|| panic!("{head}"));
    behind.split("\n\n").next().unwrap_or_default()
}

/// What the page tells of the fields of each event.
fn rows() -> Vec<(&'static str, String)> {
    let table = paragraph("| `event` | fields |\n").lines().skip(1);
    let row = |line: &'static str| line.strip_prefix("| `")?.split_once("` | ");
    table
        .map(|line| {
            let (event, told) = row(line).unwrap_or_else(|| panic!("{line}"));
            let more = match event {
                "run" => paragraph("\nA run has "),
                "turn_end" | "error" => paragraph("\nThe last line also has "),
                _ => "",
            };
            (event, format!("{told} {more}"))
        })
        .collect()
}

/// The names between backticks.
fn names(text: &str) -> BTreeSet<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The text without what stands in brackets: values, and fields of fields.
fn without_brackets(text: &str) -> String {
    let mut parts = text.split('(');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |told, part| told + part.split_once(')').map_or("", |(_, behind)| behind))
}

fn keys_at_any_depth(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.keys().cloned());
            fields.values().for_each(|value| keys_at_any_depth(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| keys_at_any_depth(value, found)),
        _ => {}
    }
}

fn keys(value: Option<&Value>) -> BTreeSet<String> {
    value.and_then(Value::as_object).into_iter().flat_map(|fields| fields.keys().cloned()).collect()
}

/// The fields of the objects within an event that the page lists as well.
fn keys_within(event: &Value) -> BTreeSet<String> {
    ["receipt", "hard_links", "cost"].iter().flat_map(|name| keys(event.get(name))).collect()
}

/// The durable facts, with every field that an event may have.
fn entries() -> Vec<Entry> {
    let (block_id, revision) = (BlockId(1), Revision(1));
    let model = ModelName { provider: "p".into(), model: "m".into() };
    let file = AttachedFile { path: "a.py".into(), bytes: 1, text: "x".into(), masked: false };
    let mut report = RunReport::bare(Outcome::Crashed("killed".into()));
    report.blob = Some("run-1.out".into());
    for stream in [Stream::Stdout, Stream::Stderr] {
        report.output.push(stream, b"\xff");
    }
    let opinion = |answer| Entry::Opinion {
        block: block_id,
        revision,
        model: model.clone(),
        answer,
        usage: Usage::default(),
    };
    vec![
        Entry::Prompt(Prompt { text: "see @a.py".into(), files: vec![file] }),
        reply(1, "text", "reasoning"),
        Entry::CallRefused { step: StepId(1), call: "c".into(), why: "no such tool".into() },
        Entry::NoTools(model.clone()),
        Entry::Block(block(1, BlockKind::Edit { paths: vec!["a.py".into()] }, "x")),
        Entry::Placed {
            block: block_id,
            revision,
            source: "x".into(),
            bases: Vec::new(),
            note: String::new(),
            whole: true,
        },
        approved(1, (1, 1), "x", terms(), Grantor::Flag),
        Entry::Edited { block: block_id, revision, source: "x".into(), whole: true },
        Entry::LanguageChosen { block: block_id, revision, language: Language::bash() },
        Entry::Rejected { block: block_id, revision, reason: "no".into() },
        Entry::Declined { block: block_id, revision, why: "no".into() },
        Entry::Skipped { block: block_id, revision },
        ran(1, 1, report),
        opinion(Ok(Opinion { risk: Risk::Medium, reason: "It writes.".into(), lines: vec![1] })),
        opinion(Err("it came too late".into())),
        Entry::Summary { upto: 1, text: "s".into(), model: Some(model), usage: Usage::default() },
        Entry::Instructions(vec![NotedInstructions {
            path: "AGENTS.md".into(),
            sha256: Sha256::of(b"x"),
            bytes: 1,
        }]),
        Entry::Recipe(RecipeFact::Answered { form: "f".into(), answers: Vec::new() }),
    ]
}

fn events() -> Vec<Value> {
    let mut all: Vec<Value> = entries().iter().filter_map(entry).collect();
    let review = Entry::Review { block: BlockId(1), revision: Revision(1), review: Review::default() };
    let links = HardLinks { files: 1, all_seen: true };
    let inspected = Inspection { links, ..Inspection::new(Review::default(), Err(String::new())) };
    all.extend(entry(&review).map(|event| with(event, of_inspection(Some(&inspected)))));
    all.extend([delta(StepId(1), "x"), reasoning(StepId(1), "x")]);
    all.extend([0, 7].map(|skipped| output(RunId(1), "stdout", "x", skipped)));
    all.push(form::event(&Form::default(), &[]));
    all.extend([Ending::Done, Ending::Interrupted].map(|end| end.event(&State::default(), "")));
    all
}

#[test]
fn the_reference_tells_the_fields_of_each_event() {
    let (all, rows) = (events(), rows());
    let kinds: BTreeSet<&str> = all.iter().filter_map(|event| event["event"].as_str()).collect();
    assert_eq!(kinds, rows.iter().map(|(event, _)| *event).collect());
    for (kind, told) in rows {
        let (named, listed) = (names(&told), names(&without_brackets(&told)));
        let mut there = BTreeSet::new();
        for event in all.iter().filter(|event| event["event"] == kind) {
            keys_at_any_depth(event, &mut there);
            let mut untold: Vec<_> =
                keys(Some(event)).into_iter().filter(|key| !listed.contains(key)).collect();
            untold.extend(keys_within(event).into_iter().filter(|key| !named.contains(key)));
            untold.retain(|key| key != "event");
            // The fields of a recipe's event belong to what it tells.
            assert!(untold.is_empty() || kind == "recipe", "{kind} does not tell {untold:?}");
        }
        let gone: Vec<_> = listed.difference(&there).collect();
        assert!(gone.is_empty(), "{kind} has no {gone:?}");
    }
}
