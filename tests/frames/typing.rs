//! Text is never a decision: whatever is typed, wherever the focus is, in every phase of a session.
//!
//! The screen and its guard are real; the clock and the answering terminal are simulated.

use super::answering::found;
use super::recipes::field;
use super::scene::recipe::{Script, start};
use super::scene::{Scene, USAGE, confined, failure, inspection, key_name, scripted, terms};
use super::{assert_text, drawn};
use proptest::prelude::*;
use sayso::domain::*;
use sayso::engine::cost::Prices;
use sayso::engine::{Command, Event, Phase, Settings, WorkflowStep};
use sayso::tui::cursor_query::Query;
use sayso::tui::panes::LowerPane;
use sayso::tui::screen::Screen;
use sayso::tui::ui_command::UiCommand;
use sayso::tui::widgets::layout::Pane;
use strum::VariantArray;

/// The state of the session while somebody types.
#[derive(Clone, Copy, Debug, VariantArray)]
pub enum At {
    Idle,
    Streaming,
    Waiting,
    /// A block waits, and no sandbox confines it.
    Unconfined,
    Running,
    Finished,
    Steps,
    Budget,
    Stuck,
    Overflow,
    Disk,
    Form,
    /// The question whether a kernel may be ended.
    Kill,
    Quit,
    Restart,
    SkipAll,
    /// The box for the typed word is open.
    Word,
    /// The choice of a rule is open, and one is marked.
    Rule,
}

fn failed(kind: FailureKind) -> ReplyFailure {
    failure(kind, "it failed", Departure::Never)
}

/// A session in its first turn in which the engine asks whether to continue.
fn asking(settings: Settings) -> Scene {
    let mut scene = Scene::with(settings);
    scene.first_step(USAGE);
    assert!(matches!(scene.state().phase(), Phase::Asking(_)));
    scene
}

/// A price at which one reply costs more than the session's budget.
fn dear() -> Settings {
    let price = Price { input: 1_000_000, ..Price::default() };
    let own = [(scripted().to_string(), price)].into_iter().collect();
    let prices = Prices { own, ..Prices::default() };
    Settings { prices, session_budget: Some(1_000_000_000), ..Settings::default() }
}

/// A recipe asks for text.
fn form() -> Scene {
    let words = Field { required: false, ..field("words", "Words", FieldKind::Text { lines: false }) };
    let form = Form { fields: vec![words], ..Form::default() };
    let mut scene = Scene::with(Script::settings([vec![WorkflowStep::Form(form)]]));
    scene.send(Event::RecipeReady(Box::new(start())));
    scene
}

/// A block of one line waits after the first turn, under these terms.
fn waits(terms: Terms) -> Scene {
    let mut scene = Scene::worked();
    scene.reply("```python\nprint(1)\n```\n");
    scene.inspected(3, inspection(terms, Vec::new()));
    scene
}

fn begun(at: At) -> Scene {
    let mut scene = Scene::worked();
    match at {
        At::Idle => {}
        At::Streaming => scene.streaming("Well, this goes on.\n\n```python\nprint(1)\n"),
        At::Waiting | At::SkipAll => return waits(confined("python")),
        At::Unconfined => return waits(terms("python")),
        At::Running | At::Kill | At::Quit => {
            scene = waits(terms("python"));
            scene.frame();
            scene.running(3, "x\n", 1_000);
        }
        At::Finished | At::Restart => {
            scene = waits(terms("python"));
            scene.ran(3, 100, "1\n");
            scene.reply("It is one.");
        }
        At::Steps => return asking(Settings { step_limit: 1, ..Settings::default() }),
        At::Budget => return asking(dear()),
        At::Stuck => scene.fail(failed(FailureKind::Unreachable)),
        At::Overflow => scene.fail(failed(FailureKind::Overflow)),
        At::Disk => scene.disk_fails(),
        At::Form => return form(),
        At::Word => return found(Severity::High),
        At::Rule => return found(Severity::Info),
    }
    scene
}

