//! The screens of the design, one test each.

use super::behaviour::reviewing;
use super::models::ollama;
use super::scene::{
    ANSWER, CODE, Scene, TABLE, USAGE, clouds, engine_commands, failure, findings, image, name_not_found,
    report,
};
use super::{assert_text, drawn, frame, snapshots, snapshots_after};
use sayso::domain::*;
use sayso::driver::JobResult;
use sayso::engine::Settings;
use sayso::tui::setup::{Opening, Setup};
use sayso::tui::theme::{Depth, Slot, Theme};
use sayso::tui::widgets::layout::Pane;

#[test]
fn first_start() {
    snapshots("01_first_start", || {
        let mut scene = Scene::set_up(Setup { welcome: true, clouds: clouds(), ..Setup::default() });
        let server = ollama(&["qwen3-coder:30b", "llama3.3:8b", "gemma3"]);
        scene.job_ended(JobResult::Servers(vec![server]));
        let found = |name: &str, version: &str| Interpreter {
            language: Language(name.into()),
            path: format!("/usr/bin/{name}").into(),
            version: Some(version.into()),
        };
        let found = vec![found("python", "3.12.4"), found("bash", "5.2.15")];
        scene.job_ended(JobResult::Interpreters(found));
        scene
    });
}

#[test]
fn too_small() {
    insta::assert_snapshot!("00_too_small_40x12", drawn(&mut Scene::waiting(), 40, 12));
}

#[test]
fn idle() {
    snapshots("02_idle", Scene::worked);
}

#[test]
fn streaming() {
    snapshots_after("03_streaming", Scene::at_work, |scene| {
        let code: String = CODE.lines().take(9).map(|l| format!("{l}\n")).collect();
        scene.streaming(&format!(
            "The chart folder `out/charts` holds three old files. I will remove it, then write one new plot. The code \
             is being written in the Code pane:\n\n```python\n{code}"
        ));
        scene.type_text("also print the top three");
    });
}

#[test]
fn review() {
    snapshots("04_review", reviewing);
}

/// The narrowest wide screen, with code beside the conversation, has room for 80 columns of code.
#[test]
fn review_at_the_edge_of_wide() {
    let mut scene = Scene::waiting();
    scene.focus(Pane::Code);
    drawn(&mut scene, 120, 36);
    scene.pass(2_000);
    insta::assert_snapshot!("04_review_120x36", drawn(&mut scene, 120, 36));
}

#[test]
fn review_guard_closed() {
    snapshots_after("04b_guard_closed", Scene::waiting, |scene| {
        scene.go_to(Pane::Code);
        scene.pass(100);
    });
}

#[test]
fn review_from_message() {
    snapshots_after("04_wait_told_in_message", Scene::waiting, |scene| scene.type_text("and then"));
}

#[test]
fn confirm_high() {
    snapshots_after("04c_confirm", Scene::waiting, |scene| {
        scene.see_block();
        scene.press(&["a"]);
        scene.pass(100);
    });
}

/// Block 3 in the editor, with the colon at the end of its tenth line deleted.
fn in_editor() -> Scene {
    let mut scene = reviewing();
    scene.press(&["e"]);
    scene.wait(100);
    scene.press(&["down"; 9]);
    scene.press(&["ctrl-e", "backspace"]);
    scene
}

#[test]
fn editing() {
    snapshots_after("05_editing", in_editor, |scene| scene.type_text(" and input_ok:"));
}

#[test]
fn running() {
    snapshots("06_running", || {
        let mut scene = Scene::in_run("North            1,251,510\nEast               903,220\n", 4_200);
        scene.screen.panes.focus = Pane::Output;
        scene
    });
}

#[test]
fn done() {
    snapshots_after("07_done", Scene::waiting, |scene| {
        scene.frame();
        let mut report = report("North            1,251,510\nEast               903,220\n", 6_100);
        report.receipt.files = vec![
            FileChange::new("out/charts/revenue.png", "created", 48_000),
            FileChange::new("out/top3.csv", "changed", 61),
            FileChange::new("out/charts/a.png", "deleted", 0),
        ];
        let names = vec!["node_modules".to_owned(), "target".to_owned()];
        report.receipt.not_looked_at =
            UnscannedChanges { folders: 2, names, changes: 7, ..UnscannedChanges::default() };
        report.pictures = vec![image("out/charts/revenue.png")];
        report.value = Some("3".into());
        scene.ran_with(3, report);
        scene.reply("The chart is in **out/charts/revenue.png**. North leads with 1.25 M.\n");
        scene.settle();
        scene.screen.panes.focus = Pane::Output;
    });
}

fn key_error() -> RunError {
    RunError {
        kind: "KeyError".into(),
        message: "'region'".into(),
        traceback: "Traceback (most recent call last):\n  block 3, line 6\nKeyError: 'region'".into(),
    }
}

#[test]
fn failed() {
    snapshots("07_failed", || {
        let mut report = report("reading\n", 400);
        report.outcome = Outcome::Failed;
        report.receipt.exit_code = Some(1);
        report.output.push(Stream::Stderr, b"warning: old file\n");
        report.error = Some(key_error());
        Scene::ended_with(report)
    });
}

