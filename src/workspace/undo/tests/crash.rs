//! Tests what needs a process of its own: being killed while taking back, and a full disk.
//!
//! The children are tests of this same binary, started by the tests that need them.

use super::*;
use crate::test_folder::child_test;
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

const FOLDER: &str = "SAYSO_TEST_FOLDER";
const RECORD: &str = "SAYSO_TEST_RECORD";

/// An ignored test as a process of its own, with a folder and a record in it.
fn child(test: &str, folder: &Path, record: Sha256) -> Command {
    let mut command = child_test(test);
    command.env(FOLDER, folder).env(RECORD, record.to_string());
    command
}

/// The child's store, and the record that it works with.
fn of_child() -> Option<(PathBuf, UndoStore, Sha256)> {
    let record = Sha256::parse(&std::env::var(RECORD).ok()?)?;
    let (work, store) = UndoFixture::at_place(Path::new(&std::env::var_os(FOLDER)?), UndoLimits::default());
    Some((work, store, record))
}

/// A file in which every page says whose it is.
fn text(whose: &str, n: usize) -> String {
    format!("{whose} {n}\n").repeat(2_000 + n)
}

fn changed() -> (UndoFixture, Sha256) {
    let mut scope = UndoFixture::new();
    for n in 0..60 {
        scope.write(&format!("d{}/f{n}", n % 5), &text("before", n));
    }
    let record = scope.run(|scope| {
        for n in 0..60 {
            let name = format!("d{}/f{n}", n % 5);
            match n % 3 {
                0 => scope.write(&name, &text("after", n)),
                1 => fs::remove_file(scope.at(&name)).unwrap(),
                _ => scope.write(&format!("new/f{n}"), &text("after", n)),
            }
        }
    });
    (scope, record)
}

/// Without the temporary files that an interrupted process left.
fn without_left(all: BTreeMap<PathBuf, String>) -> BTreeMap<PathBuf, String> {
    let is_left = |path: &Path| path.file_name().unwrap().to_string_lossy().starts_with(".sayso-");
    all.into_iter().filter(|(path, _)| !is_left(path)).collect()
}

#[test]
fn killed_in_the_middle_each_file_is_as_before_or_as_after_and_the_rest_follows() {
    let (mut scope, record) = changed();
    let after = scope.all();
    assert_eq!(scope.restore(record, UndoKind::Undo), Vec::<String>::new());
    let before = scope.all();
    for round in 0..crate::test_cases::cases(100).cases {
        let name = "workspace::undo::tests::crash::child_that_goes_back_and_forth";
        let mut going = child(name, scope.folder.path(), record).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(going.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains("begun")));
        std::thread::sleep(std::time::Duration::from_micros(u64::from(round % 25) * 1_700));
        going.kill().unwrap();
        going.wait().unwrap();
        for (path, now) in without_left(scope.all()) {
            let known = [before.get(&path), after.get(&path)];
            // A folder may have another mode until it is done.
            assert!(path.is_dir() || known.contains(&Some(&now)), "round {round}: {}", path.display());
        }
        // The next put-back removes what the interrupted one left; otherwise a folder with such a file would not be
        // empty.
        let (kind, wanted) =
            if round % 2 == 0 { (UndoKind::Undo, &before) } else { (UndoKind::Redo, &after) };
        scope.goes(record, kind, wanted);
    }
}

#[test]
#[ignore = "runs as the child of another test"]
fn child_that_goes_back_and_forth() {
    let Some((_, mut store, record)) = of_child() else { return };
    println!("begun");
    loop {
        for kind in [UndoKind::Redo, UndoKind::Undo] {
            store.restore(record, &[], kind).unwrap();
        }
    }
}

#[test]
fn a_full_disk_loses_nothing() {
    let mut scope = UndoFixture::with(&[("small", "before")]);
    scope.write("large", &text("before", 1));
    scope.write("gone", &text("before", 2));
    let record = scope.run(|scope| {
        scope.write("small", "after");
        scope.write("large", "after");
        scope.write("new", &text("after", 3));
        fs::remove_file(scope.at("gone")).unwrap();
    });
    let name = "workspace::undo::tests::crash::child_with_little_space";
    let ended = child(name, scope.folder.path(), record).output().unwrap();
    let text = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success() && text.contains("all is there"), "{text}");
}