pub fn made(at: At) -> Scene {
    let mut scene = begun(at);
    scene.frame();
    // All waiting times are over: the guard is as open as it ever is.
    scene.rest(6);
    match at {
        At::Kill => {
            scene.press(&["ctrl-c"]);
            scene.pass(700);
            scene.press(&["ctrl-c"]);
        }
        At::Quit => {
            scene.screen.panes.composer.set("/quit");
            scene.press(&["enter"]);
        }
        At::Restart => {
            scene.screen.panes.composer.set("/restart");
            scene.press(&["enter"]);
        }
        At::SkipAll => {
            scene.screen.panes.composer.set("/queue");
            scene.press(&["enter"]);
            scene.pass(1_000);
            scene.press(&["S"]);
        }
        At::Word => drop(scene.press(&["a"])),
        At::Rule => drop(scene.press(&["A", "1"])),
        _ => {}
    }
    scene.take_commands();
    scene
}

/// Whether a command decides, spends, starts, deletes or leaves. A message sent by Enter was meant.
fn acts(wish: &UiCommand) -> bool {
    match wish {
        UiCommand::Send(Command::Submit(_) | Command::OnScreen { .. }) => false,
        UiCommand::Send(_)
        | UiCommand::Job(_)
        | UiCommand::Editor(..)
        | UiCommand::Pager(_)
        | UiCommand::Leave(_) => true,
        _ => false,
    }
}

/// How the terminal answers: at once, after so many milliseconds, or never.
type Answers = Option<u64>;

/// Plays letters with the time before each; returns the effects that text must not have.
fn play(scene: &mut Scene, keys: &[(String, u64)], answers: Answers) -> Vec<String> {
    let mut found = Vec::new();
    let mut asked: Vec<(Query, std::time::Instant)> = Vec::new();
    let mut pass = |scene: &mut Scene, ms: u64, found: &mut Vec<String>| {
        let mut left = ms;
        while left > 0 {
            let step = left.min(7);
            left -= step;
            scene.at += std::time::Duration::from_millis(step);
            scene.now = scene.now.plus(step);
            let late = |sent: &std::time::Instant| {
                answers.is_some_and(|ms| scene.at.duration_since(*sent).as_millis() >= u128::from(ms))
            };
            let due: Vec<Query> =
                asked.iter().filter(|(_, sent)| late(sent)).map(|(query, _)| *query).collect();
            asked.retain(|(query, _)| !due.contains(query));
            for query in due {
                scene.screen.guard.cursor_reported(query.place(), scene.at);
            }
            let mut commands = scene.step(Screen::tick);
            commands.extend(scene.step(Screen::settle));
            found.extend(commands.iter().filter(|wish| acts(wish)).map(|wish| format!("{wish:?}")));
            scene.step(Screen::arrange);
            asked.extend(scene.screen.guard.queries(scene.at).into_iter().map(|query| (query, scene.at)));
        }
    };
    for (name, before) in keys {
        pass(scene, *before, &mut found);
        let commands = scene.key(name);
        found.extend(commands.iter().filter(|wish| acts(wish)).map(|wish| format!("{name}: {wish:?}")));
    }
    pass(scene, 3_000, &mut found);
    found
}

/// Texts as people type them; Enter only between and after words of more than one letter.
fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        3 => proptest::sample::select(vec![
            "add", "a", "test", "also", "check", "square", "root", "rename", "ja", "yes", "continue", "end", "retry",
            "skip", "as", "so", "see", "kernel", "new", "wait", "save", "Kill", "do", "x", "open", "for", "keep",
            "été", "漢字", "is", "run", "Also", "A", "All", "Re", "eel", "pass",
        ])
        .prop_map(str::to_owned),
        1 => "[a-zA-Z]{2,6}",
    ];
    // A single letter is what decides; a text has at least two keys.
    proptest::collection::vec(word, 2..5).prop_map(|words| words.join(" "))
}

fn typed() -> impl Strategy<Value = Vec<(String, u64)>> {
    let gaps = prop_oneof![Just(50u64), Just(120), Just(300), Just(400), 31u64..400];
    (text(), proptest::collection::vec(gaps, 64), any::<bool>(), any::<bool>()).prop_map(
        |(text, gaps, space, enter)| {
            let mut names: Vec<String> = if space { vec!["space".into()] } else { Vec::new() };
            names.extend(text.chars().map(key_name));
            if enter {
                names.push("enter".into());
            }
            names.into_iter().zip(gaps).collect()
        },
    )
}

