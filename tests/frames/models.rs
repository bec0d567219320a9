//! Models: choosing one, what a chat uses and costs, a model's opinion of a block.

use super::behaviour::{chosen, reviewing, welcome};
use super::scene::{
    ANSWER, Scene, clouds, decided, engine_commands, findings, inspection, sent, terms, writing,
};
use super::{assert_screen, assert_shown, assert_text, drawn, snapshots, snapshots_after};
use sayso::domain::*;
use sayso::driver::catalogue::{CatalogueAnswer, KeyState, Offer};
use sayso::driver::{Job, JobResult};
use sayso::engine::cost::Prices;
use sayso::engine::{Command, Event, Settings};
use sayso::tui::overlays::input_box::{InputBox, InputKind};
use sayso::tui::overlays::models::Models;
use sayso::tui::overlays::status::Status;
use sayso::tui::overlays::welcome::Welcome;
use sayso::tui::setup::Setup;
use sayso::tui::ui_command::{Choice, UiCommand};
use sayso::tui::widgets::layout::Pane;
use std::sync::Arc;

fn name(provider: &str, model: &str) -> ModelName {
    ModelName { provider: provider.into(), model: model.into() }
}

fn info(provider: &str, model: &str, context: u64) -> ModelInfo {
    ModelInfo { context: Some(context), ..ModelInfo::named(name(provider, model)) }
}

fn offer(name: &str, local: bool, key: KeyState, answer: CatalogueAnswer) -> Offer {
    Offer { name: name.into(), kind: "openai", address: Some("http://x".into()), local, key, answer }
}

/// Ollama with these models.
pub fn ollama(models: &[&str]) -> Offer {
    let models =
        models.iter().map(|model| ModelInfo { local: true, ..info("ollama", model, 32_768) }).collect();
    let offer = offer("ollama", true, KeyState::Needless, CatalogueAnswer::Models(models));
    Offer { address: Some("http://127.0.0.1:11434".into()), ..offer }
}

/// What is offered to a person with Ollama and a key for Anthropic.
fn offers() -> Vec<Offer> {
    let local =
        |model, context| ModelInfo { local: true, tools: Some(true), ..info("ollama", model, context) };
    let priced = |model, input, output| ModelInfo {
        price: Some(Price { input, output, cached: 300, cache_written: 3_750, long: None }),
        ..info("anthropic", model, 200_000)
    };
    let kept = |key: &str| KeyState::Kept(key.into());
    let ollama = vec![local("qwen3-coder", 32_768), local("llama3.3:8b", 131_072), local("tiny", 4_096)];
    let anthropic = vec![
        priced("claude-sonnet-4-5", 3_000, 15_000),
        priced("claude-haiku-4-5-with-a-very-long-name-indeed-20251001", 1_000, 5_000),
    ];
    let scripted = vec![ModelInfo::named(name("scripted", "tour"))];
    let refused = "The key for groq was refused (401). Not sent again.".into();
    vec![
        offer("ollama", true, KeyState::Needless, CatalogueAnswer::Models(ollama)),
        offer("vllm", true, KeyState::Needless, CatalogueAnswer::NotRunning("connection refused".into())),
        offer("anthropic", false, kept("ANTHROPIC_API_KEY"), CatalogueAnswer::Models(anthropic)),
        offer("openrouter", false, kept("OPENROUTER_API_KEY"), CatalogueAnswer::Asking),
        offer("groq", false, kept("GROQ_API_KEY"), CatalogueAnswer::Failed(refused)),
        offer("openai", false, KeyState::Missing("OPENAI_API_KEY".into()), CatalogueAnswer::NoKey),
        Offer {
            address: None,
            ..offer("scripted", false, KeyState::Needless, CatalogueAnswer::Models(scripted))
        },
    ]
}

