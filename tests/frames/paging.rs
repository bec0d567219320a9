//! The pager: the content of a file as text, at every size, and its keys.

use super::scene::{Scene, report};
use super::{assert_screen, assert_shown, assert_text, drawn, snapshots_after};
use sayso::domain::*;
use sayso::tui::ui_command::{PagerText, UiCommand};
use sayso::tui::widgets::layout::Pane;
use std::path::PathBuf;

const HOSTILE: &str = "first \u{1b}[31mred\u{1b}[0m\u{1b}[2J\tafter a tab\r\n\
                       \u{202e}backwards\u{202c} zero\u{200b}width tag\u{e0041} 漢字 e\u{301}\n";

/// A file for this test; deleted on drop.
struct Blob(tempfile::TempDir);

impl Blob {
    fn new(bytes: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("run-1.out"), bytes).unwrap();
        Self(folder)
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("run-1.out")
    }

    /// The pager showing the file, opened by its key.
    fn opened(&self, size: (u16, u16)) -> Scene {
        let mut scene = Scene::asked();
        scene.screen.resized(size, scene.at);
        scene.ran(1, 100, "total 12\n");
        scene.ran_with(2, RunReport { blob: Some(self.path()), ..report("kept\n", 800) });
        scene.reply("Done.");
        scene.focus(Pane::Output);
        drawn(&mut scene, size.0, size.1);
        assert!(scene.press(&["x"]).is_empty(), "nothing is started");
        scene
    }
}

fn numbered(lines: usize) -> Vec<u8> {
    (1..=lines).flat_map(|n| format!("line {n} of {lines}\n").into_bytes()).collect()
}

/// The text in the pager, without its border.
fn rows(screen: &str) -> Vec<String> {
    let inside = screen.lines().filter_map(|row| row.strip_prefix(['│', '┃']));
    inside.map(|row| row.trim_end_matches(['│', '┃']).trim().to_owned()).collect()
}

#[test]
fn what_is_in_a_file_is_shown_as_text() {
    let mut bytes = HOSTILE.as_bytes().to_vec();
    bytes.extend(b"\xff\xfe\x00 no text\n");
    bytes.extend([b"long ".repeat(60).as_slice(), b"\n"].concat());
    bytes.extend(numbered(200));
    let blob = Blob::new(&bytes);
    for size in super::SIZES {
        let mut scene = blob.opened(size);
        insta::assert_snapshot!(format!("21_pager_{}x{}", size.0, size.1), drawn(&mut scene, size.0, size.1));
        scene.press(&["/"]);
        scene.type_text("line 1.0 ");
        scene.press(&["ctrl-r", "enter"]);
        let name = format!("21_pager_found_{}x{}", size.0, size.1);
        insta::assert_snapshot!(name, drawn(&mut scene, size.0, size.1));
    }
}

#[test]
fn keys_go_through_it() {
    let blob = Blob::new(&numbered(1_000));
    let mut scene = blob.opened((100, 30));
    let at = |scene: &mut Scene, keys: &[&str]| {
        scene.press(keys);
        // The other end is searched in a portion of its own.
        scene.pass(10);
        scene.pass(10);
        let screen = drawn(scene, 100, 30);
        let rows = rows(&screen);
        let status = screen.lines().nth(28).unwrap().trim().to_owned();
        (rows.first().unwrap().clone(), rows.last().unwrap().clone(), status)
    };
    let (first, last, status) = at(&mut scene, &[]);
    assert_eq!((first.as_str(), last.as_str()), ("line 1 of 1000", "line 26 of 1000"));
    assert!(status.starts_with("2% of 17"), "{status}");
    assert_eq!(at(&mut scene, &["j"]).0, "line 2 of 1000");
    assert_eq!(at(&mut scene, &["space"]).0, "line 27 of 1000");
    assert_eq!(at(&mut scene, &["k", "b"]).0, "line 1 of 1000");
    let (first, last, status) = at(&mut scene, &["G"]);
    assert_eq!((first.as_str(), last.as_str()), ("line 975 of 1000", "line 1000 of 1000"));
    assert!(status.starts_with("end of"), "{status}");
    assert_eq!(at(&mut scene, &["j", "space"]).1, "line 1000 of 1000");
    assert_eq!(at(&mut scene, &["g", "5", "0", "%"]).0, "line 501 of 1000");
    assert_eq!(at(&mut scene, &["1", "0", "0", "%"]).1, "line 1000 of 1000");
    assert_eq!(at(&mut scene, &["g", "9", "9", "%"]).1, "line 1000 of 1000", "nothing stands below the end");
    // A search goes from the present position, and wraps around.
    scene.press(&["g", "/"]);
    scene.type_text("line 99");
    assert_eq!(
        at(&mut scene, &["enter"]).0,
        "line 97 of 1000",
        "what is found stands a little below the top"
    );
    assert_eq!(at(&mut scene, &["n"]).1, "line 1000 of 1000");
    let mut told = String::new();
    for _ in 0..10 {
        told = at(&mut scene, &["n"]).2;
    }
    assert!(told.contains("Past the end: on from the top."), "{told}");
    assert!(at(&mut scene, &["N"]).2.contains("Past the top: on from the end."));
    scene.press(&["/"]);
    scene.enter("nowhere");
    scene.pass(10);
    scene.pass(10);
    assert!(at(&mut scene, &[]).2.contains("No matches."));
    assert!(scene.press(&["esc"]).is_empty() && scene.screen.overlays.is_empty());
}

