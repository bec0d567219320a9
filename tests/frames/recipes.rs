//! Recipes: choosing one, its form, its part of the conversation, the form that it asks for, the log of steps.

use super::attached::listed;
use super::scene::recipe::{Script, judge, run_the_tests, say, start};
use super::scene::{Scene, report, scripted, sent};
use super::{assert_screen, assert_shown, drawn, snapshots, snapshots_after};
use ratatui::style::Color;
use sayso::domain::*;
use sayso::driver::{Job, JobResult, Notification};
use sayso::engine::cost::Prices;
use sayso::engine::{Command, Event, Settings, WorkflowStep};
use sayso::recipe::RecipeList;
use sayso::tui::FirstRecipe;
use sayso::tui::overlays::ask::Ask;
use sayso::tui::overlays::form::FormBox;
use sayso::tui::overlays::recipes::Recipes;
use sayso::tui::setup::Setup;
use sayso::tui::theme::{Depth, Theme};
use sayso::tui::ui_command::UiCommand;
use sayso::tui::widgets::draw_context::Glyphs;
use sayso::tui::widgets::layout::Pane;

pub(super) fn field(name: &str, label: &str, kind: FieldKind) -> Field {
    Field { name: name.into(), label: label.into(), help: String::new(), kind, required: true, default: None }
}

fn card(name: &str, title: &str, when: &str, fields: Vec<Field>) -> RecipeCard {
    let note = "Every block waits for you; nothing runs by itself.".to_owned();
    RecipeCard {
        name: name.into(),
        title: title.into(),
        when: when.into(),
        inputs: Form { name: "inputs".into(), title: title.into(), note, fields },
        file: None,
    }
}

pub fn cards() -> Vec<RecipeCard> {
    let lines = || FieldKind::Text { lines: true };
    let runners = ["pytest", "unittest", "node", "cargo", "go"].map(String::from).to_vec();
    let tdd = vec![
        Field { help: "Examples help: f(2) == 4.".into(), ..field("spec", "What should it do?", lines()) },
        Field {
            default: Some("pytest".into()),
            ..field("runner", "Test runner", FieldKind::Choice(runners))
        },
        Field {
            default: Some("5".into()),
            ..field("rounds", "Rounds", FieldKind::Number { min: Some(1), max: Some(9), whole: true })
        },
    ];
    let debug = vec![
        Field { required: false, ..field("words", "What did you expect?", FieldKind::Text { lines: false }) },
        field("code", "The code", lines()),
        field("error", "The error", lines()),
        Field { required: false, ..field("block", "Its block", FieldKind::Text { lines: false }) },
    ];
    let mut own = card(
        "tidy",
        "Tidy up",
        "You want your own house style.",
        vec![field("file", "Which file?", FieldKind::File)],
    );
    own.file = Some("/home/ada/.config/sayso/recipes/tidy.toml".into());
    vec![
        card("tdd", "Test-driven", "You can say what it should do, and want tests before code.", tdd),
        card("debug", "Debug", "Something fails, and you want to know why before it is changed.", debug),
        card("explain", "Explain", "You want to know what a file would do; nothing runs.", Vec::new()),
        own,
    ]
}

fn with_recipes() -> Scene {
    under(Settings::default())
}

/// A session with recipes that began with a question, under these settings.
fn under(settings: Settings) -> Scene {
    let setup = Setup { cwd: "/home/ada/data/sales".into(), recipes: cards().into(), ..Setup::default() };
    let mut scene = Scene::begin(setup, settings, scripted());
    scene.ask("Is there a test?");
    scene.reply("No, there is none yet.");
    scene
}

/// Types a command and presses Enter; if recipes are read, the known ones are found.
fn command(scene: &mut Scene, text: &str) -> Vec<UiCommand> {
    let known = scene.screen.setup.recipes.to_vec();
    command_with(scene, text, known)
}

/// The same, with these recipes found.
fn command_with(scene: &mut Scene, text: &str, recipes: Vec<RecipeCard>) -> Vec<UiCommand> {
    match scene.enter_message(text) {
        commands if matches!(commands[..], [UiCommand::Job(Job::Recipes)]) => {
            scene.frame();
            scene.job_ended(JobResult::Recipes(recipes.into(), Vec::new()))
        }
        commands => commands,
    }
}

