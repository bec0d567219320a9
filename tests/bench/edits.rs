//! Measures edits: the cost of a hundred on a file of 50,000 lines, whether they are found as written or not at all.
//! With `SAYSO_EDITS` naming a folder of recorded replies (each `NAME/reply.md`, with the files that it was written
//! for in `NAME/files`) it counts how many of them apply.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // a test that can't go on fails by panicking

use sayso::domain::{BlockKind, Dialect, Languages};
use sayso::edit::{self, EditHunk, EditResult, FileEdit};
use sayso::engine::reply::{Segment, parse, reread};
use std::collections::BTreeMap;
use std::path::Path;

fn main() {
    match std::env::var_os("SAYSO_EDITS") {
        Some(folder) => measure(Path::new(&folder)),
        None => divan::main(),
    }
}

const LINES: usize = 50_000;

fn file() -> String {
    (0..LINES).map(|n| format!("    value_{n} = compute(value_{}, {n})\n", n / 2)).collect()
}

/// A hundred edits all over the file; `as_written` gives a searched line as the edit writes it.
fn edits(as_written: impl Fn(usize) -> String) -> FileEdit {
    let hunk = |n: usize| {
        let at = n * (LINES / 100) + 7;
        let lines: String = (at..at + 5).map(&as_written).collect();
        let last = format!("    value_{n} = None\n");
        EditHunk::new(&lines, &format!("{lines}{last}"))
    };
    FileEdit { path: "big.py".into(), hunks: (0..100).map(hunk).collect() }
}

fn put(bencher: divan::Bencher<'_, '_>, edit: &FileEdit) {
    let file = file();
    bencher.bench(|| edit::apply(Some(&file), edit).expect("it fits").text.len());
}

#[divan::bench]
fn hundred_exact(bencher: divan::Bencher<'_, '_>) {
    put(bencher, &edits(|n| format!("    value_{n} = compute(value_{}, {n})\n", n / 2)));
}

#[divan::bench]
fn hundred_with_other_indentation(bencher: divan::Bencher<'_, '_>) {
    put(bencher, &edits(|n| format!("value_{n} = compute(value_{}, {n})\n", n / 2)));
}

#[divan::bench(sample_count = 1, sample_size = 1)]
fn hundred_of_which_twenty_are_alike(bencher: divan::Bencher<'_, '_>) {
    // More edits of one file are not searched by similarity.
    let is_odd = |n: usize| (n / (LINES / 100)).is_multiple_of(5) && n % 5 == 3;
    let odd = |n: usize| if is_odd(n) { "computed" } else { "compute" };
    put(bencher, &edits(|n| format!("    value_{n} = {}(value_{}, {n})\n", odd(n), n / 2)));
}

#[divan::bench]
fn one_that_is_nowhere(bencher: divan::Bencher<'_, '_>) {
    let (file, hunk) = (file(), EditHunk::new("def nothing_like_it():\n    return 1\n", ""));
    let edit = FileEdit { path: "big.py".into(), hunks: vec![hunk] };
    bencher.bench(|| edit::apply(Some(&file), &edit).is_err());
}

/// Counts how many recorded replies apply to their files.
fn measure(folder: &Path) {
    let languages = Languages::default();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut names: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").flatten().map(|e| e.path()).collect();
    names.sort();
    for case in &names {
        let reply = std::fs::read_to_string(case.join("reply.md")).expect("a reply");
        let segments = reread(
            &reply,
            parse(&reply, Dialect::Fences, &languages, true),
            Dialect::Fences,
            &languages,
            true,
        );
        // Edits of one file are applied one after the other, in the order in which the person would decide about
        // them.
        let mut files: BTreeMap<String, Option<String>> = BTreeMap::new();
        let mut outcome = "no edit was read".to_owned();
        let mut worst = None;
        for segment in segments {
            let Segment::Block(block) = segment else { continue };
            let Some(BlockKind::Edit { paths }) = block.special_kind else { continue };
            let first = paths.first().cloned().unwrap_or_default();
            let came = edit::read(&block.source, &first).map_err(|why| why.to_string()).and_then(|edits| {
                for edit in edits {
                    let there = || std::fs::read_to_string(case.join("files").join(&edit.path)).ok();
                    let before = files.entry(edit.path.clone()).or_insert_with(there);
                    let EditResult { text, how } =
                        edit::apply(before.as_deref(), &edit).map_err(|why| why.fault.to_string())?;
                    *before = Some(text);
                    worst = worst.max(how.into_iter().max());
                }
                Ok(())
            });
            if let Err(why) = came {
                outcome = format!("refused: {why}");
                worst = None;
                break;
            }
        }
        if let Some(how) = worst {
            let same = files
                .iter()
                .all(|(path, text)| std::fs::read_to_string(case.join("after").join(path)).ok() == *text);
            let how =
                if matches!(how, edit::Exactness::Alike(_)) { "alike".to_owned() } else { how.to_string() };
            outcome = format!("applied {how}{}", if same { ", as the commit has it" } else { "" });
        }
        if std::env::var_os("SAYSO_EDITS_EACH").is_some() {
            println!("{}: {outcome}", case.display());
        }
        let outcome = outcome.split(" (at lines").next().unwrap_or_default().to_owned();
        *counts.entry(outcome).or_default() += 1;
    }
    println!("{} replies", names.len());
    for (outcome, count) in &counts {
        println!("{count:5}  {outcome}");
    }
}
