//! Images of a run: each has its row, one can be shown alone, and a note says which are not drawn.

use super::scene::{Scene, image, report};
use super::{assert_text, drawn};
use ratatui::text::Line;
use sayso::domain::*;
use sayso::driver::Job;
use sayso::tui::ui_command::UiCommand;
use sayso::tui::widgets::layout::Pane;

/// A run that showed a figure, wrote two picture files and printed something.
pub(super) fn drawn_by_a_run() -> Scene {
    drawn_by(vec![image("figure-1.png")])
}

fn drawn_by(images: Vec<ImageRef>) -> Scene {
    printed_and_drawn("printed by it\n", images)
}

fn printed_and_drawn(text: &str, images: Vec<ImageRef>) -> Scene {
    let mut scene = Scene::one_ran();
    let change = |path: &str| FileChange::new(path, "created", 48_000);
    let mut report = report(text, 800);
    report.images = images;
    report.pictures = [("out/b.jpg", "image/jpeg"), ("out/c.svg", "image/svg+xml")]
        .map(|(name, mime)| ImageRef { mime: mime.into(), ..image(name) })
        .to_vec();
    report.receipt.files = ["out/b.jpg", "out/c.svg", "out/large.png"].map(change).to_vec();
    scene.ran_with(2, report);
    scene.focus(Pane::Output);
    scene
}

/// Paints the requested pictures: rows with the name of the file, or the reason for one that can't be drawn.
fn paint(scene: &mut Scene, broken: &str, reason: UndrawnReason) {
    while let Some(wanted) = scene.screen.panes.pictures.next_wanted() {
        let name = wanted.path.display().to_string();
        let row = Line::from(format!("<{name} {}x{}>", wanted.width, wanted.height));
        let rows = vec![row; wanted.height.into()];
        scene.screen.panes.pictures.painted(wanted, if name == broken { Err(reason) } else { Ok(rows) });
    }
}

fn seen(scene: &mut Scene, (width, height): (u16, u16)) -> String {
    drawn(scene, width, height);
    paint(scene, "/blobs/out/c.svg", UndrawnReason::MoreThanShapes);
    drawn(scene, width, height)
}

#[test]
fn every_image_has_a_row_with_file_size_and_pixels() {
    for size in super::SIZES {
        let mut scene = super::scene::acted(size, drawn_by_a_run);
        let mut told = String::new();
        for _ in 0..20 {
            told += &seen(&mut scene, size);
            scene.press(&["pgup"]);
        }
        for row in [
            "image 1  figure-1.png  1350x600  48 KB   o open   w save",
            "image 2  out/b.jpg  1350x600  48 KB   o open",
            "image 3  out/c.svg  1350x600  48 KB   not drawn: it holds more than shapes",
            "image  out/large.png  48 KB   not drawn",
        ] {
            assert!(told.lines().any(|line| line.contains(row)), "{size:?} {row}\n{told}");
        }
        assert!(!told.contains("image  out/c.svg"), "{told}");
    }
}

/// The row says why an image is not drawn, and claims nothing that is not known.
#[test]
fn the_row_says_why_an_image_is_not_drawn() {
    for (reason, said) in [
        (UndrawnReason::MoreThanShapes, "not drawn: it holds more than shapes"),
        (UndrawnReason::TooLarge, "not drawn: it is too large"),
        (UndrawnReason::TooSlow, "not drawn: it took too long"),
        (UndrawnReason::Broken, "not drawn: it is broken or cut off"),
        (UndrawnReason::Unknown, "not drawn"),
        (UndrawnReason::Off, "not drawn: images are off"),
    ] {
        for (file, keys) in [("out/c.svg", ""), ("out/b.jpg", "   o open")] {
            let mut scene = drawn_by_a_run();
            scene.screen.panes.pictures.off = reason == UndrawnReason::Off;
            drawn(&mut scene, 180, 60);
            paint(&mut scene, &format!("/blobs/{file}"), reason);
            let screen = drawn(&mut scene, 180, 60);
            let row =
                screen.lines().find(|row| row.contains(file) && row.contains("1350x600")).unwrap_or_default();
            let told = row.split("48 KB").nth(1).unwrap_or_default().trim_end_matches('┃').trim();
            assert_eq!(told, format!("{said}{keys}"), "{screen}");
        }
    }
}

