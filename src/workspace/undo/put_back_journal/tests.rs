//! Tests what a killed process leaves, and cleaning it up.

use super::clear::is_between;
use super::*;
use crate::test_folder::{self, TestFolder, set_mode};
use crate::workspace::undo::objects::Objects;

/// The most bytes of a file that is restored.
const MAX_BYTES: u64 = 1_000;

#[test]
fn what_is_half_written_is_known() {
    for (old, new) in [("old text", "new"), ("old", "newer text"), ("same start", "same end"), ("", "x")] {
        for at in 0..=new.len() {
            let mut now = old.as_bytes().to_vec();
            now.splice(..at.min(old.len()), new.bytes().take(at));
            assert!(is_between(&now, old.as_bytes(), new.as_bytes()), "{old} {new} {at}");
            now.push(b'!');
            assert!(!is_between(&now, old.as_bytes(), new.as_bytes()), "{old} {new} {at}");
        }
    }
}

#[test]
fn what_is_half_put_right_is_known() {
    let mix = |now: &str, old: &str, new: &str| is_between(now.as_bytes(), old.as_bytes(), new.as_bytes());
    // New up to here, and the beginning of that is old again.
    assert!(mix("aaBBBaaa", "aaaaaaaa", "BBBBB"));
    assert!(mix("aaBBBBBB", "aaaaa", "BBBBBBBB"));
    assert!(mix("aaaaaBBB", "aaaaa", "BBBBBBBB"));
    // Shorter than both, or longer.
    assert!(!mix("aaBB", "aaaaaaaa", "BBBBB"));
    assert!(!mix("aaBBBaaaa", "aaaaaaaa", "BBBBB"));
    assert!(!mix("aaBBcaaa", "aaaaaaaa", "BBBBB"));
}

/// A folder, with the notes and the copies beside it.
struct Place {
    base: PathBuf,
    notes: PathBuf,
    objects: Objects,
    _folder: TestFolder,
}

impl Place {
    fn new() -> Self {
        let folder = TestFolder::new();
        let base = folder.base.clone();
        let objects = Objects::open(base.join("objects")).unwrap();
        Self { notes: base.join("unfinished"), base, objects, _folder: folder }
    }

    /// The step of writing into a file that exists: its text and mode before, and those afterwards.
    fn overwriting(&self, path: &Path, was: (&str, u32), becomes: (&str, u32)) -> Step {
        let known = |(text, mode): (&str, u32)| KnownFile {
            sha256: self.objects.put(text.as_bytes()).unwrap(),
            mode,
        };
        let contents = Some((known(was), known(becomes)));
        Step { path: path.to_owned(), own: String::new(), file: Some(node(path)), contents }
    }
}

/// The number of entries in a folder.
fn count(folder: &Path) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}

/// Device and inode of a file.
fn node(path: &Path) -> (u64, u64) {
    FileKey::of(&File::open(path).unwrap()).unwrap().node()
}

/// Leaves notes with these steps, like a process that is gone.
fn left(folder: &Path, steps: &[Step]) {
    let notes = RestoreNotes::of_killed(folder);
    for step in steps {
        notes.note(step).unwrap();
    }
    let_go(&notes);
}

/// Unlocks explicitly: a program that another test starts at this moment holds a copy of the lock, so closing the
/// file would not release it.
fn let_go(notes: &RestoreNotes) {
    flock(&notes.notes, FlockOperation::Unlock).unwrap();
}

