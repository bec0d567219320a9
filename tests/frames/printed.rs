//! The output of a run: errors can be told from other lines without colours, and the keys that are shown are
//! bound.

use super::pickers::copied;
use super::scene::{Scene, report};
use super::{assert_screen, assert_shown, assert_text, drawn};
use sayso::domain::*;
use sayso::tui::theme::{Depth, Theme};
use sayso::tui::widgets::layout::Pane;

fn both_streams() -> Scene {
    let mut scene = Scene::one_ran();
    let mut report = report("an ordinary line\n", 800);
    report.output.push(Stream::Stderr, b"a warning that is long enough ");
    report.output.push(Stream::Stderr, "to be wrapped at this width, word by word ".repeat(4).as_bytes());
    report.output.push(Stream::Stderr, b"\n");
    report.output.push(Stream::Stdout, b"the last line\n");
    scene.ran_with(2, report);
    scene.focus(Pane::Output);
    scene
}

/// Every row of an error has a mark to its left, and no other row has one.
#[test]
fn errors_have_a_sign_beside_their_rows() {
    for (size, depth) in super::SIZES.into_iter().flat_map(|size| [(size, Depth::Mono), (size, Depth::True)])
    {
        let mut scene = super::scene::acted(size, both_streams);
        scene.theme = Theme::load("terminal", depth, |_| None).unwrap().theme;
        let screen = drawn(&mut scene, size.0, size.1);
        let marked = |words: &str| {
            let rows: Vec<&str> = screen.lines().filter(|row| row.contains(words)).collect();
            assert!(!rows.is_empty(), "{words}\n{screen}");
            rows.iter().all(|row| row.split(words).next().is_some_and(|before| before.contains('!')))
        };
        assert!(marked("a warning that") && marked("word by word"), "{screen}");
        assert!(!marked("an ordinary line") && !marked("the last line"), "{screen}");
    }
}

/// The mark is not part of the text: copying gives what was printed.
#[test]
fn the_sign_is_not_copied() {
    let mut scene = both_streams();
    drawn(&mut scene, 140, 40);
    let commands = scene.press(&["y"]);
    assert_text(copied(&commands), &["\na warning"], &["!"]);
}

#[test]
fn the_title_names_the_key_that_is_bound_to_the_end() {
    let mut scene = Scene::one_ran();
    let lines: String = (0..90).map(|n| format!("line {n}\n")).collect();
    scene.ran(2, 800, &lines);
    scene.focus(Pane::Output);
    let own = "bind = [{ context = \"pane\", keys = [\"L\"], action = \"scroll.end\", help = \"end\" }]";
    scene.bind_keys(own);
    drawn(&mut scene, 140, 40);
    scene.press(&["k"]);
    assert_screen(&mut scene, 140, 40, &["L end"], &["G end"]);
}

/// A line that takes more rows in a narrower pane is not a new one.
#[test]
fn a_resize_brings_no_new_lines() {
    let mut scene = Scene::asked();
    let lines: String = (0..31).map(|n| format!("line {n}\n")).collect();
    scene.ran(1, 100, "total 12\n");
    scene.ran(2, 800, &(lines + &"word ".repeat(30) + "\n"));
    scene.focus(Pane::Output);
    drawn(&mut scene, 80, 24);
    scene.press(&["g"]);
    assert_shown(&mut scene, 80, 24, "G end");
    for (width, height) in [(60, 16), (140, 40), (60, 16)] {
        assert_screen(&mut scene, width, height, &[], &["1 new line"]);
    }
}

/// In Message a page key scrolls the conversation by a page, not to its end.
#[test]
fn a_page_key_is_not_told_as_the_way_to_the_end() {
    let mut scene = Scene::worked();
    let lines: String = (1..90).map(|n| format!("- point {n} of it\n")).collect();
    scene.reply(&lines);
    scene.screen.panes.focus = Pane::Message;
    drawn(&mut scene, 140, 40);
    scene.press(&["pgup", "pgup"]);
    assert_screen(&mut scene, 140, 40, &["point "], &["follow", " end ━", " end ─"]);
}