fn begun(commands: &[UiCommand]) -> Option<(&str, &Answers)> {
    match commands {
        [UiCommand::Job(Job::BeginRecipe(name, answers))] => Some((name, answers)),
        _ => None,
    }
}

fn answer<'a>(answers: &'a Answers, name: &str) -> &'a str {
    answers.iter().find(|(known, _)| known == name).map_or("", |(_, text)| text)
}

#[test]
fn a_recipe_of_the_command_line_that_lacks_an_answer_opens_its_form() {
    let mut scene = Scene::set_up(Setup { recipes: RecipeList::shipped().cards(), ..Setup::default() });
    let answers = vec![("words".to_owned(), "it was fine".to_owned())];
    let first = FirstRecipe { name: "debug".into(), answers, shown: false };
    let commands = scene.step(|screen, _| screen.begin_with(&first));
    assert_eq!(begun(&commands).map(|(name, _)| name), Some("debug"));
    let misfits = vec![AnswerError { field: "file".into(), why: "one of file, block is needed".into() }];
    scene.job_ended(JobResult::RecipeRefused { name: "debug".into(), misfits });
    assert_screen(&mut scene, 100, 40, &["! one of file, block is needed", "it was fine"], &[]);
}

#[test]
fn recipes_are_chosen_from_a_list() {
    snapshots_after("18_recipes", with_recipes, |scene| {
        command(scene, "/recipe");
        scene.press(&["down", "down", "down"]);
    });
    let mut scene = with_recipes();
    command(&mut scene, "/recipe");
    scene.enter("why");
    assert!(drawn(&mut scene, 100, 30).contains("What did you expect?"));
    assert!(scene.press(&["esc"]).is_empty());
    let commands = command(&mut scene, "/recipe new house-style");
    assert!(matches!(commands.as_slice(), [UiCommand::Job(Job::NewRecipe(name))] if name == "house-style"));
    assert!(command(&mut scene, "/recipe nonsense").is_empty());
    assert_eq!(scene.note_text(), "There is no recipe nonsense. /recipe lists all of them.");
    let mut scene = Scene::new();
    command(&mut scene, "/recipe");
    assert!(drawn(&mut scene, 100, 30).contains("There are no recipes."));
}

#[test]
fn a_recipe_that_was_written_meanwhile_is_listed_and_opens() {
    let house = || {
        let mut house = card("house-style", "House style", "You want it as at home.", Vec::new());
        house.inputs.fields = vec![field("where", "In which room?", FieldKind::Text { lines: false })];
        house.file = Some("/home/ada/.config/sayso/recipes/house-style.toml".into());
        house
    };
    let with_house = || cards().into_iter().chain([house()]).collect::<Vec<_>>();
    let mut scene = with_recipes();
    assert!(matches!(scene.enter_message("/recipe")[..], [UiCommand::Job(Job::Recipes)]));
    // Text typed meanwhile stays, and so does the choice.
    scene.type_text("t");
    scene.press(&["down"]);
    let chosen = |scene: &mut Scene| {
        let text = drawn(scene, 100, 30);
        text.lines().find(|line| line.contains("> tidy") || line.contains("> tdd")).map(str::to_owned)
    };
    let before = chosen(&mut scene);
    let told = vec![Notice::warn("recipes/odd.toml:1:1: this is no TOML. The recipe is not used.")];
    assert!(scene.job_ended(JobResult::Recipes(with_house().into(), told)).is_empty());
    assert_eq!(scene.note_text(), "recipes/odd.toml:1:1: this is no TOML. The recipe is not used.");
    assert!(drawn(&mut scene, 100, 30).contains("house-style"));
    assert_eq!(chosen(&mut scene), before);
    // A named recipe opens at once; after its file changed, it opens with the new form.
    let mut scene = with_recipes();
    command_with(&mut scene, "/recipe house-style kitchen", with_house());
    assert_screen(&mut scene, 100, 30, &["In which room?", "kitchen"], &[]);
    scene.press(&["esc"]);
    let mut changed = house();
    changed.inputs.fields[0].label = "On which floor?".into();
    command_with(&mut scene, "/recipe house-style", vec![changed]);
    assert!(drawn(&mut scene, 100, 30).contains("On which floor?"));
    // Built-in recipes don't wait for any file.
    let mut scene = with_recipes();
    assert!(scene.enter_message("/recipe tdd").is_empty());
    assert!(drawn(&mut scene, 100, 30).contains("What should it do?"));
}

