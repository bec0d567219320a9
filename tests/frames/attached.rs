//! Files that a message names: the list behind an `@`, what is sent, what is refused.

use super::scene::{Scene, sent};
use super::{assert_shown, drawn, snapshots_after};
use sayso::domain::{AttachedFile, Prompt};
use sayso::driver::{AttachedFileError, FolderFiles, Job, JobResult, PathOfFile};
use sayso::engine::Command;
use sayso::tui::ui_command::UiCommand;
use std::sync::Arc;

const FILES: [(&str, u64); 6] = [
    ("README.md", 4_300),
    ("sales.csv", 1_200_000),
    ("src/load.py", 2_100),
    ("src/my plot.py", 900),
    ("src/\u{202e}evil.py", 1),
    ("tests/test_load.py", 61),
];

/// The files of the folder are found; with `is_cut`, there are more.
pub fn listed(files: &[(&str, u64)], is_cut: bool) -> JobResult {
    let file = |(path, bytes): &(&str, u64)| PathOfFile { path: (*path).into(), bytes: *bytes };
    let files = files.iter().map(file).collect();
    JobResult::FolderFiles(Arc::new(FolderFiles { files, is_cut, ..FolderFiles::default() }))
}

/// The list is open behind `Explain @`.
fn listing() -> Scene {
    let mut scene = Scene::worked();
    scene.type_text("Explain ");
    let commands = scene.press(&["@"]);
    assert!(matches!(commands[..], [UiCommand::Job(Job::FolderFiles)]), "{commands:?}");
    scene.job_ended(listed(&FILES, false));
    scene
}

fn message(scene: &Scene) -> String {
    scene.screen.panes.composer.full_text()
}

/// Presses Enter; returns the message that the driver is asked to read files for.
fn enter(scene: &mut Scene) -> String {
    let commands = scene.press(&["enter"]);
    let [UiCommand::Job(Job::AttachedFiles(text))] = &commands[..] else { panic!("{commands:?}") };
    text.clone()
}

fn load_py() -> AttachedFile {
    AttachedFile { path: "src/load.py".into(), bytes: 2_100, text: "x\n".repeat(1_050), masked: false }
}

#[test]
fn file_list() {
    snapshots_after("17_files", listing, |scene| {
        scene.type_text("py");
        scene.press(&["down"]);
    });
}

#[test]
fn a_message_with_files() {
    snapshots_after("17_files_given", Scene::worked, |scene| {
        let csv = AttachedFile {
            path: "sales.csv".into(),
            bytes: 1_200_000,
            text: "n".repeat(32_000),
            masked: true,
        };
        let text = "Explain @src/load.py and @sales.csv".to_owned();
        scene.command(Command::Submit(Prompt { text, files: vec![load_py(), csv] }));
    });
}

#[test]
fn a_file_is_taken_by_tab_or_enter_and_another_can_follow() {
    let mut scene = listing();
    scene.type_text("load");
    scene.press(&["tab"]);
    assert_eq!(message(&scene), "Explain @src/load.py ");
    scene.type_text("and ");
    scene.press(&["@"]);
    scene.job_ended(listed(&FILES, true));
    assert!(scene.enter("plot").is_empty(), "Enter takes the file and sends nothing");
    assert_eq!(message(&scene), "Explain @src/load.py and @\"src/my plot.py\" ");
    assert!(scene.screen.overlays.is_empty());
}

#[test]
fn a_file_that_no_message_can_name_says_why_it_is_not_taken() {
    let mut scene = Scene::worked();
    scene.type_text("Explain ");
    scene.press(&["@"]);
    scene.job_ended(listed(&[("a\u{1b}b.txt", 1), ("say \"so\".txt", 1)], false));
    scene.type_text("so");
    scene.press(&["tab"]);
    assert_eq!(message(&scene), "Explain @so");
    assert_shown(&mut scene, 140, 40, "a message can't name it: its name has a quotation mark");
}

#[test]
fn a_list_that_is_cut_says_what_to_do_where_there_is_little_room() {
    let mut scene = Scene::worked();
    scene.type_text("Explain ");
    scene.press(&["@"]);
    scene.job_ended(listed(&FILES, true));
    assert_shown(&mut scene, 80, 24, " listed. Others: type their path.");
}

#[test]
fn the_list_takes_no_letter_from_the_text() {
    // Esc keeps the text, a space continues after it, deleting the @ closes the list.
    let mut scene = listing();
    scene.type_text("da");
    scene.press(&["esc"]);
    assert_eq!(message(&scene), "Explain @da");
    assert!(scene.screen.overlays.is_empty());
    let mut scene = listing();
    scene.type_text("dataclass please");
    assert_eq!(message(&scene), "Explain @dataclass please");
    assert!(scene.screen.overlays.is_empty());
    let mut scene = listing();
    scene.type_text("x");
    scene.press(&["backspace", "backspace"]);
    assert_eq!(message(&scene), "Explain ");
    assert!(scene.screen.overlays.is_empty());
    // Inside an address no list opens.
    let mut scene = Scene::worked();
    scene.type_text("bob");
    assert!(scene.press(&["@"]).is_empty());
    assert!(scene.screen.overlays.is_empty());
    // Before the files are listed, Enter does nothing.
    let mut scene = Scene::worked();
    scene.press(&["@"]);
    scene.enter("lo");
    assert_eq!(message(&scene), "@lo");
}

#[test]
fn a_message_goes_out_when_its_files_were_read() {
    let mut scene = listing();
    scene.type_text("load");
    scene.press(&["tab"]);
    let text = enter(&mut scene);
    assert!(scene.press(&["enter"]).is_empty(), "a second Enter asks for nothing more");
    let commands = scene.job_ended(JobResult::AttachedFiles(text.clone(), Ok(vec![load_py()])));
    assert_eq!(*sent(&commands), Command::Submit(Prompt { text: text.clone(), files: vec![load_py()] }));
    assert!(scene.screen.panes.composer.is_empty());
    // A late result changes nothing.
    assert!(scene.job_ended(JobResult::AttachedFiles(text, Ok(vec![load_py()]))).is_empty());
}

#[test]
fn a_message_that_was_changed_meanwhile_stays() {
    let mut scene = Scene::worked();
    scene.type_text("see @a.py ");
    let text = enter(&mut scene);
    scene.type_text("too");
    assert!(scene.job_ended(JobResult::AttachedFiles(text, Ok(vec![load_py()]))).is_empty());
    assert_eq!(message(&scene), "see @a.py too");
    assert!(drawn(&mut scene, 100, 30).contains("The message changed while its files were read."));
}

#[test]
fn what_can_not_be_given_keeps_the_message_and_a_word_is_sent_by_the_second_enter() {
    let mut scene = Scene::worked();
    scene.type_text("see @data.bin ");
    let text = enter(&mut scene);
    let refused = vec![AttachedFileError::NoText("data.bin".into(), "binary data")];
    assert!(scene.job_ended(JobResult::AttachedFiles(text.clone(), Err(refused))).is_empty());
    assert!(drawn(&mut scene, 100, 30).contains("data.bin is binary data, no text. Not sent: change"));
    assert_eq!(message(&scene), text);
    assert_eq!(enter(&mut scene), text, "it is read anew: the file may have changed");
    let missing = vec![AttachedFileError::Missing("data.bin".into())];
    scene.job_ended(JobResult::AttachedFiles(text.clone(), Err(missing)));
    assert!(drawn(&mut scene, 100, 30).contains("Enter again sends it as it stands."));
    assert_eq!(*sent(&scene.press(&["enter"])), Command::Submit(text.into()));
}