#[test]
fn only_what_is_surely_its_own_is_removed() {
    let Place { base, notes, objects, .. } = &Place::new();
    let work = base.join("work");
    std::fs::create_dir(&work).unwrap();
    objects.put(b"kept").unwrap();
    let write = |name: &str, text: &str| std::fs::write(work.join(name), text).unwrap();
    let node = |name: &str| Some(node(&work.join(name)));
    let step = |own: &str, file| Step {
        path: work.join(format!("{own}-meant")),
        own: own.into(),
        file,
        contents: None,
    };
    for (name, text) in [
        (".sayso-made", "half of "),
        (".sayso-empty", ""),
        (".sayso-kept", "kept"),
        (".sayso-other", "somebody's"),
        (".sayso-taken", "somebody's, too"),
        (".sayso-taken-meant", "newer"),
        (".sayso-unnoted", "mine"),
    ] {
        write(name, text);
    }
    std::os::unix::fs::symlink("x", work.join(".sayso-link")).unwrap();
    let steps = [
        step(".sayso-made", node(".sayso-made")),
        step(".sayso-empty", None),
        step(".sayso-kept", Some((0, 0))),
        step(".sayso-other", None),
        step(".sayso-taken", Some((0, 0))),
        step(".sayso-link", None),
    ];
    left(notes, &steps);
    // The notes of a process that is alive are left alone.
    let living = RestoreNotes::begin(notes).unwrap();
    write(".sayso-living", "");
    living.note_create(&work.join("x"), ".sayso-living").unwrap();
    clear(notes, objects, MAX_BYTES);
    let mut names: Vec<String> =
        std::fs::read_dir(&work).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    let stay = [
        ".sayso-link",
        ".sayso-living",
        ".sayso-other-meant",
        ".sayso-taken",
        ".sayso-taken-meant",
        ".sayso-unnoted",
    ];
    assert_eq!(names, stay);
    assert_eq!(count(notes), 1, "what is worked off is gone");
    drop(living);
    assert_eq!(count(notes), 0);
    // If a folder is away, its steps are tried again when it is back.
    write(".sayso-away", "");
    left(notes, &[step(".sayso-away", None)]);
    std::fs::rename(&work, base.join("away")).unwrap();
    clear(notes, objects, MAX_BYTES);
    std::fs::rename(base.join("away"), &work).unwrap();
    clear(notes, objects, MAX_BYTES);
    assert!(!work.join(".sayso-away").exists());
}

#[test]
fn a_file_with_several_names_that_is_half_written_gets_back_what_it_held() {
    let place = Place::new();
    let Place { base, notes, objects, .. } = &place;
    let path = base.join("a");
    for (now, then) in [("nld text", "old text"), ("new text", "old text"), ("new", "new"), ("mine", "mine")]
    {
        std::fs::write(&path, now).unwrap();
        left(notes, &[place.overwriting(&path, ("old text", 0o444), ("new", 0o755))]);
        clear(notes, objects, MAX_BYTES);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), then);
        let is_kept = objects.has_and_touch(Sha256::of(now.as_bytes()), now.len() as u64);
        assert!(now == then || is_kept, "{now} went and is nowhere");
    }
    assert_eq!(count(notes), 0);
}

#[test]
fn what_can_not_be_cleared_now_is_not_forgotten() {
    let place = Place::new();
    let Place { base, notes, objects, .. } = &place;
    let path = base.join("a");
    std::fs::write(&path, "nld text").unwrap();
    left(notes, &[place.overwriting(&path, ("old text", 0o444), ("new", 0o755))]);
    // A copy that is larger than the limit now can be restored another time.
    clear(notes, objects, 7);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "nld text");
    assert_eq!(count(notes), 1);
    clear(notes, objects, 8);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "old text");
    assert_eq!(count(notes), 0);
    // A file that was moved aside is recognized by its copy, however large it is.
    objects.put(b"a large text").unwrap();
    std::fs::write(base.join(".sayso-x"), "a large text").unwrap();
    left(notes, &[Step { path, own: ".sayso-x".into(), file: Some((0, 0)), contents: None }]);
    clear(notes, objects, 1);
    assert!(!base.join(".sayso-x").exists());
    assert_eq!(count(notes), 0);
}

#[test]
fn what_is_whole_again_is_somebodys_though_notes_of_others_stay() {
    let place = Place::new();
    let Place { base, notes, objects, .. } = &place;
    let path = base.join("a");
    std::fs::write(&path, "nld text").unwrap();
    let away = Step { path: base.join("away/b"), own: ".sayso-b".into(), file: None, contents: None };
    left(notes, &[place.overwriting(&path, ("old text", 0o644), ("new text", 0o644)), away]);
    clear(notes, objects, MAX_BYTES);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "old text");
    assert_eq!(count(notes), 1, "a folder is away");
    // Each byte is from one of the two texts, but this is what somebody wants.
    std::fs::write(&path, "ned text").unwrap();
    clear(notes, objects, MAX_BYTES);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "ned text");
    // Carries out the remaining step.
    test_folder::write(&base.join("away/.sayso-b"), "");
    clear(notes, objects, MAX_BYTES);
    assert!(!base.join("away/.sayso-b").exists());
    assert_eq!(count(notes), 0);
}