/// Pictures are drawn after the end of the run: its value stays at the top.
#[test]
fn the_value_stays_in_view_when_the_images_come() {
    for size in super::SIZES {
        let mut scene = super::scene::acted(size, || {
            let mut scene = Scene::one_ran();
            let mut report = report("printed by it\n", 800);
            report.value = Some("42".into());
            report.images = ["a.png", "b.png", "c.png", "d.png"].map(image).to_vec();
            scene.ran_with(2, report);
            scene.screen.panes.focus = Pane::Output;
            scene
        });
        assert_text(&seen(&mut scene, size), &["exit 0", "42"], &["printed"]);
        // The first visible image is meant, and only available actions are offered.
        scene.press(&["enter"]);
        assert_text(&seen(&mut scene, size), &["image 1 of 4", "next"], &["previous"]);
        scene.press(&["j", "j", "j"]);
        assert_text(&seen(&mut scene, size), &["image 4 of 4"], &["j next"]);
        scene.press(&["k"]);
        assert_text(&seen(&mut scene, size), &["image 3 of 4", "j next"], &[]);
    }
}

#[test]
fn an_image_stands_alone_and_the_next_and_the_one_before_are_a_key_away() {
    for size in super::SIZES {
        let mut scene = super::scene::acted(size, drawn_by_a_run);
        let before = seen(&mut scene, size);
        scene.press(&["enter", "G"]);
        let alone = seen(&mut scene, size);
        assert_text(&alone, &["image 3 of 3", "not drawn: it holds more than shapes"], &["printed by it"]);
        scene.press(&["k"]);
        let alone = seen(&mut scene, size);
        let rows = |name: &str| alone.lines().filter(|row| row.contains(name)).count();
        assert!(alone.contains("image 2 of 3") && rows("</blobs/out/b.jpg") > 8, "{alone}");
        assert_eq!((rows("</blobs/figure-1.png"), rows("printed by it")), (0, 0), "{alone}");
        scene.press(&["pgup", "pgup", "up"]);
        let first = seen(&mut scene, size);
        assert!(first.contains("image 1 of 3") && first.contains("</blobs/figure-1.png"), "{first}");
        scene.press(&["j"]);
        assert!(seen(&mut scene, size).contains("image 2 of 3"));
        scene.press(&["esc"]);
        let panes = |screen: &str| -> Vec<String> {
            let rows = screen.lines().take(usize::from(size.1) - 2);
            rows.filter(|row| !row.contains("waiting for the first word")).map(str::to_owned).collect()
        };
        let after = seen(&mut scene, size);
        assert_eq!(panes(&after), panes(&before), "all of it stands where it stood");
        assert!(matches!(scene.screen.panes.focus, Pane::Output));
    }
}

/// A person who scrolled up returns to the same line, even if the window changed its size meanwhile.
#[test]
fn a_place_between_lines_is_kept_while_an_image_is_alone() {
    for size in [(140, 40), (80, 24)] {
        let mut scene = super::scene::acted(size, || {
            let lines: Vec<String> = (1..=200).map(|line| format!("printed {line}.\n")).collect();
            printed_and_drawn(&lines.concat(), vec![image("figure-1.png")])
        });
        seen(&mut scene, size);
        scene.press(&["pgup", "pgup", "up"]);
        let top = |screen: &str| -> Option<u32> {
            let line = screen.lines().find_map(|row| row.split_once("printed "))?.1;
            line.split_once('.')?.0.parse().ok()
        };
        let before = top(&seen(&mut scene, size)).unwrap();
        assert!((20..180).contains(&before), "{before}");
        for back in ["esc", "enter"] {
            scene.press(&["enter"]);
            let alone = seen(&mut scene, size);
            assert!(alone.contains("image 3 of 3") && top(&alone).is_none(), "{alone}");
            scene.press(&["k"]);
            seen(&mut scene, size);
            scene.press(&[back]);
            assert_eq!(top(&seen(&mut scene, size)), Some(before), "{size:?} {back}");
        }
        scene.press(&["enter"]);
        seen(&mut scene, (100, 30));
        scene.press(&["esc"]);
        assert_eq!(top(&seen(&mut scene, (100, 30))), Some(before), "{size:?} another size");
    }
}

/// The picture is as large as the pane, and with `z` as the screen.
#[test]
fn alone_it_is_as_large_as_fits() {
    let mut scene = drawn_by_a_run();
    seen(&mut scene, (140, 40));
    scene.press(&["enter", "G", "k"]);
    let wide = seen(&mut scene, (140, 40));
    scene.press(&["z"]);
    let whole = seen(&mut scene, (140, 40));
    let rows = |screen: &str| screen.lines().filter(|row| row.contains("</blobs/out/b.jpg")).count();
    assert!(rows(&wide) > 20 && wide.contains("b.jpg 79x"), "{wide}");
    assert!(rows(&whole) > 30 && whole.contains("b.jpg 136x"), "{whole}");
}

