//! Tests the store on a real disk: writing, reading back, damage, failures, locks.

use super::samples::{AT, block, captured, each_kind, entry, header, report, same, wait, write_session};
use super::*;
use crate::domain::samples::ran;
use crate::domain::{BlockId, RunId, Stream};
use crate::test_folder::mode;
use proptest::prelude::*;

mod crash;
mod seals;

fn all_same(loaded: &LoadedSession, wanted: &[Entry]) -> bool {
    loaded.entries.len() == wanted.len() && loaded.entries.iter().zip(wanted).all(|((_, a), b)| same(a, b))
}

fn with_header(id: &str, entries: &[Entry]) -> Vec<Entry> {
    [Entry::Header(header(id))].into_iter().chain(entries.iter().cloned()).collect()
}

#[test]
fn a_session_comes_back_and_goes_on() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("data/sessions");
    let path = write_session(&folder, "s-1", &each_kind());
    assert_eq!((mode(&folder), mode(&path)), (0o700, 0o600));

    let (store, loaded) = Store::open(&path).unwrap();
    assert_eq!(lost(&loaded), []);
    assert!(all_same(&loaded, &with_header("s-1", &each_kind())));
    store.append(Entry::Prompt("more".into()), AT);
    wait(store.close()).unwrap();
    let again = read(&path).unwrap();
    assert_eq!(lost(&again), [], "the chain goes on");
    assert_eq!(again.entries.last().unwrap().1, Entry::Prompt("more".into()));
    assert_eq!(again.bytes, std::fs::metadata(&path).unwrap().len());
}

#[test]
fn a_session_without_a_prompt_leaves_no_file() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("sessions");
    let path = write_session(&folder, "s-1", &[Entry::Renamed("x".into()), Entry::Resumed]);
    assert!(!path.exists() && !folder.exists());
    let entries = [Entry::Renamed("x".into()), Entry::Prompt("hi".into())];
    let path = write_session(&folder, "s-2", &entries);
    assert!(all_same(&read(&path).unwrap(), &with_header("s-2", &entries)));
}

#[test]
fn the_session_knows_its_places() {
    let home = tempfile::tempdir().unwrap();
    let store = Store::create(home.path(), header("../../etc/x"));
    assert_eq!(store.path(), home.path().join("------etc-x.jsonl"));
    assert_eq!(store.blobs(), home.path().join("blobs/------etc-x"));
    let in_memory = Store::create(Path::new("/dev/shm/none/such"), header("x"));
    assert!(!in_memory.is_durable() || !Path::new("/dev/shm").exists());
}

#[test]
fn only_one_process_writes() {
    let home = tempfile::tempdir().unwrap();
    let path = write_session(home.path(), "s-1", &[Entry::Prompt("hi".into())]);
    let (store, _) = Store::open(&path).unwrap();
    let error = Store::open(&path).unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    assert!(read(&path).is_ok(), "reading is free");
    wait(store.close()).unwrap();
    assert!(Store::open(&path).is_ok());
}