fn filled() -> Scene {
    let mut scene = with_recipes();
    command(&mut scene, "/recipe tdd a stack with push and pop");
    scene
}

#[test]
fn a_form_asks_for_the_inputs() {
    snapshots("18_recipe_form", filled);
}

#[test]
fn a_field_that_takes_several_paths_completes_the_last() {
    let mut scene = Scene::set_up(Setup { recipes: RecipeList::shipped().cards(), ..Setup::default() });
    command(&mut scene, "/recipe tdd make addresses");
    scene.press(&["tab"]);
    scene.type_text("new.py, sr");
    let files = ["src/load.py", "src/slug.py", "README.md"];
    scene.job_ended(listed(&files.map(|path| (path, 2_100)), false));
    scene.type_text("cslug");
    assert_screen(&mut scene, 80, 24, &["new.py, srcslug", "src/slug.py"], &["README"]);
    scene.press(&["tab"]);
    assert_shown(&mut scene, 80, 24, "new.py, src/slug.py");
    // After the next comma, the next file is completed; Tab continues from a complete name.
    scene.type_text(", ");
    assert!(drawn(&mut scene, 80, 24).contains("README.md"));
    scene.type_text("loa");
    let commands = scene.press(&["tab", "tab", "enter"]);
    let target = begun(&commands).map(|(_, answers)| answer(answers, "target"));
    assert_eq!(target, Some("new.py, src/slug.py, src/load.py"), "{commands:?}");
}

/// The form of `tidy`, whose only field takes a path, with the files of the folder listed.
fn naming_a_file(typed: &str) -> Scene {
    let mut scene = with_recipes();
    command(&mut scene, "/recipe tidy");
    let (first, rest) = typed.split_at(1);
    scene.type_text(first);
    let files = ["README.md", "data/load.csv", "src/load.py", "src/loader.py", "tests/load.py", "upload.py"];
    scene.job_ended(listed(&files.map(|path| (path, 2_100)), false));
    scene.type_text(rest);
    scene
}

#[test]
fn a_field_that_takes_a_path_completes_it() {
    snapshots("18_recipe_form_paths", || naming_a_file("load"));
    let mut scene = with_recipes();
    command(&mut scene, "/recipe tidy");
    let commands = scene.press(&["l"]);
    assert!(matches!(commands[..], [UiCommand::Job(Job::FolderFiles)]), "{commands:?}");
    // Tab takes the best match; a complete path is submitted as usual.
    let mut scene = naming_a_file("srcload");
    assert!(scene.press(&["tab"]).is_empty());
    assert_screen(&mut scene, 80, 24, &["src/load.py"], &["src/loader.py"]);
    let commands = scene.press(&["enter"]);
    assert_eq!(begun(&commands).map(|(_, answers)| answer(answers, "file")), Some("src/load.py"));
    // Another match is chosen and taken by Enter, which submits nothing yet.
    let mut scene = naming_a_file("srcload");
    scene.press(&["down", "down"]);
    assert!(scene.press(&["enter"]).is_empty());
    let commands = scene.press(&["enter"]);
    assert_eq!(begun(&commands).map(|(_, answers)| answer(answers, "file")), Some("src/loader.py"));
    // A name that matches no file counts as it was typed.
    let commands = naming_a_file("new.py").press(&["enter"]);
    assert_eq!(begun(&commands).map(|(_, answers)| answer(answers, "file")), Some("new.py"));
}

#[test]
fn the_forms_of_all_recipes_stand_on_one_screen() {
    for card in RecipeList::shipped().cards().iter() {
        let mut scene = Scene::set_up(Setup { recipes: RecipeList::shipped().cards(), ..Setup::default() });
        command(&mut scene, &format!("/recipe {}", card.name));
        let fields = &card.inputs.fields;
        let walked = |at: usize| match fields.len() {
            1 => "Nothing runs from here".to_owned(),
            all => format!("Field {} of {all}", at + 1),
        };
        for (at, here) in fields.iter().enumerate() {
            let text = drawn(&mut scene, 80, 24);
            for field in fields {
                assert!(
                    text.contains(&field.label),
                    "{} is out of sight in {}:\n{text}",
                    field.label,
                    here.name
                );
            }
            assert!(text.contains(&walked(at)), "{text}");
            scene.press(&["tab"]);
        }
        scene.press(&["shift-tab"]);
        assert_shown(&mut scene, 80, 24, &walked(fields.len().saturating_sub(2)));
    }
}