#[test]
fn a_run_without_images_says_so_and_an_svg_is_not_opened() {
    let mut scene = Scene::worked();
    scene.go_to(Pane::Output);
    scene.press(&["enter"]);
    assert_eq!(scene.note_text(), "This run made no image.");
    let mut scene = drawn_by_a_run();
    seen(&mut scene, (140, 40));
    scene.press(&["enter", "G"]);
    assert_text(&seen(&mut scene, (140, 40)), &[], &["o open image"]);
    scene.pass(2_000);
    let commands = scene.press(&["o"]);
    assert!(
        !commands.iter().any(|wish| matches!(wish, UiCommand::Job(_))) && scene.screen.overlays.is_empty()
    );
    assert!(scene.note_text().contains("may hold a script"));
    scene.press(&["k"]);
    assert!(seen(&mut scene, (140, 40)).contains("o open image"));
}

/// The screen has been shown for a while, and no key was pressed: a key counts.
fn settled(scene: &mut Scene) {
    scene.wait(2_000);
    scene.pass(2_000);
}

/// `w` saves what the hint says: an image that the run showed; an image that the run wrote is in the folder
/// already.
#[test]
fn saving_is_offered_for_what_it_saves() {
    let saved = |commands: &[UiCommand]| -> Vec<String> {
        let name = |wish: &UiCommand| match wish {
            UiCommand::Job(Job::SaveImage(image)) => image.name.clone(),
            other => format!("{other:?}"),
        };
        commands.iter().map(name).collect()
    };
    let svg = |name: &str| ImageRef { mime: "image/svg+xml".into(), ..image(name) };
    assert_text(&seen(&mut drawn_by_a_run(), (140, 40)), &["w save image "], &["w save it"]);
    let mut scene = drawn_by(vec![svg("figure-1.svg"), image("figure-2.png")]);
    assert_text(&seen(&mut scene, (140, 40)), &["w save images"], &["w save it"]);
    scene.press(&["enter", "G"]);
    assert_text(&seen(&mut scene, (140, 40)), &["image 4 of 4"], &["w save"]);
    settled(&mut scene);
    scene.press(&["o"]);
    assert!(
        scene.note_text().ends_with("not opened from here. The run wrote it into the folder as out/c.svg."),
        "{}",
        scene.note_text()
    );
    settled(&mut scene);
    assert!(saved(&scene.press(&["w"])).is_empty());
    assert_eq!(scene.note_text(), "The run wrote it into the folder as out/c.svg.");
    scene.press(&["g"]);
    assert_text(&seen(&mut scene, (140, 40)), &["image 1 of 4", "w save it"], &[]);
    settled(&mut scene);
    scene.press(&["o"]);
    assert!(scene.note_text().ends_with("w saves it."), "{}", scene.note_text());
    settled(&mut scene);
    assert_eq!(saved(&scene.press(&["w"])), ["figure-1.svg"], "the one that is alone");
    scene.press(&["esc"]);
    seen(&mut scene, (140, 40));
    settled(&mut scene);
    assert_eq!(saved(&scene.press(&["w"])), ["figure-1.svg", "figure-2.png"], "all that it showed");
}

/// Keys read together have no frame between them: none of them may refer to an image that does not exist.
#[test]
fn keys_beyond_the_last_image_save_the_last_one() {
    for beyond in ["down", "end"] {
        let mut scene = Scene::answered("Plot it.", "```python\nplot()\n```\n");
        let images = ["figure-1.png", "figure-2.png"].map(image).to_vec();
        scene.ran_with(1, RunReport { images, ..report("printed by it\n", 800) });
        scene.reply("There it is.");
        scene.focus(Pane::Output);
        seen(&mut scene, (140, 40));
        scene.press(&["enter"]);
        settled(&mut scene);
        scene.key(beyond);
        scene.pass(2_000);
        scene.key("w");
        // The key counts once the terminal answered, and no frame was drawn since.
        scene.pass(401);
        for query in scene.screen.guard.queries(scene.at) {
            scene.screen.guard.cursor_reported(query.place(), scene.at);
        }
        scene.pass(1);
        let commands = scene.take_commands();
        let is_last = |wish: &UiCommand| matches!(wish, UiCommand::Job(Job::SaveImage(it)) if it.name == "figure-2.png");
        assert!(commands.iter().any(is_last), "{beyond}: {commands:?} {:?}", scene.screen.note);
    }
}