#[test]
fn strange_files_are_refused_and_left_alone() {
    let home = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &[u8]| {
        let path = home.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let refused = |path: &Path| {
        let before = std::fs::read(path).unwrap();
        let error = Store::open(path).unwrap_err();
        assert_eq!(std::fs::read(path).unwrap(), before, "{error}");
        error
    };
    for bytes in [&b""[..], b"{\"v\":1,\"seq\":1,\"a"] {
        assert!(matches!(refused(&file("torn", bytes)), StoreError::Empty { .. }), "{bytes:?}");
    }
    for bytes in [&b"Dear diary\nno session\n"[..], b"hello", b"{\"a\":1}\n", &[0; 5000]] {
        assert!(matches!(refused(&file("other", bytes)), StoreError::NotASession { .. }), "{bytes:?}");
    }
    let newer = refused(&file("newer", b"{\"v\":2,\"seq\":1,\"kind\":\"header\"}\n{\"v\":2}\n"));
    assert!(matches!(newer, StoreError::Newer { line: 1, found: 2, .. }), "{newer}");
    assert!(matches!(
        Store::open(home.path()).unwrap_err(),
        StoreError::Io { .. } | StoreError::NotASession { .. }
    ));
    assert!(matches!(Store::open(&home.path().join("none")).unwrap_err(), StoreError::Io { .. }));

    let target = write_session(home.path(), "s-1", &[Entry::Prompt("hi".into())]);
    let link = home.path().join("link.jsonl");
    std::os::unix::fs::symlink(&target, &link).unwrap();
    assert!(matches!(Store::open(&link).unwrap_err(), StoreError::Unsafe { .. }));
}

#[test]
fn a_damaged_line_is_kept_named_and_skipped() {
    let home = tempfile::tempdir().unwrap();
    let prompts: Vec<Entry> = (0..5).map(|n| Entry::Prompt(format!("prompt {n}").into())).collect();
    let path = write_session(home.path(), "s-1", &prompts);
    let whole = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, whole.replace("prompt 2", "Prompt 2")).unwrap();
    let (store, loaded) = Store::open(&path).unwrap();
    assert_eq!(loaded.damage, [Damage { line: 4, fault: Fault::Checksum }]);
    assert_eq!(loaded.entries.len(), 5);
    wait(store.close()).unwrap();
    assert!(std::fs::read_to_string(&path).unwrap().contains("Prompt 2"), "kept");

    let lines: Vec<&str> = whole.lines().collect();
    std::fs::write(&path, format!("{}\n{}\n{}\n\0\0junk\n{}\n", lines[0], lines[1], lines[3], lines[4]))
        .unwrap();
    let loaded = read(&path).unwrap();
    assert_eq!(loaded.damage[0], Damage { line: 3, fault: Fault::Chain }, "a line is missing before it");
    assert!(matches!(loaded.damage[1], Damage { line: 4, fault: Fault::Unreadable(_) }));
    assert_eq!(loaded.damage.len(), 2);
    assert_eq!(loaded.entries.len(), 4);
}

/// The damage of a file. The samples approve texts that their blocks do not have; that is reported, but is no loss.
fn lost(loaded: &LoadedSession) -> Vec<Damage> {
    let invented = |damage: &&Damage| !matches!(damage.fault, Fault::Contradicts(..));
    loaded.damage.iter().filter(invented).cloned().collect()
}

fn approved(block: u32, run: u32, source: &str) -> Entry {
    let typed = crate::domain::Grantor::Person { typed: true };
    crate::domain::samples::approved(run, (block, 1), source, super::samples::terms(), typed)
}

#[test]
fn a_text_that_is_not_the_approved_one_is_named() {
    let home = tempfile::tempdir().unwrap();
    let ran = |run| ran(run, 1, report(captured(&[(Stream::Stdout, b"1")])));
    let good = [Entry::Block(block(1, "print(1)\n")), approved(1, 1, "print(1)\n"), ran(1)];
    assert_eq!(read(&write_session(home.path(), "good", &good)).unwrap().damage, []);
    // The same with right checksums and another text: only the hash in the approval shows the change.
    let resealed = [Entry::Block(block(1, "print(2)\n")), approved(1, 1, "print(1)\n"), ran(1)];
    let damage = read(&write_session(home.path(), "resealed", &resealed)).unwrap().damage;
    assert_eq!(damage, [Damage { line: 3, fault: Fault::Contradicts(BlockId(1), RunId(1)) }]);
    assert!(damage[0].to_string().contains("block 1 is not the one that run 1 was approved for"));
    let unapproved = [Entry::Block(block(1, "print(1)\n")), ran(1)];
    let damage = read(&write_session(home.path(), "unapproved", &unapproved)).unwrap().damage;
    assert_eq!(damage, [Damage { line: 3, fault: Fault::ApprovalLost(BlockId(1), RunId(1)) }]);
}