/// The list of models, with all answers.
fn picking() -> Scene {
    let setup = Setup { clouds: clouds(), cwd: "/home/ada/data/sales".into(), ..Setup::default() };
    let mut scene = Scene::begin(setup, long_prompt(), name("ollama", "qwen3-coder"));
    scene.send(Event::ModelInfo(Box::new(info("ollama", "qwen3-coder", 32_768))));
    scene.ask("Load sales.csv");
    scene.reply("Loaded.\n");
    let commands = scene.enter("/model");
    assert!(matches!(commands.as_slice(), [UiCommand::Job(Job::Models)]), "{commands:?}");
    scene.job_ended(JobResult::Offers(offers()));
    scene
}

/// A system prompt so long that the model's token counts are plausible.
fn long_prompt() -> Settings {
    Settings { system_prompt: "Code is shown before it runs.\n".repeat(1_500), ..Settings::default() }
}

#[test]
fn model_picker() {
    snapshots("11_models", || picking().pressed(&["down"]));
}

#[test]
fn model_picker_tested() {
    snapshots_after("11_models_tested", picking, |scene| {
        scene.type_text("llama");
        let commands = scene.press(&["ctrl-t"]);
        let [UiCommand::Job(Job::TestModel(tested))] = &commands[..] else { panic!("{commands:?}") };
        assert_eq!(tested.model, "llama3.3:8b");
        let tested = Ok("ollama answers after 12 ms: the model is there.".to_owned());
        scene.job_ended(JobResult::Tested(name("ollama", "llama3.3:8b"), tested));
    });
}

#[test]
fn choosing_a_model_sends_it_and_a_provider_without_a_key_asks_for_one() {
    let mut scene = picking();
    assert_eq!(*sent(&scene.enter("sonnet")), Command::UseModel(name("anthropic", "claude-sonnet-4-5")));
    assert!(scene.screen.overlays.is_empty());

    let mut scene = picking();
    assert!(scene.enter("openai").is_empty());
    let asked = scene.screen.top::<InputBox>().map(|asked| &asked.kind);
    assert_eq!(asked, Some(&InputKind::Key("openai".into())));
    scene.paste("sk-very-secret");
    let commands = scene.press(&["enter"]);
    let Choice::Cloud { provider, key: Some(_) } = chosen(&commands) else { panic!("{commands:?}") };
    assert_eq!(provider, "openai");

    // A provider that was not answered yet, or failed, has no models to choose; the list stays open.
    for row in ["openrouter", "groq"] {
        let mut scene = picking();
        assert!(scene.enter(row).is_empty());
        assert!(scene.screen.top::<Models>().is_some(), "{row}");
    }
}

#[test]
fn what_a_hostile_server_lists_stays_text() {
    let mut scene = picking();
    let evil = ModelInfo::named(name("openrouter", "evil\u{1b}[2J\u{202e}\nmodel\u{7}"));
    let answer = CatalogueAnswer::Models(vec![evil]);
    scene.job_ended(JobResult::Offer(offer("openrouter", false, KeyState::Needless, answer)));
    scene.type_text("evil");
    let text = drawn(&mut scene, 100, 30);
    assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{text}");
    assert!(text.contains("evil"), "{text}");
}

#[test]
fn the_screen_of_the_first_choice_offers_gemini_and_asks_for_its_key() {
    let mut scene = welcome();
    let commands = scene.press(&["4"]);
    let Choice::Cloud { provider, key: None } = chosen(&commands) else { panic!("{commands:?}") };
    assert_eq!(provider, "anthropic", "its key is known");
    assert!(scene.press(&["5"]).is_empty());
    scene.paste("sk-very-secret");
    let commands = scene.press(&["enter"]);
    assert!(matches!(chosen(&commands), Choice::Cloud { provider, .. } if provider == "gemini"));
}