/// The value of a run is shown, exactly once, however much it printed.
#[test]
fn a_value_is_seen_above_much_output() {
    let much: String = (1..=200).map(|line| format!("line {line}\n")).collect();
    let ended = |value: Option<&str>, error: Option<RunError>| {
        Scene::ended_with(RunReport { value: value.map(Into::into), error, ..report(&much, 400) })
    };
    let value = || ended(Some("1251510"), None);
    snapshots("07_value_above_much_output", value);
    for (width, height) in [(140, 40), (120, 36), (100, 30), (80, 24)] {
        let screen = drawn(&mut value(), width, height);
        assert_eq!(screen.matches("value  1251510").count(), 1, "{screen}");
        let mut scene = ended(None, Some(key_error()));
        let screen = drawn(&mut scene, width, height);
        assert_eq!(screen.matches("KeyError: 'region'").count(), 1, "{screen}");
        scene.press(&["G"]);
        let end = drawn(&mut scene, width, height);
        assert!(end.contains("block 3, line 6") && !end.contains("KeyError: 'region'"), "{end}");
        // An output without a value is shown from its end.
        assert_text(&drawn(&mut ended(None, None), width, height), &["line 200"], &[]);
    }
}

#[test]
fn reject() {
    snapshots_after("08a_reject", reviewing, |scene| {
        scene.press(&["r"]);
        scene.pass(100);
        scene.type_text("keep the old charts");
    });
}

#[test]
fn rejected() {
    snapshots_after("08_rejected", Scene::waiting, |scene| {
        scene.frame();
        scene.decide(3, Decision::Reject("keep the old charts, write to out/new instead".into()));
        scene
            .streaming("Understood. New version keeps `out/charts` untouched.\n\n```python\nimport pandas\n");
    });
}

/// A reason that was already sent to the model is not announced as still to be sent.
#[test]
fn a_reason_that_was_told_is_not_told_next() {
    let mut scene = Scene::at_work();
    scene.reply("```bash\nls\n```\n\n```bash\nls out\n```\n");
    scene.inspect(3, Vec::new());
    scene.frame();
    scene.decide(3, Decision::Reject("not now".into()));
    scene.frame();
    let shown = |scene: &mut Scene| {
        scene.screen.panes.code.show(BlockId(3));
        scene.screen.panes.focus = Pane::Code;
        crate::drawn(scene, 140, 40)
    };
    assert_text(&shown(&mut scene), &["is told to the model with the next request"], &[]);
    scene.decide(4, Decision::Skip);
    scene.reply("Understood.");
    assert_text(&shown(&mut scene), &["The model was told your reason:"], &[]);
}

#[test]
fn queue() {
    snapshots_after("09_queue", Scene::at_work, |scene| {
        scene.reply(&format!(
            "```python\n{CODE}```\n\n```bash\nls out\n```\n\n```javascript\nlet x = 1\n```\n"
        ));
        scene.inspect(3, findings());
        scene.inspect(4, Vec::new());
        scene.go_to(Pane::Code);
        scene.press(&["Q"]);
    });
}

#[test]
fn sessions() {
    snapshots_after("10_sessions", Scene::worked, |scene| scene.enter("/resume"));
}

#[test]
fn commands() {
    snapshots_after("12_commands", Scene::worked, |scene| scene.type_text("/re"));
}

#[test]
fn help() {
    snapshots_after("13_help", Scene::waiting, |scene| {
        scene.go_to(Pane::Code);
        scene.press(&["?"]);
    });
}

#[test]
fn vars() {
    snapshots_after("14_vars", Scene::one_ran, |scene| {
        scene.approve(2);
        let variables = [
            ("df", "DataFrame", "18240x6", "", None),
            ("by_region", "Series", "36 rows", "", Some(VariableChange::Added)),
            ("name", "str", "", "'North'", Some(VariableChange::Changed)),
            ("old", "list", "", "", Some(VariableChange::Deleted)),
        ]
        .map(|(name, kind, size, value, change)| Variable {
            name: name.into(),
            kind: kind.into(),
            size: size.into(),
            value: value.into(),
            change,
        })
        .to_vec();
        scene.run(RunEvent::Started);
        scene.run(RunEvent::Variables(variables));
        scene.ended(report(TABLE, 800));
        scene.reply(ANSWER);
        scene.enter("/vars");
    });
}

#[test]
fn find() {
    snapshots_after("15_find", Scene::worked, |scene| {
        scene.press(&["ctrl-f"]);
        scene.type_text("region");
    });
}

#[test]
fn problems() {
    snapshots_after("16_no_network", Scene::worked, |scene| {
        scene.ask("and now the same for 2025");
        scene.fail(name_not_found());
        scene.disk_fails();
        scene.settle();
        scene.screen.panes.focus = Pane::Output;
    });
}

#[test]
fn rate_limit() {
    snapshots_after("16_rate_limit", Scene::at_work, |scene| {
        let failure = ReplyFailure {
            status: Some(429),
            ..failure(FailureKind::RateLimit, "Rate limit.", Departure::Sent)
        };
        scene.replied(ReplyEvent::Retrying { attempt: 2, of: 5, wait_ms: 18_000, failure });
    });
}