fn answers() -> impl Strategy<Value = Answers> {
    prop_oneof![Just(None), Just(Some(0)), Just(Some(40)), Just(Some(700)), Just(Some(3_000))]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// At any speed, also as a paste without brackets.
    #[test]
    fn text_in_the_message_decides_nothing(
        keys in typed(), speed in 0u64..5, phase in proptest::sample::select(At::VARIANTS[..12].to_vec()), answers in answers()
    ) {
        let mut scene = made(phase);
        scene.screen.panes.focus = Pane::Message;
        scene.frame();
        let keys: Vec<_> = keys.into_iter().map(|(name, gap)| (name, gap * speed * speed / 4)).collect();
        let found = play(&mut scene, &keys, answers);
        prop_assert!(found.is_empty(), "{phase:?} {keys:?}: {found:?}");
        prop_assert!(scene.screen.overlays.is_empty(), "{phase:?}");
    }

    /// Wherever letters act, as long as keys are no more than 400 ms apart.
    #[test]
    fn text_where_letters_act_decides_nothing(
        keys in typed(), phase in proptest::sample::select(At::VARIANTS.to_vec()), answers in answers(),
        pane in proptest::sample::select(vec![Pane::Code, Pane::Output, Pane::Chat])
    ) {
        let mut scene = made(phase);
        if scene.screen.overlays.is_empty() {
            scene.screen.panes.focus = pane;
        }
        scene.frame();
        // The guard is open for the present block.
        scene.rest(3);
        let mut keys = keys;
        keys[0].1 = 1_000;
        let found = play(&mut scene, &keys, answers);
        prop_assert!(found.is_empty(), "{phase:?} {pane:?} {keys:?}: {found:?}");
    }
}

/// A single letter does act: the property above does not hold for lack of effect.
#[test]
fn a_letter_alone_acts_where_it_may() {
    let alone = |at: At, pane: Pane, letter: &str| {
        let mut scene = made(at);
        if scene.screen.overlays.is_empty() {
            scene.screen.panes.focus = pane;
            if at as u8 == At::Steps as u8 {
                scene.screen.panes.lower = LowerPane::Problems;
            }
        }
        scene.frame();
        scene.rest(3);
        play(&mut scene, &[(letter.to_owned(), 1_000)], Some(40))
    };
    for (at, pane, letter, what) in [
        (At::Waiting, Pane::Code, "a", "Approve"),
        (At::Waiting, Pane::Code, "s", "Skip"),
        (At::Steps, Pane::Output, "c", "Continue"),
        (At::Budget, Pane::Output, "e", "EndTurn"),
        (At::Stuck, Pane::Output, "r", "Retry"),
        (At::Kill, Pane::Output, "k", "Kill"),
        (At::Finished, Pane::Output, "w", "SaveOutput"),
        (At::Restart, Pane::Output, "n", "Restart"),
        (At::SkipAll, Pane::Code, "s", "SkipAll"),
        (At::Rule, Pane::Code, "A", "Always"),
    ] {
        let found = alone(at, pane, letter);
        assert!(found.len() == 1 && found[0].contains(what), "{at:?} {letter}: {found:?}");
    }
    // With a terminal that never answers, letters decide nothing.
    let mut scene = made(At::Waiting);
    scene.screen.panes.focus = Pane::Code;
    scene.frame();
    scene.pass(3_000);
    assert!(play(&mut scene, &[("a".to_owned(), 1_000)], None).is_empty());
}

/// Sentences found by testers: each of these once ran or skipped a block.
#[test]
fn the_sentences_that_decided_go_to_the_message_whole() {
    for text in ["add a test", "also check", "square root", "eel", "as it is"] {
        for gap in [50, 120, 200, 300, 400] {
            for at in [At::Waiting, At::Unconfined] {
                let mut scene = made(at);
                scene.screen.panes.focus = Pane::Code;
                scene.frame();
                scene.wait(2_000);
                let keys: Vec<(String, u64)> = text.chars().map(|c| (key_name(c), gap)).collect();
                let found = play(&mut scene, &keys, Some(5));
                assert!(found.is_empty(), "{text} at {gap}: {found:?}");
                assert_eq!(scene.screen.panes.composer.full_text(), text, "at {gap}");
                assert_eq!(scene.screen.panes.focus, Pane::Message);
            }
        }
    }
}