/// A server that did not answer stays the marked one: the person starts it, and chooses it again.
#[test]
fn the_server_that_was_chosen_stays_marked() {
    for (chose_server, marked) in [(false, "> 1"), (true, "> 2")] {
        let setup = Setup { welcome: true, clouds: clouds(), chose_server, ..Setup::default() };
        assert_text(&drawn(&mut Scene::set_up(setup), 100, 30), &[marked], &[]);
    }
}

#[test]
fn a_long_name_of_a_model_leaves_room_for_the_session() {
    let folder = "/home/ada/models/unsloth/Qwen3-Coder-30B-A3B-Instruct-GGUF/snapshots/a1b2c3";
    let model = name("local", &format!("{folder}/Qwen3-Coder-30B-Q4_K_M.gguf"));
    let setup = Setup { cwd: "/home/ada/data/sales".into(), ..Setup::default() };
    let mut scene = Scene::begin(setup, Settings::default(), model);
    for (width, height) in [(140, 40), (100, 30)] {
        let screen = drawn(&mut scene, width, height);
        let head = screen.lines().next().unwrap_or_default();
        assert_text(head, &["sayso  sales-q3", "~/data/sales", "...", "Coder-30B-Q4_K_M.gguf"], &[]);
    }
}

#[test]
fn a_choice_of_provider_can_be_left_where_one_is_in_use() {
    let mut scene = Scene::worked();
    scene.enter("/provider");
    assert!(scene.screen.top::<Welcome>().is_some());
    assert_screen(&mut scene, 80, 24, &["Esc back"], &["q quit"]);
    scene.press(&["esc"]);
    assert!(scene.screen.overlays.is_empty());
    scene.enter("/provider");
    assert!(scene.press(&["q"]).is_empty(), "it goes back, and quits nothing");
    assert!(scene.screen.overlays.is_empty());
    let mut scene = Scene::set_up(Setup { welcome: true, ..Setup::default() });
    scene.press(&["esc"]);
    assert!(scene.screen.top::<Welcome>().is_some());
}

/// A session with a model of which much is known; it costs 10 dollars per million input tokens.
fn known() -> Scene {
    let price = Price { input: 10_000, output: 40_000, ..Price::default() };
    let shipped = [("ollama/qwen3-coder".to_owned(), price)].into_iter().collect();
    let settings = Settings {
        prices: Prices { shipped, as_of: "2026-01-01".into(), ..Prices::default() },
        session_budget: Some(2_000_000_000),
        use_instructions: true,
        ..long_prompt()
    };
    let setup = Setup { cwd: "/home/ada/data/sales".into(), ..Setup::default() };
    let mut scene = Scene::begin(setup, settings, name("ollama", "qwen3-coder"));
    let told = ModelInfo { tools: Some(true), images: Some(false), ..info("ollama", "qwen3-coder", 32_768) };
    scene.send(Event::ModelInfo(Box::new(told)));
    scene
}

/// The same after a turn: the cost of one reply is unknown, that of the next is known.
fn informed() -> Scene {
    let mut scene = known();
    scene.first_step(Usage::default());
    scene.reply_of(ANSWER, Usage { input: Some(12_000), output: Some(85), ..Usage::default() });
    scene.send(Event::Instructions(vec![agents("Use tabs.\n")]));
    scene
}

fn agents(text: &str) -> Instructions {
    Instructions {
        path: "/home/ada/data/sales/AGENTS.md".into(),
        text: Arc::from(text),
        bytes: 40_000,
        own: false,
    }
}

#[test]
fn context_and_cost_in_the_header() {
    snapshots("02_context_and_cost", informed);
}

#[test]
fn status() {
    snapshots_after("18_status", informed, |scene| {
        scene.screen.setup.ignored =
            vec!["/home/ada/data/sales/.sayso.toml:3: providers.openai.base_url was ignored: a project can't set this.".into()];
        scene.enter("/status");
    });
}

