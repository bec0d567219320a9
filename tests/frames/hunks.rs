//! Hunks in the review of a change: kept, dropped, restored; exactly what is shown runs.

use super::scene::{Scene, sent_edit, writing};
use super::{assert_screen, assert_shown, assert_text, drawn, snapshots};
use sayso::domain::*;
use sayso::engine::{Command, EditFault, PlacedEdit};
use sayso::tui::ui_command::UiCommand;

pub(super) fn old() -> String {
    (1..=40).map(|n| format!("line {n}\n")).collect()
}

pub(super) fn new() -> String {
    old()
        .replace("line 3\n", "line three\n")
        .replace("line 20\n", "line twenty\nand a half\n")
        .replace("line 38\n", "")
}

/// The waiting block has the focus, and was shown long enough to be decided about.
fn at_code(mut scene: Scene) -> Scene {
    scene.review();
    scene.frame();
    scene
}

/// A block that replaces a file waits in review.
pub(super) fn review(before: &str, after: &str) -> Scene {
    let mut scene = Scene::at_work();
    scene.pass(5_000);
    scene.reply(&format!("```text path=notes.md\n{after}```\n"));
    scene.inspected(3, writing(Some(before)));
    at_code(scene)
}

/// Presses a key that decides; an edit is sent to the engine, and its text inspected.
fn decide(scene: &mut Scene, name: &str, before: &str) -> Option<String> {
    let commands = scene.press_alone(name);
    let [UiCommand::Send(command @ Command::Decide { decision: Decision::Edit(text), .. })] =
        commands.as_slice()
    else {
        return None;
    };
    scene.command(command.clone());
    scene.inspected(3, writing(Some(before)));
    scene.frame();
    assert!(!scene.screen.guard.rows().is_all_seen(), "it has to be seen anew");
    scene.wait(2_000);
    Some(text.clone())
}

#[test]
fn a_change_is_shown_in_hunks() {
    snapshots("19_hunks", || review(&old(), &new()));
    let text = drawn(&mut review(&old(), &new()), 140, 40);
    assert!(text.contains("Hunk 1 of 3, line 3: kept   dropped: 0"), "{text}");
    assert!(text.contains("+>"), "the chosen one is marked: {text}");
}

/// The texts of two files, joined as an edit of both shows them.
fn both(notes: &str, list: &str) -> String {
    format!("==> notes.md <==\n{notes}==> out/list.txt <==\n{list}")
}

/// An edit of two files waits in review, placed in their texts.
fn edit() -> Scene {
    edit_under(|_| {})
}

/// The same, under changed terms.
fn edit_under(change: impl FnOnce(&mut Terms)) -> Scene {
    let (notes, list) =
        (old().replace("line 3\n", "line three\n"), old().replace("line 20\n", "line twenty\n"));
    edit_of(&both(&old(), &old()), &both(&notes, &list), change)
}

/// An edit of two files with these joined texts.
fn edit_of(before: &str, text: &str, change: impl FnOnce(&mut Terms)) -> Scene {
    let mut scene = Scene::at_work();
    scene.pass(5_000);
    scene.reply(
        "```edit path=notes.md\n<<<<<<< SEARCH\nline 3\n=======\nline three\n>>>>>>> REPLACE\n\
         *** Update File: out/list.txt\n<<<<<<< SEARCH\nline 20\n=======\nline twenty\n>>>>>>> REPLACE\n```\n",
    );
    let found = OnDisk::File(Some(Sha256::of(old().as_bytes())));
    let placed = PlacedEdit {
        text: text.into(),
        bases: vec![found, found],
        note: "hunk 1 of out/list.txt was found 93% alike".into(),
    };
    scene.placed(3, Ok(placed));
    let mut seen = writing(Some(before));
    if let Ok(terms) = &mut seen.terms {
        terms.language = Language("edit".into());
        terms.rights.write.push("/home/ada/data/sales/out/list.txt".into());
        if let Some(target) = &mut terms.target {
            let list = Target::at("/home/ada/data/sales/out/list.txt", found);
            target.others = vec![Target { bytes: 290, ..list }];
            target.bytes = 290;
        }
        change(terms);
    }
    scene.inspected(3, seen);
    at_code(scene)
}

#[test]
fn an_edit_is_shown_as_hunks_on_its_files() {
    snapshots("19_edit", edit);
    let text = drawn(&mut edit(), 140, 40);
    assert!(text.contains("Hunk 1 of 2, notes.md, line 3: kept   dropped: 0"), "{text}");
    for shown in ["==> notes.md <==", "==> out/list.txt <==", "-  20 │ line 20", "+  20 │ line twenty"] {
        assert!(text.contains(shown), "{shown}: {text}");
    }
    assert_text(&text, &["93% alike", "all of them or none"], &[]);
    let mut scene = edit();
    scene.press(&["h"]);
    scene.frame();
    assert_shown(&mut scene, 140, 40, "Hunk 2 of 2, out/list.txt, line 20: kept");
    let commands = scene.press_alone("x");
    let text = sent_edit(&commands);
    assert!(text.contains("line three\n") && !text.contains("line twenty"), "{text}");
}