#[test]
fn a_line_of_a_newer_version_spoils_itself_alone() {
    let home = tempfile::tempdir().unwrap();
    let path = write_session(home.path(), "s-1", &[Entry::Prompt("one".into()), Entry::Prompt("two".into())]);
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    // With a right checksum, as a newer program would write it.
    let body = lines[1].replacen("\"v\":1", "\"v\":2", 1);
    let covered = format!("{}}}", &body[..body.len() - 18]);
    let line =
        format!("{},\"crc\":\"{:08x}\"}}", &body[..body.len() - 18], crc32fast::hash(covered.as_bytes()));
    std::fs::write(&path, format!("{}\n{line}\n{}\n", lines[0], lines[2])).unwrap();
    let (store, loaded) = Store::open(&path).unwrap();
    assert!(loaded.damage.contains(&Damage { line: 2, fault: Fault::NewerLine(2) }), "{:?}", loaded.damage);
    assert_eq!(loaded.entries.last().map(|(_, entry)| entry.clone()), Some(Entry::Prompt("two".into())));
    wait(store.close()).unwrap();
}

#[test]
fn a_second_opener_and_a_disk_that_cant_be_written_read_and_write_nothing() {
    let home = tempfile::tempdir().unwrap();
    let path = write_session(home.path(), "s-1", &[Entry::Prompt("hi".into())]);
    let before = std::fs::read(&path).unwrap();
    let (first, _) = Store::open(&path).unwrap();
    let stopped = ReadProgress::default();
    stopped.stop();
    assert!(matches!(Store::open_or_read::<Vec<_>>(&path, None, &stopped), Err(StoreError::Stopped)));
    let (second, loaded, why) = Store::open_or_read::<Vec<_>>(&path, None, &ReadProgress::default()).unwrap();
    assert!(why.unwrap().contains("another sayso"));
    assert_eq!(loaded.entries.len(), 2);
    second.append(Entry::Prompt("from the second".into()), AT);
    assert!(matches!(wait(second.sync()), Err(StoreError::NotSaved(_))));
    assert!(wait(second.failed()).contains("had it open"));
    assert!(wait(second.retry()).is_err() && wait(second.close()).is_err());
    wait(first.close()).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), before);
    let (_, _, why) = Store::open_or_read::<Vec<_>>(&path, None, &ReadProgress::default()).unwrap();
    assert_eq!(why, None);
}

#[test]
fn a_damaged_header_does_not_lose_the_session() {
    let home = tempfile::tempdir().unwrap();
    let path = write_session(home.path(), "s-1", &[Entry::Prompt("hi".into())]);
    let whole = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, whole.replace("sales-q3", "sales-q4")).unwrap();
    let (_store, loaded) = Store::open(&path).unwrap();
    assert_eq!(loaded.damage, [Damage { line: 1, fault: Fault::Header }]);
    assert!(matches!(&loaded.entries[0].1, Entry::Header(h) if h.id.0 == "s-1" && h.name.is_empty()));
    assert_eq!(loaded.entries[1].1, Entry::Prompt("hi".into()));
}

#[test]
fn kinds_of_a_later_day_are_told_and_kept() {
    let home = tempfile::tempdir().unwrap();
    let path = write_session(home.path(), "s-1", &[Entry::Prompt("hi".into())]);
    let file = disk::open_read(&path).unwrap();
    let opened = reader::read_file::<Vec<_>>(&path, &file, None, &ReadProgress::default()).unwrap();
    let fields = Masker::default().mask(wire::Fields::of("hologram").with("x", 1));
    let (line, _) = wire::seal(opened.next, AT, &fields, false);
    std::fs::write(&path, [std::fs::read(&path).unwrap(), line.bytes().to_vec()].concat()).unwrap();
    let (store, loaded) = Store::open(&path).unwrap();
    assert_eq!(loaded.damage, [Damage { line: 3, fault: Fault::UnknownKind("hologram".into()) }]);
    store.append(Entry::Prompt("on".into()), AT);
    wait(store.close()).unwrap();
    let again = read(&path).unwrap();
    assert_eq!((again.damage.len(), again.entries.len()), (1, 3));
}

