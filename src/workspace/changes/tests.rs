//! Tests snapshots of folders in which programs hide what they do.

use super::*;
use crate::test_folder::TestFolder;
use crate::workspace::shared_maps::tests::SharedMapping;
use std::fs;
use std::time::Duration;

impl TestFolder {
    fn look(&self) -> ChangeWatch {
        begin(&self.base, &self.base, vec![self.base.clone()], &AutoRunFiles::default())
    }
}

fn told(changes: &Changes) -> Vec<(&str, &str, u64)> {
    changes.files.iter().map(|c| (c.change.as_str(), c.path.as_str(), c.bytes)).collect()
}

#[test]
fn what_was_made_changed_and_deleted_is_told() {
    let folder = TestFolder::new();
    for name in ["same", "grown", "gone"] {
        folder.file(name, "1");
    }
    let before = folder.look();
    folder.file("grown", "12");
    fs::remove_file(folder.at("gone")).expect("deleted");
    folder.file("out/new.png", "123");
    let changes = before.changes();
    let expected = [("deleted", "gone", 0), ("changed", "grown", 2), ("created", "out/new.png", 3)];
    assert_eq!(told(&changes), expected);
    assert!(changes.gaps.is_empty(), "{:?}", changes.gaps);
}

#[test]
fn what_tools_keep_is_looked_at_and_caches_are_told_as_passed_over() {
    let folder = TestFolder::new();
    for name in
        [".git/HEAD", ".git/objects/aa/b", "sub/.venv/lib/site.py", "node_modules/x/a.js", "a/target/b"]
    {
        folder.file(name, "1");
    }
    let before = folder.look();
    folder.file(".git/HEAD", "2");
    folder.file(".git/refs/heads/new", "2");
    folder.file(".git/objects/aa/c", "2");
    folder.file(".git/objects/bb/c", "22");
    folder.file("sub/.venv/lib/site.py", "2");
    folder.file("node_modules/x/a.js", "2");
    let changes = before.changes();
    let expected = [
        ("changed", ".git/HEAD", 1),
        ("changed", ".git/objects", 3),
        ("created", ".git/refs/heads/new", 1),
        ("changed", "sub/.venv/lib/site.py", 1),
    ];
    assert_eq!(told(&changes), expected);
    let names = ["node_modules", "a/target"].map(str::to_owned).to_vec();
    assert_eq!(changes.gaps, UnscannedChanges { folders: 2, names, ..UnscannedChanges::default() });
}

#[test]
fn a_flood_of_new_files_hides_no_change_and_is_told() {
    let folder = TestFolder::with(&[("z/tests.py", "assert add(1, 2) == 3\n"), ("z/gone.py", "")]);
    let mut before = folder.look();
    // However busy the machine is.
    before.bounds.1 = Duration::from_secs(60);
    folder.file("z/tests.py", "assert True           \n");
    fs::remove_file(folder.at("z/gone.py")).expect("deleted");
    for n in 0..=USUAL_BOUNDS.0 {
        fs::write(folder.at(&format!("{n}")), "").expect("written");
    }
    let changes = before.changes();
    assert!(told(&changes).contains(&("changed", "z/tests.py", 23)), "{changes:?}");
    assert!(told(&changes).contains(&("deleted", "z/gone.py", 0)));
    assert_eq!(changes.files.len(), MAX_CHANGES_SHOWN);
    assert!(changes.gaps.changes > 1_000, "{:?}", changes.gaps);
    assert!(changes.gaps.names.contains(&".".to_owned()), "{:?}", changes.gaps);
}

#[test]
fn a_folder_that_is_too_large_is_told_and_what_is_obeyed_in_it_is_seen() {
    let folder = TestFolder::new();
    for n in 0..=USUAL_BOUNDS.0 {
        folder.file(&format!("big/{n}"), "");
    }
    folder.file("small", "1");
    let before = folder.look();
    folder.file("big/.envrc", "");
    folder.file("big/other", "");
    folder.file("small", "12");
    let changes = before.changes();
    assert_eq!(told(&changes), [("created", "big/.envrc", 0), ("changed", "small", 2)]);
    assert_eq!((changes.gaps.folders, changes.gaps.names.as_slice()), (1, &["big".to_owned()][..]));
}

/// A file that programs obey, and another one.
const BOTH: [&str; 2] = [".envrc", "a"];
const BOTH_CHANGED: [(&str, &str, u64); 2] = [("changed", ".envrc", 3), ("changed", "a", 3)];

/// Checks that both are told as changed, and that the first is found among the files that are obeyed too: the listing
/// of all files alone would tell the same.
fn assert_both_changed(changes: &Changes, before: &ChangeWatch, what: &str) {
    assert_eq!(told(changes), BOTH_CHANGED, "{what}");
    let obeyed = changes.auto_run.changes_since(&before.auto_run);
    let obeyed: Vec<_> = obeyed.iter().map(|change| (&*change.change, Path::new(&change.path))).collect();
    assert!(matches!(obeyed[..], [("changed", path)] if path.ends_with(BOTH[0])), "{what}: {obeyed:?}");
}