#[test]
fn answers_stand_beside_what_is_asked_where_there_is_little_room() {
    snapshots("18_recipe_form_tight", || {
        let mut scene = Scene::set_up(Setup { recipes: RecipeList::shipped().cards(), ..Setup::default() });
        command(&mut scene, "/recipe debug report.py");
        scene.press(&["tab"]);
        scene.type_text("python3 report.py 2026");
        scene.press(&["tab", "tab", "tab", "tab"]);
        scene.paste("Traceback:\n  1\n  2\n  3\n  4\n  5\nKeyError: 'start'");
        scene
    });
}

#[test]
fn a_form_that_does_not_fit_says_so_and_loses_nothing() {
    snapshots("18_recipe_form_misfits", || {
        filled().pressed(&["ctrl-u", "tab", "right", "tab", "ctrl-u", "x", "enter"])
    });
    let mut scene = filled();
    scene.press(&["ctrl-u", "tab", "right", "tab", "ctrl-u", "x"]);
    assert!(scene.press(&["enter"]).is_empty());
    assert_screen(&mut scene, 100, 30, &["! an answer is needed", "! a whole number"], &[]);
    scene.paste("pops what was\npushed last");
    scene.press(&["tab", "tab", "ctrl-u", "4"]);
    let commands = scene.press(&["enter"]);
    let (name, answers) = begun(&commands).expect("it fits now");
    assert_eq!(name, "tdd");
    let given = ["spec", "runner", "rounds"].map(|name| answer(answers, name).to_owned());
    assert_eq!(given, ["pops what was\npushed last", "unittest", "4"]);
    assert!(scene.press(&["enter"]).is_empty(), "it is sent once");
    // The driver finds that the recipe can't start: the typed text is still there.
    let misfits = vec![AnswerError { field: "runner".into(), why: "unittest is not here".into() }];
    scene.job_ended(JobResult::RecipeRefused { name: "tdd".into(), misfits });
    assert_screen(&mut scene, 100, 30, &["! unittest is not here", "pushed last"], &[]);
    scene.press(&["left", "tab"]);
    let commands = scene.press(&["enter"]);
    assert_eq!(begun(&commands).map(|(_, answers)| answer(answers, "runner")), Some("pytest"));
    let began = Entry::Recipe(RecipeFact::Began(Box::new(start())));
    scene.step(|screen, ctx| screen.notified(Notification::Recorded(Box::new(began)), ctx));
    assert!(scene.screen.overlays.is_empty(), "the form goes when the recipe has begun");
}

#[test]
fn a_form_is_kept_while_it_is_put_aside() {
    let mut scene = filled();
    scene.press(&["ctrl-j", "!", "esc"]);
    assert!(scene.screen.overlays.is_empty());
    assert_eq!(scene.note_text(), "Kept. /recipe tdd opens it again.");
    command(&mut scene, "/recipe tdd");
    scene.press(&["tab", "tab"]);
    let commands = scene.press(&["enter"]);
    assert_eq!(
        begun(&commands).map(|(_, answers)| answer(answers, "spec")),
        Some("a stack with push and pop\n!")
    );
    let mut scene = filled();
    scene.press(&["ctrl-c"]);
    assert!(scene.screen.overlays.is_empty());
    command(&mut scene, "/recipe tdd");
    assert!(drawn(&mut scene, 100, 30).contains("a stack with push and pop"));
}

#[test]
fn a_recipe_does_not_begin_in_the_midst_of_a_turn() {
    let mut scene = filled();
    scene.streaming("one moment");
    scene.press(&["tab", "tab"]);
    assert!(scene.press(&["enter"]).is_empty());
    assert_eq!(scene.note_text(), "A recipe begins when this turn is over. Esc keeps the form.");
}