#[test]
fn the_wheel_scrolls_the_status() {
    use crossterm::event::MouseEventKind::{ScrollDown, ScrollUp};
    let mut scene = informed();
    scene.screen.setup.ignored = (0..60).map(|n| format!("setting {n} was ignored")).collect();
    scene.screen.open(Status::default());
    let top = drawn(&mut scene, 80, 24);
    super::selecting::mouse(&mut scene, ScrollDown, (40, 10));
    let below = drawn(&mut scene, 80, 24);
    assert!(top != below && below.contains("was ignored"), "{below}");
    super::selecting::mouse(&mut scene, ScrollUp, (40, 10));
    assert_eq!(drawn(&mut scene, 80, 24), top);
}

#[test]
fn whose_instructions_are_told_and_which_a_run_changed_is_shown() {
    let mut scene = informed();
    let own = Instructions { path: "/home/ada/me.md".into(), own: true, ..agents("Be brief.\n") };
    scene.send(Event::Instructions(vec![own]));
    assert_screen(&mut scene, 140, 40, &["Your file me.md is told to the model."], &["AGENTS.md is told"]);
    let mut scene = informed();
    scene.send(Event::Instructions(Vec::new()));
    scene.send(Event::HeldInstructions(vec!["/home/ada/data/sales/AGENTS.md".into()]));
    scene.screen.open(Status::default());
    let text = drawn(&mut scene, 140, 40);
    assert_text(&text, &["none is told", "changed since a run began"], &["no AGENTS.md here"]);
}

#[test]
fn what_was_told_shorter_and_what_was_summed_up_is_counted() {
    let mut scene = Scene::begin(Setup::default(), long_prompt(), name("ollama", "qwen3-coder"));
    let told = ModelInfo { local: true, ..info("ollama", "qwen3-coder", 20_000) };
    scene.send(Event::ModelInfo(Box::new(told)));
    scene.first_reply(Usage::default());
    let long = "a line of a long result\n".repeat(4_000);
    scene.ran(1, 100, &long);
    scene.ran(2, 800, &long);
    let shown = |scene: &mut Scene| {
        scene.screen.open(Status::default());
        drawn(scene, 140, 40)
    };
    assert_text(&shown(&mut scene), &["2 results told shorter", "on a server of this computer"], &[]);
    scene.reply(ANSWER);
    scene.command(Command::Compact);
    scene.replied(ReplyEvent::Delta("Two results were read.".into()));
    scene.replied(ReplyEvent::Finished(Finish { reason: FinishReason::Stop, word: None }));
    assert_text(&shown(&mut scene), &["a summary stands for"], &[]);
}

#[test]
fn the_context_is_full() {
    let make = || {
        let mut scene = informed();
        scene.send(Event::Instructions(vec![agents(&"Use tabs.\n".repeat(10_000))]));
        scene.ask("and now all of it");
        scene.settle();
        scene.screen.panes.focus = Pane::Output;
        scene
    };
    snapshots("16_context_full", make);
    let mut scene = make();
    scene.frame();
    scene.pass(1_000);
    assert_eq!(*sent(&scene.press(&["c"])), Command::Compact);
}

#[test]
fn a_summary_is_written() {
    let make = || {
        let mut scene = informed();
        scene.command(Command::Compact);
        let text = "The person asked for a chart of revenue by region.".repeat(8);
        scene.replied(ReplyEvent::Delta(text));
        scene.now = scene.now.plus(3_000);
        scene
    };
    snapshots("03_summing_up", make);
    assert_eq!(*sent(&make().press(&["ctrl-c"])), Command::Stop);
}

#[test]
fn the_session_budget_is_reached() {
    let make = || {
        let mut scene = known();
        scene.first_step(Usage { input: Some(200_000), output: Some(325), ..Usage::default() });
        scene.settle();
        scene.screen.panes.focus = Pane::Output;
        scene
    };
    snapshots("16_budget", make);
    let open = || {
        let mut scene = make();
        scene.frame();
        scene.pass(1_000);
        scene
    };
    assert!(make().press(&["c"]).is_empty(), "a letter right away spends nothing");
    assert_eq!(*sent(&open().press(&["c"])), Command::Continue);
    assert_eq!(*sent(&open().press(&["e"])), Command::EndTurn);
}

