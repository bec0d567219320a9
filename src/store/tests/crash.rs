//! Tests what needs a process of its own: being killed at any moment, and a full disk.
//!
//! The children are tests of this same binary, started by the tests that need them.

use super::*;
use crate::test_folder::child_test;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

const FOLDER: &str = "SAYSO_TEST_FOLDER";

#[test]
fn killed_at_any_moment_what_was_synced_is_there() {
    // All thousand rounds are only run when all cases of the property tests are.
    let rounds = if crate::test_cases::cases(1000).cases == 1000 { 1000 } else { 12 };
    for round in 0..rounds {
        let home = tempfile::tempdir().unwrap();
        let mut command = child_test("store::tests::crash::child_that_writes");
        let mut writing = command.env(FOLDER, home.path()).stdout(Stdio::piped()).spawn().unwrap();
        let mut synced = 0;
        for line in BufReader::new(writing.stdout.take().unwrap()).lines() {
            if let Some(number) = line.unwrap().strip_prefix("synced ") {
                synced = number.parse().unwrap();
            }
            if synced > round % 12 * 3 {
                break;
            }
        }
        writing.kill().unwrap();
        writing.wait().unwrap();

        let seal = Seal::find(&home.path().join("state")).unwrap().expect("its key outlived it");
        let (store, loaded) = Store::open_with(&home.path().join("s-1.jsonl"), Some(&seal)).unwrap();
        assert_eq!(loaded.foreign, None, "what a process that was killed left behind is its own");
        let whole = loaded.damage.iter().all(|d| matches!(d.fault, Fault::Torn(_)));
        assert!(synced > 0 && whole, "{synced}, {:?}", loaded.damage);
        let told: Vec<String> = loaded
            .entries
            .iter()
            .filter_map(|(_, e)| if let Entry::Prompt(prompt) = e { Some(prompt.text.clone()) } else { None })
            .collect();
        let wanted: Vec<String> = (1..=told.len()).map(prompt).collect();
        assert!(told.len() >= synced && told == wanted, "{synced} were synced, {} are there", told.len());
        store.append(Entry::Resumed, AT);
        wait(store.close()).unwrap();
        let again = read_with(&store.path(), Some(&seal)).unwrap();
        assert_eq!((again.damage, again.foreign), (Vec::new(), None));
    }
}

fn prompt(number: usize) -> String {
    format!("prompt {number} {}", "x".repeat(number * 37 % 5000))
}

#[test]
#[ignore = "runs as the child of another test"]
fn child_that_writes() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let seal = Seal::make(&Path::new(&folder).join("state")).unwrap();
    let store = Store::create(Path::new(&folder), header("s-1")).with_seal(Some(seal));
    for number in 1.. {
        store.append(Entry::Prompt(prompt(number).into()), AT);
        // Other entries are being written when the process ends.
        if number % 3 == 0 {
            wait(store.sync()).unwrap();
            println!("synced {number}");
        }
    }
}

#[test]
fn a_full_disk_loses_nothing() {
    let home = tempfile::tempdir().unwrap();
    let mut command = child_test("store::tests::crash::child_with_little_space");
    let ended = command.env(FOLDER, home.path()).output().unwrap();
    let text = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success() && text.contains("all is there"), "{text}");
}

#[test]
#[ignore = "runs as the child of another test"]
fn child_with_little_space() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let space = |bytes| setrlimit(Resource::Fsize, Rlimit { current: bytes, maximum: None }).unwrap();
    let store = Store::create(Path::new(&folder), header("s-1"));
    let prompts: Vec<Entry> = (1..=20).map(|n| Entry::Prompt(prompt(n * 3).into())).collect();
    store.append(prompts[0].clone(), AT);
    wait(store.sync()).unwrap();
    let before = std::fs::metadata(store.path()).unwrap().len();

    // There is only room for a part of the next line.
    space(Some(before + 100));
    for entry in &prompts[1..] {
        store.append(entry.clone(), AT);
    }
    assert_eq!(wait(store.failed()), "Session not saved: the file would be larger than allowed.");
    assert_eq!(std::fs::metadata(store.path()).unwrap().len(), before + 100, "a part of a line is there");
    assert!(wait(store.sync()).is_err() && wait(store.retry()).is_err());

    space(None);
    wait(store.retry()).unwrap();
    wait(store.close()).unwrap();
    let loaded = read(&store.path()).unwrap();
    assert_eq!(loaded.damage, []);
    assert!(all_same(&loaded, &with_header("s-1", &prompts)));
    println!("all is there");
}