/// What the rights don't let it write is not said to be written.
#[test]
fn a_file_that_stays_is_told_as_that() {
    let told = |found: OnDisk| {
        let mut scene = edit_under(|terms| {
            terms.rights.write.pop();
            for list in terms.target.iter_mut().flat_map(|target| &mut target.others) {
                (list.found, list.folders) = (found, 1);
            }
        });
        drawn(&mut scene, 140, 40)
    };
    let text = told(OnDisk::File(Some(Sha256::of(b"x"))));
    assert!(text.contains("Writes     ~/data/sales/notes.md  (290 B there now are replaced)"), "{text}");
    let list = "~/data/sales/out/list.txt  (the text is what stands there now)";
    assert!(text.contains(&format!("Unchanged  {list}")) && !text.contains("Makes"), "{text}");
    let text = told(OnDisk::Nothing);
    let list = "~/data/sales/out/list.txt  (no line of it is in the text)";
    assert!(text.contains(&format!("Not made   {list}")) && !text.contains("Makes"), "{text}");
}

#[test]
fn the_mark_of_a_missing_last_line_end_is_no_line_of_a_file() {
    let open = |lines: &str| format!("{lines}\\ No newline at end of file\n");
    let list = open("a\nb\n");
    for (count, stays) in
        [(7, "... 3 lines stay as they are"), (4, "... the missing last line end stays as it is")]
    {
        let notes: String = (1..=count).map(|n| format!("m{n}\n")).collect();
        let before = both(&open(&notes), &list);
        let after = before.replace("m1\n", "M1\n");
        let mut scene = edit_of(&before, &after, |_| {});
        assert_screen(&mut scene, 140, 40, &[stays, "... 2 lines stay as they are"], &[]);
    }
}

#[test]
fn an_edit_that_does_not_fit_is_one_line_for_the_person() {
    let failed = || {
        let mut scene = Scene::at_work();
        scene.pass(5_000);
        scene
            .reply("Now:\n\n```edit path=notes.md\n<<<<<<< SEARCH\nline 99\n=======\n>>>>>>> REPLACE\n```\n");
        let fault = EditFault("notes.md: the lines that it searches are not in the file".into());
        scene.placed(3, Err(fault));
        scene.frame();
        scene
    };
    snapshots("19_edit_failed", failed);
    assert_text(&drawn(&mut failed(), 140, 40), &["edit: notes.md: the lines that it"], &[]);
}

#[test]
fn a_dropped_hunk_does_not_run_and_can_be_taken_back() {
    let dropped = || {
        let mut scene = review(&old(), &new());
        scene.press(&["h"]);
        let text = decide(&mut scene, "x", &old()).expect("an edit");
        assert_eq!(text, new().replace("line twenty\nand a half\n", "line 20\n"));
        scene
    };
    snapshots("19_hunk_dropped", dropped);
    let mut scene = review(&old(), &new());
    scene.screen.resized((80, 24), scene.at);
    scene.press(&["H"]);
    decide(&mut scene, "x", &old()).expect("an edit");
    assert!(drawn(&mut scene, 80, 24).contains("x>    hunk 3 dropped"), "it stays in sight");
    let mut scene = dropped();
    let text = drawn(&mut scene, 140, 40);
    assert_text(&text, &["Hunk 2 of 3, line 20: dropped   dropped: 1", "hunk 2 dropped: -1 +2 lines"], &[]);
    assert!(text.contains("x keep hunk") && !text.contains("drop hunk"), "the hint says what x does: {text}");
    assert!(!text.contains("and a half"), "what runs is what is shown: {text}");
    scene.screen.resized((140, 40), scene.at);
    scene.frame();
    scene.press(&["h"]);
    assert_eq!(decide(&mut scene, "x", &old()).map(|text| text.contains("line 38\n")), Some(true));
    assert!(drawn(&mut scene, 140, 40).contains("dropped: 2"));
    scene.screen.resized((140, 40), scene.at);
    scene.frame();
    scene.press(&["H"]);
    let back = decide(&mut scene, "x", &old()).expect("an edit");
    assert!(back.contains("line twenty\nand a half\n") && back.contains("line 38\n"));
    assert!(drawn(&mut scene, 140, 40).contains("kept   dropped: 1"));
}

#[test]
fn all_hunks_dropped_is_the_old_text() {
    let (old, new) = ("a\r\nb\r\nc\r\nlast", "A\r\nb\r\nc\r\nlast\r\n");
    let mut scene = review(old, new);
    decide(&mut scene, "x", old).expect("an edit");
    scene.press(&["h"]);
    assert_eq!(decide(&mut scene, "x", old).as_deref(), Some(old));
    assert!(drawn(&mut scene, 140, 40).contains("dropped: 2"));
}

#[test]
fn an_edit_behind_it_is_a_change_of_its_own() {
    let mut scene = review(&old(), &new());
    decide(&mut scene, "x", &old()).expect("an edit");
    let edited = new().replace("line 30\n", "line thirty\n");
    scene.decide(3, Decision::Edit(edited));
    scene.inspected(3, writing(Some(&old())));
    scene.frame();
    assert!(drawn(&mut scene, 140, 40).contains("of 4, line 3: kept   dropped: 0"));
}

#[test]
fn a_change_in_one_place_is_one_hunk() {
    let mut scene = review("a\nb\n", "a\nB\n");
    for key in ["h", "x"] {
        scene.pass(1_000);
        scene.press(&[key]);
        assert_eq!(scene.note_text(), "This change is one hunk: approve or reject the block.");
    }
}

#[test]
fn a_block_without_another_text_has_no_hunks() {
    let mut scene = at_code(Scene::waiting());
    scene.press(&["h"]);
    assert_eq!(scene.note_text(), "No hunks: this block stands for no other text.");
    assert_eq!(decide(&mut scene, "x", ""), None);
}
