//! Damages what is stored beside sessions in all ways: flips bytes, truncates, empties, swaps or moves files, replaces
//! them by folders, links and pipes. None of it may be trusted, nothing wrong restored, and failures have to be
//! reported.

use super::*;
use crate::store::{index, read_with};
use std::cell::Cell;
use std::os::unix::fs::symlink;

/// The number of cases of each of the three kinds if all property cases are enabled; otherwise a part.
const CASES: usize = 1_700;

/// The turns in the damaged session.
const TURNS: usize = 4;

fn cases() -> usize {
    if crate::test_cases::is_all() { CASES } else { CASES / 16 }
}

/// Pseudo-random numbers, the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % below.max(1)
    }
}

/// One kind of damage to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Damage {
    Flip(usize),
    Cut,
    Empty,
    Junk,
    Moved,
    Remove,
    Folder,
    Link,
    LinkToItself,
    Pipe,
}

impl Damage {
    const ALL: [Damage; 12] = [
        Damage::Flip(1),
        Damage::Flip(1),
        Damage::Flip(40),
        Damage::Cut,
        Damage::Empty,
        Damage::Junk,
        Damage::Moved,
        Damage::Remove,
        Damage::Folder,
        Damage::Link,
        Damage::LinkToItself,
        Damage::Pipe,
    ];

    /// Damages a file; `other` is a file of the same kind.
    fn act(self, file: &Path, other: &Path, dice: &mut Dice) {
        if file.is_dir() {
            fs::remove_dir_all(file).unwrap();
            fs::write(file, "").unwrap();
        }
        let mut bytes = fs::read(file).unwrap();
        let length = bytes.len();
        match self {
            Damage::Flip(count) => {
                for _ in 0..count {
                    let at = dice.roll(length);
                    bytes.get_mut(at).into_iter().for_each(|byte| *byte ^= 1 << dice.roll(8));
                }
            }
            Damage::Cut => bytes.truncate(dice.roll(length)),
            Damage::Empty => bytes.clear(),
            Damage::Junk => bytes.fill_with(|| dice.roll(256) as u8),
            Damage::Moved => {
                // Removes a part and closes the gap.
                let (from, to) = (dice.roll(length), dice.roll(length));
                bytes.drain(from.min(to)..from.max(to));
            }
            _ => return self.replace(file, other),
        }
        fs::write(file, bytes).unwrap();
    }

    /// Removes a file; something else may take its place.
    fn replace(self, file: &Path, other: &Path) {
        fs::remove_file(file).unwrap();
        match self {
            Damage::Folder => {
                fs::create_dir(file).unwrap();
                fs::write(file.join("inside"), "mine").unwrap();
            }
            Damage::Link => symlink(other, file).unwrap(),
            Damage::LinkToItself => symlink(file, file).unwrap(),
            Damage::Pipe => {
                let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
                rustix::fs::mknodat(rustix::fs::CWD, file, rustix::fs::FileType::Fifo, mode, 0).unwrap();
            }
            _ => {}
        }
    }
}

/// A session with runs, branches and an index.
fn whole(base: &Path) -> Home {
    let home = Home::at(base);
    let (store, _) = home.open();
    let mut undo = home.undo();
    for number in 1..=TURNS {
        store.append(Entry::Prompt(prompt(number).into()), AT);
        home.bring(&before(number));
        let note = home.run(&mut undo, number);
        store.append(ran(number, note), AT);
    }
    wait(store.close()).unwrap();
    for id in [2, 3] {
        home.fork(id, id as usize * 2);
    }
    // sayso does not rely on a file that was modified just now, so this waits.
    let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while fs::metadata(home.main()).unwrap().modified().unwrap().elapsed().unwrap().as_millis() < 200 {
        assert!(std::time::Instant::now() < end);
        std::thread::yield_now();
    }
    home.finds("turbine");
    index::list(&home.sessions());
    home
}

/// Copies a folder: links and folders as they are, files with their bytes and times.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let there = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &there);
        } else {
            fs::copy(entry.path(), &there).unwrap();
        }
    }
}

/// A folder and everything below it, in order.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut all = vec![folder.to_owned()];
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        all.extend(if path.is_dir() { below(&path) } else { vec![path] });
    }
    all.sort();
    all
}

/// Damages one of these files in a folder of the home, checks the effect, and restores everything.
fn each_damage(
    (seed, subject): (u64, &str),
    files: impl Fn(&Home) -> Vec<PathBuf>,
    look: impl Fn(&Home, &str, Damage),
) {
    let (place, kept, mut dice) = (folder(), folder(), Dice(seed));
    let home = whole(place.path());
    copy(&home.base.join(subject), kept.path());
    for case in 0..cases() {
        let all = files(&home);
        let (file, other) = (&all[dice.roll(all.len())], &all[dice.roll(all.len())]);
        let damage = Damage::ALL[case % Damage::ALL.len()];
        damage.act(file, other, &mut dice);
        look(&home, &format!("case {case}: {damage:?} of {}", file.display()), damage);
        let damaged = home.base.join(subject);
        fs::remove_dir_all(&damaged).or_else(|_| fs::remove_file(&damaged)).unwrap();
        copy(kept.path(), &home.base.join(subject));
    }
}

