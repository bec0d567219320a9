use super::*;
use crate::domain::Entry;
use crate::store::disk::Locks;
use crate::store::index::{by_age, list};
use crate::store::manage;
use crate::store::samples::{AT, damaged, derived_holds, set_modified, wait, write_session};
use crate::test_folder::{make_pipe, mode};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A folder with enough sessions for a catalogue; all but the last are copies of the first.
fn many() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let first = write_session(dir.path(), "s-0", &[Entry::Prompt("how far is the moon?".into())]);
    for n in 1..=MIN_FILES {
        std::fs::copy(&first, dir.path().join(format!("s-{n}.jsonl"))).unwrap();
    }
    (dir, first)
}

fn file(folder: &Path) -> PathBuf {
    folder.join("index/sessions.db")
}

/// The summaries as they are read from the files, without the catalogue.
fn looked_into(folder: &Path) -> Vec<Summary> {
    let locks = Locks::read();
    by_age(folder).into_iter().map(|file| file.summary(&locks)).collect()
}

/// Lists until the summaries of `count` files are cached: those of files that were written just now are not.
fn kept(folder: &Path, count: usize) {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        list(folder);
        let derived = DerivedFile::open(folder, &PLAN).unwrap();
        let rows: i64 = derived.db.query_row("SELECT count(*) FROM catalogue", [], |row| row.get(0)).unwrap();
        if usize::try_from(rows) == Ok(count) {
            return;
        }
        assert!(Instant::now() < end, "{rows} of {count} files are kept");
        std::thread::yield_now();
    }
}

#[test]
fn what_changed_is_told_and_the_rest_is_taken_from_it() {
    let (dir, first) = many();
    let folder = dir.path();
    kept(folder, MIN_FILES + 1);
    assert_eq!(list(folder), looked_into(folder));
    assert_eq!((mode(&file(folder)), mode(&folder.join("index"))), (0o600, 0o700));

    // The catalogue is used: a name changed in it is shown for unchanged files, and not for changed ones.
    let derived = DerivedFile::open(folder, &PLAN).unwrap();
    derived.db.execute("UPDATE catalogue SET name = 'from the catalogue'", []).unwrap();
    assert!(list(folder).iter().all(|session| session.name == "from the catalogue"));
    wait(manage::rename(&first, "moon", (&crate::domain::Masker::default(), None), AT)).unwrap();
    std::fs::remove_file(folder.join("s-1.jsonl")).unwrap();
    let told = list(folder);
    assert_eq!(told.len(), MIN_FILES);
    assert_eq!(told.iter().filter(|session| session.name == "moon").count(), 1);
    kept(folder, MIN_FILES);
}

#[test]
fn it_is_not_believed_over_a_file_that_looks_the_same() {
    let (dir, first) = many();
    kept(dir.path(), MIN_FILES + 1);
    let (before, modified) =
        (std::fs::read(&first).unwrap(), std::fs::metadata(&first).unwrap().modified().unwrap());
    // The same size and the old modification time: only the change time differs.
    std::fs::write(&first, vec![b'x'; before.len()]).unwrap();
    std::fs::File::options().write(true).open(&first).unwrap().set_modified(modified).unwrap();
    let told = list(dir.path());
    let first = told.iter().find(|session| session.path == first).unwrap();
    assert!(first.damage.as_ref().is_some_and(|why| why.contains("not a session")), "{first:?}");
}

#[test]
fn a_damaged_one_is_made_anew() {
    let (dir, _) = many();
    let (folder, truth) = (dir.path(), looked_into(dir.path()));
    kept(folder, MIN_FILES + 1);
    let whole = std::fs::read(file(folder)).unwrap();
    for (number, damaged) in damaged(&whole).iter().enumerate() {
        for log in ["sessions.db-wal", "sessions.db-shm"] {
            std::fs::remove_file(folder.join("index").join(log)).ok();
        }
        std::fs::write(file(folder), damaged).unwrap();
        assert_eq!(list(folder), truth, "damage {number}");
        kept(folder, MIN_FILES + 1);
        assert_eq!(list(folder), truth, "damage {number}, made anew");
    }
}

#[test]
fn where_it_cannot_be_written_all_files_are_looked_into() {
    let (dir, _) = many();
    std::fs::write(dir.path().join("index"), "in the way").unwrap();
    assert_eq!(list(dir.path()), looked_into(dir.path()));
    // A pipe does not block it.
    std::fs::remove_file(dir.path().join("index")).unwrap();
    std::fs::create_dir(dir.path().join("index")).unwrap();
    let lock = dir.path().join("index/lock");
    make_pipe(&lock);
    assert_eq!(list(dir.path()), looked_into(dir.path()));
    std::fs::remove_file(&lock).unwrap();
    // It does not wait for a database that another process is writing, either.
    let other = DerivedFile::open(dir.path(), &PLAN).unwrap();
    other.db.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(list(dir.path()), looked_into(dir.path()));
}

#[test]
fn of_a_removed_session_no_byte_stays_in_it() {
    let (dir, first) = many();
    let words = "what nobody else may know";
    let secret = write_session(dir.path(), "s-secret", &[Entry::Prompt(words.into())]);
    kept(dir.path(), MIN_FILES + 2);
    let holds = || derived_holds(dir.path(), words.as_bytes());
    assert!(holds());
    let copy = dir.path().join("copy");
    std::fs::copy(&secret, &copy).unwrap();
    manage::delete(&secret).unwrap();
    assert!(!holds());
    // A session that somebody else removed is deleted with the next list.
    std::fs::rename(&copy, &secret).unwrap();
    set_modified(&secret, 0);
    kept(dir.path(), MIN_FILES + 2);
    assert!(holds());
    std::fs::remove_file(&secret).unwrap();
    list(dir.path());
    assert!(!holds());
    assert!(list(dir.path()).iter().any(|session| session.path == first));
}

#[test]
fn it_is_neither_written_nor_read_through_a_link() {
    let (dir, _) = many();
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::write(elsewhere.path().join("lock"), "mine").unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), dir.path().join("index")).unwrap();
    assert_eq!(list(dir.path()), looked_into(dir.path()));
    assert_eq!(std::fs::read(elsewhere.path().join("lock")).unwrap(), b"mine");
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 1);
    // Nor if only the file is a link.
    std::fs::remove_file(dir.path().join("index")).unwrap();
    std::fs::create_dir(dir.path().join("index")).unwrap();
    let other = elsewhere.path().join("other.db");
    std::fs::write(&other, "").unwrap();
    std::os::unix::fs::symlink(&other, file(dir.path())).unwrap();
    assert_eq!(list(dir.path()), looked_into(dir.path()));
    assert_eq!(std::fs::metadata(&other).unwrap().len(), 0);
}