#[test]
fn step_limit() {
    snapshots_after(
        "16_step_limit",
        || Scene::with(Settings { step_limit: 1, ..Settings::default() }),
        |scene| scene.first_step(USAGE),
    );
}

#[test]
fn quit_while_running() {
    snapshots("17_quit", || {
        let mut scene = Scene::in_run("North\n", 14_000);
        scene.settle();
        scene.enter_message("/quit");
        scene
    });
}

pub fn opening() -> Scene {
    let prompts = ["sum of 1 to 10", "square root of 2", "line chart of a month of temperatures"];
    let opening = Opening {
        text:
            "Ask for something in your own words.\n\n1. Code comes to wait for you.\n2. **Ctrl-Y** shows it."
                .into(),
        prompts: prompts.map(String::from).to_vec(),
    };
    Scene::set_up(Setup { cwd: "/home/ada/data/sales".into(), opening, ..Setup::default() })
}

#[test]
fn an_empty_session_suggests_what_to_ask() {
    snapshots("02_opening", || opening().pressed(&["down"]));
}

#[test]
fn a_suggested_prompt_is_taken_as_text() {
    let mut scene = opening();
    assert!(scene.press(&["down", "up", "down", "tab"]).is_empty(), "nothing is asked by that");
    assert_eq!(scene.screen.panes.composer.full_text(), "square root of 2");
    assert_eq!(scene.screen.panes.focus, Pane::Message);
    // Once text is written there, Tab goes to the next pane again.
    scene.press(&["tab"]);
    assert_ne!(scene.screen.panes.focus, Pane::Message);
}

/// Block 3 as the person changed it, beside the model's text.
fn changed() -> Scene {
    let mut scene = in_editor();
    scene.type_text(" and full:");
    for command in engine_commands(&scene.press(&["esc"])) {
        scene.command(command);
    }
    scene.inspect(3, findings());
    scene.frame();
    scene.pass(2_000);
    scene.press(&["v"]);
    scene
}

#[test]
fn changes() {
    snapshots("05_changes", changed);
}

/// Added lines have a background, and added words a stronger one; the sign is in front.
#[test]
fn changed_words_are_marked_inside_their_line() {
    let mut scene = changed();
    scene.theme = Theme::load("ink", Depth::True, |_| None).unwrap().theme;
    let (buffer, _) = frame(&mut scene, 140, 40);
    let row = |y: u16| (0..140).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    let y = (0..40).find(|y| row(*y).contains("+ ") && row(*y).contains("and full:")).expect("the new line");
    let text = row(y);
    let column = |what: &str| text.find(what).map_or(0, |at| text[..at].chars().count());
    let ground = |what: &str| buffer[(column(what) as u16, y)].bg;
    let theme = &scene.theme;
    assert_eq!(Some(ground("if old")), theme.tint(Slot::DiffAdd).bg, "{text}");
    assert_eq!(Some(ground("and full")), theme.tint_more(Slot::DiffAdd).bg, "{text}");
}

/// The last two rows of a screen.
fn last_rows(scene: &mut Scene, width: u16, height: u16) -> [String; 2] {
    let screen = drawn(scene, width, height);
    let rows: Vec<&str> = screen.lines().take(height.into()).collect();
    [rows[rows.len() - 2], rows[rows.len() - 1]].map(str::to_owned)
}

/// Status and keys are shown in whole words at every width: what does not fit is left out.
#[test]
fn status_and_keys_are_never_cut_within_a_word() {
    let waiting = |focus: Pane| {
        let mut scene = Scene::waiting();
        scene.go_to(focus);
        scene.pass(2_000);
        scene
    };
    let running = Scene::in_run("reading\n", 4_200);
    let mut finished = Scene::worked();
    finished.focus(Pane::Output);
    let mut failed = Scene::at_work();
    failed.fail(name_not_found());
    failed.focus(Pane::Output);
    let scenes = vec![waiting(Pane::Code), waiting(Pane::Message), running, finished, failed, Scene::new()];
    for (at, mut scene) in scenes.into_iter().enumerate() {
        // The texts shown where everything fits, in each layout.
        let mut said: Vec<String> = Vec::new();
        for height in [24, 30, 60] {
            let rows = last_rows(&mut scene, 500, height);
            said.extend(rows.iter().flat_map(|row| row.split_whitespace()).map(str::to_owned));
        }
        for width in 50..=200 {
            for row in last_rows(&mut scene, width, 30) {
                for word in row.split_whitespace() {
                    // Some words have short forms: `reject` for `reject+reason`.
                    let goes_on = |whole: &String| {
                        let rest = whole.strip_prefix(word).and_then(|rest| rest.chars().next());
                        rest.is_some_and(char::is_alphanumeric)
                    };
                    let is_whole = said.iter().any(|whole| whole == word);
                    assert!(
                        is_whole || !said.iter().any(goes_on),
                        "scene {at}, {width}: {word:?} is cut\n{row}"
                    );
                }
            }
        }
    }
}