#[test]
fn the_test_of_keys_shows_what_comes_and_does_nothing_else() {
    let mut scene = Scene::answered("count", "```sh\nls\n```\n");
    scene.inspect(1, Vec::new());
    scene.focus(Pane::Message);
    scene.enter("/keys test");
    scene.take_commands();
    let send = |scene: &mut Scene, key: &str, bytes: &[u8]| {
        scene.screen.event_bytes = bytes.to_vec();
        scene.press(&[key]);
        scene.pass(1_000);
    };
    send(&mut scene, "ctrl-y", b"\x19");
    send(&mut scene, "ctrl-y", b"\x19");
    send(&mut scene, "a", b"a");
    for (width, height) in super::SIZES {
        insta::assert_snapshot!(format!("22_keys_test_{width}x{height}"), drawn(&mut scene, width, height));
    }
    send(&mut scene, "f12", b"\x1b[24~");
    assert!(drawn(&mut scene, 100, 30).contains(r"\x1b[24~"));
    send(&mut scene, "esc", b"\x1b");
    send(&mut scene, "x", b"x");
    send(&mut scene, "esc", b"\x1b");
    assert!(drawn(&mut scene, 100, 30).contains("What the terminal sends"), "once is not twice");
    send(&mut scene, "esc", b"\x1b");
    assert!(!drawn(&mut scene, 100, 30).contains("What the terminal sends"));
    assert!(scene.take_commands().is_empty() && scene.screen.panes.composer.is_empty());
    assert!(scene.engine.state().waiting().is_some(), "nothing was decided");
    // Held down, the key that leaves the test does nothing below it.
    scene.enter_message("/keys test");
    for _ in 0..40 {
        scene.press(&["ctrl-c"]);
        scene.pass(100);
    }
    assert!(!drawn(&mut scene, 100, 30).contains("What the terminal sends"));
    assert!(scene.take_commands().is_empty() && !drawn(&mut scene, 100, 30).contains("Ctrl-C again"));
}

/// `/export` takes a format and an option for keys; any other argument only gives a note, and writes nothing.
#[test]
fn a_chat_is_written_in_the_form_that_is_typed() {
    use sayso::export::ExportFormat;
    let mut scene = Scene::worked();
    scene.focus(Pane::Message);
    let mut typed = |line: &str| {
        let jobs: Vec<String> = scene.enter(line).iter().map(|wish| format!("{wish:?}")).collect();
        (jobs, drawn(&mut scene, 100, 30))
    };
    for (line, format, keys) in [
        ("/export", ExportFormat::Markdown, "Stop"),
        ("/export html", ExportFormat::Html, "Stop"),
        ("/export ipynb redact", ExportFormat::Notebook, "Mask"),
    ] {
        let (jobs, _) = typed(line);
        let wanted = format!("Export({format:?}, {keys})");
        assert!(matches!(&jobs[..], [job] if job.contains(&wanted)), "{line}: {jobs:?}");
    }
    for line in ["/export docx", "/export html allow", "/export html redact more"] {
        let (jobs, screen) = typed(line);
        assert!(jobs.is_empty(), "{jobs:?}");
        assert_text(&screen, &["/export md, html, ipynb, script or json"], &[]);
    }
}

/// The message is wrapped at words, and the cursor is after the last typed character.
#[test]
fn a_long_message_breaks_at_words() {
    for (width, height) in [(80, 24), (100, 30), (140, 40)] {
        let mut scene = Scene::worked();
        scene.focus(Pane::Message);
        scene.screen.panes.composer.set(&"alphabet whether ".repeat(9));
        scene.type_text("end");
        let text = drawn(&mut scene, width, height);
        assert!(text.matches("alphabet").count() >= 9 && text.matches("whether").count() >= 9, "{text}");
        let cursor = text.rsplit("(cursor ").next().unwrap().trim_end_matches(')');
        let (x, y) = cursor.split_once(',').unwrap();
        let row: String =
            text.lines().nth(y.parse().unwrap()).unwrap().chars().take(x.parse().unwrap()).collect();
        assert!(row.ends_with(" end"), "{row}\n{text}");
    }
}