#[test]
fn a_long_form_scrolls_to_the_field_with_the_cursor() {
    let mut scene = filled();
    let kinds = (0..40)
        .map(|n| field(&format!("n{n}"), &format!("Field {n}?"), FieldKind::Text { lines: n % 2 == 0 }));
    scene.screen.setup.recipes = vec![card("long", "Long", "", kinds.collect())].into();
    scene.press(&["esc"]);
    command(&mut scene, "/recipe long");
    for n in 0..40 {
        let text = drawn(&mut scene, 80, 24);
        assert!(text.contains(&format!("> Field {n}?")), "{n}: {text}");
        assert!(!text.ends_with("(no cursor)"), "{n}");
        scene.press(&["tab"]);
    }
    let huge = "x".repeat(300_000);
    scene.paste(&huge);
    assert!(drawn(&mut scene, 80, 24).contains("> Field 39?"));
    scene.press(&["shift-tab"]);
    let many = "line\n".repeat(20_000);
    scene.paste(&many);
    assert_screen(&mut scene, 80, 24, &["> Field 38?", "(more above, 20,001 lines in all)"], &[]);
}

/// Tests were written and run; the code for them is being written.
fn in_the_midst() -> Scene {
    midst(under(script(vec![WorkflowStep::Ask], Vec::new())))
}

/// A recipe that has tests written and run, then returns `then`, and `at_last` when it is asked again.
fn script(then: Vec<WorkflowStep>, at_last: Vec<WorkflowStep>) -> Settings {
    let mut code =
        vec![judge("red", "1 failed, 1 passed, for the right reason"), say("code", "Make them pass")];
    code.extend(then);
    let tests = vec![say("tests", "Tests first"), WorkflowStep::Ask];
    Script::settings([tests, vec![run_the_tests()], code, at_last])
}

/// The recipe has started; its tests were written and run.
fn midst(mut scene: Scene) -> Scene {
    scene.pass(60_000);
    scene.send(Event::RecipeReady(Box::new(start())));
    scene.pass(6_000);
    let tests = "def test_pop():\n    assert Stack([1]).pop() == 1\n";
    scene.reply(&format!("Tests first.\n\n```python\n{tests}```\n\n```bash\nrm -rf build\n```\n"));
    scene.ran(1, 100, "");
    let mut report = report("F.\n1 failed, 1 passed\n", 1_200);
    (report.outcome, report.receipt.exit_code) = (Outcome::Failed, Some(1));
    scene.pass(4_000);
    scene.ran_with(3, report);
    scene
}

#[test]
fn rounds_and_verdicts_stand_in_the_conversation() {
    snapshots_after("18_recipe_chat", in_the_midst, |scene| {
        scene.streaming("Here is the class:\n\n```python\nclass Stack:\n");
    });
    let mut scene = in_the_midst();
    scene.streaming("Here");
    let text = drawn(&mut scene, 140, 40);
    assert!(text.contains("tdd · 2 of 3 · Make them pass"), "{text}");
    assert!(text.contains("tdd 2/3"), "the header says it: {text}");
    assert!(text.contains("tdd, 2 of 3, Make them pass   Answering"), "the status row says it: {text}");
    assert!(text.contains("- red: 1 failed, 1 passed, for the right reason"), "{text}");
    assert!(text.contains("recipe: only tests are written in this step"), "{text}");
}

#[test]
fn its_end_is_told_with_its_summary() {
    let ended = || {
        let summary = "**2 tests pass.** Files:\n\n- `stack.py`\n- `test_stack.py`\n".into();
        let end = vec![judge("green", "2 passed"), WorkflowStep::End { end: RecipeEnd::Done, summary }];
        let mut scene = midst(under(script(vec![WorkflowStep::Ask], end)));
        scene.reply("```python\nclass Stack: ...\n```\n");
        scene.ran(4, 80, "");
        scene
    };
    snapshots("18_recipe_end", ended);
    let text = drawn(&mut ended(), 140, 40);
    assert!(text.contains("The recipe is done.") && text.contains("2 tests pass."), "{text}");
    assert!(!text.contains("tdd 2/3"), "it goes on no longer: {text}");
}

/// A block of the recipe waits in review.
fn own_waits() -> Scene {
    let mut scene = midst(under(script(vec![run_the_tests()], Vec::new())));
    scene.inspect(4, Vec::new());
    scene.see_block();
    scene
}