#[test]
fn what_somebody_wrote_gets_its_name_back_between_two_exchanges() {
    let Place { base, notes, objects, .. } = &Place::new();
    let (path, own) = (base.join("a"), base.join(".sayso-a"));
    objects.put(b"of the copies").unwrap();
    let text = |path: &Path| std::fs::read_to_string(path).ok();
    let made = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let file = Some(node(&path));
        left(notes, &[Step { path: path.clone(), own: ".sayso-a".into(), file, contents: None }]);
    };
    made("of the copies");
    std::fs::write(&own, "somebody's").unwrap();
    clear(notes, objects, MAX_BYTES);
    assert_eq!((text(&path).as_deref(), text(&own)), (Some("somebody's"), None));
    // A link belongs to somebody else, too.
    std::fs::remove_file(&path).unwrap();
    made("of the copies");
    std::os::unix::fs::symlink("there", &own).unwrap();
    clear(notes, objects, MAX_BYTES);
    assert_eq!(std::fs::read_link(&path).unwrap(), Path::new("there"));
    assert!(std::fs::symlink_metadata(&own).is_err());
    // What somebody wrote into the new file belongs to them, too, and is newer.
    std::fs::remove_file(&path).unwrap();
    made("newer still");
    std::fs::write(&own, "somebody's").unwrap();
    clear(notes, objects, MAX_BYTES);
    assert_eq!((text(&path).as_deref(), text(&own).as_deref()), (Some("newer still"), Some("somebody's")));
    assert_eq!(count(notes), 0);
}

#[test]
fn a_folder_that_was_moved_gets_its_name_back() {
    let Place { base, notes, objects, .. } = &Place::new();
    let path = base.join("a");
    std::fs::create_dir(base.join(".sayso-a")).unwrap();
    left(notes, &[Step { path: path.clone(), own: ".sayso-a".into(), file: Some((0, 0)), contents: None }]);
    clear(notes, objects, MAX_BYTES);
    assert!(path.is_dir() && !base.join(".sayso-a").exists());
    assert_eq!(count(notes), 0);
}

#[test]
fn where_nothing_can_be_locked_nothing_begins() {
    let folder = tempfile::tempdir().unwrap();
    let tried = Cell::new(0);
    let begin = |said: &[Result<(), Errno>]| {
        tried.set(0);
        RestoreNotes::begin_with(folder.path(), |_| {
            tried.set(tried.get() + 1);
            said[tried.get() - 1]
        })
    };
    for errno in [Errno::NOLCK, Errno::NOTSUP, Errno::IO] {
        assert_eq!(begin(&[Err(errno)]).unwrap_err().raw_os_error(), Some(errno.raw_os_error()));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
    // A process that cleans up holds the lock for a moment.
    let notes = begin(&[Err(Errno::WOULDBLOCK), Ok(())]).unwrap();
    assert_eq!((tried.get(), notes.at.exists()), (2, true));
}

#[test]
fn a_file_that_is_half_written_gets_its_mode_too() {
    let place = Place::new();
    let Place { base, notes, objects, .. } = &place;
    let path = base.join("a");
    std::fs::write(&path, "").unwrap();
    let step = place.overwriting(&path, ("old text", 0o444), ("new", 0o755));
    for (now, mode, (then, its)) in [
        // Interrupted before the first byte, in the middle, after the last.
        ("old text", 0o644, ("old text", 0o444)),
        ("nld text", 0o644, ("old text", 0o444)),
        ("new", 0o644, ("new", 0o755)),
        // With a mode that somebody chose since, and for a file that belongs to somebody else by now.
        ("old text", 0o640, ("old text", 0o640)),
        ("new", 0o600, ("new", 0o600)),
        ("nld text", 0o640, ("old text", 0o640)),
        ("mine", 0o644, ("mine", 0o644)),
    ] {
        set_mode(&path, 0o644);
        std::fs::write(&path, now).unwrap();
        set_mode(&path, mode);
        left(notes, std::slice::from_ref(&step));
        clear(notes, objects, MAX_BYTES);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!((text.as_str(), test_folder::mode(&path)), (then, its), "{now} {mode:o}");
    }
}

#[test]
fn a_note_that_was_not_written_to_its_end_takes_no_other_with_it() {
    let Place { base, notes, objects, .. } = &Place::new();
    std::fs::write(base.join(".sayso-x"), "").unwrap();
    let begun = RestoreNotes::begin(notes).unwrap();
    // Simulates a disk that became full in the middle of a line.
    begun.notes.write_all_at(b"{\"path\":\"/a/b\",\"own\":\".say", 0).unwrap();
    begun.note_create(&base.join("x"), ".sayso-x").unwrap();
    begun.stays.set(true);
    let_go(&begun);
    drop(begun);
    clear(notes, objects, MAX_BYTES);
    assert!(!base.join(".sayso-x").exists());
}