#[test]
fn commands_of_context_cost_and_instructions() {
    let typed = |text: &str| {
        let mut scene = informed();
        let commands = scene.enter(text);
        (scene, commands)
    };
    assert_eq!(*sent(&typed("/compact").1), Command::Compact);
    // Without an argument it changes nothing.
    let (mut scene, commands) = typed("/instructions");
    assert!(commands.is_empty(), "{commands:?}");
    let text = drawn(&mut scene, 100, 30);
    assert_text(&text, &["The project's AGENTS.md is told to the model. /instructions on|off|changes."], &[]);
    assert_eq!(*sent(&typed("/instructions on").1), Command::UseInstructions(true));
    assert!(typed("/instructions maybe").1.is_empty());
    let (scene, _) = typed("/cost");
    assert_eq!(
        scene.screen.note.unwrap().text,
        "Cost of this session: $0.12 and more: not known of 1 request, $0.12 for the newest reply. Prices are those of \
         the shipped table, as of 2026-01-01. It asks at $2.00."
    );
}

#[test]
fn that_a_local_model_costs_nothing_is_told_whole_in_a_narrow_row() {
    let setup = Setup { cwd: "/home/ada/data/sales".into(), ..Setup::default() };
    let mut scene = Scene::begin(setup, Settings::default(), name("ollama", "qwen3-coder"));
    let told = ModelInfo { local: true, ..info("ollama", "qwen3-coder", 32_768) };
    scene.send(Event::ModelInfo(Box::new(told)));
    scene.ask("hello");
    scene.reply("Hello.");
    scene.frame();
    scene.enter("/cost");
    let text = drawn(&mut scene, 80, 24);
    let cost = "Cost of this session: nothing sayso knows of: the server is on this computer.";
    assert!(text.contains(cost), "{text}");
}

/// The same, with the opinion of a model.
fn advised(text: Result<&str, &str>) -> Scene {
    let mut scene = reviewing();
    scene.command(Command::RequestOpinion(BlockId(3)));
    let answer = OpinionReply {
        model: name("anthropic", "claude-haiku-4-5"),
        text: text.map(Into::into).map_err(Into::into),
        usage: Usage::default(),
        remarks: Vec::new(),
    };
    scene.send(Event::OpinionArrived(BlockId(3), Revision(1), Box::new(answer)));
    scene
}