#[test]
#[ignore = "runs as the child of another test"]
fn child_with_little_space() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let Some((work, mut store, record)) = of_child() else { return };
    let space = |bytes| setrlimit(Resource::Fsize, Rlimit { current: bytes, maximum: None }).unwrap();
    let read = |name: &str| fs::read_to_string(work.join(name)).ok();
    space(Some(4_000));
    let done = store.restore(record, &[], UndoKind::Undo).unwrap();
    let refused: Vec<&str> = done.iter().filter(|f| f.result.is_err()).map(|f| f.path.as_str()).collect();
    assert_eq!(refused, ["gone", "large", "new"], "{done:?}");
    // What could not be written is as it was; what could not be copied was not removed.
    assert_eq!((read("small").unwrap().as_str(), read("large").unwrap().as_str()), ("before", "after"));
    assert_eq!((read("gone"), read("new").unwrap()), (None, text("after", 3)));
    assert_eq!(fs::read_dir(&work).unwrap().count(), 3, "nothing is left behind");
    space(None);
    let done = store.restore(record, &[], UndoKind::Undo).unwrap();
    assert!(done.iter().all(|file| file.result.is_ok()), "{done:?}");
    assert_eq!((read("large").unwrap(), read("gone").unwrap()), (text("before", 1), text("before", 2)));
    assert_eq!(read("new"), None);

    // Contents without room are not copied, and no half of one is stored.
    fs::write(work.join("large"), text("newer", 4)).unwrap();
    let scope = || walk::UndoScope::Folders(vec![work.clone()]);
    let kept = copies(&work);
    space(Some(4_000));
    let none = store.remember(scope(), &[]).unwrap_err();
    assert!(none.words().starts_with("none: "), "{}", none.words());
    assert_eq!(copies(&work), kept);
    space(None);
    let snapshot = store.remember(scope(), &[]).unwrap();
    fs::remove_file(work.join("large")).unwrap();
    let record = store.record(&snapshot, &[]).unwrap().record.unwrap();
    assert!(store.restore(record, &[], UndoKind::Undo).unwrap().iter().all(|file| file.result.is_ok()));
    assert_eq!(read("large").unwrap(), text("newer", 4));
    println!("all is there");
}

/// The stored objects below a folder, by their names. Checks that each has the content that its name says.
fn copies(work: &Path) -> BTreeSet<String> {
    let folder = work.parent().unwrap().join("undo/objects");
    let files = all(&folder).into_keys().filter(|path| path.is_file());
    let name = |path: PathBuf| {
        let name: String = path.strip_prefix(&folder).unwrap().to_string_lossy().replace('/', "");
        assert_eq!(Sha256::of(&fs::read(path).unwrap()).to_string(), name, "half of a copy");
        name
    };
    files.map(name).collect()
}

#[test]
#[ignore = "mounts a small file system in a namespace of its own"]
fn on_a_file_system_that_is_really_full_nothing_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let ended = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c"])
        .arg("mount -t tmpfs -o size=4m tmpfs \"$SAYSO_TEST_FOLDER\" && exec \"$0\" \"$@\"")
        .arg(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", "workspace::undo::tests::crash::child_on_a_full_disk"])
        .env(FOLDER, folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success() && said.contains("all is there"), "{said}{ended:?}");
}

#[test]
#[ignore = "runs as the child of another test"]
fn child_on_a_full_disk() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let (work, mut store) = UndoFixture::at_place(Path::new(&folder), UndoLimits::default());
    let filler = Path::new(&folder).join("filler");
    let fill = |free: u64| {
        // Fills the disk until writing fails, then frees this many bytes.
        fs::remove_file(&filler).ok();
        let mut file = fs::File::create(&filler).unwrap();
        while io::Write::write(&mut file, &[7; 4096]).is_ok_and(|count| count > 0) {}
        let length = file.metadata().unwrap().len();
        file.set_len(length - free).unwrap();
    };
    let large = |whose: &str, n: usize| text(whose, n).repeat(4);
    for n in 0..8 {
        fs::write(work.join(format!("f{n}")), large("before", n)).unwrap();
    }
    let before = all(&work);
    let scope = || walk::UndoScope::Folders(vec![work.clone()]);
    fill(150_000);
    let none = store.remember(scope(), &[]).unwrap_err();
    assert!(none.words().contains("no room"), "{}", none.words());
    assert_eq!((copies(&work), all(&work)), (BTreeSet::new(), before.clone()));

    // The run fills the disk; what it did can be recorded all the same.
    fill(1_500_000);
    let snapshot = store.remember(scope(), &[]).unwrap();
    assert_eq!(snapshot.cover.words(), "all");
    for n in 0..8 {
        fs::write(work.join(format!("f{n}")), large("after!", n)).unwrap();
    }
    fill(0);
    let record = store.record(&snapshot, &[]).unwrap().record.unwrap();
    let after = all(&work);
    let refused = store.restore(record, &[], UndoKind::Undo).unwrap();
    assert!(refused.iter().any(|file| file.result.is_err()), "{refused:?}");
    for (file, n) in refused.iter().zip(0..) {
        let path = work.join(format!("f{n}"));
        let wanted = if file.result.is_ok() { &before } else { &after };
        assert_eq!(all(&work).get(&path), wanted.get(&path), "{file:?}");
    }
    assert!(all(&work).keys().eq(before.keys()), "nothing is left behind");
    fs::remove_file(&filler).unwrap();
    for (kind, wanted) in [(UndoKind::Undo, &before), (UndoKind::Redo, &after)] {
        let done = store.restore(record, &[], kind).unwrap();
        assert!(done.iter().all(|file| file.result.is_ok()), "{done:?}");
        assert_eq!(all(&work), *wanted);
    }
    println!("all is there");
}
