//! Tests what counts as written by this installation, and what does not, whoever wrote it.

use super::*;
use crate::store::wire::{ChainLink, Fields};

/// The seal of one installation, and a folder for its sessions.
struct House {
    home: tempfile::TempDir,
    seal: Seal,
}

impl House {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let seal = Seal::make(&home.path().join("state")).unwrap();
        Self { home, seal }
    }

    /// A session with these prompts.
    fn session(&self, id: &str, prompts: &[&str]) -> PathBuf {
        let store =
            Store::create(&self.home.path().join("sessions"), header(id)).with_seal(Some(self.seal.clone()));
        for prompt in prompts {
            store.append(Entry::Prompt((*prompt).into()), AT);
        }
        wait(store.close()).unwrap();
        store.path()
    }

    fn foreign(&self, path: &Path) -> Option<Foreign> {
        read_with(path, Some(&self.seal)).unwrap().foreign
    }
}

fn lines(path: &Path) -> Vec<String> {
    std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

fn put(path: &Path, lines: &[String]) {
    std::fs::write(path, lines.join("\n") + "\n").unwrap();
}

/// Changes lines as far as a stranger can: numbers, links and checksums fit. With `keep`, the old seals are left in
/// place.
fn made_to_fit(lines: &[String], keep: bool) -> Vec<String> {
    let mut link = ChainLink::FIRST;
    let sealed = lines.iter().map(|line| {
        let serde_json::Value::Object(mut fields) = serde_json::from_str(line).unwrap() else { panic!() };
        for made in ["v", "seq", "at", "prev", "crc"] {
            fields.remove(made);
        }
        let mac = fields.remove("mac").filter(|_| keep);
        let (line, next) = wire::seal(link.clone(), AT, &Masker::default().mask(Fields(fields)), false);
        let line = String::from_utf8(line.bytes().to_vec()).unwrap().trim_end().to_owned();
        let (body, _) = line.split_once(",\"crc\":").unwrap();
        let body = mac.map_or(body.to_owned(), |mac| format!("{body},\"mac\":{mac}"));
        let crc = crc32fast::hash(format!("{body}}}").as_bytes());
        link = ChainLink { prev: wire::Crc(crc), ..next };
        format!("{body},\"crc\":\"{crc:08x}\"}}")
    });
    sealed.collect()
}

#[test]
fn what_was_written_here_is_own_however_often_it_is_opened() {
    let house = House::new();
    let path = house.session("s-1", &["a", "b"]);
    assert_eq!(house.foreign(&path), None);
    for prompt in ["c", "d"] {
        let (store, loaded) = Store::open_with(&path, Some(&house.seal)).unwrap();
        assert_eq!(loaded.foreign, None);
        store.append(Entry::Prompt(prompt.into()), AT);
        wait(store.close()).unwrap();
    }
    let name = (&Masker::default(), Some(&house.seal));
    wait(manage::rename(&path, "better", name, AT)).unwrap();
    assert_eq!(house.foreign(&path), None);
    assert_eq!(lost(&read_with(&path, Some(&house.seal)).unwrap()), []);
    let key = house.home.path().join("state/session-key");
    assert_eq!((mode(&key), mode(&house.home.path().join("state"))), (0o600, 0o700));
    let text = std::fs::read(&path).unwrap();
    let key = std::fs::read(&key).unwrap();
    assert!(!text.windows(key.len()).any(|bytes| bytes == key), "the key does not lie with the sessions");
    assert_eq!(format!("{:?}", house.seal), "Seal(..)");
}

#[test]
fn of_many_who_make_a_key_at_once_all_get_the_same() {
    for _ in 0..20 {
        let home = tempfile::tempdir().unwrap();
        let start = std::sync::Barrier::new(8);
        let seals: Vec<Seal> = std::thread::scope(|scope| {
            let makers: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        start.wait();
                        Seal::make(home.path()).unwrap()
                    })
                })
                .collect();
            makers.into_iter().map(|maker| maker.join().unwrap()).collect()
        });
        let first = House { seal: seals[0].clone(), home: tempfile::tempdir().unwrap() };
        let path = first.session("s-1", &["a"]);
        for seal in &seals {
            assert_eq!(read_with(&path, Some(seal)).unwrap().foreign, None);
        }
        let files = std::fs::read_dir(home.path()).unwrap().filter(|e| e.as_ref().unwrap().path().is_file());
        assert_eq!(files.count(), 1);
    }
}

#[test]
fn another_installation_an_old_one_and_none_are_foreign() {
    let (house, other) = (House::new(), House::new());
    let path = other.session("s-1", &["a"]);
    assert_eq!(house.foreign(&path), Some(Foreign::Broken(1)));
    assert_eq!(read(&path).unwrap().foreign, Some(Foreign::NoKey));
    let old = write_session(&house.home.path().join("sessions"), "s-2", &each_kind());
    assert_eq!(house.foreign(&old), Some(Foreign::Unsealed(1)));
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/sessions/v1")).unwrap()
    {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|end| end == "jsonl") {
            assert_eq!(house.foreign(&path), Some(Foreign::Unsealed(1)), "{}", path.display());
        }
    }
    let state = house.home.path().join("state");
    std::fs::remove_file(state.join("session-key")).unwrap();
    assert!(Seal::find(&state).unwrap().is_none());
    let own = house.session("s-3", &["a"]);
    let new = Seal::make(&state).unwrap();
    assert!(read_with(&own, Some(&new)).unwrap().foreign.is_some(), "its key is gone");
    std::fs::write(state.join("session-key"), "short").unwrap();
    assert!(Seal::find(&state).unwrap_err().to_string().contains("is not the key"));
}