#[test]
fn a_block_of_its_own_says_what_it_is_for() {
    snapshots("18_recipe_own_block", own_waits);
    let mut scene = own_waits();
    assert_shown(&mut scene, 140, 40, "WAITING, run the tests");
    scene.screen.resized((140, 40), scene.at);
    scene.press(&["a"]);
    scene.pass(1_000);
    assert_shown(&mut scene, 140, 40, "Block 4 is sayso's own: run the tests");
}

fn arguments() -> Form {
    let argument = |name: &str, annotation: &str, default: Option<&str>| Field {
        required: default.is_none(),
        default: default.map(str::to_owned),
        ..field(name, name, FieldKind::Argument { annotation: annotation.into() })
    };
    Form {
        name: "arguments".into(),
        title: "Call total\u{1b}[2J(\u{202e}".into(),
        note: "Its arguments.".into(),
        fields: vec![
            argument("path", "str", None),
            argument("n", "int", Some("3")),
            argument("evil", "\u{1b}]52;c;AAAA\u{7}int", Some("\u{202e}0")),
        ],
    }
}

fn asking() -> Scene {
    asking_for(arguments())
}

fn asking_for(form: Form) -> Scene {
    let mut scene = midst(under(script(vec![WorkflowStep::Form(form)], Vec::new())));
    scene.frame();
    scene.wait(3_000);
    assert!(scene.screen.overlays.is_empty(), "a form never comes up by itself");
    scene.press(&["tab"]);
    scene
}

#[test]
fn a_form_in_the_midst_is_one_tab_away() {
    snapshots_after("18_recipe_asks", asking, |scene| {
        scene.wait(2_000);
    });
    let mut scene = asking();
    assert!(scene.screen.top::<FormBox>().is_some());
    let text = drawn(&mut scene, 100, 30);
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}') && !text.contains('\u{7}'), "{text}");
    let mut scene =
        asking_for(Form { fields: arguments().fields.into_iter().take(2).collect(), ..arguments() });
    scene.enter("a");
    let commands = scene.press(&["enter"]);
    let Command::Answer(answers) = sent(&commands) else { panic!("{commands:?}") };
    assert_eq!((answer(answers, "path"), answer(answers, "n")), ("a", "3"));
}

#[test]
fn a_form_does_not_come_up_under_somebody_who_types() {
    let form = vec![WorkflowStep::Form(arguments())];
    let mut scene = under(script(vec![WorkflowStep::Ask], form));
    scene = midst(scene);
    scene.type_text("and then");
    scene.reply("It is written.");
    scene.frame();
    scene.wait(5_000);
    assert!(scene.screen.overlays.is_empty());
    scene.press(&["tab"]);
    assert!(scene.screen.top::<FormBox>().is_some(), "one Tab away");
    assert_eq!(scene.screen.panes.composer.full_text(), "and then");
}

#[test]
fn a_hidden_form_is_one_key_away_and_ending_is_asked() {
    let hidden = || {
        let mut scene = asking();
        scene.press(&["tab"]);
        scene.type_text("half");
        scene.press(&["esc"]);
        scene
    };
    snapshots("18_recipe_asks_hidden", hidden);
    let mut scene = hidden();
    assert!(scene.screen.overlays.is_empty());
    assert_eq!(scene.screen.panes.focus, Pane::Message, "letters act among the problems");
    scene.press(&["tab"]);
    assert!(drawn(&mut scene, 100, 30).contains("half"), "nothing is lost");
    let to_the_question = |scene: &mut Scene| {
        scene.frame();
        scene.pass(1_000);
        scene.press(&["e"]);
        assert!(scene.screen.top::<Ask>().is_some());
    };
    scene.press(&["esc", "shift-tab"]);
    to_the_question(&mut scene);
    assert!(scene.press(&["enter"]).is_empty(), "Enter is the safe answer");
    to_the_question(&mut scene);
    scene.frame();
    scene.pass(1_000);
    assert_eq!(*sent(&scene.press(&["e"])), Command::EndTurn);
    // Once the recipe no longer asks, there is no form to return to.
    scene.command(Command::EndTurn);
    scene.frame();
    command(&mut scene, "/recipe");
    assert!(scene.screen.top::<Recipes>().is_some());
}

