//! Kills a process that adds to a session, copies files, undoes, searches, lists and branches, at any moment.

use super::*;
use crate::store::{Damage, Fault, index, manage, sweep};
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, Stdio};

const FOLDER: &str = "SAYSO_TEST_FOLDER";
/// How often a process is killed in the same folder before a new folder is used.
const KILLS_PER_FOLDER: usize = 25;

/// The child's actions; it prints each before it begins.
const ACTIONS: [&str; 7] = ["add", "remember", "run", "back", "search", "fork", "list"];

#[test]
fn killed_at_any_moment_nothing_is_lost_and_nothing_half_is_believed() {
    // With all property cases enabled, all thousand are tried.
    let rounds: Vec<usize> = (0..if crate::test_cases::is_all() { 1000 } else { 21 }).collect();
    let (first, second) = rounds.split_at(rounds.len() / 2);
    std::thread::scope(|scope| {
        let beside = scope.spawn(|| first.chunks(KILLS_PER_FOLDER).for_each(in_one_folder));
        second.chunks(KILLS_PER_FOLDER).for_each(in_one_folder);
        beside.join().unwrap();
    });
}

fn in_one_folder(rounds: &[usize]) {
    let place = folder();
    for &round in rounds {
        let home = Home::at(place.path());
        let synced = killed(&home, ACTIONS[round % ACTIONS.len()], round);
        let loaded = of_session(&home, synced, round);
        of_branches(&home, &loaded, round);
        of_search(&home, &loaded, round);
        of_undo(&home, &loaded, round);
    }
}

/// Starts a child and kills it during this action; returns how many prompts it had synced.
fn killed(home: &Home, deed: &str, round: usize) -> usize {
    let mut child = start(&home.base);
    let (mut synced, mut seen) = (0, 0);
    let mut told = BufReader::new(child.stdout.take().unwrap()).lines();
    for line in told.by_ref() {
        let line = line.unwrap();
        if let Some(number) = line.strip_prefix("synced ") {
            synced = number.parse().unwrap();
        }
        seen += usize::from(line == deed);
        if seen > round / ACTIONS.len() % 3 && synced > 0 {
            break;
        }
    }
    // At any point in the action, or in what follows.
    let pause = (round as u64).wrapping_mul(7_919) % 4_000;
    std::thread::sleep(std::time::Duration::from_micros(pause));
    child.kill().unwrap();
    let ended = child.wait().unwrap();
    assert_eq!(ended.signal(), Some(9), "it did not end by itself");
    drop(told);
    synced
}

fn start(folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", "driver::tests::crash::child_that_does_everything"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
#[ignore = "runs as the child of another test"]
fn child_that_does_everything() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let home = Home::at(Path::new(&folder));
    let (store, loaded) = home.open();
    let mut undo = home.undo();
    for number in prompts(&loaded).len() + 1.. {
        println!("add");
        store.append(Entry::Prompt(prompt(number).into()), AT);
        wait(store.sync()).unwrap();
        println!("synced {number}");
        home.bring(&before(number));
        println!("remember");
        drop(undo.remember(home.scope(), &[]).unwrap());
        println!("run");
        let note = home.run(&mut undo, number);
        let record = note.record.unwrap();
        store.append(ran(number, note), AT);
        wait(store.sync()).unwrap();
        println!("back");
        for kind in [UndoKind::Undo, UndoKind::Redo] {
            undo.restore(record, &[], kind).unwrap();
        }
        println!("search");
        home.search(&format!("unique{number}x"));
        println!("fork");
        home.fork(uuid::Uuid::now_v7().as_u128(), number * 2 - number % 3);
        println!("list");
        index::list(&home.sessions());
    }
}

/// All that was synced exists, and the session can be continued.
fn of_session(home: &Home, synced: usize, round: usize) -> LoadedSession {
    let (store, loaded) = home.open();
    let whole = loaded.damage.iter().all(|d| matches!(d.fault, Fault::Torn(_)));
    assert!(whole && loaded.foreign.is_none(), "round {round}: {:?}", loaded.damage);
    let told = prompts(&loaded);
    let wanted: Vec<String> = (1..=told.len()).map(prompt).collect();
    assert!(
        told.len() >= synced && told == wanted,
        "round {round}: {synced} were synced, {} are there",
        told.len()
    );
    store.append(Entry::Resumed, AT);
    wait(store.close()).unwrap();
    let again = home.read(&home.main());
    assert_eq!((&again.damage, &again.foreign), (&Vec::<Damage>::new(), &None), "round {round}");
    again
}

