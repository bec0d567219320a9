use super::*;
use crate::domain::{BlockId, Entry};
use crate::store::samples::{AT, each_kind, header, reply, set_modified, wait, write_session};
use crate::store::{Store, read};

fn close(store: Store) {
    wait(store.close()).unwrap();
}

fn block(id: u32) -> Entry {
    Entry::Block(crate::store::samples::block(id, "print(1)"))
}

#[test]
fn a_list_tells_what_the_picker_shows() {
    let dir = tempfile::tempdir().unwrap();
    write_session(dir.path(), "s-1", &each_kind());
    let second = [Entry::Prompt("what is 2+2?".into()), reply("see"), block(1), block(2)];
    write_session(dir.path(), "s-2", &second);
    std::fs::write(dir.path().join("junk.jsonl"), "no session\n").unwrap();
    std::fs::write(dir.path().join("empty.jsonl"), "").unwrap();
    std::fs::write(dir.path().join("notes.txt"), "no session either").unwrap();
    let all = list(dir.path());
    let one = |id: &str| all.iter().find(|s| s.id == id).unwrap_or_else(|| panic!("{id}: {all:#?}"));
    assert_eq!(all.len(), 4);

    let first = one("s-1");
    assert_eq!((first.messages, first.blocks, first.waiting), (3, 2, 0));
    assert!(first.failed && first.unended, "a run has no end");
    assert_eq!((first.label(), first.cwd.to_str()), ("sales-q3", Some("/home/ada/data/sales")));
    assert!(first.first_prompt.starts_with("Load sales.csv"));
    assert_eq!((first.locked, &first.damage), (None, &None));

    let second = one("s-2");
    assert_eq!((second.messages, second.blocks, second.waiting, second.failed), (2, 2, 2, false));
    assert_eq!((second.first_prompt.as_str(), second.last_reply.as_str()), ("what is 2+2?", "see"));
    assert!(one("junk").damage.as_ref().unwrap().contains("not a session"));
    assert!(one("empty").damage.as_ref().unwrap().contains("empty"));
    assert_eq!(list(Path::new("/no/such/folder")), []);
}

#[test]
fn a_large_file_is_told_of_by_its_ends() {
    let dir = tempfile::tempdir().unwrap();
    let mut entries = vec![Entry::Prompt("first".into()), Entry::Renamed("renamed".into())];
    for n in 0..800 {
        entries.push(Entry::Prompt(format!("prompt {n} {}", "x".repeat(2000)).into()));
        entries.push(block(n + 1));
        entries.push(Entry::Skipped { block: BlockId(n + 1), revision: crate::domain::Revision(1) });
        entries.push(reply("answer"));
    }
    let path = write_session(dir.path(), "s-1", &entries);
    let summary = list(dir.path()).remove(0);
    assert!(summary.bytes > 1 << 20);
    assert_eq!((summary.messages, summary.blocks, summary.waiting), (1601, 800, 0));
    assert_eq!((summary.name.as_str(), summary.first_prompt.as_str()), ("renamed", "first"));

    // The counts continue when the session does.
    let (store, loaded) = Store::open(&path).unwrap();
    assert_eq!(loaded.entries.len(), entries.len() + 1);
    store.append(reply(&"long ".repeat(100_000)), AT);
    close(store);
    assert_eq!(list(dir.path()).remove(0).messages, 1602);
    // Also after a line that is larger than the window, whatever its text says.
    let (store, _) = Store::open(&path).unwrap();
    store.append(reply(&r#",\"message\":7,"message":7,"#.repeat(300_000)), AT);
    store.append(Entry::TurnEnd(crate::domain::TurnEnd::Answered), AT);
    close(store);
    let summary = list(dir.path()).remove(0);
    assert_eq!((summary.messages, summary.blocks), (1603, 800));
}

#[test]
fn a_session_is_found_by_id_prefix_and_name() {
    let dir = tempfile::tempdir().unwrap();
    let named = |id: &str, name: &str| {
        let entries = [Entry::Prompt("x".into()), Entry::Renamed(name.into())];
        write_session(dir.path(), id, &entries);
    };
    named("019a-1111", "sales-q3");
    named("019a-2222", "fib");
    named("019b-3333", "FIB-2");
    let found = |wanted: &str| find(dir.path(), wanted).map(|s| s.id);
    assert_eq!(found("019a-1111").unwrap(), "019a-1111");
    assert_eq!(found("019b").unwrap(), "019b-3333");
    assert_eq!(found("fib").unwrap(), "019a-2222");
    assert_eq!(found("fib-2").unwrap(), "019b-3333");
    assert!(matches!(found("019a"), Err(FindError::Several { fitting, .. }) if fitting.len() == 2));
    assert!(matches!(found("0"), Err(FindError::None { .. })), "too little to mean one");
    (0..7).for_each(|n| named(&format!("01ac-{n}"), &format!("n{n}")));
    let error = found("01ac").unwrap_err().to_string();
    assert!(error.starts_with("7 sessions are meant") && error.ends_with(" and 2 more"), "{error}");
    let error = found("sales").unwrap_err().to_string();
    assert!(error.ends_with("there is one called \"sales-q3\""), "{error}");
}

#[test]
fn the_last_session_is_the_one_written_last() {
    let dir = tempfile::tempdir().unwrap();
    for (id, seconds) in [("s-1", 30), ("s-2", 10), ("s-3", 20)] {
        let path = write_session(dir.path(), id, &[Entry::Prompt("x".into())]);
        set_modified(&path, 1_767_225_600 + seconds);
    }
    std::fs::write(dir.path().join("s-4.jsonl"), "damaged, and newest").unwrap();
    assert_eq!(last(dir.path(), None).unwrap().id, "s-1");
    assert_eq!(last(dir.path(), Some(Path::new("/home/ada/data/sales"))).unwrap().id, "s-1");
    assert_eq!(last(dir.path(), Some(Path::new("/elsewhere"))), None);
}

#[test]
fn a_session_that_another_process_holds_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::create(dir.path(), header("s-1"));
    store.append(Entry::Prompt("x".into()), AT);
    wait(store.sync()).unwrap();
    assert_eq!(list(dir.path()).remove(0).locked, None, "our own is not another's");
    let path = store.path();
    close(store);
    let mut other = std::process::Command::new("flock")
        .arg(&path)
        .args(["sh", "-c", "echo held; read x"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // It has the lock once it prints.
    std::io::Read::read_exact(other.stdout.as_mut().unwrap(), &mut [0; 5]).unwrap();
    assert!(list(dir.path()).remove(0).locked.is_some());
    let error = Store::open(&path).unwrap_err().to_string();
    assert!(error.contains("is open in another sayso (process "), "{error}");
    assert!(read(&path).is_ok());
    drop(other.stdin.take());
    other.wait().unwrap();
}