#[test]
fn the_same_size_and_time_hide_nothing() {
    let folder = TestFolder::new();
    let times = BOTH.map(|name| {
        let info = fs::metadata(folder.file(name, "one")).expect("there");
        info.modified().expect("a time")
    });
    let before = folder.look();
    for (name, time) in BOTH.into_iter().zip(times) {
        let file = fs::File::options().write(true).open(folder.file(name, "two")).expect("open");
        file.set_modified(time).expect("set back");
    }
    assert_both_changed(&before.changes(), &before, "times set back");
}

#[test]
fn what_changes_in_the_tick_of_a_look_is_told() {
    let folder = TestFolder::new();
    let write = |text: String| BOTH.iter().for_each(|name| drop(folder.file(name, &text)));
    let mut known = AutoRunFiles::default();
    for round in 0..200 {
        write(format!("{round:03}"));
        let before = begin(&folder.base, &folder.base, vec![folder.base.clone()], &known);
        write(format!("{:03}", round + 500));
        let changes = before.changes();
        assert_both_changed(&changes, &before, &format!("round {round}"));
        known = changes.auto_run;
    }
}

#[test]
fn the_working_folder_is_looked_at_wherever_a_run_starts() {
    let (folder, other) = (TestFolder::new(), TestFolder::new());
    let before = begin(&folder.base, &other.base, Vec::new(), &AutoRunFiles::default());
    folder.file("a", "1");
    other.file("b", "1");
    let changes = before.changes();
    let there = other.at("b").to_string_lossy().into_owned();
    let mut paths: Vec<&str> = changes.files.iter().map(|change| change.path.as_str()).collect();
    paths.sort_unstable();
    assert_eq!(paths, [there.as_str(), "a"]);
}

#[test]
fn a_folder_that_can_not_be_read_is_said_to_hide_names_that_are_obeyed() {
    let folder = TestFolder::new();
    let before = folder.look();
    let mut deep = fs::File::open(&folder.base).expect("open");
    for _ in 0..30 {
        let name = "d".repeat(200);
        rustix::fs::mkdirat(&deep, &name, rustix::fs::Mode::RWXU).expect("made");
        let flags = rustix::fs::OFlags::DIRECTORY | rustix::fs::OFlags::CLOEXEC;
        deep = rustix::fs::openat(&deep, &name, flags, rustix::fs::Mode::empty()).expect("open").into();
    }
    let gaps = before.changes().gaps;
    assert!(gaps.names_incomplete && gaps.unreadable.len() == 1, "{gaps:?}");
    assert!(gaps.unreadable[0].starts_with("ddd"), "{gaps:?}");
}

#[test]
fn what_was_not_read_and_a_program_that_hides_its_memory_are_gaps() {
    let folder = TestFolder::new();
    let mut before = folder.look();
    before.before.unread.insert(folder.at("data/large"));
    before.auto_run.is_kept_out = true;
    let gaps = before.changes().gaps;
    assert_eq!(gaps.lines()[0], "1 file (data/large)");
    assert!(gaps.memory_hidden && gaps.may_hide("any") && !gaps.names_incomplete, "{gaps:?}");
}

#[test]
fn a_change_of_a_file_with_other_names_says_so() {
    let (folder, store) = (TestFolder::new(), TestFolder::new());
    store.file("stored", "1");
    fs::hard_link(store.at("stored"), folder.at("linked")).expect("linked");
    fs::hard_link(store.at("stored"), folder.at("Makefile")).expect("linked");
    let before = folder.look();
    folder.file("linked", "12");
    let changes = before.changes();
    let names: Vec<_> =
        changes.files.iter().map(|change| (change.path.as_str(), change.other_names)).collect();
    assert_eq!(names, [("Makefile", 2), ("linked", 2)]);
}

#[test]
fn a_new_name_of_a_file_says_that_there_are_others_and_a_folder_has_none() {
    let folder = TestFolder::with(&[("a", "1"), ("c", "1")]);
    let before = folder.look();
    fs::hard_link(folder.at("a"), folder.at("b")).expect("linked");
    fs::remove_file(folder.at("c")).expect("removed");
    fs::create_dir_all(folder.at("c/x")).expect("made");
    let changes = before.changes();
    let names: Vec<_> =
        changes.files.iter().map(|c| (c.change.as_str(), c.path.as_str(), c.other_names)).collect();
    assert_eq!(names, [("changed", "a", 1), ("created", "b", 1), ("changed", "c", 0)]);
}

#[test]
#[ignore = "needs python3"]
fn a_store_into_an_earlier_shared_mapping_is_seen() {
    let folder = TestFolder::with(&[("Makefile", "all: fine  \n"), ("a.txt", "one\n")]);
    let mut mapping = SharedMapping::of(&folder.base, &["Makefile", "a.txt"]);
    let before = folder.look();
    mapping.store("two");
    assert_eq!(told(&before.changes()), [("changed", "Makefile", 12), ("changed", "a.txt", 4)]);
}