#[test]
fn a_large_window_is_filled_at_once_and_when_it_grows() {
    let blob = Blob::new(&numbered(1_000));
    for opened in [(100, 90), (100, 24)] {
        let mut scene = blob.opened(opened);
        scene.screen.resized((100, 200), scene.at);
        let filled = rows(&drawn(&mut scene, 100, 200));
        assert!(filled.len() > 180, "{}", filled.len());
        assert!(filled.iter().enumerate().all(|(n, row)| *row == format!("line {} of 1000", n + 1)));
    }
}

#[test]
fn a_window_that_became_wider_shows_the_line_that_it_was_in() {
    let text = format!("{}the end of it\nbelow\n", "0123456789".repeat(1_000));
    let blob = Blob::new(text.as_bytes());
    let mut scene = blob.opened((80, 24));
    scene.press(&["j"; 100]);
    scene.screen.resized((200, 24), scene.at);
    let seen = rows(&drawn(&mut scene, 200, 24));
    assert!(seen.first().unwrap().contains("the end of it"), "{seen:?}");
    scene.press(&["k"]);
    let above = rows(&drawn(&mut scene, 200, 24));
    assert_ne!(above.first(), seen.first(), "one row up is one row up");
}

#[test]
fn long_lines_are_wrapped_or_scrolled_sideways() {
    let blob = Blob::new("0123456789漢".repeat(40).as_bytes());
    let mut scene = blob.opened((80, 24));
    assert_eq!(rows(&drawn(&mut scene, 80, 24)).iter().filter(|row| !row.is_empty()).count(), 7);
    scene.press(&["w", "right"]);
    let seen: Vec<String> =
        rows(&drawn(&mut scene, 80, 24)).into_iter().filter(|row| !row.is_empty()).collect();
    assert_eq!(seen.len(), 1);
    assert!(seen[0].starts_with("89漢0123"), "{seen:?}");
    // The half of a wide character is a blank.
    let blob = Blob::new(format!("x{}", "漢".repeat(80)).as_bytes());
    let mut scene = blob.opened((80, 24));
    scene.press(&["w", "right"]);
    assert_screen(&mut scene, 80, 24, &["  漢漢"], &[" x漢"]);
}

#[test]
fn a_file_that_changes_is_told() {
    let blob = Blob::new(&numbered(100));
    let mut scene = blob.opened((100, 30));
    std::fs::OpenOptions::new().write(true).open(blob.path()).unwrap().set_len(40).unwrap();
    scene.press(&["j"]);
    assert_screen(&mut scene, 100, 30, &["The file became shorter", "line 2 of 100"], &[]);
    let blob = Blob::new(&numbered(100));
    let mut scene = blob.opened((100, 30));
    std::fs::remove_file(blob.path()).unwrap();
    scene.press(&["j"]);
    assert_screen(&mut scene, 100, 30, &["The file was removed", "line 26 of 100"], &[]);
}

#[test]
fn what_can_t_be_read_is_told_and_the_own_pager_is_a_letter_that_can_be_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    for (path, why) in [
        (folder.path().to_owned(), "it is no file."),
        (folder.path().join("gone"), "No such file or directory."),
    ] {
        let mut scene = Scene::one_ran();
        scene.ran_with(2, RunReport { blob: Some(path), ..report("kept\n", 800) });
        scene.reply("Done.");
        scene.go_to(Pane::Output);
        scene.press(&["x"]);
        assert_shown(&mut scene, 100, 30, &format!("The file can't be read: {why}"));
        assert!(scene.screen.overlays.is_empty());
    }

    let blob = Blob::new(b"x\n");
    let mut scene = blob.opened((100, 30));
    scene.pass(1_000);
    let commands = scene.press(&["E"]);
    let [UiCommand::Pager(PagerText::File(path))] = &commands[..] else { panic!("{commands:?}") };
    assert_eq!(*path, blob.path());
    // Nothing was printed: the pager says so.
    let empty = Blob::new(b"");
    assert!(drawn(&mut empty.opened((100, 30)), 100, 30).contains("Nothing was printed."));
}

/// The pager after `x`, with an output that is in no file.
fn opened_with(run: impl FnOnce(&mut Scene)) -> String {
    let mut scene = Scene::asked();
    run(&mut scene);
    scene.focus(Pane::Output);
    drawn(&mut scene, 100, 30);
    scene.press(&["x"]);
    drawn(&mut scene, 100, 30)
}

#[test]
fn a_part_of_an_output_is_not_called_all_of_it() {
    let printing = |limit: u64| {
        let mut cut = report("", 800);
        cut.output = OutputBuffer::new(limit);
        cut.output.push(Stream::Stdout, b"12\n4554x\n45543\nend\n");
        opened_with(|scene| {
            scene.ran(1, 100, "total 12\n");
            scene.ran_with(2, cut);
            scene.reply("Done.");
        })
    };
    assert_text(&printing(100), &["[All output of block 2]", "4554x"], &[]);
    let cut = printing(16);
    assert!(cut.contains("[What is kept of the output of block 2]"), "{cut}");
    assert!(cut.contains("... 3 bytes of output left out here ...") && !cut.contains("4x"), "{cut}");
    let goes_on = opened_with(|scene| scene.running(1, "one\n", 500));
    assert!(goes_on.contains("[What is kept of the output of block 1]"), "{goes_on}");
}

#[test]
fn it_opens_at_every_size() {
    snapshots_after("21_pager_text", Scene::worked, |scene| {
        scene.go_to(Pane::Output);
        scene.press(&["x"]);
    });
}
