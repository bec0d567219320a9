use super::super::replace::replace;
use super::*;
use crate::domain::OnDisk;
use crate::test_folder::TestFolder;
use proptest::prelude::*;
use std::os::unix::fs::symlink;

/// A folder with another folder in it, links of every kind, and a file.
fn ground() -> TestFolder {
    let ground = TestFolder::new();
    let at = |name: &str| ground.at(name);
    std::fs::create_dir_all(at("a/b/c")).unwrap();
    ground.file("a/file", "x");
    symlink(at("a"), at("absolute")).unwrap();
    symlink("../a/b", at("a/relative")).unwrap();
    symlink("absolute/./relative//c", at("chain")).unwrap();
    symlink("../gone", at("a/dangling")).unwrap();
    symlink("round", at("round")).unwrap();
    symlink("a/file", at("to-file")).unwrap();
    ground
}

impl TestFolder {
    /// A folder with these files, and the same held open.
    pub(in crate::workspace) fn held(files: &[(&str, &str)]) -> (Self, Folder) {
        let folder = Self::with(files);
        let held = Folder::find(&folder.base).unwrap();
        (folder, held)
    }
}

#[test]
fn what_is_shown_is_what_the_system_calls_it() {
    let g = ground();
    for (path, end, missing) in [
        ("chain", g.at("a/b/c"), 0),
        ("a/dangling", g.at("gone"), 0),
        ("a/dangling/deep/er", g.at("gone/deep/er"), 2),
        ("absolute/relative/../../x", g.at("x"), 0),
        ("to-file", g.at("a/file"), 0),
        ("chain/..", g.at("a/b"), 0),
    ] {
        let place = HeldPath::find(&g.at(path)).unwrap();
        assert_eq!((place.path(), place.missing()), (end, missing), "{path}");
    }
    assert!(matches!(HeldPath::find(&g.at("round/x")), Err(FileError::TooManyLinks { .. })));
    assert!(matches!(HeldPath::find(&g.at("none/../x")), Err(FileError::BehindNothing { .. })));
    for behind in ["a/file/x", "a/file/..", "to-file/../x"] {
        assert!(matches!(HeldPath::find(&g.at(behind)), Err(FileError::Io { .. })), "{behind}");
    }
    assert_eq!(HeldPath::find(Path::new("/")).unwrap().path(), Path::new("/"));
    assert!(Folder::find(&g.at("a/file")).is_err() && Folder::find(&g.at("none")).is_err());
}

#[test]
fn a_folder_that_was_moved_removed_or_replaced_does_not_stand() {
    let g = ground();
    let held = Folder::find(&g.at("a/b")).unwrap();
    assert!(held.is_in_place());
    std::fs::rename(g.at("a/b"), g.at("elsewhere")).unwrap();
    assert!(!held.is_in_place());
    #[cfg(target_os = "linux")]
    assert_eq!(held.current_path(), Some(g.at("elsewhere")));
    // The folder can be reached by its old path again, but it was moved.
    symlink(g.at("elsewhere"), g.at("a/b")).unwrap();
    assert!(!held.is_in_place());
    std::fs::remove_file(g.at("a/b")).unwrap();
    std::fs::create_dir(g.at("a/b")).unwrap();
    assert!(!held.is_in_place(), "another folder of that name");
    std::fs::remove_dir(g.at("a/b")).unwrap();
    std::fs::rename(g.at("elsewhere"), g.at("a/b")).unwrap();
    assert!(held.is_in_place(), "it is back");
    std::fs::remove_dir_all(g.at("a/b")).unwrap();
    std::fs::create_dir(g.at("a/b")).unwrap();
    assert!(!held.is_in_place());
}

#[test]
fn folders_that_came_meanwhile_are_not_gone_through() {
    let g = ground();
    let out = tempfile::tempdir().unwrap();
    let place = HeldPath::find(&g.at("new/deep/x")).unwrap();
    symlink(out.path(), g.at("new")).unwrap();
    assert!(matches!(replace(&place, OnDisk::Nothing, b"1"), Err(FileError::Changed { .. })));
    std::fs::remove_file(g.at("new")).unwrap();
    std::fs::create_dir(g.at("new")).unwrap();
    assert!(matches!(replace(&place, OnDisk::Nothing, b"1"), Err(FileError::Changed { .. })));
    assert_eq!(std::fs::read_dir(out.path()).unwrap().count(), 0);
    let place = HeldPath::find(&g.at("a/file")).unwrap();
    std::fs::rename(g.at("a/file"), g.at("a/other")).unwrap();
    symlink(g.at("a/other"), g.at("a/file")).unwrap();
    assert!(matches!(place.open(), Err(FileError::Changed { .. })), "a link is not followed");
}

proptest! {
    #![proptest_config(crate::test_cases::cases(128))]
    #[test]
    fn any_path_lands_where_it_is_shown(
        parts in proptest::collection::vec(
            proptest::sample::select(vec![
                "a", "b", "c", "file", "absolute", "relative", "chain", "dangling", "round", "to-file", "..", ".", "",
                "new", "deep", "caf\u{e9}", " ", "-x",
            ]),
            1..7,
        ),
    ) {
        let g = ground();
        // Paths that climb above the ground are skipped: the test must not write there.
        let climbs = parts.iter().scan(0i32, |depth, part| {
            *depth += match *part { ".." => -1, "." | "" => 0, _ => 1 };
            Some(*depth)
        });
        prop_assume!(climbs.min() >= Some(0));
        let path = parts.iter().fold(g.at(""), |path, part| path.join(part));
        let real = std::fs::canonicalize(&path);
        match (HeldPath::find(&path), real) {
            (Ok(place), Ok(real)) => prop_assert_eq!(place.path(), real),
            // A file followed by `/` or `/.`: the system expects a folder there, but the walk accepts the file.
            (Ok(place), Err(_)) if place.found().is_some() => {
                prop_assert_eq!(std::fs::canonicalize(place.path()).unwrap(), place.path());
            }
            (Ok(place), Err(_)) if place.path().starts_with(g.at("")) => {
                let shown = place.path();
                prop_assert!(place.name().is_some(), "{shown:?}");
                prop_assert_eq!(std::fs::symlink_metadata(&shown).is_ok(), false);
                replace(&place, OnDisk::Nothing, b"landed").unwrap();
                prop_assert_eq!(std::fs::canonicalize(&shown).unwrap(), shown.clone());
                prop_assert_eq!(std::fs::read(&shown).unwrap(), b"landed");
            }
            (Ok(_), Err(_)) => {}
            (Err(_), Ok(real)) => prop_assert!(false, "{real:?} is there"),
            (Err(_), Err(_)) => {}
        }
    }
}