#[test]
fn large_output_has_a_private_file_and_its_loss_is_told() {
    let home = tempfile::tempdir().unwrap();
    let output = captured(&[(Stream::Stdout, &vec![b'x'; 300_000]), (Stream::Stderr, b"\xff\n")]);
    let ran = ran(1, 1, report(output));
    let path = write_session(home.path(), "s-1", &[Entry::Prompt("hi".into()), ran.clone()]);
    let blob = home.path().join("blobs/s-1/output-3.log");
    assert_eq!((mode(&blob), mode(blob.parent().unwrap())), (0o600, 0o700));
    let loaded = read(&path).unwrap();
    assert!(loaded.damage.is_empty() && same(&loaded.entries[2].1, &ran));
    std::fs::write(&blob, b"short").unwrap();
    let loaded = read(&path).unwrap();
    assert!(matches!(&loaded.damage[..], [Damage { line: 3, fault: Fault::Blob(_) }]));
    assert_eq!(loaded.entries.len(), 3);
}

#[test]
fn secrets_do_not_reach_the_disk() {
    let home = tempfile::tempdir().unwrap();
    let secret = "sk-live-0123456789abcdef";
    let store = Store::create(home.path(), header("s-1")).with_masker(Masker::knowing([secret.into()]));
    store.append(Entry::Prompt(format!("my key is {secret}, is it good?").into()), AT);
    store.append(Entry::Block(block(1, &format!("key = '{secret}'"))), AT);
    let (head, tail) = secret.as_bytes().split_at(9);
    let output = captured(&[(Stream::Stdout, head), (Stream::Stderr, b"between"), (Stream::Stdout, tail)]);
    store.append(ran(1, 1, report(output)), AT);
    let big = captured(&[(Stream::Stdout, &[vec![b'.'; 70_000], secret.into()].concat())]);
    store.append(ran(2, 1, report(big)), AT);
    wait(store.close()).unwrap();

    for file in [store.path(), store.blobs().join("output-5.log")] {
        let text = String::from_utf8(std::fs::read(&file).unwrap()).unwrap();
        assert!(!text.contains(secret) && !text.contains("0123456789abcdef"), "{text}");
    }
    let loaded = read(&store.path()).unwrap();
    assert_eq!(loaded.damage.iter().filter(|d| d.fault == Fault::Redacted).count(), 4);
    let Entry::Block(masked) = &loaded.entries[2].1 else { panic!() };
    assert_eq!(masked.readiness(), crate::domain::Readiness::Incomplete, "it can't be run as it stands");
}

#[test]
fn a_failure_is_told_once_and_nothing_is_lost() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("sessions");
    std::fs::write(&folder, "a file in the place of the folder").unwrap();
    let store = Store::create(&folder, header("s-1"));
    store.append(Entry::Prompt("one".into()), AT);
    store.append(Entry::Prompt("two".into()), AT);
    let text = wait(store.failed());
    assert!(text.starts_with("Session not saved: ") && text.ends_with('.'), "{text}");
    assert!(matches!(wait(store.sync()), Err(StoreError::NotSaved(_))));
    assert!(wait(store.retry()).is_err());
    let again =
        wait(async { tokio::time::timeout(std::time::Duration::from_millis(20), store.failed()).await });
    assert!(again.is_err(), "the same failure is not told again");
    std::fs::remove_file(&folder).unwrap();
    wait(store.retry()).unwrap();
    wait(store.sync()).unwrap();
    let two = [Entry::Prompt("one".into()), Entry::Prompt("two".into())];
    assert!(all_same(&read(&store.path()).unwrap(), &with_header("s-1", &two)));
}

#[test]
fn a_file_that_was_deleted_is_made_again_on_retry() {
    let home = tempfile::tempdir().unwrap();
    let store = Store::create(home.path(), header("s-1"));
    store.append(Entry::Prompt("one".into()), AT);
    wait(store.sync()).unwrap();
    std::fs::remove_file(store.path()).unwrap();
    store.append(Entry::Prompt("two".into()), AT);
    assert_eq!(wait(store.sync()).unwrap_err().to_string(), "Session not saved: its file was deleted.");
    wait(store.retry()).unwrap();
    store.append(Entry::Prompt("three".into()), AT);
    wait(store.close()).unwrap();
    let loaded = read(&store.path()).unwrap();
    assert_eq!((loaded.entries.len(), loaded.damage), (4, vec![]));
}