fn opinion(reason: &str) -> String {
    format!(r#"{{"risk": "medium", "reason": "{reason}", "lines": [11, 22]}}"#)
}

const REASON: &str = "It removes a folder that the person named, and overwrites out/top3.csv without a copy.";

#[test]
fn a_second_opinion() {
    snapshots("04_opinion", || advised(Ok(&opinion(REASON))));
}

#[test]
fn a_second_opinion_that_did_not_come() {
    snapshots("04_opinion_failed", || advised(Err("its answer was no opinion")));
}

#[test]
fn asking_for_a_second_opinion_holds_up_nothing() {
    let mut scene = reviewing();
    assert_eq!(*sent(&scene.press(&["J"])), Command::RequestOpinion(BlockId(3)));
    scene.command(Command::RequestOpinion(BlockId(3)));
    scene.pass(3_000);
    assert_shown(&mut scene, 100, 30, "asking a model, 3 s");
    assert!(scene.press(&["J"]).is_empty(), "it is asked once");
}

/// A second opinion, then the line of a finding, then the approval: neither resets what was seen, and neither
/// replaces the typed word.
#[test]
fn an_opinion_and_a_look_at_the_finding_leave_the_approval_as_it_is() {
    for size in super::SIZES {
        let mut scene = super::scene::acted(size, reviewing);
        drawn(&mut scene, size.0, size.1);
        scene.see_everything();
        assert_eq!(scene.press(&["J"]).len(), 1);
        scene.command(Command::RequestOpinion(BlockId(3)));
        scene.press(&["g", "f"]);
        let screen = drawn(&mut scene, size.0, size.1);
        assert!(screen.contains("!! 11 │     shutil.rmtree(old)"), "{screen}");
        assert!(screen.contains("asking a model") && scene.screen.guard.rows().is_all_seen(), "{screen}");
        // The quiet time passes, so that the letter is not taken for text.
        scene.pass(2_000);
        assert!(scene.press(&["a"]).is_empty(), "a high finding takes its word");
        assert_shown(&mut scene, size.0, size.1, "Type  run");
        let commands = engine_commands(&scene.enter("run"));
        assert!(commands.contains(&decided(3, Decision::Approve { typed: true })), "{commands:?}");
    }
}

#[test]
fn an_opinion_adds_nothing_that_has_to_be_seen_and_hides_no_row_for_ever() {
    let mut scene = advised(Ok(&opinion(REASON)));
    scene.frame();
    assert_eq!(scene.screen.guard.seen_lines().1, reviewing().screen.guard.seen_lines().1);
    let mut scene = advised(Ok(&opinion(&"very long ".repeat(200))));
    scene.screen.resized((80, 24), scene.at);
    scene.frame();
    scene.see_everything();
}

#[test]
fn a_block_that_a_rule_forbids() {
    let make = || {
        let mut findings = findings();
        findings[0].forbidden = true;
        findings[0].message = "forbidden (shutil.rmtree): deletes a folder: out/charts".into();
        let mut scene = Scene::waiting_with(inspection(terms("python"), findings));
        scene.see_block();
        scene
    };
    snapshots("04_denied", make);
    let mut scene = make();
    scene.screen.resized((140, 40), scene.at);
    scene.frame();
    scene.see_everything();
    let mut commands = scene.press(&["a"]);
    scene.at += std::time::Duration::from_millis(50);
    commands.extend(scene.step(|screen, ctx| screen.tick(ctx)));
    assert!(commands.is_empty() && scene.screen.overlays.is_empty(), "{commands:?}");
    let note = scene.note_text();
    assert!(note.starts_with("Block 3 is denied, line 11: forbidden (shutil.rmtree)"), "{note}");
}

/// The file that a model wants to write.
const NOTES: &str = r##"{"path": "notes.md", "content": "# Regions\n\nNorth leads with 1.25 M.\nEast follows.\n\nSource: sales.csv\n"}"##;

/// A block that writes a file waits; `before` is the file's present text.
fn writes(mut scene: Scene, before: Option<&str>) -> Scene {
    scene.inspected(3, writing(before));
    scene.review();
    scene
}

#[test]
fn a_file_is_written_as_a_change_of_what_is_there() {
    let before = "# Regions\n\nNorth leads.\nEast follows.\n\nSource: sales.csv\n";
    snapshots("04_write", || {
        let mut scene = Scene::at_work();
        let call = format!(r#"{{"name": "write_file", "arguments": {NOTES}}}"#);
        scene.reply(&format!("I will note the regions.\n\n<tool_call>{call}</tool_call>"));
        writes(scene, Some(before))
    });
}

#[test]
fn a_file_that_is_not_there_yet() {
    snapshots("04_write_new", || {
        let mut scene = Scene::at_work();
        scene.replied(ReplyEvent::Delta("I will note the regions.".into()));
        scene.replied(ReplyEvent::ToolCall(ToolCall {
            id: "c1".into(),
            name: "write_file".into(),
            arguments: NOTES.into(),
            signature: None,
        }));
        scene.replied(ReplyEvent::Finished(Finish { reason: FinishReason::ToolCalls, word: None }));
        writes(scene, None)
    });
}