#[test]
fn a_failure_is_handed_to_debug_with_one_key() {
    let failed = || {
        let mut scene = with_recipes();
        scene.reply("```python\nprint(rows[9])\n```\n");
        let mut report = report("", 80);
        (report.outcome, report.receipt.exit_code) = (Outcome::Failed, Some(1));
        report.error = Some(RunError {
            kind: "IndexError".into(),
            message: "list index out of range".into(),
            traceback:
                "Traceback (most recent call last):\n  block 1, line 1\nIndexError: list index out of range"
                    .into(),
        });
        scene.ran_with(1, report);
        scene.reply("There are fewer rows than that.");
        scene.frame();
        scene.screen.panes.code.show(BlockId(1));
        scene.screen.panes.focus = Pane::Output;
        scene.frame();
        scene.pass(1_000);
        scene
    };
    snapshots("18_debug_form", || failed().pressed(&["D"]));
    let mut scene = failed();
    assert!(drawn(&mut scene, 140, 40).contains("D debug it"));
    scene.screen.resized((140, 40), scene.at);
    scene.press(&["D"]);
    scene.type_text("the last row");
    scene.press(&["tab", "tab", "tab"]);
    let commands = scene.press(&["enter"]);
    let (name, answers) = begun(&commands).expect("it is complete");
    assert_eq!((name, answer(answers, "words"), answer(answers, "block")), ("debug", "the last row", "1"));
    assert_eq!(answer(answers, "code"), "print(rows[9])\n");
    assert_eq!(answer(answers, "error").lines().last(), Some("IndexError: list index out of range"));
    assert_eq!(answer(answers, "error").matches("IndexError").count(), 1);
    let mut scene = Scene::worked();
    scene.screen.panes.focus = Pane::Output;
    scene.frame();
    scene.pass(1_000);
    scene.press(&["D"]);
    assert!(scene.note_text().ends_with("did not fail."), "{}", scene.note_text());
}

#[test]
fn steps_are_listed_with_all_that_is_known() {
    let open = || {
        let price = Price { input: 1_000, output: 750, ..Price::default() };
        let own = [(scripted().to_string(), price)].into_iter().collect();
        let prices = Prices { own, ..Prices::default() };
        let mut scene = midst(under(Settings { prices, ..script(vec![WorkflowStep::Ask], Vec::new()) }));
        command(&mut scene, "/steps");
        scene
    };
    snapshots("18_steps", open);
    let mut scene = open();
    let text = drawn(&mut scene, 140, 40);
    for part in
        ["recipe tdd", "[DECLINED]", "[FAILED 1]", "run the tests", "- red: 1 failed", "by you", "$0.0123"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    scene.screen.resized((80, 24), scene.at);
    for n in 0..30 {
        scene.reply(&format!("Reply {n}."));
    }
    scene.frame();
    scene.press(&["g"]);
    assert!(drawn(&mut scene, 80, 24).contains("Turn 1"));
    scene.press(&["G"]);
    assert!(!drawn(&mut scene, 80, 24).contains("Turn 1"));
    let mut scene = Scene::new();
    command(&mut scene, "/steps");
    assert!(drawn(&mut scene, 80, 24).contains("No step was taken yet."));
}

#[test]
fn nothing_is_told_by_colour_alone() {
    let chosen = |depth| {
        let mut scene = with_recipes();
        scene.theme = Theme::terminal(depth);
        command(&mut scene, "/recipe tdd a stack with push and pop");
        scene.press(&["tab", "right"]);
        scene
    };
    let text = drawn(&mut chosen(Depth::Mono), 100, 30);
    assert_eq!(drawn(&mut chosen(Depth::True), 100, 30), text);
    assert!(text.contains("(x) unittest"), "{text}");
    insta::assert_snapshot!("18_recipe_form_mono_100x30", text);

    let mut scene = chosen(Depth::Mono);
    scene.screen.resized((100, 30), scene.at);
    let (buffer, _) = super::painted(&mut scene, (100, 30), Glyphs::ASCII);
    for cell in buffer.content() {
        assert_eq!((cell.fg, cell.bg), (Color::Reset, Color::Reset), "{}", cell.symbol());
        assert!(cell.symbol().is_ascii(), "{}", cell.symbol());
    }
}