#[test]
fn after_closing_nothing_pretends_to_be_saved() {
    let home = tempfile::tempdir().unwrap();
    let store = Store::create(home.path(), header("s-1"));
    wait(store.close()).unwrap();
    store.append(Entry::Prompt("late".into()), AT);
    assert!(matches!(wait(store.sync()), Err(StoreError::Closed)));
}

/// The end of each line of a file.
fn ends(bytes: &[u8]) -> Vec<usize> {
    bytes.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at).collect()
}

/// Opens a session whose last writer may still hold the lock: a program that another test starts at this moment holds
/// a copy of the lock until it has begun.
fn open_when_free(path: &Path) -> Result<(Store, LoadedSession), StoreError> {
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
    loop {
        match Store::open(path) {
            Err(StoreError::Locked { .. }) if std::time::Instant::now() < deadline => {
                std::thread::yield_now();
            }
            opened => return opened,
        }
    }
}

#[test]
fn cut_at_any_byte_all_whole_lines_are_read_and_writing_goes_on() {
    let home = tempfile::tempdir().unwrap();
    let path = write_session(home.path(), "s-1", &each_kind());
    let bytes = std::fs::read(&path).unwrap();
    let ends = ends(&bytes);
    let cut = home.path().join("cut.jsonl");
    for len in 0..bytes.len() {
        if !crate::test_cases::is_all() && len % 4 != 0 && !ends.contains(&len) {
            continue;
        }
        std::fs::write(&cut, &bytes[..len]).unwrap();
        // A line counts if it is complete except for its newline.
        let whole = ends.iter().filter(|end| **end <= len).count();
        let opened = open_when_free(&cut);
        if whole == 0 {
            assert!(matches!(opened, Err(StoreError::Empty { .. })), "cut at {len}");
            continue;
        }
        let (store, loaded) = opened.unwrap();
        assert_eq!(loaded.entries.len(), whole, "cut at {len}");
        let torn = !(len == 0 || bytes[len - 1] == b'\n' || ends.contains(&len));
        assert_eq!(loaded.damage.iter().any(|d| matches!(d.fault, Fault::Torn(_))), torn, "cut at {len}");
        if len % 97 == 0 || ends.contains(&len) {
            store.append(Entry::Prompt("on".into()), AT);
            wait(store.close()).unwrap();
            let again = read(&cut).unwrap();
            assert_eq!((again.entries.len(), lost(&again)), (whole + 1, vec![]), "cut at {len}");
        } else {
            wait(store.close()).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(crate::test_cases::cases(64))]

    #[test]
    fn any_session_comes_back(entries in proptest::collection::vec(entry(), 0..12)) {
        let home = tempfile::tempdir().unwrap();
        let entries = [vec![Entry::Prompt("first".into())], entries].concat();
        let path = write_session(home.path(), "s", &entries);
        let loaded = read(&path).unwrap();
        prop_assert_eq!(&loaded.damage, &vec![]);
        prop_assert!(all_same(&loaded, &with_header("s", &entries)));
    }

    #[test]
    fn any_damage_is_survived(place in 0.0f64..1.0, junk in proptest::collection::vec(any::<u8>(), 1..40)) {
        let home = tempfile::tempdir().unwrap();
        let path = write_session(home.path(), "s", &each_kind());
        let mut bytes = std::fs::read(&path).unwrap();
        let at = (place * (bytes.len() - 1) as f64) as usize;
        let end = (at + junk.len()).min(bytes.len());
        bytes.splice(at..end, junk);
        std::fs::write(&path, &bytes).unwrap();
        match read(&path) {
            // At most two lines were damaged; all others are read.
            Ok(loaded) => prop_assert!(loaded.entries.len() + 2 > each_kind().len()),
            Err(error) => prop_assert!(at < 300, "{}", error),
        }
        let listed = index::list(home.path());
        prop_assert_eq!(listed.len(), 1);
    }
}