#[test]
fn whatever_a_stranger_makes_of_a_file_makes_it_foreign() {
    let house = House::new();
    let of = |id: &str| house.session(id, &["one", "two", "three", "four"]);
    let theirs = lines(&of("s-other"));
    type Change<'a> = &'a dyn Fn(&mut Vec<String>);
    let changes: [(&str, Change<'_>, bool, u64); 8] = [
        ("a text", &|lines| lines[2] = lines[2].replace("two", "2wo"), true, 3),
        ("a text without its seal", &|lines| lines[2] = lines[2].replace("two", "2wo"), false, 1),
        ("the order", &|lines| lines.swap(2, 3), true, 3),
        ("one line less", &|lines| drop(lines.remove(2)), true, 3),
        ("one line twice", &|lines| lines.insert(2, lines[2].clone()), true, 4),
        ("a line of another session", &|lines| lines[2].clone_from(&theirs[2]), true, 3),
        ("the header of another session", &|lines| lines[0].clone_from(&theirs[0]), true, 2),
        (
            "all but the header of another",
            &|lines| lines.splice(1.., theirs[1..].iter().cloned()).for_each(drop),
            true,
            2,
        ),
    ];
    for (at, (what, change, keep, line)) in changes.into_iter().enumerate() {
        let path = of(&format!("s-{at}"));
        let mut changed = lines(&path);
        change(&mut changed);
        // First as it is, with wrong checksums; then with everything made to fit that can be.
        put(&path, &changed);
        assert!(house.foreign(&path).is_some(), "{what}");
        put(&path, &made_to_fit(&changed, keep));
        let foreign = house.foreign(&path);
        let is_told = matches!(foreign, Some(Foreign::Broken(n) | Foreign::Unsealed(n)) if n <= line);
        assert!(is_told, "{what}: {foreign:?}");
    }
}

#[test]
fn an_end_that_was_cut_off_or_set_back_is_noticed() {
    let house = House::new();
    let path = house.session("s-1", &["one", "two", "three"]);
    let whole = lines(&path);
    for left in 1..whole.len() {
        put(&path, &whole[..left]);
        assert_eq!(house.foreign(&path), Some(Foreign::Cut), "{left} lines are left");
    }
    put(&path, &whole);
    assert_eq!(house.foreign(&path), None);
    // A note that is older than the file does no harm; neither does an invalid one.
    let ends = house.home.path().join("state/session-ends");
    let note = std::fs::read_dir(&ends).unwrap().next().unwrap().unwrap().path();
    let older = whole[1].split("\"mac\":\"").nth(1).unwrap()[..64].to_owned();
    for text in [older.as_str(), "", "damaged"] {
        std::fs::write(&note, text).unwrap();
        assert_eq!(house.foreign(&path), None, "{text:?}");
    }
}

#[test]
fn what_is_adopted_is_own_up_to_the_last_byte_before() {
    let (house, other) = (House::new(), House::new());
    let path = other.session("s-1", &["a", "b"]);
    let before = std::fs::read(&path).unwrap();
    // Lines that are added meanwhile are sealed, but don't count by themselves.
    let (store, loaded) = Store::open_with(&path, Some(&house.seal)).unwrap();
    assert_eq!(loaded.foreign, Some(Foreign::Broken(1)));
    assert!(matches!(manage::adopt(&path, &house.seal, AT), Err(StoreError::Locked { .. })));
    store.append(Entry::Prompt("c".into()), AT);
    wait(store.close()).unwrap();
    assert_eq!(house.foreign(&path), Some(Foreign::Broken(1)));
    manage::adopt(&path, &house.seal, AT).unwrap();
    assert_eq!(house.foreign(&path), None);
    let after = std::fs::read(&path).unwrap();
    assert!(after.starts_with(&before), "nothing of it was changed");
    manage::adopt(&path, &house.seal, AT).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), after, "once is enough");
    let (store, _) = Store::open_with(&path, Some(&house.seal)).unwrap();
    store.append(Entry::Prompt("d".into()), AT);
    wait(store.close()).unwrap();
    assert_eq!(house.foreign(&path), None);
    let whole = lines(&path);
    assert_eq!(other.foreign(&path), Some(Foreign::Broken(4)), "to the other one it is foreign now");

    let mut changed = whole.clone();
    changed[1] = changed[1].replace("\"a\"", "\"x\"");
    put(&path, &changed);
    assert!(house.foreign(&path).is_some(), "what was adopted was changed");
    put(&path, &whole[..whole.len() - 1]);
    assert_eq!(house.foreign(&path), Some(Foreign::Cut));
    // The line that adopts one file does not adopt another.
    let hostile = other.session("s-2", &["rm -rf ~"]);
    let mut lines = lines(&hostile);
    lines.push(whole[4].clone());
    assert!(whole[4].contains("\"kind\":\"adopted\""));
    put(&hostile, &lines);
    assert_eq!(house.foreign(&hostile), Some(Foreign::Broken(1)));
    put(&path, &whole);
    assert_eq!(house.foreign(&path), None);
}

#[test]
fn an_old_session_with_damage_is_adopted_as_it_is() {
    let house = House::new();
    let path = house.home.path().join("torn.jsonl");
    let v1 = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/sessions/v1");
    for name in ["damaged", "torn", "each-kind", "unended"] {
        std::fs::copy(v1.join(name).with_extension("jsonl"), &path).unwrap();
        let before = read(&path).unwrap();
        manage::adopt(&path, &house.seal, AT).unwrap();
        let after = read_with(&path, Some(&house.seal)).unwrap();
        assert_eq!(after.foreign, None, "{name}");
        assert_eq!(after.entries.len(), before.entries.len() + 1, "{name}");
        std::fs::remove_file(&path).unwrap();
    }
}