#[test]
fn of_a_damaged_index_nothing_is_believed() {
    let (flipped, missed) = (Cell::new(0), Cell::new(0));
    each_damage(
        (1, "sessions/index"),
        |home| below(&home.sessions().join("index")),
        |home, what, damage| {
            let listed = index::list(&home.sessions());
            assert!(listed.len() == 3 && listed.iter().all(|one| one.damage.is_none()), "{what}: {listed:?}");
            let mut is_missed = false;
            for number in [1, TURNS, TURNS + 1] {
                let ((found, count), truth) = (home.finds(&format!("unique{number}x")), home.holds(number));
                assert!(found.iter().all(|one| truth.contains(one)), "{what}: {found:?}");
                assert!(count <= truth.len(), "{what}: {count} of {}", truth.len());
                is_missed |= count != truth.len();
            }
            // SQLite has no checksums: a flipped bit may hide a word. It never makes a search report a word that does
            // not exist.
            let is_flipped = matches!(damage, Damage::Flip(_));
            assert!(is_flipped || !is_missed, "{what}");
            flipped.set(flipped.get() + usize::from(is_flipped));
            missed.set(missed.get() + usize::from(is_missed));
        },
    );
    println!("{} of {} with bits that turned hid something", missed.get(), flipped.get());
    assert!(missed.get() * 8 <= flipped.get(), "{} of {}", missed.get(), flipped.get());
}

#[test]
fn out_of_damaged_copies_nothing_wrong_is_put_back() {
    each_damage(
        (2, "undo"),
        |home| below(&home.base.join("undo")),
        |home, what, _| {
            let loaded = home.read(&home.main());
            let mut undo = home.undo();
            for (number, record) in records(&loaded).into_iter().rev() {
                let (before, after) = (before(number), after(number));
                for (kind, from, to) in [(UndoKind::Undo, &after, &before), (UndoKind::Redo, &before, &after)]
                {
                    home.bring(from);
                    of_restoring(home, (restore(&mut undo, record, kind), what), from, to);
                }
            }
            // The next run is copied, with contents that were copied before, or the reason why not is given. What is
            // copied can be restored.
            home.bring(&before(2));
            match undo.remember(home.scope(), &[]) {
                Err(cover) => assert!(is_sentence(&cover.words()), "{what}: {}", cover.words()),
                Ok(picture) => {
                    home.bring(&after(9));
                    let record = undo.record(&picture, &[]).unwrap().record.unwrap();
                    let done = restore(&mut home.undo(), record, UndoKind::Undo).unwrap();
                    assert_eq!((done.1, home.files()), (Vec::new(), before(2)), "{what}");
                }
            }
        },
    );
}

/// What is reported as restored exists byte for byte; everything else is unchanged, with a reason.
fn of_restoring(home: &Home, (done, what): (Result<RestoredPaths, String>, &str), from: &Files, to: &Files) {
    let now = home.files();
    let (did, refused) = match done {
        Ok(done) => done,
        Err(why) => (Vec::new(), vec![why]),
    };
    for name in from.keys().chain(to.keys()) {
        let wanted = if did.contains(name) { to } else { from };
        assert_eq!(now.get(name), wanted.get(name), "{what}: {name}, {refused:?}");
    }
    // Nothing changed in between.
    let is_true = |why: &String| is_sentence(why) && !why.contains("changed since");
    assert!(refused.iter().all(is_true), "{what}: {refused:?}");
}

fn is_sentence(why: &str) -> bool {
    why.split_whitespace().count() > 3
}

#[test]
fn a_damaged_branch_says_so_and_the_others_stay() {
    each_damage(
        (3, "sessions"),
        |home| home.session_files().into_iter().filter(|path| *path != home.main()).collect(),
        |home, what, _| {
            let whole: Vec<_> = home.read(&home.main()).entries;
            let listed = index::list(&home.sessions());
            assert!(listed.iter().any(|one| one.path == home.main() && one.damage.is_none()), "{what}");
            let told = |one: &index::Summary| one.damage.as_ref().is_none_or(|why| is_sentence(why));
            assert!(listed.iter().all(told), "{what}: {listed:?}");
            for id in [2, 3] {
                let path = home.sessions().join(format!("{}.jsonl", home.header(id).id.0));
                match read_with(&path, Some(&home.seal())) {
                    Err(error) => assert!(is_sentence(&error.to_string()), "{what}: {error}"),
                    Ok(branch) => {
                        let is_all = branch.entries.len() == id as usize * 2;
                        let is_told = !branch.damage.is_empty() || branch.foreign.is_some();
                        assert!(is_all || is_told, "{what}: {} entries", branch.entries.len());
                        let known = |(_, entry): &(Timestamp, Entry)| {
                            matches!(entry, Entry::Header(_)) || whole.iter().any(|(_, one)| one == entry)
                        };
                        assert!(branch.entries.iter().all(known), "{what}");
                    }
                }
            }
            let found = home.search("unique1x").hits;
            // For shared content one session is reported, with the count of others.
            assert!(found.iter().any(|hit| hit.session.path == home.main() || hit.also > 0), "{what}");
            let stands = |path: &Path| {
                fs::read(path).is_ok_and(|text| String::from_utf8_lossy(&text).contains("unique1x"))
            };
            assert!(found.iter().all(|hit| stands(&hit.session.path)), "{what}");
        },
    );
}
