//! Arbitrary entries.

use super::{block, confined, report, terms};
use crate::domain::*;
use proptest::prelude::*;
use std::path::PathBuf;

fn text() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), "[a-z \n]{0,40}", any::<String>()]
}

fn path() -> impl Strategy<Value = PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;
    proptest::collection::vec(1u8..=255, 1..20)
        .prop_map(|bytes| PathBuf::from(std::ffi::OsString::from_vec(bytes)))
}

fn output() -> impl Strategy<Value = OutputBuffer> {
    let chunk = (any::<bool>(), proptest::collection::vec(any::<u8>(), 0..200));
    (0u64..400, proptest::collection::vec(chunk, 0..12)).prop_map(|(limit, chunks)| {
        let mut captured = OutputBuffer::new(limit);
        for (err, bytes) in chunks {
            captured.push(if err { Stream::Stderr } else { Stream::Stdout }, &bytes);
        }
        captured
    })
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        Just(Outcome::Ok),
        Just(Outcome::Failed),
        Just(Outcome::TimedOut),
        Just(Outcome::Interrupted),
        text().prop_map(Outcome::Limit),
        text().prop_map(Outcome::Crashed),
        text().prop_map(Outcome::Refused),
        text().prop_map(Outcome::NotStarted),
    ]
}

fn run_entry() -> impl Strategy<Value = Entry> {
    let numbers = (any::<u32>(), any::<u32>(), any::<u64>(), any::<i32>(), any::<u32>());
    (numbers, outcome(), output(), proptest::option::of(text()), proptest::option::of(path()), path())
        .prop_map(|((run, block, wall, code, kernel), outcome, output, value, cwd, image)| {
            let mut report = RunReport { outcome, output, value, cwd, ..report(OutputBuffer::default()) };
            report.receipt.wall_us = wall;
            report.receipt.exit_code = Some(code);
            report.receipt.signal = Some(code);
            let kernel_ref = KernelRef { generation: kernel, variables: block, keeps_running: false };
            report.kernel = match kernel % 3 {
                0 => KernelFate::None,
                1 => KernelFate::Kept(kernel_ref),
                _ => KernelFate::Lost(kernel_ref),
            };
            report.images.iter_mut().for_each(|i| i.path.clone_from(&image));
            if kernel % 2 == 0 {
                report.pictures.clone_from(&report.images);
            }
            samples::ran(run, block, report)
        })
}

/// A block and its revision.
fn ids() -> impl Strategy<Value = (BlockId, Revision)> {
    (any::<u32>().prop_map(BlockId), any::<u32>().prop_map(Revision))
}

fn rule_entry() -> impl Strategy<Value = Entry> {
    prop_oneof![
        (any::<(u32, u32)>(), any::<u32>()).prop_map(|(revision, rule)| {
            samples::approved(8, revision, &rule.to_string(), terms(), Grantor::Rule(RuleId(rule)))
        }),
        (ids(), path()).prop_map(|((block, revision), cwd)| Entry::RuleAdded(Box::new(Rule {
            id: RuleId(revision.0),
            scope: RuleScope::ALL[block.0 as usize % 3],
            block,
            sha256: Sha256::of(b"x"),
            terms: Terms { cwd, ..terms() },
        }))),
        any::<u32>().prop_map(|rule| Entry::RuleRevoked(RuleId(rule))),
    ]
}

/// Entries without text from outside.
fn without_text() -> impl Strategy<Value = Entry> {
    prop_oneof![
        prop::sample::select(vec![
            TurnEnd::Answered,
            TurnEnd::Stopped,
            TurnEnd::StepLimit,
            TurnEnd::Repeated
        ])
        .prop_map(Entry::TurnEnd),
        Just(Entry::Resumed),
        any::<bool>().prop_map(|again| Entry::Undone {
            run: RunId(3),
            block: BlockId(2),
            files: vec![".envrc".into()],
            more: u32::from(again),
            kind: if again { UndoKind::Redo } else { UndoKind::Undo },
        }),
        Just(Entry::KernelRestarted),
    ]
}

fn edit_entry() -> impl Strategy<Value = Entry> {
    prop_oneof![
        (ids(), text(), text()).prop_map(|((block, revision), source, note)| Entry::Placed {
            block,
            revision,
            source: source.into(),
            bases: vec![OnDisk::Nothing, OnDisk::File(Some(Sha256::of(note.as_bytes())))],
            note,
            whole: true,
        }),
        (ids(), text()).prop_map(|((block, revision), why)| Entry::Declined { block, revision, why }),
    ]
}

/// Any entry but a header.
pub(in crate::store) fn entry() -> impl Strategy<Value = Entry> {
    prop_oneof![
        text().prop_map(|text| Entry::Prompt(text.into())),
        text().prop_map(Entry::Renamed),
        (text(), text()).prop_map(|(provider, model)| Entry::Model(ModelName { provider, model })),
        (any::<u32>(), text(), text(), text(), proptest::option::of(any::<u64>())).prop_map(
            |(step, text, reasoning, word, input)| Entry::Reply {
                step: StepId(step),
                text,
                reasoning: reasoning.clone(),
                tool_calls: vec![ToolCall {
                    id: word.clone(),
                    name: word.clone(),
                    arguments: reasoning,
                    signature: None
                }],
                kept: Vec::new(),
                finish: Finish { reason: FinishReason::Filter, word: Some(word) },
                usage: Usage { input, ..Usage::default() },
            }
        ),
        (any::<u32>(), text(), any::<bool>()).prop_map(|(id, source, execute)| {
            let mut block = block(id, &source);
            if execute {
                block.origin.dialect = Dialect::ExecuteTags;
                block.origin.torn = true;
                block.kind = BlockKind::Code { language: None };
                block.versions.iter_mut().for_each(|v| (v.language, v.whole) = (None, false));
            }
            Entry::Block(block)
        }),
        (ids(), text()).prop_map(|((block, revision), source)| Entry::Edited {
            block,
            revision,
            source: source.into(),
            whole: true,
        }),
        edit_entry(),
        (ids(), text()).prop_map(|((block, revision), reason)| Entry::Rejected { block, revision, reason }),
        (any::<(u32, u32)>(), path(), text()).prop_map(|(revision, cwd, word)| {
            let (source, interpreter) = (word.clone(), cwd.clone());
            let terms = Terms { cwd, interpreter, version: Some(word), kernel: None, ..confined() };
            samples::approved(7, revision, &source, terms, Grantor::Flag)
        }),
        rule_entry(),
        (ids(), text()).prop_map(|((block, revision), message)| Entry::Review {
            block,
            revision,
            review: Review {
                findings: vec![Finding {
                    rule: "sh.x".into(),
                    severity: Severity::Medium,
                    place: TextRange::default(),
                    message: message.clone(),
                    forbidden: message.len().is_multiple_of(2),
                }],
                effects: Effects {
                    hosts: vec![message.clone()],
                    packages: vec![message.clone()],
                    environment: vec![message],
                    ..Effects::default()
                },
                ..Review::default()
            },
        }),
        run_entry(),
        without_text(),
    ]
}