/// Each branch is complete and knows its origin; an unfinished one does not count as a branch.
fn of_branches(home: &Home, of: &LoadedSession, round: usize) {
    let kept =
        |entry: &Entry| !matches!(entry, Entry::Header(_) | Entry::Renamed(_) | Entry::Accepted { .. });
    let files = home.session_files();
    for path in files.iter().filter(|path| **path != home.main()) {
        let branch = home.read(path);
        assert_eq!((&branch.damage, &branch.foreign), (&Vec::<Damage>::new(), &None), "round {round}");
        let Some((_, Entry::Header(header))) = branch.entries.first() else { panic!("round {round}") };
        let origin = header.branch_of.as_ref().unwrap();
        assert_eq!(origin.session, home.header(1).id);
        let begins = of.entries.iter().take(origin.entries as usize + 1).filter(|(_, entry)| kept(entry));
        let own = branch.entries.iter().filter(|(_, entry)| kept(entry));
        assert!(begins.eq(own), "round {round}: {} is not what it says", path.display());
    }
    let listed = index::list(&home.sessions());
    assert!(listed.iter().all(|one| one.damage.is_none()), "round {round}: {listed:?}");
    let tree = index::SessionTree::of(&listed, |_| true);
    let is_below: Vec<bool> = tree.rows().iter().map(|row| row.is_below()).collect();
    assert_eq!(is_below, [&[false][..], &vec![true; files.len() - 1]].concat(), "round {round}");
    // Nothing remains of unfinished ones.
    sweep(&home.sessions());
    let left = fs::read_dir(home.sessions()).unwrap().flatten().map(|entry| entry.path());
    let left: Vec<PathBuf> = left.filter(|path| path.extension().is_some_and(|end| end == "part")).collect();
    assert_eq!(left, Vec::<PathBuf>::new(), "round {round}");
}

/// The search finds what is in the files, and nothing else.
fn of_search(home: &Home, loaded: &LoadedSession, round: usize) {
    let count = prompts(loaded).len();
    for number in [1, count / 2 + 1, count, count + 1] {
        let found = home.search(&format!("unique{number}x"));
        assert_eq!(found.behind, None, "round {round}");
        let ((told, count), holds) = (home.finds(&format!("unique{number}x")), home.holds(number));
        assert!(told.iter().all(|one| holds.contains(one)), "round {round}: {number}: {told:?}, {holds:?}");
        assert_eq!(count, holds.len(), "round {round}: {number}");
    }
    for path in home.session_files().iter().filter(|path| **path != home.main()) {
        manage::delete(path).unwrap();
    }
    assert_eq!(home.finds("unique1x"), (home.holds(1), 1), "round {round}");
    assert_eq!(home.holds(1).len(), 1);
}

/// Every file is complete; a half-finished undo can be repeated, and restores files byte for byte.
fn of_undo(home: &Home, loaded: &LoadedSession, round: usize) {
    let last = prompts(loaded).len();
    for (name, text) in home.files() {
        let known = [last - 1, last].map(|n| [before(n), after(n)]);
        let is_whole = known.iter().flatten().any(|files| files.get(&name) == Some(&text));
        assert!(is_whole, "round {round}: half of a file was put back: {name}");
    }
    let mut undo = home.undo();
    let Some((number, record)) = records(loaded).pop() else { return };
    let now = home.files();
    let (did, refused) = restore(&mut undo, record, UndoKind::Undo).unwrap();
    for (name, text) in before(number) {
        let wanted = if did.contains(&name) { Some(&text) } else { now.get(&name) };
        assert_eq!(home.files().get(&name), wanted, "round {round}: {refused:?}");
    }
    if number == last {
        assert_eq!((refused, home.files()), (Vec::new(), before(number)), "round {round}");
    }
    // Earlier runs too, once the files are as those left them.
    for (number, record) in records(loaded).into_iter().rev().take(3) {
        home.bring(&after(number));
        for (kind, wanted) in [(UndoKind::Undo, before(number)), (UndoKind::Redo, after(number))] {
            let (_, refused) = restore(&mut undo, record, kind).unwrap();
            assert_eq!((refused, home.files()), (Vec::new(), wanted), "round {round}: {number}");
        }
    }
    home.bring(&after(last));
}