fn failed(stdout: &str, stderr: &str) -> RunReport {
    let mut failed = report("", 800);
    failed.outcome = Outcome::Failed;
    failed.receipt.exit_code = Some(3);
    failed.output.push(Stream::Stderr, stderr.as_bytes());
    failed.output.push(Stream::Stdout, stdout.as_bytes());
    failed
}

/// How a run ended and its first error are at the top of the pane, however much was printed after them.
#[test]
fn a_run_that_failed_is_shown_from_its_top() {
    let rows: String = (0..300).map(|n| format!("row {n}\n")).collect();
    for size in super::SIZES {
        for stderr in ["ls: cannot access 'none': No such file or directory\n", "it went wrong\n"] {
            let mut scene = super::scene::acted(size, || {
                let mut scene = Scene::asked();
                scene.ran_with(1, failed(&rows, stderr));
                scene.focus(Pane::Output);
                scene
            });
            assert_screen(&mut scene, size.0, size.1, &["exit 3", stderr.trim_end()], &["row 299"]);
            // After going to the end, the pane stays there.
            scene.press(&["G"]);
            for _ in 0..2 {
                assert!(drawn(&mut scene, size.0, size.1).contains("row 299"));
            }
        }
    }
}

/// On a stacked screen: while the run was silent its pane needed no row.
#[test]
fn a_silent_run_that_failed_is_shown_beside_the_block_that_waits() {
    let mut scene = super::scene::acted((100, 30), || {
        let mut scene =
            Scene::answered("Try both.", "```python\nraise ValueError('first')\n```\n\n```bash\nls\n```\n");
        scene.inspect(1, Vec::new());
        scene.inspect(2, Vec::new());
        scene.approve(1);
        scene.run(RunEvent::Started);
        scene.screen.panes.focus = Pane::Output;
        for _ in 0..2 {
            scene.frame();
        }
        scene.ended(failed("", ""));
        scene
    });
    assert_screen(&mut scene, 100, 30, &["exit 3", "Block 2 bash"], &[]);
}

/// A kernel is busy with a run in it, not with a process beside it.
#[test]
fn a_kernel_is_busy_with_its_own_runs_only() {
    for (language, busy) in [("python", true), ("bash", false)] {
        let mut scene = super::scene::acted((140, 40), || {
            let mut scene =
                Scene::answered("Go.", &format!("```python\n1\n```\n\n```{language}\ntrue\n```\n"));
            scene.ran(1, 100, "1\n");
            scene.approve(2);
            scene.run(RunEvent::Started);
            scene
        });
        assert_shown(&mut scene, 140, 40, if busy { "k1 busy" } else { "k1 ready" });
    }
}

/// On a stacked screen, with the focus left by the run before: prose gets the rows that a short block and a
/// short output don't need.
#[test]
fn what_is_said_before_a_short_block_is_seen() {
    let mut scene = super::scene::acted((100, 30), || {
        let mut scene = Scene::answered("Count them.", "```bash\nls | wc -l\n```\n");
        scene.ran(1, 100, "12\n");
        scene.screen.panes.focus = Pane::Output;
        scene.frame();
        scene.reply(
            "The folder has twelve files.\n\nNone of them is empty.\n\nNow the sizes.\n\n```bash\ndu -s .\n```\n",
        );
        scene.inspect(2, Vec::new());
        scene
    });
    let screen = drawn(&mut scene, 100, 30);
    for text in ["The folder has", "None of them", "Now the sizes", "du -s .", "exit 0", "12  "] {
        assert!(screen.contains(text), "{text}\n{screen}");
    }
    assert_eq!(drawn(&mut scene, 100, 30), screen, "it stands still");
}
